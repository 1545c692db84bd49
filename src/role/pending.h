/*
 * Publishes that belong together, a chunk's packets or the packets of a stream: over when all of
 * them were made and confirmed. Then whoever waits for them may be told: nothing can lose them.
 */
#ifndef ROLE_PENDING_H
#define ROLE_PENDING_H

#include "transport/transport.h"

/* Embedded as the first member of what is to be done then; on the heap. */
struct pending {
	struct pending *next;
	uint64_t id; /* of its publishes */
	uint64_t unconfirmed;
	bool ended; /* there will be no more of them */
};

struct pending_list {
	struct pending *first;
	uint64_t last_id;
};

void pending_add(struct pending_list *list, struct pending *pending);
MUST_CHECK int pending_publish(struct pending *pending, struct transport *transport,
	const char *queue, const void *bytes, size_t size, struct error *err);

/*
 * Both give back what is over, which has left the list, or NULL. A confirm for something that was
 * removed is none of ours.
 */
struct pending *pending_end(struct pending_list *list, struct pending *pending);
struct pending *pending_confirm(struct pending_list *list, uint64_t id);

/* Nobody waits for it any more. */
void pending_remove(struct pending_list *list, struct pending *pending);
/* Frees all that are left. */
void pending_release(struct pending_list *list);

#endif
