/* tamiz tables, tamiz describe, tamiz summarize: what there is, for scripts and for those who look around. */
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/shell/shell.h"

#include <string.h>
#include <unistd.h>

#define DATA_HELP \
	"a folder with CSV files, or a file; may be repeated\n(default: the current folder)"

struct inspect_options {
	struct shell_options shell;
};

static const struct option_spec options_table[] = {
	OPTION_ROW_DATA(struct inspect_options, shell.data, DATA_HELP),
	SHELL_OPTION_ROWS(struct inspect_options, shell),
};

#define OPTION_COUNT (sizeof(options_table) / sizeof(*options_table))

const struct command_spec cmd_tables_spec = {
	.name = "tamiz tables",
	.operands = "[FOLDER|FILE]...",
	.summary = "Lists the tables of a folder.",
	.details = "Those that `tamiz sql` would find, with their columns' number and their size.",
	.operands_max = OPERANDS_MAX,
	.options = options_table,
	.option_count = OPTION_COUNT,
};

const struct command_spec cmd_describe_spec = {
	.name = "tamiz describe",
	.operands = "FILE|TABLE...",
	.summary = "Lists the columns of files and tables with their types.",
	.operands_min = 1,
	.operands_max = OPERANDS_MAX,
	.options = options_table,
	.option_count = OPTION_COUNT,
};

const struct command_spec cmd_summarize_spec = {
	.name = "tamiz summarize",
	.operands = "FILE|TABLE...",
	.summary = "Says of each column what its values are like.",
	.details = "Its type, how many rows, NULLs and different values, the least, the greatest,\n"
		   "the mean, quartiles, and the most frequent value.",
	.operands_min = 1,
	.operands_max = OPERANDS_MAX,
	.options = options_table,
	.option_count = OPTION_COUNT,
};

/* A file by its path, or a table by its name, whatever letters it has. */
static int run_on(struct shell *shell, const char *statement, const char *operand)
{
	bool is_file = access(operand, F_OK) == 0 || strchr(operand, '/') || strchr(operand, '*');
	struct buf text;
	int status;

	buf_init(&text, SHELL_TEXT_MAX);
	buf_printf(&text, "%s ", statement);
	sql_append_quoted(&text, operand, is_file ? '\'' : '"');
	buf_append_char(&text, '\0');
	status = shell_run_text(shell, text.data);
	buf_release(&text);
	return status;
}

/* `statement` NULL: SHOW TABLES of the operands, which are places. */
static int inspect(
	const struct command_spec *spec, const char *statement, int argc, char *const *argv)
{
	struct inspect_options options = {.shell.settings.execute.max_rows = EXECUTE_ROWS_SHOWN};
	struct option_list *data = &options.shell.data;
	struct operands operands;
	struct shell shell;
	struct error err;
	int status;

	if (!cli_parse(spec, argc, argv, &options, &operands, &status))
		return status;
	for (uint32_t i = 0; !statement && i < operands.count; i++)
		if (data->count < OPTION_LIST_MAX)
			data->items[data->count++] = operands.items[i];
	if (shell_init(&shell, &options.shell, &err))
		status = cli_fail(&err);
	else if (!statement)
		status = shell_run_text(&shell, "SHOW TABLES");
	for (uint32_t i = 0; statement && i < operands.count && status == 0; i++)
		status = run_on(&shell, statement, operands.items[i]);
	shell_release(&shell);
	return status;
}

int cmd_tables(int argc, char *const *argv)
{
	return inspect(&cmd_tables_spec, NULL, argc, argv);
}

int cmd_describe(int argc, char *const *argv)
{
	return inspect(&cmd_describe_spec, "DESCRIBE", argc, argv);
}

int cmd_summarize(int argc, char *const *argv)
{
	return inspect(&cmd_summarize_spec, "SUMMARIZE", argc, argv);
}
