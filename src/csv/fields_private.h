/*
 * Readers: one column of some rows of text to an array of values.
 *
 * A reader knows the common forms of its type only and works at full speed on them. Rows it cannot
 * read it lists in `failed` for the decoder, which reads them one by one by the general rules. An
 * empty field is no value: valid[row] is 0 then, and 1 for all other rows, failed ones included. In
 * the place of a missing value there is a zero.
 */
#ifndef CSV_FIELDS_PRIVATE_H
#define CSV_FIELDS_PRIVATE_H

#include "column/column.h"
#include "csv/scan/scan.h"

#include <string.h>

/* The field of row i lies between the positions bounds[i * stride] and bounds[i * stride + 1]. */
struct csv_fields {
	const char *data; /* followed by CSV_SCAN_PADDING readable bytes */
	const uint32_t *bounds;
	size_t stride;
	uint32_t rows;
};

/*
 * Positions are those of the separators, so the field begins behind the first one. At the start of
 * the text that is UINT32_MAX, and adding one gives 0.
 */
static inline struct text csv_field(const struct csv_fields *fields, uint32_t row)
{
	const uint32_t *bounds = fields->bounds + row * fields->stride;
	uint32_t start = bounds[0] + 1;

	return text_from(fields->data + start, bounds[1] - start);
}

/* What a reader learned from the rows so far; kept from call to call, zero at first. */
struct csv_hint {
	bool point_zero; /* integers come as 17.0 */
};

/* All return how many rows they put into `failed`, in ascending order. */
struct csv_readers {
	uint32_t (*integers)(const struct csv_fields *fields, int64_t *values, uint8_t *valid,
		uint16_t *failed, struct csv_hint *hint);
	uint32_t (*numerics)(
		const struct csv_fields *fields, numeric *values, uint8_t *valid, uint16_t *failed);
	uint32_t (*timestamps)(
		const struct csv_fields *fields, int64_t *values, uint8_t *valid, uint16_t *failed);
};

extern const struct csv_readers csv_readers_portable;
#if defined(__x86_64__)
extern const struct csv_readers csv_readers_avx2;
#endif

uint32_t csv_read_doubles(
	const struct csv_fields *fields, double *values, uint8_t *valid, uint16_t *failed);
uint32_t csv_read_dates(
	const struct csv_fields *fields, int64_t *values, uint8_t *valid, uint16_t *failed);
uint32_t csv_read_bools(
	const struct csv_fields *fields, uint8_t *values, uint8_t *valid, uint16_t *failed);

/*
 * Values that the readers took but that the column's type does not. Append to `failed`, in which the
 * first `failed_count` are ascending, and return how many it has then.
 */
uint32_t csv_check_int_range(enum type_kind kind, const int64_t *values, const uint8_t *valid,
	uint32_t rows, uint16_t *failed, uint32_t failed_count);
/* The same for numeric(p, s), where most values only need zeros behind them. */
uint32_t csv_fit_numerics(struct type type, numeric *values, const uint8_t *valid, uint32_t rows,
	uint16_t *failed, uint32_t failed_count);
/*
 * The same for numbers whose type is a guess and that mean more than their value, 007, and among
 * integers 17.0: they go the way that finds out whether the guess holds. `integers`: their values; NULL: they are none.
 */
uint32_t csv_doubt_numbers(const struct csv_fields *fields, const int64_t *integers,
	const uint8_t *valid, uint16_t *failed, uint32_t failed_count);

/*
 * An integer of at most 18 digits, which cannot overflow: [-]digits, or [-]digits.000, which is how
 * integers with missing values among them come out of some tools.
 */
bool csv_integer_parse(struct text field, int64_t *value);

#endif
