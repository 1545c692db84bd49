/*
 * Whole numbers in text that came from a file, a network or a person: digits and nothing else, no sign,
 * no spaces, and never a number that wrapped around or was cut off without a word.
 */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads the digits of `base` (10 or 16, of either case) at *text and moves *text behind them. False,
 * with nothing moved and *number as it was: there are none, or their number is above `max`.
 */
bool digits_take(const char **text, unsigned base, uint64_t max, uint64_t *number);

/* The same, of a text that is such a number and nothing else. */
bool digits_parse(const char *text, unsigned base, uint64_t max, uint64_t *number);

/* 10 and more. */
char *digits_put_long(char *out, uint64_t number);

/* The digits of a number, 20 at most, and nothing behind them. Returns where they end. */
static inline char *digits_put(char *out, uint64_t number)
{
	if (number >= 10)
		return digits_put_long(out, number);
	*out = (char)('0' + number);
	return out + 1;
}

/* So many digits, with zeros in front. */
char *digits_put_padded(char *out, uint64_t number, unsigned count);

/* Bytes as 2 * size hexadecimal digits in lower case, and nothing behind them. */
void hex_encode(const uint8_t *bytes, size_t size, char *text);
/* The same back, of digits in either case. False: they are not such. */
bool hex_decode(const char *text, size_t size, uint8_t *bytes);

#endif
