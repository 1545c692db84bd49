#include "net/http.h"

#include "base/memory.h"
#include "net/dial.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REQUEST_MAX    1024
#define READ_BYTES     4096
#define HEAD_BYTES     4096 /* beside the body, in http_get */
#define LENGTH_UNKNOWN SIZE_MAX

enum client_state {
	CLIENT_IDLE,
	CLIENT_CONNECTING,
	CLIENT_ASKED,
};

struct http_client {
	struct loop *loop;
	struct http_handler handler;
	char host[NET_ADDRESS_TEXT];
	uint64_t patience_ms;
	struct resolver resolver;
	struct dial dial;
	enum client_state state;
	struct loop_source source; /* fd -1: no connection */
	struct loop_timer timer;   /* the end of patience with an answer */
	bool kept;		   /* the connection has answered before */
	const char *path;
	struct buf in;
	const char *trouble;
};

/* --- answers -------------------------------------------------------------------------------------
 */

struct http_answer {
	int status;
	size_t head_size;
	size_t body_size; /* LENGTH_UNKNOWN: all up to the end of the connection */
};

enum parse_result {
	PARSE_MORE, /* the head is not whole yet */
	PARSE_DONE,
	PARSE_BROKEN,
};

/* The value of a header; NULL when there is none. `head` ends with an empty line and a 0. */
static const char *find_header(const char *head, const char *name)
{
	size_t size = strlen(name);

	for (const char *line = strstr(head, "\r\n"); line; line = strstr(line, "\r\n")) {
		line += 2;
		if (strncasecmp(line, name, size) == 0 && line[size] == ':')
			return line + size + 1 + strspn(line + size + 1, " \t");
	}
	return NULL;
}

static enum parse_result parse_lengths(const char *head, struct http_answer *answer)
{
	const char *length = find_header(head, "Content-Length");
	char *end;

	if (find_header(head, "Transfer-Encoding"))
		return PARSE_BROKEN;
	answer->body_size = LENGTH_UNKNOWN;
	if (!length)
		return PARSE_DONE;
	if (*length < '0' || *length > '9')
		return PARSE_BROKEN;
	errno = 0;
	answer->body_size = strtoul(length, &end, 10);
	if (errno || answer->body_size == LENGTH_UNKNOWN || *end != '\r')
		return PARSE_BROKEN;
	return PARSE_DONE;
}

/* `text` ends with a 0 at `size`. */
static enum parse_result parse_head(char *text, size_t size, struct http_answer *answer)
{
	static const char start[] = "HTTP/1.";
	char *end = memmem(text, size, "\r\n\r\n", 4);
	enum parse_result result;
	char after;

	if (strncmp(text, start, size < sizeof(start) - 1 ? size : sizeof(start) - 1) != 0)
		return PARSE_BROKEN;
	if (!end)
		return PARSE_MORE;
	end += 4;
	answer->head_size = (size_t)(end - text);
	after = *end;
	*end = '\0';
	/* "HTTP/1.1 200 OK" */
	answer->status = (int)strtol(text + sizeof(start), NULL, 10);
	result = answer->status >= 100 && answer->status <= 999 ? parse_lengths(text, answer)
								: PARSE_BROKEN;
	*end = after;
	return result;
}

/* --- ends ----------------------------------------------------------------------------------------
 */

void http_client_hang_up(struct http_client *client)
{
	dial_stop(&client->dial);
	loop_timer_cancel(client->loop, &client->timer);
	if (client->source.fd >= 0) {
		loop_remove(client->loop, &client->source);
		close(client->source.fd);
	}
	client->source.fd = -1;
	client->state = CLIENT_IDLE;
	client->kept = false;
	buf_clear(&client->in);
}

static void fail(struct http_client *client, enum http_failure failure, const char *trouble)
{
	http_client_hang_up(client);
	client->trouble = trouble;
	client->handler.on_failed(client->handler.context, failure);
}

/* The peer has ended the connection. */
static void on_end(struct http_client *client, const char *trouble)
{
	bool asked = client->state == CLIENT_ASKED, kept = client->kept;
	const char *path = client->path;

	if (asked && !kept) {
		fail(client, HTTP_ENDED, trouble);
		return;
	}
	http_client_hang_up(client);
	if (asked)
		http_client_ask(client, path);
	else if (client->handler.on_hung_up)
		client->handler.on_hung_up(client->handler.context);
}

static void on_patience(void *context)
{
	fail(context, HTTP_SILENT, strerror(ETIMEDOUT));
}

/* --- answers, as they come -----------------------------------------------------------------------
 */

/* The answer is whole; `to_end`: with the end of the connection. */
static void take_answer(struct http_client *client, const struct http_answer *answer, bool to_end)
{
	char *body = client->in.data + answer->head_size;
	size_t size = to_end ? client->in.size - answer->head_size : answer->body_size;
	struct buf in = client->in;

	/* The handler may ask again, or free us: the bytes are its until it returns. */
	buf_init(&client->in, in.size_max);
	body[size] = '\0';
	loop_timer_cancel(client->loop, &client->timer);
	client->state = CLIENT_IDLE;
	client->kept = true;
	if (to_end)
		http_client_hang_up(client);
	client->handler.on_answer(client->handler.context, answer->status, body, size);
	buf_release(&in);
}

static void on_bytes(struct http_client *client, bool ended, const char *trouble)
{
	struct http_answer answer;
	enum parse_result result;

	client->in.data[client->in.size] = '\0';
	result = parse_head(client->in.data, client->in.size, &answer);
	if (result == PARSE_BROKEN)
		fail(client, HTTP_BROKEN, "it does not speak HTTP");
	else if (result == PARSE_DONE && answer.body_size == LENGTH_UNKNOWN && ended)
		take_answer(client, &answer, true);
	else if (result == PARSE_DONE && answer.body_size != LENGTH_UNKNOWN &&
		 client->in.size - answer.head_size >= answer.body_size)
		take_answer(client, &answer, false);
	else if (ended)
		on_end(client, trouble);
}

static void on_socket(void *context, uint32_t events)
{
	struct http_client *client = context;
	char *room = buf_reserve(&client->in, READ_BYTES + 1);
	ssize_t got;

	(void)events;
	if (!room) {
		fail(client, HTTP_BROKEN, "the answer is too long");
		return;
	}
	got = recv(client->source.fd, room, READ_BYTES, 0);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	/* Nothing was asked: whatever it is, it is not an answer. */
	if (client->state != CLIENT_ASKED || got < 0) {
		on_end(client, got < 0 ? strerror(errno) : "it ended the connection");
		return;
	}
	client->in.size += (size_t)got;
	on_bytes(client, got == 0, "it ended the connection");
}

/* --- questions -----------------------------------------------------------------------------------
 */

static void ask(struct http_client *client)
{
	char request[REQUEST_MAX];
	int size = snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n",
		client->path, client->host);

	assert(size > 0 && (size_t)size < sizeof(request));
	client->state = CLIENT_ASKED;
	loop_timer_set(client->loop, &client->timer, client->patience_ms);
	/* What could not be sent has no answer; a broken connection shows when it is read. */
	(void)send(client->source.fd, request, (size_t)size, MSG_NOSIGNAL);
}

static void on_up(void *context, int fd)
{
	struct http_client *client = context;
	struct error err;

	client->source = (struct loop_source){.fd = fd, .fn = on_socket, .context = client};
	if (loop_add(client->loop, &client->source, LOOP_READ, &err)) {
		fail(client, HTTP_UNREACHABLE, strerror(ENOMEM));
		return;
	}
	ask(client);
}

static void on_failed(void *context, int number)
{
	struct http_client *client = context;
	bool unknown = number == EHOSTUNREACH && client->resolver.status != 0;

	fail(client, number == ECONNREFUSED ? HTTP_NOBODY : HTTP_UNREACHABLE,
		unknown ? resolver_trouble(&client->resolver) : strerror(number));
}

void http_client_ask(struct http_client *client, const char *path)
{
	assert(client->state == CLIENT_IDLE);
	client->path = path;
	if (client->source.fd >= 0) {
		ask(client);
		return;
	}
	client->state = CLIENT_CONNECTING;
	dial_now(&client->dial);
}

const char *http_client_trouble(const struct http_client *client)
{
	return client->trouble;
}

/* --- its life ------------------------------------------------------------------------------------
 */

struct http_client *http_client_new(struct loop *loop, const struct net_address *address,
	uint64_t patience_ms, size_t answer_bytes_max, const struct http_handler *handler)
{
	static const struct dial_handler dial_handler = {on_up, on_failed};
	struct http_client *client = memory_zalloc(sizeof(*client));

	client->loop = loop;
	client->handler = *handler;
	client->patience_ms = patience_ms;
	client->source.fd = -1;
	client->trouble = "";
	client->timer = (struct loop_timer){.fn = on_patience, .context = client};
	/* What is read at a time may be more than what is left of the answer. */
	buf_init(&client->in, answer_bytes_max + READ_BYTES + 1);
	net_address_format(address, client->host);
	resolver_init(&client->resolver, address);
	client->dial = (struct dial){.loop = loop,
		.resolver = &client->resolver,
		.handler = &dial_handler,
		.context = client,
		.patience_ms = patience_ms};
	return client;
}

void http_client_free(struct http_client *client)
{
	if (!client)
		return;
	http_client_hang_up(client);
	resolver_release(&client->resolver);
	buf_release(&client->in);
	free(client);
}

/* --- one question, and waiting for it ------------------------------------------------------------
 */

struct waiting {
	struct loop *loop;
	struct buf *out;
	int status;
	bool answered;
	bool late;
	bool too_long;
};

static void on_waited_answer(void *context, int status, const char *body, size_t size)
{
	struct waiting *waiting = context;

	waiting->answered = true;
	waiting->status = status;
	buf_append(waiting->out, body, size);
	buf_append_char(waiting->out, '\0');
	waiting->too_long = buf_overflowed(waiting->out);
	loop_stop(waiting->loop);
}

static void on_waited_failure(void *context, enum http_failure failure)
{
	struct waiting *waiting = context;

	(void)failure;
	loop_stop(waiting->loop);
}

static void on_late(void *context)
{
	struct waiting *waiting = context;

	waiting->late = true;
	loop_stop(waiting->loop);
}

int http_get(const struct net_address *address, const char *path, uint64_t timeout_ms,
	struct buf *out, int *status, struct error *err)
{
	struct waiting waiting = {.out = out};
	struct http_handler handler = {on_waited_answer, on_waited_failure, NULL, &waiting};
	struct loop_timer timer = {.fn = on_late, .context = &waiting};
	struct http_client *client;
	char text[NET_ADDRESS_TEXT];
	int result = 0;

	if (loop_new(&waiting.loop, err))
		return -1;
	client = http_client_new(
		waiting.loop, address, timeout_ms, out->size_max + HEAD_BYTES, &handler);
	buf_clear(out);
	http_client_ask(client, path);
	loop_timer_set(waiting.loop, &timer, timeout_ms);
	loop_run(waiting.loop);
	net_address_format(address, text);
	if (waiting.too_long)
		result = error_set(err, ERROR_IO, "%s: %s", text, strerror(EMSGSIZE));
	else if (!waiting.answered)
		result = error_set(err, ERROR_IO, "%s: %s", text,
			waiting.late ? strerror(ETIMEDOUT) : http_client_trouble(client));
	else
		out->size--;
	*status = waiting.status;
	http_client_free(client);
	loop_free(waiting.loop);
	return result;
}
