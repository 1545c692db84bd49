/*
 * Texts for generated data: English-looking sentences with good and bad words in them, names of
 * people, and the quoting of CSV fields and of Python strings inside them.
 */
#ifndef GEN_TEXT_H
#define GEN_TEXT_H

#include "base/rng.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A sentence, and a person's name as a Python string in a quoted field, are shorter. */
#define TEXT_SENTENCE_MAX 512
#define TEXT_NAME_MAX	  64

char *text_put(char *out, const char *text);
char *text_put_number(char *out, uint64_t value);
/* With leading zeros, two digits. */
char *text_put_two(char *out, uint32_t value);
/* 1997-08-20 */
char *text_put_date(char *out, int64_t days);

/*
 * One sentence for the inside of a quoted field, quotes doubled. `mood` from -100 to 100 decides
 * how many good and bad words there are.
 */
char *text_put_sentence(char *out, struct rng *rng, int mood);
/* A title of two to four words, starting with `words` of a vocabulary. */
char *text_put_title(char *out, uint64_t number);

/* The name of person `number`: the same for the same number. Some have an apostrophe in them. */
char *text_put_name(char *out, uint64_t number);
/* The same as a Python string inside a quoted CSV field. */
char *text_put_python_name(char *out, uint64_t number);

/* Uniform in 0 .. bound-1, biased towards 0: the square of a uniform choice. */
static inline uint64_t text_skewed(struct rng *rng, uint64_t bound)
{
	uint64_t a = rng_below(rng, bound);

	return (uint64_t)((unsigned __int128)a * rng_below(rng, bound) / bound);
}

/* True `permil` times in a thousand. */
static inline bool text_chance(struct rng *rng, uint32_t permil)
{
	return rng_below(rng, 1000) < permil;
}

#endif
