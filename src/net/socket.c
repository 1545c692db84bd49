#include "net/socket.h"

#include "base/hash.h"

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

static int bind_to(const struct net_target *target, int type)
{
	int fd = socket(target->address.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int yes = 1, number;

	if (fd < 0)
		return -1;
	/* Of datagrams two processes would share the address. */
	if (type == SOCK_STREAM)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(fd, (const struct sockaddr *)&target->address, target->size) == 0 &&
		(type != SOCK_STREAM || listen(fd, LISTEN_QUEUE) == 0))
		return fd;
	number = errno;
	close(fd);
	errno = number;
	return -1;
}

static int bind_at(const struct net_address *address, int type, int *fd, struct error *err)
{
	struct net_target targets[RESOLVER_TARGETS_MAX];
	char text[NET_ADDRESS_TEXT];
	int count = resolver_find_own(address, targets, err);
	int number = 0;

	*fd = -1;
	if (count < 0)
		return -1;
	for (int i = 0; i < count && *fd < 0; i++) {
		*fd = bind_to(&targets[i], type);
		number = errno;
	}
	if (*fd >= 0)
		return 0;
	net_address_format(address, text);
	return error_set(err, ERROR_IO, "cannot listen on %s: %s%s", text, strerror(number),
		number == EADDRINUSE ? "; another process listens there (ss -ltnp shows which)"
				     : "");
}

int socket_listen(const struct net_address *address, int *fd, struct error *err)
{
	return bind_at(address, SOCK_STREAM, fd, err);
}

int socket_datagrams(const struct net_address *address, int *fd, struct error *err)
{
	return bind_at(address, SOCK_DGRAM, fd, err);
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

int socket_connect(const struct net_target *target)
{
	int fd = socket(target->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int number;

	if (fd < 0)
		return -1;
	if (connect(fd, (const struct sockaddr *)&target->address, target->size) &&
		errno != EINPROGRESS) {
		number = errno;
		close(fd);
		errno = number;
		return -1;
	}
	tune(fd);
	return fd;
}

int socket_error(int fd)
{
	int number = 0;
	socklen_t size = sizeof(number);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &number, &size))
		return errno;
	return number;
}

uint64_t socket_peer(int fd)
{
	enum { NETWORK_SIZE = 8 };
	struct sockaddr_storage peer = {0};
	socklen_t size = sizeof(peer);
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	uint64_t hash = 0;

	if (getpeername(fd, (struct sockaddr *)&peer, &size))
		return 0;
	memcpy(&v4, &peer, sizeof(v4));
	memcpy(&v6, &peer, sizeof(v6));
	if (peer.ss_family == AF_INET)
		hash = hash_bytes(&v4.sin_addr, sizeof(v4.sin_addr));
	else if (peer.ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr))
		hash = hash_bytes(&v6.sin6_addr.s6_addr[12], sizeof(v4.sin_addr));
	else if (peer.ss_family == AF_INET6)
		hash = hash_bytes(&v6.sin6_addr, NETWORK_SIZE);
	else
		return 0;
	return hash ? hash : 1;
}

void socket_peer_text(int fd, char *out, size_t size)
{
	struct sockaddr_storage peer = {0};
	socklen_t peer_size = sizeof(peer);
	char host[INET6_ADDRSTRLEN], port[8];
	bool is_v6;

	*out = '\0';
	if (getpeername(fd, (struct sockaddr *)&peer, &peer_size) ||
		getnameinfo((const struct sockaddr *)&peer, peer_size, host, sizeof(host), port,
			sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV))
		return;
	is_v6 = strchr(host, ':') != NULL;
	snprintf(out, size, "%s%s%s:%s", is_v6 ? "[" : "", host, is_v6 ? "]" : "", port);
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
