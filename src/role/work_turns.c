#include "role/work_turns.h"

#include <assert.h>

/* For how long others wait for one that is suspected or goes first, and it for others. */
#define ALONE_MS 5000u

void work_turns_init(struct work_turns *turns, struct node *node, struct work_runner *runner)
{
	turns->node = node;
	work_inline_init(&turns->at_once);
	turns->runner = runner ? runner : &turns->at_once.runner;
}

void work_turns_share_memory(struct work_turns *turns, const struct memory_budget *memory)
{
	turns->memory = memory;
}

static bool is_stopped(const struct work_turn *turn)
{
	return atomic_load_explicit(&turn->work.stop, memory_order_relaxed);
}

static void submit(struct work_turns *turns, struct work_turn *turn)
{
	turn->is_waiting = false;
	turns->running++;
	if (turn->is_suspect) {
		turns->alone = turn;
		turns->alone_ms = node_now(turns->node);
	}
	turns->runner->ops->submit(turns->runner, &turn->work);
}

/* It does not run any more. */
static void is_over(struct work_turns *turns, const struct work_turn *turn)
{
	assert(turns->running > 0);
	turns->running--;
	if (turns->alone == turn)
		turns->alone = NULL;
}

/* Whether another job is tried before this one. */
static bool gives_way(struct work_turns *turns, const struct work_turn *turn, uint64_t now_ms)
{
	uint64_t first = work_record_goes_first(turns->node->env.record);

	if (first != turns->first_job) {
		turns->first_job = first;
		turns->first_ms = now_ms;
	}
	return first != 0 && first != turn->place.job && now_ms - turns->first_ms < ALONE_MS &&
	       !is_stopped(turn);
}

static bool waits_for_memory(const struct work_turns *turns, const struct work_turn *turn)
{
	return turns->memory && turn->memory > MEMORY_REFUSE_BYTES_MIN &&
	       atomic_load_explicit(&turns->memory->held, memory_order_relaxed) >
		       turns->memory->limit;
}

static bool may_start(const struct work_turns *turns, const struct work_turn *turn, uint64_t now_ms)
{
	if (turns->running == 0 || is_stopped(turn))
		return true;
	if (waits_for_memory(turns, turn))
		return false;
	if (turn->is_suspect)
		return now_ms - turn->since_ms >= ALONE_MS;
	return !turns->alone || now_ms - turns->alone_ms >= ALONE_MS;
}

/* The first that may start. None of the others passes one that is suspected, for a while. */
static struct work_turn **next_waiting(struct work_turns *turns, uint64_t now_ms)
{
	struct work_turn **at = &turns->waiting;

	for (; *at; at = &(*at)->next_waiting) {
		if (gives_way(turns, *at, now_ms))
			continue;
		if (may_start(turns, *at, now_ms))
			return at;
		if ((*at)->is_suspect && now_ms - (*at)->since_ms < ALONE_MS)
			return NULL;
	}
	return NULL;
}

void work_turns_go_on(struct work_turns *turns)
{
	uint64_t now_ms;
	struct work_turn **at;

	if (!turns->waiting)
		return;
	now_ms = node_now(turns->node);
	while ((at = next_waiting(turns, now_ms))) {
		struct work_turn *turn = *at;

		*at = turn->next_waiting;
		submit(turns, turn);
	}
}

static void enqueue(struct work_turns *turns, struct work_turn *turn)
{
	struct work_turn **at = &turns->waiting;

	turn->is_waiting = true;
	turn->since_ms = node_now(turns->node);
	while (*at)
		at = &(*at)->next_waiting;
	*at = turn;
}

static void dequeue(struct work_turns *turns, struct work_turn *turn)
{
	struct work_turn **at = &turns->waiting;

	while (*at != turn) {
		assert(*at);
		at = &(*at)->next_waiting;
	}
	*at = turn->next_waiting;
}

void work_turns_start(struct work_turns *turns, struct work_turn *turn)
{
	const struct work_record *record = turns->node->env.record;

	turn->slot = WORK_SLOT_NONE;
	turn->work.owner = turn->place.job;
	turn->is_suspect = work_record_suspects(record, &turn->place);
	/* Nothing is suspected, as a rule. */
	if (!turn->is_suspect && !turns->alone && !turns->waiting &&
		(turns->running == 0 || !waits_for_memory(turns, turn)) &&
		!gives_way(turns, turn, node_now(turns->node))) {
		submit(turns, turn);
		return;
	}
	enqueue(turns, turn);
	work_turns_go_on(turns);
}

void work_turns_enter(const struct work_turns *turns, struct work_turn *turn)
{
	turn->slot = work_record_begin(turns->node->env.record, &turn->place);
}

void work_turns_leave(void)
{
	work_record_leave();
}

void work_turns_end(struct work_turns *turns, struct work_turn *turn, bool progress)
{
	work_record_finish(turns->node->env.record, turn->slot, progress);
	turn->slot = WORK_SLOT_NONE;
	is_over(turns, turn);
}

void work_turns_cancel(struct work_turns *turns, struct work_turn *turn)
{
	if (turn->is_waiting) {
		dequeue(turns, turn);
		return;
	}
	turns->runner->ops->cancel(turns->runner, &turn->work);
	work_turns_end(turns, turn, false);
}
