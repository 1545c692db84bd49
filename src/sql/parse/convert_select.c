#include "sql/parse/convert_private.h"

#include <string.h>

static struct ast_from *convert_from(struct converter *c, const PgQuery__Node *node);

/* The alias of a FROM item: t AS a (x, y). `alias` is NULL when there is none. */
static void convert_alias(struct converter *c, const PgQuery__Alias *alias, struct ast_from *from)
{
	if (!alias)
		return;
	if (alias->aliasname[0])
		from->alias = alias->aliasname;
	from->column_aliases = convert_names(c, NODES(alias, colnames), &from->column_alias_count);
}

struct ast_from *convert_range_var(struct converter *c, const PgQuery__RangeVar *table)
{
	struct ast_from *from = arena_zalloc(c->arena, sizeof(*from));
	const char *schema = table->schemaname;

	from->kind = AST_FROM_TABLE;
	from->location = table->location;
	from->name = table->relname;
	if (!table->catalogname[0] && strcmp(schema, "information_schema") == 0) {
		from->name = arena_printf(c->arena, "%s.%s", schema, table->relname);
		from->alias = table->relname;
	} else if (table->catalogname[0] || (schema[0] && strcmp(schema, "public") != 0)) {
		source_error(c->source, from->location, c->err,
			"there is no schema \"%s\"; a file's name stands in quotes: '%s.%s'",
			schema, schema, table->relname);
		return NULL;
	}
	for (uint32_t i = 0; i < c->names->count; i++) {
		struct stand_in *name = &c->names->items[i];

		if (name->is_file && name->location == table->location) {
			name->used = true;
			from->is_file = true;
		}
	}
	for (const struct cte_around *around = c->ctes; around && !schema[0];
		around = around->outer)
		if (strcmp(around->cte->name, from->name) == 0)
			around->cte->reads_itself = true;
	convert_alias(c, table->alias, from);
	convert_note_table(c, from);
	return from;
}

static struct ast_from *convert_subselect(
	struct converter *c, const PgQuery__RangeSubselect *subselect)
{
	struct ast_from *from = arena_zalloc(c->arena, sizeof(*from));

	from->kind = AST_FROM_SELECT;
	from->select = convert_select(c, subselect->subquery->select_stmt);
	if (!from->select)
		return NULL;
	from->location = from->select->location;
	from->lateral = subselect->lateral;
	convert_alias(c, subselect->alias, from);
	return from;
}

static struct ast_from *convert_join(struct converter *c, const PgQuery__JoinExpr *join)
{
	struct ast_from *from = arena_zalloc(c->arena, sizeof(*from));

	from->kind = AST_FROM_JOIN;
	from->left = convert_from(c, join->larg);
	if (!from->left)
		return NULL;
	from->right = convert_from(c, join->rarg);
	if (!from->right)
		return NULL;
	from->location = from->right->location;
	switch (join->jointype) {
	case PG_QUERY__JOIN_TYPE__JOIN_INNER: from->join = AST_JOIN_INNER; break;
	case PG_QUERY__JOIN_TYPE__JOIN_LEFT: from->join = AST_JOIN_LEFT; break;
	case PG_QUERY__JOIN_TYPE__JOIN_RIGHT: from->join = AST_JOIN_RIGHT; break;
	case PG_QUERY__JOIN_TYPE__JOIN_FULL: from->join = AST_JOIN_FULL; break;
	default: return unsupported(c, from->location, "this kind of JOIN is");
	}
	if (join->alias)
		convert_alias(c, join->alias, from);
	if (join->join_using_alias)
		from->using_alias = join->join_using_alias->aliasname;
	from->natural = join->is_natural;
	from->using_names = convert_names(c, NODES(join, using_clause), &from->using_count);
	if (join->quals) {
		from->on = convert_expr(c, join->quals);
		if (!from->on)
			return NULL;
	}
	return from;
}

/* A call of a RangeFunction: the first of a pair. NULL for what only looks like a call. */
static const PgQuery__FuncCall *range_call(const PgQuery__Node *pair)
{
	if (pair->node_case != PG_QUERY__NODE__NODE_LIST || !pair->list->n_items ||
		pair->list->items[0]->node_case != PG_QUERY__NODE__NODE_FUNC_CALL)
		return NULL;
	return pair->list->items[0]->func_call;
}

/* read_csv('x'), alone. */
static struct ast_from *convert_read(
	struct converter *c, const PgQuery__RangeFunction *function, const PgQuery__FuncCall *call)
{
	struct ast_from *from;

	if (function->n_functions != 1 || function->ordinality || function->n_coldeflist)
		return unsupported(
			c, call->location, "ROWS FROM, ORDINALITY and columns for read_csv are");
	from = convert_files(c, call);
	if (!from)
		return NULL;
	convert_alias(c, function->alias, from);
	convert_note_table(c, from);
	return from;
}

/* AS t (a int, b text) */
static int convert_defined(
	struct converter *c, const PgQuery__RangeFunction *function, struct ast_from *from)
{
	from->defined =
		arena_zalloc(c->arena, (function->n_coldeflist + 1) * sizeof(*from->defined));
	for (size_t i = 0; i < function->n_coldeflist; i++) {
		const PgQuery__ColumnDef *column = function->coldeflist[i]->column_def;

		from->defined[i].name = column->colname;
		from->defined[i].type = convert_type(c, column->type_name);
		if (!from->defined[i].type)
			return -1;
	}
	from->defined_count = (uint32_t)function->n_coldeflist;
	return 0;
}

/* A function, or ROWS FROM several: each is the first of a pair, with its columns' types. */
static struct ast_from *convert_function(
	struct converter *c, const PgQuery__RangeFunction *function)
{
	struct ast_from *from = arena_zalloc(c->arena, sizeof(*from));
	uint32_t count = (uint32_t)function->n_functions;

	from->kind = AST_FROM_FUNCTION;
	from->location = -1;
	from->ordinality = function->ordinality;
	from->functions = arena_alloc(c->arena, (count + 1) * sizeof(struct ast_expr *));
	for (uint32_t i = 0; i < count; i++) {
		const PgQuery__FuncCall *call = range_call(function->functions[i]);
		const PgQuery__List *pair = function->functions[i]->list;

		if (call && convert_is_files(call))
			return convert_read(c, function, call);
		if (pair->n_items > 1 && pair->items[1]->node_case != PG_QUERY__NODE__NODE__NOT_SET)
			return unsupported(c, call ? call->location : -1,
				"column definitions for a function are");
		from->functions[i] = convert_expr(c, pair->items[0]);
		if (!from->functions[i])
			return NULL;
	}
	from->function_count = count;
	from->location = from->functions[0]->location;
	convert_alias(c, function->alias, from);
	return convert_defined(c, function, from) < 0 ? NULL : from;
}

static struct ast_from *convert_sample(
	struct converter *c, const PgQuery__RangeTableSample *sampled)
{
	struct ast_sample *sample = arena_zalloc(c->arena, sizeof(*sample));
	struct ast_from *from;

	sample->method = last_name(NODES(sampled, method));
	sample->location = sampled->location;
	if (sampled->n_args != 1 ||
		sampled->relation->node_case != PG_QUERY__NODE__NODE_RANGE_VAR) {
		source_error(c->source, sampled->location, c->err,
			"TABLESAMPLE is of a table, and takes one percentage");
		return NULL;
	}
	from = convert_range_var(c, sampled->relation->range_var);
	sample->percent = convert_expr(c, sampled->args[0]);
	if (sampled->repeatable)
		sample->seed = convert_expr(c, sampled->repeatable);
	if (!from || !sample->percent || (sampled->repeatable && !sample->seed))
		return NULL;
	from->sample = sample;
	return from;
}

static struct ast_from *convert_from_item(struct converter *c, const PgQuery__Node *node)
{
	switch (node->node_case) {
	case PG_QUERY__NODE__NODE_RANGE_VAR: return convert_range_var(c, node->range_var);
	case PG_QUERY__NODE__NODE_RANGE_SUBSELECT:
		return convert_subselect(c, node->range_subselect);
	case PG_QUERY__NODE__NODE_JOIN_EXPR: return convert_join(c, node->join_expr);
	case PG_QUERY__NODE__NODE_RANGE_FUNCTION: return convert_function(c, node->range_function);
	case PG_QUERY__NODE__NODE_RANGE_TABLE_SAMPLE:
		return convert_sample(c, node->range_table_sample);
	default: return unsupported(c, node_location(node), "this FROM item is");
	}
}

static struct ast_from *convert_from(struct converter *c, const PgQuery__Node *node)
{
	struct ast_from *from;

	if (converter_enter(c, NULL) < 0)
		return NULL;
	from = convert_from_item(c, node);
	converter_leave(c);
	return from;
}

static int convert_targets(struct converter *c, struct nodes list, struct ast_select *select)
{
	select->target_count = list.count;
	select->targets = arena_zalloc(c->arena, (list.count + 1) * sizeof(*select->targets));
	for (uint32_t i = 0; i < list.count; i++) {
		const PgQuery__ResTarget *target = list.items[i]->res_target;

		select->targets[i].expr = convert_expr(c, target->val);
		if (!select->targets[i].expr)
			return -1;
		select->targets[i].alias = optional_name(target->name);
		if (select->location < 0)
			select->location = target->location;
	}
	return 0;
}

static int convert_cte(
	struct converter *c, const PgQuery__CommonTableExpr *definition, struct ast_cte *cte)
{
	const PgQuery__Node *query = definition->ctequery;
	struct cte_around around = {cte, c->ctes};

	cte->name = definition->ctename;
	cte->location = definition->location;
	cte->column_aliases =
		convert_names(c, NODES(definition, aliascolnames), &cte->column_alias_count);
	if (query->node_case != PG_QUERY__NODE__NODE_SELECT_STMT) {
		unsupported(c, cte->location, "a CTE that is not a SELECT is");
		return -1;
	}
	if (definition->search_clause || definition->cycle_clause) {
		unsupported(c, cte->location, "SEARCH and CYCLE are");
		return -1;
	}
	c->ctes = &around;
	cte->select = convert_select(c, query->select_stmt);
	c->ctes = around.outer;
	return cte->select ? 0 : -1;
}

static int convert_ctes(
	struct converter *c, const PgQuery__WithClause *with, struct ast_select *select)
{
	if (!with)
		return 0;
	select->cte_count = (uint32_t)with->n_ctes;
	select->ctes = arena_zalloc(c->arena, (select->cte_count + 1) * sizeof(*select->ctes));
	for (uint32_t i = 0; i < select->cte_count; i++) {
		select->ctes[i].recursive = with->recursive;
		if (convert_cte(c, with->ctes[i]->common_table_expr, &select->ctes[i]) < 0)
			return -1;
	}
	return 0;
}

static int convert_values(struct converter *c, struct nodes list, struct ast_select *select)
{
	select->row_count = list.count;
	select->rows = arena_zalloc(c->arena, (list.count + 1) * sizeof(*select->rows));
	for (uint32_t i = 0; i < list.count; i++) {
		struct ast_row *row = &select->rows[i];

		row->values = convert_exprs(c, NODES(list.items[i]->list, items), &row->count);
		if (!row->values)
			return -1;
		if (row->count && select->location < 0)
			select->location = row->values[0]->location;
	}
	return 0;
}

static int convert_windows(struct converter *c, struct nodes list, struct ast_select *select)
{
	select->window_count = list.count;
	select->windows = arena_zalloc(c->arena, (list.count + 1) * sizeof(struct ast_window *));
	for (uint32_t i = 0; i < list.count; i++) {
		select->windows[i] = convert_window(c, list.items[i]->window_def);
		if (!select->windows[i])
			return -1;
		for (uint32_t j = 0; j < i; j++)
			if (strcmp(select->windows[j]->name, select->windows[i]->name) == 0)
				return source_error(c->source, select->windows[i]->location, c->err,
					"window \"%s\" is already defined",
					select->windows[i]->name);
	}
	return 0;
}

static int convert_optional(struct converter *c, const PgQuery__Node *node, struct ast_expr **out)
{
	if (!node)
		return 0;
	*out = convert_expr(c, node);
	return *out ? 0 : -1;
}

static int convert_from_list(struct converter *c, struct nodes list, struct ast_select *select)
{
	select->from_count = list.count;
	select->from = arena_zalloc(c->arena, (list.count + 1) * sizeof(struct ast_from *));
	for (uint32_t i = 0; i < list.count; i++) {
		select->from[i] = convert_from(c, list.items[i]);
		if (!select->from[i])
			return -1;
	}
	return 0;
}

/* Plain DISTINCT is a list of one node of no kind. */
static bool is_distinct_on(const PgQuery__SelectStmt *statement)
{
	return statement->n_distinct_clause &&
	       statement->distinct_clause[0]->node_case != PG_QUERY__NODE__NODE__NOT_SET;
}

/* Refuses the clauses that have no place in ast.h. */
static int check_clauses(
	struct converter *c, const PgQuery__SelectStmt *statement, int32_t location)
{
	const char *what = NULL;

	if (statement->into_clause)
		what = "SELECT INTO is";
	else if (statement->n_locking_clause)
		what = "FOR UPDATE and FOR SHARE are";
	if (!what)
		return 0;
	unsupported(c, location, what);
	return -1;
}

static int convert_set_operation(
	struct converter *c, const PgQuery__SelectStmt *statement, struct ast_select *select)
{
	select->all = statement->all;
	if (statement->op == PG_QUERY__SET_OPERATION__SETOP_INTERSECT)
		select->operation = AST_INTERSECT;
	else if (statement->op == PG_QUERY__SET_OPERATION__SETOP_EXCEPT)
		select->operation = AST_EXCEPT;
	select->left = convert_select(c, statement->larg);
	if (!select->left)
		return -1;
	select->right = convert_select(c, statement->rarg);
	if (!select->right)
		return -1;
	select->location = select->left->location;
	return 0;
}

static int convert_core(
	struct converter *c, const PgQuery__SelectStmt *statement, struct ast_select *select)
{
	if (statement->op != PG_QUERY__SET_OPERATION__SETOP_NONE)
		return convert_set_operation(c, statement, select);
	select->distinct = statement->n_distinct_clause > 0 && !is_distinct_on(statement);
	if (is_distinct_on(statement)) {
		select->distinct_on = convert_exprs(
			c, NODES(statement, distinct_clause), &select->distinct_on_count);
		if (!select->distinct_on)
			return -1;
	}
	if (convert_values(c, NODES(statement, values_lists), select) < 0 ||
		convert_targets(c, NODES(statement, target_list), select) < 0 ||
		convert_from_list(c, NODES(statement, from_clause), select) < 0 ||
		convert_optional(c, statement->where_clause, &select->where) < 0 ||
		convert_optional(c, statement->having_clause, &select->having) < 0 ||
		convert_windows(c, NODES(statement, window_clause), select) < 0)
		return -1;
	select->group_distinct = statement->group_distinct;
	select->group = convert_exprs(c, NODES(statement, group_clause), &select->group_count);
	return select->group ? 0 : -1;
}

struct ast_select *convert_select(struct converter *c, const PgQuery__SelectStmt *statement)
{
	struct ast_select *select = arena_zalloc(c->arena, sizeof(*select));

	select->location = -1;
	if (converter_enter(c, NULL) < 0)
		return NULL;
	if (convert_ctes(c, statement->with_clause, select) < 0 ||
		convert_core(c, statement, select) < 0 ||
		check_clauses(c, statement, select->location) < 0)
		return NULL;
	select->sort = convert_sorts(c, NODES(statement, sort_clause), &select->sort_count);
	if (!select->sort)
		return NULL;
	select->with_ties =
		statement->limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES;
	if (convert_optional(c, statement->limit_count, &select->limit) < 0 ||
		convert_optional(c, statement->limit_offset, &select->offset) < 0)
		return NULL;
	converter_leave(c);
	return select;
}
