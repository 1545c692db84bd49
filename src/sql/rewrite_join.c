/*
 * Joins. A run of inner joins (and of commas, which are joins without a condition) is a set of
 * relations and a set of conjuncts; what the text wrote where does not matter. It becomes a chain:
 * start with the first relation, join the smallest one that an equality connects, and build the
 * smaller side of every join. Outer joins keep their sides.
 */
#include "sql/rewrite_private.h"

/* An equality between two sides of a join, as columns of both. */
static bool match_key(const struct expr *conjunct, const struct logical *a, const struct logical *b,
	struct expr **a_key, struct expr **b_key)
{
	if (conjunct->kind != EXPR_CALL || conjunct->function != FN_EQ ||
		conjunct->args[0]->type.kind == TYPE_TEXT_LIST)
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

/* A column of `*tree` with the value of `expr`; computed on top of it if need be. */
static uint32_t key_column(struct rewriter *r, struct logical **tree, struct expr *expr)
{
	uint32_t *id;
	struct expr **exprs;

	if (expr->kind == EXPR_COLUMN)
		return expr->column;
	id = arena_alloc(r->arena, sizeof(*id));
	exprs = arena_alloc(r->arena, sizeof(*exprs));
	*id = columns_add(r->columns, r->arena, "key", expr->type);
	exprs[0] = expr;
	*tree = logical_extend_new(r->arena, *tree, 1, id, exprs);
	return *id;
}

/* Keys of a join while they are found; side 0 is `trees[0]`. */
struct key_list {
	uint32_t count;
	uint32_t *ids[2];
};

static void key_list_add(struct rewriter *r, struct key_list *keys, uint32_t a, uint32_t b)
{
	for (int side = 0; side < 2; side++)
		keys->ids[side] =
			list_room(r->arena, keys->ids[side], keys->count, sizeof(uint32_t));
	keys->ids[0][keys->count] = a;
	keys->ids[1][keys->count++] = b;
}

struct graph {
	uint32_t count;
	struct logical **relations;
	struct logical_filter conjuncts;
};

static void graph_add(struct rewriter *r, struct graph *graph, struct logical *node)
{
	if (node->kind == LOGICAL_FILTER) {
		for (uint32_t i = 0; i < node->filter.count; i++)
			conjuncts_add(r->arena, &graph->conjuncts, node->filter.conjuncts[i]);
		graph_add(r, graph, node->inputs[0]);
		return;
	}
	if (node->kind == LOGICAL_JOIN && node->join.kind == JOIN_INNER) {
		for (uint32_t i = 0; i < node->join.on.count; i++)
			conjuncts_add(r->arena, &graph->conjuncts, node->join.on.conjuncts[i]);
		graph_add(r, graph, node->inputs[0]);
		graph_add(r, graph, node->inputs[1]);
		return;
	}
	graph->relations =
		list_room(r->arena, graph->relations, graph->count, sizeof(struct logical *));
	graph->relations[graph->count++] = node;
}

/* Gives every relation the conjuncts that read nothing else, and keeps the others. */
static void graph_push(struct rewriter *r, struct graph *graph)
{
	struct logical_filter rest = {0};
	struct logical_filter *own = arena_zalloc(r->arena, graph->count * sizeof(*own));

	for (uint32_t i = 0; i < graph->conjuncts.count; i++) {
		struct expr *conjunct = graph->conjuncts.conjuncts[i];
		uint32_t owner = 0;

		while (owner < graph->count &&
			!expr_reads_only(conjunct, graph->relations[owner]->column_count,
				graph->relations[owner]->columns))
			owner++;
		conjuncts_add(r->arena, owner < graph->count ? &own[owner] : &rest, conjunct);
	}
	graph->conjuncts = rest;
	for (uint32_t i = 0; i < graph->count; i++)
		graph->relations[i] = rewrite_push(r, graph->relations[i], &own[i]);
}

static bool connected(const struct graph *graph, const struct logical *a, const struct logical *b)
{
	struct expr *a_key, *b_key;

	for (uint32_t i = 0; i < graph->conjuncts.count; i++)
		if (match_key(graph->conjuncts.conjuncts[i], a, b, &a_key, &b_key))
			return true;
	return false;
}

/* The smallest relation that is connected to `tree`; the first one when none is. */
static uint32_t next_relation(
	struct rewriter *r, const struct graph *graph, const struct logical *tree)
{
	uint32_t best = 0;
	double best_rows = -1;

	for (uint32_t i = 0; i < graph->count; i++) {
		double rows;

		if (!connected(graph, tree, graph->relations[i]))
			continue;
		rows = logical_estimate(graph->relations[i], r->catalog);
		if (best_rows < 0 || rows < best_rows) {
			best_rows = rows;
			best = i;
		}
	}
	return best;
}

static struct logical *join_pair(
	struct rewriter *r, struct graph *graph, struct logical *a, struct logical *b)
{
	struct logical *trees[2] = {a, b}, *node;
	struct logical_filter rest = {0}, after = {0};
	struct logical_join join = {.kind = JOIN_INNER};
	struct key_list keys = {0};
	int flow;

	for (uint32_t i = 0; i < graph->conjuncts.count; i++) {
		struct expr *conjunct = graph->conjuncts.conjuncts[i], *a_key, *b_key;

		if (match_key(conjunct, a, b, &a_key, &b_key))
			key_list_add(r, &keys, key_column(r, &trees[0], a_key),
				key_column(r, &trees[1], b_key));
		else
			conjuncts_add(r->arena, &rest, conjunct);
	}
	flow = logical_estimate(trees[0], r->catalog) < logical_estimate(trees[1], r->catalog);
	join.key_count = keys.count;
	join.keys[0] = keys.ids[flow];
	join.keys[1] = keys.ids[1 - flow];
	node = logical_join_new(r->arena, trees[flow], trees[1 - flow], &join);
	/* Whatever else the two can decide together follows as a filter. */
	graph->conjuncts = (struct logical_filter){0};
	for (uint32_t i = 0; i < rest.count; i++)
		conjuncts_add(r->arena,
			expr_reads_only(rest.conjuncts[i], node->column_count, node->columns)
				? &after
				: &graph->conjuncts,
			rest.conjuncts[i]);
	return logical_filter_new(r->arena, node, after.count, after.conjuncts);
}

struct logical *rewrite_inner_joins(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts)
{
	struct graph graph = {0};
	struct logical *tree;

	for (uint32_t i = 0; i < conjuncts->count; i++)
		conjuncts_add(r->arena, &graph.conjuncts, conjuncts->conjuncts[i]);
	graph_add(r, &graph, node);
	graph_push(r, &graph);
	tree = graph.relations[0];
	graph.count--;
	graph.relations++;
	while (graph.count > 0) {
		uint32_t next = next_relation(r, &graph, tree);

		tree = join_pair(r, &graph, tree, graph.relations[next]);
		graph.count--;
		for (uint32_t i = next; i < graph.count; i++)
			graph.relations[i] = graph.relations[i + 1];
	}
	return tree;
}

/* A list for IN that is larger than this loses its duplicates before it is copied to everyone. */
#define MARK_ROWS_MAX 10000

static struct logical *distinct_values(struct rewriter *r, struct logical *build, uint32_t column)
{
	struct logical_group group = {.key_count = 1};

	if (logical_estimate(build, r->catalog) <= MARK_ROWS_MAX)
		return build;
	group.keys = arena_alloc(r->arena, sizeof(uint32_t));
	group.keys[0] = column;
	return logical_group_new(r->arena, build, &group);
}

/* LEFT JOIN and IN (SELECT ...): only conditions on the kept side may go below. */
struct logical *rewrite_outer_join(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts)
{
	struct logical_join *join = &node->join;
	struct logical *flow = node->inputs[0], *build = node->inputs[1];
	struct logical_filter above = {0}, to_flow = {0}, to_build = {0}, rest = {0},
			      equalities = {0};
	struct key_list keys = {.count = 0};

	for (uint32_t i = 0; i < conjuncts->count; i++)
		conjuncts_add(r->arena,
			expr_reads_only(conjuncts->conjuncts[i], flow->column_count, flow->columns)
				? &to_flow
				: &above,
			conjuncts->conjuncts[i]);
	for (uint32_t i = 0; i < join->on.count; i++) {
		struct expr *conjunct = join->on.conjuncts[i], *flow_key, *build_key;

		if (match_key(conjunct, flow, build, &flow_key, &build_key))
			conjuncts_add(r->arena, &equalities, conjunct);
		else if (expr_reads_any(conjunct) &&
			 expr_reads_only(conjunct, build->column_count, build->columns))
			conjuncts_add(r->arena, &to_build, conjunct);
		else
			conjuncts_add(r->arena, &rest, conjunct);
	}
	node->inputs[0] = rewrite_push(r, flow, &to_flow);
	node->inputs[1] = rewrite_push(r, build, &to_build);
	for (uint32_t i = 0; i < equalities.count; i++) {
		struct expr *flow_key, *build_key;
		uint32_t flow_column;

		match_key(equalities.conjuncts[i], flow, build, &flow_key, &build_key);
		flow_column = key_column(r, &node->inputs[0], flow_key);
		key_list_add(r, &keys, flow_column, key_column(r, &node->inputs[1], build_key));
	}
	if (join->kind == JOIN_MARK) {
		node->inputs[1] = distinct_values(r, node->inputs[1], join->keys[1][0]);
	} else {
		join->on = rest;
		join->key_count = keys.count;
		join->keys[0] = keys.ids[0];
		join->keys[1] = keys.ids[1];
	}
	return logical_filter_new(r->arena, node, above.count, above.conjuncts);
}
