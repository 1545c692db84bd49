/*
 * A set of numbers kept as intervals: what a node has seen of a stream. Its size is that of its
 * gaps, not of its content: a stream that was seen whole is one interval, whatever its length.
 */
#ifndef BASE_INTERVAL_SET_H
#define BASE_INTERVAL_SET_H

#include <stdbool.h>
#include <stdint.h>

struct interval_range {
	uint64_t first;
	uint64_t last; /* included */
};

struct interval_set {
	uint32_t count;
	uint32_t capacity;
	struct interval_range *ranges; /* ascending; neighbours neither overlap nor touch */
};

/* {0} is an empty set. */
void interval_set_release(struct interval_set *set);
/* False when it was in the set already. */
bool interval_set_add(struct interval_set *set, uint64_t number);
bool interval_set_has(const struct interval_set *set, uint64_t number);
/* Whether the set is exactly 1 .. total. */
bool interval_set_is_whole(const struct interval_set *set, uint64_t total);

#endif
