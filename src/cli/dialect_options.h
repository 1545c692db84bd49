/* How the files are written, on the command line: the options of column/csv_dialect.h. */
#ifndef CLI_DIALECT_OPTIONS_H
#define CLI_DIALECT_OPTIONS_H

#include "base/options.h"
#include "column/csv_dialect.h"

struct dialect_options {
	const char *delimiter;
	const char *quote;
	const char *escape;
	const char *header;
	const char *skip;
	const char *comment;
	const char *footer;
	const char *encoding;
	const char *null;
	const char *decimal;
	const char *thousands;
	const char *date_format;
	const char *ragged;
	const char *columns;
	/* Not of files, but of what is shown and of what a query says: */
	const char *time_zone;
	const char *now;
	const char *seed;
};

/* clang-format off */
#define DIALECT_OPTION_ROW(type, field, option, word, text) \
	{.name = option, .argument = word, .kind = OPTION_TEXT, .offset = offsetof(type, field), \
		.help = text}

#define DIALECT_OPTION_ROWS(type, field) \
	DIALECT_OPTION_ROW(type, field.delimiter, "delimiter", "TEXT", \
		"between fields, one or more characters; tab, space, none\n" \
		"(default for this and what follows: found in the files)"), \
	DIALECT_OPTION_ROW(type, field.quote, "quote", "C", "around fields; none"), \
	DIALECT_OPTION_ROW(type, field.escape, "escape", "C", \
		"before a quote inside of quotes; none: it is doubled"), \
	DIALECT_OPTION_ROW(type, field.header, "header", "N", \
		"rows with the columns' names; none"), \
	DIALECT_OPTION_ROW(type, field.skip, "skip", "N", "lines before the header"), \
	DIALECT_OPTION_ROW(type, field.comment, "comment", "TEXT", \
		"lines that start with it are left out; none"), \
	DIALECT_OPTION_ROW(type, field.footer, "footer", "N", "rows behind the table"), \
	DIALECT_OPTION_ROW(type, field.encoding, "encoding", "NAME", "as iconv knows it"), \
	DIALECT_OPTION_ROW(type, field.null, "null", "LIST", \
		"what is NULL without quotes, with commas between"), \
	DIALECT_OPTION_ROW(type, field.decimal, "decimal", "C", "point or comma: . or ,"), \
	DIALECT_OPTION_ROW(type, field.thousands, "thousands", "C", \
		"between thousands: , . ' _ space; none"), \
	DIALECT_OPTION_ROW(type, field.date_format, "date-format", "TEXT", \
		"of dates, as DD/MM/YYYY"), \
	DIALECT_OPTION_ROW(type, field.ragged, "ragged", "WORD", \
		"rows with too few fields or too many: pad, cut, reject"), \
	DIALECT_OPTION_ROW(type, field.columns, "columns", "WORD", \
		"files of a table that lack some of its columns: union, strict")

#define CONTEXT_OPTION_ROWS(type, field) \
	DIALECT_OPTION_ROW(type, field.time_zone, "time-zone", "NAME", \
		"in which timestamptz is shown, and what a query says of\n" \
		"times is meant: Europe/Berlin (default: UTC)"), \
	DIALECT_OPTION_ROW(type, field.now, "now", "TIME", \
		"what now() and current_date say (default: the clock, when\n" \
		"a statement starts)"), \
	DIALECT_OPTION_ROW(type, field.seed, "seed", "N", \
		"random() has the same numbers again (default: others each\n" \
		"time)")
/* clang-format on */

/* Sets what is given in `dialect`; texts are copied to the arena. ERROR_USAGE with the option. */
MUST_CHECK int dialect_options_read(const struct dialect_options *options, struct arena *arena,
	struct csv_dialect *dialect, struct error *err);

#endif
