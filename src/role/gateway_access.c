/*
 * Who a client of a gateway is, and what it may.
 *
 * Without users a job belongs to who shows its secret, and a client's jobs are counted by its address. With users a job
 * belongs to its user, who is in the log as its client: others do not see it, whatever they show, but for readers, to
 * whom its secret was given, and admins.
 */
#include "role/gateway_private.h"

#include <string.h>

/* A wrong token is answered so late: guesses cost time, and say nothing by how long they took. */
#define DENIED_MS 1000u
#define PEER_TEXT 64

/* Where it is connected from, for the log, as far as somebody can tell. */
static struct log_field peer_field(
	struct gateway *gateway, uint64_t connection, char text[PEER_TEXT])
{
	text[0] = '\0';
	if (gateway->port->peer)
		gateway->port->peer(gateway->port, connection, text, PEER_TEXT);
	/* A field without a key is the end of them. */
	return text[0] ? LOG_TEXT("from", text) : (struct log_field){0};
}

void gateway_log_turned_away(struct gateway *gateway, uint64_t connection, const char *reason)
{
	char text[PEER_TEXT];
	struct log_field from = peer_field(gateway, connection, text),
			 why = LOG_TEXT("reason", reason);

	node_log(&gateway->node, LOG_CLIENT_TURNED_AWAY,
		LOG_FIELDS(LOG_ID("connection", connection), from.key ? from : why,
			from.key ? why : from));
}

static bool deny(struct gateway *gateway, struct gateway_client *client, const char *token)
{
	gateway_log_turned_away(gateway, client->connection, *token ? "wrong token" : "no token");
	client->greeted = false;
	client->denied_ms = node_now(&gateway->node) + 1;
	client->job = 0;
	/* What it is told depends on nothing else. */
	client->users_version = *token != '\0';
	return false;
}

void gateway_deny_on_tick(struct gateway *gateway, uint64_t now_ms)
{
	struct gateway_client *client = gateway->clients, *next;

	for (; client; client = next) {
		next = client->next;
		if (!client->denied_ms || now_ms + 1 - client->denied_ms < DENIED_MS)
			continue;
		gateway_turn_away(gateway, client->connection, ERROR_USAGE,
			client->users_version
				? "this is not the cluster's token: check --token or TAMIZ_TOKEN"
				: "this cluster asks for a token: give --token, or set "
				  "TAMIZ_TOKEN");
	}
}

bool gateway_admit(struct gateway *gateway, struct gateway_client *client, const char *token)
{
	const struct role_cluster *cluster = &gateway->node.env.cluster;
	/* Hashes have one length, whatever the lengths of the tokens are. */
	struct sha256 shown = sha256(token, strlen(token)), wanted;
	const struct user *user;

	if (cluster->users) {
		user = users_find(cluster->users, &shown);
		if (!user)
			return deny(gateway, client, token);
		client->user = *user;
		client->users_version = users_version(cluster->users);
		client->who = user->id;
		return true;
	}
	if (!cluster->token || !*cluster->token)
		return true;
	wanted = sha256(cluster->token, strlen(cluster->token));
	return same_in_constant_time(shown.bytes, wanted.bytes, SHA256_SIZE) ||
	       deny(gateway, client, token);
}

bool gateway_is_still_admitted(struct gateway *gateway, struct gateway_client *client)
{
	const struct users *users = gateway->node.env.cluster.users;
	const struct user *user;

	if (!users || client->users_version == users_version(users))
		return true;
	user = users_find(users, &client->user.token_hash);
	if (user && user->id == client->user.id) {
		client->user = *user;
		client->users_version = users_version(users);
		return true;
	}
	gateway_turn_away(gateway, client->connection, ERROR_USAGE,
		"this is not the cluster's token any more: the user was removed");
	return false;
}

bool gateway_may(const struct gateway *gateway, const struct gateway_client *client,
	const struct job *job, enum wire_type what, const struct sha256 *shown)
{
	bool has_secret = gateway_is_owner(job, shown);
	bool looks = what == WIRE_RESULTS || what == WIRE_RESUME;

	if (!gateway->node.env.cluster.users)
		return has_secret;
	switch (client->user.role) {
	case USER_ADMIN: return has_secret || looks || what == WIRE_CANCEL;
	case USER_READ: return has_secret && looks;
	case USER_SUBMIT: break;
	}
	/* From another machine the user has no secret, and fetches or cancels all the same. */
	return job->client == client->who && (has_secret || looks || what == WIRE_CANCEL);
}

bool gateway_may_open(const struct gateway *gateway, const struct gateway_client *client)
{
	return !gateway->node.env.cluster.users || client->user.role != USER_READ;
}

bool gateway_may_see(
	const struct gateway *gateway, const struct gateway_client *client, const struct job *job)
{
	if (!gateway->node.env.cluster.users || client->user.role != USER_SUBMIT)
		return true;
	return job && job->client == client->who;
}

uint32_t gateway_jobs_max(const struct gateway *gateway, const struct gateway_client *client)
{
	if (gateway->node.env.cluster.users && client->user.jobs_max)
		return client->user.jobs_max;
	return gateway->node.env.cluster.client_jobs_max;
}

void gateway_audit(struct gateway *gateway, const struct gateway_client *client, const char *action,
	uint64_t job)
{
	char text[PEER_TEXT];
	struct log_field from = peer_field(gateway, client->connection, text);
	struct log_field connection = LOG_ID("connection", client->connection);

	if (gateway->node.env.cluster.users)
		node_log(&gateway->node, LOG_AUDIT,
			LOG_FIELDS(LOG_TEXT("action", action), LOG_ID("job", job),
				LOG_TEXT("user", client->user.name), connection, from));
	else
		node_log(&gateway->node, LOG_AUDIT,
			LOG_FIELDS(
				LOG_TEXT("action", action), LOG_ID("job", job), connection, from));
}

void gateway_audit_once(
	struct gateway *gateway, struct gateway_client *client, const char *action, uint64_t job)
{
	if (client->audited_action && client->audited_job == job &&
		strcmp(client->audited_action, action) == 0)
		return;
	client->audited_action = action;
	client->audited_job = job;
	gateway_audit(gateway, client, action, job);
}
