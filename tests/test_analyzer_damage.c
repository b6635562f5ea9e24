/* The auditor is tested by damage: good results with one thing changed, thousands of them.
 * `check` has to name each at its path; `audit` has to find each that touches something that
 * follows from something else, and what it cannot find is listed here with the reason.
 * TOKENTAPE_DAMAGE=all does everything to every member; else a sample, the same each time. */
#include "golden.h"
#include "json_damage.h"

#include "../analyzer/audit.h"
#include "../analyzer/check.h"
#include "../analyzer/eligibility.h"
#include "../analyzer/load.h"

static const char *const fixtures[] = {"plain", "reasoning", "failures"};

struct tally {
    unsigned done[DAMAGE_KINDS], caught[DAMAGE_KINDS];
};

static bool do_all(void)
{
    const char *all = getenv("TOKENTAPE_DAMAGE");
    return all && strcmp(all, "all") == 0;
}

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (!f)
        fail_msg("%s cannot be opened", path);
    assert_non_null(text);
    size_t n = fread(text, 1, (1 << 20) - 1, f);
    assert_true(n > 0 && n < (1 << 20) - 1);
    fclose(f);
    return text;
}

/* Every `stride`-th of what can be done. */
static void each_damage(const struct document *d, unsigned stride,
                        void (*each)(const struct document *d, const struct member *m, enum damage_kind kind,
                                     const char *text, void *user),
                        void *user)
{
    unsigned turn = 0;
    for (size_t i = 1; i < d->count; i++)
        for (enum damage_kind kind = 0; kind < DAMAGE_KINDS; kind++) {
            if (!damage_applies(d, &d->members[i], kind) || turn++ % stride != 0)
                continue;
            char *text = damage_text(d, &d->members[i], kind);
            each(d, &d->members[i], kind, text, user);
            free(text);
        }
}

static void print_table(const char *what, const struct tally *t)
{
    unsigned done = 0, caught = 0;
    for (unsigned k = 0; k < DAMAGE_KINDS; k++) {
        print_message("# %s  %-14s %6u done %6u caught %6.2f %%\n", what, damage_names[k], t->done[k], t->caught[k],
                      t->done[k] ? 100.0 * t->caught[k] / t->done[k] : 100.0);
        done += t->done[k];
        caught += t->caught[k];
    }
    print_message("# figure: %s %u of %u caught\n", what, caught, done);
}

/* ---- check ---- */

struct check_case {
    const struct run *run;
    struct tally *tally;
};

static bool stands_at(const struct check_report *r, const char *path, bool below)
{
    for (size_t i = 0; i < r->list.kept_count; i++)
        if (strcmp(r->list.kept[i].path, path) == 0 || (below && diff_path_covers(path, r->list.kept[i].path)))
            return true;
    return false;
}

static void check_one(const struct document *d, const struct member *m, enum damage_kind kind, const char *text,
                      void *user)
{
    struct check_case *c = user;
    const struct difference_options options = {0};
    struct json_tree *tree;
    struct check_report report;
    struct tt_error err = {0};
    c->tally->done[kind]++;
    if (json_tree_parse(&tree, tt_view_str(text), &err) != TT_OK) {
        if (kind != DAMAGE_DOUBLE || !strstr(err.line, "twice"))
            fail_msg("%s %s: no longer JSON: %s", m->path, damage_names[kind], err.line);
        c->tally->caught[kind]++;
        return;
    }
    /* A schema that is another is refused before it comes to this. */
    enum tt_status st = artifact_check_document(json_tree_root(tree), &err);
    if (st == TT_OK) {
        st = check_result(c->run, json_tree_root(tree), &options, &report, &err);
        if (st != TT_OK)
            fail_msg("%s %s: %s", m->path, damage_names[kind], err.line);
        /* In a list the elements behind it move up: the list is where it is seen. */
        bool moved = kind == DAMAGE_MOVE && stands_at(&report, d->members[m->next].path, false);
        /* Without it, it is a result of --schema-exact: that the head was not compared is said. */
        bool exact = kind == DAMAGE_DROP && strcmp(m->path, "trace") == 0 && report.heads == ARTIFACT_HEADS_UNKNOWN;
        if (!moved && !exact && !stands_at(&report, m->in_object ? m->path : d->members[m->parent].path, !m->in_object))
            fail_msg("%s %s: %llu differences, none at this path", m->path, damage_names[kind],
                     (unsigned long long)report.list.count);
        check_free(&report);
    } else {
        assert_string_equal(m->path, "schema");
    }
    c->tally->caught[kind]++;
    json_tree_free(tree);
}

static struct run *load_fixture(const char *name)
{
    char path[1024], file[64];
    struct run *run;
    struct tt_error err = {0};
    snprintf(file, sizeof file, "good/%s.tape", name);
    if (load_run(&run, fixture_path(path, file), NULL, &err) != TT_OK)
        fail_msg("%s", err.line);
    eligibility_judge(run, NULL);
    return run;
}

static void check_names_each_at_its_path(void **state)
{
    (void)state;
    struct tally tally = {{0}, {0}};
    for (size_t i = 0; i < 3; i++) {
        char path[1024], file[64];
        snprintf(file, sizeof file, "good/%s.json", fixtures[i]);
        struct document d = damage_open(read_text(fixture_path(path, file)));
        struct check_case c = {load_fixture(fixtures[i]), &tally};
        each_damage(&d, do_all() ? 1 : 11, check_one, &c);
        run_free((struct run *)c.run);
        damage_close(&d);
    }
    print_table("check", &tally);
    for (unsigned k = 0; k < DAMAGE_KINDS; k++)
        assert_true(tally.done[k] > 0 && tally.caught[k] == tally.done[k]);
}

/* ---- audit ---- */

#define BIT(kind) (1u << (kind))
#define ULP BIT(DAMAGE_ULP)
#define UNIT BIT(DAMAGE_UNIT)
#define CHARACTER BIT(DAMAGE_CHARACTER)
#define FLIP BIT(DAMAGE_FLIP)
#define DROP BIT(DAMAGE_DROP)
#define DOUBLE BIT(DAMAGE_DOUBLE)
#define SWAP BIT(DAMAGE_SWAP)

#define NAME "a name or a setting: nothing else follows from it"
#define BOUND "a setting or a measurement that is told once: within its bounds all else still fits"
#define SERVER "the server's own word, told once"
#define TEXTS "counted in texts that no result holds"
#define RECORDS "a count of the tape's records, told once"
#define CALLS "when a call ended is not in a result, so these have bounds alone"
#define SENTENCE "a sentence; another version of that program may have put it otherwise"
#define ROUNDED "a step that rounding takes away in everything that follows"
#define FORM "without it, it is a whole result of another form"

/* What no audit can find, since the changed result contradicts nothing. Anything else that is
 * missed fails the test; and so does, when all is done, a line that nothing needs. */
static struct blind {
    const char *path; /* every index as [] */
    unsigned kinds;
    const char *reason;
    unsigned met;
} blind[] = {
    {"base_url", CHARACTER, NAME, 0},
    {"model", CHARACTER, NAME, 0},
    {"engine", CHARACTER, NAME, 0},
    {"gpu", CHARACTER | SWAP, NAME, 0},
    {"tier", CHARACTER, NAME, 0},
    {"clock_domain_id", CHARACTER, NAME, 0},
    {"context_seed", UNIT, NAME, 0},
    {"concurrency", UNIT, BOUND, 0},
    {"context_tokens", UNIT, BOUND, 0},
    {"max_context_tokens", UNIT, BOUND, 0},
    {"max_tokens", UNIT, BOUND, 0},
    {"response_words", UNIT, BOUND, 0},
    {"request_canaries", FLIP, BOUND, 0},
    {"shared_prefix_tokens", UNIT, BOUND, 0},
    {"serve_flags.no_thinking", FLIP, BOUND, 0},
    {"serve_flags.shared_prefix_burst", FLIP, BOUND, 0},
    {"sampling", DROP, FORM, 0},
    {"trace", DROP, FORM, 0},
    {"started_at_unix_ns", UNIT, BOUND, 0},
    {"finished_at_unix_ns", UNIT, BOUND, 0},
    {"wall_clock_ms", ULP | UNIT, BOUND, 0},
    {"timing_methodology.*", CHARACTER | SWAP, SENTENCE, 0},
    {"request_timings[].planned_context_tokens", UNIT, BOUND, 0},
    {"request_timings[].visible_content_truncated", FLIP, TEXTS, 0},
    {"request_timings[].request_canary.observed_marker_count", UNIT, TEXTS, 0},
    {"request_timings[].time_to_first_output_ms", ULP, ROUNDED, 0},
    {"request_timings[].ttft_ms", ULP, ROUNDED, 0},
    {"request_timings[].ttft_ms", SWAP, "TTFT and what is left of E2E can change places where no rank is theirs", 0},
    {"metrics.content_chunks", UNIT, "rows of July hold no chunk counts", 0},
    {"metrics.prefix_cache_hit_avg", ULP | UNIT, "rows hold no cached tokens", 0},
    {"failures[].elapsed_ms", ULP | UNIT, BOUND, 0},
    {"failures[].error_message", CHARACTER, NAME, 0},
    {"failures[].error_type", CHARACTER, NAME, 0},
    {"failures[].response_metadata.content_chunks", UNIT, BOUND, 0},
    {"failures[].response_metadata.reasoning_chunks", UNIT, BOUND, 0},
    {"failures[].response_metadata.finish_reasons[]", CHARACTER | DROP | DOUBLE, SERVER, 0},
    {"failures[].response_metadata.usage.total_tokens", UNIT | DROP, SERVER, 0},
    {"failures[].response_timing.ttft_ms", ULP, ROUNDED, 0},
    {"trace.accounts.hold", FLIP, RECORDS, 0},
    {"trace.analyzer_version", CHARACTER, NAME, 0},
    {"trace.recorder_version", CHARACTER, NAME, 0},
    {"trace.format_version", CHARACTER, NAME, 0},
    {"trace.prompt_generator", CHARACTER | SWAP, NAME, 0},
    {"trace.connections.http_version", CHARACTER, NAME, 0},
    {"trace.connections.insecure", FLIP, NAME, 0},
    {"trace.overlap.full_concurrency_share", ULP, CALLS, 0},
    {"trace.overlap.mean_in_flight", ULP | UNIT, CALLS, 0},
    {"trace.requests[].in_flight_at_start", UNIT, CALLS, 0},
    {"trace.requests[].canary_full.capture_complete", FLIP, TEXTS, 0},
    {"trace.requests[].canary_full.observed_marker_count", UNIT, TEXTS, 0},
    {"trace.requests[].controlled_full.observed_code_words", UNIT, TEXTS, 0},
    {"trace.requests[].controlled_full.observed_extra_words", UNIT, TEXTS, 0},
    {"trace.requests[].foreign_markers_in_reasoning", UNIT, TEXTS, 0},
    {"trace.requests[].comments", UNIT, TEXTS, 0},
    {"trace.requests[].tool_call_chunks", UNIT, TEXTS, 0},
    {"trace.requests[].reasons[]", DROP, "of those that exclude a request the first alone stands elsewhere", 0},
    {"trace.requests[].finish_reasons[]", CHARACTER | DOUBLE, SERVER, 0},
    {"trace.requests[].retry_after_s", UNIT, SERVER, 0},
    {"trace.requests[].connect_ms", UNIT, BOUND, 0},
    {"trace.requests[].headers_ms", UNIT, BOUND, 0},
    {"trace.requests[].role_ms", UNIT, BOUND, 0},
    {"trace.requests[].last_content_ms", UNIT, BOUND, 0},
    {"trace.requests[].last_reasoning_ms", UNIT, BOUND, 0},
    {"trace.requests[].finish_ms", UNIT, BOUND, 0},
    {"trace.requests[].usage_ms", UNIT, BOUND, 0},
    {"trace.requests[].start_offset_ms", UNIT, BOUND, 0},
    {"trace.requests[].upload_ms", UNIT | SWAP, BOUND, 0},
    {"trace.requests[].ttfo_after_upload_ms", SWAP, BOUND, 0},
    {"trace.tape.blocks", UNIT, RECORDS, 0},
    {"trace.tape.bytes", UNIT | SWAP, RECORDS, 0},
    {"trace.tape.payloads_not_json", UNIT | SWAP, RECORDS, 0},
    {"trace.tape.reads", UNIT | SWAP, RECORDS, 0},
    {"trace.tape.redactions", UNIT, RECORDS, 0},
    {"trace.requests[].client_error_e2e_ms", UNIT, BOUND, 0},
    {"trace.requests[].client_error_ttfo_ms", UNIT | SWAP, BOUND, 0},
    {"trace.timing.calibration.damaged", UNIT, RECORDS, 0},
    {"trace.timing.client_limited.limit_ms", UNIT | SWAP, BOUND, 0},
    {"trace.timing.client_limited.limit_percent", UNIT, BOUND, 0},
    {"trace.timing.clock.records", UNIT, RECORDS, 0},
    {"trace.timing.clock.slept_ms", UNIT, BOUND, 0},
    {"trace.timing.clock.slew_uncertainty_ppm", UNIT | ULP, BOUND, 0},
    {"trace.timing.host.cpu_pressure_us", UNIT | SWAP, RECORDS, 0},
    {"trace.timing.host.involuntary_switches", UNIT | SWAP, RECORDS, 0},
    {"trace.timing.host.records", UNIT | SWAP, RECORDS, 0},
    {"trace.timing.host.steal_ticks", UNIT | SWAP, RECORDS, 0},
    {"trace.timing.host.throttled_periods", SWAP, RECORDS, 0},
    {"trace.timing.host.voluntary_switches", UNIT, RECORDS, 0},
    {"trace.timing.loop.greatest_gap_ms", UNIT, RECORDS, 0},
    {"trace.timing.loop.late_turns", UNIT | SWAP, RECORDS, 0},
    {"trace.timing.loop.ring_high_water_bytes", UNIT, RECORDS, 0},
    {"trace.timing.read_lag_ms.all.max", UNIT, RECORDS, 0},
    {"trace.timing.read_lag_ms.all.p90", UNIT, RECORDS, 0},
    {"trace.timing.read_lag_ms.e2e.n", UNIT, RECORDS, 0},
    {"trace.timing.read_lag_ms.e2e.p90", UNIT, RECORDS, 0},
    {"trace.timing.read_lag_ms.ttfo.p90", UNIT, RECORDS, 0},
    {"trace.timing.read_lag_ms.ttft.p90", UNIT, RECORDS, 0},
    {"trace.timing.reads.most_per_turn", UNIT, RECORDS, 0},
};

enum { BLIND = sizeof blind / sizeof *blind };

/* request_timings[3].ttft_ms as request_timings[].ttft_ms */
static void without_indexes(const char *path, char out[256])
{
    size_t n = 0;
    for (; *path; path++)
        if (*path < '0' || *path > '9' || n == 0 || out[n - 1] != '[')
            out[n++] = *path;
        else
            while (path[1] >= '0' && path[1] <= '9')
                path++;
    out[n] = '\0';
}

static bool matches(const char *pattern, const char *path)
{
    size_t n = strlen(pattern);
    return pattern[n - 1] == '*' ? strncmp(pattern, path, n - 1) == 0 : strcmp(pattern, path) == 0;
}

static bool is_blind(const struct member *m, enum damage_kind kind)
{
    char path[256];
    without_indexes(m->path, path);
    for (size_t i = 0; i < BLIND; i++)
        if (matches(blind[i].path, path) && (blind[i].kinds & BIT(kind))) {
            blind[i].met++;
            return true;
        }
    return false;
}

static struct audit_report audit_tree(const struct json_tree *tree)
{
    struct audit_report report;
    struct tt_error err = {0};
    if (audit_result(json_tree_root(tree), &report, &err) != TT_OK)
        fail_msg("%s", err.line);
    return report;
}

static void audit_one(const struct document *d, const struct member *m, enum damage_kind kind, const char *text,
                      void *user)
{
    struct tally *tally = user;
    struct json_tree *tree = NULL;
    struct tt_error err = {0};
    (void)d;
    tally->done[kind]++;
    if (json_tree_parse(&tree, tt_view_str(text), &err) != TT_OK ||
        artifact_check_document(json_tree_root(tree), &err) != TT_OK || audit_tree(tree).contradicted > 0)
        tally->caught[kind]++;
    else if (!is_blind(m, kind))
        fail_msg("%s %s: not found, and not listed as what cannot be", m->path, damage_names[kind]);
    json_tree_free(tree);
}

/* Nothing follows from anything in a result that is aggregates alone. */
static void audit_document(const char *path, void *user)
{
    struct document d = damage_open(read_text(path));
    struct json_tree *tree = NULL;
    struct tt_error err = {0};
    if (json_tree_parse(&tree, tt_view_str(d.text), &err) != TT_OK)
        fail_msg("%s: %s", path, err.line);
    if (audit_tree(tree).generation != ARTIFACT_NO_ROWS)
        each_damage(&d, do_all() ? 1 : 23, audit_one, user);
    json_tree_free(tree);
    damage_close(&d);
}

static void audit_finds_what_follows(void **state)
{
    (void)state;
    struct tally tally = {{0}, {0}};
    char path[1024], file[64];
    for (size_t i = 0; i < 3; i++) {
        snprintf(file, sizeof file, "good/%s.json", fixtures[i]);
        audit_document(fixture_path(path, file), &tally);
    }
    audit_document(seed_path(path), &tally);
    print_table("audit", &tally);
}

/* The older generations, where they are. */
static void audit_finds_what_follows_in_golden(void **state)
{
    (void)state;
    struct tally tally = {{0}, {0}};
    golden_each(audit_document, &tally);
    print_table("audit of published results", &tally);
}

static void what_cannot_be_found_is_listed(void **state)
{
    (void)state;
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", golden_folder());
    DIR *golden = opendir(folder);
    bool whole = do_all() && golden;
    if (golden)
        closedir(golden);
    unsigned idle = 0;
    for (size_t i = 0; i < BLIND; i++) {
        bool needed = blind[i].met > 0;
        if (needed)
            print_message("# not found by audit %5u x %-52s %s\n", blind[i].met, blind[i].path, blind[i].reason);
        else if (whole)
            print_message("# nothing needs the line of %s\n", blind[i].path);
        idle += !needed && whole;
    }
    assert_int_equal(idle, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_names_each_at_its_path),
        cmocka_unit_test(audit_finds_what_follows),
        cmocka_unit_test(audit_finds_what_follows_in_golden),
        cmocka_unit_test(what_cannot_be_found_is_listed),
    };
    return cmocka_run_group_tests_name("analyzer_damage", tests, NULL, NULL);
}
