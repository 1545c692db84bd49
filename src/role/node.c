#include "role/node.h"

#include "base/bytes.h"
#include "base/mutant.h"
#include "plan/plan_codec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE_MAX_BYTES 512
#define IDENTITY_SIZE  16u
/* After so long a start that the log has not brought is told once more. */
#define ANNOUNCE_MS 5000u
#define CHECK_MS    1000u
/* Ticks come every few milliseconds; a loaded machine may be late by a second. */
#define CLOCK_STEP_MAX_MS 1000u

uint64_t node_now(struct node *node)
{
	uint64_t raw_ms = node->env.now_ms(node->env.clock);
	uint64_t step = raw_ms - node->raw_ms;

	node->raw_ms = raw_ms;
	node->now_ms += step < CLOCK_STEP_MAX_MS ? step : CLOCK_STEP_MAX_MS;
	return node->now_ms;
}

void node_log(const struct node *node, enum log_event event, const struct log_field *fields)
{
	char line[LOG_LINE_MAX];

	if (node->env.log)
		node->env.log(node->env.log_context, event,
			log_format(line, sizeof(line), event, fields));
}

void node_stop(struct node *node, const struct error *why)
{
	if (node->role.stopped)
		return;
	node->role.stopped = true;
	node->role.reason = *why;
	node_log(node, LOG_STOPPED, LOG_FIELDS(LOG_TEXT("reason", why->message)));
}

void node_append(struct node *node, const struct flow_event *event)
{
	struct error err;

	buf_clear(&node->scratch);
	flow_event_encode(event, &node->scratch);
	if (transport_append(node->env.transport, node->scratch.data, node->scratch.size, 0, &err))
		node_stop(node, &err);
}

void node_fail_job(struct node *node, uint64_t job, const struct error *why)
{
	struct flow_event event = {
		.kind = FLOW_FAILED,
		.job = job,
		.code = why->code,
		.message = why->message,
		.message_size = strlen(why->message),
		.guess = why->guess,
	};

	node_log(node, LOG_JOB_FAILED,
		LOG_FIELDS(LOG_ID("job", job), LOG_TEXT("reason", why->message)));
	node_append(node, &event);
}

static void deliver(void *context, const struct transport_delivery *delivery)
{
	struct node *node = context;

	if (node->role.stopped)
		return;
	if (node->ready)
		node->ops->on_delivery(node, delivery);
	else
		node_hold(node, 0, delivery);
}

void node_queue_name(const struct job *job, uint32_t number, char *name, size_t size)
{
	if (number == topology_collector(&job->topology))
		snprintf(name, size, ROLE_QUEUE_COLLECTOR);
	else
		snprintf(name, size, ROLE_QUEUE_REDUCER, number);
}

void node_retry_held(struct node *node)
{
	held_retry(&node->held, 0, true, deliver, node);
}

/* The open job that cannot do without the message; NULL: nobody misses it. */
static const struct job *job_of_dead(
	const struct node *node, const struct transport_delivery *delivery)
{
	struct flow_message message;
	const struct job *job;
	struct error err;

	/* A gateway whose wish is lost asks again; a filter that is busy says so again. */
	if (flow_message_decode(delivery->bytes, delivery->size, &message, &err) ||
		message.kind == FLOW_WANTED || message.kind == FLOW_BUSY)
		return NULL;
	job = ledger_find(node->ledger, message.job);
	return job && job->state == JOB_OPEN ? job : NULL;
}

/* The log may have said that its job is over. */
static void settle_dead(void *context, const struct transport_delivery *delivery)
{
	struct node *node = context;
	const struct job *job = job_of_dead(node, delivery);

	if (job)
		held_add(&node->dead, job->id, delivery);
	else
		node_ack(node, delivery->tag);
}

static void on_dead(void *context, const struct transport_delivery *delivery)
{
	struct node *node = context;
	const struct job *job = job_of_dead(node, delivery);
	struct error err;

	if (node->role.stopped)
		return;
	if (!node->ready) {
		held_add(&node->dead, 0, delivery);
		return;
	}
	node_log(node, LOG_MESSAGE_DEAD,
		LOG_FIELDS(LOG_NUMBER("attempts", delivery->attempt),
			LOG_NUMBER("bytes", delivery->size)));
	settle_dead(node, delivery);
	if (!job)
		return;
	error_set(&err, ERROR_INTERNAL,
		"a message of %zu bytes was delivered %u times, and never was the process that got "
		"it able to finish with it: it is in the dead-letter queue of the broker",
		delivery->size, delivery->attempt);
	node_fail_job(node, job->id, &err);
}

const char *node_title(uint32_t id, char title[NODE_TITLE_MAX])
{
	if (id == FLOW_NODE_COLLECTOR)
		snprintf(title, NODE_TITLE_MAX, "the collector");
	else if (id == FLOW_NODE_ANONYMOUS)
		snprintf(title, NODE_TITLE_MAX, "a filter");
	else if (id >= FLOW_NODE_GATEWAY(0))
		snprintf(title, NODE_TITLE_MAX, "gateway %u", id - FLOW_NODE_GATEWAY(0));
	else
		snprintf(title, NODE_TITLE_MAX, "reducer %u", id);
	return title;
}

bool node_condemns(const struct node *node, uint64_t job, struct error *why)
{
	char title[NODE_TITLE_MAX];

	return work_record_condemns(node->env.record, job, node_title(node->id, title), why);
}

/* What was under way when the last process of this node ended. */
static void look_at_suspects(struct node *node)
{
	struct work_record *record = node->env.record;
	struct error why;

	for (uint32_t i = record ? record->suspect_count : 0; i > 0; i--) {
		uint64_t id = record->suspects[i - 1].place.job;
		const struct job *job = ledger_find(node->ledger, id);

		/* There may be fewer of them now. */
		if (i > record->suspect_count)
			continue;
		/* Its client asks again, and hears it then. */
		if (!job && record->suspects[i - 1].place.stream == WORK_OPENING)
			continue;
		if (!job || job->state != JOB_OPEN)
			work_record_forget(record, id);
		else if (node_condemns(node, id, &why))
			node_fail_job(node, id, &why);
	}
}

bool node_is_stale(const struct node *node, const struct flow_message *message)
{
	const struct job *job = ledger_find(node->ledger, message->job);

	if (MUTANT(GENERATION_NOT_CHECKED))
		return false;
	if (!job)
		return message->generation < ledger_generation(node->ledger);
	return job->state == JOB_OPEN && message->generation < job->topology.generation;
}

/* --- generations of the log ----------------------------------------------------------------------
 */

static void replace_log(struct node *node)
{
	node->replacing = true;
	node->begun_id = 0;
	node->ready = node->role.ready = false;
	transport_replace_log(node->env.transport);
}

/* A job that is done, with all its streams: its results are on our disk. */
static void carry_done(struct node *node, const struct job *job)
{
	struct flow_event opened = {
		.kind = FLOW_OPENED,
		.job = job->id,
		.engine = FLOW_ENGINE,
		.reducers = job->topology.reducers,
		.on_filters = job->on_filters,
		.reducer_memory = job->reducer_memory,
		.collector_memory = job->collector_memory,
		.secret_hash = job->secret_hash,
		.generation = node->generation.known,
	};
	struct buf plan;
	struct error err;

	buf_init(&plan, PLAN_BYTES_MAX);
	if (plan_encode(job->plan, &job->catalog, &plan, &err)) {
		node_stop(node, &err);
	} else {
		opened.plan = (const uint8_t *)plan.data;
		opened.plan_size = plan.size;
		node_append(node, &opened);
	}
	buf_release(&plan);
	for (uint32_t i = 0; i < job->closed_count; i++) {
		struct flow_event closed = {
			.kind = FLOW_CLOSED,
			.job = job->id,
			.stream = job->closed[i].stream,
			.total = job->closed[i].total,
		};

		node_append(node, &closed);
	}
}

/* One that is not: its client hears why. */
static void carry_end(struct node *node, const struct job *job)
{
	struct flow_event ended = {
		.kind = FLOW_ENDED, .job = job->id, .secret_hash = job->secret_hash};
	struct error why;

	error_set(&why, ERROR_LOST, "the job was lost with the broker's data");
	if (job->state == JOB_FAILED)
		why = *job->failure;
	ended.code = why.code;
	ended.message = why.message;
	ended.message_size = strlen(why.message);
	node_append(node, &ended);
}

/*
 * Begins a generation behind all that we know of, with what still matters. The number is on our
 * disk before anybody can read it: a second attempt after a crash has another.
 */
static void begin_log(struct node *node)
{
	uint64_t known = ledger_generation(node->ledger);
	struct flow_event begun = {.kind = FLOW_BEGUN, .id = rng_next(node->env.rng)};
	uint32_t jobs = 0;
	struct error err;

	if (node->generation.known > known)
		known = node->generation.known;
	begun.generation = known + 1;
	if (generation_write(&node->generation, node->env.disk, begun.generation, false, &err)) {
		node_stop(node, &err);
		return;
	}
	for (struct job *job = ledger_next(node->ledger, NULL); job;
		job = ledger_next(node->ledger, job)) {
		jobs++;
		if (job->state == JOB_DONE && !job->results_lost)
			carry_done(node, job);
		else if (job->state != JOB_GONE)
			carry_end(node, job);
	}
	node->begun_id = begun.id;
	node_log(node, LOG_LOG_BEGUN,
		LOG_FIELDS(LOG_NUMBER("generation", begun.generation), LOG_NUMBER("jobs", jobs)));
	node_append(node, &begun);
}

static void on_log_replaced(void *context)
{
	struct node *node = context;

	if (!node->role.stopped && node->replacing)
		begin_log(node);
}

/* While we replace the log: when it has all that we gave it, we start with it like everyone. */
static void read_replaced(struct node *node, const uint8_t *bytes, size_t size)
{
	struct flow_event event;
	struct error err;

	if (flow_event_decode(bytes, size, &event, &err) || event.kind != FLOW_BEGUN ||
		event.id != node->begun_id)
		return;
	log_copy_discard(node->copy);
	error_set(&err, ERROR_IO, "the control log was begun anew: this node starts again with it");
	node_stop(node, &err);
}

/*
 * The log is lost once more while we replace it. Before it is there that is the loss that we mend;
 * after that, it is the one that we have begun, and the transport brings nothing more of it. We
 * start again as after a death at this place: our disk knows a higher number than any log there is.
 */
static void lose_replaced(struct node *node)
{
	struct error err;

	if (!node->begun_id)
		return;
	error_set(&err, ERROR_IO,
		"the broker has lost the control log while this node began it anew: it starts "
		"again");
	node_stop(node, &err);
}

/* The log has less than we know. */
static void doubt_log(struct node *node, const char *reason)
{
	struct flow_event doubted = {.kind = FLOW_DOUBTED, .generation = node->generation.known};

	if (node->doubted)
		return;
	node->doubted = true;
	node_log(node, LOG_LOG_DOUBTED,
		LOG_FIELDS(
			LOG_NUMBER("generation", doubted.generation), LOG_TEXT("reason", reason)));
	if (node->keeps_log)
		replace_log(node);
	else
		node_append(node, &doubted);
}

/* Whether the log is one that we can work with. */
static bool trusts_log(struct node *node)
{
	uint64_t generation = ledger_generation(node->ledger);
	struct error err;

	if (generation == 0) {
		if (node->keeps_log && !node->begun_id)
			begin_log(node);
		return false;
	}
	if (generation < node->generation.known) {
		doubt_log(node, "it is of an earlier generation");
		return false;
	}
	if (generation == node->generation.known && node->generation.doubt) {
		doubt_log(node, "entries that were read are not there any more");
		return false;
	}
	if (generation_write(&node->generation, node->env.disk, generation, false, &err)) {
		node_stop(node, &err);
		return false;
	}
	return true;
}

static void get_ready(struct node *node)
{
	node->ready = true;
	node->ready_ms = node_now(node);
	node_log(node, LOG_READY, LOG_FIELDS(LOG_ID("incarnation", node->incarnation)));
	look_at_suspects(node);
	node->ops->on_ready(node);
	/* After the journals: on_ready reads them. */
	node->role.ready = !node->role.stopped;
	node_retry_held(node);
	held_retry(&node->dead, 0, true, on_dead, node);
}

static void on_change(struct node *node, const struct ledger_change *change)
{
	node->ops->on_change(node, change);
	if (change->job || change->kind == LEDGER_NODE_UP || change->kind == LEDGER_BEGUN)
		held_retry(&node->held, change->job ? change->job->id : 0, !change->job, deliver,
			node);
	held_retry(&node->dead, 0, true, settle_dead, node);
}

static void on_log(void *context, uint64_t offset, const uint8_t *bytes, size_t size)
{
	struct node *node = context;
	struct ledger_change change;
	struct error err;

	if (node->role.stopped)
		return;
	if (node->replacing) {
		read_replaced(node, bytes, size);
		return;
	}
	if (ledger_apply(node->ledger, offset, bytes, size, node_now(node), &change, &err))
		node_log(node, LOG_LOG_ENTRY_IGNORED,
			LOG_FIELDS(LOG_NUMBER("offset", offset), LOG_TEXT("reason", err.message)));
	if (node->copy)
		log_copy_add(node->copy, offset, bytes, size);
	if (change.kind == LEDGER_DOUBTED && node->keeps_log &&
		change.generation >= ledger_generation(node->ledger)) {
		if (change.generation > node->generation.known)
			node->generation.known = change.generation;
		replace_log(node);
		return;
	}
	if (!node->ready && change.job && change.job->state == JOB_GONE)
		ledger_forget(node->ledger, change.job);
	if (change.job && change.job->state != JOB_OPEN)
		work_record_forget(node->env.record, change.job->id);
	if (change.kind == LEDGER_NODE_UP && change.node == node->id && change.nonce == node->nonce)
		node->announced = true;
	if (node->ready)
		on_change(node, &change);
	else if (node->announced && trusts_log(node))
		get_ready(node);
}

/*
 * Whatever we believe of jobs may be wrong. Who keeps the log begins another; the others start
 * again with what there is then, and remember that they have known more.
 */
static void on_log_lost(void *context)
{
	struct node *node = context;
	uint64_t known = ledger_generation(node->ledger);
	struct error err;

	if (node->role.stopped)
		return;
	if (node->replacing) {
		lose_replaced(node);
		return;
	}
	if (node->keeps_log) {
		replace_log(node);
		return;
	}
	if (node->generation.known > known)
		known = node->generation.known;
	if (generation_write(&node->generation, node->env.disk, known, true, &err)) {
		node_stop(node, &err);
		return;
	}
	if (node->copy)
		log_copy_discard(node->copy);
	error_set(&err, ERROR_IO,
		"the control log at the broker is not the one that this node has read: it was "
		"deleted, or its end was lost");
	node_stop(node, &err);
}

static void on_confirm(void *context, uint64_t id)
{
	struct node *node = context;

	if (!node->role.stopped && id != 0)
		node->ops->on_confirm(node, id);
}

static void announce(void *context)
{
	struct node *node = context;
	struct flow_event up = {
		.kind = FLOW_NODE_UP,
		.node = node->id,
		.incarnation = node->incarnation,
		.nonce = node->nonce,
	};

	if (node->role.stopped)
		return;
	node->announced_ms = node_now(node);
	node_append(node, &up);
}

static void on_lost(void *context)
{
	struct node *node = context;
	struct error err;

	if (MUTANT(ZOMBIE_WRITES))
		return;
	error_set(&err, ERROR_FENCED,
		"another process has this node's queue: it runs somewhere else");
	node_stop(node, &err);
}

/* The incarnation, its complement, and the format; of files without it that is 1. */
enum { IDENTITY_WORDS = 3 };

static uint64_t format_word(uint32_t format)
{
	return format | (uint64_t)~format << 32;
}

static int write_identity(struct disk_file *file, uint64_t incarnation, struct error *err)
{
	uint64_t words[IDENTITY_WORDS] = {
		incarnation, ~incarnation, format_word(NODE_STATE_FORMAT)};
	struct disk_piece piece = {words, sizeof(words)};

	if (disk_write(file, 0, &piece, 1, err))
		return -1;
	return disk_sync(file, err);
}

/* What is there: all zero when it was not written to its end. */
static int read_words(struct disk_file *file, uint64_t words[IDENTITY_WORDS], struct error *err)
{
	uint64_t size, whole = IDENTITY_WORDS * sizeof(*words);

	memset(words, 0, whole);
	if (disk_size(file, &size, err))
		return -1;
	if (size < IDENTITY_SIZE)
		return 0;
	return disk_read(file, 0, words, size < whole ? IDENTITY_SIZE : whole, err);
}

static int check_format(uint64_t word, struct error *err)
{
	uint32_t format = (uint32_t)word;

	/* A damaged word is no version: what it stands for tells itself what it is. */
	if (word != format_word(format) || format == NODE_STATE_FORMAT)
		return 0;
	return error_set(err, ERROR_DATA,
		"this node's folder below [cluster] state has format %u, and this program reads "
		"%u: run "
		"the version of tamiz that wrote it, or, once no job is open, delete that folder",
		format, NODE_STATE_FORMAT);
}

/*
 * The identity of the disk: made once, when it is empty. One that was not written to its end was
 * never announced.
 */
static int read_identity(struct node *node, struct error *err)
{
	uint64_t words[IDENTITY_WORDS] = {0};
	struct disk_file *file;
	int status;

	node->incarnation = rng_next(node->env.rng);
	if (!node->env.disk)
		return 0;
	if (disk_open(node->env.disk, NODE_IDENTITY_PATH, true, &file, err))
		return -1;
	status = read_words(file, words, err);
	if (!status)
		status = check_format(words[2], err);
	if (!status && words[0] == ~words[1])
		node->incarnation = words[0];
	else if (!status)
		status = write_identity(file, node->incarnation, err);
	disk_close(file);
	return status;
}

int node_identity_verify(struct disk *disk, struct error *err)
{
	uint64_t words[IDENTITY_WORDS] = {0};
	struct disk_file *file;
	int status;

	if (disk_open(disk, NODE_IDENTITY_PATH, false, &file, err))
		return -1;
	status = read_words(file, words, err);
	disk_close(file);
	if (!status && words[0] != ~words[1])
		status = error_set(err, ERROR_DATA, "it has a wrong checksum, or is cut off");
	return status;
}

void node_on_tick(struct node *node)
{
	uint64_t now_ms = node_now(node);
	struct disk_file *file;
	struct error err;

	/* A log that was begun anew meanwhile does not have it. It may come twice. */
	if (!node->role.stopped && !node->announced && node->announced_ms > 0 &&
		now_ms - node->announced_ms >= ANNOUNCE_MS)
		announce(node);
	if (node->role.stopped || !node->env.disk)
		return;
	log_copy_on_tick(node->copy, node->ledger, now_ms);
	if (now_ms - node->checked_ms < CHECK_MS)
		return;
	node->checked_ms = now_ms;
	if (disk_open(node->env.disk, NODE_IDENTITY_PATH, false, &file, &err))
		return;
	/* Nothing is there to sync, but only an owner may. */
	if (disk_sync(file, &err) && err.code == ERROR_FENCED)
		node_stop(node, &err);
	disk_close(file);
}

static void open_ledger(struct node *node)
{
	const struct transport_mark *mark;

	if (!node->env.disk) {
		node->ledger = ledger_new();
		return;
	}
	node->copy = log_copy_open(
		node->env.disk, node->env.cluster.log_copy_bytes, node_now(node), &node->ledger);
	mark = log_copy_mark(node->copy);
	if (mark)
		node_log(node, LOG_LOG_COPY, LOG_FIELDS(LOG_NUMBER("offset", mark->offset)));
}

int node_init(struct node *node, const struct role_env *env, uint32_t id, const char *queue,
	const struct node_ops *ops, struct error *err)
{
	bool alone = id != FLOW_NODE_ANONYMOUS;
	uint32_t usual = alone ? NODE_PREFETCH_DEFAULT : NODE_PREFETCH_SHARED_DEFAULT;

	node->env = *env;
	node->ops = ops;
	node->id = id;
	node->keeps_log = id == FLOW_NODE_COLLECTOR;
	node->raw_ms = env->now_ms(env->clock);
	buf_init(&node->scratch, TRANSPORT_MESSAGE_MAX);
	node->nonce = rng_next(env->rng);
	open_ledger(node);
	if (read_identity(node, err) || generation_read(&node->generation, env->disk, err))
		return -1;
	env->transport->handler = (struct transport_handler){
		.on_delivery = deliver,
		.on_confirm = on_confirm,
		.on_log = on_log,
		.on_log_lost = on_log_lost,
		.on_log_replaced = on_log_replaced,
		.on_placed = announce,
		.on_lost = on_lost,
		.on_dead = on_dead,
		.context = node,
	};
	if (transport_follow(env->transport, node->copy ? log_copy_mark(node->copy) : NULL, err) ||
		transport_consume(env->transport, queue, node_default(env->cluster.prefetch, usual),
			alone, err))
		return -1;
	if (!alone)
		announce(node);
	return 0;
}

void node_release(struct node *node)
{
	held_release(&node->held);
	held_release(&node->dead);
	log_copy_close(node->copy);
	ledger_free(node->ledger);
	buf_release(&node->scratch);
}
