/* Fields of a dumped object, collected in any order and written sorted by key. */
#ifndef ANALYZER_DUMP_FIELD_H
#define ANALYZER_DUMP_FIELD_H

#include "dump.h"

#define DUMP_MAX_FIELDS 20u

struct dump_fields;

struct dump_field {
    const char *key;
    void (*write)(struct json_out *o, const struct dump_field *f);
    uint64_t u;
    int64_t i;
    struct tt_view view;
    const void *object;
    struct dump_fields *owner;
};

struct dump_fields {
    struct dump_field fields[DUMP_MAX_FIELDS];
    size_t n;
    bool text;   /* how bytes are written */
    bool failed; /* memory ran out */
};

void dump_add_u64(struct dump_fields *d, const char *key, uint64_t v); /* TAPE_NONE gives null */
void dump_add_lag(struct dump_fields *d, const char *key, int64_t v);  /* TAPE_LAG_NONE gives null */
void dump_add_bool(struct dump_fields *d, const char *key, bool v);
void dump_add_text(struct dump_fields *d, const char *key, struct tt_view v);
void dump_add_hex(struct dump_fields *d, const char *key, struct tt_view v);
/* Under "bytes" as base64 or under "text". */
void dump_add_bytes(struct dump_fields *d, struct tt_view v);
void dump_add_map(struct dump_fields *d, const char *key, const struct tape_map *map);
/* Packed array of scalars. */
void dump_add_array(struct dump_fields *d, const char *key, struct tt_view packed);
/* Packed flat array of names and values, as pairs. */
void dump_add_pairs(struct dump_fields *d, const char *key, struct tt_view packed);
void dump_add_timers(struct dump_fields *d, const char *key, const struct tape_timers *timers);
void dump_add_tcp(struct dump_fields *d, const char *key, const struct tape_tcp *tcp);

/* Sorts and writes the object. */
void dump_write_fields(struct json_out *o, struct dump_fields *d);

#endif
