#include "role/fold_node.h"

#include "base/memory.h"
#include "base/metrics.h"
#include "base/trace.h"
#include "flow/packer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What may wait in memory when there was none left. */
#define CACHE_BYTES_SHORT (1u << 20)

/* One that comes, or goes. */
static void trace_packet(
	enum trace_kind kind, uint64_t job, flow_stream stream, uint32_t number, size_t size)
{
	bool is_table = flow_stream_is_table(stream);

	trace_add(&(struct trace_event){.job = job,
		.kind = kind,
		.part = is_table ? stream : flow_stream_producer(stream),
		.instance = is_table ? TRACE_OF_TABLE : flow_stream_instance(stream),
		.number = number,
		.bytes = size});
}

/* --- emissions -----------------------------------------------------------------------------------
 */

struct emission *fold_node_emission(struct fold_node *folds, uint64_t job, flow_stream stream)
{
	struct publish_group *group = folds->emissions.first;
	struct emission *emission;

	for (; group; group = group->next) {
		emission = (struct emission *)group;
		if (emission->job == job && emission->stream == stream)
			return emission;
	}
	emission = memory_zalloc(sizeof(*emission));
	emission->job = job;
	emission->stream = stream;
	publish_group_add(&folds->emissions, &emission->group);
	return emission;
}

/* NULL: it is not over yet. */
static void close_stream(struct fold_node *folds, struct emission *emission)
{
	struct flow_event event = {.kind = FLOW_CLOSED};

	if (!emission)
		return;
	event.job = emission->job;
	event.stream = emission->stream;
	event.total = emission->total;
	free(emission);
	node_append(&folds->node, &event);
}

void fold_node_end_emission(struct fold_node *folds, struct emission *emission, uint32_t total)
{
	emission->total = total;
	close_stream(
		folds, (struct emission *)publish_group_end(&folds->emissions, &emission->group));
}

int fold_node_publish(struct fold_node *folds, struct emission *emission, const char *queue,
	const void *bytes, size_t size, struct error *err)
{
	return publish_group_publish(
		&emission->group, folds->node.env.transport, queue, bytes, size, err);
}

static void on_confirm(struct node *node, uint64_t id)
{
	struct fold_node *folds = (struct fold_node *)node;

	close_stream(folds, (struct emission *)publish_group_confirm(&folds->emissions, id));
}

/* --- the folds' way out --------------------------------------------------------------------------
 */

/* What a disk has lost of a job is no fault of the job's: its client submits it again. */
static int or_lost(int status, struct error *err)
{
	if (status && err->code == ERROR_DATA)
		err->code = ERROR_LOST;
	return status;
}

static int io_read(void *context, uint64_t position, struct buf *out, struct error *err)
{
	struct fold_job *at = context;

	return or_lost(journal_read(at->journal, position, out, err), err);
}

static void io_start(void *context, struct fold_work *work)
{
	fold_task_start(context, work);
}

static int send_packet(struct fold_job *at, flow_stream stream, uint32_t number, uint32_t node,
	const void *bytes, size_t size, struct error *err)
{
	struct fold_node *folds = at->owner;
	char queue[TRANSPORT_QUEUE_NAME_MAX];

	if (node == FLOW_GATEWAYS) {
		assert(folds->ops->keep_result);
		return or_lost(folds->ops->keep_result(at, stream, number, bytes, size, err), err);
	}
	node_queue_name(at->job, node, queue, sizeof(queue));
	return fold_node_publish(
		folds, fold_node_emission(folds, at->job->id, stream), queue, bytes, size, err);
}

static void job_trouble(struct fold_job *at, const struct error *err);
static void update_job(struct fold_node *folds, struct job *job);

/* Of a job that is over, or as good as over, nothing is sent any more. */
static bool is_abandoned(const struct fold_job *at)
{
	return at->failed || at->job->state != JOB_OPEN || at->owner->node.role.stopped;
}

/* A packet, the end of a stream, or the end of a piece of work. */
struct fold_delay {
	struct fold_delay *next;
	struct fold_work *work; /* its end; NULL: none */
	bool is_end;		/* of the stream; `number` is its total */
	flow_stream stream;
	uint32_t number;
	uint32_t node;
	size_t size;
	uint8_t bytes[];
};

static void delay(struct fold_job *at, const struct fold_delay *what, const void *bytes)
{
	struct fold_delay **last = &at->delayed;
	struct fold_delay *item = memory_alloc(sizeof(*item) + what->size);

	*item = *what;
	if (bytes)
		memcpy(item->bytes, bytes, what->size);
	while (*last)
		last = &(*last)->next;
	*last = item;
	at->owner->node.role.blocked = true;
}

static void release_delayed(struct fold_job *at)
{
	while (at->delayed) {
		struct fold_delay *next = at->delayed->next;

		fold_work_free(at->delayed->work);
		free(at->delayed);
		at->delayed = next;
	}
}

/* Whether it failed because the disk is full, or will not write for another reason: we wait. */
static bool must_wait(struct fold_job *at, const struct error *err)
{
	if (err->code != ERROR_IO)
		return false;
	if (!at->owner->node.role.blocked)
		node_log(&at->owner->node, LOG_DISK_TROUBLE,
			LOG_FIELDS(LOG_TEXT("reason", err->message)));
	return true;
}

void fold_node_on_output(struct fold_job *at, flow_stream stream, uint32_t number, uint32_t node,
	const void *bytes, size_t size)
{
	struct fold_delay what = {.stream = stream, .number = number, .node = node, .size = size};
	struct error err;

	if (is_abandoned(at))
		return;
	trace_packet(TRACE_EMISSION, at->job->id, stream, number, size);
	if (!at->delayed && !send_packet(at, stream, number, node, bytes, size, &err))
		return;
	if (at->delayed || must_wait(at, &err))
		delay(at, &what, bytes);
	else
		job_trouble(at, &err);
}

static void take_done(struct fold_job *at, struct fold_work *work)
{
	struct error err;

	if (inbox_done(at->inbox, work, &err))
		job_trouble(at, &err);
}

void fold_node_on_done(struct fold_job *at, struct fold_work *work)
{
	if (!is_abandoned(at)) {
		if (at->delayed)
			delay(at, &(struct fold_delay){.work = work}, NULL);
		else
			take_done(at, work);
		return;
	}
	fold_work_free(work);
	/* It was waited for. */
	if (at->job->state != JOB_OPEN && !at->tasks)
		update_job(at->owner, at->job);
}

/* Whether the stream is the last one of a query, whose packets are for the gateways. */
static bool is_result(const struct job *job, flow_stream stream)
{
	uint32_t fragment = flow_stream_producer(stream);

	return !flow_stream_is_table(stream) && job->plan->fragments[fragment].query != PLAN_NONE;
}

static int end_result(struct fold_job *at, flow_stream stream, uint32_t total, struct error *err)
{
	assert(at->owner->ops->end_result);
	return or_lost(at->owner->ops->end_result(at, stream, total, err), err);
}

static void io_ended(void *context, flow_stream stream, uint32_t total)
{
	struct fold_job *at = context;
	struct fold_node *folds = at->owner;
	struct fold_delay what = {.is_end = true, .stream = stream, .number = total};
	struct error err;

	if (!is_result(at->job, stream)) {
		fold_node_end_emission(
			folds, fold_node_emission(folds, at->job->id, stream), total);
		return;
	}
	if (!at->delayed && !end_result(at, stream, total, &err))
		return;
	if (at->delayed || must_wait(at, &err))
		delay(at, &what, NULL);
	else
		job_trouble(at, &err);
}

/* 1: the disk still refuses. */
static int try_again(struct fold_job *at, const struct fold_delay *item, struct error *err)
{
	int status = item->is_end ? end_result(at, item->stream, item->number, err)
				  : send_packet(at, item->stream, item->number, item->node,
					    item->bytes, item->size, err);

	return status && must_wait(at, err) ? 1 : status;
}

static void retry_job(struct fold_job *at)
{
	struct error err;

	while (at->delayed && !is_abandoned(at)) {
		struct fold_delay *item = at->delayed;
		struct fold_work *work = item->work;
		int status = work ? 0 : try_again(at, item, &err);

		if (status > 0)
			return;
		at->delayed = item->next;
		free(item);
		if (status)
			job_trouble(at, &err);
		else if (work)
			take_done(at, work);
	}
	release_delayed(at);
}

static void retry_delayed(struct fold_node *folds)
{
	bool blocked = false;

	if (!folds->node.role.blocked)
		return;
	for (struct job *job = ledger_next(folds->node.ledger, NULL); job;
		job = ledger_next(folds->node.ledger, job)) {
		struct fold_job *at = job->attachment;

		if (!at || !at->delayed)
			continue;
		retry_job(at);
		blocked |= at->delayed != NULL;
	}
	folds->node.role.blocked = blocked;
}

/* --- jobs ----------------------------------------------------------------------------------------
 */

/* PLAN_NONE when the job does not need the node. */
static uint32_t number_in(const struct fold_node *folds, const struct job *job)
{
	return folds->ops->number_in(folds, job);
}

void fold_node_fail_job(struct fold_job *at, const struct error *why)
{
	if (!at->failed)
		node_fail_job(&at->owner->node, at->job->id, why);
	at->failed = true;
	fold_task_stop_all(at);
}

/* An error while a job's rows were folded is the job's; the disk's is the node's. */
static void job_trouble(struct fold_job *at, const struct error *err)
{
	if (err->code == ERROR_IO || err->code == ERROR_FENCED) {
		node_stop(&at->owner->node, err);
		return;
	}
	fold_node_fail_job(at, err);
}

static int replay_packet(
	void *context, journal_position position, const void *bytes, size_t size, struct error *err)
{
	struct fold_job *at = context;
	struct flow_message packet;

	if (flow_message_decode(bytes, size, &packet, err))
		return -1;
	if (packet.kind != FLOW_PACKET || packet.job != at->job->id)
		return error_set(err, ERROR_DATA,
			"the journal of job %016lx is damaged: it has something else than its "
			"packets at %lx",
			at->job->id, position);
	if (inbox_judge(at->inbox, &packet) == INBOX_NEW)
		inbox_note(at->inbox, &packet, position);
	return 0;
}

/*
 * The journal is opened when the first packet comes, or at start, when the disk may have one. A
 * fold may read packets back while the journal replays: it is known before its last record is.
 */
static int open_journal(struct fold_job *at, struct error *err)
{
	static const struct journal_options options = {.is_marked = true};
	char folder[DISK_PATH_MAX];

	if (at->journal)
		return 0;
	snprintf(folder, sizeof(folder), JOB_FOLDER_FORMAT, at->job->id);
	return or_lost(journal_open(&at->journal, at->owner->node.env.disk, folder, &options,
			       replay_packet, at, err),
		err);
}

void fold_node_remove_folder(struct fold_node *folds, const char *folder)
{
	struct error err;

	if (!journal_remove(folds->node.env.disk, folder, &err))
		return;
	if (err.code == ERROR_FENCED) {
		node_stop(&folds->node, &err);
		return;
	}
	folds->doomed =
		memory_realloc(folds->doomed, (folds->doomed_count + 1) * sizeof(*folds->doomed));
	snprintf(folds->doomed[folds->doomed_count++], DISK_PATH_MAX, "%s", folder);
}

/* `over`: the job needs nothing of it any more, and its files go, too. */
static void close_job(struct fold_job *at, bool over)
{
	struct fold_node *folds = at->owner;
	struct publish_group *group = folds->emissions.first;
	char folder[DISK_PATH_MAX];

	assert(!at->tasks);
	release_delayed(at);
	while (group) {
		struct publish_group *next = group->next;

		if (((struct emission *)group)->job == at->job->id) {
			publish_group_remove(&folds->emissions, group);
			free(group);
		}
		group = next;
	}
	inbox_free(at->inbox);
	spill_disk_free(at->spill);
	if (at->journal) {
		if (over)
			intake_forget(&folds->intake, at->journal);
		journal_close(at->journal);
	}
	at->job->attachment = NULL;
	if (over) {
		snprintf(folder, sizeof(folder), JOB_FOLDER_FORMAT, at->job->id);
		fold_node_remove_folder(folds, folder);
	}
	if (folds->ops->close_job)
		folds->ops->close_job(at);
	free(at);
}

static bool has_journal(struct fold_node *folds, uint64_t job)
{
	char folder[DISK_PATH_MAX];

	snprintf(folder, sizeof(folder), JOB_FOLDER_FORMAT, job);
	return journal_is_known(folds->node.env.disk, folder);
}

static void open_job(struct fold_node *folds, struct job *job)
{
	struct fold_job *at = memory_zalloc(folds->ops->job_size);
	struct inbox_io io = {.read = io_read,
		.start = io_start,
		.ended = io_ended,
		.context = at,
		.memory = &folds->memory};
	struct error err;
	int status = 0;

	at->owner = folds;
	at->job = job;
	job->attachment = at;
	at->spill = spill_disk_new(folds->node.env.disk, &folds->temp);
	io.spill = spill_disk_store(at->spill);
	at->inbox = inbox_new(job, number_in(folds, job),
		node_default(folds->node.env.cluster.packet_bytes, NODE_PACKET_BYTES_DEFAULT),
		&folds->cache, &io);
	if (!status && has_journal(folds, job->id))
		status = open_journal(at, &err);
	at->failed |= node_condemns(&folds->node, job->id, &err);
	/* Folds without any input, or whose input was closed long ago. */
	if (!status && !at->failed)
		status = inbox_advance(at->inbox, &err);
	if (status)
		job_trouble(at, &err);
}

/* Brings what the node holds of a job in line with the job's state. */
static void update_job(struct fold_node *folds, struct job *job)
{
	struct fold_job *at = job->attachment;
	struct error err;

	if (folds->node.role.stopped)
		return;
	if (job->state == JOB_OPEN && number_in(folds, job) != PLAN_NONE) {
		if (!at)
			open_job(folds, job);
		else if (!at->failed && inbox_advance(at->inbox, &err))
			job_trouble(at, &err);
		return;
	}
	if (at && at->tasks) {
		/* Threads read its plan: it is closed when the last of them has left. */
		fold_task_stop_all(at);
		return;
	}
	if (at)
		close_job(at, true);
	if (folds->ops->job_is_over)
		folds->ops->job_is_over(folds, job);
	if (job->state == JOB_GONE)
		ledger_forget(folds->node.ledger, job);
}

/* Folders of jobs that the log does not know any more, or never did. */
static void remove_leftovers(struct fold_node *folds)
{
	struct buf names;
	struct error err;

	buf_init(&names, 16u << 20);
	if (disk_list(folds->node.env.disk, "", &names, &err)) {
		node_stop(&folds->node, &err);
		names.size = 0;
	}
	for (size_t at = 0; at < names.size; at += strlen(names.data + at) + 1) {
		char name[DISK_PATH_MAX];
		const char *dash;
		const struct job *job;

		snprintf(name, sizeof(name), "%s", names.data + at);
		dash = strrchr(name, '-');
		if (!dash)
			continue;
		/* A mark goes with its journal. */
		name[strcspn(name, ".")] = '\0';
		job = ledger_find(folds->node.ledger, strtoull(dash + 1, NULL, 16));
		if (!strncmp(name, JOB_FOLDER_PREFIX, strlen(JOB_FOLDER_PREFIX))
				? !job || job->state != JOB_OPEN
				: folds->ops->is_leftover && folds->ops->is_leftover(name, job))
			fold_node_remove_folder(folds, name);
	}
	buf_release(&names);
}

/* --- deliveries ----------------------------------------------------------------------------------
 */

static void absorb(struct fold_node *folds, struct fold_job *at, const struct flow_message *packet,
	const struct transport_delivery *delivery)
{
	struct disk_piece piece = {delivery->bytes, delivery->size};
	journal_position position;
	struct error err;

	if (quota_take(&folds->quota, delivery->size, &err)) {
		job_trouble(at, &err);
		node_hold(&folds->node, packet->job, delivery);
		return;
	}
	if (open_journal(at, &err) || journal_append(at->journal, &piece, 1, &position, &err)) {
		intake_refused(&folds->intake, packet->job, delivery, &err);
		return;
	}
	intake_add(&folds->intake, at->journal, delivery->tag, delivery->size);
	metric_add(METRIC_PACKETS_ABSORBED, 1);
	trace_packet(TRACE_PACKET, packet->job, packet->stream, packet->number, delivery->size);
	deadman_on_packet(&at->deadman);
	if (inbox_absorb(at->inbox, packet, delivery->bytes, delivery->size, position, &err))
		job_trouble(at, &err);
}

static void take_packet(struct fold_node *folds, struct job *job, const struct flow_message *packet,
	const struct transport_delivery *delivery)
{
	struct fold_job *at = job->attachment;

	if (job->state != JOB_OPEN || number_in(folds, job) == PLAN_NONE) {
		node_ack(&folds->node, delivery->tag);
		return;
	}
	if (at->failed) {
		node_hold(&folds->node, packet->job, delivery);
		return;
	}
	switch (inbox_judge(at->inbox, packet)) {
	case INBOX_USELESS: node_ack(&folds->node, delivery->tag); break;
	case INBOX_SEEN:
		metric_add(METRIC_PACKETS_REPEATED, 1);
		intake_add(&folds->intake, at->journal, delivery->tag, 0);
		break;
	case INBOX_NEW: absorb(folds, at, packet, delivery); break;
	}
}

static void on_delivery(struct node *node, const struct transport_delivery *delivery)
{
	struct fold_node *folds = (struct fold_node *)node;
	struct flow_message message;
	struct error err;
	struct job *job;

	if (flow_message_decode(delivery->bytes, delivery->size, &message, &err)) {
		node_log(node, LOG_MESSAGE_DROPPED, LOG_FIELDS(LOG_TEXT("reason", err.message)));
		node_ack(node, delivery->tag);
		return;
	}
	if (message.kind == FLOW_PROBE) {
		deadman_on_probe(folds, &message);
		node_ack(node, delivery->tag);
		return;
	}
	if (node_is_stale(node, &message)) {
		node_ack(node, delivery->tag);
		return;
	}
	job = ledger_find(node->ledger, message.job);
	if (message.kind == FLOW_BUSY) {
		deadman_on_busy(folds, job);
		node_ack(node, delivery->tag);
		return;
	}
	if (!job) {
		node_hold(node, message.job, delivery);
		return;
	}
	if (message.kind == FLOW_PACKET) {
		take_packet(folds, job, &message, delivery);
		return;
	}
	if (message.kind == FLOW_WANTED && folds->ops->on_wanted &&
		folds->ops->on_wanted(folds, job, &message, &err))
		node_log(node, LOG_RESULTS_UNREADABLE,
			LOG_FIELDS(LOG_ID("job", job->id), LOG_TEXT("reason", err.message)));
	node_ack(node, delivery->tag);
}

/* --- events --------------------------------------------------------------------------------------
 */

static void update_all(struct fold_node *folds)
{
	struct job *job = ledger_next(folds->node.ledger, NULL), *next;

	for (; job; job = next) {
		next = ledger_next(folds->node.ledger, job);
		update_job(folds, job);
	}
}

static void on_ready(struct node *node)
{
	struct fold_node *folds = (struct fold_node *)node;

	remove_leftovers(folds);
	update_all(folds);
}

static void on_change(struct node *node, const struct ledger_change *change)
{
	struct fold_node *folds = (struct fold_node *)node;

	if (change->job && folds->ops->job_changed)
		folds->ops->job_changed(folds, change);
	switch (change->kind) {
	case LEDGER_NOTHING:
	case LEDGER_DOUBTED:
	case LEDGER_NO_ROOM:
	case LEDGER_JOB_TOUCHED: break;
	case LEDGER_BEGUN:
	case LEDGER_NODE_UP: update_all(folds); break;
	case LEDGER_JOB_REFUSED: node_fail_job(node, change->job->id, change->job->failure);
	/* fall through */
	case LEDGER_JOB_OPENED:
	case LEDGER_JOB_CHANGED: update_job(folds, change->job); break;
	}
}

/*
 * Whatever waits is in a journal, too. While it is not known who used up the memory, nobody's packets may: the job
 * that is tried at that time would be taken for the one that did.
 */
static void limit_cache(struct fold_node *folds)
{
	size_t held_max =
		node_default(folds->node.env.cluster.cache_bytes, NODE_CACHE_BYTES_DEFAULT);

	if (work_record_goes_first(folds->node.env.record) != 0 && held_max > CACHE_BYTES_SHORT)
		held_max = CACHE_BYTES_SHORT;
	folds->cache.held_max = held_max;
}

void fold_node_on_tick(struct role *role)
{
	struct fold_node *folds = (struct fold_node *)role;

	node_on_tick(&folds->node);
	if (role->stopped)
		return;
	metric_set(METRIC_MEMORY_PACKETS, folds->cache.held);
	limit_cache(folds);
	metric_set(METRIC_MEMORY_FOLDS, atomic_load(&folds->memory.held));
	metric_set(
		METRIC_MEMORY_FOLDS_MAX, folds->memory.limit == SIZE_MAX ? 0 : folds->memory.limit);
	metric_set(METRIC_TEMP_HELD, atomic_load(&folds->temp.held));
	metric_set(METRIC_TEMP_WRITTEN, atomic_load(&folds->temp.written));
	intake_on_tick(&folds->intake);
	quota_on_tick(&folds->quota, folds->intake.trouble || role->blocked);
	retry_delayed(folds);
	work_turns_on_tick(&folds->turns);
	deadman_on_tick(folds);
	for (uint32_t count = folds->doomed_count; count > 0 && !role->stopped; count--) {
		char folder[DISK_PATH_MAX];

		memcpy(folder, folds->doomed[--folds->doomed_count], sizeof(folder));
		fold_node_remove_folder(folds, folder);
	}
}

void fold_node_release(struct fold_node *folds)
{
	struct job *job = folds->node.ledger ? ledger_next(folds->node.ledger, NULL) : NULL;

	for (; job; job = ledger_next(folds->node.ledger, job))
		if (job->attachment) {
			fold_task_cancel_all(job->attachment);
			close_job(job->attachment, false);
		}
	publish_group_release(&folds->emissions);
	intake_release(&folds->intake);
	free(folds->doomed);
	node_release(&folds->node);
}

int fold_node_init(struct fold_node *folds, const struct role_env *env,
	const struct role_ops *role_ops, const struct fold_node_ops *ops, uint32_t id,
	const char *queue, uint64_t memory, struct error *err)
{
	static const struct node_ops node_ops = {on_ready, on_change, on_delivery, on_confirm};
	const struct role_cluster *cluster = &env->cluster;

	assert(ops->job_size >= sizeof(struct fold_job));
	folds->node.role.ops = role_ops;
	folds->ops = ops;
	work_turns_init(&folds->turns, &folds->node, env->runner);
	folds->memory.limit = memory ? memory : SIZE_MAX;
	folds->temp.bytes_max = cluster->temp_max;
	work_turns_share_memory(&folds->turns, &folds->memory);
	intake_init(&folds->intake, &folds->node, cluster);
	quota_init(&folds->quota, &folds->node, cluster);
	deadman_init(&folds->deadman, rng_next(env->rng));
	if (node_init(&folds->node, env, id, queue, &node_ops, err))
		return -1;
	limit_cache(folds);
	return 0;
}
