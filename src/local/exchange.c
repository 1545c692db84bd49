/*
 * Instances of fragments and the exchanges between them, inside one process.
 *
 * An exchange is a function call: the thread that emits a batch pushes it into the instance that
 * must get it (exec/op/router.h), under that instance's lock.
 */
#include "base/memory.h"
#include "local/local_private.h"
#include "plan/plan_queries.h"

#include <stdlib.h>
#include <string.h>

static int instance_emit(struct sink *sink, const struct batch *batch, struct error *err);

static uint32_t instances_wanted(const struct run_state *run, enum plan_placement placement)
{
	switch (placement) {
	case PLACED_WITH_CHUNKS:
	case PLACED_ANYWHERE: return run->threads;
	case PLACED_BY_KEY: return run->partitions;
	case PLACED_ONCE: break;
	}
	return 1;
}

static int build_side_init(
	struct run_state *run, struct fragment_state *state, uint32_t input, struct error *err)
{
	const struct plan_fragment *plan = state->plan;
	const struct plan_exchange *exchange = &run->plan->exchanges[plan->inputs[input].index];
	const struct plan_join *join = plan_fragment_join(plan, input);
	struct build_side *side = &state->sides[input];
	bool shared = exchange->kind != EXCHANGE_HASH;

	if ((!join && !plan_fragment_recurses(plan, input)) ||
		(!shared && state->instance_count != run->partitions))
		return error_set(err, ERROR_INTERNAL, "a build side of the plan fits no join");
	/* Build rows that nothing met are emitted by the one instance that reads them. */
	if (join && join->kind == JOIN_FULL &&
		(plan_fragment_is_map(plan) || (shared && state->instance_count > 1)))
		return error_set(
			err, ERROR_INTERNAL, "a full join of the plan shares its build side");
	side->count = shared ? 1 : run->partitions;
	side->builds = memory_zalloc(side->count * sizeof(struct join_build *));
	side->locks = memory_zalloc(side->count * sizeof(pthread_mutex_t));
	for (uint32_t i = 0; i < side->count; i++) {
		side->builds[i] = join_build_new(join, exchange->column_count, exchange->types);
		join_build_work_with(side->builds[i],
			profile_memory(run, state->index, plan_fragment_reader(plan, input)),
			JOIN_BUILD_SPILLS);
		pthread_mutex_init(&side->locks[i], NULL);
	}
	return 0;
}

/* Producers stand before their consumers: the one of the exchange is there. A lone row is in order. */
static void connect_ordered(struct run_state *run, struct fragment_state *to)
{
	for (uint32_t f = 0; f < to->index; f++) {
		struct fragment_state *from = &run->fragments[f];

		if (from->plan->inputs[0].kind != INPUT_TABLE || from->plan->output_count != 1 ||
			from->plan->outputs[0] != to->plan->inputs[0].index)
			continue;
		to->ordered = row_order_new(run, to);
		from->feeds = to->ordered;
	}
}

int fragment_state_init(struct run_state *run, uint32_t fragment, struct error *err)
{
	struct fragment_state *state = &run->fragments[fragment];
	const struct plan_fragment *plan = &run->plan->fragments[fragment];
	enum plan_placement placement = plan_fragment_placement(run->plan, plan);

	state->plan = plan;
	state->index = fragment;
	state->instance_count = instances_wanted(run, placement);
	state->instance_per_worker =
		placement == PLACED_WITH_CHUNKS || placement == PLACED_ANYWHERE;
	state->instances = memory_zalloc(state->instance_count * sizeof(struct instance));
	for (uint32_t i = 0; i < state->instance_count; i++) {
		struct instance *instance = &state->instances[i];

		instance->sink.emit = instance_emit;
		instance->run = run;
		instance->state = state;
		instance->index = i;
		router_init(&instance->router, run->plan, run->partitions);
		pthread_mutex_init(&instance->lock, NULL);
	}
	state->sides = memory_zalloc(plan->input_count * sizeof(struct build_side));
	for (uint32_t i = 1; i < plan->input_count; i++)
		if (build_side_init(run, state, i, err))
			return -1;
	if (plan->inputs[0].kind == INPUT_EXCHANGE &&
		run->plan->exchanges[plan->inputs[0].index].kind == EXCHANGE_ORDERED)
		connect_ordered(run, state);
	return 0;
}

static void instance_clear(struct instance *instance)
{
	pipeline_free(instance->pipeline);
	instance->pipeline = NULL;
	router_release(&instance->router);
}

static void build_sides_clear(struct fragment_state *state)
{
	for (uint32_t input = 1; input < state->plan->input_count; input++) {
		struct build_side *side = &state->sides[input];

		for (uint32_t i = 0; i < side->count; i++) {
			join_build_free(side->builds[i]);
			side->builds[i] = NULL;
		}
	}
}

void fragment_state_end(struct fragment_state *state)
{
	state->done = true;
	build_sides_clear(state);
}

static void build_sides_release(struct fragment_state *state)
{
	build_sides_clear(state);
	for (uint32_t input = 1; input < state->plan->input_count; input++) {
		struct build_side *side = &state->sides[input];

		for (uint32_t i = 0; i < side->count; i++)
			pthread_mutex_destroy(&side->locks[i]);
		free(side->builds);
		free(side->locks);
	}
}

void fragment_state_release(struct fragment_state *state)
{
	if (!state->plan)
		return;
	for (uint32_t i = 0; i < state->instance_count; i++) {
		instance_clear(&state->instances[i]);
		pthread_mutex_destroy(&state->instances[i].lock);
	}
	free(state->instances);
	build_sides_release(state);
	row_order_free(state->ordered);
	free(state->sides);
	memset(state, 0, sizeof(*state));
}

/* Made late, because a join's pipeline needs its build sides sealed. */
static int instance_open(struct instance *instance, struct error *err)
{
	const struct fragment_state *state = instance->state;
	const struct plan_fragment *plan = state->plan;
	const struct join_build **builds;
	int status;

	if (instance->pipeline)
		return 0;
	builds = memory_zalloc(plan->input_count * sizeof(*builds));
	for (uint32_t i = 1; i < plan->input_count; i++)
		builds[i] =
			state->sides[i].builds[state->sides[i].count == 1 ? 0 : instance->index];
	status = pipeline_new(&instance->pipeline, plan, builds, &instance->sink, err);
	if (!status && instance->run->profile)
		profile_pipeline(instance->run, state->index, instance->pipeline);
	else if (!status)
		pipeline_work_with(instance->pipeline, &instance->run->memory);
	if (!status)
		pipeline_stop_with(instance->pipeline, instance->run->options->interrupted,
			&instance->run->failed);
	free(builds);
	return status;
}

/* For the thread that is inside. */
static int instance_ready(struct instance *instance, struct run_thread *worker, struct error *err)
{
	if (instance_open(instance, err))
		return -1;
	if (instance->run->profile)
		profile_enter(worker, instance->pipeline);
	return 0;
}

/* Instances that belong to one worker need no lock. */
static void instance_enter(struct instance *instance, struct run_thread *worker)
{
	if (!instance->state->instance_per_worker)
		pthread_mutex_lock(&instance->lock);
	instance->worker = worker;
}

static void instance_leave(struct instance *instance)
{
	if (!instance->state->instance_per_worker)
		pthread_mutex_unlock(&instance->lock);
}

/* An error that rose in this fragment's own operators gets the name of its query. */
static int instance_failed(
	const struct instance *instance, struct run_thread *worker, struct error *err)
{
	if (err->code == ERROR_EVAL && !worker->named_error)
		plan_error_prefix(instance->run->plan, instance->state->plan, err);
	worker->named_error = true;
	return -1;
}

int instance_push(struct instance *instance, struct run_thread *worker, const struct batch *batch,
	struct error *err)
{
	int status;

	if (batch->selected == 0)
		return 0;
	instance_enter(instance, worker);
	status = instance_ready(instance, worker, err);
	if (!status)
		status = pipeline_push(instance->pipeline, batch, err);
	instance_leave(instance);
	return status ? instance_failed(instance, worker, err) : 0;
}

/* Those that no other instance reads. */
static void free_own_builds(struct instance *instance)
{
	const struct fragment_state *state = instance->state;

	for (uint32_t input = 1; input < state->plan->input_count; input++) {
		struct build_side *side = &state->sides[input];

		if (side->count == 1)
			continue;
		join_build_free(side->builds[instance->index]);
		side->builds[instance->index] = NULL;
	}
}

int instance_finish(struct instance *instance, struct run_thread *worker, struct error *err)
{
	int status;

	instance_enter(instance, worker);
	status = instance_ready(instance, worker, err);
	if (!status)
		status = pipeline_finish(instance->pipeline, err);
	instance_clear(instance);
	free_own_builds(instance);
	instance_leave(instance);
	return status ? instance_failed(instance, worker, err) : 0;
}

static int build_side_add(
	struct build_side *side, uint32_t index, const struct batch *batch, struct error *err)
{
	int status;

	pthread_mutex_lock(&side->locks[index]);
	status = join_build_add(side->builds[index], batch, err);
	pthread_mutex_unlock(&side->locks[index]);
	return status;
}

/* Any instance will do: the worker's own needs no lock. */
static uint32_t nearest_instance(void *context, uint32_t exchange)
{
	const struct instance *from = context;

	(void)exchange;
	return from->worker->index;
}

/*
 * Whoever would get all rows of an exchange is one here: instance 0, or a build side that is
 * shared.
 */
static int deliver_rows(void *context, uint32_t index, uint32_t instance, const struct batch *rows,
	struct error *err)
{
	struct instance *from = context;
	const struct plan_exchange *exchange = &from->run->plan->exchanges[index];
	struct fragment_state *to = &from->run->fragments[exchange->consumer];
	struct build_side *side = &to->sides[exchange->input];

	if (to->ordered && exchange->input == 0)
		return row_order_add(to->ordered, from->worker, rows, err);
	if (exchange->input > 0)
		return build_side_add(side, side->count == 1 ? 0 : instance, rows, err);
	return instance_push(
		&to->instances[instance == ROUTER_ALL ? 0 : instance], from->worker, rows, err);
}

static const struct router_ops local_router = {
	.nearest = nearest_instance,
	.deliver = deliver_rows,
};

static int instance_emit(struct sink *sink, const struct batch *batch, struct error *err)
{
	struct instance *from = (struct instance *)sink;
	const struct plan_fragment *plan = from->state->plan;

	if (batch->selected == 0)
		return 0;
	if (run_stopping(from->run))
		return error_set(err, ERROR_INTERRUPTED, "interrupted");
	if (plan->query != PLAN_NONE &&
		from->run->results->rows(from->run->results, plan->query, batch, err))
		return -1;
	return router_push(&from->router, from->state->index, batch, from->worker->index,
		&local_router, from, err);
}
