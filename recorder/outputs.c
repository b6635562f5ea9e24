#include "outputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 4096

static enum tt_status check_folder(const char *path, const char *flag, struct tt_error *err)
{
    char folder[PATH_BYTES];
    struct stat st;
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    if (n >= sizeof(folder))
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s: the path is too long", flag);
    snprintf(folder, sizeof(folder), "%.*s", (int)n, path);
    const char *name = n ? folder : slash ? "/" : ".";
    if (stat(name, &st) != 0)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s %s: the folder %s: %s (make it first: mkdir -p)", flag, path,
                       name, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s %s: %s is not a folder", flag, path, name);
    if (access(name, W_OK | X_OK) != 0)
        return tt_fail(err, TT_IO, TT_NO_OFFSET, "%s %s: the folder %s cannot be written: %s (name another one)", flag,
                       path, name, strerror(errno));
    return TT_OK;
}

enum tt_status outputs_check_file(const char *path, const char *flag, struct tt_error *err)
{
    struct stat st;
    const char *slash = strrchr(path, '/');
    if (!path[0] || (slash && !slash[1]))
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s %s: this names no file", flag, path);
    if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
        return tt_fail(err, TT_EXISTS, TT_NO_OFFSET, "%s %s: a symbolic link is refused (name the file itself)", flag,
                       path);
    if (lstat(path, &st) == 0)
        return tt_fail(err, TT_EXISTS, TT_NO_OFFSET,
                       "%s %s: it exists, and nothing is ever written over (choose another name)", flag, path);
    return check_folder(path, flag, err);
}

enum tt_status outputs_check(const char *tape, const char *result, struct tt_error *err)
{
    char head[PATH_BYTES];
    enum tt_status code = outputs_check_file(tape, "--tape", err);
    if (code != TT_OK)
        return code;
    int n = snprintf(head, sizeof(head), "%s.head", tape);
    if (n < 0 || (size_t)n >= sizeof(head))
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "--tape: the path is too long");
    code = outputs_check_file(head, "the tape's head file", err);
    if (code != TT_OK || !result)
        return code;
    if (strcmp(result, tape) == 0 || strcmp(result, head) == 0)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "--output %s: the tape is written there (choose another name)",
                       result);
    return outputs_check_file(result, "--output", err);
}
