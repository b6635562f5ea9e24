/* The response head: status, framing, and whether events can follow. */
#include "stream_parts.h"

struct head {
    struct opt_u64 content_length;
    bool has_transfer_encoding, chunked;
};

/* ASCII only: what a locale thinks of letters must not matter. */
static bool equal_ignoring_case(struct tt_view v, const char *lower)
{
    if (v.n != strlen(lower))
        return false;
    for (size_t i = 0; i < v.n; i++) {
        uint8_t c = v.p[i];
        if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != (uint8_t)lower[i])
            return false;
    }
    return true;
}

static struct tt_view trim(struct tt_view v)
{
    while (v.n > 0 && (v.p[0] == ' ' || v.p[0] == '\t'))
        v = tt_view_of(v.p + 1, v.n - 1);
    while (v.n > 0 && (v.p[v.n - 1] == ' ' || v.p[v.n - 1] == '\t'))
        v.n--;
    return v;
}

/* Cuts the text before `separator` off *rest. */
static struct tt_view take_until(struct tt_view *rest, int separator)
{
    const uint8_t *cut = rest->n ? memchr(rest->p, separator, rest->n) : NULL;
    struct tt_view item = tt_view_of(rest->p, cut ? (size_t)(cut - rest->p) : rest->n);
    size_t used = item.n + (cut != NULL);
    *rest = rest->n ? tt_view_of(rest->p + used, rest->n - used) : *rest;
    return trim(item);
}

static bool read_u64(struct tt_view v, uint64_t *value)
{
    uint64_t n = 0;
    for (size_t i = 0; i < v.n; i++) {
        if (v.p[i] < '0' || v.p[i] > '9' || n > (UINT64_MAX - 9) / 10)
            return false;
        n = n * 10 + (uint64_t)(v.p[i] - '0');
    }
    *value = n;
    return v.n > 0;
}

static void take_content_length(struct stream *s, struct head *h, struct tt_view value)
{
    uint64_t n;
    if (!read_u64(value, &n))
        stream_note_fault(s, "Content-Length is not a number");
    else if (h->content_length.has && h->content_length.v != n)
        stream_note_fault(s, "two different Content-Length headers");
    else
        h->content_length = (struct opt_u64){true, n};
}

/* Codings of the body; chunked counts as framing only when it is the last. */
static void take_codings(struct stream *s, struct head *h, struct tt_view value, bool transfer)
{
    while (value.n > 0) {
        struct tt_view coding = take_until(&value, ',');
        bool chunked = transfer && equal_ignoring_case(coding, "chunked");
        if (transfer) {
            h->has_transfer_encoding = true;
            h->chunked = chunked;
        }
        if (coding.n > 0 && !chunked && !equal_ignoring_case(coding, "identity"))
            s->facts->compressed = true;
    }
}

static void take_header(struct stream *s, struct head *h, struct tt_view name, struct tt_view value)
{
    value = trim(value);
    if (equal_ignoring_case(name, "content-type")) {
        s->facts->has_content_type = true;
        s->facts->event_stream = equal_ignoring_case(take_until(&value, ';'), "text/event-stream");
    } else if (equal_ignoring_case(name, "content-length")) {
        take_content_length(s, h, value);
    } else if (equal_ignoring_case(name, "transfer-encoding")) {
        take_codings(s, h, value, true);
    } else if (equal_ignoring_case(name, "content-encoding")) {
        take_codings(s, h, value, false);
    } else if (equal_ignoring_case(name, "retry-after")) {
        s->facts->retry_after_s.has = read_u64(value, &s->facts->retry_after_s.v);
    }
}

static enum tt_status take_headers(struct stream *s, struct head *h, struct tt_view headers)
{
    size_t cursor = 0;
    for (;;) {
        struct tape_scalar name, value;
        enum tt_status status = tape_array_next(headers, &cursor, &name, NULL);
        if (status == TT_OK)
            status = tape_array_next(headers, &cursor, &value, NULL);
        if (status != TT_OK)
            return status == TT_END ? TT_OK : status;
        bool text =
            (name.type == TAPE_STR || name.type == TAPE_BIN) && (value.type == TAPE_STR || value.type == TAPE_BIN);
        if (text)
            take_header(s, h, name.text, value.text);
    }
}

/* "HTTP/1.1 200 OK" */
static unsigned read_status(struct tt_view line)
{
    uint64_t code = 0;
    take_until(&line, ' ');
    return read_u64(take_until(&line, ' '), &code) && code <= 999 ? (unsigned)code : 0;
}

static void choose_framing(struct stream *s, const struct head *h)
{
    unsigned code = s->facts->http_status;
    enum body_framing framing = BODY_CLOSE;
    uint64_t length = 0;
    if (code == 204 || code == 304) { /* have no body */
        framing = BODY_LENGTH;
    } else if (h->has_transfer_encoding) {
        framing = h->chunked ? BODY_CHUNKED : BODY_CLOSE;
    } else if (h->content_length.has) {
        framing = BODY_LENGTH;
        length = h->content_length.v;
    }
    s->facts->framing = framing;
    dechunk_begin(&s->framing, framing, length);
    if (s->framing.complete)
        s->complete_ns = s->facts->head_ns;
}

enum tt_status stream_head(struct stream *s, uint64_t time_ns, struct tt_view status_line, struct tt_view headers)
{
    struct stream_facts *f = s->facts;
    struct head h = {0};
    unsigned code = read_status(status_line);
    if ((code >= 100 && code < 200) || f->body_bytes > 0)
        return TT_OK;
    f->head_seen = true;
    f->http_status = code;
    f->head_ns = time_ns;
    f->event_stream = f->has_content_type = f->compressed = false;
    f->retry_after_s = (struct opt_u64){false, 0};
    f->body_fault = NULL;
    s->complete_ns = TAPE_NONE;
    enum tt_status status = take_headers(s, &h, headers);
    choose_framing(s, &h);
    s->readable = (f->event_stream || !f->has_content_type) && !f->compressed;
    return status;
}
