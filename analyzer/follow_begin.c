/* When a tape can be opened: it may be a moment old, or not yet there. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "follow_parts.h"

/* What is at the name, before it is opened. */
struct place {
    bool locked, there, empty;
};

static struct place look_at(const char *path)
{
    struct stat sb;
    struct place p = {.locked = reader_is_locked(path), .there = stat(path, &sb) == 0 || errno != ENOENT};
    p.empty = p.there && S_ISREG(sb.st_mode) && sb.st_size == 0;
    return p;
}

/* A recording cannot begin where there is no directory. */
static bool has_directory(const char *path)
{
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash)
        return true;
    int n = snprintf(directory, sizeof directory, "%.*s", (int)(slash - path) + 1, path);
    return n > 0 && (size_t)n < sizeof directory && access(directory, F_OK) == 0;
}

enum tt_status follow_open(struct follow *f, bool *later, struct tt_error *err)
{
    static const struct reader_options prefix = {.mode = READER_PREFIX};
    struct place p = look_at(f->options->tape);
    bool was_locked = f->seen_locked, first = !f->looked;
    f->seen_locked = was_locked || p.locked;
    f->looked = true;
    enum tt_status st = loader_create(&f->loader, f->options->tape, &prefix, err);
    if (st == TT_OK || st == TT_NOMEM)
        *later = false;
    else if (!p.there)
        *later = f->options->wait && has_directory(f->options->tape);
    else if (p.locked) /* its header is being written */
        *later = p.empty || st == TT_TRUNCATED;
    else /* made, and not yet locked; what was locked and is no more has died */
        *later = p.empty && !was_locked && (first || f->options->wait);
    return st;
}
