#include "role/worker.h"

#include "base/memory.h"
#include "base/mutant.h"
#include "flow/packer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- emissions -----------------------------------------------------------------------------------
 */

struct emission *worker_emission(struct worker *worker, uint64_t job, flow_stream stream)
{
	struct publish_group *pending = worker->emissions.first;
	struct emission *emission;

	for (; pending; pending = pending->next) {
		emission = (struct emission *)pending;
		if (emission->job == job && emission->stream == stream)
			return emission;
	}
	emission = memory_zalloc(sizeof(*emission));
	emission->job = job;
	emission->stream = stream;
	publish_group_add(&worker->emissions, &emission->pending);
	return emission;
}

/* NULL: it is not over yet. */
static void close_stream(struct worker *worker, struct emission *emission)
{
	struct flow_event event = {.kind = FLOW_CLOSED};

	if (!emission)
		return;
	event.job = emission->job;
	event.stream = emission->stream;
	event.total = emission->total;
	free(emission);
	node_append(&worker->node, &event);
}

void worker_end_emission(struct worker *worker, struct emission *emission, uint32_t total)
{
	emission->total = total;
	close_stream(worker,
		(struct emission *)publish_group_end(&worker->emissions, &emission->pending));
}

int worker_publish(struct worker *worker, struct emission *emission, const char *queue,
	const void *bytes, size_t size, struct error *err)
{
	return publish_group_publish(
		&emission->pending, worker->node.env.transport, queue, bytes, size, err);
}

static void on_confirm(struct node *node, uint64_t id)
{
	struct worker *worker = (struct worker *)node;

	close_stream(worker, (struct emission *)publish_group_confirm(&worker->emissions, id));
}

/* --- the folds' way out --------------------------------------------------------------------------
 */

static int io_read(void *context, uint64_t position, struct buf *out, struct error *err)
{
	struct worker_job *at = context;

	return journal_read(at->journal, position, out, err);
}

static int io_send(void *context, flow_stream stream, uint32_t number, uint32_t node,
	const void *bytes, size_t size, struct error *err)
{
	struct worker_job *at = context;
	struct worker *worker = at->worker;
	char queue[TRANSPORT_QUEUE_NAME_MAX];

	if (node == FLOW_GATEWAYS)
		return collector_keep(at, stream, number, bytes, size, err);
	if (node == topology_collector(&at->job->topology))
		snprintf(queue, sizeof(queue), ROLE_QUEUE_COLLECTOR);
	else
		snprintf(queue, sizeof(queue), ROLE_QUEUE_REDUCER, node);
	return worker_publish(
		worker, worker_emission(worker, at->job->id, stream), queue, bytes, size, err);
}

static void job_trouble(struct worker_job *at, const struct error *err);

static void io_ended(void *context, flow_stream stream, uint32_t total)
{
	struct worker_job *at = context;
	struct worker *worker = at->worker;
	struct error err;

	if (at->results && result_store_query(at->job, stream) != PLAN_NONE) {
		if (collector_publish(at, stream, total, &err))
			job_trouble(at, &err);
		return;
	}
	worker_end_emission(worker, worker_emission(worker, at->job->id, stream), total);
}

/* --- jobs ----------------------------------------------------------------------------------------
 */

/* The worker's number among the nodes of a job; PLAN_NONE when the job does not need it. */
static uint32_t node_in(const struct worker *worker, const struct job *job)
{
	if (worker->is_collector)
		return topology_collector(&job->topology);
	return worker->index < job->topology.reducers ? worker->index : PLAN_NONE;
}

/* An error while a job's rows were folded is the job's; the disk's is the node's. */
static void job_trouble(struct worker_job *at, const struct error *err)
{
	if (err->code == ERROR_IO || err->code == ERROR_FENCED) {
		node_stop(&at->worker->node, err);
		return;
	}
	if (!at->failed)
		node_fail_job(&at->worker->node, at->job->id, err);
	at->failed = true;
}

static int replay_packet(
	void *context, journal_position position, const void *bytes, size_t size, struct error *err)
{
	struct worker_job *at = context;
	struct flow_message packet;

	if (flow_message_decode(bytes, size, &packet, err))
		return -1;
	if (inbox_judge(at->inbox, &packet) == INBOX_NEW)
		inbox_note(at->inbox, &packet, position);
	return 0;
}

/*
 * The journal is opened when the first packet comes, or at start, when the disk may have one. A
 * fold may read packets back while the journal replays: it is known before its last record is.
 */
static int open_journal(struct worker_job *at, struct error *err)
{
	static const struct journal_options options = {0};
	char folder[DISK_PATH_MAX];

	if (at->journal)
		return 0;
	snprintf(folder, sizeof(folder), JOB_FOLDER_FORMAT, at->job->id);
	return journal_open(
		&at->journal, at->worker->node.env.disk, folder, &options, replay_packet, at, err);
}

static void remove_folder(struct worker *worker, const char *folder)
{
	struct error err;

	if (!journal_remove(worker->node.env.disk, folder, &err))
		return;
	if (err.code == ERROR_FENCED) {
		node_stop(&worker->node, &err);
		return;
	}
	worker->doomed = memory_realloc(
		worker->doomed, (worker->doomed_count + 1) * sizeof(*worker->doomed));
	snprintf(worker->doomed[worker->doomed_count++], DISK_PATH_MAX, "%s", folder);
}

/* `over`: the job needs nothing of it any more, and its files go, too. */
static void close_job(struct worker_job *at, bool over)
{
	struct worker *worker = at->worker;
	struct publish_group *pending = worker->emissions.first;
	char folder[DISK_PATH_MAX];

	while (pending) {
		struct publish_group *next = pending->next;

		if (((struct emission *)pending)->job == at->job->id) {
			publish_group_remove(&worker->emissions, pending);
			free(pending);
		}
		pending = next;
	}
	inbox_free(at->inbox);
	if (at->journal) {
		if (over)
			intake_forget(&worker->intake, at->journal);
		journal_close(at->journal);
	}
	at->job->attachment = NULL;
	if (over) {
		snprintf(folder, sizeof(folder), JOB_FOLDER_FORMAT, at->job->id);
		remove_folder(worker, folder);
	}
	result_store_close(at->results);
	free(at);
}

static bool has_folder(struct worker *worker, uint64_t job, struct error *err)
{
	char folder[DISK_PATH_MAX];
	struct buf names;
	bool found;

	snprintf(folder, sizeof(folder), JOB_FOLDER_FORMAT, job);
	buf_init(&names, 1u << 20);
	found = !disk_list(worker->node.env.disk, folder, &names, err) && names.size > 0;
	buf_release(&names);
	return found;
}

static void open_job(struct worker *worker, struct job *job)
{
	struct worker_job *at = memory_zalloc(sizeof(*at));
	struct inbox_io io = {io_read, io_send, io_ended, at};
	struct error err;
	int status = 0;

	at->worker = worker;
	at->job = job;
	job->attachment = at;
	if (worker->is_collector)
		status = result_store_open(&at->results, worker->node.env.disk, job, &err);
	at->inbox = inbox_new(job, node_in(worker, job),
		node_default(worker->node.env.cluster.packet_bytes, NODE_PACKET_BYTES_DEFAULT),
		&worker->cache, &io);
	if (!status && has_folder(worker, job->id, &err))
		status = open_journal(at, &err);
	/* Folds without any input, or whose input was closed long ago. */
	if (!status && !at->failed)
		status = inbox_advance(at->inbox, &err);
	if (status)
		job_trouble(at, &err);
}

/* Brings what the worker holds of a job in line with the job's state. */
static void update_job(struct worker *worker, struct job *job)
{
	struct worker_job *at = job->attachment;
	struct error err;

	if (worker->node.role.stopped)
		return;
	if (job->state == JOB_OPEN && node_in(worker, job) != PLAN_NONE) {
		if (!at)
			open_job(worker, job);
		else if (!at->failed && inbox_advance(at->inbox, &err))
			job_trouble(at, &err);
		return;
	}
	if (at)
		close_job(at, true);
	if (worker->is_collector && job->state != JOB_DONE &&
		!(MUTANT(CLEANUP_FORGETS_COLLECTOR) && job->state == JOB_GONE)) {
		char folder[DISK_PATH_MAX];

		snprintf(folder, sizeof(folder), RESULT_FOLDER_FORMAT, job->id);
		remove_folder(worker, folder);
	}
	if (job->state == JOB_GONE)
		ledger_forget(worker->node.ledger, job);
}

/* Folders of jobs that the log does not know any more, or never did. */
static void remove_leftovers(struct worker *worker)
{
	struct buf names;
	struct error err;

	buf_init(&names, 16u << 20);
	if (disk_list(worker->node.env.disk, "", &names, &err)) {
		node_stop(&worker->node, &err);
		names.size = 0;
	}
	for (size_t at = 0; at < names.size; at += strlen(names.data + at) + 1) {
		const char *name = names.data + at;
		const char *dash = strrchr(name, '-');
		struct job *job;
		bool is_job = !strncmp(name, JOB_FOLDER_PREFIX, strlen(JOB_FOLDER_PREFIX));
		bool is_result = !strncmp(name, RESULT_FOLDER_PREFIX, strlen(RESULT_FOLDER_PREFIX));

		if (!dash || (!is_job && !is_result))
			continue;
		job = ledger_find(worker->node.ledger, strtoull(dash + 1, NULL, 16));
		if (!job || (job->state != JOB_OPEN && (is_job || job->state != JOB_DONE)))
			remove_folder(worker, name);
	}
	buf_release(&names);
}

/* --- deliveries ----------------------------------------------------------------------------------
 */

static void absorb(struct worker *worker, struct worker_job *at, const struct flow_message *packet,
	const struct transport_delivery *delivery)
{
	struct disk_piece piece = {delivery->bytes, delivery->size};
	journal_position position;
	struct error err;

	if (quota_take(&worker->quota, delivery->size, &err)) {
		job_trouble(at, &err);
		node_hold(&worker->node, packet->job, delivery);
		return;
	}
	if (open_journal(at, &err) || journal_append(at->journal, &piece, 1, &position, &err)) {
		intake_refused(&worker->intake, packet->job, delivery, &err);
		return;
	}
	intake_add(&worker->intake, at->journal, delivery->tag, delivery->size);
	if (inbox_absorb(at->inbox, packet, delivery->bytes, delivery->size, position, &err))
		job_trouble(at, &err);
}

static void take_packet(struct worker *worker, struct job *job, const struct flow_message *packet,
	const struct transport_delivery *delivery)
{
	struct worker_job *at = job->attachment;

	if (job->state != JOB_OPEN || node_in(worker, job) == PLAN_NONE) {
		node_ack(&worker->node, delivery->tag);
		return;
	}
	if (at->failed) {
		node_hold(&worker->node, packet->job, delivery);
		return;
	}
	switch (inbox_judge(at->inbox, packet)) {
	case INBOX_USELESS: node_ack(&worker->node, delivery->tag); break;
	case INBOX_SEEN: intake_add(&worker->intake, at->journal, delivery->tag, 0); break;
	case INBOX_NEW: absorb(worker, at, packet, delivery); break;
	}
}

static void on_delivery(struct node *node, const struct transport_delivery *delivery)
{
	struct worker *worker = (struct worker *)node;
	struct flow_message message;
	struct error err;
	struct job *job;

	if (flow_message_decode(delivery->bytes, delivery->size, &message, &err)) {
		node_log(node, "MESSAGE_DROPPED reason=\"%s\"", err.message);
		node_ack(node, delivery->tag);
		return;
	}
	job = ledger_find(node->ledger, message.job);
	if (!job) {
		node_hold(node, message.job, delivery);
		return;
	}
	if (message.kind == FLOW_PACKET) {
		take_packet(worker, job, &message, delivery);
		return;
	}
	if (message.kind == FLOW_WANTED && worker->is_collector &&
		collector_answer(worker, job, message.gateway, &err))
		node_log(node, "RESULTS_UNREADABLE job=%016lx reason=\"%s\"", job->id, err.message);
	node_ack(node, delivery->tag);
}

/* --- events --------------------------------------------------------------------------------------
 */

static void update_all(struct worker *worker)
{
	struct job *job = ledger_next(worker->node.ledger, NULL), *next;

	for (; job; job = next) {
		next = ledger_next(worker->node.ledger, job);
		update_job(worker, job);
	}
}

static void on_ready(struct node *node)
{
	struct worker *worker = (struct worker *)node;

	remove_leftovers(worker);
	update_all(worker);
}

static void on_change(struct node *node, const struct ledger_change *change)
{
	struct worker *worker = (struct worker *)node;

	switch (change->kind) {
	case LEDGER_NOTHING:
	case LEDGER_NO_ROOM:
	case LEDGER_JOB_TOUCHED: break;
	case LEDGER_NODE_UP: update_all(worker); break;
	case LEDGER_JOB_REFUSED: node_fail_job(node, change->job->id, change->job->failure);
	/* fall through */
	case LEDGER_JOB_OPENED:
	case LEDGER_JOB_CHANGED: update_job(worker, change->job); break;
	}
}

static void on_tick(struct role *role)
{
	struct worker *worker = (struct worker *)role;

	node_on_tick(&worker->node);
	if (role->stopped)
		return;
	intake_on_tick(&worker->intake);
	for (uint32_t count = worker->doomed_count; count > 0 && !role->stopped; count--) {
		char folder[DISK_PATH_MAX];

		memcpy(folder, worker->doomed[--worker->doomed_count], sizeof(folder));
		remove_folder(worker, folder);
	}
}

static void worker_free(struct role *role)
{
	struct worker *worker = (struct worker *)role;
	struct job *job = worker->node.ledger ? ledger_next(worker->node.ledger, NULL) : NULL;

	for (; job; job = ledger_next(worker->node.ledger, job))
		if (job->attachment)
			close_job(job->attachment, false);
	publish_group_release(&worker->emissions);
	intake_release(&worker->intake);
	buf_release(&worker->packet);
	free(worker->doomed);
	node_release(&worker->node);
	free(worker);
}

int worker_new(struct role **out, const struct role_env *env, bool is_collector, uint32_t index,
	struct error *err)
{
	static const struct role_ops role_ops = {.on_tick = on_tick, .free = worker_free};
	static const struct node_ops node_ops = {on_ready, on_change, on_delivery, on_confirm};
	const struct role_cluster *cluster = &env->cluster;
	struct worker *worker = memory_zalloc(sizeof(*worker));
	char queue[TRANSPORT_QUEUE_NAME_MAX] = ROLE_QUEUE_COLLECTOR;

	if (!is_collector)
		snprintf(queue, sizeof(queue), ROLE_QUEUE_REDUCER, index);
	worker->node.role.ops = &role_ops;
	worker->is_collector = is_collector;
	worker->index = index;
	worker->cache.held_max = node_default(cluster->cache_bytes, NODE_CACHE_BYTES_DEFAULT);
	buf_init(&worker->packet, JOURNAL_RECORD_MAX);
	intake_init(&worker->intake, &worker->node, cluster);
	quota_init(&worker->quota, &worker->node, cluster);
	if (node_init(&worker->node, env, is_collector ? FLOW_NODE_COLLECTOR : index, queue,
		    &node_ops, err)) {
		worker_free(&worker->node.role);
		return -1;
	}
	*out = &worker->node.role;
	return 0;
}

int reducer_new(struct role **out, const struct role_env *env, uint32_t index, struct error *err)
{
	return worker_new(out, env, false, index, err);
}
