/*
 * What runs when.
 *
 * A run is a sequence of steps, each of which uses all threads and ends before the next begins:
 *
 *   scan    one pass over tables whose map fragments can all be fed; rows stream from there through
 *           every fragment up to the first operator that has to wait for the end of its input
 *   finish  fragments whose input has ended emit what they hold
 *
 * A map fragment can be fed once every join on its rows' way has its build sides complete. That is
 * the whole dependency: builds before probes, producers before consumers.
 */
#include "local/run.h"
#include "base/memory.h"
#include "local/local_private.h"
#include "local/memory_limit.h"
#include "plan/plan_check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PARTITIONS_MIN 8
#define PARTITIONS_MAX 64

int run_fail(struct run_state *run, const struct error *err)
{
	pthread_mutex_lock(&run->error_lock);
	if (!atomic_load(&run->failed)) {
		run->error = *err;
		atomic_store(&run->failed, true);
	}
	pthread_mutex_unlock(&run->error_lock);
	return -1;
}

/* Set by a signal handler, which may run in another thread. */
static bool run_interrupted(const struct run_state *run)
{
	return run->options->interrupted &&
	       atomic_load_explicit(run->options->interrupted, memory_order_relaxed);
}

bool run_stopping(struct run_state *run)
{
	return atomic_load_explicit(&run->failed, memory_order_relaxed) || run_interrupted(run);
}

/*
 * Every producer of the exchange has emitted all its rows. Those that do the work of several run in
 * the same steps as these.
 */
static bool exchange_ended(const struct run_state *run, uint32_t exchange)
{
	for (uint32_t f = 0; f < run->plan->fragment_count; f++) {
		const struct plan_fragment *plan = &run->plan->fragments[f];

		for (uint32_t o = 0; o < plan->output_count && !plan->merged_count; o++)
			if (plan->outputs[o] == exchange && !run->fragments[f].done)
				return false;
	}
	return true;
}

/* Seals the build sides that are complete; true when all of the fragment's are. */
static bool builds_ready(struct run_state *run, struct fragment_state *state)
{
	for (uint32_t i = 1; i < state->plan->input_count; i++) {
		struct build_side *side = &state->sides[i];

		if (side->sealed)
			continue;
		if (!exchange_ended(run, state->plan->inputs[i].index))
			return false;
		for (uint32_t b = 0; b < side->count; b++)
			join_build_seal(side->builds[b], run->options->interrupted);
		side->sealed = true;
	}
	return true;
}

static bool op_is_blocking(const struct plan_op *op)
{
	switch (op->kind) {
	case PLAN_GROUP: return op->group.phase != GROUP_PARTIAL;
	case PLAN_TOP:
	case PLAN_WINDOW:
	case PLAN_RECURSION: return true;
	case PLAN_FILTER:
	case PLAN_PROJECT:
	case PLAN_JOIN:
	case PLAN_UNNEST:
	case PLAN_LIMIT: break;
	}
	return false;
}

/* Rows that `fragment` emits can go where they must go now. */
static bool way_is_open(struct run_state *run, const struct plan_fragment *fragment)
{
	for (uint32_t o = 0; o < fragment->output_count; o++) {
		const struct plan_exchange *exchange = &run->plan->exchanges[fragment->outputs[o]];
		struct fragment_state *to = &run->fragments[exchange->consumer];
		bool streams = true;

		if (exchange->input > 0)
			continue;
		if (!builds_ready(run, to))
			return false;
		for (uint32_t i = 0; i < to->plan->op_count; i++)
			streams &= !op_is_blocking(to->plan->ops[i]);
		if (streams && !way_is_open(run, to->plan))
			return false;
	}
	return true;
}

/* Fragments that do the work of others go along where all of those are wanted. */
static void add_merged(const struct plan *plan, bool *wanted)
{
	for (uint32_t f = 0; f < plan->fragment_count; f++) {
		const struct plan_fragment *fragment = &plan->fragments[f];

		wanted[f] = wanted[f] || fragment->merged_count > 0;
		for (uint32_t i = 0; i < fragment->merged_count; i++)
			wanted[f] = wanted[f] && wanted[fragment->merged[i]];
	}
}

/*
 * Marks the map fragments to scan for now: those of tables that need no second pass later, or, when
 * there is no such table, all that are ready. Returns how many.
 */
static uint32_t choose_scans(struct run_state *run, bool *wanted)
{
	const struct plan *plan = run->plan;
	bool *held = memory_zalloc(plan->table_count + 1);
	uint32_t whole = 0, ready = 0;

	for (uint32_t f = 0; f < plan->fragment_count; f++) {
		struct fragment_state *state = &run->fragments[f];

		wanted[f] = false;
		if (state->plan->inputs[0].kind != INPUT_TABLE || state->done ||
			state->plan->merged_count)
			continue;
		wanted[f] = way_is_open(run, state->plan);
		held[state->plan->inputs[0].index] |= !wanted[f];
		ready += wanted[f];
	}
	for (uint32_t f = 0; f < plan->fragment_count; f++)
		whole += wanted[f] && !held[plan->fragments[f].inputs[0].index];
	for (uint32_t f = 0; f < plan->fragment_count && whole > 0; f++)
		wanted[f] = wanted[f] && !held[plan->fragments[f].inputs[0].index];
	add_merged(plan, wanted);
	free(held);
	return whole > 0 ? whole : ready;
}

static int check_rejects(struct run_state *run, struct error *err)
{
	const struct local_report *report = run->report;
	const struct local_reject *first;

	report_finish(run->report, run->options->rejects_kept_max);
	if (report->rejects == 0)
		return 0;
	if (!run->options->strict)
		return run->options->reject_limit
			       ? report_check(report, run->options->reject_limit, err)
			       : 0;
	if (report->reject_count == 0)
		return error_set(err, ERROR_DATA, "%lu rows could not be read", report->rejects);
	first = &report->rejected[0];
	return error_set(err, ERROR_DATA, "%s:%lu: %s%s%s%s: \"%s\"", first->path, first->line,
		first->column ? "column " : "", first->column ? first->column : "",
		first->column ? ": " : "", first->reason, first->sample);
}

static int step_scan(struct run_state *run, bool *progressed, struct error *err)
{
	bool *wanted = memory_zalloc(run->plan->fragment_count + 1);
	int status = 0;

	*progressed = choose_scans(run, wanted) > 0;
	if (*progressed) {
		status = scan_run(run, wanted, err);
		for (uint32_t f = 0; f < run->plan->fragment_count; f++)
			if (wanted[f])
				fragment_state_end(&run->fragments[f]);
		if (!status && run->report->wrong_guess_count > 0)
			status = error_set(err, ERROR_DATA, "types were guessed wrong");
		if (!status)
			status = check_rejects(run, err);
	}
	free(wanted);
	return status;
}

static bool finishable(struct run_state *run, struct fragment_state *state)
{
	if (state->done || state->plan->inputs[0].kind == INPUT_TABLE)
		return false;
	if (state->plan->inputs[0].kind == INPUT_EXCHANGE &&
		!exchange_ended(run, state->plan->inputs[0].index))
		return false;
	return builds_ready(run, state) && way_is_open(run, state->plan);
}

struct finish_step {
	uint32_t count;
	struct instance **instances;
	atomic_uint next;
};

static int finish_one(struct instance *instance, struct run_thread *worker, struct error *err)
{
	static const struct batch one_row = {.rows = 1, .selected = 1};

	if (instance->state->plan->inputs[0].kind == INPUT_ONE_ROW &&
		instance_push(instance, worker, &one_row, err))
		return -1;
	return instance_finish(instance, worker, err);
}

static int finish_work(struct run_thread *worker, void *context, struct error *err)
{
	struct finish_step *step = context;
	uint32_t i;

	while ((i = atomic_fetch_add(&step->next, 1)) < step->count) {
		if (run_stopping(worker->run))
			return error_set(err, ERROR_INTERRUPTED, "interrupted");
		if (finish_one(step->instances[i], worker, err))
			return -1;
	}
	return 0;
}

/* All fragments whose input has ended, but not those that give out a query's result. */
static int step_finish(struct run_state *run, bool *progressed, struct error *err)
{
	struct finish_step step = {0};
	bool *chosen = memory_zalloc(run->plan->fragment_count + 1);
	int status = 0;

	for (uint32_t f = 0; f < run->plan->fragment_count; f++) {
		struct fragment_state *state = &run->fragments[f];

		chosen[f] = state->plan->query == PLAN_NONE && finishable(run, state);
		if (!chosen[f])
			continue;
		*progressed = true;
		step.instances = memory_realloc(step.instances,
			(step.count + state->instance_count) * sizeof(*step.instances));
		for (uint32_t i = 0; i < state->instance_count; i++)
			if (!state->instance_per_worker || state->instances[i].pipeline)
				step.instances[step.count++] = &state->instances[i];
	}
	if (step.count > 0)
		status = workers_run(run, step.count < run->threads ? step.count : run->threads,
			finish_work, &step, err);
	for (uint32_t f = 0; f < run->plan->fragment_count; f++)
		if (chosen[f])
			fragment_state_end(&run->fragments[f]);
	free(step.instances);
	free(chosen);
	return status;
}

/* The next query's result, if it is complete: rows in order, from this thread alone. */
static int step_result(struct run_state *run, bool *progressed, struct error *err)
{
	struct run_thread self = {.run = run};

	for (uint32_t f = 0; f < run->plan->fragment_count; f++) {
		struct fragment_state *state = &run->fragments[f];

		if (state->plan->query != run->next_query || !finishable(run, state))
			continue;
		if (finish_one(&state->instances[0], &self, err))
			return -1;
		fragment_state_end(state);
		*progressed = true;
		return run->results->done(run->results, run->next_query++, err);
	}
	return 0;
}

static int run_steps(struct run_state *run, struct error *err)
{
	while (run->next_query < run->plan->query_count) {
		bool progressed = false;

		if (run_interrupted(run))
			return error_set(err, ERROR_INTERRUPTED, "interrupted");
		if (step_result(run, &progressed, err))
			return -1;
		if (!progressed && step_finish(run, &progressed, err))
			return -1;
		if (!progressed && step_scan(run, &progressed, err))
			return -1;
		if (!progressed)
			return error_set(
				err, ERROR_INTERNAL, "the plan has a cycle: nothing can run");
	}
	return 0;
}

static uint32_t processor_count(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	if (count < 1)
		return 1;
	return count > LOCAL_THREADS_MAX ? LOCAL_THREADS_MAX : (uint32_t)count;
}

/* Enough for the threads not to queue for one lock, few enough for tables to fill a batch. */
static uint32_t partitions_for(uint32_t threads)
{
	uint32_t partitions = PARTITIONS_MIN;

	while (partitions < 2 * threads && partitions < PARTITIONS_MAX)
		partitions *= 2;
	return partitions;
}

/* Of the process, without what the cache may hold. */
static size_t memory_of(const struct local_options *options)
{
	size_t memory = options->memory ? options->memory : memory_limit_default();
	size_t cache = options->cache ? column_cache_bytes_max(options->cache) : 0;

	return cache < memory / 2 ? memory - cache : memory / 2;
}

int local_run(const struct plan *plan, const struct catalog *catalog,
	const struct data_places *data, const struct local_options *options,
	struct result_sink *results, struct local_report *report, struct error *err)
{
	struct run_state run = {
		.plan = plan,
		.catalog = catalog,
		.data = data,
		.options = options,
		.results = results,
		.report = report,
		.threads = options->threads ? options->threads : processor_count(),
		.chunk_bytes = options->chunk_bytes ? options->chunk_bytes : CSV_CHUNK_DEFAULT,
	};
	int status;

	if (options->memory)
		memory_limit_prepare();
	run.partitions = partitions_for(run.threads);
	run.budget.limit = memory_limit_for_rows(memory_of(options), run.threads);
	run.spill = spill_file_new(options->temp, options->temp_bytes_max);
	run.memory = (struct op_memory){&run.budget, spill_file_store(run.spill)};
	pthread_mutex_init(&run.error_lock, NULL);
	report_init(&run);
	profile_begin(&run);
	status = plan_check_own(plan, err);
	run.fragments = memory_zalloc((plan->fragment_count + 1) * sizeof(struct fragment_state));
	for (uint32_t f = 0; f < plan->fragment_count && !status; f++)
		status = fragment_state_init(&run, f, err);
	if (!status)
		status = run_steps(&run, err);
	/* A worker's error may have been given a name on its way; that is the one to tell. */
	if (status && atomic_load(&run.failed))
		*err = run.error;
	if (!status)
		profile_end(&run);
	for (uint32_t f = 0; f < plan->fragment_count; f++)
		fragment_state_release(&run.fragments[f]);
	free(run.fragments);
	profile_free(&run);
	spill_file_free(run.spill);
	pthread_mutex_destroy(&run.error_lock);
	report_finish(report, options->rejects_kept_max);
	/* Rows that were left out may be why something else failed. */
	if (status && report->wrong_guess_count > 0 && !run_interrupted(&run))
		return LOCAL_GUESS_WRONG;
	return status;
}
