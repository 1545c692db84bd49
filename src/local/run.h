/*
 * The embedded runtime: a plan over the CSV files of a folder, in the threads of this process.
 *
 * One scan a table feeds all map fragments that need it. Threads take chunks; a fragment behind a
 * hash exchange has a fixed number of instances, each under a lock; one behind a spread exchange
 * has one instance per thread.
 */
#ifndef LOCAL_RUN_H
#define LOCAL_RUN_H

#include "column/schema.h"
#include "csv/decode.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include <stdatomic.h>

#define LOCAL_THREADS_MAX 256

/* Called by one thread at a time. */
struct result_sink {
	/* Rows of plan->queries[query] in their final order. */
	int (*rows)(struct result_sink *sink, uint32_t query, const struct batch *batch,
		struct error *err);
	/* The query has all its rows. */
	int (*done)(struct result_sink *sink, uint32_t query, struct error *err);
	/*
	 * Both or none: rows of a query as bytes, by any thread; and bytes that were made so, by one thread
	 * for a query, in the order of the rows.
	 */
	void (*format)(struct result_sink *sink, uint32_t query, const struct batch *batch,
		struct buf *out);
	int (*formatted)(struct result_sink *sink, uint32_t query, const struct buf *bytes,
		struct error *err);
};

struct local_progress {
	uint64_t bytes_done;
	uint64_t bytes_total;
	uint64_t rows;
};

/* How many rows of a table may be rejects: a share of them, or a number, whichever is more. */
struct reject_limit {
	uint64_t percent; /* 100: any number */
	uint64_t rows;
};

#define REJECT_PERCENT_DEFAULT 10

bool reject_limit_holds(const struct reject_limit *limit, uint64_t rows, uint64_t rejects);

struct data_places;
struct column_cache;

struct local_options {
	uint32_t threads;	   /* 0: as many as there are processors */
	size_t chunk_bytes;	   /* 0: CSV_CHUNK_DEFAULT */
	size_t memory;		   /* that the process may take; 0: the default */
	const char *temp;	   /* where what does not fit goes; NULL: $TMPDIR, or /tmp */
	uint64_t temp_bytes_max;   /* 0: as much as there is room for */
	bool strict;		   /* the first reject is an error */
	uint64_t rejects_kept_max; /* how many rejects to remember for the report */
	const struct reject_limit *reject_limit; /* more are an error; NULL: they are not */
	struct column_cache
		*cache; /* of what is read, for runs that follow; NULL: nothing is kept */
	const atomic_bool *interrupted; /* set: stop soon with ERROR_INTERRUPTED; may be NULL */
	/* Called about ten times a second by one thread; may be NULL. */
	void (*on_progress)(void *context, const struct local_progress *progress);
	void *progress_context;
	/* What the run takes goes here, in its arena, which is there; NULL: nothing is measured. */
	struct plan_profile *profile;
};

struct local_reject {
	uint32_t table; /* index into the report's tables */
	const char *path;
	uint64_t line;
	const char *column; /* NULL: the whole record */
	const char *reason;
	const char *sample;
};

/*
 * A column whose type was guessed, and values that say that it is another (csv/guess.h); or, when `fields` is not 0, a
 * row with so many fields in a file that was thought to have `width`.
 */
struct local_wrong_guess {
	uint32_t table; /* of the catalog */
	uint32_t column;
	unsigned kinds; /* what those values may be */
	uint32_t width;
	uint32_t fields;
	const char *path;
	uint64_t line; /* of the first of them; 0: not known */
	const char *sample;
};

struct local_table_report {
	const char *name;
	uint64_t files;
	uint64_t bytes;
	uint64_t rows;
	uint64_t rejects;
	bool in_memory; /* no file had to be read */
};

/* What was read and what could not be; sorted by table, file and line. */
struct local_report {
	struct arena arena;
	uint32_t table_count;
	struct local_table_report *tables;
	uint64_t rejects;
	uint64_t reject_count; /* of those kept in `rejected` */
	struct local_reject *rejected;
	/* Not 0: there are no results; the tables' columns have to be widened first. */
	uint32_t wrong_guess_count;
	struct local_wrong_guess *wrong_guesses;
	/* What a person should know about the way files were read, one line each. */
	uint32_t note_count;
	const char **notes;
};

void local_report_release(struct local_report *report);

/* A guess was wrong: the report says which. */
#define LOCAL_GUESS_WRONG 1

/*
 * Runs all queries. `report` is filled also when it fails, and released by the caller. The results
 * come query by query, in the plan's order; an error can still follow the first rows of a query,
 * and only `done` says that it has all of them.
 *
 * LOCAL_GUESS_WRONG when a value contradicts the type of a column that was guessed and some query
 * reads. Queries that are done before it are right: what they read was read to its end. None of the
 * others has got any rows. Run them again with wider types.
 */
MUST_CHECK int local_run(const struct plan *plan, const struct catalog *catalog,
	const struct data_places *data, const struct local_options *options,
	struct result_sink *results, struct local_report *report, struct error *err);

#endif
