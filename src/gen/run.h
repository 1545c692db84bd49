/*
 * What the generators share: the folder, the threads that take one task after the other, and the
 * steps of writing a file.
 */
#ifndef GEN_RUN_H
#define GEN_RUN_H

#include "base/rng.h"
#include "gen/gen.h"
#include "gen/writer.h"
#include <stdatomic.h>

/* One thread's view: what it has written is added up at the end. */
struct gen_job {
	const struct gen_options *options;
	const void *plan;      /* the generator's own */
	_Atomic bool *failed;  /* another thread has: stop */
	bool reports_progress; /* only the thread that called */
	_Atomic uint64_t *bytes_done;
	uint64_t bytes_total;
	uint64_t bytes;
	uint64_t rows[GEN_TABLES_MAX]; /* by table of the report */
};

struct gen_plan {
	const char *pack;
	uint32_t folder_count; /* below the data folder */
	const char *const *folders;
	uint32_t table_count;
	const char *const *tables; /* for the report */
	uint32_t task_count;
	int (*task)(struct gen_job *job, uint32_t task, struct error *err);
	const void *plan; /* read by the tasks */
	uint64_t bytes_total;
};

/* Makes the folder and runs all tasks. */
MUST_CHECK int gen_run(const struct gen_plan *plan, const struct gen_options *options,
	struct gen_report *report, struct error *err);

/* The generator of a file's random choices; `file` names it. */
void gen_rng_init(
	struct rng *rng, const struct gen_options *options, const char *file, uint64_t part);

/* Writes the buffer out, counts it, and says whether to go on. */
MUST_CHECK int gen_flush(struct gen_job *job, struct gen_writer *writer, struct error *err);
/* Flushes when `size` more bytes would not fit. */
MUST_CHECK static inline int gen_ensure(
	struct gen_job *job, struct gen_writer *writer, size_t size, struct error *err)
{
	return gen_writer_full(writer, size) ? gen_flush(job, writer, err) : 0;
}
/* Gives the file its name and counts its bytes. */
MUST_CHECK int gen_close(struct gen_job *job, struct gen_writer *writer, struct error *err);

#endif
