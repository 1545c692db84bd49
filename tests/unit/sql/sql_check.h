/* Every plan that a test or the fuzzer gets from the compiler must keep the promises of plan.h. */
#ifndef TESTS_SQL_CHECK_H
#define TESTS_SQL_CHECK_H

#include "plan/plan_check.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

static inline void check_plan(const struct plan *plan)
{
	struct error err;

	if (plan_check(plan, &err) < 0) {
		fprintf(stderr, "%s\n", err.message);
		abort();
	}
}

#endif
