/*
 * A scalar expression, compiled into column kernels for one thread.
 *
 * Constant subtrees are folded when the evaluator is made; an error in one (1/0) is raised then
 * only if every row would raise it. Errors of a row (overflow, division by zero, a cast that does
 * not fit) are raised only for selected rows whose branch of CASE, AND, OR or COALESCE is taken.
 */
#ifndef EXEC_EVAL_H
#define EXEC_EVAL_H

#include "plan/expr.h"

#include <stdatomic.h>

struct evaluator;

/* `expr` is borrowed and outlives the evaluator. */
MUST_CHECK int evaluator_new(struct evaluator **out, const struct expr *expr, struct error *err);
/*
 * One evaluator for all conjuncts of a filter, as if they stood in one AND. Better than one each:
 * what they have in common is computed once, and two bounds of one value become one range check.
 * The array is read only during the call; what it points to is borrowed.
 */
MUST_CHECK int evaluator_new_conjunction(
	struct evaluator **out, struct expr *const *conjuncts, uint32_t count, struct error *err);
/* NULL is allowed. */
void evaluator_free(struct evaluator *evaluator);

/*
 * Whoever sets one of the two ends what is under way soon, with ERROR_INTERRUPTED: between two rows, if rows take
 * long. Borrowed until the next such call; NULL: nobody will.
 */
void evaluator_stop_with(
	struct evaluator *evaluator, const atomic_bool *stop, const atomic_bool *failed);

/*
 * The expression over the selected rows of `batch`. The result is indexed by row like the batch's
 * own columns, and only its selected rows have a meaning. It is borrowed: it may be a column of the
 * batch itself, its texts may point into those of the batch, and it lives until the next call on
 * this evaluator. It may be a constant column, also where the expression is not one.
 */
MUST_CHECK int evaluator_eval(struct evaluator *evaluator, const struct batch *batch,
	struct column *out, struct error *err);

/*
 * For a boolean expression: the selected rows for which it is true, ascending, into `sel` (room for
 * BATCH_ROWS_MAX; it may be the array that batch->sel points to). The fast way for filters:
 * comparisons with a constant never make a boolean column. Where *selected equals batch->rows the
 * caller had better go on without a selection: dense kernels are the fastest.
 */
MUST_CHECK int evaluator_select(struct evaluator *evaluator, const struct batch *batch,
	uint16_t *sel, uint32_t *selected, struct error *err);

#endif
