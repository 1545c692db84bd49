/* tamiz run: all queries of a pack over a folder of CSV files. */
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/request/catalog.h"
#include "cli/request/execute.h"
#include "cli/request/pack.h"
#include "local/files.h"
#include "sql/compile.h"

#define ARENA_BLOCK_BYTES (64u << 10)

struct run_options {
	struct option_list data;
	struct option_list queries;
	struct dialect_options files;
	struct execute_options execute;
};

static const struct option_spec options_table[] = {
	OPTION_ROW_DATA(struct run_options, data,
		"the folder with the pack's tables; may be repeated (required)"),
	OPTION_ROW_QUERY(struct run_options, queries, "only this query; may be repeated"),
	DIALECT_OPTION_ROWS(struct run_options, files),
	CONTEXT_OPTION_ROWS(struct run_options, files),
	EXECUTE_OPTION_ROWS(struct run_options, execute,
		"write PATH/QUERY.csv, one file per query, instead of stdout"),
};

const struct command_spec cmd_run_spec = {
	.name = "tamiz run",
	.operands = "PACK",
	.summary = "Answers all queries of a pack over a folder of CSV files, reading them once.",
	.details = "PACK is a name that `tamiz packs` lists, or a folder with schema.sql and\n"
		   "queries/*.sql.",
	.operands_min = 1,
	.operands_max = 1,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

static int prepare(const char *pack_name, const struct run_options *options, struct arena *arena,
	struct catalog *catalog, struct sql_queries *queries, struct error *err)
{
	const struct data_places data = catalog_places(&options->data);
	struct pack pack;

	if (data.count == 0)
		return error_set(err, ERROR_USAGE,
			"tamiz run needs --data PATH, the folder with the CSV files");
	if (pack_load(pack_name, arena, &pack, err) || pack_select(&pack, &options->queries, err))
		return -1;
	if (sql_schema(pack.schema_origin, pack.schema, arena, catalog, err) ||
		sql_parse(pack.queries, pack.query_count, arena, queries, err))
		return -1;
	return catalog_complete(catalog, queries, &data, &options->files, arena, err);
}

int cmd_run(int argc, char *const *argv)
{
	struct run_options options = {.execute.max_rows = EXECUTE_ROWS_SHOWN};
	struct operands operands;
	struct catalog catalog;
	struct arena arena;
	struct sql_queries queries;
	struct error err;
	int status;

	if (!cli_parse(&cmd_run_spec, argc, argv, &options, &operands, &status))
		return status;
	arena_init(&arena, ARENA_BLOCK_BYTES);
	if (prepare(operands.items[0], &options, &arena, &catalog, &queries, &err)) {
		status = cli_fail(&err);
	} else {
		const struct data_places data = catalog_places(&options.data);
		struct execute_job job = {.catalog = &catalog,
			.queries = &queries,
			.arena = &arena,
			.data = &data,
			.pack = true};

		status = execute_queries(&job, &options.execute);
	}
	arena_release(&arena);
	return status;
}
