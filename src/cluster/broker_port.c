#include "cluster/broker_port.h"

#include "base/random.h"
#include "net/dial.h"
#include "net/socket.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Below the ports that the system gives to outgoing connections, one of which could take it. */
#define PORT_FIRST     20000
#define PORT_COUNT     12000
#define CONNECT_MS_MAX 5000

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

uint16_t broker_port_pick(void)
{
	for (;;) {
		uint32_t random;
		uint16_t port;

		if (random_bytes(&random, sizeof(random)))
			abort();
		port = (uint16_t)(PORT_FIRST + random % PORT_COUNT);
		if (broker_port_is_free(port))
			return port;
	}
}

int broker_port_connect(uint16_t port)
{
	struct net_address address = loopback(port);

	return dial_wait(&address, CONNECT_MS_MAX);
}

/* A greeting of AMQP 0-9-1 is answered with a frame of channel 0. */
bool broker_port_speaks_amqp(uint16_t port)
{
	static const char greeting[8] = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};
	int fd = broker_port_connect(port);
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	char answer[8];
	bool speaks;

	if (fd < 0)
		return false;
	speaks = send(fd, greeting, sizeof(greeting), MSG_NOSIGNAL) == sizeof(greeting) &&
		 poll(&wait, 1, 1000) == 1 && recv(fd, answer, sizeof(answer), 0) > 0 &&
		 answer[0] == 1;
	close(fd);
	return speaks;
}
