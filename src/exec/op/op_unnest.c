/*
 * A row for every item of the row's sources: lists, and series of numbers or times.
 *
 * Items are counted out as pairs (row, number of the item), up to a batch of them at a time, so a
 * list may be longer than a batch, and a series is never held as a whole. The input columns are
 * gathered by the rows of the pairs; where all pairs are of one row, they become constants.
 */
#include "base/memory.h"
#include "column/datetime.h"
#include "column/item.h"
#include "exec/op/operator.h"

#include <stdlib.h>

#define ARENA_BLOCK (64u << 10)
/* In place of an item's number: an outer row without items. */
#define NO_ITEM UINT64_MAX

/* A series, on its way through the row at hand, and the items of the pairs. */
struct series {
	bool ended;
	bool descends;
	int64_t next;
	int64_t last;
	int64_t step;
	struct interval shift; /* the step between times */
	bool *valid;
	int64_t *values;
};

struct op_unnest {
	struct op op;
	const struct plan_unnest *plan;
	uint32_t column_count; /* of the output */
	uint32_t input_count;  /* columns of the input */
	const struct type *item_types;
	struct column *columns;
	struct series *series;	   /* one a source; unused for lists */
	struct arena arena;	   /* output columns */
	const struct batch *batch; /* the one at hand */
	uint32_t pair_count;
	uint16_t rows[BATCH_ROWS_MAX];
	uint64_t items[BATCH_ROWS_MAX]; /* from 0 */
};

static struct text_list list_at(const struct column *column, uint32_t row)
{
	if (column_is_null(column, row))
		return (struct text_list){NULL, 0};
	return column->list[column_index(column, row)];
}

static const struct column *source_arg(
	const struct op_unnest *unnest, uint32_t source, uint32_t arg)
{
	return &unnest->batch->columns[unnest->plan->sources[source].args[arg]];
}

static int series_start(struct op_unnest *unnest, uint32_t source, uint32_t row, struct error *err)
{
	struct series *series = &unnest->series[source];
	const struct column *first = source_arg(unnest, source, 0);
	const struct column *last = source_arg(unnest, source, 1);
	const struct column *step = source_arg(unnest, source, 2);
	int sign;

	series->ended = column_is_null(first, row) || column_is_null(last, row) ||
			column_is_null(step, row);
	if (series->ended)
		return 0;
	series->next = first->i64[column_index(first, row)];
	series->last = last->i64[column_index(last, row)];
	if (step->type.kind == TYPE_INTERVAL) {
		series->shift = step->interval[column_index(step, row)];
		sign = interval_compare(series->shift, (struct interval){0});
	} else {
		series->step = step->i64[column_index(step, row)];
		sign = (series->step > 0) - (series->step < 0);
	}
	if (sign == 0)
		return error_set(err, ERROR_EVAL, "step size cannot equal zero");
	series->descends = sign < 0;
	return 0;
}

/* Whether there is one more item; it is that of the next pair. */
static bool series_next(struct op_unnest *unnest, uint32_t source)
{
	struct series *series = &unnest->series[source];
	bool there = !series->ended && (series->descends ? series->next >= series->last
							 : series->next <= series->last);

	series->ended = !there;
	series->valid[unnest->pair_count] = there;
	series->values[unnest->pair_count] = series->next;
	if (!there)
		return false;
	/* What can be counted no further has ended. */
	if (unnest->item_types[source].kind == TYPE_TIMESTAMP)
		series->ended = time_is_infinite(series->next) ||
				!timestamp_add_interval(series->next, series->shift, &series->next);
	else
		series->ended = __builtin_add_overflow(series->next, series->step, &series->next);
	return true;
}

/* Whether some source of the row has an item of this number. */
static bool next_items(struct op_unnest *unnest, uint32_t row, uint64_t item)
{
	bool any = false;

	for (uint32_t i = 0; i < unnest->plan->source_count; i++) {
		if (unnest->plan->sources[i].kind == ROWS_OF_SERIES)
			any = series_next(unnest, i) || any;
		else
			any = any || item < list_at(source_arg(unnest, i, 0), row).count;
	}
	return any;
}

static void make_input_column(struct op_unnest *unnest, uint32_t c)
{
	const struct column *from = &unnest->batch->columns[c];
	struct column *out = &unnest->columns[c];
	uint32_t row = unnest->rows[0];

	if (from->constant || unnest->rows[unnest->pair_count - 1] != row) {
		column_gather(out, from, unnest->rows, unnest->pair_count, &unnest->arena);
		return;
	}
	*out = *from;
	out->constant = true;
	out->u8 += row * physical_size(type_physical(from->type.kind));
	if (from->valid)
		out->valid += row;
}

static void make_list_items(
	struct op_unnest *unnest, const struct column *lists, struct type type, struct column *out)
{
	uint32_t count = unnest->pair_count;
	struct value none = {.type = type, .is_null = true}, value;

	column_init(out, type, count, &unnest->arena);
	for (uint32_t p = 0; p < count; p++) {
		struct text_list list = list_at(lists, unnest->rows[p]);
		uint64_t item = unnest->items[p];

		if (item < list.count && !item_is_null(list.items[item])) {
			value = item_value(type, list.items[item], &unnest->arena);
			column_set_value(out, p, &value);
			continue;
		}
		column_add_validity(out, count, &unnest->arena);
		column_set_value(out, p, &none);
	}
}

static void make_series_items(struct op_unnest *unnest, uint32_t source, struct column *out)
{
	const struct series *series = &unnest->series[source];
	uint32_t count = unnest->pair_count;

	column_init(out, unnest->item_types[source], count, &unnest->arena);
	for (uint32_t p = 0; p < count; p++) {
		out->i64[p] = series->values[p];
		if (series->valid[p])
			continue;
		column_add_validity(out, count, &unnest->arena);
		out->valid[p] = 0;
	}
}

static void make_ordinality(struct op_unnest *unnest, struct column *out)
{
	uint32_t count = unnest->pair_count;

	column_init(out, type_of(TYPE_BIGINT), count, &unnest->arena);
	for (uint32_t p = 0; p < count; p++) {
		bool is_item = unnest->items[p] != NO_ITEM;

		out->i64[p] = is_item ? (int64_t)unnest->items[p] + 1 : 0;
		if (is_item)
			continue;
		column_add_validity(out, count, &unnest->arena);
		out->valid[p] = 0;
	}
}

/* Emits the gathered pairs and forgets them. */
static int flush_pairs(struct op_unnest *unnest, struct error *err)
{
	const struct plan_unnest *plan = unnest->plan;
	struct column *made = unnest->columns + unnest->input_count;
	struct batch batch = {
		.rows = unnest->pair_count,
		.selected = unnest->pair_count,
		.column_count = unnest->column_count,
		.columns = unnest->columns,
	};

	if (unnest->pair_count == 0)
		return 0;
	arena_reset(&unnest->arena);
	for (uint32_t c = 0; c < unnest->input_count; c++)
		make_input_column(unnest, c);
	for (uint32_t i = 0; i < plan->source_count; i++, made++) {
		if (plan->sources[i].kind == ROWS_OF_SERIES)
			make_series_items(unnest, i, made);
		else
			make_list_items(
				unnest, source_arg(unnest, i, 0), unnest->item_types[i], made);
	}
	if (plan->ordinality)
		make_ordinality(unnest, made);
	unnest->pair_count = 0;
	return op_push(unnest->op.next, &batch, err);
}

static inline int add_pair(struct op_unnest *unnest, uint32_t row, uint64_t item, struct error *err)
{
	unnest->rows[unnest->pair_count] = (uint16_t)row;
	unnest->items[unnest->pair_count++] = item;
	return unnest->pair_count == BATCH_ROWS_MAX ? flush_pairs(unnest, err) : 0;
}

static int unnest_row(struct op_unnest *unnest, uint32_t row, struct error *err)
{
	uint64_t item = 0;

	for (uint32_t i = 0; i < unnest->plan->source_count; i++)
		if (unnest->plan->sources[i].kind == ROWS_OF_SERIES &&
			series_start(unnest, i, row, err) < 0)
			return -1;
	for (; next_items(unnest, row, item); item++)
		if (add_pair(unnest, row, item, err) < 0)
			return -1;
	return item == 0 && unnest->plan->outer ? add_pair(unnest, row, NO_ITEM, err) : 0;
}

static int unnest_consume(struct op *op, const struct batch *batch, struct error *err)
{
	struct op_unnest *unnest = (struct op_unnest *)op;

	unnest->batch = batch;
	unnest->pair_count = 0;
	for (uint32_t k = 0; k < batch->selected; k++)
		if (unnest_row(unnest, batch_row(batch, k), err) < 0)
			return -1;
	return flush_pairs(unnest, err);
}

static void unnest_free(struct op *op)
{
	struct op_unnest *unnest = (struct op_unnest *)op;

	arena_release(&unnest->arena);
	for (uint32_t i = 0; i < unnest->plan->source_count; i++) {
		free(unnest->series[i].valid);
		free(unnest->series[i].values);
	}
	free(unnest->series);
	free(unnest->columns);
	free(unnest);
}

static const struct op_table unnest_op_table = {.consume = unnest_consume, .free = unnest_free};

struct op *op_unnest_new(const struct plan_op *plan)
{
	struct op_unnest *unnest = memory_zalloc(sizeof(*unnest));
	uint32_t sources = plan->unnest.source_count;

	unnest->op.table = &unnest_op_table;
	unnest->plan = &plan->unnest;
	unnest->column_count = plan->column_count;
	unnest->input_count = plan->column_count - sources - plan->unnest.ordinality;
	unnest->item_types = plan->types + unnest->input_count;
	unnest->columns = memory_zalloc((plan->column_count + 1) * sizeof(*unnest->columns));
	unnest->series = memory_zalloc((sources + 1) * sizeof(*unnest->series));
	for (uint32_t i = 0; i < sources; i++) {
		struct series *series = &unnest->series[i];

		if (plan->unnest.sources[i].kind != ROWS_OF_SERIES)
			continue;
		series->valid = memory_alloc(BATCH_ROWS_MAX * sizeof(*series->valid));
		series->values = memory_alloc(BATCH_ROWS_MAX * sizeof(*series->values));
	}
	arena_init(&unnest->arena, ARENA_BLOCK);
	return &unnest->op;
}
