#include "base/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Longer names are not compared: nobody mistypes so little of so much. */
#define NAME_MAX_COMPARED 64
/* As many letters of a name are enough to mean it. */
#define PREFIX_MIN 3

void suggestion_init(struct suggestion *suggestion, const char *wrong)
{
	suggestion->wrong = wrong;
	suggestion->best = NULL;
	suggestion->best_distance = UINT32_MAX;
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

/* A third of the shorter name may be wrong, and at least one letter. */
static uint32_t distance_max(size_t a_size, size_t b_size)
{
	size_t size = a_size < b_size ? a_size : b_size;

	return (uint32_t)(size < 4 ? 1 : size / 3 + 1);
}

void suggestion_consider(struct suggestion *suggestion, const char *name)
{
	size_t wrong_size = strlen(suggestion->wrong), size = strlen(name);
	uint32_t distance;

	if (size == 0 || size > NAME_MAX_COMPARED || wrong_size > NAME_MAX_COMPARED)
		return;
	distance = edit_distance(suggestion->wrong, wrong_size, name, size);
	if (wrong_size >= PREFIX_MIN && distance > 1 &&
		strncasecmp(suggestion->wrong, name, wrong_size) == 0)
		distance = 1;
	if (distance <= distance_max(wrong_size, size) && distance < suggestion->best_distance) {
		suggestion->best_distance = distance;
		suggestion->best = name;
	}
}

const char *suggest_nearest(const char *wrong, const char *const *names)
{
	struct suggestion suggestion;

	suggestion_init(&suggestion, wrong);
	for (; *names; names++)
		suggestion_consider(&suggestion, *names);
	return suggestion.best;
}

const char *suggestion_text(const struct suggestion *suggestion, char text[SUGGESTION_TEXT_MAX])
{
	text[0] = '\0';
	if (suggestion->best)
		snprintf(text, SUGGESTION_TEXT_MAX, "; did you mean \"%s\"?", suggestion->best);
	return text;
}
