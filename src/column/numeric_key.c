#include "column/numeric_key.h"

#include "base/buf.h"
#include "base/memory.h"
#include "column/canonical.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEY_ZERO = 0x80,
	KEY_LOW_EXPONENT = 0x90,
	KEY_EXPONENT_0 = 0xc0,
	KEY_HIGH_EXPONENT = 0xf0,
	KEY_INFINITY = 0xfe,
	KEY_NAN = 0xff,
	EXPONENT_MAX = 40, /* in the first byte */
	EXPONENT_SIZE = 4, /* of another one */
};

#define EXPONENT_BIAS (INT64_C(1) << 31)
/* As many pairs as 128 bits hold for certain. */
#define PLAIN_PAIRS_MAX 18
#define KEY_ARENA_BLOCK 1024

static unsigned count_digits(unsigned __int128 value)
{
	unsigned digits = 1;

	if (value >> 64) {
		digits = 20;
		while (digits < 39 && value >= (unsigned __int128)numeric_power10[digits])
			digits++;
		return digits;
	}
	for (uint64_t rest = (uint64_t)value; rest >= 10; rest /= 10)
		digits++;
	return digits;
}

/* Writes the pairs of `value`, whose trailing zeros are gone, first digit first. */
static uint8_t *put_pairs(uint8_t *out, unsigned __int128 value, unsigned digits)
{
	unsigned pairs = (digits + 1) / 2;

	if (digits % 2)
		value *= 10;
	for (unsigned i = pairs; i-- > 0;) {
		unsigned pair;

		if (value >> 64) {
			pair = (unsigned)(value % 100);
			value /= 100;
		} else {
			pair = (unsigned)((uint64_t)value % 100);
			value = (uint64_t)value / 100;
		}
		out[i] = (uint8_t)(2 * pair + (i + 1 < pairs));
	}
	return out + pairs;
}

static uint8_t *put_plain(uint8_t *out, numeric n)
{
	numeric canonical = canonical_numeric(n);
	int128 mantissa = numeric_mantissa(canonical);
	unsigned __int128 value =
		mantissa < 0 ? -(unsigned __int128)mantissa : (unsigned __int128)mantissa;
	uint8_t *start = out;

	if (value == 0) {
		*out++ = KEY_ZERO;
	} else {
		unsigned digits = count_digits(value);
		int exponent = (int)digits - (int)numeric_scale(canonical);

		/* Only integers can end in zeros once the scale is the least. */
		while (value >> 64 && value % 10 == 0) {
			value /= 10;
			digits--;
		}
		while (!(value >> 64) && (uint64_t)value % 10 == 0) {
			value = (uint64_t)value / 10;
			digits--;
		}
		*out++ = (uint8_t)(KEY_EXPONENT_0 + exponent);
		out = put_pairs(out, value, digits);
		for (uint8_t *byte = start; mantissa < 0 && byte < out; byte++)
			*byte = (uint8_t) ~*byte;
	}
	return out;
}

static uint8_t *put_exponent(uint8_t *out, long exponent)
{
	uint64_t value = (uint64_t)(exponent > 0 ? exponent : exponent + EXPONENT_BIAS);

	if (labs(exponent) <= EXPONENT_MAX) {
		*out++ = (uint8_t)(KEY_EXPONENT_0 + exponent);
		return out;
	}
	*out++ = exponent > 0 ? KEY_HIGH_EXPONENT : KEY_LOW_EXPONENT;
	for (unsigned i = EXPONENT_SIZE; i-- > 0;)
		*out++ = (uint8_t)(value >> 8 * i);
	return out;
}

/* The digits of a text with a point in it, without zeros around them; returns the exponent. */
static long trim_digits(char *text, size_t *size)
{
	char *point = memchr(text, '.', *size);
	size_t whole = point ? (size_t)(point - text) : *size, zeros = 0;

	if (point) {
		memmove(point, point + 1, *size - whole - 1);
		*size -= 1;
	}
	while (*size > 0 && text[*size - 1] == '0')
		*size -= 1;
	while (zeros < *size && text[zeros] == '0')
		zeros++;
	memmove(text, text + zeros, *size - zeros);
	*size -= zeros;
	return (long)whole - (long)zeros;
}

static uint8_t *put_long(uint8_t *out, numeric n)
{
	uint8_t *start = out;
	struct buf text;
	size_t size;
	long exponent;

	buf_init(&text, NUMERIC_WHOLE_MAX + NUMERIC_FRACTION_MAX + 8);
	numeric_append(numeric_long_abs(n), &text);
	size = text.size;
	exponent = trim_digits(text.data, &size);
	if (size == 0)
		*out++ = KEY_ZERO;
	else
		out = put_exponent(out, exponent);
	for (size_t i = 0; i < size; i += 2) {
		unsigned pair = (unsigned)(text.data[i] - '0') * 10;

		pair += i + 1 < size ? (unsigned)(text.data[i + 1] - '0') : 0;
		*out++ = (uint8_t)(2 * pair + (i + 2 < size));
	}
	buf_release(&text);
	for (uint8_t *byte = start; numeric_sign(n) < 0 && byte < out; byte++)
		*byte = (uint8_t) ~*byte;
	return out;
}

size_t numeric_key_long_size(numeric n)
{
	uint32_t count;

	if (!numeric_is_long(n))
		return 0;
	(void)numeric_long_limbs(n, &count);
	/* A limb has less than 20 digits. */
	return EXPONENT_SIZE + 10 * (size_t)count;
}

uint8_t *numeric_key_put(uint8_t *out, numeric n, bool exact)
{
	unsigned scale = numeric_display_scale(n);

	if (numeric_is_plain(n))
		out = put_plain(out, n);
	else if (numeric_is_long(n))
		out = put_long(out, n);
	else if (n == NUMERIC_MINUS_INFINITY)
		*out++ = (uint8_t)~KEY_INFINITY;
	else
		*out++ = numeric_is_nan(n) ? KEY_NAN : KEY_INFINITY;
	if (exact) {
		*out++ = (uint8_t)(scale >> 8);
		*out++ = (uint8_t)scale;
	}
	return out;
}

/* floor(n * 10^4), within 64 bits. */
int64_t numeric_key_abbreviate(numeric n)
{
	enum { DIGITS = 4 };
	int128 mantissa = numeric_mantissa(n);
	unsigned scale = numeric_scale(n);
	int64_t product;

	if (!numeric_is_plain(n))
		return numeric_long_floor_i64(n, DIGITS);
	if (scale <= DIGITS) {
		static const int64_t power[] = {1, 10, 100, 1000, 10000};

		if ((int64_t)mantissa == mantissa &&
			!__builtin_mul_overflow((int64_t)mantissa, power[DIGITS - scale], &product))
			return product;
		return mantissa < 0 ? INT64_MIN : INT64_MAX;
	}
	int128 quotient = mantissa / numeric_power10[scale - DIGITS];

	quotient -= mantissa < 0 && mantissa % numeric_power10[scale - DIGITS] != 0;
	if (quotient > INT64_MAX)
		return INT64_MAX;
	return quotient < INT64_MIN ? INT64_MIN : (int64_t)quotient;
}

/* What a key says of a value that is finite. */
struct key_number {
	bool negative;
	long exponent;
	const uint8_t *pairs;
	uint32_t pair_count;
	uint8_t flip; /* of the pairs */
};

static const uint8_t *read_number(const uint8_t *in, uint8_t flip, struct key_number *number)
{
	uint8_t lead = *in++ ^ flip;

	*number = (struct key_number){.negative = lead < KEY_ZERO};
	number->flip = flip ^ (number->negative ? 0xff : 0);
	lead ^= number->negative ? 0xff : 0;
	if (lead == KEY_ZERO || lead >= KEY_INFINITY)
		return in;
	number->exponent = (long)lead - KEY_EXPONENT_0;
	if (lead == KEY_HIGH_EXPONENT || lead == KEY_LOW_EXPONENT) {
		number->exponent = 0;
		for (unsigned i = 0; i < EXPONENT_SIZE; i++)
			number->exponent = number->exponent << 8 | (*in++ ^ number->flip);
		if (lead == KEY_LOW_EXPONENT)
			number->exponent -= EXPONENT_BIAS;
	}
	number->pairs = in;
	while ((*in++ ^ number->flip) & 1)
		continue;
	number->pair_count = (uint32_t)(in - number->pairs);
	return in;
}

static numeric plain_number(const struct key_number *number, unsigned scale)
{
	long exponent = number->exponent + (long)scale - 2 * (long)number->pair_count;
	int128 digits = 0;

	for (uint32_t i = 0; i < number->pair_count; i++)
		digits = digits * 100 + (number->pairs[i] ^ number->flip) / 2;
	/* An odd number of digits was padded with one zero. */
	if (digits != 0)
		digits = exponent < 0 ? digits / 10 : digits * numeric_power10[exponent];
	return numeric_pack(number->negative ? -digits : digits, scale);
}

static numeric long_number(const struct key_number *number, unsigned scale, struct arena *arena)
{
	size_t room = 2 * (size_t)number->pair_count + 32;
	char *text = memory_alloc(room), *at = text;
	numeric out = 0;

	if (number->pair_count == 0)
		*at++ = '0';
	else if (number->negative)
		*at++ = '-';
	for (uint32_t i = 0; i < number->pair_count; i++) {
		unsigned pair = (unsigned)(number->pairs[i] ^ number->flip) / 2;

		*at++ = (char)('0' + pair / 10);
		*at++ = (char)('0' + pair % 10);
	}
	/* The last digit may be the zero that made a pair: a scale has no place for it. */
	if (number->pair_count > 0 && at[-1] == '0')
		at--;
	if (number->pair_count > 0)
		at += snprintf(
			at, 24, "e%ld", number->exponent - (long)(at - text - number->negative));
	(void)numeric_long_parse(text, (size_t)(at - text), arena, &out);
	free(text);
	return numeric_long_at_scale(out, scale, arena);
}

const uint8_t *numeric_key_skip(const uint8_t *in, uint8_t flip, bool exact)
{
	struct key_number number;

	return read_number(in, flip, &number) + (exact ? NUMERIC_KEY_SCALE : 0);
}

const uint8_t *numeric_key_get(const uint8_t *in, uint8_t flip, struct arena *arena, numeric *out)
{
	uint8_t lead = *in ^ flip;
	struct key_number number;
	unsigned scale;

	in = read_number(in, flip, &number);
	scale = (unsigned)(in[0] ^ flip) << 8 | (in[1] ^ flip);
	if (lead == KEY_NAN)
		*out = NUMERIC_NAN;
	else if (lead == KEY_INFINITY)
		*out = NUMERIC_INFINITY;
	else if (lead == (uint8_t)~KEY_INFINITY)
		*out = NUMERIC_MINUS_INFINITY;
	else if (scale <= NUMERIC_SCALE_MAX && number.pair_count <= PLAIN_PAIRS_MAX &&
		 (number.pair_count == 0 || number.exponent + (long)scale <= NUMERIC_DIGITS_MAX))
		*out = plain_number(&number, scale);
	else
		*out = long_number(&number, scale, arena);
	return in + NUMERIC_KEY_SCALE;
}

size_t numeric_key_length(const void *bytes, size_t size)
{
	const uint8_t *start = bytes, *in = start, *end = start + size;
	uint8_t flip, lead;

	if (in == end)
		return 0;
	flip = *in < KEY_ZERO ? 0xff : 0;
	lead = *in++ ^ flip;
	if (lead == KEY_ZERO || lead >= KEY_INFINITY)
		return 1;
	if (lead == KEY_HIGH_EXPONENT || lead == KEY_LOW_EXPONENT)
		in = end - in > EXPONENT_SIZE ? in + EXPONENT_SIZE : end;
	for (; in < end; in++) {
		if ((*in ^ flip) / 2 >= 100)
			return 0;
		if (((*in ^ flip) & 1) == 0)
			return (size_t)(in + 1 - start);
	}
	return 0;
}

bool numeric_key_is_legal(const uint8_t *in, size_t size)
{
	struct key_number number;
	struct arena arena;
	bool same;
	uint8_t *again;
	numeric value;

	if (size <= NUMERIC_KEY_SCALE ||
		numeric_key_length(in, size - NUMERIC_KEY_SCALE) != size - NUMERIC_KEY_SCALE)
		return false;
	read_number(in, 0, &number);
	if (number.exponent > NUMERIC_WHOLE_MAX || number.exponent < -NUMERIC_FRACTION_MAX ||
		number.pair_count > (NUMERIC_WHOLE_MAX + NUMERIC_FRACTION_MAX) / 2 + 1)
		return false;
	/* What is written for the value that they stand for are the same bytes. */
	arena_init(&arena, KEY_ARENA_BLOCK);
	numeric_key_get(in, 0, &arena, &value);
	again = (uint8_t *)arena_alloc_bytes(
		&arena, NUMERIC_KEY_MAX + numeric_key_long_size(value));
	same = (size_t)(numeric_key_put(again, value, true) - again) == size &&
	       memcmp(again, in, size) == 0;
	arena_release(&arena);
	return same;
}
