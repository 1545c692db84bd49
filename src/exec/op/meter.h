/*
 * Counts what passes through the operators of a pipeline, and how long they take.
 *
 * A meter stands in front of each operator, and one before the sink, while somebody measures; otherwise there is none,
 * and nothing is paid. A thread is in one operator at a time: what passes between two looks at the clock is that
 * one's. So a time is exclusive, over however many pipelines the calls go.
 */
#ifndef EXEC_METER_H
#define EXEC_METER_H

#include <stdint.h>

struct meter_count {
	uint64_t rows;
	uint64_t batches;
	uint64_t ticks;
};

/* Of one thread. */
struct meter {
	uint64_t (*now)(void); /* ticks of whatever clock there is: operators know none */
	uint64_t since;
	struct meter_count *inside; /* whose time runs; NULL: nobody's */
	struct meter_count *counts; /* of all operators of the plan */
};

/* From now on the time is `count`'s. Returns whose it was, for the call that ends it. */
static inline struct meter_count *meter_enter(struct meter *meter, struct meter_count *count)
{
	struct meter_count *before = meter->inside;
	uint64_t now = meter->now();

	if (before)
		before->ticks += now - meter->since;
	meter->since = now;
	meter->inside = count;
	return before;
}

#endif
