/*
 * WITH RECURSIVE name AS (start UNION [ALL] term), where the term reads `name`.
 *
 * The columns of the CTE have the types that they have in the start. Where the term reads the CTE it
 * reads the rows of the round before, a LOGICAL_ROUND. PostgreSQL's rules for where that may stand:
 * once, in no subquery of an expression, on no side of an outer join that may be missing, in no
 * INTERSECT ALL, behind no EXCEPT ALL, and in no FROM of a query with aggregates.
 */
#include "sql/bind/bind_private.h"

#include <string.h>

static int check_form(struct binder *b, const struct binder_cte *cte)
{
	const struct ast_select *select = cte->ast->select;
	const char *clause = NULL;

	if (!select->left || select->operation != AST_UNION)
		return bind_error(b, cte->ast->location,
			"recursive query \"%s\" does not have the form non-recursive-term UNION "
			"[ALL] recursive-term",
			cte->ast->name);
	if (select->sort_count)
		clause = "ORDER BY";
	else if (select->offset)
		clause = "OFFSET";
	else if (select->limit)
		clause = "LIMIT";
	if (clause)
		return bind_error(b, cte->ast->location,
			"%s in a recursive query is not implemented", clause);
	return 0;
}

/* The rows of one of the parts, under the ids that `recursion` has for them. */
static void add_part(
	struct binder *b, struct logical *recursion, int part, const struct logical_query *query)
{
	uint32_t *ids = arena_alloc(b->arena, (query->output_count + 1) * sizeof(uint32_t));

	for (uint32_t i = 0; i < query->output_count; i++)
		ids[i] = query->outputs[i].id;
	recursion->inputs[part] = query_tree(b, query);
	recursion->recursion.ids[part] = ids;
}

static int bind_start(struct binder *b, struct binding_cte *binding, struct logical *recursion)
{
	const struct ast_select *select = binding->cte->ast->select;
	struct logical_output *columns;
	struct logical_query query;

	if (bind_select(b, binding->cte->outer, select->left, false, &query) < 0)
		return -1;
	if (query.output_count == 0)
		return bind_error(b, binding->cte->ast->location,
			"a recursive query without columns is not supported");
	add_part(b, recursion, 0, &query);
	columns = arena_alloc(b->arena, (query.output_count + 1) * sizeof(*columns));
	for (uint32_t i = 0; i < query.output_count; i++) {
		columns[i].name = query.outputs[i].name;
		columns[i].id = binder_column(
			b, columns[i].name, b->columns->list[query.outputs[i].id].type);
		logical_add_column(b->arena, recursion, columns[i].id);
	}
	binding->column_count = query.output_count;
	binding->columns = columns;
	return 0;
}

/* The columns of the term must be of the types with which it starts. */
static int settle_term(
	struct binder *b, const struct binding_cte *binding, struct logical_query *query)
{
	const struct ast_cte *ast = binding->cte->ast;
	struct extender extender = {.binder = b};
	char start[TYPE_NAME_MAX], overall[TYPE_NAME_MAX];

	if (query->output_count != binding->column_count)
		return bind_error(
			b, ast->location, "each UNION query must have the same number of columns");
	query->tree = query_tree(b, query);
	query->limit = PLAN_LIMIT_NONE;
	query->offset = 0;
	for (uint32_t i = 0; i < query->output_count; i++) {
		struct type type = b->columns->list[binding->columns[i].id].type, common;
		struct expr *expr = binder_column_expr(b, query->outputs[i].id, ast->location);

		if (!type_common(type, expr->type, &common))
			return bind_error(b, ast->location,
				"UNION types %s and %s cannot be matched; try a cast",
				type_name(type, start), type_name(expr->type, overall));
		if (!type_equal(type, common))
			return bind_error(b, ast->location,
				"recursive query \"%s\" column %u has type %s in non-recursive "
				"term but type %s overall; cast the output of the non-recursive "
				"term to the correct type",
				ast->name, i + 1, type_name(type, start),
				type_name(common, overall));
		expr = coerce(b, expr, type);
		if (!expr)
			return -1;
		query->outputs[i].id = extender_id(&extender, expr, query->outputs[i].name);
	}
	extender_apply(&extender, &query->tree);
	return 0;
}

static int bind_term(struct binder *b, struct binding_cte *binding, struct logical *recursion)
{
	const struct ast_select *select = binding->cte->ast->select;
	struct logical_query query;

	binding->in_term = true;
	binding->bars = b->bars;
	if (bind_select(b, binding->cte->outer, select->right, true, &query) < 0 ||
		settle_term(b, binding, &query) < 0)
		return -1;
	add_part(b, recursion, 1, &query);
	return 0;
}

/* Of a part: each row once. A column may stand there twice. */
static void make_distinct(struct binder *b, struct logical *recursion, int part)
{
	struct logical_group group = {0};

	group.keys = arena_alloc(b->arena, (recursion->column_count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < recursion->column_count; i++) {
		uint32_t id = recursion->recursion.ids[part][i];
		bool repeated = false;

		for (uint32_t j = 0; j < group.key_count; j++)
			repeated = repeated || group.keys[j] == id;
		if (!repeated)
			group.keys[group.key_count++] = id;
	}
	recursion->inputs[part] = logical_group_new(b->arena, recursion->inputs[part], &group);
}

/* The name in the term was that of something else: a plain UNION. */
static struct logical *make_union(struct binder *b, struct logical *node)
{
	uint32_t **ids = arena_alloc(b->arena, 2 * sizeof(*ids));
	bool distinct = node->recursion.distinct;
	struct logical_group group = {.key_count = node->column_count, .keys = node->columns};

	ids[0] = node->recursion.ids[0];
	ids[1] = node->recursion.ids[1];
	node->kind = LOGICAL_UNION;
	node->united.ids = ids;
	return distinct ? logical_group_new(b->arena, node, &group) : node;
}

int bind_recursion(struct binder *b, struct binding_cte *binding, struct bound_select *out)
{
	const struct binder_cte *cte = binding->cte;
	const struct binder_cte *outside = b->ctes;
	struct logical *node = logical_new(b->arena, LOGICAL_RECURSION, 2);
	int result;

	if (check_form(b, cte) < 0)
		return -1;
	node->recursion.number = binding->number = b->recursion_count++;
	node->recursion.distinct = !cte->ast->select->all;
	node->recursion.wanted = PLAN_LIMIT_NONE;
	result = declare_ctes(b, cte->outer, cte->ast->select);
	if (result == 0)
		result = bind_start(b, binding, node);
	if (result == 0)
		result = bind_term(b, binding, node);
	b->ctes = outside;
	if (result < 0)
		return -1;
	out->output_count = binding->column_count;
	out->outputs = (struct logical_output *)arena_copy(
		b->arena, binding->columns, binding->column_count * sizeof(*binding->columns));
	out->tree = node;
	if (!binding->referenced) {
		out->tree = make_union(b, node);
		return 0;
	}
	for (int part = 0; part < 2 && node->recursion.distinct; part++)
		make_distinct(b, node, part);
	return 0;
}

/* Whether its name may stand here; an error if not. */
static int check_self(struct binder *b, const struct binding_cte *binding, int32_t location)
{
	const char *name = binding->cte->ast->name;

	if (!binding->in_term)
		return bind_error(b, location,
			"recursive reference to query \"%s\" must not appear within its "
			"non-recursive term",
			name);
	if (b->bars != binding->bars)
		return bind_error(b, location,
			"recursive reference to query \"%s\" must not appear within %s", name,
			b->bars->place);
	if (binding->referenced)
		return bind_error(b, location,
			"recursive reference to query \"%s\" must not appear more than once", name);
	return 0;
}

int bind_self(
	struct binder *b, const struct binder_cte *cte, int32_t location, struct bound_select *out)
{
	struct logical *node = logical_new(b->arena, LOGICAL_ROUND, 0);
	struct binding_cte *binding = b->binding;

	/* Of those that one WITH declares, only the innermost one is bound here and now. */
	while (binding->cte->with != cte->with)
		binding = binding->outer;
	if (binding->cte != cte)
		return bind_error(
			b, location, "mutual recursion between WITH items is not implemented");
	if (check_self(b, binding, location) < 0)
		return -1;
	binding->referenced = true;
	node->round.number = binding->number;
	node->round.sources = arena_alloc(b->arena, (binding->column_count + 1) * sizeof(uint32_t));
	*out = (struct bound_select){.tree = node, .output_count = binding->column_count};
	out->outputs = arena_alloc(b->arena, (binding->column_count + 1) * sizeof(*out->outputs));
	for (uint32_t i = 0; i < binding->column_count; i++) {
		const struct logical_output *column = &binding->columns[i];

		out->outputs[i].name = column->name;
		out->outputs[i].id =
			binder_column(b, column->name, b->columns->list[column->id].type);
		node->round.sources[i] = column->id;
		logical_add_column(b->arena, node, out->outputs[i].id);
	}
	return 0;
}
