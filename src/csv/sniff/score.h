/*
 * How good a reading of a sample is: the number of bits in which one can write down the table that
 * it makes. Consistent rows need no bits for where their cells end; cells that are all numbers, or
 * all dates, need fewer bits than text does, and a delimiter inside a cell needs more. So the
 * shortest description is that of the table with the most consistent rows and the most cells of a
 * type, and the difference between two of them says how sure that is: a bit doubles the odds.
 */
#ifndef CSV_SNIFF_SCORE_H
#define CSV_SNIFF_SCORE_H

#include "csv/sniff/cell.h"
#include "csv/sniff/grid.h"

#define COST_ONE_CELL (3 * CELL_BIT) /* a row of one cell: most tables have more columns */

struct score {
	int64_t cost;	/* in parts of a bit, see cell.h */
	uint32_t width; /* cells of most rows */
	uint32_t rows;	/* without comments and blank lines */
	uint32_t odd;	/* of them with another width */
	uint32_t malformed;
	uint32_t marks; /* delimiters between cells */
	uint32_t
		taken_apart; /* pairs of double quotes, none to this reading, with others between */
	size_t unread;	     /* bytes of a record that does not end in the sample */
};

/* Of the sample in the grid, of `size` bytes, of which `size - grid->end` were not read. */
struct score score_grid(const struct grid *grid, size_t size);

#endif
