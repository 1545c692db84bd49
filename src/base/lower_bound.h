/* Binary search in an ascending array of structs, by a member of them. */
#ifndef BASE_LOWER_BOUND_H
#define BASE_LOWER_BOUND_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a short key is read as it lies");

/*
 * The index of the first of `count` items whose `member`, an unsigned integer of 4 or 8 bytes, is
 * `key` or more; `count` when there is none.
 */
#define LOWER_BOUND(items, count, member, key)                                                  \
	lower_bound((items), (count), sizeof(*(items)), offsetof(__typeof__(*(items)), member), \
		sizeof((items)->member), (key))

static inline uint32_t lower_bound(const void *items, uint32_t count, size_t item_size,
	size_t key_offset, size_t key_size, uint64_t key)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const char *at = (const char *)items + middle * item_size + key_offset;
		uint64_t found = 0;

		memcpy(&found, at, key_size);
		if (found < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
