/*
 * Deliveries that cannot be handled yet: of a job that the log has not brought, or while the disk
 * is full. They stay unacknowledged, so there are never more than the prefetch allows, and the
 * broker still has them if we die.
 */
#ifndef ROLE_HELD_H
#define ROLE_HELD_H

#include "flow/message.h"
#include "transport/transport.h"

struct held_delivery {
	struct held_delivery *next;
	uint64_t tag;
	uint64_t job;
	size_t size;
	uint8_t bytes[];
};

struct held {
	struct held_delivery *first;
};

/* Copies the delivery. One that is here already, byte for byte, takes the new tag: the old is void.
 */
void held_add(struct held *held, uint64_t job, const struct transport_delivery *delivery);
/* All of a job, or all when `any`; the caller frees what it gets, one by one. */
struct held_delivery *held_take(struct held *held, uint64_t job, bool any);
void held_release(struct held *held);

#endif
