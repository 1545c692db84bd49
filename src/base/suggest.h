/*
 * "did you mean ...?": the known name that is nearest to a wrong one, in typing errors. Letters are
 * compared in any case, and the beginning of a name is near to it: people half remember names.
 */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stdint.h>

struct suggestion {
	const char *wrong;
	const char *best; /* NULL while nothing is near enough */
	uint32_t best_distance;
};

void suggestion_init(struct suggestion *suggestion, const char *wrong);
void suggestion_consider(struct suggestion *suggestion, const char *name);

/* The nearest of some names, of which the last is NULL; NULL when none is near. */
const char *suggest_nearest(const char *wrong, const char *const *names);

#define SUGGESTION_TEXT_MAX 160
/* "; did you mean "name"?", or "" when nothing is near. Returns `text`. */
const char *suggestion_text(const struct suggestion *suggestion, char text[SUGGESTION_TEXT_MAX]);

#endif
