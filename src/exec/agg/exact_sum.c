#include "exec/agg/exact_sum.h"
#include "base/memory.h"
#include "exec/agg/exact_sum_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An addition touches three neighbouring digits. */
#define SPAN 3

struct exact_sum *exact_sum_widen(
	struct exact_sum *sum, uint32_t first, uint32_t count, uint32_t limit)
{
	uint32_t end = first + count;
	struct exact_sum *wider;

	if (sum && sum->count > 0) {
		if (first >= sum->first && end <= (uint32_t)sum->first + sum->count)
			return sum;
		first = first < sum->first ? first : sum->first;
		end = end > (uint32_t)sum->first + sum->count ? end
							      : (uint32_t)sum->first + sum->count;
	}
	wider = memory_zalloc(sizeof(*wider) + (end - first) * sizeof(wider->digits[0]));
	wider->limit = (uint8_t)limit;
	wider->first = (uint8_t)first;
	wider->count = (uint8_t)(end - first);
	if (sum) {
		wider->pending = sum->pending;
		wider->specials = sum->specials;
		memcpy(wider->digits + (sum->count ? sum->first - first : 0), sum->digits,
			sum->count * sizeof(sum->digits[0]));
		free(sum);
	}
	return wider;
}

struct exact_sum *exact_sum_carry(struct exact_sum *sum)
{
	int64_t over = 0;

	if (sum->count == 0)
		return sum;
	for (uint32_t i = 0; i + 1 < sum->count; i++) {
		int64_t digit = sum->digits[i] + over;

		over = digit >> DIGIT_BITS;
		sum->digits[i] = digit & UINT32_MAX;
	}
	sum->digits[sum->count - 1] += over;
	sum->pending = 1;
	over = sum->digits[sum->count - 1] >> DIGIT_BITS;
	if ((over == 0 || over == -1) || sum->first + sum->count == sum->limit)
		return sum;
	sum->digits[sum->count - 1] &= UINT32_MAX;
	sum = exact_sum_widen(sum, sum->first, sum->count + 1u, sum->limit);
	sum->digits[sum->count - 1] = over;
	return sum;
}

static void add_special(struct exact_sum **sum, double value)
{
	*sum = *sum ? *sum : exact_sum_widen(NULL, 0, 0, EXACT_SUM_DIGITS_MAX);
	if (value != value)
		(*sum)->specials |= SPECIAL_NAN;
	else
		(*sum)->specials |= value > 0 ? SPECIAL_PLUS_INF : SPECIAL_MINUS_INF;
}

void exact_sum_add(struct exact_sum **sum, double value)
{
	struct exact_sum *s = *sum;
	uint64_t bits;
	uint32_t exponent, position, index;
	uint64_t mantissa;
	unsigned __int128 shifted;
	int64_t sign;

	memcpy(&bits, &value, sizeof(bits));
	exponent = (uint32_t)(bits >> 52) & 0x7ff;
	mantissa = bits & ((UINT64_C(1) << 52) - 1);
	if (exponent == 0x7ff) {
		add_special(sum, value);
		return;
	}
	if (exponent > 0)
		mantissa |= UINT64_C(1) << 52;
	position = exponent > 0 ? exponent - 1 : 0; /* of the lowest bit, above 2^-1074 */
	index = position / DIGIT_BITS;
	shifted = (unsigned __int128)mantissa << (position % DIGIT_BITS);
	sign = bits >> 63 ? -1 : 1;

	if (!s || index < s->first || index + SPAN > (uint32_t)s->first + s->count)
		*sum = s = exact_sum_widen(s, index, SPAN, EXACT_SUM_DIGITS_MAX);
	s->digits[index - s->first] += sign * (int64_t)((uint64_t)shifted & UINT32_MAX);
	s->digits[index - s->first + 1] += sign * (int64_t)((uint64_t)shifted >> DIGIT_BITS);
	s->digits[index - s->first + 2] += sign * (int64_t)(shifted >> 64);
	if (++s->pending >= PENDING_MAX)
		*sum = exact_sum_carry(s);
}

/* Two's complement digits to sign and magnitude. */
void exact_sum_magnitude(const struct exact_sum *sum, struct magnitude *out)
{
	int64_t over = 0;
	uint32_t end = (uint32_t)sum->first + sum->count;
	/* The last digit is wider than its neighbours: what is above goes into two more. */
	uint32_t end_max = end + 2 < sum->limit ? end + 2 : sum->limit;

	memset(out->digits, 0, sum->limit * sizeof(out->digits[0]));
	for (uint32_t i = 0; i < sum->count; i++) {
		int64_t digit = sum->digits[i] + over;

		out->digits[sum->first + i] = (uint32_t)digit;
		over = digit >> DIGIT_BITS;
	}
	out->negative = over < 0;
	for (; end < end_max; end++) {
		out->digits[end] = (uint32_t)over;
		over >>= DIGIT_BITS;
	}
	if (out->negative) {
		uint64_t borrow = 1;

		for (uint32_t i = sum->first; i < end; i++) {
			borrow += (uint32_t)~out->digits[i];
			out->digits[i] = (uint32_t)borrow;
			borrow >>= DIGIT_BITS;
		}
	}
	out->first = sum->first;
	while (end > out->first && out->digits[end - 1] == 0)
		end--;
	while (out->first < end && out->digits[out->first] == 0)
		out->first++;
	out->end = end;
}

size_t exact_sum_encode(struct exact_sum *sum, uint8_t bytes[EXACT_SUM_ENCODED_MAX])
{
	struct magnitude m;
	size_t size = 2;

	bytes[0] = 0;
	bytes[1] = 0;
	if (!sum)
		return size;
	exact_sum_magnitude(sum, &m);
	bytes[0] = sum->specials;
	if (m.first == m.end)
		return size;
	if (m.negative)
		bytes[0] |= ENCODED_NEGATIVE;
	bytes[1] = (uint8_t)m.first;
	for (uint32_t i = m.first; i < m.end; i++) {
		for (unsigned shift = 0; shift < DIGIT_BITS; shift += 8)
			bytes[size++] = (uint8_t)(m.digits[i] >> shift);
	}
	return size;
}

size_t exact_sum_encode_one(double value, uint8_t bytes[EXACT_SUM_ENCODED_MAX])
{
	_Alignas(struct exact_sum) char room[sizeof(struct exact_sum) + SPAN * sizeof(int64_t)] = {
		0};
	struct exact_sum *sum = (struct exact_sum *)room;
	int exponent;

	if (isfinite(value)) {
		/* The same span that exact_sum_add would ask for, so that it never reallocates. */
		frexp(value, &exponent);
		exponent = value == 0 || exponent - 53 < -1074 ? 0 : exponent - 53 + 1074;
		sum->first = (uint8_t)(exponent / DIGIT_BITS);
		sum->count = SPAN;
	}
	sum->limit = EXACT_SUM_DIGITS_MAX;
	exact_sum_add(&sum, value);
	return exact_sum_encode(sum, bytes);
}

bool exact_sum_merge_within(struct exact_sum **sum, const void *bytes, size_t size, uint32_t limit)
{
	const uint8_t *in = bytes;
	uint32_t count, first;
	int64_t sign;

	if (size < 2 || (size - 2) % 4 != 0 || in[0] > 15)
		return false;
	first = in[1];
	if ((size - 2) / 4 > limit || first + (size - 2) / 4 > limit)
		return false;
	count = (uint32_t)((size - 2) / 4);
	if (count > 0)
		*sum = exact_sum_widen(*sum, first, count, limit);
	else if (!*sum)
		*sum = exact_sum_widen(NULL, 0, 0, limit);
	(*sum)->specials |= in[0] & (uint8_t)~ENCODED_NEGATIVE;
	sign = in[0] & ENCODED_NEGATIVE ? -1 : 1;
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *digit = in + 2 + 4 * (size_t)i;
		uint32_t value = (uint32_t)digit[0] | (uint32_t)digit[1] << 8 |
				 (uint32_t)digit[2] << 16 | (uint32_t)digit[3] << 24;

		(*sum)->digits[first + i - (*sum)->first] += sign * (int64_t)value;
	}
	if (++(*sum)->pending >= PENDING_MAX)
		*sum = exact_sum_carry(*sum);
	return true;
}

bool exact_sum_merge(struct exact_sum **sum, const void *bytes, size_t size)
{
	return exact_sum_merge_within(sum, bytes, size, EXACT_SUM_DIGITS_MAX);
}

double magnitude_round(const struct magnitude *m, int *exponent)
{
	uint32_t top, low, shift, digit = m->end - 1; /* the first and last bit kept */
	unsigned __int128 window = 0, rest;
	uint64_t mantissa;

	*exponent = 0;
	if (m->first == m->end)
		return 0;
	top = m->end * DIGIT_BITS - 1 - (uint32_t)__builtin_clz(m->digits[digit]);
	low = top > 52 ? top - 52 : 0;
	/* Three digits hold all that is kept and the bit below. */
	for (uint32_t i = 0; i < 3; i++)
		window = window << DIGIT_BITS | (digit >= i ? m->digits[digit - i] : 0);
	shift = low + 2 * DIGIT_BITS - digit * DIGIT_BITS;
	mantissa = (uint64_t)(window >> shift);
	rest = window << (128 - shift); /* half a unit is the highest bit */
	if (rest >> 127) {
		bool above_half = rest << 1 || m->first + 2 < digit;

		mantissa += above_half || (mantissa & 1);
	}
	*exponent = (int)low;
	return m->negative ? -(double)mantissa : (double)mantissa;
}

static double round_finite(const struct exact_sum *sum)
{
	struct magnitude m;
	double mantissa;
	int exponent;

	exact_sum_magnitude(sum, &m);
	mantissa = magnitude_round(&m, &exponent);
	return ldexp(mantissa, exponent - 1074);
}

double exact_sum_round(struct exact_sum *sum)
{
	if (!sum)
		return 0;
	if (sum->specials & SPECIAL_NAN ||
		(sum->specials & SPECIAL_PLUS_INF && sum->specials & SPECIAL_MINUS_INF))
		return (double)NAN;
	if (sum->specials & SPECIAL_PLUS_INF)
		return (double)INFINITY;
	if (sum->specials & SPECIAL_MINUS_INF)
		return -(double)INFINITY;
	return round_finite(sum);
}

bool exact_sum_overflowed(struct exact_sum *sum)
{
	return sum && sum->specials == 0 && isinf(round_finite(sum));
}

bool exact_sum_is_finite(const struct exact_sum *sum)
{
	return !sum || sum->specials == 0;
}

void exact_sum_free(struct exact_sum *sum)
{
	free(sum);
}
