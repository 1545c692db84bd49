/*
 * The page of a cluster: what `tamiz console` serves.
 *
 *   GET  live                     server-sent events: what cluster_view_wait tells, as often as there is something new
 *   GET  session                  {"token", "name", "version"}
 *   POST cancel?job=ID            ends a job of this user
 */
#ifndef CLI_UI_CONSOLE_H
#define CLI_UI_CONSOLE_H

#include "cli/request/remote.h"
#include "net/address.h"

/* As page_serve; `remote` is settled. */
MUST_CHECK int console_run(
	const struct remote *remote, const struct net_address *address, struct error *err);

#endif
