/*
 * The wire form of a batch: how rows travel between nodes and lie in journals.
 */
#ifndef COLUMN_BATCH_CODEC_H
#define COLUMN_BATCH_CODEC_H

#include "base/arena.h"
#include "base/buf.h"
#include "column/column.h"

/*
 * Appends the selected rows. The same rows always give the same bytes, however they lie in the
 * batch. Whether they fit is known from buf_overflowed.
 */
void batch_encode(const struct batch *batch, struct buf *out);

/*
 * What decoding takes from the arena at most: so much for every row of every column, and so many
 * times the bytes for the items of lists.
 */
#define BATCH_DECODE_ROW_BYTES	 64
#define BATCH_DECODE_ITEM_FACTOR 256

/*
 * Reads one batch that starts at *at, and moves *at behind it. It must have the columns of `types`.
 * Columns are in the arena; texts are too, or are borrowed from the bytes. Whatever the bytes are,
 * the outcome is a batch that keeps column.h's promises, or ERROR_DATA.
 */
MUST_CHECK int batch_decode(const uint8_t **at, const uint8_t *end, uint32_t column_count,
	const struct type *types, struct arena *arena, struct batch *out, struct error *err);

#endif
