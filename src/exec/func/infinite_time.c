#include "exec/func/infinite_time.h"

#include "column/datetime.h"

/*
 * Whether a value is so far away that it may be one of the infinite ones, which have the same bits but
 * for the sign: the two highest differ. It looks at every row, so it must cost next to nothing.
 */
static bool any_is_far(const struct call *call, const struct column *arg)
{
	const struct rows rows = call->rows;
	const int64_t *restrict values = arg->i64;
	uint64_t far = 0;

	if (arg->constant)
		return true;
	if (rows.sel)
		for (uint32_t k = 0; k < rows.count; k++)
			far |= (uint64_t)values[rows.sel[k]] ^ (uint64_t)values[rows.sel[k]] << 1;
	else
		for (uint32_t k = 0; k < rows.count; k++)
			far |= (uint64_t)values[k] ^ (uint64_t)values[k] << 1;
	return far >> 63;
}

static bool all_finite(const struct call *call, const struct column *arg)
{
	bool infinite = false;

	if (!any_is_far(call, arg))
		return true;
	FOR_EACH_ROW(&call->rows, i)
	infinite |= time_is_infinite(arg_i64(arg, i));
	return !infinite;
}

int call_over_finite(
	struct call *call, uint32_t arg, kernel_run run, infinite_row infinite, struct error *err)
{
	const struct column *column = &call->args[arg];
	struct rows all = call->rows;
	uint16_t *finite;
	uint32_t count = 0;
	int result;

	if (all_finite(call, column))
		return run(call, err);
	finite = arena_alloc(call_arena(call), all.count * sizeof(*finite));
	FOR_EACH_ROW(&all, i)
	if (!time_is_infinite(arg_i64(column, i)))
		finite[count++] = (uint16_t)i;
	call->rows.sel = finite;
	call->rows.count = count;
	result = count > 0 ? run(call, err) : 0;
	call->rows = all;
	FOR_EACH_ROW(&all, i)
	{
		int64_t value = arg_i64(column, i);

		if (result < 0)
			break;
		if (time_is_infinite(value))
			result = infinite(call, i, value == TIME_INFINITY, err);
	}
	return result;
}

int infinite_stays(struct call *call, uint32_t row, bool positive, struct error *err)
{
	(void)err;
	call->out->i64[row] = positive ? TIME_INFINITY : TIME_MINUS_INFINITY;
	return 0;
}

int infinite_is_null(struct call *call, uint32_t row, bool positive, struct error *err)
{
	(void)positive;
	(void)err;
	call_set_null(call, row);
	return 0;
}
