/* The entry point: finds the subcommand and hands it the rest of the words. */
#include "base/suggest.h"
#include "cli/cli.h"

#include <locale.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define HELP_BYTES_MAX (64u << 10)

struct command {
	const char *name;
	const struct command_spec *spec;
	int (*run)(int argc, char *const *argv);
};

static const struct command commands[] = {
	{"run", &cmd_run_spec, cmd_run},
	{"sql", &cmd_sql_spec, cmd_sql},
	{"shell", &cmd_shell_spec, cmd_shell},
	{"sniff", &cmd_sniff_spec, cmd_sniff},
	{"explain", &cmd_explain_spec, cmd_explain},
	{"gen", &cmd_gen_spec, cmd_gen},
	{"packs", &cmd_packs_spec, cmd_packs},
	{"submit", &cmd_submit_spec, cmd_submit},
	{"results", &cmd_results_spec, cmd_results},
	{"jobs", &cmd_jobs_spec, cmd_jobs},
	{"cancel", &cmd_cancel_spec, cmd_cancel},
	{"status", &cmd_status_spec, cmd_status},
	{"up", &cmd_up_spec, cmd_up},
	{"down", &cmd_down_spec, cmd_down},
	{"check", &cmd_check_spec, cmd_check},
	{"chaos", &cmd_chaos_spec, cmd_chaos},
	{"gateway", &cmd_gateway_spec, cmd_gateway},
	{"reducer", &cmd_reducer_spec, cmd_reducer},
	{"collector", &cmd_collector_spec, cmd_collector},
	{"filter", &cmd_filter_spec, cmd_filter},
	{"proxy", &cmd_proxy_spec, cmd_proxy},
	{"watcher", &cmd_watcher_spec, cmd_watcher},
	{"node", &cmd_node_spec, cmd_node},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(*commands))

static int print_overview(void)
{
	struct buf text;

	buf_init(&text, HELP_BYTES_MAX);
	buf_append_text(&text, "usage: tamiz COMMAND [OPTION]...\n"
			       "       tamiz [FOLDER|FILE]...   a shell, at a terminal\n\n"
			       "Answers PostgreSQL-dialect SQL over folders of CSV files.\n\n"
			       "commands:\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		buf_printf(&text, "  %-9s %s\n", commands[i].name, commands[i].spec->summary);
	buf_append_text(&text,
		"\ntamiz COMMAND --help shows the options of a command; tamiz --version "
		"the version.\n");
	return cli_print(&text);
}

static int print_version(void)
{
	struct buf text;

	buf_init(&text, HELP_BYTES_MAX);
	buf_append_text(&text, "tamiz " TAMIZ_VERSION "\n");
	return cli_print(&text);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *names[COMMAND_COUNT + 1];
	const char *nearest;
	struct error err;

	for (size_t i = 0; i < COMMAND_COUNT; i++)
		names[i] = commands[i].name;
	names[COMMAND_COUNT] = NULL;
	nearest = suggest_nearest(name, names);
	if (nearest)
		error_set(&err, ERROR_USAGE, "unknown command \"%s\": did you mean \"%s\"?", name,
			nearest);
	else
		error_set(&err, ERROR_USAGE, "unknown command \"%s\": see tamiz --help", name);
	return cli_fail(&err);
}

/* tamiz FOLDER, tamiz FILE: a shell over that. A plain word is a command, whatever it may be misspelt as. */
static bool is_place(const char *word)
{
	return (strchr(word, '/') || strchr(word, '.')) && access(word, F_OK) == 0;
}

int main(int argc, char **argv)
{
	const struct command *command;

	/* One locale for everyone: UTF-8, and numbers and order as in C. */
	setlocale(LC_CTYPE, "C.UTF-8");
	/* A closed pipe and a file-size limit come back as errors of write, which are checked. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);

	if (argc < 2 && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return cmd_shell(0, argv);
	if (argc < 2) {
		int status = print_overview();

		return status ? status : error_exit_status(ERROR_USAGE);
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0)
		return print_version();
	if (strcmp(argv[1], "help") == 0 && argc > 2) {
		command = find_command(argv[2]);
		return command ? cli_help(command->spec) : unknown_command(argv[2]);
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
		strcmp(argv[1], "help") == 0)
		return print_overview();
	command = find_command(argv[1]);
	if (!command && is_place(argv[1]))
		return cmd_shell(argc - 1, argv + 1);
	if (!command)
		return unknown_command(argv[1]);
	return command->run(argc - 2, argv + 2);
}
