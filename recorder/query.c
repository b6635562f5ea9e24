/* Query parameters: encoded here, so that a value may hold anything. */
#include <stdlib.h>
#include <string.h>

#include "../format/bytes.h"
#include "text.h"
#include "transport.h"

#define MAX_QUERY_BYTES 8192u

struct query {
    char *sent, *shown; /* room for MAX_QUERY_BYTES + 1 each */
    size_t sent_n, shown_n;
};

static bool is_unreserved(unsigned char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || strchr("-._~", c);
}

/* False: no room left. */
static bool put(char *out, size_t *n, const char *text, size_t length, bool encode)
{
    static const char hex[] = "0123456789ABCDEF";
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        bool plain = !encode || is_unreserved(c);
        if (*n + (plain ? 1 : 3) > MAX_QUERY_BYTES)
            return false;
        if (!plain) {
            out[(*n)++] = '%';
            out[(*n)++] = hex[c >> 4];
        }
        out[(*n)++] = plain ? (char)c : hex[c & 15];
    }
    out[*n] = '\0';
    return true;
}

static bool add(struct query *q, const char *name, size_t name_n, const char *value, const char *shown)
{
    if (q->sent_n > 0 && !(put(q->sent, &q->sent_n, "&", 1, false) && put(q->shown, &q->shown_n, "&", 1, false)))
        return false;
    return put(q->sent, &q->sent_n, name, name_n, true) && put(q->sent, &q->sent_n, "=", 1, false) &&
           put(q->sent, &q->sent_n, value, strlen(value), true) && put(q->shown, &q->shown_n, name, name_n, true) &&
           put(q->shown, &q->shown_n, "=", 1, false) &&
           put(q->shown, &q->shown_n, shown ? shown : value, strlen(shown ? shown : value), !shown);
}

static enum tt_status too_long(struct tt_error *err)
{
    return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                   "--query: all parameters together are longer than %u bytes: shorten them", MAX_QUERY_BYTES);
}

static enum tt_status split(const char *flag, const char *text, size_t *name_n, struct tt_error *err)
{
    const char *equals = strchr(text, '=');
    *name_n = equals ? (size_t)(equals - text) : 0;
    if (*name_n == 0)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s has no name before a '=': write %s", flag,
                       strcmp(flag, "--query") == 0 ? "--query name=value" : "--query-env name=VARIABLE");
    if (!text_is_utf8(text) || text_has_control(text))
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                       "%s holds a control character or a byte that is not text: leave it out", flag);
    return TT_OK;
}

static enum tt_status add_given(struct query *q, const char *text, struct tt_error *err)
{
    size_t name_n;
    enum tt_status code = split("--query", text, &name_n, err);
    if (code == TT_OK && !add(q, text, name_n, text + name_n + 1, NULL))
        code = too_long(err);
    return code;
}

static enum tt_status add_secret(struct transport *t, struct query *q, const char *text, struct tt_error *err)
{
    size_t name_n;
    char *value = NULL;
    enum tt_status code = split("--query-env", text, &name_n, err);
    if (code == TT_OK)
        code = secret_of_variable("--query-env", text + name_n + 1, "the value", &value, err);
    if (code == TT_OK && !add(q, text, name_n, value, "*"))
        code = too_long(err);
    if (code == TT_OK && !secret_list_add(&t->secrets, value, strlen(value)))
        code = tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the query");
    secret_free(value);
    return code;
}

enum tt_status transport_make_query(struct transport *t, struct tt_error *err)
{
    if (t->query_given.n + t->query_env.n == 0)
        return TT_OK;
    struct query q = {.sent = t->query = calloc(1, MAX_QUERY_BYTES + 1),
                      .shown = t->query_shown = calloc(1, MAX_QUERY_BYTES + 1)};
    if (!q.sent || !q.shown)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the query");
    enum tt_status code = TT_OK;
    for (unsigned i = 0; code == TT_OK && i < t->query_given.n; i++)
        code = add_given(&q, t->query_given.at[i], err);
    for (unsigned i = 0; code == TT_OK && i < t->query_env.n; i++)
        code = add_secret(t, &q, t->query_env.at[i], err);
    return code;
}
