#include "csv/walk.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The position in a walk, with what is looked at for every byte in reach. */
struct step {
	const char *data;
	size_t size;
	const char *delimiter;
	size_t delimiter_size; /* 0: there is none */
	char quote;
	char escape;
	bool carriage; /* a carriage return ends a line */
	bool trim;
	bool framed;
};

static struct step step_of(const struct csv_walker *walker)
{
	const struct csv_dialect *dialect = walker->dialect;

	return (struct step){
		.data = walker->data,
		.size = walker->size,
		.delimiter = dialect->delimiter,
		.delimiter_size = strlen(dialect->delimiter),
		.quote = dialect->quote,
		.escape = dialect->escape == dialect->quote ? '\0' : dialect->escape,
		.carriage = dialect->line_end == CSV_LINES_CR,
		.trim = dialect->trim,
		.framed = dialect->framed,
	};
}

static inline bool at_delimiter(const struct step *s, size_t at)
{
	if (s->delimiter_size == 0 || s->data[at] != s->delimiter[0])
		return false;
	return s->delimiter_size == 1 ||
	       (s->size - at >= s->delimiter_size &&
		       memcmp(s->data + at, s->delimiter, s->delimiter_size) == 0);
}

/* Bytes of the line end at `at`; 0 when there is none. */
static inline size_t line_end_size(const struct step *s, size_t at)
{
	if (s->data[at] == '\n')
		return 1;
	if (s->data[at] != '\r')
		return 0;
	if (at + 1 < s->size && s->data[at + 1] == '\n')
		return 2;
	/* At the end of the text a carriage return is what is left of a line end. */
	return s->carriage || at + 1 == s->size;
}

static size_t skip_spaces(const struct step *s, size_t at)
{
	while (at < s->size && s->data[at] == ' ')
		at++;
	return at;
}

/* From behind the opening quote to behind the closing one, or to the end of the text. */
static size_t walk_quoted(
	const struct step *s, size_t at, struct csv_cell *cell, struct csv_record *record)
{
	for (; at < s->size; at++) {
		if (s->escape && s->data[at] == s->escape && at + 1 < s->size) {
			cell->escaped = true;
			at++;
		} else if (s->data[at] == s->quote) {
			if (at + 1 == s->size || s->data[at + 1] != s->quote)
				break;
			cell->escaped = true;
			at++;
		}
	}
	if (at == s->size) {
		record->unclosed = true;
		cell->end = (uint32_t)at;
		return at;
	}
	cell->end = (uint32_t)at;
	return at + 1;
}

/* To the delimiter, the line end or the end of the text. */
static size_t walk_plain(const struct step *s, size_t at, struct csv_cell *cell)
{
	while (at < s->size && !at_delimiter(s, at) && !line_end_size(s, at)) {
		if (s->escape && s->data[at] == s->escape && at + 1 < s->size) {
			cell->escaped = true;
			at++;
		}
		at++;
	}
	return at;
}

static size_t walk_cell(
	const struct step *s, size_t at, struct csv_cell *cell, struct csv_record *record)
{
	size_t start, end;

	if (s->trim)
		at = skip_spaces(s, at);
	*cell = (struct csv_cell){.start = (uint32_t)at};
	start = at;
	if (s->quote && at < s->size && s->data[at] == s->quote) {
		cell->quoted = true;
		cell->start++;
		at = walk_quoted(s, at + 1, cell, record);
		if (record->unclosed)
			return at;
		end = walk_plain(s, at, cell);
		if (skip_spaces(s, at) >= end)
			return end;
		*cell = (struct csv_cell){.start = (uint32_t)start, .malformed = true};
		record->malformed = true;
	} else {
		end = walk_plain(s, at, cell);
	}
	cell->end = (uint32_t)end;
	while (s->trim && cell->end > cell->start && s->data[cell->end - 1] == ' ')
		cell->end--;
	return end;
}

bool csv_walk_line(struct csv_walker *walker)
{
	struct step s = step_of(walker);
	size_t at = walker->at;

	if (at >= s.size)
		return false;
	while (at < s.size && !line_end_size(&s, at))
		at++;
	walker->at = at + (at < s.size ? line_end_size(&s, at) : 0);
	return true;
}

/* A line of dashes between the rows of a table that was drawn: +----+----+ or | --- | :-: |. */
static bool is_rule(const struct step *s, size_t at)
{
	bool any = false;

	for (; at < s->size && !line_end_size(s, at); at++) {
		char c = s->data[at];

		if (c != s->delimiter[0] && !strchr("+-=: ", c))
			return false;
		any = any || (at + 1 < s->size && (c == '-' || c == '=') &&
				     strchr("-=:|", s->data[at + 1]));
	}
	return any;
}

static bool is_comment(const struct csv_walker *walker, const struct step *s)
{
	const char *comment = walker->dialect->comment;
	size_t size = strlen(comment);

	if (s->framed && is_rule(s, walker->at))
		return true;
	return size > 0 && walker->size - walker->at >= size &&
	       memcmp(walker->data + walker->at, comment, size) == 0;
}

/* Past the delimiter with which a line begins. */
static size_t skip_frame(const struct step *s, size_t at)
{
	size_t start = skip_spaces(s, at);

	return start < s->size && at_delimiter(s, start) ? start + s->delimiter_size : at;
}

bool csv_walk_record(struct csv_walker *walker, struct csv_cell *cells, uint32_t cells_max,
	struct csv_record *record)
{
	struct step s = step_of(walker);
	size_t at = walker->at;
	bool blank = true; /* all cells so far */
	struct csv_cell cell;

	*record = (struct csv_record){.start = at};
	if (at >= s.size)
		return false;
	if (is_comment(walker, &s)) {
		csv_walk_line(walker);
		record->comment = true;
		record->end = walker->at;
		record->terminated = walker->data[walker->at - 1] == '\n' ||
				     walker->data[walker->at - 1] == '\r';
		return true;
	}
	if (s.framed)
		at = skip_frame(&s, at);
	for (;;) {
		at = walk_cell(&s, at, &cell, record);
		/* Spaces at the end of a line of columns that are set with spaces, or the end of its frame. */
		if (s.trim && (s.framed || s.delimiter[0] == ' ') && record->cells > 0 &&
			!cell.quoted && cell.start == cell.end &&
			(at == s.size || line_end_size(&s, at)))
			break;
		if (record->cells < cells_max)
			cells[record->cells] = cell;
		record->cells++;
		blank = blank && !cell.quoted && skip_spaces(&s, cell.start) >= cell.end;
		if (at >= s.size || !at_delimiter(&s, at))
			break;
		at += s.delimiter_size;
	}
	record->blank = record->cells == 1 && blank;
	record->terminated = at < s.size;
	if (at < s.size)
		at += line_end_size(&s, at);
	record->end = walker->at = at;
	return true;
}

size_t csv_walk_last(const struct csv_dialect *dialect, const char *data, size_t size, size_t start,
	uint32_t count)
{
	struct csv_walker walker = {.dialect = dialect, .data = data, .size = size, .at = start};
	size_t *starts =
		memory_alloc((count + 1) * sizeof(*starts)); /* of the last ones, in turn */
	struct csv_record record;
	uint64_t records = 0;
	size_t begin = start;

	while (csv_walk_record(&walker, NULL, 0, &record))
		if (!record.blank && !record.comment)
			starts[records++ % (count + 1)] = record.start;
	if (records > count)
		begin = count ? starts[(records - count) % (count + 1)] : size;
	free(starts);
	return begin;
}

struct text csv_cell_text(
	const struct csv_walker *walker, const struct csv_cell *cell, struct arena *arena)
{
	const struct csv_dialect *dialect = walker->dialect;
	const char *at = walker->data + cell->start, *end = walker->data + cell->end;
	size_t delimiter_size = strlen(dialect->delimiter);
	char escape = dialect->escape == dialect->quote ? '\0' : dialect->escape;
	char *out, *next;

	if (!cell->escaped)
		return text_from(at, (size_t)(end - at));
	next = out = arena_alloc_bytes(arena, (size_t)(end - at) + 1);
	for (; at < end; at++) {
		bool known = false;

		if (escape && *at == escape && at + 1 < end)
			known = at[1] == escape || at[1] == dialect->quote || at[1] == '\n' ||
				at[1] == '\r' ||
				(delimiter_size > 0 && at[1] == dialect->delimiter[0]);
		else if (cell->quoted && *at == dialect->quote)
			known = at + 1 < end && at[1] == dialect->quote;
		at += known;
		if (at < end)
			*next++ = *at;
	}
	return text_from(out, (size_t)(next - out));
}
