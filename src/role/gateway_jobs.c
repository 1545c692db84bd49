#include "base/memory.h"
#include "role/gateway_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long results may be on their way before the collector is asked for them. */
#define WANTED_AFTER_MS 2000u
/* How often all jobs are looked at. */
#define WALK_MS 50u

static struct gateway_job *job_of(struct job *job)
{
	if (!job->attachment)
		job->attachment = memory_zalloc(sizeof(struct gateway_job));
	return job->attachment;
}

/* --- chunks --------------------------------------------------------------------------------------
 */

/* NULL: it is not over yet. */
static void finish_chunk(struct gateway *gateway, struct pending *pending)
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

	finish_chunk(gateway, pending_confirm(&gateway->chunks, id));
}

static int send_packet(
	void *context, uint32_t node, const void *bytes, size_t size, struct error *err)
{
	struct gateway *gateway = context;
	char queue[TRANSPORT_QUEUE_NAME_MAX];

	mapper_queue_name(gateway->job, node, queue, sizeof(queue));
	return pending_publish(
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
	return pending_publish(&gateway->chunk->pending, gateway->node.env.transport,
		ROLE_QUEUE_WORK, out->data, out->size, err);
}

void gateway_take_chunk(struct gateway *gateway, struct job *job, uint64_t connection,
	const struct wire_message *message)
{
	struct gateway_chunk *chunk = memory_zalloc(sizeof(*chunk));
	struct gateway_job *own = job_of(job);
	struct mapper_count count;
	struct error err;
	int status;

	chunk->connection = connection;
	chunk->message_id = message->batch.id;
	chunk->rows = WIRE_ROWS_UNKNOWN;
	gateway->traffic.chunks++;
	gateway->traffic.bytes += message->batch.payload.size;
	pending_add(&gateway->chunks, &chunk->pending);
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
	finish_chunk(gateway, pending_end(&gateway->chunks, &chunk->pending));
}

void gateway_forget_connection(struct gateway *gateway, uint64_t connection)
{
	struct gateway_waiting **at = &gateway->waiting;

	for (struct pending *pending = gateway->chunks.first; pending; pending = pending->next) {
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

static int open_results(struct gateway *gateway, struct job *job, struct error *err)
{
	struct gateway_job *own = job_of(job);

	if (own->results)
		return 0;
	return result_store_open(&own->results, gateway->node.env.disk, job, err);
}

static void take_result(struct gateway *gateway, struct job *job, const struct flow_message *packet,
	const struct transport_delivery *delivery)
{
	uint32_t query = result_store_query(job, packet->stream);
	struct gateway_job *own = job_of(job);
	struct error err;
	size_t size = 0;

	if (query == PLAN_NONE) {
		node_ack(&gateway->node, delivery->tag);
		return;
	}
	if (open_results(gateway, job, &err))
		goto failed;
	if (!result_store_has(own->results, query, packet->number)) {
		if (result_store_put(own->results, query, packet->number, delivery->bytes,
			    delivery->size, &err))
			goto failed;
		size = delivery->size;
	}
	intake_add(&gateway->intake, result_store_journal(own->results), delivery->tag, size);
	return;
failed:
	intake_refused(&gateway->intake, job->id, delivery, &err);
}

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
		take_result(gateway, job, &packet, delivery);
}

enum gateway_result gateway_result_state(
	struct gateway *gateway, struct job *job, uint32_t query, uint32_t *total)
{
	struct gateway_job *own = job_of(job);
	bool whole;

	(void)gateway;
	if (!job_stream_total(job, job_result_stream(job, query), total))
		return GATEWAY_RESULT_PENDING;
	whole = own->results ? result_store_is_whole(own->results, query, *total) : *total == 0;
	if (whole)
		return GATEWAY_RESULT_READY;
	return job->results_lost ? GATEWAY_RESULT_LOST : GATEWAY_RESULT_PENDING;
}

int gateway_send_result(struct gateway *gateway, struct job *job, uint64_t connection,
	uint32_t query, uint32_t number, uint32_t total, size_t *bytes)
{
	struct wire_message answer = {
		.type = WIRE_RESULT, .result = {.query = query, .chunk = number, .total = total}};
	struct gateway_job *own = job_of(job);
	struct flow_message packet;
	const uint8_t *data;
	struct error err;
	size_t size;

	if (result_store_read(own->results, query, number, &gateway->packet, &err) ||
		flow_message_decode(gateway->packet.data, gateway->packet.size, &packet, &err)) {
		node_stop(&gateway->node, &err);
		return -1;
	}
	if (flow_packet_section(&packet, FLOW_RESULT, &data, &size))
		answer.result.data = (struct wire_bytes){data, (uint32_t)size};
	*bytes += answer.result.data.size;
	gateway_send(gateway, connection, &answer);
	return 0;
}

/* Results that are complete and did not come: the collector is asked for them. */
static void ask_for_results(struct gateway *gateway, struct job *job, uint64_t now_ms)
{
	struct flow_message wanted = {
		.kind = FLOW_WANTED, .job = job->id, .gateway = gateway->index};
	struct gateway_job *own = job_of(job);
	struct error err;
	bool missing = false;
	uint32_t total;

	for (uint32_t q = 0; q < job->plan->query_count && !missing; q++)
		missing = job_stream_total(job, job_result_stream(job, q), &total) &&
			  gateway_result_state(gateway, job, q, &total) == GATEWAY_RESULT_PENDING;
	if (!missing || own->wanted_ms == 0) {
		own->wanted_ms = now_ms;
		return;
	}
	if (now_ms - own->wanted_ms < WANTED_AFTER_MS)
		return;
	own->wanted_ms = now_ms;
	buf_clear(&gateway->packet);
	flow_message_encode(&wanted, &gateway->packet);
	if (transport_publish(gateway->node.env.transport, ROLE_QUEUE_COLLECTOR,
		    gateway->packet.data, gateway->packet.size, 0, &err))
		node_stop(&gateway->node, &err);
}

/* --- the life of a job ---------------------------------------------------------------------------
 */

static void remove_results(struct gateway *gateway, uint64_t job)
{
	char folder[DISK_PATH_MAX];
	struct error err;

	snprintf(folder, sizeof(folder), RESULT_FOLDER_FORMAT, job);
	if (journal_remove(gateway->node.env.disk, folder, &err))
		node_stop(&gateway->node, &err);
}

static void close_job(struct gateway *gateway, struct job *job, bool over)
{
	struct gateway_job *own = job->attachment;

	if (!own)
		return;
	mapper_free(own->mapper);
	if (own->results) {
		if (over)
			intake_forget(&gateway->intake, result_store_journal(own->results));
		result_store_close(own->results);
		if (over)
			remove_results(gateway, job->id);
	}
	free(own);
	job->attachment = NULL;
}

static void update_job(struct gateway *gateway, struct job *job)
{
	struct gateway_job *own = job->attachment;

	if (own && job->state == JOB_DONE) {
		mapper_free(own->mapper);
		own->mapper = NULL;
	}
	gateway_answer_waiting(gateway, job);
	if (job->state != JOB_FAILED && job->state != JOB_GONE)
		return;
	gateway_tell_clients(gateway, job);
	close_job(gateway, job, true);
	if (job->state == JOB_GONE)
		job_forget(job);
}

static void update_all(struct gateway *gateway)
{
	struct job *job = ledger_next(gateway->node.ledger, NULL);

	for (; job; job = ledger_next(gateway->node.ledger, job))
		update_job(gateway, job);
}

void gateway_touch(struct gateway *gateway, struct job *job)
{
	uint64_t now_ms = node_now(&gateway->node);
	struct gateway_job *own = job_of(job);
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
	struct gateway_job *own = job_of(job);

	if (now_ms - job->last_ms < gateway->node.env.cluster.job_ttl_ms ||
		own->expired_offset == job->last_offset + 1)
		return;
	own->expired_offset = job->last_offset + 1;
	node_append(&gateway->node, &event);
}

/* Opens the results that the disk has, and removes those of jobs that are gone. */
static void look_at_disk(struct gateway *gateway)
{
	struct buf names;
	struct error err;

	buf_init(&names, 16u << 20);
	if (disk_list(gateway->node.env.disk, "", &names, &err)) {
		node_stop(&gateway->node, &err);
		names.size = 0;
	}
	for (size_t at = 0; at < names.size; at += strlen(names.data + at) + 1) {
		const char *name = names.data + at;
		uint64_t id;
		struct job *job;

		if (strncmp(name, RESULT_FOLDER_PREFIX, strlen(RESULT_FOLDER_PREFIX)))
			continue;
		id = strtoull(name + strlen(RESULT_FOLDER_PREFIX), NULL, 16);
		job = ledger_find(gateway->node.ledger, id);
		if (!job || job->state == JOB_FAILED || job->state == JOB_GONE)
			remove_results(gateway, id);
		else if (open_results(gateway, job, &err))
			node_stop(&gateway->node, &err);
	}
	buf_release(&names);
}

static void on_ready(struct node *node)
{
	struct gateway *gateway = (struct gateway *)node;

	look_at_disk(gateway);
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
	struct job *job;

	node_on_tick(&gateway->node);
	if (role->stopped || !gateway->node.ready)
		return;
	gateway_status_on_tick(gateway, now_ms);
	intake_on_tick(&gateway->intake);
	if (now_ms - gateway->walked_ms < WALK_MS)
		return;
	gateway->walked_ms = now_ms;
	job = ledger_next(gateway->node.ledger, NULL);
	for (; job && !role->stopped; job = ledger_next(gateway->node.ledger, job)) {
		if (job->state == JOB_OPEN || job->state == JOB_DONE)
			ask_for_results(gateway, job, now_ms);
		if (job->state != JOB_GONE)
			expire(gateway, job, now_ms);
	}
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
	pending_release(&gateway->chunks);
	intake_release(&gateway->intake);
	buf_release(&gateway->packet);
}
