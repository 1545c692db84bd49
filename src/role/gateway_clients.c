/*
 * Connections of clients: who is there, what is sent to them, and which part of the gateway answers
 * what they send. Every message of a client enters at gateway_on_message.
 */
#include "role/gateway_private.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- messages to clients ------------------------------------------------------------------------
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

void gateway_send_error(struct gateway *gateway, uint64_t connection, enum wire_error_class class,
	enum error_code code, uint64_t job, const char *text)
{
	struct wire_message message = {.type = WIRE_ERROR,
		.error = {
			.class = (uint8_t) class, .code = (uint8_t)code, .job = job, .text = text}};

	gateway_send(gateway, connection, &message);
}

/* --- connections --------------------------------------------------------------------------------
 */

struct gateway_client *gateway_client(struct gateway *gateway, uint64_t connection)
{
	struct gateway_client *client = gateway->clients;

	while (client && client->connection != connection)
		client = client->next;
	return client;
}

void gateway_remove_client(struct gateway *gateway, uint64_t connection)
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
	gateway_forget_chunks(gateway, connection);
	gateway_forget_waiting(gateway, connection);
	gateway_forget_compilation(gateway, connection);
	assert(!gateway_client(gateway, connection));
}

void gateway_turn_away(
	struct gateway *gateway, uint64_t connection, enum error_code code, const char *text)
{
	gateway_send_error(gateway, connection, WIRE_ERROR_CONNECTION, code, 0, text);
	gateway->port->drop(gateway->port, connection);
	gateway_remove_client(gateway, connection);
}

/* The client broke the protocol. */
void gateway_reject_client(struct gateway *gateway, uint64_t connection, const char *text)
{
	gateway_turn_away(gateway, connection, ERROR_DATA, text);
}

/* The job is not open any more: what its client hears. True when there is nothing else to say. */
bool gateway_tell_the_end(struct gateway *gateway, uint64_t connection, const struct job *job)
{
	bool is_lost;

	if (job->state != JOB_FAILED && job->state != JOB_GONE)
		return false;
	/* Whoever comes back too late, a machine that slept, may begin again. */
	is_lost = job->failure->code == ERROR_LOST || job_has_expired(job);
	gateway_send(gateway, connection,
		&(struct wire_message){.type = WIRE_ERROR,
			.error = {.class = is_lost ? WIRE_ERROR_LOST : WIRE_ERROR_JOB,
				.code = (uint8_t)job->failure->code,
				.job = job->id,
				.text = job->failure->message,
				.guess = job->failure->guess}});
	return true;
}

/* Tells the clients that work on a job how it ended. */
void gateway_tell_clients(struct gateway *gateway, const struct job *job)
{
	for (struct gateway_client *client = gateway->clients; client; client = client->next)
		if (client->job == job->id)
			gateway_tell_the_end(gateway, client->connection, job);
}

/* --- messages from clients ----------------------------------------------------------------------
 */

bool gateway_is_owner(const struct job *job, const struct sha256 *shown)
{
	return job->state == JOB_GONE ||
	       same_in_constant_time(job->secret_hash.bytes, shown->bytes, SHA256_SIZE);
}

void gateway_refuse_stranger(struct gateway *gateway, uint64_t connection)
{
	gateway_log_turned_away(gateway, connection, "not the job's secret");
	gateway_turn_away(gateway, connection, ERROR_USAGE,
		"this job belongs to another client: its secret is asked for, in the form "
		"JOB-SECRET, as tamiz submit --no-wait prints it");
}

static void on_hello(
	struct gateway *gateway, struct gateway_client *client, const struct wire_message *message)
{
	struct wire_message hello = {
		.type = WIRE_HELLO, .hello = {.version = WIRE_VERSION, .token = ""}};

	if (message->hello.version != WIRE_VERSION) {
		gateway_reject_client(gateway, client->connection,
			"this gateway speaks another version of the protocol: upgrade the client");
		return;
	}
	if (!gateway_admit(gateway, client, message->hello.token))
		return;
	client->greeted = true;
	gateway_send(gateway, client->connection, &hello);
}

/* The job that a message is about, and the secret that it shows; 0: none. */
static uint64_t job_of_message(const struct wire_message *message, struct wire_secret *secret)
{
	switch (message->type) {
	case WIRE_BATCH: *secret = message->batch.secret; return message->batch.job;
	case WIRE_END_TABLE: *secret = message->end_table.secret; return message->end_table.job;
	case WIRE_END: *secret = message->end.secret; return message->end.job;
	case WIRE_RESULTS: *secret = message->results.secret; return message->results.job;
	case WIRE_RESUME: *secret = message->resume.secret; return message->resume.job;
	case WIRE_CANCEL: *secret = message->cancel.secret; return message->cancel.job;
	default: return 0;
	}
}

/* Perhaps the log will bring it. */
static void tell_unknown(struct gateway *gateway, uint64_t connection, uint64_t job)
{
	gateway_send_error(gateway, connection, WIRE_ERROR_RETRY, ERROR_USAGE, job,
		"this job is not known here");
}

/* Messages about a job that was opened before. */
static void on_job_message(struct gateway *gateway, struct gateway_client *client, uint64_t id,
	const struct wire_secret *secret, const struct wire_message *message)
{
	struct job *job = ledger_find(gateway->node.ledger, id);
	struct sha256 shown = sha256(secret->bytes, WIRE_SECRET_SIZE);
	uint64_t connection = client->connection;

	assert(client->greeted && gateway->node.ready);
	/* With users nobody hears whether others have such a job, not even by how long the answer takes. */
	if (!job || (gateway->node.env.cluster.users &&
			    !gateway_may(gateway, client, job, message->type, &shown))) {
		if (gateway->node.env.cluster.users)
			gateway_audit_once(gateway, client, "refused", id);
		tell_unknown(gateway, connection, id);
		return;
	}
	if (!gateway_may(gateway, client, job, message->type, &shown)) {
		gateway_refuse_stranger(gateway, connection);
		return;
	}
	client->job = id;
	if (message->type == WIRE_CANCEL || message->type == WIRE_RESUME)
		gateway_audit(
			gateway, client, message->type == WIRE_CANCEL ? "cancel" : "resume", id);
	if (message->type == WIRE_RESULTS)
		gateway_audit_once(gateway, client, "fetch", id);
	if (message->type == WIRE_CANCEL && job->state != JOB_GONE) {
		gateway_on_cancel(gateway, connection, job, message->cancel.id);
		return;
	}
	if (gateway_tell_the_end(gateway, connection, job))
		return;
	gateway_touch(gateway, job);
	switch (message->type) {
	case WIRE_BATCH: gateway_on_batch(gateway, connection, job, message); break;
	case WIRE_END_TABLE: gateway_on_end_table(gateway, connection, job, message); break;
	case WIRE_END: gateway_send_ack(gateway, connection, message->end.id); break;
	case WIRE_RESULTS: gateway_on_results(gateway, connection, job, message); break;
	case WIRE_RESUME: gateway_answer_request(gateway, connection, job); break;
	default: break;
	}
}

void gateway_on_message(
	struct gateway *gateway, struct gateway_client *client, const struct wire_message *message)
{
	struct wire_secret secret;
	uint64_t job;

	if (client->denied_ms)
		return;
	if (message->type == WIRE_HEALTH && gateway->node.ready) {
		gateway_send(gateway, client->connection, message);
		return;
	}
	if (message->type == WIRE_HELLO) {
		on_hello(gateway, client, message);
		return;
	}
	if (!client->greeted && message->type != WIRE_HEALTH) {
		gateway_reject_client(gateway, client->connection, "HELLO comes first");
		return;
	}
	if (client->greeted && !gateway_is_still_admitted(gateway, client))
		return;
	if (!gateway->node.ready) {
		gateway_send_error(gateway, client->connection, WIRE_ERROR_RETRY, ERROR_IO, 0,
			"this gateway is starting");
		return;
	}
	if (message->type == WIRE_STATUS) {
		gateway_send_status(gateway, client);
	} else if (message->type == WIRE_JOB_STATUS) {
		gateway_send_job_status(gateway, client, message->job_status.job);
	} else if (message->type == WIRE_REQUEST) {
		gateway_on_request(gateway, client, message);
	} else if ((job = job_of_message(message, &secret)) != 0) {
		on_job_message(gateway, client, job, &secret, message);
	} else {
		gateway_reject_client(
			gateway, client->connection, "a client does not send such messages");
	}
}
