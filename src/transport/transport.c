#include "transport/transport.h"

#include <string.h>

int transport_check_queue(const char *queue, struct error *err)
{
	if (strlen(queue) > TRANSPORT_QUEUE_NAME_MAX)
		return error_set(err, ERROR_LIMIT, "the queue's name %.20s... is longer than %d",
			queue, TRANSPORT_QUEUE_NAME_MAX);
	return 0;
}

int transport_check_size(size_t size, struct error *err)
{
	if (size > TRANSPORT_MESSAGE_MAX)
		return error_set(err, ERROR_LIMIT, "a message of %zu bytes; there may be %u", size,
			TRANSPORT_MESSAGE_MAX);
	return 0;
}
