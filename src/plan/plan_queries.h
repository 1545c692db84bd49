/*
 * Questions about a whole plan: which queries a fragment works for, so that an error inside it can
 * name them, where its instances stand, and where its work is expensive.
 */
#ifndef PLAN_PLAN_QUERIES_H
#define PLAN_PLAN_QUERIES_H

#include "base/error.h"
#include "plan/plan.h"

/*
 * Puts "q1: ", or "q1, q2: " where the fragment works for several, in front of an ERROR_EVAL; other
 * errors, and queries without a name, leave the message as it is. Returns -1.
 */
int plan_error_prefix(
	const struct plan *plan, const struct plan_fragment *fragment, struct error *err);

/* How many instances of a fragment there are, and why. */
enum plan_placement {
	PLACED_WITH_CHUNKS, /* a map fragment of a table: wherever its chunks are read */
	PLACED_ONCE,
	PLACED_BY_KEY,	 /* one for each part of the keys: behind a hash exchange */
	PLACED_ANYWHERE, /* side by side, each for what is near: behind a spread exchange */
};

enum plan_placement plan_fragment_placement(
	const struct plan *plan, const struct plan_fragment *fragment);

/* Whether a recursion of the fragment reads the rows of input `input`. */
bool plan_fragment_recurses(const struct plan_fragment *fragment, uint32_t input);

/* The join whose build side is input `input` of the fragment; NULL when there is none. */
const struct plan_join *plan_fragment_join(const struct plan_fragment *fragment, uint32_t input);

/* The operator of the fragment, join or recursion, that reads input `input`; its last when none does. */
uint32_t plan_fragment_reader(const struct plan_fragment *fragment, uint32_t input);

/* Whether a map fragment has an expression that is expensive (expr_is_expensive). */
bool plan_has_expensive_map(const struct plan *plan);

#endif
