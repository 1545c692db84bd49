/*
 * Whether a text is UTF-8, 32 bytes at a time: the method of Keiser and Lemire, "Validating UTF-8 in
 * less than one instruction per byte". What is wrong with two bytes that follow each other is seen
 * from three of their halves; a bit for each kind of mistake is set in all three tables where the
 * halves allow it. Third and fourth bytes are known by what stands two and three before them.
 */
#include "base/utf8_private.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define UTF8_AVX2    __attribute__((target("avx2")))
#define BLOCK	     sizeof(__m256i)
#define ASCII_BLOCKS 4 /* that are looked at together whether they are ASCII */

enum mistake {
	TOO_SHORT = 1 << 0,  /* a first byte, and no other follows */
	TOO_LONG = 1 << 1,   /* a following byte behind ASCII */
	OVERLONG_3 = 1 << 2, /* e0 80..9f */
	TOO_LARGE = 1 << 3,  /* f4 90.. and above */
	SURROGATE = 1 << 4,  /* ed a0.. */
	OVERLONG_2 = 1 << 5, /* c0, c1 */
	OVERLONG_4 = 1 << 6, /* f0 80..8f, and f5.. 80..8f */
	FOLLOWING = 1 << 7,  /* two following bytes: right if something before them says so */
};

#define CARRIED (TOO_SHORT | TOO_LONG | FOLLOWING)
#define LARGE	(CARRIED | TOO_LARGE | OVERLONG_4)

/* By the upper half of the first byte, its lower half, and the upper half of the second. */
static const uint8_t first_high[16] = {TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG,
	TOO_LONG, TOO_LONG, FOLLOWING, FOLLOWING, FOLLOWING, FOLLOWING, TOO_SHORT | OVERLONG_2,
	TOO_SHORT, TOO_SHORT | OVERLONG_3 | SURROGATE, TOO_SHORT | TOO_LARGE | OVERLONG_4};
static const uint8_t first_low[16] = {CARRIED | OVERLONG_3 | OVERLONG_2 | OVERLONG_4,
	CARRIED | OVERLONG_2, CARRIED, CARRIED, CARRIED | TOO_LARGE, LARGE, LARGE, LARGE, LARGE,
	LARGE, LARGE, LARGE, LARGE, LARGE | SURROGATE, LARGE, LARGE};
#define SECOND (TOO_LONG | OVERLONG_2 | FOLLOWING)
static const uint8_t second_high[16] = {TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
	TOO_SHORT, TOO_SHORT, TOO_SHORT, SECOND | OVERLONG_3 | OVERLONG_4,
	SECOND | OVERLONG_3 | TOO_LARGE, SECOND | SURROGATE | TOO_LARGE,
	SECOND | SURROGATE | TOO_LARGE, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT};

UTF8_AVX2 static inline __m256i look_up(const uint8_t table[16], __m256i halves)
{
	__m256i both =
		_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)table));

	return _mm256_shuffle_epi8(both, halves);
}

/* Not zero where something is wrong. `before` is the block before this one. */
UTF8_AVX2 static inline __m256i mistakes(__m256i block, __m256i before)
{
	const __m256i half = _mm256_set1_epi8(0x0f);
	__m256i middle = _mm256_permute2x128_si256(before, block, 0x21);
	__m256i one = _mm256_alignr_epi8(block, middle, 15);
	__m256i two = _mm256_alignr_epi8(block, middle, 14);
	__m256i three = _mm256_alignr_epi8(block, middle, 13);
	__m256i pair = _mm256_and_si256(
		_mm256_and_si256(
			look_up(first_high, _mm256_and_si256(_mm256_srli_epi16(one, 4), half)),
			look_up(first_low, _mm256_and_si256(one, half))),
		look_up(second_high, _mm256_and_si256(_mm256_srli_epi16(block, 4), half)));
	__m256i third = _mm256_subs_epu8(two, _mm256_set1_epi8((char)(0xe0 - 0x80)));
	__m256i fourth = _mm256_subs_epu8(three, _mm256_set1_epi8((char)(0xf0 - 0x80)));
	__m256i due =
		_mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8((char)0x80));

	return _mm256_xor_si256(due, pair);
}

/* What was seen so far. */
struct utf8_look {
	__m256i before; /* the block before; zeros when it is ASCII, of which nothing follows */
	__m256i wrong;
	bool open; /* `before` is not ASCII, and may end within a character */
};

/* Not zero when a character begins in the last three bytes of the block that does not end there. */
UTF8_AVX2 static inline __m256i unfinished(__m256i block)
{
	const __m256i most = _mm256_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
		-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, (char)(0xf0 - 1),
		(char)(0xe0 - 1), (char)(0xc0 - 1));

	return _mm256_subs_epu8(block, most);
}

/* Of most texts nearly all blocks are ASCII, in which nothing can be wrong but what stands before them. */
UTF8_AVX2 static inline void look_at_block(struct utf8_look *look, __m256i block)
{
	if (_mm256_movemask_epi8(block) != 0) {
		look->wrong = _mm256_or_si256(look->wrong, mistakes(block, look->before));
		look->before = block;
		look->open = true;
	} else if (look->open) {
		look->wrong = _mm256_or_si256(look->wrong, unfinished(look->before));
		look->before = _mm256_setzero_si256();
		look->open = false;
	}
}

UTF8_AVX2 static inline __m256i load(const char *text)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)text);
}

UTF8_AVX2 bool utf8_is_valid_avx2(const char *text, size_t size)
{
	struct utf8_look look = {_mm256_setzero_si256(), _mm256_setzero_si256(), false};
	char last[BLOCK] = {0};
	size_t at = 0;

	for (; size - at >= ASCII_BLOCKS * BLOCK; at += ASCII_BLOCKS * BLOCK) {
		__m256i a = load(text + at), b = load(text + at + BLOCK);
		__m256i c = load(text + at + 2 * BLOCK), d = load(text + at + 3 * BLOCK);
		__m256i any = _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d));

		if (!look.open && _mm256_movemask_epi8(any) == 0)
			continue;
		look_at_block(&look, a);
		look_at_block(&look, b);
		look_at_block(&look, c);
		look_at_block(&look, d);
	}
	for (; size - at >= BLOCK; at += BLOCK)
		look_at_block(&look, load(text + at));
	/* Zeros behind the end: a character that is cut off there is too short. */
	memcpy(last, text + at, size - at);
	look_at_block(&look, load(last));
	look.wrong = _mm256_or_si256(look.wrong, unfinished(look.before));
	return _mm256_testz_si256(look.wrong, look.wrong);
}

#endif
