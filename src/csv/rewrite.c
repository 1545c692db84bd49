#include "csv/rewrite.h"

#include "base/memory.h"
#include "csv/walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_FIRST 64

size_t csv_rewrite_room(size_t size)
{
	/* A cell of one byte may become a quoted quote, and an empty one in quotes have two. */
	return 4 * size + 16;
}

static bool needs_quotes(struct text text, const struct csv_format *format)
{
	for (uint32_t i = 0; i < text.size; i++)
		if (text.data[i] == format->delimiter || text.data[i] == format->quote ||
			text.data[i] == '\n' || text.data[i] == '\r')
			return true;
	return false;
}

static char *write_cell(const struct csv_walker *walker, const struct csv_cell *cell,
	const struct csv_format *format, struct arena *arena, char *out)
{
	struct text text = csv_cell_text(walker, cell, arena);

	if (!cell->quoted && !needs_quotes(text, format)) {
		memcpy(out, text.data, text.size);
		return out + text.size;
	}
	*out++ = format->quote;
	for (uint32_t i = 0; i < text.size; i++) {
		if (text.data[i] == format->quote)
			*out++ = format->quote;
		*out++ = text.data[i];
	}
	*out++ = format->quote;
	/* What cannot be understood must not be understood when it is read again, either. */
	if (cell->malformed)
		*out++ = '?';
	return out;
}

/* The record's cells, in *cells, which grows. */
static bool next_record(struct csv_walker *walker, struct csv_cell **cells, uint32_t *room,
	struct csv_record *record)
{
	size_t at = walker->at;

	if (!csv_walk_record(walker, *cells, *room, record))
		return false;
	if (record->cells > *room) {
		*room = 2 * record->cells;
		*cells = memory_realloc(*cells, *room * sizeof(**cells));
		walker->at = at;
		return csv_walk_record(walker, *cells, *room, record);
	}
	return true;
}

size_t csv_rewrite(const struct csv_dialect *dialect, const char *data, size_t size,
	const struct csv_format *format, bool one_column, char *out)
{
	struct csv_walker walker = {.dialect = dialect, .data = data, .size = size};
	uint32_t room = CELLS_FIRST;
	struct csv_cell *cells = memory_alloc(room * sizeof(*cells));
	struct csv_record record;
	struct arena arena;
	char *next = out;

	assert(format->quote != '\0');
	arena_init(&arena, 4096);
	while (next_record(&walker, &cells, &room, &record)) {
		uint32_t count = record.comment || record.blank ? 0 : record.cells;

		arena_reset(&arena);
		for (uint32_t c = 0; c < count; c++) {
			if (c > 0)
				*next++ = format->delimiter;
			next = write_cell(&walker, &cells[c], format, &arena, next);
		}
		/* A quoted field that is not closed must not be closed by rewriting it. */
		if (record.comment && one_column)
			continue;
		if (record.unclosed)
			next--;
		else if (record.terminated || walker.at < size)
			*next++ = '\n';
	}
	arena_release(&arena);
	free(cells);
	assert((size_t)(next - out) <= csv_rewrite_room(size));
	return (size_t)(next - out);
}

size_t csv_dialect_whole_records(const struct csv_dialect *dialect, const char *data, size_t size)
{
	struct csv_walker walker = {.dialect = dialect, .data = data, .size = size};
	struct csv_record record;
	size_t whole = 0;

	while (csv_walk_record(&walker, NULL, 0, &record)) {
		/* A carriage return at the end may be the first half of a line end. */
		if (!record.terminated || (record.end == size && data[size - 1] == '\r'))
			break;
		whole = record.end;
	}
	return whole;
}
