/* The event loop: descriptors, timers by a clock that the test turns, and what callbacks may do. */
#include "net/loop.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define WAIT_MS 1000

struct fixture {
	struct loop *loop;
	uint64_t now_ms;
	int ends[2];
	struct loop_source source; /* of ends[0] */
	struct loop_source other;  /* of ends[1] */
	struct loop_timer timer;
	int calls;
	uint32_t events; /* of the last call */
	char order[16];
};

static void on_source(void *context, uint32_t events)
{
	struct fixture *f = context;

	f->calls++;
	f->events = events;
}

static int setup(void **state)
{
	static struct fixture fixture;
	struct error err;

	fixture = (struct fixture){.now_ms = 1000};
	if (loop_new(&fixture.loop, &err) ||
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fixture.ends))
		return -1;
	loop_use_clock(fixture.loop, &fixture.now_ms);
	fixture.source =
		(struct loop_source){.fd = fixture.ends[0], .fn = on_source, .context = &fixture};
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	loop_free(f->loop);
	close(f->ends[0]);
	if (f->ends[1] >= 0)
		close(f->ends[1]);
	return 0;
}

static void add(struct fixture *f, struct loop_source *source, uint32_t events)
{
	struct error err;

	assert_int_equal(loop_add(f->loop, source, events, &err), 0);
}

/* --- descriptors ---------------------------------------------------------------------------------
 */

static void test_readable(void **state)
{
	struct fixture *f = *state;
	char byte;

	add(f, &f->source, LOOP_READ);
	loop_turn(f->loop, 0);
	assert_int_equal(f->calls, 0);
	assert_int_equal(write(f->ends[1], "x", 1), 1);
	/* Again and again until it was read. */
	loop_turn(f->loop, WAIT_MS);
	loop_turn(f->loop, WAIT_MS);
	assert_int_equal(f->calls, 2);
	assert_int_equal(f->events, LOOP_READ);
	assert_int_equal(read(f->ends[0], &byte, 1), 1);
	loop_turn(f->loop, 0);
	assert_int_equal(f->calls, 2);
	loop_remove(f->loop, &f->source);
}

static void test_change(void **state)
{
	struct fixture *f = *state;

	add(f, &f->source, LOOP_READ);
	assert_int_equal(write(f->ends[1], "x", 1), 1);
	loop_change(f->loop, &f->source, 0);
	loop_turn(f->loop, 0);
	assert_int_equal(f->calls, 0);
	loop_change(f->loop, &f->source, LOOP_READ | LOOP_WRITE);
	loop_turn(f->loop, WAIT_MS);
	assert_int_equal(f->events, LOOP_READ | LOOP_WRITE);
	/* There and back within a turn. */
	loop_change(f->loop, &f->source, 0);
	loop_change(f->loop, &f->source, LOOP_WRITE);
	loop_change(f->loop, &f->source, LOOP_READ | LOOP_WRITE);
	loop_change(f->loop, &f->source, LOOP_WRITE);
	loop_turn(f->loop, WAIT_MS);
	assert_int_equal(f->events, LOOP_WRITE);
	loop_remove(f->loop, &f->source);
}

/* A change that the kernel was not told of yet is forgotten with its source. */
static void test_remove_changed(void **state)
{
	struct fixture *f = *state;

	f->other = (struct loop_source){.fd = f->ends[1], .fn = on_source, .context = f};
	add(f, &f->source, LOOP_READ);
	add(f, &f->other, LOOP_READ);
	loop_change(f->loop, &f->source, LOOP_WRITE);
	loop_change(f->loop, &f->other, LOOP_WRITE);
	loop_remove(f->loop, &f->source);
	loop_turn(f->loop, WAIT_MS);
	assert_int_equal(f->calls, 1);
	/* Its memory may be somebody else's by now. */
	memset(&f->source, 0xaa, sizeof(f->source));
	loop_change(f->loop, &f->other, LOOP_READ);
	loop_turn(f->loop, 0);
	assert_int_equal(f->calls, 1);
	/* It may be added again. */
	f->source = (struct loop_source){.fd = f->ends[0], .fn = on_source, .context = f};
	add(f, &f->source, LOOP_WRITE);
	loop_turn(f->loop, WAIT_MS);
	assert_int_equal(f->calls, 2);
	loop_remove(f->loop, &f->source);
	loop_remove(f->loop, &f->other);
}

static void test_broken_without_asking(void **state)
{
	struct fixture *f = *state;

	add(f, &f->source, 0);
	close(f->ends[1]);
	f->ends[1] = -1;
	loop_turn(f->loop, WAIT_MS);
	assert_int_equal(f->events, LOOP_BROKEN);
	loop_change(f->loop, &f->source, LOOP_READ);
	loop_turn(f->loop, WAIT_MS);
	assert_int_equal(f->events, LOOP_BROKEN | LOOP_READ);
	loop_remove(f->loop, &f->source);
}

static void on_source_remove_both(void *context, uint32_t events)
{
	struct fixture *f = context;

	(void)events;
	f->calls++;
	loop_remove(f->loop, &f->source);
	loop_remove(f->loop, &f->other);
}

/* Both have something to read: whoever is first removes the other, which is then not called. */
static void test_remove_in_callback(void **state)
{
	struct fixture *f = *state;

	f->source.fn = on_source_remove_both;
	f->other =
		(struct loop_source){.fd = f->ends[1], .fn = on_source_remove_both, .context = f};
	add(f, &f->source, LOOP_READ);
	add(f, &f->other, LOOP_READ);
	assert_int_equal(write(f->ends[0], "x", 1), 1);
	assert_int_equal(write(f->ends[1], "x", 1), 1);
	loop_turn(f->loop, WAIT_MS);
	loop_turn(f->loop, 0);
	assert_int_equal(f->calls, 1);
}

static void on_source_mute_other(void *context, uint32_t events)
{
	struct fixture *f = context;

	(void)events;
	f->calls++;
	loop_change(f->loop, &f->source, 0);
	loop_change(f->loop, &f->other, 0);
}

/* Who was told in this turn to wait for nothing is not called in this turn either. */
static void test_change_in_callback(void **state)
{
	struct fixture *f = *state;

	f->source.fn = on_source_mute_other;
	f->other = (struct loop_source){.fd = f->ends[1], .fn = on_source_mute_other, .context = f};
	add(f, &f->source, LOOP_WRITE);
	add(f, &f->other, LOOP_WRITE);
	loop_turn(f->loop, WAIT_MS);
	loop_turn(f->loop, 0);
	assert_int_equal(f->calls, 1);
	loop_remove(f->loop, &f->source);
	loop_remove(f->loop, &f->other);
}

/* --- time ----------------------------------------------------------------------------------------
 */

static void on_timer(void *context)
{
	struct fixture *f = context;

	f->calls++;
}

static void test_clock_is_turned(void **state)
{
	struct fixture *f = *state;

	f->timer = (struct loop_timer){.fn = on_timer, .context = f};
	assert_int_equal(loop_now(f->loop), 1000);
	loop_timer_set(f->loop, &f->timer, 3600000);
	loop_turn(f->loop, 0);
	assert_int_equal(f->calls, 0);
	f->now_ms += 3599999;
	loop_turn(f->loop, 0);
	assert_int_equal(f->calls, 0);
	f->now_ms++;
	/* One that is due does not wait for descriptors. */
	loop_turn(f->loop, WAIT_MS * 60);
	assert_int_equal(f->calls, 1);
	assert_int_equal(loop_now(f->loop), 3601000);
	loop_turn(f->loop, 0);
	assert_int_equal(f->calls, 1);
}

static void test_timer_moved_and_cancelled(void **state)
{
	struct fixture *f = *state;

	f->timer = (struct loop_timer){.fn = on_timer, .context = f};
	loop_timer_cancel(f->loop, &f->timer);
	loop_timer_set(f->loop, &f->timer, 10);
	loop_timer_set(f->loop, &f->timer, 20);
	f->now_ms += 15;
	loop_turn(f->loop, 0);
	assert_int_equal(f->calls, 0);
	loop_timer_cancel(f->loop, &f->timer);
	f->now_ms += 15;
	loop_turn(f->loop, 0);
	assert_int_equal(f->calls, 0);
}

struct named_timer {
	struct loop_timer timer;
	struct fixture *fixture;
	char name;
};

static void on_named(void *context)
{
	struct named_timer *named = context;
	struct fixture *f = named->fixture;

	f->order[f->calls++] = named->name;
}

static void test_timers_in_order(void **state)
{
	static const struct {
		char name;
		uint64_t after_ms;
	} wanted[] = {{'c', 30}, {'a', 10}, {'d', 30}, {'b', 20}, {'e', 40}};
	struct fixture *f = *state;
	struct named_timer timers[5];

	for (int i = 0; i < 5; i++) {
		timers[i] = (struct named_timer){.fixture = f, .name = wanted[i].name};
		timers[i].timer = (struct loop_timer){.fn = on_named, .context = &timers[i]};
		loop_timer_set(f->loop, &timers[i].timer, wanted[i].after_ms);
	}
	f->now_ms += 30;
	loop_turn(f->loop, 0);
	assert_string_equal(f->order, "abcd");
	f->now_ms += 10;
	loop_turn(f->loop, 0);
	assert_string_equal(f->order, "abcde");
}

static void on_timer_again(void *context)
{
	struct fixture *f = context;

	f->calls++;
	loop_timer_set(f->loop, &f->timer, 0);
}

/* A timer that sets itself for now gets one call per turn: descriptors have their turn, too. */
static void test_timer_sets_itself(void **state)
{
	struct fixture *f = *state;

	f->timer = (struct loop_timer){.fn = on_timer_again, .context = f};
	loop_timer_set(f->loop, &f->timer, 0);
	loop_turn(f->loop, WAIT_MS);
	assert_int_equal(f->calls, 1);
	loop_turn(f->loop, WAIT_MS);
	assert_int_equal(f->calls, 2);
	loop_timer_cancel(f->loop, &f->timer);
}

/* --- turns and signals ---------------------------------------------------------------------------
 */

static void test_every_turn(void **state)
{
	struct fixture *f = *state;

	loop_on_turn(f->loop, on_timer, f);
	loop_turn(f->loop, 0);
	loop_turn(f->loop, 0);
	assert_int_equal(f->calls, 2);
	/* Nothing happens, and still it turns, long before it would without. */
	loop_turn(f->loop, 60 * WAIT_MS);
	assert_int_equal(f->calls, 3);
}

static void on_term(void *context)
{
	loop_stop(context);
}

/* The first signal calls back, the second one ends the process. */
static void test_signals(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct loop *loop;
		struct error err;

		alarm(60);
		if (loop_new(&loop, &err) || loop_on_signal(loop, on_term, loop, &err))
			_exit(1);
		raise(SIGTERM);
		loop_run(loop);
		raise(SIGTERM);
		_exit(2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

#define LOOP_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOOP_TEST(test_readable),
		LOOP_TEST(test_change),
		LOOP_TEST(test_remove_changed),
		LOOP_TEST(test_broken_without_asking),
		LOOP_TEST(test_remove_in_callback),
		LOOP_TEST(test_change_in_callback),
		LOOP_TEST(test_clock_is_turned),
		LOOP_TEST(test_timer_moved_and_cancelled),
		LOOP_TEST(test_timers_in_order),
		LOOP_TEST(test_timer_sets_itself),
		LOOP_TEST(test_every_turn),
		LOOP_TEST(test_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
