/*
 * min and max over frames: a queue of the rows that may still become the extreme of some frame. A
 * row that comes in drops those before it that it beats, and the frame's start drops those it has
 * passed, so the first one left is always the frame's. Every row enters and leaves once.
 */
#include "column/canonical.h"
#include "exec/op/window_private.h"

static int64_t double_order(double value)
{
	int64_t bits = (int64_t)CANONICAL_NAN;

	if (value == value)
		memcpy(&bits, &value, sizeof(bits));
	return bits < 0 ? bits ^ INT64_MAX : bits;
}

static int compare_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Below 0 when row `a` stands before row `b`. The order is that of the aggregates of groups. */
static int compare_rows(const struct column *column, uint32_t a, uint32_t b)
{
	switch (type_physical(column->type.kind)) {
	case PHYSICAL_I64: return compare_i64(column->i64[a], column->i64[b]);
	case PHYSICAL_F64:
		return compare_i64(double_order(column->f64[a]), double_order(column->f64[b]));
	case PHYSICAL_NUM: return numeric_compare(column->num[a], column->num[b]);
	case PHYSICAL_INTERVAL: return interval_order(column->interval[a], column->interval[b]);
	default: return text_compare(column->text[a], column->text[b]);
	}
}

/* Whether `row`, which came later, takes the place of `kept` in every frame that has both. */
static bool beats(const struct column *column, bool least, uint32_t row, uint32_t kept)
{
	int order = compare_rows(column, row, kept);

	/* Of equal numbers the one with more digits after the point is shown. */
	if (order == 0 && type_physical(column->type.kind) == PHYSICAL_NUM)
		return numeric_display_scale(column->num[row]) >=
		       numeric_display_scale(column->num[kept]);
	return least ? order <= 0 : order >= 0;
}

void window_extreme(const struct plan_aggregate *plan, const struct window_partition *partition,
	const struct window_bounds *bounds, uint32_t *queue, uint32_t *rows)
{
	const struct column *column = &partition->columns[plan->arg];
	bool least = plan->id == AGG_MIN;
	uint32_t head = 0, tail = 0, next = 0;

	for (uint32_t i = 0; i < partition->rows; i++) {
		uint32_t start = bounds->starts[i], end = bounds->ends[i];

		while (head < tail && queue[head] < start)
			head++;
		if (next < start)
			next = start;
		for (; next < end; next++) {
			if (!window_takes_row(plan, partition, next))
				continue;
			while (head < tail && beats(column, least, next, queue[tail - 1]))
				tail--;
			queue[tail++] = next;
		}
		rows[i] = head < tail ? queue[head] : WINDOW_NO_ROW;
	}
}
