/*
 * What clients ask of jobs: to open one, to end a table, to cancel; and answers that have to wait
 * until the log has brought what they say.
 */
#include "role/gateway_private.h"

#include "base/memory.h"
#include "plan/plan_queries.h"

#include <assert.h>
#include <stdlib.h>

/* --- answers ------------------------------------------------------------------------------------
 */

static void send_query(struct gateway *gateway, uint64_t connection, const struct plan_query *query,
	uint32_t number)
{
	struct wire_column *columns =
		memory_alloc((query->column_count + 1) * sizeof(struct wire_column));
	struct wire_message message = {.type = WIRE_QUERY,
		.query = {.query = number,
			.name = query->name,
			.title = query->title,
			.column_count = query->column_count,
			.columns = columns}};

	for (uint32_t c = 0; c < query->column_count; c++)
		columns[c] = (struct wire_column){
			.name = query->names[c],
			.kind = (uint8_t)query->types[c].kind,
			.precision = (uint8_t)(query->types[c].precision + 1),
			.scale = (uint8_t)(query->types[c].scale + 1),
			.meant = (uint8_t)plan_query_meant(query, c),
		};
	gateway_send(gateway, connection, &message);
	free(columns);
}

void gateway_answer_request(struct gateway *gateway, uint64_t connection, const struct job *job)
{
	const struct plan *plan = job->plan;

	for (uint32_t t = 0; t < plan->table_count; t++) {
		struct wire_message table = {.type = WIRE_TABLE,
			.table = {.table = (uint8_t)t, .name = plan->tables[t].name}};

		gateway_send(gateway, connection, &table);
	}
	for (uint32_t q = 0; q < plan->query_count; q++)
		send_query(gateway, connection, &plan->queries[q], q);
	gateway_send_ack(gateway, connection, 0);
}

/* --- waiting for the log ------------------------------------------------------------------------
 */

/* An answer that has to wait until the log has brought what it says. */
static struct gateway_waiting *wait_for(
	struct gateway *gateway, uint64_t connection, uint64_t job, uint32_t id, flow_stream stream)
{
	struct gateway_waiting *waiting = memory_alloc(sizeof(*waiting));

	assert(gateway_client(gateway, connection));
	*waiting = (struct gateway_waiting){
		.next = gateway->waiting,
		.connection = connection,
		.job = job,
		.id = id,
		.stream = stream,
	};
	gateway->waiting = waiting;
	return waiting;
}

void gateway_forget_waiting(struct gateway *gateway, uint64_t connection)
{
	struct gateway_waiting **at = &gateway->waiting;

	while (*at) {
		struct gateway_waiting *waiting = *at;

		if (waiting->connection != connection) {
			at = &waiting->next;
			continue;
		}
		*at = waiting->next;
		free(waiting);
	}
}

/* Whether it need not wait any longer. */
static bool answer_waiting(
	struct gateway *gateway, const struct gateway_waiting *waiting, const struct job *job)
{
	uint32_t total;

	if (waiting->stream == WAITING_GONE) {
		if (job->state != JOB_GONE)
			return false;
		gateway_send_ack(gateway, waiting->connection, waiting->id);
		return true;
	}
	if (gateway_tell_the_end(gateway, waiting->connection, job))
		return true;
	if (waiting->stream == WAITING_OPEN) {
		gateway_answer_request(gateway, waiting->connection, job);
		return true;
	}
	if (!job_stream_total(job, waiting->stream, &total) && job->state == JOB_OPEN)
		return false;
	gateway_send_ack(gateway, waiting->connection, waiting->id);
	return true;
}

/* Another client may have opened a job of the same name before our entry was in the log. */
static void refuse_waiting(struct gateway *gateway, const struct job *job)
{
	struct gateway_waiting *waiting = gateway->waiting;

	while (waiting) {
		if (waiting->job != job->id || waiting->stream != WAITING_OPEN ||
			gateway_is_owner(job, &waiting->secret_hash)) {
			waiting = waiting->next;
			continue;
		}
		gateway_refuse_stranger(gateway, waiting->connection); /* it waits no more */
		waiting = gateway->waiting;
	}
}

void gateway_answer_waiting(struct gateway *gateway, const struct job *job)
{
	struct gateway_waiting **at = &gateway->waiting;

	refuse_waiting(gateway, job);
	while (*at) {
		struct gateway_waiting *waiting = *at;

		if (waiting->job != job->id || !answer_waiting(gateway, waiting, job)) {
			at = &waiting->next;
			continue;
		}
		*at = waiting->next;
		free(waiting);
	}
}

/* --- a new job ----------------------------------------------------------------------------------
 */

static int no_room(const struct gateway *gateway, bool of_client, struct error *err)
{
	if (of_client && gateway->node.env.cluster.users)
		return error_set(err, ERROR_LIMIT,
			"as many jobs of this user are open as tamiz user add --jobs, or "
			"client_jobs_max of the cluster file, allows: come back later");
	if (of_client)
		return error_set(err, ERROR_LIMIT,
			"%u jobs that came from this address are open, as many as client_jobs_max "
			"of "
			"the cluster file allows: come back later",
			gateway->node.env.cluster.client_jobs_max);
	return error_set(err, ERROR_LIMIT,
		"the cluster has %u open jobs, and jobs_max = %u in its cluster file: come back "
		"later",
		ledger_open_jobs(gateway->node.ledger), gateway->node.env.cluster.jobs_max);
}

/*
 * Spares us the work where it is known to be in vain. Others may take the place before our entry is
 * in the log, which decides. Results need no look at the disk: the collector has kept as much.
 */
static int check_room(
	struct gateway *gateway, const struct gateway_client *client, struct error *err)
{
	uint32_t jobs_max = gateway->node.env.cluster.jobs_max;
	uint32_t client_jobs_max = gateway_jobs_max(gateway, client);

	if (jobs_max > 0 && ledger_open_jobs(gateway->node.ledger) >= jobs_max)
		return no_room(gateway, false, err);
	if (client_jobs_max > 0 &&
		ledger_client_jobs(gateway->node.ledger, client->who) >= client_jobs_max)
		return no_room(gateway, true, err);
	if (quota_is_short(&gateway->node, err))
		return -1;
	return quota_take(&gateway->quota, 1, err);
}

void gateway_answer_no_room(struct gateway *gateway, uint64_t job, bool of_client)
{
	struct gateway_waiting **at = &gateway->waiting;
	struct error err;

	while (*at) {
		struct gateway_waiting *waiting = *at;

		if (waiting->job != job || waiting->stream != WAITING_OPEN) {
			at = &waiting->next;
			continue;
		}
		no_room(gateway, of_client, &err);
		gateway_send_error(
			gateway, waiting->connection, WIRE_ERROR_RETRY, err.code, job, err.message);
		*at = waiting->next;
		free(waiting);
	}
}

/*
 * What a job may hold of a node's memory is a part of the job: wherever and however often a fold is done, it
 * puts its rows on a disk at the same place, and its packets are the same.
 */
static uint64_t memory_share(uint64_t memory)
{
	return (memory + JOB_MEMORY_SHARE - 1) / JOB_MEMORY_SHARE;
}

/* It is known: its client hears how it is, unless it is another one. */
static void answer_known(struct gateway *gateway, struct gateway_client *client,
	const struct job *job, const struct sha256 *secret_hash)
{
	uint64_t connection = client->connection;

	if (!gateway_may(gateway, client, job, WIRE_REQUEST, secret_hash)) {
		gateway_refuse_stranger(gateway, connection);
		return;
	}
	client->job = job->id;
	if (!gateway_tell_the_end(gateway, connection, job))
		gateway_answer_request(gateway, connection, job);
}

void gateway_on_compiled(
	struct gateway *gateway, struct gateway_client *client, const struct gateway_plan *plan)
{
	uint64_t id = plan->job, connection = client->connection;
	const struct job *job = ledger_find(gateway->node.ledger, id);
	struct flow_event event = {
		.kind = FLOW_OPENED,
		.job = id,
		.engine = FLOW_ENGINE,
		.reducers = gateway->node.env.cluster.reducers,
		.jobs_max = gateway->node.env.cluster.jobs_max,
		.client = client->who,
		.client_jobs_max = gateway_jobs_max(gateway, client),
		.generation = ledger_generation(gateway->node.ledger),
		.reducer_memory = memory_share(gateway->node.env.cluster.reducer_memory),
		.collector_memory = memory_share(gateway->node.env.cluster.collector_memory),
		.secret_hash = plan->secret_hash,
		.plan = (const uint8_t *)plan->bytes->data,
		.plan_size = plan->bytes->size,
		.on_filters = plan->on_filters,
	};

	assert(gateway->node.ready);
	if (job) {
		answer_known(gateway, client, job, &plan->secret_hash);
	} else if (plan->status) {
		/* What the system refuses us now it may grant another gateway, or us later. */
		gateway_send_error(gateway, connection,
			plan->err.code == ERROR_IO ? WIRE_ERROR_RETRY : WIRE_ERROR_JOB,
			plan->err.code, id, plan->err.message);
	} else {
		wait_for(gateway, connection, id, 0, WAITING_OPEN)->secret_hash = plan->secret_hash;
		node_append(&gateway->node, &event);
		gateway_audit(gateway, client, "open", id);
	}
}

void gateway_on_request(
	struct gateway *gateway, struct gateway_client *client, const struct wire_message *message)
{
	uint64_t id = message->request.job, connection = client->connection;
	const struct job *job = ledger_find(gateway->node.ledger, id);
	struct sha256 secret_hash = sha256(message->request.secret.bytes, WIRE_SECRET_SIZE);
	struct error err;

	if (!gateway_may_open(gateway, client)) {
		gateway_turn_away(gateway, connection, ERROR_USAGE,
			"this user may look, and may not submit jobs: its role is read");
		return;
	}
	if (job) {
		answer_known(gateway, client, job, &secret_hash);
		return;
	}
	client->job = id;
	if (check_room(gateway, client, &err))
		gateway_send_error(
			gateway, connection, WIRE_ERROR_RETRY, err.code, id, err.message);
	else if (node_condemns(&gateway->node, id, &err))
		gateway_send_error(gateway, connection, WIRE_ERROR_JOB, err.code, id, err.message);
	else
		gateway_compile(gateway, client, message, &secret_hash);
}

/* --- the end of a table, or of a job ------------------------------------------------------------
 */

void gateway_on_end_table(struct gateway *gateway, uint64_t connection, struct job *job,
	const struct wire_message *message)
{
	flow_stream stream = flow_stream_table(message->end_table.table);
	struct flow_event event = {
		.kind = FLOW_CLOSED,
		.job = job->id,
		.stream = stream,
		.total = message->end_table.total,
	};
	uint32_t total;

	if (message->end_table.table >= job->plan->table_count ||
		message->end_table.total > FLOW_NUMBER_MAX) {
		gateway_reject_client(gateway, connection, "no such table or chunk in this job");
		return;
	}
	/* With another total than before the entry fails the job, and the client hears of it. */
	if (job->state == JOB_DONE ||
		(job_stream_total(job, stream, &total) && total == event.total)) {
		gateway_send_ack(gateway, connection, message->end_table.id);
		return;
	}
	wait_for(gateway, connection, job->id, message->end_table.id, stream);
	node_append(&gateway->node, &event);
}

void gateway_on_cancel(
	struct gateway *gateway, uint64_t connection, const struct job *job, uint32_t id)
{
	struct flow_event event = {.kind = FLOW_CLEANED, .job = job->id};

	wait_for(gateway, connection, job->id, id, WAITING_GONE);
	node_append(&gateway->node, &event);
}
