/* Rules, and the masking of short texts. */
#include "redact.h"

#include <stdlib.h>

#include "redact_forms.h"
#include "redact_parts.h"

static bool take_form(void *ctx, struct tt_view form, const char *rule)
{
    struct redact_rules *r = ctx;
    return match_add(&r->match, form, rule);
}

static bool make_room(struct redact_rules *r)
{
    if (r->match.longest == 0)
        return true;
    r->hold_cap = (size_t)r->match.longest * REDACT_HOLD_FACTOR + REDACT_HOLD_SPARE_BYTES;
    r->bytes = malloc(r->hold_cap + REDACT_PIECE_BYTES);
    r->kinds = malloc(r->hold_cap + REDACT_PIECE_BYTES);
    return r->bytes && r->kinds;
}

enum tt_status redact_rules_create(struct redact_rules **out, const struct tt_view *secrets, size_t n, size_t *left_out,
                                   struct tt_error *err)
{
    *out = NULL;
    *left_out = 0;
    struct redact_rules *r = calloc(1, sizeof(*r));
    bool good = r != NULL;
    for (size_t i = 0; good && i < n; i++) {
        if (redact_forms_is_filler(secrets[i]))
            ++*left_out;
        else
            good = redact_forms_each(secrets[i], take_form, r);
    }
    if (!good || !match_finish(&r->match) || !make_room(r)) {
        redact_rules_free(r);
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for masking credentials");
    }
    *out = r;
    return TT_OK;
}

void redact_rules_free(struct redact_rules *r)
{
    if (!r)
        return;
    if (r->bytes)
        explicit_bzero(r->bytes, r->hold_cap + REDACT_PIECE_BYTES);
    free(r->bytes);
    free(r->kinds);
    match_clear(&r->match);
    free(r);
}

bool redact_rules_empty(const struct redact_rules *r)
{
    return r->match.longest == 0;
}

struct text_hit {
    size_t from, bytes; /* bytes 0: none */
    const char *rule;
};

static size_t tell(const struct redact_calls *calls, const char *stream, const struct text_hit *hit)
{
    if (hit->bytes > 0 && calls && calls->hit)
        calls->hit(calls->ctx, stream, hit->from, hit->bytes, hit->rule);
    return hit->bytes > 0;
}

size_t redact_text(const struct redact_rules *rules, uint8_t *text, size_t n, const char *stream,
                   const struct redact_calls *calls)
{
    const struct match *m = &rules->match;
    struct text_hit hit = {0};
    uint32_t state = 0;
    size_t hits = 0;
    for (size_t i = 0; i < n; i++) {
        state = match_next(m, state, text[i]);
        uint32_t length = state ? m->nodes[state].length : 0;
        if (!length)
            continue;
        struct text_hit now = {i + 1 - length, length, m->nodes[state].rule};
        memset(text + now.from, REDACT_FILLER, length);
        if (now.from > hit.from) /* longest first: one that begins no later takes the other's place */
            hits += tell(calls, stream, &hit);
        hit = now;
    }
    hits += tell(calls, stream, &hit);
    /* the text may have been cut: most of a credential at its end is masked like a whole one */
    const struct match_node *last = state ? &m->nodes[state] : NULL;
    uint32_t begun = last && last->length < last->depth ? last->depth : 0;
    if (begun >= REDACT_MIN_SECRET_BYTES) {
        struct text_hit cut = {n - begun, begun, "cut_off"};
        memset(text + cut.from, REDACT_FILLER, begun);
        hits += tell(calls, stream, &cut);
    }
    return hits;
}
