/*
 * A gateway: speaks with clients, turns their chunks into packets (or hands them to filters), keeps
 * the results that the collector sends, and gives them out until the job is gone. It also finds
 * jobs that nobody cares for any more, and has them expire.
 *
 *   gateway.c           the role: its events, and who handles them
 *   gateway_clients.c   connections and messages
 *   gateway_requests.c  jobs opened, tables ended, jobs cancelled
 *   gateway_compile.c   SQL to a plan, beside the event loop
 *   gateway_chunks.c    a chunk, from its client to the broker and back as an acknowledgement
 *   gateway_results.c   results, from the collector to the client
 *   gateway_jobs.c      the life of a job
 *   gateway_status.c    what it can tell about the cluster
 *
 * A chunk is acknowledged when the broker has confirmed all its packets: then nothing can lose it.
 * The gateway itself has nothing that a client could not send again to another one.
 */
#include "role/gateway_private.h"

#include "base/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* --- clients ------------------------------------------------------------------------------------
 */

static void on_client_open(struct role *role, uint64_t connection, uint64_t who)
{
	struct gateway *gateway = (struct gateway *)role;
	struct gateway_client *client = memory_zalloc(sizeof(*client));

	/* 0 is nobody, and no number comes twice. */
	assert(connection != 0 && !gateway_client(gateway, connection));
	client->connection = connection;
	client->who = who;
	client->next = gateway->clients;
	gateway->clients = client;
}

static void on_client(struct role *role, uint64_t connection, const uint8_t *bytes, size_t size)
{
	struct gateway *gateway = (struct gateway *)role;
	struct gateway_client *client = gateway_client(gateway, connection);
	struct wire_message message;
	struct error err;

	if (role->stopped || !client)
		return;
	arena_reset(&gateway->arena);
	if (wire_decode(bytes, size, &gateway->arena, &message, &err))
		gateway_reject_client(gateway, connection, err.message);
	else
		gateway_on_message(gateway, client, &message);
}

static void on_client_closed(struct role *role, uint64_t connection)
{
	gateway_remove_client((struct gateway *)role, connection);
}

/* --- the log and the queue ----------------------------------------------------------------------
 */

static void on_ready(struct node *node)
{
	struct gateway *gateway = (struct gateway *)node;

	gateway_remove_leftovers(gateway);
	gateway_update_all(gateway);
}

static void on_change(struct node *node, const struct ledger_change *change)
{
	struct gateway *gateway = (struct gateway *)node;

	if (change->kind == LEDGER_NODE_UP || change->kind == LEDGER_BEGUN)
		gateway_update_all(gateway);
	if (change->kind == LEDGER_NO_ROOM)
		gateway_answer_no_room(gateway, change->no_room, change->of_client);
	if (change->kind == LEDGER_JOB_REFUSED)
		node_fail_job(node, change->job->id, change->job->failure);
	if (change->job)
		gateway_update_job(gateway, change->job);
}

static void on_delivery(struct node *node, const struct transport_delivery *delivery)
{
	struct gateway *gateway = (struct gateway *)node;
	struct flow_message packet;
	struct error err;
	struct job *job;

	assert(node->ready); /* what comes before is held: the job's state would not be known */
	if (flow_message_decode(delivery->bytes, delivery->size, &packet, &err) ||
		packet.kind != FLOW_PACKET) {
		node_log(node, LOG_MESSAGE_DROPPED, LOG_FIELDS(LOG_TEXT("reason", "not a packet")));
		node_ack(node, delivery->tag);
		return;
	}
	job = ledger_find(node->ledger, packet.job);
	if (!job && !node_is_stale(node, &packet))
		node_hold(node, packet.job, delivery);
	else if (node_is_stale(node, &packet) || job->state == JOB_FAILED || job->state == JOB_GONE)
		node_ack(node, delivery->tag);
	else
		gateway_take_result(gateway, job, &packet, delivery);
}

static void on_confirm(struct node *node, uint64_t id)
{
	struct gateway *gateway = (struct gateway *)node;

	gateway_finish_chunk(gateway, publish_group_confirm(&gateway->chunks, id));
}

/* --- the role -----------------------------------------------------------------------------------
 */

static void on_tick(struct role *role)
{
	struct gateway *gateway = (struct gateway *)role;
	uint64_t now_ms = node_now(&gateway->node);

	node_on_tick(&gateway->node);
	gateway_deny_on_tick(gateway, now_ms);
	if (role->stopped || !gateway->node.ready)
		return;
	gateway_status_on_tick(gateway, now_ms);
	intake_on_tick(&gateway->intake);
	quota_on_tick(&gateway->quota, gateway->intake.trouble);
	work_turns_on_tick(&gateway->turns);
	gateway_walk_jobs(gateway, now_ms);
}

static void gateway_free(struct role *role)
{
	struct gateway *gateway = (struct gateway *)role;
	struct job *job = gateway->node.ledger ? ledger_next(gateway->node.ledger, NULL) : NULL;

	for (; job; job = ledger_next(gateway->node.ledger, job))
		gateway_close_job(gateway, job, false);
	while (gateway->clients)
		gateway_remove_client(gateway, gateway->clients->connection);
	assert(!gateway->waiting); /* only clients wait */
	gateway_release_compilations(gateway);
	gateway_release_chunks(gateway);
	intake_release(&gateway->intake);
	buf_release(&gateway->packet);
	buf_release(&gateway->frame);
	arena_release(&gateway->arena);
	node_release(&gateway->node);
	free(gateway);
}

int gateway_new(struct role **out, const struct role_env *env, uint32_t index,
	struct wire_port *port, struct error *err)
{
	static const struct role_ops role_ops = {
		.on_tick = on_tick,
		.on_client_open = on_client_open,
		.on_client = on_client,
		.on_client_closed = on_client_closed,
		.free = gateway_free,
	};
	static const struct node_ops node_ops = {on_ready, on_change, on_delivery, on_confirm};
	struct gateway *gateway = memory_zalloc(sizeof(*gateway));
	char queue[TRANSPORT_QUEUE_NAME_MAX];

	snprintf(queue, sizeof(queue), ROLE_QUEUE_GATEWAY, index);
	gateway->node.role.ops = &role_ops;
	gateway->index = index;
	gateway->port = port;
	buf_init(&gateway->frame, WIRE_FRAME_MAX);
	arena_init(&gateway->arena, 64u << 10);
	buf_init(&gateway->packet, TRANSPORT_MESSAGE_MAX);
	work_turns_init(&gateway->turns, &gateway->node, env->runner);
	intake_init(&gateway->intake, &gateway->node, &env->cluster);
	quota_init(&gateway->quota, &gateway->node, &env->cluster);
	if (node_init(&gateway->node, env, FLOW_NODE_GATEWAY(index), queue, &node_ops, err)) {
		gateway_free(&gateway->node.role);
		return -1;
	}
	*out = &gateway->node.role;
	return 0;
}
