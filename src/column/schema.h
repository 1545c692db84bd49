/*
 * The tables that queries may name, with their columns and the way their files are written: from a
 * schema file, or inferred from the headers and a sample of the CSV files themselves.
 */
#ifndef COLUMN_SCHEMA_H
#define COLUMN_SCHEMA_H

#include "base/error.h"
#include "column/csv_dialect.h"
#include "column/csv_reading.h"
#include "column/statement_start.h"
#include "column/statistics.h"
#include "column/type.h"

#define CATALOG_TABLES_MAX 256
#define TABLE_COLUMNS_MAX  1024

struct table_column {
	const char *name; /* as in the header of the files */
	struct type type;
	struct csv_reading reading;
	bool guessed; /* the type comes from a sample: a value may show that it is another */
	/* Its values do not print as they stand in the files, 1.234,50 or NA: who only looks sees the text. */
	bool shown_as_written;
	const char *note; /* what the user should know of the guess; NULL: nothing */
};

/*
 * Columns of every table that only a query that names them sees: the path of the file that a record
 * is from, as a text, and the number of the line in it at which the record begins, from 1.
 */
#define TABLE_FILE_COLUMN    "_file"
#define TABLE_LINE_COLUMN    "_line"
#define TABLE_HIDDEN_COLUMNS 2

#define TABLE_NO_COLUMN UINT32_MAX

/* How the text of a chunk is written, once a file's own dialect is out of the way. */
struct csv_format {
	char delimiter; /* ','; '\0': there is one column */
	char quote;	/* '"'; '\0': no field is quoted */
};

struct kept_rows;

struct table_schema {
	const char *name;
	const char *files; /* a glob below the data folder, as in WITH (files = 'users/x*.csv') */
	uint32_t column_count;
	struct table_column *columns;
	/*
	 * What the user said of its files, and for the rest what to expect of them: the usual, or
	 * what was found in the first one.
	 */
	struct csv_dialect dialect;
	struct csv_format format; /* of its chunks on their way to a cluster */
	bool inferred;		  /* its columns come from the files and not from a schema */
	/* Inferred: a file that seems to have w columns has widths[w], if that is more, by rows further on. NULL: none has. */
	const uint16_t *widths;
	const char *note; /* what the user should know of its files; NULL: nothing */
	uint64_t bytes;	  /* of all its files, for choosing join sides; 0 when unknown */
	const struct table_statistics *statistics; /* NULL: unknown */
	/* Its rows are in memory, and it has no files; NULL: they are in its files. Borrowed. */
	const struct kept_rows *kept;
	/* Why it cannot be read; NULL: it can. Raised by a query that names it, and by no other. */
	const struct error *problem;
};

/*
 * The column at an index: behind the table's own come the hidden ones, and behind those the own ones
 * once more, as the text that stands in the files (table_written_column).
 */
struct table_column table_column_at(const struct table_schema *table, uint32_t index);
uint32_t table_index_count(const struct table_schema *table);
/* Its own columns and those that only a query that names them sees: rows in memory have none. */
uint32_t table_named_columns(const struct table_schema *table);
/* The index of the text of one of the table's own columns. */
uint32_t table_written_column(const struct table_schema *table, uint32_t column);
/* The index of a name, of the table's own columns first; TABLE_NO_COLUMN. */
uint32_t table_find_column(const struct table_schema *table, const char *name);

/* What the dialect gives of values, for a column that they can be of. */
void column_apply_dialect(struct table_column *column, const struct csv_dialect *dialect);
/* For all that say nothing else; and the format of its chunks. */
void table_apply_dialect(struct table_schema *table);

/*
 * Who can find out about the values of a table, for those who plan.
 * `gather` returns statistics of the columns c with wanted[c], or NULL. They live as long as the
 * catalog.
 */
struct statistics_source {
	const struct table_statistics *(*gather)(const struct statistics_source *source,
		const struct table_schema *table, const bool *wanted);
};

/* A function that a schema defines. Only sql/ knows what is in it. */
struct catalog_function {
	const char *name;
	const char *text; /* its CREATE FUNCTION, without a semicolon */
	const struct ast_function *ast;
};

struct catalog {
	uint32_t table_count;
	struct table_schema *tables;
	uint32_t function_count;
	struct catalog_function *functions;
	const struct statistics_source *statistics; /* NULL: what tables have is all there is */
	const char *time_zone; /* in which times are shown and read; NULL: UTC */
	struct statement_start start;
	/* Tables that were left out because nobody names them: for whom a wrong name is told. */
	uint32_t other_count;
	const char **others;
	bool explains; /* guesses are for a person to see, also where nothing depends on them */
};

static inline struct csv_format csv_format_default(void)
{
	return (struct csv_format){.delimiter = ',', .quote = '"'};
}

#endif
