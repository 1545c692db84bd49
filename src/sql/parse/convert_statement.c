/*
 * What a statement asks for. Those with a query in them hand it to convert_select.c.
 */
#include "sql/parse/convert_private.h"

#include <string.h>
#include <strings.h>

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Where the first word of a text begins, behind blanks and comments. */
static size_t skip_blanks(const char *text, size_t at)
{
	for (;;) {
		while (text[at] && strchr(" \t\r\n\f\v", text[at]))
			at++;
		if (strncmp(text + at, "--", 2) == 0)
			at += strcspn(text + at, "\n");
		else if (strncmp(text + at, "/*", 2) == 0 && strstr(text + at + 2, "*/"))
			at = (size_t)(strstr(text + at + 2, "*/") + 2 - text);
		else
			return at;
	}
}

static size_t word_at(const char *text)
{
	size_t size = 0;

	while (is_letter(text[size]))
		size++;
	return size;
}

static bool word_is(const char *text, size_t size, const char *word)
{
	return strlen(word) == size && strncasecmp(text, word, size) == 0;
}

const char *sql_inspected(const char *text, struct arena *arena, enum sql_statement_kind *kind)
{
	static const char *const queries[] = {"select", "with", "values", "table"};
	size_t start = skip_blanks(text, 0), size = word_at(text + start), next;
	bool is_query;
	char *out;

	*kind = word_is(text + start, size, "describe")	   ? SQL_DESCRIBE
		: word_is(text + start, size, "summarize") ? SQL_SUMMARIZE
							   : SQL_NOTHING;
	if (*kind == SQL_NOTHING)
		return text;
	out = arena_strdup(arena, text);
	memset(out + start, ' ', size);
	next = skip_blanks(text, start + size);
	is_query = text[next] == '(';
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
		is_query |= word_is(text + next, word_at(text + next), queries[i]);
	if (!is_query && text[next] && text[next] != ';')
		memcpy(out + start, "TABLE", 5);
	return out;
}

/* The query of a statement. */
static int take_query(struct converter *c, const PgQuery__Node *node, struct sql_statement *out)
{
	if (!node || node->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
		return source_error(
			c->source, out->location, c->err, "only SELECT is supported here");
	out->queries.selects[0] = convert_select(c, node->select_stmt);
	return out->queries.selects[0] ? 0 : -1;
}

/* COPY t (a, b): SELECT a, b FROM t. */
static int take_table(
	struct converter *c, const PgQuery__CopyStmt *statement, struct sql_statement *out)
{
	struct ast_select *select = arena_zalloc(c->arena, sizeof(*select));
	uint32_t count = (uint32_t)statement->n_attlist;
	const char **names = convert_names(c, NODES(statement, attlist), &count);

	select->location = statement->relation->location;
	select->from_count = 1;
	select->from = arena_alloc(c->arena, sizeof(struct ast_from *));
	select->from[0] = convert_range_var(c, statement->relation);
	if (!select->from[0])
		return -1;
	select->target_count = count ? count : 1;
	select->targets = arena_zalloc(c->arena, select->target_count * sizeof(*select->targets));
	for (uint32_t i = 0; i < select->target_count; i++) {
		struct ast_expr *expr = arena_zalloc(c->arena, sizeof(*expr));

		expr->location = select->location;
		expr->kind = count ? AST_NAME : AST_STAR;
		expr->name_count = count ? 1 : 0;
		expr->names = count ? &names[i] : NULL;
		select->targets[i].expr = expr;
	}
	out->queries.selects[0] = select;
	return 0;
}

static int convert_copy(
	struct converter *c, const PgQuery__CopyStmt *statement, struct sql_statement *out)
{
	out->kind = SQL_COPY_TO;
	if (statement->relation)
		out->location = statement->relation->location;
	if (statement->is_from)
		return source_error(c->source, out->location, c->err,
			"COPY ... FROM is not supported: files are tables already, as in FROM "
			"'%s'",
			statement->filename[0] ? statement->filename : "x.csv");
	if (statement->is_program) {
		unsupported(c, out->location, "COPY ... TO PROGRAM is");
		return -1;
	}
	out->name = optional_name(statement->filename);
	out->option_count = (uint32_t)statement->n_options;
	out->options = convert_options(c, statement->options, out->option_count);
	return statement->query ? take_query(c, statement->query, out)
				: take_table(c, statement, out);
}

static int convert_view(
	struct converter *c, const PgQuery__ViewStmt *statement, struct sql_statement *out)
{
	out->kind = SQL_CREATE_VIEW;
	out->name = statement->view->relname;
	out->location = statement->view->location;
	out->or_replace = statement->replace;
	out->columns = convert_names(c, NODES(statement, aliases), &out->column_count);
	return take_query(c, statement->query, out);
}

static int convert_table_as(
	struct converter *c, const PgQuery__CreateTableAsStmt *statement, struct sql_statement *out)
{
	const PgQuery__IntoClause *into = statement->into;

	out->kind = SQL_CREATE_TABLE_AS;
	out->name = into->rel->relname;
	out->location = into->rel->location;
	if (statement->objtype != PG_QUERY__OBJECT_TYPE__OBJECT_TABLE) {
		unsupported(c, out->location, "MATERIALIZED VIEW is");
		return -1;
	}
	if (into->n_options || into->table_space_name[0] || into->access_method[0]) {
		unsupported(c, out->location, "WITH, USING and TABLESPACE of a table are");
		return -1;
	}
	out->if_possible = statement->if_not_exists;
	out->without_rows = into->skip_data;
	out->columns = convert_names(c, NODES(into, col_names), &out->column_count);
	return take_query(c, statement->query, out);
}

static int convert_drop(
	struct converter *c, const PgQuery__DropStmt *statement, struct sql_statement *out)
{
	out->kind = SQL_DROP;
	out->is_view = statement->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_VIEW;
	if (!out->is_view && statement->remove_type != PG_QUERY__OBJECT_TYPE__OBJECT_TABLE) {
		unsupported(c, out->location, "DROP of anything but tables and views is");
		return -1;
	}
	if (statement->n_objects != 1 ||
		statement->objects[0]->node_case != PG_QUERY__NODE__NODE_LIST) {
		unsupported(c, out->location, "DROP of several at once is");
		return -1;
	}
	out->if_possible = statement->missing_ok;
	out->name = last_name(NODES(statement->objects[0]->list, items));
	return 0;
}

/* The values of SET, which may be several, as one text. */
static int convert_setting(
	struct converter *c, const PgQuery__VariableSetStmt *statement, struct sql_statement *out)
{
	struct buf value;

	out->kind = statement->kind == PG_QUERY__VARIABLE_SET_KIND__VAR_RESET ||
				    statement->kind == PG_QUERY__VARIABLE_SET_KIND__VAR_RESET_ALL
			    ? SQL_RESET
			    : SQL_SET;
	out->name = optional_name(statement->name);
	if (statement->kind == PG_QUERY__VARIABLE_SET_KIND__VAR_SET_MULTI || !statement->name) {
		unsupported(c, out->location, "this SET is");
		return -1;
	}
	if (statement->kind != PG_QUERY__VARIABLE_SET_KIND__VAR_SET_VALUE)
		return 0;
	buf_init(&value, SQL_TEXT_MAX);
	for (size_t i = 0; i < statement->n_args; i++) {
		const struct ast_expr *arg = convert_expr(c, statement->args[i]);

		if (!arg || !(arg->text || arg->kind == AST_BOOL)) {
			buf_release(&value);
			return arg ? source_error(c->source, arg->location, c->err,
					     "a setting is a number or a text")
				   : -1;
		}
		if (i > 0)
			buf_append_text(&value, ", ");
		buf_append_text(&value, arg->text ? arg->text : arg->flag ? "true" : "false");
	}
	out->value = arena_strndup(c->arena, value.data ? value.data : "", value.size);
	buf_release(&value);
	return 0;
}

/* on, true, 1, or nothing. */
static bool option_is_on(const struct sql_option *option)
{
	return !option->value || !option->value[0] || strcasecmp(option->value, "true") == 0 ||
	       strcasecmp(option->value, "on") == 0 || strcmp(option->value, "1") == 0;
}

static int convert_explain(
	struct converter *c, const PgQuery__ExplainStmt *statement, struct sql_statement *out)
{
	uint32_t count = (uint32_t)statement->n_options;
	struct sql_option *options = convert_options(c, statement->options, count);

	out->kind = SQL_EXPLAIN;
	for (uint32_t i = 0; i < count; i++) {
		const struct sql_option *option = &options[i];

		if (strcmp(option->name, "analyze") == 0) {
			out->analyzes = option_is_on(option);
		} else if (strcmp(option->name, "format") == 0 &&
			   (strcasecmp(option->value, "text") == 0 ||
				   strcasecmp(option->value, "json") == 0)) {
			out->as_json = strcasecmp(option->value, "json") == 0;
		} else {
			return source_error(c->source, option->location, c->err,
				"EXPLAIN has the options ANALYZE, FORMAT TEXT and FORMAT JSON");
		}
	}
	return take_query(c, statement->query, out);
}

/* Statements that PostgreSQL has and a session over files has not: what there is instead. */
static int refuse_statement(
	struct converter *c, const PgQuery__Node *node, const struct sql_statement *out)
{
	const char *hint = "";

	switch (node ? node->node_case : PG_QUERY__NODE__NODE__NOT_SET) {
	case PG_QUERY__NODE__NODE_INSERT_STMT:
	case PG_QUERY__NODE__NODE_UPDATE_STMT:
	case PG_QUERY__NODE__NODE_DELETE_STMT:
	case PG_QUERY__NODE__NODE_MERGE_STMT:
	case PG_QUERY__NODE__NODE_TRUNCATE_STMT:
		hint = ": files are only read; CREATE TABLE name AS SELECT ... makes a table in "
		       "memory, and COPY (SELECT ...) TO 'file' a file";
		break;
	case PG_QUERY__NODE__NODE_TRANSACTION_STMT:
		hint = ": there are no transactions, every statement stands for itself";
		break;
	default: break;
	}
	return source_error(c->source, out->location, c->err,
		"this kind of statement is not supported%s", hint);
}

int convert_statement(struct converter *c, const PgQuery__RawStmt *raw, struct sql_statement *out)
{
	const PgQuery__Node *node = raw->stmt;

	out->location = raw->stmt_location;
	switch (node ? node->node_case : PG_QUERY__NODE__NODE__NOT_SET) {
	case PG_QUERY__NODE__NODE_SELECT_STMT:
		out->kind = SQL_QUERY;
		return take_query(c, node, out);
	case PG_QUERY__NODE__NODE_EXPLAIN_STMT: return convert_explain(c, node->explain_stmt, out);
	case PG_QUERY__NODE__NODE_COPY_STMT: return convert_copy(c, node->copy_stmt, out);
	case PG_QUERY__NODE__NODE_VIEW_STMT: return convert_view(c, node->view_stmt, out);
	case PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT:
		return convert_table_as(c, node->create_table_as_stmt, out);
	case PG_QUERY__NODE__NODE_CREATE_STMT:
		out->kind = SQL_CREATE_TABLE;
		out->name = node->create_stmt->relation->relname;
		out->location = node->create_stmt->relation->location;
		out->if_possible = node->create_stmt->if_not_exists;
		return 0;
	case PG_QUERY__NODE__NODE_DROP_STMT: return convert_drop(c, node->drop_stmt, out);
	case PG_QUERY__NODE__NODE_VARIABLE_SET_STMT:
		return convert_setting(c, node->variable_set_stmt, out);
	case PG_QUERY__NODE__NODE_VARIABLE_SHOW_STMT:
		out->kind = SQL_SHOW;
		out->name = node->variable_show_stmt->name;
		return 0;
	default: return refuse_statement(c, node, out);
	}
}
