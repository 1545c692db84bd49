#include "net/resolver.h"

#include "base/memory.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void resolver_init(struct resolver *resolver, const struct net_address *address)
{
	*resolver = (struct resolver){.address = *address};
	resolver->numeric = socket_target_numeric(address, &resolver->target);
	resolver->known = resolver->numeric;
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
	char port[8];

	hints->ai_socktype = SOCK_STREAM;
	hints->ai_flags = AI_NUMERICSERV;
	snprintf(port, sizeof(port), "%u", (unsigned)address->port);
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

bool resolver_ask(struct resolver *resolver)
{
	struct gaicb *request = resolver->request;

	if (resolver->known)
		return true;
	if (!request) {
		request = resolver->request = request_new(&resolver->address);
		if (getaddrinfo_a(GAI_NOWAIT, &request, 1, NULL) == 0)
			return false;
	} else if (gai_error(request) == EAI_INPROGRESS) {
		return false;
	}
	if (gai_error(request) == 0 && request->ar_result) {
		const struct addrinfo *found = request->ar_result;

		memcpy(&resolver->target.address, found->ai_addr, found->ai_addrlen);
		resolver->target.size = found->ai_addrlen;
		resolver->known = true;
	}
	request_free(request);
	resolver->request = NULL;
	return resolver->known;
}

void resolver_forget(struct resolver *resolver)
{
	resolver->known = resolver->numeric;
}
