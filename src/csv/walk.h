/*
 * CSV text in any dialect, one record at a time and one byte at a time: for samples, for headers,
 * and for files that the vector scanner (scan/scan.h) does not understand. For the dialects that
 * it does understand both find the same fields.
 *
 * A quote opens a quoted field only at the field's start. Inside, a quote that is written twice, or
 * behind the escape character, is data, and so are delimiters and line ends. Without quotes the
 * escape character makes a delimiter, a line end or itself data. What follows a closing quote up to
 * the delimiter belongs to the field, which is malformed unless it is blank.
 */
#ifndef CSV_WALK_H
#define CSV_WALK_H

#include "base/arena.h"
#include "column/csv_dialect.h"
#include "column/type.h"

#include <stddef.h>

/* A field of a record; positions are in the text. */
struct csv_cell {
	uint32_t start; /* behind the opening quote */
	uint32_t end;
	bool quoted;
	bool escaped;	/* what is written twice or escaped must be taken out */
	bool malformed; /* text follows the closing quote: the whole field, quotes and all */
};

struct csv_record {
	size_t start;
	size_t end;	 /* behind its line end */
	uint32_t cells;	 /* also those for which there was no room */
	bool comment;	 /* the line is not part of the table */
	bool blank;	 /* nothing, or nothing but spaces */
	bool unclosed;	 /* the text ends inside quotes */
	bool terminated; /* it has a line end */
	bool malformed;	 /* a cell is */
};

/* Set up by hand: `at` is where the next record starts. Positions fit 32 bits. */
struct csv_walker {
	const struct csv_dialect *dialect;
	const char *data;
	size_t size;
	size_t at;
};

/* The next record, and up to cells_max of its fields; false at the end of the text. */
bool csv_walk_record(struct csv_walker *walker, struct csv_cell *cells, uint32_t cells_max,
	struct csv_record *record);

/* Past the next line, whatever is in it; false at the end of the text. */
bool csv_walk_line(struct csv_walker *walker);

/*
 * Where the last `count` records of the text begin, blank lines and comments not counted: its start
 * when it has no more than that.
 */
size_t csv_walk_last(const struct csv_dialect *dialect, const char *data, size_t size, size_t start,
	uint32_t count);

/* The value of a cell, without what makes quotes and delimiters data; in the arena if it differs
 * from the text. */
struct text csv_cell_text(
	const struct csv_walker *walker, const struct csv_cell *cell, struct arena *arena);

#endif
