/*
 * Single values in the tables of operators: one form for values that are equal in SQL but differ in
 * their bits (1.0 and 1.00, 0.0 and -0.0, the many NaNs), and equality, hashes and copies of texts
 * and lists.
 */
#ifndef COLUMN_CANONICAL_H
#define COLUMN_CANONICAL_H

#include "base/arena.h"
#include "base/hash.h"
#include "column/numeric_long.h"
#include "column/type.h"
#include <string.h>

#define CANONICAL_NAN UINT64_C(0x7ff8000000000000)
/* What a NULL contributes to a hash. */
#define HASH_OF_NULL UINT64_C(0x6e756c6c6e756c6c)

static inline uint64_t canonical_double(double value)
{
	uint64_t bits;

	if (value == 0)
		return 0;
	if (value != value)
		return CANONICAL_NAN;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* One form for equal values, unless they are long. What numeric_normalize returns, without 128-bit divisions for the values that people have. */
static inline numeric canonical_numeric(numeric n)
{
	unsigned scale = numeric_scale(n);
	int128 mantissa = numeric_mantissa(n);
	int64_t small = (int64_t)mantissa;

	if (scale == 0)
		return n;
	if (small != mantissa)
		return numeric_normalize(n);
	while (scale > 0 && small % 10 == 0) {
		small /= 10;
		scale--;
	}
	return numeric_pack(small, scale);
}

static inline uint64_t text_hash(struct text text)
{
	return hash_bytes(text.data ? text.data : "", text.size);
}

static inline bool text_equal(struct text a, struct text b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* An empty text gets an address, so that readers may count from it. */
static inline struct text text_copy(struct text text, struct arena *arena)
{
	if (text.size == 0)
		return text_from("", 0);
	return text_from(arena_copy(arena, text.data, text.size), text.size);
}

uint64_t list_hash(struct text_list list);
/* NULL items are equal to each other, and tails take no part. */
bool list_equal(struct text_list a, struct text_list b);
/* PostgreSQL's order of arrays: by the first item that differs, NULL items last, then by length. */
int list_compare(struct text_list a, struct text_list b);
/*
 * Makes `kept` show the one of each two equal items that equal values show: the numeric with the
 * greater scale, the lesser interval by its parts, 0 and not -0. What it takes is copied.
 */
void list_keep_shown(
	enum type_kind kind, struct text_list *kept, struct text_list other, struct arena *arena);
struct text_list list_copy(struct text_list list, struct arena *arena);

#endif
