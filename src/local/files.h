/*
 * The files of a table: a glob below the data folder, and what stands in a folder without a schema.
 */
#ifndef LOCAL_FILES_H
#define LOCAL_FILES_H

#include "base/arena.h"
#include "column/schema.h"

#define LOCAL_FILES_MAX 100000

struct file_list {
	uint32_t count;
	const char **paths; /* sorted bytewise */
	uint64_t bytes;
};

/*
 * The files that `pattern` matches below `folder`; a pattern that ends in .csv also matches the
 * same names with .gz and .zst. No match is ERROR_IO that names folder and pattern.
 */
MUST_CHECK int files_match(const char *folder, const char *pattern, struct arena *arena,
	struct file_list *out, struct error *err);

/* Sets `bytes` of every table of the catalog; a table without files is 0, no error yet. */
MUST_CHECK int files_measure(struct catalog *catalog, const char *folder, struct error *err);

/*
 * A catalog without a schema: every CSV file directly in `folder` is a table named after it, every
 * subfolder with CSV files is one table. They are written as `dialect` says, and what it does not
 * give is found; types are inferred (csv/infer.h). What is wrong with one table becomes its
 * `problem`; a folder without CSV files has no tables.
 */
MUST_CHECK int files_infer_catalog(const char *folder, const struct csv_dialect *dialect,
	struct arena *arena, struct catalog *out, struct error *err);

/* Columns for the tables of a schema that has none for them; the rest as above. */
MUST_CHECK int files_infer_columns(
	struct catalog *catalog, const char *folder, struct arena *arena, struct error *err);

#endif
