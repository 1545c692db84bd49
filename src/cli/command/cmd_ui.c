/* tamiz ui: a page in the browser over a folder of CSV files. */
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/request/execute.h"
#include "cli/ui/page.h"
#include "cli/ui/ui.h"

struct ui_command_options {
	struct option_list data;
	const char *schema;
	struct dialect_options files;
	const char *listen;
	uint64_t threads;
	uint64_t memory;
};

static const struct option_spec options_table[] = {
	OPTION_ROW_DATA(struct ui_command_options, data,
		"a folder with CSV files, or a file; may be repeated\n"
		"(default: the current folder)"),
	OPTION_ROW_SCHEMA(struct ui_command_options, schema,
		"tables from CREATE TABLE statements, or those of a pack;\n"
		"default: from the files' headers and values"),
	OPTION_ROW_LISTEN(struct ui_command_options, listen),
	OPTION_ROW_THREADS(struct ui_command_options, threads, LOCAL_THREADS_MAX),
	OPTION_ROW_MEMORY(struct ui_command_options, memory),
	DIALECT_OPTION_ROWS(struct ui_command_options, files),
	CONTEXT_OPTION_ROWS(struct ui_command_options, files),
};

const struct command_spec cmd_ui_spec = {
	.name = "tamiz ui",
	.operands = "[FOLDER|FILE]...",
	.summary = "Serves a page to ask with SQL and look at results.",
	.details =
		"Prints the address of the page, with a key in it: open it in a browser. Ctrl-C\n"
		"ends it. Without --listen nobody but this machine can reach it.",
	.operands_min = 0,
	.operands_max = OPERANDS_MAX,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

int cmd_ui(int argc, char *const *argv)
{
	static const char *const here[] = {"."};
	struct ui_command_options options = {0};
	struct ui_options ui = {0};
	struct operands operands;
	struct error err;
	int status;

	if (!cli_parse(&cmd_ui_spec, argc, argv, &options, &operands, &status))
		return status;
	for (uint32_t i = 0; i < operands.count && options.data.count < OPTION_LIST_MAX; i++)
		options.data.items[options.data.count++] = operands.items[i];
	ui.data = options.data.count ? catalog_places(&options.data)
				     : (struct data_places){1, here, NULL};
	ui.schema = options.schema;
	ui.files = options.files;
	ui.threads = options.threads;
	ui.memory = options.memory;
	if (page_address(options.listen, &ui.address, &err) || ui_run(&ui, &err))
		return cli_fail(&err);
	return 0;
}
