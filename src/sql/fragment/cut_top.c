/* Where rows are sorted, and the first of them chosen. */
#include "sql/fragment/fragment_private.h"

/* The rows that may be among the first `limit` after `offset`: those, if that is a number. */
static uint64_t limit_of_share(uint64_t limit, uint64_t offset)
{
	return limit > PLAN_LIMIT_NONE - offset ? PLAN_LIMIT_NONE : limit + offset;
}

void flow_top(struct fragmenter *f, struct flow *flow, uint32_t sort_count,
	struct plan_sort_key *sort, uint64_t limit, uint64_t offset)
{
	struct plan_top top = {.sort_count = sort_count, .sort = sort};

	if (!flow_draft(f, flow)->single) {
		top.limit = limit_of_share(limit, offset);
		if (top.limit != PLAN_LIMIT_NONE)
			flow_append(f, flow, PLAN_TOP)->top = top;
		flow_exchange(f, flow, EXCHANGE_SINGLE, 0, NULL);
	}
	top.limit = limit;
	top.offset = offset;
	flow_append(f, flow, PLAN_TOP)->top = top;
}

void flow_in_order(struct fragmenter *f, struct flow *flow, uint64_t limit, uint64_t offset)
{
	uint64_t share = limit_of_share(limit, offset);

	if (share != PLAN_LIMIT_NONE)
		flow_append(f, flow, PLAN_LIMIT)->limit = (struct plan_limit){.limit = share};
	flow_exchange(f, flow, EXCHANGE_ORDERED, 0, NULL);
	flow_append(f, flow, PLAN_LIMIT)->limit = (struct plan_limit){limit, offset};
}

void flow_top_partitions(struct fragmenter *f, struct flow *flow, const struct logical_top *top)
{
	struct plan_top plan = {
		.partition_count = top->partition_count,
		.partition = flow_positions(f, flow, top->partition_count, top->partition),
		.sort_count = top->sort_count,
		.sort = flow_sort_keys(f, flow, top->sort_count, top->sort),
		.limit = limit_of_share(top->limit, top->offset),
	};

	if (!flow_draft(f, flow)->single) {
		flow_append(f, flow, PLAN_TOP)->top = plan;
		if (top->prefilter)
			return;
		flow_exchange(f, flow, EXCHANGE_HASH, plan.partition_count, plan.partition);
	}
	plan.limit = top->limit;
	plan.offset = top->offset;
	flow_append(f, flow, PLAN_TOP)->top = plan;
}
