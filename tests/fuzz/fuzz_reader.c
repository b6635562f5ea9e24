/* A whole file in every mode: no crash, no endless reading, never "complete" with a flaw, the three modes
 * agree about what all of them read, and so does a reader that was there while the file grew. */
#include "../../format/reader.h"
#include "../../format/chain.h"
#include "tape_file.h"
#include "tape_mutate.h"

struct seen {
    enum tt_status opened, outcome;
    struct reader_report report;
    uint64_t records;
};

static void require_line(const struct tt_error *err)
{
    char line[sizeof err->line];
    memcpy(line, err->line, sizeof line);
    FUZZ_REQUIRE(line[0] && memchr(line, '\0', sizeof line));
    tt_line_sanitize(line);
    FUZZ_REQUIRE(strcmp(line, err->line) == 0);
}

/* What holds of a report whatever the bytes are. */
static void require_report(const struct reader_report *report)
{
    bool flawed = report->flaw.code != TT_OK;
    FUZZ_REQUIRE(report->accepted_bytes <= report->file_bytes);
    FUZZ_REQUIRE(report->gap_bytes <= report->file_bytes);
    FUZZ_REQUIRE(report->blocks <= report->records && report->records <= report->raw_bytes);
    FUZZ_REQUIRE(report->unknown_records <= report->records);
    FUZZ_REQUIRE(report->state != READER_WRITING && flawed == (report->state != READER_COMPLETE));
    if (report->state == READER_COMPLETE)
        FUZZ_REQUIRE(report->has_end && report->gaps == 0);
    if (flawed)
        require_line(&report->flaw);
}

static struct seen read_all(const char *path, enum reader_mode mode)
{
    struct reader_options options = {.mode = mode, .ignore_head_file = true};
    struct reader *r;
    struct tt_error err = {0};
    struct tape_record rec;
    struct seen s = {.opened = reader_open(&r, path, &options, &err)};
    if (s.opened != TT_OK) {
        FUZZ_REQUIRE(r == NULL && err.code == s.opened);
        require_line(&err);
        return s;
    }
    while ((s.outcome = reader_next(r, &rec, &err)) == TT_OK) {
        FUZZ_REQUIRE(reader_position(r).record == s.records);
        s.records++;
    }
    s.report = *reader_report(r);
    FUZZ_REQUIRE(s.report.records == s.records);
    require_report(&s.report);
    if (s.outcome != TT_END)
        require_line(&err);
    FUZZ_REQUIRE(reader_next(r, &rec, NULL) == s.outcome);
    reader_free(r);
    return s;
}

static void require_agreement(const struct seen *prefix, const struct seen *strict, const struct seen *salvage)
{
    bool complete = prefix->report.state == READER_COMPLETE;
    FUZZ_REQUIRE(prefix->report.state == strict->report.state && prefix->records == strict->records);
    FUZZ_REQUIRE((strict->outcome == TT_END) == complete);
    FUZZ_REQUIRE(strict->outcome == TT_END || strict->outcome == prefix->report.flaw.code);
    FUZZ_REQUIRE(strcmp(prefix->report.flaw.line, strict->report.flaw.line) == 0);
    FUZZ_REQUIRE(salvage->records >= prefix->records && salvage->report.blocks >= prefix->report.blocks);
    FUZZ_REQUIRE((salvage->report.state == READER_COMPLETE) == complete);
    if (salvage->records == prefix->records)
        FUZZ_REQUIRE(memcmp(prefix->report.head, salvage->report.head, CHAIN_HASH_BYTES) == 0);
}

/* The next record, over the places where the file ends while it grows: at each it gets as many bytes more. */
static enum tt_status next_while_growing(struct reader *r, struct tape_record *rec, const uint8_t *data, size_t n,
                                         size_t step, size_t *written)
{
    enum tt_status st;
    while ((st = reader_next(r, rec, NULL)) == TT_END && reader_report(r)->state == READER_WRITING) {
        FUZZ_REQUIRE(reader_report(r)->flaw.code == TT_OK && reader_report(r)->accepted_bytes <= *written);
        if (*written == n) {
            tape_file_lock(false);
            continue;
        }
        *written += step < n - *written ? step : n - *written;
        FUZZ_REQUIRE(pwrite(tape_file_fd, data, *written, 0) == (ssize_t)*written);
    }
    return st;
}

/* Read while it is written, in a few pieces, it is in the end what it is when read at once. */
static void require_same_when_growing(const uint8_t *data, size_t n, const struct seen *whole)
{
    size_t step = n / (2 + data[n - 1] % 4) + 1, written = step < n ? step : n;
    const char *path = tape_file(data, written);
    struct reader_options options = {.ignore_head_file = true};
    struct reader *r;
    struct tape_record rec;
    struct seen s = {0};
    tape_file_lock(true);
    if (reader_open(&r, path, &options, NULL) == TT_OK) {
        while ((s.outcome = next_while_growing(r, &rec, data, n, step, &written)) == TT_OK)
            s.records++;
        s.report = *reader_report(r);
        if (written == n) {
            FUZZ_REQUIRE(s.outcome == whole->outcome && s.records == whole->records);
            FUZZ_REQUIRE(s.report.state == whole->report.state && s.report.records == whole->records);
            FUZZ_REQUIRE(s.report.has_index == whole->report.has_index && s.report.has_end == whole->report.has_end);
            FUZZ_REQUIRE(memcmp(s.report.head, whole->report.head, CHAIN_HASH_BYTES) == 0);
            FUZZ_REQUIRE(strcmp(s.report.flaw.line, whole->report.flaw.line) == 0);
        }
        reader_free(r);
    }
    tape_file_lock(false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const char *path = tape_file(data, n);
    struct seen prefix = read_all(path, READER_PREFIX), strict = read_all(path, READER_STRICT),
                salvage = read_all(path, READER_SALVAGE);
    FUZZ_REQUIRE(prefix.opened == strict.opened && prefix.opened == salvage.opened);
    if (prefix.opened == TT_OK) {
        require_agreement(&prefix, &strict, &salvage);
        require_same_when_growing(data, n, &prefix);
    }
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t cap, unsigned seed)
{
    return tape_mutate(data, n, cap, seed);
}
