/*
 * The type of a column, guessed from its values.
 *
 * A value strikes out what it cannot be. What is left when the sample has been seen, the narrowest of
 * boolean, bigint, numeric, double precision, date and timestamp, is the column's type; text when
 * nothing is left. Numbers and dates may be written in several ways (column/csv_reading.h): a whole
 * column has to agree on one of them. Where two are left that read its values differently the
 * column is text, and a note says which option decides.
 *
 * A later value may contradict the guess. Then the column gets the narrowest wider type of the same
 * family that the value has, too: bigint, numeric, double precision, text; date, timestamp, text. The
 * outcome does not depend on the order in which contradictions are found.
 */
#ifndef CSV_GUESS_H
#define CSV_GUESS_H

#include "base/arena.h"
#include "base/error.h"
#include "column/schema.h"

/* What a value may be, as bits. */
enum guess_kind {
	GUESS_BOOL = 1 << 0,
	GUESS_BIGINT = 1 << 1,
	GUESS_NUMERIC = 1 << 2,
	GUESS_DOUBLE = 1 << 3,
	GUESS_DATE = 1 << 4,
	GUESS_TIMESTAMP = 1 << 5,
	GUESS_ALL = (1 << 6) - 1,
};

#define GUESS_NUMBERS ((unsigned)(GUESS_BIGINT | GUESS_NUMERIC | GUESS_DOUBLE))

/* NA, N/A, null, -, \N, nan, #N/A in any case: what stands for NULL among numbers and dates. */
bool csv_is_null_word(const char *text, size_t size);

/* What the value may be when it is written so. Blanks around it do not count. */
unsigned guess_value_kinds(const struct csv_reading *reading, const char *text, size_t size);
/* The bit of a type that can be guessed; 0 for all others. */
unsigned guess_kind_of(struct type type);
/* The narrowest type that is wider than `type` and among `wanted`; text when there is none. */
struct type guess_widen(struct type type, unsigned wanted);

/*
 * A guess was wrong, and that is seen somewhere else than where it was made: an error of the code ERROR_GUESS says so.
 * Its message says where and what was found, for a person; the numbers of its `guess` are
 *
 *   table    of the plan
 *   fields   0: a value is not of its column's type. Otherwise a row has so many fields, and
 *   width      the file that it is from was thought to have so many
 *   column   of the table's schema, and
 *   kinds      what the value may be
 */
int guess_error_type(struct error *err, uint32_t table, uint32_t column, unsigned can_be,
	const char *place, const char *sample, struct type type);
int guess_error_width(struct error *err, uint32_t table, uint32_t width, uint32_t fields,
	const char *place, const char *sample);

#define GUESS_READINGS_MAX 16

/* One column while its sample passes. */
struct csv_guess {
	uint32_t reading_count;
	struct csv_reading readings[GUESS_READINGS_MAX];
	unsigned kinds[GUESS_READINGS_MAX]; /* that all values may have, by reading */
	bool seen;			    /* a value that says something */
	bool differs;	 /* two readings give one of its numbers different values */
	bool null_words; /* some stand for NULL */
	unsigned
		prints; /* types as which all values, read the usual way, print as they are written */
	bool dates_fixed; /* no pattern of dates can be added any more */
};

/* What the user says of numbers and dates is not guessed. */
void csv_guess_init(struct csv_guess *guess, const struct csv_dialect *dialect);
/* `null_words`: csv_is_null_word may stand among numbers and dates, and says nothing there. */
void csv_guess_add(struct csv_guess *guess, const char *text, size_t size, bool null_words);
/* Whether its numbers have a decimal comma and can have nothing else. */
bool csv_guess_has_decimal_comma(const struct csv_guess *guess);
/*
 * Sets type, reading, note and shown_as_written of the column. `decimal_comma`: other columns of the table have one,
 * so that a point may stand between thousands.
 */
void csv_guess_settle(const struct csv_guess *guess, bool decimal_comma,
	struct table_column *column, struct arena *arena);

#endif
