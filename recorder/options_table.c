#include "options_table.h"

#include <stddef.h>

#define AT(field) offsetof(struct given, field)
#define SWITCH(name, field)                                                                                            \
    {                                                                                                                  \
        name, FLAG_SWITCH, AT(field), 0, 0, false, FLAG_NOWHERE, NULL                                                  \
    }
#define UINT(name, field, low, high)                                                                                   \
    {                                                                                                                  \
        name, FLAG_UINT, AT(field), low, high, false, FLAG_NOWHERE, NULL                                               \
    }
#define REAL(name, field, low, high, above, has)                                                                       \
    {                                                                                                                  \
        name, FLAG_REAL, AT(field), low, high, above, has, NULL                                                        \
    }
#define STRING(name, kind, field)                                                                                      \
    {                                                                                                                  \
        name, kind, AT(field), 0, 0, false, FLAG_NOWHERE, NULL                                                         \
    }
#define WORDS(name, kind, field, has, words)                                                                           \
    {                                                                                                                  \
        name, kind, AT(field), 0, 0, false, has, words                                                                 \
    }

/* Bounds: result.md section 1. */
static const struct flag capacity_flags[] = {
    STRING("--base-url", FLAG_RAW, base_url),
    STRING("--model", FLAG_TEXT, o.model),
    STRING("--api-key-env", FLAG_RAW, o.api_key_env),
    WORDS("--endpoint", FLAG_CHOICE, o.endpoint, FLAG_NOWHERE, "chat|completions"),
    STRING("--query", FLAG_LIST, o.transport.query_given),
    STRING("--query-env", FLAG_LIST, o.transport.query_env),
    STRING("--header-env", FLAG_LIST, o.transport.header_env),
    STRING("--header-file", FLAG_PATH, o.transport.header_file),
    SWITCH("--http2", o.transport.http2),
    STRING("--cacert", FLAG_PATH, o.transport.cacert),
    SWITCH("--insecure", o.transport.insecure),
    STRING("--cert", FLAG_PATH, o.transport.cert),
    STRING("--key", FLAG_PATH, o.transport.key),
    STRING("--unix-socket", FLAG_PATH, o.transport.unix_socket),
    STRING("--resolve", FLAG_RAW, o.transport.resolve),
    STRING("--proxy", FLAG_RAW, o.transport.proxy),
    STRING("--proxy-auth-env", FLAG_RAW, o.transport.proxy_auth_env),
    UINT("--requests", o.requests, 1, 65536),
    UINT("--concurrency", o.concurrency, 1, 65536),
    UINT("--burst", o.burst, 0, 256),
    UINT("--warmup", o.warmup, 0, 10000),
    REAL("--timeout", o.timeout_s, 0, 3600, true, FLAG_NOWHERE),
    UINT("--connect-rate", o.connect_rate, 0, 1000000),
    WORDS("--connections", FLAG_CHOICE, o.connections, FLAG_NOWHERE, "fresh|reuse|warm"),
    UINT("--ctx-tokens", o.ctx_tokens, 32, 1048576),
    UINT("--max-model-len", o.max_model_len, 0, 1048576),
    UINT("--margin", o.margin, 0, 1048576),
    UINT("--shared-prefix-tokens", o.shared_prefix_tokens, 0, 262144),
    REAL("--chars-per-token", o.chars_per_token, 0.5, 16, false, FLAG_NOWHERE),
    STRING("--seed", FLAG_RAW, seed),
    WORDS("--prompt-cache-mode", FLAG_CHOICE, o.cache_mode, FLAG_NOWHERE, "shared|unique"),
    SWITCH("--request-canaries", o.canaries),
    UINT("--response-words", o.response_words, 0, 65536),
    WORDS("--controlled-output-policy", FLAG_CHOICE, o.policy, FLAG_NOWHERE, "observe|strict"),
    UINT("--max-tokens", o.max_tokens, 1, 65536),
    REAL("--temperature", o.temperature, 0, 2, false, AT(o.has_temperature)),
    REAL("--top-p", o.top_p, 0, 1, true, AT(o.has_top_p)),
    WORDS("--thinking-mode", FLAG_CHOICE, o.thinking, AT(thinking), "default|enabled|disabled|unsupported"),
    SWITCH("--no-thinking", o.no_thinking),
    WORDS("--reasoning-effort", FLAG_WORD, o.reasoning_effort, FLAG_NOWHERE, "none|minimal|low|medium|high|xhigh|max"),
    STRING("--engine", FLAG_TEXT, o.engine),
    STRING("--gpu", FLAG_TEXT, o.gpu),
    STRING("--tier", FLAG_TEXT, o.tier),
    STRING("--manifest", FLAG_TEXT, o.manifest),
    STRING("--source-recipe", FLAG_TEXT, o.source_recipe),
    STRING("--clock-domain-id", FLAG_RAW, o.clock_domain_id),
    STRING("--configuration-fingerprint", FLAG_RAW, o.configuration_fingerprint),
    STRING("--cpus", FLAG_RAW, cpus),
    STRING("--tape", FLAG_PATH, tape),
    STRING("--output", FLAG_PATH, o.output_path),
    STRING("--max-client-error", FLAG_RAW, o.max_client_error),
    SWITCH("--strict-timing", o.strict_timing),
    WORDS("--keep-bodies", FLAG_EITHER, o.keep_bodies, FLAG_NOWHERE, "none|all"),
    UINT("--ring-mib", o.ring_mib, 4, 65536),
    REAL("--done-grace", o.done_grace_s, 0, 3600, false, FLAG_NOWHERE),
    SWITCH("--dry-run", o.dry_run),
    SWITCH("--confirm", confirm),
    SWITCH("--quiet", o.quiet),
    SWITCH("--calibrate", o.calibrate),
    REAL("--calibrate-rate", o.calibration.rate, 0.1, 10000, false, AT(calibrate_rate)),
    SWITCH("--help", confirm),    /* taken before the table is asked; here for --hepl */
    SWITCH("--version", confirm), /* likewise */
};

static const struct flag calibrate_flags[] = {
    UINT("--concurrency", o.concurrency, 1, 65536),
    REAL("--rate", o.calibration.rate, 0.1, 10000, false, FLAG_NOWHERE),
    REAL("--duration", o.calibration.duration_s, 0.1, 60, false, FLAG_NOWHERE),
    REAL("--max-error", o.calibration.max_error_ms, 0.01, 10000, false, FLAG_NOWHERE),
    WORDS("--arrivals", FLAG_CHOICE, o.calibration.arrivals, FLAG_NOWHERE, "spread|step"),
    SWITCH("--no-ceiling", o.calibration.no_ceiling),
    STRING("--cpus", FLAG_RAW, cpus),
    STRING("--tape", FLAG_PATH, tape),
    STRING("--dir", FLAG_PATH, o.calibration.dir),
    SWITCH("--json", o.calibration.json),
    SWITCH("--quiet", o.quiet),
    SWITCH("--help", confirm),
    SWITCH("--version", confirm),
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])
_Static_assert(COUNT(capacity_flags) <= FLAG_MOST && COUNT(calibrate_flags) <= FLAG_MOST, "each has its `seen`");

struct flag_table options_flags(enum command command)
{
    if (command == COMMAND_CALIBRATE)
        return (struct flag_table){calibrate_flags, COUNT(calibrate_flags)};
    return (struct flag_table){capacity_flags, COUNT(capacity_flags)};
}

#define LONGEST 40

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Levenshtein, one row. */
static size_t distance(const char *a, size_t n, const char *b)
{
    size_t row[LONGEST + 1], m = strlen(b);
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t above = row[j];
            row[j] = least(least(above, row[j - 1]) + 1, corner + (a[i - 1] != b[j - 1]));
            corner = above;
        }
    }
    return row[m];
}

const char *options_nearest(struct flag_table table, const char *name, size_t n)
{
    const char *nearest = NULL;
    size_t best = n / 2 + 1;
    for (size_t i = 0; n <= LONGEST && i < table.count; i++) {
        size_t d = distance(name, n, table.flags[i].name);
        if (d < best) {
            best = d;
            nearest = table.flags[i].name;
        }
    }
    return nearest;
}
