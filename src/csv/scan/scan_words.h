/* Bit tricks on 64-bit words in plain C, for machines without instructions for them. */
#ifndef CSV_SCAN_WORDS_H
#define CSV_SCAN_WORDS_H

#include <stdint.h>
#include <string.h>

#define WORD_ONES  UINT64_C(0x0101010101010101)
#define WORD_HIGHS UINT64_C(0x8080808080808080)

/* Eight bytes of text, the first one in the lowest byte on every machine. */
static inline uint64_t word_load(const char *text)
{
	uint64_t word;

	memcpy(&word, text, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* The high bit of every byte that is zero; exact, unlike the shorter formula with a borrow. */
static inline uint64_t word_zero_bytes(uint64_t word)
{
	return ~(((word & ~WORD_HIGHS) + ~WORD_HIGHS) | word) & WORD_HIGHS;
}

/* Bit i of the result: the high bit of byte i. No other bits may be set. */
static inline uint64_t word_gather(uint64_t highs)
{
	return ((highs >> 7) * UINT64_C(0x0102040810204080)) >> 56;
}

/* Bit i of the result: byte i of the word is `c`. */
static inline uint64_t word_match(uint64_t word, char c)
{
	return word_gather(word_zero_bytes(word ^ (WORD_ONES * (uint8_t)c)));
}

/* The builtin would be a call without the popcnt instruction. */
static inline uint32_t word_count_bits(uint64_t bits)
{
	bits -= (bits >> 1) & UINT64_C(0x5555555555555555);
	bits = (bits & UINT64_C(0x3333333333333333)) + ((bits >> 2) & UINT64_C(0x3333333333333333));
	bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t)((bits * WORD_ONES) >> 56);
}

static inline uint32_t word_lowest_bit(uint64_t bits)
{
	return (uint32_t)__builtin_ctzll(bits | UINT64_C(1) << 63);
}

static inline uint64_t word_prefix_xor(uint64_t bits)
{
	bits ^= bits << 1;
	bits ^= bits << 2;
	bits ^= bits << 4;
	bits ^= bits << 8;
	bits ^= bits << 16;
	bits ^= bits << 32;
	return bits;
}

#endif
