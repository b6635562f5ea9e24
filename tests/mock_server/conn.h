/* One connection and the answer it is playing. */
#ifndef MOCK_CONN_H
#define MOCK_CONN_H

#include "request.h"
#include "script.h"

struct write_note {
    uint64_t stamp_ns, written_ns; /* before and after the write() */
    uint32_t bytes;
    uint32_t label; /* enum label */
};

struct loop {
    size_t at; /* its repeat */
    uint64_t i, count;
    uint64_t start_ns;
};

/* The answer that is being played; due_ns is script time, which no delay moves. */
struct play {
    const struct answer *answer; /* NULL: none */
    size_t at, dripped;
    uint64_t due_ns, body_sent, body_length;
    struct loop loops[SCRIPT_MAX_DEPTH];
    unsigned depth;
    bool joined, stalled, finished, blocked;
    enum framing framing;
    uint64_t outputs;
    struct buffer dripping; /* rendered text of the drip that is going on */
};

struct conn {
    int fd;
    size_t heap_at; /* 0: no timer */
    uint64_t wake_ns;
    uint64_t number, requests, accept_ns;
    uint64_t ordinal; /* of the request that is being read or answered */
    struct request request;
    struct buffer unread; /* what came behind the request that is being answered */
    struct play play;
    struct buffer out;
    size_t out_sent;
    struct stamps stamps;
    enum label out_label;
    /* for the log */
    uint64_t write_count, first_write_ns, last_write_ns, written_bytes, first_reasoning_ns, first_content_ns, done_ns;
    struct write_note *notes;
    size_t note_count, note_cap;
    bool reading_paused, paused_once;
};

enum play_result {
    PLAY_WAIT,    /* until conn->wake_ns */
    PLAY_BLOCKED, /* until the socket takes more */
    PLAY_STALL,   /* for ever */
    PLAY_END,     /* answered; the connection may be used again */
    PLAY_CLOSE,
    PLAY_RESET
};

void play_start(struct conn *c, const struct answer *a, uint64_t now_ns);
/* Goes on with the answer until it has to wait. */
enum play_result play_run(struct conn *c, uint64_t words, double chars_per_token);

#endif
