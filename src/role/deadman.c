#include "role/deadman.h"

#include "role/fold_node.h"

#include <stdio.h>

#define LOOK_MS 500u
/* After so much time without anything new, and so much between two probes. */
#define QUIET_MS     2000u
#define PROBE_GAP_MS 1000u
/* Nobody has answered it: the broker was away, or there is no filter. */
#define PROBE_LOST_MS 30000u
#define PROBES_ENOUGH 3u
/* For longer than this no filter has a chunk in hand without a word. */
#define FILTER_QUIET_MS 90000u

void deadman_init(struct deadman *deadman, uint64_t nonce)
{
	*deadman = (struct deadman){.nonce = nonce};
}

static void queue_of(uint32_t node, char *name, size_t size)
{
	if (node == FLOW_NODE_COLLECTOR)
		snprintf(name, size, ROLE_QUEUE_COLLECTOR);
	else
		snprintf(name, size, ROLE_QUEUE_REDUCER, node);
}

static int publish(
	struct node *node, const char *queue, const struct flow_message *probe, struct error *err)
{
	buf_clear(&node->scratch);
	flow_message_encode(probe, &node->scratch);
	return transport_publish(
		node->env.transport, queue, node->scratch.data, node->scratch.size, 0, err);
}

int deadman_pass_on(struct node *node, const struct flow_message *probe, struct error *err)
{
	char queue[TRANSPORT_QUEUE_NAME_MAX];

	if (probe->sender != FLOW_NODE_COLLECTOR && probe->sender >= FLOW_REDUCERS_MAX)
		return 0;
	queue_of(probe->sender, queue, sizeof(queue));
	return publish(node, queue, probe, err);
}

int deadman_say_busy(struct node *node, const struct job *job, struct error *err)
{
	struct flow_message busy = {
		.kind = FLOW_BUSY, .generation = job->topology.generation, .job = job->id};
	char queue[TRANSPORT_QUEUE_NAME_MAX];
	int status = 0;

	for (uint32_t n = 0; n < topology_nodes(&job->topology) && !status; n++) {
		node_queue_name(job, n, queue, sizeof(queue));
		status = publish(node, queue, &busy, err);
	}
	return status;
}

static void send_probe(struct fold_node *folds, bool through_filters, uint64_t now_ms)
{
	struct deadman *deadman = &folds->deadman;
	struct flow_message probe = {
		.kind = FLOW_PROBE,
		.job = deadman->nonce,
		.number = ++deadman->sent,
		.sender = folds->node.id,
	};
	char queue[TRANSPORT_QUEUE_NAME_MAX] = ROLE_QUEUE_WORK;
	struct error err;

	deadman->is_waiting = true;
	deadman->sent_ms = now_ms;
	deadman->through_filters = through_filters;
	if (!through_filters)
		queue_of(folds->node.id, queue, sizeof(queue));
	if (publish(&folds->node, queue, &probe, &err))
		node_stop(&folds->node, &err);
}

/* What is in our hands already, and waits for the log or for the disk, is not missing. */
static bool is_missing(struct fold_job *at, flow_stream *stream, uint32_t *number)
{
	return at && !at->failed && !held_has(&at->owner->node.held, at->job->id) &&
	       inbox_missing(at->inbox, stream, number);
}

static bool is_for_filters(const struct fold_job *at, flow_stream stream)
{
	return at->job->on_filters && flow_stream_is_table(stream);
}

static void look(struct fold_node *folds, uint64_t now_ms)
{
	const struct deadman *deadman = &folds->deadman;
	bool near = false, far = false;

	for (struct job *job = ledger_next(folds->node.ledger, NULL); job;
		job = ledger_next(folds->node.ledger, job)) {
		struct fold_job *at = job->attachment;
		flow_stream stream;
		uint32_t number;

		if (job->state != JOB_OPEN || !at)
			continue;
		if (!is_missing(at, &stream, &number)) {
			deadman_on_packet(&at->deadman);
			continue;
		}
		if (at->deadman.quiet_ms == 0)
			at->deadman.quiet_ms = now_ms;
		if (now_ms - at->deadman.quiet_ms < QUIET_MS)
			continue;
		if (is_for_filters(at, stream) && at->deadman.passed >= PROBES_ENOUGH)
			far = true;
		else
			near = true;
	}
	if (deadman->is_waiting ? now_ms - deadman->sent_ms < PROBE_LOST_MS
				: now_ms - deadman->sent_ms < PROBE_GAP_MS && deadman->sent > 0)
		return;
	/* In turns: a probe through filters may be lost for want of them. */
	if (near || far)
		send_probe(folds, far && (!near || !deadman->through_filters), now_ms);
}

void deadman_on_tick(struct fold_node *folds)
{
	uint64_t now_ms = node_now(&folds->node);

	if (!folds->node.ready || folds->intake.trouble ||
		now_ms - folds->deadman.looked_ms < LOOK_MS)
		return;
	folds->deadman.looked_ms = now_ms;
	look(folds, now_ms);
}

static void give_up(struct fold_job *at, flow_stream stream, uint32_t number)
{
	const struct job *job = at->job;
	char who[NODE_TITLE_MAX], what[NODE_TITLE_MAX + 64];
	struct error err;
	uint32_t total = 0;

	if (flow_stream_is_table(stream)) {
		snprintf(what, sizeof(what), "table %.48s", job->plan->tables[stream].name);
	} else {
		uint32_t node = topology_node(
			&job->topology, flow_stream_producer(stream), flow_stream_instance(stream));
		char sender[NODE_TITLE_MAX];

		snprintf(what, sizeof(what), "what %s has sent",
			node_title(node == topology_collector(&job->topology) ? FLOW_NODE_COLLECTOR
									      : node,
				sender));
	}
	job_stream_total(job, stream, &total);
	error_set(&err, ERROR_LOST,
		"packet %u of %u of %s never came to %s, and nobody has it any more: the broker "
		"had confirmed it, and has lost or deleted it since",
		number, total, what, node_title(at->owner->node.id, who));
	fold_node_fail_job(at, &err);
}

static void judge(struct fold_job *at, bool through_filters, uint64_t sent_ms, uint64_t now_ms)
{
	struct deadman_job *own = &at->deadman;
	flow_stream stream;
	uint32_t number;

	/* Only what was missing before the probe was sent is missing behind it. */
	if (own->quiet_ms == 0 || own->quiet_ms >= sent_ms || !is_missing(at, &stream, &number))
		return;
	if (through_filters && own->passed_far++ == 0)
		own->quiet_far_ms = now_ms;
	if (!through_filters)
		own->passed++;
	if (!is_for_filters(at, stream) ? own->passed >= PROBES_ENOUGH
					: own->passed_far >= PROBES_ENOUGH &&
						  now_ms - own->quiet_far_ms >= FILTER_QUIET_MS)
		give_up(at, stream, number);
}

void deadman_on_probe(struct fold_node *folds, const struct flow_message *probe)
{
	struct deadman *deadman = &folds->deadman;
	uint64_t now_ms = node_now(&folds->node);

	if (probe->job != deadman->nonce || !deadman->is_waiting || probe->number != deadman->sent)
		return;
	deadman->is_waiting = false;
	for (struct job *job = ledger_next(folds->node.ledger, NULL); job;
		job = ledger_next(folds->node.ledger, job))
		if (job->state == JOB_OPEN && job->attachment)
			judge(job->attachment, deadman->through_filters, deadman->sent_ms, now_ms);
}

void deadman_on_busy(struct fold_node *folds, struct job *job)
{
	struct fold_job *at = job ? job->attachment : NULL;

	if (at)
		at->deadman.quiet_far_ms = node_now(&folds->node);
}
