/*
 * How positive or negative an English text is. docs/sentiment.md states the rules.
 *
 * A pure function of the bytes: all sums are integers, and the last step uses only operations that
 * IEEE 754 defines exactly, so that every machine gives the same digits.
 */
#ifndef EXEC_SENTIMENT_H
#define EXEC_SENTIMENT_H

#include "column/type.h"

/* Digits after the point of a score. */
#define SENTIMENT_SCALE 4

/*
 * From -10000 to 10000: the score in units of 10^-SENTIMENT_SCALE. Any bytes will do; 0 for a text
 * without words of the lexicon, the empty one included.
 */
int32_t sentiment_score(struct text text);

#endif
