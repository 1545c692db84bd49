/*
 * Elections between simulated watchers: links with delay and loss, watchers that die, are stopped
 * and come back, partitions. After every storm there is one leader, and everyone knows it.
 */
#include "base/rng.h"
#include "watch/election.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEARTBEAT_MS 200
#define PATIENCE_MS  1000
#define TICK_MS	     50
#define LETTERS_MAX  4096
#define STORMS	     400

struct letter {
	uint32_t from, to;
	enum election_message message;
	uint64_t term;
	uint64_t due_ms;
};

struct watcher {
	struct election election;
	struct world *world;
	uint32_t id;
	bool alive;
	bool stopped; /* SIGSTOP: hears nothing, does nothing, but its links stand */
};

struct world {
	struct rng rng;
	uint32_t count;
	struct watcher watchers[ELECTION_WATCHERS_MAX];
	bool cut[ELECTION_WATCHERS_MAX][ELECTION_WATCHERS_MAX];
	struct letter letters[LETTERS_MAX];
	uint32_t letter_count;
	uint32_t loss_percent;
	uint64_t delay_ms;
	uint64_t now_ms;
	uint64_t sent;
	uint64_t reigns; /* the highest term */
};

static void on_send(void *context, uint32_t to, enum election_message message, uint64_t term)
{
	struct watcher *watcher = context;
	struct world *world = watcher->world;

	assert_true(to < world->count && to != watcher->id);
	world->sent++;
	if (term > world->reigns)
		world->reigns = term;
	if (world->cut[watcher->id][to] || !world->watchers[to].alive ||
		rng_below(&world->rng, 100) < world->loss_percent)
		return;
	assert_true(world->letter_count < LETTERS_MAX);
	world->letters[world->letter_count++] = (struct letter){watcher->id, to, message, term,
		world->now_ms + rng_below(&world->rng, world->delay_ms + 1)};
}

static void start(struct world *world, uint32_t id)
{
	struct watcher *watcher = &world->watchers[id];
	struct election_options options = {
		.id = id,
		.count = world->count,
		.heartbeat_ms = HEARTBEAT_MS,
		.leader_patience_ms = PATIENCE_MS,
		.send = on_send,
		.context = watcher,
	};

	watcher->world = world;
	watcher->id = id;
	watcher->alive = true;
	watcher->stopped = false;
	election_init(&watcher->election, &options, world->now_ms);
	for (uint32_t i = 0; i < world->count; i++)
		if (i != id && world->watchers[i].alive && !world->cut[id][i]) {
			election_on_link(&world->watchers[i].election, id, true, world->now_ms);
			election_on_link(&watcher->election, i, true, world->now_ms);
		}
}

static void kill_one(struct world *world, uint32_t id)
{
	world->watchers[id].alive = false;
	for (uint32_t i = 0; i < world->count; i++)
		if (i != id && world->watchers[i].alive && !world->watchers[i].stopped &&
			!world->cut[i][id])
			election_on_link(&world->watchers[i].election, id, false, world->now_ms);
}

static void world_init(struct world *world, uint32_t count, uint64_t seed)
{
	memset(world, 0, sizeof(*world));
	rng_init(&world->rng, seed);
	world->count = count;
	world->delay_ms = 5;
	for (uint32_t i = 0; i < count; i++)
		start(world, i);
}

static void deliver(struct world *world)
{
	for (uint32_t i = 0; i < world->letter_count;) {
		struct letter letter = world->letters[i];
		struct watcher *to = &world->watchers[letter.to];

		if (letter.due_ms > world->now_ms || (to->alive && to->stopped)) {
			i++;
			continue;
		}
		world->letters[i] = world->letters[--world->letter_count];
		if (to->alive && !world->cut[letter.from][letter.to])
			election_on_message(&to->election, letter.from, letter.message, letter.term,
				world->now_ms);
	}
}

static void pass(struct world *world, uint64_t ms)
{
	for (uint64_t end_ms = world->now_ms + ms; world->now_ms < end_ms;) {
		world->now_ms += TICK_MS / 10;
		deliver(world);
		if (world->now_ms % TICK_MS)
			continue;
		for (uint32_t i = 0; i < world->count; i++)
			if (world->watchers[i].alive && !world->watchers[i].stopped)
				election_tick(&world->watchers[i].election, world->now_ms);
	}
}

static uint32_t highest(const struct world *world)
{
	uint32_t best = ELECTION_NOBODY;

	for (uint32_t i = 0; i < world->count; i++)
		if (world->watchers[i].alive && !world->watchers[i].stopped)
			best = i;
	return best;
}

static void assert_agreed(const struct world *world)
{
	uint32_t leader = highest(world);

	for (uint32_t i = 0; i < world->count; i++) {
		const struct watcher *watcher = &world->watchers[i];

		if (!watcher->alive || watcher->stopped)
			continue;
		assert_int_equal(watcher->election.leader, leader);
		assert_int_equal(election_leads(&watcher->election), i == leader);
		assert_int_equal(watcher->election.term, world->watchers[leader].election.term);
	}
}

static void test_the_highest_leads(void **state)
{
	(void)state;
	for (uint32_t count = 1; count <= ELECTION_WATCHERS_MAX; count++) {
		struct world world;

		world_init(&world, count, count);
		pass(&world, 3 * PATIENCE_MS);
		assert_agreed(&world);
	}
}

/* Nobody waits for a timeout when the link to the leader breaks. */
static void test_a_dead_leader_is_missed_at_once(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, 3, 1);
	pass(&world, 3 * PATIENCE_MS);
	kill_one(&world, 2);
	pass(&world, 100);
	assert_agreed(&world);
	assert_true(election_leads(&world.watchers[1].election));
	start(&world, 2);
	pass(&world, PATIENCE_MS);
	assert_agreed(&world);
}

static void test_a_stopped_leader_is_missed_and_asks_when_it_wakes(void **state)
{
	struct world world;
	uint64_t term;

	(void)state;
	world_init(&world, 3, 1);
	pass(&world, 3 * PATIENCE_MS);
	term = world.watchers[2].election.term;
	world.watchers[2].stopped = true;
	pass(&world, 2 * PATIENCE_MS);
	assert_agreed(&world);
	world.watchers[2].stopped = false;
	world.letter_count = 0;
	election_tick(&world.watchers[2].election, world.now_ms);
	assert_int_equal(world.watchers[2].election.role, ELECTION_LEADS);
	assert_true(world.watchers[2].election.term > term);
	pass(&world, PATIENCE_MS);
	assert_agreed(&world);
	assert_true(world.watchers[2].election.term > term);
}

/* Without faults the only messages are heartbeats, and the reign stays the same. */
static void test_peace_is_quiet(void **state)
{
	struct world world;
	uint64_t sent, reigns;

	(void)state;
	world_init(&world, 5, 1);
	pass(&world, 3 * PATIENCE_MS);
	sent = world.sent;
	reigns = world.reigns;
	pass(&world, 100 * HEARTBEAT_MS);
	assert_int_equal(world.reigns, reigns);
	assert_in_range(world.sent - sent, 4 * 95, 4 * 105);
}

/* A watcher that the leader cannot reach, but others can, does not begin a reign of its own. */
static void test_one_broken_link_makes_no_second_leader(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, 3, 7);
	pass(&world, 3 * PATIENCE_MS);
	world.cut[0][2] = world.cut[2][0] = true;
	election_on_link(&world.watchers[0].election, 2, false, world.now_ms);
	election_on_link(&world.watchers[2].election, 0, false, world.now_ms);
	for (uint32_t i = 0; i < 100; i++) {
		pass(&world, 100);
		assert_false(election_leads(&world.watchers[0].election));
		assert_true(election_leads(&world.watchers[2].election));
	}
}

/* One that leads because it saw nobody gives way to who follows another, though it cannot see it.
 */
static void test_a_leader_that_sees_half_gives_way(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, 3, 7);
	kill_one(&world, 1);
	world.cut[0][2] = world.cut[2][0] = true;
	pass(&world, 5 * PATIENCE_MS);
	assert_true(election_leads(&world.watchers[0].election));
	assert_true(election_leads(&world.watchers[2].election));
	start(&world, 1);
	pass(&world, 2 * PATIENCE_MS);
	for (uint32_t i = 0; i < 100; i++) {
		pass(&world, 100);
		assert_false(election_leads(&world.watchers[0].election));
		assert_int_equal(world.watchers[1].election.leader, 2);
	}
}

static void test_both_sides_of_a_partition_have_one(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, 5, 3);
	pass(&world, 3 * PATIENCE_MS);
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t j = 2; j < 5; j++)
			world.cut[i][j] = world.cut[j][i] = true;
	pass(&world, 5 * PATIENCE_MS);
	assert_true(election_leads(&world.watchers[1].election));
	assert_int_equal(world.watchers[0].election.leader, 1);
	assert_true(election_leads(&world.watchers[4].election));
	assert_int_equal(world.watchers[3].election.leader, 4);
	memset(world.cut, 0, sizeof(world.cut));
	pass(&world, 5 * PATIENCE_MS);
	assert_agreed(&world);
}

/* Both led in the first term before they met. */
static void test_a_term_has_one_leader(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, 2, 7);
	world.cut[0][1] = world.cut[1][0] = true;
	pass(&world, 3 * PATIENCE_MS);
	assert_true(election_leads(&world.watchers[0].election));
	assert_true(election_leads(&world.watchers[1].election));
	assert_int_equal(world.watchers[0].election.term, world.watchers[1].election.term);
	memset(world.cut, 0, sizeof(world.cut));
	pass(&world, PATIENCE_MS);
	assert_agreed(&world);
	assert_int_equal(world.watchers[1].election.term, 2);
}

static void hurt(struct world *world)
{
	uint32_t id = (uint32_t)rng_below(&world->rng, world->count);
	uint32_t other = (uint32_t)rng_below(&world->rng, world->count);

	switch (rng_below(&world->rng, 7)) {
	case 0: kill_one(world, id); break;
	case 1:
		if (!world->watchers[id].alive)
			start(world, id);
		break;
	case 2: world->watchers[id].stopped = true; break;
	case 3: world->watchers[id].stopped = false; break;
	case 4:
		if (id != other)
			world->cut[id][other] = world->cut[other][id] = true;
		break;
	case 5: world->loss_percent = (uint32_t)rng_below(&world->rng, 40); break;
	default: world->delay_ms = rng_below(&world->rng, 300); break;
	}
}

static void heal(struct world *world)
{
	memset(world->cut, 0, sizeof(world->cut));
	world->loss_percent = 0;
	world->delay_ms = 5;
	for (uint32_t i = 0; i < world->count; i++) {
		world->watchers[i].stopped = false;
		if (!world->watchers[i].alive && rng_below(&world->rng, 2))
			start(world, i);
	}
	if (highest(world) == ELECTION_NOBODY)
		start(world, 0);
	/* Links that stood before a partition stand again, and broken ones are found. */
	for (uint32_t i = 0; i < world->count; i++)
		for (uint32_t j = 0; j < world->count; j++)
			if (i != j && world->watchers[i].alive)
				election_on_link(&world->watchers[i].election, j,
					world->watchers[j].alive, world->now_ms);
}

static void test_after_every_storm_one_leads(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= STORMS; seed++) {
		struct world world;

		world_init(&world, 2 + (uint32_t)(seed % 8), seed);
		for (uint32_t i = 0; i < 30; i++) {
			hurt(&world);
			pass(&world, TICK_MS * (1 + rng_below(&world.rng, 40)));
		}
		heal(&world);
		pass(&world, 6 * PATIENCE_MS);
		assert_agreed(&world);
	}
}

static void test_nonsense_is_ignored(void **state)
{
	struct world world;
	uint64_t term;

	(void)state;
	world_init(&world, 3, 1);
	pass(&world, 3 * PATIENCE_MS);
	term = world.watchers[2].election.term;
	election_on_message(&world.watchers[2].election, 2, ELECTION_LEADER, 99, world.now_ms);
	election_on_message(&world.watchers[2].election, 77, ELECTION_LEADER, 99, world.now_ms);
	election_on_link(&world.watchers[2].election, 77, false, world.now_ms);
	assert_int_equal(world.watchers[2].election.term, term);
	assert_true(election_leads(&world.watchers[2].election));
}

/* Whoever says the greatest term there is cannot make terms start from 0 again. */
static void test_terms_end(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, 3, 1);
	pass(&world, 3 * PATIENCE_MS);
	election_on_message(
		&world.watchers[2].election, 1, ELECTION_LEADER, UINT64_MAX, world.now_ms);
	assert_true(world.watchers[2].election.term < 100);
	election_on_message(
		&world.watchers[2].election, 1, ELECTION_LEADER, ELECTION_TERM_MAX, world.now_ms);
	pass(&world, PATIENCE_MS);
	assert_agreed(&world);
	assert_int_equal(world.watchers[0].election.term, ELECTION_TERM_MAX);
	/* There is no higher one: the last words of a dead leader may be believed for a while. */
	kill_one(&world, 2);
	pass(&world, 3 * PATIENCE_MS);
	assert_agreed(&world);
	start(&world, 2);
	pass(&world, 2 * PATIENCE_MS);
	assert_agreed(&world);
	assert_int_equal(world.watchers[2].election.term, ELECTION_TERM_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_highest_leads),
		cmocka_unit_test(test_a_dead_leader_is_missed_at_once),
		cmocka_unit_test(test_a_stopped_leader_is_missed_and_asks_when_it_wakes),
		cmocka_unit_test(test_peace_is_quiet),
		cmocka_unit_test(test_one_broken_link_makes_no_second_leader),
		cmocka_unit_test(test_a_leader_that_sees_half_gives_way),
		cmocka_unit_test(test_both_sides_of_a_partition_have_one),
		cmocka_unit_test(test_a_term_has_one_leader),
		cmocka_unit_test(test_after_every_storm_one_leads),
		cmocka_unit_test(test_nonsense_is_ignored),
		cmocka_unit_test(test_terms_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
