/*
 * The syntax tree that parse.c makes of SQL text: just the part of PostgreSQL's grammar that tamiz
 * understands, in the arena of the compilation. Names are folded already; nothing is looked up.
 *
 * parse.c has rejected everything that has no node here, so the binder only meets what it knows.
 */
#ifndef SQL_AST_H
#define SQL_AST_H

#include "column/statement_start.h"
#include "plan/plan.h"
#include "sql/parse/source.h"

/* Levels of parentheses, operators, subqueries: bounds the stack of every recursive walk. */
#define SQL_NESTING_MAX 500

struct ast_select;

enum ast_kind {
	AST_NAME,    /* .names, .name_count: a, t.a */
	AST_STAR,    /* *, or t.* with one name */
	AST_INTEGER, /* .text: an optional minus and digits that fit 32 bits */
	AST_NUMBER,  /* .text: any other number */
	AST_STRING,  /* .text, of .text_size bytes */
	AST_BOOL,    /* .flag */
	AST_NULL,
	AST_PARAMETER, /* $text_size, in the body of a function */
	AST_OPERATOR,  /* .text is its name; one or two args */
	AST_AND,
	AST_OR,
	AST_NOT,
	AST_IS_NULL,
	AST_IS_BOOL, /* args[0] IS .flag (true, false) */
	AST_IS_UNKNOWN,
	AST_IS_DISTINCT,  /* .negated: IS NOT DISTINCT FROM */
	AST_IN,		  /* args[0] [.negated] IN (args[1..]) */
	AST_IN_SELECT,	  /* args[0] .text ANY (.select); IN is = ANY */
	AST_EXISTS,	  /* EXISTS (.select) */
	AST_SUBQUERY,	  /* (.select) as a value */
	AST_ARRAY_SELECT, /* ARRAY(.select) */
	AST_BETWEEN,	  /* args[0] [.negated] BETWEEN [SYMMETRIC: .flag] args[1] AND args[2] */
	AST_LIKE,	  /* args[0] [.negated] LIKE (ILIKE: .flag) args[1] [ESCAPE args[2]] */
	AST_ANY,	  /* args[0] .text ANY (args[1]); .flag: ALL */
	AST_CASE, /* .flag: args[0] is the operand; when, then, ...; else last, NULL if none */
	AST_COALESCE,
	AST_NULLIF,
	AST_GREATEST,
	AST_LEAST,
	AST_CAST, /* args[0] to .type */
	AST_CALL, /* .text(args); .call says the rest */
	AST_ARRAY,
	AST_SUBSCRIPT,	  /* args[0][args[1]], or args[0][args[1]:args[2]] */
	AST_ROW,	  /* (args), two or more of them, or ROW(args): .flag */
	AST_GROUPING,	  /* GROUPING(args) */
	AST_GROUPING_SET, /* .grouping of args, in GROUP BY only */
};

enum ast_grouping_kind {
	AST_GROUPING_EMPTY, /* () */
	AST_GROUPING_ROLLUP,
	AST_GROUPING_CUBE,
	AST_GROUPING_SETS,
};

struct ast_type {
	const char *name; /* PostgreSQL's internal one: int4, float8, timestamp */
	uint32_t modifier_count;
	int32_t modifiers[2];
	bool is_array;
	int32_t location;
};

struct ast_sort {
	struct ast_expr *expr;
	bool descending;
	bool nulls_first;
};

/* ROWS, RANGE or GROUPS. Offsets are NULL where the bound has none. */
struct ast_frame {
	enum frame_mode mode;
	enum frame_bound_kind start;
	enum frame_bound_kind end;
	struct ast_expr *start_offset;
	struct ast_expr *end_offset;
	enum frame_exclude exclude;
};

struct ast_window {
	const char
		*name; /* of a WINDOW clause entry, or the one that OVER refers to; NULL for none */
	const char *base; /* the window that this one extends: OVER (w ...); NULL for none */
	uint32_t partition_count;
	struct ast_expr **partition;
	uint32_t sort_count;
	struct ast_sort *sort;
	struct ast_frame *frame; /* NULL when it is not spelled out */
	int32_t location;
};

/* What only some function calls have. */
struct ast_call {
	bool star;
	bool distinct;
	bool variadic;	     /* the last argument is an array of those that follow */
	bool within_group;   /* the sort is that of WITHIN GROUP */
	uint32_t sort_count; /* ORDER BY among the arguments */
	struct ast_sort *sort;
	struct ast_expr *filter; /* NULL when there is none */
	const char **arg_names;	 /* NULL: no argument has one; otherwise one an argument, or NULL */
	struct ast_window *window; /* NULL when there is no OVER */
};

struct ast_expr {
	enum ast_kind kind;
	int32_t location;
	bool flag;
	bool negated;
	enum ast_grouping_kind grouping;
	uint32_t text_size;
	const char *text;
	uint32_t arg_count;
	struct ast_expr **args;
	uint32_t name_count;
	const char **names;
	struct ast_type *type;
	struct ast_call *call;
	struct ast_select *select;
};

struct ast_target {
	struct ast_expr *expr;
	const char *alias; /* NULL when there is none */
};

enum ast_from_kind {
	AST_FROM_TABLE,
	AST_FROM_SELECT,
	AST_FROM_FUNCTION, /* .functions, in step */
	AST_FROM_JOIN,
};

enum ast_join_kind {
	AST_JOIN_INNER, /* also CROSS */
	AST_JOIN_LEFT,
	AST_JOIN_RIGHT,
	AST_JOIN_FULL,
};

struct ast_parameter {
	const char *name; /* NULL when it has none */
	struct ast_type *type;
	struct ast_expr *otherwise; /* its default; NULL: it must be given */
};

struct ast_sample {
	const char *method;
	int32_t location;
	struct ast_expr *percent;
	struct ast_expr *seed; /* REPEATABLE; NULL: none */
};

struct ast_from {
	enum ast_from_kind kind;
	int32_t location;
	const char *name;  /* of the table */
	bool is_file;	   /* FROM 'x' or read_csv('x'): never a CTE */
	const char *files; /* of read_csv(): the path, with these options; else NULL */
	uint32_t option_count;
	struct sql_option *options;
	struct ast_sample *sample; /* TABLESAMPLE of a table; NULL: all rows */
	const char *alias;	   /* NULL when there is none */
	uint32_t column_alias_count;
	const char **column_aliases;
	struct ast_select *select;
	bool lateral; /* of a subquery */
	uint32_t function_count;
	struct ast_expr **functions;
	bool ordinality;
	uint32_t defined_count; /* columns of a function: AS t (a int, b text) */
	struct ast_parameter *defined;
	enum ast_join_kind join;
	bool natural;
	uint32_t using_count;
	const char **using_names;
	const char *using_alias; /* of the columns of USING; NULL when there is none */
	struct ast_expr *on;	 /* NULL when there is none */
	struct ast_from *left;
	struct ast_from *right;
};

struct ast_cte {
	const char *name;
	uint32_t column_alias_count;
	const char **column_aliases;
	struct ast_select *select;
	bool recursive;	   /* in WITH RECURSIVE */
	bool reads_itself; /* its name stands in a FROM inside of it */
	int32_t location;
	const struct sql_source *source; /* of a view: its own text; NULL: that of the query */
};

struct ast_row {
	uint32_t count;
	struct ast_expr **values;
};

enum ast_set_operation {
	AST_UNION,
	AST_INTERSECT,
	AST_EXCEPT,
};

/* One of: a plain SELECT, VALUES (row_count > 0), or a set operation on left and right. */
struct ast_select {
	int32_t location; /* of something in it, -1 when nothing has a place */
	uint32_t cte_count;
	struct ast_cte *ctes;
	bool distinct;
	uint32_t distinct_on_count; /* DISTINCT ON (...); then `distinct` is not set */
	struct ast_expr **distinct_on;
	uint32_t target_count;
	struct ast_target *targets;
	uint32_t from_count;
	struct ast_from **from;
	struct ast_expr *where;
	bool group_distinct; /* GROUP BY DISTINCT: equal grouping sets count once */
	uint32_t group_count;
	struct ast_expr **group;
	struct ast_expr *having;
	uint32_t window_count;
	struct ast_window **windows;
	uint32_t row_count;
	struct ast_row *rows;
	struct ast_select *left;
	struct ast_select *right;
	enum ast_set_operation operation;
	bool all; /* UNION ALL and its like */
	uint32_t sort_count;
	struct ast_sort *sort;
	struct ast_expr *limit;
	bool with_ties; /* FETCH ... WITH TIES */
	struct ast_expr *offset;
};

struct ast_column_def {
	const char *name;
	struct ast_type *type;
	uint32_t option_count; /* OPTIONS (name 'value', ...) */
	struct sql_option *options;
	int32_t location;
};

struct ast_create_table {
	const char *name;
	int32_t location;
	uint32_t column_count;
	struct ast_column_def *columns;
	uint32_t option_count;
	struct sql_option *options;
};

struct ast_schema {
	uint32_t table_count;
	struct ast_create_table *tables;
	uint32_t function_count;
	struct ast_function *functions;
	const char *time_zone; /* NULL where it sets none */
	struct statement_start start;
};

/* The FROM items of a query that are no subqueries, wherever they stand in it. */
struct ast_tables {
	uint32_t count;
	uint32_t capacity;
	const struct ast_from **items;
};

struct ast_function {
	const char *name;
	int32_t location;
	uint32_t parameter_count;
	struct ast_parameter *parameters;
	struct ast_type *type; /* of its value; NULL: it has rows of several columns */
	bool returns_set;
	/* Of the rows: OUT, INOUT and RETURNS TABLE; or those of the table `row_of`. */
	uint32_t column_count;
	struct ast_parameter *columns;
	const char *row_of;
	bool strict;	       /* NULL for an argument that is NULL */
	const char *body_text; /* AS '...'; NULL: RETURN expression */
	struct ast_select *body;
	struct sql_source source; /* of the body */
	struct ast_tables tables; /* that the body names */
	const char *text;	  /* of the whole statement */
};

/* One SELECT. Errors are of `source->code`. `tables` may be NULL. */
MUST_CHECK int parse_select(const struct sql_source *source, struct arena *arena,
	struct ast_select **out, struct ast_tables *tables, struct error *err);

/* The same, with $1, $2 and so on in it. */
MUST_CHECK int parse_body_text(const struct sql_source *source, struct arena *arena,
	struct ast_select **out, struct error *err);

struct sql_statement;

/*
 * One statement, or none. What it asks is in `out`, of whose queries the first SELECT and its tables
 * are set if there is one.
 */
MUST_CHECK int parse_statement(const struct sql_source *source, struct arena *arena,
	struct sql_statement *out, struct error *err);

/* CREATE TABLE and CREATE FUNCTION statements, zero or more, and SET of TIME ZONE, now and seed. `source` is borrowed by functions. */
MUST_CHECK int parse_schema(const struct sql_source *source, struct arena *arena,
	struct ast_schema *out, struct error *err);

#endif
