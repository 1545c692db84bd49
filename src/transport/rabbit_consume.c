/*
 * The thread that consumes: the deliveries of one queue, their acknowledgements, and the log.
 *
 * Acknowledgements come from the owner in any order. They are gathered: one frame acknowledges all
 * deliveries up to the oldest that is still open, and only what lies beyond that has a frame each.
 *
 * An exclusive queue is ours as long as our connection holds the queue "<queue>.holder", which the
 * broker gives to one connection at a time. Whoever does not get it asks again and again: it may be
 * meeting its own old connection, or that of the life before, of which the broker does not know yet
 * that it is dead. It waits as long as that can last, and if the holder's place is still taken
 * then, another has it: on_lost.
 *
 * The log is read on from the last entry that is known, which must be there and be the same: then
 * what follows it is new. The broker may go back to the start of a block of entries, so what stands
 * before it is passed over. Of a log that ends before that entry it brings nothing: when the entry
 * does not come, we look at the end of the log instead.
 */
#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "transport/rabbit_private.h"

#include <stdlib.h>
#include <string.h>

#define HOLD_RETRY_MS_MIN 100
#define HOLD_RETRY_MS_MAX 2000
/* For the broker to bury a connection that it knows to be dead. */
#define LINGER_TOLD_MS 1500
/* Of one it knows nothing of it learns by missing heartbeats; so many of them. */
#define LINGER_HEARTBEATS 3
/* Classic queues only: redelivered messages whose attempts are remembered. */
#define ATTEMPTS_COUNT 4096
/*
 * A reader of the log that heard nothing for so long starts anew where it was: it may be listening
 * to a replica that was stopped when the log got another leader, and nobody tells it.
 */
#define LOG_SILENT_MS_MAX 10000
/*
 * The known entry comes at once in the log that we know, and so it does behind others that stand
 * before it; but a replica may take a while to catch up when the log gets another leader.
 */
#define LOG_UNSEEN_MS_MAX  3000
#define LOG_STRANGE_MS_MAX 12000
/* A broker that is alone has no replicas. */
#define LOG_UNSEEN_ALONE_MS_MAX	 2500
#define LOG_STRANGE_ALONE_MS_MAX 2000
/* Frames that are read before acknowledgements get their turn again. */
#define FRAMES_A_TURN 256

/* A delivery as its frames come in, one for each channel that has any. */
struct assembly {
	struct rabbit_event *event; /* NULL: between two */
	uint64_t tag;
	bool redelivered;
	bool has_method;   /* its header comes next */
	uint64_t skipping; /* bytes of a body that is not ours */
};

struct unacked {
	uint64_t tag;
	bool acked; /* by the owner */
};

struct attempts {
	uint64_t hash;
	uint32_t count;
};

enum hold_state { HOLD_NONE, HOLD_OURS, HOLD_LOST };

struct consumer {
	struct rabbit *rabbit;
	struct rabbit_link *link;
	struct assembly data;
	struct assembly log;

	/* Copies of what the owner wants. */
	const char *queue; /* NULL: nothing */
	uint16_t prefetch;
	bool exclusive;
	bool follows;

	bool consuming; /* on this connection */
	bool following; /* likewise */
	enum hold_state hold;
	uint64_t hold_wanted_ms; /* when it was first refused, without ever having had it */
	uint64_t hold_retry_at_ms;
	struct backoff hold_backoff;

	struct unacked *unacked; /* ascending by tag; those known to the broker as open */
	size_t unacked_count;
	size_t unacked_capacity;
	struct rabbit_numbers acks; /* from the owner */

	enum rabbit_channel log_channel;
	uint64_t log_epoch; /* of its tags; counts from 1 on */
	uint64_t log_heard_ms;
	bool log_has_mark; /* the owner has got an entry */
	struct transport_mark log_mark;
	bool log_at_end;	 /* read from the last block on, and not from the mark */
	bool log_checked;	 /* on this channel: the mark was there */
	uint64_t log_strange_ms; /* likewise: since when there is something else; 0: not */
	uint64_t log_unseen_ms;	 /* likewise: since when it is not; 0: it was */
	bool log_lost;
	bool replaces_log;
	uint64_t log_done; /* the last that it has, by its tag */
	uint64_t log_skipped;
	uint64_t log_acked;
	struct attempts attempts[ATTEMPTS_COUNT];
};

static uint64_t tag_of(uint64_t epoch, uint64_t delivery_tag)
{
	return epoch << RABBIT_TAG_BITS | delivery_tag;
}

static uint64_t delivery_tag_of(uint64_t tag)
{
	return tag & ((1ull << RABBIT_TAG_BITS) - 1);
}

static void assembly_reset(struct assembly *assembly)
{
	free(assembly->event);
	*assembly = (struct assembly){0};
}

/* --- acknowledgements --------------------------------------------------------------------------*/

static int send_ack(
	struct consumer *consumer, enum rabbit_channel channel, uint64_t tag, bool multiple)
{
	struct rabbit_link *link = consumer->link;
	int status = rabbitmq.amqp_basic_ack(
		link->connection, (amqp_channel_t)channel, delivery_tag_of(tag), multiple);

	if (status == AMQP_STATUS_OK)
		return 0;
	link->end = RABBIT_END_SILENT;
	rabbit_link_break(link, rabbitmq.amqp_error_string2(status));
	return -1;
}

static void unacked_add(struct consumer *consumer, uint64_t tag)
{
	if (consumer->unacked_count == consumer->unacked_capacity) {
		consumer->unacked_capacity =
			consumer->unacked_capacity ? 2 * consumer->unacked_capacity : 256;
		consumer->unacked = memory_realloc(
			consumer->unacked, consumer->unacked_capacity * sizeof(*consumer->unacked));
	}
	consumer->unacked[consumer->unacked_count++] = (struct unacked){tag, false};
}

static struct unacked *unacked_find(struct consumer *consumer, uint64_t tag)
{
	size_t low = 0, high = consumer->unacked_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (consumer->unacked[middle].tag < tag)
			low = middle + 1;
		else
			high = middle;
	}
	return low < consumer->unacked_count && consumer->unacked[low].tag == tag
		       ? &consumer->unacked[low]
		       : NULL;
}

static int send_log_ack(struct consumer *consumer)
{
	uint64_t done = consumer->log_done > consumer->log_skipped ? consumer->log_done
								   : consumer->log_skipped;

	if (!consumer->following || done >> RABBIT_TAG_BITS != consumer->log_epoch ||
		done <= consumer->log_acked)
		return 0;
	consumer->log_acked = done;
	return send_ack(consumer, consumer->log_channel, done, true);
}

/*
 * One frame for the run of acknowledged deliveries at the front. Its tag must be open at the
 * broker, which takes an unknown one as an offence: hence those with a frame of their own leave the
 * list.
 */
static int send_acks(struct consumer *consumer)
{
	size_t run = 0, kept = 0;

	for (size_t i = 0; i < consumer->acks.count; i++) {
		struct unacked *unacked = unacked_find(consumer, consumer->acks.items[i]);

		if (unacked)
			unacked->acked = true;
	}
	consumer->acks.count = 0;
	while (run < consumer->unacked_count && consumer->unacked[run].acked)
		run++;
	if (run && send_ack(consumer, RABBIT_CHANNEL_DATA, consumer->unacked[run - 1].tag, true))
		return -1;
	for (size_t i = run; i < consumer->unacked_count; i++) {
		if (!consumer->unacked[i].acked)
			consumer->unacked[kept++] = consumer->unacked[i];
		else if (send_ack(consumer, RABBIT_CHANNEL_DATA, consumer->unacked[i].tag, false))
			return -1;
	}
	consumer->unacked_count = kept;
	return send_log_ack(consumer);
}

/* --- deliveries --------------------------------------------------------------------------------*/

static bool find_number(
	const amqp_basic_properties_t *properties, const char *key, uint64_t *number)
{
	if (!(properties->_flags & AMQP_BASIC_HEADERS_FLAG))
		return false;
	for (int i = 0; i < properties->headers.num_entries; i++) {
		const amqp_table_entry_t *entry = &properties->headers.entries[i];

		if (entry->key.len != strlen(key) ||
			memcmp(entry->key.bytes, key, entry->key.len) != 0)
			continue;
		switch (entry->value.kind) {
		case AMQP_FIELD_KIND_I8: *number = (uint64_t)entry->value.value.i8; return true;
		case AMQP_FIELD_KIND_U8: *number = entry->value.value.u8; return true;
		case AMQP_FIELD_KIND_I16: *number = (uint64_t)entry->value.value.i16; return true;
		case AMQP_FIELD_KIND_U16: *number = entry->value.value.u16; return true;
		case AMQP_FIELD_KIND_I32: *number = (uint64_t)entry->value.value.i32; return true;
		case AMQP_FIELD_KIND_U32: *number = entry->value.value.u32; return true;
		case AMQP_FIELD_KIND_I64: *number = (uint64_t)entry->value.value.i64; return true;
		case AMQP_FIELD_KIND_U64: *number = entry->value.value.u64; return true;
		default: return false;
		}
	}
	return false;
}

/* How often a message of a classic queue came again, as far as is remembered. */
static uint32_t count_attempt(struct consumer *consumer, const struct rabbit_event *event)
{
	uint64_t hash = event->size ? hash_bytes(event->bytes, event->size) : 1;
	struct attempts *attempts = &consumer->attempts[hash % ATTEMPTS_COUNT];

	if (attempts->hash != hash)
		*attempts = (struct attempts){.hash = hash};
	return ++attempts->count;
}

static void note_forged(const struct consumer *consumer, const char *queue)
{
	rabbit_note(consumer->rabbit, LOG_MESSAGE_FORGED,
		LOG_FIELDS(LOG_TEXT("node", consumer->rabbit->options.node),
			LOG_TEXT("queue", queue)));
}

static void finish_data(struct consumer *consumer, struct assembly *assembly)
{
	struct rabbit_event *event = assembly->event;

	if (!seal_open(&consumer->rabbit->consumed_seal, event->bytes, &event->size)) {
		note_forged(consumer, consumer->queue);
		unacked_add(consumer, event->tag);
		rabbit_numbers_add(&consumer->acks, event->tag);
		free(event);
		return;
	}

	metric_add(METRIC_DELIVERED_MESSAGES, 1);
	metric_add(METRIC_DELIVERED_BYTES, event->size);
	metric_add(METRIC_REDELIVERED_MESSAGES, assembly->redelivered);
	unacked_add(consumer, event->tag);
	if (!event->attempt && assembly->redelivered)
		event->attempt = count_attempt(consumer, event);
	if (event->attempt < consumer->rabbit->options.attempts_max) {
		rabbit_tell(consumer->rabbit, event);
		return;
	}
	rabbit_note(consumer->rabbit, LOG_DEAD_LETTER,
		LOG_FIELDS(LOG_TEXT("node", consumer->rabbit->options.node),
			LOG_TEXT("queue", consumer->queue), LOG_NUMBER("attempts", event->attempt),
			LOG_NUMBER("bytes", event->size)));
	rabbit_bury(consumer->rabbit, event);
}

static void lose_log(struct consumer *consumer)
{
	consumer->log_lost = true;
	rabbit_note(consumer->rabbit, LOG_LOG_LOST,
		LOG_FIELDS(LOG_TEXT("node", consumer->rabbit->options.node),
			LOG_NUMBER("offset", consumer->log_mark.offset)));
	rabbit_tell(consumer->rabbit, rabbit_event_new(RABBIT_EVENT_LOG_LOST, 0));
}

/* Whether the owner has it already, or must not have it. */
static bool is_passed_over(
	struct consumer *consumer, const struct rabbit_event *event, uint64_t hash)
{
	const struct transport_mark *mark = &consumer->log_mark;

	if (consumer->log_lost)
		return true;
	if (consumer->log_checked)
		return consumer->log_has_mark && event->offset <= mark->offset;
	if (event->offset < mark->offset) {
		if (!consumer->log_strange_ms)
			consumer->log_strange_ms = clock_monotonic_ms();
		return true;
	}
	if (event->offset > mark->offset && consumer->log_at_end) {
		/* It goes on behind the mark: that is where to look. */
		consumer->log_heard_ms = 0;
		return true;
	}
	consumer->log_checked = event->offset == mark->offset && hash == mark->hash;
	if (!consumer->log_checked)
		lose_log(consumer);
	return true;
}

static void finish_log(struct consumer *consumer, struct assembly *assembly)
{
	struct rabbit_event *event = assembly->event;
	bool is_ours = seal_open(&consumer->rabbit->log->seal, event->bytes, &event->size);
	uint64_t hash = hash_bytes(event->bytes, event->size);

	consumer->log_heard_ms = clock_monotonic_ms();
	if (!is_ours)
		note_forged(consumer, consumer->rabbit->log->name);
	/* What all nodes pass over is as if it were not in the log. */
	if (is_passed_over(consumer, event, hash) || !is_ours) {
		consumer->log_skipped = event->tag;
		free(event);
		return;
	}
	consumer->log_has_mark = true;
	consumer->log_mark = (struct transport_mark){event->offset, hash};
	metric_add(METRIC_LOG_ENTRIES, 1);
	rabbit_entry_seen(consumer->rabbit, hash);
	rabbit_tell(consumer->rabbit, event);
}

static void finish(struct consumer *consumer, struct assembly *assembly)
{
	if (assembly == &consumer->data)
		finish_data(consumer, assembly);
	else
		finish_log(consumer, assembly);
	assembly->event = NULL;
}

static int take_header(
	struct consumer *consumer, struct assembly *assembly, const amqp_frame_t *frame)
{
	uint64_t size = frame->payload.properties.body_size;
	const amqp_basic_properties_t *properties = frame->payload.properties.decoded;
	bool is_data = assembly == &consumer->data;
	uint64_t tag = tag_of(is_data ? consumer->link->epoch : consumer->log_epoch, assembly->tag);
	struct rabbit_event *event;
	uint64_t attempt = 0;

	if (!assembly->has_method)
		return 0;
	assembly->has_method = false;
	if (size > TRANSPORT_MESSAGE_MAX) {
		rabbit_note(consumer->rabbit, LOG_MESSAGE_TOO_LARGE,
			LOG_FIELDS(LOG_TEXT("node", consumer->rabbit->options.node),
				LOG_NUMBER("bytes", size)));
		assembly->skipping = size;
		if (!is_data)
			return 0;
		unacked_add(consumer, tag);
		rabbit_numbers_add(&consumer->acks, tag);
		return 0;
	}
	event = rabbit_event_new(is_data ? RABBIT_EVENT_DELIVERY : RABBIT_EVENT_LOG, size);
	event->tag = tag;
	if (is_data && find_number(properties, "x-delivery-count", &attempt))
		event->attempt = attempt > UINT32_MAX ? UINT32_MAX : (uint32_t)attempt;
	if (!is_data)
		find_number(properties, "x-stream-offset", &event->offset);
	assembly->event = event;
	if (!size)
		finish(consumer, assembly);
	return 0;
}

static int take_body(
	struct consumer *consumer, struct assembly *assembly, const amqp_frame_t *frame)
{
	amqp_bytes_t bytes = frame->payload.body_fragment;
	struct rabbit_event *event = assembly->event;

	if (assembly->skipping) {
		assembly->skipping -=
			bytes.len < assembly->skipping ? bytes.len : assembly->skipping;
		return 0;
	}
	if (!event || bytes.len > event->size - event->filled) {
		consumer->link->end = RABBIT_END_SILENT;
		rabbit_link_break(consumer->link, "a body longer than its header says");
		return -1;
	}
	memcpy(event->bytes + event->filled, bytes.bytes, bytes.len);
	event->filled += bytes.len;
	if (event->filled == event->size)
		finish(consumer, assembly);
	return 0;
}

/* -1: the link is broken. */
static int take_frame(struct consumer *consumer, const amqp_frame_t *frame)
{
	bool is_data = frame->channel == RABBIT_CHANNEL_DATA;
	struct assembly *assembly = is_data ? &consumer->data : &consumer->log;
	const amqp_basic_deliver_t *deliver;

	if (!is_data && frame->channel != consumer->log_channel)
		return 0;
	if (frame->frame_type == AMQP_FRAME_HEADER)
		return take_header(consumer, assembly, frame);
	if (frame->frame_type == AMQP_FRAME_BODY)
		return take_body(consumer, assembly, frame);
	if (frame->frame_type != AMQP_FRAME_METHOD)
		return 0;
	if (frame->payload.method.id == AMQP_BASIC_CANCEL_METHOD) {
		/* The queue was deleted, or has moved. */
		if (is_data)
			consumer->consuming = false;
		else
			consumer->log_heard_ms = 0;
		return 0;
	}
	if (frame->payload.method.id != AMQP_BASIC_DELIVER_METHOD)
		return 0;
	deliver = frame->payload.method.decoded;
	assembly->tag = deliver->delivery_tag;
	assembly->redelivered = deliver->redelivered;
	assembly->has_method = true;
	return 0;
}

/* 1: there may be more; 0: read all there is; -1: the link is broken. */
static int read_deliveries(struct consumer *consumer)
{
	amqp_frame_t frame;

	for (uint32_t i = 0; i < FRAMES_A_TURN; i++) {
		int result = rabbit_link_read(consumer->link, &frame);

		if (result <= 0)
			return result;
		if (take_frame(consumer, &frame))
			return -1;
	}
	return 1;
}

/* --- consuming ---------------------------------------------------------------------------------*/

static void lose(struct consumer *consumer)
{
	consumer->hold = HOLD_LOST;
	rabbit_note(consumer->rabbit, LOG_QUEUE_LOST,
		LOG_FIELDS(LOG_TEXT("node", consumer->rabbit->options.node),
			LOG_TEXT("queue", consumer->queue)));
	rabbit_tell(consumer->rabbit, rabbit_event_new(RABBIT_EVENT_LOST, 0));
}

/* Another connection holds the queue. */
static void wait_for_turn(struct consumer *consumer)
{
	struct rabbit_link *link = consumer->link;
	uint64_t now_ms = clock_monotonic_ms();
	uint64_t silent_ms = 1000ull * LINGER_HEARTBEATS * consumer->rabbit->options.heartbeat_s;
	uint64_t linger_ms = link->end == RABBIT_END_TOLD ? LINGER_TOLD_MS : silent_ms;

	if (!consumer->hold_wanted_ms)
		consumer->hold_wanted_ms = now_ms;
	if (consumer->hold == HOLD_OURS ? now_ms >= link->down_since_ms + linger_ms
					: now_ms >= consumer->hold_wanted_ms + silent_ms) {
		lose(consumer);
		return;
	}
	consumer->hold_retry_at_ms = now_ms + backoff_next(&consumer->hold_backoff, &link->rng);
}

/* -1: the link is broken. */
static int consume(struct consumer *consumer)
{
	struct rabbit_link *link = consumer->link;

	if (rabbit_link_declare(link, consumer->queue, false) != RABBIT_DECLARED)
		return -1;
	if (consumer->exclusive) {
		enum rabbit_declared held = rabbit_link_hold(link, consumer->queue);

		if (held == RABBIT_REFUSED)
			wait_for_turn(consumer);
		if (held != RABBIT_DECLARED)
			return held == RABBIT_REFUSED ? 0 : -1;
		if (consumer->hold != HOLD_OURS)
			rabbit_tell(consumer->rabbit, rabbit_event_new(RABBIT_EVENT_PLACED, 0));
		consumer->hold = HOLD_OURS;
		backoff_reset(&consumer->hold_backoff);
	}
	rabbitmq.amqp_basic_qos(link->connection, RABBIT_CHANNEL_DATA, 0, consumer->prefetch, 0);
	if (rabbit_link_check(link, "basic.qos"))
		return -1;
	rabbitmq.amqp_basic_consume(link->connection, RABBIT_CHANNEL_DATA,
		rabbitmq.amqp_cstring_bytes(consumer->queue), RABBIT_NO_BYTES, 0, 0, 0,
		RABBIT_NO_TABLE);
	if (rabbit_link_check(link, "basic.consume"))
		return -1;
	consumer->consuming = true;
	return 0;
}

/* -1: the link is broken. */
static int follow(struct consumer *consumer)
{
	struct rabbit_link *link = consumer->link;
	const char *name = link->log_name;
	amqp_channel_t channel = (amqp_channel_t)consumer->log_channel;
	amqp_table_entry_t from = {.key = rabbitmq.amqp_cstring_bytes("x-stream-offset")};

	if (consumer->log_has_mark && !consumer->log_at_end) {
		from.value.kind = AMQP_FIELD_KIND_I64;
		from.value.value.i64 = (int64_t)consumer->log_mark.offset;
	} else {
		from.value.kind = AMQP_FIELD_KIND_UTF8;
		from.value.value.bytes =
			rabbitmq.amqp_cstring_bytes(consumer->log_at_end ? "last" : "first");
	}
	if (rabbit_link_find_log(link) != RABBIT_DECLARED ||
		rabbit_link_open_channel(link, consumer->log_channel))
		return -1;
	rabbitmq.amqp_basic_qos(link->connection, channel, 0, RABBIT_LOG_PREFETCH, 0);
	if (rabbit_link_check(link, "basic.qos"))
		return -1;
	rabbitmq.amqp_basic_consume(link->connection, channel, rabbitmq.amqp_cstring_bytes(name),
		RABBIT_NO_BYTES, 0, 0, 0, (amqp_table_t){1, &from});
	if (rabbit_link_check(link, "basic.consume"))
		return -1;
	consumer->following = true;
	consumer->log_checked = !consumer->log_has_mark;
	consumer->log_strange_ms = 0;
	consumer->log_epoch++;
	consumer->log_heard_ms = clock_monotonic_ms();
	if (consumer->log_checked)
		consumer->log_unseen_ms = 0;
	else if (!consumer->log_unseen_ms)
		consumer->log_unseen_ms = consumer->log_heard_ms;
	return 0;
}

/* For how long the known entry may be late before the log is another one. */
static uint64_t strange_ms_max(const struct consumer *consumer)
{
	return consumer->rabbit->options.is_alone ? LOG_STRANGE_ALONE_MS_MAX : LOG_STRANGE_MS_MAX;
}

/* The log is on the channel no more. -1: the link is broken. */
static int leave_log(struct consumer *consumer)
{
	consumer->following = false;
	if (rabbit_link_close_channel(consumer->link, consumer->log_channel))
		return -1;
	consumer->log_channel = consumer->log_channel == RABBIT_CHANNEL_LOG ? RABBIT_CHANNEL_LOG_TOO
									    : RABBIT_CHANNEL_LOG;
	assembly_reset(&consumer->log);
	return 0;
}

/* Leaves a channel on which the log is silent. -1: the link is broken. */
static int leave_silent_log(struct consumer *consumer)
{
	bool is_alone = consumer->rabbit->options.is_alone;
	uint64_t unseen_ms_max = is_alone ? LOG_UNSEEN_ALONE_MS_MAX : LOG_UNSEEN_MS_MAX;
	uint64_t silent_ms_max = consumer->log_checked ? LOG_SILENT_MS_MAX : unseen_ms_max;
	uint64_t now_ms = clock_monotonic_ms();

	if (!consumer->following || (!consumer->log_checked && consumer->log_strange_ms) ||
		now_ms < consumer->log_heard_ms + silent_ms_max)
		return 0;
	/* Neither the known entry nor, at the end, any other: it is empty. */
	if (!consumer->log_checked && consumer->log_at_end && !consumer->log_lost &&
		now_ms >= consumer->log_unseen_ms + strange_ms_max(consumer))
		lose_log(consumer);
	consumer->log_at_end = !consumer->log_checked && !consumer->log_at_end;
	return leave_log(consumer);
}

/* What the owner wishes. -1: the link is broken, and it is tried again on the next. */
static int replace_log(struct consumer *consumer)
{
	if (consumer->following && leave_log(consumer))
		return -1;
	if (rabbit_link_replace_log(consumer->link) != RABBIT_DECLARED)
		return -1;
	pthread_mutex_lock(&consumer->rabbit->lock);
	consumer->rabbit->replaces_log = false;
	pthread_mutex_unlock(&consumer->rabbit->lock);
	consumer->replaces_log = false;
	consumer->log_lost = false;
	consumer->log_has_mark = false;
	consumer->log_at_end = false;
	consumer->log_unseen_ms = 0;
	rabbit_tell(consumer->rabbit, rabbit_event_new(RABBIT_EVENT_LOG_REPLACED, 0));
	return 0;
}

/* When all was read that there is. */
static void look_at_log(struct consumer *consumer)
{
	if (consumer->following && !consumer->log_checked && !consumer->log_lost &&
		consumer->log_strange_ms &&
		clock_monotonic_ms() >= consumer->log_strange_ms + strange_ms_max(consumer))
		lose_log(consumer);
}

static int start_what_is_wanted(struct consumer *consumer)
{
	if (consumer->replaces_log && replace_log(consumer))
		return -1;
	if (leave_silent_log(consumer))
		return -1;
	if (consumer->follows && !consumer->log_lost && !consumer->following && follow(consumer))
		return -1;
	if (!consumer->queue || consumer->consuming || consumer->hold == HOLD_LOST ||
		clock_monotonic_ms() < consumer->hold_retry_at_ms)
		return 0;
	return consume(consumer);
}

/* --- the thread --------------------------------------------------------------------------------*/

static void take_wishes(struct consumer *consumer)
{
	struct rabbit *rabbit = consumer->rabbit;
	struct rabbit_numbers empty = consumer->acks;
	bool swap = !empty.count;

	pthread_mutex_lock(&rabbit->lock);
	if (!consumer->follows && rabbit->follows && rabbit->has_mark) {
		consumer->log_has_mark = true;
		consumer->log_mark = rabbit->mark;
	}
	consumer->follows = rabbit->follows;
	consumer->replaces_log = rabbit->replaces_log;
	consumer->queue = rabbit->consumed;
	consumer->prefetch = rabbit->prefetch;
	consumer->exclusive = rabbit->exclusive;
	consumer->log_done = rabbit->log_done;
	if (swap) {
		consumer->acks = rabbit->acks;
		rabbit->acks = empty;
	} else {
		for (size_t i = 0; i < rabbit->acks.count; i++)
			rabbit_numbers_add(&consumer->acks, rabbit->acks.items[i]);
		rabbit->acks.count = 0;
	}
	pthread_mutex_unlock(&rabbit->lock);
}

/* The connection is gone, and all tags with it. */
static void consumer_reset(struct consumer *consumer)
{
	if (!consumer->consuming && !consumer->following && !consumer->unacked_count)
		return;
	assembly_reset(&consumer->data);
	assembly_reset(&consumer->log);
	consumer->consuming = false;
	consumer->following = false;
	consumer->log_unseen_ms = 0;
	consumer->unacked_count = 0;
	consumer->hold_retry_at_ms = 0;
	backoff_reset(&consumer->hold_backoff);
	rabbit_forget_deliveries(consumer->rabbit);
}

static uint32_t time_to_nap(const struct consumer *consumer)
{
	uint64_t now_ms = clock_monotonic_ms();

	if (!consumer->queue || consumer->consuming || consumer->hold == HOLD_LOST)
		return RABBIT_NAP_MS;
	return consumer->hold_retry_at_ms > now_ms ? (uint32_t)(consumer->hold_retry_at_ms - now_ms)
						   : 0;
}

static void consumer_turn(struct consumer *consumer)
{
	int result;

	if (!consumer->link->connection) {
		consumer_reset(consumer);
		if (!rabbit_link_connect(consumer->link))
			return;
	}
	take_wishes(consumer);
	if (start_what_is_wanted(consumer) || send_acks(consumer))
		return;
	result = read_deliveries(consumer);
	if (result == 0) {
		look_at_log(consumer);
		rabbit_link_nap(consumer->link, time_to_nap(consumer));
	}
}

void *rabbit_consumer_main(void *context)
{
	struct consumer *consumer = memory_zalloc(sizeof(*consumer));

	consumer->rabbit = context;
	consumer->link = &consumer->rabbit->consumer;
	consumer->log_channel = RABBIT_CHANNEL_LOG;
	consumer->hold_backoff = (struct backoff){
		.min_ms = HOLD_RETRY_MS_MIN, .max_ms = HOLD_RETRY_MS_MAX, .chance_percent = 50};
	while (!atomic_load(&consumer->rabbit->closing))
		consumer_turn(consumer);
	/* What the owner acknowledged before it closed need not come again. */
	if (consumer->link->connection) {
		take_wishes(consumer);
		if (!send_acks(consumer))
			rabbit_link_close(consumer->link);
	}
	assembly_reset(&consumer->data);
	assembly_reset(&consumer->log);
	free(consumer->unacked);
	free(consumer->acks.items);
	free(consumer);
	return NULL;
}
