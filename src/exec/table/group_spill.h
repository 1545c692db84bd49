/*
 * Groups that do not fit into memory, as rows of their states on a disk, apart by the hash of their keys:
 * one part after the other is read back and grouped. What is too much again is put into parts of a next
 * level, which look at other bits of the hash.
 */
#ifndef EXEC_GROUP_SPILL_H
#define EXEC_GROUP_SPILL_H

#include "column/column.h"
#include "exec/table/spill.h"

#define GROUP_SPILL_BITS   4u
#define GROUP_SPILL_PARTS  (1u << GROUP_SPILL_BITS)
#define GROUP_SPILL_LEVELS 8u

struct group_spill;

/* All batches to come have the columns of `like`. `memory` and `keys` are borrowed. */
struct group_spill *group_spill_new(const struct op_memory *memory, uint32_t level,
	uint32_t key_count, const uint32_t *keys, const struct batch *like);
void group_spill_free(struct group_spill *spill);
/* Below GROUP_SPILL_LEVELS. */
uint32_t group_spill_level(const struct group_spill *spill);

MUST_CHECK int group_spill_add(
	struct group_spill *spill, const struct batch *batch, struct error *err);
/* No more batches come. */
MUST_CHECK int group_spill_end(struct group_spill *spill, struct error *err);
/* 1: the next batch of the part, which lives until the next call; 0: there are no more. Part by part. */
MUST_CHECK int group_spill_read(
	struct group_spill *spill, uint32_t part, struct batch *out, struct error *err);

#endif
