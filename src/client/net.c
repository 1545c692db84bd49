#include "client/net.h"

#include "base/buf.h"
#include "base/memory.h"
#include "wire/message.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define HOST_MAX    256
#define TROUBLE_MAX 2048
#define READ_BYTES  (256u << 10)
#define OUT_MAX	    ((size_t)4 << 30) /* a bound; the windows of the session keep it small */

struct server {
	char host[HOST_MAX];
	char port[16];
};

enum connection_state {
	CONNECTION_CONNECTING,
	CONNECTION_OPEN,
	CONNECTION_CLOSED, /* to be freed by the next poll */
};

struct connection {
	struct connection *next;
	uint64_t number;
	enum connection_state state;
	bool tell; /* the handler hears of its end */
	bool was_open;
	int fd;
	uint64_t started_ms;
	const struct server *server;
	struct buf in;
	struct buf out;
	size_t out_done;
};

struct net {
	struct role_port port; /* first */
	struct net_handler handler;
	uint32_t server_count;
	struct server servers[NET_SERVERS_MAX];
	uint32_t next_server;
	uint64_t last_number;
	struct connection *connections;
	char trouble[TROUBLE_MAX];
};

uint64_t net_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* --- servers -------------------------------------------------------------------------------------
 */

static int bad_server(const char *text, size_t size, struct error *err)
{
	return error_set(err, ERROR_USAGE, "\"%.*s\" is no server: give HOST:PORT",
		(int)(size < 200 ? size : 200), text);
}

static int add_server(struct net *net, const char *text, size_t size, struct error *err)
{
	struct server *server = &net->servers[net->server_count];
	const char *colon = memrchr(text, ':', size);
	size_t host_size = colon ? (size_t)(colon - text) : 0;
	size_t port_size = colon ? size - host_size - 1 : 0;

	if (net->server_count == NET_SERVERS_MAX)
		return error_set(err, ERROR_USAGE, "more than %d servers", NET_SERVERS_MAX);
	if (host_size > 2 && text[0] == '[' && text[host_size - 1] == ']') {
		text++;
		host_size -= 2;
	}
	if (host_size == 0 || host_size >= HOST_MAX || port_size == 0 ||
		port_size >= sizeof(server->port) || strspn(colon + 1, "0123456789") < port_size)
		return bad_server(text, size, err);
	memcpy(server->host, text, host_size);
	memcpy(server->port, colon + 1, port_size);
	net->server_count++;
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

static void port_send(struct role_port *port, uint64_t connection, const void *bytes, size_t size);
static void port_drop(struct role_port *port, uint64_t connection);

int net_new(struct net **out, const char *servers, struct error *err)
{
	struct net *net = memory_zalloc(sizeof(*net));

	net->port = (struct role_port){.send = port_send, .drop = port_drop};
	if (parse_servers(net, servers, err)) {
		free(net);
		return -1;
	}
	*out = net;
	return 0;
}

void net_set_handler(struct net *net, const struct net_handler *handler)
{
	net->handler = *handler;
}

struct role_port *net_port(struct net *net)
{
	return &net->port;
}

const char *net_trouble(const struct net *net)
{
	return net->trouble;
}

/* --- connections ---------------------------------------------------------------------------------
 */

static struct connection *find(struct net *net, uint64_t number)
{
	struct connection *connection = net->connections;

	while (connection && connection->number != number)
		connection = connection->next;
	return connection;
}

static void shut(struct connection *connection)
{
	if (connection->fd >= 0)
		close(connection->fd);
	connection->fd = -1;
	connection->state = CONNECTION_CLOSED;
}

static void break_off(struct net *net, struct connection *connection, const char *why)
{
	snprintf(net->trouble, sizeof(net->trouble), "%s:%s: %s", connection->server->host,
		connection->server->port, why);
	shut(connection);
}

static void connection_free(struct connection *connection)
{
	shut(connection);
	buf_release(&connection->in);
	buf_release(&connection->out);
	free(connection);
}

void net_free(struct net *net)
{
	if (!net)
		return;
	while (net->connections) {
		struct connection *next = net->connections->next;

		connection_free(net->connections);
		net->connections = next;
	}
	free(net);
}

static void start(struct net *net, struct connection *connection)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	const struct server *server = connection->server;
	struct addrinfo *found = NULL;
	int yes = 1;
	int status = getaddrinfo(server->host, server->port, &hints, &found);

	if (status != 0) {
		break_off(net, connection, gai_strerror(status));
		return;
	}
	connection->fd = socket(found->ai_family, found->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
		found->ai_protocol);
	if (connection->fd >= 0)
		setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	if (connection->fd < 0 || (connect(connection->fd, found->ai_addr, found->ai_addrlen) &&
					  errno != EINPROGRESS))
		break_off(net, connection, strerror(errno));
	freeaddrinfo(found);
}

uint64_t net_connect(struct net *net)
{
	struct connection *connection = memory_zalloc(sizeof(*connection));

	connection->number = ++net->last_number;
	connection->state = CONNECTION_CONNECTING;
	connection->tell = true;
	connection->fd = -1;
	connection->started_ms = net_now_ms();
	connection->server = &net->servers[net->next_server++ % net->server_count];
	buf_init(&connection->in, WIRE_FRAME_MAX + READ_BYTES);
	buf_init(&connection->out, OUT_MAX);
	connection->next = net->connections;
	net->connections = connection;
	start(net, connection);
	return connection->number;
}

/* --- bytes ---------------------------------------------------------------------------------------
 */

static void write_some(struct net *net, struct connection *connection)
{
	struct buf *out = &connection->out;

	while (connection->out_done < out->size) {
		ssize_t sent = send(connection->fd, out->data + connection->out_done,
			out->size - connection->out_done, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (sent < 0) {
			break_off(net, connection, strerror(errno));
			return;
		}
		connection->out_done += (size_t)sent;
	}
	buf_clear(out);
	connection->out_done = 0;
}

static void port_send(struct role_port *port, uint64_t number, const void *bytes, size_t size)
{
	struct net *net = (struct net *)port;
	struct connection *connection = find(net, number);
	struct buf *out;

	if (!connection || connection->state != CONNECTION_OPEN)
		return;
	out = &connection->out;
	/* What has gone out makes room at the front before the buffer grows. */
	if (connection->out_done > 0 && out->size + size > out->capacity) {
		out->size -= connection->out_done;
		memmove(out->data, out->data + connection->out_done, out->size);
		connection->out_done = 0;
	}
	buf_append(out, bytes, size);
	if (buf_overflowed(out))
		break_off(net, connection, "more than fits in memory waits to be sent");
	else
		write_some(net, connection);
}

static void port_drop(struct role_port *port, uint64_t number)
{
	struct connection *connection = find((struct net *)port, number);

	if (!connection)
		return;
	connection->tell = false;
	shut(connection);
}

/* Hands out the whole messages that have come. */
static void take_messages(struct net *net, struct connection *connection)
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

static void read_some(struct net *net, struct connection *connection)
{
	char *room = buf_reserve(&connection->in, READ_BYTES);
	ssize_t got;

	if (!room) {
		break_off(net, connection, "a message that is too long");
		return;
	}
	got = recv(connection->fd, room, READ_BYTES, 0);
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

static void finish_connect(struct net *net, struct connection *connection)
{
	int why = 0;
	socklen_t size = sizeof(why);

	if (getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &why, &size) || why) {
		break_off(net, connection, strerror(why ? why : errno));
		return;
	}
	connection->state = CONNECTION_OPEN;
	connection->was_open = true;
	net->handler.on_open(net->handler.context, connection->number);
}

/* --- waiting -------------------------------------------------------------------------------------
 */

static void tell_closed(struct net *net)
{
	struct connection **at = &net->connections;

	while (*at) {
		struct connection *connection = *at;
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

static void serve(struct net *net, struct connection *connection, short events)
{
	if (connection->state == CONNECTION_CONNECTING) {
		if (events)
			finish_connect(net, connection);
		else if (net_now_ms() - connection->started_ms > NET_CONNECT_MS_MAX)
			break_off(net, connection, "no answer");
		return;
	}
	if (connection->state == CONNECTION_OPEN && (events & POLLOUT))
		write_some(net, connection);
	if (connection->state == CONNECTION_OPEN && (events & (POLLIN | POLLERR | POLLHUP)))
		read_some(net, connection);
}

void net_poll(struct net *net, int timeout_ms)
{
	uint32_t count = 0;
	struct connection *connection;
	struct pollfd *fds;
	uint64_t *numbers;

	tell_closed(net);
	for (connection = net->connections; connection; connection = connection->next)
		count++;
	fds = memory_zalloc((count + 1) * sizeof(*fds));
	numbers = memory_zalloc((count + 1) * sizeof(*numbers));
	count = 0;
	for (connection = net->connections; connection; connection = connection->next) {
		bool writes = connection->state == CONNECTION_CONNECTING ||
			      connection->out_done < connection->out.size;

		numbers[count] = connection->number;
		fds[count++] = (struct pollfd){
			connection->fd, (short)(POLLIN | (writes ? POLLOUT : 0)), 0};
	}
	/* A signal ends it early, which is what the caller wants to know. */
	if (poll(fds, count, timeout_ms) >= 0)
		for (uint32_t i = 0; i < count; i++) {
			connection = find(net, numbers[i]);
			if (connection)
				serve(net, connection, fds[i].revents);
		}
	free(fds);
	free(numbers);
	tell_closed(net);
}
