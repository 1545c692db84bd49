#include "role/intake.h"

#include "base/memory.h"
#include "base/mutant.h"

#include <assert.h>
#include <stdlib.h>

void intake_init(struct intake *intake, struct node *node, const struct role_cluster *cluster)
{
	*intake = (struct intake){
		.node = node,
		.sync_bytes = node_default(cluster->sync_bytes, NODE_SYNC_BYTES_DEFAULT),
		.sync_ms = node_default(cluster->sync_ms, NODE_SYNC_MS_DEFAULT),
	};
}

void intake_release(struct intake *intake)
{
	free(intake->items);
}

void intake_add(struct intake *intake, struct journal *journal, uint64_t tag, size_t size)
{
	/* What was seen before is in a journal, too. */
	assert(journal && journal_records(journal) > 0);
	if (MUTANT(ACK_BEFORE_SYNC))
		node_ack(intake->node, tag);
	if (intake->count == intake->capacity) {
		intake->capacity = intake->capacity ? 2 * intake->capacity : 64;
		intake->items =
			memory_realloc(intake->items, intake->capacity * sizeof(*intake->items));
	}
	if (intake->count == 0)
		intake->since_ms = node_now(intake->node);
	intake->items[intake->count++] = (struct intake_item){tag, journal};
	intake->bytes += size;
}

/* Enough is waiting, or something for long enough. */
static bool is_due(const struct intake *intake, uint64_t now_ms)
{
	return intake->count > 0 && (intake->bytes >= intake->sync_bytes ||
					    now_ms - intake->since_ms >= intake->sync_ms);
}

/* What could not be synced goes on waiting. */
static int flush(struct intake *intake, uint64_t now_ms, struct error *err)
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
			node_ack(intake->node, item->tag);
	}
	assert(status || kept == 0);
	intake->count = kept;
	intake->bytes = 0;
	intake->since_ms = now_ms;
	return status;
}

static void disk_failed(struct intake *intake, const struct error *why)
{
	if (why->code != ERROR_IO) {
		node_stop(intake->node, why);
		return;
	}
	if (!intake->trouble)
		node_log(intake->node, LOG_DISK_TROUBLE,
			LOG_FIELDS(LOG_TEXT("reason", why->message)));
	intake->trouble = true;
}

void intake_refused(struct intake *intake, uint64_t job, const struct transport_delivery *delivery,
	const struct error *why)
{
	node_hold(intake->node, job, delivery);
	disk_failed(intake, why);
}

void intake_on_tick(struct intake *intake)
{
	uint64_t now_ms = node_now(intake->node);
	bool trouble = intake->trouble;
	struct error err;

	if (!trouble && !is_due(intake, now_ms))
		return;
	if (flush(intake, now_ms, &err)) {
		disk_failed(intake, &err);
		return;
	}
	intake->trouble = false;
	if (trouble)
		node_retry_held(intake->node);
}

bool intake_waits_for(const struct intake *intake, const struct journal *journal)
{
	for (size_t i = 0; i < intake->count; i++)
		if (intake->items[i].journal == journal)
			return true;
	return false;
}

void intake_forget(struct intake *intake, const struct journal *journal)
{
	size_t kept = 0;

	for (size_t i = 0; i < intake->count; i++) {
		if (intake->items[i].journal != journal)
			intake->items[kept++] = intake->items[i];
		else if (!MUTANT(ACK_BEFORE_SYNC))
			node_ack(intake->node, intake->items[i].tag);
	}
	intake->count = kept;
}
