/*
 * When the pieces of work of a node begin: at once, as a rule. What is suspected of having ended the node
 * (role/work_record.h) runs alone, as far as the others can wait for it. Of a job that may have used up
 * the memory everything comes first, likewise. And when the memory for folds is used up, those that hold much of
 * it go on one at a time, so that the others, small ones above all, need not wait for them.
 */
#ifndef ROLE_WORK_TURNS_H
#define ROLE_WORK_TURNS_H

#include "base/memory_budget.h"
#include "role/node.h"
#include "role/work.h"

/* A piece of work and its turn. Embedded as the first member by what has work. */
struct work_turn {
	struct work work; /* first */
	struct work_place place;
	size_t memory; /* that it holds already, and may take more */
	uint32_t slot; /* in the node's record, while it runs */
	bool is_suspect;
	bool is_waiting;
	uint64_t since_ms; /* it waits */
	struct work_turn *next_waiting;
};

struct work_turns {
	struct node *node;
	struct work_runner *runner;
	struct work_inline at_once;	    /* the runner, when there is no other */
	const struct memory_budget *memory; /* that they share; NULL: there is enough */
	uint32_t running;
	uint64_t first_job;	 /* 0: none */
	uint64_t first_ms;	 /* since when it goes first */
	struct work_turn *alone; /* runs, and is suspected; NULL: none */
	uint64_t alone_ms;	 /* since when */
	struct work_turn *waiting;
};

/* `runner` may be NULL: everything is done at once. `node` is borrowed. */
void work_turns_init(struct work_turns *turns, struct node *node, struct work_runner *runner);
/* Borrowed. While it is used up, those that hold much of it run one at a time. */
void work_turns_share_memory(struct work_turns *turns, const struct memory_budget *memory);
/* Has it done, now or later. The caller has zeroed it and set `place` and work.ops. */
void work_turns_start(struct work_turns *turns, struct work_turn *turn);
/* Around the work, in the thread that does it. */
void work_turns_enter(const struct work_turns *turns, struct work_turn *turn);
void work_turns_leave(void);
/*
 * The first thing of work->ops->done. `progress`: it came to its end. Afterwards the turn may be freed, and
 * work_turns_go_on says that others may begin.
 */
void work_turns_end(struct work_turns *turns, struct work_turn *turn, bool progress);
void work_turns_go_on(struct work_turns *turns);
/* With every tick: those that wait may have waited long enough. */
static inline void work_turns_on_tick(struct work_turns *turns)
{
	work_turns_go_on(turns);
}
/* It ends soon, and `done` follows. */
static inline void work_turn_stop(struct work_turn *turn)
{
	atomic_store_explicit(&turn->work.stop, true, memory_order_relaxed);
}
/* Ends it now; nothing follows. */
void work_turns_cancel(struct work_turns *turns, struct work_turn *turn);

#endif
