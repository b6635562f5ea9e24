/* Streams that share a connection share the account of what its sender held back: what one does not take keeps back the
 * others. It lasts while one of them does. */
#include <stdlib.h>
#include <string.h>

#include "load_parts.h"

struct load_connection {
    struct backlog backlog; /* the first: what streams know of it */
    uint64_t number, streams;
};

/* Numbers of connections that are open at a time lie close together, so hardly two of them share a place; then the
 * later one has an account for each of its streams. */
static struct load_connection **place_of(const struct loader *l, uint64_t number)
{
    return &l->connections[number % loader_total(l)];
}

static bool may_share(const struct request *r)
{
    return strcmp(r->http_version, "2") == 0 && r->connection != 0 && r->connection != TAPE_NONE;
}

enum tt_status load_backlog_take(struct loader *l, const struct request *r, struct backlog **out)
{
    *out = NULL;
    if (!may_share(r))
        return TT_OK;
    if (!l->connections && !(l->connections = calloc(loader_total(l), sizeof(struct load_connection *))))
        return TT_NOMEM;
    struct load_connection **c = place_of(l, r->connection);
    if (!*c) {
        if (!(*c = calloc(1, sizeof **c)))
            return TT_NOMEM;
        (*c)->number = r->connection;
        backlog_begin(&(*c)->backlog);
    }
    if ((*c)->number != r->connection)
        return TT_OK;
    (*c)->streams++;
    *out = &(*c)->backlog;
    return TT_OK;
}

void load_backlog_give(struct loader *l, struct backlog *shared)
{
    struct load_connection *c = (struct load_connection *)(void *)shared;
    if (!c || --c->streams > 0)
        return;
    *place_of(l, c->number) = NULL;
    free(c);
}

void load_backlogs_free(struct loader *l)
{
    for (size_t i = 0; l->connections && i < loader_total(l); i++)
        free(l->connections[i]);
    free(l->connections);
}
