/*
 * The readers on AVX2: four integers or decimals of up to eight bytes at a time, one in each 64-bit
 * lane, and eight timestamps of the form 2024-01-31 07:00:00.
 *
 * In a lane the text's first byte is the lowest one. Shifted up so that its last byte is the
 * highest, it has zeros in front, which are leading zeros of the number as well.
 */
#if defined(__x86_64__)

#include "column/datetime.h"
#include "csv/fields_private.h"

#include <immintrin.h>

#define CSV_AVX2    __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define CSV_INLINE  static inline __attribute__((always_inline))
#define UNLIKELY(x) __builtin_expect((x), 0)

/* valid[] of four rows by the mask of those that are empty. */
static const uint32_t valid_by_empty[16] = {0x01010101, 0x01010100, 0x01010001, 0x01010000,
	0x01000101, 0x01000100, 0x01000001, 0x01000000, 0x00010101, 0x00010100, 0x00010001,
	0x00010000, 0x00000101, 0x00000100, 0x00000001, 0x00000000};

CSV_INLINE int64_t load_i64(const void *bytes)
{
	int64_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

CSV_AVX2 CSV_INLINE int lane_mask(__m256i lanes)
{
	return _mm256_movemask_pd(_mm256_castsi256_pd(lanes));
}

/* The lengths of four rows' fields and their first eight bytes. */
struct four {
	__m256i sizes;
	__m256i words;
};

CSV_AVX2 CSV_INLINE struct four load_four(const char *data, const uint32_t *bounds, size_t stride)
{
	const uint32_t *b0 = bounds, *b1 = b0 + stride, *b2 = b1 + stride, *b3 = b2 + stride;
	__m256i pairs = _mm256_set_epi64x(load_i64(b3), load_i64(b2), load_i64(b1), load_i64(b0));
	__m256i sizes = _mm256_sub_epi32(_mm256_srli_epi64(pairs, 32), pairs);

	sizes = _mm256_sub_epi32(sizes, _mm256_set1_epi64x(1));
	return (struct four){
		.sizes = _mm256_and_si256(sizes, _mm256_set1_epi64x(0xffffffff)),
		.words = _mm256_set_epi64x(load_i64(data + (uint32_t)(b3[0] + 1)),
			load_i64(data + (uint32_t)(b2[0] + 1)),
			load_i64(data + (uint32_t)(b1[0] + 1)),
			load_i64(data + (uint32_t)(b0[0] + 1))),
	};
}

/* Digits become 0..9, all other bytes something above. Fields of more than 8 bytes become zero. */
CSV_AVX2 CSV_INLINE __m256i align_digits(__m256i words, __m256i sizes)
{
	__m256i digits = _mm256_xor_si256(words, _mm256_set1_epi8('0'));
	__m256i shift = _mm256_sub_epi64(_mm256_set1_epi64x(64), _mm256_slli_epi64(sizes, 3));

	return _mm256_sllv_epi64(digits, shift);
}

/* Eight digits a lane to their value. */
CSV_AVX2 CSV_INLINE __m256i digits_value(__m256i digits)
{
	__m256i pairs = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(1 << 8 | 10));
	__m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(1 << 16 | 100));

	return _mm256_add_epi64(
		_mm256_mul_epu32(fours, _mm256_set1_epi64x(10000)), _mm256_srli_epi64(fours, 32));
}

/* The lanes that are not eight digits, or had more than eight bytes. */
CSV_AVX2 CSV_INLINE int bad_lanes(__m256i digits, __m256i sizes)
{
	__m256i above = _mm256_subs_epu8(digits, _mm256_set1_epi8(9));
	__m256i good = _mm256_cmpeq_epi64(above, _mm256_setzero_si256());

	return lane_mask(_mm256_or_si256(_mm256_xor_si256(good, _mm256_set1_epi8(-1)),
		_mm256_cmpgt_epi64(sizes, _mm256_set1_epi64x(8))));
}

CSV_AVX2 CSV_INLINE void store_valid(uint8_t *valid, __m256i sizes)
{
	int empty = lane_mask(_mm256_cmpeq_epi64(sizes, _mm256_setzero_si256()));

	memcpy(valid, &valid_by_empty[empty], 4);
}

/* One row the general way. Returns false when that fails, too. */
static bool read_integer(
	const struct csv_fields *fields, uint32_t row, int64_t *values, struct csv_hint *hint)
{
	struct text field = csv_field(fields, row);

	if (!csv_integer_parse(field, &values[row]))
		return false;
	hint->point_zero |= memchr(field.data, '.', field.size) != NULL;
	return true;
}

/* Takes ".0" off the sizes of those fields of three bytes or more that end in it. */
CSV_AVX2 CSV_INLINE __m256i drop_point_zero(
	const char *data, const uint32_t *bounds, size_t stride, __m256i sizes)
{
	int64_t tails[4];
	__m256i found;

	for (int i = 0; i < 4; i++) {
		uint32_t end = bounds[i * stride + 1];

		/* Never before the text's start; a field that short is not looked at. */
		tails[i] = load_i64(data + (end > 2 ? end - 2 : 0));
	}
	found = _mm256_set_epi64x(tails[3], tails[2], tails[1], tails[0]);
	found = _mm256_and_si256(found, _mm256_set1_epi64x(0xffff));
	found = _mm256_cmpeq_epi64(found, _mm256_set1_epi64x('0' << 8 | '.'));
	found = _mm256_and_si256(found, _mm256_cmpgt_epi64(sizes, _mm256_set1_epi64x(2)));
	return _mm256_add_epi64(sizes, _mm256_slli_epi64(found, 1));
}

CSV_AVX2 CSV_INLINE uint32_t integers_loop(const struct csv_fields *fields, int64_t *values,
	uint8_t *valid, uint16_t *failed, struct csv_hint *hint, bool point_zero)
{
	const struct csv_fields f = *fields;
	uint32_t failed_count = 0;
	uint32_t i = 0;

	for (; i + 4 <= f.rows; i += 4) {
		const uint32_t *bounds = f.bounds + i * f.stride;
		struct four four = load_four(f.data, bounds, f.stride);
		__m256i sizes = point_zero ? drop_point_zero(f.data, bounds, f.stride, four.sizes)
					   : four.sizes;
		__m256i digits = align_digits(four.words, sizes);
		int bad = bad_lanes(digits, sizes);

		_mm256_storeu_si256((__m256i *)(values + i), digits_value(digits));
		store_valid(valid + i, four.sizes);
		for (; UNLIKELY(bad); bad &= bad - 1) {
			uint32_t row = i + (uint32_t)__builtin_ctz((unsigned)bad);

			if (!read_integer(fields, row, values, hint))
				failed[failed_count++] = (uint16_t)row;
		}
	}
	for (; i < f.rows; i++) {
		values[i] = 0;
		valid[i] = csv_field(fields, i).size > 0;
		if (valid[i] && !read_integer(fields, i, values, hint))
			failed[failed_count++] = (uint16_t)i;
	}
	return failed_count;
}

CSV_AVX2 static uint32_t read_integers(const struct csv_fields *fields, int64_t *values,
	uint8_t *valid, uint16_t *failed, struct csv_hint *hint)
{
	if (hint->point_zero)
		return integers_loop(fields, values, valid, failed, hint, true);
	return integers_loop(fields, values, valid, failed, hint, false);
}

/* Digits with at most one point among them. */
struct decimals {
	__m256i digits; /* without the point */
	__m256i scales;
	__m256i wrong; /* lanes that end in their point */
};

CSV_AVX2 CSV_INLINE struct decimals split_points(__m256i digits)
{
	__m256i zero = _mm256_setzero_si256();
	__m256i points = _mm256_cmpeq_epi8(digits, _mm256_set1_epi8('.' ^ '0'));
	__m256i none = _mm256_cmpeq_epi64(points, zero);
	/* All bytes up to the first point, and all of a lane that has none. */
	__m256i below =
		_mm256_andnot_si256(points, _mm256_add_epi64(points, _mm256_set1_epi64x(-1)));
	__m256i upto = _mm256_or_si256(_mm256_slli_epi64(below, 8), _mm256_set1_epi64x(0xff));
	__m256i scales = _mm256_sad_epu8(_mm256_andnot_si256(upto, _mm256_set1_epi8(1)), zero);

	return (struct decimals){
		/* What stands before the point moves over it. */
		.digits = _mm256_blendv_epi8(
			digits, _mm256_slli_epi64(digits, 8), _mm256_andnot_si256(none, upto)),
		.scales = scales,
		.wrong = _mm256_andnot_si256(none, _mm256_cmpeq_epi64(scales, zero)),
	};
}

/* A mantissa of eight digits and its scale fit into the low half of a numeric. */
CSV_AVX2 CSV_INLINE void store_numerics(numeric *values, __m256i mantissas, __m256i scales)
{
	__m256i packed = _mm256_or_si256(_mm256_slli_epi64(mantissas, 8), scales);
	__m256i even = _mm256_unpacklo_epi64(packed, _mm256_setzero_si256());
	__m256i odd = _mm256_unpackhi_epi64(packed, _mm256_setzero_si256());

	_mm_storeu_si128((__m128i *)(values + 0), _mm256_castsi256_si128(even));
	_mm_storeu_si128((__m128i *)(values + 1), _mm256_castsi256_si128(odd));
	_mm_storeu_si128((__m128i *)(values + 2), _mm256_extracti128_si256(even, 1));
	_mm_storeu_si128((__m128i *)(values + 3), _mm256_extracti128_si256(odd, 1));
}

CSV_AVX2 static uint32_t read_numerics(
	const struct csv_fields *fields, numeric *values, uint8_t *valid, uint16_t *failed)
{
	const struct csv_fields f = *fields;
	uint32_t failed_count = 0;
	uint32_t i = 0;

	for (; i + 4 <= f.rows; i += 4) {
		struct four four = load_four(f.data, f.bounds + i * f.stride, f.stride);
		struct decimals decimals = split_points(align_digits(four.words, four.sizes));
		int bad = bad_lanes(decimals.digits, four.sizes) | lane_mask(decimals.wrong);

		store_numerics(values + i, digits_value(decimals.digits), decimals.scales);
		store_valid(valid + i, four.sizes);
		for (; UNLIKELY(bad); bad &= bad - 1) {
			uint32_t row = i + (uint32_t)__builtin_ctz((unsigned)bad);
			struct text field = csv_field(fields, row);

			if (!numeric_parse(field.data, field.size, &values[row]))
				failed[failed_count++] = (uint16_t)row;
		}
	}
	for (; i < f.rows; i++) {
		struct text field = csv_field(fields, i);

		values[i] = 0;
		valid[i] = field.size > 0;
		if (valid[i] && !numeric_parse(field.data, field.size, &values[i]))
			failed[failed_count++] = (uint16_t)i;
	}
	return failed_count;
}

#define TIMESTAMP_SIZE 19

/*
 * Two timestamps, one a 128-bit lane, as four 32-bit numbers: year, month * 32 + day, minute of the
 * day, second. Bytes of *wrong are set where a text has not the form, or a number is out of range.
 */
CSV_AVX2 CSV_INLINE __m256i split_timestamps(const char *first, const char *second, __m256i *wrong)
{
	/* What x ^ form has to stay within: a digit below ten, a separator itself. */
	const __m256i form = _mm256_broadcastsi128_si256(_mm_setr_epi8(
		'0', '0', '0', '0', '-', '0', '0', '-', '0', '0', ' ', '0', '0', ':', '0', '0'));
	const __m256i form_max = _mm256_broadcastsi128_si256(
		_mm_setr_epi8(9, 9, 9, 9, 0, 9, 9, 0, 9, 9, 0, 9, 9, 0, 9, 9));
	/* The last 16 bytes, of which only ":00" at their end is new. */
	const __m256i tail = _mm256_broadcastsi128_si256(_mm_setr_epi8(
		'0', '-', '0', '0', '-', '0', '0', ' ', '0', '0', ':', '0', '0', ':', '0', '0'));
	const __m256i tail_max = _mm256_broadcastsi128_si256(
		_mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 9, 9));
	const __m256i pick = _mm256_broadcastsi128_si256(
		_mm_setr_epi8(0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, -1, -1, -1, -1));
	const __m256i pick_tail = _mm256_broadcastsi128_si256(
		_mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 14, 15, -1, -1));
	const __m256i pairs_max =
		_mm256_broadcastsi128_si256(_mm_setr_epi16(99, 99, 12, 31, 23, 59, 59, 0));
	const __m256i weights =
		_mm256_broadcastsi128_si256(_mm_setr_epi16(100, 1, 32, 1, 60, 1, 1, 0));
	__m256i a = _mm256_inserti128_si256(
		_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)first)),
		_mm_loadu_si128((const __m128i *)second), 1);
	__m256i b = _mm256_inserti128_si256(
		_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(first + 3))),
		_mm_loadu_si128((const __m128i *)(second + 3)), 1);
	__m256i digits, pairs;

	a = _mm256_xor_si256(a, form);
	b = _mm256_xor_si256(b, tail);
	digits = _mm256_or_si256(_mm256_shuffle_epi8(a, pick), _mm256_shuffle_epi8(b, pick_tail));
	pairs = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(1 << 8 | 10));
	*wrong = _mm256_or_si256(
		_mm256_or_si256(_mm256_subs_epu8(a, form_max), _mm256_subs_epu8(b, tail_max)),
		_mm256_subs_epu16(pairs, pairs_max));
	return _mm256_madd_epi16(pairs, weights);
}

/* Days since 1970 of eight dates of the years 1 to 9999; *wrong where there is no such day. */
CSV_AVX2 CSV_INLINE __m256i days_of(__m256i years, __m256i months_days, __m256i *wrong)
{
	/* 29 February is left to the general way: one row in 1461. */
	const __m256i month_sizes = _mm256_broadcastsi128_si256(
		_mm_setr_epi8(0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0, 0, 0));
	__m256i months = _mm256_srli_epi32(months_days, 5);
	__m256i days = _mm256_and_si256(months_days, _mm256_set1_epi32(31));
	__m256i sizes = _mm256_shuffle_epi8(month_sizes, months);
	/* Years begin in March, so that the day that is not always there is the last one. */
	__m256i early = _mm256_cmpgt_epi32(_mm256_set1_epi32(3), months);
	__m256i y = _mm256_add_epi32(years, early);
	__m256i m = _mm256_add_epi32(months, _mm256_and_si256(early, _mm256_set1_epi32(12)));
	__m256i centuries = _mm256_srli_epi32(_mm256_mullo_epi32(y, _mm256_set1_epi32(5243)), 19);
	__m256i leaps = _mm256_add_epi32(_mm256_sub_epi32(_mm256_srli_epi32(y, 2), centuries),
		_mm256_srli_epi32(centuries, 2));
	/* Days of the year before month m = 3..14. */
	__m256i before =
		_mm256_srli_epi32(_mm256_sub_epi32(_mm256_mullo_epi32(m, _mm256_set1_epi32(979)),
					  _mm256_set1_epi32(2919)),
			5);

	*wrong = _mm256_or_si256(_mm256_cmpgt_epi32(days, sizes),
		_mm256_or_si256(_mm256_cmpeq_epi32(days, _mm256_setzero_si256()),
			_mm256_cmpeq_epi32(years, _mm256_setzero_si256())));
	days = _mm256_add_epi32(_mm256_add_epi32(days, before), leaps);
	days = _mm256_add_epi32(days, _mm256_mullo_epi32(y, _mm256_set1_epi32(365)));
	return _mm256_sub_epi32(days, _mm256_set1_epi32(719469));
}

/* Four days and seconds of the day to microseconds. */
CSV_AVX2 CSV_INLINE __m256i micros_of(__m128i days, __m128i seconds)
{
	/* A day's microseconds are 84375000 * 1024: the first factor fits the multiplication. */
	__m256i whole = _mm256_slli_epi64(
		_mm256_mul_epi32(_mm256_cvtepi32_epi64(days), _mm256_set1_epi64x(84375000)), 10);

	return _mm256_add_epi64(whole,
		_mm256_mul_epi32(_mm256_cvtepi32_epi64(seconds), _mm256_set1_epi64x(1000000)));
}

/* Eight rows; returns the mask of those that have to be read the general way. */
CSV_AVX2 CSV_INLINE int timestamps_eight(const char *const texts[8], int64_t *values)
{
	__m256i parts[4], wrong[4];
	__m256i a, b, years, months_days, minutes, seconds, days, no_day;
	int bad;

	for (int i = 0; i < 4; i++)
		parts[i] = split_timestamps(texts[i], texts[i + 4], &wrong[i]);
	/* Transposed, so that row i is in lane i of each. */
	a = _mm256_unpacklo_epi32(parts[0], parts[1]);
	b = _mm256_unpacklo_epi32(parts[2], parts[3]);
	years = _mm256_unpacklo_epi64(a, b);
	months_days = _mm256_unpackhi_epi64(a, b);
	a = _mm256_unpackhi_epi32(parts[0], parts[1]);
	b = _mm256_unpackhi_epi32(parts[2], parts[3]);
	minutes = _mm256_unpacklo_epi64(a, b);
	seconds = _mm256_unpackhi_epi64(a, b);
	days = days_of(years, months_days, &no_day);
	seconds = _mm256_add_epi32(seconds, _mm256_mullo_epi32(minutes, _mm256_set1_epi32(60)));
	_mm256_storeu_si256((__m256i *)values,
		micros_of(_mm256_castsi256_si128(days), _mm256_castsi256_si128(seconds)));
	_mm256_storeu_si256((__m256i *)(values + 4),
		micros_of(_mm256_extracti128_si256(days, 1), _mm256_extracti128_si256(seconds, 1)));

	bad = _mm256_movemask_ps(_mm256_castsi256_ps(no_day));
	a = _mm256_or_si256(
		_mm256_or_si256(wrong[0], wrong[1]), _mm256_or_si256(wrong[2], wrong[3]));
	if (UNLIKELY(!_mm256_testz_si256(a, a))) {
		for (int i = 0; i < 4; i++) {
			__m256i right = _mm256_cmpeq_epi8(wrong[i], _mm256_setzero_si256());
			uint32_t bytes = ~(uint32_t)_mm256_movemask_epi8(right);

			bad |= (bytes & 0xffff ? 1 << i : 0) | (bytes >> 16 ? 16 << i : 0);
		}
	}
	return bad;
}

/* Any rows up to eight, some of which may be empty or of another form. */
CSV_AVX2 static uint32_t timestamps_mixed(const struct csv_fields *fields, uint32_t first,
	uint32_t rows, int64_t *values, uint8_t *valid, uint16_t *failed)
{
	/* Stands in for an empty field, so that one among eight costs nothing. */
	static const char any[TIMESTAMP_SIZE + 1] = "1970-01-01 00:00:00";
	uint32_t failed_count = 0;
	const char *texts[8];
	int bad = 0;

	for (uint32_t j = 0; j < rows; j++) {
		struct text field = csv_field(fields, first + j);

		texts[j] = field.size == TIMESTAMP_SIZE ? field.data : any;
		valid[first + j] = field.size > 0;
		bad |= (field.size != TIMESTAMP_SIZE) << j;
	}
	if (rows == 8)
		bad |= timestamps_eight(texts, values + first);
	else
		bad = (1 << rows) - 1;
	for (; bad; bad &= bad - 1) {
		uint32_t row = first + (uint32_t)__builtin_ctz((unsigned)bad);
		struct text field = csv_field(fields, row);

		values[row] = 0;
		if (valid[row] && !timestamp_parse(field.data, field.size, &values[row]))
			failed[failed_count++] = (uint16_t)row;
	}
	return failed_count;
}

CSV_AVX2 static uint32_t read_timestamps(
	const struct csv_fields *fields, int64_t *values, uint8_t *valid, uint16_t *failed)
{
	const struct csv_fields f = *fields;
	uint32_t failed_count = 0;
	uint32_t i = 0;

	for (; i + 8 <= f.rows; i += 8) {
		const uint32_t *bounds = f.bounds + i * f.stride;
		const char *texts[8];
		uint32_t others = 0; /* not 0: a field of another size */

		for (uint32_t j = 0; j < 8; j++, bounds += f.stride) {
			texts[j] = f.data + (uint32_t)(bounds[0] + 1);
			others |= (bounds[1] - bounds[0]) ^ (TIMESTAMP_SIZE + 1);
		}
		if (UNLIKELY(others || timestamps_eight(texts, values + i)))
			failed_count += timestamps_mixed(
				fields, i, 8, values, valid, failed + failed_count);
		else
			memset(valid + i, 1, 8);
	}
	if (i < f.rows)
		failed_count += timestamps_mixed(
			fields, i, f.rows - i, values, valid, failed + failed_count);
	return failed_count;
}

const struct csv_readers csv_readers_avx2 = {read_integers, read_numerics, read_timestamps};

#endif
