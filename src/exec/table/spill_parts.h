/*
 * Rows that do not fit into memory, apart by the hash of their keys: one part after the other is read back
 * and worked on. What is too much again is put into parts of a next level, which look at other bits of the
 * hash. Rows with equal keys are in parts of one number, whichever table they are of.
 *
 * A part is pieces on a disk (spill.h), and behind them rows that were not worth a piece yet.
 */
#ifndef EXEC_SPILL_PARTS_H
#define EXEC_SPILL_PARTS_H

#include "base/buf.h"
#include "column/column.h"
#include "exec/table/spill.h"

#define SPILL_PARTS_BITS   4u
#define SPILL_PARTS	   (1u << SPILL_PARTS_BITS)
#define SPILL_PARTS_LEVELS 8u

struct spill_parts;

/* `memory` and `keys` are borrowed; all batches to come have columns of these types. */
struct spill_parts *spill_parts_new(const struct op_memory *memory, uint32_t level,
	uint32_t key_count, const uint32_t *keys, uint32_t column_count, const struct type *types);
void spill_parts_free(struct spill_parts *parts);
/* Below SPILL_PARTS_LEVELS. */
uint32_t spill_parts_level(const struct spill_parts *parts);

/* Copies the selected rows. */
MUST_CHECK int spill_parts_add(
	struct spill_parts *parts, const struct batch *batch, struct error *err);
/* No more rows come: from now on any number of threads may read. */
void spill_parts_end(struct spill_parts *parts);
uint64_t spill_parts_rows(const struct spill_parts *parts, uint32_t part);
/* What is in memory, for the account of who has them. */
size_t spill_parts_bytes(const struct spill_parts *parts);

/* Reads the rows of a part. All fields are its own. */
struct spill_reader {
	struct spill_parts *parts;
	uint32_t part;
	bool last; /* nobody reads them after it: what was read is dropped */
	bool at_tail;
	size_t next_piece;
	uint8_t *piece;
	const uint8_t *at;
	const uint8_t *end;
	struct arena arena;
};

/* `parts` is borrowed. Only one reader of a part is the last, and it stands alone then. */
void spill_reader_init(
	struct spill_reader *reader, struct spill_parts *parts, uint32_t part, bool last);
void spill_reader_release(struct spill_reader *reader);
/* 1: the next batch, all rows selected, which lives until the next call; 0: there are no more. */
MUST_CHECK int spill_reader_next(struct spill_reader *reader, struct batch *out, struct error *err);

#endif
