/*
 * Patterns of LIKE and ILIKE.
 *
 * A pattern is cut at its % into pieces. The first is tied to the start of the text and the last to
 * its end; those between are found one after the other, each as far left as it goes.
 */
#ifndef EXEC_LIKE_H
#define EXEC_LIKE_H

#include "base/arena.h"
#include "column/type.h"

struct like_pattern;

/*
 * Lives in the arena. `escape` is one character, or empty for none; anything else is an error.
 * `fold` ignores case: that of ASCII letters in the text, and the caller sees to the others in it.
 */
MUST_CHECK int like_compile(struct arena *arena, struct text pattern, struct text escape, bool fold,
	const struct like_pattern **out, struct error *err);
/* Fails only where PostgreSQL does: when the match reaches an escape that ends the pattern. */
MUST_CHECK int like_match(
	const struct like_pattern *pattern, struct text text, bool *out, struct error *err);

#endif
