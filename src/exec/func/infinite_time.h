/* Dates and timestamps that are infinite, apart from the loops over those that are not. */
#ifndef EXEC_FUNC_INFINITE_TIME_H
#define EXEC_FUNC_INFINITE_TIME_H

#include "exec/expr/eval_private.h"

/* The result of a row whose argument is infinity, or -infinity. */
typedef int (*infinite_row)(struct call *call, uint32_t row, bool positive, struct error *err);

/* `run` for the rows whose argument `arg` is finite, `infinite` for each of the others. */
int call_over_finite(
	struct call *call, uint32_t arg, kernel_run run, infinite_row infinite, struct error *err);
/* The row's result is as infinite as its argument. */
int infinite_stays(struct call *call, uint32_t row, bool positive, struct error *err);
int infinite_is_null(struct call *call, uint32_t row, bool positive, struct error *err);

#endif
