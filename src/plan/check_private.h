/* What the files of plan_check share. */
#ifndef PLAN_CHECK_PRIVATE_H
#define PLAN_CHECK_PRIVATE_H

#include "plan/plan.h"

/* Why the plan is refused; NULL as long as it is not. */
struct check {
	const struct plan *plan;
	const char *why;
	unsigned terms; /* of recursions around the plan */
};

/* Columns that flow from one operator to the next. */
struct check_flow {
	uint32_t count;
	const struct type *types;
};

/* Notes the reason and returns false. */
static inline bool check_fail(struct check *check, const char *why)
{
	check->why = why;
	return false;
}

static inline bool check_that(struct check *check, bool holds, const char *why)
{
	return holds || check_fail(check, why);
}

/* A type of values, with legal digits. */
bool check_type(struct check *check, struct type type);
bool check_types(struct check *check, uint32_t count, const struct type *types);
bool check_expr(struct check *check, const struct expr *expr, const struct check_flow *in);
bool check_op(struct check *check, const struct plan_fragment *fragment, const struct plan_op *op,
	const struct check_flow *in);
/* The same for a whole plan, the term of a recursion. */
bool check_term(struct check *check, const struct plan *plan);
/* Whether a map fragment marks every column of its table that it reads or hands on. */
bool check_columns_used(struct check *check, const struct plan_fragment *fragment);

#endif
