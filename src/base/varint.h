/*
 * Unsigned numbers in 1 to 10 bytes: 7 bits per byte, the lowest first, and the upper bit set in
 * all bytes but the last.
 */
#ifndef BASE_VARINT_H
#define BASE_VARINT_H

#include "base/buf.h"

#define VARINT_SIZE_MAX 10

static inline void varint_encode(uint64_t value, struct buf *out)
{
	uint8_t bytes[VARINT_SIZE_MAX];
	size_t size = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[size++] = (uint8_t)(value | 0x80);
	bytes[size++] = (uint8_t)value;
	buf_append(out, bytes, size);
}

/* Moves *at behind the number. False, and *at anywhere, when there is none before `end`. */
static inline bool varint_decode(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
		uint8_t byte = *(*at)++;

		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*out = value;
			return true;
		}
	}
	return false;
}

/* Signed numbers as unsigned ones: 0, -1, 1, -2, ... are 0, 1, 2, 3, ... */
static inline uint64_t zigzag_encode(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t zigzag_decode(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

#endif
