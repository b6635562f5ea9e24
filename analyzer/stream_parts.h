/* Private to stream*.c. */
#ifndef ANALYZER_STREAM_PARTS_H
#define ANALYZER_STREAM_PARTS_H

#include "openai.h"
#include "sse.h"
#include "stream.h"

#define STREAM_TAIL_BYTES 3u /* behind the line of [DONE]: a LF, and a blank line */

/* What an event was seen to carry; order of the labels in stream.c. */
enum stream_label {
    LABEL_ROLE,
    LABEL_REASONING,
    LABEL_CONTENT,
    LABEL_TOOL_CALL,
    LABEL_REFUSAL,
    LABEL_USAGE,
    LABEL_FINISH,
    LABEL_DONE,
    LABEL_ERROR,
    LABEL_COMMENT,
    LABEL_OTHER,
    LABEL_NOT_JSON,
    LABELS
};

struct stream {
    struct stream_facts *facts; /* options.facts, or its own */
    struct stream_options options;
    struct dechunk framing;
    struct sse *sse;
    struct observe *visible, *thinking; /* NULL when there is nothing to observe */
    enum tt_status status;              /* TT_OK or TT_NOMEM */
    bool readable;                      /* the payload is read as an event stream */
    bool done_line;                     /* the event now being read was counted as [DONE] at its line end */
    uint64_t now_ns;                    /* time of the bytes in hand */
    uint64_t last_payload_ns, complete_ns;
    struct stream_arrival next, now, at_last_payload, at_complete; /* next: of the read to come */
    struct backlog *backlog, own_backlog;
    uint64_t read_bytes, bytes_behind; /* of the read in hand: all, and those behind the last payload */
    uint8_t tail[STREAM_TAIL_BYTES];   /* the end of the payload so far */
    uint64_t group_ns, group_events;   /* events that one read delivered */
    unsigned labels;                   /* bits of the event in hand */
    void (*watch)(void *ctx, uint64_t time_ns, const char *label);
    void *watch_ctx;
};

/* stream_deciding.c */

/* A read begins: another one, or (same time) a further piece of the one in hand. */
void stream_begin_read(struct stream *s, uint64_t time_ns);
/* The read in hand is over: what came behind the bytes that decided is known now. */
void stream_end_read(struct stream *s);
/* The transport's end came so: the last read of all may have had it in the socket with its bytes. */
void stream_close_deciding(struct stream *s, uint64_t time_ns, uint64_t blind_us);
/* Bytes, or the end, that came so are the next of this stream: what the heap before them held back is told. */
struct stream_arrival stream_next_arrival(struct stream *s, uint64_t time_ns, struct stream_arrival next);
void stream_keep_tail(struct stream *s, struct tt_view payload);
/* The line in hand, of the read in hand, decides this time, if none before it did. */
void stream_decide(struct stream *s, struct stream_deciding *d);

static inline void stream_label(struct stream *s, enum stream_label label)
{
    s->labels |= 1u << label;
}

/* Keeps the first fault. */
void stream_note_fault(struct stream *s, const char *fault);

/* Effects of a payload that is JSON. event_is_error: `event: error`. */
void stream_apply(struct stream *s, const struct openai_chunk *chunk, bool event_is_error);
void stream_note_error(struct stream *s, struct tt_view named_by);
/* Judges what was observed; the last thing to happen to the facts. */
void stream_judge(struct stream *s);

#endif
