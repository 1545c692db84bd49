/*
 * CREATE TABLE t (column type [OPTIONS (...)], ...) WITH (files = 'glob' [, ...]), with the options
 * of column/csv_dialect.h. Without columns, they are those of the files.
 */
#include "base/suggest.h"
#include "plan/function_table.h"
#include "sql/bind/bind.h"
#include "sql/compile.h"

#include <string.h>
#include <strings.h>

#define OPTIONS_MAX 32 /* that a table may have */

struct schema_reader {
	const struct sql_source *source;
	struct arena *arena;
	struct error *err;
};

static int unknown_option(
	const struct schema_reader *r, const struct sql_option *option, const char *const *names)
{
	char hint[SUGGESTION_TEXT_MAX];
	struct suggestion suggestion;

	suggestion_init(&suggestion, option->name);
	for (; *names; names++)
		suggestion_consider(&suggestion, *names);
	return source_error(r->source, option->location, r->err, "unknown option \"%s\"%s",
		option->name, suggestion_text(&suggestion, hint));
}

/* One of the options of a file: 1; 0 when it is none of them. */
static int read_dialect_option(
	const struct schema_reader *r, const struct sql_option *option, struct csv_dialect *dialect)
{
	struct error problem;

	for (uint32_t i = 0; csv_dialect_option(i); i++) {
		if (strcmp(csv_dialect_option(i), option->name) != 0)
			continue;
		if (csv_dialect_set(dialect, option->name, option->value, r->arena, &problem))
			return source_error(
				r->source, option->location, r->err, "%s", problem.message);
		return 1;
	}
	return 0;
}

static int read_boolean(const struct schema_reader *r, const struct sql_option *option, bool *out)
{
	bool is_true = strcasecmp(option->value, "true") == 0;

	if (!is_true && strcasecmp(option->value, "false") != 0)
		return source_error(r->source, option->location, r->err, "%s must be true or false",
			option->name);
	*out = is_true;
	return 0;
}

/* true; or shown: and as it is written, to whoever only looks at it. */
static int read_guessed(
	const struct schema_reader *r, const struct sql_option *option, struct table_column *column)
{
	column->shown_as_written = strcasecmp(option->value, "shown") == 0;
	column->guessed = true;
	return column->shown_as_written ? 0 : read_boolean(r, option, &column->guessed);
}

static int read_option(
	const struct schema_reader *r, const struct sql_option *option, struct table_schema *table)
{
	const char *names[OPTIONS_MAX] = {"files", "inferred", "statistics"};
	int known;

	if (strcmp(option->name, "files") == 0) {
		table->files = option->value;
		return 0;
	}
	if (strcmp(option->name, "inferred") == 0)
		return read_boolean(r, option, &table->inferred);
	if (strcmp(option->name, "statistics") == 0)
		return 0; /* read_statistics */
	known = read_dialect_option(r, option, &table->dialect);
	for (uint32_t i = 0; i + 4 < OPTIONS_MAX; i++)
		names[3 + i] = csv_dialect_option(i);
	return known ? (known > 0 ? 0 : -1) : unknown_option(r, option, names);
}

/* OPTIONS of a column: how its values are written, where the table's are written otherwise. */
static int read_column_options(const struct schema_reader *r, const struct ast_column_def *ast,
	const struct csv_dialect *table, struct table_column *column)
{
	static const char *const names[] = {
		"decimal", "thousands", "date_format", "zone", "guessed", NULL};
	struct csv_dialect own = *table;

	for (uint32_t i = 0; i < ast->option_count; i++) {
		const struct sql_option *option = &ast->options[i];
		int status;

		if (strcmp(option->name, "zone") == 0)
			status = read_boolean(r, option, &column->reading.zoned);
		else if (strcmp(option->name, "guessed") == 0)
			status = read_guessed(r, option, column);
		else if (strcmp(option->name, "decimal") == 0 ||
			 strcmp(option->name, "thousands") == 0 ||
			 strcmp(option->name, "date_format") == 0)
			status = read_dialect_option(r, option, &own);
		else
			status = unknown_option(r, option, names);
		if (status < 0)
			return -1;
	}
	column_apply_dialect(column, &own);
	return 0;
}

static int read_columns(const struct schema_reader *r, const struct ast_create_table *ast,
	struct table_schema *table)
{
	if (ast->column_count > TABLE_COLUMNS_MAX)
		return source_error(r->source, ast->location, r->err,
			"table \"%s\" has more than %d columns", ast->name, TABLE_COLUMNS_MAX);
	table->column_count = ast->column_count;
	table->columns = arena_zalloc(r->arena, (ast->column_count + 1) * sizeof(*table->columns));
	for (uint32_t i = 0; i < ast->column_count; i++) {
		const struct ast_column_def *column = &ast->columns[i];

		for (uint32_t j = 0; j < i; j++)
			if (strcmp(ast->columns[j].name, column->name) == 0)
				return source_error(r->source, column->location, r->err,
					"column \"%s\" specified more than once", column->name);
		table->columns[i].name = column->name;
		if (bind_type(r->source, column->type, &table->columns[i].type, r->err) < 0 ||
			read_column_options(r, column, &table->dialect, &table->columns[i]) < 0)
			return -1;
	}
	return 0;
}

/* When the columns are known. */
static int read_statistics(const struct schema_reader *r, const struct ast_create_table *ast,
	struct table_schema *table)
{
	for (uint32_t i = 0; i < ast->option_count; i++) {
		const struct sql_option *option = &ast->options[i];

		if (strcmp(option->name, "statistics") != 0)
			continue;
		table->statistics = statistics_read(option->value, table->column_count, r->arena);
		if (!table->statistics)
			return source_error(r->source, option->location, r->err,
				"these are no statistics of \"%s\"", table->name);
	}
	return 0;
}

static int read_table(const struct schema_reader *r, const struct ast_create_table *ast,
	struct table_schema *table)
{
	struct error problem;

	*table = (struct table_schema){.name = ast->name,
		.dialect = csv_dialect_default(),
		.format = csv_format_default()};
	for (uint32_t i = 0; i < ast->option_count; i++)
		if (read_option(r, &ast->options[i], table) < 0)
			return -1;
	if (read_columns(r, ast, table) < 0 || read_statistics(r, ast, table) < 0)
		return -1;
	if (!table->files || table->files[0] == '\0')
		return source_error(r->source, ast->location, r->err,
			"table \"%s\" needs WITH (files = '...')", ast->name);
	if (csv_dialect_check(&table->dialect, &problem))
		return source_error(r->source, ast->location, r->err, "table \"%s\": %s", ast->name,
			problem.message);
	table_apply_dialect(table);
	return 0;
}

/* Those that SQL has already keep their meaning; types are found before somebody calls it. */
static int check_function(const struct schema_reader *r, const struct ast_function *function)
{
	size_t count;
	const struct function_entry *entries = function_entries(&count);
	struct type type;

	for (size_t i = 0; i < count; i++)
		if (strcmp(entries[i].name, function->name) == 0 &&
			entries[i].category != CATEGORY_INTERNAL &&
			entries[i].category != CATEGORY_CONVENIENCE)
			return source_error(r->source, function->location, r->err,
				"there is a function \"%s\" already", function->name);
	for (uint32_t i = 0; i < function->parameter_count; i++)
		if (bind_type(r->source, function->parameters[i].type, &type, r->err) < 0)
			return -1;
	for (uint32_t i = 0; i < function->column_count; i++)
		if (bind_type(r->source, function->columns[i].type, &type, r->err) < 0)
			return -1;
	return function->type ? bind_type(r->source, function->type, &type, r->err) : 0;
}

static int read_functions(
	const struct schema_reader *r, const struct ast_schema *schema, struct catalog *out)
{
	out->function_count = schema->function_count;
	out->functions =
		arena_zalloc(r->arena, (schema->function_count + 1) * sizeof(*out->functions));
	for (uint32_t i = 0; i < schema->function_count; i++) {
		const struct ast_function *function = &schema->functions[i];

		for (uint32_t j = 0; j < i; j++)
			if (strcmp(schema->functions[j].name, function->name) == 0 &&
				schema->functions[j].parameter_count == function->parameter_count)
				return source_error(r->source, function->location, r->err,
					"function \"%s\" with %u parameters is defined twice",
					function->name, function->parameter_count);
		if (check_function(r, function) < 0)
			return -1;
		out->functions[i] =
			(struct catalog_function){function->name, function->text, function};
	}
	return 0;
}

int sql_schema(const char *origin, const char *text, struct arena *arena, struct catalog *out,
	struct error *err)
{
	struct sql_source source = {.name = origin, .text = text, .code = ERROR_USAGE};
	struct schema_reader reader = {&source, arena, err};
	struct ast_schema schema;
	const struct ast_create_table *tables;
	uint32_t count;

	/* Functions keep it. */
	source.text = arena_strdup(arena, text);
	source.name = arena_strdup(arena, origin);
	if (parse_schema(&source, arena, &schema, err) < 0)
		return -1;
	tables = schema.tables;
	count = schema.table_count;
	if (count > CATALOG_TABLES_MAX)
		return source_error(&source, -1, err, "more than %d tables", CATALOG_TABLES_MAX);
	*out = (struct catalog){
		.table_count = count, .time_zone = schema.time_zone, .start = schema.start};
	out->start.known = out->start.now_given && out->start.seed_given;
	out->tables = arena_zalloc(arena, (count + 1) * sizeof(*out->tables));
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = 0; j < i; j++)
			if (strcmp(tables[j].name, tables[i].name) == 0)
				return source_error(&source, tables[i].location, err,
					"table \"%s\" is defined twice", tables[i].name);
		if (read_table(&reader, &tables[i], &out->tables[i]) < 0)
			return -1;
	}
	return read_functions(&reader, &schema, out);
}
