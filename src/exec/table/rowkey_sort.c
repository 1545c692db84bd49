/*
 * Sorting of row keys: by eight bytes at a time, after the bytes that all keys of a range share.
 *
 * Large ranges are sorted by a radix sort on those eight bytes and their runs of equal ones are
 * then sorted by what follows; small ranges are merged, comparing whole keys.
 */
#include "base/memory.h"
#include "base/radix_sort.h"
#include "exec/table/rowkey.h"

#include <stdlib.h>
#include <string.h>

#define SMALL_RANGE 256
#define INSERT_RUN  8
#define PREFIX_SIZE sizeof(uint64_t)
/* So many entries, a power of two, between two looks at whether it is to stop. */
#define STOP_ENTRIES (1u << 16)

/* Bytes from `depth` on, as a big-endian number, padded with zeros. */
static uint64_t prefix_at(const uint8_t *stored, size_t depth)
{
	size_t size = rowkey_size(stored);
	const uint8_t *bytes = rowkey_bytes(stored) + depth;
	uint64_t prefix = 0;

	if (depth + PREFIX_SIZE <= size) {
		memcpy(&prefix, bytes, PREFIX_SIZE);
		return __builtin_bswap64(prefix);
	}
	for (size_t i = 0; depth + i < size; i++)
		prefix |= (uint64_t)bytes[i] << (56 - 8 * i);
	return prefix;
}

static bool is_stopped(const atomic_bool *stop)
{
	return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/* How many bytes after `depth` all keys share; some number when it is to stop. */
static size_t shared_size(
	const struct rowkey_entry *entries, size_t count, size_t depth, const atomic_bool *stop)
{
	size_t size = rowkey_size(entries[0].stored);
	const uint8_t *first = rowkey_bytes(entries[0].stored) + depth;
	size_t shared = size > depth ? size - depth : 0;

	for (size_t i = 1; i < count && shared > 0; i++) {
		const uint8_t *other = rowkey_bytes(entries[i].stored) + depth;
		size_t other_size = rowkey_size(entries[i].stored);
		size_t most = other_size > depth ? other_size - depth : 0;
		size_t same = 0;

		if (i + ROWKEY_AHEAD < count)
			rowkey_prefetch(entries[i + ROWKEY_AHEAD].stored);
		if (i % STOP_ENTRIES == 0 && is_stopped(stop))
			break;
		most = most < shared ? most : shared;
		while (same < most && first[same] == other[same])
			same++;
		shared = same;
	}
	return shared;
}

static bool entry_less(const struct rowkey_entry *a, const struct rowkey_entry *b)
{
	return a->prefix != b->prefix ? a->prefix < b->prefix
				      : rowkey_compare(a->stored, b->stored) < 0;
}

static void insertion_sort(struct rowkey_entry *entries, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct rowkey_entry entry = entries[i];
		size_t to = i;

		for (; to > 0 && entry_less(&entry, &entries[to - 1]); to--)
			entries[to] = entries[to - 1];
		entries[to] = entry;
	}
}

static void merge(
	const struct rowkey_entry *from, size_t middle, size_t end, struct rowkey_entry *to)
{
	size_t left = 0, right = middle;

	for (size_t i = 0; i < end; i++) {
		bool take_right =
			left == middle || (right < end && entry_less(&from[right], &from[left]));

		to[i] = take_right ? from[right++] : from[left++];
	}
}

static void merge_sort(struct rowkey_entry *entries, size_t count, struct rowkey_entry *scratch)
{
	struct rowkey_entry *from = entries, *to = scratch;

	for (size_t i = 0; i < count; i += INSERT_RUN)
		insertion_sort(entries + i, count - i < INSERT_RUN ? count - i : INSERT_RUN);
	for (size_t width = INSERT_RUN; width < count; width *= 2) {
		struct rowkey_entry *swap = from;

		for (size_t i = 0; i < count; i += 2 * width) {
			size_t rest = count - i;

			merge(from + i, width < rest ? width : rest,
				2 * width < rest ? 2 * width : rest, to + i);
		}
		from = to;
		to = swap;
	}
	if (from != entries)
		memcpy(entries, from, count * sizeof(*entries));
}

/*
 * Every level leaves the bytes that a range shares behind, so that its depth is bounded by the
 * number of differing keys and not by their length.
 */
static void sort_range(struct rowkey_entry *entries, size_t count, size_t depth,
	struct rowkey_entry *scratch, const atomic_bool *stop)
{
	size_t run = 0;

	if (is_stopped(stop))
		return;
	depth += shared_size(entries, count, depth, stop);
	/* No key is a prefix of another: where one ends, all are equal. */
	if (depth >= rowkey_size(entries[0].stored))
		return;
	for (size_t i = 0; i < count; i++) {
		if (i % STOP_ENTRIES == 0 && is_stopped(stop))
			return;
		if (i + ROWKEY_AHEAD < count)
			__builtin_prefetch(rowkey_bytes(entries[i + ROWKEY_AHEAD].stored) + depth);
		entries[i].prefix = prefix_at(entries[i].stored, depth);
	}
	if (count <= SMALL_RANGE) {
		merge_sort(entries, count, scratch);
		return;
	}
	radix_sort(entries, scratch, count, sizeof(*entries), offsetof(struct rowkey_entry, prefix),
		0, stop);
	if (is_stopped(stop))
		return;
	for (size_t i = 1; i <= count; i++) {
		if (i < count && entries[i].prefix == entries[run].prefix)
			continue;
		if (i - run > 1)
			sort_range(
				entries + run, i - run, depth + PREFIX_SIZE, scratch + run, stop);
		run = i;
	}
}

void rowkey_sort(struct rowkey_entry *entries, size_t count, const atomic_bool *stop)
{
	struct rowkey_entry *scratch;

	if (count < 2)
		return;
	scratch = memory_alloc(count * sizeof(*scratch));
	sort_range(entries, count, 0, scratch, stop);
	free(scratch);
}
