/*
 * The promises of plan.h, checked on a whole plan: every index points at something, every type
 * fits, every exchange connects. A plan that holds them can be run: exec/ may still refuse it (a
 * cast that does not exist, a pattern that does not parse) or fail on its data, but with an error.
 */
#ifndef PLAN_PLAN_CHECK_H
#define PLAN_PLAN_CHECK_H

#include "base/error.h"
#include "plan/plan.h"

/* Deeper expressions are refused: whoever walks them is recursive. exec/ has the same limit. */
#define PLAN_EXPR_DEPTH_MAX 1000
#define PLAN_FRAGMENTS_MAX  8192
#define PLAN_EXCHANGES_MAX  8192
#define PLAN_OPS_MAX	    1024 /* of a fragment */

/*
 * ERROR_DATA, and what is wrong, when a promise is broken. The pointers and counts of the plan must
 * be good, and its enums in their ranges; everything else may be anything.
 */
MUST_CHECK int plan_check(const struct plan *plan, struct error *err);
/* The same of a plan that was made here: a broken promise is a mistake of ours, ERROR_INTERNAL. */
MUST_CHECK int plan_check_own(const struct plan *plan, struct error *err);

#endif
