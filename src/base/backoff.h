/*
 * Pauses between attempts: each twice as long as the one before, up to a limit, partly left to chance
 * so that those who lost the same peer do not all come back at the same moment.
 */
#ifndef BASE_BACKOFF_H
#define BASE_BACKOFF_H

#include "base/rng.h"

#include <stdint.h>

/* The caller sets the first three; {0} for the last is one that starts afresh. */
struct backoff {
	uint32_t min_ms;
	uint32_t max_ms;
	uint32_t chance_percent; /* of a pause; 0: none, 100: it may be as short as 1 ms */
	uint32_t next_ms;	 /* the next pause, without chance; 0: min_ms */
};

/* How long to wait now; the next pause is longer. `rng` may be NULL when nothing is left to chance. */
static inline uint64_t backoff_next(struct backoff *backoff, struct rng *rng)
{
	uint32_t pause_ms = backoff->next_ms ? backoff->next_ms : backoff->min_ms;
	uint32_t least_ms = (uint32_t)((uint64_t)pause_ms * (100 - backoff->chance_percent) / 100);

	backoff->next_ms =
		2 * (uint64_t)pause_ms < backoff->max_ms ? 2 * pause_ms : backoff->max_ms;
	if (backoff->chance_percent == 0)
		return pause_ms;
	least_ms = least_ms ? least_ms : 1;
	return least_ms + rng_below(rng, pause_ms - least_ms + 1);
}

/* It went well: the next pause is the shortest one. */
static inline void backoff_reset(struct backoff *backoff)
{
	backoff->next_ms = 0;
}

#endif
