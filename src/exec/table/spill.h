/*
 * What an operator has to work with: a share of the memory, and a place for what does not fit. The
 * operators see no file: whoever runs them has one behind it (local/spill_file.h).
 */
#ifndef EXEC_SPILL_H
#define EXEC_SPILL_H

#include "base/error.h"
#include "base/memory_budget.h"
#include <stdint.h>

/* Bytes that were written. */
struct spill_piece {
	uint64_t at;
	uint64_t stored; /* bytes that they take there */
	uint64_t size;
	uint32_t sum;
};

/* Any thread may call any of these at any time. Pieces are gone with the store. */
struct spill_store {
	int (*write)(struct spill_store *store, const void *bytes, size_t size,
		struct spill_piece *out, struct error *err);
	/* All of it, to `bytes`. ERROR_IO when it is not what was written. */
	int (*read)(struct spill_store *store, const struct spill_piece *piece, void *bytes,
		struct error *err);
	/* Nobody reads it any more. */
	void (*drop)(struct spill_store *store, const struct spill_piece *piece);
};

struct op_memory {
	struct memory_budget *budget;
	struct spill_store *spill; /* NULL: there is no place */
};

/* ERROR_LIMIT: what needs so much memory that there is not enough for it. */
int op_memory_refuse(const struct memory_account *account, const char *what, struct error *err);

#endif
