/*
 * The simulated transport through the suite that every transport passes, calm and under faults, and
 * what the simulation promises beyond it: pauses, restarts, and that a seed decides everything.
 */
#include "transport/sim.h"
#include "unit/transport/transport_suite.h"

#define STEPS_MAX 2000000

struct world {
	struct sim_events events;
	struct rng rng;
	struct sim_broker *broker;
	uint64_t steps;
};

static const struct sim_faults calm = {
	.delay_us = 500, .backoff_us = 2000, .heartbeat_us = 1000000};

static const struct sim_faults stormy = {
	.duplicate_ppm = 50000,
	.reorder_ppm = 200000,
	.reorder_depth = 8,
	.long_delay_ppm = 20000,
	.break_ppm = 10000,
	.confirm_lost_ppm = 20000,
	.restart_ppm = 3000,
	.delay_us = 2000,
	.long_delay_us = 500000,
	.backoff_us = 50000,
	.restart_us = 300000,
	.steady_us = 40000,
	.heartbeat_us = 1000000,
};

static struct world world;
static uint64_t seed;

static void world_init(uint64_t new_seed, const struct sim_faults *faults)
{
	seed = new_seed;
	world.steps = 0;
	sim_events_init(&world.events);
	rng_init(&world.rng, seed);
	world.broker = sim_broker_new(&world.events, &world.rng, faults);
}

static void world_release(void)
{
	sim_broker_free(world.broker);
	sim_events_release(&world.events);
}

static struct transport *open_node(void *context, const char *name)
{
	(void)context;
	return sim_transport_open(world.broker, name);
}

static bool poll_world(void *context)
{
	(void)context;
	if (++world.steps > STEPS_MAX || !sim_events_step(&world.events)) {
		print_message("seed %llu: nothing to wait for at %llu us\n",
			(unsigned long long)seed, (unsigned long long)world.events.now_us);
		return false;
	}
	return true;
}

static void settle_world(void *context)
{
	(void)context;
	while (sim_events_step(&world.events))
		assert_true(++world.steps < STEPS_MAX);
}

static void break_node(void *context, struct transport *transport)
{
	(void)context;
	sim_transport_break(transport);
}

static void fixture_init(bool is_calm)
{
	suite_fixture = (struct suite_fixture){
		.open = open_node,
		.poll = poll_world,
		.settle = settle_world,
		.break_connections = break_node,
		.calm = is_calm,
		.queue = "queue",
	};
}

static int setup_calm(void **state)
{
	(void)state;
	world_init(1, &calm);
	fixture_init(true);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	world_release();
	return 0;
}

/* --- under faults ------------------------------------------------------------------------------*/

#define SUITE_ENTRY(function)       \
	{                           \
#function, function \
	}

static const struct suite_test suite[] = {TRANSPORT_SUITE(SUITE_ENTRY)};

static struct sim_counts storms(uint64_t new_seed, uint64_t *trace)
{
	struct sim_counts counts;

	world_init(new_seed, &stormy);
	fixture_init(false);
	for (size_t i = 0; i < sizeof(suite) / sizeof(*suite); i++) {
		char queue[32];

		if (suite[i].run == suite_test_limits || suite[i].run == suite_test_log)
			continue;
		snprintf(queue, sizeof(queue), "queue %zu", i);
		suite_fixture.queue = queue;
		world.steps = 0;
		suite[i].run(NULL);
	}
	counts = *sim_broker_counts(world.broker);
	*trace = world.events.trace;
	world_release();
	/* A log of its own. */
	world_init(new_seed, &stormy);
	suite_test_log(NULL);
	world_release();
	return counts;
}

static void test_suite_under_faults(void **state)
{
	struct sim_counts all = {0};
	uint64_t trace;

	(void)state;
	for (uint64_t i = 1; i <= 30; i++) {
		struct sim_counts counts = storms(i, &trace);

		for (size_t j = 0; j < sizeof(all) / sizeof(uint64_t); j++)
			((uint64_t *)&all)[j] += ((uint64_t *)&counts)[j];
	}
	assert_true(all.duplicated && all.reordered && all.delayed_long && all.redelivered);
	assert_true(all.breaks && all.confirms_lost && all.restarts && all.in_flight_lost);
	assert_true(all.acks_lost && all.unconfirmed_lost && all.places_lost);
	assert_int_equal(all.double_acks, 0);
}

static void test_a_seed_decides(void **state)
{
	uint64_t first, again, other;

	(void)state;
	storms(7, &first);
	storms(7, &again);
	storms(8, &other);
	assert_int_equal(first, again);
	assert_int_not_equal(first, other);
}

/* --- pauses and restarts -----------------------------------------------------------------------*/

static void run_until(uint64_t time_us)
{
	while (sim_events_next_time(&world.events) <= time_us)
		assert_true(sim_events_step(&world.events));
}

static void test_short_pause(void **state)
{
	struct suite_node *from = suite_open("from");
	struct suite_node *to = suite_open("to");

	(void)state;
	suite_consume(to, 4, true);
	suite_publish(from, 'a', 2, 0);
	settle_world(NULL);
	sim_transport_pause(to->transport);
	suite_publish(from, 'b', 10, 0);
	run_until(world.events.now_us + calm.heartbeat_us / 2);
	assert_int_equal(to->seen_count, 2);
	sim_transport_resume(to->transport);
	settle_world(NULL);
	assert_int_equal(to->seen_count, 12);
	assert_int_equal(to->lost, 0);
	assert_int_equal(sim_broker_counts(world.broker)->breaks, 0);
	assert_int_equal(sim_broker_size(world.broker), 0);
	suite_close(from);
	suite_close(to);
}

/* Nobody took its place: it reads what lay in its buffers and what the broker sends again. */
static void test_long_pause(void **state)
{
	struct suite_node *from = suite_open("from");
	struct suite_node *to = suite_open("to");

	(void)state;
	suite_consume(to, 4, true);
	settle_world(NULL);
	sim_transport_pause(to->transport);
	suite_publish(from, 'a', 10, 0);
	settle_world(NULL);
	assert_int_equal(to->seen_count, 0);
	sim_transport_resume(to->transport);
	settle_world(NULL);
	assert_int_equal(suite_seen_of(to, NULL, 'a', 10), 10);
	assert_int_equal(to->lost, 0);
	assert_int_equal(sim_broker_size(world.broker), 0);
	suite_close(from);
	suite_close(to);
}

static void test_zombie(void **state)
{
	struct suite_node *from = suite_open("from");
	struct suite_node *zombie = suite_open("zombie");
	struct suite_node *heir = suite_open("heir");

	(void)state;
	suite_consume(zombie, 4, true);
	settle_world(NULL);
	suite_consume(heir, 4, true);
	sim_transport_pause(zombie->transport);
	suite_publish(from, 'a', 10, 0);
	settle_world(NULL);
	assert_int_equal(suite_seen_of(heir, NULL, 'a', 10), 10);
	sim_transport_resume(zombie->transport);
	settle_world(NULL);
	assert_int_equal(zombie->lost, 1);
	/* At most what was under way to it before; and its acknowledgements meant nothing. */
	assert_true(zombie->seen_count <= 4);
	assert_int_equal(sim_broker_counts(world.broker)->zombie_deliveries, zombie->seen_count);
	suite_publish(from, 'b', 10, 0);
	settle_world(NULL);
	assert_int_equal(suite_seen_of(zombie, NULL, 'b', 10), 0);
	assert_int_equal(suite_seen_of(heir, NULL, 'b', 10), 10);
	suite_close(from);
	suite_close(zombie);
	suite_close(heir);
}

static void test_restart_keeps_what_was_confirmed(void **state)
{
	struct suite_node *from = suite_open("from");
	struct suite_node *to = suite_open("to");
	uint64_t back_at_us;
	struct error err;

	(void)state;
	suite_publish(from, 'a', 20, 0);
	suite_append(from, "entry", 20);
	settle_world(NULL);
	assert_int_equal(from->confirm_count, 21);
	assert_int_equal(sim_broker_queue_size(world.broker, "queue"), 20);
	sim_broker_restart(world.broker, 5000000);
	back_at_us = world.events.now_us + 5000000;
	assert_int_equal(sim_broker_queue_size(world.broker, "queue"), 20);
	suite_consume(to, 10, true);
	assert_int_equal(transport_follow(to->transport, NULL, &err), 0);
	run_until(back_at_us);
	assert_int_equal(to->seen_count + to->entry_count, 0);
	settle_world(NULL);
	assert_int_equal(suite_seen_of(to, NULL, 'a', 20), 20);
	assert_int_equal(to->entry_count, 1);
	suite_close(from);
	suite_close(to);
}

/* A confirm that a paused node has yet to read is as good as any: a restart must not undo it. */
static void test_restart_while_confirms_lie_unread(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= 20; i++) {
		struct suite_node *from, *to;

		world_init(i, &calm);
		fixture_init(true);
		from = suite_open("from");
		settle_world(NULL);
		suite_publish(from, 'a', 10, 0);
		sim_transport_pause(from->transport);
		run_until(world.events.now_us + calm.heartbeat_us / 2);
		sim_broker_restart(world.broker, 1000);
		sim_transport_resume(from->transport);
		settle_world(NULL);
		assert_int_equal(from->confirm_count, 10);
		to = suite_open("to");
		suite_consume(to, 10, true);
		settle_world(NULL);
		assert_int_equal(suite_seen_of(to, NULL, 'a', 10), 10);
		suite_close(from);
		suite_close(to);
		world_release();
	}
}

/* What a dying node had sent may have arrived or not; over many seeds both happen. */
static void test_death_of_a_publisher(void **state)
{
	uint32_t arrived = 0;

	(void)state;
	for (uint64_t i = 1; i <= 20; i++) {
		struct suite_node *from;

		world_init(i, &calm);
		from = suite_open("from");
		settle_world(NULL);
		suite_publish(from, 'a', 10, 0);
		sim_transport_kill(from->transport);
		free(from);
		settle_world(NULL);
		arrived += (uint32_t)sim_broker_queue_size(world.broker, "queue");
		world_release();
	}
	assert_in_range(arrived, 50, 150);
}

/* --- the event queue ---------------------------------------------------------------------------*/

struct recorder {
	struct sim_events *events;
	uint64_t arguments[1000];
	uint64_t times[1000];
	uint32_t count;
};

static void record(void *context, uint64_t argument)
{
	struct recorder *recorder = context;

	recorder->times[recorder->count] = recorder->events->now_us;
	recorder->arguments[recorder->count++] = argument;
}

static void test_events_in_order(void **state)
{
	struct sim_events events;
	struct recorder kept = {.events = &events};
	struct recorder cancelled = {.events = &events};
	struct rng rng;

	(void)state;
	rng_init(&rng, 1);
	sim_events_init(&events);
	assert_int_equal(sim_events_next_time(&events), UINT64_MAX);
	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t delay_us = rng_below(&rng, 50);

		sim_events_add(&events, delay_us, record, &kept, delay_us << 32 | i);
		sim_events_add(&events, rng_below(&rng, 50), record, &cancelled, i);
	}
	sim_events_cancel(&events, &cancelled);
	while (sim_events_step(&events))
		;
	assert_int_equal(cancelled.count, 0);
	assert_int_equal(kept.count, 1000);
	for (uint32_t i = 0; i < 1000; i++) {
		assert_int_equal(kept.times[i], kept.arguments[i] >> 32);
		assert_true(i == 0 || kept.arguments[i] > kept.arguments[i - 1]);
	}
	sim_events_release(&events);
}

#define CALM_TEST(function) cmocka_unit_test_setup_teardown(function, setup_calm, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TRANSPORT_SUITE(CALM_TEST),
		cmocka_unit_test(test_suite_under_faults),
		cmocka_unit_test(test_a_seed_decides),
		CALM_TEST(test_short_pause),
		CALM_TEST(test_long_pause),
		CALM_TEST(test_zombie),
		CALM_TEST(test_restart_keeps_what_was_confirmed),
		cmocka_unit_test(test_restart_while_confirms_lie_unread),
		cmocka_unit_test(test_death_of_a_publisher),
		cmocka_unit_test(test_events_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
