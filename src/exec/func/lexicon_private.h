/*
 * The words that sentiment() knows, as tools/embed_lexicon.py writes them into the binary.
 *
 * A word is looked up by its letters in lower case: 8 bytes in `low`, 8 in `high`, 4 in `tail`,
 * little endian and padded with zeros. One bit of the filter tells most words that they are not
 * there. A word that passes has one slot where it can be: no two words of the lexicon share one,
 * because each bucket has a multiplier that keeps its words apart.
 */
#ifndef EXEC_LEXICON_PRIVATE_H
#define EXEC_LEXICON_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

#define LEXICON_FILTER_BITS	  17
#define LEXICON_BUCKET_BITS	  11
#define LEXICON_SLOT_BITS	  13
#define LEXICON_WORD_SIZE_MAX	  20
#define LEXICON_EMOTICON_SIZE_MAX 4

/* What a word does beside having a valence; docs/sentiment.md explains each. */
enum word_kind {
	WORD_PLAIN,
	WORD_NEGATION,	   /* turns what follows */
	WORD_NEVER,	   /* a negation, but not in "never so" */
	WORD_LEAST,	   /* a negation, but not in "at least" and "very least" */
	WORD_BOOSTER,	   /* strengthens what follows, or weakens it: by `amount` */
	WORD_SO,	   /* a booster that ends what "never" does */
	WORD_BEFORE_OF,	   /* a booster before "of": "kind of" */
	WORD_CONTRAST,	   /* "but" */
	WORD_NOT_AFTER_AS, /* says nothing in "as well" */
	WORD_VERB,	   /* "like": counts only where it is a verb */
	WORD_IF_NEGATED,   /* has the valence `amount` when it is negated: "can't stand" */
	WORD_MARKUP,	   /* "&quot;": not a word of the text */
};

struct lexicon_word {
	uint64_t low; /* 0 for an empty slot */
	uint64_t high;
	uint32_t tail;
	int8_t valence; /* in tenths */
	uint8_t kind;	/* enum word_kind */
	int16_t amount; /* in thousandths */
};

struct lexicon_emoticon {
	char text[LEXICON_EMOTICON_SIZE_MAX + 1];
	uint8_t size;
	int8_t valence; /* in tenths */
};

extern const uint64_t lexicon_filter[1 << LEXICON_FILTER_BITS >> 6];
extern const uint16_t lexicon_steps[1 << LEXICON_BUCKET_BITS];
extern const struct lexicon_word lexicon_words[1 << LEXICON_SLOT_BITS];
/* The longest first. */
extern const struct lexicon_emoticon lexicon_emoticons[];
extern const uint32_t lexicon_emoticon_count;

struct lexicon_key {
	uint64_t low;
	uint64_t high;
	uint32_t tail;
};

static inline uint64_t lexicon_hash(struct lexicon_key key)
{
	return key.low * 0x9e3779b97f4a7c15u ^ key.high * 0xc2b2ae3d27d4eb4fu ^
	       key.tail * 0xd6e8feb86659fd93u;
}

/* Whether a word with this hash can be in the lexicon: one in twenty that are not there passes. */
static inline int lexicon_may_have(uint64_t hash)
{
	uint64_t bit = hash >> (64 - LEXICON_FILTER_BITS);

	return lexicon_filter[bit >> 6] >> (bit & 63) & 1;
}

/* NULL when it is not there. */
static inline const struct lexicon_word *lexicon_find(struct lexicon_key key, uint64_t hash)
{
	uint64_t spread = (hash ^ hash >> 32) * 0xff51afd7ed558ccdu;
	uint32_t step = 2u * lexicon_steps[spread >> (64 - LEXICON_BUCKET_BITS)] + 1;
	uint32_t slot = (uint32_t)(spread >> 8) * step >> (32 - LEXICON_SLOT_BITS);
	const struct lexicon_word *word = &lexicon_words[slot];

	return word->low == key.low && word->high == key.high && word->tail == key.tail ? word
											: NULL;
}

#endif
