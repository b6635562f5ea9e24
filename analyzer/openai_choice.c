/* One choice and its delta. */
#include "openai_parts.h"

enum {
    DELTA_CONTENT,
    DELTA_ROLE,
    DELTA_REASONING_CONTENT,
    DELTA_REASONING,
    DELTA_DETAILS,
    DELTA_TOOL_CALLS,
    DELTA_FUNCTION_CALL,
    DELTA_REFUSAL,
    DELTA_MEMBERS
};
static const char *const delta_names[DELTA_MEMBERS] = {
    "content", "role", "reasoning_content", "reasoning", "reasoning_details", "tool_calls", "function_call", "refusal"};

enum { CHOICE_DELTA, CHOICE_FINISH, CHOICE_TEXT, CHOICE_MEMBERS };
static const char *const choice_names[CHOICE_MEMBERS] = {"delta", "finish_reason", "text"};

/* Names of the strings that a part of an array may carry text in. */
static const char *const part_names[] = {"text", "summary"};
#define PART_NAMES (sizeof part_names / sizeof *part_names)

static bool each_member(struct json_reader *r, void (*piece)(void *ctx, struct tt_view raw), void *ctx)
{
    struct tt_view found[PART_NAMES] = {{NULL, 0}};
    enum json_token token;
    while ((token = json_next(r)) == JSON_KEY) {
        struct openai_value value;
        size_t name = openai_find_name(r->raw, part_names, PART_NAMES);
        if (!openai_take_value(r, &value))
            return false;
        if (name < PART_NAMES)
            found[name] = value.token == JSON_STRING ? value.text : tt_view_of(NULL, 0);
    }
    for (size_t i = 0; i < PART_NAMES; i++)
        if (found[i].n > 0)
            piece(ctx, found[i]);
    return token == JSON_OBJECT_END;
}

void openai_text_each(const struct openai_text *text, void (*piece)(void *ctx, struct tt_view raw), void *ctx)
{
    struct json_reader r;
    enum json_token token;
    if (!text->parts) {
        if (text->raw.n > 0)
            piece(ctx, text->raw);
        return;
    }
    json_begin(&r, text->raw);
    json_next(&r);
    while ((token = json_next(&r)) != JSON_ARRAY_END)
        if (!(token == JSON_OBJECT_BEGIN ? each_member(&r, piece, ctx) : json_skip(&r, token)))
            return;
}

static void note_piece(void *ctx, struct tt_view raw)
{
    (void)raw;
    *(bool *)ctx = true;
}

/* The value as a channel's text, when there is any in it. */
static struct openai_text text_of(const struct openai_value *value, bool string, bool array)
{
    struct openai_text text = {{NULL, 0}, false};
    if (string && value->token == JSON_STRING && value->text.n > 0)
        text.raw = value->text;
    if (array && value->token == JSON_ARRAY_BEGIN) {
        bool some = false;
        text = (struct openai_text){value->text, true};
        openai_text_each(&text, note_piece, &some);
        if (!some)
            text.raw = tt_view_of(NULL, 0);
    }
    return text;
}

static bool is_full_array(const struct openai_value *value)
{
    struct json_reader r;
    if (value->token != JSON_ARRAY_BEGIN)
        return false;
    json_begin(&r, value->text);
    json_next(&r);
    return json_next(&r) != JSON_ARRAY_END;
}

/* The three ways to carry reasoning, in the order in which they count. */
struct delta {
    struct openai_text content, reasoning[3];
    bool role, tool_calls, function_call, refusal;
};

static void take_member(struct delta *d, size_t member, const struct openai_value *value)
{
    switch (member) {
    case DELTA_CONTENT:
        d->content = text_of(value, true, true);
        break;
    case DELTA_ROLE:
        d->role = value->token == JSON_STRING;
        break;
    case DELTA_REASONING_CONTENT:
    case DELTA_REASONING:
        d->reasoning[member - DELTA_REASONING_CONTENT] = text_of(value, true, false);
        break;
    case DELTA_DETAILS:
        d->reasoning[2] = text_of(value, false, true);
        break;
    case DELTA_TOOL_CALLS:
        d->tool_calls = is_full_array(value);
        break;
    case DELTA_FUNCTION_CALL:
        d->function_call = value->token == JSON_OBJECT_BEGIN;
        break;
    case DELTA_REFUSAL:
        d->refusal = value->token == JSON_STRING && value->text.n > 0;
        break;
    default:
        break;
    }
}

/* Reads the value of `delta`. */
static bool read_delta(struct json_reader *r, struct openai_choice *choice)
{
    struct delta d = {0};
    struct openai_value value;
    enum json_token token = json_next(r);
    bool object = token == JSON_OBJECT_BEGIN;
    if (!object && !json_skip(r, token))
        return false;
    while (object && (token = json_next(r)) == JSON_KEY) {
        size_t member = openai_find_name(r->raw, delta_names, DELTA_MEMBERS);
        if (!openai_take_value(r, &value))
            return false;
        take_member(&d, member, &value);
    }
    choice->content = d.content;
    choice->reasoning = d.reasoning[0].raw.p ? d.reasoning[0] : d.reasoning[1].raw.p ? d.reasoning[1] : d.reasoning[2];
    choice->role = d.role;
    choice->tool_call = d.tool_calls || d.function_call;
    choice->refusal = d.refusal;
    return token != JSON_ERROR;
}

static void take_finish(struct openai_choice *choice, const struct openai_value *value)
{
    choice->finish = value->token == JSON_NULL ? tt_view_of(NULL, 0) : value->text;
    choice->finish_is_string = value->token == JSON_STRING;
}

static bool read_choice_member(struct json_reader *r, enum stream_endpoint endpoint, struct openai_choice *choice)
{
    size_t member = openai_find_name(r->raw, choice_names, CHOICE_MEMBERS);
    struct openai_value value;
    if (member == CHOICE_DELTA && endpoint == STREAM_CHAT)
        return read_delta(r, choice);
    if (!openai_take_value(r, &value))
        return false;
    if (member == CHOICE_FINISH)
        take_finish(choice, &value);
    else if (member == CHOICE_TEXT && endpoint == STREAM_COMPLETIONS)
        choice->content = text_of(&value, true, false);
    return true;
}

bool openai_read_choice(struct json_reader *r, enum json_token token, enum stream_endpoint endpoint,
                        struct openai_choice *choice)
{
    memset(choice, 0, sizeof *choice);
    if (token != JSON_OBJECT_BEGIN)
        return json_skip(r, token);
    while ((token = json_next(r)) == JSON_KEY)
        if (!read_choice_member(r, endpoint, choice))
            return false;
    return token == JSON_OBJECT_END;
}
