/*
 * Durable before acknowledged: deliveries whose content was appended to a journal wait here until
 * that journal was synced, many at a time.
 *
 * While the disk refuses (it is full, say) nothing is acknowledged and nothing is lost: what could
 * not be appended is held, what could not be synced goes on waiting, and all of it is tried again
 * with every tick.
 */
#ifndef ROLE_INTAKE_H
#define ROLE_INTAKE_H

#include "journal/journal.h"
#include "role/node.h"

struct intake_item {
	uint64_t tag;
	struct journal *journal;
};

struct intake {
	struct node *node;
	size_t sync_bytes;
	uint64_t sync_ms;
	size_t count;
	size_t capacity;
	struct intake_item *items;
	size_t bytes;	   /* appended since the last flush */
	uint64_t since_ms; /* when the oldest item came */
	bool trouble;	   /* with the disk; told once, until it is over */
};

/* The node is borrowed; it need not be ready yet. */
void intake_init(struct intake *intake, struct node *node, const struct role_cluster *cluster);
void intake_release(struct intake *intake);

/* `size` bytes of the delivery were appended to the journal; 0 when they had been before. */
void intake_add(struct intake *intake, struct journal *journal, uint64_t tag, size_t size);
/* They could not be: held until the disk takes it. A disk that is not ours any more stops the node.
 */
void intake_refused(struct intake *intake, uint64_t job, const struct transport_delivery *delivery,
	const struct error *why);
/* Syncs the journals when it is time, and acknowledges what is durable then. */
void intake_on_tick(struct intake *intake);
/* Whether a delivery waits for a sync of the journal. */
bool intake_waits_for(const struct intake *intake, const struct journal *journal);
/* The journal is going away, its job is over: its deliveries are acknowledged. */
void intake_forget(struct intake *intake, const struct journal *journal);

#endif
