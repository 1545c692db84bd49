/*
 * Virtual time: what is to happen in a simulated world, in the order of its time, and in the order
 * of scheduling where times are equal. Nothing else moves the clock, so a run is a function of its
 * seed. Everything that happens is noted into one hash, by which two runs can be compared.
 */
#ifndef TRANSPORT_SIM_EVENTS_H
#define TRANSPORT_SIM_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*sim_event_fn)(void *context, uint64_t argument);

struct sim_event {
	uint64_t time_us;
	uint64_t sequence;
	sim_event_fn run;
	void *context;
	uint64_t argument;
};

struct sim_events {
	uint64_t now_us;
	uint64_t sequence;
	struct sim_event *heap; /* children of i stand at 2i+1 and 2i+2 */
	size_t count;
	size_t capacity;
	uint64_t trace; /* the hash of all notes */
	/* Whoever looks for a mistake reads along; NULL: nobody. */
	void (*on_note)(void *context, uint64_t time_us, const char *node, const char *kind,
		uint64_t detail);
	void *note_context;
};

void sim_events_init(struct sim_events *events);
void sim_events_release(struct sim_events *events);

/* Runs `run(context, argument)` in `delay_us` from now. */
void sim_events_add(struct sim_events *events, uint64_t delay_us, sim_event_fn run, void *context,
	uint64_t argument);
/* Forgets all that was to happen to `context`, which is about to be freed. */
void sim_events_cancel(struct sim_events *events, const void *context);

/* The time of the next event; UINT64_MAX when there is none. */
uint64_t sim_events_next_time(const struct sim_events *events);
/* Moves the clock to the next event and runs it; false when there is none. */
bool sim_events_step(struct sim_events *events);

/* `kind` is a literal; `detail` a size, a hash, whatever tells this event from another. */
void sim_events_note(
	struct sim_events *events, const char *node, const char *kind, uint64_t detail);

#endif
