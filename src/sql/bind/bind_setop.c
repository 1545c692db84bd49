/*
 * UNION, INTERSECT and EXCEPT, and the rows of VALUES, which are a union, too.
 *
 * INTERSECT and EXCEPT are one group over the rows of both sides, each marked by where it comes
 * from: a group of equal rows stays by the marks that it has, and NULLs are equal as in any group.
 * With ALL the copies of a row are numbered on each side first: the n-th copy of one side meets the
 * n-th of the other.
 */
#include "sql/bind/bind_private.h"

#include <stdlib.h>
#include <string.h>

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

/* Casts the columns of all branches to their common types. */
static int settle(struct binder *b, struct branches *branches)
{
	struct extender *extenders = arena_zalloc(b->arena, branches->count * sizeof(*extenders));

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
			branches->ids[i][j] = extender_id(&extenders[i], expr, branches->names[j]);
		}
	}
	for (uint32_t i = 0; i < branches->count; i++)
		extender_apply(&extenders[i], &branches->trees[i]);
	return 0;
}

int unite(struct binder *b, struct branches *branches, struct logical_query *out)
{
	struct logical *node = logical_new(b->arena, LOGICAL_UNION, branches->count);

	if (settle(b, branches) < 0)
		return -1;
	node->united.ids = branches->ids;
	out->output_count = branches->column_count;
	out->outputs = arena_alloc(b->arena, (branches->column_count + 1) * sizeof(*out->outputs));
	for (uint32_t j = 0; j < branches->column_count; j++) {
		struct type type = b->columns->list[branches->ids[0][j]].type;

		out->outputs[j].name = branches->names[j];
		out->outputs[j].id = binder_column(b, branches->names[j], type);
		logical_add_column(b->arena, node, out->outputs[j].id);
	}
	for (uint32_t i = 0; i < branches->count; i++)
		node->inputs[i] = branches->trees[i];
	out->tree = node;
	return 0;
}

int bind_union_sorts(struct binder *b, const struct ast_select *select, struct logical_query *out)
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

/* A group by the first `count` columns of the query. */
static struct logical_group group_by_outputs(
	struct binder *b, const struct logical_query *query, uint32_t count)
{
	struct logical_group group = {.key_count = count};

	group.keys = arena_alloc(b->arena, (count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < count; i++)
		group.keys[i] = query->outputs[i].id;
	return group;
}

/* One column more in every branch: ids[i] in branch i. */
static void branches_add(
	struct binder *b, struct branches *branches, const char *name, const uint32_t *ids)
{
	uint32_t count = branches->column_count;
	const char **names = arena_alloc(b->arena, (count + 1) * sizeof(*names));

	for (uint32_t j = 0; j < count; j++)
		names[j] = branches->names[j];
	names[count] = name;
	branches->names = names;
	for (uint32_t i = 0; i < branches->count; i++) {
		uint32_t *wider = arena_alloc(b->arena, (count + 1) * sizeof(uint32_t));

		for (uint32_t j = 0; j < count; j++)
			wider[j] = branches->ids[i][j];
		wider[count] = ids[i];
		branches->ids[i] = wider;
	}
	branches->column_count++;
}

/* Numbers the rows of a tree that are equal in these columns. Returns the number's column. */
static uint32_t number_copies(
	struct binder *b, struct logical **tree, uint32_t count, const uint32_t *ids)
{
	struct logical *node = logical_new(b->arena, LOGICAL_WINDOW, 1);
	struct logical_window *window = &node->window;

	window->partition = arena_alloc(b->arena, (count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < count; i++)
		window->partition[window->partition_count++] = ids[i];
	window->call_count = 1;
	window->calls = arena_zalloc(b->arena, sizeof(*window->calls));
	window->calls[0] = (struct plan_window_call){
		.function = WINDOW_ROW_NUMBER,
		.arg = PLAN_NONE,
		.offset = PLAN_NONE,
		.fallback = PLAN_NONE,
		.aggregate = {.arg = PLAN_NONE, .arg2 = PLAN_NONE, .filter = PLAN_NONE},
		.type = type_of(TYPE_BIGINT),
	};
	window->outputs = arena_alloc(b->arena, sizeof(uint32_t));
	window->outputs[0] = binder_column(b, "copy", type_of(TYPE_BIGINT));
	node->inputs[0] = *tree;
	logical_set_columns(b->arena, node);
	*tree = node;
	return window->outputs[0];
}

/* Puts the copy's number and the side's mark behind the columns of both sides. */
static int mark_sides(struct binder *b, bool all, struct branches *branches)
{
	uint32_t ids[2];

	if (all) {
		if (settle(b, branches) < 0)
			return -1;
		for (uint32_t i = 0; i < 2; i++)
			ids[i] = number_copies(
				b, &branches->trees[i], branches->column_count, branches->ids[i]);
		branches_add(b, branches, "copy", ids);
	}
	for (uint32_t i = 0; i < 2; i++) {
		struct value side = {.type = type_of(TYPE_BOOL), .boolean = i > 0};
		struct extender extender = {.binder = b};

		ids[i] = extender_id(&extender, expr_constant(b->arena, &side), "second");
		extender_apply(&extender, &branches->trees[i]);
	}
	branches_add(b, branches, "second", ids);
	return 0;
}

static struct logical_aggregate aggregate_mark(
	struct binder *b, enum aggregate_id id, uint32_t mark, const char *name)
{
	return (struct logical_aggregate){
		.id = id,
		.arg = mark,
		.arg2 = PLAN_NONE,
		.filter = PLAN_NONE,
		.output = binder_column(b, name, type_of(TYPE_BOOL)),
	};
}

static int combine(struct binder *b, const struct ast_select *select, struct branches *branches,
	struct logical_query *out)
{
	bool both = select->operation == AST_INTERSECT;
	uint32_t shown = branches->column_count, keys;
	struct logical_filter filter = {0};
	struct logical_group group;
	struct expr *marks[2];

	if (mark_sides(b, select->all, branches) < 0 || unite(b, branches, out) < 0)
		return -1;
	keys = branches->column_count - 1;
	group = group_by_outputs(b, out, keys);
	group.aggregate_count = both ? 2 : 1;
	group.aggregates = arena_zalloc(b->arena, 2 * sizeof(*group.aggregates));
	group.aggregates[0] = aggregate_mark(b, AGG_BOOL_OR, out->outputs[keys].id, "in_second");
	group.aggregates[1] = aggregate_mark(b, AGG_BOOL_AND, out->outputs[keys].id, "only_second");
	for (uint32_t i = 0; i < 2; i++)
		marks[i] = binder_column_expr(b, group.aggregates[i].output, -1);
	if (both)
		conjuncts_add(b->arena, &filter, marks[0]);
	conjuncts_add(b->arena, &filter, make_node(b, EXPR_NOT, 1, &marks[both ? 1 : 0], -1));
	out->tree = logical_group_new(b->arena, out->tree, &group);
	out->tree = logical_filter_new(b->arena, out->tree, filter.count, filter.conjuncts);
	out->output_count = shown;
	return 0;
}

int bind_set_operation(struct binder *b, const struct scope *outer, const struct ast_select *select,
	struct logical_query *out)
{
	static const char *const words[] = {
		[AST_UNION] = "UNION",
		[AST_INTERSECT] = "INTERSECT",
		[AST_EXCEPT] = "EXCEPT",
	};
	const struct ast_select *sides[2] = {select->left, select->right};
	const struct recursion_bar bar = {words[select->operation], b->bars};
	bool intersect = select->operation == AST_INTERSECT;
	bool except = select->operation == AST_EXCEPT;
	struct logical_query queries[2];
	struct branches branches = {
		.count = 2, .what = words[select->operation], .location = select->right->location};

	branches.trees = arena_alloc(b->arena, 2 * sizeof(struct logical *));
	branches.ids = arena_alloc(b->arena, 2 * sizeof(uint32_t *));
	for (uint32_t i = 0; i < 2; i++) {
		b->bars = select->all && (intersect || (except && i == 1)) ? &bar : bar.outer;
		if (bind_select(b, outer, sides[i], true, &queries[i]) < 0)
			return -1;
		b->bars = bar.outer;
		branches.trees[i] = query_tree(b, &queries[i]);
		branches.ids[i] =
			arena_alloc(b->arena, (queries[i].output_count + 1) * sizeof(uint32_t));
		for (uint32_t j = 0; j < queries[i].output_count; j++)
			branches.ids[i][j] = queries[i].outputs[j].id;
	}
	if (queries[0].output_count != queries[1].output_count)
		return bind_error(b, branches.location,
			"each %s query must have the same number of columns", branches.what);
	branches.column_count = queries[0].output_count;
	if (branches.column_count == 0 && (!select->all || select->operation != AST_UNION))
		return bind_error(b, branches.location,
			"%s of rows without columns is not supported", branches.what);
	branches.names =
		arena_alloc(b->arena, (branches.column_count + 1) * sizeof(*branches.names));
	for (uint32_t j = 0; j < branches.column_count; j++)
		branches.names[j] = queries[0].outputs[j].name;
	if (select->operation != AST_UNION) {
		if (combine(b, select, &branches, out) < 0)
			return -1;
	} else if (unite(b, &branches, out) < 0) {
		return -1;
	} else if (!select->all && out->output_count) {
		struct logical_group group = group_by_outputs(b, out, out->output_count);

		out->tree = logical_group_new(b->arena, out->tree, &group);
	}
	return bind_union_sorts(b, select, out);
}
