/* One record of the tape as plain data. On the tape a record is a msgpack array
 * whose first element is the kind; the fields follow in the order they stand in
 * the structs below (RECORDS.md has the same table for other readers).
 *
 * Times are nanoseconds since the tape's base (FILE header, CLOCK_MONOTONIC),
 * unless the name says otherwise. TAPE_NONE stands for nil in a u64 field; a view
 * with p == NULL stands for nil in a text or bytes field. */
#ifndef TAPE_RECORD_H
#define TAPE_RECORD_H

#include "bytes.h"
#include "status.h"

#define TAPE_NONE UINT64_MAX
#define TAPE_LAG_NONE INT64_MIN

enum tape_kind {
    TAPE_SCHEMA = 0,
    TAPE_RUN = 1,
    TAPE_CLOCK = 2,
    TAPE_BLOB = 3,
    TAPE_PLAN = 4,
    TAPE_START = 5,
    TAPE_CONN = 6,
    TAPE_SEND = 7,
    TAPE_HEAD = 8,
    TAPE_READ = 9,
    TAPE_DONE = 10,
    TAPE_REDACT = 11,
    TAPE_LOST = 12,
    TAPE_HOST = 13,
    TAPE_TURN = 14,
    TAPE_EVENT = 15,
    TAPE_SAMPLE = 16,
    TAPE_END = 17,
    TAPE_ORIGIN = 18,
    TAPE_SIGN = 128
};

/* A msgpack map of scalars, kept packed: walk it with tape_map_next().
 * Building one: see pack.h. */
struct tape_map {
    struct tt_view packed; /* the whole map, its header included */
};

enum tape_scalar_type { TAPE_NIL, TAPE_BOOL, TAPE_UINT, TAPE_INT, TAPE_FLOAT, TAPE_STR, TAPE_BIN };

struct tape_scalar {
    enum tape_scalar_type type;
    bool boolean;
    uint64_t u; /* TAPE_UINT: any integer >= 0 */
    int64_t i;  /* TAPE_INT: negative integers only */
    double f;
    struct tt_view text; /* TAPE_STR, TAPE_BIN */
};

enum { TAPE_READ_CONTINUED = 1 }; /* READ flag: held back by redaction, original time kept */

/* TCP_INFO subset, as the kernel gives it (times in microseconds). */
struct tape_tcp {
    bool present;
    uint64_t rtt_us, rttvar_us, retransmits, snd_mss, rcv_mss, delivery_rate_bytes_s;
};

/* libcurl's own timers, microseconds since its start of the transfer. */
struct tape_timers {
    uint64_t namelookup_us, connect_us, appconnect_us, pretransfer_us, starttransfer_us, total_us;
};

struct tape_record {
    uint32_t kind; /* enum tape_kind, or an unknown kind >= 128 (payload not decoded) */
    union {
        struct {
            struct tt_view text;
        } schema;
        struct { /* RUN: keys of the maps are listed in RECORDS.md */
            uint64_t time_ns;
            struct tape_map options, versions, host;
            struct tape_map features; /* feature name -> what it fell back to, or true */
        } run;
        struct { /* CLOCK: realtime bracketed by two monotonic reads `width_ns` apart */
            uint64_t time_ns, monotonic_raw_ns, realtime_ns, boottime_ns, width_ns;
        } clock;
        struct { /* BLOB: bytes nil (and offset 0) when bodies are not kept */
            struct tt_view sha256;
            uint64_t total_bytes, offset_bytes;
            struct tt_view bytes;
        } blob;
        struct { /* PLAN: measured requests are 0..N-1, warm-ups are numbered from N on */
            uint64_t request, context_tokens;
            struct tt_view body_sha256; /* nil when the body could not be built */
            uint64_t body_bytes;
            struct tt_view marker; /* nil without canaries */
            bool warmup;
            uint64_t intended_start_ns; /* TAPE_NONE in a closed loop */
            struct tt_view fault;       /* why it cannot be sent, or nil */
        } plan;
        struct {
            uint64_t request, time_ns;
        } start;
        struct { /* CONN */
            uint64_t request, time_ns, connection, local_port;
            bool reused;
            struct tt_view tls;  /* for example "TLSv1.3 TLS_AES_256_GCM_SHA384", nil on plain TCP */
            struct tt_view http; /* "1.1", "2" */
        } conn;
        struct {
            uint64_t request, first_ns, last_ns, bytes;
            uint64_t waited_us; /* of START .. last, or TAPE_NONE */
        } send;
        struct { /* HEAD: headers is a packed flat msgpack array name, value, name, value ... */
            uint64_t request, time_ns;
            struct tt_view status_line;
            struct tt_view headers;
        } head;
        struct { /* READ */
            uint64_t request, time_ns;
            int64_t lag_ns; /* time - kernel receive time, or TAPE_LAG_NONE */
            uint64_t turn, flags;
            struct tt_view bytes;
            uint64_t blind_us; /* before time nobody had looked for so long, or TAPE_NONE */
        } read;
        struct { /* DONE: reason is one of the words of RECORDS.md */
            uint64_t request, time_ns;
            uint64_t curl_code, http_status;
            struct tt_view reason, error; /* error: redacted text or nil */
            uint64_t body_bytes, reads;
            struct tape_timers timers;
            struct tape_tcp tcp; /* absent: nil */
            uint64_t blind_us;   /* as of READ */
        } done;
        struct { /* REDACT: stream is "head", "body", "trailer" or "error" */
            uint64_t request;
            struct tt_view stream;
            uint64_t offset_bytes, length_bytes;
            struct tt_view rule;
        } redact;
        struct { /* LOST: requests is a packed msgpack array of request numbers */
            uint64_t time_ns, count, bytes;
            struct tt_view reason;
            struct tt_view requests;
        } lost;
        struct { /* HOST: TAPE_NONE where the kernel does not tell */
            uint64_t time_ns, steal_ticks, throttled_periods, pressure_cpu_us, voluntary_switches, involuntary_switches,
                rss_bytes, max_turn_gap_ns, ring_bytes, ring_high_water_bytes;
        } host;
        struct {
            uint64_t before_ns, after_ns;
        } turn;
        struct { /* EVENT: run_start, run_end, signal, cutoff, stop, note */
            uint64_t time_ns;
            struct tt_view name;
            uint64_t realtime_ns; /* absolute, or TAPE_NONE */
            struct tt_view detail;
        } event;
        struct { /* SAMPLE: status is the HTTP status, 0 when there was none */
            struct tt_view source;
            uint64_t asked_ns, answered_ns, status;
            struct tt_view bytes, error;
        } sample;
        struct { /* END: reason is "complete", "interrupted", "enospc", ... */
            uint64_t time_ns;
            struct tt_view reason;
            uint64_t planned, started, done, reads, read_bytes, lost_reads;
        } end;
        struct {
            struct tt_view head_sha256;
            struct tt_view rules;
        } origin;
    } u;
};

/* Greatest number of bytes record_encode() may need for `rec`. */
size_t record_bound(const struct tape_record *rec);

/* Packs one record. `out` has room for `cap` bytes; *len receives what was used.
 * Errors: TT_LIMIT when a field or the record passes limits.h. Any thread. */
enum tt_status record_encode(const struct tape_record *rec, uint8_t *out, size_t cap, size_t *len,
                             struct tt_error *err);

/* Unpacks the record at the start of `in`; *used receives its length. Views in
 * `rec` borrow from `in`. Extra trailing fields are ignored. Unknown kinds >= 128
 * give TT_OK with only `kind` set; unknown kinds below it TT_VERSION.
 * Allocates nothing. Errors: TT_TRUNCATED, TT_MALFORMED, TT_LIMIT, TT_VERSION. */
enum tt_status record_decode(struct tt_view in, struct tape_record *rec, size_t *used, struct tt_error *err);

/* The time the record sorts by, or TAPE_NONE for records without one. */
uint64_t record_time(const struct tape_record *rec);

/* "READ" for TAPE_READ; "KIND<n>" is up to the caller when NULL is returned. */
const char *record_kind_name(uint32_t kind);

/* Walks a packed map of scalars. *cursor starts at 0. TT_END after the last pair. */
enum tt_status tape_map_next(const struct tape_map *map, size_t *cursor, struct tt_view *key, struct tape_scalar *value,
                             struct tt_error *err);

/* Finds one key; TT_END when it is not there. */
enum tt_status tape_map_find(const struct tape_map *map, const char *key, struct tape_scalar *value,
                             struct tt_error *err);

/* Walks a packed flat array of scalars (HEAD headers, LOST requests). */
enum tt_status tape_array_next(struct tt_view packed, size_t *cursor, struct tape_scalar *value, struct tt_error *err);

/* The record table as text (what SCHEMA carries): generated from RECORDS.md at build time. */
extern const char record_table_text[];

#endif
