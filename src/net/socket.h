/* TCP sockets that never block: for gateways, proxies and clients. */
#ifndef NET_SOCKET_H
#define NET_SOCKET_H

#include "base/error.h"
#include "net/address.h"

#include <sys/socket.h>

/* A name that was resolved. */
struct socket_target {
	struct sockaddr_storage address;
	socklen_t size;
};

/* A listening socket; ERROR_IO with the address, and who could have it, when there is none. */
MUST_CHECK int socket_listen(const struct net_address *address, int *fd, struct error *err);
/*
 * A connection that is accepted, tuned and does not block; -1 with errno: EAGAIN when there is none
 * now.
 */
int socket_accept(int listener);
/*
 * Begins to connect: the socket is writable when it is done, and socket_error says how it went.
 * Resolving a name may take a while.
 */
MUST_CHECK int socket_connect(const struct net_address *address, int *fd, struct error *err);
/* False when the host is a name: resolving it may take a while. */
bool socket_target_numeric(const struct net_address *address, struct socket_target *target);
/* As socket_connect; -1 with errno. */
int socket_connect_to(const struct socket_target *target);
/* 0, or the errno of what went wrong with the socket since the last call. */
int socket_error(int fd);

/* As many open files as the system lets us have; returns that number. */
uint64_t socket_raise_file_limit(void);

#endif
