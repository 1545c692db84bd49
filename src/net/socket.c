#include "net/socket.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define LISTEN_QUEUE 1024
/* A peer that vanished without a word is noticed after half a minute or so. */
#define KEEPALIVE_IDLE_S     15
#define KEEPALIVE_INTERVAL_S 5
#define KEEPALIVE_PROBES     3
#define UNANSWERED_MS	     30000

static void tune(int fd)
{
	int yes = 1, idle = KEEPALIVE_IDLE_S, interval = KEEPALIVE_INTERVAL_S;
	int probes = KEEPALIVE_PROBES;
	unsigned unanswered = UNANSWERED_MS;

	/* None of them is vital. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered, sizeof(unanswered));
}

static int resolve(
	const struct net_address *address, bool passive, struct addrinfo **out, struct error *err)
{
	struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0),
	};
	char port[8];
	int status;

	snprintf(port, sizeof(port), "%u", (unsigned)address->port);
	status = getaddrinfo(address->host, port, &hints, out);
	if (status)
		return error_set(err, ERROR_IO, "cannot find the host %s: %s", address->host,
			gai_strerror(status));
	return 0;
}

static int listen_on(const struct addrinfo *info)
{
	int fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int yes = 1, number;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, LISTEN_QUEUE) == 0)
		return fd;
	number = errno;
	close(fd);
	errno = number;
	return -1;
}

int socket_listen(const struct net_address *address, int *fd, struct error *err)
{
	char text[NET_ADDRESS_TEXT];
	struct addrinfo *list;
	int number = 0;

	if (resolve(address, true, &list, err))
		return -1;
	*fd = -1;
	for (struct addrinfo *info = list; info && *fd < 0; info = info->ai_next) {
		*fd = listen_on(info);
		number = errno;
	}
	freeaddrinfo(list);
	if (*fd >= 0)
		return 0;
	net_address_format(address, text);
	return error_set(err, ERROR_IO, "cannot listen on %s: %s%s", text, strerror(number),
		number == EADDRINUSE ? "; another process does (ss -ltnp shows which)" : "");
}

int socket_accept(int listener)
{
	int fd;

	do
		fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
	if (fd >= 0)
		tune(fd);
	return fd;
}

bool socket_target_numeric(const struct net_address *address, struct socket_target *target)
{
	struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | AI_NUMERICHOST};
	struct addrinfo *list;
	char port[8];

	snprintf(port, sizeof(port), "%u", (unsigned)address->port);
	if (getaddrinfo(address->host, port, &hints, &list))
		return false;
	memcpy(&target->address, list->ai_addr, list->ai_addrlen);
	target->size = list->ai_addrlen;
	freeaddrinfo(list);
	return true;
}

static int connect_address(const struct sockaddr *address, socklen_t size)
{
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int number;

	if (fd < 0)
		return -1;
	if (connect(fd, address, size) && errno != EINPROGRESS) {
		number = errno;
		close(fd);
		errno = number;
		return -1;
	}
	tune(fd);
	return fd;
}

int socket_connect_to(const struct socket_target *target)
{
	return connect_address((const struct sockaddr *)&target->address, target->size);
}

int socket_connect(const struct net_address *address, int *fd, struct error *err)
{
	char text[NET_ADDRESS_TEXT];
	struct addrinfo *list;
	int number = 0;

	if (resolve(address, false, &list, err))
		return -1;
	*fd = -1;
	for (struct addrinfo *info = list; info && *fd < 0; info = info->ai_next) {
		*fd = connect_address(info->ai_addr, info->ai_addrlen);
		number = errno;
	}
	freeaddrinfo(list);
	net_address_format(address, text);
	if (*fd < 0)
		return error_set(err, ERROR_IO, "cannot connect to %s: %s", text, strerror(number));
	tune(*fd);
	return 0;
}

int socket_error(int fd)
{
	int number = 0;
	socklen_t size = sizeof(number);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &number, &size))
		return errno;
	return number;
}

uint64_t socket_raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) && getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	return limit.rlim_cur;
}
