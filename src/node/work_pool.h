/*
 * A runner of work (role/work.h) with threads. Turns go round among the owners of work: the one that
 * has used the least time is next. There are about as many threads as processors; but work that has
 * run for LONG_MS does not count any more, and gets out of the way of everything else on the
 * machine (nice), so that short work never waits for long work to end.
 */
#ifndef NODE_WORK_POOL_H
#define NODE_WORK_POOL_H

#include "base/error.h"
#include "role/work.h"

struct work_pool;

MUST_CHECK int work_pool_new(struct work_pool **out, struct error *err);
/* After all work was done or cancelled. NULL is allowed. */
void work_pool_free(struct work_pool *pool);

struct work_runner *work_pool_runner(struct work_pool *pool);
/* Readable when work_pool_dispatch has something to do. */
int work_pool_event_fd(const struct work_pool *pool);
/* In the role's thread: takes what work has put out, unless `full`, and what is done. */
void work_pool_dispatch(struct work_pool *pool, bool full);
/* Now and then, in the role's thread: notices what takes long. */
void work_pool_on_tick(struct work_pool *pool);

#endif
