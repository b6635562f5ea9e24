#include "request.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The last ANVIL_REQ_<seed>_<five digits> of the text: the one the prompt's tail asks for. */
static void find_marker(struct request *r, const char *text, size_t n)
{
    static const char prefix[] = "ANVIL_REQ_";
    for (size_t from = n; from-- > 0;) {
        if (n - from < sizeof prefix - 1 || memcmp(text + from, prefix, sizeof prefix - 1) != 0)
            continue;
        size_t at = from + sizeof prefix - 1, digits;
        if (at < n && text[at] == '-')
            at++;
        size_t seed = at;
        while (at < n && isdigit((unsigned char)text[at]))
            at++;
        if (at == seed || at == n || text[at++] != '_')
            continue;
        for (digits = 0; at + digits < n && isdigit((unsigned char)text[at + digits]);)
            digits++;
        if (digits != 5 || at + 5 - from >= sizeof r->marker)
            continue;
        memcpy(r->marker, text + from, at + 5 - from);
        memcpy(r->index, text + at, 5);
        r->index_number = strtoll(r->index, NULL, 10);
        return;
    }
}

/* "... exactly 16 copies of ...": the number before the last "copies". */
static void find_words(struct request *r, const char *text, size_t n)
{
    static const char word[] = " copies";
    for (size_t from = n; from-- > 0;) {
        if (n - from < sizeof word - 1 || memcmp(text + from, word, sizeof word - 1) != 0)
            continue;
        size_t at = from;
        while (at > 0 && isdigit((unsigned char)text[at - 1]))
            at--;
        if (at == from || from - at > 9)
            continue;
        char digits[16] = "";
        memcpy(digits, text + at, from - at);
        r->words = strtoull(digits, NULL, 10);
        return;
    }
}

static void complete_body(struct request *r, uint64_t now_ns)
{
    r->state = REQUEST_COMPLETE;
    r->body_ns = now_ns;
    find_marker(r, r->tail.p, r->tail.n);
    find_words(r, r->tail.p, r->tail.n);
}

static void read_header(struct request *r, const char *line, size_t n)
{
    const char *colon = memchr(line, ':', n);
    if (!colon)
        return;
    size_t name = (size_t)(colon - line), at = name + 1;
    while (at < n && line[at] == ' ')
        at++;
    const char *value = line + at;
    size_t len = n - at;
    if (name == 14 && strncasecmp(line, "content-length", 14) == 0) {
        r->content_length = strtoull(value, NULL, 10);
    } else if (name == 13 && strncasecmp(line, "authorization", 13) == 0) {
        free(r->auth);
        r->auth = mock_grow(NULL, len + 1);
        memcpy(r->auth, value, len);
        r->auth[len] = 0;
    } else if (name == 10 && strncasecmp(line, "connection", 10) == 0) {
        r->close = len == 5 && strncasecmp(value, "close", 5) == 0;
    } else if (name == 6 && strncasecmp(line, "expect", 6) == 0) {
        r->expect_continue = len >= 12 && strncasecmp(value, "100-continue", 12) == 0;
    } else if (name == 17 && strncasecmp(line, "transfer-encoding", 17) == 0) {
        r->state = REQUEST_BAD; /* chunked requests are beyond this server */
    }
}

static void complete_head(struct request *r, uint64_t now_ns)
{
    char version[16];
    r->head_ns = now_ns;
    r->state = REQUEST_BODY;
    char *text = r->head.p; /* ends with an empty line */
    text[r->head.n - 1] = 0;
    if (sscanf(text, "%15s %255s %15s", r->method, r->path, version) != 3 || strncmp(version, "HTTP/1.", 7) != 0) {
        r->state = REQUEST_BAD;
        return;
    }
    size_t path = strcspn(r->path, "?");
    if (r->path[path])
        snprintf(r->query, sizeof r->query, "%s", r->path + path + 1);
    r->path[path] = 0;
    for (char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n'))
        read_header(r, line + 1, strcspn(line + 1, "\r\n"));
    if (r->state == REQUEST_BODY && r->content_length == 0)
        complete_body(r, now_ns);
}

static size_t feed_head(struct request *r, const char *p, size_t n, uint64_t now_ns)
{
    size_t before = r->head.n;
    buffer_append(&r->head, p, n);
    size_t from = before > 3 ? before - 3 : 0;
    char *end = memmem(r->head.p + from, r->head.n - from, "\r\n\r\n", 4);
    if (!end) {
        if (r->head.n > REQUEST_MAX_HEAD)
            r->state = REQUEST_BAD;
        return n;
    }
    r->head.n = (size_t)(end - r->head.p) + 4;
    size_t used = r->head.n - before;
    complete_head(r, now_ns);
    return used;
}

static size_t feed_body(struct request *r, const char *p, size_t n, uint64_t now_ns)
{
    uint64_t left = r->content_length - r->body_bytes;
    size_t used = n < left ? n : (size_t)left;
    const char *kept = used > REQUEST_TAIL ? p + used - REQUEST_TAIL : p;
    buffer_append(&r->tail, kept, (size_t)(p + used - kept));
    if (r->tail.n > 2 * REQUEST_TAIL)
        buffer_drop(&r->tail, r->tail.n - REQUEST_TAIL);
    r->body_bytes += used;
    if (r->body_bytes == r->content_length)
        complete_body(r, now_ns);
    return used;
}

size_t request_feed(struct request *r, const char *p, size_t n, uint64_t now_ns)
{
    size_t used = 0;
    if (n && r->first_byte_ns == 0)
        r->first_byte_ns = now_ns;
    if (r->state == REQUEST_HEAD)
        used = feed_head(r, p, n, now_ns);
    if (r->state == REQUEST_BODY && used < n)
        used += feed_body(r, p + used, n - used, now_ns);
    return used;
}

void request_reset(struct request *r)
{
    struct buffer head = r->head, tail = r->tail;
    free(r->auth);
    head.n = tail.n = 0;
    *r = (struct request){.index_number = -1, .head = head, .tail = tail};
}

void request_free(struct request *r)
{
    request_reset(r);
    buffer_free(&r->head);
    buffer_free(&r->tail);
}
