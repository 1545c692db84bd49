#include "sql/logical.h"

#include <string.h>

#define LIST_ROOM_FIRST 8

void *list_room(struct arena *arena, void *items, uint32_t count, size_t item_size)
{
	bool full = count == 0 || (count >= LIST_ROOM_FIRST && (count & (count - 1)) == 0);
	void *larger;

	if (!full)
		return items;
	larger = arena_alloc(arena, (count ? count * 2 : LIST_ROOM_FIRST) * item_size);
	if (count)
		memcpy(larger, items, count * item_size);
	return larger;
}

uint32_t columns_add(
	struct logical_columns *columns, struct arena *arena, const char *name, struct type type)
{
	columns->list = list_room(arena, columns->list, columns->count, sizeof(*columns->list));
	columns->list[columns->count] =
		(struct logical_column){.name = name, .type = type, .written = PLAN_NONE};
	return columns->count++;
}

struct logical *logical_new(struct arena *arena, enum logical_kind kind, uint32_t input_count)
{
	struct logical *node = arena_zalloc(arena, sizeof(*node));

	node->kind = kind;
	node->input_count = input_count;
	node->inputs = arena_zalloc(arena, (input_count + 1) * sizeof(struct logical *));
	return node;
}

void logical_add_column(struct arena *arena, struct logical *node, uint32_t id)
{
	node->columns = list_room(arena, node->columns, node->column_count, sizeof(uint32_t));
	node->columns[node->column_count++] = id;
}

bool logical_has_column(const struct logical *node, uint32_t id)
{
	for (uint32_t i = 0; i < node->column_count; i++)
		if (node->columns[i] == id)
			return true;
	return false;
}

/* Whether any recursion's rounds are read there. Trees of references fan out: they remember. */
static bool reads_rounds(const struct logical *tree)
{
	if (tree->kind == LOGICAL_ROUND)
		return true;
	if (tree->kind == LOGICAL_REFERENCE) {
		struct logical_shared *shared = tree->reference.shared;

		if (shared->recursive == 0)
			shared->recursive = reads_rounds(shared->tree) ? 1 : -1;
		return shared->recursive > 0;
	}
	for (uint32_t i = 0; i < tree->input_count; i++)
		if (reads_rounds(tree->inputs[i]))
			return true;
	return false;
}

bool logical_reads_round(const struct logical *tree, uint32_t number)
{
	if (tree->kind == LOGICAL_ROUND)
		return tree->round.number == number;
	if (tree->kind == LOGICAL_REFERENCE)
		return reads_rounds(tree) &&
		       logical_reads_round(tree->reference.shared->tree, number);
	for (uint32_t i = 0; i < tree->input_count; i++)
		if (logical_reads_round(tree->inputs[i], number))
			return true;
	return false;
}

static void add_columns(
	struct arena *arena, struct logical *node, uint32_t count, const uint32_t *ids)
{
	for (uint32_t i = 0; i < count; i++)
		logical_add_column(arena, node, ids[i]);
}

void logical_set_columns(struct arena *arena, struct logical *node)
{
	const struct logical *input = node->input_count ? node->inputs[0] : NULL;

	if (!input || node->kind == LOGICAL_UNION || node->kind == LOGICAL_RECURSION)
		return;
	node->column_count = 0;
	node->columns = NULL;
	if (node->kind == LOGICAL_GROUP) {
		add_columns(arena, node, node->group.key_count, node->group.keys);
		for (uint32_t i = 0; i < node->group.aggregate_count; i++)
			logical_add_column(arena, node, node->group.aggregates[i].output);
		return;
	}
	add_columns(arena, node, input->column_count, input->columns);
	if (node->kind == LOGICAL_EXTEND)
		add_columns(arena, node, node->extend.count, node->extend.ids);
	if (node->kind == LOGICAL_WINDOW)
		add_columns(arena, node, node->window.call_count, node->window.outputs);
	if (node->kind == LOGICAL_UNNEST) {
		add_columns(arena, node, node->unnest.count, node->unnest.items);
		if (node->unnest.ordinality != PLAN_NONE)
			logical_add_column(arena, node, node->unnest.ordinality);
	}
	if (node->kind != LOGICAL_JOIN)
		return;
	if (!join_yields_mark(node->join.kind))
		add_columns(arena, node, node->inputs[1]->column_count, node->inputs[1]->columns);
	if (join_yields_mark(node->join.kind) || node->join.kind == JOIN_SINGLE)
		logical_add_column(arena, node, node->join.mark);
}

/* A node of one input. */
static struct logical *node_over(struct arena *arena, enum logical_kind kind, struct logical *input)
{
	struct logical *node = logical_new(arena, kind, 1);

	node->inputs[0] = input;
	return node;
}

struct logical *logical_filter_new(
	struct arena *arena, struct logical *input, uint32_t count, struct expr **conjuncts)
{
	struct logical *node;

	if (count == 0)
		return input;
	node = node_over(arena, LOGICAL_FILTER, input);
	node->filter = (struct logical_filter){count, conjuncts};
	logical_set_columns(arena, node);
	return node;
}

struct logical *logical_extend_new(struct arena *arena, struct logical *input, uint32_t count,
	uint32_t *ids, struct expr **exprs)
{
	struct logical *node;

	if (count == 0)
		return input;
	node = node_over(arena, LOGICAL_EXTEND, input);
	node->extend = (struct logical_extend){count, ids, exprs};
	logical_set_columns(arena, node);
	return node;
}

struct logical *logical_group_new(
	struct arena *arena, struct logical *input, const struct logical_group *group)
{
	struct logical *node = node_over(arena, LOGICAL_GROUP, input);

	node->group = *group;
	logical_set_columns(arena, node);
	return node;
}

struct logical *logical_top_new(
	struct arena *arena, struct logical *input, const struct logical_top *top)
{
	struct logical *node = node_over(arena, LOGICAL_TOP, input);

	node->top = *top;
	logical_set_columns(arena, node);
	return node;
}

struct logical *logical_unnest_new(
	struct arena *arena, struct logical *input, const struct logical_unnest *unnest)
{
	struct logical *node = node_over(arena, LOGICAL_UNNEST, input);

	node->unnest = *unnest;
	logical_set_columns(arena, node);
	return node;
}

struct logical *logical_join_new(struct arena *arena, struct logical *flow, struct logical *build,
	const struct logical_join *join)
{
	struct logical *node = logical_new(arena, LOGICAL_JOIN, 2);

	node->inputs[0] = flow;
	node->inputs[1] = build;
	node->join = *join;
	logical_set_columns(arena, node);
	return node;
}

void conjuncts_add(struct arena *arena, struct logical_filter *list, struct expr *expr)
{
	if (expr->kind == EXPR_AND) {
		for (uint32_t i = 0; i < expr->arg_count; i++)
			conjuncts_add(arena, list, expr->args[i]);
		return;
	}
	list->conjuncts = list_room(arena, list->conjuncts, list->count, sizeof(struct expr *));
	list->conjuncts[list->count++] = expr;
}

bool expr_reads_column(const struct expr *expr, uint32_t id)
{
	if (expr->kind == EXPR_COLUMN)
		return expr->column == id;
	for (uint32_t i = 0; i < expr->arg_count; i++)
		if (expr_reads_column(expr->args[i], id))
			return true;
	return false;
}

bool expr_reads_any(const struct expr *expr)
{
	if (expr->kind == EXPR_COLUMN)
		return true;
	for (uint32_t i = 0; i < expr->arg_count; i++)
		if (expr_reads_any(expr->args[i]))
			return true;
	return false;
}

bool expr_reads_some(const struct expr *expr, const struct logical *node)
{
	if (expr->kind == EXPR_COLUMN)
		return logical_has_column(node, expr->column);
	for (uint32_t i = 0; i < expr->arg_count; i++)
		if (expr_reads_some(expr->args[i], node))
			return true;
	return false;
}

bool expr_reads_only(const struct expr *expr, uint32_t count, const uint32_t *ids)
{
	if (expr->kind == EXPR_COLUMN) {
		for (uint32_t i = 0; i < count; i++)
			if (ids[i] == expr->column)
				return true;
		return false;
	}
	for (uint32_t i = 0; i < expr->arg_count; i++)
		if (!expr_reads_only(expr->args[i], count, ids))
			return false;
	return true;
}

uint32_t expr_size(const struct expr *expr, uint32_t max)
{
	uint32_t size = 1;

	for (uint32_t i = 0; i < expr->arg_count && size < max; i++)
		size += expr_size(expr->args[i], max - size);
	return size;
}

struct expr *expr_substitute(struct arena *arena, struct expr *expr, uint32_t count,
	const uint32_t *ids, struct expr *const *exprs)
{
	struct expr *copy;

	if (expr->kind == EXPR_COLUMN) {
		for (uint32_t i = 0; i < count; i++)
			if (ids[i] == expr->column)
				return exprs[i];
		return expr;
	}
	if (expr->arg_count == 0)
		return expr;
	copy = arena_alloc(arena, sizeof(*copy));
	*copy = *expr;
	copy->args = arena_alloc(arena, expr->arg_count * sizeof(struct expr *));
	for (uint32_t i = 0; i < expr->arg_count; i++)
		copy->args[i] = expr_substitute(arena, expr->args[i], count, ids, exprs);
	return copy;
}

bool expr_is_join_key(const struct expr *conjunct, const struct logical *a, const struct logical *b,
	struct expr **a_key, struct expr **b_key)
{
	if (conjunct->kind != EXPR_CALL || conjunct->function != FN_EQ ||
		type_physical(conjunct->args[0]->type.kind) == PHYSICAL_LIST)
		return false;
	for (int swap = 0; swap < 2; swap++) {
		*a_key = conjunct->args[swap];
		*b_key = conjunct->args[1 - swap];
		if (expr_reads_any(*a_key) && expr_reads_any(*b_key) &&
			expr_reads_only(*a_key, a->column_count, a->columns) &&
			expr_reads_only(*b_key, b->column_count, b->columns))
			return true;
	}
	return false;
}
