/* Window functions that number rows, and those that yield another row's value. */
#include "exec/op/window_private.h"

#include <string.h>

static void fill_i64(struct column *out, uint32_t first, uint32_t end, int64_t value)
{
	for (uint32_t row = first; row < end; row++)
		out->i64[row] = value;
}

static void fill_f64(struct column *out, uint32_t first, uint32_t end, double value)
{
	for (uint32_t row = first; row < end; row++)
		out->f64[row] = value;
}

void window_rank(
	enum window_function function, const struct window_partition *partition, struct column *out)
{
	uint32_t rows = partition->rows;

	if (function == WINDOW_ROW_NUMBER) {
		for (uint32_t row = 0; row < rows; row++)
			out->i64[row] = (int64_t)row + 1;
		return;
	}
	for (uint32_t group = 0; group < partition->group_count; group++) {
		uint32_t first = partition->groups[group], end = partition->groups[group + 1];

		if (function == WINDOW_RANK)
			fill_i64(out, first, end, (int64_t)first + 1);
		else if (function == WINDOW_DENSE_RANK)
			fill_i64(out, first, end, (int64_t)group + 1);
		else if (function == WINDOW_PERCENT_RANK)
			fill_f64(
				out, first, end, rows > 1 ? (double)first / (double)(rows - 1) : 0);
		else
			fill_f64(out, first, end, (double)end / (double)rows);
	}
}

static void set_null(struct column *out, uint32_t row)
{
	size_t size = physical_size(type_physical(out->type.kind));

	out->valid[row] = 0;
	memset(out->u8 + row * size, 0, size);
}

/*
 * The number of buckets is that of the first row in which it is not NULL, as in PostgreSQL; rows
 * before it have no bucket and take no room in one.
 */
int window_ntile(const struct plan_window_call *call, const struct window_partition *partition,
	struct column *out, struct error *err)
{
	const struct column *buckets =
		call->offset == PLAN_NONE ? NULL : &partition->columns[call->offset];
	uint32_t row = 0;
	int64_t count, size, larger;

	while (row < partition->rows && buckets && column_is_null(buckets, row))
		set_null(out, row++);
	if (row == partition->rows)
		return 0;
	count = buckets ? buckets->i64[row] : 1;
	if (count <= 0)
		return error_set(err, ERROR_EVAL, "argument of ntile must be greater than zero");
	/* The first `larger` buckets have one row more. */
	size = partition->rows / count;
	larger = partition->rows % count;
	for (int64_t bucket = 1; row < partition->rows; bucket++) {
		int64_t room = size + (bucket <= larger);

		for (; room > 0 && row < partition->rows; room--)
			out->i64[row++] = bucket;
	}
	return 0;
}

/* The row that lag or lead looks at; WINDOW_NO_ROW outside the partition. */
static uint32_t shifted_row(uint32_t row, int64_t offset, bool forwards, uint32_t rows)
{
	int128 target = (int128)row + (forwards ? (int128)offset : -(int128)offset);

	return target < 0 || target >= rows ? WINDOW_NO_ROW : (uint32_t)target;
}

static void copy_cell(struct column *out, uint32_t at, const struct column *from, uint32_t row)
{
	size_t size = physical_size(type_physical(out->type.kind));

	if (column_is_null(from, row)) {
		set_null(out, at);
		return;
	}
	out->valid[at] = 1;
	memcpy(out->u8 + at * size, from->u8 + row * size, size);
}

int window_shift(const struct plan_window_call *call, const struct window_partition *partition,
	struct column *out, struct error *err)
{
	const struct column *arg = &partition->columns[call->arg];
	const struct column *offsets =
		call->offset == PLAN_NONE ? NULL : &partition->columns[call->offset];
	const struct column *fallback =
		call->fallback == PLAN_NONE ? NULL : &partition->columns[call->fallback];
	bool forwards = call->function == WINDOW_LEAD;

	for (uint32_t row = 0; row < partition->rows; row++) {
		bool unknown = offsets && column_is_null(offsets, row);
		uint32_t target = WINDOW_NO_ROW;

		if (row % WINDOW_STOP_ROWS == 0 && op_check_stop(partition->op, err))
			return -1;
		if (!unknown)
			target = shifted_row(
				row, offsets ? offsets->i64[row] : 1, forwards, partition->rows);
		if (target != WINDOW_NO_ROW)
			copy_cell(out, row, arg, target);
		else if (!unknown && fallback)
			copy_cell(out, row, fallback, row);
		else
			set_null(out, row);
	}
	return 0;
}

/* Which row of its frame nth_value wants, from 0; not known where that is NULL. */
static int frame_index(
	const struct column *offsets, uint32_t row, uint64_t *index, bool *known, struct error *err)
{
	*index = 0;
	*known = !offsets || !column_is_null(offsets, row);
	if (!offsets || !*known)
		return 0;
	if (offsets->i64[row] <= 0)
		return error_set(
			err, ERROR_EVAL, "argument of nth_value must be greater than zero");
	*index = (uint64_t)offsets->i64[row] - 1;
	return 0;
}

/* The row of number `index` among those of the pieces. */
static uint32_t piece_row(const struct window_piece *pieces, uint32_t index)
{
	while (index >= pieces->end - pieces->first) {
		index -= pieces->end - pieces->first;
		pieces++;
	}
	return pieces->first + index;
}

int window_pick(const struct plan_window_call *call, const struct window_partition *partition,
	const struct window_bounds *bounds, struct column *out, struct error *err)
{
	const struct column *arg = &partition->columns[call->arg];
	const struct column *offsets = NULL;

	if (call->function == WINDOW_NTH_VALUE && call->offset != PLAN_NONE)
		offsets = &partition->columns[call->offset];
	for (uint32_t row = 0; row < partition->rows; row++) {
		struct window_piece pieces[WINDOW_PIECES_MAX];
		uint32_t count = window_frame_pieces(bounds, row, pieces), size = 0;
		uint64_t index;
		bool known;

		for (uint32_t i = 0; i < count; i++)
			size += pieces[i].end - pieces[i].first;

		if ((row % WINDOW_STOP_ROWS == 0 && op_check_stop(partition->op, err)) ||
			frame_index(offsets, row, &index, &known, err) < 0)
			return -1;
		if (call->function == WINDOW_LAST_VALUE && size > 0)
			index = size - 1;
		if (known && index < size)
			copy_cell(out, row, arg, piece_row(pieces, (uint32_t)index));
		else
			set_null(out, row);
	}
	return 0;
}

void window_gather(
	struct column *out, const struct column *from, const uint32_t *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (rows[i] == WINDOW_NO_ROW)
			set_null(out, i);
		else
			copy_cell(out, i, from, rows[i]);
	}
}
