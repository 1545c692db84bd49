/* When a watcher lets a node be, and when it starts it again. */
#include "watch/node_verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct node_verdict_options options = {
	.patience_ms = 3000,
	.loop_patience_ms = 60000,
	.start_patience_ms = 30000,
	.replay_patience_ms = 600000,
	.pause_ms_max = 30000,
	.restarts_a_minute = 20,
};

static const struct node_verdict_answer green = {.healthy = true};
static const struct node_verdict_answer starts = {.starting = true};
static const struct node_verdict_answer replays = {.replaying = true};
static const struct node_verdict_answer no_broker = {.no_broker = true};

#define BEGIN_MS 1000000u

static void make_green(struct node_verdict *verdict, uint64_t now_ms)
{
	node_verdict_init(verdict, &options, now_ms);
	node_verdict_on_answer(verdict, &green, now_ms);
	assert_false(node_verdict_is_due(verdict, now_ms));
}

static void restart(struct node_verdict *verdict, uint64_t now_ms)
{
	assert_true(node_verdict_is_due(verdict, now_ms));
	node_verdict_on_restart(verdict, now_ms, 1);
	assert_false(node_verdict_is_due(verdict, now_ms));
	node_verdict_on_restarted(verdict, NULL, now_ms);
}

static void test_nobody_there_is_restarted_at_once(void **state)
{
	struct node_verdict verdict;

	(void)state;
	make_green(&verdict, BEGIN_MS);
	node_verdict_on_nobody(&verdict, false, BEGIN_MS + 10);
	restart(&verdict, BEGIN_MS + 10);
	assert_int_equal(verdict.restarts, 1);
	assert_string_equal(verdict.reason, "nobody was there");
	/* It has not come up yet: that takes a moment. */
	node_verdict_on_nobody(&verdict, false, BEGIN_MS + 30);
	assert_false(node_verdict_is_due(&verdict, BEGIN_MS + 30));
	node_verdict_on_nobody(&verdict, true, BEGIN_MS + 5000);
	assert_false(node_verdict_is_due(&verdict, BEGIN_MS + 5000));
	node_verdict_on_answer(&verdict, &green, BEGIN_MS + 5100);
	assert_string_equal(node_verdict_state_name(&verdict), "green");
	assert_false(node_verdict_is_due(&verdict, BEGIN_MS + 5100));
}

/* Its host was away, and is back before the command has given up. */
static void test_who_is_heard_during_a_failed_restart_is_left_alone(void **state)
{
	struct node_verdict verdict;

	(void)state;
	make_green(&verdict, BEGIN_MS);
	assert_true(node_verdict_is_due(&verdict, BEGIN_MS + 3000));
	node_verdict_on_restart(&verdict, BEGIN_MS + 3000, 1);
	node_verdict_on_answer(&verdict, &green, BEGIN_MS + 5000);
	node_verdict_on_restarted(&verdict, "no route to host", BEGIN_MS + 5001);
	assert_string_equal(node_verdict_state_name(&verdict), "green");
	assert_false(node_verdict_is_due(&verdict, BEGIN_MS + 5001));
	/* Not heard since: it is tried again. */
	assert_true(node_verdict_is_due(&verdict, BEGIN_MS + 9000));
	node_verdict_on_restart(&verdict, BEGIN_MS + 9000, 1);
	node_verdict_on_restarted(&verdict, "no route to host", BEGIN_MS + 9001);
	assert_true(node_verdict_is_due(&verdict, BEGIN_MS + 9100));
	/* One that was started is another one, whatever was heard before. */
	node_verdict_on_restart(&verdict, BEGIN_MS + 9100, 1);
	node_verdict_on_answer(&verdict, &green, BEGIN_MS + 9101);
	node_verdict_on_restarted(&verdict, NULL, BEGIN_MS + 9102);
	assert_string_equal(node_verdict_state_name(&verdict), "starting");
}

/* The command was on its way when we were cut off: it failed for that reason alone. */
static void test_a_restart_that_failed_before_we_looked_anew_says_nothing(void **state)
{
	struct node_verdict verdict;

	(void)state;
	make_green(&verdict, BEGIN_MS);
	assert_true(node_verdict_is_due(&verdict, BEGIN_MS + 3000));
	node_verdict_on_restart(&verdict, BEGIN_MS + 3000, 1);
	node_verdict_look_anew(&verdict, BEGIN_MS + 5000);
	node_verdict_on_restarted(&verdict, "no route to host", BEGIN_MS + 5001);
	assert_string_equal(node_verdict_state_name(&verdict), "unknown");
	assert_false(node_verdict_is_due(&verdict, BEGIN_MS + 7999));
	assert_true(node_verdict_is_due(&verdict, BEGIN_MS + 8000));
}

static void test_silence_is_borne_for_a_while(void **state)
{
	struct node_verdict verdict;

	(void)state;
	make_green(&verdict, BEGIN_MS);
	assert_false(node_verdict_is_due(&verdict, BEGIN_MS + 2999));
	assert_true(node_verdict_is_due(&verdict, BEGIN_MS + 3000));
	assert_string_equal(verdict.reason, "did not answer for 3000 ms");
	node_verdict_on_answer(&verdict, &green, BEGIN_MS + 3000);
	assert_false(node_verdict_is_due(&verdict, BEGIN_MS + 5999));
}

static void test_a_new_leader_hears_before_it_judges(void **state)
{
	struct node_verdict verdict;

	(void)state;
	make_green(&verdict, BEGIN_MS);
	node_verdict_look_anew(&verdict, BEGIN_MS + 100000);
	assert_false(node_verdict_is_due(&verdict, BEGIN_MS + 100000));
	assert_false(node_verdict_is_due(&verdict, BEGIN_MS + 102999));
	assert_true(node_verdict_is_due(&verdict, BEGIN_MS + 103000));
}

static void test_starting_and_replaying_take_their_time(void **state)
{
	struct node_verdict verdict;

	(void)state;
	make_green(&verdict, BEGIN_MS);
	node_verdict_on_nobody(&verdict, false, BEGIN_MS);
	restart(&verdict, BEGIN_MS);
	for (uint64_t ms = 100; ms < 29900; ms += 100) {
		node_verdict_on_answer(&verdict, &starts, BEGIN_MS + ms);
		assert_false(node_verdict_is_due(&verdict, BEGIN_MS + ms));
	}
	for (uint64_t ms = 29900; ms < 600000; ms += 100) {
		node_verdict_on_answer(&verdict, &replays, BEGIN_MS + ms);
		assert_false(node_verdict_is_due(&verdict, BEGIN_MS + ms));
	}
	node_verdict_on_answer(&verdict, &replays, BEGIN_MS + 600000);
	assert_true(node_verdict_is_due(&verdict, BEGIN_MS + 600000));
}

/* Who replays answers all the same: silence is another matter. */
static void test_stuck_while_it_replays(void **state)
{
	struct node_verdict verdict;

	(void)state;
	make_green(&verdict, BEGIN_MS);
	node_verdict_on_nobody(&verdict, false, BEGIN_MS);
	restart(&verdict, BEGIN_MS);
	node_verdict_on_answer(&verdict, &replays, BEGIN_MS + 100);
	assert_false(node_verdict_is_due(&verdict, BEGIN_MS + 3099));
	assert_true(node_verdict_is_due(&verdict, BEGIN_MS + 3100));
}

static void test_one_that_listens_and_does_not_answer(void **state)
{
	struct node_verdict verdict;

	(void)state;
	make_green(&verdict, BEGIN_MS);
	node_verdict_on_nobody(&verdict, false, BEGIN_MS);
	restart(&verdict, BEGIN_MS);
	assert_false(node_verdict_is_due(&verdict, BEGIN_MS + 3050));
	node_verdict_on_silence(&verdict, BEGIN_MS + 3050);
	assert_true(node_verdict_is_due(&verdict, BEGIN_MS + 3050));
}

static void test_one_that_was_heard_of_before(void **state)
{
	struct node_verdict verdict;

	(void)state;
	make_green(&verdict, BEGIN_MS);
	node_verdict_look_anew(&verdict, BEGIN_MS + 5000);
	node_verdict_heard_of(&verdict, BEGIN_MS + 4000);
	assert_false(node_verdict_is_due(&verdict, BEGIN_MS + 6999));
	assert_true(node_verdict_is_due(&verdict, BEGIN_MS + 7000));
}

static void test_one_that_never_gets_up_is_started_again(void **state)
{
	struct node_verdict verdict;

	(void)state;
	make_green(&verdict, BEGIN_MS);
	node_verdict_on_nobody(&verdict, false, BEGIN_MS);
	restart(&verdict, BEGIN_MS);
	node_verdict_on_nobody(&verdict, true, BEGIN_MS + 29999);
	assert_false(node_verdict_is_due(&verdict, BEGIN_MS + 29999));
	assert_true(node_verdict_is_due(&verdict, BEGIN_MS + 30000));
}

/* A restart does not bring the broker back. */
static void test_no_broker_is_no_reason(void **state)
{
	const struct node_verdict_answer early = {.no_broker = true, .starting = true};
	struct node_verdict verdict;

	(void)state;
	make_green(&verdict, BEGIN_MS);
	for (uint64_t ms = 0; ms < 3600000; ms += 1000) {
		node_verdict_on_answer(&verdict, ms < 1800000 ? &no_broker : &early, BEGIN_MS + ms);
		assert_false(node_verdict_is_due(&verdict, BEGIN_MS + ms));
	}
	assert_string_equal(node_verdict_state_name(&verdict), "red");
	assert_string_equal(verdict.detail, "has no connection to the broker");
}

static void test_a_loop_that_stands_still(void **state)
{
	struct node_verdict_answer stuck = {0};
	struct node_verdict verdict;

	(void)state;
	make_green(&verdict, BEGIN_MS);
	for (uint64_t ms = 2500; ms < 60000; ms += 500) {
		stuck.loop_ms = ms;
		node_verdict_on_answer(&verdict, &stuck, BEGIN_MS + ms);
		assert_false(node_verdict_is_due(&verdict, BEGIN_MS + ms));
		assert_string_equal(node_verdict_state_name(&verdict), "red");
	}
	stuck.loop_ms = 60000;
	node_verdict_on_answer(&verdict, &stuck, BEGIN_MS + 60000);
	assert_true(node_verdict_is_due(&verdict, BEGIN_MS + 60000));
	node_verdict_on_answer(&verdict, &green, BEGIN_MS + 60001);
	assert_false(node_verdict_is_due(&verdict, BEGIN_MS + 60001));
}

/* How many starts a node gets in a time, when it dies `life_ms` after each. */
static uint32_t count_starts(
	struct node_verdict *verdict, uint64_t time_ms, uint64_t life_ms, bool gets_green)
{
	uint64_t born_ms = 0;
	uint32_t starts_count = 0;

	make_green(verdict, BEGIN_MS);
	for (uint64_t ms = 0; ms < time_ms; ms += 10) {
		uint64_t now_ms = BEGIN_MS + ms;

		if (ms >= born_ms + life_ms)
			node_verdict_on_nobody(verdict, false, now_ms);
		else if (gets_green)
			node_verdict_on_answer(verdict, &green, now_ms);
		if (node_verdict_is_due(verdict, now_ms)) {
			restart(verdict, now_ms);
			starts_count++;
			born_ms = ms;
		}
	}
	return starts_count;
}

static void test_one_that_cannot_start_is_tried_ever_more_rarely(void **state)
{
	struct node_verdict verdict;

	(void)state;
	assert_in_range(count_starts(&verdict, 60000, 0, false), 5, 12);
	assert_true(verdict.flapping);
	assert_in_range(count_starts(&verdict, 3600000, 0, false), 100, 140);
}

static void test_one_that_keeps_dying_has_to_wait_in_the_end(void **state)
{
	struct node_verdict verdict;

	(void)state;
	/* Killed every second: the first twenty times are made good at once. */
	assert_in_range(count_starts(&verdict, 15000, 1000, true), 14, 15);
	assert_false(verdict.flapping);
	assert_in_range(count_starts(&verdict, 600000, 1000, true), 200, 240);
	assert_true(verdict.flapping);
	/* Killed every four seconds: never. */
	assert_in_range(count_starts(&verdict, 600000, 4000, true), 148, 150);
	assert_false(verdict.flapping);
}

/* As a watcher that leads only while another one, which it starts, is away. */
static void test_what_happens_while_another_leads_is_not_held_against_it(void **state)
{
	struct node_verdict verdict;

	(void)state;
	node_verdict_init(&verdict, &options, BEGIN_MS);
	for (uint64_t ms = 0; ms < 100000; ms += 5000) {
		node_verdict_look_anew(&verdict, BEGIN_MS + ms);
		node_verdict_on_nobody(&verdict, false, BEGIN_MS + ms + 400);
		restart(&verdict, BEGIN_MS + ms + 400);
	}
	assert_false(verdict.flapping);
}

static void test_a_minute_of_peace_is_enough(void **state)
{
	struct node_verdict verdict;

	(void)state;
	count_starts(&verdict, 600000, 1000, true);
	assert_true(verdict.flapping);
	for (uint64_t ms = 600000; ms < 670000; ms += 250)
		node_verdict_on_answer(&verdict, &green, BEGIN_MS + ms);
	assert_false(verdict.flapping);
}

static void test_a_driver_that_fails_is_asked_again(void **state)
{
	struct node_verdict verdict;

	(void)state;
	make_green(&verdict, BEGIN_MS);
	node_verdict_on_nobody(&verdict, false, BEGIN_MS);
	assert_true(node_verdict_is_due(&verdict, BEGIN_MS));
	node_verdict_on_restart(&verdict, BEGIN_MS, 1);
	node_verdict_on_restarted(&verdict, "no such unit", BEGIN_MS + 5);
	assert_string_equal(node_verdict_state_name(&verdict), "gone");
	assert_string_equal(verdict.detail, "no such unit");
	assert_true(node_verdict_is_due(&verdict, BEGIN_MS + 5));
	node_verdict_on_restart(&verdict, BEGIN_MS + 5, 1);
	node_verdict_on_restarted(&verdict, "no such unit", BEGIN_MS + 10);
	assert_false(node_verdict_is_due(&verdict, BEGIN_MS + 10));
	assert_true(node_verdict_is_due(&verdict, BEGIN_MS + 300));
}

static void test_the_start_of_a_cluster_is_no_restart(void **state)
{
	struct node_verdict verdict;

	(void)state;
	node_verdict_init(&verdict, &options, BEGIN_MS);
	/* Somebody may be starting it right now. */
	node_verdict_on_nobody(&verdict, false, BEGIN_MS);
	assert_false(node_verdict_is_due(&verdict, BEGIN_MS));
	node_verdict_on_nobody(&verdict, false, BEGIN_MS + 300);
	restart(&verdict, BEGIN_MS + 300);
	assert_int_equal(verdict.restarts, 0);
	node_verdict_on_answer(&verdict, &green, BEGIN_MS + 500);
	node_verdict_on_nobody(&verdict, false, BEGIN_MS + 1000);
	restart(&verdict, BEGIN_MS + 1000);
	assert_int_equal(verdict.restarts, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody_there_is_restarted_at_once),
		cmocka_unit_test(test_who_is_heard_during_a_failed_restart_is_left_alone),
		cmocka_unit_test(test_a_restart_that_failed_before_we_looked_anew_says_nothing),
		cmocka_unit_test(test_silence_is_borne_for_a_while),
		cmocka_unit_test(test_a_new_leader_hears_before_it_judges),
		cmocka_unit_test(test_starting_and_replaying_take_their_time),
		cmocka_unit_test(test_stuck_while_it_replays),
		cmocka_unit_test(test_one_that_listens_and_does_not_answer),
		cmocka_unit_test(test_one_that_was_heard_of_before),
		cmocka_unit_test(test_one_that_never_gets_up_is_started_again),
		cmocka_unit_test(test_no_broker_is_no_reason),
		cmocka_unit_test(test_a_loop_that_stands_still),
		cmocka_unit_test(test_one_that_cannot_start_is_tried_ever_more_rarely),
		cmocka_unit_test(test_one_that_keeps_dying_has_to_wait_in_the_end),
		cmocka_unit_test(test_what_happens_while_another_leads_is_not_held_against_it),
		cmocka_unit_test(test_a_minute_of_peace_is_enough),
		cmocka_unit_test(test_a_driver_that_fails_is_asked_again),
		cmocka_unit_test(test_the_start_of_a_cluster_is_no_restart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
