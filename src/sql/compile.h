/*
 * SQL text to a plan: the one door to this folder.
 *
 *   parse.c, convert_*.c   text -> syntax tree (ast.h); they alone see libpg_query
 *   bind*.c, coerce.c      names, types, functions -> logical tree (logical.h)
 *   rewrite*.c, prune.c    push filters down, order joins, find top-N, drop columns
 *   fragment.c, draft.c    logical tree -> fragments and exchanges (plan/plan.h)
 *   merge_maps.c           one fragment for map fragments that group alike
 *   explain.c              a plan as a tree that a person can read
 *   schema.c               CREATE TABLE ... WITH (files = ...) -> a catalog
 *   schema_write.c         and back
 *   statement.h            statements of a session: where they end (split.c), what they ask for, views.c
 */
#ifndef SQL_COMPILE_H
#define SQL_COMPILE_H

#include "base/buf.h"
#include "column/schema.h"
#include "plan/plan.h"
#include "plan/profile.h"

#define SQL_TEXT_MAX (1u << 20)

struct sql_text {
	const char *name;  /* "q1": prefix of error messages and name of the result; "" for none */
	const char *title; /* "" for none */
	const char *text;  /* one SELECT, with or without a final semicolon; terminated */
	uint32_t line;	   /* where it begins in a larger text: lines and columns before it */
	uint32_t column;
};

struct sql_views;

/* Queries that were parsed, once for everything that is asked about them and done with them. */
struct sql_queries {
	uint32_t count;
	const struct sql_text *texts;
	struct ast_select **selects;
	struct ast_tables *tables;     /* of each query, what stands in its FROM clauses */
	const struct sql_views *views; /* that they may name (statement.h); NULL: none */
	bool kept; /* values are for a table and not for people: nothing is shown as it was written */
};

/*
 * Everything in `out` lives in `arena`; `texts` is borrowed. Errors here and below are ERROR_SQL with
 * line, column and the construct's name.
 */
MUST_CHECK int sql_parse(const struct sql_text *texts, uint32_t count, struct arena *arena,
	struct sql_queries *out, struct error *err);

/*
 * One plan for all queries; tables that several of them read are scanned once. Everything in the
 * plan lives in `arena`; `catalog` and the texts may go away. May be called again, after a change of
 * the catalog.
 */
MUST_CHECK int sql_plan(const struct catalog *catalog, const struct sql_queries *queries,
	struct arena *arena, struct plan **out, struct error *err);

/* Both at once. */
MUST_CHECK int sql_compile(const struct catalog *catalog, const struct sql_text *texts,
	uint32_t count, struct arena *arena, struct plan **out, struct error *err);

/*
 * Adds the files that the queries name themselves as tables without columns: FROM 'a/b.csv',
 * read_csv('a/b.csv', ...), and FROM "a/b.csv" when no table has that name. `catalog` has room for
 * CATALOG_TABLES_MAX, and so has `named`: for the i-th new table, whether it cannot be anything but
 * files.
 */
MUST_CHECK int sql_file_tables(const struct sql_queries *queries, struct arena *arena,
	struct catalog *catalog, bool *named, struct error *err);

/* The names that stand in FROM clauses, of tables or of whatever else they may be of. */
const char *const *sql_table_names(
	const struct sql_queries *queries, struct arena *arena, uint32_t *count);

/*
 * Sets `named` for the tables of `catalog` that a query names anywhere. A plan may read fewer of them: a
 * join that no row depends on is left out. Whoever compiles the texts elsewhere needs them all.
 */
void sql_named_tables(
	const struct sql_queries *queries, const struct catalog *catalog, bool *named);

/*
 * CREATE TABLE statements, each WITH (files = '...' [, delimiter, quote, header, null]). `origin`
 * names the text in errors (ERROR_USAGE).
 */
MUST_CHECK int sql_schema(const char *origin, const char *text, struct arena *arena,
	struct catalog *out, struct error *err);

/*
 * CREATE TABLE statements that sql_schema reads back, of the tables t with wanted[t], for who reads
 * their chunks: in the format that these have, whatever the files look like. Tables with a `problem`
 * have no columns to write and must not be wanted. Statistics are for planners alone: without them
 * the same tables have the same text, whatever their files hold.
 */
void sql_schema_write(
	const struct catalog *catalog, const bool *wanted, bool with_statistics, struct buf *out);

/* One table for people, over several lines, with what was found of its files. */
void sql_schema_show(const struct table_schema *table, struct buf *out);

/* The plan as an indented tree, one query after the other. */
void sql_explain(const struct plan *plan, struct buf *out);
/* With what it took to run it (`profile`; NULL: it was not run), and as JSON. */
void sql_explain_measured(
	const struct plan *plan, const struct plan_profile *profile, bool json, struct buf *out);

#endif
