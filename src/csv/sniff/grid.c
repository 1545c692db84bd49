#include "csv/sniff/grid.h"

#include "base/memory.h"

#include <stdlib.h>

void grid_init(struct grid *grid)
{
	*grid = (struct grid){0};
}

void grid_release(struct grid *grid)
{
	free(grid->rows);
	free(grid->cells);
	grid_init(grid);
}

static void grow(struct grid *grid)
{
	if (grid->row_count == grid->row_capacity) {
		grid->row_capacity = grid->row_capacity ? 2 * grid->row_capacity : 256;
		grid->rows = memory_realloc(grid->rows, grid->row_capacity * sizeof(*grid->rows));
	}
	if (grid->cell_capacity == 0) {
		grid->cell_capacity = 2048;
		grid->cells =
			memory_realloc(grid->cells, grid->cell_capacity * sizeof(*grid->cells));
	}
}

/* The next record, with room for all of its cells. */
static bool read_record(struct grid *grid, struct csv_record *record)
{
	size_t at = grid->walker.at;

	for (;;) {
		uint32_t room = grid->cell_capacity - grid->cell_count;

		if (!csv_walk_record(&grid->walker, grid->cells + grid->cell_count, room, record))
			return false;
		if (record->cells <= room)
			return true;
		grid->walker.at = at;
		while (grid->cell_capacity - grid->cell_count < record->cells)
			grid->cell_capacity *= 2;
		grid->cells =
			memory_realloc(grid->cells, grid->cell_capacity * sizeof(*grid->cells));
	}
}

void grid_read(struct grid *grid, const char *sample, size_t size, bool whole,
	const struct csv_dialect *dialect)
{
	struct csv_record record;

	grid->walker = (struct csv_walker){.dialect = dialect, .data = sample, .size = size};
	grid->row_count = grid->cell_count = 0;
	grid->end = 0;
	for (;;) {
		grow(grid);
		if (!read_record(grid, &record))
			break;
		if (!whole && record.end == size)
			break;
		grid->rows[grid->row_count++] = (struct grid_row){record, grid->cell_count};
		grid->cell_count += record.cells;
		grid->end = record.end;
	}
}
