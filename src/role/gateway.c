/*
 * A gateway: speaks with clients, turns their chunks into packets (or hands them to filters), keeps
 * the results that the collector sends, and gives them out until the job is gone. It also finds
 * jobs that nobody cares for any more, and has them expire.
 *
 *   gateway.c         connections, what clients ask, what they are waiting for
 *   gateway_jobs.c    chunks on their way, results, expiry
 *   gateway_status.c  what it can tell about the cluster
 *
 * A chunk is acknowledged when the broker has confirmed all its packets: then nothing can lose it.
 * The gateway itself has nothing that a client could not send again to another one.
 */
#include "role/gateway_private.h"

#include "base/memory.h"
#include "plan/plan_codec.h"
#include "plan/plan_queries.h"
#include "sql/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- messages to clients -------------------------------------------------------------------------
 */

void gateway_send(struct gateway *gateway, uint64_t connection, const struct wire_message *message)
{
	buf_clear(&gateway->frame);
	wire_encode(message, &gateway->frame);
	gateway->port->send(gateway->port, connection, gateway->frame.data, gateway->frame.size);
}

void gateway_send_ack(struct gateway *gateway, uint64_t connection, uint32_t id)
{
	struct wire_message ack = {.type = WIRE_ACK, .ack = {.id = id, .rows = WIRE_ROWS_UNKNOWN}};

	gateway_send(gateway, connection, &ack);
}

static void send_error(struct gateway *gateway, uint64_t connection, enum wire_error_class class,
	enum error_code code, uint64_t job, const char *text)
{
	struct wire_message message = {.type = WIRE_ERROR,
		.error = {
			.class = (uint8_t) class, .code = (uint8_t)code, .job = job, .text = text}};

	gateway_send(gateway, connection, &message);
}

static struct gateway_client *find_client(struct gateway *gateway, uint64_t connection)
{
	struct gateway_client *client = gateway->clients;

	while (client && client->connection != connection)
		client = client->next;
	return client;
}

static void remove_client(struct gateway *gateway, uint64_t connection)
{
	struct gateway_client **at = &gateway->clients;
	struct gateway_client *client;

	while (*at && (*at)->connection != connection)
		at = &(*at)->next;
	client = *at;
	if (!client)
		return;
	*at = client->next;
	free(client);
	gateway_forget_connection(gateway, connection);
}

/* It is told why, and cut off. */
static void turn_away(
	struct gateway *gateway, uint64_t connection, enum error_code code, const char *text)
{
	send_error(gateway, connection, WIRE_ERROR_CONNECTION, code, 0, text);
	gateway->port->drop(gateway->port, connection);
	remove_client(gateway, connection);
}

/* The client broke the protocol. */
static void reject_client(struct gateway *gateway, uint64_t connection, const char *text)
{
	turn_away(gateway, connection, ERROR_DATA, text);
}

/* --- waiting for the log -------------------------------------------------------------------------
 */

/* An answer that has to wait until the log has brought what it says. */
static void wait_for(
	struct gateway *gateway, uint64_t connection, uint64_t job, uint32_t id, flow_stream stream)
{
	struct gateway_waiting *waiting = memory_alloc(sizeof(*waiting));

	*waiting = (struct gateway_waiting){
		.next = gateway->waiting,
		.connection = connection,
		.job = job,
		.id = id,
		.stream = stream,
	};
	gateway->waiting = waiting;
}

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
		};
	gateway_send(gateway, connection, &message);
	free(columns);
}

static void answer_request(struct gateway *gateway, uint64_t connection, const struct job *job)
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

/* The job is not open any more: what its client hears. True when there is nothing else to say. */
static bool tell_the_end(struct gateway *gateway, uint64_t connection, const struct job *job)
{
	if (job->state != JOB_FAILED && job->state != JOB_GONE)
		return false;
	send_error(gateway, connection, WIRE_ERROR_JOB, job->failure->code, job->id,
		job->failure->message);
	return true;
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
	if (tell_the_end(gateway, waiting->connection, job))
		return true;
	if (waiting->stream == WAITING_OPEN) {
		answer_request(gateway, waiting->connection, job);
		return true;
	}
	if (!job_stream_total(job, waiting->stream, &total) && job->state == JOB_OPEN)
		return false;
	gateway_send_ack(gateway, waiting->connection, waiting->id);
	return true;
}

void gateway_answer_waiting(struct gateway *gateway, const struct job *job)
{
	struct gateway_waiting **at = &gateway->waiting;

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

/* --- what clients ask ----------------------------------------------------------------------------
 */

/* SQL to the bytes of a plan, and whether its chunks are for filters. */
static int compile_request(struct gateway *gateway, const struct wire_message *message,
	struct buf *plan_bytes, bool *on_filters, struct error *err)
{
	enum role_filters filters = gateway->node.env.cluster.filters;
	struct sql_text *queries =
		arena_alloc(&gateway->arena, message->request.query_count * sizeof(*queries));
	struct catalog catalog;
	struct plan *plan;

	if (sql_schema("schema", message->request.schema, &gateway->arena, &catalog, err))
		return -1;
	for (uint32_t t = 0; t < catalog.table_count && t < message->request.table_count; t++)
		catalog.tables[t].bytes = message->request.table_bytes[t];
	for (uint32_t q = 0; q < message->request.query_count; q++)
		queries[q] = (struct sql_text){.name = message->request.queries[q].name,
			.title = message->request.queries[q].title,
			.text = message->request.queries[q].text};
	if (sql_compile(
		    &catalog, queries, message->request.query_count, &gateway->arena, &plan, err))
		return -1;
	*on_filters = filters == ROLE_FILTERS_ALWAYS ||
		      (filters == ROLE_FILTERS_AUTO && plan_has_dear_map(plan));
	return plan_encode(plan, &catalog, plan_bytes, err);
}

static int no_room(const struct gateway *gateway, struct error *err)
{
	return error_set(err, ERROR_LIMIT,
		"the cluster has %u open jobs, and jobs_max = %u in its cluster file: come back "
		"later",
		ledger_open_jobs(gateway->node.ledger), gateway->node.env.cluster.jobs_max);
}

/*
 * Spares us the work where it is known to be in vain. Others may take the place before our entry is
 * in the log, which decides. Results need no look at the disk: the collector has kept as much.
 */
static int check_room(struct gateway *gateway, struct error *err)
{
	uint32_t jobs_max = gateway->node.env.cluster.jobs_max;

	if (jobs_max > 0 && ledger_open_jobs(gateway->node.ledger) >= jobs_max)
		return no_room(gateway, err);
	return quota_take(&gateway->quota, 1, err);
}

void gateway_answer_no_room(struct gateway *gateway, uint64_t job)
{
	struct gateway_waiting **at = &gateway->waiting;
	struct error err;

	while (*at) {
		struct gateway_waiting *waiting = *at;

		if (waiting->job != job || waiting->stream != WAITING_OPEN) {
			at = &waiting->next;
			continue;
		}
		no_room(gateway, &err);
		send_error(
			gateway, waiting->connection, WIRE_ERROR_RETRY, err.code, job, err.message);
		*at = waiting->next;
		free(waiting);
	}
}

static void on_request(
	struct gateway *gateway, uint64_t connection, const struct wire_message *message)
{
	uint64_t id = message->request.job;
	struct job *job = ledger_find(gateway->node.ledger, id);
	struct flow_event event = {
		.kind = FLOW_OPENED,
		.job = id,
		.engine = FLOW_ENGINE,
		.reducers = gateway->node.env.cluster.reducers,
		.jobs_max = gateway->node.env.cluster.jobs_max,
	};
	struct buf plan;
	struct error err;

	if (job) {
		if (!tell_the_end(gateway, connection, job))
			answer_request(gateway, connection, job);
		return;
	}
	buf_init(&plan, PLAN_BYTES_MAX);
	if (check_room(gateway, &err)) {
		send_error(gateway, connection, WIRE_ERROR_RETRY, err.code, id, err.message);
	} else if (compile_request(gateway, message, &plan, &event.on_filters, &err)) {
		send_error(gateway, connection, WIRE_ERROR_JOB, err.code, id, err.message);
	} else {
		event.plan = (const uint8_t *)plan.data;
		event.plan_size = plan.size;
		wait_for(gateway, connection, id, 0, WAITING_OPEN);
		node_append(&gateway->node, &event);
	}
	buf_release(&plan);
}

static void on_batch(struct gateway *gateway, uint64_t connection, struct job *job,
	const struct wire_message *message)
{
	if (job->state == JOB_DONE) {
		gateway_send_ack(gateway, connection, message->batch.id);
		return;
	}
	if (message->batch.table >= job->plan->table_count ||
		message->batch.chunk > FLOW_NUMBER_MAX) {
		reject_client(gateway, connection, "no such table or chunk in this job");
		return;
	}
	gateway_take_chunk(gateway, job, connection, message);
}

static void on_end_table(struct gateway *gateway, uint64_t connection, struct job *job,
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
		reject_client(gateway, connection, "no such table or chunk in this job");
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

static void on_results(struct gateway *gateway, uint64_t connection, struct job *job,
	const struct wire_message *message)
{
	struct wire_message answer = {
		.type = WIRE_PENDING, .pending = {.job = job->id, .query = message->results.query}};
	uint32_t query = message->results.query, total, number = message->results.first_chunk;
	enum gateway_result state;
	size_t bytes = 0;

	if (query >= job->plan->query_count) {
		reject_client(gateway, connection, "no such query in this job");
		return;
	}
	state = gateway_result_state(gateway, job, query, &total);
	if (state == GATEWAY_RESULT_LOST)
		send_error(gateway, connection, WIRE_ERROR_JOB, ERROR_IO, job->id,
			"the collector lost its disk, and with it the results: submit the job "
			"again");
	if (state == GATEWAY_RESULT_PENDING) {
		gateway_send_progress(gateway, connection, job);
		gateway_send(gateway, connection, &answer);
	}
	if (state != GATEWAY_RESULT_READY)
		return;
	answer = (struct wire_message){
		.type = WIRE_READY, .ready = {.job = job->id, .query = query, .chunks = total}};
	gateway_send(gateway, connection, &answer);
	/* Not more than a client can take at a time: whatever it leaves would fill our memory. */
	for (uint32_t sent = 0;
		number <= total && sent < WIRE_RESULTS_MAX && bytes < WIRE_RESULTS_BYTES;
		sent++, number++)
		if (gateway_send_result(gateway, job, connection, query, number, total, &bytes))
			return;
	if (number > total) {
		answer = (struct wire_message){
			.type = WIRE_RESULT_END, .result_end = {.query = query}};
		gateway_send(gateway, connection, &answer);
	}
}

static void on_cancel(
	struct gateway *gateway, uint64_t connection, const struct job *job, uint32_t id)
{
	struct flow_event event = {.kind = FLOW_CLEANED, .job = job->id};

	wait_for(gateway, connection, job->id, id, WAITING_GONE);
	node_append(&gateway->node, &event);
}

static uint64_t job_of_message(const struct wire_message *message)
{
	switch (message->type) {
	case WIRE_BATCH: return message->batch.job;
	case WIRE_END_TABLE: return message->end_table.job;
	case WIRE_END: return message->end.job;
	case WIRE_RESULTS: return message->results.job;
	case WIRE_RESUME: return message->resume.job;
	case WIRE_CANCEL: return message->cancel.job;
	default: return 0;
	}
}

/* Messages about a job that was opened before. */
static void on_job_message(
	struct gateway *gateway, struct gateway_client *client, const struct wire_message *message)
{
	uint64_t connection = client->connection, id = job_of_message(message);
	struct job *job = ledger_find(gateway->node.ledger, id);

	if (!job) {
		/* Perhaps the log will bring it. */
		send_error(gateway, connection, WIRE_ERROR_RETRY, ERROR_USAGE, id,
			"this job is not known here");
		return;
	}
	client->job = id;
	if (message->type == WIRE_CANCEL && job->state != JOB_GONE) {
		on_cancel(gateway, connection, job, message->cancel.id);
		return;
	}
	if (tell_the_end(gateway, connection, job))
		return;
	gateway_touch(gateway, job);
	switch (message->type) {
	case WIRE_BATCH: on_batch(gateway, connection, job, message); break;
	case WIRE_END_TABLE: on_end_table(gateway, connection, job, message); break;
	case WIRE_END: gateway_send_ack(gateway, connection, message->end.id); break;
	case WIRE_RESULTS: on_results(gateway, connection, job, message); break;
	case WIRE_RESUME: answer_request(gateway, connection, job); break;
	default: break;
	}
}

/* Takes as long whatever the token is: time must not tell how much of a guess was right. */
static bool is_token(const char *given, const char *wanted)
{
	size_t given_size = strlen(given), wanted_size = strlen(wanted);
	unsigned different = given_size != wanted_size;

	for (size_t i = 0; i < given_size && wanted_size > 0; i++)
		different |= (unsigned)(given[i] ^ wanted[i % wanted_size]);
	return !different;
}

static void on_hello(
	struct gateway *gateway, struct gateway_client *client, const struct wire_message *message)
{
	const char *token = gateway->node.env.cluster.token;
	struct wire_message hello = {
		.type = WIRE_HELLO, .hello = {.version = WIRE_VERSION, .token = ""}};

	if (message->hello.version != WIRE_VERSION) {
		reject_client(gateway, client->connection,
			"this gateway speaks another version of the protocol: upgrade the client");
		return;
	}
	if (token && *token && !is_token(message->hello.token, token)) {
		node_log(&gateway->node, "CLIENT_TURNED_AWAY connection=%lx reason=\"%s token\"",
			client->connection, *message->hello.token ? "wrong" : "no");
		turn_away(gateway, client->connection, ERROR_USAGE,
			*message->hello.token
				? "this is not the cluster's token: check --token or TAMIZ_TOKEN"
				: "this cluster asks for a token: give --token, or set "
				  "TAMIZ_TOKEN");
		return;
	}
	client->greeted = true;
	gateway_send(gateway, client->connection, &hello);
}

static void on_message(
	struct gateway *gateway, struct gateway_client *client, const struct wire_message *message)
{
	if (message->type == WIRE_HEALTH && gateway->node.ready) {
		gateway_send(gateway, client->connection, message);
		return;
	}
	if (message->type == WIRE_HELLO) {
		on_hello(gateway, client, message);
		return;
	}
	if (!client->greeted && message->type != WIRE_HEALTH) {
		reject_client(gateway, client->connection, "HELLO comes first");
		return;
	}
	if (!gateway->node.ready) {
		send_error(gateway, client->connection, WIRE_ERROR_RETRY, ERROR_IO, 0,
			"this gateway is starting");
		return;
	}
	if (message->type == WIRE_STATUS) {
		gateway_send_status(gateway, client->connection);
	} else if (message->type == WIRE_REQUEST) {
		client->job = message->request.job;
		on_request(gateway, client->connection, message);
	} else if (job_of_message(message) != 0) {
		on_job_message(gateway, client, message);
	} else {
		reject_client(gateway, client->connection, "a client does not send such messages");
	}
}

/* --- the role ------------------------------------------------------------------------------------
 */

static void on_client_open(struct role *role, uint64_t connection)
{
	struct gateway *gateway = (struct gateway *)role;
	struct gateway_client *client = memory_zalloc(sizeof(*client));

	client->connection = connection;
	client->next = gateway->clients;
	gateway->clients = client;
}

static void on_client(struct role *role, uint64_t connection, const uint8_t *bytes, size_t size)
{
	struct gateway *gateway = (struct gateway *)role;
	struct gateway_client *client = find_client(gateway, connection);
	struct wire_message message;
	struct error err;

	if (role->stopped || !client)
		return;
	arena_reset(&gateway->arena);
	if (wire_decode(bytes, size, &gateway->arena, &message, &err))
		reject_client(gateway, connection, err.message);
	else
		on_message(gateway, client, &message);
}

static void on_client_closed(struct role *role, uint64_t connection)
{
	remove_client((struct gateway *)role, connection);
}

/* Tells the clients that work on a job how it ended. */
void gateway_tell_clients(struct gateway *gateway, const struct job *job)
{
	for (struct gateway_client *client = gateway->clients; client; client = client->next)
		if (client->job == job->id)
			tell_the_end(gateway, client->connection, job);
}

static void gateway_free(struct role *role)
{
	struct gateway *gateway = (struct gateway *)role;

	gateway_jobs_release(gateway);
	while (gateway->clients)
		remove_client(gateway, gateway->clients->connection);
	buf_release(&gateway->frame);
	arena_release(&gateway->arena);
	node_release(&gateway->node);
	free(gateway);
}

int gateway_new(struct role **out, const struct role_env *env, uint32_t index,
	struct role_port *port, struct error *err)
{
	static const struct role_ops role_ops = {
		.on_tick = gateway_on_tick,
		.on_client_open = on_client_open,
		.on_client = on_client,
		.on_client_closed = on_client_closed,
		.free = gateway_free,
	};
	struct gateway *gateway = memory_zalloc(sizeof(*gateway));
	char queue[TRANSPORT_QUEUE_NAME_MAX];

	snprintf(queue, sizeof(queue), ROLE_QUEUE_GATEWAY, index);
	gateway->node.role.ops = &role_ops;
	gateway->index = index;
	gateway->port = port;
	buf_init(&gateway->frame, WIRE_FRAME_MAX);
	arena_init(&gateway->arena, 64u << 10);
	gateway_jobs_init(gateway, env);
	if (node_init(
		    &gateway->node, env, FLOW_NODE_GATEWAY(index), queue, &gateway_node_ops, err)) {
		gateway_free(&gateway->node.role);
		return -1;
	}
	*out = &gateway->node.role;
	return 0;
}
