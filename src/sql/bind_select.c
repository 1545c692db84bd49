/*
 * SELECT in all its forms: WITH around it, plain, UNION, VALUES, and LIMIT at its end.
 */
#include "sql/bind_private.h"

#include <stdlib.h>
#include <string.h>

/* Every row of VALUES is a fragment of its own: it is meant for a handful. */
#define VALUES_ROWS_MAX 100

/* The rows of a query as an input of something else. */
static struct logical *query_tree(struct binder *b, const struct logical_query *query)
{
	struct logical *top;

	if (query->limit == PLAN_LIMIT_NONE && query->offset == 0)
		return query->tree;
	top = logical_new(b->arena, LOGICAL_TOP, 1);
	top->inputs[0] = query->tree;
	for (uint32_t i = 0; i < query->tree->column_count; i++)
		logical_add_column(b->arena, top, query->tree->columns[i]);
	top->top.sort_count = query->sort_count;
	top->top.sort = query->sort;
	top->top.limit = query->limit;
	top->top.offset = query->offset;
	return top;
}

int bind_subselect(struct binder *b, const struct scope *outer, const struct ast_select *select,
	struct bound_select *out)
{
	struct logical_query query;

	if (bind_select(b, outer, select, false, &query) < 0)
		return -1;
	out->tree = query_tree(b, &query);
	out->output_count = query.output_count;
	out->outputs = query.outputs;
	return 0;
}

/* Inputs of a union whose columns still have their own types. */
struct branches {
	uint32_t count;
	struct logical **trees;
	uint32_t **ids; /* ids[branch][column] */
	uint32_t column_count;
	const char *what; /* "UNION", "VALUES" */
	int32_t location;
};

/* The type of column `column` of the union. TYPE_UNKNOWN when all of them are literals. */
static int branch_type(
	struct binder *b, const struct branches *branches, uint32_t column, struct type *type)
{
	char left[TYPE_NAME_MAX], right[TYPE_NAME_MAX];

	*type = b->columns->list[branches->ids[0][column]].type;
	for (uint32_t i = 1; i < branches->count; i++) {
		struct type other = b->columns->list[branches->ids[i][column]].type;

		if (!type_common(*type, other, type))
			return bind_error(b, branches->location,
				"%s types %s and %s cannot be matched; try a cast", branches->what,
				type_name(*type, left), type_name(other, right));
	}
	if (type->kind == TYPE_UNKNOWN)
		*type = type_of(TYPE_TEXT);
	return 0;
}

static int unite(struct binder *b, const struct branches *branches, const char *const *names,
	struct logical_query *out)
{
	struct logical *node = logical_new(b->arena, LOGICAL_UNION, branches->count);
	struct extender *extenders = arena_zalloc(b->arena, branches->count * sizeof(*extenders));

	node->united.ids = branches->ids;
	out->output_count = branches->column_count;
	out->outputs = arena_alloc(b->arena, (branches->column_count + 1) * sizeof(*out->outputs));
	for (uint32_t i = 0; i < branches->count; i++)
		extenders[i].binder = b;
	for (uint32_t j = 0; j < branches->column_count; j++) {
		struct type type;

		if (branch_type(b, branches, j, &type) < 0)
			return -1;
		for (uint32_t i = 0; i < branches->count; i++) {
			struct expr *expr =
				binder_column_expr(b, branches->ids[i][j], branches->location);

			expr = coerce(b, expr, type);
			if (!expr)
				return -1;
			branches->ids[i][j] = extender_id(&extenders[i], expr, names[j]);
		}
		out->outputs[j].name = names[j];
		out->outputs[j].id = binder_column(b, names[j], type);
		logical_add_column(b->arena, node, out->outputs[j].id);
	}
	for (uint32_t i = 0; i < branches->count; i++) {
		node->inputs[i] = branches->trees[i];
		extender_apply(&extenders[i], &node->inputs[i]);
	}
	out->tree = node;
	return 0;
}

/* ORDER BY of a union: its output columns only. */
static int bind_union_sorts(
	struct binder *b, const struct ast_select *select, struct logical_query *out)
{
	out->sort_count = select->sort_count;
	out->sort = arena_alloc(b->arena, (select->sort_count + 1) * sizeof(*out->sort));
	for (uint32_t i = 0; i < select->sort_count; i++) {
		const struct ast_expr *ast = select->sort[i].expr;
		uint32_t found = PLAN_NONE;

		if (ast->kind == AST_INTEGER) {
			long position = strtol(ast->text, NULL, 10);

			if (position < 1 || (unsigned long)position > out->output_count)
				return bind_error(b, ast->location,
					"ORDER BY position %ld is not in select list", position);
			found = (uint32_t)position - 1;
		} else if (ast->kind == AST_NAME && ast->name_count == 1) {
			for (uint32_t j = 0; j < out->output_count; j++)
				if (strcmp(out->outputs[j].name, ast->names[0]) == 0)
					found = j;
		}
		if (found == PLAN_NONE)
			return bind_error(b, ast->location,
				"ORDER BY on a UNION may only name its output columns");
		out->sort[i] = (struct plan_sort_key){
			.column = out->outputs[found].id,
			.descending = select->sort[i].descending,
			.nulls_first = select->sort[i].nulls_first,
		};
	}
	return 0;
}

static void distinct_union(struct binder *b, struct logical_query *query)
{
	struct logical_group group = {.key_count = query->tree->column_count};

	group.keys = arena_alloc(b->arena, (group.key_count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < group.key_count; i++)
		group.keys[i] = query->tree->columns[i];
	if (group.key_count)
		query->tree = logical_group_new(b->arena, query->tree, &group);
}

static int bind_union(struct binder *b, const struct scope *outer, const struct ast_select *select,
	struct logical_query *out)
{
	const struct ast_select *sides[2] = {select->left, select->right};
	struct logical_query queries[2];
	struct branches branches = {
		.count = 2, .what = "UNION", .location = select->right->location};
	const char **names;

	branches.trees = arena_alloc(b->arena, 2 * sizeof(struct logical *));
	branches.ids = arena_alloc(b->arena, 2 * sizeof(uint32_t *));
	for (uint32_t i = 0; i < 2; i++) {
		if (bind_select(b, outer, sides[i], true, &queries[i]) < 0)
			return -1;
		branches.trees[i] = query_tree(b, &queries[i]);
		branches.ids[i] =
			arena_alloc(b->arena, (queries[i].output_count + 1) * sizeof(uint32_t));
		for (uint32_t j = 0; j < queries[i].output_count; j++)
			branches.ids[i][j] = queries[i].outputs[j].id;
	}
	if (queries[0].output_count != queries[1].output_count)
		return bind_error(b, branches.location,
			"each UNION query must have the same number of columns");
	branches.column_count = queries[0].output_count;
	names = arena_alloc(b->arena, (branches.column_count + 1) * sizeof(*names));
	for (uint32_t j = 0; j < branches.column_count; j++)
		names[j] = queries[0].outputs[j].name;
	if (unite(b, &branches, names, out) < 0)
		return -1;
	if (!select->union_all)
		distinct_union(b, out);
	return bind_union_sorts(b, select, out);
}

static int bind_values(struct binder *b, const struct scope *outer, const struct ast_select *select,
	struct logical_query *out)
{
	uint32_t columns = select->rows[0].count;
	struct branches branches = {.count = select->row_count,
		.column_count = columns,
		.what = "VALUES",
		.location = select->location};
	const char **names = arena_alloc(b->arena, (columns + 1) * sizeof(*names));

	if (select->row_count > VALUES_ROWS_MAX)
		return bind_error(b, select->location,
			"VALUES with more than %d rows are not supported", VALUES_ROWS_MAX);
	branches.trees = arena_alloc(b->arena, branches.count * sizeof(struct logical *));
	branches.ids = arena_alloc(b->arena, branches.count * sizeof(uint32_t *));
	for (uint32_t j = 0; j < columns; j++)
		names[j] = arena_printf(b->arena, "column%u", j + 1);
	for (uint32_t i = 0; i < select->row_count; i++) {
		struct level *level = arena_zalloc(b->arena, sizeof(*level));
		struct extender extender = {.binder = b};

		if (select->rows[i].count != columns)
			return bind_error(
				b, select->location, "VALUES lists must all be the same length");
		if (binder_check_size(b, select->location) < 0)
			return -1;
		level->binder = b;
		level->select = select;
		level->scope.outer = outer;
		level->tree = logical_new(b->arena, LOGICAL_ONE_ROW, 0);
		branches.ids[i] = arena_alloc(b->arena, (columns + 1) * sizeof(uint32_t));
		for (uint32_t j = 0; j < columns; j++) {
			struct expr *expr =
				bind_expr(level, CLAUSE_VALUES, select->rows[i].values[j]);

			if (!expr)
				return -1;
			place_marks(level, 1, &expr);
			branches.ids[i][j] = extender_id(&extender, expr, names[j]);
		}
		extender_apply(&extender, &level->tree);
		branches.trees[i] = level->tree;
	}
	if (unite(b, &branches, names, out) < 0)
		return -1;
	return bind_union_sorts(b, select, out);
}

static int bind_count(struct binder *b, const struct ast_expr *ast, const char *what, uint64_t *out)
{
	char *end;

	if (!ast || ast->kind == AST_NULL)
		return 0;
	if (ast->kind != AST_INTEGER && ast->kind != AST_NUMBER)
		return bind_error(b, ast->location, "%s must be an integer constant", what);
	if (ast->text[0] == '-')
		return bind_error(b, ast->location, "%s must not be negative", what);
	*out = strtoull(ast->text, &end, 10);
	if (*end || *out > INT64_MAX)
		return bind_error(b, ast->location, "%s must be an integer constant", what);
	return 0;
}

static int bind_form(struct binder *b, const struct scope *outer, const struct ast_select *select,
	bool keep_literals, struct logical_query *out)
{
	if (select->left)
		return bind_union(b, outer, select, out);
	if (select->row_count)
		return bind_values(b, outer, select, out);
	return bind_plain(b, outer, select, keep_literals, out);
}

int bind_select(struct binder *b, const struct scope *outer, const struct ast_select *select,
	bool keep_literals, struct logical_query *out)
{
	const struct binder_cte *outside = b->ctes;
	int result;

	*out = (struct logical_query){.limit = PLAN_LIMIT_NONE};
	if (b->depth >= SQL_NESTING_MAX)
		return bind_error(b, select->location,
			"the query is nested too deeply (more than %d levels)", SQL_NESTING_MAX);
	if (binder_check_size(b, select->location) < 0)
		return -1;
	b->depth++;
	result = declare_ctes(b, select);
	if (result == 0)
		result = bind_form(b, outer, select, keep_literals, out);
	b->ctes = outside;
	b->depth--;
	if (result == 0)
		result = bind_count(b, select->limit, "LIMIT", &out->limit);
	if (result == 0)
		result = bind_count(b, select->offset, "OFFSET", &out->offset);
	return result;
}

int bind_query(const struct catalog *catalog, const struct source *source,
	const struct ast_select *select, struct arena *arena, struct logical_columns *columns,
	struct logical_query *out, struct error *err)
{
	struct binder binder = {
		.arena = arena,
		.source = source,
		.catalog = catalog,
		.err = err,
		.columns = columns,
	};

	if (bind_select(&binder, NULL, select, false, out) < 0)
		return -1;
	out->shared_count = binder.shared_count;
	out->shared = binder.shared;
	return 0;
}
