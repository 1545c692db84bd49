#include "csv/columns.h"

#include "csv/constants.h"
#include "csv/file.h"
#include "csv/json/lines.h"

#include <string.h>

/* The columns while they are gathered. */
struct gathering {
	struct table_schema *table;
	struct arena *arena;
	struct error *err;
	uint32_t capacity;
	const char *first_path; /* of a file that has columns */
	bool named;		/* they stand in it */
	/* A column that some file lacks, and that file; NULL: there is none. */
	const char *missing;
	const char *missing_path;
};

static bool has_name(const struct table_column *column, struct text name)
{
	return strlen(column->name) == name.size && !memcmp(column->name, name.data, name.size);
}

/* Its index; TABLE_NO_COLUMN. In most files it is where it is expected. */
static uint32_t find_column(const struct table_schema *table, struct text name, uint32_t expected)
{
	if (expected < table->column_count && has_name(&table->columns[expected], name))
		return expected;
	for (uint32_t c = 0; c < table->column_count; c++)
		if (has_name(&table->columns[c], name))
			return c;
	return TABLE_NO_COLUMN;
}

static int add_column(struct gathering *g, const char *path, struct text name)
{
	struct table_schema *table = g->table;

	if (table->column_count == TABLE_COLUMNS_MAX)
		return error_set(g->err, ERROR_LIMIT,
			"table %s: its files have more than %d different columns, %s among them",
			table->name, TABLE_COLUMNS_MAX, path);
	if (memchr(name.data, '\0', name.size))
		return error_set(g->err, ERROR_DATA, "%s: the name of column %u holds a NUL byte",
			path, table->column_count + 1);
	if (table->column_count == g->capacity) {
		struct table_column *old = table->columns;

		g->capacity = g->capacity ? 2 * g->capacity : 16;
		table->columns = arena_zalloc(g->arena, g->capacity * sizeof(*table->columns));
		if (table->column_count > 0)
			memcpy(table->columns, old, table->column_count * sizeof(*old));
	}
	table->columns[table->column_count++].name = arena_strndup(g->arena, name.data, name.size);
	return 0;
}

/* What the first file looks like is expected of the others, and its format suits a cluster. */
static void set_found(struct table_schema *table, const struct csv_file *file, struct arena *arena)
{
	struct csv_format format = table->format;

	table->inferred = true;
	if (csv_file_note(file))
		table->note =
			arena_printf(arena, "%s: %s", csv_file_path(file), csv_file_note(file));
	table->dialect = *csv_file_dialect(file);
	if (csv_dialect_is_plain(&table->dialect, &format) && format.delimiter && format.quote)
		table->format = format;
}

static int check_names(struct gathering *g, const struct csv_file *file)
{
	bool named = csv_file_has_names(file);

	if (named == g->named)
		return 0;
	return error_set(g->err, ERROR_DATA,
		"table %s: %s seems to have no header, and %s has one; say with --header, or "
		"header = in a schema, how many rows of names each of its files has",
		g->table->name, named ? g->first_path : csv_file_path(file),
		named ? csv_file_path(file) : g->first_path);
}

/* The names of one more file. */
static int add_names(
	struct gathering *g, const char *path, const struct text *names, uint32_t count)
{
	uint32_t known = 0, before = g->table->column_count;
	bool *seen;

	seen = arena_zalloc(g->arena, before + 1);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = find_column(g->table, names[i], i);

		if (at != TABLE_NO_COLUMN) {
			known += !seen[at];
			seen[at] = true;
		} else if (add_column(g, path, names[i])) {
			return -1;
		}
	}
	if (before == 0 || g->missing)
		return 0;
	if (g->table->column_count > before) {
		g->missing = g->table->columns[before].name;
		g->missing_path = g->first_path;
	} else if (known < before) {
		uint32_t c = 0;

		while (seen[c])
			c++;
		g->missing = g->table->columns[c].name;
		g->missing_path = arena_strdup(g->arena, path);
	}
	return 0;
}

/* The header of one more file. */
static int add_header(struct gathering *g, const struct csv_file *file)
{
	uint32_t count;
	const struct text *names = csv_file_header(file, &count);

	if (count == 0)
		return 0;
	if (!g->first_path) {
		set_found(g->table, file, g->arena);
		g->first_path = arena_strdup(g->arena, csv_file_path(file));
		g->named = csv_file_has_names(file);
	} else if (check_names(g, file)) {
		return -1;
	}
	return add_names(g, csv_file_path(file), names, count);
}

/* The keys of one more file of JSON lines. */
static int add_keys(struct gathering *g, const char *path)
{
	struct text *names;
	uint32_t count;

	if (json_lines_keys(path, g->table->dialect.encoding, g->arena, &names, &count, g->err))
		return -1;
	if (count == 0)
		return 0;
	if (!g->first_path) {
		g->first_path = path;
		g->named = true;
		g->table->inferred = true;
	}
	return add_names(g, path, names, count);
}

static int add_file(struct gathering *g, const char *path)
{
	struct csv_file *file;
	int status;

	if (json_lines_is_name(path))
		return add_keys(g, path);
	if (csv_file_open(&file, path, g->table, NULL, 0, g->err) < 0)
		return -1;
	status = add_header(g, file);
	csv_file_close(file);
	return status;
}

/* Columns that folders give, behind those of the files. */
static int add_folders(struct gathering *g, const char *path)
{
	struct csv_constant *constants;
	uint32_t count = csv_constants_of_path(path, g->arena, &constants);

	for (uint32_t i = 0; i < count; i++) {
		struct text name = text_from(constants[i].name, strlen(constants[i].name));

		if (!constants[i].hidden && find_column(g->table, name, i) == TABLE_NO_COLUMN &&
			add_column(g, path, name))
			return -1;
	}
	return 0;
}

static void add_note(struct gathering *g)
{
	struct table_schema *table = g->table;

	if (!g->missing)
		return;
	table->note = arena_printf(g->arena,
		"%s%stable %s: its files have different columns, which are united: %s has no "
		"\"%s\", for one, which is NULL there (--columns strict refuses that)",
		table->note ? table->note : "", table->note ? "\n" : "", table->name,
		g->missing_path, g->missing);
}

int csv_read_columns(struct table_schema *table, const char *const *paths, uint32_t path_count,
	struct arena *arena, struct error *err)
{
	bool strict = (table->dialect.given & CSV_GIVEN_COLUMNS) &&
		      table->dialect.columns == CSV_COLUMNS_STRICT;
	struct gathering g = {.table = table, .arena = arena, .err = err};

	for (uint32_t i = 0; i < path_count && !(strict && g.first_path); i++) {
		if (add_file(&g, paths[i]))
			return -1;
		if (!strict && path_count > 1)
			table->dialect.columns = CSV_COLUMNS_UNION;
	}
	if (!g.first_path)
		return error_set(err, ERROR_DATA,
			"table %s: its files have no header line to take the columns' names from",
			table->name);
	for (uint32_t i = 0; i < path_count; i++)
		if (add_folders(&g, paths[i]))
			return -1;
	add_note(&g);
	return 0;
}
