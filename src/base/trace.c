#include "base/trace.h"

#include "base/clock.h"
#include "base/json_write.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct kept_event {
	struct trace_event event;
	uint64_t ended_us;
	uint32_t thread;
};

static struct {
	_Atomic bool enabled;
	_Atomic uint32_t threads;
	pthread_mutex_t lock; /* of what is below */
	uint64_t count;	      /* since the start; the last ones are there */
	struct kept_event *events;
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER};

void trace_enable(void)
{
	pthread_mutex_lock(&trace.lock);
	if (!trace.events)
		trace.events = memory_zalloc(TRACE_EVENTS_MAX * sizeof(*trace.events));
	pthread_mutex_unlock(&trace.lock);
	atomic_store(&trace.enabled, true);
}

uint64_t trace_now(void)
{
	return atomic_load_explicit(&trace.enabled, memory_order_relaxed) ? clock_wall_us() : 0;
}

/* Threads in the order in which they first did something. */
static uint32_t own_thread(void)
{
	static _Thread_local uint32_t number; /* one more than it is; 0: it has none */

	if (number == 0)
		number = 1 + atomic_fetch_add(&trace.threads, 1);
	return number - 1;
}

void trace_add(const struct trace_event *event)
{
	uint64_t now_us = trace_now();
	struct kept_event kept = {*event, now_us, 0};

	if (now_us == 0)
		return;
	kept.thread = own_thread();
	/* The administrator may have turned the clock back meanwhile. */
	if (event->started_us == 0 || event->started_us > now_us)
		kept.event.started_us = now_us;
	pthread_mutex_lock(&trace.lock);
	trace.events[trace.count++ % TRACE_EVENTS_MAX] = kept;
	pthread_mutex_unlock(&trace.lock);
}

static void put_event(const struct kept_event *kept, struct json_writer *json)
{
	static const char *const kinds[TRACE_KINDS] = {
		"chunk", "map", "packet", "fold", "emission", "result"};
	const struct trace_event *event = &kept->event;

	json_open(json, NULL, '{');
	json_put_text(json, "kind", kinds[event->kind]);
	json_put_u64(json, "part", event->part);
	json_put_u64(json, "instance", event->instance);
	json_put_u64(json, "number", event->number);
	json_put_u64(json, "start", event->started_us);
	json_put_u64(json, "end", kept->ended_us);
	json_put_u64(json, "thread", kept->thread);
	json_put_u64(json, "rows", event->rows);
	json_put_u64(json, "rejects", event->rejects);
	json_put_u64(json, "bytes", event->bytes);
	json_close(json, '}');
}

void trace_render(uint64_t job, struct buf *out)
{
	struct json_writer json = {out, false};

	json_open(&json, NULL, '{');
	pthread_mutex_lock(&trace.lock);
	json_put_bool(&json, "missing", trace.count > TRACE_EVENTS_MAX);
	json_open(&json, "events", '[');
	for (uint64_t i = trace.count > TRACE_EVENTS_MAX ? trace.count - TRACE_EVENTS_MAX : 0;
		i < trace.count; i++)
		if (trace.events[i % TRACE_EVENTS_MAX].event.job == job)
			put_event(&trace.events[i % TRACE_EVENTS_MAX], &json);
	pthread_mutex_unlock(&trace.lock);
	json_close(&json, ']');
	json_close(&json, '}');
}
