/*
 * What the files of cli/shell share.
 *
 *   shell.c       what a session holds
 *   statement.c   what a statement does
 *   reader.c      a text to its statements and commands
 *   command.c     what begins with a backslash; help.c what there is to say of it
 *   console.c     the terminal: prompts, history, keys; complete.c the Tab key
 *   output.c      where results go: the pager, \\o
 *   settings.c    SET, RESET, SHOW
 *   prepared.c    PREPARE, EXECUTE, $1
 *   lists.c       tables and columns as rows: SHOW TABLES, DESCRIBE, information_schema
 *   listing.c     rows that are made here and not by a query
 */
#ifndef CLI_SHELL_SHELL_PRIVATE_H
#define CLI_SHELL_SHELL_PRIVATE_H

#include "cli/shell/shell.h"
#include "cli/shell/topics.h"

#define SHELL_COMMAND_NAME_MAX 24

struct listing;

/* A statement while it runs. */
struct shell_statement {
	struct shell *shell;
	const struct sql_text *text;
	struct arena *arena; /* gone with the statement */
	struct sql_statement statement;
	struct catalog catalog;	 /* of what the statement may name */
	struct listing *systems; /* tables of information_schema in it */
	struct error *err;
};

/* Where results go (output.c). Borrowed for as long as `style`. */
struct execute_target output_target(const struct shell *shell, struct format_style *style);
/* A text for people to where results go; releases it. Returns the exit status. */
int output_print(const struct shell *shell, struct buf *text);
/* A line to whoever types, who sees no result otherwise. */
void output_say(const struct shell *shell, const char *format, ...) PRINTF_LIKE(2, 3);
/* From now on to a file or, with | before it, to a command; NULL: to stdout again. */
int output_redirect(struct shell *shell, const char *target, struct error *err);
/* Around a statement whose results may be longer than the screen. */
void output_hold(struct shell *shell);
void output_page(struct shell *shell);
/* A command of the system, at the terminal; its exit status, or -1. */
int output_run_command(const char *command);

/* A statement without variables in it; its errors are printed. Returns the exit status. */
int shell_run_string(struct shell *shell, const char *text);
/* A file of statements. */
int shell_run_file(struct shell *shell, const char *path);

/* A command of the shell (command.c), and the statement that stands before it. */
struct shell_call {
	struct shell *shell;
	struct shell_reader *reader;
	const char *before;
	bool takes_before; /* it has done what was to be done with it */
};

/* `line` begins with a backslash or a dot. Returns the exit status. */
int command_run(struct shell_call *call, const char *line, size_t size);
/* The index-th command, with what it begins with; NULL behind the last. */
const char *command_name(size_t index, char text[SHELL_COMMAND_NAME_MAX]);
/* What there is instead of a command of psql or DuckDB that has no meaning here; NULL. */
const char *command_meaning(const char *name);
/* What \\? shows. */
void help_commands(struct buf *out);

/* What may stand where a word is begun (complete.c). */
struct completion {
	size_t start; /* of the word, in the line */
	uint32_t count;
	const char **items; /* sorted, each once; in the arena */
	char behind; /* what stands behind the only one: a blank, or the quote that closes it */
};

/* `before`: the lines of the statement above this one. */
void complete_word(struct shell *shell, const char *before, const char *line, size_t cursor,
	struct arena *arena, struct completion *out);

/* All tables: those of the files as they are now, and the shell's own. Everything lives in the arena. */
MUST_CHECK int shell_tables(
	const struct shell *shell, struct arena *arena, struct catalog *out, struct error *err);
/* The table of that name, in any case of its letters, of those that statements made; NULL. */
struct table_schema *shell_find_table(const struct shell *shell, const char *name);
/* The tables that the work's queries may name: those of the shell, of the files that they name. */
MUST_CHECK int statement_catalog(struct shell_statement *work);
void statement_release(struct shell_statement *work);

/*
 * PREPARE, EXECUTE and DEALLOCATE (prepared.c). False for another statement; *status is what came of it,
 * -1 with `err` to be told.
 */
bool prepared_run(struct shell *shell, const struct sql_text *text, int *status, struct error *err);
/* The statement with what --param says in the place of $1. */
MUST_CHECK int prepared_put_values(
	const struct shell *shell, const struct sql_text *text, struct buf *out, struct error *err);

/* Where what is read is kept, as the settings have it now; NULL: nothing is. */
struct column_cache *shell_cache(struct shell *shell);

/* settings.c; `value` NULL is the default, `name` NULL all of them. */
MUST_CHECK int settings_set(
	struct shell *shell, const char *name, const char *value, struct error *err);
/* Bytes that the cache may hold. */
size_t settings_cache_bytes(const struct shell *shell);
/* Prints one, or all. */
MUST_CHECK int settings_show(struct shell_statement *work, int *status);

/* --- rows of texts and numbers (listing.c) ---------------------------------------------------------- */

#define LISTING_COLUMNS_MAX 16

struct listing_column {
	const char *name;
	enum type_kind kind; /* TYPE_TEXT, TYPE_BIGINT or TYPE_DOUBLE */
};

struct listing {
	struct listing *next; /* of a list of them */
	uint32_t column_count;
	const struct listing_column *columns;
	struct arena *arena;
	struct batch batch;
	uint32_t column; /* the next value's */
	struct kept_rows rows;
	bool failed; /* there were too many of them: `error` */
	struct error error;
};

/* `columns` is borrowed. Texts are copied to the arena. */
void listing_init(struct listing *listing, uint32_t column_count,
	const struct listing_column *columns, struct arena *arena);
void listing_release(struct listing *listing);
/* The next value of the row; the last one ends it. */
void listing_text(struct listing *listing, const char *text); /* NULL is NULL */
void listing_number(struct listing *listing, int64_t number);
void listing_null(struct listing *listing);
MUST_CHECK int listing_finish(struct listing *listing, struct error *err);
/* Finishes it and prints it as a result. */
MUST_CHECK int listing_show(
	struct listing *listing, struct shell *shell, int *status, struct error *err);

/* The query that answers SUMMARIZE of a query whose columns are those of `query` (summarize.c). */
const char *summary_query(const char *text, const struct plan_query *query, struct arena *arena);

/* --- tables and columns (lists.c) ------------------------------------------------------------------- */

/* SHOW TABLES, SHOW VIEWS. */
MUST_CHECK int lists_show_tables(struct shell_statement *work, bool views_only, int *status);
/* The columns of a query that was planned. */
MUST_CHECK int lists_describe(struct shell_statement *work, const struct plan *plan, int *status);
/*
 * Those tables of information_schema that the queries name, as rows of this moment, behind those of
 * `catalog`, which has room. statement_release gives them back.
 */
MUST_CHECK int lists_add_system(struct shell_statement *work);

#endif
