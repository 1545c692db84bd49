/*
 * What the join operator sees of a sealed build side.
 *
 * Rows lie in growing arrays, a column each. The index is an array of slots, each the 32-bit hash
 * of a row's keys and the row's number, in the order of hashes; a slot stands at its home, hash *
 * capacity / 2^32, or behind it with only slots between. So all rows with one hash are neighbours.
 * In front of a small index stands a filter of bits by hash, so that a miss costs one load that is
 * always in the cache. Where the only key is an integer and all of them lie close together there is
 * a bit for every number from the least to the greatest: a miss is not even hashed. Rows with a
 * NULL key have no slot.
 *
 * When there is no memory for them all rows go to a disk, apart by the hash of their keys
 * (spill_parts.h), and there is no index.
 */
#ifndef EXEC_JOIN_BUILD_PRIVATE_H
#define EXEC_JOIN_BUILD_PRIVATE_H

#include "exec/table/join_build.h"
#include "exec/table/spill_parts.h"

#define JOIN_SLOT_EMPTY UINT64_MAX

struct join_build {
	const struct plan_join *plan;
	uint32_t column_count;
	struct column *columns; /* heap arrays with room for `capacity` rows */
	uint32_t count;
	uint32_t capacity;
	struct arena arena; /* texts and lists */
	uint32_t *hashes;   /* lower halves, by row; until it is sealed */
	uint64_t *slots;    /* the last one is empty */
	uint32_t slot_capacity;
	uint64_t *filter;      /* NULL for large tables */
	uint32_t filter_shift; /* a row's bit is its hash >> filter_shift */
	uint64_t *range;       /* bits by key - range_first; NULL when there is no such key */
	uint64_t range_first;
	uint64_t range_size;		/* in bits */
	const struct op_memory *memory; /* NULL: nobody counts */
	enum join_build_way way;
	struct memory_account account;
	uint32_t level;		   /* how often its rows have been split */
	struct spill_parts *parts; /* NULL: all rows are in memory */
	uint64_t total;		   /* rows, wherever they are */
	bool any_null_key;	   /* some row that came has a NULL key */
	bool sealed;
};

static inline uint32_t join_slot_hash(uint64_t slot)
{
	return (uint32_t)(slot >> 32);
}

static inline uint32_t join_slot_row(uint64_t slot)
{
	return (uint32_t)slot;
}

static inline size_t join_build_home(const struct join_build *build, uint32_t hash)
{
	return (uint64_t)hash * build->slot_capacity >> 32;
}

/* The place of the first slot with this hash, or of the one that stands where it would. */
static inline size_t join_build_seek(const struct join_build *build, uint32_t hash)
{
	size_t place = join_build_home(build, hash);

	while (join_slot_hash(build->slots[place]) < hash)
		place++;
	return place;
}

static inline bool join_build_is_at(const struct join_build *build, size_t place, uint32_t hash)
{
	return join_slot_hash(build->slots[place]) == hash &&
	       build->slots[place] != JOIN_SLOT_EMPTY;
}

static inline bool join_build_may_have(const struct join_build *build, uint32_t hash)
{
	uint32_t bit = hash >> build->filter_shift;

	return build->filter[bit / 64] >> (bit % 64) & 1;
}

/* Whether key `i` of the build's row equals the flowing column's value; neither is NULL. */
bool join_build_key_equal(const struct join_build *build, uint32_t i, uint32_t build_row,
	const struct column *flow, uint32_t row);

#endif
