#include "flow/ledger.h"

#include "base/hash.h"
#include "base/lower_bound.h"
#include "base/memory.h"
#include "plan/plan_codec.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS_MIN 256u
#define ARENA_BLOCK (4u << 10)

struct job_list {
	struct job *first;
	struct job *last;
	uint32_t count;
};

struct ledger {
	struct job **buckets;
	uint32_t bucket_count; /* a power of two */
	struct job_list jobs;  /* in the order of opening */
	struct job_list gone;  /* and forgotten; in that order */
	uint32_t open_count;
	uint32_t node_count;
	struct ledger_node *nodes;
	uint64_t generation;
};

/* --- the jobs ------------------------------------------------------------------------------------
 */

static void list_append(struct job_list *list, struct job *job)
{
	job->next = NULL;
	job->previous = list->last;
	if (list->last)
		list->last->next = job;
	else
		list->first = job;
	list->last = job;
	list->count++;
}

static void list_remove(struct job_list *list, struct job *job)
{
	assert(list->count > 0);
	if (job->previous)
		job->previous->next = job->next;
	else
		list->first = job->next;
	if (job->next)
		job->next->previous = job->previous;
	else
		list->last = job->previous;
	list->count--;
}

static struct job **bucket_of(const struct ledger *ledger, uint64_t job)
{
	return &ledger->buckets[hash_u64(job) & (ledger->bucket_count - 1)];
}

static void make_buckets(struct ledger *ledger, uint32_t count)
{
	struct job_list *const lists[] = {&ledger->jobs, &ledger->gone};

	free(ledger->buckets);
	ledger->bucket_count = count;
	ledger->buckets = memory_zalloc(count * sizeof(*ledger->buckets));
	for (uint32_t i = 0; i < 2; i++)
		for (struct job *job = lists[i]->first; job; job = job->next) {
			struct job **bucket = bucket_of(ledger, job->id);

			job->next_in_bucket = *bucket;
			*bucket = job;
		}
}

static void add_job(struct ledger *ledger, struct job_list *list, struct job *job)
{
	struct job **bucket;

	if (ledger->jobs.count + ledger->gone.count >= ledger->bucket_count)
		make_buckets(ledger, 2 * ledger->bucket_count);
	bucket = bucket_of(ledger, job->id);
	job->next_in_bucket = *bucket;
	*bucket = job;
	list_append(list, job);
}

static void release_job(struct job *job)
{
	arena_release(&job->arena);
	free(job->closed);
	job->closed = NULL;
	job->closed_count = job->closed_capacity = 0;
	job->plan = NULL;
}

static void drop_oldest_gone(struct ledger *ledger)
{
	struct job *job = ledger->gone.first;
	struct job **at = bucket_of(ledger, job->id);

	while (*at != job) {
		assert(*at); /* what is in a list is in its bucket */
		at = &(*at)->next_in_bucket;
	}
	*at = job->next_in_bucket;
	list_remove(&ledger->gone, job);
	free(job);
}

static void drop_old_gone(struct ledger *ledger)
{
	while (ledger->gone.count > LEDGER_GONE_MAX)
		drop_oldest_gone(ledger);
}

void ledger_forget(struct ledger *ledger, struct job *job)
{
	assert(job->state == JOB_GONE && !job->attachment && !job->counted);
	release_job(job);
	list_remove(&ledger->jobs, job);
	list_append(&ledger->gone, job);
	drop_old_gone(ledger);
}

struct ledger *ledger_new(void)
{
	struct ledger *ledger = memory_zalloc(sizeof(*ledger));

	make_buckets(ledger, BUCKETS_MIN);
	return ledger;
}

static void list_release(struct job_list *list)
{
	while (list->first) {
		struct job *job = list->first;

		list_remove(list, job);
		release_job(job);
		free(job);
	}
}

void ledger_free(struct ledger *ledger)
{
	if (!ledger)
		return;
	list_release(&ledger->jobs);
	list_release(&ledger->gone);
	free(ledger->buckets);
	free(ledger->nodes);
	free(ledger);
}

struct job *ledger_find(const struct ledger *ledger, uint64_t id)
{
	struct job *job = *bucket_of(ledger, id);

	while (job && job->id != id)
		job = job->next_in_bucket;
	return job;
}

struct job *ledger_next(const struct ledger *ledger, const struct job *after)
{
	return after ? after->next : ledger->jobs.first;
}

const struct job *ledger_next_forgotten(const struct ledger *ledger, const struct job *after)
{
	return after ? after->next : ledger->gone.first;
}

/* --- one job -------------------------------------------------------------------------------------
 */

/* flow/ledger.h has the picture. */
static bool may_become(enum job_state from, enum job_state to)
{
	switch (from) {
	case JOB_OPEN: return to != JOB_OPEN;
	case JOB_DONE:
	case JOB_FAILED: return to == JOB_GONE;
	case JOB_GONE: break;
	}
	return false;
}

/* The only way from one state to another. */
static void job_become(struct job *job, enum job_state state, const struct error *reason)
{
	assert(may_become(job->state, state));
	/* Only what went wrong has a reason, and that always has one. */
	assert((state == JOB_DONE) == !reason);
	job->state = state;
	job->failure = reason;
}

/* The place of `stream` among the closed ones, or where it would stand. */
static uint32_t closed_place(const struct job *job, flow_stream stream)
{
	return LOWER_BOUND(job->closed, job->closed_count, stream, stream);
}

bool job_stream_total(const struct job *job, flow_stream stream, uint32_t *total)
{
	uint32_t at = closed_place(job, stream);

	if (at == job->closed_count || job->closed[at].stream != stream)
		return false;
	*total = job->closed[at].total;
	return true;
}

flow_stream job_result_stream(const struct job *job, uint32_t query)
{
	uint32_t f = 0;

	assert(query < job->plan->query_count);
	while (job->plan->fragments[f].query != query)
		f++;
	return flow_stream_fragment(f, 0);
}

uint32_t job_queries_done(const struct job *job)
{
	uint32_t done = 0, total;

	for (uint32_t q = 0; q < job->plan->query_count; q++)
		done += job_stream_total(job, job_result_stream(job, q), &total);
	return done;
}

bool job_is_receiving(const struct job *job)
{
	uint32_t total;

	if (job->state != JOB_OPEN)
		return false;
	for (uint32_t t = 0; t < job->plan->table_count; t++)
		if (!job_stream_total(job, flow_stream_table(t), &total))
			return true;
	return false;
}

uint32_t ledger_open_jobs(const struct ledger *ledger)
{
	return ledger->open_count;
}

uint32_t ledger_client_jobs(const struct ledger *ledger, uint64_t client)
{
	const struct job *job = client ? ledger_next(ledger, NULL) : NULL;
	uint32_t count = 0;

	for (; job; job = ledger_next(ledger, job))
		count += job->counted && job->client == client;
	return count;
}

/* The log has said that the job is not open any more. */
static void uncount(struct ledger *ledger, struct job *job)
{
	assert(job->state != JOB_OPEN);
	assert(!job->counted || ledger->open_count > 0);
	ledger->open_count -= job->counted;
	job->counted = false;
}

static void job_fail(struct job *job, const struct error *why)
{
	struct error *copy;

	assert(why->code != ERROR_NONE);
	if (job->state != JOB_OPEN)
		return;
	copy = arena_alloc(&job->arena, sizeof(*copy));
	*copy = *why;
	job_become(job, JOB_FAILED, copy);
}

/* Few jobs are counted at once: as a rule there are fewer than one client may have. */
static bool is_client_full(const struct ledger *ledger, const struct flow_event *event)
{
	return event->client_jobs_max > 0 && ledger->open_count >= event->client_jobs_max &&
	       ledger_client_jobs(ledger, event->client) >= event->client_jobs_max;
}

static int apply_opened(struct ledger *ledger, uint64_t offset, const struct flow_event *event,
	struct ledger_change *change)
{
	struct error why;
	struct job *job;

	if (event->generation < ledger->generation)
		return 0;
	change->of_client = is_client_full(ledger, event);
	if (change->of_client || (event->jobs_max > 0 && ledger->open_count >= event->jobs_max)) {
		change->kind = LEDGER_NO_ROOM;
		change->no_room = event->job;
		return 0;
	}
	job = memory_zalloc(sizeof(*job));
	job->id = event->job;
	job->secret_hash = event->secret_hash;
	job->client = event->client;
	job->counted = true;
	ledger->open_count++;
	job->on_filters = event->on_filters;
	job->reducer_memory = event->reducer_memory;
	job->collector_memory = event->collector_memory;
	job->opened_offset = offset;
	add_job(ledger, &ledger->jobs, job);
	arena_init(&job->arena, ARENA_BLOCK);
	change->job = job;
	change->kind = LEDGER_JOB_OPENED;
	if (event->engine != FLOW_ENGINE)
		error_set(&why, ERROR_USAGE,
			"the job was opened by engine version %u, and this node has version %u: "
			"upgrade all nodes to one version and submit it again",
			event->engine, FLOW_ENGINE);
	else if (plan_decode(event->plan, event->plan_size, &job->arena, &job->plan, &job->catalog,
			 &why) == 0 &&
		 topology_init(&job->topology, job->plan, event->reducers, &why) == 0) {
		job->topology.generation = ledger->generation;
		return 0;
	}
	job_fail(job, &why);
	change->kind = LEDGER_JOB_REFUSED;
	return 0;
}

static int apply_closed(struct job *job, const struct flow_event *event, struct error *err)
{
	struct error why;
	uint32_t total, at;

	if (job->state != JOB_OPEN)
		return 0;
	if (!topology_has_stream(&job->topology, event->stream))
		return error_set(err, ERROR_DATA, "the job has no stream %08x", event->stream);
	if (job_stream_total(job, event->stream, &total)) {
		if (total != event->total) {
			error_set(&why, ERROR_DATA,
				"its input has %u chunks and then %u: the files changed while they "
				"were sent",
				total, event->total);
			job_fail(job, &why);
		}
		return 0;
	}
	if (job->closed_count == job->closed_capacity) {
		job->closed_capacity = job->closed_capacity ? 2 * job->closed_capacity : 8;
		job->closed =
			memory_realloc(job->closed, job->closed_capacity * sizeof(*job->closed));
	}
	at = closed_place(job, event->stream);
	memmove(&job->closed[at + 1], &job->closed[at],
		(job->closed_count - at) * sizeof(*job->closed));
	job->closed[at] = (struct job_stream){event->stream, event->total};
	job->closed_count++;
	assert(at == 0 || job->closed[at - 1].stream < event->stream);
	assert(at + 1 == job->closed_count || event->stream < job->closed[at + 1].stream);
	if (job_queries_done(job) == job->plan->query_count)
		job_become(job, JOB_DONE, NULL);
	return 0;
}

/* Jobs that are gone are remembered, and are many: they share their reasons. */
static const struct error expired = {.code = ERROR_USAGE,
	.message = "the job has expired: nobody has asked for it for too long"};
static const struct error cancelled = {.code = ERROR_USAGE, .message = "the job was cancelled"};

static void apply_failed(struct job *job, const struct flow_event *event)
{
	struct error why;

	error_set(&why, event->code, "%.*s",
		(int)(event->message_size < ERROR_MESSAGE_MAX ? event->message_size
							      : ERROR_MESSAGE_MAX - 1),
		event->message);
	why.guess = event->guess;
	job_fail(job, &why);
}

/* All jobs that need the node: what it held of them is gone with its disk. */
static void node_lost_disk(struct ledger *ledger, uint32_t node)
{
	struct error why;

	if (node == FLOW_NODE_COLLECTOR)
		error_set(&why, ERROR_LOST, "the collector lost its disk: submit the job again");
	else
		error_set(&why, ERROR_LOST, "reducer %u lost its disk: submit the job again", node);
	for (struct job *job = ledger_next(ledger, NULL); job; job = ledger_next(ledger, job)) {
		if (job->state == JOB_DONE && node == FLOW_NODE_COLLECTOR)
			job->results_lost = true;
		if (job->state == JOB_OPEN &&
			(node == FLOW_NODE_COLLECTOR || node < job->topology.reducers)) {
			job_fail(job, &why);
			uncount(ledger, job);
		}
	}
}

/* NULL: it has never announced itself. */
static struct ledger_node *find_node(struct ledger *ledger, uint32_t node)
{
	for (uint32_t i = 0; i < ledger->node_count; i++)
		if (ledger->nodes[i].node == node)
			return &ledger->nodes[i];
	return NULL;
}

static struct ledger_node *add_node(struct ledger *ledger)
{
	ledger->nodes =
		memory_realloc(ledger->nodes, (ledger->node_count + 1) * sizeof(*ledger->nodes));
	return &ledger->nodes[ledger->node_count++];
}

static void apply_node_up(struct ledger *ledger, const struct flow_event *event, uint64_t now_ms,
	struct ledger_change *change)
{
	struct ledger_node *known = find_node(ledger, event->node);

	change->kind = LEDGER_NODE_UP;
	change->node = event->node;
	change->nonce = event->nonce;
	if (!known) {
		*add_node(ledger) = (struct ledger_node){.node = event->node,
			.incarnation = event->incarnation,
			.starts = 1,
			.started_ms = now_ms};
		return;
	}
	known->starts++;
	known->started_ms = now_ms;
	known->full_ms = 0; /* a new process looks for itself */
	if (known->incarnation == event->incarnation)
		return;
	known->incarnation = event->incarnation;
	node_lost_disk(ledger, event->node);
}

/* Nobody can read its plan any more, nor needs to. */
static void apply_ended(struct ledger *ledger, uint64_t offset, const struct flow_event *event,
	struct ledger_change *change)
{
	struct job *job = memory_zalloc(sizeof(*job));

	job->id = event->job;
	job->secret_hash = event->secret_hash;
	job->opened_offset = offset;
	add_job(ledger, &ledger->jobs, job);
	arena_init(&job->arena, ARENA_BLOCK);
	apply_failed(job, event);
	change->job = job;
	change->kind = LEDGER_JOB_CHANGED;
}

uint64_t ledger_generation(const struct ledger *ledger)
{
	return ledger->generation;
}

/*
 * What is about the log itself. Where a generation begins no job is open: what was opened before it
 * was written by somebody who did not know yet that the last one had ended.
 */
static void apply_to_log(
	struct ledger *ledger, const struct flow_event *event, struct ledger_change *change)
{
	struct error why;

	change->kind = event->kind == FLOW_BEGUN ? LEDGER_BEGUN : LEDGER_DOUBTED;
	change->generation = event->generation;
	change->id = event->id;
	if (event->kind != FLOW_BEGUN || event->generation <= ledger->generation)
		return;
	ledger->generation = event->generation;
	error_set(&why, ERROR_LOST, "the job was lost with the broker's data");
	for (struct job *job = ledger_next(ledger, NULL); job; job = ledger_next(ledger, job))
		if (job->state == JOB_OPEN) {
			job_fail(job, &why);
			uncount(ledger, job);
		}
}

/* Of a node that nobody has seen start it means nothing. */
static void apply_full(struct ledger *ledger, const struct flow_event *event, uint64_t now_ms)
{
	struct ledger_node *known = find_node(ledger, event->node);

	if (known)
		known->full_ms = event->kind == FLOW_FULL ? now_ms : 0;
}

static int apply_to_job(struct ledger *ledger, struct job *job, const struct flow_event *event,
	struct ledger_change *change, struct error *err)
{
	enum job_state before = job->state;
	uint32_t closed_before = job->closed_count;
	int status = 0;

	switch (event->kind) {
	case FLOW_CLOSED: status = apply_closed(job, event, err); break;
	case FLOW_FAILED: apply_failed(job, event); break;
	case FLOW_EXPIRED:
		if (event->seen != job->last_offset)
			return 0;
		job_become(job, JOB_GONE, &expired);
		break;
	case FLOW_CLEANED: job_become(job, JOB_GONE, &cancelled); break;
	case FLOW_TOUCHED: change->kind = LEDGER_JOB_TOUCHED; break;
	case FLOW_LOST:
		job->results_lost |= job->state == JOB_DONE;
		change->kind = LEDGER_JOB_CHANGED;
		break;
	case FLOW_OPENED:
	case FLOW_ENDED:
	case FLOW_BEGUN:
	case FLOW_DOUBTED:
	case FLOW_FULL:
	case FLOW_ROOM:
	case FLOW_NODE_UP: break;
	}
	if (job->state != JOB_OPEN && (job->state != before || event->kind == FLOW_FAILED))
		uncount(ledger, job);
	change->job = job;
	if (job->state != before || job->closed_count > closed_before)
		change->kind = LEDGER_JOB_CHANGED;
	/* A job counts as open exactly as long as it is, but for one that only this node refused. */
	assert(job->counted || job->state != JOB_OPEN);
	assert(job->state != JOB_DONE || !job->counted);
	return status;
}

int ledger_apply(struct ledger *ledger, uint64_t offset, const void *bytes, size_t size,
	uint64_t now_ms, struct ledger_change *change, struct error *err)
{
	struct flow_event event;
	struct job *job;
	int status = 0;

	*change = (struct ledger_change){.kind = LEDGER_NOTHING};
	if (flow_event_decode(bytes, size, &event, err))
		return -1;
	if (event.kind == FLOW_NODE_UP) {
		apply_node_up(ledger, &event, now_ms, change);
		return 0;
	}
	if (event.kind == FLOW_BEGUN || event.kind == FLOW_DOUBTED) {
		apply_to_log(ledger, &event, change);
		return 0;
	}
	if (event.kind == FLOW_FULL || event.kind == FLOW_ROOM) {
		apply_full(ledger, &event, now_ms);
		return 0;
	}
	assert(ledger->open_count <= ledger->jobs.count);
	job = ledger_find(ledger, event.job);
	if (!job && event.kind != FLOW_OPENED && event.kind != FLOW_ENDED)
		return error_set(err, ERROR_DATA,
			"an entry of the control log about job %016lx, "
			"which was never opened",
			event.job);
	if (!job && event.kind == FLOW_ENDED)
		apply_ended(ledger, offset, &event, change);
	else if (!job)
		status = apply_opened(ledger, offset, &event, change);
	else if (job->state != JOB_GONE)
		status = apply_to_job(ledger, job, &event, change, err);
	job = change->job;
	if (job) {
		job->last_offset = offset;
		job->last_ms = now_ms;
	}
	return status;
}

bool ledger_node(const struct ledger *ledger, uint32_t index, struct ledger_node *out)
{
	if (index >= ledger->node_count)
		return false;
	*out = ledger->nodes[index];
	return true;
}

/* --- what was made short -------------------------------------------------------------------------
 */

bool job_has_expired(const struct job *job)
{
	return job->failure == &expired;
}

void ledger_recall_gone(struct ledger *ledger, uint64_t id, bool has_expired)
{
	struct job *job;

	if (ledger_find(ledger, id))
		return;
	job = memory_zalloc(sizeof(*job));
	job->id = id;
	arena_init(&job->arena, ARENA_BLOCK);
	job_become(job, JOB_GONE, has_expired ? &expired : &cancelled);
	add_job(ledger, &ledger->gone, job);
	drop_old_gone(ledger);
}

void ledger_recall_node(struct ledger *ledger, const struct ledger_node *node)
{
	if (!find_node(ledger, node->node))
		*add_node(ledger) = *node;
}
