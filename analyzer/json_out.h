/* Byte-exact JSON output: sorted keys (asserted), two-space indent, ASCII with
 * \u escapes, doubles as the shortest decimal that reads back equal with Python's
 * repr layout. Grows one buffer, unless it is drained; after an allocation failure it goes dead. */
#ifndef ANALYZER_JSON_OUT_H
#define ANALYZER_JSON_OUT_H

#include "../format/bytes.h"
#include "../format/status.h"

struct json_out;

/* indent 0: one line (for JSON lines), else spaces a level. NULL: no memory. */
struct json_out *json_out_create(unsigned indent);
void json_out_object(struct json_out *o);
void json_out_object_end(struct json_out *o);
void json_out_array(struct json_out *o);
void json_out_array_end(struct json_out *o);
void json_out_key(struct json_out *o, const char *ascii); /* keys of one object must come in ascending order */
void json_out_key_view(struct json_out *o, struct tt_view utf8);
void json_out_string(struct json_out *o, struct tt_view utf8); /* p == NULL gives null; invalid UTF-8 gives U+FFFD */
void json_out_cstring(struct json_out *o, const char *utf8);   /* NULL gives null */
void json_out_u64(struct json_out *o, uint64_t v);
void json_out_i64(struct json_out *o, int64_t v);
void json_out_double(struct json_out *o, double v);                   /* finite (asserted) */
void json_out_number_text(struct json_out *o, struct tt_view digits); /* already a JSON number: big integers */
void json_out_bool(struct json_out *o, bool v);
void json_out_null(struct json_out *o);
/* Puts one newline behind a finished top-level value (so that JSON lines can follow each other). */
void json_out_newline(struct json_out *o);
/* From here on hands over what was written whenever that is much, so that a long document takes no
 * memory; what is left at the end is in json_out_bytes(). It goes dead when `take` gives false. */
void json_out_drain_to(struct json_out *o, bool (*take)(void *ctx, struct tt_view bytes), void *ctx);
/* What was written so far and not handed over; n == 0 and p == NULL when memory ran out. */
struct tt_view json_out_bytes(const struct json_out *o);
void json_out_reset(struct json_out *o);
void json_out_free(struct json_out *o);

/* Shortest repr of a finite double as Python prints it; `out` holds at least 32 bytes. Returns its length. */
size_t json_out_repr(double v, char out[32]);

#endif
