/* How a call ended, from what libcurl and the framing say. */
#include "reason.h"

#include <string.h>

/* libcurl's numbers never change; naming them here keeps libcurl out of the analyzer. */
static enum reason_code of_curl_code(uint64_t curl_code)
{
    switch (curl_code) {
    case 6:
        return REASON_DNS;
    case 5:
    case 97:
        return REASON_PROXY;
    case 7:
    case 45: /* interface */
    case 96: /* QUIC connect */
        return REASON_CONNECT;
    case 35:
    case 53:
    case 54:
    case 58:
    case 59:
    case 60:
    case 64:
    case 66:
    case 77:
    case 80:
    case 82:
    case 83:
    case 90:
    case 91:
    case 98:
        return REASON_TLS;
    case 55:
    case 65: /* the body would have to be sent again */
        return REASON_SEND;
    case 28:
        return REASON_HEADER_TIMEOUT;
    case 1: /* libcurl says this of an HTTP/0.9 answer */
    case 8:
        return REASON_NOT_HTTP;
    case 52:
        return REASON_NO_RESPONSE;
    case 18:
        return REASON_TRUNCATED_BODY;
    case 56:
        return REASON_CONNECTION_RESET;
    case 16:
    case 92:
        return REASON_HTTP2;
    case 2:
    case 3:
    case 4:
    case 23:
    case 26:
    case 27:
    case 42:
    case 43:
    case 48:
        return REASON_CLIENT;
    default:
        return REASON_TRANSPORT;
    }
}

/* SEND tells how far the body came; without one nothing is known. */
static bool sent_in_part(const struct request *r)
{
    return r->send_last_ns != TAPE_NONE && r->sent_bytes < r->body_bytes;
}

static enum reason_code of_timeout(const struct request *r)
{
    if (r->facts.head_seen)
        return request_first_output_ns(r) == TAPE_NONE ? REASON_INACTIVITY_BEFORE_OUTPUT : REASON_INACTIVITY;
    if (r->conn_ns != TAPE_NONE || r->timers.connect_us > 0)
        return sent_in_part(r) ? REASON_SEND_TIMEOUT : REASON_HEADER_TIMEOUT;
    return r->timers.namelookup_us == 0 ? REASON_DNS : REASON_CONNECT_TIMEOUT; /* an address "resolves" at once */
}

static enum reason_code of_body(const struct request *r)
{
    const struct stream_facts *f = &r->facts;
    if (!f->head_seen)
        return REASON_NO_RESPONSE;
    if (r->stream_status == TT_LIMIT || f->event_too_large)
        return REASON_EVENT_TOO_LARGE;
    if (f->body_fault)
        return f->framing == BODY_CHUNKED ? REASON_BAD_CHUNK : REASON_BAD_FRAMING;
    return f->body_complete ? REASON_NONE : REASON_TRUNCATED_BODY;
}

/* What goes wrong between us and a connection is the proxy's where there is one: it was all we talked to. */
static bool is_of_proxy(const struct run *run, const struct request *r, enum reason_code code)
{
    return run->options.proxy && r->conn_ns == TAPE_NONE && !r->facts.head_seen && code != REASON_TLS &&
           code != REASON_DNS && code != REASON_CLIENT;
}

static enum reason_code of_fault(const struct run *run, const struct request *r)
{
    enum reason_code body = of_body(r), code = of_curl_code(r->curl_code);
    if (body == REASON_BAD_CHUNK || body == REASON_BAD_FRAMING)
        return body;
    if (code == REASON_HEADER_TIMEOUT)
        return of_timeout(r);
    if (is_of_proxy(run, r, code))
        return REASON_PROXY;
    if (code == REASON_CONNECT && r->conn_refused)
        return REASON_CONNECT_REFUSED;
    if (code == REASON_CONNECT && r->conn_no_port)
        return REASON_NO_LOCAL_PORT;
    bool broken_off = code == REASON_CONNECTION_RESET || code == REASON_NO_RESPONSE || code == REASON_TRUNCATED_BODY;
    if (broken_off && !r->facts.head_seen)
        return sent_in_part(r) ? REASON_SEND : REASON_NO_RESPONSE;
    if (code == REASON_NO_RESPONSE && r->facts.head_seen)
        return REASON_TRUNCATED_BODY;
    return code;
}

enum reason_code reason_of_transport(const struct run *run, const struct request *r)
{
    if (strcmp(r->done_reason, "stale_connection") == 0)
        return REASON_STALE_CONNECTION;
    if (strcmp(r->done_reason, "timeout") == 0)
        return of_timeout(r);
    if (strcmp(r->done_reason, "done_grace") == 0) {
        enum reason_code body = of_body(r);
        return !r->facts.done_seen ? REASON_BODY_NEVER_ENDED : body == REASON_TRUNCATED_BODY ? REASON_NONE : body;
    }
    if (strcmp(r->done_reason, "complete") == 0 && r->curl_code == 0)
        return of_body(r);
    return of_fault(run, r);
}
