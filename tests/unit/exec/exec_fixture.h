/*
 * For the tests of operators: batches written as text, plans of one operator, and results as text.
 *
 * Rows are lines, cells are separated by '|', NULL stands for itself and cells are read as the SQL
 * cast from text does. Types are named by one letter each: b bool, i int, l bigint, n numeric,
 * d double, t text, D date, T timestamp, I interval, a text[].
 */
#ifndef EXEC_FIXTURE_H
#define EXEC_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "exec/op/pipeline.h"
#include "plan/plan.h"

#define FIXTURE_TEXT_MAX (64u << 20)

struct fixture {
	struct sink sink; /* first: the pipeline knows it by this */
	struct arena arena;
	struct buf out;
	uint32_t batches;
	uint64_t rows;
	struct error err;
	struct pipeline *pipeline;
	struct plan_fragment fragment;
	struct plan_op *ops[4];
	const struct join_build *builds[2];
};

static inline struct type fixture_type(char letter)
{
	switch (letter) {
	case 'b': return type_of(TYPE_BOOL);
	case 'i': return type_of(TYPE_INT);
	case 'l': return type_of(TYPE_BIGINT);
	case 'n': return type_of(TYPE_NUMERIC);
	case 'd': return type_of(TYPE_DOUBLE);
	case 't': return type_of(TYPE_TEXT);
	case 'D': return type_of(TYPE_DATE);
	case 'T': return type_of(TYPE_TIMESTAMP);
	case 'I': return type_of(TYPE_INTERVAL);
	case 'a': return type_of(TYPE_TEXT_LIST);
	}
	fail_msg("no type %c", letter);
	return type_of(TYPE_UNKNOWN);
}

static inline struct type *fixture_types(struct fixture *f, const char *letters)
{
	size_t count = strlen(letters);
	struct type *types = arena_alloc(&f->arena, (count + 1) * sizeof(*types));

	for (size_t i = 0; i < count; i++)
		types[i] = fixture_type(letters[i]);
	return types;
}

static inline int fixture_emit(struct sink *sink, const struct batch *batch, struct error *err)
{
	struct fixture *f = (struct fixture *)sink;

	(void)err;
	assert_true(batch->rows <= BATCH_ROWS_MAX);
	assert_true(batch->selected > 0 && batch->selected <= batch->rows);
	f->batches++;
	f->rows += batch->selected;
	for (uint32_t k = 0; k < batch->selected; k++) {
		for (uint32_t c = 0; c < batch->column_count; c++) {
			struct value value = column_value(&batch->columns[c], batch_row(batch, k));

			if (c > 0)
				buf_append_char(&f->out, '|');
			if (value.is_null)
				buf_append_text(&f->out, "NULL");
			else
				value_format(&value, &f->out);
		}
		buf_append_char(&f->out, '\n');
	}
	assert_false(buf_overflowed(&f->out));
	return 0;
}

static inline void fixture_init(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->sink.emit = fixture_emit;
	arena_init(&f->arena, 1u << 16);
	buf_init(&f->out, FIXTURE_TEXT_MAX);
	f->fragment.ops = f->ops;
	f->fragment.query = PLAN_NONE;
}

static inline void fixture_release(struct fixture *f)
{
	pipeline_free(f->pipeline);
	buf_release(&f->out);
	arena_release(&f->arena);
}

/* Adds an operator whose output has these types; the caller fills in the rest. */
static inline struct plan_op *fixture_op(
	struct fixture *f, enum plan_op_kind kind, const char *out_types)
{
	struct plan_op *op = arena_zalloc(&f->arena, sizeof(*op));

	op->kind = kind;
	op->column_count = (uint32_t)strlen(out_types);
	op->types = fixture_types(f, out_types);
	f->ops[f->fragment.op_count++] = op;
	return op;
}

static inline void fixture_start(struct fixture *f)
{
	assert_int_equal(pipeline_new(&f->pipeline, &f->fragment, f->builds, &f->sink, &f->err), 0);
}

static inline void fixture_cell(struct fixture *f, struct column *column, uint32_t row,
	uint32_t rows, const char *text, size_t size)
{
	struct value value = {.type = column->type, .is_null = true};
	const char *reason;

	if (size == 4 && memcmp(text, "NULL", 4) == 0)
		column_add_validity(column, rows, &f->arena);
	else if (!value_parse(column->type, text, size, &f->arena, &value, &reason))
		fail_msg("%.*s: %s", (int)size, text, reason);
	column_set_value(column, row, &value);
}

/* All rows selected. */
static inline struct batch fixture_batch(struct fixture *f, const char *letters, const char *text)
{
	uint32_t count = (uint32_t)strlen(letters), rows = 0;
	struct batch batch = {.column_count = count};

	for (const char *c = text; *c; c++)
		rows += *c == '\n';
	batch.rows = batch.selected = rows;
	batch.columns = arena_zalloc(&f->arena, (count + 1) * sizeof(*batch.columns));
	for (uint32_t c = 0; c < count; c++)
		column_init(&batch.columns[c], fixture_type(letters[c]), rows, &f->arena);
	for (uint32_t row = 0; row < rows; row++) {
		for (uint32_t c = 0; c < count; c++) {
			size_t size = strcspn(text, "|\n");

			fixture_cell(f, &batch.columns[c], row, rows, text, size);
			text += size + 1;
		}
		text += count == 0;
	}
	return batch;
}

static inline void fixture_select(
	struct fixture *f, struct batch *batch, uint32_t count, const uint16_t *rows)
{
	batch->sel =
		memcpy(arena_alloc(&f->arena, count * sizeof(*rows)), rows, count * sizeof(*rows));
	batch->selected = count;
}

static inline void fixture_push_batch(struct fixture *f, const struct batch *batch)
{
	if (pipeline_push(f->pipeline, batch, &f->err) < 0)
		fail_msg("%s", f->err.message);
}

static inline void fixture_push(struct fixture *f, const char *letters, const char *text)
{
	struct batch batch = fixture_batch(f, letters, text);

	fixture_push_batch(f, &batch);
}

static inline const char *fixture_text(struct fixture *f)
{
	buf_append_char(&f->out, '\0');
	f->out.size--;
	return f->out.data;
}

static inline const char *fixture_finish(struct fixture *f)
{
	if (pipeline_finish(f->pipeline, &f->err) < 0)
		fail_msg("%s", f->err.message);
	return fixture_text(f);
}

static inline int fixture_compare_lines(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The lines in bytewise order: for operators that may emit in any order. */
static inline const char *fixture_sorted(struct fixture *f, const char *text)
{
	char *copy = arena_strdup(&f->arena, text);
	char *result = arena_alloc_bytes(&f->arena, strlen(text) + 1), *to = result;
	size_t count = 0, lines = 0;
	const char **starts;

	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	starts = arena_alloc(&f->arena, (lines + 1) * sizeof(*starts));
	for (char *line = copy; *line;) {
		char *end = strchr(line, '\n');

		*end = '\0';
		starts[count++] = line;
		line = end + 1;
	}
	qsort(starts, count, sizeof(*starts), fixture_compare_lines);
	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(starts[i]);

		memcpy(to, starts[i], size);
		to[size] = '\n';
		to += size + 1;
	}
	*to = '\0';
	return result;
}

#endif
