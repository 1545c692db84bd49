#include "transport/sim_events.h"

#include "base/hash.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A world that schedules so much has gone mad. */
#define EVENTS_MAX (UINT32_C(1) << 26)

void sim_events_init(struct sim_events *events)
{
	memset(events, 0, sizeof(*events));
}

void sim_events_release(struct sim_events *events)
{
	free(events->heap);
	sim_events_init(events);
}

static bool before(const struct sim_event *a, const struct sim_event *b)
{
	return a->time_us != b->time_us ? a->time_us < b->time_us : a->sequence < b->sequence;
}

static void sift_up(struct sim_event *heap, size_t at)
{
	struct sim_event event = heap[at];

	while (at > 0 && before(&event, &heap[(at - 1) / 2])) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = event;
}

static void sift_down(struct sim_event *heap, size_t count, size_t at)
{
	struct sim_event event = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &event))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = event;
}

void sim_events_add(struct sim_events *events, uint64_t delay_us, sim_event_fn run, void *context,
	uint64_t argument)
{
	if (events->count == events->capacity) {
		assert(events->count < EVENTS_MAX);
		events->capacity = events->capacity ? 2 * events->capacity : 64;
		events->heap =
			memory_realloc(events->heap, events->capacity * sizeof(*events->heap));
	}
	events->heap[events->count] = (struct sim_event){
		.time_us = events->now_us + delay_us,
		.sequence = events->sequence++,
		.run = run,
		.context = context,
		.argument = argument,
	};
	sift_up(events->heap, events->count++);
}

void sim_events_cancel(struct sim_events *events, const void *context)
{
	size_t kept = 0;

	for (size_t i = 0; i < events->count; i++) {
		if (events->heap[i].context != context)
			events->heap[kept++] = events->heap[i];
	}
	events->count = kept;
	for (size_t i = kept / 2; i-- > 0;)
		sift_down(events->heap, kept, i);
}

uint64_t sim_events_next_time(const struct sim_events *events)
{
	return events->count ? events->heap[0].time_us : UINT64_MAX;
}

bool sim_events_step(struct sim_events *events)
{
	struct sim_event event;

	if (events->count == 0)
		return false;
	event = events->heap[0];
	events->heap[0] = events->heap[--events->count];
	if (events->count)
		sift_down(events->heap, events->count, 0);
	assert(event.time_us >= events->now_us);
	events->now_us = event.time_us;
	event.run(event.context, event.argument);
	return true;
}

void sim_events_note(struct sim_events *events, const char *node, const char *kind, uint64_t detail)
{
	uint64_t hash = hash_combine(events->now_us, hash_bytes(node, strlen(node)));

	hash = hash_combine(hash, hash_bytes(kind, strlen(kind)));
	events->trace = hash_combine(events->trace, hash_combine(hash, detail));
	if (events->on_note)
		events->on_note(events->note_context, events->now_us, node, kind, detail);
}
