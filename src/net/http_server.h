/*
 * Answers over HTTP/1.1, on libmicrohttpd, which is loaded when a server is opened. A server has threads of
 * its own: one for all connections, whose handler must not wait for anything; or one for each, whose
 * handler may.
 *
 * The handler answers every request exactly once, with one of the http_answer calls, before it returns.
 * What belongs to a request is valid until then.
 */
#ifndef NET_HTTP_SERVER_H
#define NET_HTTP_SERVER_H

#include "net/address.h"

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Of the head of a request; what is longer is refused. */
#define HTTP_SERVER_HEAD_MAX	 (16u << 10)
#define HTTP_SERVER_HEADERS_MAX	 16u
#define HTTP_SERVER_STREAM_BLOCK (64u << 10)

struct http_server;
struct http_request;

struct http_server_options {
	struct net_address address; /* port 0: any that is free */
	uint32_t connections_max;
	uint32_t idle_s_max;
	size_t body_max; /* of a POST; 0: only GET and HEAD are allowed */
	bool may_wait;	 /* a thread for each connection */
	void (*handler)(void *context, struct http_request *request);
	void *context;
};

/* ERROR_IO when the address cannot be had. The threads have all signals blocked. */
MUST_CHECK int http_server_open(
	struct http_server **out, const struct http_server_options *options, struct error *err);
/* The port that it has. */
uint16_t http_server_port(const struct http_server *server);
/*
 * Nothing new is taken, and whoever waits in a handler should be told so before http_server_close, which
 * waits for all handlers. NULL is allowed.
 */
void http_server_close(struct http_server *server);

/* "GET", "HEAD" or "POST"; a HEAD is answered as a GET, whose body is left out. */
const char *http_request_method(const struct http_request *request);
const char *http_request_path(const struct http_request *request);
/* NULL: there is none. */
const char *http_request_header(const struct http_request *request, const char *name);
const char *http_request_cookie(const struct http_request *request, const char *name);
/* Behind the question mark of the address, decoded. */
const char *http_request_argument(const struct http_request *request, const char *name);
/* Ends with a 0 that is not counted. */
const char *http_request_body(const struct http_request *request, size_t *size);

/* A header of the answer, before it is given; texts are copied. */
void http_answer_header(struct http_request *request, const char *name, const char *value);
/* The bytes are copied. */
void http_answer(
	struct http_request *request, int status, const char *type, const void *bytes, size_t size);
void http_answer_text(struct http_request *request, int status, const char *text);

/* Bytes that come piece by piece: how many, 0 at the end, -1 when it breaks off. May wait. */
typedef ssize_t (*http_stream_fn)(void *context, char *bytes, size_t size_max);

/* `release` is called when nothing more is asked for, also when the other side went away. */
void http_answer_stream(struct http_request *request, const char *type, http_stream_fn read,
	void (*release)(void *context), void *context);

#endif
