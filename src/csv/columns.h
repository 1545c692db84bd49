/*
 * The columns of a table from its files: those that stand in the headers, and those that folders in
 * their paths give.
 */
#ifndef CSV_COLUMNS_H
#define CSV_COLUMNS_H

#include "base/arena.h"
#include "column/schema.h"

/*
 * Fills names of `table`, whose name and dialect are set, and what was found of the dialect in the
 * first file. Unless the dialect says that the first file has all columns, those of all files are
 * united by name, in the order in which they come, with those of folders behind them.
 *
 * ERROR_DATA when no file has any columns, or some have names and others have not.
 */
MUST_CHECK int csv_read_columns(struct table_schema *table, const char *const *paths,
	uint32_t path_count, struct arena *arena, struct error *err);

#endif
