/* tamiz sql: one query over a folder of CSV files. */
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/request/catalog.h"
#include "cli/request/execute.h"
#include "cli/request/pack.h"
#include "sql/compile.h"

#include <string.h>

#define ARENA_BLOCK_BYTES (64u << 10)

struct sql_options {
	struct option_list data;
	const char *schema;
	const char *command;
	struct dialect_options files;
	struct execute_options execute;
};

static const struct option_spec options_table[] = {
	OPTION_ROW_DATA(struct sql_options, data,
		"a folder with CSV files, or a file; - is the standard input,\n"
		"the table stdin; may be repeated (default: the current folder)"),
	OPTION_ROW_COMMAND(struct sql_options, command, "the query itself"),
	OPTION_ROW_SCHEMA(struct sql_options, schema,
		"tables from CREATE TABLE statements, or those of a pack;\n"
		"default: from the files' headers and values"),
	DIALECT_OPTION_ROWS(struct sql_options, files),
	ZONE_OPTION_ROW(struct sql_options, files),
	EXECUTE_OPTION_ROWS(struct sql_options, execute, "write to a file instead of stdout"),
};

const struct command_spec cmd_sql_spec = {
	.name = "tamiz sql",
	.operands = "[FILE]",
	.summary = "Answers one SELECT over a folder of CSV files.",
	.details =
		"The query comes from -c, from FILE, or from the standard input when FILE is -.\n"
		"Every x.csv in the folder is a table x, and so is every subfolder x with CSV\n"
		"files. Files may be compressed (.csv.gz, .csv.zst).",
	.operands_min = 0,
	.operands_max = 1,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

static int read_query(const struct sql_options *options, const struct operands *operands,
	struct arena *arena, const char **text, struct error *err)
{
	char *contents;

	if (options->command && operands->count)
		return error_set(err, ERROR_USAGE,
			"give the query once: with -c, or as the file %s", operands->items[0]);
	if (options->command) {
		*text = options->command;
		return 0;
	}
	if (operands->count == 0)
		return error_set(err, ERROR_USAGE,
			"tamiz sql needs a query: -c \"SELECT ...\", a file, or - for the standard "
			"input");
	if (pack_read_file(operands->items[0], arena, &contents, err)) {
		const char *name = operands->items[0];

		for (; *name; name++) {
			if (*name == ' ')
				return error_set(err, ERROR_USAGE,
					"there is no file \"%s\": to pass a query use -c",
					operands->items[0]);
		}
		return -1;
	}
	*text = contents;
	return 0;
}

static bool reads_stdin(const struct data_places *data)
{
	for (uint32_t i = 0; i < data->count; i++)
		if (strcmp(data->paths[i], FILES_STDIN) == 0)
			return true;
	return false;
}

static int prepare(const struct sql_options *options, const struct operands *operands,
	struct arena *arena, struct catalog *catalog, struct sql_queries *queries,
	struct error *err)
{
	struct sql_text *query = arena_alloc(arena, sizeof(*query));
	const struct data_places data = catalog_places(&options->data);

	*query = (struct sql_text){.name = "", .title = ""};
	if (operands->count && strcmp(operands->items[0], "-") == 0 && reads_stdin(&data))
		return error_set(err, ERROR_USAGE,
			"the standard input is the query or the data, not both: give the query "
			"with -c");
	if (read_query(options, operands, arena, &query->text, err))
		return -1;
	if (sql_parse(query, 1, arena, queries, err))
		return -1;
	return catalog_load(options->schema, queries, &data, &options->files, arena, catalog, err);
}

int cmd_sql(int argc, char *const *argv)
{
	struct sql_options options = {0};
	struct operands operands;
	struct catalog catalog;
	struct arena arena;
	struct sql_queries queries;
	struct error err;
	int status;

	if (!cli_parse(&cmd_sql_spec, argc, argv, &options, &operands, &status))
		return status;
	if (options.data.count == 0)
		options.data = (struct option_list){1, {"."}};
	arena_init(&arena, ARENA_BLOCK_BYTES);
	if (prepare(&options, &operands, &arena, &catalog, &queries, &err)) {
		status = cli_fail(&err);
	} else {
		const struct data_places data = catalog_places(&options.data);
		struct execute_job job = {
			.catalog = &catalog, .queries = &queries, .arena = &arena, .data = &data};

		status = execute_queries(&job, &options.execute);
	}
	arena_release(&arena);
	return status;
}
