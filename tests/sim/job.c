#include "sim/job.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUERIES_MAX	   5u
#define CORPUS_QUERIES_MAX 3u
#define CHUNKS_WANTED_MAX  40u
#define CHUNK_BYTES_MIN	   100u

static void die(const char *what, const struct error *err)
{
	fprintf(stderr, "sim: %s: %s\n", what, err->message);
	exit(2);
}

/*
 * Without the name of the query, which the cluster may put differently where queries share work,
 * and without the value at fault: of several, any may be the first.
 */
static void add_failure(struct sim_job *job, const char *name, const struct error *err)
{
	const char *message = err->message;
	size_t length = strlen(name);

	if (!strncmp(message, name, length) && !strncmp(message + length, ": ", 2))
		message += length + 2;
	job->failures[job->failure_count++] =
		arena_strndup(&job->arena, message, strcspn(message, "\""));
}

bool sim_job_may_fail(const struct sim_job *job, const char *message)
{
	for (uint32_t i = 0; i < job->failure_count; i++)
		if (strstr(message, job->failures[i]))
			return true;
	return false;
}

/* A query, and what must come of it, at the end of the job's list. */
static void add_query(struct sim_job *job, uint32_t query, uint32_t *chosen)
{
	const struct sql_text *text = &job->dataset->queries[query];
	struct error err;

	for (uint32_t i = 0; i < job->query_count; i++)
		if (chosen[i] == query)
			return;
	job->queries[job->query_count] = (struct wire_query_text){
		.name = text->name, .title = text->title, .text = text->text};
	if (dataset_answer(job->dataset, query, &job->answers[job->query_count], &err)) {
		if (strcmp(job->dataset->name, "errors") != 0)
			die(text->name, &err);
		add_failure(job, text->name, &err);
	}
	chosen[job->query_count++] = query;
}

static void choose_queries(struct sim_job *job, struct rng *rng, uint32_t *chosen)
{
	uint32_t all = job->dataset->query_count;
	uint32_t count = 1 + (uint32_t)rng_below(rng, CORPUS_QUERIES_MAX);

	/* A pack is mostly run whole. */
	if (all <= QUERIES_MAX && rng_below(rng, 2)) {
		for (uint32_t q = 0; q < all; q++)
			add_query(job, q, chosen);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		add_query(job, (uint32_t)rng_below(rng, all), chosen);
}

struct sim_job *sim_job_new(struct datasets *datasets, struct rng *rng)
{
	struct sim_job *job = memory_zalloc(sizeof(*job));
	uint32_t chosen[QUERIES_MAX];
	uint64_t largest = CHUNK_BYTES_MIN;
	struct dataset *dataset;
	struct error err;

	/* The corpus has by far the most queries. */
	dataset = rng_below(rng, 2) ? datasets_find(datasets, "corpus")
				    : &datasets->sets[rng_below(rng, datasets->count)];
	arena_init(&job->arena, 64u << 10);
	job->dataset = dataset;
	job->schema = dataset->schema;
	job->table_count = dataset->catalog.table_count;
	job->table_bytes = arena_alloc(&job->arena, job->table_count * sizeof(uint64_t));
	job->chunks = arena_zalloc(&job->arena, job->table_count * sizeof(*job->chunks));
	job->chunk_counts = arena_zalloc(&job->arena, job->table_count * sizeof(uint32_t));
	job->queries = arena_zalloc(&job->arena, QUERIES_MAX * sizeof(*job->queries));
	job->failures = arena_zalloc(&job->arena, (QUERIES_MAX + 1) * sizeof(*job->failures));
	job->answers = arena_zalloc(&job->arena, QUERIES_MAX * sizeof(*job->answers));
	for (uint32_t t = 0; t < job->table_count; t++) {
		job->table_bytes[t] = dataset->catalog.tables[t].bytes;
		largest = largest > job->table_bytes[t] ? largest : job->table_bytes[t];
	}
	job->chunk_bytes =
		CHUNK_BYTES_MIN + (size_t)largest / (1 + rng_below(rng, CHUNKS_WANTED_MAX));
	choose_queries(job, rng, chosen);
	if (dataset_compile(dataset, chosen, job->query_count, &job->arena, &job->plan, &err)) {
		if (job->failure_count == 0)
			die(dataset->name, &err);
		add_failure(job, "", &err);
	}
	return job;
}

void sim_job_free(struct sim_job *job)
{
	arena_release(&job->arena);
	free(job);
}

int sim_job_chunk(struct sim_job *job, const char *table, uint32_t number, const void **bytes,
	size_t *size, struct error *err)
{
	uint32_t t = 0;

	while (t < job->table_count && strcmp(job->dataset->catalog.tables[t].name, table) != 0)
		t++;
	if (t == job->table_count)
		return error_set(err, ERROR_USAGE, "the gateway asks for table %s", table);
	if (!job->chunks[t] && dataset_cut(job->dataset, t, job->chunk_bytes, &job->arena,
				       &job->chunks[t], &job->chunk_counts[t], err))
		return -1;
	if (number > job->chunk_counts[t])
		return 0;
	*bytes = job->chunks[t][number - 1].bytes;
	*size = job->chunks[t][number - 1].size;
	return 1;
}
