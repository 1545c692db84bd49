/*
 * Copies of trees. A plain copy shares expressions with its original, which are never changed, and
 * no list: both can be rewritten on their own. A renamed one makes columns of its own, so that both
 * can stand in one query.
 */
#include "sql/rewrite/tree_copy.h"

#include <string.h>

struct copier {
	struct arena *arena;
	struct logical_columns *columns;
	bool rename;
	uint32_t known;	   /* columns that there were before */
	uint32_t *renamed; /* by id; itself until the column was made anew */
	uint32_t nodes;
};

static uint32_t new_id(struct copier *c, uint32_t id)
{
	return id == PLAN_NONE || id >= c->known ? id : c->renamed[id];
}

/* A column that the node at hand makes. */
static uint32_t make_id(struct copier *c, uint32_t id)
{
	if (!c->rename || id == PLAN_NONE || c->renamed[id] != id)
		return new_id(c, id);
	c->renamed[id] = columns_add(
		c->columns, c->arena, c->columns->list[id].name, c->columns->list[id].type);
	return c->renamed[id];
}

static uint32_t *copy_ids(struct copier *c, uint32_t count, const uint32_t *ids, bool made)
{
	uint32_t *copy = arena_alloc(c->arena, (count + 1) * sizeof(uint32_t));

	for (uint32_t i = 0; i < count; i++)
		copy[i] = made ? make_id(c, ids[i]) : new_id(c, ids[i]);
	return copy;
}

static struct expr *copy_expr(struct copier *c, struct expr *expr)
{
	struct expr *copy;

	if (!c->rename || (expr->kind != EXPR_COLUMN && expr->arg_count == 0))
		return expr;
	copy = arena_alloc(c->arena, sizeof(*copy));
	*copy = *expr;
	if (expr->kind == EXPR_COLUMN) {
		copy->column = new_id(c, expr->column);
		return copy;
	}
	copy->args = arena_alloc(c->arena, expr->arg_count * sizeof(struct expr *));
	for (uint32_t i = 0; i < expr->arg_count; i++)
		copy->args[i] = copy_expr(c, expr->args[i]);
	return copy;
}

static struct expr **copy_exprs(struct copier *c, uint32_t count, struct expr *const *exprs)
{
	struct expr **copy = arena_alloc(c->arena, (count + 1) * sizeof(struct expr *));

	for (uint32_t i = 0; i < count; i++)
		copy[i] = copy_expr(c, exprs[i]);
	return copy;
}

static struct plan_sort_key *copy_sort(
	struct copier *c, uint32_t count, const struct plan_sort_key *sort)
{
	struct plan_sort_key *copy = arena_alloc(c->arena, (count + 1) * sizeof(*copy));

	for (uint32_t i = 0; i < count; i++) {
		copy[i] = sort[i];
		copy[i].column = new_id(c, sort[i].column);
	}
	return copy;
}

static struct logical_filter copy_filter(struct copier *c, const struct logical_filter *filter)
{
	struct logical_filter copy = {0};

	for (uint32_t i = 0; i < filter->count; i++)
		conjuncts_add(c->arena, &copy, copy_expr(c, filter->conjuncts[i]));
	return copy;
}

static void copy_group(struct copier *c, struct logical_group *group)
{
	struct logical_aggregate *aggregates =
		arena_alloc(c->arena, (group->aggregate_count + 1) * sizeof(*aggregates));

	group->keys = copy_ids(c, group->key_count, group->keys, false);
	for (uint32_t i = 0; i < group->aggregate_count; i++) {
		struct logical_aggregate *aggregate = &aggregates[i];

		*aggregate = group->aggregates[i];
		aggregate->arg = new_id(c, aggregate->arg);
		aggregate->arg2 = new_id(c, aggregate->arg2);
		aggregate->filter = new_id(c, aggregate->filter);
		aggregate->sort = copy_sort(c, aggregate->sort_count, aggregate->sort);
		aggregate->output = make_id(c, aggregate->output);
	}
	group->aggregates = aggregates;
}

static void copy_window(struct copier *c, struct logical_window *window)
{
	struct plan_window_call *calls =
		arena_alloc(c->arena, (window->call_count + 1) * sizeof(*calls));

	for (uint32_t i = 0; i < window->call_count; i++) {
		struct plan_window_call *call = &calls[i];

		*call = window->calls[i];
		call->arg = new_id(c, call->arg);
		call->offset = new_id(c, call->offset);
		call->fallback = new_id(c, call->fallback);
		if (call->function != WINDOW_AGGREGATE)
			continue;
		call->aggregate.arg = new_id(c, call->aggregate.arg);
		call->aggregate.arg2 = new_id(c, call->aggregate.arg2);
		call->aggregate.filter = new_id(c, call->aggregate.filter);
		call->aggregate.sort =
			copy_sort(c, call->aggregate.sort_count, call->aggregate.sort);
	}
	window->calls = calls;
	window->partition = copy_ids(c, window->partition_count, window->partition, false);
	window->sort = copy_sort(c, window->sort_count, window->sort);
	window->outputs = copy_ids(c, window->call_count, window->outputs, true);
}

static void copy_join(struct copier *c, struct logical_join *join)
{
	join->on = copy_filter(c, &join->on);
	for (int side = 0; side < 2 && join->key_count; side++)
		join->keys[side] = copy_ids(c, join->key_count, join->keys[side], false);
	if (join_yields_mark(join->kind) || join->kind == JOIN_SINGLE)
		join->mark = make_id(c, join->mark);
}

static void copy_union(struct copier *c, struct logical *node)
{
	uint32_t **ids = arena_alloc(c->arena, (node->input_count + 1) * sizeof(uint32_t *));

	for (uint32_t i = 0; i < node->input_count; i++)
		ids[i] = copy_ids(c, node->column_count, node->united.ids[i], false);
	node->united.ids = ids;
	node->columns = copy_ids(c, node->column_count, node->columns, true);
}

/* A leaf: its columns are its own. */
static void copy_leaf(struct copier *c, struct logical *node, uint32_t **sources)
{
	uint32_t *copy = arena_alloc(c->arena, (node->column_count + 1) * sizeof(uint32_t));

	memcpy(copy, *sources, node->column_count * sizeof(uint32_t));
	*sources = copy;
	node->columns = copy_ids(c, node->column_count, node->columns, true);
}

static void copy_parts(struct copier *c, struct logical *node)
{
	struct arena *arena = c->arena;

	switch (node->kind) {
	case LOGICAL_SCAN: copy_leaf(c, node, &node->scan.sources); break;
	case LOGICAL_REFERENCE:
		copy_leaf(c, node, &node->reference.sources);
		if (c->rename && node->reference.shared)
			node->reference.shared->references++;
		break;
	case LOGICAL_ONE_ROW: break;
	case LOGICAL_ROUND: copy_leaf(c, node, &node->round.sources); break;
	case LOGICAL_RECURSION:
		for (int i = 0; i < 2; i++)
			node->recursion.ids[i] =
				copy_ids(c, node->column_count, node->recursion.ids[i], false);
		node->columns = copy_ids(c, node->column_count, node->columns, true);
		break;
	case LOGICAL_FILTER: node->filter = copy_filter(c, &node->filter); break;
	case LOGICAL_EXTEND:
		node->extend.exprs = copy_exprs(c, node->extend.count, node->extend.exprs);
		node->extend.ids = copy_ids(c, node->extend.count, node->extend.ids, true);
		break;
	case LOGICAL_GROUP: copy_group(c, &node->group); break;
	case LOGICAL_WINDOW: copy_window(c, &node->window); break;
	case LOGICAL_TOP:
		node->top.partition =
			copy_ids(c, node->top.partition_count, node->top.partition, false);
		node->top.sort = copy_sort(c, node->top.sort_count, node->top.sort);
		break;
	case LOGICAL_JOIN: copy_join(c, &node->join); break;
	case LOGICAL_UNNEST:
		node->unnest.lists = copy_exprs(c, node->unnest.count, node->unnest.lists);
		node->unnest.items = copy_ids(c, node->unnest.count, node->unnest.items, true);
		node->unnest.ordinality = make_id(c, node->unnest.ordinality);
		break;
	case LOGICAL_UNION: copy_union(c, node); break;
	}
	logical_set_columns(arena, node);
}

static struct logical *copy_node(struct copier *c, const struct logical *node)
{
	struct logical *copy = arena_alloc(c->arena, sizeof(*copy));

	c->nodes++;
	*copy = *node;
	copy->inputs = arena_alloc(c->arena, (node->input_count + 1) * sizeof(struct logical *));
	for (uint32_t i = 0; i < node->input_count; i++)
		copy->inputs[i] = copy_node(c, node->inputs[i]);
	copy_parts(c, copy);
	return copy;
}

struct logical *tree_copy(
	struct arena *arena, struct logical_columns *columns, const struct logical *tree)
{
	struct copier c = {.arena = arena, .columns = columns};

	return copy_node(&c, tree);
}

struct logical *tree_copy_renamed(struct arena *arena, struct logical_columns *columns,
	const struct logical *tree, uint32_t **renamed, uint32_t *nodes)
{
	struct copier c = {
		.arena = arena, .columns = columns, .rename = true, .known = columns->count};
	struct logical *copy;

	c.renamed = arena_alloc(arena, (c.known + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < c.known; i++)
		c.renamed[i] = i;
	copy = copy_node(&c, tree);
	*renamed = c.renamed;
	*nodes = c.nodes;
	return copy;
}
