/*
 * Boolean expressions as selections: which of these rows are true. Filters, and the conditions of
 * CASE, run here. Every loop writes behind where it reads, so that a selection can be narrowed in
 * its own array.
 *
 * Comparisons of integers, dates and times with a constant become ranges, and neighbours in an AND
 * that bound the same value become one range.
 */
#include "exec/expr/eval_private.h"

#include <string.h>

/*
 * Appends every row that meets `condition` (an expression in the row's index `i`) to `sel`, without
 * a branch that could be mispredicted.
 */
#define SELECT_WHERE(condition)                                \
	do {                                                   \
		const uint16_t *from = rows->sel;              \
		const uint32_t given = rows->count;            \
                                                               \
		if (from) {                                    \
			for (uint32_t k = 0; k < given; k++) { \
				uint32_t i = from[k];          \
                                                               \
				sel[count] = (uint16_t)i;      \
				count += (condition);          \
			}                                      \
		} else {                                       \
			for (uint32_t i = 0; i < given; i++) { \
				sel[count] = (uint16_t)i;      \
				count += (condition);          \
			}                                      \
		}                                              \
	} while (0)

static uint32_t select_all(const struct rows *rows, uint16_t *sel)
{
	const uint32_t count = rows->count;

	if (rows->sel)
		memmove(sel, rows->sel, count * sizeof(*sel));
	else
		for (uint32_t i = 0; i < count; i++)
			sel[i] = (uint16_t)i;
	return count;
}

uint32_t rows_without(
	const struct rows *rows, const uint16_t *taken, uint32_t taken_count, uint16_t *rest)
{
	uint32_t count = 0;
	uint32_t t = 0;

	FOR_EACH_ROW(rows, i)
	{
		bool hit = t < taken_count && taken[t] == i;

		t += hit;
		rest[count] = (uint16_t)i;
		count += !hit;
	}
	return count;
}

static int select_constant(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	uint16_t *sel, uint32_t *selected, struct error *err)
{
	const struct column *constant = &node->constant;

	(void)ev;
	(void)err;
	if (!column_is_null(constant, 0) && constant->u8[0])
		*selected = select_all(rows, sel);
	else
		*selected = 0;
	return 0;
}

/* Where there is nothing better: the boolean column, and then its true rows. */
static int select_by_column(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	uint16_t *sel, uint32_t *selected, struct error *err)
{
	struct column column;
	uint32_t count = 0;

	if (node_eval(ev, node, rows, &column, err))
		return -1;
	if (column.constant) {
		if (!column_is_null(&column, 0) && column.u8[0])
			count = select_all(rows, sel);
	} else if (column.valid) {
		const uint8_t *values = column.u8;
		const uint8_t *valid = column.valid;

		SELECT_WHERE(values[i] & valid[i]);
	} else {
		const uint8_t *values = column.u8;

		SELECT_WHERE(values[i]);
	}
	*selected = count;
	return 0;
}

/* -- Ranges -- */

CPU_CLONES
static uint32_t count_in_range(const int64_t *values, uint32_t count, int64_t low, int64_t high)
{
	uint64_t hits = 0;

	for (uint32_t i = 0; i < count; i++)
		hits += (uint64_t)(values[i] >= low) & (uint64_t)(values[i] <= high);
	return (uint32_t)hits;
}

static uint32_t select_range_rows(const int64_t *values, const uint8_t *valid,
	const struct rows *rows, int64_t low, int64_t high, uint16_t *sel)
{
	uint64_t span = (uint64_t)high - (uint64_t)low;
	uint32_t count = 0;

	if (low > high)
		return 0;
	if (valid) {
		SELECT_WHERE(((uint64_t)values[i] - (uint64_t)low <= span) & valid[i]);
		return count;
	}
	if (!rows->sel) {
		/* Files are often cut by time: most batches pass as a whole, or not at all. */
		uint32_t hits = count_in_range(values, rows->count, low, high);

		if (hits == rows->count)
			return select_all(rows, sel);
		if (hits == 0)
			return 0;
	}
	SELECT_WHERE((uint64_t)values[i] - (uint64_t)low <= span);
	return count;
}

static int select_range(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	uint16_t *sel, uint32_t *selected, struct error *err)
{
	struct column column;
	bool hit;

	if (node_eval(ev, node->args[0], rows, &column, err))
		return -1;
	if (column.constant) {
		hit = !column_is_null(&column, 0) && column.i64[0] >= node->low &&
		      column.i64[0] <= node->high;
		*selected = hit ? select_all(rows, sel) : 0;
		return 0;
	}
	*selected = select_range_rows(column.i64, column.valid, rows, node->low, node->high, sel);
	return 0;
}

/* The range of x for which `x op constant` holds; false when it is not a range. */
static bool range_of(enum function_id op, int64_t constant, int64_t *low, int64_t *high)
{
	*low = INT64_MIN;
	*high = INT64_MAX;
	switch (op) {
	case FN_EQ: *low = *high = constant; return true;
	case FN_LE: *high = constant; return true;
	case FN_GE: *low = constant; return true;
	case FN_LT:
	case FN_GT:
		/* Nothing is below the least or above the greatest: an empty range. */
		if (constant == (op == FN_LT ? INT64_MIN : INT64_MAX)) {
			*low = 1;
			*high = 0;
		} else if (op == FN_LT) {
			*high = constant - 1;
		} else {
			*low = constant + 1;
		}
		return true;
	default: return false;
	}
}

static struct eval_node *merge_ranges(
	struct evaluator *ev, const struct eval_node *a, const struct eval_node *b)
{
	struct eval_node *both = arena_alloc(&ev->arena, sizeof(*both));

	*both = *a;
	both->low = a->low > b->low ? a->low : b->low;
	both->high = a->high < b->high ? a->high : b->high;
	return both;
}

/* -- Decimals -- */

static int select_bound(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	uint16_t *sel, uint32_t *selected, struct error *err)
{
	const struct numeric_bound *bound = node->bound;
	struct column column;
	uint32_t count = 0;
	unsigned scales = 0;

	if (node_eval(ev, node->args[0], rows, &column, err))
		return -1;
	if (column.constant) {
		if (!column_is_null(&column, 0) && numeric_bound_compare(bound, column.num[0]))
			count = select_all(rows, sel);
		*selected = count;
		return 0;
	}
	/* The selection may be the one that is written: what is odd must be known before. */
	FOR_EACH_ROW(rows, i)
	scales |= (unsigned)column.num[i];
	if (scales & NUMERIC_ODD) {
		SELECT_WHERE(
			!column_is_null(&column, i) && numeric_bound_compare(bound, column.num[i]));
	} else if (column.valid) {
		SELECT_WHERE(numeric_bound_holds(bound, column.num[i]) & column.valid[i]);
	} else if (bound->equality) {
		SELECT_WHERE(numeric_bound_holds(bound, column.num[i]));
	} else {
		const bool negate = bound->negate;
		const numeric *at = bound->at;
		const numeric *values = column.num;

		SELECT_WHERE((values[i] >= at[(unsigned)values[i] & 0xff]) ^ negate);
	}
	*selected = count;
	return 0;
}

/* -- NULLs -- */

static int select_by_validity(struct evaluator *ev, struct eval_node *arg, const struct rows *rows,
	bool want, uint16_t *sel, uint32_t *selected, struct error *err)
{
	const uint8_t *valid;
	struct column column;
	uint32_t count = 0;

	if (node_eval(ev, arg, rows, &column, err))
		return -1;
	if (!column.valid || column.constant) {
		*selected = column_is_null(&column, 0) != want ? select_all(rows, sel) : 0;
		return 0;
	}
	valid = column.valid;
	SELECT_WHERE(valid[i] == want);
	*selected = count;
	return 0;
}

static int select_is_null(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	uint16_t *sel, uint32_t *selected, struct error *err)
{
	return select_by_validity(ev, node->args[0], rows, false, sel, selected, err);
}

static int select_is_not_null(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	uint16_t *sel, uint32_t *selected, struct error *err)
{
	return select_by_validity(ev, node->args[0]->args[0], rows, true, sel, selected, err);
}

/* -- AND, OR -- */

static int select_and(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	uint16_t *sel, uint32_t *selected, struct error *err)
{
	struct rows left = *rows;

	for (uint32_t a = 0; a < node->merged_count && left.count > 0; a++) {
		if (node_select(ev, node->merged[a], &left, sel, &left.count, err))
			return -1;
		left.sel = left.count == left.total ? NULL : sel;
	}
	*selected = left.count;
	return 0;
}

static int select_or(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	uint16_t *sel, uint32_t *selected, struct error *err)
{
	uint16_t *taken = node_scratch(ev, node, 0);
	uint16_t *rest = node_scratch(ev, node, 1);
	uint8_t hits[BATCH_ROWS_MAX] = {0};
	struct rows left = *rows;
	uint32_t count = 0;

	for (uint32_t a = 0; a < node->arg_count && left.count > 0; a++) {
		uint32_t taken_count;

		if (node_select(ev, node->args[a], &left, taken, &taken_count, err))
			return -1;
		for (uint32_t k = 0; k < taken_count; k++)
			hits[taken[k]] = 1;
		left.count = rows_without(&left, taken, taken_count, rest);
		left.sel = rest;
	}
	SELECT_WHERE(hits[i]);
	*selected = count;
	return 0;
}

static void merge_conjuncts(struct evaluator *ev, struct eval_node *node)
{
	node->merged = arena_alloc(&ev->arena, node->arg_count * sizeof(*node->merged));
	for (uint32_t a = 0; a < node->arg_count; a++) {
		struct eval_node *arg = node->args[a];
		struct eval_node *last = a > 0 ? node->merged[node->merged_count - 1] : NULL;

		if (last && last->select == select_range && arg->select == select_range &&
			last->args[0] == arg->args[0])
			node->merged[node->merged_count - 1] = merge_ranges(ev, last, arg);
		else
			node->merged[node->merged_count++] = arg;
	}
}

static void choose_for_comparison(struct evaluator *ev, struct eval_node *node)
{
	enum function_id op = node->expr->function;
	const struct column *constant;
	struct numeric_bound *bound;

	if (op < FN_EQ || op > FN_GE || !node->args[1]->is_constant)
		return;
	constant = &node->args[1]->constant;
	switch (type_physical(constant->type.kind)) {
	case PHYSICAL_I64:
		if (range_of(op, constant->i64[0], &node->low, &node->high))
			node->select = select_range;
		break;
	case PHYSICAL_NUM:
		bound = arena_alloc(&ev->arena, sizeof(*bound));
		numeric_bound_init(bound, op, constant->num[0]);
		node->bound = bound;
		node->select = select_bound;
		break;
	default: break;
	}
}

bool select_computes_column(const struct eval_node *node)
{
	return node->select == select_by_column;
}

void select_choose(struct evaluator *ev, struct eval_node *node)
{
	node->select = select_by_column;
	if (node->is_constant) {
		node->select = select_constant;
		return;
	}
	switch (node->expr->kind) {
	case EXPR_AND:
		merge_conjuncts(ev, node);
		node->select = select_and;
		break;
	case EXPR_OR: node->select = select_or; break;
	case EXPR_IS_NULL: node->select = select_is_null; break;
	case EXPR_NOT:
		if (node->args[0]->expr->kind == EXPR_IS_NULL && !node->args[0]->is_constant)
			node->select = select_is_not_null;
		break;
	case EXPR_CALL: choose_for_comparison(ev, node); break;
	default: break;
	}
}
