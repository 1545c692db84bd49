#include "sim/source.h"

#include "base/memory.h"
#include "column/batch_codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RESULT_BYTES_MAX (64u << 20)

static enum session_read read_chunk(void *context, const char *table, uint32_t number,
	struct session_chunk *chunk, struct error *err)
{
	struct sim_source *source = context;
	const void *bytes = NULL;
	size_t size = 0;
	int status;

	/* Now and then it takes its time. */
	if (rng_below(source->rng, 8) == 0)
		return SESSION_READ_LATER;
	status = sim_job_chunk(source->job, table, number, &bytes, &size, err);
	*chunk = (struct session_chunk){.records = {bytes, (uint32_t)size}};
	return (enum session_read)status;
}

static int take_result(
	void *context, uint32_t query, const uint8_t *data, size_t size, struct error *err)
{
	struct sim_source *source = context;
	const struct plan_query *plan = &source->job->plan->queries[query];
	const uint8_t *at = data, *end = data + size;

	while (at < end) {
		struct batch batch;

		arena_reset(&source->arena);
		if (batch_decode(
			    &at, end, plan->column_count, plan->types, &source->arena, &batch, err))
			return -1;
		dataset_format_rows(&batch, &source->results[query]);
	}
	return 0;
}

void sim_source_init(struct sim_source *source, struct sim_job *job, struct rng *rng)
{
	*source = (struct sim_source){
		.session = {.read = read_chunk, .result = take_result, .context = source},
		.job = job,
		.rng = rng,
	};
	arena_init(&source->arena, 64u << 10);
	source->results = memory_zalloc(job->query_count * sizeof(*source->results));
	for (uint32_t q = 0; q < job->query_count; q++)
		buf_init(&source->results[q], RESULT_BYTES_MAX);
}

void sim_source_release(struct sim_source *source)
{
	arena_release(&source->arena);
	for (uint32_t q = 0; q < source->job->query_count; q++)
		buf_release(&source->results[q]);
	free(source->results);
}

void sim_source_clear(struct sim_source *source)
{
	for (uint32_t q = 0; q < source->job->query_count; q++)
		buf_clear(&source->results[q]);
}

bool sim_source_check(const struct sim_source *source, char *problem, size_t size)
{
	const struct sim_job *job = source->job;

	if (job->failure_count > 0) {
		snprintf(problem, size, "it has a result, and the embedded engine an error: %s",
			job->failures[0]);
		return false;
	}
	for (uint32_t q = 0; q < job->query_count; q++) {
		const struct buf *got = &source->results[q];
		const struct dataset_answer *want = job->answers[q];

		if (got->size == want->size &&
			(got->size == 0 || memcmp(got->data, want->bytes, got->size) == 0))
			continue;
		snprintf(problem, size,
			"the rows of query %u differ: %zu bytes, expected %zu: %.200s", q,
			got->size, want->size, job->queries[q].text);
		return false;
	}
	return true;
}
