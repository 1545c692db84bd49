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

/* Pairs of digits: half the divisions. */
static const char pairs[] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";

static unsigned digit_count(uint64_t number)
{
	static const uint64_t powers[] = {0, 10, 100, 1000, 10000, 100000, 1000000, 10000000,
		100000000, 1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000,
		100000000000000, 1000000000000000, 10000000000000000, 100000000000000000,
		1000000000000000000, UINT64_C(10000000000000000000)};
	/* 1233 / 4096 is nearly the logarithm of 2. */
	unsigned bits = 64 - (unsigned)__builtin_clzll(number | 1), guess = bits * 1233 >> 12;

	return guess + (number >= powers[guess]);
}

char *digits_put_padded(char *out, uint64_t number, unsigned count)
{
	char *at = out + count;

	while (at - out >= 2) {
		at -= 2;
		memcpy(at, pairs + 2 * (number % 100), 2);
		number /= 100;
	}
	if (at > out)
		*out = (char)('0' + number % 10);
	return out + count;
}

char *digits_put_long(char *out, uint64_t number)
{
	if (number < 100) {
		memcpy(out, pairs + 2 * number, 2);
		return out + 2;
	}
	return digits_put_padded(out, number, digit_count(number));
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
