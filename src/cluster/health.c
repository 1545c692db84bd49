#include "cluster/health.h"

#include "base/clock.h"
#include "base/json_write.h"
#include "base/library.h"
#include "base/memory.h"
#include "net/loop.h"
#include "net/socket.h"

#include <inttypes.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- The library, which only nodes load -- */

#ifndef LIBRARY_SONAME
#define LIBRARY_SONAME "libmicrohttpd.so"
#endif

#define MHD_CALLS(CALL)                       \
	CALL(MHD_add_response_header)         \
	CALL(MHD_create_response_from_buffer) \
	CALL(MHD_destroy_response)            \
	CALL(MHD_queue_response)              \
	CALL(MHD_start_daemon)                \
	CALL(MHD_stop_daemon)

static struct mhd_calls {
	MHD_CALLS(LIBRARY_POINTER)
} microhttpd;

#define MHD_CALL(name) LIBRARY_CALL(struct mhd_calls, name)
static const struct library_call mhd_calls[] = {MHD_CALLS(MHD_CALL)};
static struct library mhd_library = LIBRARY(LIBRARY_SONAME, mhd_calls, &microhttpd);

/* A request has a line and a few headers; what is longer is refused by the library. */
#define CONNECTION_BYTES_MAX (16u << 10)
#define ANSWER_BYTES_MAX     1024u
#define NAME_BYTES	     64

#define JSON_TYPE "application/json"
#define TEXT_TYPE "text/plain; charset=utf-8"

enum broker_state {
	BROKER_NONE,
	BROKER_LOST,
	BROKER_CONNECTED,
};

struct health {
	char node[NAME_BYTES];
	uint64_t loop_limit_ms;
	uint64_t opened_ms;
	struct MHD_Daemon *daemon;
	_Atomic uint64_t beat_ms;
	_Atomic int state;
	_Atomic int broker;
	pthread_mutex_t lock; /* of what is below */
	char *status;	      /* NULL: nothing was published */
	size_t status_size;
};

/* --- what it says --------------------------------------------------------------------------------
 */

struct finding {
	enum health_state state;
	enum broker_state broker;
	uint64_t loop_ms;
	bool healthy;
	bool ready;
};

static struct finding find_out(struct health *health, uint64_t now_ms)
{
	uint64_t beat_ms = atomic_load_explicit(&health->beat_ms, memory_order_relaxed);
	struct finding finding = {
		.state = (enum health_state)atomic_load(&health->state),
		.broker = (enum broker_state)atomic_load(&health->broker),
		/* A beat may have come since the clock was read. */
		.loop_ms = beat_ms < now_ms ? now_ms - beat_ms : 0,
	};

	finding.healthy = finding.loop_ms <= health->loop_limit_ms && finding.broker != BROKER_LOST;
	finding.ready = finding.healthy && finding.state == HEALTH_READY;
	return finding;
}

static void describe(
	struct health *health, const struct finding *finding, uint64_t now_ms, struct buf *out)
{
	static const char *const states[] = {"starting", "replaying", "ready", "ending"};
	struct json_writer json = {out, false};

	json_open(&json, NULL, '{');
	json_put_text(&json, "node", health->node);
	json_put_text(&json, "state", states[finding->state]);
	json_put_bool(&json, "healthy", finding->healthy);
	json_put_bool(&json, "ready", finding->ready);
	if (finding->broker == BROKER_NONE)
		json_put_null(&json, "broker");
	else
		json_put_bool(&json, "broker", finding->broker == BROKER_CONNECTED);
	json_put_u64(&json, "loop_ms", finding->loop_ms);
	json_put_u64(&json, "pid", (uint64_t)getpid());
	json_put_u64(&json, "up_ms", now_ms - health->opened_ms);
	json_close(&json, '}');
	buf_append_char(out, '\n');
}

/* --- HTTP ----------------------------------------------------------------------------------------
 */

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status, const char *type,
	const void *bytes, size_t size)
{
	struct MHD_Response *response = microhttpd.MHD_create_response_from_buffer(
		size, (void *)bytes, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	(void)microhttpd.MHD_add_response_header(response, "Content-Type", type);
	(void)microhttpd.MHD_add_response_header(response, "Cache-Control", "no-store");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		(void)microhttpd.MHD_add_response_header(response, "Allow", "GET, HEAD");
	result = microhttpd.MHD_queue_response(connection, status, response);
	microhttpd.MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer_text(
	struct MHD_Connection *connection, unsigned status, const char *text)
{
	return answer(connection, status, TEXT_TYPE, text, strlen(text));
}

static enum MHD_Result answer_finding(
	struct MHD_Connection *connection, struct health *health, bool ready_wanted)
{
	uint64_t now_ms = clock_monotonic_ms();
	struct finding finding = find_out(health, now_ms);
	bool good = ready_wanted ? finding.ready : finding.healthy;
	enum MHD_Result result;
	struct buf out;

	buf_init(&out, ANSWER_BYTES_MAX);
	describe(health, &finding, now_ms, &out);
	result = answer(connection, good ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE, JSON_TYPE,
		out.data, out.size);
	buf_release(&out);
	return result;
}

static enum MHD_Result answer_status(struct MHD_Connection *connection, struct health *health)
{
	enum MHD_Result result;

	pthread_mutex_lock(&health->lock);
	if (health->status)
		result = answer(
			connection, MHD_HTTP_OK, JSON_TYPE, health->status, health->status_size);
	else
		result = answer_text(
			connection, MHD_HTTP_NOT_FOUND, "this node publishes no status\n");
	pthread_mutex_unlock(&health->lock);
	return result;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
	const char *method, const char *version, const char *upload, size_t *upload_size,
	void **request)
{
	struct health *health = context;

	(void)version;
	(void)upload;
	(void)upload_size;
	/*
	 * The first call comes after the headers. Whoever answers then does not wait for a body,
	 * and the library closes the connection; a GET is answered at the second call, and it is
	 * kept.
	 */
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
	if (!*request) {
		*request = health;
		return MHD_YES;
	}
	if (strcmp(url, "/health") == 0)
		return answer_finding(connection, health, false);
	if (strcmp(url, "/ready") == 0)
		return answer_finding(connection, health, true);
	if (strcmp(url, "/status") == 0)
		return answer_status(connection, health);
	if (strcmp(url, "/") == 0)
		return answer_text(connection, MHD_HTTP_OK,
			"/health   200: it works; 503: it does not\n"
			"/ready    200: it works and has caught up\n"
			"/status   what it does, if it tells\n");
	return answer_text(connection, MHD_HTTP_NOT_FOUND, "there are /health, /ready, /status\n");
}

/* The library would write to stderr, in the middle of our log. */
static void on_library_log(void *context, const char *format, va_list args)
{
	(void)context;
	(void)format;
	(void)args;
}

/* With poll: with epoll the library misses the end of a connection that sent half a request. */
static int start_thread(struct health *health, int listener)
{
	unsigned flags = MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	health->daemon = microhttpd.MHD_start_daemon(flags, 0, NULL, NULL, on_request, health,
		MHD_OPTION_EXTERNAL_LOGGER, on_library_log, NULL, MHD_OPTION_LISTEN_SOCKET,
		listener, MHD_OPTION_CONNECTION_LIMIT, HEALTH_CONNECTIONS_MAX,
		MHD_OPTION_CONNECTION_TIMEOUT, HEALTH_IDLE_S_MAX,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES_MAX, MHD_OPTION_END);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return health->daemon ? 0 : -1;
}

/* --- its life ------------------------------------------------------------------------------------
 */

int health_open(struct health **out, const char *node, const struct net_address *address,
	uint64_t loop_limit_ms, struct error *err)
{
	struct health *health;
	int listener;

	*out = NULL;
	if (library_load(&mhd_library, err) || socket_listen(address, &listener, err))
		return error_prefix(err, "health: ");
	health = memory_zalloc(sizeof(*health));
	snprintf(health->node, sizeof(health->node), "%s", node);
	health->loop_limit_ms = loop_limit_ms;
	health->opened_ms = clock_monotonic_ms();
	atomic_init(&health->beat_ms, health->opened_ms);
	atomic_init(&health->state, HEALTH_STARTING);
	atomic_init(&health->broker, BROKER_NONE);
	pthread_mutex_init(&health->lock, NULL);
	if (start_thread(health, listener)) {
		close(listener);
		health_close(health);
		return error_set(err, ERROR_IO, "health: cannot start its HTTP server");
	}
	*out = health;
	return 0;
}

void health_close(struct health *health)
{
	if (!health)
		return;
	/* It closes the listener, too. */
	if (health->daemon)
		microhttpd.MHD_stop_daemon(health->daemon);
	pthread_mutex_destroy(&health->lock);
	free(health->status);
	free(health);
}

void health_beat(struct health *health)
{
	if (health)
		atomic_store_explicit(&health->beat_ms, clock_monotonic_ms(), memory_order_relaxed);
}

void health_set_state(struct health *health, enum health_state state)
{
	if (health)
		atomic_store(&health->state, (int)state);
}

void health_set_broker(struct health *health, bool connected)
{
	if (health)
		atomic_store(&health->broker, connected ? BROKER_CONNECTED : BROKER_LOST);
}

void health_publish(struct health *health, const char *json, size_t size)
{
	char *before, *status;

	if (!health || size > HEALTH_STATUS_BYTES_MAX)
		return;
	status = memory_alloc(size + 1);
	memcpy(status, json, size);
	pthread_mutex_lock(&health->lock);
	before = health->status;
	health->status = status;
	health->status_size = size;
	pthread_mutex_unlock(&health->lock);
	free(before);
}
