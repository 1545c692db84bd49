/*
 * Work beside a role's thread, on virtual time: it is done some time after it was handed over, most
 * of it soon, some of it much later, some only when it is stopped; and between what it puts out and
 * its end there is time to die.
 */
#include "role/work_turns.h"
#include "sim/world.h"

#include <assert.h>

/* How long work takes, and how long one piece in SLOW_OF takes. */
#define WORK_US	 3000u
#define SLOW_US	 3000000u
#define SLOW_OF	 100u
#define PAUSE_US 5000u

static struct world_life *life_of(struct work_runner *runner)
{
	return (struct world_life *)((char *)runner - offsetof(struct world_life, runner));
}

/* NULL: it was cancelled. */
static struct work *find(const struct world_life *life, uint64_t number)
{
	struct work *work = life->works;

	while (work && work->started_us != number)
		work = work->next;
	return work;
}

static void forget(struct world_life *life, struct work *work)
{
	struct work **at = &life->works;

	while (*at != work) {
		assert(*at);
		at = &(*at)->next;
	}
	*at = work->next;
}

/* The work of some jobs ends whoever does it. */
static bool is_deadly(struct world_life *life)
{
	const struct world_config *config = &life->node->world->config;

	for (uint32_t i = 0; config->is_deadly && i < WORK_RECORD_SLOTS; i++) {
		const struct work_slot *slot = &life->record->slots[i];
		uint32_t end;

		if (!slot->is_taken || !config->is_deadly(config->log_context, &slot->place, &end))
			continue;
		work_record_note_end_of(life->record, i, end);
		return true;
	}
	return false;
}

/* All work of roles has its turn. What is compiled comes to an end. */
static bool is_endless(const struct world_life *life, struct work *work)
{
	const struct world_config *config = &life->node->world->config;
	const struct work_turn *turn = (const struct work_turn *)work;

	return turn->place.stream != WORK_OPENING && config->is_endless &&
	       config->is_endless(config->log_context, work->owner) && !atomic_load(&work->stop);
}

/* First it puts something out, and later it is done. A process that is stopped does neither. */
static void on_work(void *context, uint64_t number)
{
	struct world_life *life = context;
	struct world *world = life->node->world;
	struct work *work = find(life, number);

	if (!work)
		return;
	if (life->paused || is_endless(life, work)) {
		world->counts.endless_works += !life->paused;
		sim_events_add(&world->events, PAUSE_US, on_work, life, number);
		return;
	}
	if (!work->running) {
		work->running = true;
		work->ops->run(work);
		if (is_deadly(life)) {
			world->counts.deadly_works++;
			world_kill(life->node, DEATH_KILLED);
			return;
		}
		work->ops->drain(work);
		sim_events_add(
			&world->events, sim_up_to(&world->rng, WORK_US), on_work, life, number);
		return;
	}
	forget(life, work);
	work->ops->done(work);
}

static void submit(struct work_runner *runner, struct work *work)
{
	struct world_life *life = life_of(runner);
	struct world *world = life->node->world;
	bool slow = rng_below(&world->rng, SLOW_OF) == 0;

	work->started_us = ++life->work_number;
	work->next = life->works;
	life->works = work;
	world->counts.slow_works += slow;
	sim_events_add(&world->events, sim_up_to(&world->rng, slow ? SLOW_US : WORK_US), on_work,
		life, work->started_us);
}

static void wait_for_drain(struct work_runner *runner, struct work *work)
{
	(void)runner;
	work->ops->drain(work);
}

static void cancel(struct work_runner *runner, struct work *work)
{
	forget(life_of(runner), work);
}

void world_work_init(struct world_life *life)
{
	static const struct work_runner_ops ops = {submit, wait_for_drain, cancel};

	life->runner.ops = &ops;
}
