/*
 * SELECT in all its forms: WITH around it, plain, set operations, VALUES, and LIMIT at its end.
 */
#include "sql/bind/bind_private.h"

#include <stdlib.h>
#include <string.h>

/* Every row of VALUES is a fragment of its own: it is meant for a handful. */
#define VALUES_ROWS_MAX 100

struct logical *query_tree(struct binder *b, const struct logical_query *query)
{
	struct logical_top top = {
		.sort_count = query->sort_count,
		.sort = query->sort,
		.limit = query->limit,
		.offset = query->offset,
	};

	if (query->limit == PLAN_LIMIT_NONE && query->offset == 0)
		return query->tree;
	return logical_top_new(b->arena, query->tree, &top);
}

/* A column that is shown twice is two columns to whoever reads them: one can be a key, one not. */
static void part_outputs(struct binder *b, struct bound_select *select)
{
	struct extender copies = {.binder = b};

	for (uint32_t i = 0; i < select->output_count; i++) {
		struct logical_output *output = &select->outputs[i];
		uint32_t id = output->id;
		bool repeated = false;

		for (uint32_t j = 0; j < i; j++)
			repeated = repeated || select->outputs[j].id == id;
		if (!repeated)
			continue;
		output->id = binder_column(b, output->name, b->columns->list[id].type);
		b->columns->list[output->id].written = b->columns->list[id].written;
		extender_add(&copies, output->id, binder_column_expr(b, id, -1));
	}
	extender_apply(&copies, &select->tree);
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
	part_outputs(b, out);
	return 0;
}

static int bind_values(struct binder *b, const struct scope *outer, const struct ast_select *select,
	struct logical_query *out)
{
	uint32_t columns = select->rows[0].count;
	struct branches branches = {.count = select->row_count,
		.column_count = columns,
		.what = "VALUES",
		.location = select->location};

	if (select->row_count > VALUES_ROWS_MAX)
		return bind_error(b, select->location,
			"VALUES with more than %d rows are not supported", VALUES_ROWS_MAX);
	branches.trees = arena_alloc(b->arena, branches.count * sizeof(struct logical *));
	branches.ids = arena_alloc(b->arena, branches.count * sizeof(uint32_t *));
	branches.names = arena_alloc(b->arena, (columns + 1) * sizeof(*branches.names));
	for (uint32_t j = 0; j < columns; j++)
		branches.names[j] = arena_printf(b->arena, "column%u", j + 1);
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
			branches.ids[i][j] = extender_id(&extender, expr, branches.names[j]);
		}
		extender_apply(&extender, &level->tree);
		branches.trees[i] = level->tree;
	}
	if (unite(b, &branches, out) < 0)
		return -1;
	return bind_union_sorts(b, select, out);
}

static int bind_form(struct binder *b, const struct scope *outer, const struct ast_select *select,
	bool keep_literals, struct logical_query *out)
{
	if (select->left)
		return bind_set_operation(b, outer, select, out);
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
	result = declare_ctes(b, outer, select);
	if (result == 0)
		result = bind_form(b, outer, select, keep_literals, out);
	b->ctes = outside;
	b->depth--;
	return result == 0 ? bind_limit(b, select, out) : -1;
}

/*
 * A column that is shown as it came from a table has the text that stands in its files, in whatever
 * query; where something was made of it (groups, sets, functions) it has the values of its type.
 */
static void show_as_written(const struct logical_columns *columns, struct logical_query *query)
{
	for (uint32_t i = 0; i < query->output_count; i++) {
		struct logical_output *output = &query->outputs[i];
		uint32_t written = columns->list[output->id].written;

		output->meant = columns->list[output->id].type;
		if (written != PLAN_NONE && logical_has_column(query->tree, written))
			output->id = written;
	}
}

int bind_query(const struct bind_request *request, struct arena *arena,
	struct logical_columns *columns, struct logical_query *out, struct error *err)
{
	struct binder binder = {
		.arena = arena,
		.source = request->source,
		.catalog = request->catalog,
		.err = err,
		.columns = columns,
	};
	/* In the arena: what is bound refers to it. */
	struct ast_select *around = arena_zalloc(arena, sizeof(*around));

	around->cte_count = request->view_count;
	around->ctes = arena_zalloc(arena, (request->view_count + 1) * sizeof(*around->ctes));
	if (request->view_count > 0)
		memcpy(around->ctes, request->views, request->view_count * sizeof(*around->ctes));
	if (zone_begin(&binder) < 0 || declare_ctes(&binder, NULL, around) < 0 ||
		bind_select(&binder, NULL, request->select, false, out) < 0 || binder.failed)
		return -1;
	if (out->output_count == 0)
		return bind_error(&binder, request->select->location,
			"a result without columns is not supported");
	if (!request->kept) {
		show_as_written(columns, out);
		if (zone_show(&binder, out) < 0)
			return -1;
	}
	out->shared_count = binder.shared_count;
	out->shared = binder.shared;
	return 0;
}
