#include "trace.h"

#include <stdio.h>
#include <string.h>

#include "trace_parts.h"
#include "failure_count.h"
#include "warnings.h"

static void put_hex(struct json_out *o, const char *key, const uint8_t *bytes, size_t n)
{
    char text[65];
    for (size_t i = 0; i < n && i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    json_put_text(o, key, text);
}

/* What every request with a connection has in common: NULL when nothing, "mixed" when they differ. */
static const char *common_http_version(const struct run *run)
{
    const char *common = NULL;
    for (size_t i = 0; i < run->count; i++) {
        const struct request *r = &run->requests[i];
        if (r->connection == TAPE_NONE || !r->http_version[0])
            continue;
        if (common && strcmp(common, r->http_version) != 0)
            return "mixed";
        common = r->http_version;
    }
    return common;
}

static void put_connections(struct json_out *o, const struct run *run)
{
    uint64_t connected = 0, reused = 0, tls = 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct request *r = &run->requests[i];
        connected += r->connection != TAPE_NONE;
        reused += r->connection != TAPE_NONE && r->conn_reused;
        tls += r->connection != TAPE_NONE && r->conn_tls;
    }
    json_out_key(o, "connections");
    json_out_object(o);
    json_put_text(o, "endpoint", run->options.endpoint);
    json_put_u64(o, "fresh", connected - reused);
    json_put_text(o, "http_version", common_http_version(run));
    json_out_key(o, "insecure"); /* certificates were not verified */
    json_out_bool(o, run->options.insecure);
    json_put_text(o, "mode", run->options.connections);
    json_put_u64(o, "reused", reused);
    json_put_u64(o, "tls", tls);
    json_put_text(o, "via", run->options.unix_socket ? "unix_socket" : run->options.proxy ? "proxy" : "direct");
    json_out_object_end(o);
}

static void put_overlap(struct json_out *o, const struct run *run, const struct overlap *overlap)
{
    json_out_key(o, "overlap");
    json_out_object(o);
    json_put_u64(o, "concurrency", run->options.concurrency);
    json_put_opt_double(o, "full_concurrency_share", overlap->full_share);
    json_put_u64(o, "max_in_flight", overlap->max);
    json_put_opt_double(o, "mean_in_flight", overlap->mean);
    json_out_object_end(o);
}

static void put_tape(struct json_out *o, const struct run *run)
{
    json_out_key(o, "tape");
    json_out_object(o);
    json_put_u64(o, "blocks", run->tape.blocks);
    json_put_u64(o, "bytes", run->tape.file_bytes);
    json_put_u64(o, "events", run->events);
    json_put_u64(o, "events_sharing_a_read", run->events_sharing_a_read);
    put_hex(o, "head", run->tape.head, sizeof run->tape.head);
    put_hex(o, "id", run->tape.tape_id, sizeof run->tape.tape_id);
    json_put_u64(o, "lost_reads", run->lost_reads);
    json_out_key(o, "origin"); /* of a redacted copy */
    if (run->origin_rules) {
        json_out_object(o);
        put_hex(o, "head", run->origin_head, sizeof run->origin_head);
        json_put_text(o, "rules", run->origin_rules);
        json_out_object_end(o);
    } else {
        json_out_null(o);
    }
    json_put_u64(o, "payloads_not_json", run->payloads_not_json);
    json_put_u64(o, "reads", run->reads);
    json_put_u64(o, "redactions", run->redactions);
    json_put_text(o, "state", reader_state_name(run->tape.state));
    json_out_object_end(o);
}

static void put_numbers(struct json_out *o, const char *key, const uint64_t *numbers, size_t n)
{
    json_out_key(o, key);
    json_out_array(o);
    for (size_t i = 0; i < n; i++)
        json_out_u64(o, numbers[i]);
    json_out_array_end(o);
}

/* planned = succeeded + failed + cancelled + not_sent */
static void put_accounts(struct json_out *o, const struct run *run)
{
    struct failure_counts c;
    failure_count(run, &c);
    json_out_key(o, "accounts");
    json_out_object(o);
    json_put_u64(o, "cancelled", c.cancelled);
    json_put_u64(o, "failed", c.failed);
    json_out_key(o, "hold");
    json_out_bool(o, c.hold);
    json_put_u64(o, "not_sent", c.not_sent);
    json_put_u64(o, "planned", c.planned);
    json_put_u64(o, "succeeded", c.succeeded);
    json_out_object_end(o);
}

static void put_warnings(struct json_out *o, const struct run *run)
{
    struct warning warnings[WARNINGS_MAX];
    size_t n = warnings_collect(run, warnings);
    json_out_key(o, "warnings");
    json_out_array(o);
    for (size_t i = 0; i < n; i++) {
        json_out_object(o);
        json_put_text(o, "code", warnings[i].code);
        json_put_u64(o, "count", warnings[i].count);
        if (warnings[i].listed)
            put_numbers(o, "requests", warnings[i].requests, warnings[i].listed);
        json_put_text(o, "text", warnings[i].text);
        json_out_object_end(o);
    }
    json_out_array_end(o);
}

enum tt_status trace_write(struct json_out *o, const struct run *run)
{
    struct overlap overlap;
    char version[16];
    enum tt_status st = overlap_compute(run, &overlap);
    if (st != TT_OK) {
        overlap_free(&overlap);
        return st;
    }
    snprintf(version, sizeof version, "%u.%u", run->tape.major, run->tape.minor);
    json_out_object(o);
    put_accounts(o, run);
    json_put_text(o, "analyzer_version", TOKENTAPE_VERSION);
    put_connections(o, run);
    json_put_text(o, "format_version", version);
    put_overlap(o, run, &overlap);
    json_out_key(o, "policy");
    policy_write(&run->policy, o);
    json_put_text(o, "prompt_generator", run->options.prompt_generator);
    json_put_text(o, "recorder_version", run->recorder_version);
    json_out_key(o, "requests");
    json_out_array(o);
    for (size_t i = 0; i < run->count; i++)
        trace_write_request(o, run, &run->requests[i], &overlap);
    json_out_array_end(o);
    put_tape(o, run);
    st = trace_write_timing(o, run);
    put_warnings(o, run);
    json_out_object_end(o);
    overlap_free(&overlap);
    return st;
}
