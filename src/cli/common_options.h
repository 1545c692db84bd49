/*
 * Options that several commands have, each declared once. What they mean may differ a little from
 * one command to the next, so that most take their help from there; name, letter and kind do not.
 *
 * `type` is the command's struct of values and `field` its member.
 */
#ifndef CLI_COMMON_OPTIONS_H
#define CLI_COMMON_OPTIONS_H

#include "base/options.h"
#include "cli/format/format.h"

/* clang-format off */
#define OPTION_ROW_DATA(type, field, text) \
	{.name = "data", .letter = 'd', .argument = "PATH", .kind = OPTION_LIST, \
		.offset = offsetof(type, field), .help = text}

#define OPTION_ROW_COMMAND(type, field, text) \
	{.name = "command", .letter = 'c', .argument = "SQL", .kind = OPTION_TEXT, \
		.offset = offsetof(type, field), .help = text}

#define OPTION_ROW_COMMANDS(type, field, text) \
	{.name = "command", .letter = 'c', .argument = "SQL", .kind = OPTION_LIST, \
		.offset = offsetof(type, field), .help = text}

#define OPTION_ROW_SCHEMA(type, field, text) \
	{.name = "schema", .argument = "FILE", .kind = OPTION_TEXT, \
		.offset = offsetof(type, field), .help = text}

/* What everybody has who runs statements; `field` is a struct shell_options (shell/shell.h). */
#define SHELL_OPTION_ROWS(type, field) \
	{.name = "variable", .letter = 'v', .argument = "NAME=VALUE", .kind = OPTION_LIST, \
		.offset = offsetof(type, field.variables), \
		.help = "what :name stands for, and :'name' as a text; may be repeated"}, \
	{.name = "param", .argument = "VALUE", .kind = OPTION_LIST, \
		.offset = offsetof(type, field.parameters), \
		.help = "what $1, $2 and so on stand for, in this order;\n" \
			"may be repeated"}, \
	OPTION_ROW_SCHEMA(type, field.schema, \
		"tables from CREATE TABLE statements, or those of a pack;\n" \
		"default: from the files' headers and values"), \
	DIALECT_OPTION_ROWS(type, field.files), \
	CONTEXT_OPTION_ROWS(type, field.files), \
	EXECUTE_OPTION_ROWS(type, field.settings.execute, "write to a file instead of stdout")

#define OPTION_ROW_QUERY(type, field, text) \
	{.name = "query", .argument = "NAME", .kind = OPTION_LIST, \
		.offset = offsetof(type, field), .help = text}

#define OPTION_ROW_FORMAT(type, field) \
	{.name = "format", .letter = 'f', .argument = "FORMAT", .kind = OPTION_CHOICE, \
		.offset = offsetof(type, field), .choices = format_names, \
		.help = "table (default on stdout) or box, ascii, vertical, chart;\n" \
			"csv (default in files), tsv, json, jsonl, md, html, latex, svg;\n" \
			"the name of a file says it, too"}

#define OPTION_ROW_OUTPUT(type, field, text) \
	{.name = "output", .letter = 'o', .argument = "PATH", .kind = OPTION_TEXT, \
		.offset = offsetof(type, field), .help = text}

#define OPTION_ROW_THREADS(type, field, most) \
	{.name = "threads", .letter = 't', .argument = "N", .kind = OPTION_COUNT, \
		.offset = offsetof(type, field), .min = 1, .max = most, \
		.help = "default: as many as there are processors"}

#define OPTION_ROW_MEMORY(type, field) \
	{.name = "memory", .argument = "SIZE", .kind = OPTION_SIZE, \
		.offset = offsetof(type, field), .min = 1024, .max = SIZE_MAX, \
		.help = "memory to use at most (default: 80% of what there is);\n" \
			"what does not fit is kept in a temporary file"}

/* Of a page (ui/page.h). */
#define OPTION_ROW_LISTEN(type, field) \
	{.name = "listen", .argument = "HOST:PORT", .kind = OPTION_TEXT, \
		.offset = offsetof(type, field), \
		.help = "where the page is (default: 127.0.0.1:7800, or another\n" \
			"port when that is taken)"}

#define OPTION_ROW_CLUSTER_FILE(type, field, text) \
	{.name = "file", .argument = "FILE", .kind = OPTION_TEXT, \
		.offset = offsetof(type, field), .help = text}

#define OPTION_ROW_CLUSTER_FOLDER(type, field, text) \
	{.name = "state", .argument = "DIR", .kind = OPTION_TEXT, \
		.offset = offsetof(type, field), .help = text}

#define OPTION_ROW_NO_WAIT(type, field, text) \
	{.name = "no-wait", .kind = OPTION_FLAG, .offset = offsetof(type, field), .help = text}

#define OPTION_ROW_MAX_REJECTS(type, field) \
	{.name = "max-rejects", .argument = "N", .kind = OPTION_TEXT, \
		.offset = offsetof(type, field), \
		.help = "rows of a table that may be unreadable, or a share of them\n" \
			"(default: 10%); more are an error (exit status 5)"}

#define OPTION_ROW_QUIET(type, field, text) \
	{.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .offset = offsetof(type, field), \
		.help = text}
/* clang-format on */

#define QUIET_HELP  "no progress and no summary on stderr"
#define FOR_UP_HELP "the folder that was given to tamiz up"
#define SEVERAL_FILES_HELP                                            \
	"a folder, with one file per query, instead of stdout; for\n" \
	"a single query without a pack, a file"

#endif
