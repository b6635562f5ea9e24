/* Counts and error names: what is read from an object of its own. */
#include "openai_parts.h"

/* A count is an integer >= 0. Anything else but null is odd. */
static struct opt_u64 read_count(const struct openai_value *value, uint64_t *odd)
{
    struct opt_u64 count = {false, 0};
    count.has = value->token == JSON_NUMBER && json_number_u64(value->text, &count.v);
    if (!count.has) {
        count.v = 0;
        *odd += value->token != JSON_NULL;
    }
    return count;
}

/* One count of an object inside, absent when it is none. */
static struct opt_u64 read_detail(const struct openai_value *object, const char *name, uint64_t *odd)
{
    struct opt_u64 count = {false, 0};
    struct json_reader r;
    uint64_t odd_here = 0;
    if (object->token != JSON_OBJECT_BEGIN)
        return count;
    json_begin(&r, object->text);
    json_next(&r);
    while (json_next(&r) == JSON_KEY) {
        struct openai_value value;
        bool wanted = json_string_is(r.raw, name);
        if (!openai_take_value(&r, &value))
            break;
        if (wanted) {
            odd_here = 0;
            count = read_count(&value, &odd_here);
        }
    }
    *odd += odd_here;
    return count;
}

enum { USAGE_PROMPT, USAGE_COMPLETION, USAGE_TOTAL, USAGE_PROMPT_DETAILS, USAGE_COMPLETION_DETAILS, USAGE_MEMBERS };
static const char *const usage_names[USAGE_MEMBERS] = {"prompt_tokens", "completion_tokens", "total_tokens",
                                                       "prompt_tokens_details", "completion_tokens_details"};

void openai_read_usage(struct tt_view object, struct usage_facts *usage)
{
    struct openai_value found[USAGE_MEMBERS], value;
    struct json_reader r;
    memset(usage, 0, sizeof *usage);
    for (size_t i = 0; i < USAGE_MEMBERS; i++)
        found[i] = (struct openai_value){JSON_NULL, {NULL, 0}};
    json_begin(&r, object);
    json_next(&r);
    while (json_next(&r) == JSON_KEY) {
        size_t member = openai_find_name(r.raw, usage_names, USAGE_MEMBERS);
        if (!openai_take_value(&r, &value))
            return;
        if (member < USAGE_MEMBERS)
            found[member] = value;
    }
    usage->seen = true;
    usage->prompt_tokens = read_count(&found[USAGE_PROMPT], &usage->odd_numbers);
    usage->completion_tokens = read_count(&found[USAGE_COMPLETION], &usage->odd_numbers);
    usage->total_tokens = read_count(&found[USAGE_TOTAL], &usage->odd_numbers);
    usage->cached_tokens = read_detail(&found[USAGE_PROMPT_DETAILS], "cached_tokens", &usage->odd_numbers);
    usage->reasoning_tokens = read_detail(&found[USAGE_COMPLETION_DETAILS], "reasoning_tokens", &usage->odd_numbers);
}

static bool is_kind_char(uint32_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           c == '-';
}

/* A plain word, so that no text of the server's gets out under this name. */
static bool take_kind(const struct openai_value *value, char out[OPENAI_KIND_CHARS + 1])
{
    struct tt_view raw = value->text;
    size_t n = 0;
    if (value->token != JSON_STRING && value->token != JSON_NUMBER)
        return false;
    while (raw.n > 0 && n < OPENAI_KIND_CHARS) {
        uint32_t c = json_string_next(&raw);
        if (!is_kind_char(c))
            return false;
        out[n++] = (char)c;
    }
    out[n] = '\0';
    return n > 0 && raw.n == 0;
}

void openai_error_kind(struct tt_view error, char out[OPENAI_KIND_CHARS + 1])
{
    static const char *const names[] = {"type", "code"};
    struct openai_value found[2] = {{JSON_NULL, {NULL, 0}}, {JSON_NULL, {NULL, 0}}}, value;
    struct json_reader r;
    out[0] = '\0';
    json_begin(&r, error);
    if (json_next(&r) != JSON_OBJECT_BEGIN)
        return;
    while (json_next(&r) == JSON_KEY) {
        size_t name = openai_find_name(r.raw, names, 2);
        if (!openai_take_value(&r, &value))
            return;
        if (name < 2)
            found[name] = value;
    }
    if (!take_kind(&found[0], out) && !take_kind(&found[1], out))
        out[0] = '\0';
}
