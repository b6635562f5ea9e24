/* Memory that all streams of one run share for events that are not yet whole. The
 * limit is one for all of them together, so that a tape of many unended lines takes no
 * more than a tape of one. When it is spent, he who holds most loses what he holds, be
 * it the one that asks or another: a stream with little is never the victim of one with
 * much. Counted is what was asked for, in the order of the tape, never what an allocator
 * or a machine makes of it: the same tape has the same victims everywhere. */
#ifndef ANALYZER_POOL_H
#define ANALYZER_POOL_H

#include <stddef.h>

#include "../format/status.h"

#define POOL_CLASSES 33u /* by powers of two */

struct pool_account {  /* starts zeroed, then pool_join() */
    struct pool *pool; /* NULL: on its own, without a limit */
    size_t held;
    void (*drop)(void *owner); /* has to give everything back with pool_return() */
    void *owner;
    struct pool_account *next, *previous; /* of those that hold as much, to a factor of two */
};

struct pool {
    size_t limit, used;
    struct pool_account *first[POOL_CLASSES], *last[POOL_CLASSES]; /* in the order of their last change */
};

/* pool may be NULL. */
void pool_join(struct pool_account *account, struct pool *pool, void (*drop)(void *owner), void *owner);
/* TT_LIMIT when the pool is spent and nobody holds more (to a factor of two) than this account would. */
enum tt_status pool_take(struct pool_account *account, size_t bytes);
void pool_return(struct pool_account *account, size_t bytes);

#endif
