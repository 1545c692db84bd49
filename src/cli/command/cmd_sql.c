/* tamiz sql: statements over a folder of CSV files. */
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/request/pack.h"
#include "cli/shell/shell.h"

#include <string.h>

#define ARENA_BLOCK_BYTES (64u << 10)

struct sql_options {
	struct shell_options shell;
	struct option_list commands;
};

static const struct option_spec options_table[] = {
	OPTION_ROW_DATA(struct sql_options, shell.data,
		"a folder with CSV files, or a file; - is the standard input,\n"
		"the table stdin; may be repeated (default: the current folder)"),
	OPTION_ROW_COMMANDS(
		struct sql_options, commands, "statements, with ; between them; may be repeated"),
	SHELL_OPTION_ROWS(struct sql_options, shell),
};

const struct command_spec cmd_sql_spec = {
	.name = "tamiz sql",
	.operands = "[FILE]",
	.summary = "Runs SQL statements over a folder of CSV files.",
	.details = "They come from -c, from FILE, or from the standard input when FILE is -.\n"
		   "Every x.csv in the folder is a table x, and so is every subfolder x with CSV\n"
		   "files. Files may be compressed (.csv.gz, .csv.zst).",
	.operands_min = 0,
	.operands_max = 1,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

/* The text of a file; what looks like a query is told how to be one. */
static int read_script(const char *name, struct arena *arena, char **text, struct error *err)
{
	if (!pack_read_file(name, arena, text, err))
		return 0;
	if (strchr(name, ' '))
		return error_set(
			err, ERROR_USAGE, "there is no file \"%s\": to pass a query use -c", name);
	return -1;
}

static bool reads_stdin(const struct option_list *data)
{
	for (uint32_t i = 0; i < data->count; i++)
		if (strcmp(data->items[i], FILES_STDIN) == 0)
			return true;
	return false;
}

static int check(
	const struct sql_options *options, const struct operands *operands, struct error *err)
{
	if (options->commands.count && operands->count)
		return error_set(err, ERROR_USAGE,
			"give the query once: with -c, or as the file %s", operands->items[0]);
	if (!options->commands.count && !operands->count)
		return error_set(err, ERROR_USAGE,
			"tamiz sql needs a query: -c \"SELECT ...\", a file, or - for the standard "
			"input");
	if (operands->count && strcmp(operands->items[0], "-") == 0 &&
		reads_stdin(&options->shell.data))
		return error_set(err, ERROR_USAGE,
			"the standard input is the query or the data, not both: give the query "
			"with -c");
	return 0;
}

static int run(struct shell *shell, const struct sql_options *options, const char *file,
	struct arena *arena)
{
	struct error err;
	char *text = NULL;

	if (file && read_script(file, arena, &text, &err))
		return cli_fail(&err);
	return file ? shell_run_text(shell, text) : shell_run_commands(shell, &options->commands);
}

int cmd_sql(int argc, char *const *argv)
{
	struct sql_options options = {.shell.settings.execute.max_rows = EXECUTE_ROWS_SHOWN};
	struct operands operands;
	struct shell shell;
	struct arena arena;
	struct error err;
	int status;

	if (!cli_parse(&cmd_sql_spec, argc, argv, &options, &operands, &status))
		return status;
	if (check(&options, &operands, &err))
		return cli_fail(&err);
	arena_init(&arena, ARENA_BLOCK_BYTES);
	if (shell_init(&shell, &options.shell, &err))
		status = cli_fail(&err);
	else
		status = run(&shell, &options, operands.count ? operands.items[0] : NULL, &arena);
	shell_release(&shell);
	arena_release(&arena);
	return status;
}
