/* whatif: what moves between policies, what that makes of the numbers, and of several tapes. */
#include "analyzer_line.h"

#include "../analyzer/near.h"
#include "../analyzer/result.h"
#include "../analyzer/whatif.h"

enum { WORDS = 2000 }; /* 5 characters each: past the 8192 of the capture */

/* The marker, then `words` words that the run asked for, then `last`. */
static void put_words(struct maker *m, uint64_t request, uint64_t ms, unsigned words, const char *last)
{
    size_t room = 100 + 5u * words + 200, n;
    char *event = malloc(room);
    assert_non_null(event);
    n = (size_t)snprintf(event, room, "data: {\"choices\":[{\"delta\":{\"content\":\"ANVIL_REQ_0_%05u",
                         (unsigned)request);
    for (unsigned i = 0; i < words; i++)
        n += (size_t)snprintf(event + n, room - n, " code");
    snprintf(event + n, room - n, "%s\"}}]}\n\n", last);
    put_answer(m, request, ms, event);
    free(event);
}

/* 0: too long for the capture, and exact. 1: too long, and not exact behind it. 2: no marker. 3: a thought and no
 * content. `more`: a fifth request, of another fault. */
static void make_tape(const char *path, bool more)
{
    const struct maker_options options = {
        .requests = more ? 5 : 4, .canaries = true, .response_words = WORDS, .strict = true};
    struct maker m = maker_begin(path, &options, true);
    put_words(&m, 0, 1, WORDS, "");
    put_words(&m, 1, 101, WORDS, " and more");
    put_answer(&m, 2, 201, DELTA("content", "code code"));
    put_answer(&m, 3, 301, DELTA("reasoning_content", "hm"));
    if (more)
        put_words(&m, 4, 401, WORDS, " ANVIL_REQ_0_00003");
    maker_finish(&m, 600);
}

static void add_rule(struct whatif_report *r, const char *without, bool complete)
{
    struct tt_error err = {0};
    struct whatif_rule *rule = &r->rules[r->rule_count++];
    policy_begin(&rule->policy);
    if (without && policy_without(&rule->policy, without, &err) != TT_OK)
        fail_msg("%s", err.line);
    if (complete)
        policy_set_capture(&rule->policy, POLICY_CAPTURE_COMPLETE);
}

static const struct headline_value *value(const struct whatif_case *c, const char *path)
{
    return &c->headlines[headline_find(path)];
}

static void the_complete_text_is_judged(void **state)
{
    (void)state;
    const char *path = tape_path("capture.tape");
    make_tape(path, false);
    struct run *run = load_judged(path);
    struct tt_error err = {0};
    struct whatif_report *r = calloc(1, sizeof *r);
    assert_non_null(r);
    add_rule(r, NULL, false);
    add_rule(r, NULL, true);
    add_rule(r, "no_visible_output", false);
    r->arm_count = 1;
    r->requests[0] = run->count;
    assert_int_equal(whatif_judge(r, &run, &err), TT_OK);
    const struct whatif_case *base = whatif_case_of(r, 0, 0), *full = whatif_case_of(r, 1, 0);
    assert_true(base->counting == 0 && base->move_count == 0 && base->withholding == REASON_REQUESTS_EXCLUDED);
    assert_true(full->in == 1 && full->out == 0 && full->otherwise == 1 && full->counting == 1);
    assert_int_equal(full->move_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct move *m = &full->moves[i];
        assert_string_equal(m->was.type, "capture_limit");
        assert_true(m->is.place == (m->request == 0 ? MOVE_ROW : MOVE_FAILURE));
        assert_string_equal(m->is.type, m->request == 0 ? "" : "controlled_output_failed");
    }
    assert_true(value(base, "metrics.ttft_p50_ms")->type == HEADLINE_NULL);
    assert_true(value(full, "metrics.ttft_p50_ms")->number == 40.0);
    assert_string_equal(value(base, "measurement_protocol")->text, "capacity-v3");
    assert_string_equal(value(full, "measurement_protocol")->text, "capacity-v4-reasoning");
    /* what has no content has no row, whatever is waived */
    const struct whatif_case *waived = whatif_case_of(r, 2, 0);
    assert_true(waived->in == 0 && waived->otherwise == 1 && waived->excluded[REASON_NO_ROW] == 1);
    assert_true(waived->moves[0].request == 3);
    assert_string_equal(waived->moves[0].is.reasons, "no_row");
    whatif_free(r);
    free(r);
    run_free(run);
}

static void arms_are_weighed(void **state)
{
    (void)state;
    const char *paths[] = {tape_path("a.tape"), tape_path("b.tape")};
    struct run *runs[2];
    struct tt_error err = {0};
    struct whatif_report *r = calloc(1, sizeof *r);
    assert_non_null(r);
    for (size_t i = 0; i < 2; i++) {
        make_tape(paths[i], i == 1);
        runs[i] = load_judged(paths[i]);
        r->requests[i] = runs[i]->count;
    }
    add_rule(r, NULL, false);
    r->arm_count = 2;
    assert_int_equal(whatif_judge(r, runs, &err), TT_OK);
    /* 2 of 4 and 3 of 5 */
    assert_true(whatif_is_uneven(r, 0, REASON_CONTROLLED_OUTPUT_CAPTURE_LIMIT) ||
                whatif_is_uneven(r, 0, REASON_CANARY_CAPTURE_LIMIT));
    assert_true(whatif_is_uneven(r, 0, REASON_NO_VISIBLE_OUTPUT)); /* 1 of 4 and 1 of 5 */
    assert_false(whatif_is_uneven(r, 0, REASON_HTTP_STATUS));      /* none */
    whatif_free(r);
    run_free(runs[1]);
    runs[1] = load_judged(paths[0]); /* like itself */
    r->requests[1] = runs[1]->count;
    assert_int_equal(whatif_judge(r, runs, &err), TT_OK);
    for (unsigned code = REASON_NONE; code < REASON_CODES; code++)
        assert_false(whatif_is_uneven(r, 0, (enum reason_code)code));
    assert_int_equal(r->between[0].reason, REASON_NONE);
    whatif_free(r);
    free(r);
    run_free(runs[0]);
    run_free(runs[1]);
}

static void lines_and_statuses(void **state)
{
    (void)state;
    const char *tape = tape_path("line.tape");
    make_tape(tape, false);
    expect(run_line("whatif %s --full-capture", tape), 1, TT_OK, NULL);
    char *text = read_file(tape_path("stdout.txt"));
    assert_non_null(strstr(text, "WHAT IF · base capacity\n"));
    assert_non_null(strstr(text, "1 comes in, 1 is left out for another reason; 1 of 4 count"));
    assert_non_null(strstr(text, "-> row: 0\n"));
    assert_non_null(strstr(text, "TTFT p50 ms          null -> 40.000\n"));
    assert_printable(text, true);
    free(text);
    expect(run_line("whatif %s --without canary_faild", tape), 2, TT_USAGE, "near it: canary_failed");
    expect(run_line("whatif %s --without no_row", tape), 2, TT_USAGE, "no_row");
    expect(run_line("whatif %s --policy nosuch", tape), 2, TT_USAGE, "nosuch");
    expect(run_line("whatif %s %s.gone --full-capture", tape, tape), 5, TT_IO, "line.tape.gone");
}

static const char *const words[] = {"canary_failed", "canary_capture_limit", "no_row", "foreign_marker"};

static const char *word(size_t i)
{
    return words[i];
}

static void names_that_are_near(void **state)
{
    (void)state;
    char out[NEAR_BYTES];
    const size_t n = sizeof words / sizeof *words;
    assert_string_equal(near_names("canary_failed", word, n, out), "canary_failed");
    assert_string_equal(near_names("canry_faild", word, n, out), "canary_failed");
    assert_string_equal(near_names("canary", word, n, out), "canary_failed, canary_capture_limit");
    assert_string_equal(near_names("no_raw", word, n, out), "no_row");
    assert_string_equal(near_names("zebra", word, n, out), "");
    assert_string_equal(near_names("", word, n, out), "");
    char longest[400];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_string_equal(near_names(longest, word, 1, out), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_complete_text_is_judged),
        cmocka_unit_test(arms_are_weighed),
        cmocka_unit_test(lines_and_statuses),
        cmocka_unit_test(names_that_are_near),
    };
    return cmocka_run_group_tests_name("analyzer_whatif", tests, tape_dir_make, tape_dir_remove);
}
