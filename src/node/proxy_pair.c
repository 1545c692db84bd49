#include "node/proxy_private.h"

#include "base/buf.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/mutant.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIPE_BYTES    (1 << 20) /* what any user may have; fewer and longer turns */
#define LINGER_MS     1000u
#define DISCARD_BYTES 4096

/* --- pipes ---------------------------------------------------------------------------------------
 */

/* A pipe costs two descriptors and its pages: an idle pair has none. */
static bool pipe_take(struct proxy *proxy, struct pipe *out)
{
	if (proxy->pipe_count > 0) {
		*out = proxy->pipes[--proxy->pipe_count];
		return true;
	}
	if (pipe2(out->ends, O_NONBLOCK | O_CLOEXEC)) {
		out->ends[0] = out->ends[1] = -1;
		return false;
	}
	/* A smaller one works as well. */
	(void)fcntl(out->ends[1], F_SETPIPE_SZ, PIPE_BYTES);
	return true;
}

static void pipe_close(struct pipe *pipe)
{
	if (pipe->ends[0] >= 0) {
		close(pipe->ends[0]);
		close(pipe->ends[1]);
	}
	pipe->ends[0] = pipe->ends[1] = -1;
}

/* It is empty. */
static void pipe_give(struct proxy *proxy, struct pipe *pipe)
{
	if (proxy->pipe_count == PROXY_PIPES_MAX) {
		pipe_close(pipe);
		return;
	}
	proxy->pipes[proxy->pipe_count++] = *pipe;
	pipe->ends[0] = pipe->ends[1] = -1;
}

/* --- pairs ---------------------------------------------------------------------------------------
 */

static void link_pair(struct pair **list, struct pair *pair)
{
	pair->previous = NULL;
	pair->next = *list;
	if (*list)
		(*list)->previous = pair;
	*list = pair;
}

static void unlink_pair(struct pair **list, struct pair *pair)
{
	if (pair->previous)
		pair->previous->next = pair->next;
	else
		*list = pair->next;
	if (pair->next)
		pair->next->previous = pair->previous;
}

static void close_source(struct loop *loop, struct loop_source *source)
{
	if (source->fd < 0)
		return;
	loop_remove(loop, source);
	close(source->fd);
	source->fd = -1;
}

/* Takes the pair from its gateway. */
static void leave_backend(struct pair *pair)
{
	dial_stop(&pair->dial);
	if (!MUTANT(HOSTS_SOCKET_NOT_CLOSED) || !pair->down.ended)
		close_source(pair->proxy->loop, &pair->gateway);
	if (!pair->backend)
		return;
	unlink_pair(&pair->backend->pairs, pair);
	pair->backend->pair_count--;
	pair->backend = NULL;
}

void pair_close(struct pair *pair)
{
	struct proxy *proxy = pair->proxy;

	if (pair->state == PAIR_REFUSED) {
		unlink_pair(&proxy->refused, pair);
		proxy->refused_count--;
	} else {
		leave_backend(pair);
		proxy->pair_count--;
	}
	close_source(proxy->loop, &pair->client);
	if (MUTANT(HOSTS_PIPE_WITH_BYTES) && pair->up.held > 0)
		pipe_give(proxy, &pair->up.pipe);
	pipe_close(&pair->up.pipe);
	pipe_close(&pair->down.pipe);
	free(pair);
}

/* One that was not added is added: a source that broke and had nothing to do was taken away. */
static bool want(struct loop *loop, struct loop_source *source, uint32_t events)
{
	struct error err;

	if (source->added) {
		loop_change(loop, source, events);
		return true;
	}
	return events == 0 || loop_add(loop, source, events, &err) == 0;
}

/* --- bytes ---------------------------------------------------------------------------------------
 */

/* Moves what can be moved now. False: one of the sockets is broken. */
static bool stream_pump(struct proxy *proxy, struct pair_stream *stream, int from, int to)
{
	ssize_t size;

	if (!stream->ended && stream->held == 0) {
		if (stream->pipe.ends[0] < 0 && !pipe_take(proxy, &stream->pipe))
			return false;
		size = splice(from, NULL, stream->pipe.ends[1], NULL, PIPE_BYTES,
			SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		if (size < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		stream->ended = size == 0;
		stream->held += size > 0 ? (size_t)size : 0;
	}
	while (stream->held > 0) {
		size = splice(stream->pipe.ends[0], NULL, to, NULL, stream->held,
			SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		if (size < 0 && errno == EINTR)
			continue;
		if (size <= 0 && errno != EAGAIN)
			return false;
		if (size <= 0)
			break;
		stream->held -= (size_t)size;
	}
	if (stream->held == 0 && stream->pipe.ends[0] >= 0)
		pipe_give(proxy, &stream->pipe);
	if (stream->ended && stream->held == 0 && !stream->shut) {
		shutdown(to, SHUT_WR);
		stream->shut = true;
	}
	return true;
}

static uint32_t reads(const struct pair_stream *stream)
{
	return !stream->ended && stream->held == 0 ? LOOP_READ : 0;
}

static uint32_t writes(const struct pair_stream *stream)
{
	return stream->held > 0 ? LOOP_WRITE : 0;
}

/* The pair may be gone afterwards. */
static void pair_update(struct pair *pair)
{
	struct loop *loop = pair->proxy->loop;

	if (pair->up.shut && pair->down.shut) {
		pair_close(pair);
		return;
	}
	if (!want(loop, &pair->client, reads(&pair->up) | writes(&pair->down)) ||
		!want(loop, &pair->gateway, reads(&pair->down) | writes(&pair->up)))
		pair_close(pair);
}

/* Broken without an error is closed in both directions: what it has sent may be unread still. */
static bool is_broken(struct loop *loop, struct loop_source *source, uint32_t events)
{
	if (!(events & LOOP_BROKEN))
		return false;
	if (socket_error(source->fd))
		return true;
	if (!(events & (LOOP_READ | LOOP_WRITE)))
		loop_remove(loop, source);
	return false;
}

static void on_gateway(void *context, uint32_t events)
{
	struct pair *pair = context;

	if (is_broken(pair->proxy->loop, &pair->gateway, events) ||
		(events & LOOP_READ && !stream_pump(pair->proxy, &pair->down, pair->gateway.fd,
					       pair->client.fd)) ||
		(events & LOOP_WRITE &&
			!stream_pump(pair->proxy, &pair->up, pair->client.fd, pair->gateway.fd))) {
		pair_close(pair);
		return;
	}
	pair_update(pair);
}

static void on_client(void *context, uint32_t events)
{
	struct pair *pair = context;
	char discarded[DISCARD_BYTES];
	ssize_t size;

	if (pair->state == PAIR_REFUSED) {
		size = recv(pair->client.fd, discarded, sizeof(discarded), 0);
		if (size == 0 || (size < 0 && errno != EAGAIN))
			pair_close(pair);
		return;
	}
	if (pair->state == PAIR_CONNECTING) {
		/* Nothing was asked for: it is gone. */
		pair_close(pair);
		return;
	}
	if (is_broken(pair->proxy->loop, &pair->client, events) ||
		(events & LOOP_READ &&
			!stream_pump(pair->proxy, &pair->up, pair->client.fd, pair->gateway.fd)) ||
		(events & LOOP_WRITE && !stream_pump(pair->proxy, &pair->down, pair->gateway.fd,
						pair->client.fd))) {
		pair_close(pair);
		return;
	}
	pair_update(pair);
}

/* --- beginnings ----------------------------------------------------------------------------------
 */

static void on_gateway_up(void *context, int fd);
static void on_gateway_failed(void *context, int number);

/* To the best gateway there is; the pair may be gone, or refused, afterwards. */
static void pair_connect(struct pair *pair)
{
	static const struct dial_handler handler = {on_gateway_up, on_gateway_failed};
	struct proxy *proxy = pair->proxy;
	struct backend *backend = backend_choose(proxy);
	int client;

	if (backend) {
		pair->backend = backend;
		link_pair(&backend->pairs, pair);
		backend->pair_count++;
		/* Without a timer: it is closed with its gateway, which is asked for its health. */
		pair->dial = (struct dial){.loop = proxy->loop,
			.resolver = &backend->resolver,
			.handler = &handler,
			.context = pair};
		dial_now(&pair->dial);
		return;
	}
	client = dup(pair->client.fd);
	pair_close(pair);
	if (client >= 0)
		pair_refuse(proxy, client, "no gateway is up: try again later");
}

static void on_gateway_up(void *context, int fd)
{
	struct pair *pair = context;

	pair->gateway = (struct loop_source){.fd = fd, .fn = on_gateway, .context = pair};
	pair->state = PAIR_OPEN;
	pair_update(pair);
}

static void on_gateway_failed(void *context, int number)
{
	struct pair *pair = context;
	struct backend *backend = pair->backend;

	if (number == EMFILE || number == ENFILE) {
		log_event(pair->proxy->name, LOG_CONNECT_FAILED,
			LOG_FIELDS(LOG_TEXT("reason", strerror(number))));
		pair_close(pair);
		return;
	}
	/* The client has not said a word yet: another gateway will do. */
	leave_backend(pair);
	backend_down(backend, "a connection was refused");
	pair_connect(pair);
}

static struct pair *new_pair(struct proxy *proxy, int client, enum pair_state state)
{
	struct pair *pair = memory_zalloc(sizeof(*pair));
	struct error err;

	pair->proxy = proxy;
	pair->state = state;
	pair->client = (struct loop_source){.fd = client, .fn = on_client, .context = pair};
	pair->gateway.fd = -1;
	pair->up.pipe = pair->down.pipe = (struct pipe){{-1, -1}};
	if (loop_add(proxy->loop, &pair->client, state == PAIR_REFUSED ? LOOP_READ : 0, &err)) {
		log_event(proxy->name, LOG_CONNECTION_REFUSED,
			LOG_FIELDS(LOG_TEXT("reason", err.message)));
		close(client);
		free(pair);
		return NULL;
	}
	return pair;
}

void pair_new(struct proxy *proxy, int client)
{
	struct pair *pair = new_pair(proxy, client, PAIR_CONNECTING);

	if (!pair)
		return;
	proxy->pair_count++;
	pair_connect(pair);
}

void pair_refuse(struct proxy *proxy, int client, const char *why)
{
	struct wire_message message = {.type = WIRE_ERROR,
		.error = {.class = WIRE_ERROR_RETRY, .code = ERROR_IO, .text = why}};
	struct pair *pair;
	struct buf frame;

	if (proxy->refused_count >= PROXY_REFUSED_MAX) {
		close(client);
		return;
	}
	pair = new_pair(proxy, client, PAIR_REFUSED);
	if (!pair)
		return;
	buf_init(&frame, WIRE_FRAME_SMALL_MAX);
	wire_encode(&message, &frame);
	/* The first bytes on a fresh connection: they fit. */
	if (send(client, frame.data, frame.size, MSG_NOSIGNAL) >= 0)
		shutdown(client, SHUT_WR);
	buf_release(&frame);
	pair->due_ms = loop_now(proxy->loop) + LINGER_MS;
	link_pair(&proxy->refused, pair);
	proxy->refused_count++;
}
