#include "base/digits.h"

#include <assert.h>
#include <string.h>

#define NO_DIGIT 16u

static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return NO_DIGIT;
}

bool digits_take(const char **text, unsigned base, uint64_t max, uint64_t *number)
{
	const char *at = *text;
	uint64_t sum = 0;

	assert(base == 10 || base == 16);
	for (unsigned digit; (digit = digit_value(*at)) < base; at++)
		if (__builtin_mul_overflow(sum, base, &sum) ||
			__builtin_add_overflow(sum, digit, &sum))
			return false;
	if (at == *text || sum > max)
		return false;
	*text = at;
	*number = sum;
	return true;
}

bool digits_parse(const char *text, unsigned base, uint64_t max, uint64_t *number)
{
	uint64_t value;

	if (!digits_take(&text, base, max, &value) || *text != '\0')
		return false;
	*number = value;
	return true;
}

void hex_encode(const uint8_t *bytes, size_t size, char *text)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < size; i++) {
		*text++ = digits[bytes[i] >> 4];
		*text++ = digits[bytes[i] & 15];
	}
}

bool hex_decode(const char *text, size_t size, uint8_t *bytes)
{
	char digits[3] = "";
	uint64_t number;

	for (size_t i = 0; i < size; i++) {
		memcpy(digits, text + 2 * i, 2);
		if (!digits[1] || !digits_parse(digits, 16, UINT8_MAX, &number))
			return false;
		bytes[i] = (uint8_t)number;
	}
	return true;
}
