/*
 * What is known of the values of a table without having read it: from a sample of its files, for
 * choosing the order of joins and what is built. All of it is a guess; no answer depends on it.
 *
 * A plan is made from it on the client and once more by a gateway, so it travels with the schema, as a
 * text:
 *
 *   rows 6e+06 bytes 120; 0 distinct 1.5e+06 nulls 0 common bounds 1 3e+06 6e+06; 4 distinct ...
 *
 * that is the table, and then each column of which something is known, by its index.
 */
#ifndef COLUMN_STATISTICS_H
#define COLUMN_STATISTICS_H

#include "base/arena.h"
#include "base/buf.h"
#include "column/column.h"

#define STATISTICS_COMMON_MAX 8
#define STATISTICS_BOUNDS_MAX 17

/* A value that more rows have than others. */
struct common_value {
	uint64_t key; /* statistics_key */
	double share; /* of all rows */
};

struct column_statistics {
	double distinct; /* values; 0: nothing is known of the column */
	double nulls;	 /* share of the rows */
	uint32_t common_count;
	struct common_value common[STATISTICS_COMMON_MAX];
	/* Between two of them are equally many of the values, as statistics_number has them; 0 or 2 and more. */
	uint32_t bound_count;
	double bounds[STATISTICS_BOUNDS_MAX];
};

struct table_statistics {
	double rows;
	double row_bytes; /* of its text */
	uint32_t column_count;
	struct column_statistics *columns; /* by column of the table */
};

/* Whether values of the type have a number and a key. */
bool statistics_cover(enum type_kind kind);
/* Ordered as the values are, as far as a double can: of a text its first bytes. Not for NULL. */
double statistics_number(const struct value *value);
/* Equal for equal values, and hardly ever for others. Not for NULL. */
uint64_t statistics_key(const struct value *value);

/* The share of rows whose value is equal to that of the key. */
double statistics_equal(const struct column_statistics *column, uint64_t key);
/* The share of rows whose value is between two numbers. */
double statistics_between(const struct column_statistics *column, double least, double greatest);

void statistics_write(const struct table_statistics *statistics, struct buf *out);
/* NULL when the text is not what statistics_write writes of a table with so many columns. */
struct table_statistics *statistics_read(
	const char *text, uint32_t column_count, struct arena *arena);

#endif
