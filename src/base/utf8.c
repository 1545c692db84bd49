#include "base/utf8_private.h"

#include "base/cpu_clones.h"

#include <string.h>

#define ASCII_BLOCK 64
#define PIECE	    4096 /* bytes of which it is known at once whether they are UTF-8 */

/* The bytes before the first block that is not all ASCII. */
CPU_CLONES static size_t skip_ascii(const char *text, size_t size)
{
	size_t done = 0;

	for (; size - done >= ASCII_BLOCK; done += ASCII_BLOCK) {
		uint64_t high = 0;

		for (size_t i = 0; i < ASCII_BLOCK; i += sizeof(high)) {
			uint64_t word;

			memcpy(&word, text + done + i, sizeof(word));
			high |= word;
		}
		if (high & UINT64_C(0x8080808080808080))
			break;
	}
	return done;
}

size_t utf8_ascii_size(const char *text, size_t size)
{
	size_t done = skip_ascii(text, size);

	while (done < size && (unsigned char)text[done] < 0x80)
		done++;
	return done;
}

/* Byte by byte where it is not ASCII. */
static size_t valid_characters(const char *text, size_t size)
{
	size_t done = 0;

	while (done < size) {
		size_t length, block;

		done += skip_ascii(text + done, size - done);
		block = size - done < ASCII_BLOCK ? size : done + ASCII_BLOCK;
		for (; done < block; done += length) {
			length = 1;
			if ((unsigned char)text[done] >= 0x80 &&
				utf8_decode(text + done, size - done, &length) == UTF8_INVALID)
				return done;
		}
	}
	return done;
}

static bool has_avx2(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

size_t utf8_valid_size(const char *text, size_t size)
{
	bool fast = has_avx2();
	size_t done = 0;

	while (fast && done < size) {
		size_t end = size - done > PIECE ? done + PIECE : size;

		/* No piece ends within a character, if it is one. */
		for (int i = 0; i < 3 && end < size && ((unsigned char)text[end] & 0xc0) == 0x80;
			i++)
			end--;
#if defined(__x86_64__)
		if (!utf8_is_valid_avx2(text + done, end - done))
			break;
#endif
		done = end;
	}
	return done + valid_characters(text + done, size - done);
}
