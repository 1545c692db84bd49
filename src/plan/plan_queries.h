/*
 * Questions about a whole plan: which queries a fragment works for, so that an error inside it can
 * name them, and where its work is dear.
 */
#ifndef PLAN_PLAN_QUERIES_H
#define PLAN_PLAN_QUERIES_H

#include "base/error.h"
#include "plan/plan.h"

/*
 * Puts "q1: ", or "q1, q2: " where the fragment works for several, in front of an ERROR_EVAL; other
 * errors, and queries without a name, leave the message as it is. Returns -1.
 */
int plan_error_prefix(
	const struct plan *plan, const struct plan_fragment *fragment, struct error *err);

/* Whether a map fragment has an expression that is dear (expr_is_dear). */
bool plan_has_dear_map(const struct plan *plan);

#endif
