/* HOST:PORT, as people write it. Finding out where that is, is net/resolver.h's. */
#ifndef NET_ADDRESS_H
#define NET_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NET_HOST_MAX 256
/* Room for HOST:PORT. */
#define NET_ADDRESS_TEXT (NET_HOST_MAX + 16)

struct net_address {
	char host[NET_HOST_MAX]; /* a name or an address; IPv6 without its brackets */
	uint16_t port;
};

/* HOST:PORT, [IPv6]:PORT; a port alone is at 127.0.0.1. False when it is none of them. */
bool net_address_parse(const char *text, size_t size, struct net_address *address);
/* "host:port", "[::1]:port" */
void net_address_format(const struct net_address *address, char text[NET_ADDRESS_TEXT]);

#endif
