/*
 * Deliveries that cannot be handled yet: of a job that the log has not brought, or while the disk
 * is full. They stay unacknowledged, so there are never more than the prefetch allows, and the
 * broker still has them if we die.
 */
#ifndef ROLE_HELD_H
#define ROLE_HELD_H

#include "flow/message.h"
#include "transport/transport.h"

struct held_delivery;

struct held {
	struct held_delivery *first;
};

/* Copies the delivery. After a break of the connection it comes again, and is held twice. */
void held_add(struct held *held, uint64_t job, const struct transport_delivery *delivery);
/* Handles one of them anew; it may be held again. */
typedef void (*held_handle)(void *context, const struct transport_delivery *delivery);
/* Takes all of a job, or all when `any`, and hands them out, oldest first. */
void held_retry(struct held *held, uint64_t job, bool any, held_handle handle, void *context);
bool held_has(const struct held *held, uint64_t job);
void held_release(struct held *held);

#endif
