/* Finds many byte strings in one pass (Aho-Corasick): each byte costs a table look
 * where nothing matches. The state says how many of the last bytes could begin one
 * of the strings: what has to be held back. */
#ifndef RECORDER_REDACT_MATCH_H
#define RECORDER_REDACT_MATCH_H

#include "../format/bytes.h"

struct match_node {
    uint32_t child, sibling; /* 0: none */
    uint32_t fail;           /* longest proper suffix that is a prefix of some string */
    uint32_t depth;          /* bytes matched here */
    uint32_t length;         /* of the longest string that ends here, 0: none */
    const char *rule;
    uint8_t byte;
};

struct match {
    struct match_node *nodes; /* nodes[0] is the root */
    uint32_t count, cap;
    uint32_t first[256]; /* the root's children, 0: none */
    uint32_t longest;
};

/* Adds a string; false: no memory. Then match_finish() once. */
bool match_add(struct match *m, struct tt_view text, const char *rule);
bool match_finish(struct match *m);
void match_clear(struct match *m); /* wipes */

static inline uint32_t match_child(const struct match *m, uint32_t state, uint8_t byte)
{
    if (state == 0)
        return m->first[byte];
    uint32_t c = m->nodes[state].child;
    while (c && m->nodes[c].byte != byte)
        c = m->nodes[c].sibling;
    return c;
}

static inline uint32_t match_next(const struct match *m, uint32_t state, uint8_t byte)
{
    for (;;) {
        uint32_t c = match_child(m, state, byte);
        if (c || state == 0)
            return c;
        state = m->nodes[state].fail;
    }
}

#endif
