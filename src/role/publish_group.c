#include "role/publish_group.h"

#include <stdlib.h>

void publish_group_add(struct publish_group_list *list, struct publish_group *pending)
{
	*pending = (struct publish_group){.next = list->first, .id = ++list->last_id};
	list->first = pending;
}

int publish_group_publish(struct publish_group *pending, struct transport *transport,
	const char *queue, const void *bytes, size_t size, struct error *err)
{
	pending->unconfirmed++;
	return transport_publish(transport, queue, bytes, size, pending->id, err);
}

void publish_group_remove(struct publish_group_list *list, struct publish_group *pending)
{
	struct publish_group **at = &list->first;

	while (*at != pending)
		at = &(*at)->next;
	*at = pending->next;
}

static struct publish_group *take_if_over(
	struct publish_group_list *list, struct publish_group *pending)
{
	if (!pending->ended || pending->unconfirmed > 0)
		return NULL;
	publish_group_remove(list, pending);
	return pending;
}

struct publish_group *publish_group_end(
	struct publish_group_list *list, struct publish_group *pending)
{
	pending->ended = true;
	return take_if_over(list, pending);
}

struct publish_group *publish_group_confirm(struct publish_group_list *list, uint64_t id)
{
	struct publish_group *pending = list->first;

	while (pending && pending->id != id)
		pending = pending->next;
	if (!pending)
		return NULL;
	pending->unconfirmed--;
	return take_if_over(list, pending);
}

void publish_group_release(struct publish_group_list *list)
{
	while (list->first) {
		struct publish_group *next = list->first->next;

		free(list->first);
		list->first = next;
	}
}
