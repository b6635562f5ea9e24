/* Every way a request can fail, in one table: the finer reason (`error_type`),
 * the seed's class, where it happened and who has to look. */
#ifndef ANALYZER_FAILURE_H
#define ANALYZER_FAILURE_H

#include "model.h"

enum failure_code {
    FAIL_NONE,
    /* could not be built or sent; no response; status not 2xx */
    FAIL_NOT_BUILT,
    FAIL_DNS,
    FAIL_PROXY,
    FAIL_CONNECT_REFUSED,
    FAIL_CONNECT,
    FAIL_NO_LOCAL_PORT,
    FAIL_CONNECT_TIMEOUT,
    FAIL_TLS,
    FAIL_SEND,
    FAIL_SEND_TIMEOUT,
    FAIL_STALE_CONNECTION,
    FAIL_HEADER_TIMEOUT,
    FAIL_NO_RESPONSE,
    FAIL_NOT_HTTP,
    FAIL_HTTP_STATUS,
    FAIL_REDIRECT_REFUSED,
    /* 2xx, then a fault in the body */
    FAIL_INACTIVITY_BEFORE_OUTPUT,
    FAIL_INACTIVITY,
    FAIL_CONNECTION_RESET,
    FAIL_TRUNCATED_BODY,
    FAIL_BAD_CHUNK,
    FAIL_BAD_FRAMING,
    FAIL_BODY_NEVER_ENDED,
    FAIL_HTTP2,
    FAIL_TRANSPORT,
    FAIL_CLIENT,
    /* the whole 2xx is no good answer */
    FAIL_EMPTY_BODY,
    FAIL_COMPRESSED_BODY,
    FAIL_NOT_AN_EVENT_STREAM,
    FAIL_EVENT_TOO_LARGE,
    FAIL_IN_BAND_ERROR,
    FAIL_NO_OUTPUT,
    FAIL_EMPTY_FINISH,
    FAIL_NO_VISIBLE_OUTPUT,
    FAIL_NO_TERMINAL,
    FAIL_CANARY,
    FAIL_CANARY_CAPTURE_LIMIT,
    FAIL_CONTROLLED_OUTPUT,
    FAIL_CONTROLLED_OUTPUT_CAPTURE_LIMIT,
    /* the run, not the server */
    FAIL_CANCELLED,
    FAIL_NOT_SENT,
    FAIL_NOT_RECORDED,
    FAIL_LOST_RECORDS,
    FAIL_CODES
};

struct failure_entry {
    const char *error_type;
    enum failure_class class;
    const char *phase; /* plan, resolve, connect, tls, send, headers, body, content, run */
    const char *fault; /* who has to look: server, client, network, either */
    const char *meaning;
    const char *kept; /* what of it is on the tape */
};

const struct failure_entry *failure_describe(enum failure_code code);
/* Why the call itself did not end well: DONE's reason, libcurl's code and the body's
 * framing, read with how far the request had come. FAIL_NONE: it did end well. */
enum failure_code failure_of_transport(const struct run *run, const struct request *r);

#endif
