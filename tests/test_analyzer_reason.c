/* Of each reason two tapes: it alone applies to one, and to the other it just does not. A reason
 * without a pair fails the test. "Alone" is among all reasons that there are, whatever a policy names;
 * where one reason is a finer or a coarser one of another, both apply, and the pair says so. */
#include "reason_pairs.h"

#include "../analyzer/reason.h"

#define MARK "ANVIL_REQ_0_00000"
#define CALL                                                                                                           \
    {STEP_START, 2, NULL, NULL, 0}, {STEP_CONN, 2, NULL, NULL, 0},                                                     \
    {                                                                                                                  \
        STEP_SENT, 3, NULL, NULL, 4000                                                                                 \
    }
#define HEAD(line, header)                                                                                             \
    {                                                                                                                  \
        STEP_HEAD, 100, line, header, 0                                                                                \
    }
#define OPEN CALL, HEAD("HTTP/1.1 200 OK", NULL)
#define READ(ms, text)                                                                                                 \
    {                                                                                                                  \
        STEP_READ, ms, text, NULL, 0                                                                                   \
    }
#define TEXT                                                                                                           \
    READ(500, DELTA("content", MARK " code")), READ(600, DELTA("content", " code")),                                   \
        READ(700, DELTA("content", " code"))
#define END(ms)                                                                                                        \
    {                                                                                                                  \
        STEP_DONE, ms, "complete", NULL, 0                                                                             \
    }
#define GOOD_END READ(800, STOP USAGE(980, 4) FINISH), END(801)
#define FAULT(code, words)                                                                                             \
    {                                                                                                                  \
        STEP_DONE, 900, "fault", words, code                                                                           \
    }
#define ENDED(reason)                                                                                                  \
    {                                                                                                                  \
        STEP_DONE, 900, reason, NULL, 0                                                                                \
    }
#define WHOLE OPEN, TEXT, GOOD_END
#define USAGE_OF(counts) "data: {\"choices\":[],\"usage\":{" counts "}}\n\n"
#define LAST(text) OPEN, TEXT, READ(800, text), END(801)
#define CHARS(n)                                                                                                       \
    {                                                                                                                  \
        STEP_CHARS, 500, NULL, NULL, n                                                                                 \
    }

struct pair {
    enum reason_code code;
    struct maker_options options, kept_options; /* kept_options: where they differ, else as options */
    struct step applies[STEPS], kept[STEPS];
    enum reason_code with[3]; /* apply too, for what they are */
};

static const struct maker_options base = {.canaries = true};

static const struct pair pairs[] = {
    {REASON_NOT_BUILT, {0}, {0}, {{STEP_FAULT, 0, NULL, NULL, 0}}, {WHOLE}, {0}},
    {REASON_NOT_SENT, {0}, {0}, {{0}}, {CALL, FAULT(7, "refused")}, {0}},
    {REASON_NOT_RECORDED, {0}, {0}, {CALL}, {CALL, FAULT(7, "refused")}, {0}},
    {REASON_CANCELLED, {0}, {0}, {CALL, ENDED("cancelled")}, {WHOLE}, {0}},
    {REASON_REDIRECT_REFUSED,
     {0},
     {0},
     {CALL, HEAD("HTTP/1.1 302 Found", NULL), END(801)},
     {CALL, HEAD("HTTP/1.1 304 Not Modified", NULL), END(801)},
     {0}},
    {REASON_HTTP_STATUS,
     {0},
     {0},
     {CALL, HEAD("HTTP/1.1 300 Multiple", NULL), END(801)},
     {CALL, HEAD("HTTP/1.1 299 Good", NULL), TEXT, GOOD_END},
     {0}},
    {REASON_LOST_RECORDS,
     {0},
     {0},
     {OPEN, TEXT, {STEP_LOST, 790, NULL, NULL, 0}, GOOD_END},
     {OPEN, TEXT, {STEP_LOST, 790, NULL, NULL, 1}, GOOD_END},
     {0}},
    {REASON_DNS, {0}, {0}, {CALL, FAULT(6, NULL)}, {CALL, FAULT(7, NULL)}, {0}},
    {REASON_PROXY, {0}, {0}, {CALL, FAULT(5, NULL)}, {CALL, FAULT(6, NULL)}, {0}},
    {REASON_CONNECT_REFUSED, {0}, {0}, {CALL, FAULT(7, "Connection refused")}, {CALL, FAULT(7, "No route")}, {0}},
    {REASON_CONNECT, {0}, {0}, {CALL, FAULT(7, "No route")}, {CALL, FAULT(7, "Connection refused")}, {0}},
    {REASON_NO_LOCAL_PORT,
     {0},
     {0},
     {CALL, FAULT(7, "Cannot assign requested address")},
     {CALL, FAULT(7, "No route")},
     {0}},
    {REASON_CONNECT_TIMEOUT,
     {0},
     {0},
     {{STEP_START, 2, NULL, NULL, 0}, {STEP_RESOLVED, 900, "timeout", NULL, 0}},
     {{STEP_START, 2, NULL, NULL, 0}, {STEP_CONN, 3, NULL, NULL, 0}, {STEP_RESOLVED, 900, "timeout", NULL, 0}},
     {0}},
    {REASON_TLS, {0}, {0}, {CALL, FAULT(60, NULL)}, {CALL, FAULT(55, NULL)}, {0}},
    {REASON_SEND, {0}, {0}, {CALL, FAULT(55, NULL)}, {CALL, FAULT(60, NULL)}, {0}},
    {REASON_SEND_TIMEOUT,
     {0},
     {0},
     {{STEP_START, 2, NULL, NULL, 0},
      {STEP_CONN, 2, NULL, NULL, 0},
      {STEP_SENT, 3, NULL, NULL, 3999},
      ENDED("timeout")},
     {CALL, ENDED("timeout")},
     {0}},
    {REASON_STALE_CONNECTION,
     {0},
     {0},
     {CALL, {STEP_DONE, 900, "stale_connection", NULL, 56}},
     {CALL, FAULT(56, NULL)},
     {0}},
    {REASON_HEADER_TIMEOUT, {0}, {0}, {CALL, ENDED("timeout")}, {OPEN, ENDED("timeout")}, {0}},
    {REASON_NO_RESPONSE, {0}, {0}, {CALL, FAULT(52, NULL)}, {OPEN, FAULT(52, NULL)}, {0}},
    {REASON_NOT_HTTP, {0}, {0}, {CALL, FAULT(1, NULL)}, {CALL, FAULT(52, NULL)}, {0}},
    {REASON_INACTIVITY_BEFORE_OUTPUT,
     {0},
     {0},
     {OPEN, READ(400, ": ping\n\n"), ENDED("timeout")},
     {OPEN, TEXT, ENDED("timeout")},
     {0}},
    {REASON_INACTIVITY,
     {0},
     {0},
     {OPEN, TEXT, ENDED("timeout")},
     {OPEN, READ(400, ": ping\n\n"), ENDED("timeout")},
     {0}},
    {REASON_CONNECTION_RESET, {0}, {0}, {OPEN, TEXT, FAULT(56, NULL)}, {OPEN, TEXT, FAULT(18, NULL)}, {0}},
    {REASON_TRUNCATED_BODY, {0}, {0}, {OPEN, TEXT, FAULT(18, NULL)}, {OPEN, TEXT, FAULT(56, NULL)}, {0}},
    {REASON_BAD_CHUNK,
     {0},
     {0},
     {CALL, HEAD("HTTP/1.1 200 OK", "transfer-encoding chunked"), READ(500, "xyz\r\n"), END(801)},
     {CALL, HEAD("HTTP/1.1 200 OK", "transfer-encoding chunked"), READ(500, "5\r\nab"), FAULT(18, NULL)},
     {0}},
    {REASON_BAD_FRAMING,
     {0},
     {0},
     {CALL, HEAD("HTTP/1.1 200 OK", "content-length 5x"), READ(500, "data:"), END(801)},
     {CALL, HEAD("HTTP/1.1 200 OK", "content-length 5"), READ(500, "data:"), END(801)},
     {0}},
    {REASON_BODY_NEVER_ENDED,
     {0},
     {0},
     {OPEN, TEXT, READ(800, STOP USAGE(980, 4)), ENDED("done_grace")},
     {OPEN, TEXT, READ(800, STOP USAGE(980, 4) FINISH), ENDED("done_grace")},
     {0}},
    {REASON_HTTP2, {0}, {0}, {OPEN, TEXT, FAULT(92, NULL)}, {OPEN, TEXT, FAULT(99, NULL)}, {0}},
    {REASON_TRANSPORT, {0}, {0}, {OPEN, TEXT, FAULT(99, NULL)}, {OPEN, TEXT, FAULT(92, NULL)}, {0}},
    {REASON_CLIENT, {0}, {0}, {CALL, FAULT(27, NULL)}, {CALL, FAULT(99, NULL)}, {0}},
    {REASON_EVENT_TOO_LARGE,
     {0},
     {0},
     {OPEN, {STEP_PIECES, 500, NULL, NULL, (16u << 20) / 60000 + 1}, END(801)},
     {OPEN, {STEP_PIECES, 500, NULL, NULL, (16u << 20) / 60000}, READ(600, "\n\n" FINISH), END(801)},
     {0}},
    {REASON_EMPTY_BODY, {0}, {0}, {OPEN, END(801)}, {OPEN, READ(500, "\n"), END(801)}, {0}},
    {REASON_COMPRESSED_BODY,
     {0},
     {0},
     {CALL, HEAD("HTTP/1.1 200 OK", "content-encoding gzip"), READ(500, "z"), END(801)},
     {CALL, HEAD("HTTP/1.1 200 OK", "content-encoding identity"), TEXT, GOOD_END},
     {0}},
    {REASON_NOT_AN_EVENT_STREAM,
     {0},
     {0},
     {CALL, {STEP_TYPED, 100, "HTTP/1.1 200 OK", "content-type text/html", 0}, READ(500, "<p>"), END(801)},
     {CALL, {STEP_TYPED, 100, "HTTP/1.1 200 OK", "", 0}, TEXT, GOOD_END},
     {0}},
    {REASON_IN_BAND_ERROR,
     {0},
     {0},
     {LAST("data: {\"error\":{}}\n\n" STOP USAGE(980, 4) FINISH)},
     {LAST("data: {\"error\":null}\n\n" STOP USAGE(980, 4) FINISH)},
     {0}},
    {REASON_NO_VISIBLE_OUTPUT,
     {0},
     {0},
     {OPEN, READ(500, DELTA("reasoning", "hm")), GOOD_END},
     {OPEN, READ(500, DELTA("reasoning", "hm")), TEXT, GOOD_END},
     {0}},
    {REASON_EMPTY_FINISH, {0}, {0}, {OPEN, GOOD_END}, {WHOLE}, {0}},
    {REASON_NO_OUTPUT, {0}, {0}, {OPEN, READ(800, FINISH), END(801)}, {OPEN, GOOD_END}, {0}},
    {REASON_NO_TERMINAL, {0}, {0}, {LAST(USAGE(980, 4))}, {LAST(USAGE(980, 4) FINISH)}, {0}},
    {REASON_CANARY,
     {0},
     {0},
     {OPEN, READ(500, DELTA("content", " " MARK)), GOOD_END},
     {WHOLE},
     {REASON_MARKER_NOT_FIRST}},
    {REASON_CANARY_CAPTURE_LIMIT,
     {0},
     {0},
     {OPEN, CHARS(8193), GOOD_END},
     {OPEN, CHARS(8192), GOOD_END},
     {REASON_CAPTURE_INCOMPLETE}},
    {REASON_CONTROLLED_OUTPUT,
     {.canaries = true, .strict = true, .response_words = 4},
     {.canaries = true, .strict = true, .response_words = 3},
     {WHOLE},
     {WHOLE},
     {REASON_CONTROLLED_NOT_EXACT}},
    {REASON_CONTROLLED_OUTPUT_CAPTURE_LIMIT,
     {.canaries = true, .strict = true, .response_words = 4},
     {0},
     {OPEN, CHARS(8193), GOOD_END},
     {OPEN, CHARS(8192), GOOD_END},
     {REASON_CAPTURE_INCOMPLETE, REASON_CANARY_CAPTURE_LIMIT, REASON_CONTROLLED_NOT_EXACT}},
    {REASON_MARKER_NOT_FIRST,
     {0},
     {0},
     {OPEN, READ(500, DELTA("content", "a " MARK)), GOOD_END},
     {OPEN, READ(500, DELTA("content", MARK)), GOOD_END},
     {REASON_CANARY}},
    {REASON_FOREIGN_MARKER,
     {0},
     {0},
     {OPEN, READ(500, DELTA("content", MARK " ANVIL_REQ_0_00001")), GOOD_END},
     {OPEN, READ(500, DELTA("content", MARK " " MARK " ANVIL_REQ_0_0001")), GOOD_END},
     {REASON_CANARY}},
    {REASON_FOREIGN_MARKER_IN_REASONING,
     {0},
     {0},
     {OPEN, READ(400, DELTA("reasoning", "ANVIL_REQ_0_00001")), TEXT, GOOD_END},
     {OPEN, READ(400, DELTA("reasoning", MARK)), TEXT, GOOD_END},
     {0}},
    {REASON_CAPTURE_INCOMPLETE,
     {0},
     {0},
     {OPEN, CHARS(8193), GOOD_END},
     {OPEN, CHARS(8192), GOOD_END},
     {REASON_CANARY_CAPTURE_LIMIT}},
    {REASON_CONTROLLED_NOT_EXACT,
     {.canaries = true, .response_words = 2},
     {.canaries = true, .response_words = 3},
     {WHOLE},
     {WHOLE},
     {0}},
    {REASON_CANARIES_OFF, {.canaries = false, .concurrency = 1}, {.canaries = true}, {WHOLE}, {WHOLE}, {0}},
    {REASON_FINISH_NOT_ALLOWED,
     {0},
     {0},
     {LAST("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"content_filter\"}]}\n\n" USAGE(980, 4) FINISH)},
     {LAST("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\n" USAGE(980, 4) FINISH)},
     {0}},
    {REASON_USAGE_NOT_EXACT, {0}, {0}, {LAST(STOP USAGE_OF("\"completion_tokens\":4") FINISH)}, {WHOLE}, {0}},
    {REASON_CACHED_IN_UNIQUE_MODE,
     {0},
     {0},
     {LAST(STOP USAGE_OF(
         "\"prompt_tokens\":980,\"completion_tokens\":4,\"prompt_tokens_details\":{\"cached_tokens\":1}") FINISH)},
     {LAST(STOP USAGE_OF(
         "\"prompt_tokens\":980,\"completion_tokens\":4,\"prompt_tokens_details\":{\"cached_tokens\":0}") FINISH)},
     {0}},
    {REASON_PREFIX_FILLS_PROMPT,
     {.canaries = true, .shared = true, .shared_prefix_tokens = 1000},
     {.canaries = true, .shared = true, .shared_prefix_tokens = 999},
     {WHOLE},
     {WHOLE},
     {0}},
    {REASON_UPLOAD_SLOW,
     {0},
     {0},
     {{STEP_START, 2, NULL, NULL, 0},
      {STEP_SENT, 7, "waited", NULL, 4000},
      HEAD("HTTP/1.1 200 OK", NULL),
      TEXT,
      GOOD_END},
     {{STEP_START, 2, NULL, NULL, 0},
      {STEP_SENT, 6, "waited", NULL, 4000},
      HEAD("HTTP/1.1 200 OK", NULL),
      TEXT,
      GOOD_END},
     {0}},
    {REASON_PROMPT_OFF_PLAN, {0}, {0}, {LAST(STOP USAGE(1101, 4) FINISH)}, {LAST(STOP USAGE(1100, 4) FINISH)}, {0}},
    {REASON_BURST_DELIVERY,
     {0},
     {0},
     {OPEN, READ(795, DELTA("content", MARK " a") DELTA("content", "b") DELTA("content", "c")),
      READ(802, STOP USAGE(980, 4) FINISH), END(803)},
     {OPEN, READ(794, DELTA("content", MARK " a") DELTA("content", "b") DELTA("content", "c")),
      READ(802, STOP USAGE(980, 4) FINISH), END(803)},
     {0}},
    {REASON_USAGE_MISSING, {0}, {0}, {LAST(STOP USAGE_OF("\"prompt_tokens\":980") FINISH)}, {WHOLE}, {0}},
    {REASON_USAGE_ODD,
     {0},
     {0},
     {LAST(STOP USAGE_OF("\"prompt_tokens\":980,\"completion_tokens\":4,\"total_tokens\":984.5") FINISH)},
     {LAST(STOP USAGE_OF("\"prompt_tokens\":980,\"completion_tokens\":4,\"total_tokens\":984") FINISH)},
     {0}},
    {REASON_PAYLOADS_NOT_JSON,
     {0},
     {0},
     {LAST("data: junk\n\n" STOP USAGE(980, 4) FINISH)},
     {LAST("data: \"junk\"\n\n" STOP USAGE(980, 4) FINISH)},
     {0}},
    {REASON_EVENTS_AFTER_DONE,
     {0},
     {0},
     {LAST(STOP USAGE(980, 4) FINISH "data: {}\n\n")},
     {LAST(STOP USAGE(980, 4) FINISH ": {}\n\n")},
     {0}},
    {REASON_CLIENT_LIMITED,
     {0},
     {0},
     {{STEP_START, 2, NULL, NULL, 0}, HEAD("HTTP/1.1 200 OK", NULL), TEXT, GOOD_END},
     {WHOLE},
     {0}},
    {REASON_NO_ROW, {0}, {0}, {CALL, FAULT(7, NULL)}, {OPEN, TEXT, FAULT(56, NULL)}, {0}},
};

enum { PAIRS = sizeof pairs / sizeof *pairs };

static bool is_unset(const struct maker_options *o)
{
    return !o->canaries && !o->concurrency && !o->response_words;
}

/* Names every reason of a request, so that all that apply are in the verdict; `lax` lets all in. */
static struct policy everything(bool lax)
{
    struct policy p = {.version = 1, .finish_reasons = {"stop", "length"}, .finish_count = 2};
    snprintf(p.name, sizeof p.name, "everything");
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++)
        if (reason_describe((enum reason_code)code)->scope == REASON_OF_REQUEST)
            p.effects[code] = (unsigned char)(lax && code != REASON_NO_ROW ? REASON_WITHHOLDS : REASON_EXCLUDES);
    return p;
}

static struct reason_set reasons_of(const struct maker_options *options, const struct step *steps,
                                    enum reason_code code, struct reason_finding *f)
{
    const char *path = tape_path("pair.tape");
    struct policy p = everything(code == REASON_NO_ROW);
    put_steps(path, options, steps);
    struct run *run = load_judged(path);
    eligibility_judge(run, &p);
    struct reason_set set = run->requests[0].verdict.reasons;
    *f = (struct reason_finding){.wants_text = true};
    reason_judge_request(code, run, &run->requests[0], f);
    run_free(run);
    return set;
}

static void expect_only(const struct pair *p, struct reason_set set)
{
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++) {
        bool due = code == p->code, has = reason_set_has(&set, (enum reason_code)code);
        for (size_t i = 0; i < 3; i++)
            due = due || (p->with[i] != REASON_NONE && code == p->with[i]);
        if (p->code == REASON_NO_ROW && code != REASON_NO_ROW) /* why it has no row has a reason of its own */
            continue;
        if (due != has)
            fail_msg("%s: %s %s", reason_describe(p->code)->id, reason_describe((enum reason_code)code)->id,
                     has ? "applies, too" : "does not apply");
    }
}

static void test_each_reason_of_a_request_has_its_pair(void **state)
{
    (void)state;
    for (size_t i = 0; i < PAIRS; i++) {
        const struct pair *p = &pairs[i];
        const char *id = reason_describe(p->code)->id;
        const struct maker_options *options = is_unset(&p->options) ? &base : &p->options;
        const struct maker_options *other = is_unset(&p->kept_options) ? options : &p->kept_options;
        struct reason_finding f;
        expect_only(p, reasons_of(options, p->applies, p->code, &f));
        if (f.outcome != REASON_APPLIES || !f.seen[0] || !f.wanted[0])
            fail_msg("%s: '%s', wanted '%s'", id, f.seen, f.wanted);
        struct reason_set kept = reasons_of(other, p->kept, p->code, &f);
        if (f.outcome != REASON_PASSES || reason_set_has(&kept, p->code))
            fail_msg("%s: %s to the other: '%s', wanted '%s'", id, reason_outcome_name(f.outcome), f.seen, f.wanted);
    }
}

/* ---- of a run ---- */

enum { MANY = 20 }; /* so that p95 is no maximum */

struct whole { /* a run of which all is well, but for what is said here */
    uint64_t requests;
    const char *first_text; /* of request 0, in place of its answer */
    const char *last;       /* of request 0, in place of its last read */
    bool reasoning, cut;    /* request 0 reasons; its body breaks off */
    bool lost, abandoned, at_once;
};

static void put_whole(const char *path, const struct whole *w)
{
    struct maker_options options = {.requests = w->requests, .canaries = true};
    struct maker m = maker_begin(path, &options, true);
    struct tt_error err;
    for (uint64_t i = 0; i < w->requests; i++) {
        char text[200];
        uint64_t ms = w->at_once ? 1 : 10, step = w->at_once ? 0 : 10;
        snprintf(text, sizeof text, DELTA("content", "ANVIL_REQ_0_%05u a"), (unsigned)i);
        put_start(&m, i, ms);
        put_send(&m, i, ms, ms);
        put_head(&m, i, ms + step);
        if (i == 0 && w->reasoning)
            put_read(&m, i, ms + 2 * step, DELTA("reasoning", "hm"));
        put_read(&m, i, ms + 3 * step, i == 0 && w->first_text ? w->first_text : text);
        put_read(&m, i, ms + 4 * step, i == 0 && w->last ? w->last : STOP USAGE(980, 4) FINISH);
        if (i == 0 && w->cut)
            put_done_with(&m, i, ms + 5 * step, 18, "fault", NULL);
        else
            put_done(&m, i, ms + 5 * step);
    }
    if (w->lost) { /* of no request that the run measures */
        struct pack p = {0};
        struct tape_record rec = {.kind = TAPE_LOST};
        pack_array(&p, 0);
        rec.u.lost.time_ns = 100 * MS;
        rec.u.lost.count = 3;
        rec.u.lost.requests = tt_view_of(p.bytes, p.len);
        put(&m, &rec);
        pack_free(&p);
    }
    if (w->abandoned) {
        maker_abandon(&m);
        return;
    }
    put_event(&m, w->at_once ? 1 : 200, "run_end");
    put_end(&m, w->at_once ? 1 : 200, "complete");
    assert_int_equal(writer_finish(m.writer, 200 * MS, &err), TT_OK);
    writer_free(m.writer);
}

/* `hole`: a block behind all requests is damaged, and salvage reads on behind it. */
static struct run *load_whole(const struct whole *w, bool lax, bool hole)
{
    const char *path = tape_path("whole.tape");
    struct reader_options salvage = {.mode = READER_SALVAGE};
    struct policy p = everything(lax);
    struct tt_error err;
    struct run *run;
    put_whole(path, w);
    if (hole) {
        struct maker_options options = {.requests = MANY, .canaries = true};
        struct maker m = maker_begin(path, &options, true);
        maker_sync(&m);
        put_event(&m, 20, "nothing that matters");
        maker_sync(&m);
        off_t at = (off_t)writer_bytes(m.writer) - 3;
        maker_finish(&m, 200);
        int fd = open(path, O_RDWR);
        uint8_t b = 0;
        assert_true(fd >= 0 && pread(fd, &b, 1, at) == 1);
        b ^= 0xff;
        assert_true(pwrite(fd, &b, 1, at) == 1);
        close(fd);
    }
    if (load_run(&run, path, &salvage, &err) != TT_OK)
        fail_msg("%s", err.line);
    eligibility_judge(run, &p);
    return run;
}

struct run_pair {
    enum reason_code code;
    struct whole applies, kept;
    bool lax, hole;
    enum reason_code with[5];
};

#define FOREIGN DELTA("content", "ANVIL_REQ_0_00000 ANVIL_REQ_0_00007")

static const struct run_pair run_pairs[] = {
    {REASON_TAPE_INCOMPLETE,
     {.requests = MANY, .abandoned = true},
     {.requests = MANY},
     false,
     false,
     {REASON_END_MISSING}},
    {REASON_END_MISSING,
     {.requests = MANY, .abandoned = true},
     {.requests = MANY},
     false,
     false,
     {REASON_TAPE_INCOMPLETE}},
    {REASON_P95_IS_MAX, {.requests = MANY - 1}, {.requests = MANY}, false, false, {0}},
    {REASON_READS_LOST, {.requests = MANY, .lost = true}, {.requests = MANY}, false, false, {0}},
    {REASON_TAPE_HAS_HOLES,
     {.requests = MANY},
     {.requests = MANY},
     false,
     true,
     {REASON_TAPE_INCOMPLETE, REASON_NOT_ALL_COMPLETE, REASON_REQUESTS_EXCLUDED}},
    {REASON_NOT_ALL_COMPLETE, {.requests = MANY, .cut = true}, {.requests = MANY}, true, false, {0}},
    {REASON_REQUESTS_EXCLUDED, {.requests = MANY + 1, .first_text = FOREIGN}, {.requests = MANY}, false, false, {0}},
    {REASON_TOKENS_NOT_COUNTED, {.requests = MANY, .last = STOP FINISH}, {.requests = MANY}, true, false, {0}},
    {REASON_NO_DURATION, {.requests = MANY, .at_once = true}, {.requests = MANY}, true, false, {0}},
    {REASON_PROTOCOL_REASONING, {.requests = MANY, .reasoning = true}, {.requests = MANY}, true, false, {0}},
};

enum { RUN_PAIRS = sizeof run_pairs / sizeof *run_pairs };

static void expect_run_only(const struct run_pair *p, const struct run *run)
{
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++) {
        bool due = code == p->code;
        struct reason_finding f = {.wants_text = true};
        if (reason_describe((enum reason_code)code)->scope != REASON_OF_RUN)
            continue;
        for (size_t i = 0; i < 5; i++)
            due = due || (p->with[i] != REASON_NONE && code == p->with[i]);
        reason_judge_run((enum reason_code)code, run, &f);
        if (due != (f.outcome == REASON_APPLIES) || !f.seen[0])
            fail_msg("%s: %s is %s: '%s'", reason_describe(p->code)->id, reason_describe((enum reason_code)code)->id,
                     reason_outcome_name(f.outcome), f.seen);
    }
}

static void test_each_reason_of_a_run_has_its_pair(void **state)
{
    (void)state;
    for (size_t i = 0; i < RUN_PAIRS; i++) {
        const struct run_pair *p = &run_pairs[i];
        struct reason_finding f = {.wants_text = true};
        struct run *run = load_whole(&p->applies, p->lax, p->hole);
        expect_run_only(p, run);
        run_free(run);
        run = load_whole(&p->kept, p->lax, false);
        reason_judge_run(p->code, run, &f);
        if (f.outcome != REASON_PASSES)
            fail_msg("%s applies to the other: '%s'", reason_describe(p->code)->id, f.seen);
        run_free(run);
    }
}

static void test_arms_have_one_protocol(void **state)
{
    (void)state;
    struct run *plain = load_whole(&(struct whole){.requests = MANY}, true, false);
    struct run *thinking = load_whole(&(struct whole){.requests = MANY, .reasoning = true}, true, false);
    const struct run *const same[] = {plain, plain}, *const other[] = {plain, thinking};
    struct reason_finding f = {.wants_text = true};
    reason_judge_arms(REASON_PROTOCOL_DIFFERS, other, 2, &f);
    assert_int_equal(f.outcome, REASON_APPLIES);
    assert_non_null(strstr(f.seen, "tape 2 is capacity-v4-reasoning"));
    reason_judge_arms(REASON_PROTOCOL_DIFFERS, same, 2, &f);
    assert_int_equal(f.outcome, REASON_PASSES);
    reason_judge_arms(REASON_PROTOCOL_DIFFERS, same, 1, &f);
    assert_int_equal(f.outcome, REASON_NOT_APPLICABLE);
    run_free(plain);
    run_free(thinking);
}

static void test_no_reason_lacks_a_pair(void **state)
{
    (void)state;
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++) {
        bool has = code == REASON_PROTOCOL_DIFFERS;
        for (size_t i = 0; i < PAIRS; i++)
            has = has || pairs[i].code == (enum reason_code)code;
        for (size_t i = 0; i < RUN_PAIRS; i++)
            has = has || run_pairs[i].code == (enum reason_code)code;
        if (!has)
            fail_msg("%s has no pair of tapes: add one to this file", reason_describe((enum reason_code)code)->id);
    }
}

/* Of all text of a capture past 8192 characters a policy with capture complete knows. */
static void test_a_complete_capture_sees_all(void **state)
{
    (void)state;
    const char *path = tape_path("pair.tape");
    static const struct step longer[STEPS] = {OPEN, CHARS(8193), READ(600, DELTA("content", " ANVIL_REQ_0_00001")),
                                              GOOD_END};
    struct policy p = everything(false);
    put_steps(path, &base, longer);
    struct run *run = load_judged(path);
    eligibility_judge(run, &p);
    assert_string_equal(run->requests[0].verdict.error_type, "capture_limit");
    assert_false(reason_set_has(&run->requests[0].verdict.reasons, REASON_FOREIGN_MARKER));
    policy_set_capture(&p, POLICY_CAPTURE_COMPLETE);
    eligibility_judge(run, &p);
    assert_string_equal(run->requests[0].verdict.error_type, "canary_failed");
    assert_true(reason_set_has(&run->requests[0].verdict.reasons, REASON_FOREIGN_MARKER));
    assert_false(reason_set_has(&run->requests[0].verdict.reasons, REASON_CAPTURE_INCOMPLETE));
    run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_reason_of_a_request_has_its_pair),
        cmocka_unit_test(test_each_reason_of_a_run_has_its_pair),
        cmocka_unit_test(test_arms_have_one_protocol),
        cmocka_unit_test(test_no_reason_lacks_a_pair),
        cmocka_unit_test(test_a_complete_capture_sees_all),
    };
    return cmocka_run_group_tests_name("analyzer_reason", tests, tape_dir_make, tape_dir_remove);
}
