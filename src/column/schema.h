/*
 * The tables that queries may name, with their columns and the way their files are written: from a
 * schema file, or inferred from the headers and a sample of the CSV files themselves.
 */
#ifndef COLUMN_SCHEMA_H
#define COLUMN_SCHEMA_H

#include "base/error.h"
#include "column/csv_dialect.h"
#include "column/type.h"

#define CATALOG_TABLES_MAX 256
#define TABLE_COLUMNS_MAX  1024

struct table_column {
	const char *name; /* as in the header of the files */
	struct type type;
};

/* How the text of a chunk is written, once a file's own dialect is out of the way. */
struct csv_format {
	char delimiter;	       /* ',' */
	char quote;	       /* '"' */
	bool header;	       /* true; without one, columns are taken by position */
	const char *null_text; /* "": an unquoted field with this text is NULL */
};

struct table_schema {
	const char *name;
	const char *files; /* a glob below the data folder, as in WITH (files = 'users/x*.csv') */
	uint32_t column_count;
	struct table_column *columns;
	struct csv_dialect dialect; /* what the user said of its files */
	struct csv_format format;
	uint64_t bytes; /* of all its files, for choosing join sides; 0 when unknown */
	/* Why it cannot be read; NULL: it can. Raised by a query that names it, and by no other. */
	const struct error *problem;
};

struct catalog {
	uint32_t table_count;
	struct table_schema *tables;
};

static inline struct csv_format csv_format_default(void)
{
	return (struct csv_format){.delimiter = ',', .quote = '"', .header = true, .null_text = ""};
}

#endif
