#include "exec/op/router.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

void router_init(struct router *router, const struct plan *plan, uint32_t partitions)
{
	assert(partitions > 0);
	*router = (struct router){.plan = plan, .partitions = partitions};
}

void router_release(struct router *router)
{
	free(router->columns);
	router->columns = NULL;
	if (router->hashes) {
		free(router->hashes);
		router->hashes = NULL;
		partition_split_release(&router->split);
	}
}

/* Rows are not copied apart: each instance gets the same columns with a selection of its own. */
static int push_hashed(struct router *router, uint32_t index, const struct batch *batch,
	uint32_t first, const struct router_ops *ops, void *context, struct error *err)
{
	const struct plan_exchange *exchange = &router->plan->exchanges[index];
	uint32_t partitions = router->partitions;

	if (!router->hashes) {
		router->hashes = memory_alloc(BATCH_ROWS_MAX * sizeof(uint64_t));
		partition_split_init(&router->split, partitions);
	}
	partition_hash(batch, exchange->keys, exchange->key_count, router->hashes);
	partition_split_rows(&router->split, batch, router->hashes);
	assert(router->split.starts[partitions] == batch->selected);
	for (uint32_t i = 0; i < partitions; i++) {
		uint32_t p = (i + first) % partitions;
		struct batch part = *batch;

		part.sel = router->split.rows + router->split.starts[p];
		part.selected = router->split.starts[p + 1] - router->split.starts[p];
		if (part.selected > 0 && ops->deliver(context, index, p, &part, err))
			return -1;
	}
	return 0;
}

static int push_exchange(struct router *router, uint32_t index, const struct batch *batch,
	uint32_t first, const struct router_ops *ops, void *context, struct error *err)
{
	switch (router->plan->exchanges[index].kind) {
	case EXCHANGE_HASH: return push_hashed(router, index, batch, first, ops, context, err);
	case EXCHANGE_SPREAD:
		return ops->deliver(context, index, ops->nearest(context, index), batch, err);
	case EXCHANGE_SINGLE:
	case EXCHANGE_ORDERED:
	case EXCHANGE_BROADCAST: break;
	}
	return ops->deliver(context, index, ROUTER_ALL, batch, err);
}

/* What an output that wants only some of the columns gets. */
static void pick_columns(struct router *router, const struct plan_exchange *exchange,
	const uint32_t *wanted, struct batch *batch)
{
	if (!router->columns)
		router->columns = memory_alloc(PLAN_COLUMNS_MAX * sizeof(*router->columns));
	for (uint32_t i = 0; i < exchange->column_count; i++)
		router->columns[i] = batch->columns[wanted[i]];
	batch->columns = router->columns;
	batch->column_count = exchange->column_count;
}

int router_push(struct router *router, uint32_t fragment, const struct batch *batch, uint32_t first,
	const struct router_ops *ops, void *context, struct error *err)
{
	const struct plan_fragment *plan = &router->plan->fragments[fragment];

	assert(fragment < router->plan->fragment_count);
	for (uint32_t o = 0; o < plan->output_count && batch->selected > 0; o++) {
		const struct plan_exchange *exchange = &router->plan->exchanges[plan->outputs[o]];
		struct batch part = *batch;

		if (plan->output_columns)
			pick_columns(router, exchange, plan->output_columns[o], &part);
		assert(part.column_count == exchange->column_count);
		if (push_exchange(router, plan->outputs[o], &part, first, ops, context, err))
			return -1;
	}
	return 0;
}
