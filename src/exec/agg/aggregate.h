/*
 * Aggregates: their states in the rows of a group table, and the kernels that fold values into
 * them, merge them, and turn them into state columns or results.
 *
 * A zeroed state is that of no values. Every kernel takes the group rows of n input values and the
 * indexes of those values in their column.
 */
#ifndef EXEC_AGGREGATE_H
#define EXEC_AGGREGATE_H

#include "column/column.h"
#include "plan/plan.h"

#include <stdatomic.h>

enum state_kind {
	STATE_COUNT,	      /* words: the count */
	STATE_SUM,	      /* words: 128-bit sum [, count for avg]; tag: see aggregate_sum.c */
	STATE_SUM_DOUBLE,     /* words: struct exact_sum [, count for avg] */
	STATE_SUM_INTERVAL,   /* words: struct interval_sum; tag: 1 once there is a value */
	STATE_EXTREME,	      /* words: one or two of the value; tag: 1 once there is one */
	STATE_BOOL,	      /* tag: 0 no value, 1 false, 2 true */
	STATE_BITS,	      /* words: the bits; tag: 1 once there is a value */
	STATE_MOMENTS,	      /* words: struct moments */
	STATE_MOMENTS_DOUBLE, /* words: the count, then a struct exact_sum for each sum */
	STATE_SUMMARY,	      /* words: struct value_summary * */
	STATE_ORDERED,	      /* words: struct ordered_values * */
};

struct aggregate {
	enum state_kind kind;
	enum aggregate_id id;
	uint32_t arg;  /* input column, PLAN_NONE; first state column where states are merged */
	uint32_t arg2; /* second input column; PLAN_NONE where there is none, or no rows come in */
	uint32_t filter; /* input column or PLAN_NONE */
	bool distinct;
	struct type arg_type;
	enum physical physical; /* of the argument */
	struct type type;	/* of the result */
	uint32_t state_count;	/* columns of its partial state */
	struct type state_types[AGGREGATE_STATES_MAX];
	uint32_t offset;	 /* of the words in a group's row */
	uint32_t tag_offset;	 /* of the tag byte */
	struct ordered *ordered; /* STATE_ORDERED: what its groups share */
};

struct aggregates {
	uint32_t count;
	struct aggregate *items;
	uint32_t state_columns; /* of all of them */
	size_t state_size;	/* bytes in a group's row */
	bool on_heap;		/* rows hold memory: see aggregates_release_row */
	struct arena texts;	/* min and max of texts; sums and extremes that are long */
	struct arena scratch;	/* of one addition */
};

/* The n values for which a group is to be updated: value i is at index[i] and belongs to rows[i].
 */
struct aggregate_input {
	uint32_t count;
	uint8_t **rows;
	const uint16_t *index;
	bool one_group; /* all rows[i] are the same */
};

/* Offsets count from the state's start until aggregates_place moves them. */
void aggregates_init(struct aggregates *aggregates, const struct plan_group *plan);
void aggregates_place(struct aggregates *aggregates, uint32_t state_offset);
void aggregates_release(struct aggregates *aggregates);
/* Frees what the state in `row` holds on the heap. */
void aggregates_release_row(const struct aggregates *aggregates, uint8_t *row);
/* Results of sorted values take long: when *stop is set, which may be NULL, reading them is ERROR_INTERRUPTED. */
void aggregates_stop_with(struct aggregates *aggregates, const atomic_bool *stop);
/* No row holds a state any more. */
void aggregates_clear(struct aggregates *aggregates);

/* The same for any aggregate: folds rows of the batch. Only array_agg takes a NULL argument. */
MUST_CHECK int aggregate_update_rows(struct aggregates *aggregates,
	const struct aggregate *aggregate, const struct batch *batch,
	const struct aggregate_input *input, struct error *err);
/*
 * Values that were folded before, and that a DISTINCT leaves out: they add nothing to a state but
 * their scale, for which of 1.0 and 1.00 came first must not show.
 */
MUST_CHECK int aggregate_update_repeated(struct aggregates *aggregates,
	const struct aggregate *aggregate, const struct column *column,
	const struct aggregate_input *input, struct arena *arena, struct error *err);
/* Folds partial states: column `states[0]`, and [1] where there are two; may be NULL in [0]. */
MUST_CHECK int aggregate_merge(struct aggregates *aggregates, const struct aggregate *aggregate,
	const struct column *states, const struct aggregate_input *input, struct error *err);

/* The states of `count` rows as columns. */
MUST_CHECK int aggregate_read_states(const struct aggregate *aggregate, uint8_t *const *rows,
	uint32_t count, struct column *out, struct arena *arena, struct error *err);
MUST_CHECK int aggregate_read_result(const struct aggregate *aggregate, uint8_t *const *rows,
	uint32_t count, struct column *out, struct arena *arena, struct error *err);

/*
 * The states that every selected row of the batch would have as a group of its own, by row. May
 * borrow the batch's columns.
 */
void aggregate_pass(const struct aggregate *aggregate, const struct batch *batch,
	struct column *out, struct arena *arena);

/* Bytes on the heap beside the rows of a table with so many groups; some are estimated. */
size_t aggregates_bytes(const struct aggregates *aggregates, uint32_t groups);

/*
 * What a group has for an ordered aggregate: `count` values, as bytes that live until the group changes. They start
 * at byte `at`, behind those that were taken before, and take `size` bytes at most, unless it is one value that takes
 * more. None are left: no bytes.
 */
struct text ordered_values_at(
	const struct aggregate *aggregate, uint8_t *row, size_t at, size_t size, uint64_t *count);
/* Gives such values, of the same aggregate, to a group. */
void ordered_add_values(
	const struct aggregate *aggregate, uint8_t *row, uint64_t count, struct text bytes);

#endif
