/*
 * What there is to see of a cluster, asked in one place however many look at it: a thread asks a gateway for its
 * status, the watchers for theirs, and the nodes for their metrics, and remembers what has changed.
 *
 * Any thread may call these.
 */
#ifndef CLI_UI_CLUSTER_VIEW_H
#define CLI_UI_CLUSTER_VIEW_H

#include "base/buf.h"
#include "cli/request/remote.h"

#define CLUSTER_EVENTS_MAX  500u
#define CLUSTER_SAMPLES_MAX 720u
#define CLUSTER_TEXT_MAX    (16u << 20)

struct cluster_view;

/* How far somebody has been told; zeros: nothing yet. */
struct cluster_cursor {
	uint64_t number;
	uint64_t event;
	uint64_t sample;
};

/* `remote` is borrowed, and settled. */
MUST_CHECK int cluster_view_new(
	struct cluster_view **out, const struct remote *remote, struct error *err);
/* Waits for the question at hand. NULL is allowed. */
void cluster_view_free(struct cluster_view *view);

/*
 * What is new, as JSON, and moves the cursor. False: nothing has come for so long.
 *
 *   {"now": MS since 1970, "trouble": "why no gateway answers", "gateway": its STATUS or null, "watch": the report of the
 *    watchers' leader or null, "nodes": [{"name", "in", "out", "got", "folded", "results", "cpu", "memory", "waiting"}],
 *    "events": [{"at", "kind", "of", "what", "why"}], "samples": [[at, in, out, cpu, jobs]]}
 *
 * Rates are per second, bytes or packets; cpu is in thousandths of a processor.
 */
bool cluster_view_wait(
	struct cluster_view *view, struct cluster_cursor *cursor, uint32_t ms, struct buf *out);

#endif
