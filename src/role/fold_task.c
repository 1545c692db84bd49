#include "role/fold_task.h"

#include "base/memory.h"
#include "base/metrics.h"
#include "base/mutant.h"
#include "base/trace.h"
#include "role/fold_node.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What a fold may put out before somebody takes it: it waits then. */
#define OUTPUT_BYTES_MAX (4u << 20)

struct task_output {
	struct task_output *next;
	flow_stream stream;
	uint32_t number;
	uint32_t node;
	size_t size;
	uint8_t bytes[];
};

struct fold_task {
	struct work_turn turn; /* first */
	struct fold_task *next;
	struct fold_job *at;
	struct fold_work *fold_work;
	/* The only thing that two threads share. */
	pthread_mutex_t lock;
	struct task_output *first;
	struct task_output **last;
	size_t bytes;
};

/* --- in any thread -------------------------------------------------------------------------------
 */

static int set_aside(void *context, flow_stream stream, uint32_t number, uint32_t node,
	const void *bytes, size_t size, struct error *err)
{
	struct fold_task *task = context;
	struct task_output *output = memory_alloc(sizeof(*output) + size);
	bool much;

	*output = (struct task_output){
		.stream = stream, .number = number, .node = node, .size = size};
	memcpy(output->bytes, bytes, size);
	pthread_mutex_lock(&task->lock);
	*task->last = output;
	task->last = &output->next;
	task->bytes += size;
	much = task->bytes > OUTPUT_BYTES_MAX;
	pthread_mutex_unlock(&task->lock);
	if (much) {
		struct work_runner *runner = task->at->owner->turns.runner;

		runner->ops->wait_for_drain(runner, &task->turn.work);
	}
	if (atomic_load_explicit(&task->turn.work.stop, memory_order_relaxed))
		return error_set(err, ERROR_INTERRUPTED, "interrupted");
	return 0;
}

static void run(struct work *work)
{
	struct fold_task *task = (struct fold_task *)work;
	uint64_t started_us = trace_now();

	work_turns_enter(&task->at->owner->turns, &task->turn);
	fold_work_run(task->fold_work, set_aside, task, &work->stop);
	work_turns_leave();
	trace_add(&(struct trace_event){.job = task->turn.place.job,
		.kind = TRACE_FOLD,
		.part = flow_stream_producer(task->turn.place.stream),
		.instance = flow_stream_instance(task->turn.place.stream),
		.number = task->fold_work->count,
		.started_us = started_us,
		.bytes = task->fold_work->bytes});
}

/* --- in the role's thread ------------------------------------------------------------------------
 */

static void drain(struct work *work)
{
	struct fold_task *task = (struct fold_task *)work;
	struct task_output *output, *next;

	pthread_mutex_lock(&task->lock);
	output = task->first;
	task->first = NULL;
	task->last = &task->first;
	task->bytes = 0;
	pthread_mutex_unlock(&task->lock);
	for (; output; output = next) {
		next = output->next;
		fold_node_on_output(task->at, output->stream, output->number, output->node,
			output->bytes, output->size);
		free(output);
	}
}

static void task_free(struct fold_task *task)
{
	struct fold_task **at = &task->at->tasks;

	while (*at != task)
		at = &(*at)->next;
	*at = task->next;
	while (task->first) {
		struct task_output *next = task->first->next;

		free(task->first);
		task->first = next;
	}
	pthread_mutex_destroy(&task->lock);
	free(task);
}

/* --- its life ------------------------------------------------------------------------------------
 */

static void done(struct work *work)
{
	struct fold_task *task = (struct fold_task *)work;
	struct fold_work *fold_work = task->fold_work;
	struct fold_job *at = task->at;
	struct work_turns *turns = &at->owner->turns;

	drain(work);
	metric_add(METRIC_PACKETS_FOLDED, fold_work->count);
	work_turns_end(turns, &task->turn, fold_work->status == 0);
	task_free(task);
	fold_node_on_done(at, fold_work);
	work_turns_go_on(turns);
}

void fold_task_start(struct fold_job *at, struct fold_work *work)
{
	static const struct work_ops ops = {run, drain, done};
	struct fold_task *task = memory_zalloc(sizeof(*task));

	task->turn.work.ops = &ops;
	task->turn.place = (struct work_place){.job = at->job->id,
		.stream = fold_stream(work->fold),
		.first = work->first,
		.end = work->first + work->count + work->finish,
		.keeps = 1};
	task->turn.memory = fold_memory(work->fold);
	task->at = at;
	task->fold_work = work;
	task->last = &task->first;
	pthread_mutex_init(&task->lock, NULL);
	task->next = at->tasks;
	at->tasks = task;
	work_turns_start(&at->owner->turns, &task->turn);
}

void fold_task_stop_all(struct fold_job *at)
{
	if (MUTANT(CANCEL_LEAVES_FOLD))
		return;
	for (struct fold_task *task = at->tasks; task; task = task->next)
		work_turn_stop(&task->turn);
}

void fold_task_cancel_all(struct fold_job *at)
{
	fold_task_stop_all(at);
	while (at->tasks) {
		struct fold_task *task = at->tasks;

		work_turns_cancel(&at->owner->turns, &task->turn);
		fold_work_free(task->fold_work);
		task_free(task);
	}
}
