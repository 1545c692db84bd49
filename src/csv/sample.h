/*
 * Statistics of a table (column/statistics.h) from a sample of its files.
 *
 * The sample is some pieces of the text, evenly from all of it where a file can be read at any place,
 * and otherwise its beginning. Rows of a piece are neighbours, and neighbours are often alike: a file is
 * sorted by a key, or has the items of an order one after the other. So a value counts once per piece
 * when the number of different ones is guessed, by
 *
 *   n d / (n - f + f n / N)
 *
 * where n is what was counted, d how many different values are in it, f how many of these are in one
 * piece only, and N what would have been counted in the whole table (Haas, Naughton, Seshadri, Stokes:
 * Sampling-based estimation of the number of distinct values of an attribute, 1995).
 */
#ifndef CSV_SAMPLE_H
#define CSV_SAMPLE_H

#include "base/arena.h"
#include "column/schema.h"
#include "column/statistics.h"

/*
 * Of the columns c with wanted[c]. Only plain files are looked at, never what can be read once; what
 * cannot be read is left out, and NULL is returned when nothing can. `table->bytes` is set.
 */
struct table_statistics *csv_sample(const struct table_schema *table, const char *const *paths,
	uint32_t path_count, const bool *wanted, struct arena *arena);

#endif
