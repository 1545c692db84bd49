/*
 * A real RabbitMQ that does not behave: it dies, holds publishers back, and loses queues and the
 * log because somebody deleted them.
 */
#include "unit/transport/broker_files.h"
#include "unit/transport/rabbit_fixture.h"

/* --- a broker that dies ------------------------------------------------------------------------*/

#define LOAD_COUNT 1500 /* messages a stage and queue */
#define LOAD_SIZE  2000
#define STAGES	   3
#define LOAD_TOTAL (STAGES * LOAD_COUNT)

/* Takes what it gets and keeps what it saw. */
struct load_node {
	struct transport *transport;
	bool seen[LOAD_TOTAL];
	uint32_t seen_count;
	uint32_t confirm_count;
	uint64_t next_offset;
	uint32_t entry_count;
	uint32_t lost;
};

static void load_on_delivery(void *context, const struct transport_delivery *delivery)
{
	struct load_node *node = context;
	uint32_t number;

	assert_int_equal(delivery->size, LOAD_SIZE);
	memcpy(&number, delivery->bytes, sizeof(number));
	assert_true(number < LOAD_TOTAL);
	node->seen_count += !node->seen[number];
	node->seen[number] = true;
	transport_ack(node->transport, delivery->tag);
}

static void load_on_confirm(void *context, uint64_t id)
{
	struct load_node *node = context;

	(void)id;
	node->confirm_count++;
}

static void load_on_log(void *context, uint64_t offset, const uint8_t *bytes, size_t size)
{
	struct load_node *node = context;

	(void)bytes;
	assert_int_equal(size, 5);
	assert_true(offset >= node->next_offset);
	node->next_offset = offset + 1;
	node->entry_count++;
}

static void load_on_lost(void *context)
{
	struct load_node *node = context;

	node->lost++;
}

static struct load_node *load_open(const char *name)
{
	struct load_node *node = memory_zalloc(sizeof(*node));

	node->transport = open_node(NULL, name);
	node->transport->handler = (struct transport_handler){
		.on_delivery = load_on_delivery,
		.on_confirm = load_on_confirm,
		.on_log = load_on_log,
		.on_lost = load_on_lost,
		.context = node,
	};
	return node;
}

static void load_consume(struct load_node *node, const char *queue)
{
	struct error err;

	assert_int_equal(transport_consume(node->transport, queue, 100, true, &err), 0);
}

/* To both queues, and an entry in the log for every hundred. */
static void load_publish(struct load_node *node, uint32_t stage)
{
	uint8_t bytes[LOAD_SIZE] = {0};
	struct error err;

	for (uint32_t i = 0; i < LOAD_COUNT; i++) {
		uint32_t number = stage * LOAD_COUNT + i;

		memcpy(bytes, &number, sizeof(number));
		assert_int_equal(transport_publish(node->transport, "early", bytes, sizeof(bytes),
					 number, &err),
			0);
		assert_int_equal(transport_publish(node->transport, "late", bytes, sizeof(bytes),
					 number, &err),
			0);
		if (i % 100 == 0)
			assert_int_equal(
				transport_append(node->transport, "entry", 5, number, &err), 0);
	}
}

#define CONFIRMS_A_STAGE (2 * LOAD_COUNT + LOAD_COUNT / 100)

struct load {
	char prefix[32];
	bool quorum;
	struct load_node *from;
	struct load_node *early; /* consumes all the time */
	struct load_node *late;	 /* only when all is confirmed */
};

static void load_start(struct load *load, const char *queue_type)
{
	struct error err;

	setup(queue_type);
	snprintf(load->prefix, sizeof(load->prefix), "%s", world.prefix);
	load->quorum = strcmp(queue_type, "quorum") == 0;
	load->from = load_open("from");
	load->early = load_open("early");
	load->late = load_open("late");
	load_consume(load->early, "early");
	assert_int_equal(transport_follow(load->early->transport, NULL, &err), 0);
	load_publish(load->from, 0);
}

/* Whether the broker would know its queues and the log after a kill. */
static bool load_is_safe(const struct load *load)
{
	static const char *const queues[] = {"early", "late"};
	char name[64];

	for (uint32_t i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s%s", load->prefix, queues[i]);
		if (!(load->quorum ? broker_has_quorum_queue(world.folder, name)
				   : broker_has_queue(world.folder, name)))
			return false;
	}
	snprintf(name, sizeof(name), "%slog", load->prefix);
	return broker_has_stream(world.folder, name);
}

static void load_finish(struct load *load)
{
	load_consume(load->late, "late");
	while (load->early->seen_count < LOAD_TOTAL || load->late->seen_count < LOAD_TOTAL)
		suite_wait();
	assert_int_equal(load->from->confirm_count, STAGES * CONFIRMS_A_STAGE);
	assert_true(load->early->entry_count >= STAGES * LOAD_COUNT / 100);
	assert_int_equal(load->early->lost, 0);
	assert_int_equal(transport_backlog(load->from->transport), 0);
	transport_close(load->from->transport);
	transport_close(load->early->transport);
	transport_close(load->late->transport);
	free(load->from);
	free(load->early);
	free(load->late);
}

static void test_broker_dies(void **state)
{
	static const char *const types[] = {"classic", "quorum"};
	struct load loads[2];
	struct error err;

	(void)state;
	for (uint32_t i = 0; i < 2; i++)
		load_start(&loads[i], types[i]);
	while (loads[0].from->confirm_count < CONFIRMS_A_STAGE ||
		loads[1].from->confirm_count < CONFIRMS_A_STAGE)
		suite_wait();
	while (!load_is_safe(&loads[0]) || !load_is_safe(&loads[1]))
		suite_wait();
	for (uint32_t i = 0; i < 2; i++)
		load_publish(loads[i].from, 1);
	while (loads[0].from->confirm_count < CONFIRMS_A_STAGE * 4 / 3 ||
		loads[1].from->confirm_count < CONFIRMS_A_STAGE * 4 / 3)
		suite_wait();
	broker_kill(world.broker);
	assert_int_equal(broker_pid(world.broker), 0);
	for (uint32_t i = 0; i < 2; i++)
		load_publish(loads[i].from, 2);
	while (rabbit_is_connected(loads[0].from->transport))
		suite_wait();
	assert_true(transport_backlog(loads[0].from->transport) > 0);
	if (broker_restart(world.broker, &err))
		fail_msg("%s", err.message);
	for (uint32_t i = 0; i < 2; i++) {
		while (loads[i].from->confirm_count < STAGES * CONFIRMS_A_STAGE)
			suite_wait();
	}
	for (uint32_t i = 0; i < 2; i++)
		load_finish(&loads[i]);
}

/* --- a broker that holds publishers back -------------------------------------------------------*/

#define BLOCKED_HEARTBEAT_S 2

static void test_blocked_publisher(void **state)
{
	static uint8_t bytes[65536];
	struct suite_node *from, *to;
	uint64_t started_ms;
	struct error err;

	(void)state;
	world.heartbeat_s = BLOCKED_HEARTBEAT_S;
	from = suite_open("from");
	to = suite_open("to");
	suite_publish(from, 'a', 50, 0);
	while (from->confirm_count < 50)
		suite_wait();
	control("set_vm_memory_high_watermark", "0.00001", NULL);
	/* A call that waited for the broker would not come back. */
	for (uint32_t i = 0; i < 300; i++)
		assert_int_equal(transport_publish(from->transport, suite_fixture.queue, bytes,
					 sizeof(bytes), i, &err),
			0);
	suite_consume(to, 100, true);
	while (suite_seen_of(to, NULL, 'a', 50) < 50)
		suite_wait();
	/* Longer than the heartbeat: no connection may be given up meanwhile. */
	started_ms = clock_monotonic_ms();
	while (clock_monotonic_ms() < started_ms + 1500 * BLOCKED_HEARTBEAT_S)
		suite_wait();
	assert_true(from->confirm_count < 100);
	assert_true(transport_backlog(from->transport) > 200 * sizeof(bytes));
	control("set_vm_memory_high_watermark", "0.4", NULL);
	while (from->confirm_count < 350 || to->seen_count < 350)
		suite_wait();
	suite_close(from);
	suite_close(to);
}

/* A handle whose publisher waits for the broker is closed while it still does. */
static void test_close_while_blocked(void **state)
{
	static uint8_t bytes[1 << 20];
	struct suite_node *from = suite_open("from");
	struct error err;

	(void)state;
	suite_fixture.settle(suite_fixture.context);
	control("set_vm_memory_high_watermark", "0.00001", NULL);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(transport_publish(from->transport, suite_fixture.queue, bytes,
					 sizeof(bytes), i, &err),
			0);
	for (uint32_t i = 0; i < 5; i++)
		suite_wait();
	suite_close(from);
	control("set_vm_memory_high_watermark", "0.4", NULL);
}

/* --- what somebody deleted ---------------------------------------------------------------------*/

static void test_deleted_queue(void **state)
{
	struct suite_node *from = suite_open("from");
	struct suite_node *to = suite_open("to");
	char name[64];

	(void)state;
	suite_consume(to, 5, true);
	suite_publish(from, 'a', 1, 0);
	while (suite_seen_of(to, NULL, 'a', 1) < 1 || from->confirm_count < 1)
		suite_wait();
	snprintf(name, sizeof(name), "%squeue", world.prefix);
	control("delete_queue", name, NULL);
	suite_publish(from, 'b', 5, 1);
	while (suite_seen_of(to, NULL, 'b', 5) < 5 || from->confirm_count < 6)
		suite_wait();
	suite_close(from);
	suite_close(to);
}

/* One entry after the other, each when the one before is confirmed: it may take long. */
static void append_until_lost(struct suite_node *from, struct suite_node *to, uint32_t number)
{
	size_t awaited = from->confirm_count;

	while (to->log_lost < 1) {
		if (from->confirm_count >= awaited && from->confirm_count < SUITE_SEEN_MAX / 2) {
			awaited = from->confirm_count + 1;
			suite_append(from, "new", number);
		}
		suite_wait();
	}
}

/* The control log is deleted under its readers: one of them is at work, one was away. */
static void test_deleted_log(void **state)
{
	struct suite_node *from = suite_open("from");
	struct suite_node *to = suite_open("to");
	struct transport_mark mark;
	char name[64];
	struct error err;

	(void)state;
	assert_int_equal(transport_follow(to->transport, NULL, &err), 0);
	for (uint32_t i = 0; i < 20; i++)
		suite_append(from, "old", i);
	while (to->entry_count < 20 || from->confirm_count < 20)
		suite_wait();
	mark = (struct transport_mark){to->entries[19].offset, to->entries[19].hash};
	snprintf(name, sizeof(name), "%slog", world.prefix);
	control("delete_queue", name, NULL);
	suite_append(from, "new", 20);
	while (from->confirm_count < 21)
		suite_wait();
	append_until_lost(from, to, 21);
	assert_int_equal(to->entry_count, 20);
	suite_close(to);
	to = suite_open("to");
	assert_int_equal(transport_follow(to->transport, &mark, &err), 0);
	append_until_lost(from, to, 22);
	assert_int_equal(to->entry_count, 0);
	suite_close(to);
	/* Another that knows nothing reads what there is. */
	to = suite_open("to");
	assert_int_equal(transport_follow(to->transport, NULL, &err), 0);
	while (suite_times_logged(to, "new") < 3)
		suite_wait();
	assert_int_equal(to->log_lost, 0);
	assert_int_equal(suite_times_logged(to, "old"), 0);
	suite_close(from);
	suite_close(to);
}

/* --- the program -------------------------------------------------------------------------------*/

static int start(void **state)
{
	(void)state;
	make_folder("test_rabbit_faults");
	return start_broker(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		QUORUM_TEST(test_deleted_queue),
		CLASSIC_TEST(test_deleted_log),
		CLASSIC_TEST(test_blocked_publisher),
		CLASSIC_TEST(test_close_while_blocked),
		CLASSIC_TEST(test_broker_dies),
	};

	if (!broker_is_installed()) {
		printf("skip test_rabbit_faults RabbitMQ is not installed\n");
		return 0;
	}
	cmocka_set_test_filter(getenv("TEST"));
	return cmocka_run_group_tests(tests, start, stop_broker);
}
