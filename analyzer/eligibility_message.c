#include "eligibility_message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void say(struct request *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(struct request *r, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(r->verdict.message, sizeof r->verdict.message, fmt, args);
    va_end(args);
}

static void say_status(struct request *r)
{
    const struct stream_facts *f = &r->facts;
    if (f->retry_after_s.has)
        say(r, "HTTP %u, Retry-After %llu s", f->http_status, (unsigned long long)f->retry_after_s.v);
    else
        say(r, "HTTP %u", f->http_status);
}

/* Kinds that servers agree on; a word of the server's own choosing is not repeated. */
static const char *known_error_kind(const char *kind)
{
    static const char *const known[] = {"rate_limit_exceeded",
                                        "rate_limit_error",
                                        "insufficient_quota",
                                        "invalid_request_error",
                                        "authentication_error",
                                        "server_error",
                                        "internal_error",
                                        "internal_server_error",
                                        "InternalServerError",
                                        "BadRequestError",
                                        "NotFoundError",
                                        "service_unavailable",
                                        "context_length_exceeded",
                                        "overloaded_error",
                                        "timeout",
                                        "model_not_found",
                                        "400",
                                        "401",
                                        "403",
                                        "404",
                                        "408",
                                        "413",
                                        "422",
                                        "429",
                                        "500",
                                        "502",
                                        "503",
                                        "504"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(kind, known[i]) == 0)
            return known[i];
    return NULL;
}

static void say_in_band_error(struct request *r)
{
    const char *kind = known_error_kind(r->facts.error_kind);
    say(r, "an error inside the stream%s%s after %llu content chunks", kind ? ": " : "", kind ? kind : "",
        (unsigned long long)r->facts.content_chunks);
}

static void say_no_visible_output(struct request *r)
{
    const struct stream_facts *f = &r->facts;
    bool cut = f->finish_reason_count > 0 && strcmp(f->finish_reasons[f->finish_reason_count - 1], "length") == 0;
    say(r, "no visible content: %llu reasoning, %llu tool call and %llu refusal chunks%s",
        (unsigned long long)f->reasoning_chunks, (unsigned long long)f->tool_call_chunks,
        (unsigned long long)f->refusal_chunks, cut ? "; max_tokens was reached" : "");
}

static void say_canary(struct request *r)
{
    const struct canary_facts *c = &r->facts.canary;
    say(r, "the answer %s its marker and holds %llu of other requests",
        c->marker_at_start ? "begins with" : "does not begin with", (unsigned long long)c->foreign_marker_count);
}

static void say_controlled(const struct run *run, struct request *r)
{
    const struct controlled_facts *c = &r->facts.controlled;
    say(r, "%llu code words and %llu others, where exactly %llu were asked for",
        (unsigned long long)c->observed_code_words, (unsigned long long)c->observed_extra_words,
        (unsigned long long)run->options.response_words);
}

static void say_send(struct request *r)
{
    const char *meaning = reason_describe(REASON_SEND)->meaning;
    if (r->send_last_ns == TAPE_NONE)
        say(r, "%s (libcurl code %llu)", meaning, (unsigned long long)r->curl_code);
    else
        say(r, "%s (%llu of %llu bytes, libcurl code %llu)", meaning, (unsigned long long)r->sent_bytes,
            (unsigned long long)r->body_bytes, (unsigned long long)r->curl_code);
}

/* Of a connection that never stood libcurl does not say whether TCP did. */
static bool uses_tls(const struct run *run)
{
    return run->options.base_url && strncmp(run->options.base_url, "https:", 6) == 0;
}

static void say_dns(const struct run *run, struct request *r)
{
    const char *meaning = reason_describe(REASON_DNS)->meaning;
    if (r->curl_code == 0 || r->curl_code == 28)
        say(r, "%s within the timeout (%g s)", meaning, run->options.timeout_s);
    else
        say(r, "%s (libcurl code %llu)", meaning, (unsigned long long)r->curl_code);
}

/* Of what the schema has no class for: what was seen, too. */
static void say_rule(const struct run *run, struct request *r, enum reason_code code)
{
    const struct reason_entry *e = reason_describe(code);
    struct reason_finding f = {.wants_text = true};
    if (e->phase) {
        say(r, "%s", e->meaning);
        return;
    }
    reason_judge_request(code, run, r, &f);
    say(r, "%s (%s)", e->meaning, f.seen);
}

void eligibility_write_message(const struct run *run, struct request *r, enum reason_code code)
{
    const char *meaning = reason_describe(code)->meaning;
    switch (code) {
    case REASON_NONE:
        r->verdict.message[0] = 0;
        break;
    case REASON_HTTP_STATUS:
    case REASON_REDIRECT_REFUSED:
        say_status(r);
        break;
    case REASON_CONNECT_TIMEOUT:
        say(r, "%s (%g s%s)", meaning, run->options.timeout_s, uses_tls(run) ? ", TLS handshake included" : "");
        break;
    case REASON_SEND_TIMEOUT:
    case REASON_HEADER_TIMEOUT:
    case REASON_INACTIVITY:
    case REASON_INACTIVITY_BEFORE_OUTPUT:
        say(r, "%s (%g s)", meaning, run->options.timeout_s);
        break;
    case REASON_DNS:
        say_dns(run, r);
        break;
    case REASON_SEND:
        say_send(r);
        break;
    case REASON_PROXY:
    case REASON_CONNECT:
    case REASON_TLS:
    case REASON_HTTP2:
    case REASON_TRANSPORT:
    case REASON_CLIENT:
        say(r, "%s (libcurl code %llu)", meaning, (unsigned long long)r->curl_code);
        break;
    case REASON_BAD_CHUNK:
    case REASON_BAD_FRAMING:
        say(r, "%s: %s", meaning, r->facts.body_fault ? r->facts.body_fault : "no detail");
        break;
    case REASON_CONNECTION_RESET:
    case REASON_TRUNCATED_BODY:
        say(r, "%s (after %llu bytes%s)", meaning, (unsigned long long)r->facts.body_bytes,
            r->facts.done_seen ? ", behind [DONE]" : "");
        break;
    case REASON_NOT_SENT: /* of a torn tape the last moments are missing, in which it may have been sent */
        say(r, "%s", run->end_reason ? meaning : "the tape ends before it was sent");
        break;
    case REASON_IN_BAND_ERROR:
        say_in_band_error(r);
        break;
    case REASON_NO_VISIBLE_OUTPUT:
        say_no_visible_output(r);
        break;
    case REASON_CANARY:
        say_canary(r);
        break;
    case REASON_CONTROLLED_OUTPUT:
        say_controlled(run, r);
        break;
    default:
        say_rule(run, r, code);
    }
}
