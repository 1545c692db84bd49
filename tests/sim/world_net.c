/*
 * Connections between clients and gateways. Messages of one direction arrive in order; when a
 * connection breaks, the two ends learn of it at different times, and what was under way to an end
 * still arrives there or does not, by chance.
 */
#include "sim/world.h"

#include "base/hash.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum side {
	SIDE_CLIENT,
	SIDE_GATEWAY,
};

#define PAUSED_POLL_US 10000

struct frame {
	struct frame *next;
	uint64_t number;
	enum side to;
	size_t size;
	uint8_t bytes[];
};

struct end {
	bool open;	  /* it may send, and will hear when that ends */
	bool deaf;	  /* what is under way to it does not arrive */
	uint64_t last_us; /* when the last message to it arrives */
};

struct world_connection {
	struct world_connection *next;
	struct world *world;
	uint64_t number;
	struct world_client *client; /* NULL: gone */
	struct world_node *gateway;
	struct world_life *life; /* NULL: not reached yet, or gone */
	struct end ends[2];
	bool broken; /* nothing is sent any more */
	struct frame *frames;
	uint64_t frame_number;
};

static struct world_connection *find(struct world *world, uint64_t number)
{
	struct world_connection *connection = world->connections;

	while (connection && connection->number != number)
		connection = connection->next;
	return connection;
}

static void connection_free(struct world_connection *connection)
{
	struct world_connection **link = &connection->world->connections;

	while (*link != connection)
		link = &(*link)->next;
	*link = connection->next;
	sim_events_cancel(&connection->world->events, connection);
	while (connection->frames) {
		struct frame *frame = connection->frames;

		connection->frames = frame->next;
		free(frame);
	}
	free(connection);
}

static uint64_t delay_to(struct world_connection *connection, enum side to)
{
	struct world *world = connection->world;
	struct end *end = &connection->ends[to];
	uint64_t arrival_us =
		world->events.now_us + sim_up_to(&world->rng, world->config.net_delay_us);

	if (arrival_us < end->last_us)
		arrival_us = end->last_us;
	end->last_us = arrival_us;
	return arrival_us - world->events.now_us;
}

static const char *end_name(const struct world_connection *connection, enum side side)
{
	if (side == SIDE_GATEWAY)
		return connection->gateway->name;
	return connection->client ? connection->client->name : "client";
}

static bool end_waits(const struct world_connection *connection, enum side side)
{
	if (side == SIDE_CLIENT)
		return false;
	/* Until it was reached there is nobody to hear it. */
	return connection->life ? connection->life->paused : !connection->broken;
}

/* --- the end of a connection -------------------------------------------------------------------*/

static void on_end_closed(void *context, uint64_t side)
{
	struct world_connection *connection = context;
	struct world *world = connection->world;
	struct end *end = &connection->ends[side];
	struct world_client *client = connection->client;
	struct world_life *life = connection->life;
	uint64_t number = connection->number;
	bool was_open = end->open;

	if (end_waits(connection, (enum side)side)) {
		sim_events_add(&world->events, PAUSED_POLL_US, on_end_closed, connection, side);
		return;
	}
	end->open = false;
	end->deaf = true;
	sim_events_note(&world->events, end_name(connection, (enum side)side), "closed", number);
	if (!connection->ends[SIDE_CLIENT].open && !connection->ends[SIDE_GATEWAY].open)
		connection_free(connection);
	if (!was_open)
		return;
	if (side == SIDE_CLIENT && client)
		client->on_closed(client, number);
	else if (side == SIDE_GATEWAY && life && !life->role->stopped)
		life->role->ops->on_client_closed(life->role, number);
}

/* `by` has hung up or is gone, and hears nothing more; the other end learns of it. */
static void end_vanishes(struct world_connection *connection, enum side by, bool abrupt)
{
	struct world *world = connection->world;
	enum side other = by == SIDE_CLIENT ? SIDE_GATEWAY : SIDE_CLIENT;

	connection->ends[by].open = false;
	connection->ends[by].deaf = true;
	connection->broken = true;
	if (!connection->ends[other].open) {
		connection_free(connection);
		return;
	}
	if (abrupt && rng_below(&world->rng, 2))
		connection->ends[other].deaf = true;
	sim_events_add(
		&world->events, delay_to(connection, other), on_end_closed, connection, other);
}

static void connection_break(struct world_connection *connection)
{
	struct world *world = connection->world;

	world->counts.connection_breaks++;
	connection->broken = true;
	for (uint32_t side = SIDE_CLIENT; side <= SIDE_GATEWAY; side++) {
		connection->ends[side].deaf = rng_below(&world->rng, 2);
		sim_events_add(&world->events, delay_to(connection, (enum side)side), on_end_closed,
			connection, side);
	}
}

/* --- messages ----------------------------------------------------------------------------------*/

static struct frame *take_frame(struct world_connection *connection, uint64_t number)
{
	struct frame **link = &connection->frames;
	struct frame *frame;

	while (*link && (*link)->number != number)
		link = &(*link)->next;
	frame = *link;
	if (frame)
		*link = frame->next;
	return frame;
}

static void hand_over(struct world_connection *connection, const struct frame *frame)
{
	struct world_life *life = connection->life;
	struct world_client *client = connection->client;

	sim_events_note(&connection->world->events, end_name(connection, frame->to), "message",
		hash_combine(frame->size, frame->size ? hash_bytes(frame->bytes, frame->size) : 0));
	if (frame->to == SIDE_CLIENT && client)
		client->on_message(client, connection->number, frame->bytes, frame->size);
	else if (frame->to == SIDE_GATEWAY && life && !life->role->stopped)
		life->role->ops->on_client(
			life->role, connection->number, frame->bytes, frame->size);
}

/* One that was sent before it is still there: it waited for a node that was paused. */
static bool overtakes(const struct world_connection *connection, const struct frame *frame)
{
	for (const struct frame *other = connection->frames; other; other = other->next)
		if (other->to == frame->to && other->number < frame->number)
			return true;
	return false;
}

static void on_frame(void *context, uint64_t number)
{
	struct world_connection *connection = context;
	struct world *world = connection->world;
	struct frame *frame = take_frame(connection, number);

	assert(frame);
	if (end_waits(connection, frame->to) || overtakes(connection, frame)) {
		frame->next = connection->frames;
		connection->frames = frame;
		sim_events_add(&world->events, PAUSED_POLL_US, on_frame, connection, number);
		return;
	}
	if (!connection->broken && sim_chance(&world->rng, world->config.net_break_ppm))
		connection_break(connection);
	if (connection->ends[frame->to].deaf)
		world->counts.frames_lost++;
	else
		hand_over(connection, frame);
	free(frame);
}

static void send_to(
	struct world_connection *connection, enum side to, const void *bytes, size_t size)
{
	struct frame *frame;

	if (connection->broken)
		return;
	frame = memory_alloc(sizeof(*frame) + size);
	frame->number = ++connection->frame_number;
	frame->to = to;
	frame->size = size;
	memcpy(frame->bytes, bytes, size);
	frame->next = connection->frames;
	connection->frames = frame;
	sim_events_add(&connection->world->events, delay_to(connection, to), on_frame, connection,
		frame->number);
}

/* --- the gateway's port ------------------------------------------------------------------------*/

static struct world_life *life_of(struct wire_port *port)
{
	return (struct world_life *)((char *)port - offsetof(struct world_life, port));
}

static void port_send(
	struct wire_port *port, uint64_t connection_number, const void *bytes, size_t size)
{
	struct world_life *life = life_of(port);
	struct world_connection *connection = find(life->node->world, connection_number);

	if (connection && connection->life == life && connection->ends[SIDE_GATEWAY].open)
		send_to(connection, SIDE_CLIENT, bytes, size);
}

static void port_drop(struct wire_port *port, uint64_t connection_number)
{
	struct world_life *life = life_of(port);
	struct world_connection *connection = find(life->node->world, connection_number);

	if (connection && connection->life == life && connection->ends[SIDE_GATEWAY].open)
		end_vanishes(connection, SIDE_GATEWAY, false);
}

void world_port_init(struct world_life *life)
{
	life->port = (struct wire_port){.send = port_send, .drop = port_drop};
}

void world_net_end(struct world *world, struct world_life *life)
{
	struct world_connection *next;

	for (struct world_connection *c = world->connections; c; c = next) {
		next = c->next;
		if (c->life != life)
			continue;
		c->life = NULL;
		if (c->ends[SIDE_GATEWAY].open)
			end_vanishes(c, SIDE_GATEWAY, true);
	}
}

/* --- clients -----------------------------------------------------------------------------------*/

static void on_opened(void *context, uint64_t argument)
{
	struct world_connection *connection = context;

	(void)argument;
	if (connection->ends[SIDE_CLIENT].open && !connection->broken)
		connection->client->on_open(connection->client, connection->number);
}

static void on_reached(void *context, uint64_t argument)
{
	struct world_connection *connection = context;
	struct world *world = connection->world;
	struct world_life *life = connection->gateway->life;

	(void)argument;
	if (connection->broken)
		return;
	if (!life || life->role->stopped) {
		/* Refused. */
		connection->broken = true;
		sim_events_add(&world->events, delay_to(connection, SIDE_CLIENT), on_end_closed,
			connection, SIDE_CLIENT);
		return;
	}
	if (life->paused) {
		sim_events_add(&world->events, PAUSED_POLL_US, on_reached, connection, 0);
		return;
	}
	connection->life = life;
	connection->ends[SIDE_GATEWAY].open = true;
	world->counts.connections++;
	sim_events_note(&world->events, connection->gateway->name, "reached", connection->number);
	sim_events_add(&world->events, delay_to(connection, SIDE_CLIENT), on_opened, connection, 0);
	/* Where a client is, the world does not say. */
	life->role->ops->on_client_open(life->role, connection->number, 0);
}

uint64_t world_connect(struct world *world, struct world_client *client, struct world_node *gateway)
{
	struct world_connection *connection = memory_zalloc(sizeof(*connection));

	connection->world = world;
	connection->number = ++world->connection_number;
	connection->client = client;
	connection->gateway = gateway;
	connection->ends[SIDE_CLIENT].open = true;
	connection->next = world->connections;
	world->connections = connection;
	sim_events_add(
		&world->events, delay_to(connection, SIDE_GATEWAY), on_reached, connection, 0);
	return connection->number;
}

void world_client_send(struct world *world, uint64_t connection, const void *bytes, size_t size)
{
	struct world_connection *found = find(world, connection);

	if (found && found->ends[SIDE_CLIENT].open)
		send_to(found, SIDE_GATEWAY, bytes, size);
}

void world_client_drop(struct world *world, uint64_t connection)
{
	struct world_connection *found = find(world, connection);

	if (found && found->ends[SIDE_CLIENT].open)
		end_vanishes(found, SIDE_CLIENT, false);
}

void world_client_gone(struct world *world, struct world_client *client)
{
	struct world_connection *next;

	for (struct world_connection *c = world->connections; c; c = next) {
		next = c->next;
		if (c->client != client)
			continue;
		c->client = NULL;
		if (c->ends[SIDE_CLIENT].open)
			end_vanishes(c, SIDE_CLIENT, true);
	}
}

static struct world *world_of(struct wire_port *port)
{
	return (struct world *)((char *)port - offsetof(struct world, client_port));
}

static void client_port_send(
	struct wire_port *port, uint64_t connection, const void *bytes, size_t size)
{
	world_client_send(world_of(port), connection, bytes, size);
}

static void client_port_drop(struct wire_port *port, uint64_t connection)
{
	world_client_drop(world_of(port), connection);
}

void world_net_init(struct world *world)
{
	world->client_port = (struct wire_port){.send = client_port_send, .drop = client_port_drop};
}

void world_net_release(struct world *world)
{
	while (world->connections)
		connection_free(world->connections);
}
