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

/*
 * Whether the quotes at both ends are the field's, and those between them text that nobody has written twice:
 * "Ann "the boss" Lee" and "a 12" disk", but not "High" St "9".
 */
static bool holds_quotes(const struct csv_walker *walker, const struct csv_cell *cell)
{
	const char *text = walker->data + cell->start + 1;
	const char quote = walker->dialect->quote;
	uint32_t size = cell->end - cell->start, quotes = 0, first = 0;

	if (size < 2 || text[size - 2] != quote)
		return false;
	for (uint32_t i = 0; i + 2 < size; i++) {
		bool doubled = i + 3 < size && text[i] == quote && text[i + 1] == quote;

		first = quotes == 0 ? i : first;
		quotes += text[i] == quote && !doubled;
		i += doubled;
	}
	return quotes % 2 == 1 ||
	       (quotes > 0 && first > 0 && (text[first - 1] == ' ' || text[first - 1] == '('));
}

/*
 * A field with text behind its closing quote, as one text. False when a line ends inside of the quotes: what looks like
 * one field may be the rows of many.
 */
static bool mend_cell(const struct csv_walker *walker, const struct csv_cell *cell,
	struct arena *arena, struct text *out)
{
	const char quote = walker->dialect->quote;
	char escape = walker->dialect->escape == quote ? '\0' : walker->dialect->escape;
	struct csv_cell inside = {.start = cell->start + 1, .quoted = true, .escaped = true};
	uint32_t at = inside.start;
	struct text text;
	char *whole;

	if (holds_quotes(walker, cell)) {
		inside.end = cell->end - 1;
		*out = csv_cell_text(walker, &inside, arena);
		return !memchr(out->data, '\n', out->size) && !memchr(out->data, '\r', out->size);
	}
	for (; at < cell->end; at++) {
		bool doubled = walker->data[at] == quote && at + 1 < cell->end &&
			       walker->data[at + 1] == quote;

		if (doubled || (escape && walker->data[at] == escape))
			at++;
		else if (walker->data[at] == quote)
			break;
	}
	inside.end = at < cell->end ? at : cell->end;
	text = csv_cell_text(walker, &inside, arena);
	if (at >= cell->end || memchr(text.data, '\n', text.size) ||
		memchr(text.data, '\r', text.size))
		return false;
	whole = arena_alloc_bytes(arena, cell->end - cell->start);
	memcpy(whole, text.data, text.size);
	memcpy(whole + text.size, walker->data + at + 1, cell->end - at - 1);
	*out = text_from(whole, text.size + cell->end - at - 1);
	return true;
}

/* A text while it is rewritten. */
struct csv_rewriter {
	const struct csv_rewriting *how;
	struct csv_walker walker;
	struct csv_record record; /* at hand */
	struct arena arena;
	struct csv_quotes *quotes;
	char *next; /* to be written */
};

static void note_stray(struct csv_rewriter *r)
{
	if (r->quotes->stray != SIZE_MAX)
		return;
	r->quotes->stray = r->record.start;
	r->quotes->unclosed = r->record.unclosed;
}

static void write_cell(struct csv_rewriter *r, const struct csv_cell *cell)
{
	const struct csv_format *format = r->how->format;
	struct text text = csv_cell_text(&r->walker, cell, &r->arena);
	bool mended =
		cell->malformed && r->how->mends && mend_cell(&r->walker, cell, &r->arena, &text);

	r->quotes->mended |= mended;
	if (cell->malformed && !mended)
		note_stray(r);
	if (!cell->quoted && !mended && !needs_quotes(text, format)) {
		memcpy(r->next, text.data, text.size);
		r->next += text.size;
		return;
	}
	*r->next++ = format->quote;
	for (uint32_t i = 0; i < text.size; i++) {
		if (text.data[i] == format->quote)
			*r->next++ = format->quote;
		*r->next++ = text.data[i];
	}
	*r->next++ = format->quote;
	/* What cannot be understood must not be understood when it is read again, either. */
	if (cell->malformed && !mended)
		*r->next++ = '?';
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

/* The text was cut off in quotes: of the record at hand nothing but its end is missing, when it has but one line. */
static bool ends_in_one_line(const struct csv_rewriter *r)
{
	const char *text = r->walker.data + r->record.start;
	size_t size = r->record.end - r->record.start;

	return !memchr(text, '\n', size) && !memchr(text, '\r', size);
}

size_t csv_rewrite(const struct csv_rewriting *how, const char *data, size_t size, char *out,
	struct csv_quotes *quotes)
{
	struct csv_rewriter r = {.how = how,
		.walker = {.dialect = how->dialect, .data = data, .size = size},
		.quotes = quotes,
		.next = out};
	uint32_t room = CELLS_FIRST;
	struct csv_cell *cells = memory_alloc(room * sizeof(*cells));

	assert(how->format->quote != '\0');
	*quotes = (struct csv_quotes){.stray = SIZE_MAX};
	arena_init(&r.arena, 4096);
	while (next_record(&r.walker, &cells, &room, &r.record)) {
		const struct csv_record *record = &r.record;
		uint32_t count = record->comment || record->blank ? 0 : record->cells;
		bool cut_off;

		arena_reset(&r.arena);
		for (uint32_t c = 0; c < count; c++) {
			if (c > 0)
				*r.next++ = how->format->delimiter;
			write_cell(&r, &cells[c]);
		}
		cut_off = record->unclosed && how->mends && ends_in_one_line(&r);
		quotes->mended |= cut_off;
		if (record->unclosed && !cut_off)
			note_stray(&r);
		/* A quoted field that is not closed must not be closed by rewriting it. */
		if (record->comment && how->one_column)
			continue;
		if (record->unclosed && !cut_off)
			r.next--;
		else if (record->terminated || r.walker.at < size)
			*r.next++ = '\n';
	}
	arena_release(&r.arena);
	free(cells);
	assert((size_t)(r.next - out) <= csv_rewrite_room(size));
	return (size_t)(r.next - out);
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
