#include "openai_parts.h"

bool openai_take_value(struct json_reader *r, struct openai_value *value)
{
    value->token = json_next(r);
    if (value->token != JSON_OBJECT_BEGIN && value->token != JSON_ARRAY_BEGIN) {
        value->text = r->raw;
        return json_skip(r, value->token);
    }
    const uint8_t *start = r->at - 1;
    bool ok = json_skip(r, value->token);
    value->text = tt_view_of(start, (size_t)(r->at - start));
    return ok;
}

size_t openai_find_name(struct tt_view key, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tt_view_equal(key, names[i]))
            return i;
    if (key.n > 0 && memchr(key.p, '\\', key.n))
        for (size_t i = 0; i < count; i++)
            if (json_string_is(key, names[i]))
                return i;
    return count;
}

static bool read_choices(struct json_reader *r, struct openai_chunk *chunk)
{
    enum json_token token = json_next(r);
    chunk->choices = 0;
    if (token != JSON_ARRAY_BEGIN)
        return json_skip(r, token);
    const uint8_t *start = r->at - 1;
    while ((token = json_next(r)) != JSON_ARRAY_END) {
        struct openai_choice other;
        struct openai_choice *choice = chunk->choices++ ? &other : &chunk->first;
        if (!openai_read_choice(r, token, chunk->endpoint, choice))
            return false;
    }
    chunk->array = tt_view_of(start, (size_t)(r->at - start));
    return true;
}

/* An object with at least one member. */
static bool is_full_object(const struct openai_value *value)
{
    struct json_reader r;
    if (value->token != JSON_OBJECT_BEGIN)
        return false;
    json_begin(&r, value->text);
    return json_next(&r) == JSON_OBJECT_BEGIN && json_next(&r) == JSON_KEY;
}

enum { MEMBER_CHOICES, MEMBER_USAGE, MEMBER_ERROR, MEMBER_OBJECT, MEMBERS };
static const char *const member_names[MEMBERS] = {"choices", "usage", "error", "object"};

/* What an error member means is known only when all members are. */
struct errors {
    struct tt_view member; /* of a top-level `error` that is not null */
    bool object_is_error;
};

static bool read_member(struct json_reader *r, struct openai_chunk *chunk, struct errors *errors)
{
    size_t member = openai_find_name(r->raw, member_names, MEMBERS);
    struct openai_value value;
    if (member == MEMBER_CHOICES)
        return read_choices(r, chunk);
    if (!openai_take_value(r, &value))
        return false;
    if (member == MEMBER_USAGE)
        chunk->usage = is_full_object(&value) ? value.text : tt_view_of(NULL, 0);
    else if (member == MEMBER_ERROR)
        errors->member = value.token == JSON_NULL ? tt_view_of(NULL, 0) : value.text;
    else if (member == MEMBER_OBJECT)
        errors->object_is_error = value.token == JSON_STRING && json_string_is(value.text, "error");
    return true;
}

bool openai_read(struct tt_view payload, enum stream_endpoint endpoint, struct openai_chunk *chunk)
{
    struct json_reader r;
    struct errors errors = {0};
    chunk->endpoint = endpoint;
    chunk->choices = 0;
    chunk->usage = chunk->error = tt_view_of(NULL, 0);
    chunk->whole = payload;
    json_begin(&r, payload);
    enum json_token token = json_next(&r);
    if (token == JSON_OBJECT_BEGIN) {
        while ((token = json_next(&r)) == JSON_KEY)
            if (!read_member(&r, chunk, &errors))
                return false;
    } else if (!json_skip(&r, token)) {
        return false;
    }
    if (token == JSON_ERROR || json_next(&r) != JSON_END)
        return false;
    chunk->error = errors.member.p ? errors.member : errors.object_is_error ? payload : tt_view_of(NULL, 0);
    return true;
}

void openai_walk_begin(struct openai_walk *w, const struct openai_chunk *chunk)
{
    w->chunk = chunk;
    w->index = 0;
}

const struct openai_choice *openai_walk_next(struct openai_walk *w, struct openai_choice *room)
{
    if (w->index == w->chunk->choices)
        return NULL;
    if (w->index++ == 0)
        return &w->chunk->first;
    if (w->index == 2) { /* the others were checked but not kept: read them again */
        struct openai_value first;
        json_begin(&w->reader, w->chunk->array);
        json_next(&w->reader);
        openai_take_value(&w->reader, &first);
    }
    openai_read_choice(&w->reader, json_next(&w->reader), w->chunk->endpoint, room);
    return room;
}
