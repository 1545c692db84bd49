/* Decimals of every form as text, and as doubles, which go through it. */
#include "base/buf.h"
#include "base/memory.h"
#include "column/number_private.h"
#include "column/numeric_long_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool parse_special(const char *text, size_t size, numeric *out)
{
	bool negative = size > 0 && *text == '-';
	size_t sign = size > 0 && (*text == '-' || *text == '+');

	if (size == 3 && strncasecmp(text, "nan", 3) == 0) {
		*out = NUMERIC_NAN;
		return true;
	}
	text += sign;
	size -= sign;
	if ((size == 3 && strncasecmp(text, "inf", 3) == 0) ||
		(size == 8 && strncasecmp(text, "infinity", 8) == 0)) {
		*out = negative ? NUMERIC_MINUS_INFINITY : NUMERIC_INFINITY;
		return true;
	}
	return false;
}

/* The digits of a number without its sign and point, terminated; false when it is not a number. */
static bool parse_digits(const char *text, size_t size, char *digits, int64_t *scale)
{
	const char *p = text, *end = text + size, *point = NULL;
	int64_t exponent = 0;
	char *to = digits;

	for (; p < end; p++) {
		if (*p == '.' && !point)
			point = p;
		else if (*p >= '0' && *p <= '9')
			*to++ = *p;
		else
			break;
	}
	*to = '\0';
	if (to == digits || (p < end && !exponent_parse(p, end, &exponent)))
		return false;
	*scale = (point ? p - point - 1 : 0) - exponent;
	return true;
}

enum numeric_fault numeric_long_parse(
	const char *text, size_t size, struct arena *arena, numeric *out)
{
	enum numeric_fault fault = NUMERIC_NOT_A_NUMBER;
	bool negative = size > 0 && *text == '-';
	size_t sign = size > 0 && (*text == '-' || *text == '+');
	char *digits;
	int64_t scale;
	mpz_t value;

	if (numeric_parse(text, size, out) || parse_special(text, size, out))
		return NUMERIC_FINE;
	digits = memory_alloc(size + 1);
	mpz_init(value);
	if (parse_digits(text + sign, size - sign, digits, &scale)) {
		const char *first = digits + strspn(digits, "0");

		fault = NUMERIC_TOO_LARGE;
		if (*first == '\0' && scale < 0)
			scale = 0;
		/* Checked before the conversion, which takes long for what is far too long. */
		if (scale <= NUMERIC_FRACTION_MAX &&
			(int64_t)strlen(first) - scale <= NUMERIC_WHOLE_MAX) {
			mpz_set_str(value, digits, 10);
			if (negative)
				mpz_neg(value, value);
			if (scale < 0)
				mpz_rescale(value, (long)scale, 0, false);
			fault = finite_store(value, scale < 0 ? 0 : (unsigned)scale, arena, out);
		}
	}
	mpz_clear(value);
	free(digits);
	return fault;
}

static void append_long(numeric n, struct buf *out)
{
	struct finite finite;
	size_t length, whole_digits;
	char *digits;

	finite_load(&finite, n);
	digits = memory_alloc(mpz_sizeinbase(finite.digits, 10) + 2);
	(void)mpz_get_str(digits, 10, finite.digits);
	length = strlen(digits);
	if (*digits == '-') {
		buf_append_char(out, '-');
		length--;
	}
	const char *first = digits + (*digits == '-');

	whole_digits = length > finite.scale ? length - finite.scale : 0;
	if (whole_digits > 0)
		buf_append(out, first, whole_digits);
	else
		buf_append_char(out, '0');
	if (finite.scale > 0)
		buf_append_char(out, '.');
	for (size_t zeros = length; zeros < finite.scale; zeros++)
		buf_append_char(out, '0');
	buf_append(out, first + whole_digits, length - whole_digits);
	free(digits);
}

void numeric_append(numeric n, struct buf *out)
{
	char text[NUMERIC_TEXT_MAX];

	if (numeric_is_plain(n))
		buf_append(out, text, numeric_format(n, text));
	else if (numeric_is_long(n))
		append_long(n, out);
	else
		buf_append_text(out, numeric_is_nan(n)	   ? "NaN"
				     : numeric_sign(n) < 0 ? "-Infinity"
							   : "Infinity");
}

double numeric_long_to_double(numeric n)
{
	struct buf text;
	double value;

	if (numeric_is_special(n))
		return numeric_is_nan(n)     ? (double)NAN
		       : numeric_sign(n) < 0 ? -(double)INFINITY
					     : (double)INFINITY;
	buf_init(&text, NUMERIC_WHOLE_MAX + NUMERIC_FRACTION_MAX + 8);
	numeric_append(n, &text);
	buf_append_char(&text, '\0');
	value = strtod(text.data, NULL);
	buf_release(&text);
	return value;
}

numeric numeric_long_from_double(double value, int digits, struct arena *arena)
{
	numeric out = 0;
	char text[48];
	int size;

	if (isnan(value))
		return NUMERIC_NAN;
	if (isinf(value))
		return value < 0 ? NUMERIC_MINUS_INFINITY : NUMERIC_INFINITY;
	size = snprintf(text, sizeof(text), "%.*g", digits, value);
	(void)numeric_long_parse(text, (size_t)size, arena, &out);
	return out;
}
