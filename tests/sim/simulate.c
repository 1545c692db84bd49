#include "sim/simulate.h"

#include "sim/client.h"
#include "sim/job.h"
#include "sim/same_packets.h"
#include "sim/world.h"

#include "base/memory.h"
#include "flow/message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define CLIENTS_MAX  6u
#define REDUCERS_MAX 8u
#define GATEWAYS_MAX 3u
#define FILTERS_MAX  3u
/* Of zeros that a disk has in the place of what was written. */
#define DAMAGED_BYTES_MAX 512u
#define MS		  1000u
#define TTL_MS		  8000u
/* Virtual time in which everything must have come to an end once the faults have stopped. */
#define PATIENCE_US (120000000u)
#define CLEANUP_US  (60000000u)

const char *const sim_count_names[COUNT_ALL] = {
	"process killed",
	"power lost, unsynced writes lost or torn",
	"crash inside a commit",
	"crash again during recovery",
	"disk error",
	"disk full for a while",
	"disk lost",
	"file damaged: a bit, zeros, or cut",
	"file deleted",
	"message duplicated",
	"message out of order",
	"message delayed for long",
	"message redelivered",
	"confirm lost",
	"connection to the broker broken",
	"broker restarted",
	"confirmed message lost",
	"broker lost the log, its end, or everything",
	"node paused",
	"zombie: paused, replaced, woken up",
	"clock jumped",
	"fold that takes long",
	"fold that ends its node",
	"turns of a fold without end",
	"job with rows on a disk, for lack of memory",
	"filter added",
	"filter removed",
	"client's connection broken",
	"client gone and resumed",
	"client gone and started again",
	"client gone for ever",
	"jobs with the right bytes",
	"those among them that a limit ended before all was sent",
	"jobs with the error they must have",
	"jobs submitted again after a loss",
	"jobs lost with a message, and submitted again",
	"jobs that ended their nodes",
	"jobs whose rows had no room on a disk",
	"jobs abandoned by their client",
	"queries",
	"pieces of results fetched from the collector",
	"packets delivered",
	"events",
};

struct run {
	struct world world;
	struct datasets *datasets;
	struct rng rng; /* of the plan: what happens, apart from how the world takes it */
	struct sim_verdict *verdict;
	FILE *log;
	uint32_t client_count;
	struct sim_client *clients[CLIENTS_MAX];
	struct sim_job *jobs[CLIENTS_MAX];
	uint64_t chaos_end_us;
	uint64_t chaos_interval_us;
	bool lose_disks;
	bool damage_files;
	bool lose_messages;
	struct sim_client *deadly; /* whose job ends nodes; NULL: none */
	uint32_t deadly_end;
	struct sim_client *endless; /* whose job goes on until it is stopped; NULL: none */
	bool lose_logs;
	uint32_t filter_count; /* ever added */
	struct same_packets packets;
};

static void on_log(void *context, uint64_t time_us, const char *node, const char *line)
{
	struct run *run = context;

	if (run->log)
		fprintf(run->log, "%10.3f  %-12s %s\n", (double)time_us / 1e6, node, line);
}

/* Most folds of such a job do no harm. */
static bool is_deadly(void *context, const struct work_place *place, uint32_t *end)
{
	const struct run *run = context;

	*end = run->deadly_end;
	return run->deadly && run->deadly->options.job == place->job && place->stream % 3 == 0;
}

static bool is_endless(void *context, uint64_t job)
{
	const struct run *run = context;

	return run->endless && run->endless->options.job == job;
}

static void on_note(
	void *context, uint64_t time_us, const char *node, const char *kind, uint64_t detail)
{
	struct run *run = context;

	fprintf(run->log, "%10.3f  %-12s . %s %" PRIu64 "\n", (double)time_us / 1e6, node, kind,
		detail);
}

/* One of the numbers, each as likely. */
static uint32_t one_of(struct rng *rng, uint32_t count, const uint32_t *numbers)
{
	return numbers[rng_below(rng, count)];
}

/* Each kind of fault is there in about half of the worlds, so that they meet in all combinations.
 */
static uint32_t perhaps(struct rng *rng, uint32_t ppm_max)
{
	return rng_below(rng, 2) ? (uint32_t)rng_below(rng, ppm_max) : 0;
}

static struct sim_faults choose_faults(struct rng *rng)
{
	return (struct sim_faults){
		.duplicate_ppm = perhaps(rng, 100000),
		.reorder_ppm = perhaps(rng, 500000),
		.reorder_depth = 1 + (uint32_t)rng_below(rng, 50),
		.long_delay_ppm = perhaps(rng, 20000),
		.break_ppm = perhaps(rng, 2000),
		.confirm_lost_ppm = perhaps(rng, 2000),
		.restart_ppm = perhaps(rng, 100),
		.delay_us = 100 + rng_below(rng, rng_below(rng, 2) ? 3000 : 30000),
		.long_delay_us = 300 * MS,
		.backoff_us = 200 * MS,
		.steady_us = 300 * MS,
		.restart_us = 500 * MS,
		.heartbeat_us = 1000 * MS,
	};
}

static struct role_cluster choose_cluster(struct rng *rng)
{
	static const uint32_t packets[] = {48, 1000, 65536};
	static const uint32_t prefetches[] = {1, 4, 64, 1000};
	static const enum role_filters filters[] = {
		ROLE_FILTERS_NEVER, ROLE_FILTERS_NEVER, ROLE_FILTERS_AUTO, ROLE_FILTERS_ALWAYS};
	static const uint32_t caches[] = {1, 20000, 1u << 26};
	static const uint32_t copies[] = {1, 3000, 0};
	/* With so little everything that can goes to a disk. */
	static const uint32_t memories[] = {1, 20000, 0};
	static const uint32_t heads[] = {1, 2, 0};

	return (struct role_cluster){
		.reducers = 1 + (uint32_t)rng_below(rng, REDUCERS_MAX),
		.gateways = 1 + (uint32_t)rng_below(rng, GATEWAYS_MAX),
		.filters = filters[rng_below(rng, 4)],
		.job_ttl_ms = TTL_MS,
		.packet_bytes = one_of(rng, 3, packets),
		.prefetch = one_of(rng, 4, prefetches),
		.cache_bytes = one_of(rng, 3, caches),
		.sync_bytes = 1000 + (uint32_t)rng_below(rng, 100000),
		.sync_ms = 1 + (uint32_t)rng_below(rng, 20),
		.log_copy_bytes = one_of(rng, 3, copies),
		.reducer_memory = one_of(rng, 3, memories),
		.collector_memory = one_of(rng, 3, memories),
		.head_packets = one_of(rng, 3, heads),
	};
}

static void add_filter(struct run *run)
{
	if (run->world.node_count < WORLD_NODES_MAX)
		world_add_node(&run->world, NODE_FILTER, run->filter_count++);
}

static void add_nodes(struct run *run)
{
	const struct role_cluster *cluster = &run->world.config.cluster;

	for (uint32_t i = 0; i < cluster->reducers; i++)
		world_add_node(&run->world, NODE_REDUCER, i);
	world_add_node(&run->world, NODE_COLLECTOR, 0);
	for (uint32_t i = 0; i < cluster->gateways; i++)
		world_add_node(&run->world, NODE_GATEWAY, i);
	for (uint32_t i = 0; cluster->filters && i < 1 + rng_below(&run->rng, FILTERS_MAX); i++)
		add_filter(run);
}

static enum client_fate choose_fate(struct rng *rng)
{
	switch (rng_below(rng, 10)) {
	case 0: return CLIENT_NEVER_RETURNS;
	case 1:
	case 2: return CLIENT_RESUMES;
	case 3: return CLIENT_RESTARTS;
	default: return CLIENT_STAYS;
	}
}

static void add_clients(struct run *run)
{
	run->client_count = 1 + (uint32_t)rng_below(&run->rng, CLIENTS_MAX);
	for (uint32_t i = 0; i < run->client_count; i++) {
		enum client_fate fate = choose_fate(&run->rng);

		run->jobs[i] = sim_job_new(run->datasets, &run->rng);
		run->verdict->counts[COUNT_QUERIES] += run->jobs[i]->query_count;
		run->clients[i] = sim_client_new(&run->world, i, run->jobs[i], fate,
			rng_below(&run->rng, run->chaos_end_us));
		run->verdict->counts[COUNT_CLIENT_RESUMED] += fate == CLIENT_RESUMES;
		run->verdict->counts[COUNT_CLIENT_RESTARTED] += fate == CLIENT_RESTARTS;
		run->verdict->counts[COUNT_CLIENT_NEVER_RETURNED] += fate == CLIENT_NEVER_RETURNS;
	}
}

/* One that ends its nodes, every time and in one of the ways there are. */
static void choose_deadly(struct run *run)
{
	static const uint32_t ends[] = {WORK_END_UNKNOWN, WORK_END_MEMORY, WORK_END_SIGNAL + 11};

	if (rng_below(&run->rng, 8) > 0)
		return;
	run->deadly = run->clients[rng_below(&run->rng, run->client_count)];
	run->deadly_end = one_of(&run->rng, 3, ends);
}

/* Nobody waits for it: its client is gone, and it expires. */
static void choose_endless(struct run *run)
{
	struct sim_client *client = run->clients[rng_below(&run->rng, run->client_count)];

	if (client != run->deadly && client->fate == CLIENT_NEVER_RETURNS)
		run->endless = client;
}

/* --- what befalls the world ----------------------------------------------------------------------
 */

static struct world_node *any_node(struct run *run)
{
	return run->world.nodes[rng_below(&run->rng, run->world.node_count)];
}

/* What a disk does to a file, and nobody else: whoever reads it finds out. */
static void change_bytes(struct run *run, struct disk_sim *store, const char *path)
{
	size_t size, at, count;
	const char *content = disk_sim_get(store, path, &size);
	char *bytes = memory_alloc(size + 1);

	memcpy(bytes, content, size);
	at = size ? (size_t)rng_below(&run->rng, size) : 0;
	count = size - at < DAMAGED_BYTES_MAX ? size - at : DAMAGED_BYTES_MAX;
	switch (rng_below(&run->rng, 3)) {
	case 0:
		if (size)
			bytes[at] ^= (char)(1 << rng_below(&run->rng, 8));
		break;
	case 1: memset(bytes + at, 0, count); break;
	default: size = at; break;
	}
	disk_sim_put(store, path, bytes, size);
	free(bytes);
}

/* Of a node that runs, or that is started again and finds it so. */
static void damage_file(struct run *run, struct world_node *node)
{
	uint32_t count = disk_sim_file_count(node->store);
	char path[DISK_PATH_MAX];

	if (!run->damage_files || count == 0)
		return;
	if (rng_below(&run->rng, 2))
		world_kill(node, DEATH_KILLED);
	count = disk_sim_file_count(node->store);
	if (count == 0)
		return;
	snprintf(path, sizeof(path), "%s",
		disk_sim_file_path(node->store, (uint32_t)rng_below(&run->rng, count)));
	if (rng_below(&run->rng, 4) == 0) {
		disk_sim_delete(node->store, path);
		run->verdict->counts[COUNT_FILE_DELETED]++;
	} else {
		change_bytes(run, node->store, path);
		run->verdict->counts[COUNT_FILE_DAMAGED]++;
	}
	if (run->log)
		fprintf(run->log, "%10.3f  %-12s DAMAGED %s\n",
			(double)run->world.events.now_us / 1e6, node->name, path);
}

static void disk_fault(struct run *run)
{
	struct world_node *node = any_node(run);
	uint64_t *counts = run->verdict->counts;

	if (!node->store)
		return;
	switch (rng_below(&run->rng, 6)) {
	case 4:
	case 5: damage_file(run, node); break;
	case 0:
		disk_sim_fail_after(node->store, 1 + rng_below(&run->rng, 20), DISK_SIM_CRASH);
		counts[COUNT_CRASH_IN_COMMIT]++;
		break;
	case 1:
		disk_sim_fail_after(node->store, 1 + rng_below(&run->rng, 20), DISK_SIM_ERROR_ONCE);
		counts[COUNT_DISK_ERROR]++;
		break;
	case 2:
		disk_sim_set_capacity(
			node->store, disk_sim_bytes(node->store) + rng_below(&run->rng, 5000));
		counts[COUNT_DISK_FULL]++;
		break;
	case 3:
		if (!run->lose_disks)
			break;
		world_kill(node, DEATH_DISK);
		break;
	}
}

static void broker_fault(struct run *run)
{
	static const enum sim_loss losses[] = {SIM_LOSS_LOG, SIM_LOSS_LOG_END, SIM_LOSS_ALL};

	if (run->lose_logs && rng_below(&run->rng, 3) == 0)
		sim_broker_lose(run->world.broker, losses[rng_below(&run->rng, 3)],
			rng_below(&run->rng, 500 * MS));
}

static void kill_again(void *context, uint64_t argument)
{
	struct world_node *node = context;

	(void)argument;
	world_kill(node, DEATH_POWER);
}

/* A node that dies, and dies again while it reads what it had. */
static void kill_in_recovery(struct run *run)
{
	struct world_node *node = any_node(run);

	world_kill(node, DEATH_POWER);
	for (uint32_t i = 0; i < 3; i++)
		sim_events_add(
			&run->world.events, rng_below(&run->rng, 300 * MS), kill_again, node, 0);
	run->verdict->counts[COUNT_CRASH_IN_RECOVERY]++;
}

static void jump_clock(struct run *run)
{
	struct world_node *node = any_node(run);

	if (!node->life)
		return;
	node->life->clock_offset_ms += rng_below(&run->rng, 3600u * 1000u);
	run->verdict->counts[COUNT_CLOCK_JUMP]++;
}

static void change_filters(struct run *run)
{
	struct world_node *node = any_node(run);

	if (!run->world.config.cluster.filters)
		return;
	if (rng_below(&run->rng, 2)) {
		add_filter(run);
		run->verdict->counts[COUNT_FILTER_ADDED]++;
	} else if (node->kind == NODE_FILTER && !node->removed) {
		world_remove_node(node);
		run->verdict->counts[COUNT_FILTER_REMOVED]++;
	}
}

static void more_room(struct run *run)
{
	for (uint32_t i = 0; i < run->world.node_count; i++)
		if (run->world.nodes[i]->store)
			disk_sim_set_capacity(run->world.nodes[i]->store, UINT64_MAX);
}

static void calm_down(struct run *run)
{
	struct sim_faults calm = {
		.delay_us = 1000, .heartbeat_us = 1000 * MS, .backoff_us = 10 * MS};

	sim_broker_set_faults(run->world.broker, &calm);
	run->world.config.net_break_ppm = 0;
	more_room(run);
	for (uint32_t i = 0; i < run->world.node_count; i++)
		if (run->world.nodes[i]->store)
			disk_sim_clear(run->world.nodes[i]->store);
	/* Somebody must do the work. */
	if (run->world.config.cluster.filters)
		add_filter(run);
}

static void chaos(void *context, uint64_t argument)
{
	struct run *run = context;

	(void)argument;
	if (run->world.events.now_us >= run->chaos_end_us) {
		calm_down(run);
		return;
	}
	switch (rng_below(&run->rng, 11)) {
	case 10: broker_fault(run); break;
	case 0:
	case 1: disk_fault(run); break;
	case 2: more_room(run); break;
	case 3: kill_in_recovery(run); break;
	case 4: jump_clock(run); break;
	case 5: change_filters(run); break;
	case 6:
		if (run->lose_messages) {
			sim_broker_purge(run->world.broker);
			break;
		}
	/* fall through */
	default: world_chaos(&run->world); break;
	}
	sim_events_add(&run->world.events, 1 + rng_below(&run->rng, run->chaos_interval_us), chaos,
		run, 0);
}

/* --- what must be true ---------------------------------------------------------------------------
 */

static void complain(struct run *run, const char *format, ...) PRINTF_LIKE(2, 3);

static void complain(struct run *run, const char *format, ...)
{
	va_list args;

	if (!run->verdict->right)
		return;
	run->verdict->right = false;
	va_start(args, format);
	vsnprintf(run->verdict->problem, SIM_PROBLEM_MAX, format, args);
	va_end(args);
}

static bool all_over(const struct run *run)
{
	for (uint32_t i = 0; i < run->client_count; i++)
		if (!sim_client_is_over(run->clients[i]))
			return false;
	return true;
}

static void print_rows(const struct run *run, const struct sim_source *source)
{
	for (uint32_t q = 0; q < source->job->query_count; q++) {
		const struct buf *got = &source->results[q];
		const struct dataset_answer *want = source->job->answers[q];

		fprintf(run->log, "got:\n%.*s\nexpected:\n%.*s\n", (int)got->size, got->data,
			(int)want->size, want->bytes);
	}
}

static bool has_sent_all(const struct sim_client *client)
{
	for (uint32_t t = 0; t < client->state.table_count; t++)
		if (!client->state.tables[t].closed)
			return false;
	return true;
}

static void check_results(struct run *run, const struct sim_client *client)
{
	char problem[SIM_PROBLEM_MAX - SIM_NODE_NAME_MAX];

	if (sim_source_check(&client->source, problem, sizeof(problem))) {
		run->verdict->counts[COUNT_JOB_RIGHT]++;
		run->verdict->counts[COUNT_JOB_ENDED_EARLY] += !has_sent_all(client);
		return;
	}
	complain(run, "%s: %s", client->name, problem);
	if (run->log && client->job->failure_count == 0)
		print_rows(run, &client->source);
}

/* An error must have its reason in the job itself, or in what was done to the world. */
static void check_error(struct run *run, const struct sim_client *client)
{
	const char *message = session_error(client->session)->message;
	uint64_t *counts = run->verdict->counts;

	if (sim_job_may_fail(client->job, message))
		counts[COUNT_JOB_EXPECTED_ERROR]++;
	else if (client == run->deadly && strstr(message, "at the same place"))
		counts[COUNT_JOB_DEADLY]++;
	else if (counts[COUNT_DISK_FULL] && strstr(message, "has no room on the node's disk"))
		counts[COUNT_JOB_WITHOUT_ROOM]++;
	else
		complain(run, "%s: an error without a reason: %s", client->name, message);
}

static void check_clients(struct run *run)
{
	for (uint32_t i = 0; i < run->client_count; i++) {
		const struct sim_client *client = run->clients[i];

		run->verdict->counts[COUNT_JOB_SUBMITTED_AGAIN] += client->submissions - 1;
		run->verdict->counts[COUNT_JOB_LOST_WITH_QUEUE] += client->messages_lost;
		if (client->messages_lost && !sim_broker_counts(run->world.broker)->purged &&
			!run->damage_files)
			complain(run, "%s misses a message that nobody has lost", client->name);
		if (!sim_client_is_over(client))
			complain(run, "%s hangs", client->name);
		else if (!client->session)
			run->verdict->counts[COUNT_JOB_ABANDONED]++;
		else if (session_phase(client->session) == SESSION_DONE)
			check_results(run, client);
		else
			check_error(run, client);
	}
}

/* The first file that is neither a node's identity nor its copy of the log; NULL: there is none. */
static const char *leftover(const struct run *run, const char **node)
{
	for (uint32_t i = 0; i < run->world.node_count; i++) {
		const struct disk_sim *store = run->world.nodes[i]->store;

		for (uint32_t f = 0; store && f < disk_sim_file_count(store); f++) {
			const char *path = disk_sim_file_path(store, f);

			if (!strcmp(path, "identity") || !strcmp(path, "generation") ||
				!strncmp(path, "log-", 4))
				continue;
			*node = run->world.nodes[i]->name;
			return path;
		}
	}
	return NULL;
}

static bool is_clean(const struct run *run)
{
	const char *node;

	return !leftover(run, &node) && sim_broker_size(run->world.broker) == 0;
}

static void check_queue(struct run *run, const char *format, uint32_t index)
{
	char name[TRANSPORT_QUEUE_NAME_MAX];
	uint64_t size;

	snprintf(name, sizeof(name), format, index);
	size = sim_broker_queue_size(run->world.broker, name);
	if (size > 0)
		complain(run, "queue %s still has %" PRIu64 " messages", name, size);
}

static void check_queues(struct run *run)
{
	check_queue(run, ROLE_QUEUE_WORK "%.0u", 0);
	check_queue(run, ROLE_QUEUE_COLLECTOR "%.0u", 0);
	for (uint32_t i = 0; i < run->world.config.cluster.reducers; i++)
		check_queue(run, ROLE_QUEUE_REDUCER, i);
	for (uint32_t i = 0; i < run->world.config.cluster.gateways; i++)
		check_queue(run, ROLE_QUEUE_GATEWAY, i);
	if (sim_broker_size(run->world.broker) > 0)
		complain(run, "the broker has messages in queues that are nobody's");
}

static void check_cleanup(struct run *run)
{
	const char *node, *path = leftover(run, &node);

	if (path)
		complain(run, "%s still has %s", node, path);
	check_queues(run);
	if (sim_broker_counts(run->world.broker)->double_acks > 0)
		complain(run, "a delivery was acknowledged twice");
}

static void on_published(void *context, const char *queue, const void *bytes, size_t size)
{
	struct run *run = context;

	struct flow_message message;
	struct error err;

	if (!flow_message_decode(bytes, size, &message, &err) && message.kind == FLOW_WANTED &&
		message.query != PLAN_NONE)
		run->verdict->counts[COUNT_PIECES]++;
	if (!same_packets_note(&run->packets, queue, bytes, size))
		complain(run, "a packet for %s was made again, and is another", queue);
}

/* --- a run ---------------------------------------------------------------------------------------
 */

static void run_world(struct run *run)
{
	uint64_t *events = &run->verdict->counts[COUNT_EVENTS];
	uint64_t end_us = run->chaos_end_us + PATIENCE_US;

	while (!all_over(run) || run->world.events.now_us < run->chaos_end_us) {
		if (!world_step(&run->world) || run->world.events.now_us > end_us)
			break;
		(*events)++;
	}
	check_clients(run);
	if (!run->verdict->right)
		return;
	end_us = run->world.events.now_us + CLEANUP_US;
	while (run->world.events.now_us < end_us && world_step(&run->world))
		if (++*events % 1024 == 0 && is_clean(run))
			break;
	check_cleanup(run);
}

static void count_world(struct run *run)
{
	const struct sim_counts *broker = sim_broker_counts(run->world.broker);
	const struct world_counts *world = &run->world.counts;
	uint64_t *counts = run->verdict->counts;

	counts[COUNT_KILL] += world->kills;
	counts[COUNT_POWER_LOSS] += world->power_losses;
	counts[COUNT_DISK_LOST] += world->disks_lost;
	counts[COUNT_DUPLICATED] += broker->duplicated;
	counts[COUNT_REORDERED] += broker->reordered;
	counts[COUNT_DELAYED] += broker->delayed_long;
	counts[COUNT_REDELIVERED] += broker->redelivered;
	counts[COUNT_CONFIRM_LOST] += broker->confirms_lost;
	counts[COUNT_LOG_LOST] += broker->logs_lost;
	counts[COUNT_CONNECTION_BROKEN] += broker->breaks;
	counts[COUNT_BROKER_RESTARTED] += broker->restarts;
	counts[COUNT_MESSAGE_LOST] += broker->purged;
	counts[COUNT_PAUSE] += world->pauses;
	counts[COUNT_SLOW_FOLD] += world->slow_works;
	counts[COUNT_DEADLY_FOLD] += world->deadly_works;
	counts[COUNT_ENDLESS_FOLD] += world->endless_works;
	counts[COUNT_ZOMBIE] += world->zombies;
	counts[COUNT_CLIENT_BROKEN] += world->connection_breaks;
	counts[COUNT_PACKETS] += broker->delivered;
	for (uint32_t i = 0; i < run->world.node_count; i++)
		if (run->world.nodes[i]->store)
			counts[COUNT_FOLD_ON_DISK] +=
				disk_sim_counters(run->world.nodes[i]->store)->temporaries;
}

void simulate(struct datasets *datasets, uint64_t seed, FILE *log, struct sim_verdict *verdict)
{
	struct run *run = memory_zalloc(sizeof(*run));
	struct world_config config = {.seed = seed,
		.make_role = world_make_role,
		.is_deadly = is_deadly,
		.is_endless = is_endless,
		.on_log = on_log};

	*verdict = (struct sim_verdict){.seed = seed, .right = true};
	run->verdict = verdict;
	run->datasets = datasets;
	run->log = log;
	rng_init(&run->rng, ~seed);
	config.broker = choose_faults(&run->rng);
	config.cluster = choose_cluster(&run->rng);
	config.net_delay_us = 100 + rng_below(&run->rng, 3000);
	config.net_break_ppm = perhaps(&run->rng, 10000);
	config.restart_us = 300 * MS;
	config.pause_us = 3000 * MS;
	config.log_context = run;
	run->chaos_end_us = (1000 + rng_below(&run->rng, 7000)) * MS;
	run->chaos_interval_us = (10 + rng_below(&run->rng, 600)) * MS;
	run->lose_disks = rng_below(&run->rng, 20) == 0;
	run->damage_files = rng_below(&run->rng, 6) == 0;
	run->lose_messages = rng_below(&run->rng, 10) == 0;
	run->lose_logs = rng_below(&run->rng, 4) == 0;
	world_init(&run->world, &config);
	if (log) {
		run->world.events.on_note = on_note;
		run->world.events.note_context = run;
	}
	sim_broker_watch(run->world.broker, on_published, run);
	add_nodes(run);
	add_clients(run);
	choose_deadly(run);
	choose_endless(run);
	sim_events_add(
		&run->world.events, rng_below(&run->rng, run->chaos_interval_us), chaos, run, 0);
	run_world(run);
	count_world(run);
	verdict->trace = run->world.events.trace;
	for (uint32_t i = 0; i < run->client_count; i++)
		sim_client_free(run->clients[i]);
	world_release(&run->world);
	for (uint32_t i = 0; i < run->client_count; i++)
		sim_job_free(run->jobs[i]);
	same_packets_release(&run->packets);
	free(run);
}
