/*
 * A stable radix sort of many small items by a 64-bit key, least significant byte first. Bytes that
 * are the same in all keys cost nothing but a look.
 *
 * It is inlined, because sizes that the compiler knows make the copies of items single moves.
 */
#ifndef BASE_RADIX_SORT_H
#define BASE_RADIX_SORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define RADIX_SORT_DIGITS 256
/* So many items between two looks at whether it is to stop. */
#define RADIX_SORT_BLOCK ((size_t)1 << 18)

static inline uint64_t radix_sort_key(const char *item, size_t key_offset)
{
	uint64_t key;

	memcpy(&key, item + key_offset, sizeof(key));
	return key;
}

static inline bool radix_sort_is_stopped(const atomic_bool *stop)
{
	return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

static inline size_t radix_sort_block_end(size_t start, size_t count)
{
	return count - start > RADIX_SORT_BLOCK ? start + RADIX_SORT_BLOCK : count;
}

/* One pass, by the byte of the key that starts at bit `shift`. False when it was stopped: `to` is of no use. */
static inline __attribute__((always_inline)) bool radix_sort_pass(const char *from, char *to,
	size_t count, size_t item_size, size_t key_offset, unsigned shift, const atomic_bool *stop)
{
	size_t starts[RADIX_SORT_DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < count; i++)
		starts[radix_sort_key(from + i * item_size, key_offset) >> shift & 0xff]++;
	for (size_t digit = 0; digit < RADIX_SORT_DIGITS; digit++) {
		size_t size = starts[digit];

		starts[digit] = sum;
		sum += size;
	}
	for (size_t start = 0, end; start < count; start = end) {
		if (radix_sort_is_stopped(stop))
			return false;
		end = radix_sort_block_end(start, count);
		for (size_t i = start; i < end; i++) {
			const char *item = from + i * item_size;
			uint64_t digit = radix_sort_key(item, key_offset) >> shift & 0xff;

			memcpy(to + starts[digit]++ * item_size, item, item_size);
		}
	}
	return true;
}

/*
 * Sorts by the bits of the key from `first_bit` upwards, a multiple of 8. `scratch` has room for as
 * many items; what it holds afterwards is of no use. When *stop is set, which may be NULL, it leaves the items in
 * whatever order.
 */
static inline __attribute__((always_inline)) void radix_sort(void *items, void *scratch,
	size_t count, size_t item_size, size_t key_offset, unsigned first_bit,
	const atomic_bool *stop)
{
	char *from = items, *to = scratch;
	uint64_t first, varying = 0;

	if (count == 0)
		return;
	first = radix_sort_key(from, key_offset);
	for (size_t i = 1; i < count; i++)
		varying |= radix_sort_key(from + i * item_size, key_offset) ^ first;
	for (unsigned shift = first_bit; shift < 64; shift += 8) {
		char *swap = from;

		if ((varying >> shift & 0xff) == 0)
			continue;
		if (!radix_sort_pass(from, to, count, item_size, key_offset, shift, stop))
			break;
		from = to;
		to = swap;
	}
	if (from != (char *)items)
		memcpy(items, from, count * item_size);
}

#endif
