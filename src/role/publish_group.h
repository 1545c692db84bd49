/*
 * Publishes that belong together, a chunk's packets or the packets of a stream: over when all of
 * them were made and confirmed. Then whoever waits for them may be told: nothing can lose them.
 */
#ifndef ROLE_PUBLISH_GROUP_H
#define ROLE_PUBLISH_GROUP_H

#include "transport/transport.h"

/* Embedded as the first member of what is to be done then; on the heap. */
struct publish_group {
	struct publish_group *next;
	uint64_t id; /* of its publishes */
	uint64_t unconfirmed;
	bool ended; /* there will be no more of them */
};

struct publish_group_list {
	struct publish_group *first;
	uint64_t last_id;
};

void publish_group_add(struct publish_group_list *list, struct publish_group *group);
MUST_CHECK int publish_group_publish(struct publish_group *group, struct transport *transport,
	const char *queue, const void *bytes, size_t size, struct error *err);

/*
 * Both give back what is over, which has left the list, or NULL. A confirm for something that was
 * removed is not ours.
 */
struct publish_group *publish_group_end(
	struct publish_group_list *list, struct publish_group *group);
struct publish_group *publish_group_confirm(struct publish_group_list *list, uint64_t id);

/* Nobody waits for it any more. */
void publish_group_remove(struct publish_group_list *list, struct publish_group *group);
/* Frees all that are left. */
void publish_group_release(struct publish_group_list *list);

#endif
