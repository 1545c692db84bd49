/*
 * Files in FROM: read_csv('path', delimiter => ';', ...) is a table whose name is the call itself,
 * written in one way, so that everybody who reads the query finds the same table in the catalog.
 */
#include "sql/parse/convert_private.h"

#include <string.h>

#define FILES_FUNCTION "read_csv"

bool convert_is_files(const PgQuery__FuncCall *call)
{
	return strcmp(last_name(NODES(call, funcname)), FILES_FUNCTION) == 0;
}

/* A constant as the text of an option; NULL for anything else. */
static const char *constant_text(const struct ast_expr *expr)
{
	switch (expr->kind) {
	case AST_STRING:
	case AST_INTEGER:
	case AST_NUMBER: return expr->text;
	case AST_BOOL: return expr->flag ? "true" : "false";
	default: return NULL;
	}
}

static void append_quoted(struct buf *out, const char *text)
{
	buf_append_char(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			buf_append_char(out, '\'');
		buf_append_char(out, *text);
	}
	buf_append_char(out, '\'');
}

/* The call in its one way of writing. */
static const char *files_name(struct converter *c, const struct ast_from *from)
{
	struct buf text;
	const char *name;

	buf_init(&text, 4u << 20);
	buf_append_text(&text, FILES_FUNCTION "(");
	append_quoted(&text, from->files);
	for (uint32_t i = 0; i < from->option_count; i++) {
		buf_printf(&text, ", %s => ", from->options[i].name);
		append_quoted(&text, from->options[i].value);
	}
	buf_append_char(&text, ')');
	name = arena_strndup(c->arena, text.data, text.size);
	buf_release(&text);
	return name;
}

static int convert_argument(
	struct converter *c, const PgQuery__Node *node, bool first, struct ast_from *from)
{
	bool named = node->node_case == PG_QUERY__NODE__NODE_NAMED_ARG_EXPR;
	struct ast_expr *expr = convert_expr(c, node);
	const char *value;

	if (!expr)
		return -1;
	value = constant_text(expr);
	if (!value || strlen(value) == 0 || named == first || (first && expr->kind != AST_STRING))
		return source_error(c->source, expr->location, c->err,
			FILES_FUNCTION "() takes a path and options: " FILES_FUNCTION
				       "('a/*.csv', delimiter => ';')");
	if (first)
		from->files = value;
	else
		from->options[from->option_count++] = (struct sql_option){
			node->named_arg_expr->name, value, node->named_arg_expr->location};
	return 0;
}

struct ast_from *convert_files(struct converter *c, const PgQuery__FuncCall *call)
{
	struct ast_from *from = arena_zalloc(c->arena, sizeof(*from));

	from->kind = AST_FROM_TABLE;
	from->is_file = true;
	from->location = call->location;
	from->options = arena_zalloc(c->arena, (call->n_args + 1) * sizeof(*from->options));
	for (size_t i = 0; i < call->n_args; i++)
		if (convert_argument(c, call->args[i], i == 0, from) < 0)
			return NULL;
	if (!from->files) {
		source_error(c->source, from->location, c->err,
			FILES_FUNCTION "() needs the path of a file");
		return NULL;
	}
	from->name = files_name(c, from);
	return from;
}

void convert_note_table(struct converter *c, const struct ast_from *from)
{
	struct ast_tables *tables = c->tables;

	if (!tables)
		return;
	if (tables->count == tables->capacity) {
		uint32_t capacity = tables->capacity ? 2 * tables->capacity : 8;
		const struct ast_from **grown =
			(const struct ast_from **)arena_alloc(c->arena, capacity * sizeof(*grown));

		if (tables->count > 0)
			memcpy(grown, tables->items, tables->count * sizeof(*grown));
		tables->items = grown;
		tables->capacity = capacity;
	}
	tables->items[tables->count++] = from;
}
