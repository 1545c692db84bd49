/*
 * TLS 1.2 and 1.3 over a connected socket that does not block, with OpenSSL, which is loaded when the first context is
 * made: who speaks in the clear pays nothing.
 *
 * A context has the files and serves any number of connections. A connection belongs to one thread:
 *
 *   tls_accept or tls_connect
 *   tls_handshake        whenever the socket can be read or written, until it is TLS_DONE
 *   tls_receive, tls_send   as recv and send; read on while tls_has_more, for the socket will not say so
 *   tls_shut, tls_free   the socket is the caller's to close
 *
 * A client checks the server's certificate: its chain, its dates and its name, always. A server asks for a client's when
 * it was given authorities.
 */
#ifndef NET_TLS_H
#define NET_TLS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* PEM; NULL or "": none. A client without authorities has those of the system. */
struct tls_files {
	const char *cert; /* and what leads to its authority */
	const char *key;
	const char *ca;
};

struct tls_context;
struct tls;

/* Both borrow the names of the files. ERROR_IO or ERROR_USAGE, with the file. */
MUST_CHECK int tls_server_new(
	struct tls_context **out, const struct tls_files *files, struct error *err);
MUST_CHECK int tls_client_new(
	struct tls_context **out, const struct tls_files *files, struct error *err);
/* Connections that it has made go on. NULL is allowed. */
void tls_context_free(struct tls_context *context);

/*
 * Reads files that were changed since, for connections to come; looks once a second. *changed says whether it did. -1
 * when they are wrong: the context is as before, and the same files are not told again.
 */
MUST_CHECK int tls_context_refresh(
	struct tls_context *context, uint64_t now_ms, bool *changed, struct error *err);

/* Never NULL. */
struct tls *tls_accept(struct tls_context *context, int fd);
/* `host` is a name or an address, as its certificate must have it. */
struct tls *tls_connect(struct tls_context *context, int fd, const char *host);
/* NULL is allowed. */
void tls_free(struct tls *tls);

enum tls_progress {
	TLS_DONE,
	TLS_WAITS, /* for the socket */
	TLS_FAILED,
};

enum tls_progress tls_handshake(struct tls *tls, struct error *err);
bool tls_is_up(const struct tls *tls);
/* Of a client: one of the two certificates is not good, and another attempt would end as this one. */
bool tls_is_refused(const struct tls *tls);
/* After EPROTO: what OpenSSL says. */
const char *tls_trouble(const struct tls *tls);

/* As recv and send: -1 with EAGAIN when it would block; EPROTO for what is no TLS. */
ssize_t tls_receive(struct tls *tls, void *bytes, size_t size);
ssize_t tls_send(struct tls *tls, const void *bytes, size_t size);
/* Bytes were received that tls_receive has not given out. */
bool tls_has_more(const struct tls *tls);
/* What was tried last goes on when the socket can be written, not when it can be read. */
bool tls_waits_to_write(const struct tls *tls);
/* Tells the peer that nothing more comes. */
void tls_shut(struct tls *tls);

/* Whether the first byte of a connection is that of a TLS client; no message of ours begins with it. */
static inline bool tls_is_first_byte(uint8_t byte)
{
	return byte == 0x16;
}

#endif
