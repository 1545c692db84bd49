/*
 * Durable before acknowledged: deliveries whose content was appended to a journal wait here until
 * that journal was synced, many at a time.
 */
#ifndef ROLE_INTAKE_H
#define ROLE_INTAKE_H

#include "journal/journal.h"
#include "transport/transport.h"

struct intake_item {
	uint64_t tag;
	struct journal *journal;
};

struct intake {
	struct transport *transport;
	size_t sync_bytes;
	uint64_t sync_ms;
	size_t count;
	size_t capacity;
	struct intake_item *items;
	size_t bytes;	   /* appended since the last flush */
	uint64_t since_ms; /* when the oldest item came */
};

void intake_init(
	struct intake *intake, struct transport *transport, size_t sync_bytes, uint64_t sync_ms);
void intake_release(struct intake *intake);

/* `size` bytes of the delivery were appended to the journal; 0 when they had been before. */
void intake_add(
	struct intake *intake, struct journal *journal, uint64_t tag, size_t size, uint64_t now_ms);
/* Enough is waiting, or something for long enough. */
bool intake_is_due(const struct intake *intake, uint64_t now_ms);
/*
 * Syncs the journals and acknowledges what is durable then. What could not be synced goes on
 * waiting: -1, and the same call later.
 */
MUST_CHECK int intake_flush(struct intake *intake, uint64_t now_ms, struct error *err);
/* The journal is going away, its job is over: its deliveries are acknowledged. */
void intake_forget(struct intake *intake, const struct journal *journal);

#endif
