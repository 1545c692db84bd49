/*
 * CREATE TABLE t (column type, ...) WITH (files = 'glob' [, delimiter, quote, header, null]).
 */
#include "base/suggest.h"
#include "sql/bind/bind.h"
#include "sql/compile.h"

#include <string.h>
#include <strings.h>

struct schema_reader {
	const struct sql_source *source;
	struct arena *arena;
	struct error *err;
};

static int read_character(const struct schema_reader *r, const struct ast_option *option, char *out)
{
	const char *value = strcmp(option->value, "\\t") == 0 ? "\t" : option->value;

	if (strlen(value) != 1 || (value[0] & 0x80) || value[0] == '\n' || value[0] == '\r')
		return source_error(r->source, option->location, r->err,
			"%s must be one ASCII character", option->name);
	*out = value[0];
	return 0;
}

static int read_boolean(const struct schema_reader *r, const struct ast_option *option, bool *out)
{
	const char *const words[2][4] = {{"false", "off", "no", "0"}, {"true", "on", "yes", "1"}};

	for (int value = 0; value < 2; value++)
		for (int i = 0; i < 4; i++)
			if (strcasecmp(option->value, words[value][i]) == 0) {
				*out = value;
				return 0;
			}
	return source_error(
		r->source, option->location, r->err, "%s must be true or false", option->name);
}

static int read_option(
	const struct schema_reader *r, const struct ast_option *option, struct table_schema *table)
{
	static const char *const names[] = {"files", "delimiter", "quote", "header", "null"};
	char hint[SUGGESTION_TEXT_MAX];
	struct suggestion suggestion;

	if (strcmp(option->name, "files") == 0) {
		table->files = option->value;
		return 0;
	}
	if (strcmp(option->name, "delimiter") == 0)
		return read_character(r, option, &table->format.delimiter);
	if (strcmp(option->name, "quote") == 0)
		return read_character(r, option, &table->format.quote);
	if (strcmp(option->name, "header") == 0)
		return read_boolean(r, option, &table->format.header);
	if (strcmp(option->name, "null") == 0) {
		table->format.null_text = option->value;
		return 0;
	}
	suggestion_init(&suggestion, option->name);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		suggestion_consider(&suggestion, names[i]);
	return source_error(r->source, option->location, r->err, "unknown option \"%s\"%s",
		option->name, suggestion_text(&suggestion, hint));
}

static int read_columns(const struct schema_reader *r, const struct ast_create_table *ast,
	struct table_schema *table)
{
	if (ast->column_count == 0)
		return source_error(
			r->source, ast->location, r->err, "table \"%s\" has no columns", ast->name);
	if (ast->column_count > TABLE_COLUMNS_MAX)
		return source_error(r->source, ast->location, r->err,
			"table \"%s\" has more than %d columns", ast->name, TABLE_COLUMNS_MAX);
	table->column_count = ast->column_count;
	table->columns = arena_alloc(r->arena, ast->column_count * sizeof(*table->columns));
	for (uint32_t i = 0; i < ast->column_count; i++) {
		const struct ast_column_def *column = &ast->columns[i];

		for (uint32_t j = 0; j < i; j++)
			if (strcmp(ast->columns[j].name, column->name) == 0)
				return source_error(r->source, column->location, r->err,
					"column \"%s\" specified more than once", column->name);
		table->columns[i].name = column->name;
		if (bind_type(r->source, column->type, &table->columns[i].type, r->err) < 0)
			return -1;
	}
	return 0;
}

static int read_table(const struct schema_reader *r, const struct ast_create_table *ast,
	struct table_schema *table)
{
	*table = (struct table_schema){.name = ast->name,
		.dialect = csv_dialect_default(),
		.format = csv_format_default()};
	if (read_columns(r, ast, table) < 0)
		return -1;
	for (uint32_t i = 0; i < ast->option_count; i++)
		if (read_option(r, &ast->options[i], table) < 0)
			return -1;
	if (!table->files || table->files[0] == '\0')
		return source_error(r->source, ast->location, r->err,
			"table \"%s\" needs WITH (files = '...')", ast->name);
	if (table->format.delimiter == table->format.quote)
		return source_error(r->source, ast->location, r->err,
			"delimiter and quote of table \"%s\" must differ", ast->name);
	return 0;
}

int sql_schema(const char *origin, const char *text, struct arena *arena, struct catalog *out,
	struct error *err)
{
	struct sql_source source = {.name = origin, .text = text, .code = ERROR_USAGE};
	struct schema_reader reader = {&source, arena, err};
	struct ast_create_table *tables;
	uint32_t count;

	if (parse_schema(&source, arena, &tables, &count, err) < 0)
		return -1;
	if (count > CATALOG_TABLES_MAX)
		return source_error(&source, -1, err, "more than %d tables", CATALOG_TABLES_MAX);
	*out = (struct catalog){.table_count = count};
	out->tables = arena_zalloc(arena, (count + 1) * sizeof(*out->tables));
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = 0; j < i; j++)
			if (strcmp(tables[j].name, tables[i].name) == 0)
				return source_error(&source, tables[i].location, err,
					"table \"%s\" is defined twice", tables[i].name);
		if (read_table(&reader, &tables[i], &out->tables[i]) < 0)
			return -1;
	}
	return 0;
}
