/*
 * The nodes' half: a handle, its two connections and what travels on them.
 *
 * An event names what it is about by a number and does nothing when that is gone, so nothing has
 * to be taken out of the event queue when a connection breaks.
 */
#include "transport/sim.h"

#include "base/hash.h"
#include "base/memory.h"
#include "transport/sim_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct sim_handle *handle_of(struct transport *transport)
{
	return (struct sim_handle *)transport;
}

/* How long from now until what is sent now arrives, behind all that was sent before. */
static uint64_t in_order(struct sim_handle *handle, uint64_t *last_us)
{
	struct sim_broker *broker = handle->broker;
	uint64_t now_us = broker->events->now_us;
	uint64_t arrival_us = now_us + sim_up_to(broker->rng, broker->faults.delay_us);

	if (arrival_us < *last_us)
		arrival_us = *last_us;
	*last_us = arrival_us;
	return arrival_us - now_us;
}

/* Whether a fault of this chance happens to a connection, or to the broker, now. */
static bool strikes(struct sim_broker *broker, uint32_t ppm, uint64_t steady_until_us)
{
	return broker->events->now_us >= steady_until_us && sim_chance(broker->rng, ppm);
}

static bool breaks(struct sim_handle *handle, enum sim_link_kind kind, uint32_t ppm)
{
	return strikes(handle->broker, ppm, handle->links[kind].steady_until_us);
}

/* --- from the node to the broker ---------------------------------------------------------------*/

static struct sim_publish *find_pending(struct sim_handle *handle, uint64_t serial, size_t *at)
{
	for (size_t i = 0; i < handle->pending.count; i++) {
		struct sim_publish *publish = sim_list_at(&handle->pending, i);

		if (publish->serial == serial) {
			*at = i;
			return publish;
		}
	}
	return NULL;
}

static void on_publish_arrives(void *context, uint64_t serial)
{
	struct sim_handle *handle = context;
	struct sim_broker *broker = handle->broker;
	size_t at;
	struct sim_publish *publish = find_pending(handle, serial, &at);

	if (!publish || publish->state != SIM_PUBLISH_TRAVELLING)
		return;
	if (strikes(broker, broker->faults.restart_ppm, broker->steady_until_us)) {
		sim_broker_restart(broker, sim_up_to(broker->rng, broker->faults.restart_us));
		return;
	}
	if (breaks(handle, SIM_LINK_PUBLISH, broker->faults.break_ppm)) {
		sim_link_break(handle, SIM_LINK_PUBLISH);
		return;
	}
	publish->state = SIM_PUBLISH_ARRIVED;
	sim_broker_accept(broker, publish);
	if (breaks(handle, SIM_LINK_PUBLISH, broker->faults.confirm_lost_ppm)) {
		broker->counts.confirms_lost++;
		sim_link_break(handle, SIM_LINK_PUBLISH);
		return;
	}
	publish->message->durable = true;
	sim_handle_send(
		handle, (struct sim_item){
				.kind = SIM_ITEM_CONFIRM, .link = SIM_LINK_PUBLISH, .key = serial});
}

static void publish_send(struct sim_handle *handle, struct sim_publish *publish)
{
	struct sim_link *link = &handle->links[SIM_LINK_PUBLISH];

	publish->state = SIM_PUBLISH_TRAVELLING;
	sim_events_add(handle->broker->events, in_order(handle, &link->to_broker_us),
		on_publish_arrives, handle, publish->serial);
}

static int publish_to(struct sim_handle *handle, struct sim_queue *queue, const void *bytes,
	size_t size, uint64_t id)
{
	struct sim_publish publish = {
		.serial = ++handle->serial,
		.id = id,
		.queue = queue,
		.message = sim_message_new(bytes, size),
		.state = SIM_PUBLISH_WAITING,
	};

	assert(!handle->paused);
	sim_list_insert(&handle->pending, handle->pending.count, &publish);
	if (handle->links[SIM_LINK_PUBLISH].state == SIM_LINK_UP)
		publish_send(handle, sim_list_at(&handle->pending, handle->pending.count - 1));
	return 0;
}

static int sim_publish(struct transport *transport, const char *queue, const void *bytes,
	size_t size, uint64_t id, struct error *err)
{
	struct sim_handle *handle = handle_of(transport);

	if (transport_check_queue(queue, err) || transport_check_size(size, err))
		return -1;
	if (handle->broker->watcher)
		handle->broker->watcher(handle->broker->watcher_context, queue, bytes, size);
	return publish_to(handle, sim_broker_queue(handle->broker, queue), bytes, size, id);
}

static int sim_append(
	struct transport *transport, const void *bytes, size_t size, uint64_t id, struct error *err)
{
	return transport_check_size(size, err)
		       ? -1
		       : publish_to(handle_of(transport), NULL, bytes, size, id);
}

static void on_ack_arrives(void *context, uint64_t tag)
{
	struct sim_handle *handle = context;

	sim_broker_ack(handle->broker, handle, tag);
}

static void sim_ack(struct transport *transport, uint64_t tag)
{
	struct sim_handle *handle = handle_of(transport);

	assert(!handle->paused);
	for (size_t i = 0; i < handle->unacked.count; i++) {
		struct sim_unacked *unacked = sim_list_at(&handle->unacked, i);

		if (unacked->tag != tag)
			continue;
		handle->broker->counts.double_acks += unacked->acking;
		if (unacked->acking)
			return;
		unacked->acking = true;
		sim_events_add(handle->broker->events,
			in_order(handle, &handle->links[SIM_LINK_CONSUME].to_broker_us),
			on_ack_arrives, handle, tag);
		return;
	}
}

/* --- from the broker to the node ---------------------------------------------------------------*/

static void item_drop(struct sim_handle *handle, size_t at)
{
	struct sim_item *item = sim_list_at(&handle->items, at);

	/* What was not heard is said again on the next connection. */
	if (item->kind == SIM_ITEM_LOG)
		handle->log_sent = false;
	if (item->kind == SIM_ITEM_LOG_LOST)
		handle->log_lost = false;
	if (item->kind == SIM_ITEM_LOG_REPLACED)
		handle->replaced = true;
	sim_message_drop(item->message);
	sim_list_remove(&handle->items, at);
}

static void pending_drop(struct sim_handle *handle, size_t at)
{
	sim_message_drop(((struct sim_publish *)sim_list_at(&handle->pending, at))->message);
	sim_list_remove(&handle->pending, at);
}

/* An entry of ours, perhaps, has come from the log. */
static void note_seen(struct sim_handle *handle, uint64_t hash)
{
	for (size_t i = 0; i < handle->pending.count; i++) {
		struct sim_publish *publish = sim_list_at(&handle->pending, i);

		if (publish->queue || publish->seen || publish->message->hash != hash)
			continue;
		publish->seen = true;
		if (publish->told)
			pending_drop(handle, i);
		return;
	}
}

/* Each of these ends with its handler, which may close the handle. */
static void hand_confirm(struct sim_handle *handle, const struct sim_item *item)
{
	struct transport_handler handler = handle->transport.handler;
	size_t at;
	struct sim_publish *publish = find_pending(handle, item->key, &at);
	uint64_t id;

	bool told;

	if (!publish)
		return;
	id = publish->id;
	told = publish->told;
	handle->broker->counts.confirmed++;
	sim_events_note(handle->broker->events, handle->name, "confirm", publish->message->hash);
	publish->told = true;
	publish->state = SIM_PUBLISH_CONFIRMED;
	/* An entry of the log is cared for until it is read there. */
	if (publish->queue || !handle->following || publish->seen)
		pending_drop(handle, at);
	if (!told)
		handler.on_confirm(handler.context, id);
}

static void hand_delivery(struct sim_handle *handle, const struct sim_item *item)
{
	struct transport_handler handler = handle->transport.handler;
	const struct transport_delivery delivery = {
		.tag = item->key,
		.bytes = item->message->bytes,
		.size = item->message->size,
		.attempt = item->attempt,
	};

	handle->broker->counts.delivered++;
	if (handle->links[SIM_LINK_CONSUME].state == SIM_LINK_DEAD)
		handle->broker->counts.zombie_deliveries++;
	sim_events_note(handle->broker->events, handle->name, "delivery", item->message->hash);
	handler.on_delivery(handler.context, &delivery);
}

static void hand_log(struct sim_handle *handle, const struct sim_item *item)
{
	struct transport_handler handler = handle->transport.handler;

	handle->log_sent = false;
	handle->log_next++;
	handle->has_mark = true;
	handle->mark = (struct transport_mark){
		item->key, hash_bytes(item->message->bytes, item->message->size)};
	note_seen(handle, item->message->hash);
	handle->broker->counts.logged++;
	sim_events_note(handle->broker->events, handle->name, "log", item->message->hash);
	sim_broker_send_log(handle->broker, handle);
	handler.on_log(handler.context, item->key, item->message->bytes, item->message->size);
}

static void hand_news_of_log(struct sim_handle *handle, enum sim_item_kind kind)
{
	struct transport_handler handler = handle->transport.handler;

	sim_events_note(handle->broker->events, handle->name, "news of log", kind);
	if (kind == SIM_ITEM_LOG_LOST && handler.on_log_lost)
		handler.on_log_lost(handler.context);
	if (kind == SIM_ITEM_LOG_REPLACED && handler.on_log_replaced)
		handler.on_log_replaced(handler.context);
}

static void hand_place(struct sim_handle *handle)
{
	struct transport_handler handler = handle->transport.handler;

	if (handle->placed)
		return;
	handle->placed = true;
	sim_events_note(handle->broker->events, handle->name, "placed", 0);
	if (handler.on_placed)
		handler.on_placed(handler.context);
}

static void on_item_arrives(void *context, uint64_t number)
{
	struct sim_handle *handle = context;
	struct sim_broker *broker = handle->broker;
	struct sim_item item;
	size_t at = 0;

	while (at < handle->items.count &&
		((struct sim_item *)sim_list_at(&handle->items, at))->number != number)
		at++;
	if (at == handle->items.count)
		return;
	if (handle->paused) {
		((struct sim_item *)sim_list_at(&handle->items, at))->due = true;
		return;
	}
	item = *(struct sim_item *)sim_list_at(&handle->items, at);
	if (handle->links[item.link].state == SIM_LINK_UP &&
		breaks(handle, item.link, broker->faults.break_ppm)) {
		sim_link_break(handle, item.link);
		return;
	}
	sim_list_remove(&handle->items, at);
	switch (item.kind) {
	case SIM_ITEM_CONFIRM: hand_confirm(handle, &item); break;
	case SIM_ITEM_DELIVERY: hand_delivery(handle, &item); break;
	case SIM_ITEM_LOG: hand_log(handle, &item); break;
	case SIM_ITEM_LOG_LOST:
	case SIM_ITEM_LOG_REPLACED: hand_news_of_log(handle, item.kind); break;
	case SIM_ITEM_PLACED: hand_place(handle); break;
	}
	sim_message_drop(item.message);
}

void sim_handle_send(struct sim_handle *handle, struct sim_item item)
{
	struct sim_broker *broker = handle->broker;
	uint64_t delay_us = in_order(handle, &handle->links[item.link].to_node_us);

	if (item.kind != SIM_ITEM_CONFIRM &&
		sim_chance(broker->rng, broker->faults.long_delay_ppm)) {
		broker->counts.delayed_long++;
		delay_us += sim_up_to(broker->rng, broker->faults.long_delay_us);
	}
	item.number = ++handle->item_number;
	sim_list_insert(&handle->items, handle->items.count, &item);
	sim_events_add(broker->events, delay_us, on_item_arrives, handle, item.number);
}

/* --- connections -------------------------------------------------------------------------------*/

static void on_connect(void *context, uint64_t kind);

static void connect_later(struct sim_handle *handle, enum sim_link_kind kind)
{
	struct sim_broker *broker = handle->broker;
	uint64_t now_us = broker->events->now_us;
	uint64_t delay_us = sim_up_to(broker->rng, broker->faults.backoff_us);

	if (broker->up_at_us > now_us + delay_us)
		delay_us += broker->up_at_us - now_us;
	sim_events_add(broker->events, delay_us, on_connect, handle, kind);
}

static void consume_again(struct sim_handle *handle)
{
	struct transport_handler handler = handle->transport.handler;
	struct sim_broker *broker = handle->broker;

	if (handle->replaces) {
		/* Its own connection breaks with it, and comes again. */
		sim_broker_replace_log(broker, handle);
		handle->replaced = true;
		return;
	}
	sim_broker_find_mark(broker, handle);
	if (handle->replaced)
		sim_handle_send(handle,
			(struct sim_item){.kind = SIM_ITEM_LOG_REPLACED, .link = SIM_LINK_CONSUME});
	handle->replaced = false;
	sim_broker_send_log(broker, handle);
	if (!handle->queue || handle->lost)
		return;
	if (sim_broker_attach(broker, handle) || !handle->had_queue)
		return;
	/* It is another's; without it having been ours we just wait our turn. */
	handle->lost = true;
	broker->counts.places_lost++;
	sim_events_note(broker->events, handle->name, "lost", 0);
	handler.on_lost(handler.context);
}

static void on_connect(void *context, uint64_t kind)
{
	struct sim_handle *handle = context;
	struct sim_link *link = &handle->links[kind];

	if (handle->paused || link->state != SIM_LINK_DOWN)
		return;
	if (handle->broker->up_at_us > handle->broker->events->now_us) {
		connect_later(handle, (enum sim_link_kind)kind);
		return;
	}
	link->state = SIM_LINK_UP;
	link->steady_until_us = handle->broker->events->now_us +
				sim_up_to(handle->broker->rng, handle->broker->faults.steady_us);
	sim_events_note(handle->broker->events, handle->name, "connect", kind);
	if (kind == SIM_LINK_CONSUME) {
		consume_again(handle);
		return;
	}
	for (size_t i = 0; i < handle->pending.count; i++)
		publish_send(handle, sim_list_at(&handle->pending, i));
}

/* The node learns of it. What had not arrived does not any more. */
static void on_notice(void *context, uint64_t kind)
{
	struct sim_handle *handle = context;

	if (handle->paused || handle->links[kind].state != SIM_LINK_DEAD)
		return;
	handle->links[kind].state = SIM_LINK_DOWN;
	for (size_t i = handle->items.count; i-- > 0;) {
		if (((struct sim_item *)sim_list_at(&handle->items, i))->link == kind)
			item_drop(handle, i);
	}
	connect_later(handle, (enum sim_link_kind)kind);
}

/* What was on its way to the broker arrives or does not. */
static void settle_travelling(struct sim_handle *handle)
{
	struct sim_broker *broker = handle->broker;

	for (size_t i = 0; i < handle->pending.count; i++) {
		struct sim_publish *publish = sim_list_at(&handle->pending, i);
		bool travelling = publish->state == SIM_PUBLISH_TRAVELLING;

		publish->state = SIM_PUBLISH_WAITING;
		if (!travelling)
			continue;
		if (rng_below(broker->rng, 2))
			sim_broker_accept(broker, publish);
		else
			broker->counts.in_flight_lost++;
	}
}

void sim_link_break(struct sim_handle *handle, enum sim_link_kind kind)
{
	if (handle->links[kind].state != SIM_LINK_UP)
		return;
	handle->links[kind].state = SIM_LINK_DEAD;
	handle->broker->counts.breaks++;
	sim_events_note(handle->broker->events, handle->name, "break", kind);
	if (kind == SIM_LINK_PUBLISH)
		settle_travelling(handle);
	else
		sim_broker_detach(handle->broker, handle);
	on_notice(handle, kind);
}

void sim_transport_break(struct transport *transport)
{
	sim_link_break(handle_of(transport), SIM_LINK_PUBLISH);
	sim_link_break(handle_of(transport), SIM_LINK_CONSUME);
}

/* --- pauses ------------------------------------------------------------------------------------*/

static void on_heartbeat_missed(void *context, uint64_t pause)
{
	struct sim_handle *handle = context;

	if (handle->paused && handle->pauses == pause)
		sim_transport_break(&handle->transport);
}

void sim_transport_pause(struct transport *transport)
{
	struct sim_handle *handle = handle_of(transport);

	assert(!handle->paused);
	handle->paused = true;
	sim_events_note(handle->broker->events, handle->name, "pause", 0);
	sim_events_add(handle->broker->events, handle->broker->faults.heartbeat_us,
		on_heartbeat_missed, handle, ++handle->pauses);
}

void sim_transport_resume(struct transport *transport)
{
	struct sim_handle *handle = handle_of(transport);
	struct sim_broker *broker = handle->broker;

	assert(handle->paused);
	handle->paused = false;
	sim_events_note(broker->events, handle->name, "resume", 0);
	for (size_t i = 0; i < handle->items.count; i++) {
		struct sim_item *item = sim_list_at(&handle->items, i);

		if (!item->due)
			continue;
		item->due = false;
		sim_events_add(broker->events,
			in_order(handle, &handle->links[item->link].to_node_us), on_item_arrives,
			handle, item->number);
	}
	for (uint32_t kind = SIM_LINK_PUBLISH; kind <= SIM_LINK_CONSUME; kind++) {
		if (handle->links[kind].state == SIM_LINK_DOWN)
			connect_later(handle, (enum sim_link_kind)kind);
		else if (handle->links[kind].state == SIM_LINK_DEAD)
			sim_events_add(broker->events,
				sim_up_to(broker->rng, 2 * broker->faults.delay_us), on_notice,
				handle, kind);
	}
}

/* --- the handle --------------------------------------------------------------------------------*/

static int sim_follow(
	struct transport *transport, const struct transport_mark *after, struct error *err)
{
	struct sim_handle *handle = handle_of(transport);

	(void)err;
	handle->following = true;
	handle->has_mark = after != NULL;
	if (after)
		handle->mark = *after;
	if (handle->links[SIM_LINK_CONSUME].state == SIM_LINK_UP)
		sim_broker_find_mark(handle->broker, handle);
	sim_broker_send_log(handle->broker, handle);
	return 0;
}

/* A break, and what is wished when the connection comes again. */
static void sim_replace_log(struct transport *transport)
{
	struct sim_handle *handle = handle_of(transport);

	handle->replaces = true;
	sim_link_break(handle, SIM_LINK_CONSUME);
}

static int sim_consume(struct transport *transport, const char *queue, uint32_t prefetch,
	bool exclusive, struct error *err)
{
	struct sim_handle *handle = handle_of(transport);

	assert(!handle->queue && prefetch > 0);
	if (transport_check_queue(queue, err))
		return -1;
	handle->queue = sim_broker_queue(handle->broker, queue);
	handle->prefetch = prefetch;
	handle->exclusive = exclusive;
	if (handle->links[SIM_LINK_CONSUME].state == SIM_LINK_UP)
		(void)sim_broker_attach(handle->broker, handle);
	return 0;
}

static size_t sim_backlog(const struct transport *transport)
{
	const struct sim_handle *handle = (const struct sim_handle *)transport;
	size_t bytes = 0;

	for (size_t i = 0; i < handle->pending.count; i++)
		bytes += ((struct sim_publish *)sim_list_at(&handle->pending, i))->message->size;
	return bytes;
}

static void sim_close(struct transport *transport)
{
	struct sim_handle *handle = handle_of(transport);
	struct sim_broker *broker = handle->broker;

	sim_events_note(broker->events, handle->name, "close", 0);
	sim_transport_break(transport);
	for (size_t i = broker->handles.count; i-- > 0;) {
		if (*(struct sim_handle **)sim_list_at(&broker->handles, i) == handle)
			sim_list_remove(&broker->handles, i);
	}
	sim_events_cancel(broker->events, handle);
	while (handle->items.count)
		item_drop(handle, handle->items.count - 1);
	for (size_t i = 0; i < handle->pending.count; i++)
		sim_message_drop(((struct sim_publish *)sim_list_at(&handle->pending, i))->message);
	assert(handle->unacked.count == 0);
	sim_list_release(&handle->unacked);
	sim_list_release(&handle->items);
	sim_list_release(&handle->pending);
	free(handle);
}

static const struct transport_ops ops = {
	.follow = sim_follow,
	.consume = sim_consume,
	.publish = sim_publish,
	.append = sim_append,
	.replace_log = sim_replace_log,
	.ack = sim_ack,
	.backlog = sim_backlog,
	.close = sim_close,
};

struct transport *sim_transport_open(struct sim_broker *broker, const char *name)
{
	struct sim_handle *handle = memory_zalloc(sizeof(*handle));

	assert(strlen(name) < sizeof(handle->name));
	memcpy(handle->name, name, strlen(name) + 1);
	handle->transport.ops = &ops;
	handle->broker = broker;
	sim_list_init(&handle->unacked, sizeof(struct sim_unacked));
	sim_list_init(&handle->items, sizeof(struct sim_item));
	sim_list_init(&handle->pending, sizeof(struct sim_publish));
	sim_list_insert(&broker->handles, broker->handles.count, &handle);
	connect_later(handle, SIM_LINK_PUBLISH);
	connect_later(handle, SIM_LINK_CONSUME);
	return &handle->transport;
}

void sim_transport_kill(struct transport *transport)
{
	sim_close(transport);
}
