/* tamiz explain: the plan of a pack or a query, as a tree. */
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/request/catalog.h"
#include "cli/request/pack.h"
#include "local/files.h"
#include "sql/compile.h"

#define ARENA_BLOCK_BYTES (64u << 10)
#define EXPLAIN_BYTES_MAX (64u << 20)

struct explain_options {
	struct option_list data;
	const char *schema;
	const char *command;
	struct option_list queries;
	struct dialect_options files;
};

static const struct option_spec options_table[] = {
	OPTION_ROW_DATA(struct explain_options, data,
		"the folder with the CSV files: their sizes decide how\n"
		"tables are joined (default for -c: the current one)"),
	OPTION_ROW_COMMAND(struct explain_options, command, "a query instead of a pack"),
	OPTION_ROW_SCHEMA(struct explain_options, schema,
		"for -c: tables from CREATE TABLE statements, or those of a pack"),
	OPTION_ROW_QUERY(
		struct explain_options, queries, "only this query of the pack; may be repeated"),
	DIALECT_OPTION_ROWS(struct explain_options, files),
	CONTEXT_OPTION_ROWS(struct explain_options, files),
};

const struct command_spec cmd_explain_spec = {
	.name = "tamiz explain",
	.operands = "[PACK]",
	.summary = "Shows how the queries of a pack, or one query, will be answered.",
	.operands_min = 0,
	.operands_max = 1,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

static int compile_pack(const char *name, const struct explain_options *options,
	struct arena *arena, struct plan **plan, struct error *err)
{
	const struct data_places data = catalog_places(&options->data);
	struct sql_queries queries;
	struct catalog catalog;
	struct pack pack;

	if (options->command || options->schema)
		return error_set(err, ERROR_USAGE, "give a pack or -c with a query, not both");
	if (pack_load(name, arena, &pack, err) || pack_select(&pack, &options->queries, err))
		return -1;
	if (sql_schema(pack.schema_origin, pack.schema, arena, &catalog, err))
		return -1;
	if (sql_parse(pack.queries, pack.query_count, arena, &queries, err) ||
		catalog_complete(&catalog, &queries, &data, &options->files, arena, err))
		return -1;
	catalog.explains = true;
	return sql_plan(&catalog, &queries, arena, plan, err);
}

static int compile_query(const struct explain_options *options, struct arena *arena,
	struct plan **plan, struct error *err)
{
	struct sql_text query = {.name = "", .title = "", .text = options->command};
	const char *const here[] = {"."};
	struct data_places data = catalog_places(&options->data);
	struct sql_queries queries;
	struct catalog catalog;

	if (!options->command)
		return error_set(err, ERROR_USAGE,
			"tamiz explain needs a pack, or a query: -c \"SELECT ...\"");
	if (options->queries.count)
		return error_set(err, ERROR_USAGE, "--query chooses from a pack: name one");
	if (data.count == 0 && !options->schema)
		data = (struct data_places){1, here, NULL};
	if (sql_parse(&query, 1, arena, &queries, err) ||
		catalog_load(
			options->schema, &queries, &data, &options->files, arena, &catalog, err))
		return -1;
	catalog.explains = true;
	return sql_plan(&catalog, &queries, arena, plan, err);
}

int cmd_explain(int argc, char *const *argv)
{
	struct explain_options options = {0};
	struct operands operands;
	struct arena arena;
	struct plan *plan;
	struct error err;
	struct buf text;
	int status;

	if (!cli_parse(&cmd_explain_spec, argc, argv, &options, &operands, &status))
		return status;
	arena_init(&arena, ARENA_BLOCK_BYTES);
	if (operands.count)
		status = compile_pack(operands.items[0], &options, &arena, &plan, &err);
	else
		status = compile_query(&options, &arena, &plan, &err);
	if (status) {
		status = cli_fail(&err);
	} else {
		buf_init(&text, EXPLAIN_BYTES_MAX);
		sql_explain(plan, &text);
		status = cli_print(&text);
	}
	arena_release(&arena);
	return status;
}
