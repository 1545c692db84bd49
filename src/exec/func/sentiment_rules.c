/*
 * The rules of sentiment(), as docs/sentiment.md states them.
 *
 * Sums are exact integers. A valence has one decimal and a booster three; the percentages of
 * distance and of negation and the tenths of a contrast add five: the unit is 10^-8. A text of
 * TEXT_SIZE_MAX bytes has fewer than 2^25 words of less than 2^31 units each.
 */
#include "exec/func/sentiment_private.h"

#include <math.h>
#include <string.h>

#define UNITS_PER_ONE 1e8
/* Added to a valence in capitals, in thousandths. */
#define CAPITALS_AMOUNT 733
/* What a negation leaves of a valence, in percent. */
#define NEGATED_PERCENT (-74)
/* What one exclamation mark adds to its sentence, in units, and how many of them count. */
#define EXCLAMATION_UNITS 29200000
#define EXCLAMATIONS_MAX  4
/* In tenths. Behind a contrast words weigh more; what stood before it is halved. */
#define WEIGHT_PLAIN	  10
#define WEIGHT_CONTRASTED 15
/* Letters between & and ; in a text that was taken from a page. */
#define ENTITY_NAME_MAX 8
/* A sum of its root, 3.9, scores 0.7. */
#define NORMAL_SQUARE 15.0

void scorer_init(struct scorer *s, struct text text)
{
	*s = (struct scorer){.text = text.data, .size = text.size, .weight = WEIGHT_PLAIN};
}

/* -- Neighbours of a word, which the scanner does not remember -- */

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_same(const char *bytes, const char *word, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		if ((bytes[i] >= 'A' && bytes[i] <= 'Z' ? bytes[i] | 0x20 : bytes[i]) != word[i])
			return false;
	return true;
}

/* Whether the word before offset `start` is `word`, with nothing but blanks between. */
static bool follows(const struct scorer *s, uint32_t start, const char *word)
{
	uint32_t size = (uint32_t)strlen(word);
	uint32_t end = start;

	while (end > 0 && is_blank(s->text[end - 1]))
		end--;
	return end < start && end >= size && is_same(s->text + end - size, word, size) &&
	       (end == size || !is_word_byte(s->text[end - size - 1]));
}

static bool precedes(const struct scorer *s, uint32_t end, const char *word)
{
	uint32_t size = (uint32_t)strlen(word);
	uint32_t start = end;

	while (start < s->size && is_blank(s->text[start]))
		start++;
	return start > end && s->size - start >= size && is_same(s->text + start, word, size) &&
	       (start + size == s->size || !is_word_byte(s->text[start + size]));
}

/* Capitals are emphasis only in a text that has small letters as well. */
static bool capitals_emphasize(struct scorer *s)
{
	if (s->capitals == CAPITALS_UNKNOWN) {
		s->capitals = CAPITALS_EVERYWHERE;
		for (uint32_t i = 0; i < s->size; i++) {
			if (s->text[i] < 'a' || s->text[i] > 'z')
				continue;
			s->capitals = CAPITALS_EMPHASIZE;
			break;
		}
	}
	return s->capitals == CAPITALS_EMPHASIZE;
}

/* -- Modifiers -- */

static void add_modifier(struct scorer *s, struct modifier modifier)
{
	modifier.word = s->words;
	s->modifiers[s->modifier_count++ % MODIFIERS_MAX] = modifier;
}

/* How many words ago it stood; 0 when it does not reach the present one. */
static uint32_t distance(const struct scorer *s, const struct modifier *modifier)
{
	uint32_t words = s->words - modifier->word;

	return modifier->word > s->barrier && words <= MODIFIER_REACH ? words : 0;
}

/* The word turned out to be a mere modifier: what it said by itself is taken back. */
static void take_back(struct scorer *s, struct modifier *modifier)
{
	s->sentence -= modifier->own;
	modifier->own = 0;
}

/* The nearest negation that reaches the word at `start`; NULL for none. */
static struct modifier *find_negation(struct scorer *s, uint32_t start)
{
	struct modifier *nearest = NULL;

	for (uint32_t i = 0; i < MODIFIERS_MAX; i++) {
		struct modifier *modifier = &s->modifiers[i];

		if (modifier->negation && distance(s, modifier) > 0 &&
			(!nearest || modifier->word > nearest->word))
			nearest = modifier;
	}
	/* "No, it is good." */
	if (nearest && memchr(s->text + nearest->end, ',', start - nearest->end))
		return NULL;
	return nearest;
}

/* "Never so good" says that it is good. */
static void end_never(struct scorer *s)
{
	for (uint32_t i = 0; i < MODIFIERS_MAX; i++)
		if (s->modifiers[i].never)
			s->modifiers[i].word = 0;
}

/* All boosters that reach the word, in 10^-5. */
static int64_t boost(struct scorer *s)
{
	static const int32_t percent[MODIFIER_REACH + 1] = {0, 100, 95, 90};
	int64_t sum = 0;

	for (uint32_t i = 0; i < MODIFIERS_MAX; i++) {
		struct modifier *modifier = &s->modifiers[i];
		uint32_t words = distance(s, modifier);

		if (modifier->negation || words == 0)
			continue;
		sum += (int64_t)modifier->amount * percent[words];
		/* "Pretty good" is not pretty. */
		if (words == 1)
			take_back(s, modifier);
	}
	return sum;
}

/* -- Words -- */

/*
 * What a word with a valence adds. Boosters and capitals make it stronger or weaker, but never turn
 * its sign; negations do.
 */
static int64_t valence_units(
	struct scorer *s, const struct lexicon_word *word, uint32_t start, bool capitals)
{
	int64_t strength = (word->valence < 0 ? -word->valence : word->valence) * 10000;
	struct modifier *negation = find_negation(s, start);
	int64_t percent = 100;

	strength += boost(s);
	if (capitals && capitals_emphasize(s))
		strength += CAPITALS_AMOUNT * 100;
	if (strength < 0)
		strength = 0;
	if (negation) {
		take_back(s, negation);
		percent = NEGATED_PERCENT;
	}
	return (word->valence < 0 ? -strength : strength) * percent * s->weight;
}

/* "Like" is a verb behind its subject and behind a negation; elsewhere it compares. */
static bool is_verb(struct scorer *s, uint32_t start)
{
	static const char *const before[] = {"i", "we", "you", "they", "who", "people", "also",
		"really", "to", "do", "did", "will", "would", "i'd", "you'd", "you'll", "if"};
	struct modifier *negation = find_negation(s, start);

	if (negation && distance(s, negation) == 1)
		return true;
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		if (follows(s, start, before[i]))
			return true;
	return false;
}

static void contrast(struct scorer *s)
{
	s->sentence /= 2;
	s->weight = WEIGHT_CONTRASTED;
	s->barrier = s->words;
}

/* True when the word at [start, end) has no valence here: it was all dealt with. */
static bool is_only_grammar(
	struct scorer *s, const struct lexicon_word *word, uint32_t start, uint32_t end)
{
	struct modifier *negation;

	switch ((enum word_kind)word->kind) {
	case WORD_MARKUP: s->words--; return true;
	case WORD_CONTRAST: contrast(s); return true;
	case WORD_NOT_AFTER_AS: return follows(s, start, "as");
	case WORD_VERB: return !is_verb(s, start);
	case WORD_LEAST:
		if (!follows(s, start, "at") && !follows(s, start, "very"))
			add_modifier(s, (struct modifier){.end = end, .negation = true});
		return true;
	case WORD_BEFORE_OF:
		if (!precedes(s, end, "of"))
			return false;
		add_modifier(s, (struct modifier){.end = end, .amount = word->amount});
		return true;
	case WORD_IF_NEGATED:
		negation = find_negation(s, start);
		if (!negation)
			return false;
		take_back(s, negation);
		s->sentence += (int64_t)word->amount * 100 * 100 * s->weight;
		return true;
	default: return false;
	}
}

void scorer_word(struct scorer *s, const struct lexicon_word *word, uint32_t start, uint32_t end,
	bool capitals)
{
	struct modifier modifier = {.end = end, .amount = word->amount};

	if (is_only_grammar(s, word, start, end))
		return;
	if (word->valence != 0)
		modifier.own = valence_units(s, word, start, capitals);
	s->sentence += modifier.own;
	switch ((enum word_kind)word->kind) {
	case WORD_NEVER: modifier.never = true; __attribute__((fallthrough));
	case WORD_NEGATION: modifier.negation = true; break;
	case WORD_SO: end_never(s); break;
	case WORD_BOOSTER: break;
	default: return;
	}
	add_modifier(s, modifier);
}

void scorer_contraction(struct scorer *s, uint32_t end)
{
	add_modifier(s, (struct modifier){.end = end, .negation = true});
}

/* -- Marks -- */

/* Marks in a row end one sentence. */
static void end_sentence(struct scorer *s)
{
	if (s->words == s->ended)
		return;
	s->total += s->sentence;
	s->last = s->sentence;
	s->sentence = 0;
	s->weight = WEIGHT_PLAIN;
	s->ended = s->words;
	s->barrier = s->words;
	s->exclamations = 0;
}

static void exclaim(struct scorer *s)
{
	if (s->exclamations++ < EXCLAMATIONS_MAX && s->last != 0)
		s->total += s->last < 0 ? -EXCLAMATION_UNITS : EXCLAMATION_UNITS;
}

/* An emoticon touches no word, so that neither "&quot;)" nor "3:30" is one. */
static bool read_emoticon(struct scorer *s, uint32_t at)
{
	if (at > 0 && is_word_byte(s->text[at - 1]))
		return false;
	for (uint32_t i = 0; i < lexicon_emoticon_count; i++) {
		const struct lexicon_emoticon *emoticon = &lexicon_emoticons[i];
		uint32_t end = at + emoticon->size;

		if (end > s->size || !is_same(s->text + at, emoticon->text, emoticon->size) ||
			(end < s->size && is_word_byte(s->text[end])))
			continue;
		s->sentence += (int64_t)emoticon->valence * 1000000 * s->weight;
		s->emoticon_end = end;
		return true;
	}
	return false;
}

/* Whether the semicolon at `at` ends "&quot;" or its like, and no part of a sentence. */
static bool ends_entity(const struct scorer *s, uint32_t at)
{
	uint32_t start = at;

	while (start > 0 && at - start < ENTITY_NAME_MAX &&
		(is_word_byte(s->text[start - 1]) || s->text[start - 1] == '#'))
		start--;
	return start > 0 && start < at && s->text[start - 1] == '&';
}

void scorer_mark(struct scorer *s, uint32_t at)
{
	if (at < s->emoticon_end)
		return;
	switch (s->text[at]) {
	case '!':
		end_sentence(s);
		exclaim(s);
		return;
	case '.':
	case '?': end_sentence(s); return;
	case ';':
		if (!ends_entity(s, at) && !read_emoticon(s, at))
			end_sentence(s);
		return;
	default: read_emoticon(s, at);
	}
}

/*
 * Squeezes the sum to -1..1. Conversion, division, root and sum are exactly rounded by IEEE 754,
 * and the build forbids fusing them: the digits are the same everywhere.
 */
int32_t scorer_finish(struct scorer *s)
{
	double sum, score;

	end_sentence(s);
	sum = (double)(s->total + s->sentence) / UNITS_PER_ONE;
	score = sum / sqrt(sum * sum + NORMAL_SQUARE) * 10000;
	return (int32_t)(score < 0 ? score - 0.5 : score + 0.5);
}
