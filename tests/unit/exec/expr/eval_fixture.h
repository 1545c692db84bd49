/*
 * For the tests of expressions: columns and literals written as text, and results as text.
 *
 * Cells are separated by '|', NULL stands for itself. The short macros at the end expect a
 * `struct fixture *f` in scope.
 */
#ifndef EVAL_FIXTURE_H
#define EVAL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "exec/expr/eval.h"

#define FIXTURE_COLUMNS_MAX 32

struct fixture {
	struct arena arena;
	struct column columns[FIXTURE_COLUMNS_MAX];
	struct batch batch;
	uint16_t sel[BATCH_ROWS_MAX];
	struct buf out;
	struct error err;
};

static inline void fixture_reset(struct fixture *f)
{
	f->batch = (struct batch){.columns = f->columns};
	buf_clear(&f->out);
}

static inline int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	arena_init(&f->arena, 1u << 16);
	buf_init(&f->out, 1u << 28);
	fixture_reset(f);
	*state = f;
	return 0;
}

static inline int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	buf_release(&f->out);
	arena_release(&f->arena);
	free(f);
	return 0;
}

static inline struct value fixture_value(struct fixture *f, struct type type, const char *text)
{
	struct value value = {.type = type, .is_null = true};
	const char *reason = "";

	if (strcmp(text, "NULL") != 0 &&
		!value_parse(type, text, strlen(text), &f->arena, &value, &reason))
		fail_msg("%s: %s", text, reason);
	return value;
}

/* Adds a column and returns a reference to it. All columns of a batch have the same rows. */
static inline struct expr *fixture_column(struct fixture *f, enum type_kind kind, const char *cells)
{
	struct column *column = &f->columns[f->batch.column_count];
	uint32_t rows = 1;
	uint32_t row = 0;

	assert_true(f->batch.column_count < FIXTURE_COLUMNS_MAX);
	for (const char *c = cells; *c; c++)
		rows += *c == '|';
	column_init(column, type_of(kind), rows, &f->arena);
	for (const char *cell = cells;; row++) {
		size_t size = strcspn(cell, "|");
		struct value value =
			fixture_value(f, type_of(kind), arena_strndup(&f->arena, cell, size));

		if (value.is_null)
			column_add_validity(column, rows, &f->arena);
		column_set_value(column, row, &value);
		if (cell[size] == '\0')
			break;
		cell += size + 1;
	}
	assert_true(f->batch.column_count == 0 || f->batch.rows == rows);
	f->batch.rows = rows;
	f->batch.selected = rows;
	return expr_column(&f->arena, f->batch.column_count++, type_of(kind));
}

/* Selects the rows named in "0,2,5". */
static inline void fixture_select(struct fixture *f, const char *rows)
{
	f->batch.sel = f->sel;
	f->batch.selected = 0;
	while (*rows) {
		f->sel[f->batch.selected++] = (uint16_t)strtoul(rows, (char **)&rows, 10);
		rows += *rows == ',';
	}
}

static inline struct expr *fixture_literal(struct fixture *f, enum type_kind kind, const char *text)
{
	struct value value = fixture_value(f, type_of(kind), text);

	return expr_constant(&f->arena, &value);
}

static inline struct expr *fixture_call(struct fixture *f, enum function_id function,
	enum type_kind kind, uint32_t count, struct expr *const *args)
{
	return expr_call(&f->arena, function, type_of(kind), count, args);
}

static inline void fixture_print(struct fixture *f, const struct column *column, uint32_t row)
{
	struct value value = column_value(column, row);

	if (value.is_null)
		buf_append_text(&f->out, "NULL");
	else
		value_format(&value, &f->out);
}

/* The selected rows of the result, with | between; or "ERROR: " and the message. */
static inline const char *fixture_eval(struct fixture *f, const struct expr *expr)
{
	struct evaluator *evaluator = NULL;
	struct column column;

	buf_clear(&f->out);
	if (evaluator_new(&evaluator, expr, &f->err) ||
		evaluator_eval(evaluator, &f->batch, &column, &f->err)) {
		buf_printf(&f->out, "ERROR: %s", f->err.message);
	} else {
		assert_true(type_equal(column.type, expr->type));
		for (uint32_t k = 0; k < f->batch.selected; k++) {
			if (k > 0)
				buf_append_char(&f->out, '|');
			fixture_print(f, &column, batch_row(&f->batch, k));
		}
	}
	evaluator_free(evaluator);
	buf_append_char(&f->out, '\0');
	return f->out.data;
}

/* The rows for which the conjuncts are true, as "0,2"; or "ERROR: " and the message. */
static inline const char *fixture_filter(
	struct fixture *f, uint32_t count, struct expr *const *conjuncts)
{
	struct evaluator *evaluator = NULL;
	uint16_t sel[BATCH_ROWS_MAX];
	uint32_t selected;

	buf_clear(&f->out);
	if (evaluator_new_conjunction(&evaluator, conjuncts, count, &f->err) ||
		evaluator_select(evaluator, &f->batch, sel, &selected, &f->err))
		buf_printf(&f->out, "ERROR: %s", f->err.message);
	else
		for (uint32_t k = 0; k < selected; k++)
			buf_printf(&f->out, k > 0 ? ",%u" : "%u", sel[k]);
	evaluator_free(evaluator);
	buf_append_char(&f->out, '\0');
	return f->out.data;
}

/* A copy in which every constant has become a column, but for those that must be constant. */
static inline struct expr *fixture_vary(struct fixture *f, const struct expr *expr)
{
	struct expr *copy = arena_alloc(&f->arena, sizeof(*copy));

	*copy = *expr;
	if (expr->kind == EXPR_CONSTANT) {
		struct column *column = &f->columns[f->batch.column_count];

		/* The value in the middle row only, which is the one that is selected. */
		assert_true(f->batch.column_count < FIXTURE_COLUMNS_MAX);
		column_init(column, expr->type, 3, &f->arena);
		column_add_validity(column, 3, &f->arena);
		memset(column->valid, 0, 3);
		column_set_value(column, 1, &expr->constant);
		return expr_column(&f->arena, f->batch.column_count++, expr->type);
	}
	copy->args = arena_alloc(&f->arena, (expr->arg_count + 1) * sizeof(*copy->args));
	for (uint32_t i = 0; i < expr->arg_count; i++) {
		bool unit = expr->kind == EXPR_CALL && i == 0 &&
			    (expr->function == FN_EXTRACT || expr->function == FN_DATE_TRUNC);
		bool list = expr->kind == EXPR_IN && i > 0;

		copy->args[i] = unit || list ? expr->args[i] : fixture_vary(f, expr->args[i]);
	}
	return copy;
}

/* Checks an expression of literals: folded, and again with its literals in columns. */
static inline void fixture_expect(
	struct fixture *f, const struct expr *expr, const char *expected, int line)
{
	const char *got;

	fixture_reset(f);
	f->batch.rows = f->batch.selected = 1;
	got = fixture_eval(f, expr);
	if (strcmp(got, expected) != 0)
		fail_msg("line %d: got %s, expected %s", line, got, expected);
	fixture_reset(f);
	expr = fixture_vary(f, expr);
	f->batch.rows = 3;
	fixture_select(f, "1");
	got = fixture_eval(f, expr);
	if (strcmp(got, expected) != 0)
		fail_msg("line %d, from columns: got %s, expected %s", line, got, expected);
}

#define EXPECT(expr, expected) fixture_expect(f, (expr), (expected), __LINE__)

#define ARGS(...)                                                                         \
	sizeof((struct expr *[]){__VA_ARGS__}) / sizeof(struct expr *), (struct expr *[]) \
	{                                                                                 \
		__VA_ARGS__                                                               \
	}
#define CALL(function, kind, ...) fixture_call(f, function, kind, ARGS(__VA_ARGS__))
#define NODE(kind, result, ...)	  expr_node(&f->arena, kind, type_of(result), ARGS(__VA_ARGS__))
#define CAST(arg, kind)		  expr_cast(&f->arena, arg, type_of(kind))
#define COLUMN(kind, cells)	  fixture_column(f, kind, cells)
#define FILTER(...)		  fixture_filter(f, ARGS(__VA_ARGS__))

#define LIT_BOOL(text)	    fixture_literal(f, TYPE_BOOL, text)
#define LIT_INT(text)	    fixture_literal(f, TYPE_INT, text)
#define LIT_BIGINT(text)    fixture_literal(f, TYPE_BIGINT, text)
#define LIT_NUMERIC(text)   fixture_literal(f, TYPE_NUMERIC, text)
#define LIT_DOUBLE(text)    fixture_literal(f, TYPE_DOUBLE, text)
#define LIT_TEXT(text)	    fixture_literal(f, TYPE_TEXT, text)
#define LIT_DATE(text)	    fixture_literal(f, TYPE_DATE, text)
#define LIT_TIME(text)	    fixture_literal(f, TYPE_TIME, text)
#define LIT_TIMESTAMP(text) fixture_literal(f, TYPE_TIMESTAMP, text)
#define LIT_LIST(text)	    fixture_literal(f, TYPE_TEXT_LIST, text)

#endif
