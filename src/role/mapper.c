#include "role/mapper.h"

#include "base/memory.h"
#include "base/metrics.h"
#include "base/mutant.h"
#include "base/trace.h"
#include "scan/chunk_map.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mapped_table {
	struct chunk_map *map; /* NULL until its first chunk */
	struct packer *packer;
};

/* A chunk that waits, or is mapped. */
struct map_task {
	struct work_turn turn; /* first */
	struct map_task *next;
	struct mapper *mapper;
	uint32_t table;
	uint32_t number;
	const void *text;
	size_t size;
	void *chunk;
	bool counts; /* its rows, and makes no packets */
	struct mapper_result result;
	struct mapper_packet *packets; /* of the result */
	struct mapper_packet **last;
};

struct mapper {
	struct work_turns *turns;
	struct job *job;
	struct mapper_handler handler;
	struct map_task *tasks; /* the first one is at hand, unless all of them wait */
	struct map_task **last;
	bool is_busy;	 /* with the first one */
	bool is_stopped; /* and the handler's `rests` is owed while it is busy */
	struct mapped_table *tables;
};

struct mapper *mapper_new(
	struct work_turns *turns, struct job *job, const struct mapper_handler *handler)
{
	struct mapper *mapper = memory_zalloc(sizeof(*mapper));

	mapper->turns = turns;
	mapper->job = job;
	mapper->handler = *handler;
	mapper->last = &mapper->tasks;
	mapper->tables = memory_zalloc((job->plan->table_count + 1) * sizeof(*mapper->tables));
	return mapper;
}

bool mapper_rests(const struct mapper *mapper)
{
	return !mapper->is_busy;
}

/* --- in any thread -------------------------------------------------------------------------------
 */

static int emit(void *context, uint32_t fragment, const struct batch *batch, struct error *err)
{
	return packer_add(context, fragment, batch, err);
}

static int set_aside(
	void *context, uint32_t node, const void *bytes, size_t size, struct error *err)
{
	struct map_task *task = context;
	struct mapper_packet *packet = memory_alloc(sizeof(*packet) + size);

	(void)err;
	*packet = (struct mapper_packet){.node = node, .size = size};
	memcpy(packet->bytes, bytes, size);
	*task->last = packet;
	task->last = &packet->next;
	return 0;
}

static int map_chunk(struct map_task *task, struct mapped_table *at, struct error *err)
{
	const struct job *job = task->mapper->job;
	struct csv_tally tally;
	char origin[128];
	int status;

	snprintf(origin, sizeof(origin), "chunk %u of %.80s", task->number,
		job->plan->tables[task->table].name);
	csv_tally_init(&tally, 0);
	packer_start(at->packer, task->number);
	status = chunk_map_run(at->map, origin, task->text, task->size, &tally,
		task->counts ? NULL : emit, at->packer, &task->turn.work.stop, err);
	task->result.rows = (uint32_t)tally.rows;
	task->result.rejects = (uint32_t)tally.rejects;
	metric_add(METRIC_MAPPED_CHUNKS, 1);
	metric_add(METRIC_MAPPED_ROWS, tally.rows);
	csv_tally_release(&tally);
	return status || task->counts ? status : packer_cut(at->packer, set_aside, task, err);
}

static void run(struct work *work)
{
	struct map_task *task = (struct map_task *)work;
	const struct job *job = task->mapper->job;
	struct mapped_table *at = &task->mapper->tables[task->table];
	flow_stream stream = flow_stream_table(task->table);
	uint64_t started_us = trace_now();

	work_turns_enter(task->mapper->turns, &task->turn);
	if (!at->map) {
		at->map = chunk_map_new(job->plan, &job->catalog, task->table);
		at->packer = packer_new(&job->topology, job->id, stream);
	}
	task->result.status = map_chunk(task, at, &task->result.error);
	if (task->result.status) {
		/* What it holds of the chunk must not be in the next one. */
		packer_free(at->packer);
		at->packer = packer_new(&job->topology, job->id, stream);
	}
	work_turns_leave();
	trace_add(&(struct trace_event){.job = job->id,
		.kind = TRACE_MAP,
		.part = task->table,
		.number = task->number,
		.started_us = started_us,
		.rows = task->result.rows,
		.rejects = task->result.rejects,
		.bytes = task->size});
}

/* --- in the role's thread ------------------------------------------------------------------------
 */

/* What it puts out is as large as its chunk, and leaves when it is done. */
static void drain(struct work *work)
{
	(void)work;
}

static void task_free(struct map_task *task)
{
	while (task->packets) {
		struct mapper_packet *next = task->packets->next;

		free(task->packets);
		task->packets = next;
	}
	free(task);
}

static struct map_task *take_first(struct mapper *mapper)
{
	struct map_task *task = mapper->tasks;

	mapper->tasks = task->next;
	if (!mapper->tasks)
		mapper->last = &mapper->tasks;
	return task;
}

static void tell(struct mapper *mapper, struct map_task *task)
{
	task->result.packets = task->result.status ? NULL : task->packets;
	mapper->handler.mapped(mapper->handler.context, mapper->job, task->chunk, &task->result);
	task_free(task);
}

static void refuse_waiting(struct mapper *mapper)
{
	while (mapper->tasks) {
		struct map_task *task = take_first(mapper);

		task->result.status =
			error_set(&task->result.error, ERROR_INTERRUPTED, "interrupted");
		tell(mapper, task);
	}
}

/* The first chunk that the node does not refuse, if none is at hand. */
static void start_next(struct mapper *mapper)
{
	while (mapper->tasks && !mapper->is_busy) {
		struct map_task *task = mapper->tasks;

		if (node_condemns(mapper->turns->node, mapper->job->id, &task->result.error)) {
			task->result.status = -1;
			tell(mapper, take_first(mapper));
			continue;
		}
		mapper->is_busy = true;
		work_turns_start(mapper->turns, &task->turn);
	}
}

static void done(struct work *work)
{
	struct map_task *task = (struct map_task *)work;
	struct mapper *mapper = task->mapper;
	struct work_turns *turns = mapper->turns;

	assert(mapper->is_busy && mapper->tasks == task);
	work_turns_end(turns, &task->turn, task->result.status == 0);
	mapper->is_busy = false;
	tell(mapper, take_first(mapper));
	if (mapper->is_stopped) {
		refuse_waiting(mapper);
		mapper->handler.rests(mapper->handler.context, mapper->job);
	} else {
		start_next(mapper);
	}
	work_turns_go_on(turns);
}

static void add_task(struct mapper *mapper, uint32_t table, uint32_t number, const void *text,
	size_t size, void *chunk, bool counts)
{
	static const struct work_ops ops = {run, drain, done};
	struct map_task *task = memory_zalloc(sizeof(*task));

	assert(!mapper->is_stopped);
	task->turn.work.ops = &ops;
	task->turn.place = (struct work_place){
		mapper->job->id, flow_stream_table(table), number, number + 1ull, 0};
	task->mapper = mapper;
	task->table = table;
	task->number = number;
	task->text = text;
	task->size = size;
	task->chunk = chunk;
	task->counts = counts;
	task->last = &task->packets;
	*mapper->last = task;
	mapper->last = &task->next;
	start_next(mapper);
}

void mapper_take(struct mapper *mapper, uint32_t table, uint32_t number, const void *text,
	size_t size, void *chunk)
{
	add_task(mapper, table, number, text, size, chunk, false);
}

void mapper_count(struct mapper *mapper, uint32_t table, uint32_t number, const void *text,
	size_t size, void *chunk)
{
	add_task(mapper, table, number, text, size, chunk, true);
}

int mapper_publish(const struct mapper_result *result, const struct job *job,
	struct publish_group *group, struct transport *transport, struct error *err)
{
	for (const struct mapper_packet *packet = result->packets; packet; packet = packet->next) {
		char queue[TRANSPORT_QUEUE_NAME_MAX];

		node_queue_name(job, packet->node, queue, sizeof(queue));
		if (publish_group_publish(
			    group, transport, queue, packet->bytes, packet->size, err))
			return -1;
	}
	return 0;
}

void mapper_stop(struct mapper *mapper)
{
	mapper->is_stopped = true;
	if (mapper->is_busy && !MUTANT(CANCEL_LEAVES_FOLD))
		work_turn_stop(&mapper->tasks->turn);
}

void mapper_free(struct mapper *mapper)
{
	if (!mapper)
		return;
	if (mapper->is_busy) {
		work_turn_stop(&mapper->tasks->turn);
		work_turns_cancel(mapper->turns, &mapper->tasks->turn);
	}
	while (mapper->tasks)
		task_free(take_first(mapper));
	for (uint32_t t = 0; t < mapper->job->plan->table_count; t++) {
		chunk_map_free(mapper->tables[t].map);
		packer_free(mapper->tables[t].packer);
	}
	free(mapper->tables);
	free(mapper);
}
