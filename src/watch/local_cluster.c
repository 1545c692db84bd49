#include "watch/local_cluster.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/secret.h"
#include "cluster/cluster_folder.h"
#include "cluster/node_lock.h"
#include "cluster/queues.h"
#include "cluster/shutdown.h"
#include "net/http.h"
#include "watch/driver.h"
#include "watch/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define PORT_DEFAULT 7070u
#define TURN_MS	     20u
/* In which some node must have become ready, while there is a broker for them. */
#define READY_MS_MAX   60000u
#define START_MS_MAX   600000u
#define HEALTH_MS      250u
#define BURY_MS_MAX    5000u
#define DURABLE_MS_MAX 10000u
#define SEEN_MS_MAX    10000u
#define LOOK_MS	       1000u
#define WATCHERS       3u
/* In which one of them takes its place, after a start of them all. */
#define WATCHERS_MS	 5000u
#define ANSWER_BYTES_MAX (64u << 10)
#define BROKER_PAUSE_MS	 1000u
#define BROKER_LOOK_MS	 200u
/* One that cannot start ends every time; one that was killed comes up when nobody kills it any more. */
#define BROKER_STARTS_MAX 6u
/* Its folder may be deleted while its files are written: they are written again. */
#define BROKER_FILES_MS 30000u
#define QUEUE_NAME_MAX	96
#define BROKER_URL_NAME "TAMIZ_BROKER_URL"
#define BROKER_URL_FILE "broker.url"

static void say(const struct local_cluster *cluster, const char *format, ...) PRINTF_LIKE(2, 3);

static void say(const struct local_cluster *cluster, const char *format, ...)
{
	char line[LOCAL_CLUSTER_LINE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	cluster->options->say(line);
}

/* --- the broker ----------------------------------------------------------------------------------
 */

/* Whether the user's file leaves the broker to us. */
static bool wants_broker(const struct local_cluster_options *options)
{
	char line[512];
	bool named = false;
	FILE *file;

	if (!options->file)
		return true;
	if (secret_is_given(BROKER_URL_NAME))
		return false;
	file = fopen(options->file, "re");
	while (file && fgets(line, sizeof(line), file))
		named = named || strstr(line, "${" BROKER_URL_NAME "}");
	if (file)
		fclose(file);
	return named;
}

static int restart_broker(struct local_cluster *cluster, struct error *err)
{
	uint64_t began_ms = clock_monotonic_ms();

	while (broker_restart(cluster->broker, err)) {
		if (cluster->options->interrupted() ||
			clock_monotonic_ms() - began_ms > BROKER_FILES_MS)
			return -1;
		clock_sleep_ms(BROKER_LOOK_MS);
	}
	return 0;
}

/*
 * As long as its process lives: how long a start takes, the machine decides. One that is killed while
 * it starts is started again, as it would be later.
 */
static int wait_for_broker(struct local_cluster *cluster, struct error *err)
{
	uint64_t started_ms = clock_monotonic_ms();
	uint32_t starts = 1;

	while (broker_wait_ready(cluster->broker, BROKER_LOOK_MS, err)) {
		if (cluster->options->interrupted())
			return error_set(err, ERROR_INTERRUPTED, "interrupted");
		if (clock_monotonic_ms() - started_ms > START_MS_MAX)
			return -1;
		if (broker_pid(cluster->broker) != 0)
			continue;
		if (starts++ == BROKER_STARTS_MAX)
			return -1;
		say(cluster, "%s: it is started again", err->message);
		if (restart_broker(cluster, err))
			return -1;
	}
	return 0;
}

/* For the nodes of a file that leaves the broker to us. Its url has the password: in a file, and in no environment. */
static int name_broker(const struct local_cluster *cluster, struct error *err)
{
	char path[PATH_MAX];

	if (!cluster->options->file)
		return 0;
	snprintf(path, sizeof(path), "%.*s/" BROKER_URL_FILE, PATH_MAX - 16,
		cluster->options->folder);
	if (cluster_folder_write(
		    cluster->options->folder, BROKER_URL_FILE, broker_url(cluster->broker), err))
		return -1;
	return setenv(BROKER_URL_NAME "_FILE", path, 1)
		       ? error_set(err, ERROR_IO, "%s", strerror(errno))
		       : 0;
}

static int start_broker(struct local_cluster *cluster, struct error *err)
{
	char folder[PATH_MAX];

	if (!wants_broker(cluster->options))
		return 0;
	snprintf(folder, sizeof(folder), "%.*s/broker", PATH_MAX - 16, cluster->options->folder);
	/* Of an `up` that was killed it may still run. */
	if (broker_attach(&cluster->broker, folder, err)) {
		if (!broker_is_installed())
			return error_set(err, ERROR_USAGE,
				"there is no RabbitMQ on this machine to start: install "
				"rabbitmq-server, or give a --file whose [broker] url names one");
		say(cluster, "starting a private RabbitMQ in %s", folder);
		if (broker_start(&cluster->broker, folder, NULL, err))
			return -1;
	}
	if (wait_for_broker(cluster, err))
		return -1;
	return name_broker(cluster, err);
}

static void look_after_broker(struct local_cluster *cluster, uint64_t now_ms)
{
	struct error err;

	/* With its folder in the cluster file, it is the watchers who do. */
	if (!cluster->broker || cluster->config.broker.folder[0] ||
		now_ms < cluster->broker_due_ms || broker_pid(cluster->broker) != 0)
		return;
	cluster->broker_due_ms = now_ms + BROKER_PAUSE_MS;
	say(cluster, "RabbitMQ has ended and is started again");
	if (broker_restart(cluster->broker, &err))
		say(cluster, "%s", err.message);
}

/* --- the cluster file ----------------------------------------------------------------------------
 */

static uint64_t or_default(uint64_t given, uint64_t usual)
{
	return given == UINT64_MAX ? usual : given;
}

/* A section with addresses on the next ports; `listen` for those that have more than a health. */
static void append_nodes(
	struct buf *text, enum node_kind kind, uint64_t replicas, uint64_t listen, uint64_t *port)
{
	buf_printf(text, "[%s]\n", config_kind_word(kind));
	if (kind != NODE_COLLECTOR)
		buf_printf(text, "replicas = %lu\n", (unsigned long)replicas);
	if (listen)
		buf_printf(text, "listen = 127.0.0.1:%lu\n", (unsigned long)listen);
	buf_printf(text, "health = 127.0.0.1:%lu\n", (unsigned long)*port);
	*port += replicas;
}

/* Ports in a row: the proxy's, the gateways', the watchers', then those of everyone's health. */
static int write_file(struct local_cluster *cluster, struct error *err)
{
	const struct local_cluster_options *options = cluster->options;
	uint64_t gateways = or_default(options->gateways, 2);
	uint64_t proxy = or_default(options->port, PORT_DEFAULT);
	uint64_t watcher = proxy + 1 + gateways;
	uint64_t port = watcher + WATCHERS;
	struct buf text;
	int status;

	buf_init(&text, CONFIG_FILE_MAX);
	buf_printf(&text,
		"; Written by tamiz cluster, anew at every start.\n"
		"[cluster]\nstate = nodes\nlogs = log\n"
		"[broker]\nurl = %s\nfolder = broker\n",
		broker_url(cluster->broker));
	append_nodes(&text, NODE_PROXY, 1, proxy, &port);
	append_nodes(&text, NODE_GATEWAY, gateways, proxy + 1, &port);
	append_nodes(&text, NODE_REDUCER, or_default(options->reducers, 2), 0, &port);
	append_nodes(&text, NODE_COLLECTOR, 1, 0, &port);
	append_nodes(&text, NODE_FILTER, or_default(options->filters, 0), 0, &port);
	append_nodes(&text, NODE_WATCHER, WATCHERS, watcher, &port);
	buf_append_char(&text, '\0');
	status = cluster_folder_write(cluster->options->folder, "cluster.ini", text.data, err);
	buf_release(&text);
	return status;
}

static int settle_file(struct local_cluster *cluster, struct error *err)
{
	const struct local_cluster_options *options = cluster->options;

	if (options->file) {
		if (options->gateways != UINT64_MAX || options->reducers != UINT64_MAX ||
			options->filters != UINT64_MAX || options->port != UINT64_MAX)
			return error_set(err, ERROR_USAGE,
				"the cluster file says how many nodes there are and where: give "
				"--file, or the other options");
		if (!realpath(options->file, cluster->file))
			return error_set(err, ERROR_IO, "%s: %s", options->file, strerror(errno));
	} else {
		if (write_file(cluster, err))
			return -1;
		snprintf(cluster->file, sizeof(cluster->file), "%.*s/cluster.ini", PATH_MAX - 16,
			cluster->options->folder);
	}
	if (config_load(&cluster->config, cluster->file, err))
		return -1;
	if (strcmp(cluster->config.watcher.driver, "local") != 0)
		return error_set(err, ERROR_USAGE,
			"%s: [watcher] driver = %s: tamiz up starts the nodes of a file with "
			"driver = local",
			cluster->file, cluster->config.watcher.driver);
	cluster->node_count = roster_list(&cluster->config, cluster->nodes, ROSTER_NODES_MAX);
	return cluster_folder_write(cluster->options->folder, "file", cluster->file, err);
}

/* What an `up` that was killed has left running. Its jobs go on with us. */
static int end_leftovers(struct local_cluster *cluster, struct error *err)
{
	struct config config;
	struct error unreadable;
	char file[PATH_MAX];
	int status = 0;

	if (cluster_folder_read(cluster->options->folder, "file", file, sizeof(file), &unreadable))
		return 0;
	if (config_load(&config, file, &unreadable) == 0 && shutdown_is_needed(&config)) {
		say(cluster, "ending the nodes that an earlier tamiz up has left");
		status = shutdown_run(&config, cluster->options->stop_ms, err);
	}
	config_release(&config);
	return status;
}

/* What clients connect to: the proxies, or without any the gateways. */
static void find_servers(struct local_cluster *cluster)
{
	const struct config_service *service =
		cluster->config.proxy.replicas ? &cluster->config.proxy : &cluster->config.gateway;
	size_t used = 0;

	for (uint32_t i = 0; i < service->replicas; i++) {
		struct net_address address = config_found_at(&service->place, i);
		char text[NET_ADDRESS_TEXT];
		int size;

		net_address_format(&address, text);
		size = snprintf(cluster->server + used, sizeof(cluster->server) - used, "%s%s%s",
			i ? "," : "", cluster->config.tls.cert[0] ? "tls://" : "", text);
		if (size < 0 || used + (size_t)size >= sizeof(cluster->server)) {
			cluster->server[used] = '\0';
			return;
		}
		used += (size_t)size;
	}
}

/* --- the nodes -----------------------------------------------------------------------------------
 */

/* All of them, or those that are not there. */
static int start_watchers(struct local_cluster *cluster, struct error *err)
{
	for (uint32_t i = 0; i < cluster->node_count; i++)
		if (cluster->nodes[i].kind == NODE_WATCHER &&
			!node_lock_is_taken(
				cluster->config.cluster.state, cluster->nodes[i].name) &&
			driver_spawn(&cluster->config, &cluster->nodes[i],
				cluster->config.cluster.logs, err))
			return -1;
	cluster->started_ms = clock_monotonic_ms();
	return 0;
}

/* Also those that were drained before the cluster ended: it begins with all of them. */
static void let_all_in(const struct config *config)
{
	struct roster_node nodes[ROSTER_NODES_MAX];
	uint32_t count = roster_list(config, nodes, ROSTER_NODES_MAX);

	node_lock_permit(config->cluster.state);
	for (uint32_t i = 0; i < count; i++)
		(void)node_lock_let_in(config->cluster.state, nodes[i].name);
}

static int start_nodes(struct local_cluster *cluster, struct error *err)
{
	let_all_in(&cluster->config);
	/* What watchers start outlives them; what ends is then ours to bury. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	say(cluster,
		"starting %lu gateways, %lu reducers, a collector, %lu filters and %lu proxies",
		(unsigned long)cluster->config.gateway.replicas,
		(unsigned long)cluster->config.reducer_replicas,
		(unsigned long)cluster->config.filter_replicas,
		(unsigned long)cluster->config.proxy.replicas);
	say(cluster, "under %lu watchers; logs: %s/*.log",
		(unsigned long)cluster->config.watcher.replicas, cluster->config.cluster.logs);
	return start_watchers(cluster, err);
}

static bool any_watcher_lives(const struct local_cluster *cluster)
{
	for (uint32_t i = 0; i < cluster->node_count; i++)
		if (cluster->nodes[i].kind == NODE_WATCHER &&
			node_lock_is_taken(cluster->config.cluster.state, cluster->nodes[i].name))
			return true;
	return false;
}

static void turn(struct local_cluster *cluster)
{
	struct error err;

	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	look_after_broker(cluster, clock_monotonic_ms());
	if (clock_monotonic_ms() - cluster->started_ms > WATCHERS_MS &&
		!any_watcher_lives(cluster)) {
		say(cluster, "no watcher is left: they are started again");
		if (start_watchers(cluster, &err))
			say(cluster, "%s", err.message);
	}
	clock_sleep_ms(TURN_MS);
}

static bool is_ready(const struct roster_node *node)
{
	struct error ignored;
	int status = 0;
	struct buf body;

	buf_init(&body, ANSWER_BYTES_MAX);
	if (http_get(&node->health, "/ready", HEALTH_MS, &body, &status, &ignored))
		status = 0;
	buf_release(&body);
	return status == 200;
}

/* What the leading watcher tells of each node; of none when nobody leads. */
struct leader_report {
	struct watch_report report;
	struct arena arena;
	const struct json_value *first;
};

static void leader_report_init(struct leader_report *leader, const struct local_cluster *cluster)
{
	struct net_address watchers[CONFIG_WATCHERS_MAX];
	const struct json_value *nodes;

	arena_init(&leader->arena, ANSWER_BYTES_MAX);
	for (uint32_t i = 0; i < cluster->config.watcher.replicas; i++)
		watchers[i] = config_found_at(&cluster->config.health[NODE_WATCHER], i);
	watch_report_ask(&leader->report, watchers, (uint32_t)cluster->config.watcher.replicas,
		&leader->arena);
	nodes = json_get(leader->report.root, "nodes");
	leader->first = nodes ? nodes->first : NULL;
}

static void leader_report_release(struct leader_report *leader)
{
	watch_report_release(&leader->report);
	arena_release(&leader->arena);
}

/* A node that keeps ending; false: there is none. */
static bool find_flapping(const struct local_cluster *cluster, char name[ROSTER_NAME_MAX])
{
	struct leader_report leader;

	name[0] = '\0';
	leader_report_init(&leader, cluster);
	for (const struct json_value *node = leader.first; node; node = node->next)
		if (json_number(node, "flapping"))
			snprintf(name, ROSTER_NAME_MAX, "%s", json_text(node, "name"));
	leader_report_release(&leader);
	return name[0] != '\0';
}

/* Whether the leading watcher has seen that all are well: then `tamiz status` says so, too. */
static bool is_seen_green(const struct local_cluster *cluster)
{
	struct leader_report leader;
	bool all;

	leader_report_init(&leader, cluster);
	all = leader.first != NULL;
	for (const struct json_value *node = leader.first; node; node = node->next)
		all = all && strcmp(json_text(node, "state"), "green") == 0;
	leader_report_release(&leader);
	return all;
}

/* What keeps a node from becoming ready, if that is known; looked at now and then. */
static int look_for_trouble(const struct local_cluster *cluster, struct error *err)
{
	char name[ROSTER_NAME_MAX];

	if (!any_watcher_lives(cluster))
		return error_set(err, ERROR_IO,
			"no watcher starts; the logs %s/watcher-*.log say why",
			cluster->config.cluster.logs);
	if (find_flapping(cluster, name))
		return error_set(err, ERROR_IO, "%s does not start; its log %s/%s.log says why",
			name, cluster->config.cluster.logs, name);
	return 0;
}

/* Until every node is ready. Those who wait for a broker that is not there yet are not late. */
static int wait_ready(struct local_cluster *cluster, struct error *err)
{
	uint64_t started_ms = clock_monotonic_ms(), since_ms = started_ms, looked_ms = started_ms;
	uint64_t now_ms;
	uint32_t next = 0;

	while (next < cluster->node_count) {
		now_ms = clock_monotonic_ms();
		if (cluster->options->interrupted())
			return error_set(err, ERROR_INTERRUPTED, "interrupted");
		if (now_ms - since_ms > READY_MS_MAX || now_ms - started_ms > START_MS_MAX)
			return error_set(err, ERROR_IO,
				"%s is not ready after %lu s; its log is %s/%s.log",
				cluster->nodes[next].name,
				(unsigned long)(now_ms - since_ms) / 1000,
				cluster->config.cluster.logs, cluster->nodes[next].name);
		if (now_ms - looked_ms > LOOK_MS) {
			looked_ms = now_ms;
			if (look_for_trouble(cluster, err))
				return -1;
			if (cluster->broker && !broker_is_there(cluster->broker))
				since_ms = now_ms;
		}
		turn(cluster);
		/* Answers alone do not tell: somebody else may have the port. */
		while (next < cluster->node_count &&
			node_lock_is_taken(
				cluster->config.cluster.state, cluster->nodes[next].name) &&
			is_ready(&cluster->nodes[next])) {
			since_ms = clock_monotonic_ms();
			next++;
		}
	}
	return 0;
}

static char *queue_name(const struct local_cluster *cluster, const char *format, uint32_t index)
{
	char name[QUEUE_NAME_MAX], *whole;

	snprintf(name, sizeof(name), format, index);
	if (asprintf(&whole, "%s%s", cluster->config.cluster.prefix, name) < 0)
		abort();
	return whole;
}

/* Not for ever: what was ready may be killed again meanwhile. */
static void wait_seen_green(struct local_cluster *cluster)
{
	uint64_t started_ms = clock_monotonic_ms();

	while (!cluster->options->interrupted() &&
		clock_monotonic_ms() - started_ms < SEEN_MS_MAX && !is_seen_green(cluster))
		turn(cluster);
}

/*
 * Until a kill of our broker would be survived without the loss of a job. It is survived in any
 * case: a broker whose files we do not understand is not waited for for ever.
 */
static void wait_durable(struct local_cluster *cluster)
{
	uint32_t reducers = (uint32_t)cluster->config.reducer_replicas;
	uint32_t gateways = (uint32_t)cluster->config.gateway.replicas;
	uint32_t count = reducers + gateways + 1;
	uint64_t started_ms = clock_monotonic_ms();
	char **queues = memory_alloc(count * sizeof(*queues));

	for (uint32_t i = 0; i < reducers; i++)
		queues[i] = queue_name(cluster, ROLE_QUEUE_REDUCER, i);
	for (uint32_t i = 0; i < gateways; i++)
		queues[reducers + i] = queue_name(cluster, ROLE_QUEUE_GATEWAY, i);
	queues[count - 1] = queue_name(cluster, ROLE_QUEUE_COLLECTOR "%.0u", 0);
	while (cluster->broker && !cluster->options->interrupted() &&
		clock_monotonic_ms() - started_ms < DURABLE_MS_MAX &&
		!broker_has_written(cluster->broker, (const char *const *)queues, count))
		turn(cluster);
	for (uint32_t i = 0; i < count; i++)
		free(queues[i]);
	free(queues);
}

/* --- from start to end ---------------------------------------------------------------------------
 */

int local_cluster_start(struct local_cluster *cluster, struct error *err)
{
	if (start_broker(cluster, err) || end_leftovers(cluster, err) || settle_file(cluster, err))
		return -1;
	find_servers(cluster);
	if (cluster_folder_write(cluster->options->folder, "server", cluster->server, err))
		return -1;
	if (start_nodes(cluster, err) || wait_ready(cluster, err))
		return -1;
	wait_durable(cluster);
	wait_seen_green(cluster);
	if (cluster->options->interrupted())
		return error_set(err, ERROR_INTERRUPTED, "interrupted");
	return 0;
}

void local_cluster_supervise(struct local_cluster *cluster)
{
	while (!cluster->options->interrupted())
		turn(cluster);
}

/*
 * Those that ended with us; nobody else is there to bury them at once. Whoever is still there has not
 * been found by its place, because somebody deleted that: it ends by itself, or else by force.
 */
static void bury(void)
{
	uint64_t started_ms = clock_monotonic_ms(), waited_ms = 0;
	pid_t pid;

	while (waited_ms < 2 * BURY_MS_MAX && (pid = waitpid(-1, NULL, WNOHANG)) >= 0) {
		if (pid > 0)
			continue;
		waited_ms = clock_monotonic_ms() - started_ms;
		if (waited_ms > BURY_MS_MAX && !process_kill_children())
			return;
		clock_sleep_ms(TURN_MS);
	}
}

int local_cluster_end(struct local_cluster *cluster, struct error *err)
{
	int status = cluster->node_count
			     ? shutdown_run(&cluster->config, cluster->options->stop_ms, err)
			     : 0;

	if (cluster->broker)
		broker_stop(cluster->broker);
	bury();
	config_release(&cluster->config);
	return status;
}
