#include "column/big_private.h"
#include "column/limbs_private.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void trim(struct big *value)
{
	while (value->count > 0 && value->limb[value->count - 1] == 0)
		value->count--;
}

void big_set(struct big *out, const uint64_t *limbs, uint32_t count)
{
	assert(count <= BIG_LIMBS);
	memcpy(out->limb, limbs, count * sizeof(*limbs));
	out->count = count;
	trim(out);
}

int big_compare(const struct big *a, const struct big *b)
{
	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	for (uint32_t i = a->count; i-- > 0;)
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	return 0;
}

void big_subtract(struct big *a, const struct big *b)
{
	uint64_t borrow = 0;

	for (uint32_t i = 0; i < a->count; i++) {
		uint128 part = (uint128)a->limb[i] - (i < b->count ? b->limb[i] : 0) - borrow;

		a->limb[i] = (uint64_t)part;
		borrow = (uint64_t)(part >> 64) & 1;
	}
	assert(borrow == 0);
	trim(a);
}

void big_increase(struct big *value, uint64_t by)
{
	for (uint32_t i = 0; by > 0; i++) {
		if (i == value->count) {
			assert(value->count < BIG_LIMBS);
			value->limb[value->count++] = 0;
		}
		value->limb[i] += by;
		by = value->limb[i] < by;
	}
}

void big_multiply(struct big *value, uint64_t factor)
{
	uint64_t carry = limbs_multiply(value->limb, value->count, factor);

	if (carry > 0) {
		assert(value->count < BIG_LIMBS);
		value->limb[value->count++] = carry;
	}
	trim(value);
}

void big_multiply_power10(struct big *value, unsigned exponent)
{
	for (; exponent >= LIMB_DIGITS; exponent -= LIMB_DIGITS)
		big_multiply(value, LIMB_POWER10);
	uint64_t factor = 1;

	for (; exponent > 0; exponent--)
		factor *= 10;
	big_multiply(value, factor);
}

void big_square(struct big *value)
{
	uint64_t limbs[2 * BIG_LIMBS] = {0};
	uint32_t count = value->count;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t carry = 0;

		for (uint32_t j = 0; j < count; j++) {
			uint128 part =
				(uint128)value->limb[i] * value->limb[j] + limbs[i + j] + carry;

			limbs[i + j] = (uint64_t)part;
			carry = (uint64_t)(part >> 64);
		}
		limbs[i + count] = carry;
	}
	count *= 2;
	while (count > 0 && limbs[count - 1] == 0)
		count--;
	big_set(value, limbs, count);
}

void big_divide(struct big *value, uint128 divisor)
{
	assert(divisor != 0);
	if (divisor <= UINT64_MAX)
		(void)limbs_divide(value->limb, value->count, (uint64_t)divisor);
	else
		(void)limbs_divide_u128(value->limb, value->count, divisor);
	trim(value);
}

/* value + 2^bit, where the sum has no carry: the bit is not set. */
static struct big with_bit(const struct big *value, uint32_t bit)
{
	struct big result = *value;
	uint32_t limb = bit / 64;

	while (result.count <= limb)
		result.limb[result.count++] = 0;
	result.limb[limb] |= UINT64_C(1) << (bit % 64);
	return result;
}

static void shift_right(struct big *value, uint32_t bits)
{
	uint32_t limbs = bits / 64;

	bits %= 64;
	value->count = value->count > limbs ? value->count - limbs : 0;
	for (uint32_t i = 0; i < value->count; i++) {
		uint64_t above = i + 1 < value->count ? value->limb[i + limbs + 1] : 0;

		value->limb[i] = value->limb[i + limbs] >> bits;
		if (bits > 0)
			value->limb[i] |= above << (64 - bits);
	}
	trim(value);
}

static uint32_t count_bits(const struct big *value)
{
	if (value->count == 0)
		return 0;
	return value->count * 64 - (uint32_t)__builtin_clzll(value->limb[value->count - 1]);
}

/* The schoolbook's: two bits of the value give one of the root. */
static void root_of_any(struct big *value)
{
	struct big root = {0};
	uint32_t bit = (count_bits(value) + 1) & ~1u;

	while (bit > 0) {
		struct big trial;
		bool fits;

		bit -= 2;
		trial = with_bit(&root, bit);
		fits = big_compare(&trial, value) <= 0;

		if (fits)
			big_subtract(value, &trial);
		shift_right(&root, 1);
		if (fits)
			root = with_bit(&root, bit);
	}
	*value = root;
}

static uint64_t root_of_u128(uint128 value)
{
	double guess = sqrt((double)value);
	uint64_t root = guess >= 0x1p64 ? UINT64_MAX : (uint64_t)guess;

	if (root > 0) {
		uint128 better = (root + value / root) / 2;

		root = better > UINT64_MAX ? UINT64_MAX : (uint64_t)better;
	}
	while ((uint128)root * root > value)
		root--;
	while (root < UINT64_MAX && (uint128)(root + 1) * (root + 1) <= value)
		root++;
	return root;
}

/* The value is known to fit. */
static uint128 get_u128(const struct big *value)
{
	uint128 low = value->count > 0 ? value->limb[0] : 0;

	return value->count > 1 ? low | (uint128)value->limb[1] << 64 : low;
}

static void set_u128(struct big *out, uint128 value)
{
	const uint64_t limbs[] = {(uint64_t)value, (uint64_t)(value >> 64)};

	big_set(out, limbs, 2);
}

/* Of 129 to 250 bits: the root of the first 128, and one step of Newton's for as many again. */
static void root_by_newton(struct big *value, uint32_t bits)
{
	uint32_t half = (bits - 127) / 2;
	struct big quotient = *value, square;
	uint128 above, root;

	shift_right(&quotient, 2 * half);
	above = ((uint128)root_of_u128(get_u128(&quotient)) + 1) << half;
	quotient = *value;
	big_divide(&quotient, above);
	/* Not below the root, since `above` is not. */
	root = (above + get_u128(&quotient)) / 2;
	for (;; root--) {
		set_u128(&square, root);
		big_square(&square);
		if (big_compare(&square, value) <= 0)
			break;
	}
	set_u128(value, root);
}

void big_root(struct big *value)
{
	uint32_t bits = count_bits(value);

	if (bits > 250)
		root_of_any(value);
	else if (bits > 128)
		root_by_newton(value, bits);
	else
		set_u128(value, root_of_u128(get_u128(value)));
}

uint32_t big_digits(const struct big *value, char digits[BIG_DIGITS_MAX])
{
	struct big rest = *value;
	char *end = digits + BIG_DIGITS_MAX, *begin = end;
	uint32_t count;

	while (rest.count > 0) {
		uint64_t part = limbs_divide(rest.limb, rest.count, LIMB_POWER10);

		trim(&rest);
		for (int i = 0; i < LIMB_DIGITS && (part > 0 || rest.count > 0); i++) {
			*--begin = (char)('0' + part % 10);
			part /= 10;
		}
	}
	if (begin == end)
		*--begin = '0';
	count = (uint32_t)(end - begin);
	memmove(digits, begin, count);
	return count;
}
