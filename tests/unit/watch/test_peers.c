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

#include "base/digits.h"
#include "base/sha256.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>

#define TURN_MS	   100
#define TURNS_MAX  100
#define SECRET	   "what watchers know"
#define CHALLENGE  "CHALLENGE "
#define NONCE_SIZE 16
#define PROOF_SIZE 16

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
		"[cluster]\nname = test\n[watcher]\nreplicas = 2\nsecret = " SECRET "\n"
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

/* One who knows a secret, and counts what it says. */
struct speaker {
	int fd;
	const char *secret;
	uint8_t nonce[NONCE_SIZE];
	uint64_t lines;
};

static void take_challenge(struct fixture *f, struct speaker *speaker)
{
	char line[sizeof(CHALLENGE) + 2 * NONCE_SIZE];
	ssize_t got = -1;

	for (int i = 0; got < 0 && i < TURNS_MAX; i++) {
		loop_turn(f->loop, TURN_MS);
		got = recv(speaker->fd, line, sizeof(line), MSG_DONTWAIT);
	}
	assert_int_equal(got, sizeof(line));
	assert_memory_equal(line, CHALLENGE, strlen(CHALLENGE));
	assert_true(hex_decode(line + strlen(CHALLENGE), NONCE_SIZE, speaker->nonce));
	assert_int_equal(line[sizeof(line) - 1], '\n');
}

/* The line of a watcher with that secret. */
static void prove(const struct speaker *speaker, const char *text, char out[PEERS_LINE_MAX])
{
	struct sha256 key = sha256(speaker->secret, strlen(speaker->secret)), hash;
	uint8_t bytes[NONCE_SIZE + 8 + PEERS_LINE_MAX] = {0};
	size_t size = strlen(text);

	memcpy(bytes, speaker->nonce, NONCE_SIZE);
	bytes[NONCE_SIZE + 7] = (uint8_t)speaker->lines;
	memcpy(bytes + NONCE_SIZE + 8, text, size);
	hash = hmac_sha256(key.bytes, SHA256_SIZE, bytes, NONCE_SIZE + 8 + size);
	hex_encode(hash.bytes, PROOF_SIZE, out);
	snprintf(out + (size_t)2 * PROOF_SIZE, PEERS_LINE_MAX - (size_t)2 * PROOF_SIZE, " %s\n",
		text);
}

static void send_text(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

static void say(struct speaker *speaker, const char *text)
{
	char line[PEERS_LINE_MAX];

	prove(speaker, text, line);
	speaker->lines++;
	send_text(speaker->fd, line);
}

/* Until the watcher has hung up. */
static void wait_refused(struct fixture *f, const struct speaker *speaker)
{
	ssize_t got = -1;
	char byte;

	for (int i = 0; got != 0 && i < TURNS_MAX; i++) {
		loop_turn(f->loop, TURN_MS);
		got = recv(speaker->fd, &byte, 1, MSG_DONTWAIT);
	}
	assert_int_equal(got, 0);
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
	struct speaker watcher = {.fd = connect_to(f), .secret = SECRET};

	take_challenge(f, &watcher);
	say(&watcher, "HELLO 2 test 1");
	say(&watcher, "ASK 7");
	wait_line(f, "ASK 7");
	close(watcher.fd);
}

static void test_another_secret(void **state)
{
	struct fixture *f = *state;
	struct speaker stranger = {.fd = connect_to(f), .secret = "a guess"};

	take_challenge(f, &stranger);
	say(&stranger, "HELLO 2 test 1");
	wait_refused(f, &stranger);
	close(stranger.fd);
}

static void test_no_proof(void **state)
{
	struct fixture *f = *state;
	struct speaker stranger = {.fd = connect_to(f)};

	take_challenge(f, &stranger);
	send_text(stranger.fd, "HELLO 2 test 1\nLEADER 4000000000\n");
	wait_refused(f, &stranger);
	assert_string_equal(f->line, "");
	close(stranger.fd);
}

/* What was said once is nothing that anybody can say again, there or elsewhere. */
static void test_repeated_line(void **state)
{
	struct fixture *f = *state;
	struct speaker watcher = {.fd = connect_to(f), .secret = SECRET};
	char line[PEERS_LINE_MAX];

	take_challenge(f, &watcher);
	say(&watcher, "HELLO 2 test 1");
	prove(&watcher, "ASK 7", line);
	say(&watcher, "ASK 7");
	wait_line(f, "ASK 7");
	snprintf(f->line, sizeof(f->line), "none");
	send_text(watcher.fd, line);
	wait_refused(f, &watcher);
	assert_string_equal(f->line, "none");
	close(watcher.fd);
}

/* Bytes of a line may come one by one, and a part of a proof is none. */
static void test_cut_line(void **state)
{
	struct fixture *f = *state;
	struct speaker stranger = {.fd = connect_to(f), .secret = SECRET};

	take_challenge(f, &stranger);
	send_text(stranger.fd, "0123456789abcdef\n");
	wait_refused(f, &stranger);
	close(stranger.fd);
}

/* Without descriptors the watcher rests and does its other work; then it goes on. */
static void test_no_descriptors(void **state)
{
	struct fixture *f = *state;
	struct speaker watcher = {.fd = connect_to(f), .secret = SECRET};

	accept_fails = true;
	accept_calls = 0;
	for (int i = 0; accept_calls == 0 && i < TURNS_MAX; i++)
		loop_turn(f->loop, TURN_MS);
	for (int i = 0; i < ACCEPT_TURNS; i++)
		loop_turn(f->loop, 0);
	assert_int_equal(accept_calls, 1);
	accept_fails = false;
	f->now_ms += 1000;
	take_challenge(f, &watcher);
	say(&watcher, "HELLO 2 test 1");
	say(&watcher, "ASK 8");
	wait_line(f, "ASK 8");
	close(watcher.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_greeting, setup, teardown),
		cmocka_unit_test_setup_teardown(test_another_secret, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_proof, setup, teardown),
		cmocka_unit_test_setup_teardown(test_repeated_line, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cut_line, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_descriptors, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
