/* What all nodes have done for a job, as a file that Perfetto and Chrome open. */
#ifndef CLI_REQUEST_TRACE_H
#define CLI_REQUEST_TRACE_H

#include "base/buf.h"
#include "cli/request/remote.h"

#define TRACE_FILE_BYTES_MAX ((size_t)512 << 20)

/*
 * Asks a gateway for the job, the watchers for the nodes, and each node. In Chrome's format: a process for each node, a
 * lane for each of its threads. What a node that died had done is missing, and `notes`, lines for a person, says of whom
 * something is. ERROR_USAGE when there is no such job, or it is not this user's to see.
 */
MUST_CHECK int trace_collect(const struct remote *remote, const char *job, struct buf *out,
	struct buf *notes, struct error *err);

#endif
