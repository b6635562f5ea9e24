/* What each kind of record is made of: one table that encoding, decoding and
 * bounding all follow. Internal to format/. */
#ifndef TAPE_RECORD_LAYOUT_H
#define TAPE_RECORD_LAYOUT_H

#include "record.h"

enum field_type {
    FIELD_U64,
    FIELD_U64_NIL, /* ..._NIL: the field may be nil */
    FIELD_REQUEST, /* a request number, below TAPE_MAX_REQUESTS */
    FIELD_BOOL,
    FIELD_LAG, /* signed, nil for TAPE_LAG_NONE */
    FIELD_STR,
    FIELD_STR_NIL,
    FIELD_BIN,
    FIELD_BIN_NIL,
    FIELD_HASH, /* 32 bytes */
    FIELD_HASH_NIL,
    FIELD_MAP,      /* text -> scalar */
    FIELD_HEADERS,  /* flat array of texts */
    FIELD_REQUESTS, /* flat array of request numbers */
    FIELD_TIMERS,
    FIELD_TCP_NIL
};

struct record_field {
    enum field_type type;
    uint32_t at;        /* offset in struct tape_record */
    uint32_t max_bytes; /* of texts, bytes, maps and arrays */
};

struct record_layout {
    const char *name; /* NULL: unknown kind */
    uint32_t time_at; /* offset of the time the record sorts by, 0: none */
    uint32_t field_count;
    uint32_t least; /* fields that version 1.0 has; those behind may be missing and are nil then (FIELD_U64_NIL) */
    struct record_field fields[12];
};

#define RECORD_TIMERS 6u /* elements of a timers array and of a tcp array */

/* The layout of a kind this version knows, or NULL. */
const struct record_layout *record_layout_of(uint32_t kind);

#endif
