/* Extra request headers, from the environment or a file. They are shown nowhere: an error names the variable or the
 * line's number. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../format/bytes.h"
#include "text.h"
#include "transport.h"

#define MAX_LINE_BYTES SECRET_MAX_BYTES
#define MAX_LINES 1000u      /* empty ones too */
#define MAX_ALL_BYTES 16384u /* every form of every value is looked for in all answers */

/* Where a line comes from, for errors. */
struct origin {
    const char *flag, *name;
    unsigned line; /* 0: a variable */
};

static enum tt_status refuse(const struct origin *from, const char *reason, struct tt_error *err)
{
    if (from->line > 0)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s: line %u %s", from->flag, from->line, reason);
    return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s %s: its header %s", from->flag, from->name, reason);
}

static size_t name_bytes(const char *line)
{
    static const char token[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~";
    size_t n = strspn(line, token);
    return line[n] == ':' ? n : 0;
}

static bool is(const char *line, size_t n, const char *name)
{
    return strlen(name) == n && strncasecmp(line, name, n) == 0;
}

/* Those that libcurl or the recorder writes: a second one would change what is measured, or break the framing. */
static bool is_ours(const char *line, size_t n)
{
    static const char *const ours[] = {"host",
                                       "content-length",
                                       "content-type",
                                       "transfer-encoding",
                                       "connection",
                                       "keep-alive",
                                       "upgrade",
                                       "te",
                                       "trailer",
                                       "expect",
                                       "accept-encoding",
                                       "http2-settings",
                                       "proxy-connection",
                                       "proxy-authorization"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (is(line, n, ours[i]))
            return true;
    return false;
}

static bool is_there(const struct transport *t, const char *line, size_t n)
{
    for (size_t i = 0; i < t->headers.n; i++)
        if (name_bytes(t->headers.at[i]) == n && strncasecmp(t->headers.at[i], line, n) == 0)
            return true;
    return false;
}

static const char *fault_of(const struct transport *t, const char *line, size_t n, const char *value, bool has_key)
{
    if (n == 0)
        return "does not begin with a name and a colon: write Name: value";
    if (text_has_control(line) || !text_is_utf8(line))
        return "holds a control character or a byte that is not text: leave it out";
    if (value[0] == '\0')
        return "has no value: write Name: value";
    if (is_ours(line, n))
        return "is one that the recorder writes itself: leave it out";
    if (has_key && is(line, n, "authorization"))
        return "is an Authorization, and --api-key-env sends one: leave out one of the two";
    return is_there(t, line, n) ? "has a name that was given before: keep one" : NULL;
}

/* The value as a whole, and what follows a scheme's name: "Bearer x", "Basic x". */
static bool keep_secrets(struct transport *t, const char *value, size_t n)
{
    const char *blank = memchr(value, ' ', n);
    const char *token = blank ? blank + strspn(blank, " ") : NULL;
    return secret_list_add(&t->secrets, value, n) &&
           (!token || secret_list_add(&t->secrets, token, n - (size_t)(token - value)));
}

static enum tt_status add(struct transport *t, const struct origin *from, const char *line, bool has_key,
                          struct tt_error *err)
{
    size_t n = name_bytes(line), length = strlen(line), all = length;
    while (length > 0 && line[length - 1] == ' ')
        length--;
    const char *value = line + n + (n > 0);
    value += strspn(value, " ");
    const char *fault = fault_of(t, line, n, value, has_key);
    for (size_t i = 0; i < t->headers.n; i++)
        all += strlen(t->headers.at[i]);
    if (!fault && all > MAX_ALL_BYTES)
        fault = "is too much: all extra headers together may have 16384 bytes";
    if (!fault && t->headers.n == TRANSPORT_LIST_MOST)
        fault = "is one too many: 32 extra headers are allowed";
    if (fault)
        return refuse(from, fault, err);
    if (!secret_list_add(&t->headers, line, length) || !keep_secrets(t, value, length - (size_t)(value - line)))
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the headers");
    return TT_OK;
}

static enum tt_status add_lines(struct transport *t, FILE *f, bool has_key, struct tt_error *err)
{
    char line[MAX_LINE_BYTES + 2];
    struct origin from = {.flag = "--header-file"};
    enum tt_status code = TT_OK;
    while (code == TT_OK && fgets(line, sizeof line, f)) {
        size_t n = strlen(line);
        from.line++;
        if (from.line > MAX_LINES)
            code = refuse(&from, "is one too many: give one header a line", err);
        else if (n == 0 || (line[n - 1] != '\n' && !feof(f)))
            code = refuse(&from, n ? "is longer than 8192 bytes: shorten it" : "holds a NUL byte: leave it out", err);
        while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
            line[--n] = '\0';
        if (code == TT_OK && n > 0)
            code = add(t, &from, line, has_key, err);
    }
    explicit_bzero(line, sizeof line);
    return code;
}

static enum tt_status add_file(struct transport *t, bool has_key, struct tt_error *err)
{
    char shown[TEXT_SHOWN_BYTES];
    FILE *f = fopen(t->header_file, "re");
    if (!f)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "--header-file %s cannot be read: %s",
                       text_shown(t->header_file, shown), strerror(errno));
    char buffer[4096]; /* stdio's own would be freed with the secrets in it */
    setvbuf(f, buffer, _IOFBF, sizeof buffer);
    enum tt_status code = add_lines(t, f, has_key, err);
    if (code == TT_OK && ferror(f))
        code = tt_fail(err, TT_USAGE, TT_NO_OFFSET, "--header-file %s cannot be read: is it a file of lines?",
                       text_shown(t->header_file, shown));
    fclose(f);
    explicit_bzero(buffer, sizeof buffer);
    return code;
}

enum tt_status transport_read_headers(struct transport *t, bool has_key, struct tt_error *err)
{
    enum tt_status code = TT_OK;
    for (unsigned i = 0; code == TT_OK && i < t->header_env.n; i++) {
        struct origin from = {"--header-env", t->header_env.at[i], 0};
        char *line;
        code = secret_of_variable(from.flag, from.name, "the header", &line, err);
        if (code == TT_OK)
            code = add(t, &from, line, has_key, err);
        secret_free(line);
    }
    return code == TT_OK && t->header_file ? add_file(t, has_key, err) : code;
}
