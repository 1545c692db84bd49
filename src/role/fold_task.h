/*
 * The work of a job's folds, on its way through a runner (role/work.h) and back: what a fold sends
 * while it runs is set aside, and leaves from the role's thread.
 */
#ifndef ROLE_FOLD_TASK_H
#define ROLE_FOLD_TASK_H

#include "flow/fold_work.h"
#include "role/work.h"

struct fold_job;
struct fold_node;
struct fold_task;

/*
 * The tasks of a node. What is suspected of having ended the node (role/work_record.h) runs alone, as
 * far as the others can wait for it. Of a job that may have used up the memory everything comes first,
 * likewise.
 */
struct fold_tasks {
	uint32_t running;
	uint64_t first_job;	 /* 0: none */
	uint64_t first_ms;	 /* since when it goes first */
	struct fold_task *alone; /* runs, and is suspected; NULL: none */
	uint64_t alone_ms;	 /* since when */
	struct fold_task *waiting;
};

/* Has it done; fold_node_on_output and fold_node_on_done follow. */
void fold_task_start(struct fold_job *at, struct fold_work *work);
/* Everything of the job that is under way ends soon; fold_node_on_done follows for each. */
void fold_task_stop_all(struct fold_job *at);
/* Ends it now; nothing follows. */
void fold_task_cancel_all(struct fold_job *at);
/* Now and then: those that wait may have waited long enough. */
void fold_task_on_tick(struct fold_node *folds);

#endif
