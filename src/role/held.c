#include "role/held.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct held_delivery {
	struct held_delivery *next;
	uint64_t tag;
	uint64_t job;
	uint32_t attempt;
	size_t size;
	uint8_t bytes[];
};

void held_add(struct held *held, uint64_t job, const struct transport_delivery *delivery)
{
	struct held_delivery **at = &held->first;
	struct held_delivery *item = memory_alloc(sizeof(*item) + delivery->size);

	while (*at)
		at = &(*at)->next;
	item->next = NULL;
	item->tag = delivery->tag;
	item->job = job;
	item->attempt = delivery->attempt;
	item->size = delivery->size;
	memcpy(item->bytes, delivery->bytes, delivery->size);
	*at = item;
}

static struct held_delivery *take(struct held *held, uint64_t job, bool any)
{
	struct held_delivery *taken = NULL, **last = &taken;
	struct held_delivery **at = &held->first;

	while (*at) {
		struct held_delivery *item = *at;

		if (!any && item->job != job) {
			at = &item->next;
			continue;
		}
		*at = item->next;
		item->next = NULL;
		*last = item;
		last = &item->next;
	}
	return taken;
}

void held_retry(struct held *held, uint64_t job, bool any, held_handle handle, void *context)
{
	struct held_delivery *item = take(held, job, any);

	while (item) {
		struct held_delivery *next = item->next;
		struct transport_delivery delivery = {.tag = item->tag,
			.bytes = item->bytes,
			.size = item->size,
			.attempt = item->attempt};

		handle(context, &delivery);
		free(item);
		item = next;
	}
}

bool held_has(const struct held *held, uint64_t job)
{
	const struct held_delivery *item = held->first;

	while (item && item->job != job)
		item = item->next;
	return item;
}

static void forget(void *context, const struct transport_delivery *delivery)
{
	(void)context;
	(void)delivery;
}

void held_release(struct held *held)
{
	held_retry(held, 0, true, forget, NULL);
}
