/* The command line of tokentape-record, checked. Every rule of result.md section 1
 * is applied here, before anything is opened or sent. */
#ifndef RECORDER_OPTIONS_H
#define RECORDER_OPTIONS_H

#include "../format/bytes.h"
#include "../format/status.h"
#include "cpus.h"
#include "transport.h"

enum command { COMMAND_CAPACITY, COMMAND_CALIBRATE };
enum arrivals { ARRIVALS_SPREAD, ARRIVALS_STEP };
enum endpoint { ENDPOINT_CHAT, ENDPOINT_COMPLETIONS };
enum cache_mode { CACHE_SHARED, CACHE_UNIQUE };
enum output_policy { POLICY_OBSERVE, POLICY_STRICT };
enum thinking_mode { THINKING_DEFAULT, THINKING_ENABLED, THINKING_DISABLED, THINKING_UNSUPPORTED };
enum connection_mode { CONNECTIONS_FRESH, CONNECTIONS_REUSE, CONNECTIONS_WARM };

/* `calibrate`, and --calibrate of `capacity`. Streams are `concurrency`. */
struct calibrate_options {
    double rate, duration_s, max_error_ms;
    enum arrivals arrivals;
    const char *dir; /* of the tape that is not kept */
    bool json, no_ceiling;
};

/* Strings point into argv or into memory owned by the struct (options_free). */
struct options {
    enum command command;
    bool calibrate; /* before and after the run */
    struct calibrate_options calibration;
    char *base_url; /* no trailing slash */
    char *chat_url; /* base_url + "/chat/completions", or "/completions" */
    char *models_url;
    char *chat_target, *models_target; /* the same with the query, which may hold secrets: for sending alone */
    const char *model, *engine, *gpu, *tier, *manifest, *source_recipe;
    const char *clock_domain_id, *configuration_fingerprint; /* NULL: null */
    const char *reasoning_effort;                            /* NULL: not sent */
    char *seed; /* canonical decimal text: "-7"; drawn when --seed random */
    bool seed_was_random;
    uint32_t requests, concurrency, burst, warmup;
    uint32_t connect_rate; /* new connections a second at most, 0: no bound */
    struct cpu_list cpus;  /* of the recorder's threads */
    uint32_t shared_prefix_tokens, ctx_tokens, max_tokens, response_words, max_model_len, margin;
    uint32_t ring_mib; /* 0: not given */
    double timeout_s, chars_per_token, done_grace_s;
    double temperature, top_p; /* valid when has_*; temperature 0.0 is sent when not asked for */
    bool has_temperature, has_top_p;
    enum endpoint endpoint;
    struct transport transport;
    enum cache_mode cache_mode;
    enum output_policy policy;
    enum thinking_mode thinking;
    bool no_thinking; /* spelled so on the command line; `thinking` says it too */
    enum connection_mode connections;
    bool canaries, keep_bodies, dry_run, quiet;
    unsigned verbose;
    const char *api_key_env;      /* name of the environment variable, or NULL */
    char *api_key;                /* its value, owned; NULL when none. Never printed, never recorded. */
    char *tape_path;              /* resolved (given, derived from --output, or from UTC start and model) */
    const char *output_path;      /* NULL: no result asked for */
    const char *max_client_error; /* as the analyzer takes it; NULL: not given */
    bool strict_timing;
};

enum options_action { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_VERSION };

/* Parses argv (argv[0] is the program, argv[1] the command). On TT_OK *action says what to do.
 * Errors: TT_USAGE with one line that names flag, value, reason and remedy. Opens and sends nothing;
 * reads the environment for the API key. `utc_start` is "YYYYMMDDTHHMMSSZ", for the default tape name. */
enum tt_status options_parse(int argc, char **argv, const char *utc_start, struct options *out,
                             enum options_action *action, struct tt_error *err);
const char *options_help(enum command command); /* text for --help */
void options_free(struct options *o);

#endif
