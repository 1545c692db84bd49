/*
 * What there is to say of the values of a column in bounded memory: how many different ones, quartiles, the most
 * frequent. It is the same whatever order values come in and summaries are merged in.
 *
 * As long as there are no more than SUMMARY_VALUES_MAX different values, each is kept with its count and all of it is
 * exact. Beyond that
 *
 *   different values  are estimated from registers of a HyperLogLog, within 1 % most of the time;
 *   quartiles         are values of the column whose rank is not quite theirs: values in order are 64-bit words, of which
 *                     so many low bits do not count any more that what is left has no more different ones than there is
 *                     room for. How many bits that are depends on the values alone. Of those that are taken together
 *                     the least one is known, and their count;
 *   the most frequent is not known.
 *
 * Decimals are told apart as doubles: those of more than 15 digits are not exact. Texts have no quartiles, and when different ones take
 * more than SUMMARY_TEXTS_MAX bytes they are too many.
 */
#ifndef EXEC_VALUE_SUMMARY_H
#define EXEC_VALUE_SUMMARY_H

#include "base/buf.h"
#include "column/type.h"

#define SUMMARY_VALUES_MAX 32768
#define SUMMARY_TEXTS_MAX  (4u << 20)

struct value_summary;

struct value_summary *value_summary_new(bool of_texts);
void value_summary_free(struct value_summary *summary);

/* A value in order: the word of a number (summary_word_of_double), or of what is stored as integers. */
void value_summary_add(struct value_summary *summary, uint64_t word);
void value_summary_add_text(struct value_summary *summary, struct text text);
/* A value has so many digits behind the point. */
void value_summary_note_scale(struct value_summary *summary, uint32_t scale);
/* Values are not told apart as well as they could be. */
void value_summary_note_rounded(struct value_summary *summary);

void value_summary_encode(const struct value_summary *summary, struct buf *out);
/* Adds what an encoded summary has seen. False when the bytes are none of the same kind. */
bool value_summary_merge(struct value_summary *summary, const void *bytes, size_t size);

struct summary_result {
	uint64_t distinct;
	bool exact;
	uint32_t scale;
	bool has_quartiles;
	uint64_t quartiles
		[3]; /* words; each the first value below or at which so many of them lie */
	bool has_most_frequent;
	uint64_t most_frequent;		/* the least of those; a word, or */
	struct text most_frequent_text; /* borrowed from the summary */
};

/* Sorts what is kept. */
void value_summary_read(struct value_summary *summary, struct summary_result *out);

/* Words whose unsigned order is that of the values; -0 is 0, and NaNs are one. */
uint64_t summary_word_of_double(double value);
double summary_double_of_word(uint64_t word);
uint64_t summary_word_of_i64(int64_t value);
int64_t summary_i64_of_word(uint64_t word);

#endif
