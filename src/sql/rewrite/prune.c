/*
 * Columns that nobody needs are dropped where they arise: in scans, computed columns, aggregates
 * and window functions. Every node learns which columns are wanted of it and asks its inputs for
 * those and for what it reads itself.
 */
#include "sql/rewrite/rewrite.h"

/* The ids that are wanted of a node: a list, and a mark in `stamps` for each of them. */
struct wanted {
	uint32_t count;
	uint32_t *ids;
};

struct pruner {
	struct arena *arena;
	uint32_t *stamps; /* by column id: the generation in which it was last wanted */
	uint32_t generation;
};

static void want(struct pruner *p, struct wanted *wanted, uint32_t id)
{
	if (id == PLAN_NONE || p->stamps[id] == p->generation)
		return;
	p->stamps[id] = p->generation;
	wanted->ids = list_room(p->arena, wanted->ids, wanted->count, sizeof(uint32_t));
	wanted->ids[wanted->count++] = id;
}

/* An empty list; stamps of older ones are void from here on. */
static struct wanted wanted_new(struct pruner *p)
{
	p->generation++;
	return (struct wanted){0};
}

/* Makes the stamps those of this list again. */
static void wanted_restamp(struct pruner *p, const struct wanted *wanted)
{
	p->generation++;
	for (uint32_t i = 0; i < wanted->count; i++)
		p->stamps[wanted->ids[i]] = p->generation;
}

static bool is_wanted(const struct pruner *p, uint32_t id)
{
	return p->stamps[id] == p->generation;
}

static void want_expr(struct pruner *p, struct wanted *wanted, const struct expr *expr)
{
	if (expr->kind == EXPR_COLUMN)
		want(p, wanted, expr->column);
	for (uint32_t i = 0; i < expr->arg_count; i++)
		want_expr(p, wanted, expr->args[i]);
}

static void want_list(struct pruner *p, struct wanted *wanted, uint32_t count, const uint32_t *ids)
{
	for (uint32_t i = 0; i < count; i++)
		want(p, wanted, ids[i]);
}

static void want_sort(
	struct pruner *p, struct wanted *wanted, uint32_t count, const struct plan_sort_key *sort)
{
	for (uint32_t i = 0; i < count; i++)
		want(p, wanted, sort[i].column);
}

static struct logical *prune(struct pruner *p, struct logical *node, const struct wanted *wanted);

/* A scan, or a round. */
static void prune_leaf(const struct pruner *p, struct logical *node, uint32_t *sources)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < node->column_count; i++) {
		if (!is_wanted(p, node->columns[i]))
			continue;
		node->columns[kept] = node->columns[i];
		sources[kept++] = sources[i];
	}
	node->column_count = kept;
}

static void prune_columns(const struct pruner *p, struct logical *node)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < node->column_count; i++)
		if (is_wanted(p, node->columns[i]))
			node->columns[kept++] = node->columns[i];
	node->column_count = kept;
}

/* The shared tree is pruned later, once all that refer to it have said what they want. */
static void prune_reference(struct pruner *p, struct logical *node)
{
	struct logical_shared *shared = node->reference.shared;
	uint32_t kept = 0;

	shared->needed = true;
	for (uint32_t i = 0; i < node->column_count; i++) {
		uint32_t source = node->reference.sources[i], known = 0;

		if (!is_wanted(p, node->columns[i]))
			continue;
		node->columns[kept] = node->columns[i];
		node->reference.sources[kept++] = source;
		while (known < shared->wanted_count && shared->wanted[known] != source)
			known++;
		if (known < shared->wanted_count)
			continue;
		shared->wanted =
			list_room(p->arena, shared->wanted, shared->wanted_count, sizeof(uint32_t));
		shared->wanted[shared->wanted_count++] = source;
	}
	node->column_count = kept;
}

/* What is wanted of a node and comes from its input. */
static struct wanted wanted_of_input(
	struct pruner *p, const struct logical *input, const struct wanted *wanted)
{
	struct wanted below = wanted_new(p);

	for (uint32_t i = 0; i < wanted->count; i++)
		if (logical_has_column(input, wanted->ids[i]))
			want(p, &below, wanted->ids[i]);
	return below;
}

static struct logical *prune_extend(
	struct pruner *p, struct logical *node, const struct wanted *wanted)
{
	struct logical_extend *extend = &node->extend;
	struct wanted below;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < extend->count; i++) {
		if (!is_wanted(p, extend->ids[i]))
			continue;
		extend->ids[kept] = extend->ids[i];
		extend->exprs[kept++] = extend->exprs[i];
	}
	extend->count = kept;
	if (kept == 0)
		return prune(p, node->inputs[0], wanted);
	below = wanted_of_input(p, node->inputs[0], wanted);
	for (uint32_t i = 0; i < kept; i++)
		want_expr(p, &below, extend->exprs[i]);
	node->inputs[0] = prune(p, node->inputs[0], &below);
	return node;
}

static void prune_group(struct pruner *p, struct logical *node)
{
	struct logical_group *group = &node->group;
	struct wanted below;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < group->aggregate_count; i++)
		if (is_wanted(p, group->aggregates[i].output))
			group->aggregates[kept++] = group->aggregates[i];
	/* One row with no column at all is more than an exchange can carry: keep one aggregate. */
	if (kept == 0 && group->key_count == 0 && group->aggregate_count > 0)
		kept = 1;
	group->aggregate_count = kept;
	below = wanted_new(p);
	want_list(p, &below, group->key_count, group->keys);
	for (uint32_t i = 0; i < kept; i++) {
		const struct logical_aggregate *aggregate = &group->aggregates[i];

		want(p, &below, aggregate->arg);
		want(p, &below, aggregate->arg2);
		want(p, &below, aggregate->filter);
		want_sort(p, &below, aggregate->sort_count, aggregate->sort);
	}
	node->inputs[0] = prune(p, node->inputs[0], &below);
}

static void want_call(struct pruner *p, struct wanted *wanted, const struct plan_window_call *call)
{
	want(p, wanted, call->arg);
	want(p, wanted, call->offset);
	want(p, wanted, call->fallback);
	want(p, wanted, call->aggregate.arg);
	want(p, wanted, call->aggregate.arg2);
	want(p, wanted, call->aggregate.filter);
	want_sort(p, wanted, call->aggregate.sort_count, call->aggregate.sort);
}

static struct logical *prune_window(
	struct pruner *p, struct logical *node, const struct wanted *wanted)
{
	struct logical_window *window = &node->window;
	struct wanted below;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < window->call_count; i++) {
		if (!is_wanted(p, window->outputs[i]))
			continue;
		window->calls[kept] = window->calls[i];
		window->outputs[kept++] = window->outputs[i];
	}
	window->call_count = kept;
	if (kept == 0)
		return prune(p, node->inputs[0], wanted);
	below = wanted_of_input(p, node->inputs[0], wanted);
	want_list(p, &below, window->partition_count, window->partition);
	want_sort(p, &below, window->sort_count, window->sort);
	for (uint32_t i = 0; i < kept; i++)
		want_call(p, &below, &window->calls[i]);
	node->inputs[0] = prune(p, node->inputs[0], &below);
	return node;
}

/* Whether no two rows of the join's build side have the same keys. */
static bool build_is_unique(const struct logical *node)
{
	const struct logical_join *join = &node->join;
	const struct logical *build = node->inputs[1];

	while (build->kind == LOGICAL_FILTER || build->kind == LOGICAL_EXTEND)
		build = build->inputs[0];
	if (build->kind != LOGICAL_GROUP)
		return false;
	for (uint32_t i = 0; i < build->group.key_count; i++) {
		bool is_key = false;

		for (uint32_t j = 0; j < join->key_count; j++)
			is_key = is_key || join->keys[1][j] == build->group.keys[i];
		if (!is_key)
			return false;
	}
	return true;
}

/* Yields every flowing row once, and nothing else that somebody wants. */
static bool join_is_unneeded(const struct pruner *p, const struct logical *node)
{
	const struct logical_join *join = &node->join;

	if (join_yields_mark(join->kind))
		return !is_wanted(p, join->mark);
	if (join->kind != JOIN_SINGLE && (join->kind != JOIN_LEFT || !build_is_unique(node)))
		return false;
	for (uint32_t i = 0; i < node->inputs[1]->column_count; i++)
		if (is_wanted(p, node->inputs[1]->columns[i]))
			return false;
	return join->kind != JOIN_SINGLE || !is_wanted(p, join->mark);
}

static struct logical *prune_join(
	struct pruner *p, struct logical *node, const struct wanted *wanted)
{
	const struct logical_join *join = &node->join;
	struct wanted all;

	if (join_is_unneeded(p, node))
		return prune(p, node->inputs[0], wanted);
	all = wanted_new(p);
	want_list(p, &all, wanted->count, wanted->ids);
	for (uint32_t i = 0; i < join->on.count; i++)
		want_expr(p, &all, join->on.conjuncts[i]);
	for (int side = 0; side < 2; side++) {
		struct wanted below = wanted_new(p);

		for (uint32_t i = 0; i < all.count; i++)
			if (logical_has_column(node->inputs[side], all.ids[i]))
				want(p, &below, all.ids[i]);
		want_list(p, &below, join->key_count, join->keys[side]);
		node->inputs[side] = prune(p, node->inputs[side], &below);
	}
	return node;
}

/* Lists are read, and need not be wanted; an item that nobody wants still makes its rows. */
static void prune_unnest(struct pruner *p, struct logical *node, const struct wanted *wanted)
{
	struct logical_unnest *unnest = &node->unnest;
	struct wanted below;

	if (unnest->ordinality != PLAN_NONE && !is_wanted(p, unnest->ordinality))
		unnest->ordinality = PLAN_NONE;
	below = wanted_of_input(p, node->inputs[0], wanted);
	for (uint32_t i = 0; i < unnest->count; i++)
		want_expr(p, &below, unnest->lists[i]);
	node->inputs[0] = prune(p, node->inputs[0], &below);
}

static void prune_union(struct pruner *p, struct logical *node)
{
	uint32_t kept = 0;

	for (uint32_t j = 0; j < node->column_count; j++) {
		if (!is_wanted(p, node->columns[j]))
			continue;
		for (uint32_t i = 0; i < node->input_count; i++)
			node->united.ids[i][kept] = node->united.ids[i][j];
		node->columns[kept++] = node->columns[j];
	}
	node->column_count = kept;
	for (uint32_t i = 0; i < node->input_count; i++) {
		struct wanted below = wanted_new(p);

		want_list(p, &below, kept, node->united.ids[i]);
		node->inputs[i] = prune(p, node->inputs[i], &below);
	}
}

/* What a round has may be what the next one is made of: all columns are. */
static void prune_recursion(struct pruner *p, struct logical *node)
{
	for (uint32_t i = 0; i < 2; i++) {
		struct wanted below = wanted_new(p);

		want_list(p, &below, node->column_count, node->recursion.ids[i]);
		node->inputs[i] = prune(p, node->inputs[i], &below);
	}
}

/* FILTER and TOP: what is wanted of them, and what they read. */
static void prune_through(struct pruner *p, struct logical *node, const struct wanted *wanted)
{
	struct wanted below = wanted_new(p);

	want_list(p, &below, wanted->count, wanted->ids);
	if (node->kind == LOGICAL_FILTER) {
		for (uint32_t i = 0; i < node->filter.count; i++)
			want_expr(p, &below, node->filter.conjuncts[i]);
	} else {
		want_list(p, &below, node->top.partition_count, node->top.partition);
		want_sort(p, &below, node->top.sort_count, node->top.sort);
	}
	node->inputs[0] = prune(p, node->inputs[0], &below);
}

static struct logical *prune(struct pruner *p, struct logical *node, const struct wanted *wanted)
{
	wanted_restamp(p, wanted);
	if (node->kind != LOGICAL_SCAN && node->kind != LOGICAL_UNION &&
		node->kind != LOGICAL_REFERENCE && node->kind != LOGICAL_RECURSION &&
		node->kind != LOGICAL_ROUND)
		prune_columns(p, node);
	switch (node->kind) {
	case LOGICAL_SCAN: prune_leaf(p, node, node->scan.sources); break;
	case LOGICAL_ONE_ROW: break;
	case LOGICAL_FILTER:
	case LOGICAL_TOP: prune_through(p, node, wanted); break;
	case LOGICAL_EXTEND: return prune_extend(p, node, wanted);
	case LOGICAL_GROUP: prune_group(p, node); break;
	case LOGICAL_WINDOW: return prune_window(p, node, wanted);
	case LOGICAL_JOIN: return prune_join(p, node, wanted);
	case LOGICAL_UNNEST: prune_unnest(p, node, wanted); break;
	case LOGICAL_UNION: prune_union(p, node); break;
	case LOGICAL_REFERENCE: prune_reference(p, node); break;
	case LOGICAL_RECURSION: prune_recursion(p, node); break;
	case LOGICAL_ROUND: prune_leaf(p, node, node->round.sources); break;
	}
	return node;
}

void prune_query(
	struct logical_query *query, const struct logical_columns *columns, struct arena *arena)
{
	struct pruner p = {.arena = arena};
	struct wanted wanted;

	p.stamps = arena_zalloc(arena, (columns->count + 1) * sizeof(uint32_t));
	wanted = wanted_new(&p);
	for (uint32_t i = 0; i < query->output_count; i++)
		want(&p, &wanted, query->outputs[i].id);
	want_sort(&p, &wanted, query->sort_count, query->sort);
	query->tree = prune(&p, query->tree, &wanted);
	/* From the last one on: each is referred to by the query and by later ones only. */
	for (uint32_t i = query->shared_count; i-- > 0;) {
		struct logical_shared *shared = query->shared[i];

		if (!shared->needed)
			continue;
		wanted = wanted_new(&p);
		want_list(&p, &wanted, shared->wanted_count, shared->wanted);
		shared->tree = prune(&p, shared->tree, &wanted);
	}
}
