/*
 * A session: the tables of some files, views and tables of its own, settings and variables, and the
 * statements that are run one after the other. `tamiz sql`, its standard input and the interactive shell
 * all run statements here and nowhere else.
 *
 * Legal order: shell_init; statements; shell_release. What files there are is looked at with every
 * statement.
 */
#ifndef CLI_SHELL_SHELL_H
#define CLI_SHELL_SHELL_H

#include "cli/request/catalog.h"
#include "cli/request/execute.h"
#include "sql/statement.h"

#include <sys/types.h>

#define SHELL_TEXT_MAX (16u << 20)

/* What SET changes (settings.c). */
struct shell_settings {
	struct execute_options execute;
	const char *null;     /* what NULL looks like; NULL: as the form has it */
	const char *expanded; /* on, off, auto; NULL: off */
	const char *now;      /* for statements from now on; NULL: the clock */
	const char *seed;     /* the same; NULL: another each time */
	const char
		*cache; /* how much of what is read is kept; off: nothing; NULL: the usual share */
	bool tuples_only;
	bool pager;
	bool timing;
};

/* What a session starts with; borrowed, with everything in it. */
struct shell_options {
	struct option_list data; /* empty: the current folder */
	const char *schema;
	struct option_list variables;  /* name=value */
	struct option_list parameters; /* what $1, $2 and so on are */
	struct dialect_options files;
	struct shell_settings settings;
};

struct shell_variable {
	const char *name;
	const char *value;
	struct shell_variable *next;
};

struct shell_prepared {
	const char *name;
	const char *statement; /* with $1, $2 and so on in it */
	uint32_t parameter_count;
	uint32_t type_count; /* of the first of them */
	const char **types;
	struct shell_prepared *next;
};

/* A table that the session made. */
struct shell_table {
	const char *name;
	struct kept_rows rows;
	struct shell_table *next;
};

struct shell {
	const struct shell_options *options;
	struct arena arena;
	struct data_places data;
	struct shell_settings settings;
	struct shell_variable *variables;
	struct shell_prepared *prepared;
	uint32_t own_count;
	struct table_schema *own; /* tables that statements made; room for CATALOG_TABLES_MAX */
	struct shell_table *tables;
	struct sql_views *views;
	bool has_written;	    /* a result is in the file that --output names */
	bool interactive;	    /* a person types, at a terminal */
	bool quits;		    /* somebody has said so */
	bool reads_again;	    /* there is more than one statement: what is read is kept */
	struct column_cache *cache; /* NULL: nothing is */
	uint32_t depth;		    /* of files that read others */
	int output;		    /* where results go instead of stdout (\o); -1: they go there */
	pid_t output_reader;	    /* of the pipe that `output` is; 0: it is none */
	int spool;	 /* results that may be too long for the screen; -1: none are held */
	struct buf last; /* the statement that ran last, for \g, \watch and \e */
};

/* ERROR_USAGE for variables that are none. */
MUST_CHECK int shell_init(
	struct shell *shell, const struct shell_options *options, struct error *err);
void shell_release(struct shell *shell);

/* Runs one statement. Errors are printed; returns the exit status, 0 when it worked. */
int shell_run(struct shell *shell, const struct sql_text *text);
/* Runs all statements of a text, up to the first that fails. */
int shell_run_text(struct shell *shell, const char *text);
/* The same of several texts, such as those of -c. */
int shell_run_commands(struct shell *shell, const struct option_list *texts);

/* Text as it comes, and how far its statements have been run (reader.c). */
struct shell_reader {
	struct buf text;
	size_t done;
	struct sql_text place; /* of what is not done */
};

void shell_reader_init(struct shell_reader *reader);
void shell_reader_release(struct shell_reader *reader);
void shell_reader_add(struct shell_reader *reader, const char *text, size_t size);
/*
 * Runs the statements and commands that are complete. Returns the exit status of the last, which is the
 * first that failed unless a person types.
 */
int shell_reader_run(struct shell *shell, struct shell_reader *reader);
/* What is open (struct sql_extent); '\0' between statements. */
char shell_reader_open(const struct shell_reader *reader);

/* Reads statements from a terminal until its user leaves (console.c). Returns the exit status. */
int shell_console(struct shell *shell, bool with_startup_file);

/* NULL: there is none. */
const char *shell_variable(void *shell, const char *name, size_t size);
/* Names are letters, digits and underscores. */
MUST_CHECK int shell_set_variable(
	struct shell *shell, const char *name, const char *value, struct error *err);
void shell_unset_variable(struct shell *shell, const char *name);

#endif
