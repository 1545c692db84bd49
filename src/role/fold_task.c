#include "role/fold_task.h"

#include "base/memory.h"
#include "base/mutant.h"
#include "role/fold_node.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What a fold may put out before somebody takes it: it waits then. */
#define OUTPUT_BYTES_MAX (4u << 20)
/* For how long others wait for one that is suspected or goes first, and it for others. */
#define ALONE_MS 5000u

struct task_output {
	struct task_output *next;
	flow_stream stream;
	uint32_t number;
	uint32_t node;
	size_t size;
	uint8_t bytes[];
};

struct fold_task {
	struct work work; /* first */
	struct fold_task *next;
	struct fold_job *at;
	struct fold_work *fold_work;
	struct work_place place;
	uint32_t slot; /* in the node's record; set while it runs */
	bool is_suspect;
	bool is_waiting;
	uint64_t since_ms; /* it waits */
	struct fold_task *next_waiting;
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
		struct work_runner *runner = task->at->owner->runner;

		runner->ops->wait_for_drain(runner, &task->work);
	}
	if (atomic_load_explicit(&task->work.stop, memory_order_relaxed))
		return error_set(err, ERROR_INTERRUPTED, "interrupted");
	return 0;
}

static void run(struct work *work)
{
	struct fold_task *task = (struct fold_task *)work;

	task->slot = work_record_begin(task->at->owner->node.env.record, &task->place);
	fold_work_run(task->fold_work, set_aside, task, &work->stop);
	work_record_leave();
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

	work_record_finish(task->at->owner->node.env.record, task->slot, false);
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

/* --- turns ---------------------------------------------------------------------------------------
 */

static void submit(struct fold_task *task)
{
	struct fold_node *folds = task->at->owner;
	struct fold_tasks *tasks = &folds->tasks;

	task->is_waiting = false;
	tasks->running++;
	if (task->is_suspect) {
		tasks->alone = task;
		tasks->alone_ms = node_now(&folds->node);
	}
	folds->runner->ops->submit(folds->runner, &task->work);
}

/* It does not run any more. */
static void is_over(const struct fold_task *task)
{
	struct fold_tasks *tasks = &task->at->owner->tasks;

	assert(tasks->running > 0);
	tasks->running--;
	if (tasks->alone == task)
		tasks->alone = NULL;
}

/* Whether another job is tried before this one. */
static bool gives_way(struct fold_node *folds, const struct fold_task *task, uint64_t now_ms)
{
	struct fold_tasks *tasks = &folds->tasks;
	uint64_t first = work_record_goes_first(folds->node.env.record);

	if (first != tasks->first_job) {
		tasks->first_job = first;
		tasks->first_ms = now_ms;
	}
	return first != 0 && first != task->at->job->id && now_ms - tasks->first_ms < ALONE_MS &&
	       !atomic_load_explicit(&task->work.stop, memory_order_relaxed);
}

static bool may_start(const struct fold_node *folds, const struct fold_task *task, uint64_t now_ms)
{
	const struct fold_tasks *tasks = &folds->tasks;

	if (tasks->running == 0 || atomic_load_explicit(&task->work.stop, memory_order_relaxed))
		return true;
	if (task->is_suspect)
		return now_ms - task->since_ms >= ALONE_MS;
	return !tasks->alone || now_ms - tasks->alone_ms >= ALONE_MS;
}

/* The first that may start. None of the others passes one that is suspected, for a while. */
static struct fold_task **next_waiting(struct fold_node *folds, uint64_t now_ms)
{
	struct fold_task **at = &folds->tasks.waiting;

	for (; *at; at = &(*at)->next_waiting) {
		if (gives_way(folds, *at, now_ms))
			continue;
		if (may_start(folds, *at, now_ms))
			return at;
		if ((*at)->is_suspect && now_ms - (*at)->since_ms < ALONE_MS)
			return NULL;
	}
	return NULL;
}

static void start_waiting(struct fold_node *folds)
{
	uint64_t now_ms;
	struct fold_task **at;

	if (!folds->tasks.waiting)
		return;
	now_ms = node_now(&folds->node);
	while ((at = next_waiting(folds, now_ms))) {
		struct fold_task *task = *at;

		*at = task->next_waiting;
		submit(task);
	}
}

void fold_task_on_tick(struct fold_node *folds)
{
	start_waiting(folds);
}

static void enqueue(struct fold_task *task)
{
	struct fold_task **at = &task->at->owner->tasks.waiting;

	task->is_waiting = true;
	task->since_ms = node_now(&task->at->owner->node);
	while (*at)
		at = &(*at)->next_waiting;
	*at = task;
}

static void dequeue(struct fold_task *task)
{
	struct fold_task **at = &task->at->owner->tasks.waiting;

	while (*at != task) {
		assert(*at);
		at = &(*at)->next_waiting;
	}
	*at = task->next_waiting;
}

/* --- its life ------------------------------------------------------------------------------------
 */

static void done(struct work *work)
{
	struct fold_task *task = (struct fold_task *)work;
	struct fold_work *fold_work = task->fold_work;
	struct fold_job *at = task->at;
	struct fold_node *folds = at->owner;

	drain(work);
	work_record_finish(folds->node.env.record, task->slot, fold_work->status == 0);
	task->slot = WORK_SLOT_NONE;
	is_over(task);
	task_free(task);
	fold_node_on_done(at, fold_work);
	start_waiting(folds);
}

void fold_task_start(struct fold_job *at, struct fold_work *work)
{
	static const struct work_ops ops = {run, drain, done};
	struct fold_node *folds = at->owner;
	struct fold_task *task = memory_zalloc(sizeof(*task));

	task->work.ops = &ops;
	task->work.owner = at->job->id;
	task->at = at;
	task->fold_work = work;
	task->last = &task->first;
	pthread_mutex_init(&task->lock, NULL);
	task->next = at->tasks;
	at->tasks = task;
	task->slot = WORK_SLOT_NONE;
	task->place = (struct work_place){.job = at->job->id,
		.stream = fold_stream(work->fold),
		.first = work->first,
		.end = work->first + work->count + work->finish};
	task->is_suspect = work_record_suspects(folds->node.env.record, &task->place);
	/* Nothing is suspected, as a rule. */
	if (!task->is_suspect && !folds->tasks.alone && !folds->tasks.waiting &&
		!gives_way(folds, task, node_now(&folds->node))) {
		submit(task);
		return;
	}
	enqueue(task);
	start_waiting(folds);
}

void fold_task_stop_all(struct fold_job *at)
{
	if (MUTANT(CANCEL_LEAVES_FOLD))
		return;
	for (struct fold_task *task = at->tasks; task; task = task->next)
		atomic_store_explicit(&task->work.stop, true, memory_order_relaxed);
}

void fold_task_cancel_all(struct fold_job *at)
{
	struct work_runner *runner = at->owner->runner;

	fold_task_stop_all(at);
	while (at->tasks) {
		struct fold_task *task = at->tasks;

		if (task->is_waiting) {
			dequeue(task);
		} else {
			runner->ops->cancel(runner, &task->work);
			is_over(task);
		}
		fold_work_free(task->fold_work);
		task_free(task);
	}
}
