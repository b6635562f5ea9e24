/* Requests in order of a time that only grows: the oldest is always first, moving one
 * to the end costs nothing. One list for inactivity, one for done-grace. */
#ifndef RECORDER_IDLE_H
#define RECORDER_IDLE_H

#include <stddef.h>
#include <stdint.h>

struct idle_node {
    struct idle_node *before, *after; /* NULL: in no list */
    uint64_t since_ns;
};

struct idle_list {
    struct idle_node ends; /* ends.after: the oldest; ends.before: the youngest */
};

static inline void idle_init(struct idle_list *list)
{
    list->ends.before = list->ends.after = &list->ends;
}

static inline void idle_remove(struct idle_node *node)
{
    if (!node->after)
        return;
    node->before->after = node->after;
    node->after->before = node->before;
    node->before = node->after = NULL;
}

/* Puts node to the end; now_ns is not before any time given earlier. */
static inline void idle_touch(struct idle_list *list, struct idle_node *node, uint64_t now_ns)
{
    node->since_ns = now_ns;
    if (list->ends.before == node)
        return;
    idle_remove(node);
    node->before = list->ends.before;
    node->after = &list->ends;
    list->ends.before->after = node;
    list->ends.before = node;
}

static inline struct idle_node *idle_oldest(struct idle_list *list)
{
    return list->ends.after == &list->ends ? NULL : list->ends.after;
}

#endif
