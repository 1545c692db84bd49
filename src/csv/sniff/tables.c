#include "csv/sniff/tables.h"

#include "csv/sniff/cell.h"

#define TITLES_MAX 3 /* lines between the blank one and the names */
#define VALUES_MIN 2 /* rows that a table has at least */

static enum cell_class class_of(const struct grid *grid, uint32_t row, uint32_t c)
{
	struct text text;

	if (c >= grid->rows[row].record.cells)
		return CELL_EMPTY;
	text = grid_raw(grid, &grid_cells(grid, row)[c]);
	return cell_look(text.data, text.size).class;
}

static uint32_t filled_cells(const struct grid *grid, uint32_t row)
{
	uint32_t filled = 0;

	for (uint32_t c = 0; c < grid->rows[row].record.cells; c++)
		filled += class_of(grid, row, c) != CELL_EMPTY;
	return filled;
}

static bool is_nothing(const struct grid *grid, uint32_t row)
{
	return grid->rows[row].record.blank || filled_cells(grid, row) == 0;
}

static bool is_value(enum cell_class class)
{
	return class == CELL_NUMBER || class == CELL_TIME;
}

/* All cells of column c in these rows that have anything in them are values, at least `min`. */
static bool are_values(
	const struct grid *grid, uint32_t from, uint32_t to, uint32_t c, uint32_t min)
{
	uint32_t values = 0;

	for (uint32_t i = from; i < to; i++) {
		enum cell_class class = class_of(grid, i, c);

		if (grid->rows[i].record.comment || class == CELL_EMPTY || class == CELL_NULL)
			continue;
		if (!is_value(class))
			return false;
		values++;
	}
	return values >= min;
}

/* Whether the row has names, over values, where the rows from `body` to `before` have values. */
static bool is_header_again(const struct grid *grid, uint32_t body, uint32_t before, uint32_t row)
{
	uint32_t cells = grid->rows[row].record.cells, texts = 0;
	bool again = false;

	for (uint32_t c = 0; c < cells; c++) {
		enum cell_class class = class_of(grid, row, c);

		if (class != CELL_TEXT && class != CELL_EMPTY)
			return false;
		texts += class == CELL_TEXT;
		if (class == CELL_TEXT && row + VALUES_MIN < grid->row_count)
			again = again ||
				(are_values(grid, row + 1, row + 1 + VALUES_MIN, c, VALUES_MIN) &&
					are_values(grid, body, before, c, VALUES_MIN));
	}
	return again && texts >= 2;
}

uint32_t other_table_of(const struct grid *grid, const struct shape *shape)
{
	for (uint32_t i = shape->body + 1; i + 1 < shape->end; i++) {
		uint32_t row = i + 1;

		if (!is_nothing(grid, i))
			continue;
		while (row < shape->end && row <= i + TITLES_MAX && filled_cells(grid, row) == 1)
			row++;
		if (row < shape->end && is_header_again(grid, shape->body, i, row))
			return row;
	}
	return grid->row_count;
}
