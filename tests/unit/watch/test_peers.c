/* The links between watchers, seen from one of them. */
#include "watch/peers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../net/accept_fixture.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#define TURN_MS	  100
#define TURNS_MAX 100

struct fixture {
	struct loop *loop;
	uint64_t now_ms;
	struct config config;
	struct rng rng;
	struct peers *peers;
	uint16_t port;
	char line[PEERS_LINE_MAX]; /* the last one */
};

static bool on_line(void *context, uint32_t from, const char *line)
{
	struct fixture *f = context;

	assert_int_equal(from, 1);
	snprintf(f->line, sizeof(f->line), "%s", line);
	return true;
}

static void on_link(void *context, uint32_t peer, bool up)
{
	(void)context;
	(void)peer;
	(void)up;
}

/* A port that nobody has: the system chooses. */
static uint16_t free_port(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
	close(fd);
	return ntohs(address.sin_port);
}

static int setup(void **state)
{
	static struct fixture fixture;
	struct peers_handler handler = {on_line, on_link, &fixture};
	struct error err;
	char text[256];

	fixture = (struct fixture){.port = free_port(), .now_ms = 1000};
	snprintf(text, sizeof(text),
		"[cluster]\nname = test\n[watcher]\nreplicas = 2\n"
		"hosts = 127.0.0.1:%u, 127.0.0.1:%u\n",
		fixture.port, free_port());
	if (config_parse(&fixture.config, "test.conf", text, &err) ||
		loop_new(&fixture.loop, &err)) {
		print_message("%s\n", err.message);
		return -1;
	}
	loop_use_clock(fixture.loop, &fixture.now_ms);
	rng_init(&fixture.rng, 1);
	*state = &fixture;
	return peers_new(
		&fixture.peers, fixture.loop, &fixture.config, 0, &fixture.rng, &handler, &err);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	accept_fails = false;
	peers_free(f->peers);
	loop_free(f->loop);
	config_release(&f->config);
	return 0;
}

static int connect_to(const struct fixture *f)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons(f->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void say(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

static void wait_line(struct fixture *f, const char *line)
{
	for (int i = 0; strcmp(f->line, line) != 0 && i < TURNS_MAX; i++)
		loop_turn(f->loop, TURN_MS);
	assert_string_equal(f->line, line);
}

static void test_greeting(void **state)
{
	struct fixture *f = *state;
	int fd = connect_to(f);

	say(fd, "HELLO 1 test 1\nASK 7\n");
	wait_line(f, "ASK 7");
	close(fd);
}

/* Without descriptors the watcher rests and does its other work; then it goes on. */
static void test_no_descriptors(void **state)
{
	struct fixture *f = *state;
	int fd = connect_to(f);

	say(fd, "HELLO 1 test 1\nASK 8\n");
	accept_fails = true;
	accept_calls = 0;
	for (int i = 0; accept_calls == 0 && i < TURNS_MAX; i++)
		loop_turn(f->loop, TURN_MS);
	for (int i = 0; i < ACCEPT_TURNS; i++)
		loop_turn(f->loop, 0);
	assert_int_equal(accept_calls, 1);
	accept_fails = false;
	f->now_ms += 1000;
	wait_line(f, "ASK 8");
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_greeting, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_descriptors, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
