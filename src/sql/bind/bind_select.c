/*
 * SELECT in all its forms: WITH around it, plain, set operations, VALUES, and LIMIT at its end.
 */
#include "sql/bind/bind_private.h"

#include <stdlib.h>
#include <string.h>

/* Up to so many rows of VALUES are each a fragment of its own; more are items of lists. */
#define VALUES_ROWS_APART 100

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
	out->sort_count = query.sort_count;
	out->sort = query.sort;
	part_outputs(b, out);
	return 0;
}

static int check_row(struct binder *b, const struct ast_select *select, uint32_t row)
{
	if (select->rows[row].count != select->rows[0].count)
		return bind_error(b, select->location, "VALUES lists must all be the same length");
	return 0;
}

/* Column `j` of all rows, as a list. */
static struct expr *bind_value_list(
	struct level *level, const struct ast_select *select, uint32_t j)
{
	struct binder *b = level->binder;
	struct expr **items =
		arena_alloc(b->arena, (select->row_count + 1) * sizeof(struct expr *));
	struct type type = type_of(TYPE_TEXT);

	for (uint32_t i = 0; i < select->row_count; i++) {
		items[i] = bind_expr(level, CLAUSE_VALUES, select->rows[i].values[j]);
		if (!items[i])
			return NULL;
		if (expr_reads_any(items[i]) || type_is_array(items[i]->type.kind)) {
			bind_error(b, select->rows[i].values[j]->location,
				"VALUES with more than %d rows must be constants, and no arrays",
				VALUES_ROWS_APART);
			return NULL;
		}
	}
	if (coerce_common(b, "VALUES", select->row_count, items, &type) < 0)
		return NULL;
	return make_call(b, FN_LIST_MAKE, type_array_of(type_of(type.kind)), select->row_count,
		items, select->location);
}

/* The items of one list for each column, in step. */
static int bind_value_lists(struct binder *b, const struct scope *outer,
	const struct ast_select *select, struct logical_query *out)
{
	uint32_t columns = select->rows[0].count;
	struct level level = {.binder = b, .select = select, .scope.outer = outer};
	struct logical_unnest unnest = {.count = columns, .ordinality = PLAN_NONE};
	struct logical *one = logical_new(b->arena, LOGICAL_ONE_ROW, 0);

	unnest.lists = arena_alloc(b->arena, (columns + 1) * sizeof(struct expr *));
	unnest.items = arena_alloc(b->arena, (columns + 1) * sizeof(uint32_t));
	out->output_count = columns;
	out->outputs = arena_alloc(b->arena, (columns + 1) * sizeof(*out->outputs));
	for (uint32_t i = 0; i < select->row_count; i++)
		if (check_row(b, select, i) < 0)
			return -1;
	for (uint32_t j = 0; j < columns; j++) {
		const char *name = arena_printf(b->arena, "column%u", j + 1);

		unnest.lists[j] = bind_value_list(&level, select, j);
		if (!unnest.lists[j])
			return -1;
		unnest.items[j] = binder_column(b, name, type_element_of(unnest.lists[j]->type));
		out->outputs[j].name = name;
		out->outputs[j].id = unnest.items[j];
	}
	out->tree = logical_unnest_new(b->arena, one, &unnest);
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

	if (select->row_count > VALUES_ROWS_APART)
		return bind_value_lists(b, outer, select, out);
	branches.trees = arena_alloc(b->arena, branches.count * sizeof(struct logical *));
	branches.ids = arena_alloc(b->arena, branches.count * sizeof(uint32_t *));
	branches.names = arena_alloc(b->arena, (columns + 1) * sizeof(*branches.names));
	for (uint32_t j = 0; j < columns; j++)
		branches.names[j] = arena_printf(b->arena, "column%u", j + 1);
	for (uint32_t i = 0; i < select->row_count; i++) {
		struct level *level = arena_zalloc(b->arena, sizeof(*level));
		struct extender extender = {.binder = b};

		if (check_row(b, select, i) < 0)
			return -1;
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
 * query; where something was made of it (groups, sets, functions) it has the values of its type, as all columns have of what
 * is `kept` for a table.
 */
static void show_as_written(
	const struct logical_columns *columns, bool kept, struct logical_query *query)
{
	for (uint32_t i = 0; i < query->output_count; i++) {
		struct logical_output *output = &query->outputs[i];
		uint32_t written = columns->list[output->id].written;

		output->meant = columns->list[output->id].type;
		if (!kept && written != PLAN_NONE && logical_has_column(query->tree, written))
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
	show_as_written(columns, request->kept, out);
	if (!request->kept && zone_show(&binder, out) < 0)
		return -1;
	out->shared_count = binder.shared_count;
	out->shared = binder.shared;
	return 0;
}
