/*
 * The page of a cluster: what `tamiz console` serves, and every gateway that has `[console] listen`.
 *
 *   GET  live                     server-sent events: what cluster_view_wait tells, as often as there is something new
 *   GET  job?id=ID                what a gateway tells of a job alone
 *   GET  trace?job=ID             what the nodes did for a job, as a file (cli/request/trace.h)
 *   POST cancel?job=ID            ends a job
 *   ...                           and those of route.h, answered by the cluster
 */
#ifndef CLI_UI_CONSOLE_H
#define CLI_UI_CONSOLE_H

#include "cli/request/remote.h"
#include "local/files.h"
#include "net/address.h"

/* Borrowed. */
struct console_options {
	struct remote remote;	 /* settled */
	struct data_places data; /* of which queries may be asked; there may be none */
	struct net_address address;
	bool asks_who; /* everyone who looks says a token of the cluster, if it has any: no key is printed */
};

/* As page_serve. */
MUST_CHECK int console_run(const struct console_options *options, struct error *err);

#endif
