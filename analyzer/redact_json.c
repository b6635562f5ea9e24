#include "redact_json.h"

#include "json.h"
#include "unicode.h"

/* Where in a chunk we are. */
enum area {
    AREA_OTHER,
    AREA_ROOT,
    AREA_CHOICES,
    AREA_DELTA,
    AREA_CONTENT_PARTS,
    AREA_DETAILS,
    AREA_USAGE,
    AREA_ERROR,
};

#define ANYWHERE 0xffu

/* What a key means, and where. */
enum meaning {
    MEANS_NOTHING,
    MEANS_KEPT,      /* its string stays */
    MEANS_NAME,      /* a short identifier stays */
    MEANS_STRUCTURE, /* stays with structure */
    MEANS_COUNT,     /* its number stays */
    MEANS_TEXT,      /* text of the area's channel */
    MEANS_CONTENT,
    MEANS_REASONING_CONTENT,
    MEANS_REASONING,
    MEANS_AREA /* opens one */
};

static const struct entry {
    const char *key;
    uint8_t area; /* enum area, or ANYWHERE */
    uint8_t meaning;
    uint8_t opens; /* the area of the array or object it holds */
} entries[] = {
    {"choices", AREA_ROOT, MEANS_AREA, AREA_CHOICES},
    {"usage", AREA_ROOT, MEANS_AREA, AREA_USAGE},
    {"error", AREA_ROOT, MEANS_AREA, AREA_ERROR},
    {"object", AREA_ROOT, MEANS_KEPT, AREA_OTHER},
    {"id", AREA_ROOT, MEANS_STRUCTURE, AREA_OTHER},
    {"model", AREA_ROOT, MEANS_STRUCTURE, AREA_OTHER},
    {"system_fingerprint", AREA_ROOT, MEANS_STRUCTURE, AREA_OTHER},
    {"service_tier", AREA_ROOT, MEANS_STRUCTURE, AREA_OTHER},
    {"created", AREA_ROOT, MEANS_STRUCTURE, AREA_OTHER},
    {"delta", AREA_CHOICES, MEANS_AREA, AREA_DELTA},
    {"finish_reason", AREA_CHOICES, MEANS_KEPT, AREA_OTHER},
    {"text", AREA_CHOICES, MEANS_CONTENT, AREA_OTHER},
    {"index", ANYWHERE, MEANS_COUNT, AREA_OTHER},
    {"role", AREA_DELTA, MEANS_NAME, AREA_OTHER},
    {"content", AREA_DELTA, MEANS_CONTENT, AREA_CONTENT_PARTS},
    {"reasoning_content", AREA_DELTA, MEANS_REASONING_CONTENT, AREA_OTHER},
    {"reasoning", AREA_DELTA, MEANS_REASONING, AREA_OTHER},
    {"reasoning_details", AREA_DELTA, MEANS_AREA, AREA_DETAILS},
    {"tool_calls", AREA_DELTA, MEANS_NOTHING, AREA_OTHER},
    {"function_call", AREA_DELTA, MEANS_NOTHING, AREA_OTHER},
    {"refusal", AREA_DELTA, MEANS_NOTHING, AREA_OTHER},
    {"text", AREA_CONTENT_PARTS, MEANS_TEXT, AREA_OTHER},
    {"summary", AREA_CONTENT_PARTS, MEANS_TEXT, AREA_OTHER},
    {"text", AREA_DETAILS, MEANS_TEXT, AREA_OTHER},
    {"summary", AREA_DETAILS, MEANS_TEXT, AREA_OTHER},
    {"type", ANYWHERE, MEANS_NAME, AREA_OTHER},
    {"code", ANYWHERE, MEANS_NAME, AREA_OTHER},
    {"message", AREA_ERROR, MEANS_NOTHING, AREA_OTHER},
};

static const struct entry unknown_key = {"", ANYWHERE, MEANS_NOTHING, AREA_OTHER};
static const struct entry usage_key = {"", AREA_USAGE, MEANS_COUNT, AREA_USAGE};

struct level {
    uint8_t area;            /* where its keys are looked up */
    const struct entry *key; /* of the value in hand; in an array, of the array */
};

struct walk {
    struct redact_place text;
    const struct redact_json_rules *rules;
    struct json_reader reader;
    size_t decided; /* all before it is put */
    struct level levels[JSON_MAX_DEPTH + 1];
};

static struct level *here(struct walk *w)
{
    return &w->levels[w->reader.depth];
}

static const struct entry *find(uint8_t area, struct tt_view key)
{
    if (area == AREA_USAGE)
        return &usage_key;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if ((entries[i].area == area || entries[i].area == ANYWHERE) && json_string_is(key, entries[i].key))
            return &entries[i];
    return &unknown_key;
}

/* [A-Za-z0-9_.-], at most 64 of it. */
static bool is_name(struct tt_view raw)
{
    bool good = raw.n <= 64;
    for (size_t i = 0; good && i < raw.n; i++) {
        uint8_t c = raw.p[i];
        good = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '.' ||
               c == '-';
    }
    return good;
}

/* The token in hand, without a string's quotes; everything before it is syntax and stays. */
static struct redact_place token(struct walk *w)
{
    size_t from = (size_t)(w->reader.raw.p - w->text.bytes);
    redact_place_keep(w->text, w->decided, from - w->decided);
    w->decided = from + w->reader.raw.n;
    return redact_place_part(w->text, from, w->reader.raw.n);
}

static struct redact_keeper *keeper_of(struct walk *w)
{
    switch (here(w)->key->meaning) {
    case MEANS_CONTENT:
        return w->rules->keepers[REDACT_CONTENT];
    case MEANS_REASONING_CONTENT:
        return w->rules->keepers[REDACT_REASONING_CONTENT];
    case MEANS_REASONING:
        return w->rules->keepers[REDACT_REASONING];
    case MEANS_TEXT:
        return w->rules->keepers[here(w)->area == AREA_DETAILS ? REDACT_DETAILS : REDACT_CONTENT];
    default:
        return NULL;
    }
}

static bool string_stays(struct walk *w)
{
    switch (here(w)->key->meaning) {
    case MEANS_KEPT:
        return true;
    case MEANS_NAME:
        return is_name(w->reader.raw);
    case MEANS_STRUCTURE:
        return w->rules->structure;
    default:
        return false;
    }
}

static void take_string(struct walk *w)
{
    struct redact_place s = token(w);
    if (string_stays(w))
        redact_place_keep(s, 0, s.n);
    else
        redact_text(s, keeper_of(w));
}

static void take_key(struct walk *w)
{
    struct redact_place s = token(w);
    here(w)->key = find(here(w)->area, w->reader.raw);
    if (w->rules->structure || here(w)->key != &unknown_key)
        redact_place_keep(s, 0, s.n);
    else
        redact_text(s, NULL);
}

static void take_number(struct walk *w)
{
    struct redact_place s = token(w);
    uint8_t meaning = here(w)->key->meaning;
    bool stays = meaning == MEANS_COUNT || meaning == MEANS_NAME || (meaning == MEANS_STRUCTURE && w->rules->structure);
    for (size_t i = 0; i < s.n; i++) {
        bool digit = s.bytes[i] >= '0' && s.bytes[i] <= '9';
        redact_place_put(s, i, digit && !stays ? '1' : s.bytes[i]);
    }
}

/* What stands in an array belongs to the array's key. */
static void open_level(struct walk *w, bool object)
{
    const struct entry *holder = w->levels[w->reader.depth - 1].key;
    struct level *level = here(w);
    level->area = w->reader.depth == 1 && object ? AREA_ROOT : holder->opens;
    level->key = object ? &unknown_key : holder;
}

/* No value begins with it, so what comes of it is no JSON either. */
static void blur_all(struct redact_place text)
{
    size_t blanks = 0;
    redact_place_blur(text);
    while (blanks < text.n && unicode_is_space(text.bytes[blanks]))
        blanks++;
    if (blanks < text.n)
        redact_place_put(text, blanks, '!');
}

static bool is_json(struct redact_place text)
{
    struct json_reader r;
    json_begin(&r, tt_view_of(text.bytes, text.n));
    return json_skip(&r, json_next(&r)) && json_next(&r) == JSON_END;
}

void redact_json(struct redact_place text, const struct redact_json_rules *rules)
{
    struct walk w = {.text = text, .rules = rules, .levels = {{AREA_OTHER, &unknown_key}}};
    enum json_token t;
    if (!is_json(text)) {
        blur_all(text);
        return;
    }
    json_begin(&w.reader, tt_view_of(text.bytes, text.n));
    while ((t = json_next(&w.reader)) != JSON_END) {
        if (t == JSON_KEY)
            take_key(&w);
        else if (t == JSON_STRING)
            take_string(&w);
        else if (t == JSON_NUMBER)
            take_number(&w);
        else if (t == JSON_OBJECT_BEGIN || t == JSON_ARRAY_BEGIN)
            open_level(&w, t == JSON_OBJECT_BEGIN);
    }
    redact_place_keep(text, w.decided, text.n - w.decided);
}
