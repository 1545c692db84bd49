/*
 * Questions to one host over HTTP/1.1: GET, one at a time, on a connection that is kept for the next
 * one as long as the host keeps it. An answer has a Content-Length, or ends with its connection.
 *
 * A kept connection that ends under a question was ended before the question came: it is asked again
 * on a new one, once. Callbacks come from the loop, never from inside a call of this file; when one
 * comes the client is idle and may be asked again, or freed.
 */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include "base/buf.h"
#include "net/address.h"
#include "net/loop.h"

enum http_failure {
	HTTP_NOBODY,	  /* nobody listens there */
	HTTP_UNREACHABLE, /* no connection, for another reason */
	HTTP_SILENT,	  /* somebody listens there, and has not answered in time */
	HTTP_ENDED,	  /* the connection, before the answer was whole */
	HTTP_BROKEN,	  /* it is not an answer, or too long a one */
};

struct http_handler {
	/* `body` is borrowed for the call and ends with a 0 that is not counted. */
	void (*on_answer)(void *context, int status, const char *body, size_t size);
	void (*on_failed)(void *context, enum http_failure failure);
	/* A connection that was kept has ended. NULL: nobody wants to know. */
	void (*on_hung_up)(void *context);
	void *context;
};

struct http_client;

/*
 * `patience_ms`: with a connection, and with an answer. `answer_bytes_max`: of head and body. The
 * handler is copied.
 */
struct http_client *http_client_new(struct loop *loop, const struct net_address *address,
	uint64_t patience_ms, size_t answer_bytes_max, const struct http_handler *handler);
/* NULL is allowed. */
void http_client_free(struct http_client *client);

/* GET `path`, which is borrowed until the answer. The client must be idle. */
void http_client_ask(struct http_client *client, const char *path);
/* Forgets the question and ends the connection. */
void http_client_hang_up(struct http_client *client);
/* Why on_failed was called last, for people. */
const char *http_client_trouble(const struct http_client *client);

/*
 * One question, for commands: waits for the whole answer. The body is appended to `out`, which says
 * how long it may be, and ends with a 0 that is not counted; *status is the answer's number.
 * ERROR_IO when there is no answer in time.
 */
MUST_CHECK int http_get(const struct net_address *address, const char *path, uint64_t timeout_ms,
	struct buf *out, int *status, struct error *err);

#endif
