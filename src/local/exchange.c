/*
 * Instances of fragments and the exchanges between them, inside one process.
 *
 * An exchange is a function call: the thread that emits a batch pushes it into the instance that
 * must get it, under that instance's lock. Rows of a hash exchange are not copied apart; each
 * instance gets the same columns with a selection of its own rows.
 */
#include "base/memory.h"
#include "local/local_private.h"
#include "plan/plan_queries.h"

#include <stdlib.h>
#include <string.h>

static int instance_emit(struct sink *sink, const struct batch *batch, struct error *err);

static uint32_t instances_wanted(const struct run_state *run, const struct plan_fragment *plan)
{
	const struct plan_input *input = &plan->inputs[0];

	switch (input->kind) {
	case INPUT_TABLE: return run->threads;
	case INPUT_ONE_ROW: return 1;
	case INPUT_EXCHANGE: break;
	}
	switch (run->plan->exchanges[input->index].kind) {
	case EXCHANGE_HASH: return run->partitions;
	case EXCHANGE_SPREAD: return run->threads;
	case EXCHANGE_SINGLE:
	case EXCHANGE_BROADCAST: break;
	}
	return 1;
}

static const struct plan_op *join_of_input(const struct plan_fragment *plan, uint32_t input)
{
	for (uint32_t i = 0; i < plan->op_count; i++)
		if (plan->ops[i]->kind == PLAN_JOIN && plan->ops[i]->join.build_input == input)
			return plan->ops[i];
	return NULL;
}

static int build_side_init(
	struct run_state *run, struct fragment_state *state, uint32_t input, struct error *err)
{
	const struct plan_fragment *plan = state->plan;
	const struct plan_exchange *exchange = &run->plan->exchanges[plan->inputs[input].index];
	const struct plan_op *join = join_of_input(plan, input);
	struct build_side *side = &state->sides[input];
	bool shared = exchange->kind != EXCHANGE_HASH;

	if (!join || (!shared && state->instance_count != run->partitions))
		return error_set(err, ERROR_INTERNAL, "a build side of the plan fits no join");
	/* Build rows that nothing met are emitted by the one instance that reads them. */
	if (join->join.kind == JOIN_FULL &&
		(plan_fragment_is_map(plan) || (shared && state->instance_count > 1)))
		return error_set(
			err, ERROR_INTERNAL, "a full join of the plan shares its build side");
	side->count = shared ? 1 : run->partitions;
	side->builds = memory_zalloc(side->count * sizeof(struct join_build *));
	side->locks = memory_zalloc(side->count * sizeof(pthread_mutex_t));
	for (uint32_t i = 0; i < side->count; i++) {
		side->builds[i] =
			join_build_new(&join->join, exchange->column_count, exchange->types);
		pthread_mutex_init(&side->locks[i], NULL);
	}
	return 0;
}

int fragment_state_init(struct run_state *run, uint32_t fragment, struct error *err)
{
	struct fragment_state *state = &run->fragments[fragment];
	const struct plan_fragment *plan = &run->plan->fragments[fragment];

	state->plan = plan;
	state->instance_count = instances_wanted(run, plan);
	state->instance_per_worker =
		plan->inputs[0].kind == INPUT_TABLE ||
		(plan->inputs[0].kind == INPUT_EXCHANGE &&
			run->plan->exchanges[plan->inputs[0].index].kind == EXCHANGE_SPREAD);
	state->instances = memory_zalloc(state->instance_count * sizeof(struct instance));
	for (uint32_t i = 0; i < state->instance_count; i++) {
		struct instance *instance = &state->instances[i];

		instance->sink.emit = instance_emit;
		instance->run = run;
		instance->state = state;
		instance->index = i;
		pthread_mutex_init(&instance->lock, NULL);
	}
	state->sides = memory_zalloc(plan->input_count * sizeof(struct build_side));
	for (uint32_t i = 1; i < plan->input_count; i++)
		if (build_side_init(run, state, i, err))
			return -1;
	return 0;
}

static void instance_clear(struct instance *instance)
{
	pipeline_free(instance->pipeline);
	instance->pipeline = NULL;
	free(instance->columns);
	instance->columns = NULL;
	if (instance->hashes) {
		free(instance->hashes);
		instance->hashes = NULL;
		partition_split_release(&instance->split);
	}
}

static void build_sides_clear(struct fragment_state *state)
{
	for (uint32_t input = 1; input < state->plan->input_count; input++) {
		struct build_side *side = &state->sides[input];

		for (uint32_t i = 0; i < side->count; i++) {
			join_build_free(side->builds[i]);
			pthread_mutex_destroy(&side->locks[i]);
		}
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
	build_sides_clear(state);
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
	free(builds);
	return status;
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
static int instance_failed(const struct instance *instance, struct error *err)
{
	if (err->code == ERROR_EVAL && !atomic_load(&instance->run->failed)) {
		plan_error_prefix(instance->run->plan, instance->state->plan, err);
		run_fail(instance->run, err);
	}
	return -1;
}

int instance_push(struct instance *instance, struct run_thread *worker, const struct batch *batch,
	struct error *err)
{
	int status;

	if (batch->selected == 0)
		return 0;
	instance_enter(instance, worker);
	status = instance_open(instance, err);
	if (!status)
		status = pipeline_push(instance->pipeline, batch, err);
	instance_leave(instance);
	return status ? instance_failed(instance, err) : 0;
}

int instance_finish(struct instance *instance, struct run_thread *worker, struct error *err)
{
	int status;

	instance_enter(instance, worker);
	status = instance_open(instance, err);
	if (!status)
		status = pipeline_finish(instance->pipeline, err);
	instance_clear(instance);
	instance_leave(instance);
	return status ? instance_failed(instance, err) : 0;
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

static int push_hashed(struct instance *from, struct fragment_state *to,
	const struct plan_exchange *exchange, const struct batch *batch, struct error *err)
{
	uint32_t partitions = from->run->partitions;

	if (!from->hashes) {
		from->hashes = memory_alloc(BATCH_ROWS_MAX * sizeof(uint64_t));
		partition_split_init(&from->split, partitions);
	}
	partition_hash(batch, exchange->keys, exchange->key_count, from->hashes);
	partition_split_rows(&from->split, batch, from->hashes);
	for (uint32_t i = 0; i < partitions; i++) {
		/* Every thread starts elsewhere, so that they do not queue for the same lock. */
		uint32_t p = (i + from->worker->index) % partitions;
		struct batch part = *batch;

		part.sel = from->split.rows + from->split.starts[p];
		part.selected = from->split.starts[p + 1] - from->split.starts[p];
		if (part.selected == 0)
			continue;
		if (exchange->input == 0) {
			if (instance_push(&to->instances[p], from->worker, &part, err))
				return -1;
			continue;
		}
		if (build_side_add(&to->sides[exchange->input], p, &part, err))
			return -1;
	}
	return 0;
}

static int exchange_push(struct instance *from, const struct plan_exchange *exchange,
	const struct batch *batch, struct error *err)
{
	struct fragment_state *to = &from->run->fragments[exchange->consumer];

	if (exchange->kind == EXCHANGE_HASH)
		return push_hashed(from, to, exchange, batch, err);
	if (exchange->input > 0)
		return build_side_add(&to->sides[exchange->input], 0, batch, err);
	if (exchange->kind == EXCHANGE_SPREAD)
		return instance_push(&to->instances[from->worker->index], from->worker, batch, err);
	return instance_push(&to->instances[0], from->worker, batch, err);
}

/* What an output that wants only some of the columns gets. */
static void pick_columns(struct instance *from, const struct plan_exchange *exchange,
	const uint32_t *wanted, struct batch *batch)
{
	if (!from->columns)
		from->columns = memory_alloc(PLAN_COLUMNS_MAX * sizeof(*from->columns));
	for (uint32_t i = 0; i < exchange->column_count; i++)
		from->columns[i] = batch->columns[wanted[i]];
	batch->columns = from->columns;
	batch->column_count = exchange->column_count;
}

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
	for (uint32_t i = 0; i < plan->output_count; i++) {
		const struct plan_exchange *exchange =
			&from->run->plan->exchanges[plan->outputs[i]];
		struct batch part = *batch;

		if (plan->output_columns)
			pick_columns(from, exchange, plan->output_columns[i], &part);
		if (exchange_push(from, exchange, &part, err))
			return -1;
	}
	return 0;
}
