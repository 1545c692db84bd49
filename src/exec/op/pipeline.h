/*
 * A running instance of a plan's fragment: batches pushed in at one end come out at a sink.
 *
 * Legal order of calls: init, any number of push, finish once, release. A pipeline belongs to one
 * thread at a time. It sees no file, no network and no clock, so it can be replayed.
 */
#ifndef EXEC_PIPELINE_H
#define EXEC_PIPELINE_H

#include "exec/op/meter.h"
#include "exec/table/join_build.h"
#include "exec/table/spill.h"
#include "plan/plan.h"
#include <stdatomic.h>

/* Where the rows of a pipeline go. The batch is borrowed for the duration of the call. */
struct sink {
	int (*emit)(struct sink *sink, const struct batch *batch, struct error *err);
};

struct pipeline;

/*
 * `builds[i]` is the sealed build side, or what a recursion reads, for input i of the fragment (NULL
 * for input 0); borrowed. `sink` is borrowed. Both outlive the pipeline.
 */
MUST_CHECK int pipeline_new(struct pipeline **out, const struct plan_fragment *fragment,
	const struct join_build *const *builds, struct sink *sink, struct error *err);
void pipeline_free(struct pipeline *pipeline);

/*
 * Whoever sets *stop ends a push or finish that is under way, with ERROR_INTERRUPTED: operators look
 * at it between batches and within what can take long. *failed does the same, of the threads beside
 * this one. Both are borrowed until the next such call; NULL: nobody will.
 */
void pipeline_stop_with(
	struct pipeline *pipeline, const atomic_bool *stop, const atomic_bool *failed);

/* The memory that its operators may take. Borrowed, and set before the first push; NULL: any. */
void pipeline_work_with(struct pipeline *pipeline, const struct op_memory *memory);

/*
 * Measures it from now on: operator i is counts[first + i] of the meter, and what leaves the last one comes behind them; it
 * works with memory[i]. Borrowed; before the first push, and instead of pipeline_work_with.
 */
void pipeline_measure(struct pipeline *pipeline, uint32_t first, const struct op_memory *memory);
/* Who pushes next, or finishes; for a pipeline that is measured. */
void pipeline_enter(struct pipeline *pipeline, struct meter *meter);

MUST_CHECK int pipeline_push(
	struct pipeline *pipeline, const struct batch *batch, struct error *err);
/* The input has ended: blocking operators emit, from the first to the last. */
MUST_CHECK int pipeline_finish(struct pipeline *pipeline, struct error *err);

#endif
