/*
 * What the bytes of a text are, 64 at a time, as bit masks: bit i stands for byte i.
 */
#ifndef EXEC_SENTIMENT_BLOCK_H
#define EXEC_SENTIMENT_BLOCK_H

#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define BLOCK_SIZE 64

struct text_block {
	uint64_t words; /* ASCII letters and digits, apostrophes, and all bytes above 127 */
	uint64_t hard;	/* apostrophes and bytes above 127 */
	uint64_t marks; /* . ! and : ; < = > ? */
};

/* For machines without SSE2, and the definition of what it computes. */
static inline struct text_block block_read_portable(const char *text)
{
	struct text_block block = {0, 0, 0};

	for (unsigned at = 0; at < BLOCK_SIZE; at++) {
		unsigned char c = (unsigned char)text[at];
		uint64_t bit = (uint64_t)1 << at;

		if (c >= 0x80 || c == '\'')
			block.hard |= bit;
		else if ((unsigned char)((c | 0x20) - 'a') < 26 || (unsigned char)(c - '0') < 10)
			block.words |= bit;
		else if (c == '.' || c == '!' || (c >= ':' && c <= '?'))
			block.marks |= bit;
	}
	block.words |= block.hard;
	return block;
}

#if defined(__SSE2__)

/* Bytes from `first` to `last`. */
static inline __m128i bytes_between(__m128i bytes, char first, char last)
{
	__m128i above = _mm_sub_epi8(bytes, _mm_set1_epi8(first));

	return _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8((char)(last - first))), above);
}

static inline uint64_t bytes_mask(__m128i bytes)
{
	return (uint32_t)_mm_movemask_epi8(bytes);
}

/* All of `text`'s BLOCK_SIZE bytes must be readable. */
static inline struct text_block block_read(const char *text)
{
	struct text_block block = {0, 0, 0};

	for (unsigned at = 0; at < BLOCK_SIZE; at += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(text + at));
		__m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
		__m128i plain = _mm_or_si128(
			bytes_between(lower, 'a', 'z'), bytes_between(bytes, '0', '9'));
		/* The sign bit of a byte is all that movemask looks at. */
		__m128i hard = _mm_or_si128(bytes, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\'')));
		__m128i ends = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('.')),
			_mm_cmpeq_epi8(bytes, _mm_set1_epi8('!')));

		block.words |= bytes_mask(_mm_or_si128(plain, hard)) << at;
		block.hard |= bytes_mask(hard) << at;
		block.marks |= bytes_mask(_mm_or_si128(ends, bytes_between(bytes, ':', '?'))) << at;
	}
	return block;
}

#else

static inline struct text_block block_read(const char *text)
{
	return block_read_portable(text);
}

#endif

#endif
