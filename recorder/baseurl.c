#include "baseurl.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../format/bytes.h"
#include "decimal.h"

#define MAX_BASEURL_BYTES 4096

static enum tt_status refuse(struct tt_error *err, const char *reason)
{
    return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "--base-url %s (such as http://127.0.0.1:8000/v1)", reason);
}

static size_t scheme_bytes(const char *text)
{
    return strncasecmp(text, "http://", 7) == 0 ? 7 : strncasecmp(text, "https://", 8) == 0 ? 8 : 0;
}

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_host(const char *p, size_t n)
{
    bool bracketed = n > 2 && p[0] == '[' && p[n - 1] == ']';
    for (size_t i = bracketed; i < n - bracketed; i++)
        if (!is_alnum(p[i]) && !strchr(bracketed ? ":.%-_" : ".-_", p[i]))
            return false;
    return n > 0;
}

static bool is_port(const char *p, size_t n)
{
    char digits[8] = "";
    uint64_t port;
    if (n == 0 || n >= sizeof digits)
        return false;
    memcpy(digits, p, n);
    return decimal_parse_uint(digits, &port) && port >= 1 && port <= 65535;
}

const char *baseurl_authority_fault(const char *p, size_t n)
{
    if (memchr(p, '@', n))
        return "holds a user or password: leave it out, and name the key's variable by --api-key-env";
    const char *closing = n > 0 && p[0] == '[' ? memchr(p, ']', n) : NULL;
    size_t from = closing ? (size_t)(closing - p) : 0;
    const char *colon = memchr(p + from, ':', n - from);
    size_t host = colon ? (size_t)(colon - p) : n;
    if (host == 0)
        return "names no host: put one after the two slashes";
    if (!is_host(p, host))
        return "has a host that is neither a name nor an address: correct it";
    if (colon && !is_port(colon + 1, n - host - 1))
        return "has a port that is no number from 1 to 65535: correct it";
    return NULL;
}

static enum tt_status check(const char *text, struct tt_error *err)
{
    size_t scheme = scheme_bytes(text);
    if (scheme == 0)
        return refuse(err, "is not an absolute http or https address: begin it with http:// or https://");
    if (strlen(text) > MAX_BASEURL_BYTES)
        return refuse(err, "is longer than 4096 bytes: shorten it");
    /* Authority first: "http://user:p#ss@host" is a password with a '#', and is told so. */
    const char *authority = text + scheme;
    if (strpbrk(authority, "?#") && strchr(authority, '@'))
        return refuse(err, "holds a user, a query or a fragment: leave them out");
    if (strchr(text, '?'))
        return refuse(err, "has a query: leave out what follows '?'");
    if (strchr(text, '#'))
        return refuse(err, "has a fragment: leave out what follows '#'");
    for (const char *p = text; *p; p++)
        if (*p <= ' ' || *p > '~' || *p == '\\')
            return refuse(err, "holds a space, a backslash or a character past ASCII: percent-encode it");
    const char *fault = baseurl_authority_fault(authority, strcspn(authority, "/"));
    return fault ? refuse(err, fault) : TT_OK;
}

enum tt_status baseurl_parse(const char *text, char **out, struct tt_error *err)
{
    enum tt_status code = check(text, err);
    if (code != TT_OK)
        return code;
    char *url = strdup(text);
    if (!url)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the base URL");
    memcpy(url, "http", 4);
    if (scheme_bytes(url) == 8)
        url[4] = 's';
    for (size_t n = strlen(url); url[n - 1] == '/';)
        url[--n] = '\0';
    *out = url;
    return TT_OK;
}
