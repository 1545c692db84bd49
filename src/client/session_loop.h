/*
 * A session over real connections: connects when it wants to, hands it what comes, and ticks.
 */
#ifndef CLIENT_SESSION_LOOP_H
#define CLIENT_SESSION_LOOP_H

#include "client/net.h"
#include "client/session.h"

/* How long nobody may be reached at all before that is an error. */
#define DRIVE_REACH_MS_MAX 30000u

struct session_loop {
	struct net *net;
	struct session *session;
	uint64_t started_ms;
	bool reached; /* some gateway, once */
};

/* Both are borrowed. Takes net's handler. */
void session_loop_init(struct session_loop *drive, struct net *net, struct session *session);

/*
 * One turn: waits for something to happen, for 20 ms at most. ERROR_IO when no gateway could be
 * reached in DRIVE_REACH_MS_MAX since the start; afterwards it tries for ever.
 */
MUST_CHECK int session_loop_turn(struct session_loop *drive, struct error *err);

/* What a person may want to know: nobody has been reached for a while, or nobody
 * takes the job; NULL: all is well. */
const char *session_loop_trouble(const struct session_loop *drive);

#endif
