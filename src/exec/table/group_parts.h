/*
 * Rows set aside by the hash of their keys, to be grouped part by part.
 *
 * A table of millions of groups does not fit the caches, and then every row that finds its group
 * waits for memory several times. Writing the rows apart first and grouping each part in a table
 * that does fit costs a third of that, although every row is touched twice.
 *
 * Fresh memory is expensive, too, so rows are kept narrow: a column of integers takes four bytes
 * per row as long as they fit, and a column that is the same constant in every batch takes none.
 * Only columns of fixed width without NULLs are taken: those are what large groupings are made of.
 */
#ifndef EXEC_GROUP_PARTS_H
#define EXEC_GROUP_PARTS_H

#include "column/column.h"

#define GROUP_PARTS_BITS 4
#define GROUP_PARTS	 (1u << GROUP_PARTS_BITS)

struct group_parts;
struct group_block;

struct group_parts *group_parts_new(uint32_t key_count, const uint32_t *keys);
void group_parts_free(struct group_parts *parts);

/* Whether the columns of a batch are such that their rows can be set aside. */
bool group_parts_fit(const struct batch *batch);
/* Copies the selected rows. Every batch has the same columns, and fits. */
void group_parts_add(struct group_parts *parts, const struct batch *batch);
size_t group_parts_bytes(const struct group_parts *parts);

/* The blocks of a part, which is empty afterwards: up to BATCH_ROWS_MAX rows each. */
struct group_block *group_parts_take(struct group_parts *parts, uint32_t part);
/*
 * The rows of a block as a batch, which lives until the next call, and the block behind it. The
 * block is freed.
 */
struct group_block *group_parts_read(
	struct group_parts *parts, struct group_block *block, struct batch *out);
/* Frees blocks that nobody is going to read. */
void group_blocks_free(struct group_block *blocks);

#endif
