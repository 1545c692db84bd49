/*
 * Binding: names to columns, literals to types, calls to functions. Fills in every cast, so that
 * nothing behind it thinks about types again.
 *
 *   bind_select.c     the clauses of a SELECT, in the order in which they mean something
 *   bind_setop.c      UNION, INTERSECT, EXCEPT
 *   bind_from.c       tables, joins and the names they bring into scope; bind_cte.c WITH
 *   bind_unnest.c     rows out of lists
 *   bind_subquery.c   subqueries in expressions; decorrelate.c those that read outer columns
 *   bind_expr.c       expressions; bind_operator.c their operators
 *   bind_function.c   scalar functions; bind_aggregate.c aggregates, bind_window.c windows
 *   coerce.c          which type becomes which, and how
 */
#ifndef SQL_BIND_H
#define SQL_BIND_H

#include "sql/logical.h"
#include "sql/parse/ast.h"

/* What is to be bound. Borrowed for as long as what comes out of it. */
struct bind_request {
	const struct catalog *catalog;
	const struct sql_source *source;
	const struct ast_select *select;
	uint32_t view_count; /* that stand around the query, each in sight of those before it */
	const struct ast_cte *views;
	bool kept; /* no column becomes the text that it is shown as */
};

/* `columns` starts empty. Everything lives in the arena. */
MUST_CHECK int bind_query(const struct bind_request *request, struct arena *arena,
	struct logical_columns *columns, struct logical_query *out, struct error *err);

/* The type that a schema or a cast names. */
MUST_CHECK int bind_type(const struct sql_source *source, const struct ast_type *ast,
	struct type *out, struct error *err);

#endif
