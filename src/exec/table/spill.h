/*
 * What an operator has to work with: a share of the memory, and a place for what does not fit. The
 * operators see no file: whoever runs them has one behind it (base/spill_store.h).
 */
#ifndef EXEC_SPILL_H
#define EXEC_SPILL_H

#include "base/memory_budget.h"
#include "base/spill_store.h"

struct op_memory {
	struct memory_budget *budget;
	struct spill_store *spill; /* NULL: there is no place */
};

/* ERROR_LIMIT: what needs so much memory that there is not enough for it. */
int op_memory_refuse(const struct memory_account *account, const char *what, struct error *err);

#endif
