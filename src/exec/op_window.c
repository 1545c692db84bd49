/*
 * row_number, rank and dense_rank: collects all rows, sorts them by partition, sort keys and full
 * row, and numbers them on the way out.
 */
#include "base/memory.h"
#include "exec/operator.h"
#include "exec/rowkey.h"

#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK (64u << 10)

/* Where the numbering stands. Prefixes are those of the first row of the partition, of the peers.
 */
struct window_cursor {
	const uint8_t *partition;
	size_t partition_size;
	const uint8_t *peers;
	size_t peers_size;
	int64_t numbers[WINDOW_DENSE_RANK + 1]; /* by function */
};

struct op_window {
	struct op op;
	const struct plan_window *plan;
	struct rowkey key;
	struct rowkey_rows rows;
	struct window_cursor cursor;
	struct column *columns; /* the input's, then one a function */
	struct arena arena;	/* output columns */
};

static int window_consume(struct op *op, const struct batch *batch, struct error *err)
{
	struct op_window *window = (struct op_window *)op;

	return rowkey_rows_add(&window->rows, &window->key, batch, err);
}

static void cursor_advance(
	struct window_cursor *cursor, const struct rowkey *key, const uint8_t *stored)
{
	bool new_partition = !cursor->partition ||
			     !rowkey_same_prefix(stored, cursor->partition, cursor->partition_size);

	if (new_partition) {
		memset(cursor, 0, sizeof(*cursor));
		cursor->partition = stored;
		cursor->partition_size = rowkey_prefix_size(key, stored, key->partition_count);
	}
	cursor->numbers[WINDOW_ROW_NUMBER]++;
	if (!new_partition && rowkey_same_prefix(stored, cursor->peers, cursor->peers_size))
		return;
	cursor->peers = stored;
	cursor->peers_size = rowkey_prefix_size(key, stored, key->sort_end);
	cursor->numbers[WINDOW_RANK] = cursor->numbers[WINDOW_ROW_NUMBER];
	cursor->numbers[WINDOW_DENSE_RANK]++;
}

static int emit_rows(struct op_window *window, const struct rowkey_entry *entries, uint32_t count,
	struct error *err)
{
	struct column *made = window->columns + window->key.column_count;
	struct batch batch = {
		.rows = count,
		.selected = count,
		.column_count = window->key.column_count + window->plan->call_count,
		.columns = window->columns,
	};

	arena_reset(&window->arena);
	rowkey_decode(&window->key, entries, count, window->columns, &window->arena);
	for (uint32_t f = 0; f < window->plan->call_count; f++)
		column_init(&made[f], type_of(TYPE_BIGINT), count, &window->arena);
	for (uint32_t row = 0; row < count; row++) {
		cursor_advance(&window->cursor, &window->key, entries[row].stored);
		for (uint32_t f = 0; f < window->plan->call_count; f++)
			made[f].i64[row] = window->cursor.numbers[window->plan->calls[f].function];
	}
	return op_push(window->op.next, &batch, err);
}

static int window_finish(struct op *op, struct error *err)
{
	struct op_window *window = (struct op_window *)op;

	rowkey_sort(window->rows.entries, window->rows.count);
	for (size_t first = 0; first < window->rows.count; first += BATCH_ROWS_MAX) {
		size_t rest = window->rows.count - first;
		uint32_t count = rest < BATCH_ROWS_MAX ? (uint32_t)rest : BATCH_ROWS_MAX;

		if (emit_rows(window, window->rows.entries + first, count, err) < 0)
			return -1;
	}
	rowkey_rows_release(&window->rows);
	return 0;
}

static void window_free(struct op *op)
{
	struct op_window *window = (struct op_window *)op;

	rowkey_rows_release(&window->rows);
	rowkey_release(&window->key);
	arena_release(&window->arena);
	free(window->columns);
	free(window);
}

static const struct op_table window_op_table = {
	.consume = window_consume,
	.finish = window_finish,
	.free = window_free,
};

struct op *op_window_new(const struct plan_op *plan)
{
	const struct plan_window *from = &plan->window;
	struct op_window *window = memory_zalloc(sizeof(*window));

	window->op.table = &window_op_table;
	window->plan = from;
	rowkey_init(&window->key, plan->column_count - from->call_count, plan->types,
		from->partition_count, from->partition, from->sort_count, from->sort);
	rowkey_rows_init(&window->rows);
	window->columns = memory_zalloc((plan->column_count + 1) * sizeof(*window->columns));
	arena_init(&window->arena, ARENA_BLOCK);
	return &window->op;
}
