/*
 * The collector: its folds are the last fragments of the queries. Their packets are kept on its disk
 * in `result-<id>`. Each gateway gets the first of them, which is all of most results, and of the others those
 * that it asks for. They stay when the job is done, until it is gone.
 */
#include "role/fold_node.h"

#include "base/memory.h"
#include "base/metrics.h"
#include "base/mutant.h"
#include "role/result_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Gateways ask every two seconds for what they miss. */
#define UNREADABLE_MS_MAX 60000u
#define UNREADABLE_COUNT  64u
#define COUNT_JOBS_MS	  500u
/* Of a result that is coming. */
#define UNSYNCED_BYTES_MAX (16u << 20)

/* Results that the disk would not give. */
struct unreadable {
	uint64_t job;
	uint64_t since_ms;
};

struct collector {
	struct fold_node folds;				/* first */
	struct buf packet;				/* one read back for a gateway */
	uint64_t counted_ms;				/* the jobs, last */
	struct unreadable unreadable[UNREADABLE_COUNT]; /* at the place that the job's id says */
};

struct collector_job {
	struct fold_job at; /* first */
	struct result_store *results;
};

static uint32_t number_in(const struct fold_node *folds, const struct job *job)
{
	(void)folds;
	return topology_collector(&job->topology);
}

/* When the first packet of a result comes: a disk that is full then is waited for. */
static int open_results(struct fold_job *at, struct result_store **results, struct error *err)
{
	struct collector_job *own = (struct collector_job *)at;

	if (!own->results &&
		result_store_open(&own->results, at->owner->node.env.disk, at->job, err))
		return -1;
	*results = own->results;
	return 0;
}

static void close_job(struct fold_job *at)
{
	result_store_close(((struct collector_job *)at)->results);
}

static void count_change(const struct ledger_change *change)
{
	const struct job *job = change->job;

	if (change->kind == LEDGER_JOB_OPENED) {
		metric_add(METRIC_OPENED, 1);
		return;
	}
	if (change->kind != LEDGER_JOB_CHANGED)
		return;
	if (job->state == JOB_DONE && !job->results_lost)
		metric_add(METRIC_ENDED_DONE, 1);
	else if (job->state == JOB_FAILED)
		metric_add(METRIC_ENDED_FAILED, 1);
	else if (job->state == JOB_GONE)
		metric_add(METRIC_GONE, 1);
}

static void count_jobs(struct collector *collector, uint64_t now_ms)
{
	const struct job *job = ledger_next(collector->folds.node.ledger, NULL);
	uint64_t receiving = 0, working = 0, done = 0, failed = 0;

	collector->counted_ms = now_ms;
	for (; job; job = ledger_next(collector->folds.node.ledger, job)) {
		if (job->state == JOB_OPEN)
			(*(job_is_receiving(job) ? &receiving : &working))++;
		done += job->state == JOB_DONE;
		failed += job->state == JOB_FAILED;
	}
	metric_set(METRIC_JOBS_RECEIVING, receiving);
	metric_set(METRIC_JOBS_WORKING, working);
	metric_set(METRIC_JOBS_DONE, done);
	metric_set(METRIC_JOBS_FAILED, failed);
}

static void on_tick(struct role *role)
{
	struct collector *collector = (struct collector *)role;
	uint64_t now_ms;

	fold_node_on_tick(role);
	now_ms = node_now(&collector->folds.node);
	if (!role->stopped && now_ms - collector->counted_ms >= COUNT_JOBS_MS)
		count_jobs(collector, now_ms);
}

/* There is one collector: its log tells what became of the jobs. */
static void job_changed(struct fold_node *folds, const struct ledger_change *change)
{
	const struct job *job = change->job;

	count_change(change);
	if (change->kind == LEDGER_JOB_OPENED)
		node_log(&folds->node, LOG_JOB_OPENED,
			LOG_FIELDS(LOG_ID("job", job->id),
				LOG_NUMBER("queries", job->plan->query_count),
				LOG_NUMBER("tables", job->plan->table_count)));
	else if (change->kind == LEDGER_JOB_CHANGED && job->state == JOB_DONE && !job->results_lost)
		node_log(&folds->node, LOG_JOB_DONE, LOG_FIELDS(LOG_ID("job", job->id)));
	else if (change->kind == LEDGER_JOB_CHANGED && job->state == JOB_GONE)
		node_log(&folds->node, LOG_JOB_GONE, LOG_FIELDS(LOG_ID("job", job->id)));
}

static int keep_result(struct fold_job *at, flow_stream stream, uint32_t number, const void *bytes,
	size_t size, struct error *err)
{
	uint32_t query = result_store_query(at->job, stream);
	struct result_store *results;

	if (open_results(at, &results, err))
		return -1;
	/* A second emission after a crash: the same bytes. */
	if (result_store_has(results, query, number))
		return 0;
	if (quota_take(&at->owner->quota, size, err) ||
		result_store_put(results, query, number, bytes, size, err))
		return -1;
	/* The last sync would keep everybody waiting. */
	if (journal_unsynced(result_store_journal(results)) >= UNSYNCED_BYTES_MAX)
		return journal_sync(result_store_journal(results), err);
	return 0;
}

/* Packets of a result, for a gateway. */
struct result_piece {
	uint32_t query;
	uint32_t first;
	uint32_t last;
	size_t bytes_max; /* it may end before `last` */
};

/* `emission` is NULL when nobody waits for the confirms. */
static int publish_result(struct collector *collector, const struct result_store *results,
	struct emission *emission, const struct result_piece *piece, uint32_t gateway,
	struct error *err)
{
	struct buf *packet = &collector->packet;
	uint32_t query = piece->query;
	char queue[TRANSPORT_QUEUE_NAME_MAX];
	size_t bytes = 0;

	snprintf(queue, sizeof(queue), ROLE_QUEUE_GATEWAY, gateway);
	for (uint32_t number = piece->first; number <= piece->last && bytes < piece->bytes_max;
		number++) {
		if (!result_store_has(results, query, number))
			continue;
		if (result_store_read(results, query, number, packet, err))
			return -1;
		if (emission ? fold_node_publish(&collector->folds, emission, queue, packet->data,
				       packet->size, err)
			     : transport_publish(collector->folds.node.env.transport, queue,
				       packet->data, packet->size, 0, err))
			return -1;
		bytes += packet->size;
	}
	return 0;
}

static struct result_piece head_of(
	const struct collector *collector, uint32_t query, uint32_t total)
{
	uint32_t head =
		node_default(collector->folds.node.env.cluster.head_packets, FLOW_HEAD_PACKETS);

	return (struct result_piece){query, 1, total < head ? total : head, SIZE_MAX};
}

/* A result has its last packet: makes it durable and sends the beginning to all gateways. */
static int end_result(struct fold_job *at, flow_stream stream, uint32_t total, struct error *err)
{
	struct collector *collector = (struct collector *)at->owner;
	uint32_t query = result_store_query(at->job, stream);
	struct result_store *results;
	struct result_piece head = head_of(collector, query, total);
	struct emission *emission;

	/* Once the stream is closed the packets behind it may be forgotten by everyone else. */
	if (open_results(at, &results, err) || journal_sync(result_store_journal(results), err))
		return -1;
	emission = fold_node_emission(at->owner, at->job->id, stream);
	for (uint32_t g = 0; g < at->owner->node.env.cluster.gateways; g++)
		if (publish_result(collector, results, emission, &head, g, err))
			return -1;
	fold_node_end_emission(at->owner, emission, total);
	return 0;
}

/* The results of a job that is done cannot be read. Nobody else's matter. */
static int lose_results(struct fold_node *folds, const struct job *job, const struct error *why)
{
	struct flow_event event = {.kind = FLOW_LOST, .job = job->id};

	node_log(&folds->node, LOG_RESULTS_LOST,
		LOG_FIELDS(LOG_ID("job", job->id), LOG_TEXT("reason", why->message)));
	node_append(&folds->node, &event);
	return 0;
}

/*
 * What the disk does not give now it may give the next time, and the gateway asks again. But a sector
 * that cannot be read stays so. Two jobs with one place only make each other wait for longer.
 */
static bool is_transient(
	struct collector *collector, const struct job *job, const struct error *err)
{
	struct unreadable *own = &collector->unreadable[job->id % UNREADABLE_COUNT];
	uint64_t now_ms = node_now(&collector->folds.node);

	if (err->code != ERROR_IO)
		return err->code == ERROR_FENCED;
	if (own->job != job->id)
		*own = (struct unreadable){job->id, now_ms};
	return now_ms - own->since_ms < UNREADABLE_MS_MAX;
}

/* The beginnings of all that are complete, or what is wanted of one. */
static int publish_wanted(struct collector *collector, struct job *job,
	const struct result_store *results, const struct flow_message *wanted, struct error *err)
{
	struct result_piece piece = {wanted->query, wanted->number, 0, FLOW_PIECE_BYTES};
	uint32_t total;

	for (uint32_t q = 0; q < job->plan->query_count; q++) {
		if ((wanted->query != PLAN_NONE && wanted->query != q) ||
			!job_stream_total(job, job_result_stream(job, q), &total))
			continue;
		if (wanted->query == PLAN_NONE)
			piece = head_of(collector, q, total);
		else
			piece.last = total - piece.first < FLOW_PIECE_PACKETS
					     ? total
					     : piece.first + FLOW_PIECE_PACKETS - 1;
		if (piece.first >= 1 && piece.first <= total &&
			publish_result(collector, results, NULL, &piece, wanted->gateway, err))
			return -1;
	}
	return 0;
}

static int publish_results(struct collector *collector, struct job *job,
	const struct flow_message *wanted, struct error *err)
{
	struct collector_job *own = job->attachment;
	struct result_store *results = own ? own->results : NULL;
	int status;

	if (!results && result_store_open(&results, collector->folds.node.env.disk, job, err))
		return -1;
	status = result_store_has_all(results, FLOW_NUMBER_MAX)
			 ? publish_wanted(collector, job, results, wanted, err)
			 : error_set(err, ERROR_DATA, "packets are missing");
	if (!own || !own->results)
		result_store_close(results);
	return status;
}

/* A gateway asks for results that are complete. */
static int on_wanted(struct fold_node *folds, struct job *job, const struct flow_message *wanted,
	struct error *err)
{
	struct collector *collector = (struct collector *)folds;
	struct unreadable *unreadable = &collector->unreadable[job->id % UNREADABLE_COUNT];

	if ((job->state != JOB_OPEN && job->state != JOB_DONE) || job->results_lost ||
		wanted->gateway >= folds->node.env.cluster.gateways)
		return 0;
	if (publish_results(collector, job, wanted, err))
		return job->state != JOB_DONE || is_transient(collector, job, err)
			       ? -1
			       : lose_results(folds, job, err);
	if (unreadable->job == job->id)
		unreadable->job = 0;
	return 0;
}

static void job_is_over(struct fold_node *folds, const struct job *job)
{
	char folder[DISK_PATH_MAX];

	if (job->state == JOB_DONE || (MUTANT(CLEANUP_FORGETS_COLLECTOR) && job->state == JOB_GONE))
		return;
	snprintf(folder, sizeof(folder), RESULT_FOLDER_FORMAT, job->id);
	fold_node_remove_folder(folds, folder);
}

static bool is_leftover(const char *folder, const struct job *job)
{
	if (strncmp(folder, RESULT_FOLDER_PREFIX, strlen(RESULT_FOLDER_PREFIX)) != 0)
		return false;
	return !job || (job->state != JOB_OPEN && job->state != JOB_DONE);
}

static void collector_free(struct role *role)
{
	fold_node_release((struct fold_node *)role);
	buf_release(&((struct collector *)role)->packet);
	free(role);
}

int collector_new(struct role **out, const struct role_env *env, struct error *err)
{
	static const struct role_ops role_ops = {.on_tick = on_tick, .free = collector_free};
	static const struct fold_node_ops ops = {
		.job_size = sizeof(struct collector_job),
		.number_in = number_in,
		.close_job = close_job,
		.job_changed = job_changed,
		.keep_result = keep_result,
		.end_result = end_result,
		.job_is_over = job_is_over,
		.is_leftover = is_leftover,
		.on_wanted = on_wanted,
	};
	struct collector *collector = memory_zalloc(sizeof(*collector));

	buf_init(&collector->packet, JOURNAL_RECORD_MAX);
	if (fold_node_init(&collector->folds, env, &role_ops, &ops, FLOW_NODE_COLLECTOR,
		    ROLE_QUEUE_COLLECTOR, env->cluster.collector_memory, err)) {
		collector_free(&collector->folds.node.role);
		return -1;
	}
	*out = &collector->folds.node.role;
	return 0;
}
