#include "net/address.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define PORT_DIGITS_MAX 18

static bool is_host(const char *host, size_t size, bool bracketed)
{
	if (size == 0 || size >= NET_HOST_MAX)
		return false;
	for (size_t i = 0; i < size; i++)
		if (!isalnum((unsigned char)host[i]) &&
			!memchr(bracketed ? ":.%" : ".-_", host[i], 3))
			return false;
	return true;
}

static bool parse_port(const char *text, size_t size, uint16_t *port)
{
	uint64_t value = 0;

	if (size == 0 || size > PORT_DIGITS_MAX)
		return false;
	for (size_t i = 0; i < size; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		value = value * 10 + (uint64_t)(text[i] - '0');
	}
	*port = (uint16_t)value;
	return value > 0 && value <= UINT16_MAX;
}

bool net_address_parse(const char *text, size_t size, struct net_address *address)
{
	static const char here[] = "127.0.0.1";
	const char *colon = memrchr(text, ':', size);
	const char *host = colon ? text : here;
	const char *port_text = colon ? colon + 1 : text;
	size_t host_size = colon ? (size_t)(colon - text) : sizeof(here) - 1;
	bool bracketed = host_size > 2 && host[0] == '[' && host[host_size - 1] == ']';
	uint16_t port;

	if (bracketed) {
		host++;
		host_size -= 2;
	}
	if (!is_host(host, host_size, bracketed) ||
		!parse_port(port_text, (size_t)(text + size - port_text), &port))
		return false;
	memset(address, 0, sizeof(*address));
	memcpy(address->host, host, host_size);
	address->port = port;
	return true;
}

void net_address_format(const struct net_address *address, char text[NET_ADDRESS_TEXT])
{
	const char *form = strchr(address->host, ':') ? "[%s]:%u" : "%s:%u";

	snprintf(text, NET_ADDRESS_TEXT, form, address->host, (unsigned)address->port);
}
