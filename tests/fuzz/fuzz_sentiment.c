/*
 * Random bytes as a text. Its score is within bounds, and blanks around it change nothing, wherever
 * they put its words among the blocks that the scanner reads.
 */
#include "exec/func/sentiment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MAX_FUZZED 4096
#define BLANKS_MAX	67

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A copy that ends where its memory ends. */
static int32_t score_shifted(const uint8_t *bytes, size_t size, size_t before, size_t behind)
{
	char *text = malloc(before + size + behind + 1);
	char *start = text + 1;
	int32_t score;

	memset(start, ' ', before + size + behind);
	if (size > 0)
		memcpy(start + before, bytes, size);
	score = sentiment_score(text_from(start, before + size + behind));
	free(text);
	return score;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int32_t score;

	if (size > SIZE_MAX_FUZZED)
		return 0;
	score = score_shifted(bytes, size, 0, 0);
	if (score < -10000 || score > 10000) {
		fprintf(stderr, "a score of %d\n", score);
		abort();
	}
	for (size_t blanks = 1; blanks <= BLANKS_MAX; blanks++) {
		if (score_shifted(bytes, size, blanks, 0) == score &&
			score_shifted(bytes, size, 0, blanks) == score)
			continue;
		fprintf(stderr, "%zu blanks change the score\n", blanks);
		abort();
	}
	return 0;
}
