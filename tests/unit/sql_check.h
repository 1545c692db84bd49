/* Every plan that a test or the fuzzer gets from the compiler must keep the promises of plan.h. */
#ifndef TESTS_SQL_CHECK_H
#define TESTS_SQL_CHECK_H

#include "plan/plan_check.h"

#include <stdio.h>
#include <stdlib.h>

static inline void check_plan(const struct plan *plan)
{
	struct error err;

	if (plan_check(plan, &err) < 0) {
		fprintf(stderr, "%s\n", err.message);
		abort();
	}
}

#endif
