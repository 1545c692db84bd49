/*
 * Statements of a session: where one ends in a text, what it asks for, and the views that queries may
 * name. Nothing is done here; whoever runs a session (cli/shell) does it.
 */
#ifndef SQL_STATEMENT_H
#define SQL_STATEMENT_H

#include "sql/compile.h"
#include "sql/parse/source.h"

/* --- where statements end ------------------------------------------------------------------------- */

enum sql_end {
	SQL_END_NONE,	   /* more text may belong to it */
	SQL_END_SEMICOLON, /* behind it */
	SQL_END_BACKSLASH, /* before one that is no part of SQL: a command of the shell */
};

struct sql_extent {
	enum sql_end end;
	size_t size; /* of the statement; all of the text when nothing ends it */
	/* What is open where the text ends: ' " $ ( or * for a comment; '-' for nothing but the
	 * statement; '\0' when there are only blanks and comments. */
	char open;
};

/* The first statement of `text`. As in psql, a semicolon in parentheses ends nothing. */
struct sql_extent sql_statement_extent(const char *text, size_t size);

/* Who knows the value of a variable; NULL: there is none. */
typedef const char *(*sql_lookup)(void *context, const char *name, size_t size);

/*
 * The text with :name, :'name' (as a text) and :"name" (as a name) replaced by the variables' values,
 * but not inside of quotes and comments. What names no variable stays as it is.
 */
void sql_substitute(
	const char *text, size_t size, sql_lookup lookup, void *context, struct buf *out);

#define SQL_PARAMETERS_MAX 64

/* A part of a text. */
struct sql_part {
	const char *text;
	size_t size;
};

/*
 * The text with $1, $2 and so on replaced by these values, which are SQL. Returns the greatest number in
 * it, and where it first stands; what is greater than `count` stays as it is.
 */
uint32_t sql_put_parameters(struct sql_part text, uint32_t count, const char *const *values,
	struct buf *out, int32_t *location);

enum sql_prepared_kind {
	SQL_NOT_PREPARED, /* any other statement */
	SQL_PREPARE,	  /* .name, of parameters of these types, if they are said, AS .statement */
	SQL_EXECUTE,	  /* .name with these values */
	SQL_DEALLOCATE,	  /* .name; ALL */
};

/* Parts of the statement's text. */
struct sql_prepared {
	enum sql_prepared_kind kind;
	struct sql_part name; /* in quotes, if it is */
	uint32_t part_count;
	struct sql_part parts[SQL_PARAMETERS_MAX];
	struct sql_part statement;
};

/* False when it begins like one and is none. */
bool sql_prepared_read(const char *text, struct sql_prepared *out);

/* A text in quotes, as SQL reads it back. */
void sql_append_quoted(struct buf *out, const char *text, char quote);

/* --- what a statement asks for -------------------------------------------------------------------- */

enum sql_statement_kind {
	SQL_NOTHING, /* blanks and comments */
	SQL_QUERY,
	SQL_EXPLAIN,
	SQL_DESCRIBE,
	SQL_SUMMARIZE,
	SQL_COPY_TO, /* the query's rows to the file .name, or without one to the output */
	SQL_CREATE_VIEW,
	SQL_CREATE_TABLE_AS,
	SQL_CREATE_TABLE, /* over files: what sql_schema reads */
	SQL_DROP,
	SQL_SET,   /* .value; NULL: the default */
	SQL_RESET, /* .name; NULL: all */
	SQL_SHOW,  /* .name: a setting, "tables", "views" or "all" */
};

struct sql_statement {
	enum sql_statement_kind kind;
	const char *name;
	int32_t location;
	struct sql_queries
		queries; /* one, of all kinds up to SQL_CREATE_TABLE_AS but SQL_NOTHING */
	const char *value;
	bool is_view;	   /* DROP VIEW */
	bool or_replace;   /* CREATE OR REPLACE */
	bool if_possible;  /* IF EXISTS, IF NOT EXISTS: else it is no error */
	bool without_rows; /* WITH NO DATA */
	bool analyzes;	   /* EXPLAIN ANALYZE: it is run */
	bool as_json;	   /* EXPLAIN (FORMAT JSON) */
	uint32_t column_count;
	const char **columns; /* names for the first columns of a view or table */
	uint32_t option_count;
	struct sql_option *options;
};

/* Everything lives in the arena; `text` is borrowed. More than one statement is an error. */
MUST_CHECK int sql_statement_parse(const struct sql_text *text, struct arena *arena,
	struct sql_statement *out, struct error *err);

/*
 * DESCRIBE and SUMMARIZE, which PostgreSQL's grammar does not have: the query whose rows they are about,
 * with everything where it was, and which of them it is; SQL_NOTHING and the text itself for all others.
 */
const char *sql_inspected(const char *text, struct arena *arena, enum sql_statement_kind *kind);

/* An error at the location of a statement or option. Returns -1. */
int sql_text_error(const struct sql_text *text, int32_t location, struct error *err,
	const char *format, ...) PRINTF_LIKE(4, 5);

/* Line and column of an error that has an offset in the text. */
void sql_text_place(const struct sql_text *text, struct error *err);

/* Whether a query, or a view that it may name, names this table. */
bool sql_names_table(const struct sql_queries *queries, const char *name);

/* --- views ----------------------------------------------------------------------------------------- */

#define SQL_VIEWS_MAX 256

struct sql_views;

/* Lives in the arena, with all that it holds. */
struct sql_views *sql_views_new(struct arena *arena);
uint32_t sql_views_count(const struct sql_views *views);
const char *sql_views_name(const struct sql_views *views, uint32_t index);
/* The statement that made it. */
const char *sql_views_text(const struct sql_views *views, uint32_t index);
/* PLAN_NONE when there is none. */
uint32_t sql_views_find(const struct sql_views *views, const char *name);
/*
 * Takes the view of a SQL_CREATE_VIEW that was parsed from `text`, in the place of one of that name if
 * there is one. A view sees only those before it.
 */
MUST_CHECK int sql_views_put(
	struct sql_views *views, const struct sql_text *text, struct error *err);
void sql_views_drop(struct sql_views *views, uint32_t index);
/* The first view that names a table or view; PLAN_NONE. */
uint32_t sql_views_using(const struct sql_views *views, const char *name);

#endif
