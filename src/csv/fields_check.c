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

uint32_t csv_doubt_numbers(const struct csv_fields *fields, bool integers, const uint8_t *valid,
	uint16_t *failed, uint32_t failed_count)
{
	uint32_t known = failed_count;

	for (uint32_t i = 0, k = 0; i < fields->rows; i++) {
		if (k < known && failed[k] == i)
			k++;
		else if (valid[i] && is_doubtful(csv_field(fields, i), integers))
			failed[failed_count++] = (uint16_t)i;
	}
	return failed_count;
}
