/*
 * The work of a job's folds, on its way through a runner (role/work.h) and back: what a fold sends
 * while it runs is set aside, and leaves from the role's thread.
 */
#ifndef ROLE_FOLD_TASK_H
#define ROLE_FOLD_TASK_H

#include "flow/fold_work.h"
#include "role/work_turns.h"

struct fold_job;
struct fold_task;

/* Has it done; fold_node_on_output and fold_node_on_done follow. */
void fold_task_start(struct fold_job *at, struct fold_work *work);
/* Everything of the job that is under way ends soon; fold_node_on_done follows for each. */
void fold_task_stop_all(struct fold_job *at);
/* Ends it now; nothing follows. */
void fold_task_cancel_all(struct fold_job *at);
#endif
