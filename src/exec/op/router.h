/*
 * Where rows go that leave a fragment: through each of its output exchanges, to instances of the
 * fragment behind that. The embedded runtime, gateways, filters and reducers all ask here. They
 * differ in how many instances there are behind a hash exchange, in which instance is nearest, and
 * in how rows get there.
 *
 * Part of the engine's version: every node must agree.
 */
#ifndef EXEC_ROUTER_H
#define EXEC_ROUTER_H

#include "exec/table/partition.h"
#include "plan/plan.h"

/* For the rows of an exchange that every instance of the consumer gets whole. */
#define ROUTER_ALL UINT32_MAX

struct router_ops {
	/* The instance that gets rows of a spread exchange, which any of them may have. */
	uint32_t (*nearest)(void *context, uint32_t exchange);
	/*
	 * Rows for one instance of the exchange's consumer, or for ROUTER_ALL; at least one is
	 * selected. The batch is borrowed for the call.
	 */
	int (*deliver)(void *context, uint32_t exchange, uint32_t instance,
		const struct batch *rows, struct error *err);
};

/* For one thread at a time; between two batches it keeps nothing but memory. */
struct router {
	const struct plan *plan;
	uint32_t partitions; /* instances behind a hash exchange */
	/* Made when the first batch needs them. */
	struct partition_split split;
	uint64_t *hashes;	/* NULL as long as there is no `split` */
	struct column *columns; /* for outputs that get some of the columns */
};

/* `plan` is borrowed. */
void router_init(struct router *router, const struct plan *plan, uint32_t partitions);
/* Gives its memory back. It may be used again, without another init. */
void router_release(struct router *router);

/*
 * Delivers rows that leave `fragment`. `first` turns the order in which the instances behind a hash
 * exchange get theirs: threads that start in different places do not queue for the same lock.
 */
MUST_CHECK int router_push(struct router *router, uint32_t fragment, const struct batch *batch,
	uint32_t first, const struct router_ops *ops, void *context, struct error *err);

#endif
