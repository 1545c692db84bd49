/*
 * A row for every item of the row's lists.
 *
 * Items are counted out as pairs (row, number of the item), up to a batch of them at a time, so a
 * list may be longer than a batch. The input columns are gathered by the rows of the pairs; where
 * all pairs are of one row, they become constants.
 */
#include "base/memory.h"
#include "exec/op/operator.h"

#include <stdlib.h>

#define ARENA_BLOCK (64u << 10)
/* In place of an item's number: an outer row without items. */
#define NO_ITEM UINT32_MAX

struct op_unnest {
	struct op op;
	const struct plan_unnest *plan;
	uint32_t column_count; /* of the output */
	uint32_t input_count;  /* columns of the input */
	struct column *columns;
	struct arena arena;	   /* output columns */
	const struct batch *batch; /* the one at hand */
	uint32_t pair_count;
	uint16_t rows[BATCH_ROWS_MAX];
	uint32_t items[BATCH_ROWS_MAX]; /* from 0 */
};

static struct text_list list_at(const struct column *column, uint32_t row)
{
	if (column_is_null(column, row))
		return (struct text_list){NULL, 0};
	return column->list[column_index(column, row)];
}

/* Of the longest of the row's lists. */
static uint32_t item_count(const struct op_unnest *unnest, uint32_t row)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < unnest->plan->list_count; i++) {
		struct text_list list =
			list_at(&unnest->batch->columns[unnest->plan->lists[i]], row);

		if (list.count > count)
			count = list.count;
	}
	return count;
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

static void make_items(struct op_unnest *unnest, const struct column *lists, struct column *out)
{
	uint32_t count = unnest->pair_count;

	column_init(out, type_of(TYPE_TEXT), count, &unnest->arena);
	for (uint32_t p = 0; p < count; p++) {
		struct text_list list = list_at(lists, unnest->rows[p]);
		uint32_t item = unnest->items[p];

		if (item < list.count && list.items[item].size != TEXT_LIST_NULL_SIZE) {
			out->text[p] = list.items[item];
			continue;
		}
		column_add_validity(out, count, &unnest->arena);
		out->valid[p] = 0;
		out->text[p] = (struct text){NULL, 0};
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
	for (uint32_t i = 0; i < plan->list_count; i++)
		make_items(unnest, &unnest->batch->columns[plan->lists[i]], made++);
	if (plan->ordinality)
		make_ordinality(unnest, made);
	unnest->pair_count = 0;
	return op_push(unnest->op.next, &batch, err);
}

static inline int add_pair(struct op_unnest *unnest, uint32_t row, uint32_t item, struct error *err)
{
	unnest->rows[unnest->pair_count] = (uint16_t)row;
	unnest->items[unnest->pair_count++] = item;
	return unnest->pair_count == BATCH_ROWS_MAX ? flush_pairs(unnest, err) : 0;
}

static int unnest_consume(struct op *op, const struct batch *batch, struct error *err)
{
	struct op_unnest *unnest = (struct op_unnest *)op;

	unnest->batch = batch;
	unnest->pair_count = 0;
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);
		uint32_t count = item_count(unnest, row);

		if (count == 0 && unnest->plan->outer && add_pair(unnest, row, NO_ITEM, err) < 0)
			return -1;
		for (uint32_t item = 0; item < count; item++) {
			if (add_pair(unnest, row, item, err) < 0)
				return -1;
		}
	}
	return flush_pairs(unnest, err);
}

static void unnest_free(struct op *op)
{
	struct op_unnest *unnest = (struct op_unnest *)op;

	arena_release(&unnest->arena);
	free(unnest->columns);
	free(unnest);
}

static const struct op_table unnest_op_table = {.consume = unnest_consume, .free = unnest_free};

struct op *op_unnest_new(const struct plan_op *plan)
{
	struct op_unnest *unnest = memory_zalloc(sizeof(*unnest));

	unnest->op.table = &unnest_op_table;
	unnest->plan = &plan->unnest;
	unnest->column_count = plan->column_count;
	unnest->input_count =
		plan->column_count - plan->unnest.list_count - plan->unnest.ordinality;
	unnest->columns = memory_zalloc((plan->column_count + 1) * sizeof(*unnest->columns));
	arena_init(&unnest->arena, ARENA_BLOCK);
	return &unnest->op;
}
