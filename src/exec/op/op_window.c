/*
 * Window functions: collects all rows, sorts them by partition, sort keys and full row, and appends
 * a column for every call on the way out.
 *
 * The sorted rows are taken in runs of whole partitions. For a run the columns that calls read are
 * decoded and the results computed, partition by partition; then the rows are decoded and emitted,
 * a batch at a time, next to their results. A partition has to fit into memory, and a run is no
 * larger than that or a few batches.
 */
#include "base/memory.h"
#include "exec/op/operator.h"
#include "exec/op/window_private.h"
#include "exec/table/row_sorter.h"

#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK (64u << 10)
/* A run ends with the partition that brings it to so many rows. */
#define RUN_ROWS (8u * BATCH_ROWS_MAX)
/* Row numbers and WINDOW_NO_ROW fit into 32 bits. */
#define PARTITION_ROWS_MAX (UINT32_MAX / 2)

struct run_partition {
	uint32_t first; /* row of the run */
	uint32_t rows;
	size_t groups; /* where its groups start in the run's */
	uint32_t group_count;
};

/* Whole partitions, one after the other. */
struct partition_run {
	const struct rowkey_entry *entries;
	uint32_t rows;
	size_t partition_count, partition_capacity;
	struct run_partition *partitions;
	size_t group_count, group_capacity;
	uint32_t *groups;	/* of all partitions, each followed by the number of its rows */
	struct column *results; /* one a call */
	struct window_bounds bounds;
	uint32_t *scratch;
};

/* Sorted rows that are read back from a disk: whole partitions, and what stands behind them. */
struct window_input {
	struct arena arenas[2]; /* the keys, and in turn those that are left of the round before */
	struct rowkey_entry *entries;
	size_t count, capacity;
	size_t taken;
	struct memory_account account;
};

struct op_window {
	struct op op;
	const struct plan_window *plan;
	const struct type *result_types; /* by call */
	struct rowkey key;
	struct rowkey read_key;		      /* decodes only what calls read */
	bool *is_read;			      /* by column of the input */
	struct window_aggregate **aggregates; /* by call, NULL for other functions */
	struct row_sorter sorter;
	struct window_input input;
	struct partition_run run;
	struct arena run_arena;
	struct column *read;	/* by column of the input: of the run */
	struct column *views;	/* the same of a partition */
	struct column *columns; /* the input's, then one a call */
	struct arena arena;	/* output columns */
};

static int window_consume(struct op *op, const struct batch *batch, struct error *err)
{
	struct op_window *window = (struct op_window *)op;

	return row_sorter_add(&window->sorter, &window->key, batch, op->memory, op->stop, err);
}

static void run_add_partition(struct partition_run *run)
{
	if (run->partition_count == run->partition_capacity) {
		run->partition_capacity =
			run->partition_capacity ? 2 * run->partition_capacity : 64;
		run->partitions = memory_realloc(
			run->partitions, run->partition_capacity * sizeof(*run->partitions));
	}
	run->partitions[run->partition_count++] =
		(struct run_partition){.first = run->rows, .groups = run->group_count};
}

/* A group that starts at `row` of its partition, or the end of the partition's groups. */
static void run_add_group(struct partition_run *run, uint32_t row)
{
	if (run->group_count == run->group_capacity) {
		run->group_capacity = run->group_capacity ? 2 * run->group_capacity : 256;
		run->groups =
			memory_realloc(run->groups, run->group_capacity * sizeof(*run->groups));
	}
	run->groups[run->group_count++] = row;
}

/* The partition that starts at `entries`: finds its end and its groups of peers. */
static int run_take_partition(struct op_window *window, const struct rowkey_entry *entries,
	size_t count, struct error *err)
{
	struct partition_run *run = &window->run;
	const struct rowkey *key = &window->key;
	const uint8_t *first = entries[0].stored, *peer = first;
	size_t partition_size = rowkey_prefix_size(key, first, key->partition_count);
	size_t peer_size = rowkey_prefix_size(key, first, key->sort_end);
	struct run_partition *partition;
	size_t rows = 1;

	run_add_partition(run);
	run_add_group(run, 0);
	for (; rows < count; rows++) {
		const uint8_t *stored = entries[rows].stored;

		if (rows + ROWKEY_AHEAD < count)
			rowkey_prefetch(entries[rows + ROWKEY_AHEAD].stored);
		if (rows % WINDOW_STOP_ROWS == 0 && op_check_stop(&window->op, err))
			return -1;
		if (rowkey_same_prefix(stored, peer, peer_size))
			continue;
		if (!rowkey_same_prefix(stored, first, partition_size) || rows > PARTITION_ROWS_MAX)
			break;
		peer = stored;
		peer_size = rowkey_prefix_size(key, stored, key->sort_end);
		run_add_group(run, (uint32_t)rows);
	}
	if (rows > PARTITION_ROWS_MAX)
		return error_set(err, ERROR_LIMIT, "a window's partition has more than %u rows",
			PARTITION_ROWS_MAX);
	partition = &run->partitions[run->partition_count - 1];
	partition->rows = (uint32_t)rows;
	partition->group_count = (uint32_t)(run->group_count - partition->groups);
	run_add_group(run, (uint32_t)rows);
	run->rows += (uint32_t)rows;
	return 0;
}

static int run_take(struct op_window *window, const struct rowkey_entry *entries, size_t count,
	struct error *err)
{
	struct partition_run *run = &window->run;

	run->entries = entries;
	run->rows = 0;
	run->partition_count = 0;
	run->group_count = 0;
	while (run->rows < count && run->rows < RUN_ROWS) {
		if (run_take_partition(window, entries + run->rows, count - run->rows, err) < 0)
			return -1;
	}
	return 0;
}

/* Room for what is computed, and the columns that calls read. */
static int prepare_run(struct op_window *window, struct error *err)
{
	struct partition_run *run = &window->run;
	const struct plan_window *plan = window->plan;
	bool frames = false, excludes = false;

	arena_reset(&window->run_arena);
	if (!rowkey_decode_all(&window->read_key, run->entries, run->rows, window->read,
		    &window->run_arena, window->op.stop))
		return op_interrupted(err);
	for (uint32_t c = 0; c < plan->call_count; c++) {
		column_init(
			&run->results[c], window->result_types[c], run->rows, &window->run_arena);
		if (!window_is_rank(plan->calls[c].function))
			column_add_validity(&run->results[c], run->rows, &window->run_arena);
		frames |= window_has_frame(plan->calls[c].function);
		excludes |= plan->calls[c].frame.exclude != FRAME_EXCLUDE_NOTHING;
	}
	if (!frames)
		return 0;
	run->bounds.starts = arena_alloc(&window->run_arena, run->rows * sizeof(uint32_t));
	run->bounds.ends = arena_alloc(&window->run_arena, run->rows * sizeof(uint32_t));
	run->scratch = arena_alloc(&window->run_arena, 2 * sizeof(uint32_t) * run->rows);
	if (!excludes)
		return 0;
	run->bounds.gap_starts = arena_alloc(&window->run_arena, run->rows * sizeof(uint32_t));
	run->bounds.gap_ends = arena_alloc(&window->run_arena, run->rows * sizeof(uint32_t));
	return 0;
}

static bool same_bound(const struct plan_frame_bound *a, const struct plan_frame_bound *b)
{
	if (a->kind != b->kind)
		return false;
	if (!frame_bound_has_offset(a->kind))
		return true;
	if (!type_equal(a->offset.type, b->offset.type))
		return false;
	switch (type_physical(a->offset.type.kind)) {
	case PHYSICAL_I64: return a->offset.i64 == b->offset.i64;
	case PHYSICAL_F64: return a->offset.f64 == b->offset.f64;
	case PHYSICAL_NUM: return numeric_identical(a->offset.num, b->offset.num);
	case PHYSICAL_INTERVAL: return interval_order(a->offset.interval, b->offset.interval) == 0;
	default: return false;
	}
}

static bool same_frame(const struct plan_frame *a, const struct plan_frame *b)
{
	return a->mode == b->mode && a->exclude == b->exclude && same_bound(&a->start, &b->start) &&
	       same_bound(&a->end, &b->end);
}

static int compute_call(struct op_window *window, uint32_t c,
	const struct window_partition *partition, struct column *out, struct error *err)
{
	const struct plan_window_call *call = &window->plan->calls[c];

	switch (call->function) {
	case WINDOW_ROW_NUMBER:
	case WINDOW_RANK:
	case WINDOW_DENSE_RANK:
	case WINDOW_PERCENT_RANK:
	case WINDOW_CUME_DIST: window_rank(call->function, partition, out); return 0;
	case WINDOW_NTILE: return window_ntile(call, partition, out, err);
	case WINDOW_LAG:
	case WINDOW_LEAD: return window_shift(call, partition, out, err);
	case WINDOW_FIRST_VALUE:
	case WINDOW_LAST_VALUE:
	case WINDOW_NTH_VALUE: return window_pick(call, partition, &window->run.bounds, out, err);
	case WINDOW_AGGREGATE:
		return window_aggregate_run(window->aggregates[c], partition, &window->run.bounds,
			window->run.scratch, out, &window->run_arena, err);
	}
	return error_set(err, ERROR_INTERNAL, "unknown window function in a plan");
}

static int compute_partition(
	struct op_window *window, const struct run_partition *from, struct error *err)
{
	const struct plan_window *plan = window->plan;
	const struct plan_frame *known = NULL; /* the frame that the bounds are of */
	struct window_partition partition = {
		.rows = from->rows,
		.group_count = from->group_count,
		.groups = window->run.groups + from->groups,
		.columns = window->views,
		.op = &window->op,
	};

	for (uint32_t c = 0; c < window->key.column_count; c++) {
		if (window->is_read[c])
			window->views[c] = column_from(&window->read[c], from->first);
	}
	for (uint32_t c = 0; c < plan->call_count; c++) {
		const struct plan_frame *frame = &plan->calls[c].frame;
		struct column out = column_from(&window->run.results[c], from->first);

		if (window_has_frame(plan->calls[c].function) &&
			!(known && same_frame(known, frame))) {
			if (window_frame_bounds(
				    frame, plan->sort, &partition, &window->run.bounds, err) < 0)
				return -1;
			known = frame;
		}
		if (op_check_stop(&window->op, err) ||
			compute_call(window, c, &partition, &out, err) < 0)
			return -1;
	}
	return 0;
}

/* Rows first .. first + count - 1 of the run, with their results. */
static int emit_rows(struct op_window *window, uint32_t first, uint32_t count, struct error *err)
{
	struct column *made = window->columns + window->key.column_count;
	struct batch batch = {
		.rows = count,
		.selected = count,
		.column_count = window->key.column_count + window->plan->call_count,
		.columns = window->columns,
	};

	arena_reset(&window->arena);
	rowkey_decode(
		&window->key, window->run.entries + first, count, window->columns, &window->arena);
	for (uint32_t c = 0; c < window->plan->call_count; c++) {
		made[c] = column_from(&window->run.results[c], first);
		if (made[c].valid && !memchr(made[c].valid, 0, count))
			made[c].valid = NULL;
	}
	return op_push(window->op.next, &batch, err);
}

/* The results of sorted rows, which are whole partitions. */
static int emit_partitions(struct op_window *window, const struct rowkey_entry *entries,
	size_t count, struct error *err)
{
	struct partition_run *run = &window->run;

	for (size_t at = 0; at < count; at += run->rows) {
		if (run_take(window, entries + at, count - at, err) < 0 ||
			prepare_run(window, err) < 0)
			return -1;
		for (size_t p = 0; p < run->partition_count; p++) {
			if (op_check_stop(&window->op, err) ||
				compute_partition(window, &run->partitions[p], err) < 0)
				return -1;
		}
		for (uint32_t first = 0; first < run->rows; first += BATCH_ROWS_MAX) {
			uint32_t rest = run->rows - first;

			if (emit_rows(window, first, rest < BATCH_ROWS_MAX ? rest : BATCH_ROWS_MAX,
				    err) < 0)
				return -1;
		}
	}
	return 0;
}

static void input_add(struct window_input *input, struct arena *arena, const uint8_t *stored)
{
	if (input->count == input->capacity) {
		input->capacity = input->capacity ? 2 * input->capacity : 4u * BATCH_ROWS_MAX;
		input->entries =
			memory_realloc(input->entries, input->capacity * sizeof(*input->entries));
	}
	input->entries[input->count++].stored =
		(const uint8_t *)arena_copy(arena, stored, sizeof(uint32_t) + rowkey_size(stored));
}

/* Forgets the rows that were taken. */
static void input_turn(struct window_input *input)
{
	struct arena spare = input->arenas[1];
	size_t count = input->count;

	arena_reset(&spare);
	input->count = 0;
	for (size_t i = input->taken; i < count; i++)
		input_add(input, &spare, input->entries[i].stored);
	input->arenas[1] = input->arenas[0];
	input->arenas[0] = spare;
	input->taken = 0;
}

/* Whether a partition starts at row `at`. */
static bool starts_partition(const struct op_window *window, size_t at)
{
	const uint8_t *before = window->input.entries[at - 1].stored;

	return !rowkey_same_prefix(window->input.entries[at].stored, before,
		rowkey_prefix_size(&window->key, before, window->key.partition_count));
}

/* Reads on until there are whole partitions of at least a run's rows, or all that are left. */
static int input_fill(struct op_window *window, struct error *err)
{
	struct window_input *input = &window->input;
	size_t looked_at = RUN_ROWS;

	for (;;) {
		struct rowkey_entry *entries;
		size_t count;

		for (; looked_at < input->count; looked_at++) {
			if (starts_partition(window, looked_at)) {
				input->taken = looked_at;
				return 0;
			}
		}
		if (row_sorter_next(&window->sorter, &entries, &count, err))
			return -1;
		if (count == 0)
			break;
		for (size_t i = 0; i < count; i++)
			input_add(input, &input->arenas[0], entries[i].stored);
		memory_account_set(&input->account, window->op.memory->budget,
			input->arenas[0].held + input->capacity * sizeof(*input->entries));
		if (input->count > 2u * RUN_ROWS && memory_account_is_over(&input->account))
			return op_memory_refuse(&input->account, "one partition of a window", err);
	}
	input->taken = input->count;
	return 0;
}

static int finish_from_disk(struct op_window *window, struct error *err)
{
	struct window_input *input = &window->input;

	do {
		if (op_check_stop(&window->op, err) || input_fill(window, err) ||
			emit_partitions(window, input->entries, input->taken, err))
			return -1;
		input_turn(input);
	} while (input->count > 0);
	return 0;
}

static int window_finish(struct op *op, struct error *err)
{
	struct op_window *window = (struct op_window *)op;
	struct rowkey_entry *entries;
	size_t count;
	int status;

	if (row_sorter_finish(&window->sorter, op->stop, err))
		return -1;
	if (row_sorter_has_runs(&window->sorter)) {
		status = finish_from_disk(window, err);
	} else {
		status = row_sorter_next(&window->sorter, &entries, &count, err);
		if (!status)
			status = emit_partitions(window, entries, count, err);
	}
	row_sorter_release(&window->sorter);
	return status;
}

static void window_free(struct op *op)
{
	struct op_window *window = (struct op_window *)op;

	for (uint32_t c = 0; c < window->plan->call_count; c++)
		window_aggregate_free(window->aggregates[c]);
	row_sorter_release(&window->sorter);
	for (int i = 0; i < 2; i++)
		arena_release(&window->input.arenas[i]);
	free(window->input.entries);
	memory_account_set(&window->input.account, NULL, 0);
	rowkey_release(&window->key);
	rowkey_release(&window->read_key);
	arena_release(&window->arena);
	arena_release(&window->run_arena);
	free(window->aggregates);
	free(window->is_read);
	free(window->read);
	free(window->views);
	free(window->columns);
	free(window->run.partitions);
	free(window->run.groups);
	free(window->run.results);
	free(window);
}

static const struct op_table window_op_table = {
	.consume = window_consume,
	.finish = window_finish,
	.free = window_free,
};

static void read_column(struct op_window *window, uint32_t column)
{
	if (column != PLAN_NONE)
		window->is_read[column] = true;
}

/* Whether the frame is made of the sort key's values and not only of their order. */
static bool reads_key(const struct plan_window_call *call)
{
	return window_has_frame(call->function) && call->frame.mode == FRAME_RANGE &&
	       (frame_bound_has_offset(call->frame.start.kind) ||
		       frame_bound_has_offset(call->frame.end.kind));
}

static void note_reads(struct op_window *window, const struct plan_window_call *call)
{
	switch (call->function) {
	case WINDOW_LAG:
	case WINDOW_LEAD:
		read_column(window, call->fallback);
		read_column(window, call->arg);
		break;
	case WINDOW_FIRST_VALUE:
	case WINDOW_LAST_VALUE:
	case WINDOW_NTH_VALUE: read_column(window, call->arg); break;
	case WINDOW_AGGREGATE:
		read_column(window, call->aggregate.arg);
		read_column(window, call->aggregate.arg2);
		read_column(window, call->aggregate.filter);
		for (uint32_t i = 0; i < call->aggregate.sort_count; i++)
			read_column(window, call->aggregate.sort[i].column);
		break;
	default: break;
	}
	if (call->function == WINDOW_NTILE || call->function == WINDOW_NTH_VALUE ||
		call->function == WINDOW_LAG || call->function == WINDOW_LEAD)
		read_column(window, call->offset);
	if (reads_key(call))
		read_column(window, window->plan->sort[0].column);
}

struct op *op_window_new(const struct plan_op *plan)
{
	const struct plan_window *from = &plan->window;
	uint32_t column_count = plan->column_count - from->call_count;
	struct op_window *window = memory_zalloc(sizeof(*window));

	window->op.table = &window_op_table;
	window->plan = from;
	window->result_types = plan->types + column_count;
	rowkey_init(&window->key, column_count, plan->types, from->partition_count, from->partition,
		from->sort_count, from->sort);
	rowkey_init(&window->read_key, column_count, plan->types, from->partition_count,
		from->partition, from->sort_count, from->sort);
	row_sorter_init(&window->sorter);
	for (int i = 0; i < 2; i++)
		arena_init(&window->input.arenas[i], ARENA_BLOCK);
	window->is_read = memory_zalloc(column_count + 1);
	window->aggregates = memory_zalloc((from->call_count + 1) * sizeof(*window->aggregates));
	for (uint32_t c = 0; c < from->call_count; c++) {
		note_reads(window, &from->calls[c]);
		if (from->calls[c].function == WINDOW_AGGREGATE)
			window->aggregates[c] = window_aggregate_new(&from->calls[c].aggregate);
	}
	rowkey_keep_columns(&window->read_key, window->is_read);
	window->read = memory_zalloc((column_count + 1) * sizeof(*window->read));
	window->views = memory_zalloc((column_count + 1) * sizeof(*window->views));
	window->columns = memory_zalloc((plan->column_count + 1) * sizeof(*window->columns));
	window->run.results = memory_zalloc((from->call_count + 1) * sizeof(struct column));
	arena_init(&window->arena, ARENA_BLOCK);
	arena_init(&window->run_arena, ARENA_BLOCK);
	return &window->op;
}
