/*
 * A small, fast, seedable generator (splitmix64). For generated data and for tests, never for
 * secrets. The sequence of a seed never changes: generated data sets depend on it.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state;
};

static inline void rng_init(struct rng *rng, uint64_t seed)
{
	rng->state = seed;
}

static inline uint64_t rng_next(struct rng *rng)
{
	uint64_t z = (rng->state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Uniform in 0 .. bound-1; `bound` above zero. */
static inline uint64_t rng_below(struct rng *rng, uint64_t bound)
{
	return (uint64_t)(((unsigned __int128)rng_next(rng) * bound) >> 64);
}

#endif
