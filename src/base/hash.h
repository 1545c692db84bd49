/*
 * Hash functions. They decide which reducer gets a row, so they are part of the engine's version:
 * the same value must hash alike on every node and in every run.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *bytes, size_t size);

static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	return x;
}

/* Order matters: combine(a, b) differs from combine(b, a). */
static inline uint64_t hash_combine(uint64_t a, uint64_t b)
{
	return (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;
}

#endif
