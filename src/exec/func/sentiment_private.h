/*
 * Between the scanner of sentiment() and its rules.
 *
 *   sentiment.c         finds words and marks in the bytes of a text
 *   sentiment_block.h   what 64 bytes are
 *   sentiment_rules.c   adds up what the words say: negation, boosters, contrast, emphasis
 *   lexicon_private.h   the words themselves, generated from data/sentiment/
 *
 * The scanner counts every word in scorer.words and tells the scorer about those of the lexicon and
 * about marks, in the order of the text.
 */
#ifndef EXEC_SENTIMENT_PRIVATE_H
#define EXEC_SENTIMENT_PRIVATE_H

#include "exec/func/lexicon_private.h"
#include "exec/func/sentiment.h"

/* How many words a modifier reaches. */
#define MODIFIER_REACH 3
/* So many words cannot hold more of them; a power of two. */
#define MODIFIERS_MAX 4

/* A word that changes the ones behind it. */
struct modifier {
	uint32_t word;	/* its number, from 1; 0 for none */
	uint32_t end;	/* the offset behind it */
	bool negation;	/* otherwise a booster */
	bool never;	/* a negation that "so" ends */
	int16_t amount; /* of a booster, in thousandths */
	int64_t own;	/* what the word added by itself */
};

/* Whether capitals are emphasis; found out when the first word in capitals asks. */
enum capitals {
	CAPITALS_UNKNOWN,
	CAPITALS_EMPHASIZE,
	CAPITALS_EVERYWHERE,
};

struct scorer {
	const char *text;
	uint32_t size;
	enum capitals capitals;
	uint32_t words;	       /* read so far; while a word is scored, its number */
	int64_t total;	       /* of the sentences that have ended */
	int64_t sentence;      /* of the one that is read */
	int64_t last;	       /* of the one that ended before it */
	int32_t weight;	       /* tenths: more behind a contrast */
	uint32_t ended;	       /* the number of words when a sentence ended */
	uint32_t barrier;      /* modifiers up to this word have no effect any more */
	uint32_t exclamations; /* behind the last sentence */
	uint32_t emoticon_end; /* marks before this offset belong to an emoticon */
	uint32_t modifier_count;
	struct modifier modifiers[MODIFIERS_MAX]; /* a ring */
};

void scorer_init(struct scorer *s, struct text text);
/* A word of the lexicon in bytes [start, end). `capitals`: it has no letters but capital ones. */
void scorer_word(struct scorer *s, const struct lexicon_word *word, uint32_t start, uint32_t end,
	bool capitals);
/* A contracted "not" that ends at `end`. */
void scorer_contraction(struct scorer *s, uint32_t end);
/* One of the bytes of block.marks. */
void scorer_mark(struct scorer *s, uint32_t at);
int32_t scorer_finish(struct scorer *s);

/* ASCII letters, digits, apostrophes, and what is not ASCII. */
static inline bool is_word_byte(char c)
{
	unsigned char byte = (unsigned char)c;

	return byte >= 0x80 || byte == '\'' || (unsigned char)((byte | 0x20) - 'a') < 26 ||
	       (unsigned char)(byte - '0') < 10;
}

#endif
