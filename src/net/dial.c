#include "net/dial.h"

#include "net/socket.h"

#include <assert.h>
#include <errno.h>
#include <unistd.h>

/* How soon the resolver is asked again: at first, and at last. */
#define ASK_MS_MIN 1u
#define ASK_MS_MAX 50u

static void on_timer(void *context);
static void on_socket(void *context, uint32_t events);

static void set_timer(struct dial *dial, uint64_t after_ms)
{
	dial->timer.fn = on_timer;
	dial->timer.context = dial;
	loop_timer_set(dial->loop, &dial->timer, after_ms);
}

static void close_socket(struct dial *dial)
{
	loop_remove(dial->loop, &dial->source);
	close(dial->source.fd);
}

void dial_stop(struct dial *dial)
{
	if (dial->state == DIAL_IDLE)
		return;
	loop_timer_cancel(dial->loop, &dial->timer);
	if (dial->state == DIAL_CONNECTING)
		close_socket(dial);
	dial->state = DIAL_IDLE;
}

/* Told in the next turn: we may be inside a call of our user. */
static void fail(struct dial *dial, int number)
{
	/*
	 * Whoever refuses is there, which no address that cannot be reached at all makes less true.
	 */
	if (number == ETIMEDOUT || dial->number != ECONNREFUSED)
		dial->number = number;
	dial->state = DIAL_FAILED;
	resolver_forget(dial->resolver);
	set_timer(dial, 0);
}

/* The first of the addresses, from `target` on, to which a connection can be begun. */
static void try_targets(struct dial *dial)
{
	struct error err;
	int fd;

	for (; dial->target < dial->resolver->target_count; dial->target++) {
		fd = socket_connect(&dial->resolver->targets[dial->target]);
		if (fd < 0) {
			if (dial->number != ECONNREFUSED)
				dial->number = errno;
			/* Another address needs a descriptor as well. */
			if (errno == EMFILE || errno == ENFILE)
				break;
			continue;
		}
		dial->source = (struct loop_source){.fd = fd, .fn = on_socket, .context = dial};
		if (loop_add(dial->loop, &dial->source, LOOP_WRITE, &err)) {
			close(fd);
			dial->number = ENOMEM;
			break;
		}
		dial->state = DIAL_CONNECTING;
		return;
	}
	fail(dial, dial->number ? dial->number : EHOSTUNREACH);
}

static void on_socket(void *context, uint32_t events)
{
	struct dial *dial = context;
	int number = socket_error(dial->source.fd);
	int fd = dial->source.fd;

	(void)events;
	if (number == 0) {
		loop_remove(dial->loop, &dial->source);
		loop_timer_cancel(dial->loop, &dial->timer);
		dial->state = DIAL_IDLE;
		dial->handler->on_up(dial->context, fd);
		return;
	}
	close_socket(dial);
	if (dial->number != ECONNREFUSED)
		dial->number = number;
	dial->target++;
	try_targets(dial);
}

static void ask_resolver(struct dial *dial)
{
	uint64_t now_ms = loop_now(dial->loop);

	switch (resolver_ask(dial->resolver)) {
	case RESOLVER_KNOWN:
		dial->target = 0;
		if (dial->patience_ms)
			set_timer(dial, dial->due_ms > now_ms ? dial->due_ms - now_ms : 0);
		try_targets(dial);
		return;
	case RESOLVER_FAILED: fail(dial, EHOSTUNREACH); return;
	case RESOLVER_BUSY: break;
	}
	if (dial->patience_ms && now_ms >= dial->due_ms) {
		fail(dial, ETIMEDOUT);
		return;
	}
	dial->state = DIAL_RESOLVING;
	set_timer(dial, dial->asked_ms);
	dial->asked_ms = 2 * dial->asked_ms < ASK_MS_MAX ? 2 * dial->asked_ms : ASK_MS_MAX;
}

static void begin(struct dial *dial)
{
	dial->number = 0;
	dial->asked_ms = ASK_MS_MIN;
	dial->due_ms = loop_now(dial->loop) + dial->patience_ms;
	ask_resolver(dial);
}

static void on_timer(void *context)
{
	struct dial *dial = context;

	switch (dial->state) {
	case DIAL_IDLE: break;
	case DIAL_PAUSED: begin(dial); break;
	case DIAL_RESOLVING: ask_resolver(dial); break;
	case DIAL_CONNECTING:
		close_socket(dial);
		fail(dial, ETIMEDOUT);
		break;
	case DIAL_FAILED:
		dial->state = DIAL_IDLE;
		dial->handler->on_failed(dial->context, dial->number);
		break;
	}
}

void dial_now(struct dial *dial)
{
	dial_stop(dial);
	backoff_reset(&dial->backoff);
	begin(dial);
}

void dial_later(struct dial *dial)
{
	assert(dial->backoff.min_ms > 0);
	dial_stop(dial);
	dial->state = DIAL_PAUSED;
	set_timer(dial, backoff_next(&dial->backoff, dial->rng));
}

/* --- for callers that can wait -------------------------------------------------------------------
 */

struct dial_waiting {
	struct loop *loop;
	int fd; /* -1: it failed */
	int number;
};

static void on_waited_up(void *context, int fd)
{
	struct dial_waiting *waiting = context;

	waiting->fd = fd;
	loop_stop(waiting->loop);
}

static void on_waited_failure(void *context, int number)
{
	struct dial_waiting *waiting = context;

	waiting->number = number;
	loop_stop(waiting->loop);
}

int dial_wait(const struct net_address *address, uint64_t patience_ms)
{
	static const struct dial_handler handler = {on_waited_up, on_waited_failure};
	struct dial_waiting waiting = {.fd = -1};
	struct resolver resolver;
	struct error ignored;
	struct dial dial;

	assert(patience_ms > 0);
	if (loop_new(&waiting.loop, &ignored)) {
		errno = EMFILE;
		return -1;
	}
	resolver_init(&resolver, address);
	dial = (struct dial){.loop = waiting.loop,
		.resolver = &resolver,
		.handler = &handler,
		.context = &waiting,
		.patience_ms = patience_ms};
	dial_now(&dial);
	loop_run(waiting.loop);
	resolver_release(&resolver);
	loop_free(waiting.loop);
	errno = waiting.number;
	return waiting.fd;
}
