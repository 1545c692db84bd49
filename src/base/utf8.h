/* UTF-8. What is read comes from data files and may be anything. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_INVALID UINT32_MAX

/*
 * The character at `text`, of which `size` > 0 bytes follow, and its length in *length. Bytes that
 * are no character (also surrogates and overlong forms) are UTF8_INVALID, one byte at a time.
 */
static inline uint32_t utf8_decode(const char *text, size_t size, size_t *length)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first = (unsigned char)text[0];
	size_t need = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	uint32_t c;

	*length = 1;
	if (need == 1)
		return first;
	if (need == 0 || need > size || first > 0xf4)
		return UTF8_INVALID;
	c = first & (0xffu >> (need + 1));
	for (size_t i = 1; i < need; i++) {
		unsigned char next = (unsigned char)text[i];

		if ((next & 0xc0) != 0x80)
			return UTF8_INVALID;
		c = c << 6 | (next & 0x3f);
	}
	if (c < least[need] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return UTF8_INVALID;
	*length = need;
	return c;
}

/* Writes a character, up to 10ffff, and returns the end of its one to four bytes. */
static inline char *utf8_encode(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*to++ = (char)(0xe0 | c >> 12);
		} else {
			*to++ = (char)(0xf0 | c >> 18);
			*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (c & 0x3f));
	return to;
}

/* How many bytes, from the first on, are ASCII. */
size_t utf8_ascii_size(const char *text, size_t size);
/* How many bytes, from the first on, are UTF-8: all of `size` when there is nothing wrong. */
size_t utf8_valid_size(const char *text, size_t size);

#endif
