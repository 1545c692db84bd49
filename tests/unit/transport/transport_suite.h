/*
 * What every transport must do: transport.h's promises as tests over an abstract fixture. A test
 * program sets `suite_fixture` before each of them and lists them with TRANSPORT_SUITE.
 *
 * Where the fixture is not calm (connections break, messages are repeated) a test asks for what is
 * promised even then. A fixture may stop being calm in the middle of a test: a test looks at the
 * moment it asks, after it has waited for what must come in any case.
 */
#ifndef TRANSPORT_SUITE_H
#define TRANSPORT_SUITE_H

#include "base/hash.h"
#include "base/memory.h"
#include "transport/transport.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct suite_fixture {
	void *context;
	/* A new node; its handler is set before anything else is called. */
	struct transport *(*open)(void *context, const char *name);
	/* Lets something happen; false when it was waited long enough. */
	bool (*poll)(void *context);
	/* Until nothing happens any more, as far as can be told. */
	void (*settle)(void *context);
	/* Breaks the node's connections; NULL: it cannot. */
	void (*break_connections)(void *context, struct transport *transport);
	bool calm;
	const char *queue; /* a queue that nobody used before */
};

static struct suite_fixture suite_fixture;

#define SUITE_SEEN_MAX 2048

struct suite_seen {
	uint64_t tag;
	uint64_t hash; /* of the bytes */
	uint64_t size;
	uint32_t attempt;
	char first; /* byte; 0 when there is none */
};

struct suite_entry {
	uint64_t offset;
	uint64_t hash;
};

struct suite_node {
	struct transport *transport;
	bool acks;
	const char *forward_to; /* publishes what it gets to another queue; NULL: no */
	uint32_t seen_count;
	struct suite_seen seen[SUITE_SEEN_MAX];
	uint32_t confirm_count;
	uint64_t confirms[SUITE_SEEN_MAX];
	uint32_t entry_count;
	struct suite_entry entries[SUITE_SEEN_MAX];
	uint32_t placed;
	uint32_t lost;
	uint32_t log_lost;
	bool inside; /* a handler: it must not be entered again */
};

static inline void suite_on_delivery(void *context, const struct transport_delivery *delivery)
{
	struct suite_node *node = context;
	struct error err;

	assert_false(node->inside);
	assert_true(node->seen_count < SUITE_SEEN_MAX);
	node->inside = true;
	node->seen[node->seen_count++] = (struct suite_seen){
		.tag = delivery->tag,
		.hash = delivery->size ? hash_bytes(delivery->bytes, delivery->size) : 0,
		.size = delivery->size,
		.attempt = delivery->attempt,
		.first = delivery->size ? (char)delivery->bytes[0] : 0,
	};
	if (node->forward_to)
		assert_int_equal(transport_publish(node->transport, node->forward_to,
					 delivery->bytes, delivery->size, 0, &err),
			0);
	if (node->acks)
		transport_ack(node->transport, delivery->tag);
	node->inside = false;
}

static inline void suite_on_confirm(void *context, uint64_t id)
{
	struct suite_node *node = context;

	assert_false(node->inside);
	assert_true(node->confirm_count < SUITE_SEEN_MAX);
	node->confirms[node->confirm_count++] = id;
}

static inline void suite_on_log(void *context, uint64_t offset, const uint8_t *bytes, size_t size)
{
	struct suite_node *node = context;

	assert_false(node->inside);
	assert_true(node->entry_count < SUITE_SEEN_MAX);
	if (node->entry_count)
		assert_true(offset > node->entries[node->entry_count - 1].offset);
	node->entries[node->entry_count++] = (struct suite_entry){offset, hash_bytes(bytes, size)};
}

static inline void suite_on_placed(void *context)
{
	struct suite_node *node = context;

	assert_false(node->inside);
	node->placed++;
}

static inline void suite_on_lost(void *context)
{
	struct suite_node *node = context;

	assert_false(node->inside);
	node->lost++;
}

static inline void suite_on_log_lost(void *context)
{
	struct suite_node *node = context;

	assert_false(node->inside);
	node->log_lost++;
}

static inline struct suite_node *suite_open(const char *name)
{
	struct suite_node *node = memory_zalloc(sizeof(*node));

	node->acks = true;
	node->transport = suite_fixture.open(suite_fixture.context, name);
	node->transport->handler = (struct transport_handler){
		.on_delivery = suite_on_delivery,
		.on_confirm = suite_on_confirm,
		.on_log = suite_on_log,
		.on_log_lost = suite_on_log_lost,
		.on_placed = suite_on_placed,
		.on_lost = suite_on_lost,
		.context = node,
	};
	return node;
}

static inline void suite_close(struct suite_node *node)
{
	transport_close(node->transport);
	free(node);
}

static inline void suite_consume(struct suite_node *node, uint32_t prefetch, bool exclusive)
{
	struct error err;

	assert_int_equal(
		transport_consume(node->transport, suite_fixture.queue, prefetch, exclusive, &err),
		0);
}

static inline void suite_publish_text(struct suite_node *node, const char *text, uint64_t id)
{
	struct error err;

	assert_int_equal(transport_publish(node->transport, suite_fixture.queue, text, strlen(text),
				 id, &err),
		0);
}

/* The texts "a0" to "a<count - 1>", with ids from `first_id`. */
static inline void suite_publish(
	struct suite_node *node, char letter, uint32_t count, uint64_t first_id)
{
	for (uint32_t i = 0; i < count; i++) {
		char text[16];

		snprintf(text, sizeof(text), "%c%u", letter, i);
		suite_publish_text(node, text, first_id + i);
	}
}

static inline uint32_t suite_times_seen(const struct suite_node *node, const char *text)
{
	uint64_t hash = hash_bytes(text, strlen(text));
	uint32_t times = 0;

	for (uint32_t i = 0; i < node->seen_count; i++)
		times += node->seen[i].hash == hash && node->seen[i].size == strlen(text);
	return times;
}

/* How many of suite_publish's texts were seen, by the one or the other (which may be NULL). */
static inline uint32_t suite_seen_of(
	const struct suite_node *node, const struct suite_node *other, char letter, uint32_t count)
{
	uint32_t seen = 0;

	for (uint32_t i = 0; i < count; i++) {
		char text[16];

		snprintf(text, sizeof(text), "%c%u", letter, i);
		seen += suite_times_seen(node, text) || (other && suite_times_seen(other, text));
	}
	return seen;
}

static inline void suite_wait(void)
{
	if (!suite_fixture.poll(suite_fixture.context))
		fail_msg("waited in vain");
}

/* --- the tests ---------------------------------------------------------------------------------*/

static inline void suite_test_round_trip(void **state)
{
	struct suite_node *from = suite_open("from");
	struct suite_node *to = suite_open("to");
	struct suite_node *later;

	(void)state;
	suite_consume(to, 5, false);
	suite_publish(from, 'a', 20, 100);
	while (from->confirm_count < 20 || suite_seen_of(to, NULL, 'a', 20) < 20)
		suite_wait();
	suite_fixture.settle(suite_fixture.context);
	assert_int_equal(from->confirm_count, 20);
	for (uint64_t id = 100; id < 120; id++) {
		uint32_t times = 0;

		for (uint32_t i = 0; i < 20; i++)
			times += from->confirms[i] == id;
		assert_int_equal(times, 1);
	}
	suite_close(to);
	/* What was acknowledged is gone. */
	later = suite_open("later");
	suite_consume(later, 5, false);
	suite_publish(from, 'b', 1, 0);
	while (suite_seen_of(later, NULL, 'b', 1) < 1)
		suite_wait();
	suite_fixture.settle(suite_fixture.context);
	if (suite_fixture.calm) {
		assert_int_equal(later->seen_count, 1);
		assert_int_equal(later->seen[0].attempt, 0);
	}
	suite_close(from);
	suite_close(later);
}

static inline void suite_test_queue_outlives_publisher(void **state)
{
	struct suite_node *from = suite_open("from");
	struct suite_node *to;

	(void)state;
	suite_publish(from, 'a', 10, 0);
	while (from->confirm_count < 10)
		suite_wait();
	suite_close(from);
	to = suite_open("to");
	suite_consume(to, 3, false);
	while (suite_seen_of(to, NULL, 'a', 10) < 10)
		suite_wait();
	suite_close(to);
}

static inline void suite_test_unacked_come_back(void **state)
{
	struct suite_node *from = suite_open("from");
	struct suite_node *first = suite_open("first");
	struct suite_node *second;

	(void)state;
	first->acks = false;
	suite_consume(first, 10, false);
	suite_publish(from, 'a', 5, 0);
	while (suite_seen_of(first, NULL, 'a', 5) < 5)
		suite_wait();
	suite_close(first);
	second = suite_open("second");
	suite_consume(second, 10, false);
	while (suite_seen_of(second, NULL, 'a', 5) < 5)
		suite_wait();
	if (suite_fixture.calm) {
		for (uint32_t i = 0; i < second->seen_count; i++)
			assert_true(second->seen[i].attempt > 0);
	}
	suite_close(second);
	suite_close(from);
}

/*
 * So many come, and then no more until one is acknowledged. After a break of its connection a
 * consumer has had more than it knows tags of.
 */
static inline void suite_wait_for_window(const struct suite_node *node, uint32_t count)
{
	while (node->seen_count < count && (suite_fixture.calm || node->seen_count < 3))
		suite_wait();
	suite_fixture.settle(suite_fixture.context);
	if (suite_fixture.calm)
		assert_int_equal(node->seen_count, count);
}

static inline void suite_test_prefetch(void **state)
{
	struct suite_node *from = suite_open("from");
	struct suite_node *to = suite_open("to");

	(void)state;
	to->acks = false;
	suite_consume(to, 3, false);
	suite_publish(from, 'a', 10, 0);
	suite_wait_for_window(to, 3);
	transport_ack(to->transport, to->seen[1].tag);
	suite_wait_for_window(to, 4);
	transport_ack(to->transport, to->seen[0].tag);
	transport_ack(to->transport, to->seen[2].tag);
	suite_wait_for_window(to, 6);
	suite_close(from);
	suite_close(to);
}

static inline void suite_test_competing_consumers(void **state)
{
	struct suite_node *from = suite_open("from");
	struct suite_node *one = suite_open("one");
	struct suite_node *two = suite_open("two");
	uint32_t early = 0;
	char text[32];

	(void)state;
	suite_consume(one, 2, false);
	suite_consume(two, 2, false);
	/* Until both are there. */
	for (uint32_t i = 0; one->seen_count == 0 || two->seen_count == 0; i++, early++) {
		snprintf(text, sizeof(text), "early %u", i);
		suite_publish_text(from, text, i);
		while (!suite_times_seen(one, text) && !suite_times_seen(two, text))
			suite_wait();
	}
	suite_publish(from, 'a', 60, 0);
	while (suite_seen_of(one, two, 'a', 60) < 60)
		suite_wait();
	if (suite_fixture.calm)
		assert_int_equal(one->seen_count + two->seen_count, early + 60);
	suite_close(from);
	suite_close(one);
	suite_close(two);
}

static inline void suite_test_publish_from_handler(void **state)
{
	char next[TRANSPORT_QUEUE_NAME_MAX];
	struct suite_node *from = suite_open("from");
	struct suite_node *middle = suite_open("middle");
	struct suite_node *to = suite_open("to");
	struct error err;

	(void)state;
	snprintf(next, sizeof(next), "%s.next", suite_fixture.queue);
	middle->forward_to = next;
	suite_consume(middle, 4, true);
	assert_int_equal(transport_consume(to->transport, next, 4, true, &err), 0);
	suite_publish(from, 'a', 30, 0);
	while (suite_seen_of(to, NULL, 'a', 30) < 30)
		suite_wait();
	suite_close(from);
	suite_close(middle);
	suite_close(to);
}

static inline void suite_append(struct suite_node *node, const char *text, uint64_t id)
{
	struct error err;

	assert_int_equal(transport_append(node->transport, text, strlen(text), id, &err), 0);
}

static inline uint32_t suite_times_logged(const struct suite_node *node, const char *text)
{
	uint64_t hash = hash_bytes(text, strlen(text));
	uint32_t times = 0;

	for (uint32_t i = 0; i < node->entry_count; i++)
		times += node->entries[i].hash == hash;
	return times;
}

static inline void suite_compare_logs(const struct suite_node *a, const struct suite_node *b)
{
	assert_int_equal(a->entry_count, b->entry_count);
	for (uint32_t i = 0; i < a->entry_count; i++) {
		assert_int_equal(a->entries[i].offset, b->entries[i].offset);
		assert_int_equal(a->entries[i].hash, b->entries[i].hash);
	}
}

static inline void suite_test_log(void **state)
{
	struct suite_node *one = suite_open("one");
	struct suite_node *two = suite_open("two");
	struct suite_node *late;
	char text[16];
	struct error err;

	(void)state;
	assert_int_equal(transport_follow(one->transport, NULL, &err), 0);
	for (uint32_t i = 0; i < 10; i++) {
		snprintf(text, sizeof(text), "one %u", i);
		suite_append(one, text, i);
		snprintf(text, sizeof(text), "two %u", i);
		suite_append(two, text, i);
	}
	assert_int_equal(transport_follow(two->transport, NULL, &err), 0);
	while (one->confirm_count < 10 || two->confirm_count < 10)
		suite_wait();
	late = suite_open("late");
	assert_int_equal(transport_follow(late->transport, NULL, &err), 0);
	while (one->entry_count < 20 || two->entry_count < one->entry_count ||
		late->entry_count < one->entry_count)
		suite_wait();
	suite_fixture.settle(suite_fixture.context);
	suite_compare_logs(one, two);
	suite_compare_logs(one, late);
	for (uint32_t i = 0; i < 10; i++) {
		snprintf(text, sizeof(text), "one %u", i);
		assert_true(suite_times_logged(one, text) >= 1);
		snprintf(text, sizeof(text), "two %u", i);
		assert_true(suite_times_logged(one, text) >= 1);
	}
	if (suite_fixture.calm)
		assert_int_equal(one->entry_count, 20);
	suite_close(one);
	suite_close(two);
	suite_close(late);
}

/* Behind any entry that was read before, the last one included. */
static inline void suite_test_log_from_a_mark(void **state)
{
	struct suite_node *one = suite_open("one");
	struct suite_node *two;
	struct error err;

	(void)state;
	assert_int_equal(transport_follow(one->transport, NULL, &err), 0);
	for (uint32_t i = 0; i < 5; i++)
		suite_append(one, "early", i);
	while (one->entry_count < 5)
		suite_wait();
	suite_fixture.settle(suite_fixture.context);
	for (uint32_t i = 0; i < 5; i += 2) {
		struct transport_mark mark = {one->entries[i].offset, one->entries[i].hash};
		uint32_t before = one->entry_count;

		two = suite_open("two");
		assert_int_equal(transport_follow(two->transport, &mark, &err), 0);
		suite_append(two, "late", i);
		while (one->entry_count == before || two->entry_count < one->entry_count - i - 1)
			suite_wait();
		suite_fixture.settle(suite_fixture.context);
		assert_int_equal(two->entry_count, one->entry_count - i - 1);
		for (uint32_t j = 0; j < two->entry_count; j++)
			assert_int_equal(two->entries[j].offset, one->entries[i + 1 + j].offset);
		assert_int_equal(two->log_lost, 0);
		suite_close(two);
	}
	suite_close(one);
}

static inline void suite_test_exclusive(void **state)
{
	struct suite_node *from = suite_open("from");
	struct suite_node *first = suite_open("first");
	struct suite_node *second = suite_open("second");

	(void)state;
	suite_consume(first, 5, true);
	suite_publish(from, 'a', 10, 0);
	while (suite_seen_of(first, NULL, 'a', 1) < 1)
		suite_wait();
	suite_consume(second, 5, true);
	/* Not for long, where it is not calm: the second gives up when its patience ends. */
	if (suite_fixture.calm) {
		suite_publish(from, 'b', 10, 0);
		while (suite_fixture.calm &&
			(suite_seen_of(first, NULL, 'b', 10) < 10 || first->placed < 1))
			suite_wait();
	}
	if (suite_fixture.calm) {
		assert_int_equal(second->seen_count, 0);
		assert_int_equal(second->placed, 0);
	}
	suite_close(first);
	suite_publish(from, 'c', 10, 0);
	while (suite_seen_of(second, NULL, 'c', 10) < 10)
		suite_wait();
	while (second->placed < 1)
		suite_wait();
	assert_int_equal(second->placed, 1);
	assert_int_equal(second->lost, 0);
	suite_close(from);
	suite_close(second);
}

static inline void suite_test_lost_place(void **state)
{
	struct suite_node *from, *first, *second;
	char text[32];

	(void)state;
	if (!suite_fixture.break_connections)
		skip();
	from = suite_open("from");
	first = suite_open("first");
	second = suite_open("second");
	suite_consume(first, 5, true);
	suite_publish(from, 'a', 1, 0);
	while (suite_seen_of(first, NULL, 'a', 1) < 1)
		suite_wait();
	suite_consume(second, 5, true);
	/* Again, where the first comes back before the second has noticed. */
	for (uint32_t i = 0; !first->lost && !second->placed; i++) {
		suite_fixture.break_connections(suite_fixture.context, first->transport);
		snprintf(text, sizeof(text), "between %u", i);
		suite_publish_text(from, text, i);
		while (!first->lost && !suite_times_seen(first, text) &&
			!suite_times_seen(second, text))
			suite_wait();
	}
	while (!first->lost)
		suite_wait();
	suite_publish(from, 'b', 10, 0);
	while (suite_seen_of(second, NULL, 'b', 10) < 10)
		suite_wait();
	assert_int_equal(first->lost, 1);
	assert_int_equal(suite_seen_of(first, NULL, 'b', 10), 0);
	suite_close(from);
	suite_close(first);
	suite_close(second);
}

static inline void suite_test_broken_connections(void **state)
{
	struct suite_node *from, *to;

	(void)state;
	if (!suite_fixture.break_connections)
		skip();
	from = suite_open("from");
	to = suite_open("to");
	to->acks = false;
	suite_consume(to, 8, true);
	suite_publish(from, 'a', 30, 0);
	while (to->seen_count < 4)
		suite_wait();
	suite_fixture.break_connections(suite_fixture.context, from->transport);
	suite_fixture.break_connections(suite_fixture.context, to->transport);
	/* Void by now. */
	for (uint32_t i = 0; i < to->seen_count; i++)
		transport_ack(to->transport, to->seen[i].tag);
	to->seen_count = 0;
	to->acks = true;
	suite_publish(from, 'b', 30, 30);
	while (from->confirm_count < 60 || suite_seen_of(to, NULL, 'a', 30) < 30 ||
		suite_seen_of(to, NULL, 'b', 30) < 30)
		suite_wait();
	suite_fixture.settle(suite_fixture.context);
	assert_int_equal(from->confirm_count, 60);
	suite_close(from);
	suite_close(to);
}

static inline void suite_test_sizes(void **state)
{
	static const size_t sizes[] = {0, 1, 100, 65536, 3000001, 20u << 20};
	const uint32_t count = sizeof(sizes) / sizeof(*sizes);
	struct suite_node *from = suite_open("from");
	struct suite_node *to = suite_open("to");
	char *bytes = memory_alloc(sizes[count - 1]);
	uint32_t found = 0;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizes[count - 1]; i++)
		bytes[i] = (char)(i * 7 + (i >> 10));
	suite_consume(to, 2, false);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(transport_publish(from->transport, suite_fixture.queue, bytes,
					 sizes[i], i, &err),
			0);
	while (found < count) {
		suite_wait();
		found = 0;
		for (uint32_t i = 0; i < count; i++) {
			bool seen = false;

			for (uint32_t j = 0; j < to->seen_count; j++)
				seen = seen || to->seen[j].size == sizes[i];
			found += seen;
		}
	}
	for (uint32_t j = 0; j < to->seen_count; j++) {
		uint64_t size = to->seen[j].size;

		assert_int_equal(to->seen[j].hash, size ? hash_bytes(bytes, size) : 0);
	}
	free(bytes);
	suite_close(from);
	suite_close(to);
}

static inline void suite_test_limits(void **state)
{
	char name[TRANSPORT_QUEUE_NAME_MAX + 2];
	struct suite_node *node = suite_open("node");
	char *bytes = memory_zalloc(TRANSPORT_MESSAGE_MAX + 1u);
	struct error err;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	assert_int_equal(transport_consume(node->transport, name, 1, false, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_int_equal(transport_publish(node->transport, name, "x", 1, 0, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_int_equal(transport_publish(node->transport, suite_fixture.queue, bytes,
				 TRANSPORT_MESSAGE_MAX + 1u, 0, &err),
		-1);
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_int_equal(
		transport_append(node->transport, bytes, TRANSPORT_MESSAGE_MAX + 1u, 0, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	/* It goes on. */
	suite_consume(node, 1, false);
	suite_publish(node, 'a', 1, 0);
	while (suite_seen_of(node, NULL, 'a', 1) < 1)
		suite_wait();
	free(bytes);
	suite_close(node);
}

static inline void suite_test_ids_repeat(void **state)
{
	struct suite_node *node = suite_open("node");

	(void)state;
	for (uint32_t i = 0; i < 5; i++)
		suite_publish_text(node, "text", 7);
	suite_append(node, "entry", 7);
	while (node->confirm_count < 6)
		suite_wait();
	suite_fixture.settle(suite_fixture.context);
	assert_int_equal(node->confirm_count, 6);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(node->confirms[i], 7);
	suite_close(node);
}

struct suite_test {
	const char *name;
	void (*run)(void **state);
};

#define TRANSPORT_SUITE(item)                                                                \
	item(suite_test_round_trip), item(suite_test_queue_outlives_publisher),              \
		item(suite_test_unacked_come_back), item(suite_test_prefetch),               \
		item(suite_test_competing_consumers), item(suite_test_publish_from_handler), \
		item(suite_test_log), item(suite_test_log_from_a_mark),                      \
		item(suite_test_exclusive), item(suite_test_lost_place),                     \
		item(suite_test_broken_connections), item(suite_test_sizes),                 \
		item(suite_test_limits), item(suite_test_ids_repeat)

#endif
