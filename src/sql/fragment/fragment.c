/*
 * The cut. A scan opens a map fragment, filters and projections extend the fragment they are in,
 * and whoever needs rows together cuts it with an exchange:
 *
 *   group    partial states | hash on the keys | final; raw rows when something is DISTINCT or
 *            ordered
 *   window   [prefilter] | hash on the partition | window
 *   top      top of the own share | single, or hash on the partition | top
 *   join     the build side is broadcast to the fragment that the other side flows through, or both
 *            are hashed on the keys when the build side is large. A map fragment keeps no state and
 *            cannot join: its rows are spread over a new fragment first, which on one node is a
 *            call and no copy. FULL JOIN sees all rows of a key in one place: both are hashed.
 *   union    all inputs | spread | one fragment
 *   shared   the shared flow | spread | a fragment for each reference, which holds the rows: one
 *            reference may have to wait for what is made of another
 *   recursion  where it starts, and what else its term reads | single | the recursion | spread. The
 *            term is a plan of its own (cut_recursion.c)
 *   result   single | sort; rows of one table that nobody sorts: in order | limit
 *
 * Build sides are cut before the side that flows, so that every fragment stands behind those that
 * feed it.
 */
#include "sql/fragment/fragment_private.h"
#include "sql/rewrite/estimate.h"

#include <assert.h>
#include <string.h>

/* A build side of more than so many times 64 bytes is not copied to everyone. */
#define BROADCAST_WEIGHT_MAX 2e6

static struct flow cut_scan(struct fragmenter *f, const struct logical *node)
{
	uint32_t index = 0;
	const struct plan_table *table;
	struct flow flow = {0};
	bool *used;

	while (f->plan->tables[index].source != node->scan.table)
		index++;
	table = &f->plan->tables[index];
	flow.fragment = fragment_build_new(f, INPUT_TABLE, index);
	used = arena_zalloc(f->arena, table->column_count + 1);
	f->drafts[flow.fragment].table_columns_used = used;
	for (uint32_t i = 0; i < table->column_count; i++) {
		uint32_t id = PLAN_NONE;

		for (uint32_t j = 0; j < node->column_count; j++) {
			const struct table_schema *schema = &f->catalog->tables[node->scan.table];
			struct table_column column = table_column_at(schema, node->scan.sources[j]);

			/* A column and its text have one name, and two types. */
			if (strcmp(column.name, table->columns[i].name) == 0 &&
				type_equal(column.type, table->columns[i].type))
				id = node->columns[j];
		}
		used[i] = id != PLAN_NONE;
		flow_add_column(f, &flow, id, table->columns[i].type, table->columns[i].name);
	}
	return flow;
}

static struct flow cut_filter(struct fragmenter *f, const struct logical *node)
{
	struct flow flow = fragment_cut(f, node->inputs[0]);
	struct plan_op *op = flow_append(f, &flow, PLAN_FILTER);
	const struct logical_filter *filter = &node->filter;

	op->filter.conjuncts = arena_alloc(f->arena, filter->count * sizeof(struct expr *));
	for (int expensive = 0; expensive < 2; expensive++)
		for (uint32_t i = 0; i < filter->count; i++)
			if (expr_is_expensive(filter->conjuncts[i]) == expensive)
				op->filter.conjuncts[op->filter.count++] =
					flow_expr(f, &flow, filter->conjuncts[i]);
	return flow;
}

static struct flow cut_extend(struct fragmenter *f, const struct logical *node)
{
	const struct logical_extend *extend = &node->extend;
	struct flow flow = fragment_cut(f, node->inputs[0]), wider = {.fragment = flow.fragment};
	struct expr **exprs = arena_alloc(f->arena, (node->column_count + 1) * sizeof(*exprs));

	for (uint32_t i = 0; i < node->column_count; i++) {
		uint32_t id = node->columns[i];
		uint32_t position = flow_position(&flow, id);

		for (uint32_t j = 0; j < extend->count; j++)
			if (extend->ids[j] == id)
				exprs[i] = flow_expr(f, &flow, extend->exprs[j]);
		if (position != PLAN_NONE)
			exprs[i] = expr_column(f->arena, position, flow.columns[position].type);
		flow_add_id(f, &wider, id);
	}
	flow_append_project(f, &wider, node->column_count, exprs);
	return wider;
}

static uint32_t *add_input(struct fragmenter *f, uint32_t *ids, uint32_t *count, uint32_t id)
{
	bool repeated = id == PLAN_NONE;

	for (uint32_t i = 0; i < *count && !repeated; i++)
		repeated = ids[i] == id;
	if (repeated)
		return ids;
	ids = list_room(f->arena, ids, *count, sizeof(uint32_t));
	ids[(*count)++] = id;
	return ids;
}

/* The columns a group reads, each once. */
static uint32_t *group_inputs(
	struct fragmenter *f, const struct logical_group *group, uint32_t *count)
{
	uint32_t *ids = NULL;

	*count = 0;
	for (uint32_t i = 0; i < group->key_count; i++)
		ids = add_input(f, ids, count, group->keys[i]);
	for (uint32_t i = 0; i < group->aggregate_count; i++) {
		const struct logical_aggregate *aggregate = &group->aggregates[i];

		ids = add_input(f, ids, count, aggregate->arg);
		ids = add_input(f, ids, count, aggregate->arg2);
		ids = add_input(f, ids, count, aggregate->filter);
		for (uint32_t j = 0; j < aggregate->sort_count; j++)
			ids = add_input(f, ids, count, aggregate->sort[j].column);
	}
	return ids;
}

static uint32_t optional_position(const struct flow *flow, uint32_t id)
{
	return id == PLAN_NONE ? PLAN_NONE : flow_position(flow, id);
}

static struct plan_aggregate *group_aggregates(
	struct fragmenter *f, const struct flow *flow, const struct logical_group *group)
{
	struct plan_aggregate *aggregates =
		arena_zalloc(f->arena, (group->aggregate_count + 1) * sizeof(*aggregates));

	for (uint32_t i = 0; i < group->aggregate_count; i++) {
		const struct logical_aggregate *from = &group->aggregates[i];

		aggregates[i] = (struct plan_aggregate){
			.id = from->id,
			.distinct = from->distinct,
			.arg = optional_position(flow, from->arg),
			.arg2 = optional_position(flow, from->arg2),
			.filter = optional_position(flow, from->filter),
			.arg_type = type_of(TYPE_BIGINT),
			.type = f->columns->list[from->output].type,
			.sort_count = from->sort_count,
			.sort = flow_sort_keys(f, flow, from->sort_count, from->sort),
			.fraction = from->fraction,
		};
		if (from->arg != PLAN_NONE)
			aggregates[i].arg_type = flow->columns[aggregates[i].arg].type;
	}
	return aggregates;
}

static uint32_t *first_positions(struct fragmenter *f, uint32_t count)
{
	uint32_t *positions = arena_alloc(f->arena, (count + 1) * sizeof(uint32_t));

	for (uint32_t i = 0; i < count; i++)
		positions[i] = i;
	return positions;
}

/* The flow of results: keys, then aggregates. */
static struct flow group_results(
	struct fragmenter *f, const struct flow *flow, const struct logical_group *group)
{
	struct flow results = {.fragment = flow->fragment};

	for (uint32_t i = 0; i < group->key_count; i++)
		flow_add_id(f, &results, group->keys[i]);
	for (uint32_t i = 0; i < group->aggregate_count; i++)
		flow_add_id(f, &results, group->aggregates[i].output);
	return results;
}

/* States of the flow's rows: the keys, then those of each aggregate. */
static struct flow group_states(struct fragmenter *f, const struct flow *flow,
	const struct logical_group *group, const struct plan_aggregate *aggregates)
{
	struct flow states = {.fragment = flow->fragment};

	for (uint32_t i = 0; i < group->key_count; i++)
		flow_add_id(f, &states, group->keys[i]);
	for (uint32_t i = 0; i < group->aggregate_count; i++) {
		struct type types[AGGREGATE_STATES_MAX];
		uint32_t count =
			aggregate_state_types(aggregates[i].id, aggregates[i].arg_type, types);

		for (uint32_t j = 0; j < count; j++)
			flow_add_column(f, &states, PLAN_NONE, types[j],
				f->columns->list[group->aggregates[i].output].name);
	}
	return states;
}

/* Groups come together by their keys, from each of the flows. */
static struct flow exchange_groups(struct fragmenter *f, uint32_t count, const struct flow *flows,
	uint32_t key_count, uint32_t *keys)
{
	struct flow flow = flows[0];
	enum exchange_kind kind = key_count ? EXCHANGE_HASH : EXCHANGE_SINGLE;
	uint32_t exchange = exchange_new(f, &flows[0], kind, key_count, keys);

	for (uint32_t i = 1; i < count; i++)
		exchange_add(f, exchange, &flows[i]);
	flow.fragment = fragment_build_new(f, INPUT_EXCHANGE, exchange);
	f->plan->exchanges[exchange].consumer = flow.fragment;
	f->drafts[flow.fragment].single = kind == EXCHANGE_SINGLE;
	return flow;
}

static struct flow cut_group_partial(
	struct fragmenter *f, uint32_t count, struct flow *flows, const struct logical_group *group)
{
	struct plan_aggregate *aggregates = NULL;
	struct flow states, results;
	struct plan_group *final;
	uint32_t *keys = first_positions(f, group->key_count);

	for (uint32_t i = 0; i < count; i++) {
		struct plan_group partial = {.phase = GROUP_PARTIAL,
			.key_count = group->key_count,
			.keys = flow_positions(f, &flows[i], group->key_count, group->keys),
			.aggregate_count = group->aggregate_count,
			.aggregates = group_aggregates(f, &flows[i], group)};

		aggregates = partial.aggregates;
		flows[i] = group_states(f, &flows[i], group, aggregates);
		flow_append(f, &flows[i], PLAN_GROUP)->group = partial;
	}
	states = exchange_groups(f, count, flows, group->key_count, keys);
	results = group_results(f, &states, group);
	final = &flow_append(f, &results, PLAN_GROUP)->group;
	*final = (struct plan_group){
		GROUP_FINAL, group->key_count, keys, group->aggregate_count, NULL};
	final->aggregates =
		arena_alloc(f->arena, (group->aggregate_count + 1) * sizeof(*final->aggregates));
	for (uint32_t i = 0, state = group->key_count; i < group->aggregate_count; i++) {
		struct type types[AGGREGATE_STATES_MAX];

		final->aggregates[i] = aggregates[i];
		final->aggregates[i].arg = state;
		final->aggregates[i].arg2 = PLAN_NONE;
		final->aggregates[i].filter = PLAN_NONE;
		state += aggregate_state_types(aggregates[i].id, aggregates[i].arg_type, types);
	}
	return results;
}

static struct flow cut_group_complete(
	struct fragmenter *f, struct flow flow, const struct logical_group *group)
{
	struct plan_aggregate *aggregates = group_aggregates(f, &flow, group);
	struct flow results = group_results(f, &flow, group);
	struct plan_op *op = flow_append(f, &results, PLAN_GROUP);

	op->group = (struct plan_group){GROUP_COMPLETE, group->key_count,
		flow_positions(f, &flow, group->key_count, group->keys), group->aggregate_count,
		aggregates};
	return results;
}

/* An input of a union, under the names of the union's columns. */
static struct flow cut_union_input(struct fragmenter *f, const struct logical *node, uint32_t input)
{
	struct flow flow = fragment_cut(f, node->inputs[input]);

	if (node->column_count)
		flow_project(f, &flow, node->column_count, node->united.ids[input]);
	else
		flow_narrow(f, &flow, 0, NULL);
	for (uint32_t i = 0; i < node->column_count; i++)
		flow.columns[i].id = node->columns[i];
	return flow;
}

/* What a group reads: the inputs of a union each for themselves, so that they become states there.
 */
static struct flow *cut_group_flows(
	struct fragmenter *f, const struct logical *input, uint32_t *count)
{
	struct flow *flows;

	*count = input->kind == LOGICAL_UNION && input->column_count ? input->input_count : 1;
	flows = arena_alloc(f->arena, *count * sizeof(*flows));
	for (uint32_t i = 0; i < *count; i++)
		flows[i] = input->kind == LOGICAL_UNION && input->column_count
				   ? cut_union_input(f, input, i)
				   : fragment_cut(f, input);
	return flows;
}

static struct flow cut_group(struct fragmenter *f, const struct logical *node)
{
	const struct logical_group *group = &node->group;
	uint32_t flow_count, count, *ids;
	struct flow *flows = cut_group_flows(f, node->inputs[0], &flow_count), flow;
	bool complete = false;

	for (uint32_t i = 0; i < group->aggregate_count; i++)
		complete = complete || group->aggregates[i].distinct ||
			   aggregate_is_ordered(group->aggregates[i].id);
	if (flow_count == 1 && flow_draft(f, &flows[0])->single)
		return cut_group_complete(f, flows[0], group);
	if (!complete)
		return cut_group_partial(f, flow_count, flows, group);
	ids = group_inputs(f, group, &count);
	for (uint32_t i = 0; i < flow_count; i++) {
		if (flow_count == 1)
			flow_narrow(f, &flows[i], count, ids);
		else
			flow_project(f, &flows[i], count, ids);
	}
	flow = exchange_groups(f, flow_count, flows, group->key_count,
		flow_positions(f, &flows[0], group->key_count, group->keys));
	return cut_group_complete(f, flow, group);
}

/* The calls of a window, with positions in its input for ids. */
static struct plan_window_call *window_calls(
	struct fragmenter *f, const struct flow *flow, const struct logical_window *window)
{
	struct plan_window_call *calls =
		arena_alloc(f->arena, (window->call_count + 1) * sizeof(*calls));

	for (uint32_t i = 0; i < window->call_count; i++) {
		struct plan_window_call *call = &calls[i];

		*call = window->calls[i];
		call->arg = optional_position(flow, call->arg);
		call->offset = optional_position(flow, call->offset);
		call->fallback = optional_position(flow, call->fallback);
		call->aggregate.arg = optional_position(flow, call->aggregate.arg);
		call->aggregate.arg2 = optional_position(flow, call->aggregate.arg2);
		call->aggregate.filter = optional_position(flow, call->aggregate.filter);
		call->aggregate.sort =
			flow_sort_keys(f, flow, call->aggregate.sort_count, call->aggregate.sort);
	}
	return calls;
}

static struct flow cut_window(struct fragmenter *f, const struct logical *node)
{
	const struct logical_window *window = &node->window;
	struct flow flow = fragment_cut(f, node->inputs[0]);
	struct plan_window plan = {
		.partition_count = window->partition_count,
		.sort_count = window->sort_count,
		.call_count = window->call_count,
	};

	flow_narrow(f, &flow, node->inputs[0]->column_count, node->inputs[0]->columns);
	plan.partition = flow_positions(f, &flow, window->partition_count, window->partition);
	plan.sort = flow_sort_keys(f, &flow, window->sort_count, window->sort);
	plan.calls = window_calls(f, &flow, window);
	if (!flow_draft(f, &flow)->single)
		flow_exchange(f, &flow, window->partition_count ? EXCHANGE_HASH : EXCHANGE_SINGLE,
			window->partition_count, plan.partition);
	for (uint32_t i = 0; i < window->call_count; i++)
		flow_add_id(f, &flow, window->outputs[i]);
	flow_append(f, &flow, PLAN_WINDOW)->window = plan;
	return flow;
}

static struct flow cut_top(struct fragmenter *f, const struct logical *node)
{
	const struct logical_top *top = &node->top;
	struct flow flow = fragment_cut(f, node->inputs[0]);
	struct plan_sort_key *sort;

	/* Ties are broken by the full row: it must be the row that goes on from here. */
	flow_narrow(f, &flow, node->inputs[0]->column_count, node->inputs[0]->columns);
	if (top->prefilter || top->partition_count) {
		flow_top_partitions(f, &flow, top);
		return flow;
	}
	sort = flow_sort_keys(f, &flow, top->sort_count, top->sort);
	flow_top(f, &flow, top->sort_count, sort, top->limit, top->offset);
	return flow;
}

/* The ON conditions that are no keys, over the columns of both sides. */
static struct expr *join_residual(struct fragmenter *f, const struct flow *flow,
	const struct flow *build, const struct logical_filter *on)
{
	struct flow both = {0};
	struct expr *residual;

	if (on->count == 0)
		return NULL;
	for (uint32_t i = 0; i < flow->count; i++)
		flow_add_column(f, &both, flow->columns[i].id, flow->columns[i].type, "");
	for (uint32_t i = 0; i < build->count; i++)
		flow_add_column(f, &both, build->columns[i].id, build->columns[i].type, "");
	if (on->count == 1)
		return flow_expr(f, &both, on->conjuncts[0]);
	residual = expr_node(f->arena, EXPR_AND, type_of(TYPE_BOOL), on->count, on->conjuncts);
	return flow_expr(f, &both, residual);
}

static bool join_is_broadcast(struct fragmenter *f, const struct logical *node)
{
	const struct logical_join *join = &node->join;

	if (join->kind == JOIN_FULL)
		return false;
	if (f->around) /* its plan has one instance of everything */
		return true;
	return join->kind == JOIN_MARK || join->key_count == 0 ||
	       logical_weight(node->inputs[1], f->catalog, f->columns) <= BROADCAST_WEIGHT_MAX;
}

/* Which input of a join is built. In a recursion, rather what is the same in every round. */
static int join_built(const struct fragmenter *f, const struct logical *node)
{
	if (f->around && node->join.kind == JOIN_INNER &&
		logical_reads_round(node->inputs[1], f->recursion))
		return logical_reads_round(node->inputs[0], f->recursion) ? 1 : 0;
	return 1;
}

static struct flow cut_join(struct fragmenter *f, const struct logical *node)
{
	const struct logical_join *join = &node->join;
	int built = join_built(f, node);
	const struct logical *flowing = node->inputs[1 - built];
	struct flow build = fragment_cut(f, node->inputs[built]), flow;
	struct plan_join plan = {.kind = join->kind, .key_count = join->key_count};
	bool broadcast = join_is_broadcast(f, node), mark = join_yields_mark(join->kind);
	uint32_t exchange;

	flow_narrow(f, &build, node->inputs[built]->column_count, node->inputs[built]->columns);
	flow = fragment_cut(f, flowing);
	if (!broadcast || flow_cannot_join(f, &flow))
		flow_narrow(f, &flow, flowing->column_count, flowing->columns);
	plan.flow_keys = flow_positions(f, &flow, join->key_count, join->keys[1 - built]);
	plan.build_keys = flow_positions(f, &build, join->key_count, join->keys[built]);
	if (!broadcast)
		flow_exchange(f, &flow, EXCHANGE_HASH, join->key_count, plan.flow_keys);
	else if (flow_cannot_join(f, &flow))
		flow_exchange(f, &flow, EXCHANGE_SPREAD, 0, NULL);
	exchange = exchange_new(f, &build, broadcast ? EXCHANGE_BROADCAST : EXCHANGE_HASH,
		broadcast ? 0 : join->key_count, broadcast ? NULL : plan.build_keys);
	plan.build_input = exchange_connect(f, exchange, flow.fragment);
	plan.residual = join_residual(f, &flow, &build, &join->on);
	for (uint32_t i = 0; i < build.count && !mark; i++)
		flow_add_column(f, &flow, build.columns[i].id, build.columns[i].type,
			build.columns[i].name);
	if (mark || join->kind == JOIN_SINGLE)
		flow_add_id(f, &flow, join->mark);
	flow_append(f, &flow, PLAN_JOIN)->join = plan;
	return flow;
}

/* What a source makes its rows of: a list, or the arguments of a series. */
static uint32_t source_args(const struct expr *source, struct expr *const **args)
{
	if (source->kind != EXPR_CALL || source->function != FN_GENERATE_SERIES)
		return 0;
	*args = source->args;
	return source->arg_count;
}

/* Where `expr` is in `wider`, which is about to be projected out of `flow`. */
static uint32_t source_column(struct fragmenter *f, const struct flow *flow, struct flow *wider,
	struct expr ***exprs, const struct expr *expr)
{
	uint32_t there = PLAN_NONE;

	if (expr->kind == EXPR_COLUMN)
		there = flow_position(wider, expr->column);
	if (there != PLAN_NONE)
		return there;
	*exprs = list_room(f->arena, *exprs, wider->count, sizeof(struct expr *));
	(*exprs)[wider->count] = flow_expr(f, flow, expr);
	if (expr->kind == EXPR_COLUMN)
		flow_add_id(f, wider, expr->column);
	else
		flow_add_column(f, wider, PLAN_NONE, expr->type, "list");
	return wider->count - 1;
}

/* The sources, computed next to what is still needed of the row and nothing else; then the items.
 */
static struct flow cut_unnest(struct fragmenter *f, const struct logical *node)
{
	const struct logical_unnest *unnest = &node->unnest;
	struct flow flow = fragment_cut(f, node->inputs[0]), wider = {.fragment = flow.fragment};
	struct plan_unnest plan = {
		.source_count = unnest->count,
		.ordinality = unnest->ordinality != PLAN_NONE,
		.outer = unnest->outer,
	};
	struct expr **exprs = NULL;

	for (uint32_t i = 0; i < node->column_count; i++) {
		uint32_t position = flow_position(&flow, node->columns[i]);

		if (position == PLAN_NONE)
			continue;
		exprs = list_room(f->arena, exprs, wider.count, sizeof(struct expr *));
		exprs[wider.count] = expr_column(f->arena, position, flow.columns[position].type);
		flow_add_id(f, &wider, node->columns[i]);
	}
	plan.sources = arena_alloc(f->arena, unnest->count * sizeof(*plan.sources));
	for (uint32_t i = 0; i < unnest->count; i++) {
		struct plan_row_source *source = &plan.sources[i];
		struct expr *const *args = &unnest->lists[i];
		uint32_t count = source_args(unnest->lists[i], &args);

		*source = (struct plan_row_source){
			count ? ROWS_OF_SERIES : ROWS_OF_LIST, {PLAN_NONE, PLAN_NONE, PLAN_NONE}};
		for (uint32_t j = 0; j < row_source_args(source->kind); j++)
			source->args[j] = source_column(f, &flow, &wider, &exprs, args[j]);
	}
	flow_append_project(f, &wider, wider.count, exprs);
	for (uint32_t i = 0; i < unnest->count; i++)
		flow_add_id(f, &wider, unnest->items[i]);
	if (plan.ordinality)
		flow_add_id(f, &wider, unnest->ordinality);
	flow_append(f, &wider, PLAN_UNNEST)->unnest = plan;
	return wider;
}

static struct flow cut_union(struct fragmenter *f, const struct logical *node)
{
	struct flow united = {0};
	uint32_t exchange = PLAN_NONE;

	for (uint32_t i = 0; i < node->input_count; i++) {
		struct flow flow = cut_union_input(f, node, i);

		if (exchange == PLAN_NONE)
			exchange = exchange_new(f, &flow, EXCHANGE_SPREAD, 0, NULL);
		else
			exchange_add(f, exchange, &flow);
	}
	united.fragment = fragment_build_new(f, INPUT_EXCHANGE, exchange);
	f->plan->exchanges[exchange].consumer = united.fragment;
	for (uint32_t i = 0; i < node->column_count; i++)
		flow_add_id(f, &united, node->columns[i]);
	if (node->column_count == 0)
		flow_add_column(f, &united, PLAN_NONE, type_of(TYPE_BOOL), "row");
	return united;
}

/* A sort without keys holds all rows, and gives them out in an order that is always the same. */
static struct flow cut_reference(struct fragmenter *f, const struct logical *node)
{
	const struct logical_shared *shared = node->reference.shared;
	struct flow *from = &f->shared[shared->index], flow = {0};
	uint32_t exchange;

	if (from->count == 0) {
		*from = fragment_cut(f, shared->tree);
		flow_narrow(f, from, shared->wanted_count, shared->wanted);
	}
	exchange = exchange_new(f, from, EXCHANGE_SPREAD, 0, NULL);
	flow.fragment = fragment_build_new(f, INPUT_EXCHANGE, exchange);
	f->plan->exchanges[exchange].consumer = flow.fragment;
	f->drafts[flow.fragment].holds = true;
	for (uint32_t i = 0; i < from->count; i++) {
		uint32_t id = PLAN_NONE;

		for (uint32_t j = 0; j < node->column_count; j++)
			if (node->reference.sources[j] == from->columns[i].id)
				id = node->columns[j];
		flow_add_column(f, &flow, id, from->columns[i].type, from->columns[i].name);
	}
	flow_narrow(f, &flow, node->column_count, node->columns);
	flow_append(f, &flow, PLAN_TOP)->top = (struct plan_top){.limit = PLAN_LIMIT_NONE};
	return flow;
}

static struct flow cut_node(struct fragmenter *f, const struct logical *node)
{
	if (f->around && node->kind != LOGICAL_ONE_ROW && !logical_reads_round(node, f->recursion))
		return cut_brought(f, node);
	switch (node->kind) {
	case LOGICAL_SCAN: return cut_scan(f, node);
	case LOGICAL_ONE_ROW: break;
	case LOGICAL_FILTER: return cut_filter(f, node);
	case LOGICAL_EXTEND: return cut_extend(f, node);
	case LOGICAL_GROUP: return cut_group(f, node);
	case LOGICAL_WINDOW: return cut_window(f, node);
	case LOGICAL_TOP: return cut_top(f, node);
	case LOGICAL_JOIN: return cut_join(f, node);
	case LOGICAL_UNNEST: return cut_unnest(f, node);
	case LOGICAL_UNION: return cut_union(f, node);
	case LOGICAL_REFERENCE: return cut_reference(f, node);
	case LOGICAL_RECURSION: return cut_recursion(f, node);
	case LOGICAL_ROUND: return cut_round(f, node);
	}
	return (struct flow){.fragment = fragment_build_new(f, INPUT_ONE_ROW, 0)};
}

/* Notes for a person how many rows the node is thought to yield. */
struct flow fragment_cut(struct fragmenter *f, const struct logical *node)
{
	struct flow flow = cut_node(f, node);
	struct fragment_build *draft = flow_draft(f, &flow);
	double rows;

	if (!f->catalog->explains || !fragment_is_sampled(f, node))
		return flow;
	rows = logical_estimate(node, f->catalog, f->columns).rows;
	if (node->kind == LOGICAL_SCAN)
		draft->table_rows = rows;
	else if (draft->op_count > 0)
		draft->ops[draft->op_count - 1]->rows = rows;
	return flow;
}

/* What is shown, in its order, then what only ORDER BY needs; sorted in one place. */
static void cut_query(struct fragmenter *f, const struct logical_query *query, uint32_t index)
{
	struct flow flow = fragment_cut(f, query->tree);
	uint32_t count = query->output_count;
	uint32_t *ids = arena_alloc(f->arena, (count + query->sort_count + 1) * sizeof(uint32_t));
	struct plan_sort_key *sort;

	for (uint32_t i = 0; i < query->output_count; i++)
		ids[i] = query->outputs[i].id;
	for (uint32_t i = 0; i < query->sort_count; i++) {
		bool there = false;

		for (uint32_t j = 0; j < count; j++)
			there = there || ids[j] == query->sort[i].column;
		if (!there)
			ids[count++] = query->sort[i].column;
	}
	flow_project(f, &flow, count, ids);
	for (uint32_t i = 0; i < query->output_count; i++)
		flow.columns[i].name = query->outputs[i].name;
	if (query->sort_count == 0 && flow_is_map(f, &flow)) {
		flow_in_order(f, &flow, query->limit, query->offset);
	} else {
		sort = flow_sort_keys(f, &flow, query->sort_count, query->sort);
		flow_top(f, &flow, query->sort_count, sort, query->limit, query->offset);
	}
	if (count > query->output_count)
		flow_project(f, &flow, query->output_count, ids);
	flow_draft(f, &flow)->query = index;
}

static void collect_scans(
	struct arena *arena, const struct catalog *catalog, const struct logical *node, bool **used)
{
	for (uint32_t i = 0; i < node->input_count; i++)
		collect_scans(arena, catalog, node->inputs[i], used);
	if (node->kind != LOGICAL_SCAN)
		return;
	if (!used[node->scan.table])
		used[node->scan.table] =
			arena_zalloc(arena, table_index_count(&catalog->tables[node->scan.table]));
	for (uint32_t i = 0; i < node->column_count; i++)
		used[node->scan.table][node->scan.sources[i]] = true;
}

/* The tables that are read, with every column that some query needs. */
static void make_tables(const struct catalog *catalog, const struct fragment_query *queries,
	uint32_t query_count, struct arena *arena, struct plan *plan)
{
	bool **used = arena_zalloc(arena, (catalog->table_count + 1) * sizeof(bool *));

	for (uint32_t i = 0; i < query_count; i++) {
		const struct logical_query *query = &queries[i].query;

		collect_scans(arena, catalog, query->tree, used);
		for (uint32_t j = 0; j < query->shared_count; j++)
			if (query->shared[j]->needed)
				collect_scans(arena, catalog, query->shared[j]->tree, used);
	}
	plan->tables = arena_zalloc(arena, (catalog->table_count + 1) * sizeof(*plan->tables));
	for (uint32_t i = 0; i < catalog->table_count; i++) {
		const struct table_schema *schema = &catalog->tables[i];
		struct plan_table *table = &plan->tables[plan->table_count];
		uint32_t columns;

		if (!used[i])
			continue;
		plan->table_count++;
		table->name = arena_strdup(arena, schema->name);
		table->source = i;
		columns = table_index_count(schema);
		table->columns = arena_zalloc(arena, columns * sizeof(*table->columns));
		for (uint32_t j = 0; j < columns; j++) {
			struct table_column column = table_column_at(schema, j);

			if (used[i][j])
				table->columns[table->column_count++] = (struct plan_table_column){
					arena_strdup(arena, column.name), column.type};
		}
	}
}

void fragment_finish(struct fragmenter *f)
{
	struct plan *plan = f->plan;

	plan->fragment_count = f->fragment_build_count;
	plan->fragments =
		arena_zalloc(f->arena, (f->fragment_build_count + 1) * sizeof(*plan->fragments));
	for (uint32_t i = 0; i < f->fragment_build_count; i++) {
		const struct fragment_build *draft = &f->drafts[i];

		plan->fragments[i] = (struct plan_fragment){
			.input_count = draft->input_count,
			.inputs = draft->inputs,
			.op_count = draft->op_count,
			.ops = draft->ops,
			.output_count = draft->output_count,
			.outputs = draft->outputs,
			.query = draft->query,
			.table_columns_used = draft->table_columns_used,
			.table_rows = draft->table_rows,
			.merged_into = PLAN_NONE,
		};
		for (uint32_t j = 0; j < draft->output_count; j++)
			assert(plan->exchanges[draft->outputs[j]].consumer > i);
	}
}

static int check_widths(const struct plan *plan, struct error *err)
{
	for (uint32_t i = 0; i < plan->fragment_count; i++)
		for (uint32_t j = 0; j < plan->fragments[i].op_count; j++)
			if (plan->fragments[i].ops[j]->column_count > PLAN_COLUMNS_MAX)
				return error_set(err, ERROR_SQL,
					"a step of the plan has more than %d columns",
					PLAN_COLUMNS_MAX);
	return 0;
}

int fragment_plan(const struct catalog *catalog, const struct fragment_query *queries,
	uint32_t query_count, struct arena *arena, struct plan *plan, struct error *err)
{
	struct fragmenter f = {.arena = arena, .catalog = catalog, .plan = plan};

	make_tables(catalog, queries, query_count, arena, plan);
	for (uint32_t i = 0; i < query_count; i++) {
		f.columns = &queries[i].columns;
		f.positions = arena_zalloc(arena, (f.columns->count + 1) * sizeof(uint32_t));
		f.shared_count = queries[i].query.shared_count;
		f.shared = arena_zalloc(
			arena, (queries[i].query.shared_count + 1) * sizeof(*f.shared));
		cut_query(&f, &queries[i].query, i);
	}
	fragment_finish(&f);
	merge_maps(plan, arena);
	return check_widths(plan, err);
}
