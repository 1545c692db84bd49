/*
 * Takes the results of all queries of a plan from the runtime and writes each where it belongs.
 *
 * On stdout the queries come in the plan's order, whichever is ready first: a query writes through
 * when it is its turn and waits in a spool before that. In a folder every query has a file of its
 * own, which appears when the query is complete.
 *
 * Legal order: one of the init calls, the runtime's calls on `sink`, perhaps set_plan and the calls
 * again, finish once all queries are done, release.
 */
#ifndef CLI_PRINT_RESULTS_H
#define CLI_PRINT_RESULTS_H

#include "cli/format/format.h"
#include "cli/print/progress.h"
#include "local/run.h"

struct result_slot;

/* How results look, and where they go when they do not go to files. Borrowed by the results. */
struct results_form {
	const struct format_ops *ops;
	const struct format_style *style;
	int fd;
};

/* As usual, on stdout. */
extern const struct format_style results_usual_style;

struct results {
	struct result_sink sink;
	const struct plan *plan;
	struct results_form form;
	struct progress *progress;
	struct result_slot *slots; /* one per query */
	uint32_t turn;		   /* the query that writes through to the stream */
	bool several;		   /* results share the stream: each is announced */
	bool to_files;
	const char *made_folder; /* to remove again when nothing got into it; NULL otherwise */
};

/* `plan`, `progress` and `folder` are borrowed and outlive the results. */
void results_init_stream(struct results *results, const struct plan *plan,
	const struct results_form *form, bool several, struct progress *progress);
/* One file, for the plan's only query. */
MUST_CHECK int results_init_file(struct results *results, const struct plan *plan,
	const struct results_form *form, const char *path, struct progress *progress,
	struct error *err);
/* FOLDER/QUERY.EXTENSION; the folder is made when it is not there. */
MUST_CHECK int results_init_folder(struct results *results, const struct plan *plan,
	const struct results_form *form, const char *folder, struct progress *progress,
	struct error *err);
/*
 * The queries are run again with another plan, whose columns may have other types: those that are
 * done stay as they are, and the rows of the others are void. Some of those may have been printed:
 * then it is an error when they do not come again.
 */
bool results_can_restart(const struct results *results);
MUST_CHECK int results_set_plan(
	struct results *results, const struct plan *plan, struct error *err);
MUST_CHECK int results_finish(struct results *results, struct error *err);
/* Removes what is not complete. */
void results_release(struct results *results);

/* The reader of stdout went away: end without a message. */
bool results_pipe_closed(const struct results *results);

#endif
