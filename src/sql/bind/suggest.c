#include "sql/bind/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Longer names are not compared: nobody mistypes so little of so much. */
#define NAME_MAX_COMPARED 64

void suggestion_init(struct suggestion *suggestion, const char *wrong)
{
	size_t size = strlen(wrong);

	suggestion->wrong = wrong;
	suggestion->best = NULL;
	/* A third of the name may be wrong, and at least one letter. */
	suggestion->best_distance = (uint32_t)(size < 4 ? 2 : size / 3 + 2);
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Insertions, deletions, replacements, and swaps of neighbours; letters in any case. */
static uint32_t edit_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
	uint32_t rows[3][NAME_MAX_COMPARED + 1];
	uint32_t *older = rows[0], *previous = rows[1], *current = rows[2];

	for (size_t j = 0; j <= b_size; j++)
		previous[j] = (uint32_t)j;
	for (size_t i = 1; i <= a_size; i++) {
		int letter = tolower((unsigned char)a[i - 1]);
		uint32_t *spare = older;

		current[0] = (uint32_t)i;
		for (size_t j = 1; j <= b_size; j++) {
			int other = tolower((unsigned char)b[j - 1]);
			uint32_t cost = previous[j - 1] + (letter != other);

			cost = least(cost, least(previous[j], current[j - 1]) + 1);
			if (i > 1 && j > 1 && letter == tolower((unsigned char)b[j - 2]) &&
				other == tolower((unsigned char)a[i - 2]))
				cost = least(cost, older[j - 2] + 1);
			current[j] = cost;
		}
		older = previous;
		previous = current;
		current = spare;
	}
	return previous[b_size];
}

void suggestion_consider(struct suggestion *suggestion, const char *name)
{
	size_t wrong_size = strlen(suggestion->wrong), size = strlen(name);
	uint32_t distance;

	if (size == 0 || size > NAME_MAX_COMPARED || wrong_size > NAME_MAX_COMPARED)
		return;
	distance = edit_distance(suggestion->wrong, wrong_size, name, size);
	if (distance < suggestion->best_distance) {
		suggestion->best_distance = distance;
		suggestion->best = name;
	}
}

const char *suggestion_text(const struct suggestion *suggestion, char text[SUGGESTION_TEXT_MAX])
{
	text[0] = '\0';
	if (suggestion->best)
		snprintf(text, SUGGESTION_TEXT_MAX, "; did you mean \"%s\"?", suggestion->best);
	return text;
}
