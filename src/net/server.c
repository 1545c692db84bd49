#include "net/server_private.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "net/socket.h"
#include "wire/message.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS_DEFAULT   1024u
#define MEMORY_DEFAULT	      (256ull << 20)
#define BACKLOG_DEFAULT	      (64ull << 20)
#define SEND_DEFAULT	      (128ull << 20)
#define FIRST_MS_DEFAULT      10000u
#define FRAME_MS_DEFAULT      30000u
#define SILENT_MS_DEFAULT     600000u
#define SEND_MS_DEFAULT	      30000u
#define PRIVILEGED_MS_DEFAULT 3000u
#define BYTES_A_MS_MIN	      64u

/* Beside connections_max: those that are told that there are too many. */
#define REFUSED_MAX    64u
#define LINGER_MS      2000u
#define RECORDS_A_TURN 16u
#define SPEAK_TLS      "this cluster speaks TLS: give --tls, or tls://HOST:PORT as the server"
#define DISCARD_BYTES  (64u << 10)
#define ACCEPTS_A_TURN 64

static void update_connection(struct connection *c);

/* --- numbers of connections ----------------------------------------------------------------------
 */

/*
 * Slot in the lower half, and in the upper one how many there were before: never the same twice in
 * billions, and never 0, which is nobody.
 */
static uint64_t make_id(struct server *server, uint32_t slot)
{
	if (server->generation == UINT32_MAX)
		server->generation = 0;
	return (uint64_t)++server->generation << 32 | slot;
}

struct connection *server_find(const struct server *server, uint64_t id)
{
	uint32_t slot = (uint32_t)id;
	struct connection *c = slot < server->slot_count ? server->slots[slot] : NULL;

	return c && c->id == id ? c : NULL;
}

uint64_t server_peer(const struct server *server, uint64_t connection)
{
	const struct connection *c = server_find(server, connection);

	return c ? socket_peer(c->source.fd) : 0;
}

void server_peer_text(const struct server *server, uint64_t connection, char *out, size_t size)
{
	const struct connection *c = server_find(server, connection);

	*out = '\0';
	if (c)
		socket_peer_text(c->source.fd, out, size);
}

uint32_t server_connections(const struct server *server)
{
	return server->open_count + server->refused_count;
}

uint64_t server_kept(const struct server *server)
{
	return server->kept;
}

uint64_t server_memory(const struct server *server)
{
	return server->pool.memory + server->memory_out;
}

/* --- the end of a connection ---------------------------------------------------------------------
 */

void connection_free(struct connection *c)
{
	struct server *server = c->server;

	loop_remove(server->loop, &c->source);
	close(c->source.fd);
	server->blocked_count -= c->blocked;
	frame_reader_reset(&c->in);
	server->memory_out -= c->out.memory;
	outbox_release(&c->out);
	tls_free(c->tls);
	if (c->refused)
		server->refused_count--;
	else
		server->open_count--;
	if (server->privileged == c->id)
		server->privileged = 0;
	server->slots[(uint32_t)c->id] = NULL;
	free(c);
}

/* To be told to the handler and closed, but not now: we may be inside one of its calls. */
void connection_break(struct connection *c)
{
	if (c->state == CONNECTION_OPEN)
		c->state = CONNECTION_BROKEN;
	loop_timer_set(c->server->loop, &c->server->reap, 0);
}

static void end_connection(struct connection *c)
{
	c->state = CONNECTION_ENDING;
	frame_reader_reset(&c->in);
	update_connection(c);
	c->due_ms = loop_now(c->server->loop) + LINGER_MS;
}

static void queue(struct connection *c, const void *bytes, size_t size);

static void queue_error(struct connection *c, enum wire_error_class class, const char *text)
{
	struct wire_message message = {.type = WIRE_ERROR,
		.error = {.class = (uint8_t) class, .code = ERROR_LIMIT, .text = text}};
	struct buf frame;

	buf_init(&frame, WIRE_FRAME_SMALL_MAX);
	wire_encode(&message, &frame);
	queue(c, frame.data, frame.size);
	buf_release(&frame);
}

/* Our own decision: the peer learns why, the handler that it is over. From the loop only. */
void connection_expel(struct connection *c, enum wire_error_class class, const char *why)
{
	struct server *server = c->server;

	log_event(server->component, LOG_CONNECTION_CLOSED,
		LOG_FIELDS(LOG_ID("connection", c->id), LOG_TEXT("reason", why)));
	metric_add(METRIC_CLIENTS_EXPELLED, 1);
	queue_error(c, class, why);
	if (c->state == CONNECTION_BROKEN) {
		loop_timer_set(server->loop, &server->reap, 0);
		return;
	}
	end_connection(c);
	server->handler.on_closed(server->handler.context, c->id);
}

static void on_reap(void *context)
{
	struct server *server = context;

	for (uint32_t i = 0; i < server->slot_count; i++) {
		struct connection *c = server->slots[i];
		uint64_t id;
		bool dropped;

		if (!c || c->state != CONNECTION_BROKEN)
			continue;
		id = c->id;
		dropped = c->dropped;
		connection_free(c);
		if (!dropped)
			server->handler.on_closed(server->handler.context, id);
	}
	server_update(server);
}

/* --- out -----------------------------------------------------------------------------------------
 */

/* Sends what the socket takes. False: the connection is gone. */
static bool flush(struct connection *c)
{
	size_t size = c->out.size, memory = c->out.memory;
	bool stands;

	/* Nothing leaves before the handshake is over: what is said to who has not made it, nobody hears. */
	if (c->tls && !tls_is_up(c->tls)) {
		if (c->state == CONNECTION_ENDING)
			outbox_release(&c->out);
		c->server->memory_out -= memory - c->out.memory;
		return true;
	}
	stands = outbox_send(&c->out, c->source.fd) == 0;

	if (c->out.size < size)
		c->out_ms = loop_now(c->server->loop);
	c->server->memory_out -= memory - c->out.memory;
	return stands;
}

static void queue(struct connection *c, const void *bytes, size_t size)
{
	size_t memory = c->out.memory;

	if (c->out.size == 0)
		c->out_ms = loop_now(c->server->loop);
	outbox_add(&c->out, bytes, size);
	c->server->memory_out += c->out.memory - memory;
}

void server_send(struct server *server, uint64_t connection, const void *bytes, size_t size)
{
	struct connection *c = server_find(server, connection);

	if (!c || c->state != CONNECTION_OPEN)
		return;
	if (c->out.size + size > server->limits.send_max) {
		log_event(server->component, LOG_CONNECTION_CLOSED,
			LOG_FIELDS(LOG_ID("connection", connection),
				LOG_TEXT("reason", "it does not read what it asked for")));
		metric_add(METRIC_CLIENTS_EXPELLED, 1);
		connection_break(c);
		return;
	}
	queue(c, bytes, size);
	if (flush(c))
		update_connection(c);
	else
		connection_break(c);
}

void server_drop(struct server *server, uint64_t connection)
{
	struct connection *c = server_find(server, connection);

	if (!c || c->state == CONNECTION_ENDING)
		return;
	c->dropped = true;
	if (c->state == CONNECTION_OPEN)
		end_connection(c);
}

/*
 * What we have to say has left: our side is shut, and the peer's bytes are thrown away until it
 * closes, too. A close with bytes unread would be a reset, and could overtake our last message.
 */
static void finish_ending(struct connection *c, bool readable)
{
	static char discarded[DISCARD_BYTES];
	ssize_t size;

	if (!flush(c)) {
		connection_free(c);
		return;
	}
	if (c->out.size == 0 && !c->shut) {
		if (c->tls)
			tls_shut(c->tls);
		shutdown(c->source.fd, SHUT_WR);
		c->shut = true;
	}
	if (!readable) {
		update_connection(c);
		return;
	}
	size = recv(c->source.fd, discarded, sizeof(discarded), 0);
	if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
		connection_free(c);
	else
		update_connection(c);
}

/* --- what is read, and when ----------------------------------------------------------------------
 */

bool server_over_memory(const struct server *server)
{
	return server_memory(server) > server->limits.memory_max;
}

static bool over_backlog(const struct server *server)
{
	return server->handler.backlog &&
	       server->handler.backlog(server->handler.context) > server->limits.backlog_max;
}

/* HELLO and HEALTH are small, and who asks for health wants to know now. */
static bool is_light(uint8_t type)
{
	return type == WIRE_HELLO || type == WIRE_HEALTH;
}

static bool must_wait(struct connection *c)
{
	struct server *server = c->server;

	if (!server->taking || c->out.size > SERVER_SEND_PAUSE)
		return true;
	if (c->in.size == 0 || is_light(c->in.header[0]))
		return false;
	if (server_over_memory(server) && server->privileged != c->id) {
		if (server_find(server, server->privileged))
			return true;
		server->privileged = c->id;
		server->privileged_got = c->in.got;
		server->privileged_ms = loop_now(server->loop);
		server->turn = (uint32_t)c->id + 1;
	}
	return c->in.header[0] == WIRE_BATCH && (c->kept > SERVER_KEPT_MAX || over_backlog(server));
}

/* Asks the loop for what the connection needs now. */
static void update_connection(struct connection *c)
{
	struct server *server = c->server;
	uint64_t now_ms = loop_now(server->loop);
	bool wait = c->state == CONNECTION_OPEN && must_wait(c);
	uint32_t events = 0;

	if (c->state == CONNECTION_BROKEN)
		return;
	if (wait && !c->blocked)
		c->blocked_ms = now_ms;
	if (!wait && c->blocked) {
		c->due_ms += now_ms - c->blocked_ms; /* time that we took */
		connection_resume(c);
	}
	server->blocked_count += (uint32_t)wait - (uint32_t)c->blocked;
	c->blocked = wait;
	if (!wait)
		events |= LOOP_READ;
	if (c->tls && !tls_is_up(c->tls))
		events |= tls_waits_to_write(c->tls) || c->state == CONNECTION_ENDING ? LOOP_WRITE
										      : 0;
	else if (c->out.size > 0 || (c->state == CONNECTION_ENDING && !c->shut))
		events |= LOOP_WRITE;
	loop_change(server->loop, &c->source, events);
}

void server_update(struct server *server)
{
	uint32_t count = server->slot_count, turn = server->turn;

	for (uint32_t i = 0; i < count && server->blocked_count > 0; i++) {
		struct connection *c = server->slots[(turn + i) % count];

		if (c && c->blocked)
			update_connection(c);
	}
}

/* --- in ------------------------------------------------------------------------------------------
 */

/* The header is there, or a part of it: how long may the frame take? */
static void note_header(struct connection *c, bool first)
{
	struct server *server = c->server;
	uint64_t due_ms = loop_now(server->loop) + server->limits.frame_ms;

	/* A first frame has its own time. */
	if (first && c->due_ms > due_ms)
		c->due_ms = due_ms;
	c->due_ms += c->in.size / BYTES_A_MS_MIN;
}

/* A frame that the handler has not done with. */
struct kept_frame {
	struct wire_loan loan; /* first */
	struct server *server;
	uint64_t connection;
	struct frame frame;
};

static void give_back(struct wire_loan *loan)
{
	struct kept_frame *kept = (struct kept_frame *)loan;
	struct server *server = kept->server;
	struct connection *c = server_find(server, kept->connection);

	assert(server->kept >= kept->frame.size);
	server->kept -= kept->frame.size;
	if (c)
		c->kept -= kept->frame.size;
	frame_release(&kept->frame, &server->pool);
	free(kept);
	server_update(server);
}

struct wire_loan *server_keep(struct server *server)
{
	struct kept_frame *kept = memory_alloc(sizeof(*kept));
	struct connection *c = server_find(server, server->at_hand_of);

	/* Once, and of one that has bytes of its own. */
	assert(server->at_hand && server->at_hand->buffer.bytes && c);
	*kept = (struct kept_frame){.loan = {.done = give_back},
		.server = server,
		.connection = c->id,
		.frame = *server->at_hand};
	server->at_hand->buffer = (struct frame_buffer){0};
	server->kept += kept->frame.size;
	c->kept += kept->frame.size;
	return &kept->loan;
}

static void hand_over(struct connection *c)
{
	struct server *server = c->server;
	/* The handler may drop the connection: the bytes are ours until it returns. */
	struct frame frame = frame_reader_take(&c->in);
	uint64_t id = c->id;

	c->due_ms = loop_now(server->loop) + server->limits.silent_ms;
	if (server->privileged == id)
		server->privileged = 0;
	server->at_hand = &frame;
	server->at_hand_of = id;
	server->handler.on_frame(server->handler.context, id, frame.bytes, frame.size);
	server->at_hand = NULL;
	frame_release(&frame, &server->pool);
	/* It may have been freed by nobody: that happens in the loop only. */
	assert(server_find(server, id) == c);
	update_connection(c);
	server_update(server);
}

static enum frame_progress read_header(struct connection *c, struct error *err)
{
	bool first = c->in.got == 0;
	enum frame_progress progress = frame_reader_receive(&c->in, c->source.fd, err);

	if (c->in.got > 0)
		note_header(c, first);
	return progress;
}

static void read_frame(struct connection *c)
{
	enum frame_progress progress = FRAME_HEADER;
	struct error err;

	if (c->in.got < WIRE_HEADER_SIZE)
		progress = read_header(c, &err);
	if (c->in.got >= WIRE_HEADER_SIZE && connection_must_be_secured(c)) {
		connection_expel(c, WIRE_ERROR_CONNECTION, SPEAK_TLS);
		return;
	}
	/* What the frame is decides whether it is read on now. */
	if (progress == FRAME_HEADER) {
		update_connection(c);
		if (c->blocked)
			return;
		progress = frame_reader_receive(&c->in, c->source.fd, &err);
	}
	if (progress == FRAME_BAD)
		connection_expel(c, WIRE_ERROR_CONNECTION, err.message);
	else if (progress == FRAME_END)
		connection_break(c);
	else if (progress == FRAME_WHOLE)
		hand_over(c);
	else if (server_over_memory(c->server))
		update_connection(c);
}

void connection_read(struct connection *c)
{
	if (!connection_is_secured(c)) {
		update_connection(c);
		return;
	}
	read_frame(c);
	/* A record of TLS is small, and a turn of the loop not free. */
	for (uint32_t i = 1; i < RECORDS_A_TURN && c->in.got > 0 && connection_has_more(c); i++)
		read_frame(c);
	connection_resume(c);
}

static void on_event(void *context, uint32_t events)
{
	struct connection *c = context;

	if (c->state == CONNECTION_ENDING) {
		finish_ending(c, events & (LOOP_READ | LOOP_BROKEN));
		return;
	}
	if (c->state == CONNECTION_OPEN && events & LOOP_WRITE) {
		if (flush(c))
			update_connection(c);
		else
			connection_break(c);
	}
	/* A handshake goes on by whatever the socket is ready for. */
	if (c->state == CONNECTION_OPEN && (events & LOOP_READ || (c->tls && !tls_is_up(c->tls))) &&
		!c->blocked)
		connection_read(c);
	else if (c->state == CONNECTION_OPEN && events & LOOP_BROKEN)
		connection_break(c);
	/* Until it is reaped it is not to wake us. */
	if (c->state == CONNECTION_BROKEN)
		loop_remove(c->server->loop, &c->source);
}

/* --- connections ---------------------------------------------------------------------------------
 */

static struct connection *add_connection(struct server *server, int fd, bool refused)
{
	struct connection *c;
	struct error err;
	uint32_t slot = 0;

	while (slot < server->slot_count && server->slots[slot])
		slot++;
	assert(slot < server->slot_count);
	c = memory_zalloc(sizeof(*c));
	c->server = server;
	c->refused = refused;
	c->source = (struct loop_source){.fd = fd, .fn = on_event, .context = c};
	c->due_ms = loop_now(server->loop) + server->limits.first_ms;
	c->id = make_id(server, slot);
	c->in.pool = &server->pool;
	if (loop_add(server->loop, &c->source, LOOP_READ, &err)) {
		log_event(server->component, LOG_CONNECTION_REFUSED,
			LOG_FIELDS(LOG_TEXT("reason", err.message)));
		close(fd);
		free(c);
		return NULL;
	}
	server->slots[slot] = c;
	if (refused)
		server->refused_count++;
	else
		server->open_count++;
	return c;
}

static void refuse(struct server *server, int fd)
{
	struct connection *c;
	char text[128];

	if (server->refused_count >= REFUSED_MAX) {
		close(fd);
		return;
	}
	c = add_connection(server, fd, true);
	if (!c)
		return;
	snprintf(text, sizeof(text),
		"this gateway has connections_max = %u connections: try another, or later",
		server->limits.connections_max);
	queue_error(c, WIRE_ERROR_RETRY, text);
	end_connection(c);
}

void server_adopt(struct server *server, int fd)
{
	struct connection *c;

	if (server->open_count >= server->limits.connections_max) {
		metric_add(METRIC_CLIENTS_REFUSED, 1);
		refuse(server, fd);
		return;
	}
	c = add_connection(server, fd, false);
	if (!c)
		return;
	metric_add(METRIC_CLIENTS_OPENED, 1);
	server->handler.on_open(server->handler.context, c->id);
}

static void on_connect(void *context, int fd)
{
	server_adopt(context, fd);
}

/* --- the server ----------------------------------------------------------------------------------
 */

static uint64_t or_default(uint64_t value, uint64_t otherwise)
{
	return value ? value : otherwise;
}

struct server *server_new(struct loop *loop, const char *component,
	const struct server_limits *limits, const struct server_handler *handler)
{
	struct server *server = memory_zalloc(sizeof(*server));
	struct server_limits *own = &server->limits;

	*own = *limits;
	own->connections_max = (uint32_t)or_default(own->connections_max, CONNECTIONS_DEFAULT);
	own->memory_max = or_default(own->memory_max, MEMORY_DEFAULT);
	own->backlog_max = or_default(own->backlog_max, BACKLOG_DEFAULT);
	own->send_max = or_default(own->send_max, SEND_DEFAULT);
	own->first_ms = or_default(own->first_ms, FIRST_MS_DEFAULT);
	own->frame_ms = or_default(own->frame_ms, FRAME_MS_DEFAULT);
	own->silent_ms = or_default(own->silent_ms, SILENT_MS_DEFAULT);
	own->send_ms = or_default(own->send_ms, SEND_MS_DEFAULT);
	own->privileged_ms = or_default(own->privileged_ms, PRIVILEGED_MS_DEFAULT);
	server->loop = loop;
	server->component = component;
	server->handler = *handler;
	server->listener = LISTENER_CLOSED;
	server->taking = true;
	server->slot_count = own->connections_max + REFUSED_MAX;
	server->slots = memory_zalloc(server->slot_count * sizeof(struct connection *));
	server->sweep = (struct loop_timer){.fn = server_sweep, .context = server};
	server->reap = (struct loop_timer){.fn = on_reap, .context = server};
	server->resume = (struct loop_timer){.fn = server_resume, .context = server};
	loop_timer_set(loop, &server->sweep, server_sweep_interval(own));
	return server;
}

void server_free(struct server *server)
{
	if (!server)
		return;
	server_stop_taking(server);
	for (uint32_t i = 0; i < server->slot_count; i++)
		if (server->slots[i])
			connection_free(server->slots[i]);
	assert(server_memory(server) == 0 && server->blocked_count == 0);
	loop_timer_cancel(server->loop, &server->sweep);
	loop_timer_cancel(server->loop, &server->reap);
	loop_timer_cancel(server->loop, &server->resume);
	frame_pool_release(&server->pool);
	free(server->slots);
	free(server);
}

void server_use_tls(struct server *server, struct tls_context *tls)
{
	assert(server->listener.source.fd < 0);
	server->tls = tls;
}

int server_listen(struct server *server, const struct net_address *address, struct error *err)
{
	assert(server->listener.source.fd < 0);
	server->listener = (struct listener){.fn = on_connect,
		.context = server,
		.component = server->component,
		.accepts_a_turn = ACCEPTS_A_TURN};
	return listener_open(&server->listener, server->loop, address, err);
}

void server_stop_taking(struct server *server)
{
	server->taking = false;
	listener_close(&server->listener);
	for (uint32_t i = 0; i < server->slot_count; i++)
		if (server->slots[i])
			update_connection(server->slots[i]);
}

void server_dismiss(struct server *server, const char *why)
{
	for (uint32_t i = 0; i < server->slot_count; i++) {
		struct connection *c = server->slots[i];

		if (!c || c->state != CONNECTION_OPEN)
			continue;
		queue_error(c, WIRE_ERROR_RETRY, why);
		end_connection(c);
	}
}
