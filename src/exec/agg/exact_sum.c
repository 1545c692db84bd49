#include "exec/agg/exact_sum.h"
#include "exec/agg/exact_sum_private.h"

#include <math.h>
#include <stdlib.h>

typedef unsigned __int128 uint128;

/* The 128 bits never have more than these and a sign, so that a few additions do not overflow. */
#define SMALL_BITS_MAX 126
/* Encoded sums with digits this near to the last one are never small: carries have room. */
#define TOP_DIGITS	 3
#define SMALL_DIGITS_MAX 4

static uint32_t bit_length(uint128 value)
{
	uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;

	if (high)
		return 128 - (uint32_t)__builtin_clzll(high);
	return low ? 64 - (uint32_t)__builtin_clzll(low) : 0;
}

/* Of a value that is not zero. */
static uint32_t trailing_zeros(uint128 value)
{
	return (uint64_t)value ? (uint32_t)__builtin_ctzll((uint64_t)value)
			       : 64 + (uint32_t)__builtin_ctzll((uint64_t)(value >> 64));
}

static uint128 small_magnitude(const struct exact_sum *sum)
{
	__int128 small = exact_sum_small(sum);

	return small < 0 ? -(uint128)small : (uint128)small;
}

/* Gives the 128 bits a lower unit. False: they have no room for that. */
static bool lower_place(struct exact_sum *sum, uint64_t place)
{
	uint64_t by = sum->place - place;

	if (by > SMALL_BITS_MAX || bit_length(small_magnitude(sum)) + by > SMALL_BITS_MAX)
		return false;
	exact_sum_set_small(sum, (__int128)((uint128)exact_sum_small(sum) << by));
	sum->place = place;
	return true;
}

/* Adds to the 128 bits. False: it does not fit. */
static bool add_small(struct exact_sum *sum, uint128 magnitude, uint32_t position, bool negative)
{
	uint64_t place = (uint64_t)position + 1;
	__int128 more, small;
	uint32_t zeros;

	if (magnitude == 0) {
		sum->place = sum->place ? sum->place : place;
		return true;
	}
	zeros = trailing_zeros(magnitude);
	magnitude >>= zeros;
	place += zeros;
	if (bit_length(magnitude) > SMALL_BITS_MAX)
		return false;
	if (!(sum->low | sum->high))
		sum->place = place;
	if (place < sum->place && !lower_place(sum, place))
		return false;
	if (place - sum->place > SMALL_BITS_MAX ||
		bit_length(magnitude) + (place - sum->place) > SMALL_BITS_MAX)
		return false;
	more = (__int128)(magnitude << (place - sum->place));
	if (__builtin_add_overflow(exact_sum_small(sum), negative ? -more : more, &small))
		return false;
	exact_sum_set_small(sum, small);
	return true;
}

/* The 128 bits are zero then. */
static void widen(struct exact_sum *sum, uint32_t limit)
{
	if (sum->low | sum->high)
		exact_digits_add(&sum->wide, small_magnitude(sum), (uint32_t)sum->place - 1,
			exact_sum_small(sum) < 0, limit);
	sum->low = sum->high = 0;
}

void exact_sum_take(struct exact_sum *sum, unsigned __int128 magnitude, uint32_t position,
	bool negative, uint32_t limit)
{
	if (add_small(sum, magnitude, position, negative))
		return;
	/* Those to come are more likely to be near this one. */
	widen(sum, limit);
	if (!add_small(sum, magnitude, position, negative))
		exact_digits_add(&sum->wide, magnitude, position, negative, limit);
}

void exact_sum_add_any(struct exact_sum *sum, double value)
{
	uint64_t bits, mantissa;
	uint32_t exponent;

	memcpy(&bits, &value, sizeof(bits));
	exponent = (uint32_t)(bits >> EXACT_MANTISSA_BITS) & 0x7ff;
	mantissa = bits & ((UINT64_C(1) << EXACT_MANTISSA_BITS) - 1);
	if (exponent == 0x7ff) {
		exact_digits_add_special(&sum->wide, value, EXACT_SUM_DIGITS_MAX);
		return;
	}
	if (exponent > 0)
		mantissa |= UINT64_C(1) << EXACT_MANTISSA_BITS;
	exact_sum_take(
		sum, mantissa, exponent > 0 ? exponent - 1 : 0, bits >> 63, EXACT_SUM_DIGITS_MAX);
}

static uint128 read_digits(const uint8_t *bytes, uint32_t count)
{
	uint128 magnitude = 0;

	memcpy(&magnitude, bytes, count * sizeof(uint32_t));
	return magnitude;
}

bool exact_sum_merge_within(struct exact_sum *sum, const void *bytes, size_t size, uint32_t limit)
{
	const uint8_t *in = bytes;
	uint32_t count, first;

	if (size < 2 || (size - 2) % 4 != 0 || in[0] > 15)
		return false;
	first = in[1];
	if ((size - 2) / 4 > limit || first + (size - 2) / 4 > limit)
		return false;
	count = (uint32_t)((size - 2) / 4);
	if ((in[0] & ~ENCODED_NEGATIVE) || count > SMALL_DIGITS_MAX ||
		first + count + TOP_DIGITS > limit)
		exact_digits_merge(&sum->wide, in, count, limit);
	else
		exact_sum_take(sum, read_digits(in + 2, count), first * DIGIT_BITS,
			in[0] & ENCODED_NEGATIVE, limit);
	return true;
}

bool exact_sum_merge(struct exact_sum *sum, const void *bytes, size_t size)
{
	return exact_sum_merge_within(sum, bytes, size, EXACT_SUM_DIGITS_MAX);
}

/* All of it as digits, to be freed. */
static struct exact_digits *whole(const struct exact_sum *sum, uint32_t limit)
{
	struct exact_sum copy = *sum;

	copy.wide = exact_digits_copy(sum->wide);
	widen(&copy, limit);
	return copy.wide;
}

/* Sets digits from `first` on and returns how many. */
static uint32_t small_digits(const struct exact_sum *sum, uint32_t *first, uint32_t digits[5])
{
	uint128 magnitude = small_magnitude(sum);
	uint32_t position, shift, count = 0;

	*first = 0;
	if (magnitude == 0)
		return 0;
	position = (uint32_t)sum->place - 1 + trailing_zeros(magnitude);
	magnitude >>= trailing_zeros(magnitude);
	shift = position % DIGIT_BITS;
	*first = position / DIGIT_BITS;
	digits[count++] = (uint32_t)(magnitude << shift);
	for (magnitude >>= DIGIT_BITS - shift; magnitude; magnitude >>= DIGIT_BITS)
		digits[count++] = (uint32_t)magnitude;
	return count;
}

void exact_sum_magnitude(const struct exact_sum *sum, struct magnitude *out, uint32_t limit)
{
	uint32_t digits[5], count;

	if (sum->wide) {
		struct exact_digits *wide = whole(sum, limit);

		exact_digits_magnitude(wide, out);
		free(wide);
		return;
	}
	count = small_digits(sum, &out->first, digits);
	out->negative = exact_sum_small(sum) < 0;
	out->end = out->first + count;
	memset(out->digits, 0, limit * sizeof(out->digits[0]));
	memcpy(out->digits + out->first, digits, count * sizeof(*digits));
}

static size_t put_encoded(
	uint8_t *bytes, uint8_t flags, uint32_t first, const uint32_t *digits, uint32_t count)
{
	bytes[0] = flags;
	bytes[1] = (uint8_t)first;
	memcpy(bytes + 2, digits, count * sizeof(*digits));
	return 2 + count * sizeof(*digits);
}

static size_t encode_wide(const struct exact_sum *sum, uint8_t *bytes)
{
	struct exact_digits *digits = whole(sum, sum->wide->limit);
	struct magnitude m;
	uint8_t flags = digits->specials;
	bool is_zero;

	exact_digits_magnitude(digits, &m);
	free(digits);
	is_zero = m.first == m.end;
	if (m.negative && !is_zero)
		flags |= ENCODED_NEGATIVE;
	return put_encoded(
		bytes, flags, is_zero ? 0 : m.first, m.digits + m.first, m.end - m.first);
}

size_t exact_sum_encode(const struct exact_sum *sum, uint8_t *bytes)
{
	uint32_t digits[5], first, count;

	if (sum->wide)
		return encode_wide(sum, bytes);
	count = small_digits(sum, &first, digits);
	return put_encoded(
		bytes, exact_sum_small(sum) < 0 ? ENCODED_NEGATIVE : 0, first, digits, count);
}

static double round_small(const struct exact_sum *sum)
{
	uint128 magnitude = small_magnitude(sum), rest;
	uint32_t length = bit_length(magnitude), shift = length > 53 ? length - 53 : 0;
	uint64_t mantissa = (uint64_t)(magnitude >> shift);
	double value;

	if (shift > 0) {
		rest = magnitude << (128 - shift); /* half a unit is the highest bit */
		if (rest >> 127)
			mantissa += rest << 1 || (mantissa & 1);
	}
	value = ldexp((double)mantissa, (int)sum->place - 1 + (int)shift - 1074);
	return exact_sum_small(sum) < 0 ? -value : value;
}

static double round_finite(const struct exact_sum *sum)
{
	struct magnitude m;
	double mantissa;
	int exponent;

	if (!sum->wide)
		return round_small(sum);
	exact_sum_magnitude(sum, &m, EXACT_SUM_DIGITS_MAX);
	mantissa = magnitude_round(&m, &exponent);
	return ldexp(mantissa, exponent - 1074);
}

static uint8_t specials_of(const struct exact_sum *sum)
{
	return sum->wide ? sum->wide->specials : 0;
}

double exact_sum_round(const struct exact_sum *sum)
{
	uint8_t specials = specials_of(sum);

	if (specials & SPECIAL_NAN || (specials & SPECIAL_PLUS_INF && specials & SPECIAL_MINUS_INF))
		return (double)NAN;
	if (specials & SPECIAL_PLUS_INF)
		return (double)INFINITY;
	if (specials & SPECIAL_MINUS_INF)
		return -(double)INFINITY;
	return round_finite(sum);
}

bool exact_sum_overflowed(const struct exact_sum *sum)
{
	return specials_of(sum) == 0 && isinf(round_finite(sum));
}

bool exact_sum_is_finite(const struct exact_sum *sum)
{
	return specials_of(sum) == 0;
}

void exact_sum_release(struct exact_sum *sum)
{
	free(sum->wide);
	memset(sum, 0, sizeof(*sum));
}
