#include "sim/client.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_US (20u * 1000u)

static void start_session(struct sim_client *client)
{
	client->session = session_new(&client->options, &client->state, &client->source.session,
		&client->world->client_port, &client->rng);
	sim_source_clear(&client->source);
}

/* Whether it was being opened; 0 finds a free place. */
static bool replace_connecting(struct sim_client *client, uint64_t old, uint64_t new)
{
	for (uint32_t i = 0; i < SIM_CLIENT_CONNECTIONS_MAX; i++)
		if (client->connecting[i] == old) {
			client->connecting[i] = new;
			return true;
		}
	return false;
}

static bool take_connecting(struct sim_client *client, uint64_t connection)
{
	return replace_connecting(client, connection, 0);
}

static void on_open(struct world_client *net, uint64_t connection)
{
	struct sim_client *client = (struct sim_client *)net;

	take_connecting(client, connection);
	if (client->session)
		session_on_open(client->session, connection, world_now_ms(client->world));
}

static void on_message(
	struct world_client *net, uint64_t connection, const uint8_t *bytes, size_t size)
{
	struct sim_client *client = (struct sim_client *)net;

	if (client->session)
		session_on_message(
			client->session, connection, bytes, size, world_now_ms(client->world));
}

static void on_closed(struct world_client *net, uint64_t connection)
{
	struct sim_client *client = (struct sim_client *)net;

	bool was_open = !take_connecting(client, connection);

	if (client->session)
		session_on_closed(
			client->session, was_open ? connection : 0, world_now_ms(client->world));
}

static void go_away(struct sim_client *client)
{
	world_client_gone(client->world, &client->net);
	session_free(client->session);
	client->session = NULL;
	memset(client->connecting, 0, sizeof(client->connecting));
	client->left = true;
	if (client->fate == CLIENT_RESTARTS)
		session_state_release(&client->state);
}

/* Lost through no fault of its own, and not for the last time that it would try. */
static bool submits_again(const struct sim_client *client)
{
	return client->session && session_phase(client->session) == SESSION_FAILED &&
	       session_verdict(client->session) == SESSION_JOB_LOST &&
	       client->submissions <= SIM_CLIENT_RETRIES;
}

static void submit_again(struct sim_client *client)
{
	if (strstr(session_error(client->session)->message, "nobody has it any more"))
		client->messages_lost++;
	world_client_gone(client->world, &client->net);
	session_free(client->session);
	memset(client->connecting, 0, sizeof(client->connecting));
	session_state_begin_again(&client->state);
	client->options.job = rng_next(&client->rng) | 1;
	client->options.secret = sim_job_secret(client->options.job);
	client->submissions++;
	start_session(client);
}

static void on_tick(void *context, uint64_t argument)
{
	struct sim_client *client = context;
	struct world *world = client->world;
	uint64_t now_us = world->events.now_us;
	uint64_t now_ms = world_now_ms(world);

	(void)argument;
	if (!client->session && !client->left)
		start_session(client);
	if (client->session && !client->left && client->fate != CLIENT_STAYS &&
		now_us >= client->away_at_us)
		go_away(client);
	if (!client->session && client->fate != CLIENT_NEVER_RETURNS &&
		now_us >= client->back_at_us)
		start_session(client);
	if (submits_again(client))
		submit_again(client);
	if (client->session) {
		session_on_tick(client->session, now_ms);
		while (session_take_connect(client->session, now_ms)) {
			uint32_t gateway =
				(uint32_t)rng_below(&client->rng, world->config.cluster.gateways);

			replace_connecting(client, 0,
				world_connect(world, &client->net,
					world_find_node(world, NODE_GATEWAY, gateway)));
		}
	}
	if (!sim_client_is_over(client))
		sim_events_add(&world->events, TICK_US, on_tick, client, 0);
}

bool sim_client_is_over(const struct sim_client *client)
{
	if (!client->session)
		return client->left && client->fate == CLIENT_NEVER_RETURNS;
	return session_phase(client->session) == SESSION_DONE ||
	       (session_phase(client->session) == SESSION_FAILED && !submits_again(client));
}

struct sim_client *sim_client_new(struct world *world, uint32_t index, struct sim_job *job,
	enum client_fate fate, uint64_t start_us)
{
	struct sim_client *client = memory_zalloc(sizeof(*client));

	snprintf(client->name, sizeof(client->name), "client %u", index);
	client->net = (struct world_client){client->name, on_open, on_message, on_closed};
	client->world = world;
	client->submissions = 1;
	client->fate = fate;
	client->job = job;
	rng_init(&client->rng, rng_next(&world->rng));
	client->options = (struct session_options){
		.job = rng_next(&client->rng) | 1,
		.schema = job->schema,
		.table_count = job->table_count,
		.table_bytes = job->table_bytes,
		.query_count = job->query_count,
		.queries = job->queries,
		.connections = 1 + (uint32_t)rng_below(&client->rng, SIM_CLIENT_CONNECTIONS_MAX),
		.window = 1 + (uint32_t)rng_below(&client->rng, 8),
		.patience_ms = 2000,
		.unknown_ms = 5000,
	};
	client->options.secret = sim_job_secret(client->options.job);
	sim_source_init(&client->source, job, &client->rng);
	client->away_at_us = start_us + rng_below(&client->rng, 3000000);
	client->back_at_us = client->away_at_us + rng_below(&client->rng, 3000000);
	sim_events_add(&world->events, start_us, on_tick, client, 0);
	return client;
}

void sim_client_free(struct sim_client *client)
{
	world_client_gone(client->world, &client->net);
	sim_events_cancel(&client->world->events, client);
	session_free(client->session);
	session_state_release(&client->state);
	sim_source_release(&client->source);
	free(client);
}
