/* What begins with a backslash, as in psql, or with a dot, as in DuckDB: one table of commands for both. */
#include "base/clock.h"
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/shell/shell_private.h"
#include "plan/function_table.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#define ARGS_MAX	    8
#define ARENA_BLOCK_BYTES   (16u << 10)
#define WATCH_SECONDS	    2.0
#define WATCH_PIECE_SECONDS 0.05
#define EDITED_BYTES_MAX    SHELL_TEXT_MAX

/* A command while it runs. */
struct command_call {
	struct shell_call *call;
	struct shell *shell;
	struct arena arena;
	const char *name;
	uint32_t count;
	const char *args[ARGS_MAX];
	const char *rest; /* all of them, as they were written */
};

struct shell_command {
	const char *name;
	bool dot; /* it begins with a dot */
	const char *args;
	const char *help; /* NULL: another name of the one before */
	int (*run)(struct command_call *call);
};

static int fail(enum error_code code, const char *what, const char *name)
{
	struct error err;

	error_set(&err, code, "%s%s%s", what, name ? ": " : "", name ? name : "");
	return cli_fail(&err);
}

static const char *argument(const struct command_call *call, uint32_t index)
{
	return index < call->count ? call->args[index] : NULL;
}

static int run_sql(struct command_call *call, const char *head, const char *rest)
{
	return shell_run_string(call->shell, arena_printf(&call->arena, "%s%s", head, rest));
}

static int set(struct command_call *call, const char *name, const char *value)
{
	struct error err;

	return settings_set(call->shell, name, value, &err) ? cli_fail(&err) : 0;
}

/* On, off, or the other of them. */
static int toggle(struct command_call *call, const char *name, const char *what, bool is_on)
{
	const char *value = argument(call, 0);
	int status;

	value = value ? value : is_on ? "off" : "on";
	status = set(call, name, value);
	if (status == 0)
		output_say(call->shell, "%s: %s.", what, value);
	return status;
}

/* The statement before the command, or the last one if there is nothing before it. */
static const char *query_of(struct command_call *call)
{
	const struct shell *shell = call->shell;
	const char *before = call->call->before;
	struct sql_extent extent = sql_statement_extent(before, strlen(before));

	if (extent.open) {
		call->call->takes_before = true;
		return arena_strdup(&call->arena, before);
	}
	return shell->last.size ? arena_strndup(&call->arena, shell->last.data, shell->last.size)
				: NULL;
}

static int run_query_text(struct command_call *call, const char *text)
{
	return text ? shell_run_text(call->shell, text)
		    : fail(ERROR_USAGE, "there is no statement to run yet", NULL);
}

/* -- What there is -- */

static const char *quoted_name(struct command_call *call, const char *name)
{
	bool is_path = strchr(name, '/') || strchr(name, '.');
	/* What is in quotes stays so; and what is no table is folded by the parser. */
	bool stays =
		*name == '"' || *name == '\'' || (!is_path && !shell_find_table(call->shell, name));
	const char *out;
	struct buf text;

	buf_init(&text, SHELL_TEXT_MAX);
	if (stays)
		buf_append_text(&text, name);
	else
		sql_append_quoted(&text, name, is_path ? '\'' : '"');
	out = arena_strndup(&call->arena, text.data, text.size);
	buf_release(&text);
	return out;
}

static int command_describe(struct command_call *call)
{
	const char *name = argument(call, 0);

	return name ? run_sql(call, "DESCRIBE ", quoted_name(call, name))
		    : run_sql(call, "SHOW TABLES", "");
}

static int command_tables(struct command_call *call)
{
	return run_sql(call, "SHOW TABLES", "");
}

static int command_views(struct command_call *call)
{
	return run_sql(call, "SHOW VIEWS", "");
}

static int command_functions(struct command_call *call)
{
	static const struct listing_column columns[] = {
		{"function", TYPE_TEXT}, {"description", TYPE_TEXT}};
	const char *pattern = argument(call, 0);
	const struct function_entry *entries;
	struct listing listing;
	struct error err;
	size_t count;
	int status = 0;

	entries = function_entries(&count);
	listing_init(&listing, 2, columns, &call->arena);
	for (size_t i = 0; i < count; i++) {
		/* The first row of a name has its description. */
		if (!function_is_callable(&entries[i]) || !entries[i].description)
			continue;
		if (pattern && fnmatch(pattern, entries[i].name, 0) != 0 &&
			!strstr(entries[i].name, pattern))
			continue;
		listing_text(&listing, entries[i].name);
		listing_text(&listing, entries[i].description);
	}
	output_hold(call->shell);
	if (listing_show(&listing, call->shell, &status, &err))
		status = cli_fail(&err);
	output_page(call->shell);
	listing_release(&listing);
	return status;
}

static int command_places(struct command_call *call)
{
	static const struct listing_column columns[] = {{"data", TYPE_TEXT}};
	const struct shell *shell = call->shell;
	struct listing listing;
	struct error err;
	int status = 0;

	listing_init(&listing, 1, columns, &call->arena);
	for (uint32_t i = 0; i < shell->data.count; i++)
		listing_text(&listing, shell->data.paths[i]);
	if (listing_show(&listing, call->shell, &status, &err))
		status = cli_fail(&err);
	listing_release(&listing);
	return status;
}

/* CREATE statements of tables and views. */
static int command_schema(struct command_call *call)
{
	struct shell *shell = call->shell;
	const char *wanted = argument(call, 0);
	struct catalog all;
	struct error err;
	struct buf text;

	if (shell_tables(shell, &call->arena, &all, &err))
		return cli_fail(&err);
	buf_init(&text, SHELL_TEXT_MAX);
	for (uint32_t t = 0; t < all.table_count; t++) {
		const struct table_schema *table = &all.tables[t];

		if (!table->kept && !table->problem &&
			(!wanted || strcasecmp(wanted, table->name) == 0))
			sql_schema_show(table, &text);
	}
	for (uint32_t v = 0; v < sql_views_count(shell->views); v++)
		if (!wanted || strcmp(wanted, sql_views_name(shell->views, v)) == 0)
			buf_printf(&text, "%s\n", sql_views_text(shell->views, v));
	return output_print(shell, &text);
}

/* -- How results look, and where they go -- */

static int command_timing(struct command_call *call)
{
	return toggle(call, "timing", "Timing", call->shell->settings.timing);
}

static int command_expanded(struct command_call *call)
{
	const char *now = call->shell->settings.expanded;

	return toggle(call, "expanded", "Every row as a list", now && strcmp(now, "on") == 0);
}

static int command_tuples(struct command_call *call)
{
	return toggle(call, "tuples_only", "Rows alone", call->shell->settings.tuples_only);
}

static int command_headers(struct command_call *call)
{
	const char *value = argument(call, 0);

	int status = set(call, "tuples_only", value && strcmp(value, "off") == 0 ? "on" : "off");

	if (status == 0)
		output_say(call->shell, "Names of columns: %s.", value ? value : "on");
	return status;
}

static int say_set(struct command_call *call, const char *name, const char *value)
{
	int status = set(call, name, value);

	if (status == 0)
		output_say(call->shell, "%s: %s.", name, value ? value : "default");
	return status;
}

/* psql's names of settings and of forms. */
static const char *translated(const char *name)
{
	static const char *const pairs[][2] = {
		{"null", "null_text"},
		{"x", "expanded"},
		{"vertical", "expanded"},
		{"t", "tuples_only"},
		{"aligned", "table"},
		{"wrapped", "table"},
		{"unaligned", "csv"},
		{"markdown", "md"},
		{"jsonlines", "jsonl"},
		{"line", "vertical"},
		{"duckbox", "box"},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (strcmp(name, pairs[i][0]) == 0)
			return pairs[i][1];
	return name;
}

static int command_pset(struct command_call *call)
{
	const char *name = argument(call, 0), *value = argument(call, 1);

	if (!name)
		return run_sql(call, "SHOW ALL", "");
	name = translated(name);
	if (!value && strcmp(name, "expanded") == 0)
		return command_expanded(call);
	if (value && strcmp(name, "format") == 0)
		value = translated(value);
	return say_set(call, name, value);
}

static int command_mode(struct command_call *call)
{
	const char *name = argument(call, 0);

	return name ? say_set(call, "format", translated(name)) : run_sql(call, "SHOW format", "");
}

static int command_null(struct command_call *call)
{
	return say_set(call, "null_text", argument(call, 0));
}

static int command_max_rows(struct command_call *call)
{
	return say_set(call, "max_rows", argument(call, 0));
}

static int command_output(struct command_call *call)
{
	struct error err;

	return output_redirect(call->shell, *call->rest ? call->rest : NULL, &err) ? cli_fail(&err)
										   : 0;
}

static int command_go(struct command_call *call)
{
	const char *text = query_of(call);
	struct error err;
	int status;

	if (call->count && output_redirect(call->shell, call->rest, &err))
		return cli_fail(&err);
	status = run_query_text(call, text);
	if (call->count)
		output_redirect(call->shell, NULL, NULL);
	return status;
}

static int command_go_expanded(struct command_call *call)
{
	const char *text = query_of(call), *before = call->shell->settings.expanded;
	int status;

	call->shell->settings.expanded = "on";
	status = run_query_text(call, text);
	call->shell->settings.expanded = before;
	return status;
}

/* A picture of the result, or with a file a picture in it. */
static int command_chart(struct command_call *call)
{
	const char *text = query_of(call);
	struct execute_options *options = &call->shell->settings.execute;
	const struct execute_options before = *options;
	int status;

	options->format = call->count ? NULL : "chart";
	options->output = argument(call, 0);
	call->shell->has_written = false;
	status = run_query_text(call, text);
	*options = before;
	if (status == 0 && call->count)
		output_say(call->shell, "%s is written.", call->args[0]);
	return status;
}

static int command_all(struct command_call *call)
{
	const char *text = query_of(call);
	uint64_t before = call->shell->settings.execute.max_rows;
	int status;

	call->shell->settings.execute.max_rows = 0;
	status = run_query_text(call, text);
	call->shell->settings.execute.max_rows = before;
	return status;
}

/* Sleeps as long as nobody interrupts it. */
static bool sleep_for(double seconds)
{
	double end = clock_monotonic_seconds() + seconds;

	while (!interrupt_pending() && clock_monotonic_seconds() < end) {
		struct timespec piece = {0, (long)(WATCH_PIECE_SECONDS * 1e9)};

		nanosleep(&piece, NULL);
	}
	return !interrupt_pending();
}

static int command_watch(struct command_call *call)
{
	const char *text = query_of(call);
	double seconds = call->count ? strtod(call->args[0], NULL) : WATCH_SECONDS;
	bool pager = call->shell->settings.pager;
	int status;

	if (seconds < WATCH_PIECE_SECONDS)
		return fail(ERROR_USAGE, "\\watch takes a number of seconds", argument(call, 0));
	call->shell->settings.pager = false;
	interrupt_install();
	do {
		status = run_query_text(call, text);
	} while (status == 0 && sleep_for(seconds));
	call->shell->settings.pager = pager;
	return status;
}

/* \copy t to x.csv (format csv): COPY, with the file's name as people write it. */
static int command_copy(struct command_call *call)
{
	const char *rest = call->rest, *to = NULL;
	struct buf text;
	size_t size;
	int status;

	for (const char *at = rest; *at; at++)
		if (strncasecmp(at, " to ", 4) == 0)
			to = at;
	if (!to)
		return fail(ERROR_USAGE, "\\copy takes a table or (query), TO and a file", NULL);
	buf_init(&text, SHELL_TEXT_MAX);
	buf_printf(&text, "COPY %.*s TO ", (int)(to - rest), rest);
	for (to += 4; *to == ' '; to++)
		;
	size = strcspn(to, " ");
	if (*to == '\'' || strncasecmp(to, "stdout", 6) == 0)
		buf_append_text(&text, to);
	else
		buf_printf(&text, "'%.*s'%s", (int)size, to, to + size);
	status = run_sql(call, "", arena_strndup(&call->arena, text.data, text.size));
	buf_release(&text);
	return status;
}

/* -- Texts -- */

static int command_include(struct command_call *call)
{
	return call->count ? shell_run_file(call->shell, call->args[0])
			   : fail(ERROR_USAGE, "\\i takes the name of a file", NULL);
}

static int edit(const char *path)
{
	const char *editor = getenv("VISUAL");
	char command[4096];

	editor = editor && *editor ? editor : getenv("EDITOR");
	snprintf(command, sizeof(command), "%s '%s'", editor && *editor ? editor : "vi", path);
	return output_run_command(command);
}

static int take_edited(struct command_call *call, FILE *file)
{
	char *text = arena_alloc(&call->arena, EDITED_BYTES_MAX + 1);
	size_t size;

	rewind(file);
	size = fread(text, 1, EDITED_BYTES_MAX, file);
	text[size] = '\0';
	return size ? shell_run_text(call->shell, text) : 0;
}

static int command_edit(struct command_call *call)
{
	const char *text = query_of(call);
	char path[] = "/tmp/tamiz-edit-XXXXXX.sql";
	int fd = mkstemps(path, 4), status;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!file)
		return fail(ERROR_IO, path, strerror(errno));
	if (text)
		fputs(text, file);
	fflush(file);
	status = edit(path) ? fail(ERROR_IO, "the editor failed", NULL) : 0;
	/* Editors write another file under the name. */
	fclose(file);
	file = fopen(path, "re");
	if (status == 0 && file)
		status = take_edited(call, file);
	if (file)
		fclose(file);
	unlink(path);
	return status;
}

static int command_print(struct command_call *call)
{
	const char *text = query_of(call);
	struct buf out;

	call->call->takes_before = false;
	buf_init(&out, SHELL_TEXT_MAX);
	buf_printf(&out, "%s\n", text ? text : "there is no statement yet");
	return output_print(call->shell, &out);
}

static int command_reset(struct command_call *call)
{
	call->call->takes_before = true;
	return 0;
}

static int command_set(struct command_call *call)
{
	const char *name = argument(call, 0);
	struct error err;
	struct buf out;

	if (name)
		return shell_set_variable(
			       call->shell, name, argument(call, 1) ? argument(call, 1) : "", &err)
			       ? cli_fail(&err)
			       : 0;
	buf_init(&out, SHELL_TEXT_MAX);
	for (const struct shell_variable *v = call->shell->variables; v; v = v->next)
		buf_printf(&out, "%s = '%s'\n", v->name, v->value);
	return output_print(call->shell, &out);
}

static int command_unset(struct command_call *call)
{
	if (call->count)
		shell_unset_variable(call->shell, call->args[0]);
	return 0;
}

static int command_echo(struct command_call *call)
{
	struct buf out;

	buf_init(&out, SHELL_TEXT_MAX);
	for (uint32_t i = 0; i < call->count; i++)
		buf_printf(&out, "%s%s", i ? " " : "", call->args[i]);
	buf_append_char(&out, '\n');
	return output_print(call->shell, &out);
}

static int command_folder(struct command_call *call)
{
	const char *folder = call->count ? call->args[0] : getenv("HOME");

	if (!folder || chdir(folder))
		return fail(ERROR_IO, folder ? folder : "~", strerror(errno));
	return 0;
}

/* The statement to a file. */
static int command_write(struct command_call *call)
{
	const char *text = query_of(call);
	FILE *file;

	call->call->takes_before = false;
	if (!call->count || !text)
		return fail(ERROR_USAGE, "\\w takes the name of a file, for a statement", NULL);
	file = fopen(call->args[0], "we");
	if (!file)
		return fail(ERROR_IO, call->args[0], strerror(errno));
	fprintf(file, "%s\n", text);
	return fclose(file) ? fail(ERROR_IO, call->args[0], strerror(errno)) : 0;
}

static int command_system(struct command_call *call)
{
	return output_run_command(call->rest) ? 1 : 0;
}

static int command_quit(struct command_call *call)
{
	call->shell->quits = true;
	return 0;
}

static int command_help(struct command_call *call)
{
	struct buf out;
	int status;

	buf_init(&out, SHELL_TEXT_MAX);
	help_commands(&out);
	output_hold(call->shell);
	status = output_print(call->shell, &out);
	output_page(call->shell);
	return status;
}

static int command_syntax(struct command_call *call)
{
	struct buf out;

	buf_init(&out, SHELL_TEXT_MAX);
	if (!help_statement(*call->rest ? call->rest : NULL, &out)) {
		buf_release(&out);
		return fail(ERROR_USAGE, "\\h knows no such statement", call->rest);
	}
	return output_print(call->shell, &out);
}

static const struct shell_command commands[] = {
	{"?", false, "", "this list", command_help},
	{"help", true, "", NULL, command_help},
	{"h", false, "[STATEMENT]", "how a statement is written", command_syntax},
	{"q", false, "", "leave", command_quit},
	{"quit", true, "", NULL, command_quit},
	{"exit", true, "", NULL, command_quit},
	{"d", false, "[NAME]", "the tables and views, or the columns of one", command_describe},
	{"dt", false, "", "the tables and views", command_tables},
	{"tables", true, "", NULL, command_tables},
	{"dv", false, "", "the views", command_views},
	{"df", false, "[PATTERN]", "the functions", command_functions},
	{"l", false, "", "where the data is", command_places},
	{"databases", true, "", NULL, command_places},
	{"conninfo", false, "", NULL, command_places},
	{"schema", true, "[NAME]", "the statements that make tables and views", command_schema},
	{"g", false, "[FILE or |COMMAND]", "run the statement, with its result there", command_go},
	{"gx", false, "", "run it with every row as a list", command_go_expanded},
	{"chart", false, "[FILE.svg]", "run it and draw its result", command_chart},
	{"all", false, "", "run it and show all rows", command_all},
	{"watch", false, "[SECONDS]", "run it again and again, until Ctrl-C", command_watch},
	{"p", false, "", "show the statement", command_print},
	{"r", false, "", "forget what was typed of the statement", command_reset},
	{"e", false, "", "edit the statement with $EDITOR, and run it", command_edit},
	{"w", false, "FILE", "write the statement to a file", command_write},
	{"i", false, "FILE", "run the statements of a file", command_include},
	{"read", true, "FILE", NULL, command_include},
	{"copy", false, "TABLE TO FILE [(OPTIONS)]", "write a table or (query) to a file",
		command_copy},
	{"o", false, "[FILE or |COMMAND]", "results go there from now on", command_output},
	{"output", true, "[FILE or |COMMAND]", NULL, command_output},
	{"x", false, "[on|off|auto]", "every row as a list", command_expanded},
	{"t", false, "[on|off]", "rows alone", command_tuples},
	{"headers", true, "[on|off]", NULL, command_headers},
	{"timing", false, "[on|off]", "how long statements take", command_timing},
	{"timer", true, "[on|off]", NULL, command_timing},
	{"pset", false, "[NAME [VALUE]]", "a setting, as SET; all of them", command_pset},
	{"mode", true, "[FORMAT]", "how results look: table, csv, json, ...", command_mode},
	{"nullvalue", true, "TEXT", "what NULL looks like", command_null},
	{"maxrows", true, "N", "how many rows of a table are shown; 0: all", command_max_rows},
	{"set", false, "[NAME [VALUE]]", "a variable: :name, :'name'; all of them", command_set},
	{"unset", false, "NAME", "forget a variable", command_unset},
	{"echo", false, "[TEXT]", "print it", command_echo},
	{"qecho", false, "[TEXT]", NULL, command_echo},
	{"print", true, "[TEXT]", NULL, command_echo},
	{"cd", false, "[FOLDER]", "go to another folder", command_folder},
	{"cd", true, "[FOLDER]", NULL, command_folder},
	{"!", false, "COMMAND", "run a command of the system", command_system},
	{"shell", true, "COMMAND", NULL, command_system},
	{"system", true, "COMMAND", NULL, command_system},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

const char *command_name(size_t index, char text[SHELL_COMMAND_NAME_MAX])
{
	if (index >= COMMAND_COUNT)
		return NULL;
	snprintf(text, SHELL_COMMAND_NAME_MAX, "%c%s", commands[index].dot ? '.' : '\\',
		commands[index].name);
	return text;
}

void help_commands(struct buf *out)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		const struct shell_command *command = &commands[i];
		char line[80];

		snprintf(line, sizeof(line), "%c%s %s", command->dot ? '.' : '\\', command->name,
			command->args);
		buf_printf(out, "  %-32s %s\n", line, command->help ? command->help : "the same");
	}
	buf_append_text(out, "\nStatements end with ; and \\h lists them. Tab completes, Ctrl-C "
			     "ends a query, Ctrl-D leaves.\n");
}

/* The next argument: a word, or what stands in quotes; :name is a variable. NULL at the end. */
static const char *next_argument(struct command_call *call, const char **at)
{
	struct buf text;
	const char *out, *start;

	while (isspace((unsigned char)**at))
		(*at)++;
	if (!**at)
		return NULL;
	start = *at;
	buf_init(&text, SHELL_TEXT_MAX);
	if (*start == '\'') {
		for (start++; *start && !(*start == '\'' && start[1] != '\''); start++) {
			buf_append_char(&text, *start);
			start += *start == '\'';
		}
		*at = *start ? start + 1 : start;
	} else {
		size_t size = strcspn(start, " \t\r\n;");

		size = size ? size : 1;
		sql_substitute(start, size, shell_variable, call->shell, &text);
		*at = start + size;
		while (**at == ';')
			(*at)++;
	}
	out = arena_strndup(&call->arena, text.data ? text.data : "", text.size);
	buf_release(&text);
	return out;
}

static const struct shell_command *find(const char *name, bool dot)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (commands[i].dot == dot && strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static int unknown(const char *line, const char *name)
{
	char hint[SUGGESTION_TEXT_MAX];
	struct suggestion suggestion;
	struct error err;

	if (command_meaning(name)) {
		error_set(&err, ERROR_USAGE, "there is no command %c%s; %s", *line, name,
			command_meaning(name));
		return cli_fail(&err);
	}
	suggestion_init(&suggestion, name);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (commands[i].dot == (*line == '.'))
			suggestion_consider(&suggestion, commands[i].name);
	error_set(&err, ERROR_USAGE, "there is no command %c%s%s", *line, name,
		suggestion.best && strlen(suggestion.best) > 2 ? suggestion_text(&suggestion, hint)
							       : "; \\? lists them");
	return cli_fail(&err);
}

int command_run(struct shell_call *call, const char *line, size_t size)
{
	struct command_call own = {.call = call, .shell = call->shell};
	const struct shell_command *command;
	const char *text, *at;
	size_t name_size = 1;
	int status;

	arena_init(&own.arena, ARENA_BLOCK_BYTES);
	text = arena_strndup(&own.arena, line, size);
	if (isalpha((unsigned char)text[1]))
		while (isalnum((unsigned char)text[name_size + 1]) || text[name_size + 1] == '_')
			name_size++;
	own.name = arena_strndup(&own.arena, text + 1, text[1] ? name_size : 0);
	at = text + 1 + strlen(own.name);
	/* \\d+, \\dt+: more of it, and all there is is shown anyway. */
	if (*own.name == 'd' || *own.name == 'l')
		at += *at == '+';
	while (isspace((unsigned char)*at))
		at++;
	own.rest = at;
	while (own.count < ARGS_MAX && (own.args[own.count] = next_argument(&own, &at)))
		own.count++;
	command = find(own.name, *line == '.');
	status = command ? command->run(&own) : unknown(line, own.name);
	arena_release(&own.arena);
	return status;
}
