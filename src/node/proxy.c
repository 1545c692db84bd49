#include "node/proxy_private.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "cluster/node_lock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEALTH_MS      1000u
#define TICK_MS	       NODE_LOCK_KEEP_MS
#define ACCEPTS_A_TURN 64
/* Beside those of connections. */
#define FILES_OWN 512u

/* --- gateways ------------------------------------------------------------------------------------
 */

struct backend *backend_choose(struct proxy *proxy)
{
	struct backend *best = NULL;

	for (uint32_t i = 0; i < proxy->backend_count; i++) {
		struct backend *backend = &proxy->backends[i];

		if (backend->state == BACKEND_UP &&
			(!best || backend->pair_count + backend->given <
					  best->pair_count + best->given))
			best = backend;
	}
	return best;
}

static void close_health(struct backend *backend)
{
	if (backend->health.fd < 0)
		return;
	loop_remove(backend->proxy->loop, &backend->health);
	close(backend->health.fd);
	backend->health.fd = -1;
	backend->asked = false;
	frame_reader_reset(&backend->answer);
}

void backend_down(struct backend *backend, const char *why)
{
	if (backend->state != BACKEND_DOWN)
		log_event(backend->proxy->name, LOG_GATEWAY_DOWN,
			LOG_FIELDS(LOG_TEXT("address", backend->name),
				LOG_NUMBER("clients", backend->pair_count),
				LOG_TEXT("reason", why)));
	backend->state = BACKEND_DOWN;
	resolver_forget(&backend->resolver);
	if (backend->fd_socket >= 0)
		close(backend->fd_socket);
	backend->fd_socket = -1;
	dial_stop(&backend->dial);
	close_health(backend);
	while (backend->pairs)
		pair_close(backend->pairs);
}

/* --- health --------------------------------------------------------------------------------------
 */

static void ask(struct backend *backend)
{
	static const uint8_t health[WIRE_HEADER_SIZE] = {WIRE_HEALTH};

	backend->asked = true;
	backend->due_ms =
		loop_now(backend->proxy->loop) + backend->proxy->config->proxy_patience_ms;
	if (send(backend->health.fd, health, sizeof(health), MSG_NOSIGNAL) != sizeof(health))
		backend_down(backend, "the connection broke");
}

/* A newcomer is not given all clients until it has as many as the others ever got. */
static uint64_t most_given(const struct proxy *proxy)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < proxy->backend_count; i++)
		if (proxy->backends[i].state == BACKEND_UP && proxy->backends[i].given > most)
			most = proxy->backends[i].given;
	return most;
}

static void on_answer(struct backend *backend, uint8_t type)
{
	struct proxy *proxy = backend->proxy;

	backend->asked = false;
	if (type == WIRE_HEALTH && backend->state != BACKEND_UP) {
		backend->given = most_given(proxy);
		backend->state = BACKEND_UP;
		log_event(proxy->name, LOG_GATEWAY_UP,
			LOG_FIELDS(LOG_TEXT("address", backend->name)));
	} else if (type == WIRE_ERROR && backend->state != BACKEND_SHY) {
		backend->state = BACKEND_SHY;
		log_event(proxy->name, LOG_GATEWAY_TAKES_NOBODY,
			LOG_FIELDS(LOG_TEXT("address", backend->name)));
	} else if (type != WIRE_HEALTH && type != WIRE_ERROR) {
		backend_down(backend, "it does not answer as a gateway does");
	}
}

static void read_answer(struct backend *backend)
{
	enum frame_progress progress;
	struct frame frame;
	struct error err;
	uint8_t type;

	do
		progress = frame_reader_receive(&backend->answer, backend->health.fd, &err);
	while (progress == FRAME_HEADER && backend->answer.size <= WIRE_FRAME_SMALL_MAX);
	if (progress == FRAME_END) {
		backend_down(backend, "the connection broke");
	} else if (progress == FRAME_BAD || progress == FRAME_HEADER) {
		backend_down(backend, "it does not answer as a gateway does");
	} else if (progress == FRAME_WHOLE) {
		frame = frame_reader_take(&backend->answer);
		type = frame.bytes[0];
		frame_release(&frame, &backend->proxy->pool);
		on_answer(backend, type);
	}
}

static void on_health(void *context, uint32_t events)
{
	if (events & (LOOP_READ | LOOP_BROKEN))
		read_answer(context);
}

static void on_health_up(void *context, int fd)
{
	struct backend *backend = context;
	struct error err;

	backend->health = (struct loop_source){.fd = fd, .fn = on_health, .context = backend};
	if (loop_add(backend->proxy->loop, &backend->health, LOOP_READ, &err))
		close_health(backend);
	else
		ask(backend);
}

static void on_health_failed(void *context, int number)
{
	backend_down(context, number == ETIMEDOUT ? "it does not answer" : strerror(number));
}

static void check_health(struct backend *backend)
{
	uint64_t now_ms = loop_now(backend->proxy->loop);

	if (backend->health.fd < 0) {
		if (dial_is_idle(&backend->dial))
			dial_now(&backend->dial);
	} else if (backend->asked && now_ms >= backend->due_ms) {
		backend_down(backend, "it does not answer");
	} else if (!backend->asked) {
		ask(backend);
	}
}

/* --- clients -------------------------------------------------------------------------------------
 */

/* To a gateway on this machine: then it is none of our business any more. */
static bool give_away(struct proxy *proxy, int fd)
{
	struct backend *backend = backend_choose(proxy);

	if (!backend || !fd_passing_give(&backend->fd_socket, backend->name, fd))
		return false;
	backend->given++;
	metric_add(METRIC_HANDED_OVER, 1);
	return true;
}

static void on_connect(void *context, int fd)
{
	struct proxy *proxy = context;
	char why[128];

	if (give_away(proxy, fd)) {
		metric_add(METRIC_CLIENTS_OPENED, 1);
		return;
	}
	if (proxy->pair_count < proxy->config->proxy.connections_max) {
		metric_add(METRIC_CLIENTS_OPENED, 1);
		pair_new(proxy, fd);
		return;
	}
	snprintf(why, sizeof(why), "this proxy has connections_max = %lu connections: try later",
		(unsigned long)proxy->config->proxy.connections_max);
	metric_add(METRIC_CLIENTS_REFUSED, 1);
	pair_refuse(proxy, fd, why);
}

static void check_all(struct proxy *proxy, uint64_t now_ms)
{
	proxy->checked_ms = now_ms;
	for (uint32_t i = 0; i < proxy->backend_count; i++)
		check_health(&proxy->backends[i]);
}

static void on_tick(void *context)
{
	struct proxy *proxy = context;
	uint64_t now_ms = loop_now(proxy->loop);
	struct error err;

	if (presence_keep(&proxy->presence, now_ms, &err)) {
		log_event(proxy->name, LOG_PLACE_LOST, LOG_FIELDS(LOG_TEXT("reason", err.message)));
		loop_stop(proxy->loop);
		return;
	}
	if (proxy->checked_ms == 0 || now_ms - proxy->checked_ms >= HEALTH_MS)
		check_all(proxy, now_ms);
	for (struct pair *pair = proxy->refused, *next; pair; pair = next) {
		next = pair->next;
		if (now_ms >= pair->due_ms)
			pair_close(pair);
	}
	loop_timer_set(proxy->loop, &proxy->tick, TICK_MS);
}

/* --- its life ------------------------------------------------------------------------------------
 */

static uint32_t count_up(const struct proxy *proxy)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < proxy->backend_count; i++)
		count += proxy->backends[i].state == BACKEND_UP;
	return count;
}

/* In every turn of the loop. */
static void tell_health(void *context)
{
	struct proxy *proxy = context;

	presence_beat(&proxy->presence, loop_now(proxy->loop));
	health_set_state(
		proxy->presence.health, backend_choose(proxy) ? HEALTH_READY : HEALTH_STARTING);
	metric_set(METRIC_CLIENTS, proxy->pair_count);
	metric_set(METRIC_GATEWAYS_UP, count_up(proxy));
}

static void check_file_limit(const struct proxy *proxy)
{
	uint64_t limit = socket_raise_file_limit();
	uint64_t wanted = 2 * proxy->config->proxy.connections_max + FILES_OWN;

	if (limit < wanted)
		log_event(proxy->name, LOG_FEW_FILES,
			LOG_FIELDS(LOG_NUMBER("limit", limit), LOG_NUMBER("wanted", wanted),
				LOG_TEXT("advice", "ulimit -n, or a smaller connections_max")));
}

static int open_listener(struct proxy *proxy, uint32_t index, struct error *err)
{
	struct net_address address = config_listen_at(&proxy->config->proxy.place, index);
	char text[NET_ADDRESS_TEXT];

	proxy->listener = (struct listener){.fn = on_connect,
		.context = proxy,
		.component = proxy->name,
		.accepts_a_turn = ACCEPTS_A_TURN};
	if (listener_open(&proxy->listener, proxy->loop, &address, err))
		return -1;
	net_address_format(&address, text);
	log_event(proxy->name, LOG_LISTENING,
		LOG_FIELDS(
			LOG_TEXT("address", text), LOG_NUMBER("gateways", proxy->backend_count)));
	return 0;
}

static void open_backends(struct proxy *proxy)
{
	static const struct dial_handler health_handler = {on_health_up, on_health_failed};

	proxy->backend_count = (uint32_t)proxy->config->gateway.replicas;
	proxy->backends = memory_zalloc(proxy->backend_count * sizeof(struct backend));
	for (uint32_t i = 0; i < proxy->backend_count; i++) {
		struct backend *backend = &proxy->backends[i];
		struct net_address address = config_found_at(&proxy->config->gateway.place, i);

		backend->proxy = proxy;
		backend->answer.pool = &proxy->pool;
		backend->health.fd = -1;
		backend->fd_socket = -1;
		net_address_format(&address, backend->name);
		resolver_init(&backend->resolver, &address);
		backend->dial = (struct dial){.loop = proxy->loop,
			.resolver = &backend->resolver,
			.handler = &health_handler,
			.context = backend,
			.patience_ms = proxy->config->proxy_patience_ms};
	}
}

int proxy_open(struct proxy **out, struct loop *loop, const struct config *config, uint32_t index,
	struct error *err)
{
	struct proxy *proxy = memory_zalloc(sizeof(*proxy));

	*out = proxy;
	proxy->config = config;
	proxy->loop = loop;
	proxy->listener = LISTENER_CLOSED;
	proxy->tick = (struct loop_timer){.fn = on_tick, .context = proxy};
	proxy->presence.lock_fd = -1;
	roster_name(NODE_PROXY, index, proxy->name);
	if (presence_open(&proxy->presence, config, NODE_PROXY, index, err))
		return -1;
	open_backends(proxy);
	if (open_listener(proxy, index, err) ||
		ping_open(&proxy->ping, loop, config, NODE_PROXY, index, proxy->name, err))
		return -1;
	loop_on_turn(loop, tell_health, proxy);
	loop_timer_set(loop, &proxy->tick, 0);
	return 0;
}

void proxy_close(struct proxy *proxy)
{
	if (!proxy)
		return;
	loop_timer_cancel(proxy->loop, &proxy->tick);
	loop_on_turn(proxy->loop, NULL, NULL);
	for (uint32_t i = 0; i < proxy->backend_count; i++) {
		struct backend *backend = &proxy->backends[i];

		while (backend->pairs)
			pair_close(backend->pairs);
		dial_stop(&backend->dial);
		close_health(backend);
		if (backend->fd_socket >= 0)
			close(backend->fd_socket);
		resolver_release(&backend->resolver);
	}
	while (proxy->refused)
		pair_close(proxy->refused);
	for (uint32_t i = 0; i < proxy->pipe_count; i++) {
		close(proxy->pipes[i].ends[0]);
		close(proxy->pipes[i].ends[1]);
	}
	listener_close(&proxy->listener);
	ping_close(&proxy->ping);
	presence_close(&proxy->presence);
	frame_pool_release(&proxy->pool);
	free(proxy->backends);
	free(proxy);
}

struct proxy_run {
	struct loop *loop;
	struct proxy *proxy;
};

static void on_signal(void *context)
{
	struct proxy_run *run = context;
	struct proxy *proxy = run->proxy;

	loop_stop(run->loop);
	log_event(proxy->name, LOG_ENDING, LOG_FIELDS(LOG_NUMBER("clients", proxy->pair_count)));
	health_set_state(proxy->presence.health, HEALTH_ENDING);
}

int proxy_run(const struct config *config, uint32_t index, struct error *err)
{
	struct proxy_run run = {0};
	int status = -1;

	if (loop_new(&run.loop, err))
		return -1;
	/* Signals before threads; they are heard when the loop runs. */
	if (loop_on_signal(run.loop, on_signal, &run, err) == 0 &&
		proxy_open(&run.proxy, run.loop, config, index, err) == 0) {
		check_file_limit(run.proxy);
		loop_run(run.loop);
		status = 0;
	}
	proxy_close(run.proxy);
	loop_free(run.loop);
	return status;
}
