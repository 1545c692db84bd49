/*
 * What one simulated client asks for: a data set, some of its queries, the size of its chunks; and
 * the answer that it must get.
 */
#ifndef SIM_JOB_H
#define SIM_JOB_H

#include "sim/datasets.h"

#include "base/hash.h"
#include "base/rng.h"
#include "wire/message.h"

struct sim_job {
	struct dataset *dataset;
	struct arena arena;
	const char *schema;
	uint32_t table_count;
	uint64_t *table_bytes;
	uint32_t query_count;
	struct wire_query_text *queries;
	struct plan *plan;
	size_t chunk_bytes;
	/* By table of the catalog; NULL until somebody asks. */
	struct dataset_chunk **chunks;
	uint32_t *chunk_counts;
	/* The right outcome. */
	uint32_t failure_count; /* any of these may be what the client hears; 0: it gets its rows */
	const char **failures;
	const struct dataset_answer **answers;
};

/* Whether the job must fail, and may do so with this message. */
bool sim_job_may_fail(const struct sim_job *job, const char *message);

/* Chosen by chance. Dies with the process when the data sets cannot be read: then nothing can. */
struct sim_job *sim_job_new(struct datasets *datasets, struct rng *rng);
void sim_job_free(struct sim_job *job);

/* The secret of the job with that id: any will do that differs from those of others. */
static inline struct wire_secret sim_job_secret(uint64_t id)
{
	struct wire_secret secret;

	for (uint32_t i = 0; i < WIRE_SECRET_SIZE; i++)
		secret.bytes[i] = (uint8_t)hash_u64(id + i);
	return secret;
}

/* Chunk `number` of the table as in struct session_source: 1, 0 or -1. */
MUST_CHECK int sim_job_chunk(struct sim_job *job, const char *table, uint32_t number,
	const void **bytes, size_t *size, struct error *err);

#endif
