#include "head.h"

#include <ctype.h>
#include <strings.h>

static bool is(const uint8_t *name, size_t n, const char *word)
{
    return strlen(word) == n && strncasecmp((const char *)name, word, n) == 0;
}

static bool begins(const uint8_t *name, size_t n, const char *word)
{
    size_t w = strlen(word);
    return n >= w && strncasecmp((const char *)name, word, w) == 0;
}

static bool contains(const uint8_t *text, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (begins(text + i, n - i, word))
            return true;
    return false;
}

bool head_allows(const uint8_t *name, size_t n)
{
    static const char *const exact[] = {"content-type", "content-encoding", "content-length", "transfer-encoding",
                                        "date",         "server",           "retry-after"};
    for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
        if (is(name, n, exact[i]))
            return true;
    return contains(name, n, "request-id") || contains(name, n, "timing") || begins(name, n, "x-ratelimit") ||
           begins(name, n, "openai-processing");
}

static size_t trimmed(const uint8_t *p, size_t n)
{
    while (n > 0 && isspace(p[n - 1]))
        n--;
    return n;
}

static void take_status(struct head *h, const uint8_t *line, size_t n)
{
    *h = (struct head){0};
    h->status_bytes = (uint16_t)(n < HEAD_STATUS_BYTES ? n : HEAD_STATUS_BYTES);
    memcpy(h->status_line, line, h->status_bytes);
    const uint8_t *space = memchr(line, ' ', n);
    for (size_t at = space ? (size_t)(space - line) + 1 : n; at < n && isdigit(line[at]) && h->status < 1000; at++)
        h->status = h->status * 10 + (unsigned)(line[at] - '0');
}

static void note_framing(struct head *h, const uint8_t *name, size_t n, const uint8_t *value, size_t value_n)
{
    if (is(name, n, "transfer-encoding"))
        h->chunked = h->chunked || contains(value, value_n, "chunked");
    else if (is(name, n, "content-encoding"))
        h->compressed = h->compressed || !is(value, value_n, "identity");
    else if (is(name, n, "content-type"))
        h->event_stream = begins(value, value_n, "text/event-stream");
}

static void keep(struct head *h, const uint8_t *name, size_t n, const uint8_t *value, size_t value_n)
{
    if (h->fields == HEAD_MAX_HEADERS || n + value_n > (size_t)(HEAD_TEXT_BYTES - h->text_bytes))
        return;
    h->field[h->fields++] = (struct head_field){(uint16_t)n, (uint16_t)value_n};
    memcpy(h->text + h->text_bytes, name, n);
    memcpy(h->text + h->text_bytes + n, value, value_n);
    h->text_bytes = (uint16_t)(h->text_bytes + n + value_n);
}

bool head_line(struct head *h, const uint8_t *line, size_t n)
{
    n = trimmed(line, n);
    if (n == 0)
        return true;
    const uint8_t *colon = memchr(line, ':', n);
    if (begins(line, n, "HTTP/")) {
        take_status(h, line, n);
        return false;
    }
    if (!colon)
        return false;
    size_t name_n = trimmed(line, (size_t)(colon - line));
    const uint8_t *value = colon + 1;
    while (value < line + n && (*value == ' ' || *value == '\t'))
        value++;
    size_t value_n = (size_t)(line + n - value);
    note_framing(h, line, name_n, value, value_n);
    if (head_allows(line, name_n))
        keep(h, line, name_n, value, value_n);
    return false;
}

void head_redact(struct head *h, const struct redact_rules *rules, const struct redact_calls *calls)
{
    redact_text(rules, h->status_line, h->status_bytes, "head", calls);
    uint8_t *at = h->text;
    for (unsigned i = 0; i < h->fields; i++) {
        redact_text(rules, at, h->field[i].name_bytes, "head", calls);
        at += h->field[i].name_bytes;
        redact_text(rules, at, h->field[i].value_bytes, "head", calls);
        at += h->field[i].value_bytes;
    }
}

void head_pack(const struct head *h, struct pack *p)
{
    pack_reset(p);
    pack_array(p, 2u * h->fields);
    const uint8_t *at = h->text;
    for (unsigned i = 0; i < h->fields; i++) {
        pack_str(p, tt_view_of(at, h->field[i].name_bytes));
        at += h->field[i].name_bytes;
        pack_str(p, tt_view_of(at, h->field[i].value_bytes));
        at += h->field[i].value_bytes;
    }
}
