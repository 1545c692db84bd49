/* Whose turn it is when the memory that all share is used up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "role/work_turns.h"

#define LIMIT ((size_t)100 << 20)
#define MUCH  ((size_t)50 << 20)

struct fixture {
	struct work_runner runner; /* first */
	struct node node;
	struct work_turns turns;
	struct memory_budget memory;
	uint32_t submitted;
	struct work *last;
};

static void submit(struct work_runner *runner, struct work *work)
{
	struct fixture *f = (struct fixture *)runner;

	f->submitted++;
	f->last = work;
}

static uint64_t now_ms(void *clock)
{
	(void)clock;
	return 1;
}

static void setup(struct fixture *f)
{
	static const struct work_runner_ops ops = {.submit = submit};

	memset(f, 0, sizeof(*f));
	f->runner.ops = &ops;
	f->node.env.now_ms = now_ms;
	f->memory.limit = LIMIT;
	work_turns_init(&f->turns, &f->node, &f->runner);
	work_turns_share_memory(&f->turns, &f->memory);
}

static void start(struct fixture *f, struct work_turn *turn, uint64_t job, size_t memory)
{
	memset(turn, 0, sizeof(*turn));
	turn->place.job = job;
	turn->memory = memory;
	work_turns_start(&f->turns, turn);
}

static void end(struct fixture *f, struct work_turn *turn)
{
	work_turns_end(&f->turns, turn, true);
	work_turns_go_on(&f->turns);
}

static void test_there_is_enough(void **state)
{
	struct work_turn first, second;
	struct fixture f;

	(void)state;
	setup(&f);
	f.memory.held = LIMIT;
	start(&f, &first, 1, MUCH);
	start(&f, &second, 2, MUCH);
	assert_int_equal(f.submitted, 2);
	end(&f, &first);
	end(&f, &second);
}

static void test_much_waits_and_little_does_not(void **state)
{
	struct work_turn first, second, third, little;
	struct fixture f;

	(void)state;
	setup(&f);
	f.memory.held = LIMIT + 1;
	start(&f, &first, 1, MUCH);
	start(&f, &second, 2, MUCH);
	start(&f, &third, 3, MUCH);
	assert_int_equal(f.submitted, 1); /* somebody always goes on */
	start(&f, &little, 4, 0);
	assert_int_equal(f.submitted, 2);
	assert_ptr_equal(f.last, &little.work);
	end(&f, &little);
	assert_int_equal(f.submitted, 2);
	end(&f, &first);
	assert_int_equal(f.submitted, 3);
	assert_ptr_equal(f.last, &second.work);
	/* What others gave back is there for all. */
	f.memory.held = LIMIT;
	work_turns_on_tick(&f.turns);
	assert_int_equal(f.submitted, 4);
	assert_ptr_equal(f.last, &third.work);
	end(&f, &second);
	end(&f, &third);
}

/* It ends soon, and gives its memory back. */
static void test_what_is_stopped_does_not_wait(void **state)
{
	struct work_turn first, second;
	struct fixture f;

	(void)state;
	setup(&f);
	f.memory.held = LIMIT + 1;
	start(&f, &first, 1, MUCH);
	start(&f, &second, 2, MUCH);
	work_turn_stop(&second);
	work_turns_on_tick(&f.turns);
	assert_int_equal(f.submitted, 2);
	end(&f, &first);
	end(&f, &second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_is_enough),
		cmocka_unit_test(test_much_waits_and_little_does_not),
		cmocka_unit_test(test_what_is_stopped_does_not_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
