#include "csv/chunk_private.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Room for the ends of a chunk's fields, at first. */
#define ENDS_FIRST (16u << 10)

void csv_chunk_init(struct csv_chunk *chunk)
{
	*chunk = (struct csv_chunk){0};
}

void csv_chunk_release(struct csv_chunk *chunk)
{
	free(chunk->buffer);
	free(chunk->ends ? chunk->ends - 1 : NULL);
	csv_chunk_init(chunk);
}

void chunk_reserve(struct csv_chunk *chunk, size_t size, size_t kept)
{
	size_t capacity = size + CSV_SCAN_PADDING;

	if (chunk->capacity < capacity) {
		char *buffer = memory_alloc_aligned(4096, capacity);

		if (kept > 0)
			memcpy(buffer, chunk->buffer, kept);
		free(chunk->buffer);
		chunk->buffer = buffer;
		chunk->capacity = capacity;
	}
	chunk->data = chunk->buffer;
}

void csv_chunk_set(struct csv_chunk *chunk, const void *text, size_t size, char quote)
{
	chunk_reserve(chunk, size, 0);
	memcpy(chunk->data, text, size);
	memset(chunk->data + size, 0, CSV_SCAN_PADDING);
	chunk->size = (uint32_t)size;
	chunk->plain = quote == '\0' || !memchr(chunk->data, quote, size);
	chunk->scanned = chunk->oversized = false;
	chunk->number = 0;
}

static void ends_grow(struct csv_chunk *chunk)
{
	uint32_t capacity = chunk->end_capacity ? 2 * chunk->end_capacity : ENDS_FIRST;
	uint32_t *ends = memory_realloc(
		chunk->ends ? chunk->ends - 1 : NULL, (1 + (size_t)capacity) * sizeof(*ends));

	chunk->ends = ends + 1;
	chunk->end_capacity = capacity;
}

struct csv_scan chunk_scan_start(
	struct csv_chunk *chunk, size_t size, const struct csv_format *format, enum csv_isa isa)
{
	chunk->end_count = 0;
	return (struct csv_scan){
		.data = chunk->data,
		.size = (uint32_t)size,
		.delimiter = format->delimiter,
		.quote = format->quote,
		.isa = isa,
		.quoted = true,
	};
}

bool chunk_scan(struct csv_chunk *chunk, struct csv_scan *scan)
{
	uint32_t rows, count;

	do {
		if (chunk->end_capacity - chunk->end_count < ENDS_FIRST / 2)
			ends_grow(chunk);
		count = csv_scan_next(scan, UINT32_MAX, chunk->ends + chunk->end_count,
			chunk->end_capacity - chunk->end_count, &rows);
		chunk->end_count += count;
		if (scan->malformed || chunk->end_count == chunk->end_capacity)
			return false;
	} while (count > 0);
	return true;
}

void chunk_drop_unfinished(struct csv_chunk *chunk, struct csv_scan *scan)
{
	while (chunk->end_count > 0) {
		uint32_t end = chunk->ends[chunk->end_count - 1];

		if (end < scan->size && scan->data[end] == '\n')
			break;
		chunk->end_count--;
	}
	scan->offset = chunk->end_count ? chunk->ends[chunk->end_count - 1] + 1 : 0;
	scan->unclosed = false;
}
