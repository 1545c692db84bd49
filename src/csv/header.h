/*
 * The header of CSV text, and where the wanted columns lie behind it: for files, and for chunks of
 * files that carry their header with them.
 */
#ifndef CSV_HEADER_H
#define CSV_HEADER_H

#include "base/arena.h"
#include "column/schema.h"
#include "csv/decode.h"

/*
 * The names in a header record of `size` bytes, without its line end; unquoted. They live in the
 * arena. `origin` names the text in errors. ERROR_LIMIT above TABLE_COLUMNS_MAX.
 */
MUST_CHECK int csv_header_parse(const char *origin, const char *data, size_t size,
	const struct csv_format *format, struct arena *arena, struct text **names, uint32_t *count,
	struct error *err);

/* Length of the first record, with its line end; `size` when it has none. */
size_t csv_header_record(const char *data, size_t size, const struct csv_format *format);
/* `size` without a line end behind it. */
size_t csv_header_trim(const char *data, size_t size);

/*
 * Fills `layout` for text with this header, in `format`. layout->column_count, names and types are
 * set by the caller, as are its readings and what is known of the file; `fields` has room for the
 * columns and is borrowed. ERROR_DATA for a column that is not in the header, unless layout->unite says
 * that it is NULL then, and for a constant that is not a value of its column.
 */
MUST_CHECK int csv_layout_resolve(struct csv_layout *layout, const char *origin,
	const struct csv_format *format, const struct text *header, uint32_t header_count,
	uint32_t *fields, struct error *err);

/* The value of column c, which is one of the layout's constants. Lists live in the arena. */
MUST_CHECK int csv_layout_constant(const struct csv_layout *layout, uint32_t c, struct arena *arena,
	struct value *out, struct error *err);

#endif
