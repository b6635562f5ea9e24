#include "stream_parts.h"

#include <stdlib.h>

static const char *const label_names[LABELS] = {"role",   "reasoning", "content", "tool_call", "refusal", "usage",
                                                "finish", "done",      "error",   "comment",   "other",   "not_json"};

static void give_labels(struct stream *s)
{
    unsigned labels = s->labels ? s->labels : 1u << LABEL_OTHER;
    s->labels = 0;
    for (unsigned i = 0; s->watch && i < LABELS; i++)
        if (labels & 1u << i)
            s->watch(s->watch_ctx, s->now_ns, label_names[i]);
}

static void count_event(struct stream *s)
{
    if (s->group_ns != s->now_ns)
        s->group_events = 0;
    s->group_ns = s->now_ns;
    s->group_events++;
    s->facts->events++;
    backlog_add(s->backlog, 0, 1);
    if (s->group_events > 1)
        s->facts->events_sharing_a_read += s->group_events == 2 ? 2 : 1;
}

static void on_done_line(void *ctx)
{
    struct stream *s = ctx;
    struct stream_facts *f = s->facts;
    s->done_line = true;
    count_event(s);
    f->events_after_done += f->done_seen;
    if (!f->done_seen) {
        f->done_seen = true;
        f->done_ns = s->now_ns;
        stream_decide(s, &f->end);
        stream_label(s, LABEL_DONE);
    }
    give_labels(s);
}

static void on_event(void *ctx, const struct sse_event *event)
{
    struct stream *s = ctx;
    struct openai_chunk chunk;
    bool counted = s->done_line, is_error = tt_view_equal(event->type, "error");
    s->done_line = false;
    if (counted)
        return;
    count_event(s);
    if (s->facts->done_seen) {
        s->facts->events_after_done++;
    } else if (openai_read(event->data, s->options.endpoint, &chunk)) {
        stream_apply(s, &chunk, is_error);
    } else {
        s->facts->payloads_not_json++;
        stream_label(s, LABEL_NOT_JSON);
        if (is_error)
            stream_note_error(s, tt_view_of(NULL, 0));
    }
    give_labels(s);
}

static void on_comment(void *ctx, struct tt_view text)
{
    struct stream *s = ctx;
    (void)text;
    s->facts->comments++;
    if (s->facts->first_comment_ns == TAPE_NONE)
        s->facts->first_comment_ns = s->now_ns;
    s->facts->last_comment_ns = s->now_ns;
    stream_label(s, LABEL_COMMENT);
    give_labels(s);
}

/* An error that a server wrote between the events, as text of its own. */
static void on_unknown(void *ctx, struct tt_view line)
{
    struct stream *s = ctx;
    static const char field[] = "error:";
    size_t n = sizeof field - 1;
    struct openai_chunk chunk;
    s->facts->unknown_fields++;
    if (s->facts->done_seen)
        return;
    if (line.n >= n && memcmp(line.p, field, n) == 0)
        stream_note_error(s, tt_view_of(line.p + n, line.n - n));
    else if (line.p[0] == '{' && openai_read(line, s->options.endpoint, &chunk) && chunk.error.p)
        stream_note_error(s, chunk.error);
    if (s->labels)
        give_labels(s);
}

static bool create_observers(struct stream *s)
{
    struct observe_rules rules = s->options.observe, thinking = {.marker = rules.marker};
    if (rules.marker.p || rules.response_words > 0)
        s->visible = observe_create(&rules);
    if (rules.marker.p)
        s->thinking = observe_create(&thinking);
    return (s->visible || (!rules.marker.p && rules.response_words == 0)) && (s->thinking || !rules.marker.p);
}

static void set_times_to_none(struct stream_facts *f)
{
    uint64_t *const times[] = {&f->head_ns,
                               &f->first_byte_ns,
                               &f->last_byte_ns,
                               &f->role_ns,
                               &f->first_reasoning_ns,
                               &f->last_reasoning_ns,
                               &f->first_content_ns,
                               &f->last_content_ns,
                               &f->first_tool_call_ns,
                               &f->last_tool_call_ns,
                               &f->usage_ns,
                               &f->finish_ns,
                               &f->done_ns,
                               &f->error_ns,
                               &f->first_comment_ns,
                               &f->last_comment_ns,
                               &f->end_ns};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        *times[i] = TAPE_NONE;
    f->first_output.time_ns = f->first_content.time_ns = f->end.time_ns = TAPE_NONE;
}

void stream_facts_begin(struct stream_facts *facts)
{
    *facts = (struct stream_facts){.framing = BODY_CLOSE};
    set_times_to_none(facts);
}

void stream_facts_free(struct stream_facts *facts)
{
    for (size_t i = 0; i < facts->finish_reason_count; i++)
        free(facts->finish_reasons[i]);
    free(facts->finish_reasons);
    facts->finish_reasons = NULL;
    facts->finish_reason_count = 0;
}

struct stream *stream_create(const struct stream_options *options)
{
    struct stream *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    struct sse_calls calls = {on_event, on_comment, on_done_line, s, on_unknown};
    s->options = *options;
    s->readable = true;
    s->now_ns = s->last_payload_ns = s->complete_ns = s->group_ns = TAPE_NONE;
    s->next = s->now = (struct stream_arrival){.lag_ns = TAPE_LAG_NONE, .blind_us = TAPE_NONE};
    s->backlog = options->backlog ? options->backlog : &s->own_backlog;
    backlog_begin(&s->own_backlog);
    s->facts = options->facts ? options->facts : malloc(sizeof *s->facts);
    dechunk_begin(&s->framing, BODY_CLOSE, 0);
    s->sse = sse_create(&calls, options->pool);
    if (s->facts)
        stream_facts_begin(s->facts);
    if (s->facts && s->sse && create_observers(s))
        return s;
    stream_free(s);
    return NULL;
}

void stream_note_fault(struct stream *s, const char *fault)
{
    if (!s->facts->body_fault)
        s->facts->body_fault = fault;
}

static void note_sse_status(struct stream *s, enum tt_status status)
{
    if (status == TT_NOMEM)
        s->status = status;
    if (status != TT_LIMIT)
        return;
    stream_note_fault(s, "an event of the stream is too long");
    s->facts->event_too_large = true;
    s->readable = false;
}

static void take_payload(struct stream *s, struct tt_view payload)
{
    s->last_payload_ns = s->now_ns;
    s->at_last_payload = s->now;
    stream_keep_tail(s, payload);
    if (s->readable)
        note_sse_status(s, sse_feed(s->sse, payload));
}

/* Takes the body apart; the facts of the framing follow from it. */
static void take_body(struct stream *s, struct tt_view bytes)
{
    struct tt_view payload;
    enum tt_status status;
    s->bytes_behind += bytes.n;
    while ((status = dechunk_next(&s->framing, &bytes, &payload)) == TT_OK && payload.n > 0) {
        s->bytes_behind = bytes.n;
        take_payload(s, payload);
    }
    if (status != TT_OK)
        stream_note_fault(s, s->framing.fault);
    if (s->framing.complete && s->complete_ns == TAPE_NONE) {
        s->complete_ns = s->now_ns;
        s->at_complete = s->now;
    }
    s->facts->payload_bytes = s->framing.payload_bytes;
    s->facts->surplus_bytes = s->framing.surplus_bytes;
}

enum tt_status stream_read(struct stream *s, uint64_t time_ns, struct tt_view bytes)
{
    struct stream_facts *f = s->facts;
    if (s->status != TT_OK || bytes.n == 0)
        return s->status;
    stream_begin_read(s, time_ns);
    s->read_bytes += bytes.n;
    backlog_add(s->backlog, bytes.n, 0);
    f->reads += f->last_byte_ns != time_ns;
    if (f->first_byte_ns == TAPE_NONE)
        f->first_byte_ns = time_ns;
    f->last_byte_ns = time_ns;
    f->body_bytes += bytes.n;
    s->now_ns = time_ns;
    take_body(s, bytes);
    return s->status;
}

/* Without [DONE] the end is that of the body, whose last byte may have more behind it, or that of the transport. */
static void settle_end(struct stream *s, uint64_t transport_ns, struct stream_arrival transport)
{
    struct stream_facts *f = s->facts;
    bool by_body = s->complete_ns != TAPE_NONE;
    if (!f->done_seen)
        f->end = (struct stream_deciding){.time_ns = by_body ? s->complete_ns : transport_ns,
                                          .arrival = by_body ? s->at_complete : transport,
                                          .end_at = f->payload_bytes};
    f->end_ns = f->end.time_ns;
}

enum tt_status stream_end(struct stream *s, uint64_t time_ns, bool clean)
{
    struct stream_facts *f = s->facts;
    bool whole = f->framing == BODY_CLOSE ? clean : s->framing.complete;
    stream_end_read(s);
    stream_close_deciding(s, time_ns, s->next.blind_us);
    struct stream_arrival transport = stream_next_arrival(s, time_ns, s->next);
    if (s->readable) /* another stream may have been given what this one held */
        note_sse_status(s, sse_feed(s->sse, tt_view_of(NULL, 0)));
    f->body_complete = whole && !f->body_fault;
    s->now_ns = s->last_payload_ns; /* an event that the end completes came with the last payload */
    s->now = s->at_last_payload;
    if (s->readable)
        note_sse_status(s, sse_finish(s->sse, f->body_complete));
    settle_end(s, time_ns, transport);
    stream_judge(s);
    return s->status;
}

const struct stream_facts *stream_facts(const struct stream *s)
{
    return s->facts;
}

struct backlog *stream_backlog(const struct stream *s)
{
    return s->options.backlog;
}

void stream_watch(struct stream *s, void (*label)(void *ctx, uint64_t time_ns, const char *label), void *ctx)
{
    s->watch = label;
    s->watch_ctx = ctx;
}

void stream_free(struct stream *s)
{
    if (!s)
        return;
    if (s->facts && !s->options.facts) {
        stream_facts_free(s->facts);
        free(s->facts);
    }
    sse_free(s->sse);
    observe_free(s->visible);
    observe_free(s->thinking);
    free(s);
}
