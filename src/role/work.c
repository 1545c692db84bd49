#include "role/work.h"

#include <stddef.h>

/* `done` may submit more: that is run after it, not inside. */
static void submit(struct work_runner *runner, struct work *work)
{
	struct work_inline *at_once = (struct work_inline *)runner;

	work->next = NULL;
	*at_once->last = work;
	at_once->last = &work->next;
	if (at_once->busy)
		return;
	at_once->busy = true;
	while (at_once->first) {
		struct work *first = at_once->first;

		at_once->first = first->next;
		if (!at_once->first)
			at_once->last = &at_once->first;
		first->ops->run(first);
		first->ops->drain(first);
		first->ops->done(first);
	}
	at_once->busy = false;
}

static void wait_for_drain(struct work_runner *runner, struct work *work)
{
	(void)runner;
	work->ops->drain(work);
}

/* Nothing is left behind when submit returns; while it has not, it is in our hands. */
static void cancel(struct work_runner *runner, struct work *work)
{
	struct work_inline *at_once = (struct work_inline *)runner;
	struct work **at = &at_once->first;

	while (*at && *at != work)
		at = &(*at)->next;
	if (*at)
		*at = work->next;
	at_once->last = &at_once->first;
	while (*at_once->last)
		at_once->last = &(*at_once->last)->next;
}

void work_inline_init(struct work_inline *at_once)
{
	static const struct work_runner_ops ops = {submit, wait_for_drain, cancel};

	*at_once = (struct work_inline){.runner = {&ops}};
	at_once->last = &at_once->first;
}
