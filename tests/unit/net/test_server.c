/* A server against peers that are many, slow, silent, greedy or hostile, over socket pairs. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "net/server.h"
#include "wire/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PEERS_MAX 16
/* Only what hangs takes so long, on a busy machine too. */
#define PATIENCE_MS 300000u

struct fixture {
	struct loop *loop;
	struct server *server;
	/* What the handler saw. */
	uint32_t opened;
	uint32_t closed;
	uint32_t frames;
	size_t bytes;
	uint64_t last; /* connection */
	uint64_t order[64];
	size_t backlog;
	/* What it does with a frame. */
	size_t answer_bytes; /* sends so many back */
	bool drops;
	bool keeps; /* the next one */
	struct wire_loan *kept;
	const uint8_t *kept_bytes;
	int peers[PEERS_MAX];
	uint32_t peer_count;
};

static void on_open(void *context, uint64_t connection)
{
	struct fixture *f = context;

	f->opened++;
	f->last = connection;
}

static void on_frame(void *context, uint64_t connection, const uint8_t *bytes, size_t size)
{
	struct fixture *f = context;
	size_t whole;
	struct error err;
	void *answer;

	assert_int_equal(wire_frame_size(bytes, size, &whole, &err), 0);
	assert_int_equal(whole, size);
	if (f->frames < 64)
		f->order[f->frames] = connection;
	f->frames++;
	f->bytes += size;
	if (f->answer_bytes) {
		answer = memory_zalloc(f->answer_bytes);
		server_send(f->server, connection, answer, f->answer_bytes);
		free(answer);
	}
	if (f->drops)
		server_drop(f->server, connection);
	if (f->keeps) {
		f->keeps = false;
		f->kept = server_keep(f->server);
		f->kept_bytes = bytes;
	}
}

static void on_closed(void *context, uint64_t connection)
{
	struct fixture *f = context;

	(void)connection;
	f->closed++;
}

static size_t backlog(void *context)
{
	struct fixture *f = context;

	return f->backlog;
}

static void start(struct fixture *f, const struct server_limits *limits)
{
	struct server_handler handler = {on_open, on_frame, on_closed, backlog, f};
	struct error err;

	*f = (struct fixture){0};
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(loop_new(&f->loop, &err), 0);
	f->server = server_new(f->loop, "test", limits, &handler);
}

static void stop(struct fixture *f)
{
	server_free(f->server);
	loop_free(f->loop);
	for (uint32_t i = 0; i < f->peer_count; i++)
		if (f->peers[i] >= 0)
			close(f->peers[i]);
}

static int add_peer(struct fixture *f)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	assert_in_range(f->peer_count, 0, PEERS_MAX - 1);
	f->peers[f->peer_count++] = pair[0];
	server_adopt(f->server, pair[1]);
	return pair[0];
}

/* At least so long, and at least one. */
static void turns(struct fixture *f, uint64_t ms)
{
	uint64_t end = clock_monotonic_ms() + ms;

	do
		loop_turn(f->loop, 2);
	while (clock_monotonic_ms() < end);
}

#define TURNS_UNTIL(f, condition)                                       \
	do {                                                            \
		uint64_t until_ms = clock_monotonic_ms() + PATIENCE_MS; \
		while (!(condition) && clock_monotonic_ms() < until_ms) \
			loop_turn((f)->loop, 2);                        \
		assert_true(condition);                                 \
	} while (0)

/* Header and as many zeros. */
static uint8_t *make_frame(uint8_t type, size_t size)
{
	uint8_t *frame = memory_zalloc(size);
	size_t value = size - WIRE_HEADER_SIZE;

	frame[0] = type;
	for (int i = 0; i < 4; i++)
		frame[1 + i] = (uint8_t)(value >> (24 - 8 * i));
	return frame;
}

/* Writes it all while the server runs. */
static void send_all(struct fixture *f, int peer, const uint8_t *bytes, size_t size)
{
	uint64_t end_ms = clock_monotonic_ms() + PATIENCE_MS;

	for (size_t at = 0; at < size;) {
		ssize_t sent = send(peer, bytes + at, size - at, MSG_NOSIGNAL);

		assert_true(sent > 0 || errno == EAGAIN);
		assert_true(clock_monotonic_ms() < end_ms);
		at += sent > 0 ? (size_t)sent : 0;
		loop_turn(f->loop, 0);
	}
}

/* As much of it as fits now. */
static size_t send_some(int peer, const uint8_t *bytes, size_t size)
{
	ssize_t sent = send(peer, bytes, size, MSG_NOSIGNAL);

	return sent > 0 ? (size_t)sent : 0;
}

static void error_text(const uint8_t *bytes, size_t got, char *text, size_t size)
{
	struct wire_message message;
	struct arena arena;
	struct error err;

	arena_init(&arena, 4096);
	if (got > 0 && !wire_decode(bytes, got, &arena, &message, &err) &&
		message.type == WIRE_ERROR)
		snprintf(text, size, "%s", message.error.text);
	arena_release(&arena);
}

/* Reads until the end; the text when it was an ERROR and nothing else. True when there was an end.
 */
static bool read_end(struct fixture *f, int peer, char *text, size_t size)
{
	uint8_t bytes[65536];
	size_t got = 0;
	uint64_t end_ms = clock_monotonic_ms() + PATIENCE_MS;

	text[0] = '\0';
	while (clock_monotonic_ms() < end_ms) {
		ssize_t more = recv(peer, bytes + got, sizeof(bytes) - got, 0);

		if (more == 0 || (more < 0 && errno != EAGAIN)) {
			error_text(bytes, got, text, size);
			return true;
		}
		got += more > 0 ? (size_t)more : 0;
		loop_turn(f->loop, 2);
	}
	return false;
}

static void is_expelled(struct fixture *f, int peer, const char *part)
{
	char text[512];

	assert_true(read_end(f, peer, text, sizeof(text)));
	if (!strstr(text, part))
		fail_msg("\"%s\" lacks \"%s\"", text, part);
}

static void frames_come_whole_whatever_the_pieces(void **state)
{
	struct server_limits limits = {0};
	struct fixture f;
	uint8_t *small = make_frame(WIRE_END, 17), *large = make_frame(WIRE_BATCH, 3000000);
	uint8_t *empty = make_frame(WIRE_HEALTH, 5);
	int peer;

	(void)state;
	start(&f, &limits);
	peer = add_peer(&f);
	for (size_t i = 0; i < 17; i++) {
		assert_int_equal(f.frames, 0);
		send_all(&f, peer, small + i, 1);
		turns(&f, 3);
	}
	TURNS_UNTIL(&f, f.frames == 1);
	send_all(&f, peer, large, 3000000);
	send_all(&f, peer, empty, 5);
	send_all(&f, peer, small, 17);
	TURNS_UNTIL(&f, f.frames == 4);
	assert_int_equal(f.bytes, 17 + 3000000 + 5 + 17);
	assert_int_equal(server_memory(f.server), 0);
	close(peer);
	f.peers[0] = -1;
	TURNS_UNTIL(&f, f.closed == 1);
	assert_int_equal(server_connections(f.server), 0);
	stop(&f);
	free(small);
	free(large);
	free(empty);
}

static void each_connection_has_its_turn(void **state)
{
	struct server_limits limits = {0};
	struct fixture f;
	uint8_t *frame = make_frame(WIRE_END, 17);
	int many, few;

	(void)state;
	start(&f, &limits);
	many = add_peer(&f);
	few = add_peer(&f);
	for (int i = 0; i < 30; i++)
		assert_int_equal(send_some(many, frame, 17), 17);
	assert_int_equal(send_some(few, frame, 17), 17);
	TURNS_UNTIL(&f, f.frames == 31);
	/* The one frame of `few` was among the first two. */
	assert_true(f.order[0] == f.last || f.order[1] == f.last);
	stop(&f);
	free(frame);
}

static void one_connection_too_many_is_told(void **state)
{
	struct server_limits limits = {.connections_max = 2};
	struct fixture f;
	int third;

	(void)state;
	start(&f, &limits);
	add_peer(&f);
	add_peer(&f);
	third = add_peer(&f);
	assert_int_equal(f.opened, 2);
	/* It has spoken already: its words must not turn our answer into a reset. */
	send_some(third, (const uint8_t *)"hello", 5);
	is_expelled(&f, third, "connections_max = 2");
	close(f.peers[0]);
	f.peers[0] = -1;
	TURNS_UNTIL(&f, f.closed == 1);
	add_peer(&f);
	assert_int_equal(f.opened, 3);
	/* Thousands more cost little, and end. */
	for (int i = 0; i < 5000; i++) {
		int pair[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
		server_adopt(f.server, pair[1]);
		close(pair[0]);
		if (i % 100 == 0)
			loop_turn(f.loop, 0);
	}
	TURNS_UNTIL(&f, server_connections(f.server) <= 3);
	assert_int_equal(f.opened, 3);
	stop(&f);
}

static void slow_and_silent_peers_are_closed(void **state)
{
	struct server_limits limits = {.first_ms = 150, .frame_ms = 200, .silent_ms = PATIENCE_MS};
	struct fixture f;
	uint8_t *frame = make_frame(WIRE_END, 17);
	int silent, slow, good;

	(void)state;
	start(&f, &limits);
	silent = add_peer(&f);
	slow = add_peer(&f);
	good = add_peer(&f);
	send_some(good, frame, 17);
	/* One byte now and then does not help. */
	for (int i = 0; i < 12; i++) {
		send_some(slow, frame + i, 1);
		turns(&f, 20);
	}
	is_expelled(&f, silent, "silent");
	is_expelled(&f, slow, "did not finish");
	assert_int_equal(f.closed, 2);
	/* The second frame has its own time, as has the silence between them. */
	send_some(good, frame, 3);
	is_expelled(&f, good, "did not finish");
	stop(&f);
	free(frame);
}

static void hostile_bytes_are_refused(void **state)
{
	static const uint8_t hostile[][5] = {{0xff, 0, 0, 0, 1}, {WIRE_END, 0xff, 0xff, 0xff, 0xff},
		{0, 0, 0, 0, 0}, {WIRE_BATCH, 0x05, 0, 0, 1}, {'G', 'E', 'T', ' ', '/'}};
	struct server_limits limits = {0};
	struct rng rng;
	struct fixture f;

	(void)state;
	start(&f, &limits);
	for (size_t i = 0; i < 5; i++) {
		char text[512];
		int peer = add_peer(&f);

		send_some(peer, hostile[i], 5);
		assert_true(read_end(&f, peer, text, sizeof(text)));
		assert_true(text[0] != '\0');
		assert_int_equal(f.closed, i + 1);
	}
	assert_int_equal(f.frames, 0);
	stop(&f);
	rng_init(&rng, 1);
	for (int round = 0; round < 200; round++) {
		uint8_t bytes[64];
		int peer;

		start(&f, &limits);
		peer = add_peer(&f);
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)rng_below(&rng, i % 5 ? 256 : 40);
		send_some(peer, bytes, rng_below(&rng, sizeof(bytes)));
		loop_turn(f.loop, 0);
		loop_turn(f.loop, 0);
		stop(&f);
	}
}

static void a_promise_takes_no_memory(void **state)
{
	struct server_limits limits = {0};
	struct fixture f;
	uint8_t *frame = make_frame(WIRE_BATCH, 70u << 20);

	(void)state;
	start(&f, &limits);
	for (int i = 0; i < PEERS_MAX; i++)
		send_some(add_peer(&f), frame, 6);
	turns(&f, 20);
	assert_in_range(server_memory(f.server), 1, PEERS_MAX * (64u << 10));
	stop(&f);
	free(frame);
}

/* Four peers of 4 MB each, and 5 MB of memory: they take turns, and all get through. */
static void memory_has_a_bound_and_nobody_starves(void **state)
{
	const size_t size = 4u << 20;
	struct server_limits limits = {.memory_max = 5u << 20};
	struct fixture f;
	uint8_t *frame = make_frame(WIRE_BATCH, size), *hello = make_frame(WIRE_HELLO, 15);
	size_t at[4] = {0}, most = 0;
	bool asked = false;
	uint64_t end_ms = clock_monotonic_ms() + PATIENCE_MS;

	(void)state;
	start(&f, &limits);
	for (int i = 0; i < 5; i++)
		add_peer(&f);
	while (f.frames < 4 + (uint32_t)asked && clock_monotonic_ms() < end_ms) {
		for (int i = 0; i < 4; i++)
			at[i] += send_some(f.peers[i], frame + at[i], size - at[i]);
		loop_turn(f.loop, 1);
		most = server_memory(f.server) > most ? server_memory(f.server) : most;
		/* Who is new is greeted all the same. */
		if (!asked && server_memory(f.server) > limits.memory_max) {
			uint32_t before = f.frames;

			send_some(f.peers[4], hello, 15);
			asked = true;
			TURNS_UNTIL(&f, f.frames > before);
		}
	}
	assert_true(asked);
	assert_int_equal(f.frames, 5);
	assert_in_range(most, limits.memory_max, limits.memory_max + size + (1u << 20));
	assert_int_equal(server_memory(f.server), 0);
	stop(&f);
	free(frame);
	free(hello);
}

/* Those who fill the memory and then stop do not keep the others out. */
static void hogs_are_closed(void **state)
{
	struct server_limits limits = {
		.memory_max = 2u << 20, .privileged_ms = 100, .frame_ms = 60000, .first_ms = 60000};
	struct fixture f;
	uint8_t *frame = make_frame(WIRE_BATCH, 8u << 20), *small = make_frame(WIRE_BATCH, 100000);
	size_t at[4] = {0}, sent = 0;
	uint64_t end_ms;
	int good;

	(void)state;
	start(&f, &limits);
	for (int i = 0; i < 4; i++)
		add_peer(&f);
	for (int turn = 0; turn < 200; turn++) {
		for (int i = 0; i < 4; i++)
			if (at[i] < 700000)
				at[i] += send_some(f.peers[i], frame + at[i], 700000 - at[i]);
		loop_turn(f.loop, 0);
	}
	good = add_peer(&f);
	end_ms = clock_monotonic_ms() + PATIENCE_MS;
	while (f.frames == 0 && clock_monotonic_ms() < end_ms) {
		sent += send_some(good, small + sent, 100000 - sent);
		loop_turn(f.loop, 2);
	}
	assert_int_equal(f.frames, 1);
	assert_in_range(f.closed, 1, 4);
	stop(&f);
	free(frame);
	free(small);
}

static void no_batch_is_read_while_the_broker_is_behind(void **state)
{
	struct server_limits limits = {.backlog_max = 1000, .first_ms = 1000, .frame_ms = 1000};
	struct fixture f;
	uint8_t *batch = make_frame(WIRE_BATCH, 100), *end = make_frame(WIRE_END, 17);
	int sender, other;

	(void)state;
	start(&f, &limits);
	sender = add_peer(&f);
	other = add_peer(&f);
	f.backlog = 1001;
	send_some(sender, batch, 50);
	send_some(other, end, 17);
	TURNS_UNTIL(&f, f.frames == 1);
	/* The time that we took is not held against it. */
	turns(&f, 1200);
	assert_int_equal(f.frames, 1);
	f.backlog = 1000;
	server_update(f.server);
	turns(&f, 20);
	send_some(sender, batch + 50, 50);
	TURNS_UNTIL(&f, f.frames == 2);
	assert_int_equal(f.order[1] == f.order[0], 0);
	stop(&f);
	free(batch);
	free(end);
}

/* Bytes that are kept stay where they are; their connection sends no BATCH meanwhile, others do. */
static void what_is_kept_stays(void **state)
{
	struct server_limits limits = {.first_ms = 1000, .frame_ms = 1000};
	size_t size = SERVER_KEPT_MAX + 1;
	uint8_t *large = make_frame(WIRE_BATCH, size), *batch = make_frame(WIRE_BATCH, 100);
	struct fixture f;
	int sender, other;

	(void)state;
	memset(large + WIRE_HEADER_SIZE, 7, size - WIRE_HEADER_SIZE);
	start(&f, &limits);
	sender = add_peer(&f);
	other = add_peer(&f);
	f.keeps = true;
	send_all(&f, sender, large, size);
	TURNS_UNTIL(&f, f.frames == 1);
	assert_int_equal(server_kept(f.server), size);
	send_some(sender, batch, 100);
	send_some(other, batch, 100);
	TURNS_UNTIL(&f, f.frames == 2);
	/* The time that we take is not held against it. */
	turns(&f, 1200);
	assert_int_equal(f.frames, 2);
	assert_memory_equal(f.kept_bytes, large, size);
	f.kept->done(f.kept);
	TURNS_UNTIL(&f, f.frames == 3);
	assert_int_equal(server_kept(f.server), 0);
	/* Or the connection ends first. */
	f.keeps = true;
	send_some(sender, batch, 100);
	TURNS_UNTIL(&f, f.frames == 4);
	close(sender);
	f.peers[0] = -1;
	TURNS_UNTIL(&f, f.closed == 1);
	assert_memory_equal(f.kept_bytes, batch, 100);
	f.kept->done(f.kept);
	assert_int_equal(server_kept(f.server), 0);
	stop(&f);
	free(large);
	free(batch);
}

static void who_does_not_read_is_not_read_and_then_closed(void **state)
{
	struct server_limits limits = {.send_max = 4u << 20, .send_ms = 1000};
	struct fixture f;
	uint8_t *frame = make_frame(WIRE_RESULTS, 21);
	char text[16];
	int peer;

	(void)state;
	start(&f, &limits);
	f.answer_bytes = 1500000;
	peer = add_peer(&f);
	for (int i = 0; i < 20; i++)
		send_some(peer, frame, 21);
	turns(&f, 100);
	/* Two or so answers fill the socket and the pause; the other requests wait unread. */
	assert_in_range(f.frames, 1, 3);
	assert_in_range(server_memory(f.server), 1, 8u << 20);
	TURNS_UNTIL(&f, f.closed == 1);
	turns(&f, 50);
	close(peer);
	f.peers[0] = -1;
	TURNS_UNTIL(&f, server_connections(f.server) == 0);
	/* A single answer above the bound. */
	f.answer_bytes = 5u << 20;
	peer = add_peer(&f);
	send_some(peer, frame, 21);
	TURNS_UNTIL(&f, f.closed == 2);
	assert_true(read_end(&f, peer, text, sizeof(text)));
	assert_int_equal(server_memory(f.server), 0);
	stop(&f);
	free(frame);
}

static void a_reader_gets_everything(void **state)
{
	struct server_limits limits = {0};
	struct fixture f;
	uint8_t *frame = make_frame(WIRE_RESULTS, 21);
	static char bytes[1 << 16];
	size_t got = 0;
	uint64_t end_ms = clock_monotonic_ms() + PATIENCE_MS;
	int peer;

	(void)state;
	start(&f, &limits);
	f.answer_bytes = 1500000;
	peer = add_peer(&f);
	for (int i = 0; i < 20; i++)
		send_some(peer, frame, 21);
	while (got < 20 * f.answer_bytes && clock_monotonic_ms() < end_ms) {
		ssize_t more = recv(peer, bytes, sizeof(bytes), 0);

		got += more > 0 ? (size_t)more : 0;
		loop_turn(f.loop, 0);
	}
	assert_int_equal(got, 20 * f.answer_bytes);
	assert_int_equal(f.closed, 0);
	stop(&f);
	free(frame);
}

static void what_was_said_before_a_drop_arrives(void **state)
{
	struct server_limits limits = {0};
	struct fixture f;
	uint8_t *frame = make_frame(WIRE_BATCH, 200000);
	char text[16];
	int peer;

	(void)state;
	start(&f, &limits);
	f.drops = true;
	f.answer_bytes = 30000;
	peer = add_peer(&f);
	send_all(&f, peer, frame, 200000);
	/* What follows the frame is never handed over. */
	send_some(peer, frame, 200000);
	assert_true(read_end(&f, peer, text, sizeof(text)));
	assert_int_equal(f.frames, 1);
	assert_int_equal(f.closed, 0);
	close(peer);
	f.peers[0] = -1;
	TURNS_UNTIL(&f, server_connections(f.server) == 0);
	stop(&f);
	free(frame);
}

static void an_end_in_order(void **state)
{
	struct server_limits limits = {0};
	struct net_address address = {.host = "127.0.0.1", .port = 0};
	struct fixture f;
	uint8_t *frame = make_frame(WIRE_END, 17);
	struct error err;
	int peer;

	(void)state;
	start(&f, &limits);
	assert_int_equal(server_listen(f.server, &address, &err), 0);
	peer = add_peer(&f);
	server_stop_taking(f.server);
	send_some(peer, frame, 17);
	turns(&f, 20);
	assert_int_equal(f.frames, 0);
	/* What was in hand is still answered. */
	server_send(f.server, f.last, frame, 17);
	server_dismiss(f.server, "going down");
	TURNS_UNTIL(&f, recv(peer, frame, 17, MSG_PEEK) == 17);
	assert_int_equal(recv(peer, frame, 17, 0), 17);
	is_expelled(&f, peer, "going down");
	stop(&f);
	free(frame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_come_whole_whatever_the_pieces),
		cmocka_unit_test(each_connection_has_its_turn),
		cmocka_unit_test(one_connection_too_many_is_told),
		cmocka_unit_test(slow_and_silent_peers_are_closed),
		cmocka_unit_test(hostile_bytes_are_refused),
		cmocka_unit_test(a_promise_takes_no_memory),
		cmocka_unit_test(memory_has_a_bound_and_nobody_starves),
		cmocka_unit_test(hogs_are_closed),
		cmocka_unit_test(no_batch_is_read_while_the_broker_is_behind),
		cmocka_unit_test(what_is_kept_stays),
		cmocka_unit_test(who_does_not_read_is_not_read_and_then_closed),
		cmocka_unit_test(a_reader_gets_everything),
		cmocka_unit_test(what_was_said_before_a_drop_arrives),
		cmocka_unit_test(an_end_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
