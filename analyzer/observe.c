#include "observe.h"

#include "unicode.h"

#include <stdlib.h>

/* ANVIL_REQ_-?[0-9]+_[0-9]{5}\b as a machine. From a given start the pattern can
 * match in one way only, and its first letter stands nowhere else in it, so a
 * character that does not fit can only begin the next try: no going back. */
static const char prefix[] = "ANVIL_REQ_";
#define PREFIX_CHARS (sizeof prefix - 1)
#define INDEX_DIGITS 5u

enum marker_state {
    IN_PREFIX, /* `prefix_chars` of it fit */
    AT_SIGN,   /* minus or first digit of the seed */
    AT_DIGIT,  /* first digit of the seed */
    IN_SEED,   /* more digits, or the underscore */
    IN_INDEX,  /* `index_digits` of five */
    AT_BOUNDARY
};

enum start_state { START_MATCHING, START_MATCHED, START_YES, START_NO };

struct observe {
    struct observe_rules rules;
    /* candidate for a marker */
    enum marker_state state;
    size_t prefix_chars;
    unsigned index_digits;
    size_t candidate_chars; /* compared with the own marker while `own` holds */
    bool own;
    uint64_t observed, foreign;
    /* the marker the text should begin with */
    enum start_state start;
    size_t start_chars;
    /* words */
    bool in_word, word_fits; /* word_fits: what there is of the word begins "code" */
    size_t word_chars;
    uint64_t code_words, other_words;
};

static const char code_word[] = "code";
#define CODE_CHARS (sizeof code_word - 1)

struct observe *observe_create(const struct observe_rules *rules)
{
    struct observe *o = calloc(1, sizeof *o);
    if (o)
        o->rules = *rules;
    return o;
}

static bool is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

/* Does the candidate go on like the own marker? */
static void compare_own(struct observe *o, uint32_t c)
{
    if (o->own)
        o->own = o->candidate_chars < o->rules.marker.n && o->rules.marker.p[o->candidate_chars] == c;
    if (o->own)
        o->candidate_chars++;
}

static void count_marker(struct observe *o)
{
    o->observed++;
    if (!o->own || o->candidate_chars != o->rules.marker.n)
        o->foreign++;
}

static bool candidate_goes_on(struct observe *o, uint32_t c)
{
    switch (o->state) {
    case IN_PREFIX:
        if (c != (uint8_t)prefix[o->prefix_chars])
            return false;
        if (++o->prefix_chars == PREFIX_CHARS)
            o->state = AT_SIGN;
        return true;
    case AT_SIGN:
    case AT_DIGIT:
        if (c == '-' && o->state == AT_SIGN)
            o->state = AT_DIGIT;
        else if (is_digit(c))
            o->state = IN_SEED;
        else
            return false;
        return true;
    case IN_SEED:
        if (c == '_')
            o->state = IN_INDEX;
        return c == '_' || is_digit(c);
    case IN_INDEX:
        if (++o->index_digits == INDEX_DIGITS)
            o->state = AT_BOUNDARY;
        return is_digit(c);
    default:
        if (!unicode_is_word(c))
            count_marker(o);
        return false;
    }
}

static void begin_candidate(struct observe *o)
{
    o->state = IN_PREFIX;
    o->prefix_chars = 0;
    o->index_digits = 0;
    o->candidate_chars = 0;
    o->own = true;
}

static void look_for_markers(struct observe *o, uint32_t c)
{
    bool idle = o->state == IN_PREFIX && o->prefix_chars == 0;
    if (!idle && !candidate_goes_on(o, c)) {
        o->state = IN_PREFIX;
        o->prefix_chars = 0;
        idle = true;
    } else if (!idle) {
        compare_own(o, c);
    }
    if (idle && c == 'A') {
        begin_candidate(o);
        o->prefix_chars = 1;
        compare_own(o, c);
    }
}

static void look_at_start(struct observe *o, uint32_t c)
{
    if (o->start == START_MATCHED)
        o->start = unicode_is_space(c) ? START_YES : START_NO;
    else if (o->start_chars >= o->rules.marker.n || o->rules.marker.p[o->start_chars] != c)
        o->start = START_NO;
    else if (++o->start_chars == o->rules.marker.n)
        o->start = START_MATCHED;
}

static bool word_is_code(const struct observe *o)
{
    return o->word_fits && o->word_chars == CODE_CHARS;
}

static void look_at_words(struct observe *o, uint32_t c)
{
    if (unicode_is_space(c)) {
        if (o->in_word && word_is_code(o))
            o->code_words++;
        else if (o->in_word)
            o->other_words++;
        o->in_word = false;
        return;
    }
    if (!o->in_word) {
        o->in_word = o->word_fits = true;
        o->word_chars = 0;
    }
    if (o->word_fits) {
        o->word_fits = o->word_chars < CODE_CHARS && c == (uint8_t)code_word[o->word_chars];
        o->word_chars++;
    }
}

void observe_char(struct observe *o, uint32_t code_point)
{
    if (o->rules.marker.p) {
        look_for_markers(o, code_point);
        if (o->start < START_YES)
            look_at_start(o, code_point);
    }
    if (o->rules.response_words > 0)
        look_at_words(o, code_point);
}

static bool marker_at_start(const struct observe *o)
{
    return o->start == START_YES || o->start == START_MATCHED;
}

static void judge_canary(const struct observe *seen, bool complete, struct canary_facts *canary)
{
    struct observe o = *seen;
    if (o.state == AT_BOUNDARY) /* the end is a boundary too */
        count_marker(&o);
    canary->marker_at_start = o.rules.marker.p && marker_at_start(&o);
    canary->observed_marker_count = o.observed;
    canary->foreign_marker_count = o.foreign;
    canary->capture_complete = complete;
    canary->passed = canary->marker_at_start && o.foreign == 0 && complete;
}

static void judge_words(const struct observe *o, bool complete, struct controlled_facts *controlled)
{
    uint64_t code = o->code_words, other = o->other_words;
    if (o->in_word && word_is_code(o))
        code++;
    else if (o->in_word)
        other++;
    if (o->rules.marker.p && marker_at_start(o) && other > 0) /* a leading marker is no word of the answer */
        other--;
    controlled->observed_code_words = code;
    controlled->observed_extra_words = other;
    controlled->capture_complete = complete;
    bool exact = code == o->rules.response_words && other == 0;
    controlled->exact_adherence = !complete ? ADHERENCE_NULL : exact ? ADHERENCE_YES : ADHERENCE_NO;
    controlled->passed = !o->rules.strict || controlled->exact_adherence == ADHERENCE_YES;
}

void observe_judge(const struct observe *o, bool complete, struct canary_facts *canary,
                   struct controlled_facts *controlled)
{
    judge_canary(o, complete, canary);
    judge_words(o, complete, controlled);
}

void observe_free(struct observe *o)
{
    free(o);
}
