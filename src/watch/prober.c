#include "watch/prober.h"

#include "base/arena.h"
#include "base/backoff.h"
#include "base/json_read.h"
#include "base/memory.h"
#include "net/http.h"

#include <stdlib.h>
#include <string.h>

#define ANSWER_BYTES_MAX 4096
#define RETRY_MS_MIN	 20u
#define RETRY_MS_MAX	 1000u

struct probe_target {
	struct prober *prober;
	uint32_t index;
	struct http_client *http;
	bool running;		 /* it is to be asked */
	bool away;		 /* the last question failed */
	struct loop_timer timer; /* the next question */
	struct backoff backoff;
};

struct prober {
	struct loop *loop;
	uint64_t check_ms;
	struct prober_handler handler;
	uint32_t count;
	struct probe_target *targets;
};

/* --- answers -------------------------------------------------------------------------------------
 */

/* Another attempt, later each time. */
static void retry_later(struct probe_target *target)
{
	target->away = true;
	loop_timer_set(target->prober->loop, &target->timer, backoff_next(&target->backoff, NULL));
}

static void on_answer(void *context, int status, const char *body, size_t size)
{
	struct probe_target *target = context;
	struct prober *prober = target->prober;
	struct node_verdict_answer answer = {0};
	const struct json_value *broker;
	struct json_value *root;
	struct arena arena;
	struct error err;

	(void)status;
	arena_init(&arena, 4096);
	if (json_read(body, size, &arena, &root, &err) == 0) {
		broker = json_get(root, "broker");
		answer.healthy = json_number(root, "healthy") != 0;
		answer.starting = strcmp(json_text(root, "state"), "starting") == 0;
		answer.replaying = strcmp(json_text(root, "state"), "replaying") == 0;
		answer.no_broker = broker && broker->kind == JSON_BOOL && broker->number == 0;
		answer.loop_ms = (uint64_t)json_number(root, "loop_ms");
		target->away = false;
		backoff_reset(&target->backoff);
		/* One that is about to get green is asked soon. */
		loop_timer_set(prober->loop, &target->timer,
			answer.healthy && !answer.starting ? prober->check_ms : RETRY_MS_MIN);
		prober->handler.on_answer(prober->handler.context, target->index, &answer);
	} else {
		http_client_hang_up(target->http);
		retry_later(target);
	}
	arena_release(&arena);
}

static void on_failed(void *context, enum http_failure failure)
{
	struct probe_target *target = context;
	struct prober *prober = target->prober;

	retry_later(target);
	if (failure == HTTP_NOBODY)
		prober->handler.on_nobody(prober->handler.context, target->index);
	else if (failure == HTTP_SILENT)
		prober->handler.on_silence(prober->handler.context, target->index);
}

/* --- questions -----------------------------------------------------------------------------------
 */

static void on_timer(void *context)
{
	struct probe_target *target = context;

	http_client_ask(target->http, "/health");
}

/* If it died, the next attempt shows it. */
static void on_hung_up(void *context)
{
	struct probe_target *target = context;

	loop_timer_set(target->prober->loop, &target->timer, 0);
}

/* --- its life ------------------------------------------------------------------------------------
 */

struct prober *prober_new(struct loop *loop, const struct net_address *targets, uint32_t count,
	uint64_t check_ms, uint64_t patience_ms, const struct prober_handler *handler)
{
	struct prober *prober = memory_zalloc(sizeof(*prober));

	*prober = (struct prober){
		.loop = loop,
		.check_ms = check_ms,
		.handler = *handler,
		.count = count,
		.targets = memory_zalloc(count * sizeof(*prober->targets)),
	};
	for (uint32_t i = 0; i < count; i++) {
		struct probe_target *target = &prober->targets[i];
		struct http_handler http = {on_answer, on_failed, on_hung_up, target};

		target->prober = prober;
		target->index = i;
		target->away = true;
		target->timer = (struct loop_timer){.fn = on_timer, .context = target};
		target->backoff = (struct backoff){.min_ms = RETRY_MS_MIN, .max_ms = RETRY_MS_MAX};
		target->http =
			http_client_new(loop, &targets[i], patience_ms, ANSWER_BYTES_MAX, &http);
	}
	return prober;
}

void prober_free(struct prober *prober)
{
	if (!prober)
		return;
	prober_stop(prober);
	for (uint32_t i = 0; i < prober->count; i++)
		http_client_free(prober->targets[i].http);
	free(prober->targets);
	free(prober);
}

void prober_stop(struct prober *prober)
{
	for (uint32_t i = 0; i < prober->count; i++) {
		struct probe_target *target = &prober->targets[i];

		http_client_hang_up(target->http);
		loop_timer_cancel(prober->loop, &target->timer);
		target->away = true;
		target->running = false;
	}
}

void prober_hurry(struct prober *prober, uint32_t index)
{
	struct probe_target *target = &prober->targets[index];

	backoff_reset(&target->backoff);
	/* One that is being asked, or answers, has its next question anyway. */
	if (!target->running || (target->away && target->timer.set))
		loop_timer_set(prober->loop, &target->timer, 0);
	target->running = true;
}
