#include "client/net.h"

#include "base/clock.h"
#include "base/memory.h"
#include "net/dial.h"
#include "net/frame_reader.h"
#include "net/outbox.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TROUBLE_MAX 2048
/* Of one connection in a turn. */
#define MESSAGES_MAX 64
/* A bound; the windows of the session keep it smaller. */
#define OUT_MAX ((size_t)1 << 30)

enum connection_state {
	CONNECTION_CONNECTING,
	CONNECTION_HANDSHAKE, /* of TLS */
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
	struct tls *tls;	   /* NULL: in the clear */
	struct loop_timer
		timer; /* the end of patience with the handshake; then: what TLS has is read */
	struct remote_server *server;
	struct frame_reader in;
	struct outbox out;
};

struct remote_server {
	struct resolver resolver;
	bool tls;
};

struct net {
	struct wire_port port; /* first */
	struct net_handler handler;
	struct loop *loop;
	struct loop_timer reap; /* connections were closed: to be told and freed */
	uint32_t server_count;
	struct remote_server servers[NET_SERVERS_MAX];
	struct tls_context *tls; /* NULL: no server speaks it */
	uint32_t refused; /* connections, one after the other, that certificates have ended */
	uint32_t next_server;
	uint64_t last_number;
	struct net_connection *connections;
	struct frame_pool pool;
	char trouble[TROUBLE_MAX];
};

static struct tls_files tls_files;

void net_use_tls_files(const struct tls_files *files)
{
	tls_files = *files;
}

/* --- servers -------------------------------------------------------------------------------------
 */

static int bad_server(const char *text, size_t size, struct error *err)
{
	return error_set(err, ERROR_USAGE, "\"%.*s\" is not a server: give HOST:PORT",
		(int)(size < 200 ? size : 200), text);
}

static int add_server(struct net *net, const char *text, size_t size, struct error *err)
{
	const size_t scheme = strlen(NET_TLS_SCHEME);
	struct net_address address;
	bool tls = size > scheme && memcmp(text, NET_TLS_SCHEME, scheme) == 0;

	if (tls) {
		text += scheme;
		size -= scheme;
	}
	if (net->server_count == NET_SERVERS_MAX)
		return error_set(err, ERROR_USAGE, "more than %d servers", NET_SERVERS_MAX);
	/* A port alone is for the cluster file: gateways are rarely on the client's machine. */
	if (!memchr(text, ':', size) || !net_address_parse(text, size, &address))
		return bad_server(text, size, err);
	if (tls && !net->tls && tls_client_new(&net->tls, &tls_files, err))
		return -1;
	net->servers[net->server_count].tls = tls;
	resolver_init(&net->servers[net->server_count++].resolver, &address);
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

bool net_is_refused(const struct net *net)
{
	return net->refused >= net->server_count;
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
	loop_timer_cancel(net->loop, &connection->timer);
	loop_timer_set(net->loop, &net->reap, 0);
}

static void break_off(struct net *net, struct net_connection *connection, const char *why)
{
	char text[NET_ADDRESS_TEXT];

	if (connection->tls && tls_is_refused(connection->tls))
		net->refused++;
	net_address_format(&connection->server->resolver.address, text);
	snprintf(net->trouble, sizeof(net->trouble), "%s: %s", text, why);
	shut(connection);
}

static void connection_free(struct net_connection *connection)
{
	shut(connection);
	outbox_release(&connection->out);
	frame_reader_reset(&connection->in);
	tls_free(connection->tls);
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
		resolver_release(&net->servers[i].resolver);
	frame_pool_release(&net->pool);
	tls_context_free(net->tls);
	loop_free(net->loop);
	free(net);
}

static void on_up(void *context, int fd);
static void on_timer(void *context);
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
	connection->in.pool = &net->pool;
	connection->timer = (struct loop_timer){.fn = on_timer, .context = connection};
	connection->next = net->connections;
	net->connections = connection;
	connection->dial = (struct dial){.loop = net->loop,
		.resolver = &connection->server->resolver,
		.handler = &handler,
		.context = connection,
		.patience_ms = NET_CONNECT_MS_MAX};
	dial_now(&connection->dial);
	return connection->number;
}

/* --- bytes ---------------------------------------------------------------------------------------
 */

static void write_some(struct net *net, struct net_connection *connection)
{
	if (outbox_send(&connection->out, connection->source.fd))
		break_off(net, connection, strerror(errno));
	else
		loop_change(net->loop, &connection->source,
			connection->out.size > 0 ? LOOP_READ | LOOP_WRITE : LOOP_READ);
}

static void port_send_lent(struct wire_port *port, uint64_t number, const void *head,
	size_t head_size, const void *body, size_t body_size, struct wire_loan *loan)
{
	struct net *net = (struct net *)port;
	struct net_connection *connection = find(net, number);
	bool is_open = connection && connection->state == CONNECTION_OPEN;

	if (is_open && connection->out.size + head_size + body_size > OUT_MAX) {
		break_off(net, connection, "more than fits in memory waits to be sent");
		is_open = false;
	}
	if (!is_open) {
		if (loan)
			loan->done(loan);
		return;
	}
	outbox_add(&connection->out, head, head_size);
	if (loan)
		outbox_lend(&connection->out, body, body_size, loan);
	write_some(net, connection);
}

static size_t port_unsent(struct wire_port *port, uint64_t number)
{
	const struct net_connection *connection = find((struct net *)port, number);

	return connection ? connection->out.size : 0;
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

static void hand_over(struct net *net, struct net_connection *connection)
{
	struct frame frame = frame_reader_take(&connection->in);

	net->handler.on_message(net->handler.context, connection->number, frame.bytes, frame.size);
	frame_release(&frame, &net->pool);
}

static void read_some(struct net *net, struct net_connection *connection)
{
	enum frame_progress progress = FRAME_SOME;
	struct error err;

	for (uint32_t count = 0; count < MESSAGES_MAX && connection->state == CONNECTION_OPEN;) {
		progress = frame_reader_receive(&connection->in, connection->source.fd, &err);
		if (progress == FRAME_WHOLE) {
			net->refused = 0;
			hand_over(net, connection);
			count++;
		} else if (progress == FRAME_BAD) {
			break_off(net, connection, err.message);
		} else if (progress == FRAME_END) {
			break_off(net, connection,
				errno == EPROTO && connection->tls ? tls_trouble(connection->tls)
				: errno				   ? strerror(errno)
					: "the gateway closed the connection");
		} else if (progress == FRAME_NOTHING) {
			return;
		}
	}
	/* The socket will not say that TLS has more. */
	if (connection->state == CONNECTION_OPEN && connection->tls &&
		tls_has_more(connection->tls))
		loop_timer_set(net->loop, &connection->timer, 0);
}

static void open_connection(struct net_connection *connection)
{
	struct net *net = connection->net;

	connection->state = CONNECTION_OPEN;
	connection->was_open = true;
	net->handler.on_open(net->handler.context, connection->number);
}

static void shake_hands(struct net_connection *connection)
{
	struct net *net = connection->net;
	struct error err;

	switch (tls_handshake(connection->tls, &err)) {
	case TLS_DONE:
		loop_timer_cancel(net->loop, &connection->timer);
		loop_change(net->loop, &connection->source, LOOP_READ);
		connection->in.tls = connection->tls;
		connection->out.tls = connection->tls;
		open_connection(connection);
		break;
	case TLS_WAITS:
		loop_change(net->loop, &connection->source,
			tls_waits_to_write(connection->tls) ? LOOP_WRITE : LOOP_READ);
		break;
	case TLS_FAILED: break_off(net, connection, err.message); break;
	}
}

static void on_timer(void *context)
{
	struct net_connection *connection = context;

	if (connection->state == CONNECTION_HANDSHAKE)
		break_off(connection->net, connection, "no answer to a TLS handshake");
	else if (connection->state == CONNECTION_OPEN)
		read_some(connection->net, connection);
}

static void on_socket(void *context, uint32_t events)
{
	struct net_connection *connection = context;

	if (connection->state == CONNECTION_HANDSHAKE) {
		shake_hands(connection);
		return;
	}
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
	if (!connection->server->tls) {
		open_connection(connection);
		return;
	}
	connection->state = CONNECTION_HANDSHAKE;
	connection->tls = tls_connect(net->tls, fd, connection->server->resolver.address.host);
	loop_timer_set(net->loop, &connection->timer, NET_CONNECT_MS_MAX);
	shake_hands(connection);
}

static void on_failed(void *context, int number)
{
	struct net_connection *connection = context;
	const struct resolver *server = &connection->server->resolver;

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
