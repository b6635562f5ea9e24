/* What one answer's bytes mean: framing, events, deltas, times. Fed with the
 * READs of one request in order; knows nothing of the tape or of other requests.
 *
 * What the rules leave open is settled so:
 * - Reads with the same time are one read: a long one comes in several pieces, and
 *   what redaction held back comes later with the time of the read it is from.
 * - `[DONE]` is terminal. Events behind it are counted (events, events_after_done)
 *   and change nothing else. Its own time is that of its line end, and it stands
 *   even when the body breaks before its blank line.
 * - An answer that says it is something else than text/event-stream, or that is
 *   compressed, is de-framed and counted but not read as events.
 * - A payload that is not whole JSON has no effect at all but its count.
 * - `usage` is the last non-empty object, and usage_ns its time.
 * - An error is a top-level `error` member that is not null, `"object": "error"`,
 *   `event: error`, or a line without `data:` that says `error: ...` or is a JSON
 *   object with such a member.
 * - body_complete is false when a fault kept the body from being read to its end. */
#ifndef ANALYZER_STREAM_H
#define ANALYZER_STREAM_H

#include "../format/bytes.h"
#include "../format/record.h"
#include "../format/status.h"
#include "backlog.h"
#include "dechunk.h"
#include "observe.h"

#define STREAM_FINISH_CHARS 128u /* kept of one finish reason */
#define STREAM_MAX_FINISH_REASONS 1024u
#define STREAM_STAMP_NS 20000u     /* RECORDS.md: a lag is wrong by so much at most */
#define STREAM_APART_NS 200000u    /* sooner, it came with it: a segment, or libcurl's buffer, ended there */
#define STREAM_KEPT_TEXT_BYTES 32u /* one takes so much besides its characters */

enum stream_endpoint { STREAM_CHAT, STREAM_COMPLETIONS };

/* An optional count; has == false is JSON null. */
struct opt_u64 {
    bool has;
    uint64_t v;
};

struct usage_facts {
    bool seen; /* a non-empty usage object was seen: the last one counts */
    struct opt_u64 prompt_tokens, completion_tokens, total_tokens, cached_tokens, reasoning_tokens;
    uint64_t odd_numbers; /* counts that were floats, strings, negative or too large: taken as absent */
};

/* What a READ says of when its bytes had come, beside its time. */
struct stream_arrival {
    int64_t lag_ns;           /* TAPE_LAG_NONE: not known */
    uint64_t blind_us;        /* TAPE_NONE: not known */
    uint64_t turn;            /* of the recorder\'s loop */
    struct backlog_held held; /* the sender may have been kept from sending them; the stream's own sum */
};

/* The read that decided a time: the one with the byte that it waited for. */
struct stream_deciding {
    uint64_t time_ns; /* TAPE_NONE: none did */
    struct stream_arrival arrival;
    uint64_t end_at; /* payload up to that byte */
    bool is_last;    /* behind that byte the read brought nothing but ends of lines and the end of its chunk */
};

/* Times are ns since the tape's base, TAPE_NONE where it did not happen. */
struct stream_facts {
    /* head */
    bool head_seen;
    unsigned http_status; /* of the final response, 0 without one */
    bool event_stream;    /* content-type is text/event-stream */
    bool has_content_type;
    bool compressed; /* content-encoding other than identity */
    enum body_framing framing;
    struct opt_u64 retry_after_s;
    /* body */
    bool body_complete;     /* framing says so; for BODY_CLOSE: the transport ended cleanly */
    const char *body_fault; /* static text of the first framing error, NULL when none */
    bool event_too_large;   /* an event passed SSE_MAX_EVENT_BYTES or what the pool had: reading stopped there */
    uint64_t body_bytes, payload_bytes, reads;
    uint64_t surplus_bytes; /* behind the body's end */
    uint64_t events, events_sharing_a_read, comments, payloads_not_json, payloads_without_choices;
    uint64_t events_after_done, unknown_fields;
    /* deltas */
    uint64_t reasoning_chunks, content_chunks, tool_call_chunks, refusal_chunks;
    uint64_t content_chars, content_bytes;
    bool visible_content_truncated;
    bool done_seen, error_seen;
    char error_kind[96]; /* type or code of an in-band error object, [A-Za-z0-9_.-] only, or "" */
    struct usage_facts usage;
    size_t finish_reason_count;
    char **finish_reasons;        /* UTF-8, owned by the facts; U+0000 stands as U+FFFD */
    uint64_t finish_reasons_lost; /* beyond STREAM_MAX_FINISH_REASONS, or what text_left allows */
    /* times */
    uint64_t head_ns, first_byte_ns, last_byte_ns, role_ns, first_reasoning_ns, last_reasoning_ns, first_content_ns,
        last_content_ns, first_tool_call_ns, last_tool_call_ns, usage_ns, finish_ns, done_ns, error_ns,
        first_comment_ns, last_comment_ns;
    /* E2E ends here: read of [DONE], else read of the body's last byte, else the transport's end */
    uint64_t end_ns;
    /* reads that decided the first reasoning or content delta, the first content delta, end_ns */
    struct stream_deciding first_output, first_content, end;
    bool ends_apart; /* the end of a line or chunk came in a read STREAM_APART_NS later than what it ends, or more */
    /* observations; canary is meaningful when a marker was given, controlled when words were */
    struct canary_facts canary, canary_full;
    struct controlled_facts controlled, controlled_full;
    uint64_t reasoning_foreign_markers;
};

struct stream_options {
    enum stream_endpoint endpoint;
    struct observe_rules observe; /* borrowed for the life of the stream */
    struct stream_facts *facts;   /* borrowed: written as they come; NULL: the stream has its own */
    struct pool *pool;            /* shared by the streams of a run; NULL: this stream has its own limit alone */
    struct backlog *backlog;      /* shared by the streams of a connection; NULL: its own */
    uint64_t *text_left; /* bytes that finish reasons but the first of each may still take in a run; NULL: any */
};

struct stream; /* opaque */

/* Facts of an answer of which nothing has come; what they own is freed with stream_facts_free(). */
void stream_facts_begin(struct stream_facts *facts);
void stream_facts_free(struct stream_facts *facts);

struct stream *stream_create(const struct stream_options *options); /* begins the facts. NULL: no memory */
/* A response head: status line and packed header array as in record HEAD. 1xx heads are passed over. */
enum tt_status stream_head(struct stream *s, uint64_t time_ns, struct tt_view status_line, struct tt_view headers);
/* Of the next stream_read() or stream_end(): when its bytes had come. Without it that is not known. */
void stream_arrives(struct stream *s, struct stream_arrival arrival);
/* Bytes of one READ. What they lack or break is a fact, not an error: only TT_NOMEM. */
enum tt_status stream_read(struct stream *s, uint64_t time_ns, struct tt_view bytes);
/* The transport ended; clean: without a fault. Completes the facts. Call once, last. */
enum tt_status stream_end(struct stream *s, uint64_t time_ns, bool clean);
/* Facts so far; final after stream_end(). Valid until stream_free(). */
const struct stream_facts *stream_facts(const struct stream *s);
/* Called for each event in order, for `timeline` and for tests; NULL to stop. The label is
 * one of "role", "reasoning", "content", "tool_call", "refusal", "usage", "finish", "done", "error", "comment",
 * "other", "not_json"; an event can give several labels. */
void stream_watch(struct stream *s, void (*label)(void *ctx, uint64_t time_ns, const char *label), void *ctx);
/* That of its options. */
struct backlog *stream_backlog(const struct stream *s);
void stream_free(struct stream *s);

#endif
