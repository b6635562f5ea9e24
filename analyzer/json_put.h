/* A key with its value in one call; absent optional values are null. */
#ifndef ANALYZER_JSON_PUT_H
#define ANALYZER_JSON_PUT_H

#include "json_out.h"
#include "row.h"

static inline void json_put_text(struct json_out *o, const char *key, const char *text)
{
    json_out_key(o, key);
    json_out_cstring(o, text);
}

static inline void json_put_u64(struct json_out *o, const char *key, uint64_t v)
{
    json_out_key(o, key);
    json_out_u64(o, v);
}

static inline void json_put_bool(struct json_out *o, const char *key, bool v)
{
    json_out_key(o, key);
    json_out_bool(o, v);
}

static inline void json_put_opt_u64(struct json_out *o, const char *key, struct opt_u64 v)
{
    json_out_key(o, key);
    if (v.has)
        json_out_u64(o, v.v);
    else
        json_out_null(o);
}

static inline void json_put_opt_double(struct json_out *o, const char *key, struct opt_double v)
{
    json_out_key(o, key);
    if (v.has)
        json_out_double(o, v.v);
    else
        json_out_null(o);
}

static inline void json_put_double(struct json_out *o, const char *key, double v)
{
    json_out_key(o, key);
    json_out_double(o, v);
}

#endif
