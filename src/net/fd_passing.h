/*
 * A connection that one process accepted, given to another on the same machine: from then on its
 * bytes do not pass the first one at all. A proxy gives its clients to gateways in this way.
 *
 * The taker is found by a name among the abstract Unix sockets of the network namespace: who is on
 * another host, or in another container, does not find it, and must move the bytes. Both sides look
 * who the other is: only processes of the same user, or root's, give and take.
 */
#ifndef NET_FD_PASSING_H
#define NET_FD_PASSING_H

#include "base/error.h"
#include "net/loop.h"

/* A socket that is ours now. */
typedef void (*fd_passing_taken)(void *context, int fd);

struct fd_passing;

/*
 * Takes what is given to `name`. ERROR_IO when somebody else does. `component`, who that is in the
 * log, is borrowed.
 */
MUST_CHECK int fd_passing_listen(struct fd_passing **out, struct loop *loop, const char *component,
	const char *name, fd_passing_taken taken, void *context, struct error *err);
/* NULL is allowed. What was given and not taken yet is closed. */
void fd_passing_free(struct fd_passing *passing);

/*
 * Gives `fd` to the process that takes for `name`; true: it is not ours any more and was closed.
 * *link is the way there, kept for the next one: -1 at first, and after a failure.
 */
bool fd_passing_give(int *link, const char *name, int fd);

#endif
