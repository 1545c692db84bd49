/*
 * The life of a job, as a gateway sees it: what it keeps of each, what a change in the log does to
 * it, and the end of jobs that nobody cares for any more.
 */
#include "role/gateway_private.h"

#include "base/memory.h"

#include <stdlib.h>

/* How often all jobs are looked at, and later by as much for so many of them. */
#define WALK_MS	       50u
#define WALK_JOBS_A_MS 16u

struct gateway_job *gateway_job_of(struct job *job)
{
	if (!job->attachment)
		job->attachment = memory_zalloc(sizeof(struct gateway_job));
	return job->attachment;
}

void gateway_close_job(struct gateway *gateway, struct job *job, bool over)
{
	struct gateway_job *own = job->attachment;

	if (!own)
		return;
	mapper_free(own->mapper);
	gateway_close_results(gateway, job, over);
	free(own);
	job->attachment = NULL;
}

void gateway_update_job(struct gateway *gateway, struct job *job)
{
	bool is_over = job->state == JOB_FAILED || job->state == JOB_GONE;
	/* One that is not over may have results on the disk: it has an attachment, from now on. */
	struct gateway_job *own = is_over ? job->attachment : gateway_job_of(job);

	if (own && job->state == JOB_DONE) {
		mapper_free(own->mapper);
		own->mapper = NULL;
	}
	gateway_answer_waiting(gateway, job);
	if (!is_over)
		return;
	gateway_tell_clients(gateway, job);
	gateway_close_job(gateway, job, true);
	if (job->state == JOB_GONE)
		ledger_forget(gateway->node.ledger, job);
}

void gateway_update_all(struct gateway *gateway)
{
	struct job *job = ledger_next(gateway->node.ledger, NULL), *next;

	for (; job; job = next) {
		next = ledger_next(gateway->node.ledger, job);
		gateway_update_job(gateway, job);
	}
}

void gateway_touch(struct gateway *gateway, struct job *job)
{
	uint64_t now_ms = node_now(&gateway->node);
	struct gateway_job *own = gateway_job_of(job);
	uint64_t quarter = gateway->node.env.cluster.job_ttl_ms / 4;
	struct flow_event event = {.kind = FLOW_TOUCHED, .job = job->id};

	if (now_ms - job->last_ms < quarter || now_ms - own->touched_ms < quarter)
		return;
	own->touched_ms = now_ms;
	node_append(&gateway->node, &event);
}

/* A job without any entry for too long. Whether that is so the log itself decides. */
static void expire(struct gateway *gateway, struct job *job, uint64_t now_ms)
{
	struct flow_event event = {.kind = FLOW_EXPIRED, .job = job->id, .seen = job->last_offset};
	struct gateway_job *own = gateway_job_of(job);

	if (now_ms - job->last_ms < gateway->node.env.cluster.job_ttl_ms ||
		own->expired_offset == job->last_offset + 1)
		return;
	own->expired_offset = job->last_offset + 1;
	node_append(&gateway->node, &event);
}

void gateway_walk_jobs(struct gateway *gateway, uint64_t now_ms)
{
	struct job *job = ledger_next(gateway->node.ledger, NULL);
	uint32_t count = 0, looks = 0;

	if (now_ms - gateway->walked_ms < gateway->walk_ms)
		return;
	gateway->walked_ms = now_ms;
	for (; job && !gateway->node.role.stopped; job = ledger_next(gateway->node.ledger, job)) {
		count++;
		if (job->state == JOB_OPEN || job->state == JOB_DONE)
			gateway_look_at_results(gateway, job, now_ms, &looks);
		if (job->state != JOB_GONE)
			expire(gateway, job, now_ms);
	}
	gateway->walk_ms = WALK_MS + count / WALK_JOBS_A_MS;
}
