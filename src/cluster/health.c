#include "cluster/health.h"

#include "base/clock.h"
#include "base/digits.h"
#include "base/json_write.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "base/trace.h"
#include "net/http_server.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_BYTES_MAX 1024u
#define NAME_BYTES	 64

#define JSON_TYPE    "application/json"
#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

enum broker_state {
	BROKER_NONE,
	BROKER_LOST,
	BROKER_CONNECTED,
};

struct health {
	char node[NAME_BYTES];
	uint64_t loop_limit_ms;
	uint64_t opened_ms;
	struct http_server *server;
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

static void answer_finding(struct http_request *request, struct health *health, bool ready_wanted)
{
	uint64_t now_ms = clock_monotonic_ms();
	struct finding finding = find_out(health, now_ms);
	bool good = ready_wanted ? finding.ready : finding.healthy;
	struct buf out;

	buf_init(&out, ANSWER_BYTES_MAX);
	describe(health, &finding, now_ms, &out);
	http_answer(request, good ? 200 : 503, JSON_TYPE, out.data, out.size);
	buf_release(&out);
}

static void answer_status(struct http_request *request, struct health *health)
{
	pthread_mutex_lock(&health->lock);
	if (health->status)
		http_answer(request, 200, JSON_TYPE, health->status, health->status_size);
	else
		http_answer_text(request, 404, "this node publishes no status\n");
	pthread_mutex_unlock(&health->lock);
}

static void answer_metrics(struct http_request *request, struct health *health)
{
	struct finding finding = find_out(health, clock_monotonic_ms());
	struct buf out;

	metric_set(METRIC_NODE_HEALTHY, finding.healthy);
	metric_set(METRIC_NODE_READY, finding.ready);
	metric_set(METRIC_BROKER_CONNECTED, finding.broker == BROKER_CONNECTED);
	buf_init(&out, METRICS_TEXT_MAX);
	metrics_render(health->node, &out);
	http_answer(request, 200, METRICS_TYPE, out.data, out.size);
	buf_release(&out);
}

/* Whoever knows of a job: its number is not told here. */
static void answer_trace(struct http_request *request)
{
	const char *id = http_request_argument(request, "job");
	uint64_t job;
	struct buf out;

	if (!id || !digits_parse(id, 16, UINT64_MAX, &job)) {
		http_answer_text(request, 404, "/trace?job=ID, with the digits of a job\n");
		return;
	}
	buf_init(&out, TRACE_BYTES_MAX);
	trace_render(job, &out);
	http_answer(request, buf_overflowed(&out) ? 500 : 200, JSON_TYPE, out.data, out.size);
	buf_release(&out);
}

static void on_request(void *context, struct http_request *request)
{
	struct health *health = context;
	const char *path = http_request_path(request);

	http_answer_header(request, "Cache-Control", "no-store");
	if (strcmp(path, "/health") == 0)
		answer_finding(request, health, false);
	else if (strcmp(path, "/ready") == 0)
		answer_finding(request, health, true);
	else if (strcmp(path, "/status") == 0)
		answer_status(request, health);
	else if (strcmp(path, "/metrics") == 0)
		answer_metrics(request, health);
	else if (strcmp(path, "/trace") == 0)
		answer_trace(request);
	else if (strcmp(path, "/") == 0)
		http_answer_text(request, 200,
			"/health   200: it works; 503: it does not\n"
			"/ready    200: it works and has caught up\n"
			"/status   what it does, if it tells\n"
			"/metrics  numbers, for Prometheus\n"
			"/trace    what it did for a job: ?job=ID\n");
	else
		http_answer_text(
			request, 404, "there are /health, /ready, /status, /metrics, /trace\n");
}

/* --- its life ------------------------------------------------------------------------------------
 */

int health_open(struct health **out, const char *node, const struct net_address *address,
	uint64_t loop_limit_ms, struct error *err)
{
	struct health *health = memory_zalloc(sizeof(*health));
	struct http_server_options options = {
		.address = *address,
		.connections_max = HEALTH_CONNECTIONS_MAX,
		.idle_s_max = HEALTH_IDLE_S_MAX,
		.handler = on_request,
		.context = health,
	};

	*out = NULL;
	trace_enable();
	snprintf(health->node, sizeof(health->node), "%s", node);
	health->loop_limit_ms = loop_limit_ms;
	health->opened_ms = clock_monotonic_ms();
	atomic_init(&health->beat_ms, health->opened_ms);
	atomic_init(&health->state, HEALTH_STARTING);
	atomic_init(&health->broker, BROKER_NONE);
	pthread_mutex_init(&health->lock, NULL);
	if (http_server_open(&health->server, &options, err)) {
		health_close(health);
		return error_prefix(err, "health: ");
	}
	*out = health;
	return 0;
}

void health_close(struct health *health)
{
	if (!health)
		return;
	http_server_close(health->server);
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
