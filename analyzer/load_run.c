#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load_parts.h"

enum option_type { OPTION_TEXT, OPTION_U64, OPTION_OPT_U64, OPTION_BOOL, OPTION_DOUBLE };

struct option {
    const char *key;
    enum option_type type;
    size_t offset;
    size_t has_offset; /* of a bool that is set when the value is not nil; 0: none */
};

#define AT(field) offsetof(struct run_options, field)

/* RECORDS.md, RUN options; keys not listed here are of no use to the analyzer. */
static const struct option options_table[] = {
    {"base_url", OPTION_TEXT, AT(base_url), 0},
    {"model", OPTION_TEXT, AT(model), 0},
    {"endpoint", OPTION_TEXT, AT(endpoint), 0},
    {"engine", OPTION_TEXT, AT(engine), 0},
    {"gpu", OPTION_TEXT, AT(gpu), 0},
    {"tier", OPTION_TEXT, AT(tier), 0},
    {"manifest", OPTION_TEXT, AT(manifest), 0},
    {"source_recipe", OPTION_TEXT, AT(source_recipe), 0},
    {"clock_domain_id", OPTION_TEXT, AT(clock_domain_id), 0},
    {"configuration_fingerprint", OPTION_TEXT, AT(configuration_fingerprint), 0},
    {"context_seed", OPTION_TEXT, AT(context_seed), 0},
    {"requests", OPTION_U64, AT(requests), 0},
    {"warmup", OPTION_U64, AT(warmup), 0},
    {"concurrency", OPTION_U64, AT(concurrency), 0},
    {"burst", OPTION_BOOL, AT(burst), 0},
    {"context_tokens", OPTION_U64, AT(context_tokens), 0},
    {"max_context_tokens", OPTION_OPT_U64, AT(max_context_tokens), 0},
    {"max_tokens", OPTION_U64, AT(max_tokens), 0},
    {"margin", OPTION_U64, AT(margin), 0},
    {"response_words", OPTION_U64, AT(response_words), 0},
    {"shared_prefix_tokens", OPTION_U64, AT(shared_prefix_tokens), 0},
    {"prompt_cache_mode", OPTION_TEXT, AT(prompt_cache_mode), 0},
    {"request_canaries", OPTION_BOOL, AT(request_canaries), 0},
    {"controlled_output_policy", OPTION_TEXT, AT(controlled_output_policy), 0},
    {"thinking_mode", OPTION_TEXT, AT(thinking_mode), 0},
    {"no_thinking", OPTION_BOOL, AT(no_thinking), 0},
    {"reasoning_effort", OPTION_TEXT, AT(reasoning_effort), 0},
    {"temperature_requested", OPTION_DOUBLE, AT(temperature_requested), AT(has_temperature_requested)},
    {"temperature", OPTION_DOUBLE, AT(temperature_effective), 0},
    {"top_p", OPTION_DOUBLE, AT(top_p), AT(has_top_p)},
    {"timeout_s", OPTION_DOUBLE, AT(timeout_s), 0},
    {"chars_per_token", OPTION_DOUBLE, AT(chars_per_token), 0},
    {"prompt_generator", OPTION_TEXT, AT(prompt_generator), 0},
    {"connections", OPTION_TEXT, AT(connections), 0},
    {"insecure", OPTION_BOOL, AT(insecure), 0},
    {"proxy", OPTION_BOOL, AT(proxy), 0},
    {"unix_socket", OPTION_BOOL, AT(unix_socket), 0},
};

enum { OPTIONS = sizeof options_table / sizeof options_table[0] };

static const struct option *find_option(struct tt_view key)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (tt_view_equal(key, options_table[i].key))
            return &options_table[i];
    return NULL;
}

static bool scalar_double(const struct tape_scalar *v, double *out)
{
    switch (v->type) {
    case TAPE_FLOAT:
        *out = v->f;
        return isfinite(v->f);
    case TAPE_UINT:
        *out = (double)v->u;
        return true;
    case TAPE_INT:
        *out = (double)v->i;
        return true;
    default:
        return false;
    }
}

/* False: wrong type. Nil is good everywhere and leaves the field as it is. */
static bool set_scalar(const struct option *o, const struct tape_scalar *v, void *field)
{
    switch (o->type) {
    case OPTION_U64:
        *(uint64_t *)field = v->u;
        return v->type == TAPE_UINT;
    case OPTION_OPT_U64:
        *(struct opt_u64 *)field = (struct opt_u64){true, v->u};
        return v->type == TAPE_UINT;
    case OPTION_BOOL:
        *(bool *)field = v->boolean;
        return v->type == TAPE_BOOL;
    case OPTION_DOUBLE:
        return scalar_double(v, field);
    case OPTION_TEXT:
        break;
    }
    return v->type == TAPE_STR;
}

static enum tt_status set_option(const struct option *o, const struct tape_scalar *v, struct run_options *options,
                                 struct tt_error *err)
{
    if (v->type == TAPE_NIL)
        return TT_OK;
    void *field = (char *)options + o->offset;
    if (!set_scalar(o, v, field))
        return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "the option %s has a value of the wrong type", o->key);
    if (o->has_offset)
        *(bool *)((char *)options + o->has_offset) = true;
    if (o->type != OPTION_TEXT)
        return TT_OK;
    if (*(char **)field)
        return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "the option %s stands twice", o->key);
    enum tt_status st = load_copy_text(v->text, field, err);
    return st == TT_OK ? st : tt_wrap(err, "the option %s", o->key);
}

/* An integer as JSON writes one, since the result prints the seed as a number. */
static bool is_integer_text(const char *s)
{
    if (*s == '-')
        s++;
    size_t digits = strspn(s, "0123456789");
    return digits > 0 && s[digits] == 0 && (s[0] != '0' || digits == 1);
}

static enum tt_status check_options(const struct run_options *o, struct tt_error *err)
{
    if (o->requests > LOAD_MAX_REQUESTS || o->warmup > LOAD_MAX_WARMUPS)
        return tt_fail(err, TT_LIMIT, TT_NO_OFFSET, "%llu requests and %llu warm-ups; the bounds are %u and %u",
                       (unsigned long long)o->requests, (unsigned long long)o->warmup, LOAD_MAX_REQUESTS,
                       LOAD_MAX_WARMUPS);
    if (o->requests == 0)
        return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "the run has no requests");
    if (o->concurrency == 0)
        return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "the run has no concurrency");
    if (o->context_seed && !is_integer_text(o->context_seed))
        return tt_fail(err, TT_MALFORMED, TT_NO_OFFSET, "the context seed is not an integer");
    return TT_OK;
}

enum tt_status load_options(const struct tape_map *map, struct run_options *options, struct tt_error *err)
{
    size_t cursor = 0;
    struct tt_view key;
    struct tape_scalar value;
    enum tt_status st;
    while ((st = tape_map_next(map, &cursor, &key, &value, err)) == TT_OK) {
        const struct option *o = find_option(key);
        if (o && (st = set_option(o, &value, options, err)) != TT_OK)
            return st;
    }
    return st == TT_END ? check_options(options, err) : st;
}

void load_options_free(struct run_options *options)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (options_table[i].type == OPTION_TEXT)
            free(*(char **)((char *)options + options_table[i].offset));
}

static enum tt_status copy_version(const struct tape_map *versions, const char *key, char **out, struct tt_error *err)
{
    struct tape_scalar v;
    enum tt_status st = tape_map_find(versions, key, &v, err);
    if (st == TT_END || (st == TT_OK && v.type != TAPE_STR))
        return TT_OK;
    return st == TT_OK ? load_copy_text(v.text, out, err) : st;
}

/* RECORDS.md, RUN features: those that the recorder had to do without. */
static enum tt_status take_features(const struct tape_map *features, struct run *run, struct tt_error *err)
{
    struct tape_scalar v;
    enum tt_status st = tape_map_find(features, "ofd_lock", &v, err);
    run->no_lock = st == TT_OK;
    return st == TT_END ? TT_OK : st;
}

static void request_begin(struct request *r, uint64_t number)
{
    r->number = number;
    r->start_ns = r->conn_ns = r->send_first_ns = r->send_last_ns = r->done_ns = TAPE_NONE;
    r->send_waited_us = r->round_trip_us = r->read_ns = TAPE_NONE;
    r->connection = TAPE_NONE;
    stream_facts_begin(&r->facts);
}

static enum tt_status create_requests(struct loader *l)
{
    struct run *run = l->run;
    size_t count = (size_t)run->options.requests, warmup_count = (size_t)run->options.warmup; /* bounded by load.h */
    run->requests = calloc(count, sizeof *run->requests);
    run->warmups = calloc(warmup_count ? warmup_count : 1, sizeof *run->warmups);
    l->streams = calloc(count + warmup_count, sizeof(struct stream *));
    if (!run->requests || !run->warmups || !l->streams)
        return tt_fail(l->err, TT_NOMEM, TT_NO_OFFSET, "out of memory for %zu requests", count);
    run->count = count;
    run->warmup_count = warmup_count;
    for (size_t i = 0; i < loader_total(l); i++) {
        struct request *r = loader_request(l, i);
        request_begin(r, i);
        r->warmup = i >= run->count;
    }
    return TT_OK;
}

void load_imply_contexts(struct run *run)
{
    const struct run_options *o = &run->options;
    uint64_t context = o->context_tokens;
    if (o->max_context_tokens.has) {
        uint64_t taken = o->max_tokens + o->margin;
        uint64_t cap = o->max_context_tokens.v > taken ? o->max_context_tokens.v - taken : 0;
        context = context < cap ? context : cap; /* stays 0, unknown, where it is sampled */
    }
    for (size_t i = 0; i < run->count; i++)
        if (!run->requests[i].planned)
            run->requests[i].context_tokens = context;
}

enum tt_status load_take_run(struct loader *l, const struct tape_record *rec)
{
    if (l->run)
        return loader_contradiction(l, rec, NULL, "a second RUN");
    struct run *run = l->run = calloc(1, sizeof *run);
    if (!run)
        return tt_fail(l->err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    timing_tally_begin(&run->timing);
    run->client_limit = CLIENT_LIMIT_DEFAULT;
    l->run_time_ns = run->last_time_ns = rec->u.run.time_ns;
    run->run_end_ns = run->run_end_realtime_ns = TAPE_NONE;
    enum tt_status st = load_options(&rec->u.run.options, &run->options, l->err);
    if (st == TT_OK)
        st = copy_version(&rec->u.run.versions, "recorder", &run->recorder_version, l->err);
    if (st == TT_OK)
        st = copy_version(&rec->u.run.versions, "libcurl", &run->libcurl_version, l->err);
    if (st == TT_OK)
        st = take_features(&rec->u.run.features, run, l->err);
    if (st == TT_OK)
        st = create_requests(l);
    if (st != TT_OK)
        tt_wrap(l->err, "RUN record");
    return st;
}
