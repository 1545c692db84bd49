/*
 * Columns and batches: what flows between operators.
 *
 * A batch is a set of equally long columns and a selection of their rows. Operators that drop rows
 * shrink the selection and leave the columns alone; row i of every column is at index i whatever
 * the selection says.
 */
#ifndef COLUMN_COLUMN_H
#define COLUMN_COLUMN_H

#include "base/arena.h"
#include "column/interval.h"
#include "column/numeric_long.h"
#include "column/type.h"

#define BATCH_ROWS_MAX 2048

struct column {
	struct type type;
	bool constant; /* slot 0 (and valid[0]) stands for every row */
	union {
		void *values;
		uint8_t *u8;
		int64_t *i64;
		numeric *num;
		double *f64;
		struct text *text;
		struct text_list *list;
		struct interval *interval;
	};
	/* One byte per row, 1 where there is a value, 0 for NULL. NULL pointer: there are no nulls.
	 */
	uint8_t *valid;
};

/*
 * Everything in a batch is borrowed: it lives until the call that received it returns. Whoever
 * keeps rows copies them, texts included.
 */
struct batch {
	uint32_t rows; /* length of every column, at most BATCH_ROWS_MAX */
	uint32_t column_count;
	struct column *columns;
	const uint16_t *sel; /* ascending row indexes; NULL: every row is selected */
	uint32_t selected;   /* how many; equal to `rows` when sel is NULL */
};

/* Index of the k-th selected row. */
static inline uint32_t batch_row(const struct batch *batch, uint32_t k)
{
	return batch->sel ? batch->sel[k] : k;
}

/* Index at which a column holds its value for row `row`. */
static inline uint32_t column_index(const struct column *column, uint32_t row)
{
	return column->constant ? 0 : row;
}

static inline bool column_is_null(const struct column *column, uint32_t row)
{
	return column->valid && !column->valid[column_index(column, row)];
}

/* Room for `rows` values from the arena; not zeroed; no nulls. */
void column_init(struct column *column, struct type type, uint32_t rows, struct arena *arena);
/* Adds a `valid` array of `rows` ones if there is none yet. */
void column_add_validity(struct column *column, uint32_t rows, struct arena *arena);
/* A constant NULL. */
void column_init_null(struct column *column, struct type type, struct arena *arena);
/* Row i of `out` is row rows[i] of `from`. Texts are borrowed; a constant stays one. */
void column_gather(struct column *out, const struct column *from, const uint16_t *rows,
	uint32_t count, struct arena *arena);

/* A single value outside a column: a literal, a bound, a default. */
struct value {
	struct type type;
	bool is_null;
	union {
		bool boolean;
		int64_t i64;
		numeric num;
		double f64;
		struct text text;
		struct text_list list;
		struct interval interval;
	};
};

struct value column_value(const struct column *column, uint32_t row);
/* Stores `value` (of the column's type) at `row`; a NULL needs column_add_validity before. */
void column_set_value(struct column *column, uint32_t row, const struct value *value);

struct buf;

/*
 * Appends the value as PostgreSQL writes it: t/f for booleans, the shortest text that reads back
 * for doubles, {a,b} for lists. NULL appends nothing.
 */
void value_format(const struct value *value, struct buf *out);
/*
 * Reads a text as a value of `type` (numeric(p,s) rounds to s), as an SQL cast from text does:
 * blanks around it are allowed. Texts and list items are copied into the arena. False when it does
 * not fit; `reason` then names why, in a few words ("not a number", "out of range").
 */
bool value_parse(struct type type, const char *text, size_t size, struct arena *arena,
	struct value *out, const char **reason);
/* The same, but dates and times also in PostgreSQL's other forms: datetime_text.h. For SQL alone. */
bool value_read(struct type type, const char *text, size_t size, struct arena *arena,
	struct value *out, const char **reason);

#define DOUBLE_TEXT_MAX 32
/* The shortest text that reads back, as PostgreSQL prints it: 1, 0.1, 1e+20, NaN, -Infinity. */
size_t double_format(double value, char text[DOUBLE_TEXT_MAX]);
/* The same of a float, which the value is. */
size_t real_format(double value, char text[DOUBLE_TEXT_MAX]);
/* As double_parse, rounded once to a float; false also for what a float does not reach. */
bool real_parse(const char *text, size_t size, double *out);
/* The whole of `size` bytes. Reads also nan and [-]inf[inity] in any case. */
bool double_parse(const char *text, size_t size, double *out);

#endif
