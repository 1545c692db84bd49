/* Nodes and their processes. */
#include "sim/hosts/hosts.h"

#include "base/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START_MS_MIN 20u
#define START_MS     400u
#define PORT	     7000u
#define HEALTH_PORT  8000u

/* --- the cluster file ----------------------------------------------------------------------------
 */

static void put_hosts(
	struct buf *out, const char *key, const uint32_t *hosts, uint32_t count, uint32_t port)
{
	char text[16];

	buf_printf(out, "%s = ", key);
	for (uint32_t i = 0; i < count; i++) {
		machine_host_text(hosts[i], text);
		/* Two nodes of one host have ports of their own. */
		buf_printf(out, "%s%s:%u", i ? ", " : "", text, port + i);
	}
	buf_append_text(out, "\n");
}

static void put_section(struct buf *out, const char *name, const uint32_t *hosts, uint32_t count,
	uint32_t port, bool listens)
{
	buf_printf(out, "[%s]\nreplicas = %u\n", name, count);
	if (count == 0)
		return;
	if (listens)
		put_hosts(out, "hosts", hosts, count, port);
	put_hosts(out, "health_hosts", hosts, count, port + (HEALTH_PORT - PORT));
}

static void write_file(struct hosts *hosts, const uint32_t counts[NODE_KINDS],
	uint32_t places[NODE_KINDS][HOSTS_NODES_MAX], struct buf *out)
{
	char text[16];

	buf_printf(out, "[cluster]\nname = sim\njob_ttl = 1h\n");
	put_section(out, "gateway", places[NODE_GATEWAY], counts[NODE_GATEWAY], PORT, true);
	put_section(out, "reducer", places[NODE_REDUCER], counts[NODE_REDUCER], PORT + 100, false);
	put_section(out, "filter", places[NODE_FILTER], counts[NODE_FILTER], PORT + 200, false);
	put_section(out, "proxy", places[NODE_PROXY], counts[NODE_PROXY], PORT + 300, true);
	buf_printf(out, "patience = 1s\nconnections_max = %u\n",
		rng_below(&hosts->rng, 4) ? 4096u : 3u);
	machine_host_text(places[NODE_COLLECTOR][0], text);
	buf_printf(out, "[collector]\nhealth = %s:%u\n", text, HEALTH_PORT + 400);
	put_section(out, "watcher", places[NODE_WATCHER], counts[NODE_WATCHER], PORT + 500, true);
	buf_printf(out,
		"driver = command\ncommand = start {node}\nheartbeat = %ums\n"
		"leader_patience = %ums\ncheck = 100ms\npatience = %ums\nloop_patience = 2500ms\n"
		"start_patience = 4s\nreplay_patience = 8s\npause_max = 2s\ncommand_timeout = 1s\n",
		HOSTS_HEARTBEAT_MS, HOSTS_LEADER_PATIENCE_MS, HOSTS_PATIENCE_MS);
}

static void add_node(struct hosts *hosts, const struct roster_node *roster, uint32_t host)
{
	struct hosts_node *node = &hosts->nodes[hosts->node_count++];

	assert(hosts->node_count <= HOSTS_NODES_MAX);
	*node = (struct hosts_node){.hosts = hosts,
		.roster = *roster,
		.host = host,
		.leader = UINT64_MAX,
		.well_since_us = UINT64_MAX};
	if (roster->kind == NODE_WATCHER || roster->kind == NODE_PROXY)
		hosts_node_start(node);
	else
		node->world_node = world_add_node(&hosts->world, roster->kind, roster->index);
}

void hosts_add_nodes(struct hosts *hosts)
{
	const struct role_cluster *cluster = &hosts->world.config.cluster;
	uint32_t counts[NODE_KINDS] = {
		[NODE_GATEWAY] = cluster->gateways,
		[NODE_REDUCER] = cluster->reducers,
		[NODE_COLLECTOR] = 1,
		[NODE_FILTER] = cluster->filters ? 1 : 0,
		[NODE_PROXY] = (uint32_t)rng_below(&hosts->rng, 3),
		[NODE_WATCHER] = 3 + (uint32_t)rng_below(&hosts->rng, 3),
	};
	uint32_t places[NODE_KINDS][HOSTS_NODES_MAX] = {{0}};
	struct roster_node roster[ROSTER_NODES_MAX];
	struct error err;
	struct buf text;
	uint32_t count;

	for (uint32_t kind = 0; kind < NODE_KINDS; kind++)
		for (uint32_t i = 0; i < counts[kind]; i++)
			places[kind][i] = hosts->host_count++;
	/* Some proxies have a gateway beside them, to which they give their clients. */
	for (uint32_t i = 0; i < counts[NODE_PROXY]; i++)
		if (rng_below(&hosts->rng, 2))
			places[NODE_PROXY][i] = places[NODE_GATEWAY][i % counts[NODE_GATEWAY]];
	hosts->watcher_count = counts[NODE_WATCHER];
	buf_init(&text, 1u << 16);
	write_file(hosts, counts, places, &text);
	buf_append_char(&text, '\0');
	if (config_parse(&hosts->config, "hosts.ini", text.data, &err)) {
		fprintf(stderr, "%s\n", err.message);
		abort();
	}
	buf_release(&text);
	count = roster_list(&hosts->config, roster, ROSTER_NODES_MAX);
	for (uint32_t i = 0; i < count; i++)
		add_node(hosts, &roster[i], places[roster[i].kind][roster[i].index]);
}

struct hosts_node *hosts_find(struct hosts *hosts, const char *name)
{
	for (uint32_t i = 0; i < hosts->node_count; i++)
		if (strcmp(hosts->nodes[i].roster.name, name) == 0)
			return &hosts->nodes[i];
	return NULL;
}

/* --- processes -----------------------------------------------------------------------------------
 */

static void turn_loop(void *loop)
{
	loop_turn(loop, UINT64_MAX);
}

/* The process is dead: its own code frees what it had in memory. */
static void bury(struct hosts_node *node)
{
	struct machine_process *process = node->process;
	struct machine_process *before;

	node->process = NULL;
	node->stop++;
	node->leads = false;
	node->leader = UINT64_MAX;
	node->well_since_us = UINT64_MAX;
	machine_process_kill(process, node->silent);
	before = machine_enter(process);
	fd_passing_free(node->passing);
	server_free(node->server);
	watcher_close(node->watcher);
	proxy_close(node->proxy);
	presence_close(&node->presence);
	loop_free(node->loop);
	machine_leave(before);
	machine_process_free(process);
	node->task = NULL;
	node->loop = NULL;
	node->watcher = NULL;
	node->proxy = NULL;
	node->role = NULL;
	node->server = NULL;
	node->passing = NULL;
}

static void begin(struct hosts_node *node)
{
	assert(!node->process);
	node->process = machine_process_new(&node->hosts->machine, node->host, node->roster.name);
	node->presence = (struct presence){.lock_fd = -1};
	node->woken_us = node->hosts->world.events.now_us;
	node->term = 0;
}

static int open_process(struct hosts_node *node, struct error *err)
{
	const struct config *config = &node->hosts->config;

	if (loop_new(&node->loop, err))
		return -1;
	node->task = machine_task_new(node->process, turn_loop, node->loop);
	if (node->roster.kind == NODE_WATCHER)
		return watcher_open(&node->watcher, node->loop, config, node->roster.index, err);
	if (node->roster.kind == NODE_PROXY)
		return proxy_open(&node->proxy, node->loop, config, node->roster.index, err);
	return 0;
}

static void on_start(void *context, uint64_t argument)
{
	struct hosts_node *node = context;
	struct machine_process *before;
	struct error err;
	int status;

	(void)argument;
	node->starting = false;
	if (node->process)
		return;
	if (node->world_node) {
		world_start(node->world_node);
		return;
	}
	begin(node);
	before = machine_enter(node->process);
	status = open_process(node, &err);
	machine_leave(before);
	if (status)
		bury(node);
}

void hosts_node_start(struct hosts_node *node)
{
	struct hosts *hosts = node->hosts;

	if (node->starting)
		return;
	node->starting = true;
	sim_events_add(&hosts->world.events,
		(START_MS_MIN + rng_below(&hosts->rng, START_MS)) * HOSTS_MS, on_start, node, 0);
}

void hosts_node_kill(struct hosts_node *node, bool silent)
{
	if (!node->process)
		return;
	node->silent = silent;
	if (node->world_node)
		world_kill(node->world_node, silent ? DEATH_POWER : DEATH_KILLED);
	else
		bury(node);
	node->silent = false;
}

static void on_go_on(void *context, uint64_t stop)
{
	struct hosts_node *node = context;

	if (!node->process || node->stop != stop)
		return;
	node->woken_us = node->hosts->world.events.now_us;
	machine_task_stick(node->task, false);
	machine_process_pause(node->process, false);
}

void hosts_node_stop(struct hosts_node *node, uint64_t duration_us, bool stuck)
{
	if (!node->process || node->process->paused || node->task->stuck)
		return;
	if (node->world_node)
		world_pause(node->world_node, duration_us, false);
	if (stuck)
		machine_task_stick(node->task, true);
	else
		machine_process_pause(node->process, true);
	sim_events_add(&node->hosts->world.events, duration_us, on_go_on, node, ++node->stop);
}

/* --- roles ---------------------------------------------------------------------------------------
 */

static struct hosts_node *node_of_port(struct wire_port *port)
{
	return (struct hosts_node *)((char *)port - offsetof(struct hosts_node, port));
}

/* The role is called by the world as well as by its server. */
static void port_send(struct wire_port *port, uint64_t connection, const void *bytes, size_t size)
{
	struct hosts_node *node = node_of_port(port);
	struct machine_process *before = machine_enter(node->process);

	server_send(node->server, connection, bytes, size);
	machine_leave(before);
	machine_task_wake(node->task);
}

static void port_drop(struct wire_port *port, uint64_t connection)
{
	struct hosts_node *node = node_of_port(port);
	struct machine_process *before = machine_enter(node->process);

	server_drop(node->server, connection);
	machine_leave(before);
	machine_task_wake(node->task);
}

static bool role_runs(const struct hosts_node *node)
{
	return node->role && !node->role->stopped;
}

static void on_open(void *context, uint64_t connection)
{
	struct hosts_node *node = context;

	if (role_runs(node))
		node->role->ops->on_client_open(
			node->role, connection, server_peer(node->server, connection));
}

static void on_frame(void *context, uint64_t connection, const uint8_t *bytes, size_t size)
{
	struct hosts_node *node = context;

	if (role_runs(node))
		node->role->ops->on_client(node->role, connection, bytes, size);
}

static void on_closed(void *context, uint64_t connection)
{
	struct hosts_node *node = context;

	if (role_runs(node))
		node->role->ops->on_client_closed(node->role, connection);
}

static void on_handed_over(void *context, int fd)
{
	struct hosts_node *node = context;

	server_adopt(node->server, fd);
}

static void tell_health(void *context)
{
	struct hosts_node *node = context;

	health_beat(node->presence.health);
	if (node->role && node->role->ready)
		health_set_state(node->presence.health, HEALTH_READY);
}

static int open_server(struct hosts_node *node, struct error *err)
{
	const struct config *config = &node->hosts->config;
	struct net_address address = config_listen_at(&config->gateway.place, node->roster.index);
	struct server_handler handler = {on_open, on_frame, on_closed, NULL, node};
	struct server_limits limits = {.connections_max = 256};
	char name[NET_ADDRESS_TEXT];

	node->server = server_new(node->loop, node->roster.name, &limits, &handler);
	if (server_listen(node->server, &address, err))
		return -1;
	net_address_format(&address, name);
	return fd_passing_listen(
		&node->passing, node->loop, node->roster.name, name, on_handed_over, node, err);
}

static int open_role(struct hosts_node *node, struct error *err)
{
	if (open_process(node, err) || presence_open(&node->presence, &node->hosts->config,
					       node->roster.kind, node->roster.index, err))
		return -1;
	loop_on_turn(node->loop, tell_health, node);
	return node->roster.kind == NODE_GATEWAY ? open_server(node, err) : 0;
}

int hosts_make_role(struct role **out, const struct world_node *world_node,
	const struct role_env *env, struct wire_port *port, struct error *err)
{
	struct hosts *hosts = (struct hosts *)world_node->world;
	struct hosts_node *node = hosts->nodes;
	struct machine_process *before;
	int status;

	(void)port;
	while (node->world_node != world_node)
		node++;
	begin(node);
	node->port = (struct wire_port){.send = port_send, .drop = port_drop};
	before = machine_enter(node->process);
	status = open_role(node, err);
	machine_leave(before);
	if (status || world_make_role(out, world_node, env, &node->port, err))
		return -1;
	node->role = *out;
	return 0;
}

void hosts_end_role(struct world_node *world_node)
{
	struct hosts *hosts = (struct hosts *)world_node->world;

	for (uint32_t i = 0; i < hosts->node_count; i++)
		if (hosts->nodes[i].world_node == world_node && hosts->nodes[i].process)
			bury(&hosts->nodes[i]);
}
