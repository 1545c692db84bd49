/*
 * What the files of the server share.
 *
 *   server.c         connections, frames in and out, what is read and what has to wait
 *   server_tls.c     connections that speak TLS
 *   server_sweep.c   time: who is late, slow or greedy
 */
#ifndef NET_SERVER_PRIVATE_H
#define NET_SERVER_PRIVATE_H

#include "net/frame_reader.h"
#include "net/listener.h"
#include "net/outbox.h"
#include "net/server.h"

enum server_connection_state {
	CONNECTION_OPEN,
	CONNECTION_BROKEN, /* the handler is to be told, then it is closed */
	CONNECTION_ENDING, /* the handler has done with it: sends what is left, waits for its end */
};

struct connection {
	struct server *server;
	struct loop_source source;
	uint64_t id;
	enum server_connection_state state;
	bool refused;	 /* was never the handler's */
	bool dropped;	 /* by the handler: not to be told to it */
	bool greeted;	 /* its first byte was seen: it is known whether it speaks TLS */
	struct tls *tls; /* NULL: it does not */
	/* In. */
	struct frame_reader in;
	uint64_t kept; /* bytes of its frames that the handler has not given back */
	bool blocked;  /* not read for now */
	uint64_t blocked_ms;
	uint64_t due_ms; /* when the frame, or the first or next one, must have come */
	/* Out. */
	struct outbox out;
	uint64_t out_ms; /* when the peer last took something */
	bool shut;
};

struct server {
	struct loop *loop;
	const char *component;
	struct server_limits limits;
	struct server_handler handler;
	struct listener listener;
	struct tls_context *tls; /* borrowed; NULL: nobody speaks TLS */
	bool taking;
	struct loop_timer sweep;
	struct loop_timer reap;
	struct loop_timer resume; /* what TLS has received is read on */
	uint32_t slot_count;
	struct connection **slots; /* NULL: free */
	uint32_t open_count;	   /* connections, without the refused ones */
	uint32_t refused_count;
	uint32_t blocked_count;
	uint32_t generation;
	/* The connection that is read although memory_max is passed; 0: none. */
	uint64_t privileged;
	size_t privileged_got; /* what it had at privileged_ms */
	uint64_t privileged_ms;
	uint32_t turn; /* the slot that is next to have the privilege */
	struct frame_pool pool;
	struct frame *at_hand; /* while it is handed over; NULL: none is */
	uint64_t at_hand_of;   /* the connection it came from */
	uint64_t kept;
	uint64_t memory_out; /* of what is to be sent */
};

/* NULL when it is gone. */
struct connection *server_find(const struct server *server, uint64_t id);
bool server_over_memory(const struct server *server);

/* From the loop only, not from inside a call of the handler: */
void connection_free(struct connection *c);
/* Our own decision: the peer learns why, the handler that it is over. */
void connection_expel(struct connection *c, enum wire_error_class class, const char *why);

/* From anywhere: to be told to the handler and closed soon. */
void connection_break(struct connection *c);

/* -- TLS -- */

/* Whether frames may be read now: the first byte was seen, and a handshake is over. */
bool connection_is_secured(struct connection *c);
/* Who should speak TLS and does not may ask for health and nothing else. */
bool connection_must_be_secured(const struct connection *c);
/* The resume timer's call. */
void server_resume(void *context);
/* Bytes that only TLS knows of may be read now. */
bool connection_has_more(const struct connection *c);
/* If there are some, in a later turn. */
void connection_resume(struct connection *c);
/* As the loop calls it. */
void connection_read(struct connection *c);

/* The sweep timer's call. */
void server_sweep(void *context);
uint64_t server_sweep_interval(const struct server_limits *limits);

#endif
