#include "errors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char key[] = "\"mock_ns\":\"";
enum { KEY_BYTES = sizeof key - 1, STAMP_DIGITS = 19 };

static int keep(struct errors *e, int64_t late_ns)
{
    if (e->count == e->room) {
        size_t room = e->room ? 2 * e->room : 1u << 16;
        int64_t *grown = realloc(e->late_ns, room * sizeof *grown);
        if (!grown)
            return -1;
        e->late_ns = grown;
        e->room = room;
    }
    e->late_ns[e->count++] = late_ns;
    return 0;
}

/* The key's first byte, a quote, occurs in it again only at its end: after a mismatch
 * nothing but a fresh start can match. */
static void search(struct errors_stream *s, uint8_t c)
{
    s->matched = c == (uint8_t)key[s->matched] ? s->matched + 1 : c == (uint8_t)key[0];
    if (s->matched == KEY_BYTES) {
        s->stamp_ns = 0;
        s->digits = s->newlines = 0;
    }
}

int errors_feed(struct errors *e, struct errors_stream *s, const uint8_t *p, size_t n, uint64_t now_ns)
{
    for (size_t i = 0; i < n; i++) {
        if (s->matched < KEY_BYTES) {
            search(s, p[i]);
        } else if (s->digits < STAMP_DIGITS && p[i] >= '0' && p[i] <= '9') {
            s->stamp_ns = 10 * s->stamp_ns + (uint64_t)(p[i] - '0');
            s->digits++;
        } else {
            s->newlines = p[i] == '\n' ? s->newlines + 1 : 0;
            if (s->newlines == 2) {
                s->matched = 0;
                if (keep(e, (int64_t)(now_ns - s->stamp_ns)) != 0)
                    return -1;
            }
        }
    }
    return 0;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void print_rank(const struct errors *e, const char *name, size_t per_mille)
{
    if (e->count == 0) {
        printf(", \"%s\": null", name);
        return;
    }
    size_t rank = (e->count * per_mille + 999) / 1000;
    printf(", \"%s\": %.3f", name, (double)e->late_ns[rank - 1] / 1e3);
}

void errors_print(struct errors *e)
{
    if (e->count > 0)
        qsort(e->late_ns, e->count, sizeof *e->late_ns, compare);
    printf("{\"events\": %zu", e->count);
    print_rank(e, "p50_us", 500);
    print_rank(e, "p99_us", 990);
    print_rank(e, "p999_us", 999);
    print_rank(e, "max_us", 1000);
    printf("}\n");
}

void errors_free(struct errors *e)
{
    free(e->late_ns);
    *e = (struct errors){0};
}
