/* The broker's half: queues, the control log, and who consumes what. */
#include "transport/sim_private.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/mutant.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct sim_message *sim_message_new(const void *bytes, size_t size)
{
	struct sim_message *message = memory_alloc(sizeof(*message) + size);

	message->references = 1;
	message->durable = false;
	message->hash = hash_combine(size, size ? hash_bytes(bytes, size) : 0);
	message->size = size;
	if (size)
		memcpy(message->bytes, bytes, size);
	return message;
}

static struct sim_message *sim_message_keep(struct sim_message *message)
{
	message->references++;
	return message;
}

void sim_message_drop(struct sim_message *message)
{
	if (message && --message->references == 0)
		free(message);
}

void sim_list_init(struct sim_list *list, size_t item_size)
{
	*list = (struct sim_list){.item_size = item_size};
}

void sim_list_release(struct sim_list *list)
{
	free(list->items);
	sim_list_init(list, list->item_size);
}

void sim_list_insert(struct sim_list *list, size_t at, const void *item)
{
	char *room;

	assert(at <= list->count);
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? 2 * list->capacity : 8;
		list->items = memory_realloc(list->items, list->capacity * list->item_size);
	}
	room = sim_list_at(list, at);
	memmove(room + list->item_size, room, (list->count - at) * list->item_size);
	memcpy(room, item, list->item_size);
	list->count++;
}

void sim_list_remove(struct sim_list *list, size_t at)
{
	char *hole = sim_list_at(list, at);

	assert(at < list->count);
	list->count--;
	memmove(hole, hole + list->item_size, (list->count - at) * list->item_size);
}

struct sim_broker *sim_broker_new(
	struct sim_events *events, struct rng *rng, const struct sim_faults *faults)
{
	struct sim_broker *broker = memory_zalloc(sizeof(*broker));

	broker->events = events;
	broker->rng = rng;
	broker->faults = *faults;
	sim_list_init(&broker->queues, sizeof(struct sim_queue *));
	sim_list_init(&broker->log, sizeof(struct sim_log_entry));
	sim_list_init(&broker->handles, sizeof(struct sim_handle *));
	return broker;
}

static struct sim_queue *queue_at(const struct sim_broker *broker, size_t at)
{
	return *(struct sim_queue **)sim_list_at(&broker->queues, at);
}

static struct sim_handle *handle_at(const struct sim_list *list, size_t at)
{
	return *(struct sim_handle **)sim_list_at(list, at);
}

static struct sim_entry *entry_at(const struct sim_queue *queue, size_t at)
{
	return sim_list_at(&queue->ready, at);
}

void sim_broker_free(struct sim_broker *broker)
{
	assert(broker->handles.count == 0);
	sim_events_cancel(broker->events, broker);
	for (size_t i = 0; i < broker->queues.count; i++) {
		struct sim_queue *queue = queue_at(broker, i);

		for (size_t j = 0; j < queue->ready.count; j++)
			sim_message_drop(entry_at(queue, j)->message);
		sim_list_release(&queue->ready);
		sim_list_release(&queue->consumers);
		free(queue);
	}
	for (size_t i = 0; i < broker->log.count; i++)
		sim_message_drop(((struct sim_log_entry *)sim_list_at(&broker->log, i))->message);
	sim_list_release(&broker->queues);
	sim_list_release(&broker->log);
	sim_list_release(&broker->handles);
	free(broker);
}

void sim_broker_set_faults(struct sim_broker *broker, const struct sim_faults *faults)
{
	broker->faults = *faults;
}

void sim_broker_watch(struct sim_broker *broker, sim_watcher watcher, void *context)
{
	broker->watcher = watcher;
	broker->watcher_context = context;
}

const struct sim_counts *sim_broker_counts(const struct sim_broker *broker)
{
	return &broker->counts;
}

struct sim_queue *sim_broker_queue(struct sim_broker *broker, const char *name)
{
	struct sim_queue *queue;

	for (size_t i = 0; i < broker->queues.count; i++) {
		if (strcmp(queue_at(broker, i)->name, name) == 0)
			return queue_at(broker, i);
	}
	queue = memory_zalloc(sizeof(*queue));
	assert(strlen(name) < sizeof(queue->name));
	memcpy(queue->name, name, strlen(name) + 1);
	sim_list_init(&queue->ready, sizeof(struct sim_entry));
	sim_list_init(&queue->consumers, sizeof(struct sim_handle *));
	sim_list_insert(&broker->queues, broker->queues.count, &queue);
	return queue;
}

static uint64_t queue_size(const struct sim_queue *queue)
{
	uint64_t size = queue->ready.count;

	for (size_t i = 0; i < queue->consumers.count; i++)
		size += handle_at(&queue->consumers, i)->unacked.count;
	return size;
}

uint64_t sim_broker_queue_size(const struct sim_broker *broker, const char *queue)
{
	for (size_t i = 0; i < broker->queues.count; i++) {
		if (strcmp(queue_at(broker, i)->name, queue) == 0)
			return queue_size(queue_at(broker, i));
	}
	return 0;
}

uint64_t sim_broker_size(const struct sim_broker *broker)
{
	uint64_t size = 0;

	for (size_t i = 0; i < broker->queues.count; i++)
		size += queue_size(queue_at(broker, i));
	return size;
}

/* --- queues ------------------------------------------------------------------------------------*/

/* While it goes down one connection breaks after the other, and none must gain by that. */
static bool is_down(const struct sim_broker *broker)
{
	return broker->up_at_us > broker->events->now_us;
}

/* Any of those that may have one more; NULL: none. */
static struct sim_handle *pick_consumer(struct sim_broker *broker, const struct sim_queue *queue)
{
	struct sim_handle *found = NULL;
	uint64_t eligible = 0;

	for (size_t i = 0; i < queue->consumers.count; i++) {
		struct sim_handle *handle = handle_at(&queue->consumers, i);

		if (handle->unacked.count < handle->prefetch &&
			rng_below(broker->rng, ++eligible) == 0)
			found = handle;
	}
	return found;
}

static size_t pick_entry(struct sim_broker *broker, const struct sim_queue *queue)
{
	uint64_t depth = broker->faults.reorder_depth;

	if (depth > queue->ready.count)
		depth = queue->ready.count;
	if (depth < 2 || !sim_chance(broker->rng, broker->faults.reorder_ppm))
		return 0;
	broker->counts.reordered++;
	return (size_t)(1 + rng_below(broker->rng, depth - 1));
}

/* Sends what waits to whoever may have more. */
static void queue_pump(struct sim_broker *broker, struct sim_queue *queue)
{
	struct sim_handle *handle;

	if (is_down(broker))
		return;
	while (queue->ready.count && (handle = pick_consumer(broker, queue))) {
		size_t at = pick_entry(broker, queue);
		struct sim_unacked unacked = {.tag = ++broker->tag, .entry = *entry_at(queue, at)};

		sim_list_remove(&queue->ready, at);
		sim_list_insert(&handle->unacked, handle->unacked.count, &unacked);
		sim_handle_send(handle, (struct sim_item){
						.kind = SIM_ITEM_DELIVERY,
						.link = SIM_LINK_CONSUME,
						.key = unacked.tag,
						.message = sim_message_keep(unacked.entry.message),
						.attempt = unacked.entry.attempt,
					});
	}
}

static void queue_push(struct sim_broker *broker, struct sim_queue *queue, struct sim_entry entry)
{
	sim_list_insert(&queue->ready, queue->ready.count, &entry);
	queue_pump(broker, queue);
}

/* Offsets only promise to grow, so they have holes. */
static void log_push(struct sim_broker *broker, struct sim_message *message)
{
	struct sim_log_entry entry = {.message = message};

	if (broker->log.count) {
		const struct sim_log_entry *last = sim_list_at(&broker->log, broker->log.count - 1);

		entry.offset = last->offset + 1 + sim_up_to(broker->rng, 2);
	}
	sim_list_insert(&broker->log, broker->log.count, &entry);
	for (size_t i = 0; i < broker->handles.count; i++)
		sim_broker_send_log(broker, handle_at(&broker->handles, i));
}

void sim_broker_accept(struct sim_broker *broker, const struct sim_publish *publish)
{
	uint32_t copies = 1;

	if (sim_chance(broker->rng, broker->faults.duplicate_ppm)) {
		broker->counts.duplicated++;
		copies = 2;
	}
	for (uint32_t i = 0; i < copies; i++) {
		struct sim_message *message = sim_message_keep(publish->message);

		sim_events_note(broker->events, publish->queue ? publish->queue->name : "log",
			"accept", message->hash);
		if (publish->queue) {
			broker->counts.published++;
			queue_push(broker, publish->queue, (struct sim_entry){.message = message});
		} else {
			broker->counts.appended++;
			log_push(broker, message);
		}
	}
}

void sim_broker_ack(struct sim_broker *broker, struct sim_handle *handle, uint64_t tag)
{
	for (size_t i = 0; i < handle->unacked.count; i++) {
		struct sim_unacked *unacked = sim_list_at(&handle->unacked, i);

		if (unacked->tag != tag)
			continue;
		sim_events_note(broker->events, handle->name, "ack", unacked->entry.message->hash);
		broker->counts.acked++;
		sim_message_drop(unacked->entry.message);
		sim_list_remove(&handle->unacked, i);
		queue_pump(broker, handle->queue);
		return;
	}
}

void sim_broker_find_mark(struct sim_broker *broker, struct sim_handle *handle)
{
	if (!handle->following || handle->log_lost)
		return;
	handle->log_next = 0;
	if (!handle->has_mark)
		return;
	for (size_t i = broker->log.count; i-- > 0;) {
		const struct sim_log_entry *entry = sim_list_at(&broker->log, i);

		if (entry->offset != handle->mark.offset ||
			hash_bytes(entry->message->bytes, entry->message->size) !=
				handle->mark.hash)
			continue;
		handle->log_next = i + 1;
		return;
	}
	handle->log_lost = true;
	sim_handle_send(
		handle, (struct sim_item){.kind = SIM_ITEM_LOG_LOST, .link = SIM_LINK_CONSUME});
}

static void drop_entries(struct sim_broker *broker, size_t kept)
{
	while (broker->log.count > kept) {
		size_t last = broker->log.count - 1;

		sim_message_drop(
			((struct sim_log_entry *)sim_list_at(&broker->log, last))->message);
		sim_list_remove(&broker->log, last);
	}
}

/* Whoever reads the log has it from its new start, or learns that it is not there any more. */
void sim_broker_replace_log(struct sim_broker *broker, struct sim_handle *handle)
{
	drop_entries(broker, 0);
	sim_events_note(broker->events, handle->name, "replace", 0);
	/* Entries that were confirmed and not read before that are appended again. */
	for (size_t i = 0; i < broker->handles.count; i++) {
		sim_link_break(handle_at(&broker->handles, i), SIM_LINK_PUBLISH);
		sim_link_break(handle_at(&broker->handles, i), SIM_LINK_CONSUME);
	}
	handle->replaces = false;
	handle->has_mark = false;
	handle->log_lost = false;
}

void sim_broker_lose(struct sim_broker *broker, enum sim_loss loss, uint64_t down_us)
{
	size_t kept = loss == SIM_LOSS_LOG_END && broker->log.count > 0
			      ? (size_t)rng_below(broker->rng, broker->log.count)
			      : 0;

	sim_broker_restart(broker, down_us);
	sim_events_note(broker->events, "broker", "lose", loss);
	broker->counts.logs_lost++;
	drop_entries(broker, kept);
	for (size_t i = 0; loss == SIM_LOSS_ALL && i < broker->queues.count; i++) {
		struct sim_queue *queue = queue_at(broker, i);

		broker->counts.queues_lost++;
		while (queue->ready.count) {
			sim_message_drop(entry_at(queue, queue->ready.count - 1)->message);
			sim_list_remove(&queue->ready, queue->ready.count - 1);
		}
	}
}

void sim_broker_send_log(struct sim_broker *broker, struct sim_handle *handle)
{
	const struct sim_log_entry *entry;

	if (!handle->following || handle->log_sent || handle->log_lost ||
		handle->links[SIM_LINK_CONSUME].state != SIM_LINK_UP ||
		handle->log_next >= broker->log.count)
		return;
	entry = sim_list_at(&broker->log, handle->log_next);
	handle->log_sent = true;
	sim_handle_send(handle, (struct sim_item){
					.kind = SIM_ITEM_LOG,
					.link = SIM_LINK_CONSUME,
					.key = entry->offset,
					.message = sim_message_keep(entry->message),
				});
}

/* --- consumers ---------------------------------------------------------------------------------*/

bool sim_broker_attach(struct sim_broker *broker, struct sim_handle *handle)
{
	struct sim_queue *queue = handle->queue;

	assert(!handle->attached && handle->unacked.count == 0);
	if (handle->exclusive && queue->owner && !(MUTANT(ZOMBIE_WRITES) && handle->had_queue))
		return false;
	if (handle->exclusive && !queue->owner)
		queue->owner = handle;
	handle->attached = true;
	handle->had_queue = true;
	sim_list_insert(&queue->consumers, queue->consumers.count, &handle);
	if (handle->exclusive && !handle->placed)
		sim_handle_send(handle,
			(struct sim_item){.kind = SIM_ITEM_PLACED, .link = SIM_LINK_CONSUME});
	queue_pump(broker, queue);
	return true;
}

/* The queue has lost its owner: somebody may be waiting for that. */
static void queue_offer(struct sim_broker *broker, struct sim_queue *queue)
{
	if (is_down(broker))
		return;
	for (size_t i = 0; i < broker->handles.count && !queue->owner; i++) {
		struct sim_handle *handle = handle_at(&broker->handles, i);

		if (handle->queue == queue && handle->exclusive && !handle->attached &&
			!handle->lost && handle->links[SIM_LINK_CONSUME].state == SIM_LINK_UP)
			(void)sim_broker_attach(broker, handle);
	}
}

/* In any order, and anywhere among what waits. */
static void take_back(struct sim_broker *broker, struct sim_handle *handle)
{
	while (handle->unacked.count) {
		size_t at = (size_t)rng_below(broker->rng, handle->unacked.count);
		struct sim_unacked unacked =
			*(struct sim_unacked *)sim_list_at(&handle->unacked, at);
		struct sim_list *ready = &handle->queue->ready;

		sim_list_remove(&handle->unacked, at);
		if (unacked.acking && rng_below(broker->rng, 2)) {
			broker->counts.acked++;
			sim_message_drop(unacked.entry.message);
			continue;
		}
		broker->counts.acks_lost += unacked.acking;
		broker->counts.redelivered++;
		unacked.entry.attempt++;
		sim_list_insert(
			ready, (size_t)rng_below(broker->rng, ready->count + 1), &unacked.entry);
	}
}

void sim_broker_detach(struct sim_broker *broker, struct sim_handle *handle)
{
	struct sim_queue *queue = handle->queue;

	if (!handle->attached)
		return;
	handle->attached = false;
	for (size_t i = queue->consumers.count; i-- > 0;) {
		if (handle_at(&queue->consumers, i) == handle)
			sim_list_remove(&queue->consumers, i);
	}
	take_back(broker, handle);
	if (queue->owner == handle) {
		queue->owner = NULL;
		queue_offer(broker, queue);
	}
	queue_pump(broker, queue);
}

/* What was not confirmed may not have reached a disk. */
static void lose_unconfirmed(struct sim_broker *broker, struct sim_queue *queue)
{
	for (size_t i = queue->ready.count; i-- > 0;) {
		struct sim_message *message = entry_at(queue, i)->message;

		if (message->durable || rng_below(broker->rng, 2))
			continue;
		broker->counts.unconfirmed_lost++;
		sim_message_drop(message);
		sim_list_remove(&queue->ready, i);
	}
}

void sim_broker_purge(struct sim_broker *broker)
{
	struct sim_queue *queue;

	if (broker->queues.count == 0)
		return;
	queue = queue_at(broker, (size_t)rng_below(broker->rng, broker->queues.count));
	sim_events_note(broker->events, queue->name, "purge", queue->ready.count);
	broker->counts.purged += queue->ready.count;
	while (queue->ready.count) {
		sim_message_drop(entry_at(queue, 0)->message);
		sim_list_remove(&queue->ready, 0);
	}
}

void sim_broker_restart(struct sim_broker *broker, uint64_t down_us)
{
	broker->counts.restarts++;
	broker->up_at_us = broker->events->now_us + down_us + 1;
	broker->steady_until_us =
		broker->up_at_us + sim_up_to(broker->rng, broker->faults.steady_us);
	sim_events_note(broker->events, "broker", "restart", down_us);
	for (size_t i = 0; i < broker->handles.count; i++) {
		sim_link_break(handle_at(&broker->handles, i), SIM_LINK_PUBLISH);
		sim_link_break(handle_at(&broker->handles, i), SIM_LINK_CONSUME);
	}
	for (size_t i = 0; i < broker->queues.count; i++)
		lose_unconfirmed(broker, queue_at(broker, i));
}
