/*
 * A filter: takes chunks from the work queue, runs their map fragments beside the event loop, and acknowledges a
 * chunk when the broker has all its packets. It keeps nothing: any number of filters may come and go.
 *
 * A chunk that fails its job is acknowledged when the log says that the job is over: a filter that
 * died in between would take the only reason with it, and the job would wait for ever.
 *
 * A chunk may take as long as it wants. A probe that comes meanwhile is passed on at once; that there is
 * something in hand is said now and then (role/deadman.h).
 */
#include "role/deadman.h"
#include "role/mapper.h"
#include "role/node.h"
#include "role/publish_group.h"

#include "base/memory.h"
#include "base/mutant.h"

#include <stdlib.h>
#include <string.h>

/* A chunk that is mapped, or whose packets are on their way. */
struct filter_chunk {
	struct publish_group group; /* first; ended: it is mapped, and on its way */
	uint64_t job;
	uint64_t told_ms; /* when it came, or we last said that it is in hand */
	struct transport_delivery delivery;
	uint8_t bytes[]; /* of the delivery */
};

struct filter {
	struct node node; /* first */
	struct work_turns turns;
	struct publish_group_list chunks;
};

/* NULL: it is not over yet. */
static void finish_chunk(struct filter *filter, struct publish_group *chunk)
{
	if (chunk)
		node_ack(&filter->node, ((struct filter_chunk *)chunk)->delivery.tag);
	free(chunk);
}

static void on_confirm(struct node *node, uint64_t id)
{
	struct filter *filter = (struct filter *)node;

	finish_chunk(filter, publish_group_confirm(&filter->chunks, id));
}

/* Once for each job that has had a chunk in hand for long, and then again. */
static void say_what_takes_long(struct filter *filter)
{
	uint64_t now_ms = node_now(&filter->node), told = 0;
	struct error err;

	for (struct publish_group *group = filter->chunks.first; group; group = group->next) {
		struct filter_chunk *chunk = (struct filter_chunk *)group;
		const struct job *job = ledger_find(filter->node.ledger, chunk->job);

		if (group->ended || now_ms - chunk->told_ms < DEADMAN_BUSY_MS)
			continue;
		chunk->told_ms = now_ms;
		if (!job || job->state != JOB_OPEN || job->id == told)
			continue;
		told = job->id;
		if (deadman_say_busy(&filter->node, job, &err))
			node_stop(&filter->node, &err);
	}
}

static void fail_chunk(struct filter *filter, const struct job *job, struct filter_chunk *chunk,
	const struct error *why)
{
	node_fail_job(&filter->node, job->id, why);
	if (MUTANT(FAILURE_NOT_KEPT))
		node_ack(&filter->node, chunk->delivery.tag);
	else
		held_add(&filter->node.dead, job->id, &chunk->delivery);
	publish_group_remove(&filter->chunks, &chunk->group);
	free(chunk);
}

static void on_mapped(
	void *context, struct job *job, void *mapped, const struct mapper_result *result)
{
	struct filter *filter = context;
	struct filter_chunk *chunk = mapped;
	struct error err = result->error;

	if (job->state == JOB_OPEN && (result->status || mapper_publish(result, job, &chunk->group,
								 filter->node.env.transport, &err)))
		fail_chunk(filter, job, chunk, &err);
	else
		finish_chunk(filter, publish_group_end(&filter->chunks, &chunk->group));
}

static void update_job(struct filter *filter, struct job *job)
{
	struct mapper *mapper = job->attachment;

	if (job->state == JOB_OPEN)
		return;
	if (mapper)
		mapper_stop(mapper);
	if (mapper && !mapper_rests(mapper))
		return;
	mapper_free(mapper);
	job->attachment = NULL;
	if (job->state == JOB_GONE)
		ledger_forget(filter->node.ledger, job);
}

static void on_rest(void *context, struct job *job)
{
	update_job(context, job);
}

static void map_chunk(struct filter *filter, struct job *job, const struct flow_message *message,
	const struct transport_delivery *delivery)
{
	const struct mapper_handler handler = {on_mapped, on_rest, filter};
	struct filter_chunk *chunk = memory_alloc(sizeof(*chunk) + delivery->size);

	memcpy(chunk->bytes, delivery->bytes, delivery->size);
	chunk->job = job->id;
	chunk->told_ms = node_now(&filter->node);
	chunk->delivery = *delivery;
	chunk->delivery.bytes = chunk->bytes;
	publish_group_add(&filter->chunks, &chunk->group);
	if (!job->attachment)
		job->attachment = mapper_new(&filter->turns, job, &handler);
	mapper_take(job->attachment, message->stream, message->number,
		chunk->bytes + (message->body - delivery->bytes), message->body_size, chunk);
}

static void on_delivery(struct node *node, const struct transport_delivery *delivery)
{
	struct filter *filter = (struct filter *)node;
	struct flow_message message;
	struct error err;
	struct job *job;
	bool is_whole = !flow_message_decode(delivery->bytes, delivery->size, &message, &err);

	if (is_whole && message.kind == FLOW_PROBE) {
		if (deadman_pass_on(node, &message, &err))
			node_stop(node, &err);
		node_ack(node, delivery->tag);
		return;
	}
	if (!is_whole || message.kind != FLOW_CHUNK) {
		node_log(node, LOG_MESSAGE_DROPPED, LOG_FIELDS(LOG_TEXT("reason", "not a chunk")));
		node_ack(node, delivery->tag);
		return;
	}
	job = ledger_find(node->ledger, message.job);
	if (!job && !node_is_stale(node, &message))
		node_hold(node, message.job, delivery);
	else if (node_is_stale(node, &message) || job->state != JOB_OPEN ||
		 message.stream >= job->plan->table_count)
		node_ack(node, delivery->tag);
	else
		map_chunk(filter, job, &message, delivery);
}

static void update_all(struct filter *filter)
{
	struct job *job = ledger_next(filter->node.ledger, NULL), *next;

	for (; job; job = next) {
		next = ledger_next(filter->node.ledger, job);
		update_job(filter, job);
	}
}

static void on_ready(struct node *node)
{
	update_all((struct filter *)node);
}

static void on_change(struct node *node, const struct ledger_change *change)
{
	struct filter *filter = (struct filter *)node;

	if (change->kind == LEDGER_NODE_UP || change->kind == LEDGER_BEGUN)
		update_all(filter);
	if (change->job)
		update_job(filter, change->job);
}

static void on_tick(struct role *role)
{
	struct filter *filter = (struct filter *)role;

	node_on_tick(&filter->node);
	if (role->stopped)
		return;
	work_turns_on_tick(&filter->turns);
	say_what_takes_long(filter);
}

static void filter_free(struct role *role)
{
	struct filter *filter = (struct filter *)role;
	struct job *job = filter->node.ledger ? ledger_next(filter->node.ledger, NULL) : NULL;

	for (; job; job = ledger_next(filter->node.ledger, job))
		mapper_free(job->attachment);
	publish_group_release(&filter->chunks);
	node_release(&filter->node);
	free(filter);
}

int filter_new(struct role **out, const struct role_env *env, struct error *err)
{
	static const struct role_ops role_ops = {.on_tick = on_tick, .free = filter_free};
	static const struct node_ops node_ops = {on_ready, on_change, on_delivery, on_confirm};
	struct filter *filter = memory_zalloc(sizeof(*filter));

	filter->node.role.ops = &role_ops;
	work_turns_init(&filter->turns, &filter->node, env->runner);
	if (node_init(&filter->node, env, FLOW_NODE_ANONYMOUS, ROLE_QUEUE_WORK, &node_ops, err)) {
		filter_free(&filter->node.role);
		return -1;
	}
	*out = &filter->node.role;
	return 0;
}
