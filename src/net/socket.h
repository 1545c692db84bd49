/* Sockets that never block. To connect use net/dial.h, to accept net/listener.h. */
#ifndef NET_SOCKET_H
#define NET_SOCKET_H

#include "net/resolver.h"

/* A listening socket; ERROR_IO with the address, and how to find out who has it. */
MUST_CHECK int socket_listen(const struct net_address *address, int *fd, struct error *err);
/* The same for UDP. */
MUST_CHECK int socket_datagrams(const struct net_address *address, int *fd, struct error *err);
/*
 * A connection that is accepted, tuned and does not block; -1 with errno: EAGAIN when there is none
 * now.
 */
int socket_accept(int listener);
/*
 * Begins to connect: the socket is writable when it is done, and socket_error says how it went. -1
 * with errno.
 */
int socket_connect(const struct net_target *target);
/* 0, or the errno of what went wrong with the socket since the last call. */
int socket_error(int fd);

/*
 * A number for the address at the other end, without its port: the same on every machine. Of IPv6 the first
 * 64 bits count, which is what one client has. 0: it has none.
 */
uint64_t socket_peer(int fd);
/* HOST:PORT of the other end; "" when there is none. */
void socket_peer_text(int fd, char *out, size_t size);

/* As many open files as the system lets us have; returns that number. */
uint64_t socket_raise_file_limit(void);

#endif
