/*
 * Work that would keep a role's thread too long, done beside it. A role hands it over and goes on;
 * it comes back when it is done. Only `run` is called elsewhere: everything else of a role stays in
 * one thread.
 *
 * A process does it with threads (node/work_pool.h), the simulator in its own time, and without a
 * runner it is done at once.
 */
#ifndef ROLE_WORK_H
#define ROLE_WORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct work;

struct work_ops {
	/* In any thread; ends soon when work->stop is set. */
	void (*run)(struct work *work);
	/* In the role's thread, while it runs: takes what it has put out. */
	void (*drain)(struct work *work);
	/* In the role's thread, once, after `run`. The work may be freed by it. */
	void (*done)(struct work *work);
};

/* Embedded by what has work. Zeroed but for `ops` and `owner` when it is submitted. */
struct work {
	const struct work_ops *ops;
	uint64_t owner; /* a job: turns go round among them */
	atomic_bool stop;
	/* The runner's. */
	struct work *next;
	bool running;
	bool wants_drain;
	uint64_t submitted_us;
	uint64_t started_us;
	int thread_id;
};

struct work_runner;

struct work_runner_ops {
	void (*submit)(struct work_runner *runner, struct work *work);
	/*
	 * Called by `run`, when it has put out much: returns after a `drain`, or when it is to
	 * stop.
	 */
	void (*wait_for_drain)(struct work_runner *runner, struct work *work);
	/* Stops it, waits until nobody runs it, and forgets it: neither drain nor done follow. */
	void (*cancel)(struct work_runner *runner, struct work *work);
};

/* Embedded as the first member by whoever runs work. */
struct work_runner {
	const struct work_runner_ops *ops;
};

/* Does everything at once, in the thread that submits it, one after the other. */
struct work_inline {
	struct work_runner runner; /* first */
	struct work *first;
	struct work **last;
	bool busy;
};

void work_inline_init(struct work_inline *at_once);

#endif
