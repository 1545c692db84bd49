/* tamiz console: a page in the browser to watch a cluster. */
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/request/remote.h"
#include "cli/ui/console.h"
#include "cli/ui/page.h"

struct console_options {
	struct remote remote;
	const char *listen;
};

static const struct option_spec options_table[] = {
	REMOTE_OPTIONS(struct console_options, remote),
	OPTION_ROW_LISTEN(struct console_options, listen),
};

const struct command_spec cmd_console_spec = {
	.name = "tamiz console",
	.operands = "",
	.summary = "Serves a page that shows a cluster, its jobs and what happens.",
	.details =
		"Prints the address of the page, with a key in it: open it in a browser. Ctrl-C\n"
		"ends it. Without --listen nobody but this machine can reach it.",
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

int cmd_console(int argc, char *const *argv)
{
	struct console_options options = {0};
	struct net_address address;
	struct operands operands;
	struct error err;
	int status;

	if (!cli_parse(&cmd_console_spec, argc, argv, &options, &operands, &status))
		return status;
	if (page_address(options.listen, &address, &err) ||
		remote_settle(&options.remote, "tamiz console", &err) ||
		console_run(&options.remote, &address, &err))
		return cli_fail(&err);
	return 0;
}
