#include "cli/request/catalog.h"

#include "cli/request/pack.h"
#include "local/files.h"
#include "sql/compile.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

static int load_schema(
	const char *schema, struct arena *arena, struct catalog *out, struct error *err)
{
	char *text;

	for (uint32_t i = 0; i < embedded_pack_count; i++) {
		if (strcmp(embedded_packs[i].name, schema) == 0)
			return sql_schema(schema, embedded_packs[i].schema, arena, out, err);
	}
	if (pack_read_file(schema, arena, &text, err))
		return -1;
	return sql_schema(schema, text, arena, out, err);
}

/* What the command line gives and the schema does not. */
static int apply_options(struct table_schema *table, const struct dialect_options *files,
	struct arena *arena, struct error *err)
{
	struct csv_dialect declared = table->dialect;
	struct buf value;

	if (dialect_options_read(files, arena, &table->dialect, err))
		return -1;
	buf_init(&value, 4096);
	for (uint32_t i = 0; csv_dialect_option(i); i++) {
		if (!csv_dialect_is_given(&declared, csv_dialect_option(i)))
			continue;
		buf_clear(&value);
		csv_dialect_get(&declared, csv_dialect_option(i), &value);
		buf_append_char(&value, '\0');
		if (csv_dialect_set(
			    &table->dialect, csv_dialect_option(i), value.data, arena, err)) {
			buf_release(&value);
			return -1;
		}
	}
	buf_release(&value);
	table_apply_dialect(table);
	return 0;
}

/* What the command line gives and the schema does, too; from here on the statement has started. */
static int apply_context(
	struct catalog *catalog, const struct dialect_options *given, struct error *err)
{
	if (given->time_zone)
		catalog->time_zone = given->time_zone;
	if (given->now && statement_start_set(&catalog->start, "now", given->now, err))
		return error_prefix(err, "--");
	if (given->seed && statement_start_set(&catalog->start, "seed", given->seed, err))
		return error_prefix(err, "--");
	return statement_start_begin(&catalog->start, err);
}

/*
 * A path is one below the data. Where nothing is there it may be one from where the user is: of what COPY has
 * just written, for example.
 */
static bool find_here(
	struct table_schema *table, const struct data_places *data, struct arena *arena)
{
	struct table_schema here = *table;
	char folder[PATH_MAX];
	struct error ignored;

	if (table->files[0] == '/' || !getcwd(folder, sizeof(folder)) || strpbrk(folder, "*?["))
		return false;
	here.files = arena_printf(arena, "%s/%s", folder, table->files);
	if (files_infer_table(&here, data, arena, &ignored))
		return false;
	*table = here;
	return true;
}

/* Queries may also name files themselves (sql_file_tables): they become tables of the catalog, too. */
static int add_files(struct catalog *catalog, const struct sql_queries *queries,
	const struct data_places *data, const struct dialect_options *files, struct arena *arena,
	struct error *err)
{
	struct table_schema *tables =
		arena_zalloc(arena, CATALOG_TABLES_MAX * sizeof(struct table_schema));
	const struct data_places *places = data->count ? data : DATA_PLACE(".");
	bool named[CATALOG_TABLES_MAX];
	uint32_t first = catalog->table_count, kept = first;

	if (first > 0)
		memcpy(tables, catalog->tables, first * sizeof(*tables));
	catalog->tables = tables;
	if (sql_file_tables(queries, arena, catalog, named, err))
		return -1;
	for (uint32_t t = first; t < catalog->table_count; t++) {
		struct error *problem = arena_alloc(arena, sizeof(*problem));

		tables[kept] = tables[t];
		if (apply_options(&tables[kept], files, arena, err))
			return -1;
		if (files_infer_table(&tables[kept], places, arena, problem) &&
			!(problem->code == ERROR_IO && find_here(&tables[kept], places, arena))) {
			/* A name that only looks like a path is a table that does not exist. */
			if (!named[t - first] && problem->code == ERROR_IO)
				continue;
			tables[kept].problem = problem;
		}
		kept++;
	}
	catalog->table_count = kept;
	files_offer_statistics(catalog, data, arena);
	return 0;
}

int catalog_complete(struct catalog *catalog, const struct sql_queries *queries,
	const struct data_places *data, const struct dialect_options *files, struct arena *arena,
	struct error *err)
{
	bool *wanted = arena_zalloc(arena, catalog->table_count + 1);

	if (apply_context(catalog, files, err))
		return -1;
	if (queries)
		sql_named_tables(queries, catalog, wanted);
	else
		memset(wanted, true, catalog->table_count);
	for (uint32_t t = 0; t < catalog->table_count; t++)
		if (apply_options(&catalog->tables[t], files, arena, err))
			return -1;
	if (data->count > 0 && files_measure(catalog, wanted, data, err))
		return -1;
	if (files_infer_columns(catalog, wanted, data, arena, err))
		return -1;
	return !queries ? 0 : add_files(catalog, queries, data, files, arena, err);
}

int catalog_load(const char *schema, const struct sql_queries *queries,
	const struct data_places *data, const struct dialect_options *files, struct arena *arena,
	struct catalog *out, struct error *err)
{
	struct csv_dialect dialect = csv_dialect_default();
	struct table_names names;

	if (dialect_options_read(files, arena, &dialect, err))
		return -1;
	if (schema)
		return load_schema(schema, arena, out, err) ||
				       catalog_complete(out, queries, data, files, arena, err)
			       ? -1
			       : 0;
	if (queries)
		names.names = sql_table_names(queries, arena, &names.count);
	if (files_infer_catalog(data, &dialect, queries ? &names : NULL, arena, out, err))
		return -1;
	if (apply_context(out, files, err))
		return -1;
	return !queries ? 0 : add_files(out, queries, data, files, arena, err);
}
