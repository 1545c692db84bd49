#include "cluster/broker_port.h"

#include "base/random.h"
#include "net/dial.h"
#include "net/socket.h"

#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Below the ports that the system gives to outgoing connections, one of which could take it. */
#define PORT_FIRST     20000
#define PORT_COUNT     12000
#define CONNECT_MS_MAX 5000
#define ANSWER_MS_MAX  1000

static struct net_address loopback(uint16_t port)
{
	return (struct net_address){.host = "127.0.0.1", .port = port};
}

bool broker_port_is_free(uint16_t port)
{
	struct net_address address = loopback(port);
	struct error ignored;
	int fd;

	if (socket_listen(&address, &fd, &ignored))
		return false;
	close(fd);
	return true;
}

/* False: it is another's. The kernel forgets such a name with its last descriptor, however that is closed. */
static bool reserve(uint16_t port, int *reservation)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "tamiz-port-%u", port);
	size_t size = offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length;

	*reservation = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*reservation < 0 || bind(*reservation, (struct sockaddr *)&name, (socklen_t)size) == 0)
		return true;
	close(*reservation);
	return false;
}

uint16_t broker_port_pick(int *reservation)
{
	for (;;) {
		uint32_t random;
		uint16_t port;

		if (random_bytes(&random, sizeof(random)))
			abort();
		port = (uint16_t)(PORT_FIRST + random % PORT_COUNT);
		if (!reserve(port, reservation))
			continue;
		if (broker_port_is_free(port))
			return port;
		if (*reservation >= 0)
			close(*reservation);
	}
}

int broker_port_connect(uint16_t port)
{
	struct net_address address = loopback(port);

	return dial_wait(&address, CONNECT_MS_MAX);
}

/* An answer to `size` bytes; what there is of it, up to `answer_size` bytes. */
static ssize_t ask(
	uint16_t port, const void *question, size_t size, void *answer, size_t answer_size)
{
	int fd = broker_port_connect(port);
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	ssize_t got = -1;

	if (fd < 0)
		return -1;
	if (send(fd, question, size, MSG_NOSIGNAL) == (ssize_t)size &&
		poll(&wait, 1, ANSWER_MS_MAX) == 1)
		got = recv(fd, answer, answer_size, 0);
	close(fd);
	return got;
}

/* Requests to an epmd are their length in two bytes, and a letter; names are answered with its port first. */
bool broker_port_is_epmd(uint16_t port)
{
	static const uint8_t names[] = {0, 1, 'n'};
	uint8_t answer[4];

	return ask(port, names, sizeof(names), answer, sizeof(answer)) == sizeof(answer) &&
	       answer[0] == 0 && answer[1] == 0 && (answer[2] << 8 | answer[3]) == port;
}

void broker_port_end_epmd(uint16_t port)
{
	static const uint8_t end[] = {0, 1, 'k'};
	char answer[2];

	if (broker_port_is_epmd(port))
		(void)ask(port, end, sizeof(end), answer, sizeof(answer));
}

/* A greeting of AMQP 0-9-1 is answered with a frame of channel 0. */
bool broker_port_speaks_amqp(uint16_t port)
{
	static const char greeting[8] = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};
	char answer[8];

	return ask(port, greeting, sizeof(greeting), answer, sizeof(answer)) > 0 && answer[0] == 1;
}
