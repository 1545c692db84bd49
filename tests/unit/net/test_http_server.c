/* A server with a thread for each connection: what requests are made of, and what answers are. */
#include "net/http_server.h"

#include "base/memory.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define BODY_MAX     1000u
#define STREAM_BYTES 200000u
#define ANSWER_MAX   (1u << 20)

static struct http_server *server;
static sem_t released;
static sem_t go_on;

static ssize_t read_letters(void *context, char *bytes, size_t size_max)
{
	size_t *left = context;
	size_t size = *left < size_max ? *left : size_max;

	memset(bytes, 'x', size);
	*left -= size;
	return (ssize_t)size;
}

static void release_letters(void *context)
{
	free(context);
	sem_post(&released);
}

static void answer_echo(struct http_request *request)
{
	size_t size;
	const char *body = http_request_body(request, &size);
	const char *word = http_request_argument(request, "word");
	const char *cookie = http_request_cookie(request, "key");
	char text[2 * BODY_MAX];

	assert_int_equal(strlen(body), size);
	snprintf(text, sizeof(text), "%s %s word=%s key=%s body=%s", http_request_method(request),
		http_request_path(request), word ? word : "-", cookie ? cookie : "-", body);
	http_answer_header(request, "X-One", "1");
	http_answer_text(request, 201, text);
}

static void on_request(void *context, struct http_request *request)
{
	size_t *letters;

	assert_ptr_equal(context, &server);
	if (strcmp(http_request_path(request), "/stream") == 0) {
		letters = memory_alloc(sizeof(*letters));
		*letters = STREAM_BYTES;
		http_answer_stream(request, "text/plain", read_letters, release_letters, letters);
	} else if (strcmp(http_request_path(request), "/wait") == 0) {
		sem_wait(&go_on);
		http_answer_text(request, 200, "waited");
	} else {
		answer_echo(request);
	}
}

static int open_server(void **state)
{
	struct http_server_options options = {
		.address = {.host = "127.0.0.1"},
		.connections_max = 8,
		.idle_s_max = 60,
		.body_max = BODY_MAX,
		.may_wait = true,
		.handler = on_request,
		.context = &server,
	};
	struct error err;

	(void)state;
	sem_init(&released, 0, 0);
	sem_init(&go_on, 0, 0);
	return http_server_open(&server, &options, &err);
}

static int close_server(void **state)
{
	(void)state;
	http_server_close(server);
	return 0;
}

static int dial(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
		.sin_port = htons(http_server_port(server)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

/* All up to the end of the connection, which the request asks for. */
static char *ask(const char *request)
{
	static char answer[ANSWER_MAX];
	size_t got = 0;
	ssize_t size;
	int fd = dial();

	assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
	while ((size = recv(fd, answer + got, sizeof(answer) - 1 - got, 0)) > 0)
		got += (size_t)size;
	close(fd);
	answer[got] = '\0';
	return answer;
}

static void has(const char *answer, const char *part)
{
	if (!strstr(answer, part))
		fail_msg("\"%.2000s\" lacks \"%s\"", answer, part);
}

static void requests_have_their_parts(void **state)
{
	const char *answer;

	(void)state;
	answer = ask(
		"GET /a%20b?word=x%26y&other=2 HTTP/1.1\r\nHost: h\r\nCookie: a=1; key=secret\r\n"
		"Connection: close\r\n\r\n");
	has(answer, "HTTP/1.1 201 ");
	has(answer, "\r\nX-One: 1\r\n");
	has(answer, "\r\n\r\nGET /a b word=x&y key=secret body=");
	answer = ask("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nConnection: close\r\n\r\n"
		     "hello");
	has(answer, "\r\n\r\nPOST /p word=- key=- body=hello");
	answer = ask("HEAD /h HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
	has(answer, "HTTP/1.1 201 ");
	assert_null(strstr(answer, "HEAD /h"));
}

static void what_is_not_allowed_is_refused(void **state)
{
	char request[2 * BODY_MAX];
	const char *answer;
	int size;

	(void)state;
	answer = ask("DELETE / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
	has(answer, "HTTP/1.1 405 ");
	has(answer, "\r\nAllow: GET, HEAD, POST\r\n");
	size = snprintf(request, sizeof(request),
		"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %u\r\nConnection: close\r\n\r\n",
		BODY_MAX + 1);
	memset(request + size, 'b', BODY_MAX + 1);
	request[size + (int)BODY_MAX + 1] = '\0';
	has(ask(request), "HTTP/1.1 413 ");
}

static void streams_come_whole_and_are_released(void **state)
{
	const char *answer = ask("GET /stream HTTP/1.0\r\nHost: h\r\n\r\n");
	const char *body = strstr(answer, "\r\n\r\n");

	(void)state;
	assert_non_null(body);
	assert_int_equal(strlen(body + 4), STREAM_BYTES);
	sem_wait(&released);
}

/* Who waits keeps nobody else waiting. */
static void handlers_may_wait(void **state)
{
	static const char wait[] = "GET /wait HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
	char text[1024] = "";
	int fd = dial();

	(void)state;
	assert_true(send(fd, wait, strlen(wait), MSG_NOSIGNAL) > 0);
	has(ask("GET /quick HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), "GET /quick");
	sem_post(&go_on);
	assert_true(recv(fd, text, sizeof(text) - 1, MSG_WAITALL) > 0);
	has(text, "waited");
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_have_their_parts),
		cmocka_unit_test(what_is_not_allowed_is_refused),
		cmocka_unit_test(streams_come_whole_and_are_released),
		cmocka_unit_test(handlers_may_wait),
	};

	return cmocka_run_group_tests(tests, open_server, close_server);
}
