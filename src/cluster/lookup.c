#include "cluster/lookup.h"

#include "base/memory.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lookup_init(struct lookup *lookup, const struct config_address *address)
{
	*lookup = (struct lookup){.address = *address};
	lookup->numeric = socket_target_numeric(address, &lookup->target);
	lookup->known = lookup->numeric;
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

static struct gaicb *request_new(const struct config_address *address)
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

void lookup_release(struct lookup *lookup)
{
	if (lookup->request && gai_cancel(lookup->request) != EAI_NOTCANCELED)
		request_free(lookup->request);
	lookup->request = NULL;
}

bool lookup_ask(struct lookup *lookup)
{
	struct gaicb *request = lookup->request;

	if (lookup->known)
		return true;
	if (!request) {
		request = lookup->request = request_new(&lookup->address);
		if (getaddrinfo_a(GAI_NOWAIT, &request, 1, NULL) == 0)
			return false;
	} else if (gai_error(request) == EAI_INPROGRESS) {
		return false;
	}
	if (gai_error(request) == 0 && request->ar_result) {
		const struct addrinfo *found = request->ar_result;

		memcpy(&lookup->target.address, found->ai_addr, found->ai_addrlen);
		lookup->target.size = found->ai_addrlen;
		lookup->known = true;
	}
	request_free(request);
	lookup->request = NULL;
	return lookup->known;
}

void lookup_forget(struct lookup *lookup)
{
	lookup->known = lookup->numeric;
}
