/*
 * Rows that are kept in memory: a table that a session made, or one of its lists of tables. They lie
 * in the wire form of batches (batch_codec.h), which takes a fraction of what columns take.
 *
 * Legal order: init, any number of append, seal; then get by any number of threads, release.
 */
#ifndef COLUMN_KEPT_ROWS_H
#define COLUMN_KEPT_ROWS_H

#include "base/buf.h"
#include "column/column.h"

struct kept_batch {
	uint32_t block;
	uint32_t size;
	size_t offset; /* in the block */
};

struct kept_rows {
	uint32_t column_count;
	struct type *types;
	size_t bytes_max;
	size_t bytes; /* held */
	uint64_t rows;
	uint32_t batch_count;
	struct kept_batch *batches;
	uint32_t block_count;
	struct buf *blocks;
	bool sealed;
};

/* `types` is copied. More than `bytes_max` is refused. */
void kept_rows_init(
	struct kept_rows *kept, uint32_t column_count, const struct type *types, size_t bytes_max);
/* Forgets the rows; the columns may become others. */
void kept_rows_reset(struct kept_rows *kept, uint32_t column_count, const struct type *types);
void kept_rows_release(struct kept_rows *kept);

/* The selected rows. ERROR_LIMIT when there is no room for them. */
MUST_CHECK int kept_rows_append(
	struct kept_rows *kept, const struct batch *batch, struct error *err);
void kept_rows_seal(struct kept_rows *kept);

/* Columns are in the arena; texts may be borrowed from the rows. */
MUST_CHECK int kept_rows_get(const struct kept_rows *kept, uint32_t index, struct arena *arena,
	struct batch *out, struct error *err);

#endif
