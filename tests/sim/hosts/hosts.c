#include "sim/hosts/hosts.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* In which everything must have come to rest when the faults are over. */
#define SETTLE_US   (60000u * HOSTS_MS)
#define CHECK_US    (20u * HOSTS_MS)
#define STOP_MS_MAX 5000u
#define CUT_MS_MAX  5000u
#define DOWN_MS_MAX 2000u
#define GROUPS_MAX  3u
/* So many of those whose command does not get through are then cut off from everybody, for up to so long. */
#define VAIN_OF	    3u
#define VAIN_MS_MAX 4000u

const char *const hosts_count_names[HOSTS_COUNTS] = {
	"process killed",
	"host lost its power",
	"process stopped for a while",
	"loop of a process stuck",
	"two hosts cut from each other",
	"all hosts partitioned",
	"watchers partitioned, all reach the nodes",
	"host cut off from everybody",
	"node cut from the broker",
	"client vanished and resumed",
	"bytes stalled by a cut",
	"connection ended without an answer",
	"connection reset",
	"connection refused",
	"read or write in part",
	"no descriptor left",
	"connections",
	"connections given to a gateway",
	"bytes through proxies",
	"reigns",
	"restarts",
	"jobs with the right bytes",
	"jobs with the error they must have",
	"turns of event loops",
	"events",
};

void hosts_complain(struct hosts *hosts, const char *format, ...)
{
	va_list args;

	if (!hosts->verdict->right)
		return;
	hosts->verdict->right = false;
	va_start(args, format);
	vsnprintf(hosts->verdict->problem, SIM_PROBLEM_MAX, format, args);
	va_end(args);
	if (hosts->log)
		fprintf(hosts->log, "%10.3f  PROBLEM %s\n",
			(double)hosts->world.events.now_us / 1e6, hosts->verdict->problem);
}

/* --- what befalls the hosts ----------------------------------------------------------------------
 */

static void say(struct hosts *hosts, const char *format, ...) PRINTF_LIKE(2, 3);

static void say(struct hosts *hosts, const char *format, ...)
{
	va_list args;

	if (!hosts->log)
		return;
	fprintf(hosts->log, "%10.3f  ## ", (double)hosts->world.events.now_us / 1e6);
	va_start(args, format);
	vfprintf(hosts->log, format, args);
	va_end(args);
	fputc('\n', hosts->log);
}

static uint64_t up_to_ms(struct hosts *hosts, uint32_t limit_ms)
{
	return (1 + rng_below(&hosts->rng, limit_ms)) * HOSTS_MS;
}

static struct hosts_node *any_node(struct hosts *hosts)
{
	return &hosts->nodes[rng_below(&hosts->rng, hosts->node_count)];
}

static uint32_t living_watchers(const struct hosts *hosts)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < hosts->node_count; i++)
		count += hosts->nodes[i].watcher != NULL;
	return count;
}

/* Somebody has to start the others again. */
static bool may_die(const struct hosts_node *node)
{
	return node->process && (!node->watcher || living_watchers(node->hosts) > 1);
}

static void on_heal(void *context, uint64_t pair)
{
	struct hosts *hosts = context;

	machine_cut(&hosts->machine, (uint32_t)(pair / MACHINE_HOSTS_MAX),
		(uint32_t)(pair % MACHINE_HOSTS_MAX), false);
}

static void cut_for(struct hosts *hosts, uint32_t a, uint32_t b, uint64_t duration_us)
{
	if (a == b || machine_is_cut(&hosts->machine, a, b))
		return;
	machine_cut(&hosts->machine, a, b, true);
	sim_events_add(&hosts->world.events, duration_us, on_heal, hosts,
		(uint64_t)a * MACHINE_HOSTS_MAX + b);
}

static void isolate(struct hosts *hosts, uint32_t host, uint64_t duration_us)
{
	for (uint32_t other = 0; other < hosts->host_count; other++)
		cut_for(hosts, host, other, duration_us);
}

static void lose_power(struct hosts *hosts)
{
	uint32_t host = any_node(hosts)->host;

	for (uint32_t i = 0; i < hosts->node_count; i++)
		if (hosts->nodes[i].host == host && hosts->nodes[i].watcher &&
			!may_die(&hosts->nodes[i]))
			return;
	say(hosts, "host %u loses its power", host);
	hosts->verdict->counts[HOSTS_POWER_LOST]++;
	for (uint32_t i = 0; i < hosts->node_count; i++)
		if (hosts->nodes[i].host == host)
			hosts_node_kill(&hosts->nodes[i], true);
	isolate(hosts, host, up_to_ms(hosts, DOWN_MS_MAX));
}

/* Every host is in a group, and groups do not hear each other. */
static void partition(struct hosts *hosts, bool watchers_only)
{
	uint64_t duration_us = up_to_ms(hosts, CUT_MS_MAX);
	uint32_t groups = 2 + (uint32_t)rng_below(&hosts->rng, GROUPS_MAX - 1);
	uint32_t group[MACHINE_HOSTS_MAX];
	bool in[MACHINE_HOSTS_MAX] = {false};

	for (uint32_t i = 0; i < hosts->node_count; i++)
		if (!watchers_only || hosts->nodes[i].roster.kind == NODE_WATCHER)
			in[hosts->nodes[i].host] = true;
	for (uint32_t i = 0; i < hosts->host_count; i++)
		group[i] = (uint32_t)rng_below(&hosts->rng, groups);
	for (uint32_t a = 0; a < hosts->host_count; a++)
		for (uint32_t b = 0; b < a; b++)
			if (in[a] && in[b] && group[a] != group[b])
				cut_for(hosts, a, b, duration_us);
	say(hosts, "partition of %s, for %" PRIu64 " ms", watchers_only ? "watchers" : "all",
		duration_us / HOSTS_MS);
	hosts->verdict->counts[watchers_only ? HOSTS_WATCHERS_PARTITIONED : HOSTS_PARTITIONED]++;
}

static void cut_one(struct hosts *hosts)
{
	uint64_t *counts = hosts->verdict->counts;
	struct hosts_node *node = any_node(hosts);
	uint32_t other = (uint32_t)rng_below(&hosts->rng, hosts->host_count);
	uint64_t duration_us = up_to_ms(hosts, CUT_MS_MAX);

	if (rng_below(&hosts->rng, 2)) {
		say(hosts, "host %u is cut off", node->host);
		isolate(hosts, node->host, duration_us);
		counts[HOSTS_ISOLATED]++;
	} else {
		say(hosts, "hosts %u and %u are cut", node->host, other);
		cut_for(hosts, node->host, other, duration_us);
		counts[HOSTS_PAIR_CUT]++;
	}
}

static void stop_one(struct hosts *hosts)
{
	struct hosts_node *node = any_node(hosts);
	uint64_t duration_us = up_to_ms(hosts, STOP_MS_MAX);
	bool stuck = rng_below(&hosts->rng, 3) == 0;

	if (!node->process)
		return;
	say(hosts, "%s %s for %" PRIu64 " ms", node->roster.name, stuck ? "is stuck" : "stops",
		duration_us / HOSTS_MS);
	hosts_node_stop(node, duration_us, stuck);
	hosts->verdict->counts[stuck ? HOSTS_STUCK : HOSTS_STOPPED]++;
}

static void kill_one(struct hosts *hosts)
{
	struct hosts_node *node = any_node(hosts);

	if (!may_die(node))
		return;
	say(hosts, "%s is killed", node->roster.name);
	hosts_node_kill(node, false);
	hosts->verdict->counts[HOSTS_KILLED]++;
}

static void vanish_client(struct hosts *hosts)
{
	struct hosts_client *client = &hosts->clients[rng_below(&hosts->rng, hosts->client_count)];

	if (!client->process || client->over)
		return;
	say(hosts, "%s vanishes", client->name);
	hosts_client_end(client);
	hosts_client_start_later(client);
	hosts->verdict->counts[HOSTS_CLIENT_VANISHED]++;
}

static void lose_broker(struct hosts *hosts)
{
	struct hosts_node *node = any_node(hosts);

	if (!node->world_node || !node->world_node->life)
		return;
	sim_transport_break(node->world_node->life->transport);
	hosts->verdict->counts[HOSTS_BROKER_LOST]++;
}

static void calm_down(struct hosts *hosts)
{
	struct sim_faults calm = {
		.delay_us = 1000, .heartbeat_us = 1000 * HOSTS_MS, .backoff_us = 10 * HOSTS_MS};

	say(hosts, "the faults are over");
	sim_broker_set_faults(hosts->world.broker, &calm);
	hosts->machine.faults.no_files_ppm = 0;
	hosts->machine.faults.break_ppm = 0;
}

static void chaos(void *context, uint64_t argument)
{
	struct hosts *hosts = context;

	(void)argument;
	if (hosts->world.events.now_us >= hosts->chaos_end_us) {
		calm_down(hosts);
		return;
	}
	switch (rng_below(&hosts->rng, 12)) {
	case 0:
	case 1: kill_one(hosts); break;
	case 2: lose_power(hosts); break;
	case 3:
	case 4: stop_one(hosts); break;
	case 5:
	case 6: cut_one(hosts); break;
	case 7: partition(hosts, false); break;
	case 8:
	case 9: partition(hosts, true); break;
	case 10: vanish_client(hosts); break;
	case 11: lose_broker(hosts); break;
	}
	sim_events_add(&hosts->world.events, 1 + rng_below(&hosts->rng, hosts->chaos_interval_us),
		chaos, hosts, 0);
}

/* --- a run ---------------------------------------------------------------------------------------
 */

/* What comes of a command that was given before it was cut off must not count afterwards. */
static void cut_off_who_orders_in_vain(struct hosts *hosts, uint32_t host)
{
	if (hosts->world.events.now_us >= hosts->chaos_end_us ||
		rng_below(&hosts->rng, VAIN_OF) > 0)
		return;
	say(hosts, "host %u, whose command does not get through, is cut off", host);
	isolate(hosts, host, up_to_ms(hosts, VAIN_MS_MAX));
	hosts->verdict->counts[HOSTS_ISOLATED]++;
}

static bool on_restart(void *context, struct machine_process *by, const struct roster_node *which)
{
	struct hosts *hosts = context;
	struct hosts_node *node = hosts_find(hosts, which->name);

	if (machine_is_cut(&hosts->machine, by->host, node->host)) {
		cut_off_who_orders_in_vain(hosts, by->host);
		return false;
	}
	hosts_node_kill(node, false);
	hosts_node_start(node);
	return true;
}

static void on_check(void *context, uint64_t argument)
{
	struct hosts *hosts = context;

	(void)argument;
	hosts_check(hosts);
	for (uint32_t i = 0; i < hosts->client_count; i++)
		if (hosts->clients[i].over)
			hosts_client_end(&hosts->clients[i]);
	sim_events_add(&hosts->world.events, CHECK_US, on_check, hosts, 0);
}

static void on_log(void *context, uint64_t time_us, const char *node, const char *line)
{
	struct hosts *hosts = context;

	if (hosts->log)
		fprintf(hosts->log, "%10.3f  %-12s %s\n", (double)time_us / 1e6, node, line);
}

static void on_process_log(void *context, const char *name, const char *line)
{
	const struct hosts *hosts = context;

	on_log(context, hosts->world.events.now_us, name, line);
}

static uint32_t perhaps(struct rng *rng, uint32_t ppm_max)
{
	return rng_below(rng, 2) ? (uint32_t)rng_below(rng, ppm_max) : 0;
}

static struct machine_faults choose_faults(struct rng *rng)
{
	static const uint32_t windows[] = {2000, 20000, 200000};
	static const uint32_t pipes[] = {500, 65536};

	return (struct machine_faults){
		.delay_us = 100 + rng_below(rng, rng_below(rng, 2) ? 2000 : 30000),
		.window_bytes = windows[rng_below(rng, 3)],
		.pipe_bytes = pipes[rng_below(rng, 2)],
		.piece_ppm = perhaps(rng, 300000),
		.no_files_ppm = perhaps(rng, 20000),
		.break_ppm = perhaps(rng, 500),
	};
}

static struct world_config choose_world(struct hosts *hosts, uint64_t seed)
{
	struct rng *rng = &hosts->rng;

	return (struct world_config){
		.seed = seed,
		.broker = {.delay_us = 2000,
			.backoff_us = 200 * HOSTS_MS,
			.steady_us = 300 * HOSTS_MS,
			.restart_us = 500 * HOSTS_MS,
			.heartbeat_us = 1000 * HOSTS_MS},
		.cluster = {.reducers = 1 + (uint32_t)rng_below(rng, 3),
			.gateways = 1 + (uint32_t)rng_below(rng, 3),
			.filters = rng_below(rng, 4) ? ROLE_FILTERS_NEVER : ROLE_FILTERS_ALWAYS,
			.job_ttl_ms = 3600u * 1000u},
		.make_role = hosts_make_role,
		.on_end = hosts_end_role,
		.watched = true,
		.on_log = on_log,
		.log_context = hosts,
	};
}

static void run(struct hosts *hosts)
{
	uint64_t *events = &hosts->verdict->counts[HOSTS_EVENTS];
	uint64_t settle_us = hosts->chaos_end_us + SETTLE_US;
	char problem[SIM_PROBLEM_MAX] = "it has not begun";
	uint64_t asked_us = 0;

	while (hosts->verdict->right && world_step(&hosts->world)) {
		uint64_t now_us = hosts->world.events.now_us;

		++*events;
		if (now_us < hosts->chaos_end_us || now_us < asked_us + CHECK_US)
			continue;
		asked_us = now_us;
		if (hosts_is_settled(hosts, problem, sizeof(problem)))
			break;
		if (now_us > settle_us)
			hosts_complain(hosts, "%s", problem);
	}
	hosts_check_clients(hosts);
}

static void count(struct hosts *hosts)
{
	const struct machine_counts *machine = &hosts->machine.counts;
	uint64_t *counts = hosts->verdict->counts;

	counts[HOSTS_BYTES_STALLED] = machine->stalls;
	counts[HOSTS_UNANSWERED] = machine->timeouts;
	counts[HOSTS_RESET] = machine->resets;
	counts[HOSTS_REFUSED] = machine->refused;
	counts[HOSTS_PIECES] = machine->pieces;
	counts[HOSTS_NO_DESCRIPTOR] = machine->no_files;
	counts[HOSTS_CONNECTIONS] = machine->connections;
	counts[HOSTS_GIVEN] = machine->passed;
	counts[HOSTS_SPLICED] = machine->spliced;
	counts[HOSTS_TURNS] = machine->turns;
}

static void end(struct hosts *hosts)
{
	for (uint32_t i = 0; i < hosts->client_count; i++)
		hosts_client_release(&hosts->clients[i]);
	for (uint32_t i = 0; i < hosts->node_count; i++)
		if (!hosts->nodes[i].world_node)
			hosts_node_kill(&hosts->nodes[i], false);
	world_release(&hosts->world);
	machine_release(&hosts->machine);
	if (hosts->machine.problem[0])
		hosts_complain(hosts, "%s", hosts->machine.problem);
	config_release(&hosts->config);
}

void simulate_hosts(
	struct datasets *datasets, uint64_t seed, FILE *log, struct sim_verdict *verdict)
{
	struct hosts *hosts = memory_zalloc(sizeof(*hosts));
	struct world_config config;

	*verdict = (struct sim_verdict){.seed = seed, .right = true};
	hosts->verdict = verdict;
	hosts->datasets = datasets;
	hosts->log = log;
	rng_init(&hosts->rng, ~seed);
	config = choose_world(hosts, seed);
	hosts->chaos_end_us = (2000 + rng_below(&hosts->rng, 10000)) * HOSTS_MS;
	hosts->chaos_interval_us = (100 + rng_below(&hosts->rng, 2000)) * HOSTS_MS;
	hosts->stand_ins = (struct stand_ins){hosts_on_order, on_restart, hosts_on_status, hosts};
	stand_ins_use(&hosts->stand_ins);
	world_init(&hosts->world, &config);
	machine_init(&hosts->machine, &hosts->world.events, rng_next(&hosts->rng));
	hosts->machine.faults = choose_faults(&hosts->rng);
	hosts->machine.on_log = on_process_log;
	hosts->machine.log_context = hosts;
	hosts_add_nodes(hosts);
	hosts_add_clients(hosts);
	sim_events_add(&hosts->world.events, 0, on_check, hosts, 0);
	sim_events_add(&hosts->world.events, rng_below(&hosts->rng, hosts->chaos_interval_us),
		chaos, hosts, 0);
	run(hosts);
	count(hosts);
	verdict->trace = hosts->world.events.trace;
	end(hosts);
	free(hosts);
}
