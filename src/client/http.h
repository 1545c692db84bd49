/* One HTTP question to a node, for commands: waits for the whole answer. */
#ifndef CLIENT_HTTP_H
#define CLIENT_HTTP_H

#include "base/buf.h"
#include "net/address.h"

/*
 * GET `path`. The body is appended to `out`, which says how long it may be, and ends with a 0 that
 * is not counted; *status is the answer's number. ERROR_IO when there is no answer in time.
 */
MUST_CHECK int http_get(const struct net_address *address, const char *path, uint64_t timeout_ms,
	struct buf *out, int *status, struct error *err);

#endif
