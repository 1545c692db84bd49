/* Whether a sample has more than one table, one below the other. */
#ifndef CSV_SNIFF_TABLES_H
#define CSV_SNIFF_TABLES_H

#include "csv/sniff/shape.h"

/*
 * The row with which another table seems to begin, the grid's row_count when there is none: behind a
 * blank line, and perhaps a title, a row of names stands over values, in columns that had nothing
 * but numbers or dates before.
 */
uint32_t other_table_of(const struct grid *grid, const struct shape *shape);

#endif
