/* What the watchers of a cluster say: the report of the one that leads (watch/watcher.h). */
#ifndef WATCH_REPORT_H
#define WATCH_REPORT_H

#include "base/json_read.h"
#include "cluster/config.h"

struct watch_report {
	struct buf text;		 /* as it came; empty: nobody leads, or nobody answers */
	struct json_value *root;	 /* of the text, in the caller's arena; NULL */
	uint32_t answered;		 /* watchers that did */
	char problem[ERROR_MESSAGE_MAX]; /* of one that did not; "" */
};

/* Where watchers are, as the STATUS of a gateway tells; how many, at most CONFIG_WATCHERS_MAX. */
uint32_t watch_report_find(const struct json_value *status, struct net_address *watchers);
/* Asks one after the other until one says that it leads. Waits. */
void watch_report_ask(struct watch_report *report, const struct net_address *watchers,
	uint32_t count, struct arena *arena);
void watch_report_release(struct watch_report *report);

#endif
