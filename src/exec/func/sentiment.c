/*
 * sentiment(): the scanner that finds the words and marks of a text.
 *
 * It reads blocks of 64 bytes, each from where the complete words of the last one ended, as bit
 * masks. A plain word, of at most 16 letters and digits, costs a hash and one bit of the lexicon's
 * filter; most words end there. What is rare (apostrophes, bytes above 127, long words) goes byte
 * by byte through read_hard_run.
 */
#include "exec/func/sentiment.h"
#include "exec/func/sentiment_block.h"
#include "exec/func/sentiment_private.h"

#include <endian.h>
#include <string.h>

#define PLAIN_WORD_MAX 16
/* Readable bytes from a block's start: a word at its end is loaded 16 bytes at a time. */
#define WINDOW_SIZE (BLOCK_SIZE + PLAIN_WORD_MAX)
#define LOWER_CASE  0x2020202020202020u

static inline uint64_t load_u64(const char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return le64toh(word);
}

/* -- Words with apostrophes, other alphabets, and more than 16 letters -- */

/* ' and its typographic forms, U+2018 and U+2019: how many bytes, 0 when it is not one. */
static uint32_t apostrophe_size(const char *at, const char *end)
{
	if (*at == '\'')
		return 1;
	return end - at >= 3 && (memcmp(at, "\xe2\x80\x98", 3) == 0 ||
					memcmp(at, "\xe2\x80\x99", 3) == 0)
		       ? 3
		       : 0;
}

/* Dashes, quotes and the like (U+2000 to U+207F) and the no-break space. */
static uint32_t separator_size(const char *at, const char *end)
{
	if (*at == '\xe2' && end - at >= 3 && (at[1] == '\x80' || at[1] == '\x81'))
		return apostrophe_size(at, end) ? 0 : 3;
	return end - at >= 2 && at[0] == '\xc2' && at[1] == '\xa0' ? 2 : 0;
}

/*
 * n't, in capitals too. More than two letters behind n' are a mangled one, as real data has them:
 * no other contraction is so long.
 */
static bool is_contracted_not(const char *stem_end, const char *suffix, const char *end)
{
	return suffix < end && (stem_end[-1] | 0x20) == 'n' &&
	       ((*suffix | 0x20) == 't' || end - suffix > 2);
}

static bool all_capitals(const char *at, const char *end)
{
	bool several = end - at > 1;

	while (at < end && *at >= 'A' && *at <= 'Z')
		at++;
	return several && at == end;
}

/* A stem of at least one byte, and what stands behind its apostrophe, which may be nothing. */
static void read_hard_word(struct scorer *s, const char *stem, const char *stem_end,
	const char *suffix, const char *end)
{
	char bytes[LEXICON_WORD_SIZE_MAX + 4] = {0};
	const struct lexicon_word *word;
	struct lexicon_key key;

	s->words++;
	if (is_contracted_not(stem_end, suffix, end)) {
		scorer_contraction(s, (uint32_t)(end - s->text));
		return;
	}
	if (stem_end - stem > LEXICON_WORD_SIZE_MAX)
		return;
	for (const char *at = stem; at < stem_end; at++)
		bytes[at - stem] = (char)(*at | 0x20);
	key.low = load_u64(bytes);
	key.high = load_u64(bytes + 8);
	key.tail = (uint32_t)load_u64(bytes + 16);
	word = lexicon_find(key, lexicon_hash(key));
	if (word)
		scorer_word(s, word, (uint32_t)(stem - s->text), (uint32_t)(end - s->text),
			all_capitals(stem, stem_end));
}

/* A run of word bytes with anything in it. */
static void read_hard_run(struct scorer *s, uint32_t start, uint32_t run_end)
{
	const char *at = s->text + start;
	const char *end = s->text + run_end;

	while (at < end) {
		const char *stem, *stem_end, *suffix;
		uint32_t skip = apostrophe_size(at, end) + separator_size(at, end);

		if (skip > 0) {
			at += skip;
			continue;
		}
		stem = at;
		while (at < end && !apostrophe_size(at, end) && !separator_size(at, end))
			at++;
		stem_end = at;
		suffix = at < end ? at + apostrophe_size(at, end) : at;
		while (at < end && !separator_size(at, end))
			at += apostrophe_size(at, end) ? apostrophe_size(at, end) : 1;
		read_hard_word(s, stem, stem_end, suffix, at);
	}
}

/* A run that fills a block and may go on. Returns its size. */
static uint32_t read_long_run(struct scorer *s, uint32_t start)
{
	uint32_t end = start + BLOCK_SIZE;

	while (end < s->size && is_word_byte(s->text[end]))
		end++;
	read_hard_run(s, start, end);
	return end - start;
}

/* -- Plain words -- */

static inline void read_plain_word(
	struct scorer *s, const char *bytes, uint32_t start, uint32_t size)
{
	/* What is not of the word becomes zero. */
	static const uint64_t masks[PLAIN_WORD_MAX + 1][2] = {
#define LOW(n) {((uint64_t)1 << 8 * (n)) - 1, 0}
#define HIGH(n)                                          \
	{                                                \
		UINT64_MAX, ((uint64_t)1 << 8 * (n)) - 1 \
	}
		LOW(0), LOW(1), LOW(2), LOW(3), LOW(4), LOW(5), LOW(6), LOW(7), HIGH(0), HIGH(1),
		HIGH(2), HIGH(3), HIGH(4), HIGH(5), HIGH(6), HIGH(7), {UINT64_MAX, UINT64_MAX}};
#undef LOW
#undef HIGH
	uint64_t low = load_u64(bytes);
	uint64_t high = load_u64(bytes + 8);
	struct lexicon_key key = {
		(low | LOWER_CASE) & masks[size][0], (high | LOWER_CASE) & masks[size][1], 0};
	uint64_t hash = lexicon_hash(key);
	const struct lexicon_word *word;

	s->words++;
	if (!lexicon_may_have(hash))
		return;
	word = lexicon_find(key, hash);
	/* Small letters and digits have the bit that capitals lack. */
	if (word)
		scorer_word(s, word, start, start + size,
			size > 1 &&
				!(((low & masks[size][0]) | (high & masks[size][1])) & LOWER_CASE));
}

/*
 * The words and marks of the block at `start`, of which `window` is a readable copy. Returns how
 * far the next block is: a word that the block cuts belongs to that one.
 */
static uint32_t read_block(struct scorer *s, const char *window, uint32_t start)
{
	struct text_block block = block_read(window);
	uint64_t events = (block.words & ~(block.words << 1)) | block.marks;

	for (; events != 0; events &= events - 1) {
		uint32_t at = (uint32_t)__builtin_ctzll(events);
		uint64_t run = block.words >> at;
		uint32_t size;

		if (block.marks >> at & 1) {
			scorer_mark(s, start + at);
			continue;
		}
		if (run == UINT64_MAX >> at)
			return at > 0 ? at : read_long_run(s, start);
		size = (uint32_t)__builtin_ctzll(~run);
		if (size > PLAIN_WORD_MAX || block.hard >> at & (((uint64_t)1 << size) - 1))
			read_hard_run(s, start + at, start + at + size);
		else
			read_plain_word(s, window + at, start + at, size);
	}
	return BLOCK_SIZE;
}

int32_t sentiment_score(struct text text)
{
	char last[WINDOW_SIZE];
	struct scorer s;
	uint32_t at = 0;

	scorer_init(&s, text);
	while (text.size - at >= WINDOW_SIZE)
		at += read_block(&s, text.data + at, at);
	while (at < text.size) {
		memset(last, 0, sizeof(last));
		memcpy(last, text.data + at, text.size - at);
		at += read_block(&s, last, at);
	}
	return scorer_finish(&s);
}
