/* Nodes and their lives. The network of clients is in world_net.c. */
#include "sim/world.h"

#include "base/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int world_make_role(struct role **out, const struct world_node *node, const struct role_env *env,
	struct wire_port *port, struct error *err)
{
	switch (node->kind) {
	case NODE_REDUCER: return reducer_new(out, env, node->index, err);
	case NODE_COLLECTOR: return collector_new(out, env, err);
	case NODE_FILTER: return filter_new(out, env, err);
	case NODE_GATEWAY: return gateway_new(out, env, node->index, port, err);
	case NODE_PROXY:
	case NODE_WATCHER: break;
	}
	return error_set(err, ERROR_INTERNAL, "no such kind of node");
}

void world_init(struct world *world, const struct world_config *config)
{
	memset(world, 0, sizeof(*world));
	world->config = *config;
	rng_init(&world->rng, config->seed);
	sim_events_init(&world->events);
	world->broker = sim_broker_new(&world->events, &world->rng, &config->broker);
	world_net_init(world);
}

uint64_t world_now_ms(const struct world *world)
{
	return world->events.now_us / 1000;
}

/* --- a life ------------------------------------------------------------------------------------*/

static uint64_t life_now_ms(void *clock)
{
	const struct world_life *life = clock;

	return world_now_ms(life->node->world) + life->clock_offset_ms;
}

static void life_log(void *context, enum log_event event, const char *line)
{
	const struct world_life *life = context;
	const struct world *world = life->node->world;

	(void)event;
	if (world->config.on_log)
		world->config.on_log(
			world->config.log_context, world->events.now_us, life->node->name, line);
}

static void on_tick(void *context, uint64_t tick_chain)
{
	struct world_life *life = context;
	struct world *world = life->node->world;

	if (life->paused || life->tick_chain != tick_chain)
		return;
	sim_events_add(&world->events,
		ROLE_TICK_MS * 500 + sim_up_to(&world->rng, ROLE_TICK_MS * 1000), on_tick, life,
		tick_chain);
	life->role->ops->on_tick(life->role);
}

/* Gives back what a life holds, with or without a role in it. */
static void life_free(struct world_life *life)
{
	struct world *world = life->node->world;
	struct disk *fence = NULL;

	if (world->config.on_end)
		world->config.on_end(life->node);
	world_net_end(world, life);
	sim_events_cancel(&world->events, life);
	/*
	 * A process that dies has no last words: its role is freed when the broker is out of reach
	 * and another has taken the disk. From a zombie another has taken it already.
	 */
	sim_transport_kill(life->transport);
	if (life->disk && life != life->node->zombie)
		fence = disk_sim_open(life->node->store);
	if (life->role) {
		struct work_record before = *life->record;
		bool stopped = life->role->stopped;

		life->role->ops->free(life->role);
		/* Nor does it clean up. */
		if (!stopped)
			*life->record = before;
	}
	if (life->record != life->node->record)
		free(life->record);
	if (life->disk)
		disk_sim_close(life->disk);
	if (fence)
		disk_sim_close(fence);
	free(life);
}

static struct role_env life_env(struct world_life *life)
{
	return (struct role_env){
		.transport = life->transport,
		.disk = life->disk,
		.rng = &life->rng,
		.runner = &life->runner,
		.now_ms = life_now_ms,
		.clock = life,
		.log = life_log,
		.log_context = life,
		.cluster = life->node->world->config.cluster,
	};
}

static void start_later(struct world_node *node);

static void on_start(void *context, uint64_t argument)
{
	struct world_node *node = context;
	struct world *world = node->world;
	struct world_life *life;
	struct error err;

	(void)argument;
	if (node->life || node->removed)
		return;
	life = memory_zalloc(sizeof(*life));
	life->node = node;
	rng_init(&life->rng, rng_next(&world->rng));
	life->clock_offset_ms = rng_below(&world->rng, 1000000);
	life->transport = sim_transport_open(world->broker, node->name);
	life->disk = node->store ? disk_sim_open(node->store) : NULL;
	world_port_init(life);
	world_work_init(life);
	life->env = life_env(life);
	life->record = node->record;
	work_record_start(life->record, 0);
	life->env.record = life->record;
	node->starts++;
	world->counts.starts++;
	sim_events_note(&world->events, node->name, "start", node->starts);
	if (world->config.make_role(&life->role, node, &life->env, &life->port, &err)) {
		world->counts.start_failures++;
		life_log(life, LOG_STOPPED, err.message);
		life_free(life);
		start_later(node);
		return;
	}
	node->life = life;
	sim_events_add(
		&world->events, sim_up_to(&world->rng, ROLE_TICK_MS * 1000), on_tick, life, 0);
}

static void start_later(struct world_node *node)
{
	struct world *world = node->world;

	if (world->config.watched)
		return;
	sim_events_add(&world->events, sim_up_to(&world->rng, world->config.restart_us), on_start,
		node, 0);
}

void world_start(struct world_node *node)
{
	on_start(node, 0);
}

/* --- nodes -------------------------------------------------------------------------------------*/

struct world_node *world_add_node(struct world *world, enum node_kind kind, uint32_t index)
{
	struct world_node *node = memory_zalloc(sizeof(*node));

	assert(world->node_count < WORLD_NODES_MAX);
	node->world = world;
	node->kind = kind;
	node->index = index;
	node->record = memory_zalloc(sizeof(*node->record));
	node->store = kind == NODE_FILTER ? NULL : disk_sim_new();
	snprintf(node->name, sizeof(node->name), "%s %u", config_kind_word(kind), index);
	world->nodes[world->node_count++] = node;
	sim_events_add(&world->events, 0, on_start, node, 0);
	return node;
}

struct world_node *world_find_node(const struct world *world, enum node_kind kind, uint32_t index)
{
	for (uint32_t i = 0; i < world->node_count; i++) {
		if (world->nodes[i]->kind == kind && world->nodes[i]->index == index)
			return world->nodes[i];
	}
	return NULL;
}

void world_release(struct world *world)
{
	for (uint32_t i = 0; i < world->node_count; i++) {
		struct world_node *node = world->nodes[i];

		if (node->life)
			life_free(node->life);
		if (node->zombie)
			life_free(node->zombie);
		disk_sim_free(node->store);
		free(node->record);
		free(node);
	}
	world_net_release(world);
	sim_broker_free(world->broker);
	sim_events_release(&world->events);
}

static void node_end(struct world_node *node)
{
	struct world_life *life = node->life;

	node->life = NULL;
	life_free(life);
	start_later(node);
}

/* Whether a life has come to its end by itself. */
static bool life_ended(struct world_life *life)
{
	return life && !life->paused &&
	       (life->role->stopped || (life->disk && disk_sim_crashed(life->disk)));
}

static void node_check(struct world_node *node)
{
	struct world *world = node->world;

	if (life_ended(node->zombie)) {
		life_free(node->zombie);
		node->zombie = NULL;
	}
	if (!life_ended(node->life))
		return;
	if (node->life->role->stopped) {
		world->counts.stops++;
		sim_events_note(&world->events, node->name, "stop", 0);
		life_log(node->life, LOG_STOPPED, node->life->role->reason.message);
		node_end(node);
	} else {
		world_kill(node, DEATH_POWER);
	}
}

bool world_step(struct world *world)
{
	if (!sim_events_step(&world->events))
		return false;
	for (uint32_t i = 0; i < world->node_count; i++)
		node_check(world->nodes[i]);
	return true;
}

/* --- what befalls them -------------------------------------------------------------------------*/

/* The machine takes the zombie with it. */
static void lose_power(struct world_node *node, enum world_death death)
{
	if (node->zombie) {
		life_free(node->zombie);
		node->zombie = NULL;
	}
	if (!node->store)
		return;
	if (death == DEATH_POWER)
		disk_sim_crash(node->store, &node->world->rng);
	else
		disk_sim_wipe(node->store);
}

void world_kill(struct world_node *node, enum world_death death)
{
	struct world *world = node->world;

	if (!node->life)
		return;
	switch (death) {
	case DEATH_KILLED: world->counts.kills++; break;
	case DEATH_POWER: world->counts.power_losses++; break;
	case DEATH_DISK: world->counts.disks_lost++; break;
	}
	sim_events_note(&world->events, node->name, "death", death);
	if (death != DEATH_KILLED)
		lose_power(node, death);
	node_end(node);
	/* Nobody has synced it. */
	if (death == DEATH_DISK || (death == DEATH_POWER && rng_below(&world->rng, 2)))
		memset(node->record, 0, sizeof(*node->record));
}

void world_remove_node(struct world_node *node)
{
	node->removed = true;
	world_kill(node, DEATH_KILLED);
}

static void on_resume(void *context, uint64_t argument)
{
	struct world_life *life = context;
	struct world *world = life->node->world;

	(void)argument;
	life->paused = false;
	sim_transport_resume(life->transport);
	sim_events_note(&world->events, life->node->name, "resume", 0);
	on_tick(life, ++life->tick_chain);
}

static void on_replace(void *context, uint64_t argument)
{
	struct world_life *life = context;
	struct world_node *node = life->node;

	(void)argument;
	if (node->life != life || node->zombie || !life->paused)
		return;
	node->world->counts.zombies++;
	node->zombie = life;
	node->life = NULL;
	/* Each has its own, as if the zombie were on another machine. */
	node->record = memory_zalloc(sizeof(*node->record));
	*node->record = *life->record;
	on_start(node, 0);
}

void world_pause(struct world_node *node, uint64_t duration_us, bool replaced)
{
	struct world *world = node->world;
	struct world_life *life = node->life;

	if (!life || life->paused)
		return;
	life->paused = true;
	world->counts.pauses++;
	sim_events_note(&world->events, node->name, "pause", duration_us);
	sim_transport_pause(life->transport);
	sim_events_add(&world->events, duration_us, on_resume, life, 0);
	if (replaced)
		sim_events_add(
			&world->events, sim_up_to(&world->rng, duration_us), on_replace, life, 0);
}

void world_chaos(struct world *world)
{
	struct world_node *node = world->nodes[rng_below(&world->rng, world->node_count)];
	uint64_t pause_us = sim_up_to(&world->rng, world->config.pause_us);

	switch (rng_below(&world->rng, 8)) {
	case 0:
	case 1: world_kill(node, DEATH_KILLED); break;
	case 2:
	case 3: world_kill(node, DEATH_POWER); break;
	case 4: world_pause(node, pause_us, false); break;
	case 5: world_pause(node, pause_us, true); break;
	case 6:
		if (node->life)
			sim_transport_break(node->life->transport);
		break;
	case 7:
		if (rng_below(&world->rng, 4) == 0)
			sim_broker_restart(world->broker,
				sim_up_to(&world->rng, world->config.broker.restart_us));
		break;
	}
}
