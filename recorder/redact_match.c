#include "redact_match.h"

#include <stdlib.h>

static uint32_t add_node(struct match *m, uint32_t parent, uint8_t byte)
{
    if (m->count == m->cap) {
        uint32_t cap = m->cap ? 2 * m->cap : 1024;
        struct match_node *nodes = calloc(cap, sizeof(*nodes));
        if (!nodes)
            return 0;
        if (m->nodes) {
            memcpy(nodes, m->nodes, m->count * sizeof(*nodes));
            explicit_bzero(m->nodes, m->count * sizeof(*nodes));
        }
        free(m->nodes);
        m->nodes = nodes;
        m->cap = cap;
        if (m->count == 0)
            m->count = 1; /* the root */
    }
    uint32_t n = m->count++;
    m->nodes[n] = (struct match_node){.byte = byte, .depth = m->nodes[parent].depth + 1};
    if (parent == 0) {
        m->first[byte] = n;
    } else {
        m->nodes[n].sibling = m->nodes[parent].child;
        m->nodes[parent].child = n;
    }
    return n;
}

bool match_add(struct match *m, struct tt_view text, const char *rule)
{
    uint32_t at = 0;
    for (size_t i = 0; i < text.n; i++) {
        uint32_t next = match_child(m, at, text.p[i]);
        if (!next && !(next = add_node(m, at, text.p[i])))
            return false;
        at = next;
    }
    if (at == 0)
        return true;
    if (!m->nodes[at].rule) /* the first rule that gives this string names it */
        m->nodes[at].rule = rule;
    m->nodes[at].length = m->nodes[at].depth;
    if (m->longest < m->nodes[at].depth)
        m->longest = m->nodes[at].depth;
    return true;
}

/* The failure link of a child of `parent`, and what ends there by it. */
static void link_node(struct match *m, uint32_t parent, uint32_t n)
{
    struct match_node *node = &m->nodes[n];
    node->fail = parent == 0 ? 0 : match_next(m, m->nodes[parent].fail, node->byte);
    if (node->length == 0) {
        node->length = m->nodes[node->fail].length;
        node->rule = m->nodes[node->fail].rule;
    }
}

bool match_finish(struct match *m)
{
    if (m->count == 0)
        return true;
    uint32_t *queue = malloc(m->count * sizeof(*queue)), head = 0, tail = 0;
    if (!queue)
        return false;
    for (unsigned b = 0; b < 256; b++) {
        if (!m->first[b])
            continue;
        link_node(m, 0, m->first[b]);
        queue[tail++] = m->first[b];
    }
    while (head < tail) {
        uint32_t parent = queue[head++];
        for (uint32_t c = m->nodes[parent].child; c; c = m->nodes[c].sibling) {
            link_node(m, parent, c);
            queue[tail++] = c;
        }
    }
    free(queue);
    return true;
}

void match_clear(struct match *m)
{
    if (m->nodes)
        explicit_bzero(m->nodes, m->cap * sizeof(*m->nodes));
    free(m->nodes);
    *m = (struct match){0};
}
