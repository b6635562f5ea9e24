/* A whole file in every mode: no crash, no endless reading, and never "complete" with a flaw. */
#include <stdio.h>
#include <unistd.h>

#include "../../format/reader.h"
#include "fuzz.h"

static void read_all(const char *path, enum reader_mode mode)
{
    struct reader_options options = {.mode = mode, .ignore_head_file = true};
    struct reader *r;
    struct tt_error err = {0};
    if (reader_open(&r, path, &options, &err) != TT_OK) {
        FUZZ_REQUIRE(r == NULL && err.line[0]);
        return;
    }
    struct tape_record rec;
    enum tt_status status;
    uint64_t n = 0;
    while ((status = reader_next(r, &rec, &err)) == TT_OK)
        n++;
    const struct reader_report *report = reader_report(r);
    FUZZ_REQUIRE(report->records == n || status != TT_END);
    FUZZ_REQUIRE(report->accepted_bytes <= report->file_bytes);
    if (report->state == READER_COMPLETE)
        FUZZ_REQUIRE(report->flaw.code == TT_OK && report->has_end);
    reader_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static char path[64];
    if (!path[0])
        snprintf(path, sizeof path, "/tmp/tokentape-fuzz-%ld.tape", (long)getpid());
    FILE *f = fopen(path, "wb");
    FUZZ_REQUIRE(f && fwrite(data, 1, n, f) == n && fclose(f) == 0);
    read_all(path, READER_PREFIX);
    read_all(path, READER_STRICT);
    read_all(path, READER_SALVAGE);
    unlink(path);
    return 0;
}
