/*
 * Results, as a gateway keeps them for its clients: each job's in a journal on its disk, until the
 * job is gone. How a result begins is here as soon as it is complete, and most have no more. The rest comes
 * from the collector piece by piece while a client fetches it: a piece is asked for before the one in front
 * of it is used up.
 *
 * Of thousands of jobs that are done few are asked for. A job's results are open while they come in
 * and while they are read, and then rest: only that all of them are there is remembered. After a
 * start nothing is known of those that rest; they are looked at a few at a time, and at once when a
 * client asks.
 */
#include "base/metrics.h"
#include "base/trace.h"
#include "role/gateway_private.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long results may be on their way before the collector is asked for them. */
#define WANTED_AFTER_MS 2000u
/* How long a piece may be on its way before it is asked for again. */
#define PIECE_AFTER_MS 1000u
/* How long results that nobody reads stay open. */
#define REST_AFTER_MS 5000u
/* Jobs whose results are looked at anew, in one walk over all jobs. */
#define LOOKS_A_WALK 32u

static uint32_t head_packets(const struct gateway *gateway)
{
	return node_default(gateway->node.env.cluster.head_packets, FLOW_HEAD_PACKETS);
}

static int open_results(struct gateway *gateway, struct job *job, struct error *err)
{
	struct gateway_job *own = gateway_job_of(job);

	own->results_used_ms = node_now(&gateway->node);
	if (own->results)
		return 0;
	return result_store_open(&own->results, gateway->node.env.disk, job, err);
}

static void rest_results(struct gateway *gateway, struct gateway_job *own, uint64_t now_ms)
{
	if (!own->results || now_ms - own->results_used_ms < REST_AFTER_MS ||
		intake_waits_for(&gateway->intake, result_store_journal(own->results)))
		return;
	result_store_close(own->results);
	own->results = NULL;
}

static void ask_collector(
	struct gateway *gateway, const struct job *job, uint32_t query, uint32_t number)
{
	struct flow_message wanted = {.kind = FLOW_WANTED,
		.generation = ledger_generation(gateway->node.ledger),
		.job = job->id,
		.gateway = gateway->index,
		.query = query,
		.number = number};
	struct error err;

	buf_clear(&gateway->packet);
	flow_message_encode(&wanted, &gateway->packet);
	if (transport_publish(gateway->node.env.transport, ROLE_QUEUE_COLLECTOR,
		    gateway->packet.data, gateway->packet.size, 0, &err))
		node_stop(&gateway->node, &err);
}

/*
 * What we have of the results cannot be read. It is only a copy: it goes, and the collector is asked
 * for another.
 */
static void drop_copy(struct gateway *gateway, struct job *job, const struct error *why)
{
	struct gateway_job *own = gateway_job_of(job);

	if (why->code == ERROR_FENCED) {
		node_stop(&gateway->node, why);
		return;
	}
	node_log(&gateway->node, LOG_RESULTS_DROPPED,
		LOG_FIELDS(LOG_ID("job", job->id), LOG_TEXT("reason", why->message)));
	gateway_close_results(gateway, job, true);
	own->results_whole = false;
	own->wanted_ms = 0;
	if (!gateway->node.role.stopped && !job->results_lost)
		ask_collector(gateway, job, PLAN_NONE, 0);
}

/* --- as they come --------------------------------------------------------------------------------
 */

/* A piece has come when its last packet has, or as many bytes as the collector sends at a time. */
static void note_piece(struct gateway_job *own, uint32_t query, uint32_t number, size_t size)
{
	if (own->piece_first == 0 || query != own->piece_query || number < own->piece_first)
		return;
	own->piece_bytes += size;
	if (number >= own->piece_first + FLOW_PIECE_PACKETS - 1 ||
		own->piece_bytes >= FLOW_PIECE_BYTES)
		own->piece_first = 0;
}

void gateway_take_result(struct gateway *gateway, struct job *job,
	const struct flow_message *packet, const struct transport_delivery *delivery)
{
	uint32_t query = result_store_query(job, packet->stream);
	struct gateway_job *own = gateway_job_of(job);
	struct error err;
	size_t size = 0;

	assert(job->state == JOB_OPEN || job->state == JOB_DONE);
	/* A beginning that comes again would only open results that rest. */
	if (query == PLAN_NONE || (own->results_whole && packet->number <= head_packets(gateway))) {
		node_ack(&gateway->node, delivery->tag);
		return;
	}
	if (open_results(gateway, job, &err)) {
		/* What comes now is a part of the next copy. */
		drop_copy(gateway, job, &err);
		if (gateway->node.role.stopped || open_results(gateway, job, &err))
			goto failed;
	}
	if (!result_store_has(own->results, query, packet->number)) {
		if (result_store_put(own->results, query, packet->number, delivery->bytes,
			    delivery->size, &err))
			goto failed;
		size = delivery->size;
	}
	note_piece(own, query, packet->number, delivery->size);
	/* What is acknowledged after the next sync is in the journal that is synced. */
	assert(result_store_has(own->results, query, packet->number));
	intake_add(&gateway->intake, result_store_journal(own->results), delivery->tag, size);
	return;
failed:
	intake_refused(&gateway->intake, job->id, delivery, &err);
}

/* --- as they are asked for -----------------------------------------------------------------------
 */

enum result_state {
	RESULT_PENDING,
	RESULT_READY, /* it begins here */
	RESULT_LOST,
};

static enum result_state result_state(
	struct gateway *gateway, struct job *job, uint32_t query, uint32_t *total)
{
	struct gateway_job *own = gateway_job_of(job);
	uint32_t head = head_packets(gateway), needed;
	struct error err;

	if (!job_stream_total(job, job_result_stream(job, query), total))
		return RESULT_PENDING;
	needed = *total;
	if (own->results_whole)
		return RESULT_READY;
	if (open_results(gateway, job, &err)) {
		drop_copy(gateway, job, &err);
		return job->results_lost ? RESULT_LOST : RESULT_PENDING;
	}
	/* What the collector has lost is here, or nowhere. */
	if (*total > head && !job->results_lost)
		needed = head;
	if (result_store_begins_with(own->results, query, needed))
		return RESULT_READY;
	return job->results_lost ? RESULT_LOST : RESULT_PENDING;
}

/* Has the packets from `number` on sent here, unless that is under way. */
static void want_piece(struct gateway *gateway, struct job *job, uint32_t query, uint32_t number)
{
	struct gateway_job *own = gateway_job_of(job);
	uint64_t now_ms = node_now(&gateway->node);

	if (own->piece_first > 0 && now_ms - own->piece_ms < PIECE_AFTER_MS)
		return;
	own->piece_query = query;
	own->piece_first = number;
	own->piece_bytes = 0;
	own->piece_ms = now_ms;
	ask_collector(gateway, job, query, number);
}

/* A client has all packets before `number`: what comes next should be here when it asks for it. */
static void read_ahead(
	struct gateway *gateway, struct job *job, uint32_t query, uint32_t number, uint32_t total)
{
	struct gateway_job *own = gateway_job_of(job);
	uint32_t end = number;

	if (!own->results)
		return;
	while (end <= total && end - number < FLOW_PIECE_PACKETS &&
		result_store_has(own->results, query, end))
		end++;
	if (end <= total && end - number < FLOW_PIECE_PACKETS)
		want_piece(gateway, job, query, end);
}

/* One RESULT message; -1 when it is not here, or could not be read: the copy is dropped. */
static int send_result(struct gateway *gateway, struct job *job, uint64_t connection,
	uint32_t query, uint32_t number, uint32_t total, size_t *bytes)
{
	struct wire_message answer = {
		.type = WIRE_RESULT, .result = {.query = query, .chunk = number, .total = total}};
	struct gateway_job *own = gateway_job_of(job);
	struct flow_message packet;
	const uint8_t *data;
	struct error err;
	size_t size;
	bool is_open = open_results(gateway, job, &err) == 0;

	if (is_open && !result_store_has(own->results, query, number)) {
		/* How it begins was here: the disk has lost it, and the collector sends what is not known to be here. */
		if (own->results_whole && number <= head_packets(gateway)) {
			error_set(
				&err, ERROR_DATA, "packet %u of result %u is gone", number, query);
			drop_copy(gateway, job, &err);
		} else {
			want_piece(gateway, job, query, number);
		}
		return -1;
	}
	if (!is_open || result_store_read(own->results, query, number, &gateway->packet, &err) ||
		flow_message_decode(gateway->packet.data, gateway->packet.size, &packet, &err)) {
		drop_copy(gateway, job, &err);
		return -1;
	}
	if (flow_packet_section(&packet, FLOW_RESULT, &data, &size))
		answer.result.data = (struct wire_bytes){data, (uint32_t)size};
	*bytes += answer.result.data.size;
	metric_add(METRIC_RESULT_BYTES, answer.result.data.size);
	trace_add(&(struct trace_event){.job = job->id,
		.kind = TRACE_RESULT,
		.part = query,
		.number = number,
		.bytes = answer.result.data.size});
	gateway_send(gateway, connection, &answer);
	return 0;
}

void gateway_on_results(struct gateway *gateway, uint64_t connection, struct job *job,
	const struct wire_message *message)
{
	struct wire_message answer,
		pending = {.type = WIRE_PENDING,
			.pending = {.job = job->id, .query = message->results.query}};
	uint32_t query = message->results.query, total, number = message->results.first_chunk;
	enum result_state state;
	size_t bytes = 0;

	if (query >= job->plan->query_count) {
		gateway_reject_client(gateway, connection, "no such query in this job");
		return;
	}
	state = result_state(gateway, job, query, &total);
	if (state == RESULT_LOST)
		gateway_send_error(gateway, connection, WIRE_ERROR_LOST, ERROR_LOST, job->id,
			"the collector lost its disk, and with it the results: submit the job "
			"again");
	if (state == RESULT_PENDING) {
		gateway_send_progress(gateway, connection, job);
		gateway_send(gateway, connection, &pending);
	}
	if (state != RESULT_READY)
		return;
	answer = (struct wire_message){
		.type = WIRE_READY, .ready = {.job = job->id, .query = query, .chunks = total}};
	gateway_send(gateway, connection, &answer);
	/* Not more than a client can take at a time: whatever it leaves would fill our memory. */
	for (uint32_t sent = 0;
		number <= total && sent < WIRE_RESULTS_MAX && bytes < WIRE_RESULTS_BYTES;
		sent++, number++)
		if (send_result(gateway, job, connection, query, number, total, &bytes)) {
			/* It asks again for what it does not have. */
			gateway_send(gateway, connection, &pending);
			return;
		}
	read_ahead(gateway, job, query, number, total);
	if (number > total) {
		answer = (struct wire_message){
			.type = WIRE_RESULT_END, .result_end = {.query = query}};
		gateway_send(gateway, connection, &answer);
	}
}

/* --- what is missing -----------------------------------------------------------------------------
 */

/* Among the queries that are done: whether a result's beginning is to come, and how many are here. */
static bool is_missing(struct gateway *gateway, struct job *job, uint32_t *ready)
{
	bool missing = false;
	uint32_t total;

	*ready = 0;
	for (uint32_t q = 0; q < job->plan->query_count && !gateway->node.role.stopped; q++) {
		enum result_state state;

		if (!job_stream_total(job, job_result_stream(job, q), &total))
			continue;
		state = result_state(gateway, job, q, &total);
		missing |= state == RESULT_PENDING;
		*ready += state == RESULT_READY;
	}
	return missing;
}

/* Whether all results are here now; asks for those that should be. */
static bool complete_results(struct gateway *gateway, struct job *job, uint64_t now_ms)
{
	struct gateway_job *own = gateway_job_of(job);
	uint64_t used_ms = own->results_used_ms;
	uint32_t ready;
	bool missing = is_missing(gateway, job, &ready);

	own->results_used_ms = used_ms; /* to look is not to use */
	if (!missing || own->wanted_ms == 0) {
		own->wanted_ms = now_ms;
	} else if (now_ms - own->wanted_ms >= WANTED_AFTER_MS) {
		own->wanted_ms = now_ms;
		ask_collector(gateway, job, PLAN_NONE, 0);
	}
	return !gateway->node.role.stopped && ready == job->plan->query_count &&
	       !intake_waits_for(&gateway->intake, result_store_journal(own->results));
}

void gateway_look_at_results(
	struct gateway *gateway, struct job *job, uint64_t now_ms, uint32_t *looks)
{
	struct gateway_job *own = gateway_job_of(job);

	if (!own->results_whole) {
		if (job_queries_done(job) == 0 || (!own->results && (*looks)++ >= LOOKS_A_WALK))
			return;
		own->results_whole = complete_results(gateway, job, now_ms);
	}
	if (own->results_whole)
		rest_results(gateway, own, now_ms);
}

/* --- the end of them -----------------------------------------------------------------------------
 */

static void remove_results(struct gateway *gateway, uint64_t job)
{
	char folder[DISK_PATH_MAX];
	struct error err;

	snprintf(folder, sizeof(folder), RESULT_FOLDER_FORMAT, job);
	if (!journal_remove(gateway->node.env.disk, folder, &err))
		return;
	if (err.code == ERROR_FENCED)
		node_stop(&gateway->node, &err);
	else /* the next start tries again */
		node_log(&gateway->node, LOG_FOLDER_LEFT,
			LOG_FIELDS(LOG_TEXT("name", folder), LOG_TEXT("reason", err.message)));
}

void gateway_close_results(struct gateway *gateway, struct job *job, bool over)
{
	struct gateway_job *own = gateway_job_of(job);

	if (own->results) {
		if (over)
			intake_forget(&gateway->intake, result_store_journal(own->results));
		result_store_close(own->results);
		own->results = NULL;
	}
	if (over)
		remove_results(gateway, job->id);
}

void gateway_remove_leftovers(struct gateway *gateway)
{
	struct buf names;
	struct error err;

	buf_init(&names, 16u << 20);
	if (disk_list(gateway->node.env.disk, "", &names, &err)) {
		node_stop(&gateway->node, &err);
		names.size = 0;
	}
	for (size_t at = 0; at < names.size; at += strlen(names.data + at) + 1) {
		const char *name = names.data + at;
		const struct job *job;
		uint64_t id;

		if (strncmp(name, RESULT_FOLDER_PREFIX, strlen(RESULT_FOLDER_PREFIX)) != 0)
			continue;
		id = strtoull(name + strlen(RESULT_FOLDER_PREFIX), NULL, 16);
		job = ledger_find(gateway->node.ledger, id);
		if (!job || job->state == JOB_FAILED || job->state == JOB_GONE)
			remove_results(gateway, id);
	}
	buf_release(&names);
}
