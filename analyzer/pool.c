#include "pool.h"

#include <assert.h>
#include <stdbool.h>

static unsigned class_of(size_t held)
{
    unsigned class = 0;
    while (held > 1 && class + 1 < POOL_CLASSES) {
        held >>= 1;
        class ++;
    }
    return class;
}

static void leave_class(struct pool_account *a)
{
    struct pool *p = a->pool;
    unsigned class = class_of(a->held);
    *(a->previous ? &a->previous->next : &p->first[class]) = a->next;
    *(a->next ? &a->next->previous : &p->last[class]) = a->previous;
    a->next = a->previous = NULL;
}

static void enter_class(struct pool_account *a)
{
    struct pool *p = a->pool;
    unsigned class = class_of(a->held);
    a->previous = p->last[class];
    *(a->previous ? &a->previous->next : &p->first[class]) = a;
    p->last[class] = a;
}

static void hold(struct pool_account *a, size_t held)
{
    if (a->held)
        leave_class(a);
    a->pool->used = a->pool->used - a->held + held;
    a->held = held;
    if (held)
        enter_class(a);
}

/* One that holds most, to a factor of two: of these the one whose account changed least lately. */
static struct pool_account *greatest(const struct pool *p)
{
    for (unsigned class = POOL_CLASSES; class -- > 0;)
        if (p->first[class])
            return p->first[class];
    return NULL;
}

void pool_join(struct pool_account *account, struct pool *pool, void (*drop)(void *owner), void *owner)
{
    *account = (struct pool_account){.pool = pool, .drop = drop, .owner = owner};
}

enum tt_status pool_take(struct pool_account *account, size_t bytes)
{
    struct pool *p = account->pool;
    if (!p)
        return TT_OK;
    if (bytes > p->limit || account->held > p->limit - bytes)
        return TT_LIMIT;
    while (p->used > p->limit - bytes) {
        struct pool_account *victim = greatest(p);
        if (victim == account || class_of(victim->held) <= class_of(account->held + bytes))
            return TT_LIMIT;
        victim->drop(victim->owner);
        assert(victim->held == 0);
    }
    hold(account, account->held + bytes);
    return TT_OK;
}

void pool_return(struct pool_account *account, size_t bytes)
{
    assert(bytes <= account->held || !account->pool);
    if (account->pool)
        hold(account, account->held - bytes);
}
