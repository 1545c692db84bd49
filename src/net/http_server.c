#include "net/http_server.h"

#include "base/buf.h"
#include "base/library.h"
#include "base/memory.h"
#include "net/socket.h"

#include <arpa/inet.h>
#include <assert.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* -- The library, which only those load that have a server -- */

#ifndef LIBRARY_SONAME
#define LIBRARY_SONAME "libmicrohttpd.so"
#endif

#define MHD_CALLS(CALL)                         \
	CALL(MHD_add_response_header)           \
	CALL(MHD_create_response_from_buffer)   \
	CALL(MHD_create_response_from_callback) \
	CALL(MHD_destroy_response)              \
	CALL(MHD_lookup_connection_value)       \
	CALL(MHD_queue_response)                \
	CALL(MHD_start_daemon)                  \
	CALL(MHD_stop_daemon)

static struct mhd_calls {
	MHD_CALLS(LIBRARY_POINTER)
} microhttpd;

#define MHD_CALL(name) LIBRARY_CALL(struct mhd_calls, name)
static const struct library_call mhd_calls[] = {MHD_CALLS(MHD_CALL)};
static struct library mhd_library = LIBRARY(LIBRARY_SONAME, mhd_calls, &microhttpd);

#define TEXT_TYPE "text/plain; charset=utf-8"

struct http_server {
	struct http_server_options options;
	struct MHD_Daemon *daemon;
	uint16_t port;
};

struct http_header {
	char *name;
	char *value;
};

struct http_request {
	struct http_server *server;
	struct MHD_Connection *connection;
	const char *method;
	const char *path;
	struct buf body;
	uint32_t header_count; /* of the answer */
	struct http_header headers[HTTP_SERVER_HEADERS_MAX];
	bool answered;
	enum MHD_Result result;
};

/* --- what was asked ------------------------------------------------------------------------------
 */

const char *http_request_method(const struct http_request *request)
{
	return request->method;
}

const char *http_request_path(const struct http_request *request)
{
	return request->path;
}

static const char *look_up(
	const struct http_request *request, enum MHD_ValueKind kind, const char *name)
{
	return microhttpd.MHD_lookup_connection_value(request->connection, kind, name);
}

const char *http_request_header(const struct http_request *request, const char *name)
{
	return look_up(request, MHD_HEADER_KIND, name);
}

const char *http_request_cookie(const struct http_request *request, const char *name)
{
	return look_up(request, MHD_COOKIE_KIND, name);
}

const char *http_request_argument(const struct http_request *request, const char *name)
{
	return look_up(request, MHD_GET_ARGUMENT_KIND, name);
}

const char *http_request_body(const struct http_request *request, size_t *size)
{
	*size = request->body.size;
	return request->body.data ? request->body.data : "";
}

/* --- answers -------------------------------------------------------------------------------------
 */

void http_answer_header(struct http_request *request, const char *name, const char *value)
{
	assert(!request->answered && request->header_count < HTTP_SERVER_HEADERS_MAX);
	request->headers[request->header_count++] =
		(struct http_header){memory_strdup(name), memory_strdup(value)};
}

/* Takes the response. */
static void give(
	struct http_request *request, int status, const char *type, struct MHD_Response *response)
{
	assert(!request->answered);
	request->answered = true;
	if (!response)
		return;
	(void)microhttpd.MHD_add_response_header(response, "Content-Type", type);
	for (uint32_t i = 0; i < request->header_count; i++)
		(void)microhttpd.MHD_add_response_header(
			response, request->headers[i].name, request->headers[i].value);
	request->result =
		microhttpd.MHD_queue_response(request->connection, (unsigned)status, response);
	microhttpd.MHD_destroy_response(response);
}

void http_answer(
	struct http_request *request, int status, const char *type, const void *bytes, size_t size)
{
	give(request, status, type,
		microhttpd.MHD_create_response_from_buffer(
			size, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY));
}

void http_answer_text(struct http_request *request, int status, const char *text)
{
	http_answer(request, status, TEXT_TYPE, text, strlen(text));
}

struct http_stream {
	http_stream_fn read;
	void (*release)(void *context);
	void *context;
};

static ssize_t read_stream(void *context, uint64_t position, char *bytes, size_t size_max)
{
	struct http_stream *stream = context;
	ssize_t size = stream->read(stream->context, bytes, size_max);

	(void)position;
	if (size == 0)
		return MHD_CONTENT_READER_END_OF_STREAM;
	return size < 0 ? MHD_CONTENT_READER_END_WITH_ERROR : size;
}

static void free_stream(void *context)
{
	struct http_stream *stream = context;

	stream->release(stream->context);
	free(stream);
}

void http_answer_stream(struct http_request *request, const char *type, http_stream_fn read,
	void (*release)(void *context), void *context)
{
	struct http_stream *stream = memory_alloc(sizeof(*stream));
	struct MHD_Response *response;

	*stream = (struct http_stream){read, release, context};
	response = microhttpd.MHD_create_response_from_callback(
		MHD_SIZE_UNKNOWN, HTTP_SERVER_STREAM_BLOCK, read_stream, stream, free_stream);
	if (!response)
		free_stream(stream);
	give(request, MHD_HTTP_OK, type, response);
}

/* --- requests ------------------------------------------------------------------------------------
 */

static void request_free(struct http_request *request)
{
	for (uint32_t i = 0; i < request->header_count; i++) {
		free(request->headers[i].name);
		free(request->headers[i].value);
	}
	buf_release(&request->body);
	free(request);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **place,
	enum MHD_RequestTerminationCode why)
{
	(void)context;
	(void)connection;
	(void)why;
	if (*place)
		request_free(*place);
	*place = NULL;
}

static bool is_allowed(const struct http_server *server, const char *method)
{
	return strcmp(method, MHD_HTTP_METHOD_GET) == 0 ||
	       strcmp(method, MHD_HTTP_METHOD_HEAD) == 0 ||
	       (server->options.body_max > 0 && strcmp(method, MHD_HTTP_METHOD_POST) == 0);
}

static enum MHD_Result refuse_method(struct http_request *request)
{
	bool posts = request->server->options.body_max > 0;

	http_answer_header(request, "Allow", posts ? "GET, HEAD, POST" : "GET, HEAD");
	http_answer_text(request, MHD_HTTP_METHOD_NOT_ALLOWED,
		posts ? "only GET, HEAD and POST\n" : "only GET and HEAD\n");
	return request->result;
}

static enum MHD_Result begin_request(struct http_server *server, struct MHD_Connection *connection,
	const char *path, const char *method, void **place)
{
	struct http_request *request = memory_zalloc(sizeof(*request));

	*place = request;
	request->server = server;
	request->connection = connection;
	request->method = method;
	request->path = path;
	request->result = MHD_NO;
	buf_init(&request->body, server->options.body_max + 1);
	/*
	 * Whoever answers at this first call, which comes after the headers, does not wait for a body,
	 * and the library closes the connection; what is allowed is answered later, and it is kept.
	 */
	return is_allowed(server, method) ? MHD_YES : refuse_method(request);
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
	const char *path, const char *method, const char *version, const char *upload,
	size_t *upload_size, void **place)
{
	struct http_server *server = context;
	struct http_request *request = *place;

	(void)version;
	if (!request)
		return begin_request(server, connection, path, method, place);
	if (*upload_size > 0) {
		buf_append(&request->body, upload, *upload_size);
		*upload_size = 0;
		return MHD_YES;
	}
	if (request->answered)
		return MHD_NO;
	buf_append_char(&request->body, '\0');
	if (buf_overflowed(&request->body)) {
		http_answer_text(request, MHD_HTTP_CONTENT_TOO_LARGE, "that is too long\n");
		return request->result;
	}
	request->body.size--;
	server->options.handler(server->options.context, request);
	assert(request->answered);
	return request->result;
}

/* The library would write to stderr, in the middle of our log. */
static void on_library_log(void *context, const char *format, va_list args)
{
	(void)context;
	(void)format;
	(void)args;
}

/* --- its life ------------------------------------------------------------------------------------
 */

/* With poll: with epoll the library misses the end of a connection that sent half a request. */
static int start_threads(struct http_server *server, int listener)
{
	const struct http_server_options *options = &server->options;
	unsigned flags = MHD_USE_POLL | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ERROR_LOG |
			 (options->may_wait ? MHD_USE_THREAD_PER_CONNECTION : 0u);
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	server->daemon = microhttpd.MHD_start_daemon(flags, 0, NULL, NULL, on_request, server,
		MHD_OPTION_EXTERNAL_LOGGER, on_library_log, NULL, MHD_OPTION_LISTEN_SOCKET,
		listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned)options->connections_max,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)options->idle_s_max,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_SERVER_HEAD_MAX,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, server, MHD_OPTION_END);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return server->daemon ? 0 : -1;
}

static uint16_t port_of(int listener)
{
	struct sockaddr_storage name;
	socklen_t size = sizeof(name);

	if (getsockname(listener, (struct sockaddr *)&name, &size))
		return 0;
	if (name.ss_family == AF_INET6)
		return ntohs(((struct sockaddr_in6 *)&name)->sin6_port);
	return ntohs(((struct sockaddr_in *)&name)->sin_port);
}

int http_server_open(
	struct http_server **out, const struct http_server_options *options, struct error *err)
{
	struct http_server *server;
	int listener;

	*out = NULL;
	if (library_load(&mhd_library, err) || socket_listen(&options->address, &listener, err))
		return -1;
	server = memory_zalloc(sizeof(*server));
	server->options = *options;
	server->port = port_of(listener);
	if (start_threads(server, listener)) {
		close(listener);
		free(server);
		return error_set(err, ERROR_IO, "cannot start its HTTP server");
	}
	*out = server;
	return 0;
}

uint16_t http_server_port(const struct http_server *server)
{
	return server->port;
}

void http_server_close(struct http_server *server)
{
	if (!server)
		return;
	/* It closes the listener, too. */
	microhttpd.MHD_stop_daemon(server->daemon);
	free(server);
}
