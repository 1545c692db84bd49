/*
 * The collector is a worker whose folds are the last fragments of the queries. Their packets are
 * kept on its disk, and each gateway gets them, again whenever it asks.
 */
#include "role/worker.h"

#include <stdio.h>

int collector_new(struct role **out, const struct role_env *env, struct error *err)
{
	return worker_new(out, env, true, 0, err);
}

int collector_keep(struct worker_job *at, flow_stream stream, uint32_t number, const void *bytes,
	size_t size, struct error *err)
{
	uint32_t query = result_store_query(at->job, stream);

	/* A second emission after a crash: the same bytes. */
	if (result_store_has(at->results, query, number))
		return 0;
	if (quota_take(&at->worker->quota, size, err))
		return -1;
	return result_store_put(at->results, query, number, bytes, size, err);
}

static int publish_result(struct worker *worker, const struct result_store *results,
	struct emission *emission, uint32_t query, uint32_t total, uint32_t gateway,
	struct error *err)
{
	char queue[TRANSPORT_QUEUE_NAME_MAX];

	snprintf(queue, sizeof(queue), ROLE_QUEUE_GATEWAY, gateway);
	for (uint32_t number = 1; number <= total; number++) {
		if (!result_store_has(results, query, number))
			continue;
		if (result_store_read(results, query, number, &worker->packet, err))
			return -1;
		if (emission && worker_publish(worker, emission, queue, worker->packet.data,
					worker->packet.size, err))
			return -1;
		if (!emission && transport_publish(worker->node.env.transport, queue,
					 worker->packet.data, worker->packet.size, 0, err))
			return -1;
	}
	return 0;
}

int collector_publish(struct worker_job *at, flow_stream stream, uint32_t total, struct error *err)
{
	struct worker *worker = at->worker;
	struct emission *emission = worker_emission(worker, at->job->id, stream);
	uint32_t query = result_store_query(at->job, stream);

	/* Once the stream is closed the packets behind it may be forgotten by everyone else. */
	if (journal_sync(result_store_journal(at->results), err))
		return -1;
	for (uint32_t g = 0; g < worker->node.env.cluster.gateways; g++)
		if (publish_result(worker, at->results, emission, query, total, g, err))
			return -1;
	worker_end_emission(worker, emission, total);
	return 0;
}

int collector_answer(struct worker *worker, struct job *job, uint32_t gateway, struct error *err)
{
	struct worker_job *at = job->attachment;
	struct result_store *results = at ? at->results : NULL;
	uint32_t total;
	int status = 0;

	if ((job->state != JOB_OPEN && job->state != JOB_DONE) || job->results_lost ||
		gateway >= worker->node.env.cluster.gateways)
		return 0;
	if (!results && result_store_open(&results, worker->node.env.disk, job, err))
		return -1;
	for (uint32_t q = 0; q < job->plan->query_count && !status; q++)
		if (job_stream_total(job, job_result_stream(job, q), &total))
			status = publish_result(worker, results, NULL, q, total, gateway, err);
	if (!at)
		result_store_close(results);
	return status;
}
