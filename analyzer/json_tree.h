/* A whole JSON document as a tree (for result files, not for streams), built on
 * the strict tokenizer: numbers keep their text, duplicate keys are refused. */
#ifndef ANALYZER_JSON_TREE_H
#define ANALYZER_JSON_TREE_H

#include "../format/status.h"
#include "json.h"

#define JSON_TREE_MAX_BYTES ((size_t)512 << 20)
#define JSON_TREE_MAX_NODES ((size_t)1 << 23) /* a result of 65536 requests has 4 million */

struct json_node {
    enum json_token type;           /* OBJECT_BEGIN, ARRAY_BEGIN, STRING, NUMBER, TRUE, FALSE, NULL */
    struct tt_view key;             /* decoded UTF-8, when inside an object */
    struct tt_view text;            /* STRING: decoded UTF-8; NUMBER: as written */
    struct json_node *child, *next; /* in document order */
    size_t children;
};

struct json_tree; /* owns every node and text */

/* Errors: TT_MALFORMED (with offset; also for more than JSON_MAX_DEPTH levels), TT_LIMIT
 * (bytes, nodes), TT_NOMEM. Texts and keys have a NUL behind them that is not counted. */
enum tt_status json_tree_parse(struct json_tree **out, struct tt_view text, struct tt_error *err);
/* Reads a file, at most max_bytes of it. */
enum tt_status json_tree_load(struct json_tree **out, const char *path, size_t max_bytes, struct tt_error *err);
const struct json_node *json_tree_root(const struct json_tree *t);
const struct json_node *json_node_get(const struct json_node *object, const char *key); /* NULL: absent */
bool json_node_double(const struct json_node *n, double *v);                            /* false unless a NUMBER */
bool json_node_u64(const struct json_node *n, uint64_t *v);
void json_tree_free(struct json_tree *t);

#endif
