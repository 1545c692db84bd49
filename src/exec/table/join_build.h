/*
 * The build side of a join: rows with their keys in a hash table.
 *
 * Legal order: new, any number of add, seal once, then any number of lookups from any number of
 * threads. add is for one thread at a time.
 */
#ifndef EXEC_JOIN_BUILD_H
#define EXEC_JOIN_BUILD_H

#include "column/column.h"
#include "exec/table/spill.h"
#include "plan/plan.h"

struct join_build;

/* `join` NULL: rows that nobody looks up, to be read from the first to the last. */
struct join_build *join_build_new(
	const struct plan_join *join, uint32_t column_count, const struct type *types);
void join_build_free(struct join_build *build);
enum join_build_way {
	JOIN_BUILD_SPILLS, /* what is too much goes to a disk, or is ERROR_LIMIT where it cannot */
	JOIN_BUILD_TAKES_PIECES, /* who adds rows asks join_build_is_full, and stops */
};

/* Its rows count for this memory. Borrowed; before the first add. Without: there is enough. */
void join_build_work_with(
	struct join_build *build, const struct op_memory *memory, enum join_build_way way);
/* Its rows are a part of one that was split `level` times. */
void join_build_set_level(struct join_build *build, uint32_t level);
/* There is hardly memory for more rows. */
bool join_build_is_full(const struct join_build *build);
/* Copies the selected rows. ERROR_LIMIT past 2^31 rows. */
MUST_CHECK int join_build_add(
	struct join_build *build, const struct batch *batch, struct error *err);
/* No rows follow. When *stop is set, which may be NULL, what is found in it afterwards is of no use. */
void join_build_seal(struct join_build *build, const atomic_bool *stop);
/* Its rows are on a disk, by parts: what is joined with them has to be, too (exec/op/join_disk.h). */
bool join_build_is_on_disk(const struct join_build *build);

/* What a batch of its rows is given to; borrowed for the call. */
typedef int (*join_build_reader)(void *context, const struct batch *batch, struct error *err);

/* All rows of a sealed one, in the order in which they came. */
MUST_CHECK int join_build_read(
	const struct join_build *build, join_build_reader read, void *context, struct error *err);

#endif
