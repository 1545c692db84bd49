#include "sql/convert_private.h"

#include <string.h>

static struct ast_from *convert_from(struct converter *c, const struct json *node);

/* The alias of a FROM item: t AS a (x, y). */
static void convert_alias(struct converter *c, const struct json *alias, struct ast_from *from)
{
	from->alias = json_string(alias, "aliasname");
	from->column_aliases =
		convert_names(c, json_get(alias, "colnames"), &from->column_alias_count);
}

static struct ast_from *convert_table(struct converter *c, const struct json *body)
{
	struct ast_from *from = arena_zalloc(c->arena, sizeof(*from));
	const char *schema = json_string(body, "schemaname");

	from->kind = AST_FROM_TABLE;
	from->location = location_of(body);
	from->name = json_string(body, "relname");
	if (!from->name)
		from->name = "";
	if (json_string(body, "catalogname") || (schema && strcmp(schema, "public") != 0)) {
		source_error(c->source, from->location, c->err, "there is no schema \"%s\"",
			schema ? schema : "");
		return NULL;
	}
	convert_alias(c, json_get(body, "alias"), from);
	return from;
}

static struct ast_from *convert_subselect(struct converter *c, const struct json *body)
{
	struct ast_from *from = arena_zalloc(c->arena, sizeof(*from));

	from->kind = AST_FROM_SELECT;
	from->select = convert_select(c, node_body(json_get(body, "subquery")));
	if (!from->select)
		return NULL;
	from->location = from->select->location;
	if (json_true(body, "lateral"))
		return unsupported(c, from->location, "LATERAL is");
	convert_alias(c, json_get(body, "alias"), from);
	return from;
}

static struct ast_from *convert_join(struct converter *c, const struct json *body)
{
	struct ast_from *from = arena_zalloc(c->arena, sizeof(*from));
	const char *type = json_string(body, "jointype");

	from->kind = AST_FROM_JOIN;
	from->left = convert_from(c, json_get(body, "larg"));
	if (!from->left)
		return NULL;
	from->right = convert_from(c, json_get(body, "rarg"));
	if (!from->right)
		return NULL;
	from->location = from->right->location;
	if (type && strcmp(type, "JOIN_LEFT") == 0)
		from->join = AST_JOIN_LEFT;
	else if (type && strcmp(type, "JOIN_RIGHT") == 0)
		from->join = AST_JOIN_RIGHT;
	else if (type && strcmp(type, "JOIN_INNER") != 0)
		return unsupported(c, from->location, "FULL JOIN is");
	if (json_get(body, "alias") || json_get(body, "join_using_alias"))
		return unsupported(c, from->location, "an alias for a whole join is");
	from->natural = json_true(body, "isNatural");
	from->using_names = convert_names(c, json_get(body, "usingClause"), &from->using_count);
	if (json_get(body, "quals")) {
		from->on = convert_expr(c, json_get(body, "quals"));
		if (!from->on)
			return NULL;
	}
	return from;
}

/* A RangeFunction has no place of its own; the call in it has. */
static int32_t function_location(const struct json *body)
{
	const struct json *items =
		json_get(list_body(json_get(body, "functions"), 0, "List"), "items");
	const struct json *call = list_body(items, 0, "FuncCall");

	return call ? location_of(call) : -1;
}

static struct ast_from *convert_from_item(struct converter *c, const struct json *node)
{
	const char *kind = node_kind(node);
	const struct json *body = node_body(node);

	if (strcmp(kind, "RangeVar") == 0)
		return convert_table(c, body);
	if (strcmp(kind, "RangeSubselect") == 0)
		return convert_subselect(c, body);
	if (strcmp(kind, "JoinExpr") == 0)
		return convert_join(c, body);
	if (strcmp(kind, "RangeFunction") == 0)
		return unsupported(c, function_location(body), "functions in FROM are");
	if (strcmp(kind, "RangeTableSample") == 0)
		return unsupported(c, location_of(body), "TABLESAMPLE is");
	return unsupported(c, location_of(body), "this FROM item is");
}

static int enter(struct converter *c, int32_t location)
{
	if (c->depth >= SQL_NESTING_MAX)
		return source_error(c->source, location, c->err,
			"the query is nested too deeply (more than %d levels)", SQL_NESTING_MAX);
	c->depth++;
	return 0;
}

static struct ast_from *convert_from(struct converter *c, const struct json *node)
{
	struct ast_from *from;

	if (enter(c, -1) < 0)
		return NULL;
	from = convert_from_item(c, node);
	c->depth--;
	return from;
}

static int convert_targets(struct converter *c, const struct json *list, struct ast_select *select)
{
	select->target_count = json_count(list);
	select->targets =
		arena_zalloc(c->arena, (select->target_count + 1) * sizeof(*select->targets));
	for (uint32_t i = 0; i < select->target_count; i++) {
		const struct json *body = list_body(list, i, "ResTarget");

		select->targets[i].expr = convert_expr(c, json_get(body, "val"));
		if (!select->targets[i].expr)
			return -1;
		select->targets[i].alias = json_string(body, "name");
		if (select->location < 0)
			select->location = location_of(body);
	}
	return 0;
}

static int convert_ctes(struct converter *c, const struct json *with, struct ast_select *select)
{
	const struct json *list = json_get(with, "ctes");

	if (json_true(with, "recursive")) {
		unsupported(c, location_of(with), "recursive CTEs are");
		return -1;
	}
	select->cte_count = json_count(list);
	select->ctes = arena_zalloc(c->arena, (select->cte_count + 1) * sizeof(*select->ctes));
	for (uint32_t i = 0; i < select->cte_count; i++) {
		const struct json *body = list_body(list, i, "CommonTableExpr");
		const struct json *query = json_get(body, "ctequery");
		struct ast_cte *cte = &select->ctes[i];

		cte->name = json_string(body, "ctename");
		if (!cte->name)
			cte->name = "";
		cte->location = location_of(body);
		cte->column_aliases =
			convert_names(c, json_get(body, "aliascolnames"), &cte->column_alias_count);
		if (strcmp(node_kind(query), "SelectStmt") != 0) {
			unsupported(c, cte->location, "a CTE that is no SELECT is");
			return -1;
		}
		cte->select = convert_select(c, node_body(query));
		if (!cte->select)
			return -1;
	}
	return 0;
}

static int convert_values(struct converter *c, const struct json *list, struct ast_select *select)
{
	select->row_count = json_count(list);
	select->rows = arena_zalloc(c->arena, (select->row_count + 1) * sizeof(*select->rows));
	for (uint32_t i = 0; i < select->row_count; i++) {
		const struct json *items = json_get(list_body(list, i, "List"), "items");
		struct ast_row *row = &select->rows[i];

		row->values = convert_exprs(c, items, &row->count);
		if (!row->values)
			return -1;
		if (row->count && select->location < 0)
			select->location = row->values[0]->location;
	}
	return 0;
}

static int convert_windows(struct converter *c, const struct json *list, struct ast_select *select)
{
	select->window_count = json_count(list);
	select->windows =
		arena_zalloc(c->arena, (select->window_count + 1) * sizeof(struct ast_window *));
	for (uint32_t i = 0; i < select->window_count; i++) {
		select->windows[i] = convert_window(c, list_body(list, i, "WindowDef"));
		if (!select->windows[i])
			return -1;
	}
	return 0;
}

static int convert_optional(struct converter *c, const struct json *node, struct ast_expr **out)
{
	if (!node)
		return 0;
	*out = convert_expr(c, node);
	return *out ? 0 : -1;
}

static int convert_from_list(
	struct converter *c, const struct json *list, struct ast_select *select)
{
	select->from_count = json_count(list);
	select->from = arena_zalloc(c->arena, (select->from_count + 1) * sizeof(struct ast_from *));
	for (uint32_t i = 0; i < select->from_count; i++) {
		select->from[i] = convert_from(c, &list->items[i]);
		if (!select->from[i])
			return -1;
	}
	return 0;
}

/* Refuses the clauses that have no place in ast.h. */
static int check_clauses(struct converter *c, const struct json *body, int32_t location)
{
	const struct json *distinct = json_get(body, "distinctClause");
	const char *limit = json_string(body, "limitOption");
	const char *op = json_string(body, "op");
	const char *what = NULL;

	if (json_get(body, "intoClause"))
		what = "SELECT INTO is";
	else if (json_count(json_get(body, "lockingClause")))
		what = "FOR UPDATE and FOR SHARE are";
	else if (limit && strcmp(limit, "LIMIT_OPTION_WITH_TIES") == 0)
		what = "FETCH ... WITH TIES is";
	else if (json_true(body, "groupDistinct"))
		what = "GROUP BY DISTINCT is";
	else if (op && strcmp(op, "SETOP_INTERSECT") == 0)
		what = "INTERSECT is";
	else if (op && strcmp(op, "SETOP_EXCEPT") == 0)
		what = "EXCEPT is";
	else if (json_count(distinct) && node_body(&distinct->items[0]))
		what = "DISTINCT ON is";
	if (!what)
		return 0;
	unsupported(c, location, what);
	return -1;
}

static int convert_core(struct converter *c, const struct json *body, struct ast_select *select)
{
	const char *op = json_string(body, "op");

	if (op && strcmp(op, "SETOP_NONE") != 0) {
		select->union_all = json_true(body, "all");
		select->left = convert_select(c, json_get(body, "larg"));
		if (!select->left)
			return -1;
		select->right = convert_select(c, json_get(body, "rarg"));
		if (!select->right)
			return -1;
		select->location = select->left->location;
		return 0;
	}
	select->distinct = json_count(json_get(body, "distinctClause")) > 0;
	if (convert_values(c, json_get(body, "valuesLists"), select) < 0 ||
		convert_targets(c, json_get(body, "targetList"), select) < 0 ||
		convert_from_list(c, json_get(body, "fromClause"), select) < 0 ||
		convert_optional(c, json_get(body, "whereClause"), &select->where) < 0 ||
		convert_optional(c, json_get(body, "havingClause"), &select->having) < 0 ||
		convert_windows(c, json_get(body, "windowClause"), select) < 0)
		return -1;
	select->group = convert_exprs(c, json_get(body, "groupClause"), &select->group_count);
	return select->group ? 0 : -1;
}

struct ast_select *convert_select(struct converter *c, const struct json *body)
{
	struct ast_select *select = arena_zalloc(c->arena, sizeof(*select));

	select->location = -1;
	if (enter(c, -1) < 0)
		return NULL;
	if (json_get(body, "withClause") &&
		convert_ctes(c, json_get(body, "withClause"), select) < 0)
		return NULL;
	if (convert_core(c, body, select) < 0 || check_clauses(c, body, select->location) < 0)
		return NULL;
	select->sort = convert_sorts(c, json_get(body, "sortClause"), &select->sort_count);
	if (!select->sort)
		return NULL;
	if (convert_optional(c, json_get(body, "limitCount"), &select->limit) < 0 ||
		convert_optional(c, json_get(body, "limitOffset"), &select->offset) < 0)
		return NULL;
	c->depth--;
	return select;
}
