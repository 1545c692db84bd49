/*
 * The simulated world with roles that do as little as can be checked: a gateway passes numbers from
 * clients on to a reducer, which writes them to its disk. Whatever befalls them, a number whose
 * receipt reached a client is on the disk in the end.
 */
#include "sim/world.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NUMBERS	   200u
#define FILE_NAME  "numbers"
#define WINDOW	   16u
#define STEPS_MAX  3000000u
#define TAGS_MAX   64u
#define QUEUE_NAME "tamiz.reducer.0"

/* --- the reducer -------------------------------------------------------------------------------*/

struct record {
	uint64_t number;
	uint64_t check; /* ~number */
};

struct reducer {
	struct role role;
	struct role_env env;
	struct disk_file *file;
	uint64_t size;
	bool seen[NUMBERS + 1];
	uint32_t tag_count;
	uint64_t tags[TAGS_MAX]; /* to acknowledge after the sync */
};

static void reducer_delivery(void *context, const struct transport_delivery *delivery)
{
	struct reducer *reducer = context;
	struct record record;
	struct disk_piece piece = {&record, sizeof(record)};

	if (reducer->role.stopped)
		return;
	assert_int_equal(delivery->size, sizeof(uint64_t));
	memcpy(&record.number, delivery->bytes, sizeof(record.number));
	record.check = ~record.number;
	if (!reducer->seen[record.number]) {
		if (disk_write(reducer->file, reducer->size, &piece, 1, &reducer->role.reason)) {
			reducer->role.stopped = true;
			return;
		}
		reducer->size += sizeof(record);
		reducer->seen[record.number] = true;
	}
	assert_true(reducer->tag_count < TAGS_MAX);
	reducer->tags[reducer->tag_count++] = delivery->tag;
}

static void reducer_tick(struct role *role)
{
	struct reducer *reducer = (struct reducer *)role;

	if (role->stopped || reducer->tag_count == 0)
		return;
	if (disk_sync(reducer->file, &role->reason)) {
		role->stopped = true;
		return;
	}
	for (uint32_t i = 0; i < reducer->tag_count; i++)
		transport_ack(reducer->env.transport, reducer->tags[i]);
	reducer->tag_count = 0;
}

static void ignore_confirm(void *context, uint64_t id)
{
	(void)context;
	(void)id;
}

static void ignore_log(void *context, uint64_t offset, const uint8_t *bytes, size_t size)
{
	(void)context;
	(void)offset;
	(void)bytes;
	(void)size;
}

static void stop_when_lost(void *context)
{
	struct role *role = context;

	role->stopped = true;
	error_set(&role->reason, ERROR_FENCED, "another has our place");
}

static void reducer_free(struct role *role)
{
	disk_close(((struct reducer *)role)->file);
	free(role);
}

static const struct role_ops reducer_ops = {.on_tick = reducer_tick, .free = reducer_free};

static int reducer_load(struct reducer *reducer, struct error *err)
{
	uint64_t size;

	if (disk_open(reducer->env.disk, FILE_NAME, true, &reducer->file, err) ||
		disk_size(reducer->file, &size, err))
		return -1;
	for (uint64_t at = 0; at + sizeof(struct record) <= size; at += sizeof(struct record)) {
		struct record record;

		if (disk_read(reducer->file, at, &record, sizeof(record), err))
			return -1;
		if (record.number && record.number <= NUMBERS && record.check == ~record.number)
			reducer->seen[record.number] = true;
	}
	/* Behind all that may be torn. */
	reducer->size = (size + sizeof(struct record) - 1) & ~(sizeof(struct record) - 1);
	return 0;
}

static int make_reducer(struct role **out, const struct role_env *env, struct error *err)
{
	struct reducer *reducer = memory_zalloc(sizeof(*reducer));

	reducer->role.ops = &reducer_ops;
	reducer->env = *env;
	env->transport->handler = (struct transport_handler){
		.on_delivery = reducer_delivery,
		.on_confirm = ignore_confirm,
		.on_log = ignore_log,
		.on_lost = stop_when_lost,
		.context = reducer,
	};
	if (reducer_load(reducer, err) ||
		transport_consume(env->transport, QUEUE_NAME, 8, true, err)) {
		reducer_free(&reducer->role);
		return -1;
	}
	*out = &reducer->role;
	return 0;
}

/* --- the gateway -------------------------------------------------------------------------------*/

struct gateway {
	struct role role;
	struct role_env env;
	struct wire_port *port;
	uint64_t connections[1024]; /* of those whose numbers were passed on, by id */
	uint64_t numbers[1024];
	uint64_t id;
};

static void gateway_confirm(void *context, uint64_t id)
{
	struct gateway *gateway = context;

	gateway->port->send(gateway->port, gateway->connections[id % 1024],
		&gateway->numbers[id % 1024], sizeof(uint64_t));
}

static void gateway_client(
	struct role *role, uint64_t connection, const uint8_t *bytes, size_t size)
{
	struct gateway *gateway = (struct gateway *)role;
	struct error err;

	assert_int_equal(size, sizeof(uint64_t));
	gateway->id++;
	gateway->connections[gateway->id % 1024] = connection;
	memcpy(&gateway->numbers[gateway->id % 1024], bytes, size);
	assert_int_equal(transport_publish(gateway->env.transport, QUEUE_NAME, bytes, size,
				 gateway->id, &err),
		0);
	/* Now and then it has enough of somebody. */
	if (rng_below(gateway->env.rng, 50) == 0)
		gateway->port->drop(gateway->port, connection);
}

static void gateway_ignore(struct role *role, uint64_t connection)
{
	(void)role;
	(void)connection;
}

static void gateway_ignore_open(struct role *role, uint64_t connection, uint64_t client)
{
	(void)client;
	gateway_ignore(role, connection);
}

static void gateway_tick(struct role *role)
{
	struct gateway *gateway = (struct gateway *)role;

	if (rng_below(gateway->env.rng, 2000) == 0) {
		role->stopped = true;
		error_set(&role->reason, ERROR_INTERNAL, "tired");
	}
}

static void gateway_free(struct role *role)
{
	free(role);
}

static const struct role_ops gateway_ops = {
	.on_tick = gateway_tick,
	.on_client_open = gateway_ignore_open,
	.on_client = gateway_client,
	.on_client_closed = gateway_ignore,
	.free = gateway_free,
};

static int make_role(struct role **out, const struct world_node *node, const struct role_env *env,
	struct wire_port *port, struct error *err)
{
	struct gateway *gateway;

	if (node->kind == NODE_REDUCER)
		return make_reducer(out, env, err);
	gateway = memory_zalloc(sizeof(*gateway));
	gateway->role.ops = &gateway_ops;
	gateway->env = *env;
	gateway->port = port;
	env->transport->handler = (struct transport_handler){
		.on_confirm = gateway_confirm,
		.on_log = ignore_log,
		.on_lost = stop_when_lost,
		.context = gateway,
	};
	*out = &gateway->role;
	return 0;
}

/* --- the client --------------------------------------------------------------------------------*/

struct client {
	struct world_client client;
	struct world *world;
	uint64_t connection;
	bool open;
	uint32_t confirmed_count;
	bool confirmed[NUMBERS + 1];
	bool sent[NUMBERS + 1]; /* on this connection */
};

static void client_send(struct client *client)
{
	uint32_t in_flight = 0;

	for (uint64_t n = 1; n <= NUMBERS; n++)
		in_flight += client->sent[n] && !client->confirmed[n];
	for (uint64_t n = 1; n <= NUMBERS && in_flight < WINDOW; n++) {
		if (client->sent[n] || client->confirmed[n])
			continue;
		client->sent[n] = true;
		in_flight++;
		world_client_send(client->world, client->connection, &n, sizeof(n));
	}
}

static void client_opened(struct world_client *base, uint64_t connection)
{
	struct client *client = (struct client *)base;

	assert_int_equal(connection, client->connection);
	assert_false(client->open);
	client->open = true;
	memset(client->sent, 0, sizeof(client->sent));
	client_send(client);
}

static void client_message(
	struct world_client *base, uint64_t connection, const uint8_t *bytes, size_t size)
{
	struct client *client = (struct client *)base;
	uint64_t number;

	assert_int_equal(connection, client->connection);
	assert_true(client->open);
	assert_int_equal(size, sizeof(number));
	memcpy(&number, bytes, size);
	if (!client->confirmed[number]) {
		client->confirmed[number] = true;
		client->confirmed_count++;
	}
	client_send(client);
}

static void client_connect(void *context, uint64_t argument)
{
	struct client *client = context;
	struct world *world = client->world;
	uint32_t gateway = (uint32_t)rng_below(&world->rng, 2);

	(void)argument;
	client->connection = world_connect(
		world, &client->client, world_find_node(world, NODE_GATEWAY, gateway));
}

static void client_closed(struct world_client *base, uint64_t connection)
{
	struct client *client = (struct client *)base;

	assert_int_equal(connection, client->connection);
	client->open = false;
	sim_events_add(&client->world->events, 20000, client_connect, client, 0);
}

/* --- the tests ---------------------------------------------------------------------------------*/

static const struct world_config stormy = {
	.broker = {.duplicate_ppm = 50000,
		.reorder_ppm = 100000,
		.reorder_depth = 8,
		.long_delay_ppm = 10000,
		.break_ppm = 5000,
		.confirm_lost_ppm = 5000,
		.restart_ppm = 1000,
		.delay_us = 2000,
		.long_delay_us = 300000,
		.backoff_us = 50000,
		.steady_us = 50000,
		.restart_us = 300000,
		.heartbeat_us = 500000},
	.net_delay_us = 3000,
	.net_break_ppm = 10000,
	.restart_us = 300000,
	.pause_us = 1500000,
	.make_role = make_role,
};

static void chaos(void *context, uint64_t left)
{
	struct world *world = context;

	world_chaos(world);
	if (left)
		sim_events_add(
			&world->events, sim_up_to(&world->rng, 200000), chaos, world, left - 1);
}

static void check_disk(const struct world *world)
{
	bool found[NUMBERS + 1] = {false};
	const char *bytes;
	size_t size;

	bytes = disk_sim_get(world_find_node(world, NODE_REDUCER, 0)->store, FILE_NAME, &size);
	assert_non_null(bytes);
	for (size_t at = 0; at + sizeof(struct record) <= size; at += sizeof(struct record)) {
		struct record record;

		memcpy(&record, bytes + at, sizeof(record));
		if (record.number <= NUMBERS && record.check == ~record.number)
			found[record.number] = true;
	}
	for (uint32_t n = 1; n <= NUMBERS; n++)
		assert_true(found[n]);
}

/* Until the client has all its receipts and the queue is empty. */
static void run(const struct world_config *config, uint32_t acts, uint64_t *trace,
	struct world_counts *counts)
{
	struct world world;
	struct client client = {.client = {"client", client_opened, client_message, client_closed},
		.world = &world};
	uint32_t steps = 0;

	world_init(&world, config);
	world_add_node(&world, NODE_REDUCER, 0);
	world_add_node(&world, NODE_GATEWAY, 0);
	world_add_node(&world, NODE_GATEWAY, 1);
	client_connect(&client, 0);
	if (acts)
		sim_events_add(&world.events, 1000, chaos, &world, acts);
	while (client.confirmed_count < NUMBERS || sim_broker_size(world.broker)) {
		assert_true(world_step(&world));
		assert_true(++steps < STEPS_MAX);
	}
	check_disk(&world);
	assert_int_equal(sim_broker_counts(world.broker)->double_acks, 0);
	*trace = world.events.trace;
	*counts = world.counts;
	world_client_gone(&world, &client.client);
	sim_events_cancel(&world.events, &client);
	world_release(&world);
}

static void test_calm(void **state)
{
	struct world_config config = {.make_role = make_role};
	struct world_counts counts;
	uint64_t trace;

	(void)state;
	run(&config, 0, &trace, &counts);
	assert_int_equal(counts.kills + counts.pauses + counts.connection_breaks, 0);
}

static void test_chaos(void **state)
{
	struct world_counts all = {0};
	struct world_config config = stormy;

	(void)state;
	for (config.seed = 1; config.seed <= 60; config.seed++) {
		struct world_counts counts;
		uint64_t trace;

		run(&config, 40, &trace, &counts);
		for (size_t i = 0; i < sizeof(all) / sizeof(uint64_t); i++)
			((uint64_t *)&all)[i] += ((uint64_t *)&counts)[i];
	}
	assert_true(all.kills && all.power_losses && all.pauses && all.zombies && all.stops);
	assert_true(all.connection_breaks && all.frames_lost);
}

static void test_a_seed_decides(void **state)
{
	struct world_config config = stormy;
	struct world_counts counts;
	uint64_t first, again, other;

	(void)state;
	config.seed = 3;
	run(&config, 40, &first, &counts);
	run(&config, 40, &again, &counts);
	config.seed = 4;
	run(&config, 40, &other, &counts);
	assert_int_equal(first, again);
	assert_int_not_equal(first, other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calm),
		cmocka_unit_test(test_chaos),
		cmocka_unit_test(test_a_seed_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
