/* tamiz console: a page in the browser to watch a cluster. */
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/request/catalog.h"
#include "cli/request/remote.h"
#include "cli/ui/console.h"
#include "cli/ui/page.h"
#include "cluster/config.h"

#define SERVERS_BYTES_MAX (64u << 10)

struct console_command_options {
	struct remote remote;
	const char *file;
	uint64_t index;
	struct option_list data;
	const char *listen;
};

static const struct option_spec options_table[] = {
	REMOTE_OPTIONS(struct console_command_options, remote),
	OPTION_ROW_DATA(struct console_command_options, data,
		"a folder with CSV files of which queries may be asked, or a\n"
		"file; may be repeated (default: those that are dropped onto\n"
		"the page)"),
	OPTION_ROW_CLUSTER_FILE(struct console_command_options, file,
		"instead of --server, --data and --listen: what the cluster\n"
		"file says in [console]; everyone who looks is asked for a\n"
		"token, if the cluster has any"),
	{.name = "index",
		.letter = 'i',
		.argument = "N",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct console_command_options, index),
		.max = CONFIG_REPLICAS_MAX - 1,
		.help = "for --file: the gateway beside which it is, from 0 (the\n"
			"default)"},
	OPTION_ROW_LISTEN(struct console_command_options, listen),
};

const struct command_spec cmd_console_spec = {
	.name = "tamiz console",
	.operands = "",
	.summary = "Serves a page that shows a cluster and its jobs, and asks it with SQL.",
	.details =
		"Prints the address of the page, with a key in it: open it in a browser. Ctrl-C\n"
		"ends it. Without --listen nobody but this machine can reach it.",
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

/* The cluster as clients see it: by the proxies when TLS has their names, otherwise by the gateways, ours first. */
static const char *servers_of(const struct config *config, uint32_t index, struct buf *text)
{
	bool by_proxy = config->tls.cert[0] && config->proxy.replicas > 0;
	const struct config_service *service = by_proxy ? &config->proxy : &config->gateway;

	for (uint32_t i = 0; i < service->replicas; i++) {
		struct net_address address = config_found_at(
			&service->place, (uint32_t)((index + i) % service->replicas));
		char one[NET_ADDRESS_TEXT];

		net_address_format(&address, one);
		buf_printf(text, "%s%s", i ? "," : "", one);
	}
	buf_append_char(text, '\0');
	return text->data;
}

static int run_by_file(const struct console_command_options *given, struct error *err)
{
	struct console_options options = {.asks_who = true};
	const char *data[1];
	struct config config;
	struct buf servers;
	int status = config_load_names(&config, given->file, err);

	buf_init(&servers, SERVERS_BYTES_MAX);
	if (!status && (!config.console.listen.port || given->index >= config.gateway.replicas))
		status = error_set(err, ERROR_USAGE,
			"%s: [console] listen says where gateway %u has one", config.path,
			(unsigned)given->index);
	if (!status) {
		options.remote = given->remote;
		options.remote.server = servers_of(&config, (uint32_t)given->index, &servers);
		options.remote.tls = config.tls.cert[0] != '\0';
		options.address = config_listen_at(&config.console, (uint32_t)given->index);
		data[0] = config.console_data;
		options.data = (struct data_places){.count = data[0][0] != '\0', .paths = data};
		status = remote_settle(&options.remote, "tamiz console", err);
	}
	if (!status)
		status = console_run(&options, err);
	buf_release(&servers);
	config_release(&config);
	return status;
}

static int run_by_server(struct console_command_options *given, struct error *err)
{
	struct console_options options = {.data = catalog_places(&given->data)};

	if (page_address(given->listen, &options.address, err) ||
		remote_settle(&given->remote, "tamiz console", err))
		return -1;
	options.remote = given->remote;
	return console_run(&options, err);
}

int cmd_console(int argc, char *const *argv)
{
	struct console_command_options options = {0};
	struct operands operands;
	struct error err;
	int status;

	if (!cli_parse(&cmd_console_spec, argc, argv, &options, &operands, &status))
		return status;
	if (options.file ? run_by_file(&options, &err) : run_by_server(&options, &err))
		return cli_fail(&err);
	return 0;
}
