#include "base/memory.h"
#include "role/gateway_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often all jobs are looked at, and later by as much for so many of them. */
#define WALK_MS	       50u
#define WALK_JOBS_A_MS 16u

struct gateway_job *gateway_job_of(struct job *job)
{
	if (!job->attachment)
		job->attachment = memory_zalloc(sizeof(struct gateway_job));
	return job->attachment;
}

/* --- chunks --------------------------------------------------------------------------------------
 */

/* NULL: it is not over yet. */
static void finish_chunk(struct gateway *gateway, struct publish_group *pending)
{
	struct gateway_chunk *chunk = (struct gateway_chunk *)pending;

	if (chunk && chunk->connection != 0) {
		struct wire_message ack = {.type = WIRE_ACK,
			.ack = {.id = chunk->message_id,
				.rows = chunk->rows,
				.rejects = chunk->rejects}};

		gateway_send(gateway, chunk->connection, &ack);
	}
	free(chunk);
}

static void on_confirm(struct node *node, uint64_t id)
{
	struct gateway *gateway = (struct gateway *)node;

	finish_chunk(gateway, publish_group_confirm(&gateway->chunks, id));
}

static int send_packet(
	void *context, uint32_t node, const void *bytes, size_t size, struct error *err)
{
	struct gateway *gateway = context;
	char queue[TRANSPORT_QUEUE_NAME_MAX];

	mapper_queue_name(gateway->job, node, queue, sizeof(queue));
	return publish_group_publish(
		&gateway->chunk->pending, gateway->node.env.transport, queue, bytes, size, err);
}

static int hand_to_filters(
	struct gateway *gateway, const struct wire_message *message, struct error *err)
{
	struct flow_message head = {
		.kind = FLOW_CHUNK,
		.job = message->batch.job,
		.stream = flow_stream_table(message->batch.table),
		.number = message->batch.chunk,
	};
	struct buf *out = &gateway->packet;

	buf_clear(out);
	flow_message_encode(&head, out);
	buf_append(out, message->batch.payload.data, message->batch.payload.size);
	if (buf_overflowed(out))
		return error_set(err, ERROR_LIMIT, "a chunk that is too large for the work queue");
	return publish_group_publish(&gateway->chunk->pending, gateway->node.env.transport,
		ROLE_QUEUE_WORK, out->data, out->size, err);
}

void gateway_take_chunk(struct gateway *gateway, struct job *job, uint64_t connection,
	const struct wire_message *message)
{
	struct gateway_chunk *chunk = memory_zalloc(sizeof(*chunk));
	struct gateway_job *own = gateway_job_of(job);
	struct mapper_count count;
	struct error err;
	int status;

	chunk->connection = connection;
	chunk->message_id = message->batch.id;
	chunk->rows = WIRE_ROWS_UNKNOWN;
	gateway->traffic.chunks++;
	gateway->traffic.bytes += message->batch.payload.size;
	publish_group_add(&gateway->chunks, &chunk->pending);
	gateway->chunk = chunk;
	gateway->job = job;
	if (job->on_filters) {
		status = hand_to_filters(gateway, message, &err);
	} else {
		if (!own->mapper)
			own->mapper = mapper_new(job);
		status = mapper_run(own->mapper, message->batch.table, message->batch.chunk,
			message->batch.payload.data, message->batch.payload.size, send_packet,
			gateway, &count, &err);
		chunk->rows = status ? WIRE_ROWS_UNKNOWN : count.rows;
		chunk->rejects = status ? 0 : count.rejects;
	}
	if (status) {
		/* Its client hears that the job has failed, not that the chunk was taken. */
		chunk->connection = 0;
		node_fail_job(&gateway->node, job->id, &err);
	}
	finish_chunk(gateway, publish_group_end(&gateway->chunks, &chunk->pending));
}

void gateway_forget_connection(struct gateway *gateway, uint64_t connection)
{
	struct gateway_waiting **at = &gateway->waiting;

	for (struct publish_group *pending = gateway->chunks.first; pending;
		pending = pending->next) {
		struct gateway_chunk *chunk = (struct gateway_chunk *)pending;

		if (chunk->connection == connection)
			chunk->connection = 0;
	}
	while (*at) {
		struct gateway_waiting *waiting = *at;

		if (waiting->connection != connection) {
			at = &waiting->next;
			continue;
		}
		*at = waiting->next;
		free(waiting);
	}
}

/* --- results -------------------------------------------------------------------------------------
 */

static void on_delivery(struct node *node, const struct transport_delivery *delivery)
{
	struct gateway *gateway = (struct gateway *)node;
	struct flow_message packet;
	struct error err;
	struct job *job;

	if (flow_message_decode(delivery->bytes, delivery->size, &packet, &err) ||
		packet.kind != FLOW_PACKET) {
		node_log(node, "MESSAGE_DROPPED reason=\"not a packet\"");
		node_ack(node, delivery->tag);
		return;
	}
	job = ledger_find(node->ledger, packet.job);
	if (!job)
		node_hold(node, packet.job, delivery);
	else if (job->state == JOB_FAILED || job->state == JOB_GONE)
		node_ack(node, delivery->tag);
	else
		gateway_take_result(gateway, job, &packet, delivery);
}

/* --- the life of a job ---------------------------------------------------------------------------
 */

static void close_job(struct gateway *gateway, struct job *job, bool over)
{
	struct gateway_job *own = job->attachment;

	if (!own)
		return;
	mapper_free(own->mapper);
	gateway_close_results(gateway, job, over);
	free(own);
	job->attachment = NULL;
}

static void update_job(struct gateway *gateway, struct job *job)
{
	bool is_over = job->state == JOB_FAILED || job->state == JOB_GONE;
	/* One that is not over may have results on the disk: it has an attachment, from now on. */
	struct gateway_job *own = is_over ? job->attachment : gateway_job_of(job);

	if (own && job->state == JOB_DONE) {
		mapper_free(own->mapper);
		own->mapper = NULL;
	}
	gateway_answer_waiting(gateway, job);
	if (!is_over)
		return;
	gateway_tell_clients(gateway, job);
	close_job(gateway, job, true);
	if (job->state == JOB_GONE)
		ledger_forget(gateway->node.ledger, job);
}

static void update_all(struct gateway *gateway)
{
	struct job *job = ledger_next(gateway->node.ledger, NULL), *next;

	for (; job; job = next) {
		next = ledger_next(gateway->node.ledger, job);
		update_job(gateway, job);
	}
}

void gateway_touch(struct gateway *gateway, struct job *job)
{
	uint64_t now_ms = node_now(&gateway->node);
	struct gateway_job *own = gateway_job_of(job);
	uint64_t quarter = gateway->node.env.cluster.job_ttl_ms / 4;
	struct flow_event event = {.kind = FLOW_TOUCHED, .job = job->id};

	if (now_ms - job->last_ms < quarter || now_ms - own->touched_ms < quarter)
		return;
	own->touched_ms = now_ms;
	node_append(&gateway->node, &event);
}

/* A job without any entry for too long. Whether that is so the log itself decides. */
static void expire(struct gateway *gateway, struct job *job, uint64_t now_ms)
{
	struct flow_event event = {.kind = FLOW_EXPIRED, .job = job->id, .seen = job->last_offset};
	struct gateway_job *own = gateway_job_of(job);

	if (now_ms - job->last_ms < gateway->node.env.cluster.job_ttl_ms ||
		own->expired_offset == job->last_offset + 1)
		return;
	own->expired_offset = job->last_offset + 1;
	node_append(&gateway->node, &event);
}

static void on_ready(struct node *node)
{
	struct gateway *gateway = (struct gateway *)node;

	gateway_remove_leftovers(gateway);
	update_all(gateway);
}

static void on_change(struct node *node, const struct ledger_change *change)
{
	struct gateway *gateway = (struct gateway *)node;

	if (change->kind == LEDGER_NODE_UP)
		update_all(gateway);
	if (change->kind == LEDGER_NO_ROOM)
		gateway_answer_no_room(gateway, change->no_room);
	if (change->kind == LEDGER_JOB_REFUSED)
		node_fail_job(node, change->job->id, change->job->failure);
	if (change->job)
		update_job(gateway, change->job);
}

const struct node_ops gateway_node_ops = {on_ready, on_change, on_delivery, on_confirm};

void gateway_on_tick(struct role *role)
{
	struct gateway *gateway = (struct gateway *)role;
	uint64_t now_ms = node_now(&gateway->node);
	uint32_t count = 0, looks = 0;
	struct job *job;

	node_on_tick(&gateway->node);
	if (role->stopped || !gateway->node.ready)
		return;
	gateway_status_on_tick(gateway, now_ms);
	intake_on_tick(&gateway->intake);
	if (now_ms - gateway->walked_ms < gateway->walk_ms)
		return;
	gateway->walked_ms = now_ms;
	job = ledger_next(gateway->node.ledger, NULL);
	for (; job && !role->stopped; job = ledger_next(gateway->node.ledger, job)) {
		count++;
		if (job->state == JOB_OPEN || job->state == JOB_DONE)
			gateway_look_at_results(gateway, job, now_ms, &looks);
		if (job->state != JOB_GONE)
			expire(gateway, job, now_ms);
	}
	gateway->walk_ms = WALK_MS + count / WALK_JOBS_A_MS;
}

void gateway_jobs_init(struct gateway *gateway, const struct role_env *env)
{
	buf_init(&gateway->packet, TRANSPORT_MESSAGE_MAX);
	intake_init(&gateway->intake, &gateway->node, &env->cluster);
	quota_init(&gateway->quota, &gateway->node, &env->cluster);
}

void gateway_jobs_release(struct gateway *gateway)
{
	struct job *job = gateway->node.ledger ? ledger_next(gateway->node.ledger, NULL) : NULL;

	for (; job; job = ledger_next(gateway->node.ledger, job))
		close_job(gateway, job, false);
	publish_group_release(&gateway->chunks);
	intake_release(&gateway->intake);
	buf_release(&gateway->packet);
}
