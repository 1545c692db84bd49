/*
 * What the files of the proxy share.
 *
 *   proxy.c        the listener, the gateways and their health
 *   proxy_pair.c   pairs of connections and the pipes between them
 */
#ifndef NODE_PROXY_PRIVATE_H
#define NODE_PROXY_PRIVATE_H

#include "cluster/ping.h"
#include "cluster/presence.h"
#include "cluster/roster.h"
#include "net/dial.h"
#include "net/fd_passing.h"
#include "net/frame_reader.h"
#include "net/listener.h"
#include "net/loop.h"
#include "net/socket.h"
#include "node/proxy.h"
#include "wire/message.h"

#define PROXY_PIPES_MAX	  16 /* kept for the next one */
#define PROXY_REFUSED_MAX 64

struct proxy;
struct pair;

enum backend_state {
	BACKEND_DOWN,
	BACKEND_UP,
	BACKEND_SHY, /* alive, but takes nobody new */
};

/* A gateway. */
struct backend {
	struct proxy *proxy;
	char name[NET_ADDRESS_TEXT];
	struct resolver resolver; /* where it is; again whenever it is down */
	enum backend_state state;
	struct pair *pairs;
	uint32_t pair_count;
	int fd_socket;	/* the way to give clients to it; -1: none */
	uint64_t given; /* clients, since it is up, and as many as the others had then */
	/* The connection that asks for health; fd -1: none. */
	struct dial dial;
	struct loop_source health;
	bool asked;
	uint64_t due_ms; /* of the answer */
	struct frame_reader answer;
};

struct pipe {
	int ends[2]; /* read, write; -1: none */
};

/* Bytes on their way from one socket to the other. */
struct pair_stream {
	struct pipe pipe; /* only while it holds bytes */
	size_t held;
	bool ended; /* nothing more will come */
	bool shut;  /* and the other side knows */
};

enum pair_state {
	PAIR_CONNECTING,
	PAIR_OPEN,
	PAIR_REFUSED, /* was told why; ends with the client's end, or soon */
};

struct pair {
	struct proxy *proxy;
	struct backend *backend; /* NULL: none yet */
	struct pair *next;
	struct pair *previous;
	enum pair_state state;
	struct loop_source client;
	struct dial dial; /* to the gateway */
	struct loop_source gateway;
	struct pair_stream up; /* client to gateway */
	struct pair_stream down;
	uint64_t due_ms; /* PAIR_REFUSED */
};

struct proxy {
	const struct config *config;
	char name[ROSTER_NAME_MAX];
	struct presence presence;
	struct ping ping;
	struct loop *loop;
	struct listener listener;
	struct loop_timer tick;
	uint64_t checked_ms; /* when the gateways were last asked */
	struct backend *backends;
	uint32_t backend_count;
	struct frame_pool pool; /* of the gateways' answers */
	uint32_t pair_count;
	struct pair *refused;
	uint32_t refused_count;
	struct pipe pipes[PROXY_PIPES_MAX];
	uint32_t pipe_count;
};

/* Takes a client's socket. */
void pair_new(struct proxy *proxy, int client);
void pair_close(struct pair *pair);
/* Tells a client why not, and waits a little for it to leave. Takes the socket. */
void pair_refuse(struct proxy *proxy, int client, const char *why);

/* The healthy gateway with the fewest clients; NULL when there is none. */
struct backend *backend_choose(struct proxy *proxy);
void backend_down(struct backend *backend, const char *why);

#endif
