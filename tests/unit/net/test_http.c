/* The HTTP client against a server that the test plays by hand. */
#include "net/http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#define TURN_MS	   50
#define TURNS_MAX  200
#define ANSWER_MAX 512

struct fixture {
	struct loop *loop;
	uint64_t now_ms;
	struct http_client *client;
	struct net_address address;
	int listener;
	int peer; /* the server's end; -1: none */
	int answers;
	int failures;
	int hang_ups;
	int status;
	enum http_failure failure;
	char body[ANSWER_MAX];
	size_t size;
};

static void on_answer(void *context, int status, const char *body, size_t size)
{
	struct fixture *f = context;

	f->answers++;
	f->status = status;
	f->size = size;
	assert_int_equal(body[size], '\0');
	snprintf(f->body, sizeof(f->body), "%s", body);
}

static void on_failed(void *context, enum http_failure failure)
{
	struct fixture *f = context;

	f->failures++;
	f->failure = failure;
}

static void on_hung_up(void *context)
{
	struct fixture *f = context;

	f->hang_ups++;
}

static int setup(void **state)
{
	static struct fixture fixture;
	struct http_handler handler = {on_answer, on_failed, on_hung_up, &fixture};
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	struct error err;

	fixture = (struct fixture){.now_ms = 1000, .peer = -1, .address = {.host = "127.0.0.1"}};
	fixture.listener = socket(AF_INET, SOCK_STREAM, 0);
	if (loop_new(&fixture.loop, &err) ||
		bind(fixture.listener, (struct sockaddr *)&address, size) ||
		listen(fixture.listener, 8) ||
		getsockname(fixture.listener, (struct sockaddr *)&address, &size))
		return -1;
	fixture.address.port = ntohs(address.sin_port);
	loop_use_clock(fixture.loop, &fixture.now_ms);
	fixture.client =
		http_client_new(fixture.loop, &fixture.address, 3000, ANSWER_MAX, &handler);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	http_client_free(f->client);
	loop_free(f->loop);
	if (f->peer >= 0)
		close(f->peer);
	if (f->listener >= 0)
		close(f->listener);
	return 0;
}

static void turn(struct fixture *f, int times)
{
	for (int i = 0; i < times; i++)
		loop_turn(f->loop, TURN_MS);
}

/* Until the client has said a whole question to the server's end. */
static void hear(struct fixture *f, const char *path)
{
	char text[1024] = "", start[64];
	size_t size = 0;
	ssize_t got;

	for (int i = 0; !strstr(text, "\r\n\r\n") && i < TURNS_MAX; i++) {
		loop_turn(f->loop, 0);
		if (f->peer < 0)
			f->peer = accept(f->listener, NULL, NULL);
		loop_turn(f->loop, 0);
		got = recv(f->peer, text + size, sizeof(text) - 1 - size, 0);
		assert_true(got > 0);
		size += (size_t)got;
		text[size] = '\0';
	}
	snprintf(start, sizeof(start), "GET %s HTTP/1.1\r\nHost: 127.0.0.1:", path);
	assert_memory_equal(text, start, strlen(start));
}

static void say(struct fixture *f, const char *text)
{
	assert_int_equal(send(f->peer, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

static void wait_over(struct fixture *f)
{
	for (int i = 0; f->answers + f->failures == 0 && i < TURNS_MAX; i++)
		loop_turn(f->loop, TURN_MS);
	assert_int_equal(f->answers + f->failures, 1);
}

static void check_answer(struct fixture *f, int status, const char *body)
{
	wait_over(f);
	assert_int_equal(f->answers, 1);
	assert_int_equal(f->status, status);
	assert_string_equal(f->body, body);
	assert_int_equal(f->size, strlen(body));
	f->answers = 0;
}

static void hang_up(struct fixture *f)
{
	close(f->peer);
	f->peer = -1;
}

/* In pieces, with a body, on one connection. */
static void test_kept(void **state)
{
	struct fixture *f = *state;

	http_client_ask(f->client, "/health");
	hear(f, "/health");
	say(f, "HTTP/1.1 503 Busy\r\nX: y\r\nconTENT-length: ");
	turn(f, 2);
	say(f, "5\r\n\r\n12");
	turn(f, 2);
	assert_int_equal(f->answers, 0);
	say(f, "345");
	check_answer(f, 503, "12345");
	http_client_ask(f->client, "/ready");
	hear(f, "/ready");
	say(f, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
	check_answer(f, 200, "");
	hang_up(f);
	for (int i = 0; f->hang_ups == 0 && i < TURNS_MAX; i++)
		turn(f, 1);
	assert_int_equal(f->hang_ups, 1);
	assert_int_equal(f->failures, 0);
}

static void test_until_the_end(void **state)
{
	struct fixture *f = *state;

	http_client_ask(f->client, "/");
	hear(f, "/");
	say(f, "HTTP/1.0 200 OK\r\n\r\nall of it");
	turn(f, 2);
	assert_int_equal(f->answers, 0);
	hang_up(f);
	check_answer(f, 200, "all of it");
}

/* A kept connection that ends under a question: asked again on a new one. */
static void test_asked_again(void **state)
{
	struct fixture *f = *state;

	http_client_ask(f->client, "/a");
	hear(f, "/a");
	say(f, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na");
	check_answer(f, 200, "a");
	http_client_ask(f->client, "/b");
	hear(f, "/b");
	hang_up(f);
	turn(f, 3);
	hear(f, "/b");
	say(f, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nb");
	check_answer(f, 200, "b");
	http_client_ask(f->client, "/c");
	hear(f, "/c");
	hang_up(f);
	turn(f, 3);
	/* The new one has not answered anything yet. */
	hear(f, "/c");
	hang_up(f);
	wait_over(f);
	assert_int_equal(f->failure, HTTP_ENDED);
}

static void test_nobody(void **state)
{
	struct fixture *f = *state;

	close(f->listener);
	f->listener = -1;
	http_client_ask(f->client, "/");
	wait_over(f);
	assert_int_equal(f->failure, HTTP_NOBODY);
	assert_string_equal(http_client_trouble(f->client), "Connection refused");
}

static void test_silence(void **state)
{
	struct fixture *f = *state;

	http_client_ask(f->client, "/");
	hear(f, "/");
	f->now_ms += 2999;
	turn(f, 1);
	assert_int_equal(f->failures, 0);
	f->now_ms += 1;
	wait_over(f);
	assert_int_equal(f->failure, HTTP_SILENT);
}

static void test_broken_answers(void **state)
{
	static const char *const texts[] = {"SSH-2.0-OpenSSH\r\n", "HTTP/2 200\r\n\r\n",
		"HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 20\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 1 2\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		http_client_ask(f->client, "/");
		hear(f, "/");
		say(f, texts[i]);
		wait_over(f);
		if (f->failures != 1 || f->failure != HTTP_BROKEN)
			fail_msg("taken for an answer: %s", texts[i]);
		f->failures = 0;
		hang_up(f);
	}
}

static void test_too_long(void **state)
{
	struct fixture *f = *state;
	char much[4096];

	memset(much, 'x', sizeof(much));
	http_client_ask(f->client, "/");
	hear(f, "/");
	say(f, "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n");
	for (int i = 0; f->failures == 0 && i < TURNS_MAX; i++) {
		(void)send(f->peer, much, sizeof(much), MSG_NOSIGNAL);
		turn(f, 1);
	}
	assert_int_equal(f->failure, HTTP_BROKEN);
}

/* --- waiting for one answer ----------------------------------------------------------------------
 */

static void *serve_once(void *context)
{
	static const char answer[] = "HTTP/1.1 404 None\r\nContent-Length: 4\r\n\r\nnone";
	struct fixture *f = context;
	char bytes[512];
	int fd = accept(f->listener, NULL, NULL);

	if (recv(fd, bytes, sizeof(bytes), 0) > 0)
		(void)send(fd, answer, sizeof(answer) - 1, MSG_NOSIGNAL);
	close(fd);
	return NULL;
}

static void test_get(void **state)
{
	struct fixture *f = *state;
	pthread_t thread;
	struct buf out;
	struct error err;
	int status;

	assert_int_equal(pthread_create(&thread, NULL, serve_once, f), 0);
	buf_init(&out, 64);
	assert_int_equal(http_get(&f->address, "/status", 30000, &out, &status, &err), 0);
	pthread_join(thread, NULL);
	assert_int_equal(status, 404);
	assert_int_equal(out.size, 4);
	assert_string_equal(out.data, "none");
	close(f->listener);
	f->listener = -1;
	assert_int_equal(http_get(&f->address, "/status", 30000, &out, &status, &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	assert_non_null(strstr(err.message, "Connection refused"));
	buf_release(&out);
}

#define HTTP_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HTTP_TEST(test_kept),
		HTTP_TEST(test_until_the_end),
		HTTP_TEST(test_asked_again),
		HTTP_TEST(test_nobody),
		HTTP_TEST(test_silence),
		HTTP_TEST(test_broken_answers),
		HTTP_TEST(test_too_long),
		HTTP_TEST(test_get),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
