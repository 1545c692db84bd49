#include "role/publish_group.h"

#include <assert.h>
#include <stdlib.h>

void publish_group_add(struct publish_group_list *list, struct publish_group *group)
{
	*group = (struct publish_group){.next = list->first, .id = ++list->last_id};
	list->first = group;
}

int publish_group_publish(struct publish_group *group, struct transport *transport,
	const char *queue, const void *bytes, size_t size, struct error *err)
{
	assert(!group->ended); /* whoever waits for it may have been told */
	group->unconfirmed++;
	return transport_publish(transport, queue, bytes, size, group->id, err);
}

void publish_group_remove(struct publish_group_list *list, struct publish_group *group)
{
	struct publish_group **at = &list->first;

	while (*at != group) {
		assert(*at); /* it is in the list */
		at = &(*at)->next;
	}
	*at = group->next;
}

static struct publish_group *take_if_over(
	struct publish_group_list *list, struct publish_group *group)
{
	if (!group->ended || group->unconfirmed > 0)
		return NULL;
	publish_group_remove(list, group);
	return group;
}

struct publish_group *publish_group_end(
	struct publish_group_list *list, struct publish_group *group)
{
	assert(!group->ended); /* once */
	group->ended = true;
	return take_if_over(list, group);
}

struct publish_group *publish_group_confirm(struct publish_group_list *list, uint64_t id)
{
	struct publish_group *group = list->first;

	while (group && group->id != id)
		group = group->next;
	if (!group)
		return NULL;
	assert(group->unconfirmed > 0); /* each publish has one confirm */
	group->unconfirmed--;
	return take_if_over(list, group);
}

void publish_group_release(struct publish_group_list *list)
{
	while (list->first) {
		struct publish_group *next = list->first->next;

		free(list->first);
		list->first = next;
	}
}
