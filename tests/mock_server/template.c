#include "template.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum part_kind kind;
} names[] = {{"i", PART_I},
             {"n", PART_N},
             {"index", PART_INDEX},
             {"words", PART_WORDS},
             {"marker", PART_MARKER},
             {"stamp", PART_STAMP},
             {"auth", PART_AUTH},
             {"prompt_tokens", PART_PROMPT_TOKENS},
             {"outputs", PART_OUTPUTS},
             {"total_tokens", PART_TOTAL_TOKENS}};

static struct part *add_part(struct template *t, enum part_kind kind)
{
    t->parts = mock_grow(t->parts, (t->n + 1) * sizeof *t->parts);
    t->parts[t->n] = (struct part){.kind = kind};
    return &t->parts[t->n++];
}

void template_text(struct template *t, const char *text, size_t n)
{
    struct part *last = t->n ? &t->parts[t->n - 1] : NULL;
    if (!last || last->kind != PART_TEXT)
        last = add_part(t, PART_TEXT);
    buffer_append(&last->text, text, n);
}

/* `text` stands behind "${"; *used is what was read, the brace included. */
static const char *compile_name(struct template *t, const char *text, size_t n, size_t *used)
{
    const char *brace = memchr(text, '}', n);
    char name[64];
    if (!brace || (size_t)(brace - text) >= sizeof name)
        return "${ without a closing brace";
    memcpy(name, text, (size_t)(brace - text));
    name[brace - text] = 0;
    *used = (size_t)(brace - text) + 1;
    char *colon = strchr(name, ':');
    if (colon)
        *colon = 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (strcmp(names[k].name, name) != 0)
            continue;
        struct part *p = add_part(t, names[k].kind);
        if (!colon)
            return NULL;
        if (p->kind == PART_MARKER && sscanf(colon + 1, "i/%u", &p->of) == 1 && p->of > 0)
            return NULL;
        if (p->kind == PART_MARKER && sscanf(colon + 1, "%u/%u", &p->piece, &p->of) == 2 && p->piece > 0 &&
            p->piece <= p->of)
            return NULL;
        return "only ${marker:K/N} and ${marker:i/N} take an argument, 1 <= K <= N";
    }
    return "unknown name in ${}";
}

static const char *compile_escape(struct template *t, const char *text, size_t n, size_t *used)
{
    static const char from[] = "rnt0\"\\", to[] = "\r\n\t\0\"\\";
    unsigned value;
    *used = 2;
    const char *found = n > 1 ? memchr(from, text[1], sizeof from - 1) : NULL;
    if (found) {
        template_text(t, &to[found - from], 1);
        return NULL;
    }
    if (n < 4 || text[1] != 'x' || sscanf(text + 2, "%2x", &value) != 1)
        return "unknown escape";
    char byte = (char)value;
    template_text(t, &byte, 1);
    *used = 4;
    return NULL;
}

const char *template_compile(struct template *t, const char *text, size_t n, int escapes)
{
    for (size_t at = 0, used = 0; at < n; at += used) {
        const char *wrong = NULL;
        if (n - at > 1 && text[at] == '$' && text[at + 1] == '{') {
            wrong = compile_name(t, text + at + 2, n - at - 2, &used);
            used += 2;
        } else if (escapes && text[at] == '\\') {
            wrong = compile_escape(t, text + at, n - at, &used);
        } else {
            template_text(t, text + at, used = 1);
        }
        if (wrong)
            return wrong;
    }
    return NULL;
}

static void render_marker(const struct part *p, const struct values *v, struct buffer *out)
{
    size_t n = strlen(v->marker);
    size_t k = p->piece ? p->piece - 1 : (size_t)v->i;
    size_t from = p->of ? n * k / p->of : 0;
    size_t to = p->of ? n * (k + 1) / p->of : n;
    if (to <= n)
        buffer_append(out, v->marker + from, to - from);
}

static void render_stamp(struct buffer *out, struct stamps *s)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 8;
        s->at = mock_grow(s->at, s->cap * sizeof *s->at);
    }
    s->at[s->n++] = out->n;
    static const char place[STAMP_DIGITS] = {0};
    buffer_append(out, place, STAMP_DIGITS);
}

static void render_part(const struct part *p, const struct values *v, struct buffer *out, struct stamps *stamps)
{
    switch (p->kind) {
    case PART_TEXT:
        buffer_append(out, p->text.p, p->text.n);
        break;
    case PART_I:
        buffer_format(out, "%" PRIu64, v->i);
        break;
    case PART_N:
        buffer_format(out, "%" PRIu64, v->n);
        break;
    case PART_INDEX:
        buffer_text(out, v->index);
        break;
    case PART_MARKER:
        render_marker(p, v, out);
        break;
    case PART_WORDS:
        buffer_format(out, "%" PRIu64, v->words);
        break;
    case PART_STAMP:
        render_stamp(out, stamps);
        break;
    case PART_AUTH:
        buffer_text(out, v->auth);
        break;
    case PART_PROMPT_TOKENS:
        buffer_format(out, "%" PRIu64, v->prompt_tokens);
        break;
    case PART_OUTPUTS:
        buffer_format(out, "%" PRIu64, v->outputs);
        break;
    case PART_TOTAL_TOKENS:
        buffer_format(out, "%" PRIu64, v->prompt_tokens + v->outputs);
        break;
    }
}

void template_render(const struct template *t, const struct values *v, struct buffer *out, struct stamps *stamps)
{
    for (size_t k = 0; k < t->n; k++)
        render_part(&t->parts[k], v, out, stamps);
}

void template_free(struct template *t)
{
    for (size_t k = 0; k < t->n; k++)
        buffer_free(&t->parts[k].text);
    free(t->parts);
    *t = (struct template){0};
}

void stamps_patch(struct stamps *s, char *bytes, uint64_t now_ns)
{
    char digits[STAMP_DIGITS];
    if (s->n == 0)
        return;
    for (size_t i = STAMP_DIGITS; i-- > 0; now_ns /= 10)
        digits[i] = (char)('0' + now_ns % 10);
    for (size_t k = 0; k < s->n; k++)
        memcpy(bytes + s->at[k], digits, STAMP_DIGITS);
    s->n = 0;
}
