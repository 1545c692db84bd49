/*
 * Which instance of a fragment gets a row. Part of the engine's version: every node must agree.
 */
#ifndef EXEC_PARTITION_H
#define EXEC_PARTITION_H

#include "column/column.h"

/*
 * The hash of the key columns of every selected row, at hashes[row]. Equal values hash alike
 * whatever their representation (1.0 and 1.00, 0.0 and -0.0); NULLs hash alike.
 */
void partition_hash(
	const struct batch *batch, const uint32_t *keys, uint32_t key_count, uint64_t *hashes);

/* Room for the rows of one batch, by partition. */
struct partition_split {
	uint32_t count;	  /* of partitions */
	uint32_t *starts; /* count + 1 entries: partition p's rows are rows[starts[p] ..
			     starts[p+1]) */
	uint16_t *rows;	  /* BATCH_ROWS_MAX, ascending within a partition */
};

void partition_split_init(struct partition_split *split, uint32_t count);
void partition_split_release(struct partition_split *split);
void partition_split_rows(
	struct partition_split *split, const struct batch *batch, const uint64_t *hashes);

/* From the upper bits, so that tables inside a partition can use the lower ones. */
static inline uint32_t partition_of(uint64_t hash, uint32_t count)
{
	return (uint32_t)(((hash >> 32) * count) >> 32);
}

#endif
