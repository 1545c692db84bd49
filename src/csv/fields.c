/* The readers in plain C, which leave the work on a field to the column layer. */
#include "csv/fields_private.h"

#include "column/datetime.h"

bool csv_integer_parse(struct text field, int64_t *value)
{
	const char *p = field.data;
	const char *end = p + field.size;
	bool negative = field.size > 0 && *p == '-';
	int64_t sum = 0;
	const char *digits;

	p += negative;
	digits = p;
	if (end - p > 18)
		end = p + 18;
	for (; p < end && (uint8_t)(*p - '0') <= 9; p++)
		sum = sum * 10 + (*p - '0');
	if (p == digits)
		return false;
	end = field.data + field.size;
	if (end - p >= 2 && *p == '.') {
		do
			p++;
		while (p < end && *p == '0');
	}
	*value = negative ? -sum : sum;
	return p == end;
}

static uint32_t read_integers(const struct csv_fields *fields, int64_t *values, uint8_t *valid,
	uint16_t *failed, struct csv_hint *hint)
{
	uint32_t failed_count = 0;

	(void)hint;
	for (uint32_t i = 0; i < fields->rows; i++) {
		struct text field = csv_field(fields, i);

		values[i] = 0;
		valid[i] = field.size > 0;
		if (valid[i] && !csv_integer_parse(field, &values[i]))
			failed[failed_count++] = (uint16_t)i;
	}
	return failed_count;
}

static uint32_t read_numerics(
	const struct csv_fields *fields, numeric *values, uint8_t *valid, uint16_t *failed)
{
	uint32_t failed_count = 0;

	for (uint32_t i = 0; i < fields->rows; i++) {
		struct text field = csv_field(fields, i);

		values[i] = 0;
		valid[i] = field.size > 0;
		if (valid[i] && !numeric_parse(field.data, field.size, &values[i]))
			failed[failed_count++] = (uint16_t)i;
	}
	return failed_count;
}

static uint32_t read_timestamps(
	const struct csv_fields *fields, int64_t *values, uint8_t *valid, uint16_t *failed)
{
	uint32_t failed_count = 0;

	for (uint32_t i = 0; i < fields->rows; i++) {
		struct text field = csv_field(fields, i);

		values[i] = 0;
		valid[i] = field.size > 0;
		if (valid[i] && !timestamp_parse(field.data, field.size, &values[i]))
			failed[failed_count++] = (uint16_t)i;
	}
	return failed_count;
}

const struct csv_readers csv_readers_portable = {read_integers, read_numerics, read_timestamps};

/* Both parts are exact in a double, so that the quotient is the double nearest to the text. */
static bool double_from_numeric(numeric n, double *out)
{
	static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
		1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	const int128 exact_max = (int128)1 << 53;
	int128 mantissa = numeric_mantissa(n);
	unsigned scale = numeric_scale(n);

	if (mantissa > exact_max || mantissa < -exact_max || scale > 22)
		return false;
	*out = (double)(int64_t)mantissa / powers[scale];
	return true;
}

uint32_t csv_read_doubles(
	const struct csv_fields *fields, double *values, uint8_t *valid, uint16_t *failed)
{
	uint32_t failed_count = 0;

	for (uint32_t i = 0; i < fields->rows; i++) {
		struct text field = csv_field(fields, i);
		numeric n;

		values[i] = 0;
		valid[i] = field.size > 0;
		if (!valid[i])
			continue;
		/* The sign of -0 would be lost on the way. */
		if (!numeric_parse(field.data, field.size, &n) || numeric_mantissa(n) == 0 ||
			!double_from_numeric(n, &values[i]))
			failed[failed_count++] = (uint16_t)i;
	}
	return failed_count;
}

/*
 * 2024-01-31 without a loop: xor turns digits into 0..9 and dashes into 0, and an addition carries
 * into the top bit of every byte that is more than that. False for everything else, and for 29
 * February: without it, days from 29 on need no branch that would often be foreseen wrong.
 */
static inline bool read_plain_date(const char *text, int64_t *days)
{
	static const uint8_t month_sizes[128] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	const uint64_t zeros = UINT64_C(0x2d30302d30303030); /* "0000-00-" */
	const uint64_t rest = UINT64_C(0x7f76767f76767676);  /* what is missing to 0x7f */
	uint64_t bytes;
	uint32_t year, month, day, early, y, m;
	uint32_t day_tens = (uint32_t)text[8] - '0', day_ones = (uint32_t)text[9] - '0';

	memcpy(&bytes, text, sizeof(bytes));
	bytes ^= zeros;
	if (((bytes + rest) | bytes) & UINT64_C(0x8080808080808080) || day_tens > 9 || day_ones > 9)
		return false;
	year = (uint32_t)((bytes & 0xff) * 1000 + (bytes >> 8 & 0xff) * 100 +
			  (bytes >> 16 & 0xff) * 10 + (bytes >> 24 & 0xff));
	month = (uint32_t)((bytes >> 40 & 0xff) * 10 + (bytes >> 48 & 0xff));
	day = day_tens * 10 + day_ones;
	if (day - 1 >= month_sizes[month] || year == 0)
		return false;
	/* As days_from_civil, for years that are not negative. */
	early = month < 3;
	y = year - early;
	m = month + 12 * early;
	*days = (int64_t)(365 * y + y / 4 - y / 100 + y / 400 + (979 * m - 2919) / 32 + day) -
		719469;
	return true;
}

uint32_t csv_read_dates(
	const struct csv_fields *fields, int64_t *values, uint8_t *valid, uint16_t *failed)
{
	uint32_t failed_count = 0;

	for (uint32_t i = 0; i < fields->rows; i++) {
		struct text field = csv_field(fields, i);

		values[i] = 0;
		valid[i] = field.size > 0;
		if (field.size == 10 && read_plain_date(field.data, &values[i]))
			continue;
		if (valid[i] && !date_parse(field.data, field.size, &values[i]))
			failed[failed_count++] = (uint16_t)i;
	}
	return failed_count;
}

uint32_t csv_read_bools(
	const struct csv_fields *fields, uint8_t *values, uint8_t *valid, uint16_t *failed)
{
	/* Sets the bit that tells small letters from capitals. */
	const uint32_t lower = 0x20202020;
	uint32_t failed_count = 0;
	uint32_t true_word, fals_word, word;

	memcpy(&true_word, "true", 4);
	memcpy(&fals_word, "fals", 4);
	for (uint32_t i = 0; i < fields->rows; i++) {
		struct text field = csv_field(fields, i);
		bool is_true, is_false;

		memcpy(&word, field.data, 4);
		is_true = field.size == 4 && (word | lower) == true_word;
		is_false = field.size == 5 && (word | lower) == fals_word &&
			   (field.data[4] | 0x20) == 'e';
		values[i] = is_true;
		valid[i] = field.size > 0;
		if (valid[i] && !is_true && !is_false)
			failed[failed_count++] = (uint16_t)i;
	}
	return failed_count;
}
