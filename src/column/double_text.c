/*
 * Doubles to and from text. Written as PostgreSQL writes them: the shortest digits that read back,
 * of these the nearest to the value, with an exponent below 1e-04 and from 1e+15.
 *
 * Most doubles in tables are short decimals, which plain arithmetic finds and proves. The others
 * are printed with 15, 16 and 17 digits by the C library until the text reads back.
 */
#include "base/memory.h"
#include "column/column.h"
#include "column/number_private.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 17
/* Powers of ten up to 10^22, and integers up to 2^53, are exact as doubles. */
#define EXACT_POWER_MAX	  22
#define EXACT_INTEGER_MAX (UINT64_C(1) << 53)

/* 0.d1d2d3... * 10^point */
struct decimal {
	char digits[DIGITS_MAX + 1];
	int count;
	int point;
};

static const double exact_powers[EXACT_POWER_MAX + 1] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
	1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static void decimal_strip(struct decimal *decimal)
{
	while (decimal->count > 1 && decimal->digits[decimal->count - 1] == '0')
		decimal->count--;
}

static void decimal_from_integer(uint64_t integer, int scale, struct decimal *out)
{
	char reversed[20];
	int count = 0;

	for (; integer; integer /= 10)
		reversed[count++] = (char)('0' + integer % 10);
	for (int i = 0; i < count; i++)
		out->digits[i] = reversed[count - 1 - i];
	out->count = count;
	out->point = count - scale;
	decimal_strip(out);
}

/*
 * Finds m / 10^s with the least s that is exactly `value`, for m of at most 15 digits. The quotient
 * of two exact doubles is the double nearest to the true quotient, so equality proves that the text
 * reads back; and no two decimals of 15 digits read as one double, so there is no shorter text.
 */
static bool find_short(double value, struct decimal *out)
{
	for (int scale = 0; scale <= 8; scale++) {
		double scaled = value * exact_powers[scale];

		if (scaled >= 1e15)
			return false;
		double integer = nearbyint(scaled);
		if (integer > 0 && integer / exact_powers[scale] == value) {
			decimal_from_integer((uint64_t)integer, scale, out);
			return true;
		}
	}
	return false;
}

/* The nearest decimal of `count` digits, exactly, from the C library. */
static void decimal_print(double value, int count, struct decimal *out)
{
	char printed[DIGITS_MAX + 16];
	const char *text = printed;

	snprintf(printed, sizeof(printed), "%.*e", count - 1, value);
	out->count = 0;
	for (; *text != 'e'; text++) {
		if (*text != '.')
			out->digits[out->count++] = *text;
	}
	out->point = (int)strtol(text + 1, NULL, 10) + 1;
}

/* The next decimal of as many digits. */
static void decimal_increment(struct decimal *decimal)
{
	for (int i = decimal->count - 1; i >= 0; i--) {
		if (decimal->digits[i] != '9') {
			decimal->digits[i]++;
			return;
		}
		decimal->digits[i] = '0';
	}
	decimal->digits[0] = '1';
	decimal->point++;
}

/*
 * The same from `full`, the nearest decimal of 17 digits, which saves printing again. Only when the
 * rest looks like a tie is it not clear on which side of it the value itself lies.
 */
static void decimal_round(double value, const struct decimal *full, int count, struct decimal *out)
{
	const char *rest = full->digits + count;
	int rest_count = full->count - count;

	if (rest[0] == '5' && (int)strspn(rest + 1, "0") == rest_count - 1) {
		decimal_print(value, count, out);
		return;
	}
	*out = *full;
	out->count = count;
	if (rest[0] >= '5')
		decimal_increment(out);
}

/* e+20, e-05 */
static char *put_exponent(char *p, int exponent)
{
	unsigned rest = (unsigned)abs(exponent);

	*p++ = 'e';
	*p++ = exponent < 0 ? '-' : '+';
	if (rest >= 100)
		*p++ = (char)('0' + rest / 100);
	*p++ = (char)('0' + rest / 10 % 10);
	*p++ = (char)('0' + rest % 10);
	return p;
}

static bool decimal_reads_as(const struct decimal *decimal, double value)
{
	char text[DIGITS_MAX + 8];
	char *end = mempcpy(text, decimal->digits, (size_t)decimal->count);
	double read;

	end = put_exponent(end, decimal->point - decimal->count);
	return double_parse(text, (size_t)(end - text), &read) && read == value;
}

/*
 * Whether the decimal lies exactly half way between two doubles. It may then read back as `value`
 * by the rule that ties go to the even one, but PostgreSQL does not make use of that.
 */
static bool is_half_way(const struct decimal *decimal, double value)
{
	const double neighbours[] = {nextafter(value, 0), nextafter(value, INFINITY)};
	int exponent = decimal->point - decimal->count;

	/*
	 * digits * 10^exponent = odd * 2^x, with an odd number between 2^53 and 2^54: 5^exponent
	 * must divide it, or else, times 5^-exponent, it must stay below 10^17.
	 */
	if (exponent < -1 || exponent > 23)
		return false;

	for (int i = 0; i < 2; i++) {
		/* One bit more than a double has. It has at most 17 + 23 digits: see above. */
		long double middle = ((long double)value + neighbours[i]) / 2;
		char text[80];
		struct decimal exact;
		char *p;

		if (isinf(neighbours[i]))
			continue;
		snprintf(text, sizeof(text), "%.45Le", middle);
		exact.count = 0;
		for (p = text; *p != 'e' && exact.count < decimal->count; p++) {
			if (*p != '.')
				exact.digits[exact.count++] = *p;
		}
		if (memcmp(exact.digits, decimal->digits, (size_t)decimal->count) != 0)
			continue;
		p += strspn(p, "0.");
		if (*p == 'e' && (int)strtol(p + 1, NULL, 10) + 1 == decimal->point)
			return true;
	}
	return false;
}

static bool reads_back(const struct decimal *decimal, double value)
{
	return decimal_reads_as(decimal, value) && !is_half_way(decimal, value);
}

static void find_shortest(double value, struct decimal *out)
{
	/* A denormal has fewer bits, and may need fewer than 15 digits. */
	int count = value < DBL_MIN ? 1 : DBL_DIG;
	int exponent;
	bool power_of_two = frexp(value, &exponent) == 0.5;
	struct decimal full;

	decimal_print(value, DIGITS_MAX, &full);
	full.digits[DIGITS_MAX] = '\0';
	for (; count < DIGITS_MAX; count++) {
		decimal_round(value, &full, count, out);
		if (reads_back(out, value))
			break;
		/*
		 * Below a power of two the doubles lie closer than above it. The nearest decimal
		 * may then be one below that reads as the neighbour while the next one above reads
		 * back.
		 */
		if (power_of_two) {
			decimal_increment(out);
			if (reads_back(out, value))
				break;
		}
	}
	if (count == DIGITS_MAX)
		*out = full;
	decimal_strip(out);
}

/* "d.ddde+xx" or plain digits with a point. */
static char *put_decimal(char *p, const struct decimal *decimal)
{
	int exponent = decimal->point - 1;

	if (exponent < -4 || exponent >= 15) {
		*p++ = decimal->digits[0];
		if (decimal->count > 1) {
			*p++ = '.';
			memcpy(p, decimal->digits + 1, (size_t)decimal->count - 1);
			p += decimal->count - 1;
		}
		return put_exponent(p, exponent);
	}
	if (decimal->point <= 0) {
		*p++ = '0';
		*p++ = '.';
		for (int i = decimal->point; i < 0; i++)
			*p++ = '0';
	}
	for (int i = 0; i < decimal->count || i < decimal->point; i++) {
		if (i == decimal->point && i > 0)
			*p++ = '.';
		*p++ = i < decimal->count ? decimal->digits[i] : '0';
	}
	return p;
}

size_t double_format(double value, char text[DOUBLE_TEXT_MAX])
{
	struct decimal decimal = {.count = 0};
	char *p = text;

	if (isnan(value))
		return (size_t)(stpcpy(text, "NaN") - text);
	if (signbit(value))
		*p++ = '-';
	value = fabs(value);
	if (isinf(value))
		return (size_t)(stpcpy(p, "Infinity") - text);
	if (value == 0) {
		*p++ = '0';
	} else {
		if (!find_short(value, &decimal))
			find_shortest(value, &decimal);
		p = put_decimal(p, &decimal);
	}
	*p = '\0';
	return (size_t)(p - text);
}

static bool parse_special(const char *text, size_t size, double *out)
{
	bool negative = size > 0 && *text == '-';
	size_t sign = size > 0 && (*text == '-' || *text == '+');

	if (size == 3 && strncasecmp(text, "nan", 3) == 0) {
		*out = NAN;
		return true;
	}
	text += sign;
	size -= sign;
	if ((size != 3 && size != 8) || strncasecmp(text, "infinity", size) != 0)
		return false;
	*out = negative ? -INFINITY : INFINITY;
	return true;
}

/* For what the fast way cannot read: many digits or a great exponent. The syntax is checked. */
static bool parse_slow(const char *text, size_t size, double *out)
{
	char small[128];
	char *copy = size < sizeof(small) ? small : memory_alloc(size + 1);
	double value;

	memcpy(copy, text, size);
	copy[size] = '\0';
	errno = 0;
	value = strtod(copy, NULL);
	if (copy != small)
		free(copy);
	/* Out of range, as PostgreSQL sees it; denormals are fine. */
	if (errno == ERANGE && (value == 0 || isinf(value)))
		return false;
	*out = value;
	return true;
}

bool double_parse(const char *text, size_t size, double *out)
{
	const char *p = text;
	const char *end = text + size;
	const char *start, *point = NULL;
	bool negative = size > 0 && *p == '-';
	uint64_t mantissa = 0;
	int64_t digits, exponent = 0;
	double value;

	p += size > 0 && (*p == '-' || *p == '+');
	start = p;
	for (; p < end; p++) {
		unsigned digit = (unsigned)*p - '0';

		if (digit <= 9)
			mantissa = mantissa * 10 + digit; /* may wrap, after 19 digits */
		else if (*p == '.' && !point)
			point = p;
		else
			break;
	}
	digits = p - start - (point != NULL);
	if (digits == 0)
		return parse_special(text, size, out);
	if (p < end && !exponent_parse(p, end, &exponent))
		return false;
	if (point)
		exponent -= p - point - 1;
	if (digits > 19 || mantissa > EXACT_INTEGER_MAX || exponent < -EXACT_POWER_MAX ||
		exponent > EXACT_POWER_MAX)
		return parse_slow(text, size, out);
	/* One correctly rounded operation on two exact doubles. */
	value = (double)mantissa;
	value = exponent < 0 ? value / exact_powers[-exponent] : value * exact_powers[exponent];
	*out = negative ? -value : value;
	return true;
}
