/*
 * What the files of local/ share.
 *
 *   run.c       decides what can run next, and runs it: scans, then fragments whose input has ended
 *   scan.c      one pass over the files of some tables, for all map fragments that read them
 *   row_order.c   the way of rows that keep the order of the input
 *   exchange.c  the instances of a fragment, and the way of a batch from one fragment to the next
 *   workers.c   the threads of one step
 *   column_cache.c   what was read once, for runs that follow
 *   report.c    what was read and what was rejected
 *   profile.c   what every operator takes, when somebody asks
 *
 * Locks are taken in one order: an instance of a fragment may be entered while an instance of one
 * of its producers is held, never the other way round. Fragments form no cycle, so nothing waits
 * for itself.
 */
#ifndef LOCAL_PRIVATE_H
#define LOCAL_PRIVATE_H

#include "exec/op/pipeline.h"
#include "exec/op/router.h"
#include "exec/table/join_build.h"
#include "local/column_cache.h"
#include "local/files.h"
#include "local/run.h"
#include "local/spill_file.h"

#include <pthread.h>
#include <stdatomic.h>

struct run_state;

/* A chunk of a scan. */
struct scan_place {
	uint32_t file; /* of those of the scan, in its order */
	uint64_t chunk;
};

/* One thread of a step. */
struct run_thread {
	struct run_state *run;
	uint32_t index;		 /* 0 .. run->threads - 1 */
	struct scan_place place; /* in a scan: what it reads */
	bool named_error;	 /* its error says in which query it rose */
};

/*
 * A pipeline with its lock and the way out of it. `worker` is whoever is inside at the moment: rows
 * that may go to any instance of the next fragment go to that worker's own.
 */
struct instance {
	struct sink sink; /* first: emit() gets back to the instance from it */
	struct run_state *run;
	struct fragment_state *state;
	pthread_mutex_t lock;
	struct pipeline *pipeline; /* NULL until rows arrive or the fragment ends */
	uint32_t index;
	struct run_thread *worker;
	struct router router;
};

/* The build sides that an input (1 or more) of a fragment collects. */
struct build_side {
	uint32_t count; /* 1 when all instances share one */
	struct join_build **builds;
	pthread_mutex_t *locks;
	bool sealed;
};

struct fragment_state {
	const struct plan_fragment *plan;
	uint32_t index; /* of the plan's fragment */
	uint32_t instance_count;
	bool instance_per_worker;
	struct instance *instances;
	struct build_side *sides;  /* by input; [0] is unused */
	struct row_order *ordered; /* its input keeps the order of a table; NULL: it need not */
	struct row_order
		*feeds; /* of a map fragment: where its rows go in order; borrowed, or NULL */
	bool done;	/* all its rows have been emitted */
};

struct run_state {
	const struct plan *plan;
	const struct catalog *catalog;
	const struct data_places *data;
	const struct local_options *options;
	struct result_sink *results;
	struct local_report *report;
	uint32_t threads;
	uint32_t partitions;
	size_t chunk_bytes;
	struct fragment_state *fragments;
	struct memory_budget budget;
	struct spill_file *spill;
	struct op_memory memory;     /* of all operators */
	struct run_profile *profile; /* NULL: nobody asks */
	uint32_t next_query;	     /* results are given out in the order of the queries */

	_Atomic uint64_t bytes_done;
	_Atomic uint64_t bytes_total;
	_Atomic uint64_t rows;

	atomic_bool failed; /* set once; `error` is written before it, under the lock */
	pthread_mutex_t error_lock;
	struct error error;
};

/* The first failure wins. Returns -1. */
int run_fail(struct run_state *run, const struct error *err);
/* True when the workers should leave: somebody failed, or the user interrupted. */
bool run_stopping(struct run_state *run);

/* exchange.c */
MUST_CHECK int fragment_state_init(struct run_state *run, uint32_t fragment, struct error *err);
void fragment_state_release(struct fragment_state *state);
/* All rows of the fragment have been emitted: what it joined with is not needed any more. */
void fragment_state_end(struct fragment_state *state);
MUST_CHECK int instance_push(struct instance *instance, struct run_thread *worker,
	const struct batch *batch, struct error *err);
/* Ends the instance's input: emits what it holds and frees it. */
MUST_CHECK int instance_finish(
	struct instance *instance, struct run_thread *worker, struct error *err);

/*
 * row_order.c. Every chunk that a scan deals out is ended, also one without rows, and so is every file;
 * worker->place says which one the thread is at. For a fragment whose input comes in order.
 */
struct row_order *row_order_new(struct run_state *run, struct fragment_state *to);
void row_order_free(struct row_order *ordered);
/* The files of its table stand side by side in the scan that begins. */
void row_order_start(struct row_order *ordered, uint32_t first_file, uint32_t file_count);
MUST_CHECK int row_order_add(struct row_order *ordered, struct run_thread *worker,
	const struct batch *batch, struct error *err);
MUST_CHECK int row_order_end_chunk(
	struct row_order *ordered, struct run_thread *worker, struct error *err);
MUST_CHECK int row_order_end_file(struct row_order *ordered, struct run_thread *worker,
	uint32_t file, uint64_t chunks, struct error *err);
/* A chunk lacks rows that it should have: no row behind it may go on. */
void row_order_stall(struct row_order *ordered);
/* There is a limit, and it was reached: nobody wants more rows. */
bool row_order_is_limited(const struct row_order *ordered);
bool row_order_is_full(const struct row_order *ordered);
/*
 * Waits until it is the turn of the thread's chunk, which has failed: true when the limit was reached
 * before, so that it does not matter.
 */
bool row_order_refuses(struct row_order *ordered, struct run_thread *worker);

/* workers.c: runs `work` on up to `threads` threads, shows progress, waits for all of them. */
typedef int (*worker_fn)(struct run_thread *worker, void *context, struct error *err);
MUST_CHECK int workers_run(
	struct run_state *run, uint32_t threads, worker_fn work, void *context, struct error *err);

/* scan.c: one pass over tables[t] for those map fragments f that have wanted[f]. */
MUST_CHECK int scan_run(struct run_state *run, const bool *wanted, struct error *err);

/* profile.c: measures, where the run's options ask for it. What is NULL or whole otherwise is said. */
struct run_profile;
void profile_begin(struct run_state *run);
/* Fills in what the options want. */
void profile_end(struct run_state *run);
void profile_free(struct run_state *run);
/* The part of the memory that an operator of a fragment has; without a profile all of it. */
const struct op_memory *profile_memory(struct run_state *run, uint32_t fragment, uint32_t op);
/* For runs with a profile alone: */
void profile_pipeline(struct run_state *run, uint32_t fragment, struct pipeline *pipeline);
void profile_enter(struct run_thread *worker, struct pipeline *pipeline);
/* The thread reads the table from now on (PLAN_NONE: none). Nothing happens without a profile. */
void profile_read(struct run_thread *worker, uint32_t table);

/* report.c */
void report_init(struct run_state *run);
/*
 * Adds what the tallies of one scan of a table hold. The files are still open: a reject's line is
 * known only now that all chunks before it have been counted.
 */
void report_add(struct local_report *report, uint32_t table, uint32_t tally_count,
	const struct csv_tally *tallies, uint32_t file_count, uint64_t bytes);
/*
 * The same for the doubts of a table; `columns` has the column of the catalog's `table` for each of
 * theirs. `whole`: the scan came to its end, so that lines are known.
 */
void report_doubts(struct local_report *report, uint32_t table, const uint32_t *columns,
	uint32_t tally_count, const struct csv_tally *tallies, bool whole);
/* The files are still open: what is worth a note about the way they were read. */
void report_note(struct local_report *report, const struct csv_file *file);
void report_add_note(struct local_report *report, const char *note);
/* ERROR_DATA when a table has more rejects than it may, with what most of them have in common. */
MUST_CHECK int report_check(
	const struct local_report *report, const struct reject_limit *limit, struct error *err);
/* Sorts the rejects, drops what two scans of one table both saw, cuts to `kept_max`. */
void report_finish(struct local_report *report, uint64_t kept_max);

#endif
