/* tamiz shell: statements from a terminal, or from the standard input. */
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/request/pack.h"
#include "cli/shell/shell.h"

#include <unistd.h>

#define ARENA_BLOCK_BYTES (64u << 10)

struct shell_command_options {
	struct shell_options shell;
	struct option_list commands;
	bool no_startup;
};

static const struct option_spec options_table[] = {
	OPTION_ROW_DATA(struct shell_command_options, shell.data,
		"a folder with CSV files, or a file; may be repeated\n"
		"(default: the current folder)"),
	OPTION_ROW_COMMANDS(struct shell_command_options, commands,
		"statements to run instead of reading any; may be repeated"),
	{.name = "no-startup",
		.letter = 'X',
		.kind = OPTION_FLAG,
		.offset = offsetof(struct shell_command_options, no_startup),
		.help = "do not read ~/.config/tamiz/rc"},
	SHELL_OPTION_ROWS(struct shell_command_options, shell),
};

const struct command_spec cmd_shell_spec = {
	.name = "tamiz shell",
	.operands = "[FOLDER|FILE]...",
	.summary = "Answers SQL as you type it.",
	.details = "`tamiz` alone, at a terminal, is the same. \\? lists its commands. The words\n"
		   "`tamiz FILE -c SQL` run a statement over a file and end.",
	.operands_min = 0,
	.operands_max = OPERANDS_MAX,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

static int run_input(struct shell *shell)
{
	struct arena arena;
	struct error err;
	char *text;
	int status;

	arena_init(&arena, ARENA_BLOCK_BYTES);
	if (pack_read_file("-", &arena, &text, &err))
		status = cli_fail(&err);
	else
		status = shell_run_text(shell, text);
	arena_release(&arena);
	return status;
}

int cmd_shell(int argc, char *const *argv)
{
	struct shell_command_options options = {.shell.settings = {
							.execute.max_rows = EXECUTE_ROWS_SHOWN,
							.pager = true,
						}};
	struct option_list *data = &options.shell.data;
	struct operands operands;
	struct shell shell;
	struct error err;
	int status;

	if (!cli_parse(&cmd_shell_spec, argc, argv, &options, &operands, &status))
		return status;
	for (uint32_t i = 0; i < operands.count && data->count < OPTION_LIST_MAX; i++)
		data->items[data->count++] = operands.items[i];
	if (shell_init(&shell, &options.shell, &err))
		status = cli_fail(&err);
	else if (options.commands.count)
		status = shell_run_commands(&shell, &options.commands);
	else if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		status = shell_console(&shell, !options.no_startup);
	else
		status = run_input(&shell);
	shell_release(&shell);
	return status;
}
