/*
 * Where the table is in a sample: lines before it, the rows that make its names, lines behind it.
 *
 * Every row at the top can be a line of a preamble, a row of the header or data, and each costs a
 * number of bits (cell.h): data what it costs to tell by what the rest of the column looks like, a
 * name what text costs, and more where names are empty or numbers. The cut between them that costs
 * least is taken. What it costs more to say that there is no header, or that there is one, tells
 * how sure that is.
 */
#ifndef CSV_SNIFF_SHAPE_H
#define CSV_SNIFF_SHAPE_H

#include "csv/sniff/grid.h"

#define SHAPE_TOP_ROWS	  100 /* in which a header is looked for */
#define SHAPE_BOTTOM_ROWS 100 /* in which the end of the table is looked for */

struct shape {
	uint32_t first;	      /* row of the grid where header or data begin */
	uint32_t header_rows; /* from there, blank lines not counted */
	uint32_t body;	      /* row behind them */
	uint32_t end;	      /* row behind the table: the grid's row_count when nothing follows */
	uint32_t width;	      /* columns of the table */
	int64_t header_doubt; /* what the other answer to "is there a header" costs more */
	char comment[CSV_COMMENT_MAX + 1];
};

/*
 * What the grid's dialect gives of skip, header, footer and comment is taken as it is. `whole`: the
 * grid shows the file to its end, so that a footer can be seen. `usual_width` is score.h's.
 */
struct shape shape_of(const struct grid *grid, uint32_t usual_width, bool whole);

#endif
