#include "net/listener.h"

#include "base/log.h"
#include "net/socket.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define TOLD_MS 1000u

static void on_rested(void *context)
{
	struct listener *listener = context;

	loop_change(listener->loop, &listener->source, LOOP_READ);
}

static void take_a_rest(struct listener *listener, int number)
{
	uint64_t now_ms = loop_now(listener->loop);

	if (listener->told_ms == 0 || now_ms - listener->told_ms >= TOLD_MS) {
		log_event(listener->component, LOG_ACCEPT_FAILED,
			LOG_FIELDS(LOG_TEXT("reason", strerror(number))));
		listener->told_ms = now_ms;
	}
	loop_change(listener->loop, &listener->source, 0);
	loop_timer_set(listener->loop, &listener->rest, LISTENER_REST_MS);
}

static void on_connect(void *context, uint32_t events)
{
	struct listener *listener = context;

	(void)events;
	for (uint32_t i = 0; listener->source.fd >= 0 && i < listener->accepts_a_turn; i++) {
		int fd = socket_accept(listener->source.fd);

		if (fd >= 0) {
			listener->fn(listener->context, fd);
			continue;
		}
		if (errno != EAGAIN)
			take_a_rest(listener, errno);
		return;
	}
}

int listener_adopt(struct listener *listener, struct loop *loop, int fd, struct error *err)
{
	assert(listener->accepts_a_turn > 0);
	listener->loop = loop;
	listener->told_ms = 0;
	listener->rest = (struct loop_timer){.fn = on_rested, .context = listener};
	listener->source = (struct loop_source){.fd = fd, .fn = on_connect, .context = listener};
	if (loop_add(loop, &listener->source, LOOP_READ, err) == 0)
		return 0;
	listener_close(listener);
	return -1;
}

int listener_open(struct listener *listener, struct loop *loop, const struct net_address *address,
	struct error *err)
{
	int fd;

	listener->source.fd = -1;
	if (socket_listen(address, &fd, err))
		return -1;
	return listener_adopt(listener, loop, fd, err);
}

void listener_close(struct listener *listener)
{
	if (listener->source.fd < 0)
		return;
	loop_timer_cancel(listener->loop, &listener->rest);
	loop_remove(listener->loop, &listener->source);
	close(listener->source.fd);
	listener->source.fd = -1;
}
