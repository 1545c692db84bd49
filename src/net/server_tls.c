/* The server's connections that speak TLS, which their first byte tells. */
#include "net/server_private.h"

#include "base/log.h"
#include "net/socket.h"

#include <errno.h>
#include <sys/socket.h>

static void refresh(struct server *server)
{
	struct error err;
	bool changed;

	if (tls_context_refresh(server->tls, loop_now(server->loop), &changed, &err))
		log_event(server->component, LOG_TLS_FILES_BAD,
			LOG_FIELDS(LOG_TEXT("reason", err.message)));
	else if (changed)
		log_event(server->component, LOG_TLS_FILES_READ, NULL);
}

/* False: it has said nothing yet. */
static bool greet(struct connection *c)
{
	uint8_t first;
	ssize_t got = recv(c->source.fd, &first, 1, MSG_PEEK);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	c->greeted = true;
	/* An end or an error is read_frame's to find. */
	if (got == 1 && tls_is_first_byte(first)) {
		refresh(c->server);
		c->tls = tls_accept(c->server->tls, c->source.fd);
		c->in.tls = c->tls;
		c->out.tls = c->tls;
	}
	return true;
}

bool connection_is_secured(struct connection *c)
{
	char from[NET_ADDRESS_TEXT];
	struct error err;

	if (!c->server->tls)
		return true;
	if (!c->greeted && !greet(c))
		return false;
	if (!c->tls || tls_is_up(c->tls))
		return true;
	switch (tls_handshake(c->tls, &err)) {
	case TLS_DONE: return true;
	case TLS_WAITS: break;
	case TLS_FAILED:
		socket_peer_text(c->source.fd, from, sizeof(from));
		log_event(c->server->component, LOG_CLIENT_TURNED_AWAY,
			LOG_FIELDS(LOG_ID("connection", c->id), LOG_TEXT("from", from),
				LOG_TEXT("reason", err.message)));
		connection_break(c);
		break;
	}
	return false;
}

bool connection_must_be_secured(const struct connection *c)
{
	return c->server->tls && !c->tls && c->in.header[0] != WIRE_HEALTH;
}

bool connection_has_more(const struct connection *c)
{
	return c->state == CONNECTION_OPEN && !c->blocked && c->tls && tls_has_more(c->tls);
}

void connection_resume(struct connection *c)
{
	if (connection_has_more(c))
		loop_timer_set(c->server->loop, &c->server->resume, 0);
}

void server_resume(void *context)
{
	struct server *server = context;

	for (uint32_t i = 0; i < server->slot_count; i++) {
		struct connection *c = server->slots[i];

		if (c && connection_has_more(c))
			connection_read(c);
	}
}
