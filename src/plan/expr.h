/*
 * Typed expressions: what the binder makes of SQL text and what exec/ compiles into kernels.
 *
 * An expression is immutable and lives in the plan's arena. Every node carries its type; the binder
 * has inserted all casts, so a kernel never converts. Columns are indexes into the batch that
 * reaches the operator which holds the expression.
 */
#ifndef PLAN_EXPR_H
#define PLAN_EXPR_H

#include "column/column.h"
#include "plan/function.h"

enum expr_kind {
	EXPR_COLUMN,   /* .column */
	EXPR_CONSTANT, /* .constant, of .type; may be NULL */
	EXPR_CALL,     /* .function over args, which fit one of its signatures */
	EXPR_CAST,     /* args[0] to .type */
	EXPR_AND,      /* args, two or more, three-valued; evaluated left to right */
	EXPR_OR,       /* the same */
	EXPR_NOT,      /* args[0] */
	EXPR_IS_NULL,  /* args[0]; never NULL itself */
	EXPR_CASE,     /* when0, then0, when1, then1, ..., else: an odd number of args */
	EXPR_COALESCE, /* args, all of .type */
	EXPR_IN,       /* args[0] IN (args[1..]), which are constants of args[0]'s type */
};

struct expr {
	enum expr_kind kind;
	struct type type;
	enum function_id function;
	uint32_t column;
	struct value constant;
	uint32_t arg_count;
	struct expr **args;
	int32_t location; /* byte offset in the query's text, -1 when there is none */
};

struct expr *expr_column(struct arena *arena, uint32_t column, struct type type);
struct expr *expr_constant(struct arena *arena, const struct value *value);
struct expr *expr_node(struct arena *arena, enum expr_kind kind, struct type type,
	uint32_t arg_count, struct expr *const *args);
struct expr *expr_call(struct arena *arena, enum function_id function, struct type type,
	uint32_t arg_count, struct expr *const *args);
struct expr *expr_cast(struct arena *arena, struct expr *arg, struct type type);

/* The same shape, functions, columns and constants; locations do not count. */
bool expr_equal(const struct expr *a, const struct expr *b);
/*
 * Takes a text apart (a regular expression, sentiment, a Python literal): worth waiting for the
 * rows that cheaper conditions leave, and perhaps worth a machine of its own.
 */
bool expr_is_expensive(const struct expr *expr);
/* A copy in which column c has become map[c]. */
struct expr *expr_remap(struct arena *arena, const struct expr *expr, const uint32_t *map);

struct buf;
/* SQL-like text for explain; names[c] is column c's name. */
void expr_format(const struct expr *expr, const char *const *names, struct buf *out);

#endif
