/* The reasons for which a request or a run may count for less: their numbers alone, so
 * that a run and a policy can hold them. reason.h says what they mean. */
#ifndef ANALYZER_REASON_CODE_H
#define ANALYZER_REASON_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* Reasons of a request stand in the order in which things happen: of those that exclude a
 * request, the first one names its failure. */
enum reason_code {
    REASON_NONE,
    /* the run's own doing, before anything the server did */
    REASON_NOT_BUILT,
    REASON_NOT_SENT,
    REASON_NOT_RECORDED,
    REASON_CANCELLED,
    /* status not 2xx */
    REASON_REDIRECT_REFUSED,
    REASON_HTTP_STATUS,
    REASON_LOST_RECORDS,
    /* how the call ended: one of these at the most */
    REASON_DNS,
    REASON_PROXY,
    REASON_CONNECT_REFUSED,
    REASON_CONNECT,
    REASON_NO_LOCAL_PORT,
    REASON_CONNECT_TIMEOUT,
    REASON_TLS,
    REASON_SEND,
    REASON_SEND_TIMEOUT,
    REASON_STALE_CONNECTION,
    REASON_HEADER_TIMEOUT,
    REASON_NO_RESPONSE,
    REASON_NOT_HTTP,
    REASON_INACTIVITY_BEFORE_OUTPUT,
    REASON_INACTIVITY,
    REASON_CONNECTION_RESET,
    REASON_TRUNCATED_BODY,
    REASON_BAD_CHUNK,
    REASON_BAD_FRAMING,
    REASON_BODY_NEVER_ENDED,
    REASON_HTTP2,
    REASON_TRANSPORT,
    REASON_CLIENT,
    REASON_EVENT_TOO_LARGE,
    /* the whole 2xx is no good answer */
    REASON_EMPTY_BODY,
    REASON_COMPRESSED_BODY,
    REASON_NOT_AN_EVENT_STREAM,
    REASON_IN_BAND_ERROR,
    REASON_NO_VISIBLE_OUTPUT,
    REASON_EMPTY_FINISH,
    REASON_NO_OUTPUT,
    REASON_NO_TERMINAL,
    REASON_CANARY,
    REASON_CANARY_CAPTURE_LIMIT,
    REASON_CONTROLLED_OUTPUT,
    REASON_CONTROLLED_OUTPUT_CAPTURE_LIMIT,
    /* finer rules, which a policy may want */
    REASON_MARKER_NOT_FIRST,
    REASON_FOREIGN_MARKER,
    REASON_FOREIGN_MARKER_IN_REASONING,
    REASON_CAPTURE_INCOMPLETE,
    REASON_CONTROLLED_NOT_EXACT,
    REASON_CANARIES_OFF,
    REASON_FINISH_NOT_ALLOWED,
    REASON_USAGE_NOT_EXACT,
    /* what a reader of the numbers should know */
    REASON_CACHED_IN_UNIQUE_MODE,
    REASON_PREFIX_FILLS_PROMPT,
    REASON_UPLOAD_SLOW,
    REASON_PROMPT_OFF_PLAN,
    REASON_BURST_DELIVERY,
    REASON_USAGE_MISSING,
    REASON_USAGE_ODD,
    REASON_PAYLOADS_NOT_JSON,
    REASON_EVENTS_AFTER_DONE,
    REASON_CLIENT_LIMITED,
    /* no policy lets such a request in: there is nothing to count */
    REASON_NO_ROW,
    /* of the run */
    REASON_TAPE_INCOMPLETE,
    REASON_END_MISSING,
    REASON_P95_IS_MAX,
    REASON_READS_LOST,
    REASON_TAPE_HAS_HOLES,
    REASON_NOT_ALL_COMPLETE,
    REASON_REQUESTS_EXCLUDED,
    REASON_TOKENS_NOT_COUNTED,
    REASON_NO_DURATION,
    REASON_PROTOCOL_REASONING,
    /* of several runs that are compared */
    REASON_PROTOCOL_DIFFERS,
    REASON_CODES
};

enum reason_scope { REASON_OF_REQUEST, REASON_OF_RUN, REASON_OF_ARMS };

/* What a policy makes of a reason that applies. */
enum reason_effect {
    REASON_IGNORED,
    REASON_WARNS,
    REASON_WITHHOLDS, /* the throughput, and performance_eligible */
    REASON_EXCLUDES   /* the request from rows and metrics */
};

struct reason_set {
    uint64_t bits[2];
};

_Static_assert(REASON_CODES <= 128, "a set has room for every reason");

static inline bool reason_set_has(const struct reason_set *s, enum reason_code code)
{
    return s->bits[code / 64] >> (code % 64) & 1;
}

static inline void reason_set_add(struct reason_set *s, enum reason_code code)
{
    s->bits[code / 64] |= (uint64_t)1 << (code % 64);
}

static inline void reason_set_remove(struct reason_set *s, enum reason_code code)
{
    s->bits[code / 64] &= ~((uint64_t)1 << (code % 64));
}

#endif
