#include "column/moments.h"
#include "column/big_private.h"

#include <assert.h>
#include <string.h>

typedef unsigned __int128 uint128;

/* PostgreSQL's NUMERIC_MIN_SIG_DIGITS, and the digits in one of its base-10000 digits. */
#define SIGNIFICANT_DIGITS 16
#define BASE_DIGITS	   4

enum { HEADER_SIZE = 10, NUMBER_SIZE = 8 * MOMENTS_LIMBS };

static inline uint128 get_pair(const uint64_t *limbs)
{
	return (uint128)limbs[1] << 64 | limbs[0];
}

static inline void put_pair(uint64_t *limbs, uint128 value)
{
	limbs[0] = (uint64_t)value;
	limbs[1] = (uint64_t)(value >> 64);
}

/* Adds high * 2^128 + low; wraps, as two's complement does. */
static inline void add_wide(uint64_t limbs[MOMENTS_LIMBS], uint128 low, uint128 high)
{
	uint128 sum = get_pair(limbs) + low;

	put_pair(limbs, sum);
	put_pair(limbs + 2, get_pair(limbs + 2) + high + (sum < low));
}

static inline void add_signed(uint64_t sum[MOMENTS_LIMBS], bool negative, uint128 magnitude)
{
	if (negative)
		add_wide(sum, -magnitude, magnitude ? ~(uint128)0 : 0);
	else
		add_wide(sum, magnitude, 0);
}

/* False on a carry out of the last limb. */
static inline bool add_limbs(uint64_t to[MOMENTS_LIMBS], const uint64_t from[MOMENTS_LIMBS])
{
	uint64_t carry = 0;

	for (int i = 0; i < MOMENTS_LIMBS; i++) {
		uint128 part = (uint128)to[i] + from[i] + carry;

		to[i] = (uint64_t)part;
		carry = (uint64_t)(part >> 64);
	}
	return carry == 0;
}

void moments_add_i64(struct moments *moments, int64_t value)
{
	assert(moments->scale == 0);
	moments->count++;
	add_wide(moments->sum, (uint128)(int128)value, value < 0 ? ~(uint128)0 : 0);
	/* 2^63 squares of 2^126 fit. */
	add_wide(moments->squares, (uint128)((int128)value * value), 0);
}

/* Multiplies by 10^exponent; wraps around, and returns false then. */
static bool scale_limbs(uint64_t limbs[MOMENTS_LIMBS], unsigned exponent)
{
	uint64_t over = 0;

	while (exponent > 0) {
		unsigned step = exponent < 18 ? exponent : 18;
		uint64_t factor = (uint64_t)numeric_power10[step], carry = 0;

		for (int i = 0; i < MOMENTS_LIMBS; i++) {
			uint128 product = (uint128)limbs[i] * factor + carry;

			limbs[i] = (uint64_t)product;
			carry = (uint64_t)(product >> 64);
		}
		over |= carry;
		exponent -= step;
	}
	return over == 0;
}

bool moments_raise_scale(struct moments *moments, unsigned scale)
{
	unsigned by;

	if (scale <= moments->scale)
		return true;
	by = scale - (unsigned)moments->scale;
	moments->scale = scale;
	/* A sum fits when its squares do, and its sign survives a product that wraps. */
	(void)scale_limbs(moments->sum, by);
	return scale_limbs(moments->squares, 2 * by);
}

static void square_of(uint128 value, uint64_t out[MOMENTS_LIMBS])
{
	uint64_t low = (uint64_t)value, high = (uint64_t)(value >> 64);
	uint128 lows = (uint128)low * low, cross = (uint128)low * high;
	uint128 highs = (uint128)high * high;
	uint128 middle = (lows >> 64) + 2 * (uint128)(uint64_t)cross;

	highs += 2 * (cross >> 64) + (middle >> 64);
	out[0] = (uint64_t)lows;
	out[1] = (uint64_t)middle;
	out[2] = (uint64_t)highs;
	out[3] = (uint64_t)(highs >> 64);
}

bool moments_add(struct moments *moments, numeric value)
{
	unsigned scale = numeric_scale(value);
	int128 mantissa = numeric_mantissa(value);
	uint128 magnitude = mantissa < 0 ? -(uint128)mantissa : (uint128)mantissa;
	uint64_t square[MOMENTS_LIMBS];

	if (!moments_raise_scale(moments, scale))
		return false;
	/* What does not fit 128 bits has a square that does not fit 256. */
	if (scale < moments->scale &&
		__builtin_mul_overflow(
			magnitude, (uint128)numeric_power10[moments->scale - scale], &magnitude))
		return false;
	square_of(magnitude, square);
	moments->count++;
	add_signed(moments->sum, mantissa < 0, magnitude);
	return add_limbs(moments->squares, square);
}

bool moments_merge(struct moments *moments, const struct moments *other)
{
	struct moments from = *other;

	if (!moments_raise_scale(moments, (unsigned)from.scale) ||
		!moments_raise_scale(&from, (unsigned)moments->scale) ||
		__builtin_add_overflow(moments->count, from.count, &moments->count))
		return false;
	(void)add_limbs(moments->sum, from.sum);
	return add_limbs(moments->squares, from.squares);
}

static void put_limbs(uint8_t *out, const uint64_t *limbs, uint32_t count)
{
	for (uint32_t i = 0; i < 8 * count; i++)
		out[i] = (uint8_t)(limbs[i / 8] >> (i % 8 * 8));
}

static void get_limbs(const uint8_t *in, size_t size, bool is_signed, uint64_t *limbs)
{
	uint8_t fill = is_signed && size > 0 && in[size - 1] >> 7 ? 0xff : 0;

	memset(limbs, fill, NUMBER_SIZE);
	for (size_t i = 0; i < size; i++) {
		unsigned shift = i % 8 * 8;

		limbs[i / 8] &= ~(UINT64_C(0xff) << shift);
		limbs[i / 8] |= (uint64_t)in[i] << shift;
	}
}

/* Bytes that a number needs: the last one of a signed number also tells its sign. */
static size_t short_size(const uint8_t bytes[NUMBER_SIZE], bool is_signed)
{
	uint8_t fill = is_signed && bytes[NUMBER_SIZE - 1] >> 7 ? 0xff : 0;
	size_t size = NUMBER_SIZE;

	while (size > 0 && bytes[size - 1] == fill &&
		(!is_signed || size == 1 || bytes[size - 2] >> 7 == fill >> 7))
		size--;
	return is_signed && size == 0 && fill ? 1 : size;
}

size_t moments_encode(const struct moments *moments, uint8_t bytes[MOMENTS_ENCODED_MAX])
{
	uint8_t number[NUMBER_SIZE];
	const uint64_t count = (uint64_t)moments->count;
	size_t sum_size, size;

	put_limbs(number, moments->sum, MOMENTS_LIMBS);
	sum_size = short_size(number, true);
	bytes[0] = (uint8_t)moments->scale;
	bytes[1] = (uint8_t)sum_size;
	put_limbs(bytes + 2, &count, 1);
	memcpy(bytes + HEADER_SIZE, number, sum_size);
	put_limbs(number, moments->squares, MOMENTS_LIMBS);
	size = short_size(number, false);
	memcpy(bytes + HEADER_SIZE + sum_size, number, size);
	return HEADER_SIZE + sum_size + size;
}

bool moments_decode(struct moments *moments, const void *bytes, size_t size)
{
	const uint8_t *in = bytes;
	uint64_t count[MOMENTS_LIMBS];
	size_t sum_size;

	if (size < HEADER_SIZE || in[0] > NUMERIC_SCALE_MAX || in[1] > NUMBER_SIZE)
		return false;
	sum_size = in[1];
	if (size < HEADER_SIZE + sum_size || size > HEADER_SIZE + sum_size + NUMBER_SIZE)
		return false;
	moments->scale = in[0];
	get_limbs(in + 2, 8, false, count);
	if (count[0] == 0 || count[0] > INT64_MAX)
		return false;
	moments->count = (int64_t)count[0];
	get_limbs(in + HEADER_SIZE, sum_size, true, moments->sum);
	get_limbs(in + HEADER_SIZE + sum_size, size - HEADER_SIZE - sum_size, false,
		moments->squares);
	return true;
}

/* count * squares - sum^2, at twice the scale; zero where it would be negative. */
static void numerator_of(const struct moments *moments, struct big *out)
{
	uint64_t sum[MOMENTS_LIMBS];
	uint64_t sign = moments->sum[MOMENTS_LIMBS - 1] >> 63 ? UINT64_MAX : 0;
	uint64_t carry = sign & 1;
	struct big square;

	for (int i = 0; i < MOMENTS_LIMBS; i++) {
		uint128 part = (uint128)(moments->sum[i] ^ sign) + carry;

		sum[i] = (uint64_t)part;
		carry = (uint64_t)(part >> 64);
	}
	big_set(&square, sum, MOMENTS_LIMBS);
	big_square(&square);
	big_set(out, moments->squares, MOMENTS_LIMBS);
	big_multiply(out, (uint64_t)moments->count);
	/* Only a state that no values ever had gets here with less. */
	if (big_compare(out, &square) < 0)
		out->count = 0;
	else
		big_subtract(out, &square);
}

/* The weight of the first base-10000 digit of a decimal, and that digit. */
static int leading_digit(const char *digits, uint32_t count, unsigned scale, unsigned *digit)
{
	int exponent = (int)count - 1 - (int)scale;
	int weight = (exponent >= 0 ? exponent : exponent - (BASE_DIGITS - 1)) / BASE_DIGITS;
	uint32_t length = (uint32_t)(exponent - BASE_DIGITS * weight) + 1;

	*digit = 0;
	for (uint32_t i = 0; i < length; i++)
		*digit = *digit * 10 + (i < count ? (unsigned)(digits[i] - '0') : 0);
	return weight;
}

/* PostgreSQL's select_div_scale for a dividend of scale `scale` and an integer. */
static unsigned quotient_scale(const struct big *dividend, unsigned scale, uint128 divisor)
{
	const uint64_t limbs[] = {(uint64_t)divisor, (uint64_t)(divisor >> 64)};
	char digits[BIG_DIGITS_MAX];
	unsigned first, second;
	struct big big;
	int weight, result;

	weight = leading_digit(digits, big_digits(dividend, digits), scale, &first);
	big_set(&big, limbs, 2);
	weight -= leading_digit(digits, big_digits(&big, digits), 0, &second);
	if (first <= second)
		weight--;
	result = SIGNIFICANT_DIGITS - weight * BASE_DIGITS;
	return result > (int)scale ? (unsigned)result : scale;
}

/* value * 10^-from at scale `to`, which is not greater, or less where a numeric needs that. */
static bool round_to_fit(const struct big *value, unsigned from, unsigned to, numeric *out)
{
	char digits[BIG_DIGITS_MAX];
	uint32_t count = big_digits(value, digits);
	uint32_t whole = count > from ? count - from : 0;
	uint128 mantissa = 0;
	int64_t kept;

	if (whole > NUMERIC_DIGITS_MAX)
		return false;
	if (to > NUMERIC_DIGITS_MAX - whole)
		to = NUMERIC_DIGITS_MAX - whole;
	kept = (int64_t)count - from +
	       to; /* digits of the result; none: only the next one counts */
	for (int64_t i = 0; i < kept; i++)
		mantissa = mantissa * 10 + (unsigned)(digits[i] - '0');
	if (kept >= 0 && kept < count && digits[kept] >= '5')
		mantissa++;
	if (mantissa == (uint128)numeric_power10[NUMERIC_DIGITS_MAX] && to > 0) {
		mantissa /= 10; /* 9.99... became 10.0... */
		to--;
	}
	return numeric_make((int128)mantissa, to, out);
}

bool moments_variance(const struct moments *moments, bool sample, bool root, numeric *out)
{
	uint128 divisor = (uint128)moments->count * (uint128)(moments->count - sample);
	unsigned scale = 2 * (unsigned)moments->scale, result_scale;
	struct big value;

	assert(moments->count > sample);
	numerator_of(moments, &value);
	if (value.count == 0) {
		*out = 0;
		return true;
	}
	result_scale = quotient_scale(&value, scale, divisor);
	/* One digit more, to round by. */
	big_multiply_power10(&value, result_scale - scale + 1);
	big_divide(&value, divisor);
	if (!root)
		return round_to_fit(&value, result_scale + 1, result_scale, out);
	/* The root is that of the variance as it would be printed. */
	big_increase(&value, 5);
	big_divide(&value, 10);
	big_multiply_power10(&value, result_scale + 2);
	big_root(&value);
	return round_to_fit(&value, result_scale + 1, result_scale, out);
}
