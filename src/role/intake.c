#include "role/intake.h"

#include "base/memory.h"
#include "base/mutant.h"

#include <assert.h>
#include <stdlib.h>

void intake_init(
	struct intake *intake, struct transport *transport, size_t sync_bytes, uint64_t sync_ms)
{
	*intake = (struct intake){
		.transport = transport, .sync_bytes = sync_bytes, .sync_ms = sync_ms};
}

void intake_release(struct intake *intake)
{
	free(intake->items);
}

void intake_add(
	struct intake *intake, struct journal *journal, uint64_t tag, size_t size, uint64_t now_ms)
{
	if (MUTANT(ACK_BEFORE_SYNC))
		transport_ack(intake->transport, tag);
	if (intake->count == intake->capacity) {
		intake->capacity = intake->capacity ? 2 * intake->capacity : 64;
		intake->items =
			memory_realloc(intake->items, intake->capacity * sizeof(*intake->items));
	}
	if (intake->count == 0)
		intake->since_ms = now_ms;
	intake->items[intake->count++] = (struct intake_item){tag, journal};
	intake->bytes += size;
}

bool intake_is_due(const struct intake *intake, uint64_t now_ms)
{
	return intake->count > 0 && (intake->bytes >= intake->sync_bytes ||
					    now_ms - intake->since_ms >= intake->sync_ms);
}

int intake_flush(struct intake *intake, uint64_t now_ms, struct error *err)
{
	size_t kept = 0;
	int status = 0;

	for (size_t i = 0; i < intake->count && !status; i++)
		if (journal_unsynced(intake->items[i].journal) > 0)
			status = journal_sync(intake->items[i].journal, err);
	for (size_t i = 0; i < intake->count; i++) {
		struct intake_item *item = &intake->items[i];

		/*
		 * Never ack a delivery before the sync of the record that absorbed it: the broker
		 * would forget input that we could still lose.
		 */
		if (journal_unsynced(item->journal) > 0)
			intake->items[kept++] = *item;
		else if (!MUTANT(ACK_BEFORE_SYNC))
			transport_ack(intake->transport, item->tag);
	}
	assert(status || kept == 0);
	intake->count = kept;
	intake->bytes = 0;
	intake->since_ms = now_ms;
	return status;
}

void intake_forget(struct intake *intake, const struct journal *journal)
{
	size_t kept = 0;

	for (size_t i = 0; i < intake->count; i++) {
		if (intake->items[i].journal != journal)
			intake->items[kept++] = intake->items[i];
		else if (!MUTANT(ACK_BEFORE_SYNC))
			transport_ack(intake->transport, intake->items[i].tag);
	}
	intake->count = kept;
}
