/* A sample of a file as one dialect reads it: records, and their cells. */
#ifndef CSV_SNIFF_GRID_H
#define CSV_SNIFF_GRID_H

#include "csv/walk.h"

struct grid_row {
	struct csv_record record;
	uint32_t first; /* of its cells, all of which are in the grid */
};

/* One grid serves one reading after the other. */
struct grid {
	struct csv_walker walker;
	uint32_t row_count;
	uint32_t row_capacity;
	struct grid_row *rows;
	uint32_t cell_count;
	uint32_t cell_capacity;
	struct csv_cell *cells;
	size_t end; /* of the last row */
};

void grid_init(struct grid *grid);
void grid_release(struct grid *grid);

/*
 * Reads the sample by `dialect`, which is borrowed. The last record counts only when `whole` says
 * that the file ends there. Comments and blank lines are rows as well.
 */
void grid_read(struct grid *grid, const char *sample, size_t size, bool whole,
	const struct csv_dialect *dialect);

static inline struct csv_cell *grid_cells(const struct grid *grid, uint32_t row)
{
	return grid->cells + grid->rows[row].first;
}

/* The raw text of a cell, with whatever is escaped in it. */
static inline struct text grid_raw(const struct grid *grid, const struct csv_cell *cell)
{
	return text_from(grid->walker.data + cell->start, cell->end - cell->start);
}

#endif
