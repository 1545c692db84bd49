#include "net/resolver.h"

#include "base/memory.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PORT_TEXT 8

static void format_port(const struct net_address *address, char text[PORT_TEXT])
{
	snprintf(text, PORT_TEXT, "%u", (unsigned)address->port);
}

static uint32_t take_targets(const struct addrinfo *found, struct net_target *targets)
{
	uint32_t count = 0;

	for (; found && count < RESOLVER_TARGETS_MAX; found = found->ai_next) {
		memcpy(&targets[count].address, found->ai_addr, found->ai_addrlen);
		targets[count++].size = found->ai_addrlen;
	}
	return count;
}

/* Waits, unless the flags say that the host must be numeric. The status of getaddrinfo. */
static int find(
	const struct net_address *address, int flags, struct net_target *targets, uint32_t *count)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | flags};
	struct addrinfo *list;
	char port[PORT_TEXT];
	int status;

	format_port(address, port);
	*count = 0;
	status = getaddrinfo(address->host, port, &hints, &list);
	if (status)
		return status;
	*count = take_targets(list, targets);
	freeaddrinfo(list);
	return 0;
}

int resolver_find_own(const struct net_address *address,
	struct net_target targets[RESOLVER_TARGETS_MAX], struct error *err)
{
	uint32_t count;
	int status = find(address, AI_PASSIVE, targets, &count);

	if (status)
		return error_set(err, ERROR_IO, "cannot find the host %s: %s", address->host,
			gai_strerror(status));
	return (int)count;
}

void resolver_init(struct resolver *resolver, const struct net_address *address)
{
	*resolver = (struct resolver){.address = *address};
	resolver->numeric =
		find(address, AI_NUMERICHOST, resolver->targets, &resolver->target_count) == 0;
}

static void request_free(struct gaicb *request)
{
	if (request->ar_result)
		freeaddrinfo(request->ar_result);
	free((void *)request->ar_name);
	free((void *)request->ar_service);
	free((void *)request->ar_request);
	free(request);
}

static struct gaicb *request_new(const struct net_address *address)
{
	struct gaicb *request = memory_zalloc(sizeof(*request));
	struct addrinfo *hints = memory_zalloc(sizeof(*hints));
	char port[PORT_TEXT];

	hints->ai_socktype = SOCK_STREAM;
	hints->ai_flags = AI_NUMERICSERV;
	format_port(address, port);
	request->ar_name = memory_strdup(address->host);
	request->ar_service = memory_strdup(port);
	request->ar_request = hints;
	return request;
}

void resolver_release(struct resolver *resolver)
{
	if (resolver->request && gai_cancel(resolver->request) != EAI_NOTCANCELED)
		request_free(resolver->request);
	resolver->request = NULL;
}

enum resolver_answer resolver_ask(struct resolver *resolver)
{
	struct gaicb *request = resolver->request;

	if (resolver->target_count > 0)
		return RESOLVER_KNOWN;
	if (!request) {
		request = resolver->request = request_new(&resolver->address);
		resolver->status = getaddrinfo_a(GAI_NOWAIT, &request, 1, NULL);
		if (resolver->status == 0)
			return RESOLVER_BUSY;
	} else {
		resolver->status = gai_error(request);
		if (resolver->status == EAI_INPROGRESS)
			return RESOLVER_BUSY;
	}
	if (resolver->status == 0)
		resolver->target_count = take_targets(request->ar_result, resolver->targets);
	request_free(request);
	resolver->request = NULL;
	return resolver->target_count > 0 ? RESOLVER_KNOWN : RESOLVER_FAILED;
}

void resolver_forget(struct resolver *resolver)
{
	if (!resolver->numeric)
		resolver->target_count = 0;
}

const char *resolver_trouble(const struct resolver *resolver)
{
	return gai_strerror(resolver->status);
}
