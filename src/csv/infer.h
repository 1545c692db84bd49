/*
 * Names and types of a table from its files: names from the header, types from a sample.
 *
 * How a type follows from values is csv/guess.h's.
 */
#ifndef CSV_INFER_H
#define CSV_INFER_H

#include "base/arena.h"
#include "column/schema.h"

#define CSV_INFER_ROWS	10000
#define CSV_INFER_FILES 4

/*
 * Fills columns and column_count of `table`, whose name and format are set: names as
 * csv_read_columns (csv/columns.h) finds them, types from a sample of files that are taken evenly from
 * the list.
 */
MUST_CHECK int csv_infer(struct table_schema *table, const char *const *paths, uint32_t path_count,
	struct arena *arena, struct error *err);

/*
 * Files of the table that seem to have `width` columns have `fields` of them: for who infers the table again, which is
 * without columns now. ERROR_LIMIT when they are too many.
 */
MUST_CHECK int csv_infer_width(struct table_schema *table, uint32_t width, uint32_t fields,
	struct arena *arena, struct error *err);

#endif
