/*
 * Text in any dialect, rewritten in a form that the vector scanner reads: one delimiter of one
 * byte, quotes that are doubled, and line feeds. A line that is not part of the table becomes an
 * empty one, so that lines keep their numbers; where an empty line is a record it is left out.
 */
#ifndef CSV_REWRITE_H
#define CSV_REWRITE_H

#include "column/csv_dialect.h"
#include "column/schema.h"

#include <stddef.h>

/*
 * Whole records of `dialect` to `format`, which has a quote. `out` has room for
 * csv_rewrite_room(size) bytes; returns how many were written.
 */
size_t csv_rewrite(const struct csv_dialect *dialect, const char *data, size_t size,
	const struct csv_format *format, bool one_column, char *out);
size_t csv_rewrite_room(size_t size);

/*
 * The length of the longest prefix of `data` that ends with a record's line end; 0 when no record
 * ends.
 */
size_t csv_dialect_whole_records(const struct csv_dialect *dialect, const char *data, size_t size);

#endif
