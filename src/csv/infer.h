/*
 * Names and types of a table from its files: names from the header, types from a sample.
 *
 * A column is the narrowest of boolean (true/false in any case), bigint, numeric, double precision,
 * date, timestamp that all sampled values fit, and text when none does or there are no values.
 */
#ifndef CSV_INFER_H
#define CSV_INFER_H

#include "base/arena.h"
#include "column/schema.h"

/* NA, N/A, null, -, \N, nan, #N/A in any case: what stands for NULL among numbers and dates. */
bool csv_is_null_word(const char *text, size_t size);

#define CSV_INFER_ROWS	20000
#define CSV_INFER_FILES 4

/*
 * Fills columns and column_count of `table`, whose name and format are set: names as
 * csv_read_columns (csv/columns.h) finds them, types from a sample of files that are taken evenly from
 * the list.
 */
MUST_CHECK int csv_infer(struct table_schema *table, const char *const *paths, uint32_t path_count,
	struct arena *arena, struct error *err);

#endif
