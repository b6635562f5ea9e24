/* What a payload does to the facts. */
#include "stream_parts.h"

#include "utf8.h"

#include <stdlib.h>

/* First and last time of a channel. */
static void mark(uint64_t *first_ns, uint64_t *last_ns, uint64_t now_ns)
{
    if (*first_ns == TAPE_NONE)
        *first_ns = now_ns;
    *last_ns = now_ns;
}

static void mark_once(uint64_t *first_ns, uint64_t now_ns)
{
    if (*first_ns == TAPE_NONE)
        *first_ns = now_ns;
}

/* The capture is full and another character comes: it is judged as it stands. */
static void cut_capture(struct stream *s)
{
    s->facts->visible_content_truncated = true;
    if (s->visible)
        observe_judge(s->visible, false, &s->facts->canary, &s->facts->controlled);
}

static void take_content_piece(void *ctx, struct tt_view raw)
{
    struct stream *s = ctx;
    struct stream_facts *f = s->facts;
    while (raw.n > 0) {
        uint32_t c = json_string_next(&raw);
        if (f->content_chars == OBSERVE_CAPTURE_CHARS)
            cut_capture(s);
        f->content_chars++;
        f->content_bytes += utf8_length(c);
        if (s->visible)
            observe_char(s->visible, c);
    }
}

static void take_reasoning_piece(void *ctx, struct tt_view raw)
{
    struct stream *s = ctx;
    while (raw.n > 0)
        observe_char(s->thinking, json_string_next(&raw));
}

/* First characters of a finish reason, in valid UTF-8 without NUL. */
static size_t cut_finish(const struct openai_choice *choice, uint8_t text[STREAM_FINISH_CHARS * 4 + 1])
{
    struct tt_view raw = choice->finish;
    size_t n = 0;
    for (unsigned i = 0; i < STREAM_FINISH_CHARS && raw.n > 0; i++) {
        uint32_t c = choice->finish_is_string ? json_string_next(&raw) : utf8_next(&raw);
        n += utf8_put(c ? c : UTF8_REPLACEMENT, text + n);
    }
    text[n++] = '\0';
    return n;
}

static bool room_for_finish(struct stream_facts *f)
{
    size_t n = f->finish_reason_count;
    if (n > 0 && (n & (n - 1)) != 0)
        return true;
    char **grown = realloc(f->finish_reasons, (n ? n * 2 : 1) * sizeof *grown); /* full at each power of two */
    if (grown)
        f->finish_reasons = grown;
    return grown != NULL;
}

/* Counted with what it takes to keep it, alike on every machine. */
static bool may_keep(uint64_t *text_left, size_t n)
{
    if (!text_left)
        return true;
    if (*text_left < n + STREAM_KEPT_TEXT_BYTES)
        return false;
    *text_left -= n + STREAM_KEPT_TEXT_BYTES;
    return true;
}

static void take_finish(struct stream *s, const struct openai_choice *choice)
{
    struct stream_facts *f = s->facts;
    uint8_t text[STREAM_FINISH_CHARS * 4 + 1];
    mark_once(&f->finish_ns, s->now_ns);
    stream_label(s, LABEL_FINISH);
    size_t n = cut_finish(choice, text);
    size_t before = f->finish_reason_count; /* the first of each answer is kept whatever the others took */
    if (before == STREAM_MAX_FINISH_REASONS || (before > 0 && !may_keep(s->options.text_left, n))) {
        f->finish_reasons_lost++;
        return;
    }
    char *kept = malloc(n);
    if (!kept || !room_for_finish(f)) {
        free(kept);
        s->status = TT_NOMEM;
        return;
    }
    memcpy(kept, text, n);
    f->finish_reasons[f->finish_reason_count++] = kept;
}

static void take_choice(struct stream *s, const struct openai_choice *choice)
{
    struct stream_facts *f = s->facts;
    bool nothing_else = !choice->reasoning.raw.p && !choice->content.raw.p && !choice->tool_call && !choice->refusal;
    if (choice->role && (f->role_ns == TAPE_NONE || nothing_else)) {
        mark_once(&f->role_ns, s->now_ns);
        stream_label(s, LABEL_ROLE);
    }
    if (choice->reasoning.raw.p) {
        f->reasoning_chunks++;
        mark(&f->first_reasoning_ns, &f->last_reasoning_ns, s->now_ns);
        stream_decide(s, &f->first_output);
        stream_label(s, LABEL_REASONING);
        if (s->thinking)
            openai_text_each(&choice->reasoning, take_reasoning_piece, s);
    }
    if (choice->content.raw.p) {
        f->content_chunks++;
        mark(&f->first_content_ns, &f->last_content_ns, s->now_ns);
        stream_decide(s, &f->first_output);
        stream_decide(s, &f->first_content);
        stream_label(s, LABEL_CONTENT);
        openai_text_each(&choice->content, take_content_piece, s);
    }
    if (choice->tool_call) {
        f->tool_call_chunks++;
        mark(&f->first_tool_call_ns, &f->last_tool_call_ns, s->now_ns);
        stream_label(s, LABEL_TOOL_CALL);
    }
    if (choice->refusal) {
        f->refusal_chunks++;
        stream_label(s, LABEL_REFUSAL);
    }
    if (choice->finish.p)
        take_finish(s, choice);
}

/* The first error names the kind. */
void stream_note_error(struct stream *s, struct tt_view named_by)
{
    char kind[OPENAI_KIND_CHARS + 1] = "";
    stream_label(s, LABEL_ERROR);
    mark_once(&s->facts->error_ns, s->now_ns);
    s->facts->error_seen = true;
    if (s->facts->error_kind[0])
        return;
    openai_error_kind(named_by, kind);
    memcpy(s->facts->error_kind, kind, sizeof kind);
}

void stream_apply(struct stream *s, const struct openai_chunk *chunk, bool event_is_error)
{
    struct stream_facts *f = s->facts;
    struct openai_choice room;
    const struct openai_choice *choice;
    struct openai_walk walk;
    f->payloads_without_choices += chunk->choices == 0;
    openai_walk_begin(&walk, chunk);
    while ((choice = openai_walk_next(&walk, &room)))
        take_choice(s, choice);
    if (chunk->usage.p) {
        openai_read_usage(chunk->usage, &f->usage);
        f->usage_ns = s->now_ns;
        stream_label(s, LABEL_USAGE);
    }
    if (chunk->error.p || event_is_error)
        stream_note_error(s, chunk->error.p ? chunk->error : chunk->whole);
}

void stream_judge(struct stream *s)
{
    struct stream_facts *f = s->facts;
    struct canary_facts thinking;
    struct controlled_facts unused;
    if (s->visible) {
        observe_judge(s->visible, true, &f->canary_full, &f->controlled_full);
        if (!f->visible_content_truncated) {
            f->canary = f->canary_full;
            f->controlled = f->controlled_full;
        }
    }
    if (s->thinking) {
        observe_judge(s->thinking, true, &thinking, &unused);
        f->reasoning_foreign_markers = thinking.foreign_marker_count;
    }
}
