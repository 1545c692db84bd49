/* The entry point: finds the subcommand and hands it the rest of the words. */
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/shell/topics.h"
#include "column/numeric_long.h"

#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HELP_BYTES_MAX (64u << 10)

static int print_overview(void)
{
	struct buf text;

	buf_init(&text, HELP_BYTES_MAX);
	buf_append_text(&text,
		"usage: tamiz COMMAND [OPTION]...\n"
		"       tamiz [FOLDER|FILE]...   a shell, at a terminal; -c SQL runs that and "
		"ends\n\n"
		"Answers PostgreSQL-dialect SQL over folders of CSV files.\n\n"
		"commands:\n");
	for (size_t i = 0; i < command_count; i++)
		buf_printf(&text, "  %-10s %s\n", commands[i].name, commands[i].spec->summary);
	buf_append_text(&text,
		"\ntamiz COMMAND --help shows the options of a command, tamiz help sql the "
		"statements;\ntamiz --version the version.\n");
	return cli_print(&text);
}

static int print_version(void)
{
	struct buf text;

	buf_init(&text, HELP_BYTES_MAX);
	buf_append_text(&text, "tamiz " TAMIZ_VERSION "\n");
	return cli_print(&text);
}

static int unknown_command(const char *name)
{
	const char *names[COMMANDS_MAX + 1];
	const char *nearest;
	struct error err;

	for (size_t i = 0; i < command_count; i++)
		names[i] = commands[i].name;
	names[command_count] = NULL;
	nearest = suggest_nearest(name, names);
	if (strpbrk(name, "/."))
		error_set(&err, ERROR_USAGE, "there is no file or folder \"%s\"", name);
	else if (nearest)
		error_set(&err, ERROR_USAGE, "unknown command \"%s\": did you mean \"%s\"?", name,
			nearest);
	else
		error_set(&err, ERROR_USAGE, "unknown command \"%s\": see tamiz --help", name);
	return cli_fail(&err);
}

/* A command; of sql also how statements are written. */
static int help_of(const char *name)
{
	const struct command *command = command_find(name);
	struct buf text;

	if (!command || strcmp(name, "sql") != 0)
		return command ? cli_help(command->spec) : unknown_command(name);
	buf_init(&text, HELP_BYTES_MAX);
	options_help(command->spec, &text);
	buf_append_char(&text, '\n');
	help_sql(&text);
	return cli_print(&text);
}

/* tamiz FOLDER, tamiz FILE: a shell over that, if it is no command's name. */
static bool is_place(const char *word)
{
	return access(word, F_OK) == 0;
}

/*
 * Whether bare `tamiz` has somebody to listen to: a person at a terminal, or a pipe or a file with statements.
 * What runs it in the background, with nothing on its standard input, is told the usage.
 */
static bool has_statements(void)
{
	struct stat input;

	if (isatty(STDIN_FILENO))
		return isatty(STDOUT_FILENO);
	return fstat(STDIN_FILENO, &input) == 0 && !S_ISCHR(input.st_mode);
}

int main(int argc, char **argv)
{
	const struct command *command;

	/* One locale for everyone: UTF-8, and numbers and order as in C. */
	setlocale(LC_CTYPE, "C.UTF-8");
	/* A closed pipe and a file-size limit come back as errors of write, which are checked. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	numeric_long_take_memory();

	if (argc < 2 && has_statements())
		return cmd_shell(0, argv);
	if (argc < 2) {
		int status = print_overview();

		return status ? status : error_exit_status(ERROR_USAGE);
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0)
		return print_version();
	if (strcmp(argv[1], "help") == 0 && argc > 2)
		return help_of(argv[2]);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
		strcmp(argv[1], "help") == 0)
		return print_overview();
	command = command_find(argv[1]);
	if (!command && (argv[1][0] == '-' || is_place(argv[1])))
		return cmd_shell(argc - 1, argv + 1);
	if (!command)
		return unknown_command(argv[1]);
	return command->run(argc - 2, argv + 2);
}
