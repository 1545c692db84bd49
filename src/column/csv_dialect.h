/*
 * How a CSV file is written: what the user says about it, in WITH (...) or on the command line, and
 * what is found in a sample of the file for the rest (csv/sniff.h).
 *
 * Texts are borrowed and live as long as the catalog, or the file, that the dialect belongs to.
 */
#ifndef COLUMN_CSV_DIALECT_H
#define COLUMN_CSV_DIALECT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define CSV_DELIMITER_MAX 8  /* bytes */
#define CSV_COMMENT_MAX	  8  /* bytes */
#define CSV_NULLS_MAX	  32 /* spellings of NULL */
#define CSV_NULL_TEXT_MAX 64 /* bytes of each */
#define CSV_SKIP_MAX	  (1u << 20)
#define CSV_HEADER_MAX	  16 /* rows */
#define CSV_FOOTER_MAX	  1024

/* What `given` lists: the fields that the user has set. The others are to be found. */
enum csv_given {
	CSV_GIVEN_DELIMITER = 1 << 0,
	CSV_GIVEN_QUOTE = 1 << 1,
	CSV_GIVEN_ESCAPE = 1 << 2,
	CSV_GIVEN_HEADER = 1 << 3,
	CSV_GIVEN_SKIP = 1 << 4,
	CSV_GIVEN_COMMENT = 1 << 5,
	CSV_GIVEN_FOOTER = 1 << 6,
	CSV_GIVEN_ENCODING = 1 << 7,
	CSV_GIVEN_NULL = 1 << 8,
	CSV_GIVEN_DECIMAL = 1 << 9,
	CSV_GIVEN_THOUSANDS = 1 << 10,
	CSV_GIVEN_DATE_FORMAT = 1 << 11,
	CSV_GIVEN_RAGGED = 1 << 12,
	CSV_GIVEN_COLUMNS = 1 << 13,
};

/* Everything about where fields, records and the table begin and end: nothing is left to find. */
#define CSV_GIVEN_SHAPE                                                                \
	(CSV_GIVEN_DELIMITER | CSV_GIVEN_QUOTE | CSV_GIVEN_ESCAPE | CSV_GIVEN_HEADER | \
		CSV_GIVEN_SKIP | CSV_GIVEN_COMMENT | CSV_GIVEN_FOOTER)

enum csv_line_end {
	CSV_LINES_LF, /* also \r\n, and both mixed */
	CSV_LINES_CR, /* a carriage return alone, and whatever else ends lines beside it */
};

/* What becomes of a record with too few fields, or too many. */
enum csv_ragged {
	CSV_RAGGED_REJECT,
	CSV_RAGGED_PAD, /* missing fields are NULL; too many make a reject */
	CSV_RAGGED_CUT, /* the same, and fields behind the last column are left out */
};

/* What becomes of a file that lacks columns of its table. */
enum csv_columns {
	CSV_COLUMNS_STRICT, /* it is refused */
	CSV_COLUMNS_UNION,  /* they are NULL */
};

struct csv_dialect {
	uint32_t given; /* of enum csv_given */

	/* The bytes. */
	const char *encoding; /* as iconv knows it; NULL: UTF-8, or found by the bytes */
	char delimiter[CSV_DELIMITER_MAX + 1]; /* "": every line is one field */
	bool trim; /* spaces behind a delimiter do not count: "a, b", or columns set with spaces */
	bool framed; /* it stands at both ends of lines, too, and lines of +-=: between them: "| a | b |" */
	char quote;  /* '\0': there are no quoted fields */
	char escape; /* '\0': inside quotes a quote is written twice; else what stands before it */
	enum csv_line_end line_end;
	char comment[CSV_COMMENT_MAX + 1]; /* lines that start with it are left out; "": none do */

	/* Where the table is. */
	uint32_t skip;	      /* lines before the header */
	uint32_t header_rows; /* that make the names; 0: the columns have no names in the file */
	uint32_t footer;      /* records behind the table */
	enum csv_ragged ragged;
	enum csv_columns columns;

	/* What the values look like, unless a column says otherwise. */
	uint32_t null_count; /* 0: an empty field without quotes is NULL, and nothing else */
	const char *const *nulls;
	char decimal;		 /* '.' */
	char thousands;		 /* '\0': none */
	const char *date_format; /* "DD/MM/YYYY"; NULL: as ISO 8601 has it */
};

/* Comma, double quotes, one header row; nothing of it given. */
static inline struct csv_dialect csv_dialect_default(void)
{
	return (struct csv_dialect){
		.delimiter = ",", .quote = '"', .header_rows = 1, .decimal = '.'};
}

/*
 * Options by name, as they stand in WITH (...), on the command line and in read_csv(): the index-th,
 * NULL behind the last one.
 */
const char *csv_dialect_option(uint32_t index);

/*
 * Sets the option and marks it as given; with the value "auto" it is to be found again. Texts are
 * copied to the arena. ERROR_USAGE with the names of option and value.
 */
MUST_CHECK int csv_dialect_set(struct csv_dialect *dialect, const char *name, const char *value,
	struct arena *arena, struct error *err);
/* Whether options contradict each other. */
MUST_CHECK int csv_dialect_check(const struct csv_dialect *dialect, struct error *err);

/* Appends the value of an option, as csv_dialect_set takes it. */
void csv_dialect_get(const struct csv_dialect *dialect, const char *name, struct buf *out);
bool csv_dialect_is_given(const struct csv_dialect *dialect, const char *name);
/* Whether it is that of csv_dialect_default. */
bool csv_dialect_is_usual(const struct csv_dialect *dialect, const char *name);

struct csv_format;
/*
 * Whether text in the dialect can be scanned as it is, without being rewritten; sets delimiter and
 * quote of *format to the dialect's in any case.
 */
bool csv_dialect_is_plain(const struct csv_dialect *dialect, struct csv_format *format);

#endif
