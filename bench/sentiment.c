/*
 * How fast sentiment() reads: MB of text a second, on one core.
 *
 *   sentiment SECONDS [FILE]
 *
 * Every line of FILE is a text. Without a file the texts are made up, the same ones in every run:
 * of the length of book reviews, and of words that are as often in the lexicon as theirs. All texts
 * are scored turn after turn until the time is over. The best turn counts: what disturbs one makes
 * it slower, and nothing makes it faster. The mean of the scores tells whether two builds do the
 * same.
 */
#include "exec/func/sentiment.h"
#include "base/memory.h"
#include "base/rng.h"
#include "exec/func/lexicon_private.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BYTES_MAX     (256u << 20)
#define MADE_BYTES    (16u << 20)
#define MADE_WORDS    5000
#define WORD_SIZE_MAX 16
#define SECONDS_MAX   600

struct texts {
	char *bytes;
	size_t size;
	struct text *list;
	uint32_t count;
};

/* -- Texts -- */

static const char *const common[] = {"the", "and", "of", "to", "a", "in", "is", "it", "that",
	"this", "I", "was", "for", "with", "as", "book", "his", "on", "are", "he", "by", "have",
	"be", "not", "but", "from", "read", "you", "an", "at", "one", "who", "about", "all", "so",
	"her", "very", "or", "has", "what", "if", "more", "story", "they", "which", "my", "would",
	"can", "there", "will", "their", "time", "don't", "it's", "when", "author", "characters",
	"just", "out", "up"};

/* Words of syllables: they stand for the ones that the lexicon does not have. */
static void make_words(struct rng *rng, char words[MADE_WORDS][WORD_SIZE_MAX])
{
	static const char consonants[] = "bcdfghjklmnprstvw", vowels[] = "aeiou";

	for (uint32_t i = 0; i < MADE_WORDS; i++) {
		uint32_t size = 3 + (uint32_t)(rng_below(rng, 5) + rng_below(rng, 5));

		for (uint32_t k = 0; k < size; k++)
			words[i][k] = k % 2 ? vowels[rng_below(rng, sizeof(vowels) - 1)]
					    : consonants[rng_below(rng, sizeof(consonants) - 1)];
		words[i][size] = '\0';
	}
}

static const char *lexicon_pick(struct rng *rng, char word[WORD_SIZE_MAX])
{
	const struct lexicon_word *entry;

	do
		entry = &lexicon_words[rng_below(rng, 1 << LEXICON_SLOT_BITS)];
	while (entry->low == 0 || entry->high >> 56 != 0);
	memcpy(word, &entry->low, 8);
	memcpy(word + 8, &entry->high, 8);
	return word;
}

/* One line a text: 100 to 3000 bytes, most of them short. */
static void make_texts(struct texts *texts)
{
	static char words[MADE_WORDS][WORD_SIZE_MAX];
	char known[WORD_SIZE_MAX];
	struct rng rng;
	size_t line_end = 0;

	rng_init(&rng, 1);
	make_words(&rng, words);
	texts->bytes = memory_alloc(MADE_BYTES + 64);
	while (texts->size < MADE_BYTES) {
		uint64_t dice = rng_below(&rng, 100);
		const char *word = dice < 50 ? common[rng_below(&rng, 60)]
				   : dice < 91
					   ? words[rng_below(&rng, rng_below(&rng, MADE_WORDS) + 1)]
					   : lexicon_pick(&rng, known);
		size_t size = strlen(word);

		if (texts->size >= line_end) {
			texts->bytes[texts->size++] = '\n';
			line_end = texts->size + 100 + rng_below(&rng, 1 + rng_below(&rng, 2900));
		}
		memcpy(texts->bytes + texts->size, word, size);
		texts->size += size;
		if (rng_below(&rng, 8) == 0)
			texts->bytes[texts->size++] = ",.,.,.!?"[rng_below(&rng, 8)];
		texts->bytes[texts->size++] = ' ';
	}
}

static bool read_texts(struct texts *texts, const char *path)
{
	FILE *file = fopen(path, "rb");
	bool read;

	if (!file)
		return false;
	texts->bytes = memory_alloc(BYTES_MAX);
	texts->size = fread(texts->bytes, 1, BYTES_MAX, file);
	read = !ferror(file);
	fclose(file);
	return read;
}

/* Empty lines are no texts. */
static void split_texts(struct texts *texts)
{
	const char *at = texts->bytes, *end = at + texts->size;
	uint32_t capacity = 0;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;

		if (texts->count == capacity) {
			capacity = capacity ? 2 * capacity : 1024;
			texts->list = memory_realloc(texts->list, capacity * sizeof(*texts->list));
		}
		if (line_end > at)
			texts->list[texts->count++] = text_from(at, (size_t)(line_end - at));
		at = line_end + 1;
	}
}

/* -- Measuring -- */

/* CPU time: a machine that is shared does not count against it. */
static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 0;
	struct texts texts = {0};
	double best = 1e9, start, bytes = 0;
	int64_t sum = 0;

	if (argc > 3 || !(seconds > 0 && seconds <= SECONDS_MAX)) {
		fprintf(stderr, "usage: sentiment SECONDS [FILE]\n");
		return 2;
	}
	if (argc == 2) {
		make_texts(&texts);
	} else if (!read_texts(&texts, argv[2])) {
		perror(argv[2]);
		return 1;
	}
	split_texts(&texts);
	for (uint32_t i = 0; i < texts.count; i++)
		bytes += texts.list[i].size;
	start = now();
	do {
		double turn = now();

		sum = 0;
		for (uint32_t i = 0; i < texts.count; i++)
			sum += sentiment_score(texts.list[i]);
		turn = now() - turn;
		best = turn < best ? turn : best;
	} while (now() - start < seconds);
	printf("%u texts, %.1f MB, mean score %.6f: %.0f MB/s on one core\n", texts.count,
		bytes / 1e6, texts.count ? (double)sum / texts.count / 1e4 : 0, bytes / best / 1e6);
	free(texts.list);
	free(texts.bytes);
	return 0;
}
