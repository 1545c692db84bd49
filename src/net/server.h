/*
 * The TCP side of a gateway: connections, whole frames of wire/message.h in, frames out.
 *
 * Nothing that a peer does takes more than its share:
 *
 *   connections   connections_max; one more is told so with an ERROR, and closed.
 *   memory        A frame's buffer grows with what has arrived, not with what its header promises.
 *                 While all buffers together are above memory_max, messages other than HELLO and
 *                 HEALTH are left in the sockets, but for one connection at a time, so that
 *                 somebody gets on.
 *   turns         Each connection hands over one frame per turn of the loop, and no BATCH while the
 *                 handler keeps more than SERVER_KEPT_MAX bytes of its frames.
 *   time          A frame that is not whole in time, a connection without a first frame, and one
 * that is silent for very long are closed. readers       From a connection with SERVER_SEND_PAUSE
 * bytes to send nothing is read; with send_max it is closed, as is one that takes nothing for
 * send_ms. the broker    While the handler's backlog is above backlog_max, no BATCH is read.
 *
 * With server_use_tls clients speak TLS; in the clear they may ask for HEALTH, as proxies do, and nothing
 * else. Files that change are read again for connections that come after.
 *
 * Order of calls for a connection: on_open, on_frame ..., then on_closed; or server_drop by its
 * user, and no call after that. Handlers are called from the loop, never from inside a call of this
 * file, and may call back into it.
 */
#ifndef NET_SERVER_H
#define NET_SERVER_H

#include "net/address.h"
#include "net/loop.h"
#include "net/tls.h"
#include "wire/port.h"

#define SERVER_SEND_PAUSE (1u << 20)
#define SERVER_KEPT_MAX	  (4u << 20)

/* 0 everywhere is the default. */
struct server_limits {
	uint32_t connections_max; /* 1024 */
	uint64_t memory_max;	  /* 256 MB */
	uint64_t backlog_max;	  /* 64 MB */
	uint64_t send_max;	  /* of one connection: 128 MB */
	uint64_t first_ms;	  /* for the first frame of a connection: 10 s */
	uint64_t frame_ms;	/* for any frame: 30 s, and a millisecond more for every 64 bytes */
	uint64_t silent_ms;	/* between frames: 10 min */
	uint64_t send_ms;	/* in which a peer must take something: 30 s */
	uint64_t privileged_ms; /* in which who is read alone must send 1 MB: 3 s */
};

struct server_handler {
	void (*on_open)(void *context, uint64_t connection);
	/* One whole frame, borrowed for the call; its header is right, its value not checked. */
	void (*on_frame)(void *context, uint64_t connection, const uint8_t *bytes, size_t size);
	void (*on_closed)(void *context, uint64_t connection);
	/* Bytes that wait for the broker; NULL: nothing ever does. */
	size_t (*backlog)(void *context);
	void *context;
};

struct server;

struct server *server_new(struct loop *loop, const char *component,
	const struct server_limits *limits, const struct server_handler *handler);
/* Closes everything at once; on_closed is not called. NULL is allowed. */
void server_free(struct server *server);

/* Before it listens. `tls` is borrowed. */
void server_use_tls(struct server *server, struct tls_context *tls);
MUST_CHECK int server_listen(
	struct server *server, const struct net_address *address, struct error *err);
/* Takes a connected socket as if it had been accepted. */
void server_adopt(struct server *server, int fd);

/* One whole frame, copied. A connection that is gone is not an error. */
void server_send(struct server *server, uint64_t connection, const void *bytes, size_t size);
/* Closes it when what was sent has left. */
void server_drop(struct server *server, uint64_t connection);

/*
 * From inside on_frame: the frame stays where it is until the loan's `done`, which is called in the
 * loop's thread, and while there is a server.
 */
struct wire_loan *server_keep(struct server *server);

/* The backlog may have shrunk: call it whenever that can be. */
void server_update(struct server *server);
/* No new connections and no frames any more; what is to be sent still is. */
void server_stop_taking(struct server *server);
/* Tells all connections to try again elsewhere, and closes them. */
void server_dismiss(struct server *server, const char *why);

/* From which address a connection comes, as socket_peer has it; 0: that is not known. */
uint64_t server_peer(const struct server *server, uint64_t connection);

/* HOST:PORT of the same; "" when it is gone. */
void server_peer_text(const struct server *server, uint64_t connection, char *out, size_t size);

/* Connections that are open, those that are being closed among them. */
uint32_t server_connections(const struct server *server);
/* Bytes of frames that are kept. */
uint64_t server_kept(const struct server *server);
/* Bytes of all buffers. */
uint64_t server_memory(const struct server *server);

#endif
