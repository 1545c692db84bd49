/*
 * A chunk's way through the gateway, from top to bottom: gateway_on_batch takes it from its client,
 * role/mapper.h turns it into packets (or the filters do), the broker confirms them, and
 * gateway_finish_chunk tells the client that nothing can lose it any more.
 */
#include "role/gateway_private.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

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
		gateway_send(gateway, chunk->connection, &ack);
	}
	free(chunk);
}

static int send_packet(
	void *context, uint32_t node, const void *bytes, size_t size, struct error *err)
{
	struct gateway *gateway = context;
	char queue[TRANSPORT_QUEUE_NAME_MAX];

	node_queue_name(gateway->job, node, queue, sizeof(queue));
	return publish_group_publish(
		&gateway->chunk->group, gateway->node.env.transport, queue, bytes, size, err);
}

static int hand_to_filters(
	struct gateway *gateway, const struct wire_message *message, struct error *err)
{
	struct flow_message head = {
		.kind = FLOW_CHUNK,
		.generation = gateway->job->topology.generation,
		.job = message->batch.job,
		.stream = flow_stream_table(message->batch.table),
		.number = message->batch.chunk,
	};
	struct buf *out = &gateway->packet;

	buf_clear(out);
	flow_message_encode(&head, out);
	buf_append(out, message->batch.payload.data, message->batch.payload.size);
	if (buf_overflowed(out))
		return error_set(err, ERROR_LIMIT, "the chunk is too large for the work queue");
	return publish_group_publish(&gateway->chunk->group, gateway->node.env.transport,
		ROLE_QUEUE_WORK, out->data, out->size, err);
}

static void take_chunk(struct gateway *gateway, struct job *job, uint64_t connection,
	const struct wire_message *message)
{
	struct gateway_chunk *chunk = memory_zalloc(sizeof(*chunk));
	struct gateway_job *own = gateway_job_of(job);
	struct mapper_count count;
	struct error err;
	int status;

	assert(job->state == JOB_OPEN && gateway_client(gateway, connection));
	chunk->connection = connection;
	chunk->message_id = message->batch.id;
	chunk->rows = WIRE_ROWS_UNKNOWN;
	gateway->traffic.chunks++;
	gateway->traffic.bytes += message->batch.payload.size;
	publish_group_add(&gateway->chunks, &chunk->group);
	gateway->chunk = chunk;
	gateway->job = job;
	if (job->on_filters) {
		status = hand_to_filters(gateway, message, &err);
	} else {
		if (!own->mapper)
			own->mapper = mapper_new(&gateway->node, job);
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
	gateway_finish_chunk(gateway, publish_group_end(&gateway->chunks, &chunk->group));
}

void gateway_on_batch(struct gateway *gateway, uint64_t connection, struct job *job,
	const struct wire_message *message)
{
	if (job->state == JOB_DONE) {
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
