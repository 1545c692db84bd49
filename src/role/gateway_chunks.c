/*
 * A chunk's way through the gateway: gateway_on_batch takes it from its client, role/mapper.h turns it
 * into packets beside the event loop (or counts its rows, and filters do the rest), on_mapped publishes them, the broker confirms
 * them, and gateway_finish_chunk tells the client that nothing can lose it any more.
 */
#include "role/gateway_private.h"

#include "base/memory.h"
#include "base/metrics.h"
#include "base/trace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void trace_chunk(const struct gateway_chunk *chunk)
{
	trace_add(&(struct trace_event){.job = chunk->job,
		.kind = TRACE_CHUNK,
		.part = chunk->table,
		.number = chunk->number,
		.started_us = chunk->traced_us,
		.rows = chunk->rows == WIRE_ROWS_UNKNOWN ? 0 : chunk->rows,
		.rejects = chunk->rejects,
		.bytes = chunk->payload.size});
}

/* NULL: it is not over yet. */
void gateway_finish_chunk(struct gateway *gateway, struct publish_group *group)
{
	struct gateway_chunk *chunk = (struct gateway_chunk *)group;

	/* Never acknowledge a chunk before the broker has all of it: its client would forget it. */
	assert(!chunk || (group->ended && group->unconfirmed == 0));
	if (chunk && chunk->connection != 0) {
		struct wire_message ack = {.type = WIRE_ACK,
			.ack = {.id = chunk->message_id,
				.rows = chunk->rows,
				.rejects = chunk->rejects}};

		assert(gateway_client(gateway, chunk->connection));
		metric_observe_us(
			METRIC_CHUNK, 1000 * (node_now(&gateway->node) - chunk->arrived_ms));
		gateway_send(gateway, chunk->connection, &ack);
	}
	if (chunk)
		trace_chunk(chunk);
	free(chunk);
}

/* Its text is not needed any more. */
static void drop_text(struct gateway_chunk *chunk)
{
	struct wire_loan *text = chunk->text;

	free(chunk->copy);
	chunk->copy = NULL;
	chunk->text = NULL;
	if (text)
		text->done(text);
}

/* All of it is on its way, or it never will be. */
static void end_chunk(struct gateway *gateway, struct gateway_chunk *chunk)
{
	gateway_finish_chunk(gateway, publish_group_end(&gateway->chunks, &chunk->group));
}

/* Its client hears that the job has failed, not that the chunk was taken. */
static void fail_chunk(struct gateway *gateway, const struct job *job, struct gateway_chunk *chunk,
	const struct error *why)
{
	chunk->connection = 0;
	node_fail_job(&gateway->node, job->id, why);
	end_chunk(gateway, chunk);
}

static int hand_to_filters(struct gateway *gateway, const struct job *job,
	struct gateway_chunk *chunk, struct error *err)
{
	struct flow_message head = {
		.kind = FLOW_CHUNK,
		.generation = job->topology.generation,
		.job = job->id,
		.stream = flow_stream_table(chunk->table),
		.number = chunk->number,
	};
	struct buf *out = &gateway->packet;

	buf_clear(out);
	flow_message_encode(&head, out);
	buf_append(out, chunk->payload.data, chunk->payload.size);
	if (buf_overflowed(out))
		return error_set(err, ERROR_LIMIT, "the chunk is too large for the work queue");
	return publish_group_publish(&chunk->group, gateway->node.env.transport, ROLE_QUEUE_WORK,
		out->data, out->size, err);
}

static void on_mapped(
	void *context, struct job *job, void *mapped, const struct mapper_result *result)
{
	struct gateway *gateway = context;
	struct gateway_chunk *chunk = mapped;
	struct error err = result->error;
	int status = result->status;

	if (!status && job->state == JOB_OPEN)
		status = job->on_filters ? hand_to_filters(gateway, job, chunk, &err)
					 : mapper_publish(result, job, &chunk->group,
						   gateway->node.env.transport, &err);
	drop_text(chunk);
	if (job->state != JOB_OPEN) {
		/* Nobody needs it any more. Of a job that is done the client may still send it. */
		if (job->state != JOB_DONE)
			chunk->connection = 0;
		end_chunk(gateway, chunk);
		return;
	}
	if (status) {
		fail_chunk(gateway, job, chunk, &err);
		return;
	}
	chunk->rows = result->rows;
	chunk->rejects = result->rejects;
	metric_add(METRIC_RECEIVED_ROWS, result->rows);
	metric_add(METRIC_REJECTED_ROWS, result->rejects);
	end_chunk(gateway, chunk);
}

/* The job is over, and nothing reads its plan any more. */
static void on_rest(void *context, struct job *job)
{
	gateway_update_job(context, job);
}

static void map_chunk(struct gateway *gateway, struct job *job, struct gateway_chunk *chunk,
	const struct wire_message *message)
{
	const struct mapper_handler handler = {on_mapped, on_rest, gateway};
	struct wire_bytes *text = &chunk->payload;
	struct gateway_job *own = gateway_job_of(job);

	*text = message->batch.payload;
	chunk->table = message->batch.table;
	chunk->number = message->batch.chunk;
	if (gateway->port->keep) {
		chunk->text = gateway->port->keep(gateway->port);
	} else {
		chunk->copy = memory_alloc(text->size + 1);
		memcpy(chunk->copy, text->data, text->size);
		text->data = chunk->copy;
	}
	if (!own->mapper)
		own->mapper = mapper_new(&gateway->turns, job, &handler);
	(job->on_filters ? mapper_count : mapper_take)(
		own->mapper, chunk->table, chunk->number, text->data, text->size, chunk);
}

static void take_chunk(struct gateway *gateway, struct job *job, uint64_t connection,
	const struct wire_message *message)
{
	struct gateway_chunk *chunk = memory_zalloc(sizeof(*chunk));

	assert(job->state == JOB_OPEN && gateway_client(gateway, connection));
	chunk->connection = connection;
	chunk->message_id = message->batch.id;
	chunk->rows = WIRE_ROWS_UNKNOWN;
	chunk->arrived_ms = node_now(&gateway->node);
	chunk->traced_us = trace_now();
	chunk->job = job->id;
	metric_add(METRIC_RECEIVED_CHUNKS, 1);
	metric_add(METRIC_RECEIVED_BYTES, message->batch.payload.size);
	gateway->traffic.chunks++;
	gateway->traffic.bytes += message->batch.payload.size;
	publish_group_add(&gateway->chunks, &chunk->group);
	map_chunk(gateway, job, chunk, message);
}

void gateway_on_batch(struct gateway *gateway, uint64_t connection, struct job *job,
	const struct wire_message *message)
{
	if (job->state == JOB_DONE) {
		/* A limit was reached: nothing more of it is needed. */
		gateway_send_progress(gateway, connection, job);
		gateway_send_ack(gateway, connection, message->batch.id);
		return;
	}
	if (message->batch.table >= job->plan->table_count ||
		message->batch.chunk > FLOW_NUMBER_MAX) {
		gateway_reject_client(gateway, connection, "no such table or chunk in this job");
		return;
	}
	take_chunk(gateway, job, connection, message);
}

void gateway_forget_chunks(struct gateway *gateway, uint64_t connection)
{
	for (struct publish_group *group = gateway->chunks.first; group; group = group->next) {
		struct gateway_chunk *chunk = (struct gateway_chunk *)group;

		if (chunk->connection == connection)
			chunk->connection = 0;
	}
}

void gateway_touch_chunks(struct gateway *gateway)
{
	for (struct publish_group *group = gateway->chunks.first; group; group = group->next) {
		const struct gateway_chunk *chunk = (struct gateway_chunk *)group;
		const struct gateway_client *client =
			chunk->connection ? gateway_client(gateway, chunk->connection) : NULL;
		struct job *job = client ? ledger_find(gateway->node.ledger, client->job) : NULL;

		if (job && job->state == JOB_OPEN)
			gateway_touch(gateway, job);
	}
}

void gateway_release_chunks(struct gateway *gateway)
{
	for (struct publish_group *group = gateway->chunks.first; group; group = group->next)
		drop_text((struct gateway_chunk *)group);
	publish_group_release(&gateway->chunks);
}
