/* Names of columns from the rows of a header. */
#ifndef CSV_SNIFF_NAMES_H
#define CSV_SNIFF_NAMES_H

#include "csv/walk.h"

/* A row of a header: cells of `walker`'s text. */
struct name_row {
	const struct csv_cell *cells;
	uint32_t count;
};

/* What had to be changed, to tell the user. */
struct name_changes {
	uint32_t empty;	 /* columns without a name */
	uint32_t twice;	 /* with one that stood before */
	uint32_t sample; /* a column of these */
};

/*
 * `width` names, no two the same and none empty, in the arena: the cells of a column joined with
 * spaces, without blanks around them. A cell of an upper row that has nothing to its right names
 * all columns up to the next one. An empty name becomes column_3, one that stands before a_1.
 */
struct text *names_join(const struct csv_walker *walker, const struct name_row *rows,
	uint32_t row_count, uint32_t width, struct arena *arena, struct name_changes *changes);

/* `count` such names and more, without any in the file, up to `width`. */
struct text *names_extend(
	const struct text *names, uint32_t count, uint32_t width, struct arena *arena);

#endif
