/*
 * Questions that a page has asked, each a query in a thread of its own. Its rows stay in memory until
 * newer questions take their room.
 *
 * Any thread may call these. A question that was got is there until it is dropped again.
 */
#ifndef CLI_UI_QUESTION_H
#define CLI_UI_QUESTION_H

#include "cli/ui/ui.h"
#include "column/kept_rows.h"

#include <pthread.h>
#include <stdatomic.h>

#define QUESTIONS_MAX	    32u
#define QUESTIONS_RUN_MAX   8u
#define QUESTION_NOTES_MAX  (64u << 10)
#define QUESTION_SEARCH_MAX 1000u

enum question_state {
	QUESTION_RUNNING,
	QUESTION_DONE,
	QUESTION_FAILED,
	QUESTION_CANCELLED,
};

/* What a running question does. */
enum question_stage {
	QUESTION_READING, /* files; progress is in bytes */
	QUESTION_WORKING, /* the cluster has all of them; progress is in steps */
};

struct questions;

struct question {
	struct questions *owner;
	struct question *next; /* older */
	uint64_t id;
	uint32_t users; /* under the owner's lock: its thread, views of it, and who got it */
	/* Constant. */
	char *sql;
	struct question *parent; /* a view of its rows; NULL: none */
	const char *fetched;	 /* it has the rows of this job, ID or ID-SECRET; NULL: it is SQL */
	uint32_t fetched_query;
	/* Under the lock. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum question_state state;
	enum question_stage stage;
	uint64_t done;
	uint64_t total;
	uint64_t job; /* of the cluster; 0: none */
	atomic_bool interrupted;
	/* The thread's, until the question is not QUESTION_RUNNING any more; then constant. */
	struct error error;
	double seconds;
	struct arena arena;
	uint32_t column_count;
	const char **names;
	struct type *types;
	/* What texts stand for that are shown as they were written; as `types` otherwise. */
	struct type *meant;
	struct kept_rows rows;
	uint64_t *firsts; /* the number of the first row of each batch */
	uint64_t row_count;
	bool truncated; /* there is no room for more rows */
	uint64_t rows_read;
	uint64_t rows_rejected;
	struct buf notes; /* what a person should know, in lines */
	struct buf plan;  /* with what each step took, and a 0; empty: nobody has measured */
};

struct questions *questions_new(const struct ui_options *options);
/* Ends all of them. */
void questions_free(struct questions *questions);

/* Which column a view is sorted by, from 0; UINT32_MAX: none. `search`: "" for all rows. */
struct question_view {
	uint32_t column;
	bool descending;
	const char *search;
};

/* ERROR_LIMIT when too many are running. */
MUST_CHECK int question_ask(
	struct questions *questions, const char *sql, uint64_t *id, struct error *err);
/* `parent` is done. */
MUST_CHECK int question_view(
	struct question *parent, const struct question_view *view, uint64_t *id, struct error *err);
/* The rows of a job of the cluster that the options name; `job` is ID or ID-SECRET. */
MUST_CHECK int question_fetch(struct questions *questions, const char *job, uint32_t query,
	uint64_t *id, struct error *err);
/* NULL: it is gone, or never was. */
struct question *question_get(struct questions *questions, uint64_t id);
void question_drop(struct question *question);
/* Until it is not running any more, at most so long. */
enum question_state question_wait(struct question *question, uint32_t ms);
void question_cancel(struct question *question);

/* How a query would be answered (sql_explain). */
MUST_CHECK int question_plan(
	const struct ui_options *options, const char *sql, struct buf *out, struct error *err);

#endif
