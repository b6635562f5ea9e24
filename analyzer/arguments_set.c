/* Values of options: what each takes, and what it says of one that it does not. */
#include <string.h>

#include "arguments_parts.h"

enum tt_status arguments_set_output(struct parser *p, const char *value)
{
    p->out->output = strcmp(value, "-") == 0 ? NULL : value; /* by custom, standard output */
    if (value[0])
        return TT_OK;
    return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "--output is empty; give the name of a new file");
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

enum tt_status arguments_set_head(struct parser *p, const char *value)
{
    bool good = strlen(value) == 64;
    for (size_t i = 0; good && i < 32; i++) {
        int high = hex_digit(value[2 * i]), low = hex_digit(value[2 * i + 1]);
        good = high >= 0 && low >= 0;
        if (good)
            p->out->head[i] = (uint8_t)(high << 4 | low);
    }
    p->out->has_head = true;
    if (good)
        return TT_OK;
    return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET,
                   "--head '%.80s' is no hash; give the 64 hex digits that the recorder printed", value);
}

enum tt_status arguments_set_mode(struct parser *p, const char *value)
{
    static const char *const names[] = {
        [READER_PREFIX] = "prefix", [READER_STRICT] = "strict", [READER_SALVAGE] = "salvage"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(value, names[i]) == 0) {
            p->out->mode = (enum reader_mode)i;
            return TT_OK;
        }
    return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "--mode '%.40s' is unknown; use prefix, strict or salvage", value);
}

/* Up to ten digits and nothing else. */
static bool read_number(const char *value, uint64_t *n)
{
    size_t digits = strspn(value, "0123456789");
    *n = 0;
    for (size_t i = 0; i < digits && i < 10; i++)
        *n = *n * 10 + (uint64_t)(value[i] - '0');
    return digits > 0 && digits <= 10 && value[digits] == 0;
}

enum tt_status arguments_set_request(struct parser *p, const char *value)
{
    p->out->has_request = true;
    if (read_number(value, &p->out->request))
        return TT_OK;
    return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "--request '%.40s' is no request index; give a number from 0 on",
                   value);
}

enum tt_status arguments_set_ulp(struct parser *p, const char *value)
{
    p->out->has_ulp = true;
    if (read_number(value, &p->out->ulp) && p->out->ulp <= ARGUMENTS_MAX_ULP)
        return TT_OK;
    return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "--ulp '%.40s' is out of range; give a number from 0 to %u", value,
                   ARGUMENTS_MAX_ULP);
}

enum tt_status arguments_set_masked(struct parser *p, const char *value)
{
    if (p->out->masked_count == ARGUMENTS_MAX_MASKED)
        return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "--masked more than %u times; name what holds the fields",
                       ARGUMENTS_MAX_MASKED);
    p->out->masked[p->out->masked_count++] = value;
    return TT_OK;
}

enum tt_status arguments_set_max_client_error(struct parser *p, const char *value)
{
    p->out->has_max_client_error = true;
    if (client_limit_parse(value, &p->out->client_limit))
        return TT_OK;
    return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET,
                   "--max-client-error '%.40s' is no limit; give ms and per cent, such as 5ms,1%%", value);
}

enum tt_status arguments_set_keep(struct parser *p, const char *value)
{
    p->out->has_keep = true;
    for (int i = REDACT_TIMING; i <= REDACT_ALL_BUT_PROMPTS; i++)
        if (strcmp(value, redact_level_name((enum redact_level)i)) == 0) {
            p->out->keep = (enum redact_level)i;
            return TT_OK;
        }
    return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET,
                   "--keep '%.40s' is unknown; use timing, structure or all-but-prompts", value);
}

enum tt_status arguments_set_require(struct parser *p, const char *value)
{
    p->out->require_proven = true;
    if (strcmp(value, "proven") == 0)
        return TT_OK;
    return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "--require '%.40s' is unknown; it takes the word proven", value);
}

/* Of a command that takes one alone there is nothing to keep. */
static enum tt_status keep_variant(struct parser *p, const char *option, const char **kept, size_t *n,
                                   const char *value)
{
    if (p->out->command != COMMAND_WHATIF)
        return TT_OK;
    if (*n == ARGUMENTS_MAX_VARIANTS)
        return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "%s more than %u times; ask for the others in another run",
                       option, ARGUMENTS_MAX_VARIANTS);
    kept[(*n)++] = value;
    return TT_OK;
}

enum tt_status arguments_set_without(struct parser *p, const char *value)
{
    return keep_variant(p, "--without", p->out->without, &p->out->without_count, value);
}

enum tt_status arguments_set_policy(struct parser *p, const char *value)
{
    p->out->policy = value;
    if (value[0])
        return keep_variant(p, "--policy", p->out->policies, &p->out->policy_count, value);
    return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "--policy is empty; give the name of a policy or its file");
}

/* Seconds with up to three decimals, the same in every locale. */
enum tt_status arguments_set_interval(struct parser *p, const char *value)
{
    size_t whole = strspn(value, "0123456789"), point = value[whole] == '.';
    size_t decimals = point ? strspn(value + whole + 1, "0123456789") : 0;
    uint64_t ms = 0;
    for (size_t i = 0; i < whole && i < 5; i++)
        ms = ms * 10 + (uint64_t)(value[i] - '0');
    for (size_t i = 0; i < 3; i++)
        ms = ms * 10 + (i < decimals ? (uint64_t)(value[whole + 1 + i] - '0') : 0);
    p->out->interval_ms = (unsigned)ms;
    bool good = whole + decimals > 0 && whole <= 4 && decimals <= 3 && value[whole + point + decimals] == 0;
    if (good && ms >= ARGUMENTS_LEAST_INTERVAL_MS && ms <= ARGUMENTS_MOST_INTERVAL_MS)
        return TT_OK;
    return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "--interval '%.40s' is out of range; give seconds from 0.1 to 3600",
                   value);
}
