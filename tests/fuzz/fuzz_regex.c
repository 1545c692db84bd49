/*
 * Flags, a newline, a pattern, a newline and a text. Whatever they are: nothing outside of them is
 * read, matches come in order and within the text, and whether there is one does not depend on what
 * else is asked.
 */
#include "exec/func/regex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN_SIZE_MAX 200
#define TEXT_SIZE_FUZZED 200

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A copy of exactly its size: a step beyond it is an error. */
static struct text exact(const uint8_t *bytes, size_t size)
{
	return text_from(memcpy(malloc(size + (size == 0)), bytes, size), size);
}

static void check_groups(struct regex *regex, uint32_t start, uint32_t end, uint32_t size)
{
	uint32_t from, to;

	/* Constraints that look ahead hold no groups, so all of them are within the match. */
	for (uint32_t g = 1; g <= regex_group_count(regex); g++)
		CHECK(!regex_group(regex, g, &from, &to) ||
			(start <= from && from <= to && to <= end));
	CHECK(end <= size);
}

static void match_all(struct regex *regex, struct text text)
{
	uint32_t from = 0, start, end, end_again;
	struct error err;

	regex_begin(regex, text);
	while (from <= text.size) {
		int truth = regex_find(regex, from, REGEX_WISH_TRUTH, &err);
		int found = regex_find(regex, from, REGEX_WISH_GROUPS, &err);

		if (truth < 0 || found < 0)
			return;
		CHECK(truth == found);
		if (found == 0)
			return;
		CHECK(regex_group(regex, 0, &start, &end));
		CHECK(from <= start && start <= end);
		check_groups(regex, start, end, text.size);
		CHECK(regex_find(regex, from, REGEX_WISH_EXTENT, &err) > 0);
		CHECK(regex_group(regex, 0, &from, &end_again));
		CHECK(from == start && end_again == end);
		from = end + (start == end);
		while (from < text.size && ((unsigned char)text.data[from] & 0xc0) == 0x80)
			from++;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const uint8_t *first = size > 0 ? memchr(bytes, '\n', size) : NULL;
	const uint8_t *end = bytes + size;
	const uint8_t *second = first ? memchr(first + 1, '\n', (size_t)(end - first - 1)) : NULL;
	struct text flags, pattern, text;
	struct regex *regex;
	struct error err;

	if (!second || second - first > PATTERN_SIZE_MAX || end - second > TEXT_SIZE_FUZZED)
		return 0;
	flags = exact(bytes, (size_t)(first - bytes));
	pattern = exact(first + 1, (size_t)(second - first - 1));
	text = exact(second + 1, (size_t)(end - second - 1));
	if (regex_new(&regex, pattern, flags, &err) == 0) {
		match_all(regex, text);
		regex_free(regex);
	}
	free((char *)flags.data);
	free((char *)pattern.data);
	free((char *)text.data);
	return 0;
}
