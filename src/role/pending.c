#include "role/pending.h"

#include <stdlib.h>

void pending_add(struct pending_list *list, struct pending *pending)
{
	*pending = (struct pending){.next = list->first, .id = ++list->last_id};
	list->first = pending;
}

int pending_publish(struct pending *pending, struct transport *transport, const char *queue,
	const void *bytes, size_t size, struct error *err)
{
	pending->unconfirmed++;
	return transport_publish(transport, queue, bytes, size, pending->id, err);
}

void pending_remove(struct pending_list *list, struct pending *pending)
{
	struct pending **at = &list->first;

	while (*at != pending)
		at = &(*at)->next;
	*at = pending->next;
}

static struct pending *take_if_over(struct pending_list *list, struct pending *pending)
{
	if (!pending->ended || pending->unconfirmed > 0)
		return NULL;
	pending_remove(list, pending);
	return pending;
}

struct pending *pending_end(struct pending_list *list, struct pending *pending)
{
	pending->ended = true;
	return take_if_over(list, pending);
}

struct pending *pending_confirm(struct pending_list *list, uint64_t id)
{
	struct pending *pending = list->first;

	while (pending && pending->id != id)
		pending = pending->next;
	if (!pending)
		return NULL;
	pending->unconfirmed--;
	return take_if_over(list, pending);
}

void pending_release(struct pending_list *list)
{
	while (list->first) {
		struct pending *next = list->first->next;

		free(list->first);
		list->first = next;
	}
}
