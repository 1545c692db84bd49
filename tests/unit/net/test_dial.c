/* Dialling: who is there, who is not, names with several addresses, and pauses by a turned clock. */
#include "base/clock.h"
#include "net/dial.h"
#include "net/socket.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <unistd.h>

#define TURN_MS	  50
#define TURNS_MAX 200

struct fixture {
	struct loop *loop;
	uint64_t now_ms;
	struct resolver resolver;
	struct dial dial;
	int listener;
	int fd;
	int ups;
	int failures;
	int number;
};

static void on_up(void *context, int fd)
{
	struct fixture *f = context;

	f->ups++;
	f->fd = fd;
}

static void on_failed(void *context, int number)
{
	struct fixture *f = context;

	f->failures++;
	f->number = number;
}

static uint16_t port_of(int fd)
{
	struct sockaddr_in address;
	socklen_t size = sizeof(address);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
	return ntohs(address.sin_port);
}

static int open_listener(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 8), 0);
	return fd;
}

static int setup(void **state)
{
	static struct fixture fixture;
	static const struct dial_handler handler = {on_up, on_failed};
	struct net_address address = {.host = "127.0.0.1"};
	struct error err;

	fixture = (struct fixture){.now_ms = 1000, .fd = -1};
	if (loop_new(&fixture.loop, &err))
		return -1;
	loop_use_clock(fixture.loop, &fixture.now_ms);
	fixture.listener = open_listener();
	address.port = port_of(fixture.listener);
	resolver_init(&fixture.resolver, &address);
	fixture.dial = (struct dial){.loop = fixture.loop,
		.resolver = &fixture.resolver,
		.handler = &handler,
		.context = &fixture,
		.patience_ms = 5000,
		.backoff = {.min_ms = 100, .max_ms = 1000}};
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	dial_stop(&f->dial);
	resolver_release(&f->resolver);
	if (f->fd >= 0)
		close(f->fd);
	if (f->listener >= 0)
		close(f->listener);
	loop_free(f->loop);
	return 0;
}

static void wait_over(struct fixture *f)
{
	for (int i = 0; f->ups + f->failures == 0 && i < TURNS_MAX; i++)
		loop_turn(f->loop, TURN_MS);
	assert_int_equal(f->ups + f->failures, 1);
	assert_true(dial_is_idle(&f->dial));
}

static void close_listener(struct fixture *f)
{
	close(f->listener);
	f->listener = -1;
}

static void test_up(void **state)
{
	struct fixture *f = *state;

	dial_now(&f->dial);
	assert_int_equal(f->ups, 0);
	wait_over(f);
	assert_int_equal(f->ups, 1);
	assert_int_equal(send(f->fd, "x", 1, MSG_NOSIGNAL), 1);
}

static void test_refused(void **state)
{
	struct fixture *f = *state;

	close_listener(f);
	dial_now(&f->dial);
	/* Never from inside the call. */
	assert_int_equal(f->failures, 0);
	wait_over(f);
	assert_int_equal(f->number, ECONNREFUSED);
}

/* The first address has nobody, the second one has. */
static void test_next_address(void **state)
{
	struct fixture *f = *state;
	int other = open_listener();
	struct sockaddr_in *first = (struct sockaddr_in *)&f->resolver.targets[0].address;

	assert_int_equal(f->resolver.target_count, 1);
	f->resolver.targets[1] = f->resolver.targets[0];
	f->resolver.target_count = 2;
	first->sin_port = htons(port_of(other));
	close(other);
	dial_now(&f->dial);
	wait_over(f);
	assert_int_equal(f->ups, 1);
}

/* Nobody answers at all: a listener whose queue is full, and a clock that goes on. */
static void test_patience(void **state)
{
	struct fixture *f = *state;
	int fillers[64];
	struct net_target *target = &f->resolver.targets[0];

	assert_int_equal(listen(f->listener, 0), 0);
	for (int i = 0; i < 64; i++)
		fillers[i] = socket_connect(target);
	dial_now(&f->dial);
	for (int i = 0; i < 3; i++)
		loop_turn(f->loop, TURN_MS);
	assert_int_equal(f->ups + f->failures, 0);
	f->now_ms += 4999;
	loop_turn(f->loop, 0);
	assert_int_equal(f->failures, 0);
	f->now_ms += 1;
	wait_over(f);
	assert_int_equal(f->number, ETIMEDOUT);
	for (int i = 0; i < 64; i++)
		close(fillers[i]);
}

/* Attempts come after pauses that grow, and at once after dial_now. */
static void test_pauses(void **state)
{
	static const uint64_t pauses[] = {100, 200, 400, 800, 1000, 1000};
	struct fixture *f = *state;

	close_listener(f);
	for (size_t i = 0; i < sizeof(pauses) / sizeof(*pauses); i++) {
		f->failures = 0;
		dial_later(&f->dial);
		f->now_ms += pauses[i] - 1;
		loop_turn(f->loop, 0);
		assert_int_equal(f->dial.state, DIAL_PAUSED);
		f->now_ms += 1;
		wait_over(f);
	}
	f->failures = 0;
	dial_now(&f->dial);
	wait_over(f);
	dial_later(&f->dial);
	f->now_ms += 100;
	f->failures = 0;
	wait_over(f);
}

static void test_stopped(void **state)
{
	struct fixture *f = *state;

	dial_now(&f->dial);
	dial_stop(&f->dial);
	dial_later(&f->dial);
	dial_stop(&f->dial);
	close_listener(f);
	dial_now(&f->dial);
	dial_stop(&f->dial);
	f->now_ms += 10000;
	for (int i = 0; i < 3; i++)
		loop_turn(f->loop, 0);
	assert_int_equal(f->ups + f->failures, 0);
}

/* Names are found by another thread, in real time. */
static void turn_until(struct fixture *f, const int *count)
{
	for (int i = 0; *count == 0 && i < 1000; i++, f->now_ms += TURN_MS) {
		loop_turn(f->loop, 0);
		clock_sleep_ms(10);
	}
}

static void test_names(void **state)
{
	struct fixture *f = *state;
	struct net_address here = {.host = "localhost", .port = port_of(f->listener)};
	struct net_address nowhere = {.port = 1};

	/* No name has so long a part: nobody needs to be asked for it. */
	memset(nowhere.host, 'x', 100);

	f->dial.patience_ms = 0;
	resolver_init(&f->resolver, &here);
	dial_now(&f->dial);
	turn_until(f, &f->ups);
	assert_int_equal(f->ups, 1);
	resolver_release(&f->resolver);
	resolver_init(&f->resolver, &nowhere);
	dial_now(&f->dial);
	turn_until(f, &f->failures);
	assert_int_equal(f->failures, 1);
	assert_int_equal(f->number, EHOSTUNREACH);
	assert_true(strlen(resolver_trouble(&f->resolver)) > 0);
}

/* For callers that can wait: somebody is there, then nobody is. */
static void test_waiting(void **state)
{
	struct fixture *f = *state;
	struct net_address here = {.host = "127.0.0.1", .port = port_of(f->listener)};

	f->fd = dial_wait(&here, 5000);
	assert_true(f->fd >= 0);
	close_listener(f);
	assert_int_equal(dial_wait(&here, 5000), -1);
	assert_int_equal(errno, ECONNREFUSED);
}

#define DIAL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DIAL_TEST(test_up),
		DIAL_TEST(test_refused),
		DIAL_TEST(test_next_address),
		DIAL_TEST(test_patience),
		DIAL_TEST(test_pauses),
		DIAL_TEST(test_stopped),
		DIAL_TEST(test_names),
		DIAL_TEST(test_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
