#include "cluster/ping.h"

#include "net/socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WORD	       "ping"
#define WORD_SIZE      (sizeof(WORD) - 1)
#define DATAGRAM_MAX   64u
#define ANSWERS_A_TURN 64u
#define LINE_MAX_BYTES 64

static void on_datagrams(void *context, uint32_t events)
{
	struct ping *ping = context;
	struct sockaddr_storage from;
	char text[DATAGRAM_MAX];

	(void)events;
	for (uint32_t i = 0; i < ANSWERS_A_TURN; i++) {
		socklen_t from_size = sizeof(from);
		ssize_t size = recvfrom(ping->datagrams.fd, text, sizeof(text), 0,
			(struct sockaddr *)&from, &from_size);

		if (size < 0)
			return;
		if ((size_t)size < WORD_SIZE || memcmp(text, WORD, WORD_SIZE) != 0)
			continue;
		text[1] = 'o';
		/* Whoever does not hear it asks again. */
		(void)!sendto(ping->datagrams.fd, text, (size_t)size, MSG_NOSIGNAL,
			(struct sockaddr *)&from, from_size);
	}
}

static void on_connection(void *context, int fd)
{
	struct ping *ping = context;
	char line[LINE_MAX_BYTES];
	int size = snprintf(line, sizeof(line), "pong %s\n", ping->node);

	(void)!send(fd, line, (size_t)size, MSG_NOSIGNAL);
	close(fd);
}

int ping_open(struct ping *ping, struct loop *loop, const struct config *config,
	enum node_kind kind, uint32_t index, const char *node, struct error *err)
{
	struct net_address address;

	if (config->cluster.ping == 0 || index >= config_replicas(config, kind))
		return 0;
	address = config_listen_at(&config->health[kind], index);
	if (address.port + config->cluster.ping > UINT16_MAX)
		return error_set(err, ERROR_USAGE,
			"%s: [cluster] ping = %u: there is no such port above %u", config->path,
			(unsigned)config->cluster.ping, address.port);
	address.port = (uint16_t)(address.port + config->cluster.ping);
	*ping = (struct ping){.loop = loop,
		.node = node,
		.datagrams = {.fd = -1, .fn = on_datagrams, .context = ping},
		.listener = LISTENER_CLOSED};
	ping->listener.fn = on_connection;
	ping->listener.context = ping;
	ping->listener.component = node;
	ping->listener.accepts_a_turn = ANSWERS_A_TURN;
	if (socket_datagrams(&address, &ping->datagrams.fd, err) ||
		loop_add(loop, &ping->datagrams, LOOP_READ, err) ||
		listener_open(&ping->listener, loop, &address, err))
		return error_prefix(err, "ping: ");
	return 0;
}

void ping_close(struct ping *ping)
{
	if (!ping->loop)
		return;
	listener_close(&ping->listener);
	if (ping->datagrams.fd >= 0) {
		loop_remove(ping->loop, &ping->datagrams);
		close(ping->datagrams.fd);
	}
	*ping = (struct ping){0};
}
