/*
 * The life of a job, as a gateway sees it: what it keeps of each, what a change in the log does to
 * it, and the end of jobs that nobody cares for any more.
 */
#include "role/gateway_private.h"

#include "base/memory.h"

#include <assert.h>
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

/* A job keeps its number of reducers. Those that the cluster does not have any more never answer. */
static void fail_if_nodes_are_missing(struct gateway *gateway, const struct job *job)
{
	uint32_t there = gateway->node.env.cluster.reducers;
	struct error err;

	if (job->state != JOB_OPEN || job->topology.reducers <= there)
		return;
	error_set(&err, ERROR_USAGE,
		"the job was opened with %u reducers, and the cluster has %u now: submit it again, "
		"or start the cluster with as many as it had",
		job->topology.reducers, there);
	node_fail_job(&gateway->node, job->id, &err);
}

/* Whether nothing of it is mapped any more. If not, we come here again. */
static bool close_mapper(struct gateway_job *own)
{
	if (!own->mapper)
		return true;
	mapper_stop(own->mapper);
	if (!mapper_rests(own->mapper))
		return false;
	mapper_free(own->mapper);
	own->mapper = NULL;
	return true;
}

void gateway_update_job(struct gateway *gateway, struct job *job)
{
	bool is_over = job->state == JOB_FAILED || job->state == JOB_GONE;
	/* One that is not over may have results on the disk: it has an attachment, from now on. */
	struct gateway_job *own = is_over ? job->attachment : gateway_job_of(job);

	assert(gateway->node.ready);
	if (own && job->state == JOB_DONE)
		close_mapper(own);
	if (own && job->results_lost && own->results_whole) {
		/* Ours are the last ones: it is time to look whether they can be read. */
		gateway_close_results(gateway, job, false);
		own->results_whole = false;
	}
	gateway_answer_waiting(gateway, job);
	if (!is_over)
		return;
	gateway_tell_clients(gateway, job);
	if (own && !close_mapper(own))
		return;
	gateway_close_job(gateway, job, true);
	assert(!job->attachment); /* the ledger forgets jobs that nobody has anything of */
	if (job->state == JOB_GONE)
		ledger_forget(gateway->node.ledger, job);
}

void gateway_update_all(struct gateway *gateway)
{
	struct job *job = ledger_next(gateway->node.ledger, NULL), *next;

	for (; job; job = next) {
		next = ledger_next(gateway->node.ledger, job);
		fail_if_nodes_are_missing(gateway, job);
		gateway_update_job(gateway, job);
	}
}

/* A client that is gone before its data was complete leaves a job that nobody can use. */
static uint64_t ttl_of(const struct gateway *gateway, const struct job *job)
{
	const struct role_cluster *cluster = &gateway->node.env.cluster;
	bool shorter = cluster->receive_ttl_ms > 0 && cluster->receive_ttl_ms < cluster->job_ttl_ms;

	return shorter && job_is_receiving(job) ? cluster->receive_ttl_ms : cluster->job_ttl_ms;
}

void gateway_touch(struct gateway *gateway, struct job *job)
{
	uint64_t now_ms = node_now(&gateway->node);
	struct gateway_job *own = gateway_job_of(job);
	uint64_t quarter = ttl_of(gateway, job) / 4;
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

	if (now_ms - job->last_ms < ttl_of(gateway, job) ||
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
	gateway_touch_chunks(gateway);
	for (; job && !gateway->node.role.stopped; job = ledger_next(gateway->node.ledger, job)) {
		count++;
		if (job->state == JOB_OPEN || job->state == JOB_DONE)
			gateway_look_at_results(gateway, job, now_ms, &looks);
		if (job->state != JOB_GONE)
			expire(gateway, job, now_ms);
	}
	gateway->walk_ms = WALK_MS + count / WALK_JOBS_A_MS;
}
