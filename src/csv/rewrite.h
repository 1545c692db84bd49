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

struct csv_rewriting {
	const struct csv_dialect *dialect;
	const struct csv_format *format; /* with a quote */
	bool one_column;
	/* Text behind a closing quote belongs to the field, without the quotes; otherwise the field stays unreadable. */
	bool mends;
};

/* What was seen of quotes that are not as they should be. */
struct csv_quotes {
	bool mended; /* text behind closing quotes in the line in which they open, or a last line that was cut off */
	bool unclosed; /* of `stray`: it is never closed, and not just in another line */
	size_t stray;  /* where the first record begins with other ones; SIZE_MAX: there is none */
};

/*
 * Rewrites whole records. `out` has room for csv_rewrite_room(size) bytes; returns how many were written.
 */
size_t csv_rewrite(const struct csv_rewriting *how, const char *data, size_t size, char *out,
	struct csv_quotes *quotes);
size_t csv_rewrite_room(size_t size);

/*
 * The length of the longest prefix of `data` that ends with a record's line end; 0 when no record
 * ends.
 */
size_t csv_dialect_whole_records(const struct csv_dialect *dialect, const char *data, size_t size);

#endif
