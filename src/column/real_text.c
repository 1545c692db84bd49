/*
 * Floats as text: the shortest digits that read back as the same float, in PostgreSQL's form, which
 * has an exponent from a million on. Rare beside doubles, so the C library does the digits.
 */
#include "base/buf.h"
#include "column/column.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exponents of numbers that are written without one. */
enum { PLAIN_EXPONENT_MIN = -4, PLAIN_EXPONENT_MAX = 5 };

/* With so many significant digits that it reads back: d.ddde+dd. */
static void shortest(float value, char text[DOUBLE_TEXT_MAX])
{
	for (int digits = 1; digits <= FLT_DECIMAL_DIG; digits++) {
		snprintf(text, DOUBLE_TEXT_MAX, "%.*e", digits - 1, (double)value);
		if (strtof(text, NULL) == value)
			return;
	}
}

size_t real_format(double value, char text[DOUBLE_TEXT_MAX])
{
	char scientific[DOUBLE_TEXT_MAX], digits[DOUBLE_TEXT_MAX];
	int exponent, count = 0, size;
	const char *sign = signbit(value) ? "-" : "";

	if (!isfinite(value) || value == 0)
		return double_format(value, text);
	shortest((float)fabs(value), scientific);
	exponent = (int)strtol(strchr(scientific, 'e') + 1, NULL, 10);
	for (const char *at = scientific; *at != 'e'; at++)
		if (*at != '.')
			digits[count++] = *at;
	while (count > 1 && digits[count - 1] == '0')
		count--;
	if (exponent < PLAIN_EXPONENT_MIN || exponent > PLAIN_EXPONENT_MAX)
		size = snprintf(text, DOUBLE_TEXT_MAX, "%s%c%s%.*se%+03d", sign, digits[0],
			count > 1 ? "." : "", count - 1, digits + 1, exponent);
	else if (exponent < 0)
		size = snprintf(text, DOUBLE_TEXT_MAX, "%s0.%.*s%.*s", sign, -exponent - 1, "000",
			count, digits);
	else if (count <= exponent + 1)
		size = snprintf(text, DOUBLE_TEXT_MAX, "%s%.*s%.*s", sign, count, digits,
			exponent + 1 - count, "00000");
	else
		size = snprintf(text, DOUBLE_TEXT_MAX, "%s%.*s.%.*s", sign, exponent + 1, digits,
			count - exponent - 1, digits + exponent + 1);
	return (size_t)size;
}

bool real_parse(const char *text, size_t size, double *out)
{
	struct buf copy;
	double value;

	if (!double_parse(text, size, &value))
		return false;
	if (!isfinite(value)) {
		*out = value;
		return true;
	}
	buf_init(&copy, size + 1);
	buf_append(&copy, text, size);
	buf_append_char(&copy, '\0');
	*out = (double)strtof(copy.data, NULL);
	buf_release(&copy);
	return isfinite(*out) && (*out != 0 || value == 0);
}
