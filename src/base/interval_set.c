#include "base/interval_set.h"
#include "base/lower_bound.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define RANGES_FIRST 4

void interval_set_release(struct interval_set *set)
{
	free(set->ranges);
	*set = (struct interval_set){0};
}

/* The first range that ends at `number` or behind it; set->count when there is none. */
static uint32_t find_range(const struct interval_set *set, uint64_t number)
{
	return LOWER_BOUND(set->ranges, set->count, last, number);
}

static void insert_range(struct interval_set *set, uint32_t at, uint64_t number)
{
	if (set->count == set->capacity) {
		set->capacity = set->capacity ? 2 * set->capacity : RANGES_FIRST;
		set->ranges =
			memory_realloc(set->ranges, set->capacity * sizeof(struct interval_range));
	}
	memmove(&set->ranges[at + 1], &set->ranges[at],
		(set->count - at) * sizeof(struct interval_range));
	set->ranges[at] = (struct interval_range){number, number};
	set->count++;
}

static void remove_range(struct interval_set *set, uint32_t at)
{
	memmove(&set->ranges[at], &set->ranges[at + 1],
		(set->count - at - 1) * sizeof(struct interval_range));
	set->count--;
}

bool interval_set_has(const struct interval_set *set, uint64_t number)
{
	uint32_t at = find_range(set, number);

	return at < set->count && set->ranges[at].first <= number;
}

bool interval_set_add(struct interval_set *set, uint64_t number)
{
	uint32_t at = find_range(set, number);
	bool joins_next = at < set->count && set->ranges[at].first == number + 1;
	bool joins_last = at > 0 && set->ranges[at - 1].last + 1 == number;

	if (at < set->count && set->ranges[at].first <= number)
		return false;
	if (joins_last && joins_next) {
		set->ranges[at - 1].last = set->ranges[at].last;
		remove_range(set, at);
	} else if (joins_last) {
		set->ranges[at - 1].last = number;
	} else if (joins_next) {
		set->ranges[at].first = number;
	} else {
		insert_range(set, at, number);
	}
	return true;
}

bool interval_set_is_whole(const struct interval_set *set, uint64_t total)
{
	if (total == 0)
		return set->count == 0;
	return set->count == 1 && set->ranges[0].first == 1 && set->ranges[0].last == total;
}
