/*
 * Joins. A run of inner joins (and of commas, which are joins without a condition) is a set of
 * relations and a set of conjuncts; what the text wrote where does not matter. join_order.c says in
 * which order they are joined, and the lighter side of every join is built.
 *
 * Equalities make classes of values that are all equal: relations with members of one can be joined by
 * it, whichever of them the text compared.
 *
 * unnest() among them is a step that can be done as soon as its lists are there, and as late as
 * somebody reads the items. It waits for joins that leave fewer rows, so that the lists of the
 * others are never made, and comes before those that leave more. The joins around it are a chain:
 * start with the first relation, join the smallest one that an equality connects.
 */
#include "sql/rewrite/join_order.h"
#include "sql/rewrite/rewrite_private.h"

static struct estimate estimate_of(const struct rewriter *r, const struct logical *node)
{
	return logical_estimate(node, r->catalog, r->columns);
}

static double weight_of(const struct rewriter *r, const struct logical *node)
{
	return logical_weight(node, r->catalog, r->columns);
}

/* How much heavier groups are to build than what is only read, and what is light whatever they are. */
#define KEPT_WEIGHT_FACTOR 8
#define LIGHT_WEIGHT	   2e5

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

struct graph {
	uint32_t count;
	struct logical **relations; /* the first one grows into the result */
	struct logical_filter conjuncts;
	uint32_t unnest_count;
	struct logical **unnests; /* still to be done; one may read the items of one before it */
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
	if (node->kind == LOGICAL_REFERENCE && node->reference.shared->references == 1) {
		graph_add(r, graph, node->reference.shared->tree);
		return;
	}
	if (node->kind == LOGICAL_UNNEST && node->inputs[0]->kind != LOGICAL_ONE_ROW) {
		graph_add(r, graph, node->inputs[0]);
		graph->unnests = list_room(
			r->arena, graph->unnests, graph->unnest_count, sizeof(struct logical *));
		graph->unnests[graph->unnest_count++] = node;
		return;
	}
	graph->relations =
		list_room(r->arena, graph->relations, graph->count, sizeof(struct logical *));
	graph->relations[graph->count++] = node;
}

/* Whether the relation is an outer join that the other conditions make an inner one. */
static bool becomes_inner(struct rewriter *r, const struct graph *graph, struct logical *relation)
{
	if (relation->kind != LOGICAL_JOIN)
		return false;
	rewrite_simplify_join(r, relation, &graph->conjuncts);
	return relation->join.kind == JOIN_INNER;
}

/* Outer joins among the relations that need not be: their sides are relations, too. */
static void graph_open_joins(struct rewriter *r, struct graph *graph)
{
	for (uint32_t i = 0; i < graph->count;) {
		struct logical *relation = graph->relations[i];

		if (!becomes_inner(r, graph, relation)) {
			i++;
			continue;
		}
		graph->count--;
		for (uint32_t j = i; j < graph->count; j++)
			graph->relations[j] = graph->relations[j + 1];
		graph_add(r, graph, relation);
		i = 0;
	}
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

/* `tree` under those of the conjuncts that it can decide; the others are left. */
static struct logical *graph_filter(struct rewriter *r, struct graph *graph, struct logical *tree)
{
	struct logical_filter rest = {0}, now = {0};

	for (uint32_t i = 0; i < graph->conjuncts.count; i++) {
		struct expr *conjunct = graph->conjuncts.conjuncts[i];

		conjuncts_add(r->arena,
			expr_reads_only(conjunct, tree->column_count, tree->columns) ? &now : &rest,
			conjunct);
	}
	graph->conjuncts = rest;
	return logical_filter_new(r->arena, tree, now.count, now.conjuncts);
}

static bool has_lists(const struct logical *tree, const struct logical_unnest *unnest)
{
	for (uint32_t i = 0; i < unnest->count; i++)
		if (!expr_reads_only(unnest->lists[i], tree->column_count, tree->columns))
			return false;
	return true;
}

static bool can_unnest(const struct graph *graph, const struct logical *tree)
{
	for (uint32_t i = 0; i < graph->unnest_count; i++)
		if (has_lists(tree, &graph->unnests[i]->unnest))
			return true;
	return false;
}

/* `tree` behind all steps whose lists it has. */
static struct logical *graph_unnest(struct rewriter *r, struct graph *graph, struct logical *tree)
{
	for (uint32_t i = 0; i < graph->unnest_count;) {
		if (!has_lists(tree, &graph->unnests[i]->unnest)) {
			i++;
			continue;
		}
		tree = logical_unnest_new(r->arena, tree, &graph->unnests[i]->unnest);
		tree = graph_filter(r, graph, tree);
		graph->unnest_count--;
		for (uint32_t j = i; j < graph->unnest_count; j++)
			graph->unnests[j] = graph->unnests[j + 1];
	}
	return tree;
}

static bool connected(const struct graph *graph, const struct logical *a, const struct logical *b)
{
	struct expr *a_key, *b_key;

	for (uint32_t i = 0; i < graph->conjuncts.count; i++)
		if (expr_is_join_key(graph->conjuncts.conjuncts[i], a, b, &a_key, &b_key))
			return true;
	return false;
}

/* The smallest relation that is connected to the first one; 0 when none is. */
static uint32_t next_relation(struct rewriter *r, const struct graph *graph)
{
	uint32_t best = 0;
	double best_rows = -1;

	for (uint32_t i = 1; i < graph->count; i++) {
		double rows;

		if (!connected(graph, graph->relations[0], graph->relations[i]))
			continue;
		rows = weight_of(r, graph->relations[i]);
		if (best_rows < 0 || rows < best_rows) {
			best_rows = rows;
			best = i;
		}
	}
	return best;
}

/*
 * What it costs to build a side. Groups and the like are in memory when they are complete, and had
 * better flow: what they would meet must otherwise be read after them, perhaps once more.
 */
static double build_weight(const struct rewriter *r, const struct logical *tree)
{
	double weight = weight_of(r, tree);

	while (tree->kind == LOGICAL_FILTER || tree->kind == LOGICAL_EXTEND)
		tree = tree->inputs[0];
	switch (tree->kind) {
	case LOGICAL_GROUP:
	case LOGICAL_TOP:
	case LOGICAL_WINDOW:
	case LOGICAL_REFERENCE:
		weight *= KEPT_WEIGHT_FACTOR;
		return weight > LIGHT_WEIGHT ? weight : LIGHT_WEIGHT;
	default: return weight;
	}
}

/* The join of two trees by these keys, the lighter one built, and what both can decide together. */
static struct logical *join_trees(struct rewriter *r, struct graph *graph,
	struct logical *const *trees, const struct key_list *keys)
{
	struct logical_join join = {.kind = JOIN_INNER, .key_count = keys->count};
	bool reduced = false;
	int flow;

	for (uint32_t i = 0; i < keys->count && !reduced; i++)
		reduced = rewrite_reduce(r, trees[0], keys->ids[0][i], trees[1], keys->ids[1][i]) ||
			  rewrite_reduce(r, trees[1], keys->ids[1][i], trees[0], keys->ids[0][i]);
	flow = build_weight(r, trees[0]) < build_weight(r, trees[1]);
	join.keys[0] = keys->ids[flow];
	join.keys[1] = keys->ids[1 - flow];
	return graph_filter(
		r, graph, logical_join_new(r->arena, trees[flow], trees[1 - flow], &join));
}

/* By all conjuncts that connect them. */
static void keys_of_conjuncts(
	struct rewriter *r, struct graph *graph, struct logical **trees, struct key_list *keys)
{
	const struct logical *sides[2] = {trees[0], trees[1]};
	struct logical_filter rest = {0};

	for (uint32_t i = 0; i < graph->conjuncts.count; i++) {
		struct expr *conjunct = graph->conjuncts.conjuncts[i], *a_key, *b_key;

		if (expr_is_join_key(conjunct, sides[0], sides[1], &a_key, &b_key)) {
			uint32_t a = key_column(r, &trees[0], a_key);

			key_list_add(r, keys, a, key_column(r, &trees[1], b_key));
		} else {
			conjuncts_add(r->arena, &rest, conjunct);
		}
	}
	graph->conjuncts = rest;
}

static struct logical *join_pair(
	struct rewriter *r, struct graph *graph, struct logical *a, struct logical *b)
{
	struct logical *trees[2] = {a, b};
	struct key_list keys = {0};

	keys_of_conjuncts(r, graph, trees, &keys);
	return join_trees(r, graph, trees, &keys);
}

/* Makes the rows of lists before a join that leaves more rows than one of its sides has. */
static void unnest_before_join(struct rewriter *r, struct graph *graph, uint32_t other)
{
	struct estimate_keys keys = {.count = 1, .unknown = {1, 1}};
	struct estimate join = estimate_join(estimate_of(r, graph->relations[0]),
		estimate_of(r, graph->relations[other]), &keys);
	uint32_t sides[2] = {0, other};
	double met = join.rows;

	for (int i = 0; i < 2; i++) {
		struct logical **side = &graph->relations[sides[i]];

		if (can_unnest(graph, *side) && met > estimate_of(r, *side).rows)
			*side = graph_unnest(r, graph, *side);
	}
}

/* Before all pairs are made: whatever may connect the relations, or shrink them. */
static bool unnest_everywhere(struct rewriter *r, struct graph *graph)
{
	bool any = false;

	for (uint32_t i = 0; i < graph->count; i++) {
		if (!can_unnest(graph, graph->relations[i]))
			continue;
		graph->relations[i] = graph_unnest(r, graph, graph->relations[i]);
		any = true;
	}
	return any;
}

/* The chain, see above. */
static struct logical *join_chain(struct rewriter *r, struct graph *graph)
{
	graph_push(r, graph);
	while (graph->count > 1) {
		uint32_t next = next_relation(r, graph);

		if (next == 0 && unnest_everywhere(r, graph))
			continue;
		if (next == 0)
			next = 1;
		else
			unnest_before_join(r, graph, next);
		graph->relations[0] =
			join_pair(r, graph, graph->relations[0], graph->relations[next]);
		graph->count--;
		for (uint32_t i = next; i < graph->count; i++)
			graph->relations[i] = graph->relations[i + 1];
	}
	return graph_unnest(r, graph, graph->relations[0]);
}

/* The relation that has all columns of the expression; `count` when none has. */
static uint32_t relation_of(const struct graph *graph, const struct expr *expr)
{
	uint32_t i = 0;

	while (i < graph->count && !expr_reads_only(expr, graph->relations[i]->column_count,
					   graph->relations[i]->columns))
		i++;
	return expr_reads_any(expr) ? i : graph->count;
}

/* The classes of equal values of a graph while they are found. */
struct class_list {
	uint32_t count;
	struct join_class *classes;
};

static struct join_class *class_with(struct class_list *list, const struct expr *expr)
{
	for (uint32_t i = 0; i < list->count; i++)
		for (uint32_t k = 0; k < list->classes[i].count; k++)
			if (expr_equal(list->classes[i].members[k].expr, expr))
				return &list->classes[i];
	return NULL;
}

static void class_add(
	struct rewriter *r, struct join_class *class, const struct graph *graph, struct expr *expr)
{
	struct join_member member = {.expr = expr, .relation = relation_of(graph, expr)};

	class->members = list_room(r->arena, class->members, class->count, sizeof(member));
	class->members[class->count++] = member;
}

/* Two values that are equal: what equals one of them equals the other. */
static void classes_add(struct rewriter *r, struct class_list *list, const struct graph *graph,
	struct expr *const *values)
{
	struct join_class *a = class_with(list, values[0]), *b = class_with(list, values[1]);

	if (!a && !b) {
		list->classes =
			list_room(r->arena, list->classes, list->count, sizeof(*list->classes));
		a = &list->classes[list->count++];
		*a = (struct join_class){0};
		class_add(r, a, graph, values[0]);
		class_add(r, a, graph, values[1]);
	} else if (!a || !b) {
		class_add(r, a ? a : b, graph, a ? values[1] : values[0]);
	} else if (a != b) {
		for (uint32_t i = 0; i < b->count; i++)
			class_add(r, a, graph, b->members[i].expr);
		*b = list->classes[--list->count];
	}
}

/*
 * Takes the equalities of values of two relations out of the conjuncts, as classes. What they imply of
 * two columns of one relation becomes a condition of its own.
 */
static struct class_list graph_classes(struct rewriter *r, struct graph *graph)
{
	struct logical_filter rest = {0};
	struct class_list list = {0};

	for (uint32_t i = 0; i < graph->conjuncts.count; i++) {
		struct expr *conjunct = graph->conjuncts.conjuncts[i];
		struct expr *const *values = conjunct->args;
		bool is_key = conjunct->kind == EXPR_CALL && conjunct->function == FN_EQ &&
			      values[0]->type.kind == values[1]->type.kind &&
			      type_physical(values[0]->type.kind) != PHYSICAL_LIST &&
			      relation_of(graph, values[0]) < graph->count &&
			      relation_of(graph, values[1]) < graph->count &&
			      relation_of(graph, values[0]) != relation_of(graph, values[1]);

		if (is_key)
			classes_add(r, &list, graph, values);
		else
			conjuncts_add(r->arena, &rest, conjunct);
	}
	graph->conjuncts = rest;
	for (uint32_t i = 0; i < list.count; i++)
		for (uint32_t k = 1; k < list.classes[i].count; k++) {
			const struct join_member *member = &list.classes[i].members[k], *other;

			other = join_class_member(
				&list.classes[i], (join_set)1 << member->relation);
			if (other != member)
				conjuncts_add(r->arena, &graph->conjuncts,
					expr_call(r->arena, FN_EQ, type_of(TYPE_BOOL), 2,
						(struct expr *[]){other->expr, member->expr}));
		}
	return list;
}

/* What join_order must know of the graph, whose relations have their own conditions by now. */
static void describe_graph(struct rewriter *r, const struct graph *graph, struct class_list *list,
	struct join_graph *out)
{
	struct estimate *relations = arena_alloc(r->arena, graph->count * sizeof(*relations));
	struct join_condition *conditions =
		arena_zalloc(r->arena, (graph->conjuncts.count + 1) * sizeof(*conditions));

	for (uint32_t i = 0; i < graph->count; i++)
		relations[i] = estimate_of(r, graph->relations[i]);
	for (uint32_t i = 0; i < list->count; i++)
		for (uint32_t k = 0; k < list->classes[i].count; k++)
			list->classes[i].members[k].distinct =
				estimate_distinct(list->classes[i].members[k].expr, r->columns);
	for (uint32_t i = 0; i < graph->conjuncts.count; i++) {
		const struct expr *conjunct = graph->conjuncts.conjuncts[i];

		conditions[i].share = estimate_condition(conjunct, r->columns);
		for (uint32_t k = 0; k < graph->count; k++)
			if (expr_reads_some(conjunct, graph->relations[k]))
				conditions[i].relations |= (join_set)1 << k;
	}
	*out = (struct join_graph){graph->count, relations, list->count, list->classes,
		graph->conjuncts.count, conditions};
}

static struct logical *join_by_order(struct rewriter *r, struct graph *graph)
{
	struct class_list classes = graph_classes(r, graph);
	join_set *sets = arena_alloc(r->arena, graph->count * sizeof(*sets));
	struct join_step *steps = arena_alloc(r->arena, graph->count * sizeof(*steps));
	struct join_graph order;

	graph_push(r, graph);
	describe_graph(r, graph, &classes, &order);
	join_order(&order, r->arena, steps);
	for (uint32_t i = 0; i < graph->count; i++)
		sets[i] = (join_set)1 << i;
	for (uint32_t s = 0; s + 1 < graph->count; s++) {
		uint32_t places[2] = {0, 0};
		struct logical *trees[2];
		struct key_list keys = {0};

		for (int side = 0; side < 2; side++) {
			while (sets[places[side]] != steps[s].sides[side])
				places[side]++;
			trees[side] = graph->relations[places[side]];
		}
		for (uint32_t i = 0; i < classes.count; i++) {
			const struct join_member *a =
				join_class_member(&classes.classes[i], steps[s].sides[0]);
			const struct join_member *b =
				join_class_member(&classes.classes[i], steps[s].sides[1]);

			if (a && b) {
				uint32_t key = key_column(r, &trees[0], a->expr);

				key_list_add(r, &keys, key, key_column(r, &trees[1], b->expr));
			}
		}
		keys_of_conjuncts(r, graph, trees, &keys);
		graph->relations[places[0]] = join_trees(r, graph, trees, &keys);
		sets[places[0]] |= sets[places[1]];
		sets[places[1]] = 0;
		if (s + 2 == graph->count)
			return graph->relations[places[0]];
	}
	return graph->relations[0];
}

struct logical *rewrite_inner_joins(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts)
{
	struct graph graph = {0};

	for (uint32_t i = 0; i < conjuncts->count; i++)
		conjuncts_add(r->arena, &graph.conjuncts, conjuncts->conjuncts[i]);
	graph_add(r, &graph, node);
	graph_open_joins(r, &graph);
	rewrite_split_ors(r, &graph.conjuncts, graph.count, graph.relations);
	rewrite_spread_bounds(r, &graph.conjuncts, graph.count, graph.relations);
	if (graph.unnest_count > 0 || graph.count > JOIN_RELATIONS_MAX || graph.count < 2)
		return join_chain(r, &graph);
	return join_by_order(r, &graph);
}

/* More rows than this lose their duplicates before they are sent to where they are looked up. */
#define LOOKUP_ROWS_MAX 10000

/* Whether no two rows have the same values in these columns, because they were grouped by them. */
static bool is_grouped_by(const struct logical *node, uint32_t count, const uint32_t *columns)
{
	while (node->kind == LOGICAL_FILTER || node->kind == LOGICAL_EXTEND)
		node = node->inputs[0];
	if (node->kind != LOGICAL_GROUP)
		return false;
	for (uint32_t i = 0; i < node->group.key_count; i++) {
		bool found = false;

		for (uint32_t k = 0; k < count; k++)
			found = found || columns[k] == node->group.keys[i];
		if (!found)
			return false;
	}
	return true;
}

static struct logical *distinct_keys(
	struct rewriter *r, struct logical *build, uint32_t count, const uint32_t *columns)
{
	struct logical_group group = {
		.keys = arena_alloc(r->arena, (count + 1) * sizeof(uint32_t))};

	for (uint32_t i = 0; i < count; i++) {
		bool repeated = false;

		for (uint32_t j = 0; j < group.key_count; j++)
			repeated = repeated || group.keys[j] == columns[i];
		if (!repeated)
			group.keys[group.key_count++] = columns[i];
	}
	if (count == 0 || is_grouped_by(build, count, columns) ||
		estimate_of(r, build).rows <= LOOKUP_ROWS_MAX)
		return build;
	return logical_group_new(r->arena, build, &group);
}

/* The conditions of an outer join: keys, those of the build side alone, and the rest. */
struct on_parts {
	struct logical_filter keys;
	struct logical_filter build;
	struct logical_filter rest;
};

static struct on_parts split_on(
	struct rewriter *r, const struct logical_join *join, const struct logical *const *sides)
{
	struct on_parts parts = {0};
	bool may_push = join->kind != JOIN_FULL;

	for (uint32_t i = 0; i < join->on.count; i++) {
		struct expr *conjunct = join->on.conjuncts[i], *keys[2];
		struct logical_filter *part = &parts.rest;

		if (expr_is_join_key(conjunct, sides[0], sides[1], &keys[0], &keys[1]))
			part = &parts.keys;
		else if (may_push && expr_reads_any(conjunct) &&
			 expr_reads_only(conjunct, sides[1]->column_count, sides[1]->columns))
			part = &parts.build;
		conjuncts_add(r->arena, part, conjunct);
	}
	return parts;
}

/*
 * Joins that keep a side: only conditions on that side may go below, and none when both sides are
 * kept.
 */
struct logical *rewrite_outer_join(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts)
{
	struct logical_join *join = &node->join;
	const struct logical *sides[2] = {node->inputs[0], node->inputs[1]};
	struct on_parts on = split_on(r, join, sides);
	struct logical_filter above = {0}, to_flow = {0};
	struct key_list keys = {.count = 0};

	for (uint32_t i = 0; i < conjuncts->count; i++)
		conjuncts_add(r->arena,
			join->kind != JOIN_FULL &&
					expr_reads_only(conjuncts->conjuncts[i],
						sides[0]->column_count, sides[0]->columns)
				? &to_flow
				: &above,
			conjuncts->conjuncts[i]);
	if (join->kind != JOIN_FULL && join->kind != JOIN_MARK) {
		rewrite_bound_optional(r, node, &to_flow, &on.build);
		/* What meets nothing in any case need not be kept below. */
		if (node->inputs[1]->kind == LOGICAL_JOIN)
			rewrite_simplify_join(r, node->inputs[1], &join->on);
	}
	node->inputs[0] = rewrite_push(r, node->inputs[0], &to_flow);
	node->inputs[1] = rewrite_push(r, node->inputs[1], &on.build);
	for (uint32_t i = 0; i < on.keys.count; i++) {
		struct expr *flow_key, *build_key;
		uint32_t flow_column;

		expr_is_join_key(on.keys.conjuncts[i], sides[0], sides[1], &flow_key, &build_key);
		flow_column = key_column(r, &node->inputs[0], flow_key);
		key_list_add(r, &keys, flow_column, key_column(r, &node->inputs[1], build_key));
	}
	if (join->kind == JOIN_MARK) {
		node->inputs[1] = distinct_keys(r, node->inputs[1], 1, join->keys[1]);
	} else {
		join->on = on.rest;
		join->key_count = keys.count;
		join->keys[0] = keys.ids[0];
		join->keys[1] = keys.ids[1];
		if (join->kind == JOIN_EXISTS && on.rest.count == 0)
			node->inputs[1] =
				distinct_keys(r, node->inputs[1], keys.count, keys.ids[1]);
	}
	logical_set_columns(r->arena, node);
	return logical_filter_new(r->arena, node, above.count, above.conjuncts);
}
