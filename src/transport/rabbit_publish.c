/*
 * The thread that publishes.
 *
 * A message goes from the owner's outbox to `waiting`, is sent, stands in a ring until the broker
 * confirms it, and is forgotten. When the connection breaks, what stands in the ring goes back to
 * the front of `waiting` in its order, and is sent again on the next one.
 *
 * Nothing is lost in silence: a queue is declared on every connection before the first message to
 * it, and messages are mandatory. When one comes back all the same (its queue was deleted
 * meanwhile) the connection is broken on purpose before its confirm is read, and everything starts
 * from the declaration again. So it is with a message that the broker refuses: a channel that met a
 * quorum queue while its leader was dead refuses everything from then on, a new one does not.
 * Entries of the log are believed only when they are read there (struct rabbit_entry).
 */
#include "base/clock.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "transport/rabbit_private.h"

#include <assert.h>
#include <stdlib.h>

/* What may be on its way unconfirmed. More does not make it faster, and delays confirms. */
#define RING_COUNT     8192
#define RING_BYTES_MAX (32u << 20)
/* Confirms are looked for after so much, or so many. */
#define READ_BYTES (512u << 10)
#define READ_COUNT 64
/*
 * The oldest message is confirmed within this time, unless the broker holds us back: a channel can
 * go on talking to the dead leader of a queue or of the log. A new one finds the living.
 */
#define CONFIRM_MS_MAX 15000

struct publisher {
	struct rabbit *rabbit;
	struct rabbit_link *link;
	struct rabbit_messages waiting;
	struct rabbit_message *ring[RING_COUNT]; /* by delivery tag; NULL: confirmed */
	uint64_t first_tag;			 /* the oldest in the ring */
	uint64_t next_tag;			 /* of the next message to be sent */
	size_t ring_bytes;
	uint64_t first_since_ms;	/* since when the oldest is the oldest */
	bool refused;			/* a message, on this connection */
	struct rabbit_numbers confirms; /* to be told */
};

static void waiting_prepend(struct publisher *publisher, struct rabbit_message *message)
{
	message->next = publisher->waiting.first;
	if (!message->next)
		publisher->waiting.last = &message->next;
	publisher->waiting.first = message;
}

static struct rabbit_message *waiting_take(struct publisher *publisher)
{
	struct rabbit_message *message = publisher->waiting.first;

	publisher->waiting.first = message->next;
	if (!message->next)
		publisher->waiting.last = &publisher->waiting.first;
	return message;
}

static void take_outbox(struct publisher *publisher)
{
	struct rabbit *rabbit = publisher->rabbit;

	pthread_mutex_lock(&rabbit->lock);
	if (rabbit->outbox.first) {
		*publisher->waiting.last = rabbit->outbox.first;
		publisher->waiting.last = rabbit->outbox.last;
		rabbit->outbox = (struct rabbit_messages){NULL, &rabbit->outbox.first};
	}
	pthread_mutex_unlock(&rabbit->lock);
}

/* --- the ring ----------------------------------------------------------------------------------*/

static struct rabbit_message **ring_at(struct publisher *publisher, uint64_t tag)
{
	return &publisher->ring[tag % RING_COUNT];
}

static bool ring_has_room(const struct publisher *publisher)
{
	return publisher->next_tag - publisher->first_tag < RING_COUNT &&
	       publisher->ring_bytes < RING_BYTES_MAX;
}

static void ring_add(struct publisher *publisher, struct rabbit_message *message)
{
	assert(publisher->next_tag - publisher->first_tag < RING_COUNT);
	if (publisher->first_tag == publisher->next_tag)
		publisher->first_since_ms = clock_monotonic_ms();
	*ring_at(publisher, publisher->next_tag++) = message;
	message->sent_us = clock_monotonic_us();
	publisher->ring_bytes += message->size;
}

/* NULL when it is not there: confirmed already. */
static struct rabbit_message *ring_take(struct publisher *publisher, uint64_t tag)
{
	struct rabbit_message **at = ring_at(publisher, tag);
	struct rabbit_message *message = *at;

	if (tag == publisher->first_tag)
		publisher->first_since_ms = clock_monotonic_ms();
	*at = NULL;
	if (message)
		publisher->ring_bytes -= message->size;
	while (publisher->first_tag < publisher->next_tag &&
		!*ring_at(publisher, publisher->first_tag))
		publisher->first_tag++;
	return message;
}

/* The connection is gone: everything again. */
static void ring_rewind(struct publisher *publisher)
{
	for (uint64_t tag = publisher->next_tag; tag-- > publisher->first_tag;) {
		struct rabbit_message **at = ring_at(publisher, tag);

		if (*at)
			waiting_prepend(publisher, *at);
		*at = NULL;
	}
	publisher->first_tag = publisher->next_tag = 1;
	publisher->ring_bytes = 0;
}

/* --- confirms ----------------------------------------------------------------------------------*/

static void confirm(struct publisher *publisher, struct rabbit_message *message)
{
	atomic_fetch_sub(&publisher->rabbit->backlog, message->size);
	metric_observe_us(METRIC_CONFIRM, clock_monotonic_us() - message->sent_us);
	if (message->entry)
		rabbit_entry_confirmed(publisher->rabbit, message->entry);
	if (message->dead) {
		rabbit_tell(publisher->rabbit, message->dead);
		message->dead = NULL;
	} else if (!message->is_again) {
		rabbit_numbers_add(&publisher->confirms, message->id);
	}
	rabbit_message_free(message);
}

static void take_answer(struct publisher *publisher, uint64_t tag, bool multiple, bool is_yes)
{
	uint64_t first = multiple ? publisher->first_tag : tag;

	/* Bytes from a network: a tag that we never used means nothing. 0 with `multiple`: all. */
	if (multiple && tag == 0)
		tag = publisher->next_tag - 1;
	if (tag >= publisher->next_tag || first < publisher->first_tag)
		return;
	for (; first <= tag; first++) {
		struct rabbit_message *message = ring_take(publisher, first);

		if (message && is_yes) {
			confirm(publisher, message);
		} else if (message) {
			rabbit_messages_append(&publisher->waiting, message);
			publisher->refused = true;
		}
	}
}

/* -1: the link is broken. */
static int take_frame(struct publisher *publisher, const amqp_frame_t *frame)
{
	const amqp_method_t *method = &frame->payload.method;

	if (frame->frame_type != AMQP_FRAME_METHOD)
		return 0;
	if (method->id == AMQP_BASIC_ACK_METHOD) {
		const amqp_basic_ack_t *ack = method->decoded;

		take_answer(publisher, ack->delivery_tag, ack->multiple, true);
	} else if (method->id == AMQP_BASIC_NACK_METHOD) {
		const amqp_basic_nack_t *nack = method->decoded;

		take_answer(publisher, nack->delivery_tag, nack->multiple, false);
	} else if (method->id == AMQP_BASIC_RETURN_METHOD) {
		publisher->link->end = RABBIT_END_TOLD;
		rabbit_link_break(publisher->link, "a queue was deleted; its message came back");
		return -1;
	}
	return 0;
}

static bool is_overdue(const struct publisher *publisher)
{
	return publisher->first_tag < publisher->next_tag &&
	       clock_monotonic_ms() >= publisher->first_since_ms + CONFIRM_MS_MAX;
}

static int read_answers(struct publisher *publisher)
{
	amqp_frame_t frame;
	int result;

	while ((result = rabbit_link_read(publisher->link, &frame)) > 0) {
		if (take_frame(publisher, &frame)) {
			result = -1;
			break;
		}
	}
	if (publisher->confirms.count) {
		rabbit_tell_confirms(publisher->rabbit, &publisher->confirms);
		publisher->confirms.count = 0;
	}
	if (publisher->link->blocked)
		publisher->first_since_ms = clock_monotonic_ms();
	if (result < 0 || (!publisher->refused && !is_overdue(publisher)))
		return result;
	publisher->link->end = RABBIT_END_TOLD;
	rabbit_link_break(publisher->link, publisher->refused
						   ? "the broker refused a message"
						   : "the broker confirms nothing any more");
	return -1;
}

/* --- publishing --------------------------------------------------------------------------------*/

static int send_message(struct publisher *publisher, struct rabbit_message *message)
{
	const amqp_basic_properties_t properties = {
		._flags = AMQP_BASIC_DELIVERY_MODE_FLAG, .delivery_mode = AMQP_DELIVERY_PERSISTENT};
	struct rabbit_link *link = publisher->link;
	amqp_bytes_t body = {message->size, message->dead ? message->dead->bytes : message->bytes};
	const char *name = message->queue->name;
	int status;

	if (message->queue->declared_epoch != link->epoch || message->is_again) {
		if ((message->queue->is_log
				    ? rabbit_link_find_log(link)
				    : rabbit_link_declare(link, name, false)) != RABBIT_DECLARED)
			return -1;
		message->queue->declared_epoch = link->epoch;
	}
	if (message->queue->is_log)
		name = link->log_name;
	status = rabbitmq.amqp_basic_publish(link->connection, RABBIT_CHANNEL_DATA, RABBIT_NO_BYTES,
		rabbitmq.amqp_cstring_bytes(name), 1, 0, &properties, body);
	if (status == AMQP_STATUS_OK)
		return 0;
	link->end = RABBIT_END_SILENT;
	rabbit_link_break(link, rabbitmq.amqp_error_string2(status));
	return -1;
}

static bool may_send(const struct publisher *publisher)
{
	return publisher->waiting.first && !publisher->link->blocked && ring_has_room(publisher);
}

/* As much as may be on its way. -1: the link is broken. */
static int send_waiting(struct publisher *publisher)
{
	size_t bytes = 0;
	uint32_t count = 0;

	while (may_send(publisher) && !atomic_load(&publisher->rabbit->closing)) {
		struct rabbit_message *message = waiting_take(publisher);

		/* Into the ring before it is sent: what fails half-way is sent again with the rest.
		 */
		ring_add(publisher, message);
		if (send_message(publisher, message))
			return -1;
		metric_add(METRIC_PUBLISHED_MESSAGES, 1);
		metric_add(METRIC_PUBLISHED_BYTES, message->size);
		bytes += message->size;
		if (++count < READ_COUNT && bytes < READ_BYTES)
			continue;
		count = 0;
		bytes = 0;
		if (read_answers(publisher))
			return -1;
	}
	return read_answers(publisher);
}

static int start_confirms(struct publisher *publisher)
{
	rabbitmq.amqp_confirm_select(publisher->link->connection, RABBIT_CHANNEL_DATA);
	return rabbit_link_check(publisher->link, "confirm.select");
}

static void publisher_turn(struct publisher *publisher)
{
	struct rabbit_link *link = publisher->link;

	if (!link->connection) {
		ring_rewind(publisher);
		publisher->refused = false;
		if (!rabbit_link_connect(link) || start_confirms(publisher))
			return;
	}
	rabbit_entries_repeat(publisher->rabbit);
	take_outbox(publisher);
	if (send_waiting(publisher) || may_send(publisher))
		return;
	rabbit_link_nap(link, RABBIT_NAP_MS);
}

void *rabbit_publisher_main(void *context)
{
	struct publisher *publisher = memory_zalloc(sizeof(*publisher));

	publisher->rabbit = context;
	publisher->link = &publisher->rabbit->publisher;
	publisher->waiting.last = &publisher->waiting.first;
	publisher->first_tag = publisher->next_tag = 1;
	while (!atomic_load(&publisher->rabbit->closing))
		publisher_turn(publisher);
	rabbit_link_close(publisher->link);
	ring_rewind(publisher);
	while (publisher->waiting.first)
		rabbit_message_free(waiting_take(publisher));
	free(publisher->confirms.items);
	free(publisher);
	return NULL;
}
