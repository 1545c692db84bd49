#include "exec/agg/exact_digits.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Makes digits first .. first + count - 1 addressable. */
static struct exact_digits *widen(
	struct exact_digits *sum, uint32_t first, uint32_t count, uint32_t limit)
{
	uint32_t end = first + count;
	struct exact_digits *wider;

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

struct exact_digits *exact_digits_carry(struct exact_digits *sum)
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
	sum = widen(sum, sum->first, sum->count + 1u, sum->limit);
	sum->digits[sum->count - 1] = over;
	return sum;
}

struct exact_digits *exact_digits_copy(const struct exact_digits *sum)
{
	size_t size = sizeof(*sum) + sum->count * sizeof(sum->digits[0]);

	return memcpy(memory_alloc(size), sum, size);
}

static void count_addition(struct exact_digits **wide)
{
	if (++(*wide)->pending >= PENDING_MAX)
		*wide = exact_digits_carry(*wide);
}

void exact_digits_add(struct exact_digits **wide, unsigned __int128 magnitude, uint32_t position,
	bool negative, uint32_t limit)
{
	uint32_t index = position / DIGIT_BITS, shift = position % DIGIT_BITS, count = 0;
	uint32_t digits[5];
	int64_t *to;

	digits[count++] = (uint32_t)(magnitude << shift);
	for (magnitude = magnitude >> (DIGIT_BITS - shift); magnitude; magnitude >>= DIGIT_BITS)
		digits[count++] = (uint32_t)magnitude;
	*wide = widen(*wide, index, count, limit);
	to = (*wide)->digits + (index - (*wide)->first);
	for (uint32_t i = 0; i < count; i++)
		to[i] += negative ? -(int64_t)digits[i] : (int64_t)digits[i];
	count_addition(wide);
}

void exact_digits_add_special(struct exact_digits **wide, double value, uint32_t limit)
{
	*wide = *wide ? *wide : widen(NULL, 0, 0, limit);
	if (value != value)
		(*wide)->specials |= SPECIAL_NAN;
	else
		(*wide)->specials |= value > 0 ? SPECIAL_PLUS_INF : SPECIAL_MINUS_INF;
}

void exact_digits_merge(
	struct exact_digits **wide, const uint8_t *bytes, uint32_t count, uint32_t limit)
{
	uint32_t first = bytes[1];
	int64_t sign = bytes[0] & ENCODED_NEGATIVE ? -1 : 1;

	if (count > 0)
		*wide = widen(*wide, first, count, limit);
	else if (!*wide)
		*wide = widen(NULL, 0, 0, limit);
	(*wide)->specials |= bytes[0] & (uint8_t)~ENCODED_NEGATIVE;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t digit;

		memcpy(&digit, bytes + 2 + 4 * (size_t)i, sizeof(digit));
		(*wide)->digits[first + i - (*wide)->first] += sign * (int64_t)digit;
	}
	count_addition(wide);
}

/* Two's complement digits to sign and magnitude. */
void exact_digits_magnitude(const struct exact_digits *sum, struct magnitude *out)
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
