/*
 * What the files of the window operator share.
 *
 *   op_window.c         collects and sorts the rows, finds partitions and peers, emits
 *   window_frame.c      the frame of every row
 *   window_value.c      ranks, and the values of other rows
 *   window_aggregate.c  aggregates over frames
 *   window_extreme.c    min and max over frames
 *
 * All but the first work on one partition at a time. Rows are counted from its first one.
 */
#ifndef EXEC_WINDOW_PRIVATE_H
#define EXEC_WINDOW_PRIVATE_H

#include "exec/op/operator.h"

/* So many rows, a power of two, between two looks at whether it is to stop. */
#define WINDOW_STOP_ROWS (1u << 16)

/* In place of a row. */
#define WINDOW_NO_ROW UINT32_MAX

struct window_partition {
	uint32_t rows;
	uint32_t group_count;	/* groups of peers: rows that are equal in all sort keys */
	const uint32_t *groups; /* the first row of each group, then `rows` */
	/* By column of the input, but only those that some call reads. None is constant. */
	const struct column *columns;
	const struct op *op; /* that knows whether to stop */
};

/*
 * The frame of row i is starts[i] .. ends[i] - 1; ends[i] >= starts[i]. Neither array ever falls,
 * so frames can be followed by adding rows at one end and removing them at the other.
 *
 * Where the frame excludes something, that is rows gap_starts[i] .. gap_ends[i] - 1, but not row i
 * itself where it excludes ties.
 */
struct window_bounds {
	uint32_t *starts;
	uint32_t *ends;
	enum frame_exclude exclude;
	uint32_t *gap_starts;
	uint32_t *gap_ends;
};

/* Rows first .. end - 1 of a frame from which something is excluded. */
struct window_piece {
	uint32_t first;
	uint32_t end;
};

#define WINDOW_PIECES_MAX 3

/* What is left of the frame of a row, ascending. Returns how many pieces there are. */
uint32_t window_frame_pieces(
	const struct window_bounds *bounds, uint32_t row, struct window_piece *pieces);

static inline bool frame_bound_has_offset(enum frame_bound_kind kind)
{
	return kind == FRAME_PRECEDING || kind == FRAME_FOLLOWING;
}

/* A column seen from row `first` on. It is not constant. */
static inline struct column column_from(const struct column *column, uint32_t first)
{
	struct column view = *column;

	view.u8 += first * physical_size(type_physical(column->type.kind));
	if (view.valid)
		view.valid += first;
	return view;
}

/* Fills `bounds`, which has room for all rows. ERROR_EVAL when key and offset leave their type. */
MUST_CHECK int window_frame_bounds(const struct plan_frame *frame, const struct plan_sort_key *sort,
	const struct window_partition *partition, struct window_bounds *bounds, struct error *err);

/* Functions that neither look at a frame nor are ever NULL. */
static inline bool window_is_rank(enum window_function function)
{
	return function <= WINDOW_CUME_DIST;
}

static inline bool window_has_frame(enum window_function function)
{
	return function >= WINDOW_FIRST_VALUE;
}

void window_rank(enum window_function function, const struct window_partition *partition,
	struct column *out);
/* ERROR_EVAL for an argument that is not positive. */
MUST_CHECK int window_ntile(const struct plan_window_call *call,
	const struct window_partition *partition, struct column *out, struct error *err);
MUST_CHECK int window_shift(const struct plan_window_call *call,
	const struct window_partition *partition, struct column *out, struct error *err);
/* first_value, last_value, nth_value. */
MUST_CHECK int window_pick(const struct plan_window_call *call,
	const struct window_partition *partition, const struct window_bounds *bounds,
	struct column *out, struct error *err);

/*
 * Row i of `out`, which has a validity, gets the value that `from` has in row rows[i], or NULL for
 * WINDOW_NO_ROW. Texts are borrowed.
 */
void window_gather(
	struct column *out, const struct column *from, const uint32_t *rows, uint32_t count);

/* Running state of one call; reused from partition to partition. */
struct window_aggregate;

struct window_aggregate *window_aggregate_new(const struct plan_aggregate *plan);
void window_aggregate_free(struct window_aggregate *aggregate);
/*
 * The aggregate over the frame of every row. `scratch` has room for twice the rows. ERROR_EVAL for
 * overflows, as in a group. Long numerics of the result are in the arena.
 */
MUST_CHECK int window_aggregate_run(struct window_aggregate *aggregate,
	const struct window_partition *partition, const struct window_bounds *bounds,
	uint32_t *scratch, struct column *out, struct arena *arena, struct error *err);

/* Whether the aggregate takes the row: its FILTER is true and no argument is NULL that may not be. */
static inline bool window_takes_row(
	const struct plan_aggregate *plan, const struct window_partition *partition, uint32_t row)
{
	const struct column *columns = partition->columns;

	if (plan->filter != PLAN_NONE &&
		(column_is_null(&columns[plan->filter], row) || !columns[plan->filter].u8[row]))
		return false;
	return (plan->arg == PLAN_NONE || plan->id == AGG_ARRAY_AGG ||
		       !column_is_null(&columns[plan->arg], row)) &&
	       (plan->arg2 == PLAN_NONE || plan->id == AGG_STRING_AGG ||
		       !column_is_null(&columns[plan->arg2], row));
}

/* min and max: the row of each frame that has it, or WINDOW_NO_ROW. */
void window_extreme(const struct plan_aggregate *plan, const struct window_partition *partition,
	const struct window_bounds *bounds, uint32_t *queue, uint32_t *rows);

#endif
