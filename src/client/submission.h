/*
 * A job from its first chunk to its last result: a new one, one that an earlier process left
 * unfinished, and another in its place when the cluster has lost it through no fault of its own.
 *
 * submission_open, submission_run, submission_close, in this order, each once; between them the
 * others. After submission_open has failed there is nothing to close.
 */
#ifndef CLIENT_SUBMISSION_H
#define CLIENT_SUBMISSION_H

#include "client/session.h"
#include "column/schema.h"
#include "plan/plan.h"

struct data_places;
struct submission;

/* What is asked for. Everything is borrowed until the submission is closed. */
struct submission_request {
	const char *server; /* HOST:PORT[,HOST:PORT...] */
	const char *token;  /* NULL: none */
	const struct plan *plan;
	const struct catalog *catalog;
	const struct data_places *data;
	const char *schema;   /* CREATE TABLE statements of the tables that are read */
	uint32_t table_count; /* of the schema */
	const uint64_t *table_bytes;
	uint32_t query_count;
	const struct wire_query_text *queries;
	uint64_t hash; /* of schema and queries: what tells this request from others */

	const char *state_path; /* NULL: a place of its own for this request and these files */
	uint64_t chunk_bytes;	/* 0: as the job was begun, or the default */
	uint32_t connections;	/* at most; 0: the default */
	uint64_t retries;	/* how often a job that was lost is submitted again */
	bool restart;		/* begin a new job; an unfinished one is cancelled */
	bool no_wait;		/* done when everything was sent */
};

struct submission_handler {
	/* After every turn of the loop, at least every 20 ms: true ends the run. */
	bool (*interrupted)(void *context);
	/* Rows of a RESULT message, and the end of them. */
	int (*result)(
		void *context, uint32_t query, const uint8_t *data, size_t size, struct error *err);
	int (*result_end)(void *context, uint32_t query, struct error *err);
	/* The job is lost and another begins: its rows will be the same, from the first on. */
	void (*begins_again)(void *context, const struct error *why);
	void *context;
};

/* What is known of a table's rows. */
struct submission_rows {
	const char *table;
	uint64_t rows;
	uint64_t rejects;
	bool counted; /* by whoever mapped the chunks; false: the numbers are too small */
};

/* Chunks that were acknowledged, in bytes of files; after the last of them, steps of the cluster. */
struct submission_progress {
	bool sending;
	uint64_t done;
	uint64_t total; /* 0: not known yet */
};

/* ERROR_USAGE or ERROR_DATA also when an unfinished job cannot go on as it was begun. */
MUST_CHECK int submission_open(struct submission **out, const struct submission_request *request,
	const struct submission_handler *handler, struct error *err);
/*
 * Until the last result is there, or everything is sent with no_wait. *verdict says what an error
 * means for the job; ERROR_INTERRUPTED when the handler wanted it.
 */
MUST_CHECK int submission_run(
	struct submission *s, enum session_verdict *verdict, struct error *err);
/* `over`: nobody will want to go on with the job. Otherwise the same request resumes it. */
void submission_close(struct submission *s, bool over);

uint64_t submission_job(const struct submission *s);
const struct wire_secret *submission_secret(const struct submission *s);
/* It goes on with a job of an earlier process. */
bool submission_is_resumed(const struct submission *s);
/* An unfinished job that could not be cancelled and will expire by itself; 0: none. */
uint64_t submission_expiring_job(const struct submission *s);

/* During the run. */
struct submission_progress submission_progress(const struct submission *s);
/* Nobody has been reached for a while, or nobody takes the job; NULL: all is well. */
const char *submission_trouble(const struct submission *s);

uint64_t submission_bytes_total(const struct submission *s);
uint32_t submission_table_count(const struct submission *s);
struct submission_rows submission_rows(const struct submission *s, uint32_t index);
/* What a person should know about the way files were read; NULL behind the last. */
const char *submission_note(const struct submission *s, uint32_t index);

#endif
