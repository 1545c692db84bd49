#include "watch/prober.h"

#include "base/arena.h"
#include "base/backoff.h"
#include "base/json_read.h"
#include "base/memory.h"
#include "net/resolver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_BYTES_MAX 4096
#define RETRY_MS_MIN	 20u
#define RETRY_MS_MAX	 1000u

static const char question[] = "GET /health HTTP/1.1\r\nHost: node\r\n\r\n";

enum target_state {
	TARGET_AWAY, /* no connection */
	TARGET_CONNECTING,
	TARGET_IDLE,
	TARGET_ASKED,
};

struct probe_target {
	struct prober *prober;
	uint32_t index;
	struct resolver resolver;
	enum target_state state;
	struct loop_source source;
	struct loop_timer timer; /* the next question or attempt, or the end of patience */
	struct backoff backoff;
	char answer[ANSWER_BYTES_MAX];
	size_t got;
};

struct prober {
	struct loop *loop;
	uint64_t check_ms;
	uint64_t patience_ms;
	struct prober_handler handler;
	uint32_t count;
	struct probe_target *targets;
};

static void hang_up(struct probe_target *target)
{
	if (target->source.fd >= 0) {
		loop_remove(target->prober->loop, &target->source);
		close(target->source.fd);
	}
	target->source.fd = -1;
	target->state = TARGET_AWAY;
	target->got = 0;
}

/* Another attempt, later each time. */
static void retry_later(struct probe_target *target)
{
	hang_up(target);
	loop_timer_set(target->prober->loop, &target->timer, backoff_next(&target->backoff, NULL));
}

static void fail(struct probe_target *target, int number)
{
	struct prober *prober = target->prober;

	retry_later(target);
	resolver_forget(&target->resolver);
	if (number == ECONNREFUSED)
		prober->handler.on_nobody(prober->handler.context, target->index);
}

/* --- answers -------------------------------------------------------------------------------------
 */

/* The body of a whole answer; NULL: more is to come. `broken`: none ever will. */
static const char *find_body(struct probe_target *target, size_t *size, bool *broken)
{
	static const char length_key[] = "\r\nContent-Length:";
	const char *end, *length;
	unsigned long bytes;

	target->answer[target->got] = '\0';
	end = strstr(target->answer, "\r\n\r\n");
	*broken = target->got == sizeof(target->answer) - 1;
	if (!end)
		return NULL;
	length = strcasestr(target->answer, length_key);
	bytes = length && length < end ? strtoul(length + sizeof(length_key) - 1, NULL, 10) : 0;
	end += 4;
	if (strncmp(target->answer, "HTTP/1.", 7) != 0 || bytes == 0 || bytes >= ANSWER_BYTES_MAX) {
		*broken = true;
		return NULL;
	}
	*size = bytes;
	return target->got - (size_t)(end - target->answer) >= bytes ? end : NULL;
}

static void read_body(struct probe_target *target, const char *body, size_t size)
{
	struct prober *prober = target->prober;
	struct node_verdict_answer answer = {0};
	const struct json_value *broker;
	struct json_value *root;
	struct arena arena;
	struct error err;

	arena_init(&arena, 4096);
	if (json_read(body, size, &arena, &root, &err) == 0) {
		broker = json_get(root, "broker");
		answer.healthy = json_number(root, "healthy") != 0;
		answer.starting = strcmp(json_text(root, "state"), "starting") == 0;
		answer.replaying = strcmp(json_text(root, "state"), "replaying") == 0;
		answer.no_broker = broker && broker->kind == JSON_BOOL && broker->number == 0;
		answer.loop_ms = (uint64_t)json_number(root, "loop_ms");
		target->state = TARGET_IDLE;
		target->got = 0;
		backoff_reset(&target->backoff);
		/* One that is about to get green is asked soon. */
		loop_timer_set(prober->loop, &target->timer,
			answer.healthy && !answer.starting ? prober->check_ms : RETRY_MS_MIN);
		prober->handler.on_answer(prober->handler.context, target->index, &answer);
	} else {
		retry_later(target);
	}
	arena_release(&arena);
}

static void on_readable(struct probe_target *target)
{
	ssize_t got = recv(target->source.fd, target->answer + target->got,
		sizeof(target->answer) - 1 - target->got, 0);
	const char *body;
	bool broken;
	size_t size;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0 || target->state != TARGET_ASKED) {
		/* It closed: if it died, the next attempt shows it. */
		hang_up(target);
		loop_timer_set(target->prober->loop, &target->timer, 0);
		return;
	}
	target->got += (size_t)got;
	body = find_body(target, &size, &broken);
	if (body)
		read_body(target, body, size);
	else if (broken)
		retry_later(target);
}

/* --- questions -----------------------------------------------------------------------------------
 */

static void ask(struct probe_target *target)
{
	size_t size = sizeof(question) - 1;

	if (send(target->source.fd, question, size, MSG_NOSIGNAL) != (ssize_t)size) {
		hang_up(target);
		loop_timer_set(target->prober->loop, &target->timer, 0);
		return;
	}
	target->state = TARGET_ASKED;
	loop_timer_set(target->prober->loop, &target->timer, target->prober->patience_ms);
}

static void on_socket(void *context, uint32_t events)
{
	struct probe_target *target = context;
	int number;

	if (target->state != TARGET_CONNECTING) {
		if (events & (LOOP_READ | LOOP_BROKEN))
			on_readable(target);
		return;
	}
	number = socket_error(target->source.fd);
	if (number) {
		fail(target, number);
		return;
	}
	loop_change(target->prober->loop, &target->source, LOOP_READ);
	ask(target);
}

static void call(struct probe_target *target)
{
	struct prober *prober = target->prober;
	struct error err;

	if (!resolver_ask(&target->resolver)) {
		retry_later(target);
		return;
	}
	target->source.fd = socket_connect_to(&target->resolver.target);
	if (target->source.fd < 0) {
		fail(target, errno);
		return;
	}
	if (loop_add(prober->loop, &target->source, LOOP_WRITE, &err)) {
		retry_later(target);
		return;
	}
	target->state = TARGET_CONNECTING;
	loop_timer_set(prober->loop, &target->timer, prober->patience_ms);
}

static void on_timer(void *context)
{
	struct probe_target *target = context;

	switch (target->state) {
	case TARGET_AWAY: call(target); break;
	case TARGET_IDLE: ask(target); break;
	case TARGET_CONNECTING: fail(target, ETIMEDOUT); break;
	case TARGET_ASKED:
		fail(target, ETIMEDOUT);
		target->prober->handler.on_silence(target->prober->handler.context, target->index);
		break;
	}
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
		.patience_ms = patience_ms,
		.handler = *handler,
		.count = count,
		.targets = memory_zalloc(count * sizeof(*prober->targets)),
	};
	for (uint32_t i = 0; i < count; i++) {
		struct probe_target *target = &prober->targets[i];

		target->prober = prober;
		target->index = i;
		target->source = (struct loop_source){.fd = -1, .fn = on_socket, .context = target};
		target->timer = (struct loop_timer){.fn = on_timer, .context = target};
		target->backoff = (struct backoff){.min_ms = RETRY_MS_MIN, .max_ms = RETRY_MS_MAX};
		resolver_init(&target->resolver, &targets[i]);
	}
	return prober;
}

void prober_free(struct prober *prober)
{
	if (!prober)
		return;
	prober_stop(prober);
	for (uint32_t i = 0; i < prober->count; i++)
		resolver_release(&prober->targets[i].resolver);
	free(prober->targets);
	free(prober);
}

void prober_start(struct prober *prober, uint32_t except)
{
	for (uint32_t i = 0; i < prober->count; i++)
		if (i != except)
			prober_hurry(prober, i);
}

void prober_stop(struct prober *prober)
{
	for (uint32_t i = 0; i < prober->count; i++) {
		hang_up(&prober->targets[i]);
		loop_timer_cancel(prober->loop, &prober->targets[i].timer);
	}
}

void prober_hurry(struct prober *prober, uint32_t index)
{
	struct probe_target *target = &prober->targets[index];

	backoff_reset(&target->backoff);
	if (target->state == TARGET_AWAY)
		loop_timer_set(prober->loop, &target->timer, 0);
}
