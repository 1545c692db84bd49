#include "node/process.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/random.h"
#include "cluster/ping.h"
#include "cluster/presence.h"
#include "cluster/roster.h"
#include "cluster/users.h"
#include "journal/disk_posix.h"
#include "net/fd_passing.h"
#include "net/loop.h"
#include "net/server.h"
#include "net/socket.h"
#include "node/last_words.h"
#include "node/work_pool.h"
#include "transport/rabbit.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A role that nothing has happened to can wait longer for its next tick. */
#define TICK_IDLE_MS   50u
#define BUSY_MS	       200u
#define METRICS_MS     200u
#define FAREWELL_MS    1000u
#define DRAIN_LEAST_MS 50u
#define DRAIN_AWAY_MS  500u
/* Bytes on their way to the broker above which folds wait before they send more. */
#define WORK_BACKLOG_MAX (32u << 20)

struct process {
	const struct config *config;
	enum node_kind kind;
	uint32_t index;
	char name[ROSTER_NAME_MAX];
	struct presence presence;
	struct ping ping;
	struct loop *loop;
	struct disk *disk;
	struct transport *transport;
	struct server *server;
	struct users *users;	    /* NULL: there are none */
	struct tls_context *tls;    /* NULL: clients speak in the clear */
	struct fd_passing *passing; /* NULL: none */
	struct wire_port port;
	struct role *role;
	struct rng rng;
	struct loop_source broker;
	struct work_record *record;
	struct work_pool *pool;
	struct loop_source work;
	struct loop_timer tick;
	uint64_t active_ms;  /* when something last happened */
	uint64_t told_ms;    /* when metrics were last told */
	uint64_t drain_ms;   /* when we were asked to end; 0: not yet */
	uint64_t dismiss_ms; /* when the clients were told; 0: not yet */
};

static enum role_filters filters_of(const struct config *config)
{
	if (config->filter_replicas == 0 || strcmp(config->filter_when, "never") == 0)
		return ROLE_FILTERS_NEVER;
	return strcmp(config->filter_when, "always") == 0 ? ROLE_FILTERS_ALWAYS : ROLE_FILTERS_AUTO;
}

/* One client leaves room for others, unless there is a single place. */
static uint32_t client_jobs_max(const struct config *config)
{
	return (uint32_t)(config->gateway_client_jobs_max ? config->gateway_client_jobs_max
							  : (config->gateway_jobs_max + 1) / 2);
}

/* The cluster's shape and limits as roles of this kind want them. */
static struct role_cluster process_cluster(
	const struct config *config, enum node_kind kind, const struct users *users)
{
	const struct config_keeper *keeper =
		kind == NODE_REDUCER ? &config->reducer : &config->collector;
	struct role_cluster cluster = {
		.reducers = (uint32_t)config->reducer_replicas,
		.gateways = (uint32_t)config->gateway.replicas,
		.filters = filters_of(config),
		.job_ttl_ms = config->cluster.job_ttl_ms,
		.receive_ttl_ms = config->cluster.receive_ttl_ms,
		.packet_bytes = (uint32_t)config->packet_bytes,
		.jobs_max = (uint32_t)config->gateway_jobs_max,
		.client_jobs_max = client_jobs_max(config),
		.watchers = &config->health[NODE_WATCHER],
		.watcher_count = config_replicas(config, NODE_WATCHER),
		.token = config->gateway_token,
		.users = users,
		.disk_max = config->cluster.disk_max,
		.reducer_memory = config->reducer.memory,
		.collector_memory = config->collector.memory,
	};

	if (kind == NODE_REDUCER || kind == NODE_COLLECTOR) {
		cluster.prefetch = (uint32_t)keeper->prefetch;
		cluster.sync_ms = (uint32_t)keeper->sync_ms;
		cluster.sync_bytes = (uint32_t)keeper->sync_bytes;
		cluster.cache_bytes = (uint32_t)keeper->cache_bytes;
		cluster.temp_max = keeper->temp_max;
	}
	if (kind == NODE_FILTER)
		cluster.prefetch = (uint32_t)config->filter_prefetch;
	return cluster;
}

/* --- what the role sees --------------------------------------------------------------------------
 */

static uint64_t now_ms(void *clock)
{
	(void)clock;
	return clock_monotonic_ms();
}

/* Of the role, and of its connections to the broker. */
static void on_log_event(void *context, enum log_event event, const char *line)
{
	const struct process *process = context;

	log_write(process->name, event, line);
}

static struct process *process_of(struct wire_port *port)
{
	return (struct process *)((char *)port - offsetof(struct process, port));
}

static void port_send(struct wire_port *port, uint64_t connection, const void *bytes, size_t size)
{
	server_send(process_of(port)->server, connection, bytes, size);
}

static void port_drop(struct wire_port *port, uint64_t connection)
{
	server_drop(process_of(port)->server, connection);
}

static void port_peer(struct wire_port *port, uint64_t connection, char *out, size_t size)
{
	server_peer_text(process_of(port)->server, connection, out, size);
}

static struct wire_loan *port_keep(struct wire_port *port)
{
	return server_keep(process_of(port)->server);
}

/* --- what happens --------------------------------------------------------------------------------
 */

static void after_event(struct process *process)
{
	process->active_ms = loop_now(process->loop);
	if (process->role->stopped)
		loop_stop(process->loop);
	else if (process->tick.due_ms > process->active_ms + ROLE_TICK_MS)
		loop_timer_set(process->loop, &process->tick, ROLE_TICK_MS);
}

static void on_open(void *context, uint64_t connection)
{
	struct process *process = context;

	process->role->ops->on_client_open(
		process->role, connection, server_peer(process->server, connection));
}

static void on_frame(void *context, uint64_t connection, const uint8_t *bytes, size_t size)
{
	struct process *process = context;

	process->role->ops->on_client(process->role, connection, bytes, size);
	after_event(process);
}

static void on_closed(void *context, uint64_t connection)
{
	struct process *process = context;

	process->role->ops->on_client_closed(process->role, connection);
}

static size_t backlog(void *context)
{
	struct process *process = context;

	return transport_backlog(process->transport);
}

/* What is there now. */
static void tell_metrics(struct process *process)
{
	uint64_t left, whole;
	struct error err;

	process->told_ms = loop_now(process->loop);
	metric_set(METRIC_UNCONFIRMED, transport_backlog(process->transport));
	if (process->server) {
		metric_set(METRIC_CLIENTS, server_connections(process->server));
		metric_set(METRIC_MEMORY_FRAMES, server_memory(process->server));
	}
	if (!disk_room(process->disk, &left, &whole, &err)) {
		metric_set(METRIC_DISK_FREE, left);
		metric_set(METRIC_DISK_SIZE, whole);
	}
}

/* In every turn of the loop. */
static void refresh_users(struct process *process)
{
	struct error err;
	bool changed;

	if (!process->users)
		return;
	if (users_refresh(process->users, loop_now(process->loop), &changed, &err))
		log_event(
			process->name, LOG_USERS_BAD, LOG_FIELDS(LOG_TEXT("reason", err.message)));
	else if (changed)
		log_event(process->name, LOG_USERS_READ, NULL);
}

static void tell_health(void *context)
{
	struct process *process = context;
	struct health *health = process->presence.health;

	presence_beat(&process->presence, loop_now(process->loop));
	refresh_users(process);
	health_set_broker(health, rabbit_is_connected(process->transport));
	if (loop_now(process->loop) - process->told_ms >= METRICS_MS)
		tell_metrics(process);
	if (process->drain_ms)
		health_set_state(health, HEALTH_ENDING);
	else if (process->role->ready)
		health_set_state(health, HEALTH_READY);
}

static void on_broker(void *context, uint32_t events)
{
	struct process *process = context;

	(void)events;
	/* What comes may be the log, and at its end the journals are read: that takes a while. */
	if (!process->role->ready && !process->drain_ms && rabbit_is_connected(process->transport))
		health_set_state(process->presence.health, HEALTH_REPLAYING);
	rabbit_dispatch(process->transport);
	if (process->server)
		server_update(process->server);
	after_event(process);
}

/* What is published faster than the broker takes it would fill our memory: folds wait for it. */
static void dispatch_work(struct process *process)
{
	work_pool_dispatch(process->pool,
		process->role->blocked || transport_backlog(process->transport) > WORK_BACKLOG_MAX);
}

static void on_work(void *context, uint32_t events)
{
	struct process *process = context;

	(void)events;
	dispatch_work(process);
	after_event(process);
}

/*
 * Nothing is in hand any more: what was published is confirmed, what was absorbed is synced. A
 * broker that is away does not get the full time: whatever it does not confirm comes again.
 */
static bool is_drained(const struct process *process, uint64_t now)
{
	struct role_cluster cluster =
		process_cluster(process->config, process->kind, process->users);
	bool away = !rabbit_is_connected(process->transport);

	if (now - process->drain_ms >= (away ? DRAIN_AWAY_MS : PROCESS_DRAIN_MS))
		return true;
	return now - process->drain_ms >= DRAIN_LEAST_MS + 2 * cluster.sync_ms &&
	       (!process->server || server_kept(process->server) == 0) &&
	       transport_backlog(process->transport) == 0;
}

static void go_on_ending(struct process *process)
{
	uint64_t now = loop_now(process->loop);

	if (!process->dismiss_ms && is_drained(process, now)) {
		process->dismiss_ms = now;
		if (process->server)
			server_dismiss(
				process->server, "this gateway is going down: connect again");
	}
	if (process->dismiss_ms && (!process->server || server_connections(process->server) == 0 ||
					   now - process->dismiss_ms >= FAREWELL_MS))
		loop_stop(process->loop);
}

static void on_tick(void *context)
{
	struct process *process = context;
	bool busy = loop_now(process->loop) - process->active_ms < BUSY_MS;
	struct error err;

	if (presence_keep(&process->presence, loop_now(process->loop), &err)) {
		log_event(
			process->name, LOG_PLACE_LOST, LOG_FIELDS(LOG_TEXT("reason", err.message)));
		loop_stop(process->loop);
		return;
	}
	process->role->ops->on_tick(process->role);
	if (!process->role->stopped) {
		work_pool_on_tick(process->pool);
		dispatch_work(process);
	}
	loop_timer_set(process->loop, &process->tick, busy ? ROLE_TICK_MS : TICK_IDLE_MS);
	if (process->role->stopped)
		loop_stop(process->loop);
	else if (process->drain_ms)
		go_on_ending(process);
}

static void on_signal(void *context)
{
	struct process *process = context;

	log_event(process->name, LOG_ENDING,
		LOG_FIELDS(LOG_NUMBER("backlog", transport_backlog(process->transport))));
	process->drain_ms = loop_now(process->loop);
	health_set_state(process->presence.health, HEALTH_ENDING);
	process->active_ms = process->drain_ms;
	if (process->server) {
		fd_passing_free(process->passing);
		process->passing = NULL;
		server_stop_taking(process->server);
	}
	loop_timer_set(process->loop, &process->tick, 0);
}

/* --- its life ------------------------------------------------------------------------------------
 */

static int open_disk(struct process *process, struct error *err)
{
	char folder[PATH_MAX];
	int size;

	size = snprintf(
		folder, sizeof(folder), "%s/%s", process->config->cluster.state, process->name);
	if (size < 0 || (size_t)size >= sizeof(folder))
		return error_set(
			err, ERROR_USAGE, "%s: [cluster] state is too long", process->config->path);
	if (disk_posix_open(&process->disk, folder, err))
		return -1;
	process->record = last_words_open(folder);
	return 0;
}

static const char *or_null(const char *text)
{
	return text[0] ? text : NULL;
}

static int open_broker(struct process *process, struct error *err)
{
	const struct config *config = process->config;
	char node[ROSTER_NAME_MAX + 64];
	struct rabbit_options options = {
		.url = config->broker.url,
		.ca_file = or_null(config->broker.ca_file),
		.cert_file = or_null(config->broker.cert_file),
		.key_file = or_null(config->broker.key_file),
		.queue_type = config->broker.queues,
		.prefix = config->cluster.prefix,
		.secret = config->cluster.key,
		.node = node,
		.heartbeat_s = (uint32_t)((config->broker.heartbeat_ms + 999) / 1000),
		.opens_log = process->kind == NODE_COLLECTOR,
		.is_alone = config->broker.folder[0] != '\0',
		.log = on_log_event,
		.log_context = process,
	};

	snprintf(node, sizeof(node), "%s %s", config->cluster.name, process->name);
	if (rabbit_open(&process->transport, &options, err))
		return -1;
	process->broker = (struct loop_source){
		.fd = rabbit_event_fd(process->transport), .fn = on_broker, .context = process};
	return loop_add(process->loop, &process->broker, LOOP_READ, err);
}

static int open_pool(struct process *process, struct error *err)
{
	if (work_pool_new(&process->pool, err))
		return -1;
	process->work = (struct loop_source){
		.fd = work_pool_event_fd(process->pool), .fn = on_work, .context = process};
	return loop_add(process->loop, &process->work, LOOP_READ, err);
}

static int open_role(struct process *process, struct error *err)
{
	struct role_env env = {
		.transport = process->transport,
		.disk = process->disk,
		.rng = &process->rng,
		.runner = work_pool_runner(process->pool),
		.record = process->record,
		.now_ms = now_ms,
		.log = on_log_event,
		.log_context = process,
		.cluster = process_cluster(process->config, process->kind, process->users),
	};

	switch (process->kind) {
	case NODE_GATEWAY:
		return gateway_new(&process->role, &env, process->index, &process->port, err);
	case NODE_REDUCER: return reducer_new(&process->role, &env, process->index, err);
	case NODE_COLLECTOR: return collector_new(&process->role, &env, err);
	default: break;
	}
	return filter_new(&process->role, &env, err);
}

static void on_handed_over(void *context, int fd)
{
	struct process *process = context;

	server_adopt(process->server, fd);
}

/* A proxy on this machine gives us its clients. Without it everything works, through the proxy. */
static void open_handover(struct process *process)
{
	struct net_address address =
		config_found_at(&process->config->gateway.place, process->index);
	char name[NET_ADDRESS_TEXT];
	struct error err;

	net_address_format(&address, name);
	if (fd_passing_listen(&process->passing, process->loop, process->name, name, on_handed_over,
		    process, &err) == 0)
		return;
	log_event(process->name, LOG_NO_HANDOVER, LOG_FIELDS(LOG_TEXT("reason", err.message)));
	fd_passing_free(process->passing);
	process->passing = NULL;
}

static int open_server(struct process *process, struct error *err)
{
	const struct config *config = process->config;
	struct net_address address = config_listen_at(&config->gateway.place, process->index);
	struct server_limits limits = {
		.connections_max = (uint32_t)config->gateway.connections_max,
		.memory_max = config->gateway_memory_max,
	};
	struct server_handler handler = {on_open, on_frame, on_closed, backlog, process};
	char text[NET_ADDRESS_TEXT];

	if (process->kind != NODE_GATEWAY)
		return 0;
	process->server = server_new(process->loop, process->name, &limits, &handler);
	if (config->gateway_users[0] && users_open(&process->users, config->gateway_users, err))
		return -1;
	if (config->tls.cert[0]) {
		struct tls_files files = {config->tls.cert, config->tls.key, config->tls.ca};

		if (tls_server_new(&process->tls, &files, err))
			return -1;
		server_use_tls(process->server, process->tls);
	}
	if (server_listen(process->server, &address, err))
		return -1;
	net_address_format(&address, text);
	log_event(process->name, LOG_LISTENING, LOG_FIELDS(LOG_TEXT("address", text)));
	if (!config->gateway_users[0] && !config->gateway_token[0])
		log_event(process->name, LOG_OPEN_TO_ALL, NULL);
	open_handover(process);
	return 0;
}

static int open_all(struct process *process, struct error *err)
{
	uint64_t seed;

	if (random_id(&seed, err))
		return -1;
	rng_init(&process->rng, seed);
	socket_raise_file_limit();
	/*
	 * Our place before anything that two processes must not share. Signals before threads:
	 * those of the broker's client inherit that they are blocked.
	 */
	if (presence_open(&process->presence, process->config, process->kind, process->index, err))
		return -1;
	health_set_broker(process->presence.health, false);
	if (loop_new(&process->loop, err) ||
		ping_open(&process->ping, process->loop, process->config, process->kind,
			process->index, process->name, err) ||
		loop_on_signal(process->loop, on_signal, process, err) || open_disk(process, err) ||
		open_server(process, err) || open_broker(process, err) || open_pool(process, err) ||
		open_role(process, err))
		return -1;
	loop_on_turn(process->loop, tell_health, process);
	loop_timer_set(process->loop, &process->tick, ROLE_TICK_MS);
	return 0;
}

static void close_all(struct process *process)
{
	fd_passing_free(process->passing);
	/* The role, which may have frames of the server, before all that it stands on. */
	if (process->role)
		process->role->ops->free(process->role);
	server_free(process->server);
	tls_context_free(process->tls);
	users_free(process->users);
	if (process->work.added)
		loop_remove(process->loop, &process->work);
	work_pool_free(process->pool);
	if (process->broker.added)
		loop_remove(process->loop, &process->broker);
	if (process->transport)
		transport_close(process->transport);
	disk_posix_close(process->disk);
	ping_close(&process->ping);
	loop_free(process->loop);
	presence_close(&process->presence);
}

int process_run(const struct config *config, enum node_kind kind, uint32_t index, struct error *err)
{
	struct process process = {
		.config = config,
		.kind = kind,
		.index = index,
		.presence = {.lock_fd = -1},
		.port = {.send = port_send,
			.drop = port_drop,
			.keep = port_keep,
			.peer = port_peer},
	};
	int status;

	process.tick = (struct loop_timer){.fn = on_tick, .context = &process};
	roster_name(kind, index, process.name);
	status = open_all(&process, err);
	if (!status) {
		log_event(process.name, LOG_STARTED,
			LOG_FIELDS(LOG_NUMBER("pid", getpid()),
				LOG_TEXT("cluster", config->cluster.name)));
		loop_run(process.loop);
		if (process.role->stopped) {
			*err = process.role->reason;
			status = -1;
		} else {
			log_event(process.name, LOG_ENDED, NULL);
		}
	}
	close_all(&process);
	return status;
}
