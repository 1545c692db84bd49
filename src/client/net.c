#include "client/net.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/memory.h"
#include "net/dial.h"
#include "wire/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define TROUBLE_MAX 2048
#define READ_BYTES  (256u << 10)
/* A bound; the windows of the session keep it smaller. */
#define OUT_MAX ((size_t)1 << 30)

/* A message on its way out: its head, and perhaps a body that was lent. */
struct outgoing {
	struct outgoing *next;
	size_t head_size;
	size_t size; /* head and body */
	size_t done;
	char *body;
	struct wire_loan *loan; /* NULL: there is no body */
	char head[];
};

enum connection_state {
	CONNECTION_CONNECTING,
	CONNECTION_OPEN,
	CONNECTION_CLOSED, /* to be freed by the next poll */
};

struct net_connection {
	struct net_connection *next;
	uint64_t number;
	enum connection_state state;
	bool tell; /* the handler hears of its end */
	bool was_open;
	struct net *net;
	struct dial dial;
	struct loop_source source; /* fd -1: it does not stand */
	struct resolver *server;
	struct buf in;
	struct outgoing *out; /* the first to be sent */
	struct outgoing **out_last;
	size_t out_bytes;
};

struct net {
	struct wire_port port; /* first */
	struct net_handler handler;
	struct loop *loop;
	struct loop_timer reap; /* connections were closed: to be told and freed */
	uint32_t server_count;
	struct resolver servers[NET_SERVERS_MAX];
	uint32_t next_server;
	uint64_t last_number;
	struct net_connection *connections;
	char trouble[TROUBLE_MAX];
};

/* --- servers -------------------------------------------------------------------------------------
 */

static int bad_server(const char *text, size_t size, struct error *err)
{
	return error_set(err, ERROR_USAGE, "\"%.*s\" is no server: give HOST:PORT",
		(int)(size < 200 ? size : 200), text);
}

static int add_server(struct net *net, const char *text, size_t size, struct error *err)
{
	struct net_address address;

	if (net->server_count == NET_SERVERS_MAX)
		return error_set(err, ERROR_USAGE, "more than %d servers", NET_SERVERS_MAX);
	/* A port alone is for the cluster file: gateways are rarely on the client's machine. */
	if (!memchr(text, ':', size) || !net_address_parse(text, size, &address))
		return bad_server(text, size, err);
	resolver_init(&net->servers[net->server_count++], &address);
	return 0;
}

static int parse_servers(struct net *net, const char *text, struct error *err)
{
	for (;;) {
		size_t size = strcspn(text, ",");

		if (add_server(net, text, size, err))
			return -1;
		if (text[size] == '\0')
			return 0;
		text += size + 1;
	}
}

static void port_send(struct wire_port *port, uint64_t number, const void *bytes, size_t size);
static void port_send_lent(struct wire_port *port, uint64_t number, const void *head,
	size_t head_size, const void *body, size_t body_size, struct wire_loan *loan);
static size_t port_unsent(struct wire_port *port, uint64_t number);
static void port_drop(struct wire_port *port, uint64_t number);

static void on_reap(void *context);

int net_new(struct net **out, const char *servers, struct error *err)
{
	struct net *net = memory_zalloc(sizeof(*net));

	net->port = (struct wire_port){.send = port_send,
		.drop = port_drop,
		.send_lent = port_send_lent,
		.unsent = port_unsent};
	net->reap = (struct loop_timer){.fn = on_reap, .context = net};
	if (parse_servers(net, servers, err) || loop_new(&net->loop, err)) {
		net_free(net);
		return -1;
	}
	*out = net;
	return 0;
}

void net_set_handler(struct net *net, const struct net_handler *handler)
{
	net->handler = *handler;
}

struct wire_port *net_port(struct net *net)
{
	return &net->port;
}

const char *net_trouble(const struct net *net)
{
	return net->trouble;
}

/* --- connections ---------------------------------------------------------------------------------
 */

static struct net_connection *find(struct net *net, uint64_t number)
{
	struct net_connection *connection = net->connections;

	while (connection && connection->number != number)
		connection = connection->next;
	return connection;
}

static void shut(struct net_connection *connection)
{
	struct net *net = connection->net;

	if (connection->state == CONNECTION_CLOSED)
		return;
	dial_stop(&connection->dial);
	if (connection->source.fd >= 0) {
		loop_remove(net->loop, &connection->source);
		close(connection->source.fd);
	}
	connection->source.fd = -1;
	connection->state = CONNECTION_CLOSED;
	loop_timer_set(net->loop, &net->reap, 0);
}

static void break_off(struct net *net, struct net_connection *connection, const char *why)
{
	char text[NET_ADDRESS_TEXT];

	net_address_format(&connection->server->address, text);
	snprintf(net->trouble, sizeof(net->trouble), "%s: %s", text, why);
	shut(connection);
}

/* --- messages on their way out -------------------------------------------------------------------
 */

static void outgoing_free(struct outgoing *outgoing)
{
	if (outgoing->loan)
		outgoing->loan->done(outgoing->loan);
	free(outgoing);
}

static void drop_first(struct net_connection *connection)
{
	struct outgoing *first = connection->out;

	connection->out = first->next;
	if (!connection->out)
		connection->out_last = &connection->out;
	connection->out_bytes -= first->size;
	outgoing_free(first);
}

static void connection_free(struct net_connection *connection)
{
	shut(connection);
	while (connection->out)
		drop_first(connection);
	buf_release(&connection->in);
	free(connection);
}

void net_free(struct net *net)
{
	if (!net)
		return;
	while (net->connections) {
		struct net_connection *next = net->connections->next;

		connection_free(net->connections);
		net->connections = next;
	}
	for (uint32_t i = 0; i < net->server_count; i++)
		resolver_release(&net->servers[i]);
	loop_free(net->loop);
	free(net);
}

static void on_up(void *context, int fd);
static void on_failed(void *context, int number);

uint64_t net_connect(struct net *net)
{
	static const struct dial_handler handler = {on_up, on_failed};
	struct net_connection *connection = memory_zalloc(sizeof(*connection));

	connection->number = ++net->last_number;
	connection->net = net;
	connection->state = CONNECTION_CONNECTING;
	connection->tell = true;
	connection->source.fd = -1;
	connection->server = &net->servers[net->next_server++ % net->server_count];
	buf_init(&connection->in, WIRE_FRAME_MAX + READ_BYTES);
	connection->out_last = &connection->out;
	connection->next = net->connections;
	net->connections = connection;
	connection->dial = (struct dial){.loop = net->loop,
		.resolver = connection->server,
		.handler = &handler,
		.context = connection,
		.patience_ms = NET_CONNECT_MS_MAX};
	dial_now(&connection->dial);
	return connection->number;
}

/* --- bytes ---------------------------------------------------------------------------------------
 */

static ssize_t send_rest(int fd, struct outgoing *outgoing)
{
	struct iovec parts[2];
	struct msghdr message = {.msg_iov = parts};
	size_t head_done =
		outgoing->done < outgoing->head_size ? outgoing->done : outgoing->head_size;
	size_t body_done = outgoing->done - head_done;

	if (head_done < outgoing->head_size)
		parts[message.msg_iovlen++] =
			(struct iovec){outgoing->head + head_done, outgoing->head_size - head_done};
	if (outgoing->size > outgoing->head_size + body_done)
		parts[message.msg_iovlen++] = (struct iovec){outgoing->body + body_done,
			outgoing->size - outgoing->head_size - body_done};
	return sendmsg(fd, &message, MSG_NOSIGNAL);
}

static void write_some(struct net *net, struct net_connection *connection)
{
	while (connection->out) {
		struct outgoing *first = connection->out;
		ssize_t sent = send_rest(connection->source.fd, first);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			loop_change(net->loop, &connection->source, LOOP_READ | LOOP_WRITE);
			return;
		}
		if (sent < 0) {
			break_off(net, connection, strerror(errno));
			return;
		}
		first->done += (size_t)sent;
		if (first->done == first->size)
			drop_first(connection);
	}
	loop_change(net->loop, &connection->source, LOOP_READ);
}

static void port_send_lent(struct wire_port *port, uint64_t number, const void *head,
	size_t head_size, const void *body, size_t body_size, struct wire_loan *loan)
{
	struct net *net = (struct net *)port;
	struct net_connection *connection = find(net, number);
	bool is_open = connection && connection->state == CONNECTION_OPEN;
	struct outgoing *outgoing;

	if (is_open && connection->out_bytes + head_size + body_size > OUT_MAX) {
		break_off(net, connection, "more than fits in memory waits to be sent");
		is_open = false;
	}
	if (!is_open) {
		if (loan)
			loan->done(loan);
		return;
	}
	outgoing = memory_alloc(sizeof(*outgoing) + head_size);
	*outgoing = (struct outgoing){.head_size = head_size,
		.size = head_size + body_size,
		.body = (char *)body,
		.loan = loan};
	memcpy(outgoing->head, head, head_size);
	*connection->out_last = outgoing;
	connection->out_last = &outgoing->next;
	connection->out_bytes += outgoing->size;
	write_some(net, connection);
}

static size_t port_unsent(struct wire_port *port, uint64_t number)
{
	const struct net_connection *connection = find((struct net *)port, number);

	return connection ? connection->out_bytes : 0;
}

static void port_send(struct wire_port *port, uint64_t number, const void *bytes, size_t size)
{
	port_send_lent(port, number, bytes, size, NULL, 0, NULL);
}

static void port_drop(struct wire_port *port, uint64_t number)
{
	struct net_connection *connection = find((struct net *)port, number);

	if (!connection)
		return;
	connection->tell = false;
	shut(connection);
}

/* Hands out the whole messages that have come. */
static void take_messages(struct net *net, struct net_connection *connection)
{
	struct buf *in = &connection->in;
	size_t done = 0, frame_size;
	struct error err;

	while (connection->state == CONNECTION_OPEN) {
		const uint8_t *at = (const uint8_t *)in->data + done;

		if (wire_frame_size(at, in->size - done, &frame_size, &err)) {
			break_off(net, connection, err.message);
			return;
		}
		if (frame_size == 0 || frame_size > in->size - done)
			break;
		net->handler.on_message(net->handler.context, connection->number, at, frame_size);
		done += frame_size;
	}
	in->size -= done;
	if (done > 0 && in->size > 0)
		memmove(in->data, in->data + done, in->size);
}

static void read_some(struct net *net, struct net_connection *connection)
{
	char *room = buf_reserve(&connection->in, READ_BYTES);
	ssize_t got;

	if (!room) {
		break_off(net, connection, "a message that is too long");
		return;
	}
	got = recv(connection->source.fd, room, READ_BYTES, 0);
	if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
		return;
	if (got <= 0) {
		break_off(net, connection,
			got < 0 ? strerror(errno) : "the gateway closed the connection");
		return;
	}
	connection->in.size += (size_t)got;
	take_messages(net, connection);
}

static void on_socket(void *context, uint32_t events)
{
	struct net_connection *connection = context;

	if (events & LOOP_WRITE)
		write_some(connection->net, connection);
	if (connection->state == CONNECTION_OPEN && events & (LOOP_READ | LOOP_BROKEN))
		read_some(connection->net, connection);
}

static void on_up(void *context, int fd)
{
	struct net_connection *connection = context;
	struct net *net = connection->net;
	struct error err;

	connection->source = (struct loop_source){.fd = fd, .fn = on_socket, .context = connection};
	if (loop_add(net->loop, &connection->source, LOOP_READ, &err)) {
		break_off(net, connection, err.message);
		return;
	}
	connection->state = CONNECTION_OPEN;
	connection->was_open = true;
	net->handler.on_open(net->handler.context, connection->number);
}

static void on_failed(void *context, int number)
{
	struct net_connection *connection = context;
	const struct resolver *server = connection->server;

	if (number == ETIMEDOUT)
		break_off(connection->net, connection, "no answer");
	else if (number == EHOSTUNREACH && server->status != 0)
		break_off(connection->net, connection, resolver_trouble(server));
	else
		break_off(connection->net, connection, strerror(number));
}

/* --- waiting -------------------------------------------------------------------------------------
 */

static void on_reap(void *context)
{
	struct net *net = context;
	struct net_connection **at = &net->connections;

	while (*at) {
		struct net_connection *connection = *at;
		uint64_t number = connection->number;
		bool tell = connection->tell, was_open = connection->was_open;

		if (connection->state != CONNECTION_CLOSED) {
			at = &connection->next;
			continue;
		}
		*at = connection->next;
		connection_free(connection);
		if (!tell)
			continue;
		net->handler.on_closed(net->handler.context, number, was_open);
		at = &net->connections; /* the handler may have changed the list */
	}
}

void net_poll(struct net *net, int timeout_ms)
{
	/* A signal ends it early, which is what the caller wants to know. */
	loop_turn(net->loop, timeout_ms > 0 ? (uint64_t)timeout_ms : 0);
}
