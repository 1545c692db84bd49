/*
 * What a run takes, operator by operator (plan/profile.h).
 *
 * Every thread has counts of its own for all operators, so that measuring needs no lock and no shared line of a
 * cache. They are added up when the run has ended. Each operator has a part of the run's memory budget, which knows
 * the most that was held of it.
 */
#include "base/clock.h"
#include "base/memory.h"
#include "local/local_private.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define NS_PER_SECOND 1000000000

struct run_profile {
	uint32_t entry_count;
	uint32_t *first;	       /* by fragment */
	uint32_t tables;	       /* the entry of the first table */
	struct meter *meters;	       /* by thread */
	struct memory_budget *budgets; /* by entry */
	struct op_memory *memories;
	uint64_t started_ticks;
	uint64_t started_ns;
	uint64_t started_processor_ns;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * NS_PER_SECOND + (uint64_t)time.tv_nsec;
}

/* Two looks for each batch and operator: the processor's counter is read in a third of the time. */
static uint64_t now_ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return now_ns(CLOCK_MONOTONIC);
#endif
}

void profile_begin(struct run_state *run)
{
	const struct plan *plan = run->plan;
	struct run_profile *profile;
	uint32_t count = 0;

	if (!run->options->profile)
		return;
	profile = memory_zalloc(sizeof(*profile));
	profile->first = memory_zalloc((plan->fragment_count + 1) * sizeof(uint32_t));
	for (uint32_t f = 0; f < plan->fragment_count; f++) {
		profile->first[f] = count;
		count += plan->fragments[f].op_count + 1;
	}
	profile->tables = count;
	count += plan->table_count;
	profile->entry_count = count;
	profile->meters = memory_zalloc(run->threads * sizeof(struct meter));
	for (uint32_t t = 0; t < run->threads; t++) {
		profile->meters[t].now = now_ticks;
		profile->meters[t].counts = memory_zalloc((count + 1) * sizeof(struct meter_count));
	}
	profile->budgets = memory_zalloc((count + 1) * sizeof(struct memory_budget));
	profile->memories = memory_zalloc((count + 1) * sizeof(struct op_memory));
	for (uint32_t i = 0; i < count; i++) {
		profile->budgets[i].limit = run->budget.limit;
		profile->budgets[i].whole = &run->budget;
		profile->memories[i] = (struct op_memory){&profile->budgets[i], run->memory.spill};
	}
	profile->started_ticks = now_ticks();
	profile->started_ns = now_ns(CLOCK_MONOTONIC);
	profile->started_processor_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	run->profile = profile;
}

void profile_free(struct run_state *run)
{
	struct run_profile *profile = run->profile;

	if (!profile)
		return;
	for (uint32_t t = 0; t < run->threads; t++)
		free(profile->meters[t].counts);
	free(profile->meters);
	free(profile->budgets);
	free(profile->memories);
	free(profile->first);
	free(profile);
	run->profile = NULL;
}

const struct op_memory *profile_memory(struct run_state *run, uint32_t fragment, uint32_t op)
{
	return run->profile ? &run->profile->memories[run->profile->first[fragment] + op]
			    : &run->memory;
}

void profile_pipeline(struct run_state *run, uint32_t fragment, struct pipeline *pipeline)
{
	uint32_t first = run->profile->first[fragment];

	pipeline_measure(pipeline, first, &run->profile->memories[first]);
}

void profile_enter(struct run_thread *worker, struct pipeline *pipeline)
{
	pipeline_enter(pipeline, &worker->run->profile->meters[worker->index]);
}

void profile_read(struct run_thread *worker, uint32_t table)
{
	const struct run_profile *profile = worker->run->profile;
	struct meter *meter;

	if (!profile)
		return;
	meter = &profile->meters[worker->index];
	meter_enter(meter, table == PLAN_NONE ? NULL : &meter->counts[profile->tables + table]);
}

/* The sum over all threads; ticks become time at the rate of this run. */
static struct profile_entry add_up(const struct run_state *run, uint32_t index, double ns_per_tick)
{
	struct profile_entry entry = {
		.bytes_max = atomic_load(&run->profile->budgets[index].held_max)};

	for (uint32_t t = 0; t < run->threads; t++) {
		const struct meter_count *count = &run->profile->meters[t].counts[index];
		uint64_t ns = (uint64_t)((double)count->ticks * ns_per_tick);

		entry.rows += count->rows;
		entry.batches += count->batches;
		entry.ns += ns;
		entry.ns_max = ns > entry.ns_max ? ns : entry.ns_max;
		entry.threads += count->batches > 0 || count->ticks > 0;
	}
	return entry;
}

static void end_table(
	const struct run_state *run, uint32_t t, double ns_per_tick, struct profile_table *out)
{
	const struct local_table_report *report = &run->report->tables[t];

	*out = (struct profile_table){
		.reading = add_up(run, run->profile->tables + t, ns_per_tick),
		.files = report->files,
		.bytes = report->bytes,
		.rejects = report->rejects,
		.in_memory = report->in_memory,
	};
	out->reading.rows = report->rows;
}

void profile_end(struct run_state *run)
{
	struct plan_profile *out = run->options->profile;
	const struct run_profile *profile = run->profile;
	uint64_t ns, ticks;
	double rate;

	if (!profile)
		return;
	ns = now_ns(CLOCK_MONOTONIC) - profile->started_ns;
	ticks = now_ticks() - profile->started_ticks;
	rate = ticks ? (double)ns / (double)ticks : 1;
	out->threads = run->threads;
	out->elapsed_ns = ns;
	out->processor_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) - profile->started_processor_ns;
	out->bytes_max = atomic_load(&run->budget.held_max);
	out->spilled_bytes = spill_file_written(run->spill);
	out->first =
		arena_alloc(&out->arena, (run->plan->fragment_count + 1) * sizeof(*out->first));
	for (uint32_t f = 0; f < run->plan->fragment_count; f++)
		out->first[f] = profile->first[f];
	out->entries = arena_alloc(&out->arena, (profile->tables + 1) * sizeof(*out->entries));
	for (uint32_t i = 0; i < profile->tables; i++)
		out->entries[i] = add_up(run, i, rate);
	out->tables = arena_alloc(&out->arena, (run->plan->table_count + 1) * sizeof(*out->tables));
	for (uint32_t t = 0; t < run->plan->table_count; t++)
		end_table(run, t, rate, &out->tables[t]);
}
