/*
 * Rows that wait in memory: added in batches, read back in the same order, as often as one likes.
 *
 * They lie in the wire form of batches, which is smaller than their columns and holds their texts.
 */
#ifndef EXEC_ROW_STORE_H
#define EXEC_ROW_STORE_H

#include "base/buf.h"
#include "column/column.h"

struct row_store {
	uint32_t column_count;
	const struct type *types; /* borrowed */
	uint64_t count;
	struct buf bytes;
	struct arena arena; /* of the batch that is being read */
};

/* What a batch that was read is given to; borrowed for the call. */
typedef int (*row_store_reader)(void *context, const struct batch *batch, struct error *err);

void row_store_init(struct row_store *store, uint32_t column_count, const struct type *types);
void row_store_release(struct row_store *store);
/* Keeps the memory. */
void row_store_clear(struct row_store *store);
/* Copies the selected rows. ERROR_LIMIT past 4 GB. */
MUST_CHECK int row_store_add(struct row_store *store, const struct batch *batch, struct error *err);
/* Gives all rows to `read`, which must not add any. */
MUST_CHECK int row_store_read(
	struct row_store *store, row_store_reader read, void *context, struct error *err);

#endif
