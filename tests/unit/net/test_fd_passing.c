/* Connections that go from one holder to another on this machine. */
#include "net/fd_passing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "accept_fixture.h"

#define TURN_MS	  100
#define MANY	  40
#define TURNS_MAX 100

struct taker {
	struct loop *loop;
	struct fd_passing *passing;
	int taken[MANY];
	int count;
};

static char name[64];

static void on_taken(void *context, int fd)
{
	struct taker *taker = context;

	assert_true(taker->count < MANY);
	taker->taken[taker->count++] = fd;
}

static void open_taker(struct taker *taker)
{
	struct error err;

	*taker = (struct taker){0};
	assert_int_equal(loop_new(&taker->loop, &err), 0);
	assert_int_equal(fd_passing_listen(
				 &taker->passing, taker->loop, "test", name, on_taken, taker, &err),
		0);
}

static void close_taker(struct taker *taker)
{
	for (int i = 0; i < taker->count; i++)
		close(taker->taken[i]);
	fd_passing_free(taker->passing);
	loop_free(taker->loop);
}

static void wait_taken(struct taker *taker, int count)
{
	for (int i = 0; taker->count < count && i < TURNS_MAX; i++)
		loop_turn(taker->loop, TURN_MS);
	assert_int_equal(taker->count, count);
}

static void test_bytes_do_not_pass_the_giver(void **state)
{
	int ends[2], link = -1;
	struct taker taker;
	char text[8] = "";

	(void)state;
	open_taker(&taker);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(write(ends[0], "early", 5), 5);
	assert_true(fd_passing_give(&link, name, ends[1]));
	wait_taken(&taker, 1);
	assert_int_equal(read(taker.taken[0], text, sizeof(text)), 5);
	assert_string_equal(text, "early");
	assert_int_equal(write(taker.taken[0], "back", 4), 4);
	assert_int_equal(read(ends[0], text, sizeof(text)), 4);
	/* It was the last one to have it: its end is the connection's. */
	close_taker(&taker);
	assert_int_equal(read(ends[0], text, sizeof(text)), 0);
	close(ends[0]);
	close(link);
}

static void test_many_over_one_link(void **state)
{
	int first[MANY], link = -1;
	struct taker taker;
	char byte;

	(void)state;
	open_taker(&taker);
	for (int i = 0; i < MANY; i++) {
		int ends[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
		first[i] = ends[0];
		while (!fd_passing_give(&link, name, ends[1]))
			loop_turn(taker.loop, 0);
	}
	wait_taken(&taker, MANY);
	for (int i = 0; i < MANY; i++) {
		byte = (char)i;
		assert_int_equal(write(first[i], &byte, 1), 1);
		assert_int_equal(read(taker.taken[i], &byte, 1), 1);
		assert_int_equal(byte, i);
		close(first[i]);
	}
	close_taker(&taker);
	close(link);
}

static void test_nobody_takes(void **state)
{
	int ends[2], link = -1;
	struct taker taker;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_false(fd_passing_give(&link, name, ends[1]));
	assert_int_equal(link, -1);
	/* The giver still has it. */
	assert_int_equal(write(ends[1], "x", 1), 1);
	open_taker(&taker);
	assert_true(fd_passing_give(&link, name, dup(ends[1])));
	wait_taken(&taker, 1);
	close_taker(&taker);
	/* The taker has gone, and the link with it. */
	assert_false(fd_passing_give(&link, name, ends[1]));
	assert_int_equal(link, -1);
	close(ends[0]);
	close(ends[1]);
}

static void test_a_name_has_one_taker(void **state)
{
	struct fd_passing *second;
	struct taker taker;
	struct error err;

	(void)state;
	open_taker(&taker);
	assert_int_equal(
		fd_passing_listen(&second, taker.loop, "test", name, on_taken, &taker, &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	fd_passing_free(second);
	close_taker(&taker);
}

static void test_messages_without_a_socket_are_nothing(void **state)
{
	int ends[2], link = -1;
	struct taker taker;

	(void)state;
	open_taker(&taker);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_true(fd_passing_give(&link, name, ends[1]));
	assert_int_equal(send(link, "nonsense", 8, MSG_NOSIGNAL), 8);
	wait_taken(&taker, 1);
	for (int i = 0; i < 5; i++)
		loop_turn(taker.loop, 10);
	assert_int_equal(taker.count, 1);
	close_taker(&taker);
	close(ends[0]);
	close(link);
}

/* Without descriptors the taker rests; who gives finds out later that nobody took it, and so it is. */
static void test_no_descriptors(void **state)
{
	uint64_t now_ms = 1000;
	struct taker taker;
	int ends[2], link = -1;

	(void)state;
	open_taker(&taker);
	loop_use_clock(taker.loop, &now_ms);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_true(fd_passing_give(&link, name, ends[0]));
	accept_fails = true;
	accept_calls = 0;
	for (int i = 0; accept_calls == 0 && i < TURNS_MAX; i++)
		loop_turn(taker.loop, TURN_MS);
	for (int i = 0; i < ACCEPT_TURNS; i++)
		loop_turn(taker.loop, 0);
	accept_fails = false;
	assert_int_equal(accept_calls, 1);
	now_ms += 1000;
	wait_taken(&taker, 1);
	close(ends[1]);
	close(link);
	close_taker(&taker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_do_not_pass_the_giver),
		cmocka_unit_test(test_many_over_one_link),
		cmocka_unit_test(test_nobody_takes),
		cmocka_unit_test(test_a_name_has_one_taker),
		cmocka_unit_test(test_messages_without_a_socket_are_nothing),
		cmocka_unit_test(test_no_descriptors),
	};

	snprintf(name, sizeof(name), "test %ld", (long)getpid());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
