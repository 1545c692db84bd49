#include "base/utf8.h"

#include "base/cpu_clones.h"

#include <string.h>

#define ASCII_BLOCK 64

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

size_t utf8_valid_size(const char *text, size_t size)
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
