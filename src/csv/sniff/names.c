#include "csv/sniff/names.h"

#include <stdio.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The cell's text without blanks around it, and each line end inside made a space. */
static struct text cell_name(
	const struct csv_walker *walker, const struct csv_cell *cell, struct arena *arena)
{
	struct text text = csv_cell_text(walker, cell, arena);
	char *copy;
	uint32_t size = 0;

	while (text.size > 0 && is_blank(text.data[0])) {
		text.data++;
		text.size--;
	}
	while (text.size > 0 && is_blank(text.data[text.size - 1]))
		text.size--;
	copy = arena_alloc_bytes(arena, text.size + 1);
	for (uint32_t i = 0; i < text.size; i++) {
		bool line_end = text.data[i] == '\n' || text.data[i] == '\r';

		if (line_end && size > 0 && copy[size - 1] == ' ')
			continue;
		copy[size++] = line_end ? ' ' : text.data[i];
	}
	copy[size] = '\0';
	return text_from(copy, size);
}

/* The cell of a row that names column c: its own, or in an upper row the one that spans it. */
static struct text name_part(const struct csv_walker *walker, const struct name_row *row,
	bool upper, uint32_t c, struct arena *arena)
{
	struct text text = {0};

	if (c < row->count)
		text = cell_name(walker, &row->cells[c], arena);
	while (upper && text.size == 0 && c > 0 && c < row->count)
		text = cell_name(walker, &row->cells[--c], arena);
	return text;
}

static struct text join(const struct csv_walker *walker, const struct name_row *rows,
	uint32_t row_count, uint32_t c, struct arena *arena)
{
	struct text name = text_from("", 0);
	bool below = false; /* a lower row has something in this column */

	for (uint32_t r = row_count; r-- > 0;) {
		struct text part = name_part(walker, &rows[r], below, c, arena);

		if (part.size == 0)
			continue;
		below = true;
		if (name.size == 0) {
			name = part;
		} else if (part.size != name.size || memcmp(part.data, name.data, part.size) != 0) {
			const char *joined = arena_printf(arena, "%.*s %.*s", (int)part.size,
				part.data, (int)name.size, name.data);

			name = text_from(joined, part.size + 1 + name.size);
		}
	}
	return name;
}

static bool is_taken(const struct text *names, uint32_t count, struct text name)
{
	for (uint32_t i = 0; i < count; i++)
		if (names[i].size == name.size && memcmp(names[i].data, name.data, name.size) == 0)
			return true;
	return false;
}

/* The name with the least number behind it that makes it new. */
static struct text number_name(
	const struct text *names, uint32_t count, struct text name, struct arena *arena)
{
	for (uint32_t n = 1;; n++) {
		char *text = arena_printf(arena, "%.*s_%u", (int)name.size, name.data, n);
		struct text numbered = text_from(text, strlen(text));

		if (!is_taken(names, count, numbered))
			return numbered;
	}
}

static struct text name_by_number(uint32_t c, struct arena *arena)
{
	char *text = arena_printf(arena, "column_%u", c + 1);

	return text_from(text, strlen(text));
}

struct text *names_extend(
	const struct text *names, uint32_t count, uint32_t width, struct arena *arena)
{
	struct text *all = arena_zalloc(arena, (width + 1) * sizeof(*all));

	memcpy(all, names, count * sizeof(*all));
	for (uint32_t c = count; c < width; c++) {
		all[c] = name_by_number(c, arena);
		if (is_taken(all, c, all[c]))
			all[c] = number_name(all, c, all[c], arena);
	}
	return all;
}

struct text *names_join(const struct csv_walker *walker, const struct name_row *rows,
	uint32_t row_count, uint32_t width, struct arena *arena, struct name_changes *changes)
{
	struct text *names = arena_zalloc(arena, (width + 1) * sizeof(*names));

	*changes = (struct name_changes){0};
	for (uint32_t c = 0; c < width; c++)
		names[c] = join(walker, rows, row_count, c, arena);
	for (uint32_t c = 0; c < width; c++) {
		bool empty = names[c].size == 0;

		if (empty) {
			names[c] = name_by_number(c, arena);
			changes->sample = c;
		}
		if (is_taken(names, c, names[c])) {
			names[c] = number_name(names, c, names[c], arena);
			changes->twice += !empty;
			changes->sample = c;
		}
		changes->empty += empty;
	}
	return names;
}
