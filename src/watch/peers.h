/*
 * The links between watchers. Each keeps a connection to every other one, on which it only sends,
 * and takes connections from them, on which it only listens. Whoever takes one says a line first:
 *
 *   CHALLENGE NONCE                    16 random bytes, in hexadecimal digits
 *
 * After that the other side alone speaks. Lines of text, 256 bytes at most, each with a proof before it:
 *
 *   PROOF HELLO 2 CLUSTER ID           first, on every connection: the version, who sends
 *   ASK TERM / ANSWER TERM / LEADER TERM      the election (watch/election.h)
 *   TALLY NODE RESTARTS WALL_MS REASON...     restarts of a node that the sender knows of
 *   PING                               keeps a silent connection honest
 *
 * PROOF is the first half of HMAC-SHA-256, in hexadecimal digits, over the nonce, the number of the line
 * on its connection (8 bytes, from 0) and the line; its key is the watchers' secret ([watcher] secret, or
 * the broker's password). Nobody else can say a line, and no line can be said again.
 *
 * A connection that breaks is made anew at once; one that is refused, or ended as soon as it was
 * made, is tried again after 50 ms, then twice as late each time up to a second, with some chance
 * in it. Whoever greets us is there: that starts the attempts in the other direction afresh.
 *
 * A line that is not a line of this protocol ends its connection: something else talks to us.
 * Whoever has not greeted gives way to the next one when there is no room, and of two with one name
 * the older does: strangers keep no watcher out.
 */
#ifndef WATCH_PEERS_H
#define WATCH_PEERS_H

#include "base/rng.h"
#include "cluster/config.h"
#include "net/loop.h"

#define PEERS_LINE_MAX	256
#define PEERS_WORDS_MAX 8

struct peers;

struct peers_handler {
	/* A line of a peer, without its end. False: it is not part of the protocol. */
	bool (*on_line)(void *context, uint32_t from, const char *line);
	/* Our connection to it stands; or it is refused, or broke. Of a host that does not answer
	 * at all nothing is told. */
	void (*on_link)(void *context, uint32_t peer, bool up);
	void *context;
};

/* Listens; ERROR_IO when the address cannot be had. */
MUST_CHECK int peers_new(struct peers **out, struct loop *loop, const struct config *config,
	uint32_t self, struct rng *rng, const struct peers_handler *handler, struct error *err);
void peers_free(struct peers *peers);

/* A line without its end; dropped when the link is down or full. */
void peers_send(struct peers *peers, uint32_t to, const char *line);

#endif
