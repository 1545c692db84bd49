/* What the readers of decimals and of doubles share. */
#ifndef COLUMN_NUMBER_PRIVATE_H
#define COLUMN_NUMBER_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

/* Past this an exponent is saturated: no text is long enough to make up for it. */
#define EXPONENT_LIMIT INT64_C(1000000000)

/* Reads e[+-]digits from p, which is before `end`, up to `end`. False when it is not that. */
static inline bool exponent_parse(const char *p, const char *end, int64_t *exponent)
{
	bool negative;
	int64_t value = 0;

	if (*p != 'e' && *p != 'E')
		return false;
	p++;
	negative = p < end && *p == '-';
	p += p < end && (*p == '-' || *p == '+');
	if (p == end)
		return false;
	for (; p < end; p++) {
		unsigned digit = (unsigned)*p - '0';

		if (digit > 9)
			return false;
		if (value < EXPONENT_LIMIT)
			value = value * 10 + digit;
	}
	*exponent = negative ? -value : value;
	return true;
}

#endif
