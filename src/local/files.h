/*
 * The files of a table: a pattern below the data folder, and what stands in a folder without a
 * schema.
 *
 * Files of a table are recognised by their names, in small or capital letters: .csv .tsv .tab .psv
 * .txt .jsonl .ndjson, each also with .gz .zst .bz2 .xz or .zip behind it, and .zip alone. A zip archive is like a
 * folder: it stands for the files in it, which are named archive.zip/file.csv. Where files are looked
 * for without being named, .txt counts only when there is nothing else: many folders hold a
 * readme.txt.
 *
 * A folder named like year=2024 gives the records of the files in it a column. A folder stands for
 * what is in such folders, too.
 *
 * The places where data is may be folders, files and archives, and "-", which is the standard input: the
 * table stdin.
 */
#ifndef LOCAL_FILES_H
#define LOCAL_FILES_H

#include "base/arena.h"
#include "column/schema.h"

#define LOCAL_FILES_MAX 100000

#define FILES_STDIN "-"

struct known_tables;

/* Where data is: what --data says, each time that it is given. Borrowed. */
struct data_places {
	uint32_t count;
	const char *const *paths;
	struct known_tables
		*known; /* what a session has found there before; NULL: nothing is kept */
};

/* One place, for as long as the block that it is written in. */
#define DATA_PLACE(path) (&(const struct data_places){1, (const char *const[]){path}, NULL})

struct file_list {
	uint32_t count;
	const char **paths; /* sorted bytewise, each once */
	uint64_t bytes;
};

/*
 * The files that `pattern` matches in all places, or anywhere when it starts with a slash. "-" is the
 * standard input. One
 * that ends in an extension also matches the same names with a suffix of compression behind it; a
 * folder or an archive that it matches stands for the files in it. No match is ERROR_IO that names
 * places and pattern.
 */
MUST_CHECK int files_match(const struct data_places *data, const char *pattern, struct arena *arena,
	struct file_list *out, struct error *err);

/* Sets `bytes` of the tables t with wanted[t]; of one without files it is 0, no error yet. */
MUST_CHECK int files_measure(struct catalog *catalog, const bool *wanted,
	const struct data_places *data, struct error *err);

/* Names of tables, in any case. */
struct table_names {
	uint32_t count;
	const char *const *names;
};

/*
 * A catalog without a schema: every file of a table directly in a folder is a table named after it,
 * every subfolder and every archive with such files is one table. They are written as `dialect`
 * says, and what it does not give is found; types are inferred (csv/infer.h). What is wrong with one
 * table becomes its `problem`; a folder without such files has no tables.
 *
 * Only tables that are `wanted` are made, and their files opened: the others are names in `others`. NULL: all tables.
 */
MUST_CHECK int files_infer_catalog(const struct data_places *data,
	const struct csv_dialect *dialect, const struct table_names *wanted, struct arena *arena,
	struct catalog *out, struct error *err);

/* Columns for the tables t of a schema that has none for them, with wanted[t]; the rest as above. */
MUST_CHECK int files_infer_columns(struct catalog *catalog, const bool *wanted,
	const struct data_places *data, struct arena *arena, struct error *err);

/*
 * Columns of a table whose name, files and dialect are set, and nothing else. What is wrong is the
 * caller's error and not the table's `problem`.
 */
MUST_CHECK int files_infer_table(struct table_schema *table, const struct data_places *data,
	struct arena *arena, struct error *err);

/*
 * The same again for an inferred table of which some file has rows of `fields` fields where there seemed to be `width`. Types
 * that were found stay.
 */
MUST_CHECK int files_widen_table(struct table_schema *table, const struct data_places *data,
	uint32_t width, uint32_t fields, struct arena *arena, struct error *err);

/*
 * Makes the catalog find out about the values of its tables when somebody asks. `data` and what it
 * points to outlive it. What is found stays with the table until its types change.
 */
void files_offer_statistics(
	struct catalog *catalog, const struct data_places *data, struct arena *arena);

#endif
