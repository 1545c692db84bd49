/* What the readers took and the column may not. */
#include "csv/fields_private.h"

uint32_t csv_check_int_range(enum type_kind kind, const int64_t *values, const uint8_t *valid,
	uint32_t rows, uint16_t *failed, uint32_t failed_count)
{
	uint32_t known = failed_count;

	for (uint32_t i = 0, k = 0; i < rows; i++) {
		if (k < known && failed[k] == i)
			k++;
		else if (valid[i] && !type_holds_integer(kind, values[i]))
			failed[failed_count++] = (uint16_t)i;
	}
	return failed_count;
}

uint32_t csv_fit_numerics(struct type type, numeric *values, const uint8_t *valid, uint32_t rows,
	uint16_t *failed, uint32_t failed_count)
{
	uint32_t known = failed_count;
	numeric least, beyond;

	if (type.precision == NUMERIC_ANY)
		return failed_count;
	beyond = numeric_power10[type.precision < NUMERIC_DIGITS_MAX ? type.precision
								     : NUMERIC_DIGITS_MAX];
	least = numeric_pack(1 - beyond, 0);
	beyond = numeric_pack(beyond, 0);
	for (uint32_t i = 0, k = 0; i < rows; i++) {
		/* Nearly all are written as they are declared, and stay as they are. */
		if (k < known && failed[k] == i)
			k++;
		else if ((int)numeric_scale(values[i]) == type.scale && values[i] >= least &&
			 values[i] < beyond)
			continue;
		else if (valid[i] &&
			 !numeric_fit(values[i], type.precision, type.scale, &values[i]))
			failed[failed_count++] = (uint16_t)i;
	}
	return failed_count;
}

/* Whether a point is among the first `size` of eight bytes. */
static inline bool has_point(const char *text, uint32_t size)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t bytes;

	memcpy(&bytes, text, sizeof(bytes));
	bytes ^= ones * '.';
	/* The lowest byte that is zero has its top bit set; those above it need not be right. */
	bytes = (bytes - ones) & ~bytes & (ones << 7);
	return bytes && (uint32_t)__builtin_ctzll(bytes) / 8 < size;
}

/*
 * Whether the integer that was read from so many bytes takes as many when it is written: then these are digits, no zero
 * first, and nothing else. The text need not be looked at, and nearly all integers are so.
 */
static inline bool fills_its_field(int64_t value, uint32_t size)
{
	/* By digits. */
	static const int64_t least[] = {INT64_MAX, 0, 10, 100, 1000, 10000, 100000, 1000000,
		10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000,
		10000000000000, 100000000000000};
	uint32_t digits = size - (value < 0);

	return digits < sizeof(least) / sizeof(*least) &&
	       (value < 0 ? -value : value) >= least[digits];
}

static inline bool is_doubtful(struct text field, bool integers)
{
	uint32_t minus = field.data[0] == '-';
	char first = field.data[minus], second = field.data[minus + 1];

	if ((first == '0') & (second >= '0') & (second <= '9') & (field.size > minus + 1))
		return true;
	if (!integers)
		return first == '+';
	return (first == '+') | has_point(field.data, field.size) ||
	       (field.size > 8 && memchr(field.data + 8, '.', field.size - 8));
}

uint32_t csv_doubt_numbers(const struct csv_fields *fields, const int64_t *integers,
	const uint8_t *valid, uint16_t *failed, uint32_t failed_count)
{
	uint32_t known = failed_count;

	for (uint32_t i = 0, k = 0; i < fields->rows; i++) {
		if (k < known && failed[k] == i)
			k++;
		else if (integers && fills_its_field(integers[i], csv_field(fields, i).size))
			continue;
		else if (valid[i] && is_doubtful(csv_field(fields, i), integers))
			failed[failed_count++] = (uint16_t)i;
	}
	return failed_count;
}
