/*
 * A connection to an address: finds the host, tries each of its addresses until one answers, and
 * gives up after a while. Attempts that follow one another have pauses between them that grow.
 *
 * Embedded in what it belongs to. One attempt is under way at a time; a call for another one takes
 * its place. Callbacks come from the loop, never from inside a call of this file, and when one comes
 * the dial is idle: it may be started again, stopped, or freed with its owner.
 */
#ifndef NET_DIAL_H
#define NET_DIAL_H

#include "base/backoff.h"
#include "net/loop.h"
#include "net/resolver.h"

struct dial;

struct dial_handler {
	/* The socket is connected, tuned and does not block; it is the callee's. */
	void (*on_up)(void *context, int fd);
	/*
	 * With an errno: ECONNREFUSED when nobody listens there, ETIMEDOUT after patience_ms,
	 * EHOSTUNREACH when there is no such host. The next attempt looks for the host anew.
	 */
	void (*on_failed)(void *context, int number);
};

enum dial_state {
	DIAL_IDLE,
	DIAL_PAUSED,	 /* until the next attempt */
	DIAL_RESOLVING,	 /* the host */
	DIAL_CONNECTING, /* to one of its addresses */
	DIAL_FAILED,	 /* to be told in the next turn */
};

/* The caller sets these; the rest is the dial's. */
struct dial {
	struct loop *loop;
	struct resolver *resolver; /* borrowed; several dials may share it */
	const struct dial_handler *handler;
	void *context;
	uint64_t patience_ms; /* with one attempt; 0: as long as the system has */
	struct backoff backoff;
	struct rng *rng; /* of the backoff; NULL: nothing is left to chance */
	enum dial_state state;
	int number;	   /* the most telling errno of this attempt */
	uint32_t target;   /* of the resolver, the one that is tried */
	uint64_t asked_ms; /* the pause before the resolver is asked again */
	uint64_t due_ms;   /* the end of patience */
	struct loop_source source;
	struct loop_timer timer;
};

/* Now; the pauses start afresh. */
void dial_now(struct dial *dial);
/* After a pause, which is longer each time until dial_now or backoff_reset. */
void dial_later(struct dial *dial);
/* No callback comes any more. One that is idle is not an error. */
void dial_stop(struct dial *dial);

/* For callers that can wait: a connected socket that does not block; -1 with an errno as above. */
int dial_wait(const struct net_address *address, uint64_t patience_ms);

static inline bool dial_is_idle(const struct dial *dial)
{
	return dial->state == DIAL_IDLE;
}

#endif
