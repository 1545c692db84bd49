/*
 * A node that keeps state: a reducer, or the collector. Packets in, through the journal into the
 * folds of their job; packets out, to the nodes that are next; and streams closed when all is
 * confirmed.
 *
 * Per job: `job-<id>` on the disk is the journal of absorbed packets, replayed at start. It is
 * removed when the job is done, failed or gone.
 */
#ifndef ROLE_WORKER_H
#define ROLE_WORKER_H

#include "flow/inbox.h"
#include "role/intake.h"
#include "role/publish_group.h"
#include "role/quota.h"
#include "role/result_store.h"

#define JOB_FOLDER_PREFIX "job-"
#define JOB_FOLDER_FORMAT JOB_FOLDER_PREFIX "%016lx"

/* A stream on its way out: closed in the log once it has ended and all of it is confirmed. */
struct emission {
	struct publish_group pending; /* first */
	uint64_t job;
	flow_stream stream;
	uint32_t total;
};

/* What a worker has of a job that is open. */
struct worker_job {
	struct worker *worker;
	struct job *job;
	struct journal *journal; /* NULL until the first packet */
	struct inbox *inbox;
	struct result_store *results; /* the collector's; NULL elsewhere */
	bool failed;		      /* told to the log, which has not said it yet */
};

struct worker {
	struct node node; /* first */
	bool is_collector;
	uint32_t index; /* of a reducer */
	struct intake intake;
	struct quota quota;
	struct inbox_cache cache;
	struct publish_group_list emissions;
	struct buf packet; /* one read back for a gateway */
	/* Folders that could not be removed yet. */
	uint32_t doomed_count;
	char (*doomed)[DISK_PATH_MAX];
};

MUST_CHECK int worker_new(struct role **out, const struct role_env *env, bool is_collector,
	uint32_t index, struct error *err);

/* collector.c: what the collector does with the packets of a result. */
MUST_CHECK int collector_keep(struct worker_job *at, flow_stream stream, uint32_t number,
	const void *bytes, size_t size, struct error *err);
/* A result has its last packet: makes it durable and sends it to all gateways. */
MUST_CHECK int collector_publish(
	struct worker_job *at, flow_stream stream, uint32_t total, struct error *err);
/* A gateway asks for all results of a job that are complete. */
MUST_CHECK int collector_answer(
	struct worker *worker, struct job *job, uint32_t gateway, struct error *err);

/* Publishes a packet as part of an emission. */
MUST_CHECK int worker_publish(struct worker *worker, struct emission *emission, const char *queue,
	const void *bytes, size_t size, struct error *err);
struct emission *worker_emission(struct worker *worker, uint64_t job, flow_stream stream);
void worker_end_emission(struct worker *worker, struct emission *emission, uint32_t total);

#endif
