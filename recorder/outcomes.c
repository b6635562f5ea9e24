#include "outcomes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* libcurl's codes by number (they never change): its headers stay out of here. */
enum {
    CANNOT_RESOLVE = 6,
    CANNOT_CONNECT = 7,
    NOT_HTTP = 1,
    WEIRD_ANSWER = 8,
    CUT_SHORT = 18,
    TLS_CONNECT = 35,
    NO_ANSWER = 52,
    RECEIVE_ERROR = 56,
    TLS_CERTIFICATE = 60
};

static bool is(const struct request_outcome *r, const char *reason)
{
    return strcmp(r->reason, reason) == 0;
}

static void describe_fault(const struct request_outcome *r, const char *base_url, char *out, size_t cap)
{
    switch (r->curl_code) {
    case CANNOT_RESOLVE:
        snprintf(out, cap, "the host name of %s cannot be resolved (check --base-url)", base_url);
        return;
    case CANNOT_CONNECT:
        if (r->os_errno == ECONNREFUSED)
            snprintf(out, cap, "connection refused (is the server listening at %s?)", base_url);
        else if (r->os_errno == EADDRNOTAVAIL)
            snprintf(out, cap,
                     "no local port was free for a connection to %s (--connections reuse or a lower --concurrency "
                     "needs fewer; sysctl net.ipv4.ip_local_port_range gives more)",
                     base_url);
        else
            snprintf(out, cap, "no connection to %s: %s", base_url, r->os_errno ? strerror(r->os_errno) : r->error);
        return;
    case NOT_HTTP:
    case WEIRD_ANSWER:
        snprintf(out, cap, "what answers at %s is not an HTTP server (check the port)", base_url);
        return;
    case CUT_SHORT:
        snprintf(out, cap, "the answer was cut short (see the server's log)");
        return;
    case NO_ANSWER:
        snprintf(out, cap, "the server closed the connection without an answer (see its log)");
        return;
    case TLS_CONNECT:
    case TLS_CERTIFICATE:
        snprintf(out, cap, "TLS failed: %s (check https://, or trust its authority by --cacert FILE)", r->error);
        return;
    case RECEIVE_ERROR:
        snprintf(out, cap, "the connection broke: %s (see the server's log)", r->error);
        return;
    default:
        snprintf(out, cap, "%s", r->error);
    }
}

static void describe_status(unsigned status, const char *base_url, char *out, size_t cap)
{
    const char *hint = status == 401 || status == 403 ? "check the key named by --api-key-env"
                       : status == 404                ? "check --base-url and --model"
                       : status == 429                ? "lower --concurrency"
                       : status == 413                ? "lower --ctx-tokens"
                       : status == 400 || status == 422
                           ? "the server refuses a parameter: see its answer with dump --text"
                       : status >= 500                 ? "see the server's log"
                       : status >= 300 && status < 400 ? "redirects are not followed: check --base-url"
                                                       : "see its answer with dump --text";
    snprintf(out, cap, "HTTP %u from %s (%s)", status, base_url, hint);
}

static void describe(const struct request_outcome *r, const char *base_url, char *out, size_t cap)
{
    if (r->lost > 0)
        snprintf(
            out, cap,
            "reads were lost: the writer fell behind (a faster disk for --tape, a free core, or less --concurrency)");
    else if (is(r, "cancelled"))
        snprintf(out, cap, "cancelled when the run was stopped");
    else if (is(r, "timeout"))
        snprintf(out, cap, "no byte for the whole --timeout");
    else if (is(r, "stale_connection"))
        snprintf(out, cap, "a kept connection was dead, and nothing is sent twice (--connections fresh avoids it)");
    else if (r->curl_code != 0 && (r->status == 0 || (r->status >= 200 && r->status <= 299)))
        describe_fault(r, base_url, out, cap);
    else if (r->status < 200 || r->status > 299)
        describe_status(r->status, base_url, out, cap);
    else if (r->body_bytes == 0)
        snprintf(out, cap, "HTTP %u with an empty body (see the server's log)", r->status);
    else
        snprintf(out, cap, "the answer is not an event stream (does this endpoint stream?)");
}

static bool succeeded(const struct request_outcome *r)
{
    return r->status >= 200 && r->status <= 299 && (is(r, "complete") || is(r, "done_grace")) && r->lost == 0 &&
           r->event_stream && r->body_bytes > 0;
}

static struct outcome_kind *kind_for(struct outcomes *o, const char *text)
{
    for (size_t i = 0; i < o->kinds_used; i++)
        if (strcmp(o->kinds[i].text, text) == 0)
            return &o->kinds[i];
    if (o->kinds_used == OUTCOMES_KINDS)
        return &o->kinds[OUTCOMES_KINDS - 1];
    struct outcome_kind *k = &o->kinds[o->kinds_used++];
    snprintf(k->text, sizeof(k->text), "%s", o->kinds_used == OUTCOMES_KINDS ? "various reasons" : text);
    return k;
}

bool outcomes_add(struct outcomes *o, const struct request_outcome *r, const char *base_url)
{
    char text[OUTCOMES_TEXT_BYTES];
    if (succeeded(r)) {
        o->succeeded++;
        return true;
    }
    o->failed++;
    describe(r, base_url, text, sizeof(text));
    kind_for(o, text)->count++;
    return false;
}

void outcomes_add_unsent(struct outcomes *o, const char *why)
{
    char text[OUTCOMES_TEXT_BYTES];
    o->failed++;
    snprintf(text, sizeof(text), "not sent: %s", why);
    kind_for(o, text)->count++;
}

void outcomes_describe(const struct outcomes *o, uint64_t planned, char *out, size_t cap)
{
    out[0] = '\0';
    const struct outcome_kind *most = NULL;
    for (size_t i = 0; i < o->kinds_used; i++)
        if (!most || o->kinds[i].count > most->count)
            most = &o->kinds[i];
    if (!most)
        return;
    if (most->count == o->failed)
        snprintf(out, cap, "%" PRIu64 " of %" PRIu64 " calls failed: %s", o->failed, planned, most->text);
    else
        snprintf(out, cap, "%" PRIu64 " of %" PRIu64 " calls failed; most often (%" PRIu64 "): %s", o->failed, planned,
                 most->count, most->text);
}
