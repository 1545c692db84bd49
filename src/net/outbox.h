/*
 * What a connection still has to send: bytes that were copied and bodies that were lent, in order.
 *
 * Whoever owns the connection bounds it: size is what waits.
 */
#ifndef NET_OUTBOX_H
#define NET_OUTBOX_H

#include "net/tls.h"
#include "wire/port.h"

#include <stdbool.h>

struct outbox_piece;

/* All zero is an empty one. */
struct outbox {
	struct outbox_piece *first;
	struct outbox_piece *last;
	size_t size;	 /* bytes that have not left */
	size_t memory;	 /* that it holds, without what was lent */
	struct tls *tls; /* through which it sends; borrowed; NULL: bytes leave as they are */
};

/* Copies. */
void outbox_add(struct outbox *outbox, const void *bytes, size_t size);
/* Borrows `body` until the loan's `done`, which comes once all of it has left, or at the release. */
void outbox_lend(struct outbox *outbox, const void *body, size_t size, struct wire_loan *loan);
/*
 * Sends what the socket takes; 0, also when that was nothing. -1 with errno: the connection is
 * broken.
 */
int outbox_send(struct outbox *outbox, int fd);
/* Drops what has not left; it is empty then and can be used again. */
void outbox_release(struct outbox *outbox);

#endif
