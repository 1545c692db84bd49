/*
 * Keys travel sideways. A subquery that is grouped by a key and then joined by it with a few rows makes
 * groups that nobody asks for: all of a large table, where a thousandth would do. So the few keys are
 * looked up before rows are grouped. What is left of the groups is what the join wants of them, so that
 * the join stays as it is.
 *
 * It is a join of its own in the plan, and not a filter that appears while the query runs: map
 * fragments of a cluster keep no state, and a chunk must become the same packets whenever it is read.
 * Where rows have to travel to it, they would have travelled as partial groups: it is done only where
 * keys are so many that hardly two rows of a chunk have the same.
 */
#include "sql/rewrite/rewrite_private.h"
#include "sql/rewrite/tree_copy.h"

/* Fewer values of a key are grouped well before rows travel. */
#define DISTINCT_MIN 20000.0
/* The share of the groups that is asked for, and of the group's input that it may cost to know them. */
#define ASKED_MAX 0.1
#define COST_MAX  0.5

/* Whether a tree is of few enough kinds of nodes to be had twice. */
static bool can_copy(const struct logical *node)
{
	if (node->kind != LOGICAL_SCAN && node->kind != LOGICAL_FILTER &&
		node->kind != LOGICAL_JOIN)
		return false;
	for (uint32_t i = 0; i < node->input_count; i++)
		if (!can_copy(node->inputs[i]))
			return false;
	return true;
}

/* A copy with columns of its own, of which as much is known; `*key` becomes that of the copy. */
static struct logical *copy_known(struct rewriter *r, const struct logical *tree, uint32_t *key)
{
	uint32_t *renamed, nodes, known = r->columns->count;
	struct logical *copy = tree_copy_renamed(r->arena, r->columns, tree, &renamed, &nodes);

	for (uint32_t id = 0; id < known; id++)
		r->columns->list[renamed[id]].statistics = r->columns->list[id].statistics;
	*key = renamed[*key];
	return copy;
}

/* Rows that are read for it. */
static double rows_read(const struct rewriter *r, const struct logical *node)
{
	double rows = 0;

	if (node->kind == LOGICAL_SCAN)
		return logical_estimate(node, r->catalog, r->columns).rows;
	for (uint32_t i = 0; i < node->input_count; i++)
		rows += rows_read(r, node->inputs[i]);
	return rows;
}

/* The group of the tree that has the column among its keys; NULL when there is none. */
static struct logical *group_by(struct logical *tree, uint32_t key)
{
	while (tree->kind == LOGICAL_FILTER || tree->kind == LOGICAL_EXTEND)
		tree = tree->inputs[0];
	for (uint32_t i = 0; tree->kind == LOGICAL_GROUP && i < tree->group.key_count; i++)
		if (tree->group.keys[i] == key)
			return tree;
	return NULL;
}

bool rewrite_reduce(struct rewriter *r, struct logical *grouped, uint32_t key, struct logical *few,
	uint32_t few_key)
{
	const struct column_statistics *known = r->columns->list[key].statistics;
	struct logical *group = group_by(grouped, key), *met;
	struct type boolean = type_of(TYPE_BOOL);
	struct logical_join join = {.kind = JOIN_EXISTS, .key_count = 1};
	struct logical_filter asked = {0};

	if (!group || !known || known->distinct < DISTINCT_MIN || !can_copy(few) ||
		logical_estimate(few, r->catalog, r->columns).rows > ASKED_MAX * known->distinct ||
		rows_read(r, few) > COST_MAX * rows_read(r, group))
		return false;
	few = copy_known(r, few, &few_key);
	for (int side = 0; side < 2; side++)
		join.keys[side] = arena_alloc(r->arena, sizeof(uint32_t));
	join.keys[0][0] = key;
	join.keys[1][0] = few_key;
	join.mark = columns_add(r->columns, r->arena, "asked", boolean);
	conjuncts_add(r->arena, &asked, expr_column(r->arena, join.mark, boolean));
	met = logical_join_new(r->arena, group->inputs[0], few, &join);
	group->inputs[0] = logical_filter_new(r->arena, met, asked.count, asked.conjuncts);
	return true;
}
