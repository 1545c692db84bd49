/*
 * Three brokers as one cluster, the one that everybody talks to killed in the middle: what was
 * confirmed is there, what was not is confirmed in the end, and the log goes on where it was.
 *
 * Three brokers take half a minute to start, so this runs only when asked to: make broker-cluster.
 */
#include "base/clock.h"
#include "cluster/broker.h"
#include "transport/rabbit.h"
#include "unit/transport/broker_files.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define BROKERS	      3
#define MESSAGES      20000
#define MESSAGE_SIZE  2000
#define ENTRY_EVERY   100
#define BACKLOG_MAX   200000
#define PATIENCE_MS   300000
#define PREFIX	      "three."
#define URLS_SIZE_MAX 512

struct node {
	struct transport *transport;
	uint32_t sent;
	uint32_t appended;
	uint32_t confirmed;
	bool seen[MESSAGES];
	uint32_t seen_count;
	uint32_t entry_count;
	uint64_t next_offset;
	uint64_t last_ms;
	uint64_t gap_ms; /* the longest without a confirm */
};

static char folder[64];
static struct broker *brokers[BROKERS];
static char urls[URLS_SIZE_MAX];

static void on_delivery(void *context, const struct transport_delivery *delivery)
{
	struct node *node = context;
	uint32_t number;

	assert_int_equal(delivery->size, MESSAGE_SIZE);
	memcpy(&number, delivery->bytes, sizeof(number));
	assert_true(number < MESSAGES);
	node->seen_count += !node->seen[number];
	node->seen[number] = true;
	transport_ack(node->transport, delivery->tag);
}

static void on_confirm(void *context, uint64_t id)
{
	struct node *node = context;
	uint64_t time_ms = clock_monotonic_ms();

	(void)id;
	node->confirmed++;
	if (node->last_ms && time_ms - node->last_ms > node->gap_ms)
		node->gap_ms = time_ms - node->last_ms;
	node->last_ms = time_ms;
}

static void on_log(void *context, uint64_t offset, const uint8_t *bytes, size_t size)
{
	struct node *node = context;

	(void)bytes;
	(void)size;
	assert_true(offset >= node->next_offset);
	node->next_offset = offset + 1;
	node->entry_count++;
}

static void on_lost(void *context)
{
	(void)context;
	fail_msg("nobody else was there to take the queue");
}

static void print_log(void *context, enum log_event event, const char *line)
{
	(void)context;
	(void)event;
	if (getenv("VERBOSE"))
		print_message("%s\n", line);
}

/* Up to `count` in all. */
static void publish_some(struct node *node, uint32_t count)
{
	char bytes[MESSAGE_SIZE] = {0};
	struct error err;

	while (node->sent < count && transport_backlog(node->transport) < BACKLOG_MAX) {
		memcpy(bytes, &node->sent, sizeof(node->sent));
		assert_int_equal(
			transport_publish(node->transport, "queue", bytes, sizeof(bytes), 0, &err),
			0);
		if (node->sent++ % ENTRY_EVERY)
			continue;
		assert_int_equal(transport_append(node->transport, "entry", 5, 0, &err), 0);
		node->appended++;
	}
}

static bool is_done(const struct node *node)
{
	return node->confirmed == MESSAGES + node->appended && node->seen_count == MESSAGES &&
	       node->entry_count >= node->appended;
}

/* Whether every broker would know the queue and the log after a kill. */
static bool all_are_safe(void)
{
	char path[80];

	for (uint32_t i = 0; i < BROKERS; i++) {
		snprintf(path, sizeof(path), "%s.%u", folder, i);
		if (!broker_has_quorum_queue(path, PREFIX "queue") ||
			!broker_has_stream(path, PREFIX "log"))
			return false;
	}
	return true;
}

static void test_leader_dies(void **state)
{
	const struct rabbit_options options = {
		.url = urls,
		.queue_type = "quorum",
		.prefix = PREFIX,
		.node = "node",
		.log = print_log,
	};
	struct node *node = calloc(1, sizeof(*node));
	uint64_t deadline_ms = clock_monotonic_ms() + PATIENCE_MS;
	bool safe = false, killed = false;
	struct error err;

	(void)state;
	assert_int_equal(rabbit_open(&node->transport, &options, &err), 0);
	node->transport->handler = (struct transport_handler){
		.on_delivery = on_delivery,
		.on_confirm = on_confirm,
		.on_log = on_log,
		.on_lost = on_lost,
		.context = node,
	};
	assert_int_equal(transport_follow(node->transport, NULL, &err), 0);
	assert_int_equal(transport_consume(node->transport, "queue", 100, true, &err), 0);
	while (!is_done(node)) {
		struct pollfd wait = {rabbit_event_fd(node->transport), POLLIN, 0};

		if (clock_monotonic_ms() > deadline_ms)
			fail_msg("%u confirmed, %u of %u seen, %u of %u logged", node->confirmed,
				node->seen_count, MESSAGES, node->entry_count, node->appended);
		safe = safe || all_are_safe();
		publish_some(node, safe ? MESSAGES : MESSAGES / 4);
		if (poll(&wait, 1, 100) > 0)
			rabbit_dispatch(node->transport);
		if (killed || node->confirmed < MESSAGES / 2)
			continue;
		killed = true;
		broker_kill(brokers[0]);
		node->gap_ms = 0;
	}
	print_message("no confirm for %u ms\n", (unsigned)node->gap_ms);
	transport_close(node->transport);
	free(node);
}

static int start_brokers(void **state)
{
	struct error err;

	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/test_rabbit_cluster.%d", (int)getpid());
	for (uint32_t i = 0; i < BROKERS; i++) {
		char name[8], path[80];
		const struct broker_options options = {
			.name = name, .join = i ? brokers[0] : NULL, .dies_with_parent = true};

		snprintf(name, sizeof(name), "node%u", i);
		snprintf(path, sizeof(path), "%s.%u", folder, i);
		if (broker_start(&brokers[i], path, &options, &err) ||
			broker_wait_ready(brokers[i], PATIENCE_MS, &err)) {
			print_error("%s\n", err.message);
			return -1;
		}
		snprintf(urls + strlen(urls), sizeof(urls) - strlen(urls), "%s%s", i ? "," : "",
			broker_url(brokers[i]));
	}
	return 0;
}

static int stop_brokers(void **state)
{
	char command[128];
	FILE *remover;

	(void)state;
	for (uint32_t i = BROKERS; i-- > 0;)
		broker_stop(brokers[i]);
	snprintf(command, sizeof(command), "rm -rf %s.[0-9]*", folder);
	remover = popen(command, "r");
	if (remover)
		pclose(remover);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_leader_dies)};

	if (!getenv("BROKERS") || !broker_is_installed()) {
		printf("skip test_rabbit_cluster three brokers: make broker-cluster\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, start_brokers, stop_brokers);
}
