/*
 * A node that keeps state: what the reducer and the collector have in common. Packets in, through
 * the journal into the folds of their job; packets out, to the nodes that are next; and streams
 * closed when all is confirmed.
 *
 * Per job: `job-<id>` on the disk is the journal of absorbed packets, replayed at start. It is
 * removed when the job is done, failed or gone. What its folds have no memory for is in a file without a name.
 *
 * What differs between the two roles is in `struct fold_node_ops`: reducer.c and collector.c.
 */
#ifndef ROLE_FOLD_NODE_H
#define ROLE_FOLD_NODE_H

#include "flow/inbox.h"
#include "journal/spill_disk.h"
#include "role/deadman.h"
#include "role/fold_task.h"
#include "role/intake.h"
#include "role/publish_group.h"
#include "role/quota.h"

#define JOB_FOLDER_PREFIX "job-"
#define JOB_FOLDER_FORMAT JOB_FOLDER_PREFIX "%016lx"

/* A stream on its way out: closed in the log once it has ended and all of it is confirmed. */
struct emission {
	struct publish_group group; /* first */
	uint64_t job;
	flow_stream stream;
	uint32_t total;
};

/* What a fold has put out and the disk does not take, in its order: tried again with every tick. */
struct fold_delay;

/* What the node has of a job that is open. A role may embed it as the first member of its own. */
struct fold_job {
	struct fold_node *owner;
	struct job *job;
	struct journal *journal; /* NULL until the first packet */
	struct inbox *inbox;
	struct spill_disk *spill; /* what its folds have no memory for */
	struct fold_task *tasks;  /* work that is under way */
	struct fold_delay *delayed;
	struct deadman_job deadman;
	bool failed; /* told to the log, which has not said it yet */
};

/* What is NULL does not concern the role. */
struct fold_node_ops {
	size_t job_size; /* of what embeds struct fold_job */
	/* The node's number among the nodes of a job; PLAN_NONE when the job does not need it. */
	uint32_t (*number_in)(const struct fold_node *folds, const struct job *job);
	void (*close_job)(struct fold_job *at);
	/* A fold sends a packet of a query's result. */
	int (*keep_result)(struct fold_job *at, flow_stream stream, uint32_t number,
		const void *bytes, size_t size, struct error *err);
	/* A fold has sent all of a query's result. */
	int (*end_result)(
		struct fold_job *at, flow_stream stream, uint32_t total, struct error *err);
	/* A job was opened or has changed; NULL: of no interest. Not for what was before the start. */
	void (*job_changed)(struct fold_node *folds, const struct ledger_change *change);
	/* A job is not open any more. */
	void (*job_is_over)(struct fold_node *folds, const struct job *job);
	/* Whether a folder that is not a journal of packets belongs to a job, and may be removed now.
	 * `job` is NULL when the log does not know it. */
	bool (*is_leftover)(const char *folder, const struct job *job);
	/* A gateway asks for results of a job. */
	int (*on_wanted)(struct fold_node *folds, struct job *job,
		const struct flow_message *wanted, struct error *err);
};

/* Embedded as the first member of the role. */
struct fold_node {
	struct node node; /* first */
	const struct fold_node_ops *ops;
	struct intake intake;
	struct quota quota;
	struct inbox_cache cache;
	struct memory_budget memory; /* of the folds of all jobs */
	struct spill_room temp;	     /* what has no room there */
	struct work_turns turns;
	struct deadman deadman;
	struct publish_group_list emissions;
	/* Folders that could not be removed yet. */
	uint32_t doomed_count;
	char (*doomed)[DISK_PATH_MAX];
};

/* `folds` is zeroed; `memory` is for all its folds, 0: any amount. After an error the caller releases it. */
MUST_CHECK int fold_node_init(struct fold_node *folds, const struct role_env *env,
	const struct role_ops *role_ops, const struct fold_node_ops *ops, uint32_t id,
	const char *queue, uint64_t memory, struct error *err);
void fold_node_release(struct fold_node *folds);
/* For the role's own role_ops. */
void fold_node_on_tick(struct role *role);

/* For fold_task.c: a fold has sent a packet; its work is done, which is taken. */
void fold_node_on_output(struct fold_job *at, flow_stream stream, uint32_t number, uint32_t node,
	const void *bytes, size_t size);
void fold_node_on_done(struct fold_job *at, struct fold_work *work);

/* Tells everyone that the job has failed, once, and works on it no more. */
void fold_node_fail_job(struct fold_job *at, const struct error *why);

/* The emission of a stream; made when it is not there. */
struct emission *fold_node_emission(struct fold_node *folds, uint64_t job, flow_stream stream);
/* Publishes a packet as part of an emission. */
MUST_CHECK int fold_node_publish(struct fold_node *folds, struct emission *emission,
	const char *queue, const void *bytes, size_t size, struct error *err);
/* It has all its packets: closes its stream when they are confirmed. */
void fold_node_end_emission(struct fold_node *folds, struct emission *emission, uint32_t total);
/* Removes a folder of the disk, now or as soon as the disk allows it. */
void fold_node_remove_folder(struct fold_node *folds, const char *folder);

#endif
