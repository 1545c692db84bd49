/*
 * What a gateway can tell about the cluster: which nodes have announced themselves, which jobs
 * there are and how far they have got, and what clients send to this gateway. As JSON; docs/cli.md
 * describes it under `tamiz status`.
 */
#include "base/json_write.h"
#include "cluster/config.h"
#include "cluster/users.h"
#include "role/gateway_private.h"
#include "sql/compile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STATUS_BYTES_MAX (64u << 20)
#define PLAN_BYTES_MAX	 (1u << 20)
#define SECOND_MS	 1000u

static uint32_t count_streams(const struct job *job)
{
	uint32_t count = job->plan->table_count;

	for (uint32_t f = 0; f < job->plan->fragment_count; f++)
		count += topology_instances(&job->topology, f);
	return count;
}

void gateway_send_progress(struct gateway *gateway, uint64_t connection, const struct job *job)
{
	struct wire_message message = {.type = WIRE_PROGRESS,
		.progress = {.job = job->id,
			.streams_closed = job->closed_count,
			.streams = count_streams(job),
			.queries_done = job_queries_done(job)}};

	gateway_send(gateway, connection, &message);
}

void gateway_status_on_tick(struct gateway *gateway, uint64_t now_ms)
{
	struct gateway_traffic *traffic = &gateway->traffic;
	uint64_t passed_ms = now_ms - traffic->second_ms;

	if (gateway->started_ms == 0)
		gateway->started_ms = now_ms;
	if (passed_ms < SECOND_MS)
		return;
	traffic->rate = (traffic->bytes - traffic->second_bytes) * 1000 / passed_ms;
	traffic->second_bytes = traffic->bytes;
	traffic->second_ms = now_ms;
}

static void append_node(struct json_writer *json, const struct ledger_node *node, uint64_t now_ms)
{
	char name[32] = "collector";

	if (node->node != FLOW_NODE_COLLECTOR && node->node >= FLOW_NODE_GATEWAY(0))
		snprintf(name, sizeof(name), "gateway %u", node->node - FLOW_NODE_GATEWAY(0));
	else if (node->node != FLOW_NODE_COLLECTOR)
		snprintf(name, sizeof(name), "reducer %u", node->node);
	json_open(json, NULL, '{');
	json_put_text(json, "name", name);
	json_put_u64(json, "starts", node->starts);
	json_put_u64(json, "up_ms", now_ms - node->started_ms);
	json_close(json, '}');
}

static void append_nodes(struct gateway *gateway, struct json_writer *json, uint64_t now_ms)
{
	struct ledger_node node;

	json_open(json, "nodes", '[');
	for (uint32_t i = 0; ledger_node(gateway->node.ledger, i, &node); i++)
		if (node.node != FLOW_NODE_ANONYMOUS)
			append_node(json, &node, now_ms);
	json_close(json, ']');
}

/* What a person would call it: an open job waits for its client as long as tables are open. */
static const char *state_name(const struct job *job)
{
	const struct gateway_job *own;

	switch (job->state) {
	case JOB_DONE:
		own = job->attachment;
		return job->results_lost && !(own && own->results_whole) ? "lost" : "done";
	case JOB_FAILED: return "failed";
	case JOB_GONE: return "gone";
	case JOB_OPEN: break;
	}
	return job_is_receiving(job) ? "receiving" : "working";
}

/* Of a failed job that no plan could be read of there is nothing more to say. */
static void append_parts(struct json_writer *json, const struct job *job)
{
	const struct plan *plan = job->plan;
	uint32_t total;

	json_put_u64(json, "queries_done", job_queries_done(job));
	json_put_u64(json, "streams_closed", job->closed_count);
	json_put_u64(json, "streams", count_streams(job));
	json_open(json, "queries", '[');
	for (uint32_t q = 0; q < plan->query_count; q++)
		json_put_text(json, NULL, plan->queries[q].name);
	json_close(json, ']');
	json_open(json, "tables", '[');
	for (uint32_t t = 0; t < plan->table_count; t++) {
		json_open(json, NULL, '{');
		json_put_text(json, "name", plan->tables[t].name);
		if (job_stream_total(job, flow_stream_table(t), &total))
			json_put_u64(json, "chunks", total);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* Whose it is; of a user that was removed since, and of a cluster without users, nothing is said. */
static void append_owner(
	const struct gateway *gateway, const struct job *job, struct json_writer *json)
{
	const struct users *users = gateway->node.env.cluster.users;
	const struct user *user;

	for (uint32_t i = 0; users && (user = users_get(users, i)); i++)
		if (user->id == job->client) {
			json_put_text(json, "user", user->name);
			return;
		}
}

static void append_job_members(const struct gateway *gateway, struct json_writer *json,
	const struct job *job, uint64_t now_ms)
{
	char id[32];

	snprintf(id, sizeof(id), "%016" PRIx64, job->id);
	json_put_text(json, "id", id);
	json_put_text(json, "state", state_name(job));
	append_owner(gateway, job, json);
	json_put_u64(json, "idle_ms", now_ms - job->last_ms);
	if (job->topology.plan)
		append_parts(json, job);
	if (job->state == JOB_FAILED)
		json_put_text(json, "error", job->failure->message);
}

static void append_job(const struct gateway *gateway, struct json_writer *json,
	const struct job *job, uint64_t now_ms)
{
	json_open(json, NULL, '{');
	append_job_members(gateway, json, job, now_ms);
	json_close(json, '}');
}

static void append_jobs(struct gateway *gateway, const struct gateway_client *client,
	struct json_writer *json, uint64_t now_ms)
{
	struct job *job = ledger_next(gateway->node.ledger, NULL);

	json_open(json, "jobs", '[');
	for (; job; job = ledger_next(gateway->node.ledger, job))
		if (job->state != JOB_GONE && gateway_may_see(gateway, client, job))
			append_job(gateway, json, job, now_ms);
	json_close(json, ']');
}

static void append_traffic(struct gateway *gateway, struct json_writer *json)
{
	uint32_t clients = 0;

	for (const struct gateway_client *client = gateway->clients; client; client = client->next)
		clients++;
	json_put_u64(json, "clients", clients);
	json_put_u64(json, "chunks", gateway->traffic.chunks);
	json_put_u64(json, "bytes", gateway->traffic.bytes);
	json_put_u64(json, "bytes_per_s", gateway->traffic.rate);
	json_put_u64(json, "unconfirmed_bytes", transport_backlog(gateway->node.env.transport));
}

/* Whoever looks after the cluster can be asked there. */
static void append_watchers(const struct role_cluster *cluster, struct json_writer *json)
{
	json_open(json, "watchers", '[');
	for (uint32_t i = 0; i < cluster->watcher_count; i++) {
		struct net_address address = config_found_at(cluster->watchers, i);
		char text[NET_ADDRESS_TEXT];

		net_address_format(&address, text);
		json_put_text(json, NULL, text);
	}
	json_close(json, ']');
}

/* One document, which is released. */
static void send_text(
	struct gateway *gateway, const struct gateway_client *client, struct buf *text)
{
	struct wire_message message = {.type = WIRE_STATUS_TEXT};

	buf_append_char(text, '\n');
	message.status_text.json =
		(struct wire_bytes){(const uint8_t *)text->data, (uint32_t)text->size};
	if (buf_overflowed(text))
		message.status_text.json = (struct wire_bytes){(const uint8_t *)"{}", 2};
	gateway_send(gateway, client->connection, &message);
	buf_release(text);
}

void gateway_send_status(struct gateway *gateway, const struct gateway_client *client)
{
	const struct role_cluster *cluster = &gateway->node.env.cluster;
	uint64_t now_ms = node_now(&gateway->node);
	struct buf out;
	struct json_writer json = {&out, false};

	buf_init(&out, STATUS_BYTES_MAX);
	json_open(&json, NULL, '{');
	json_put_u64(&json, "gateway", gateway->index);
	json_put_u64(&json, "engine", FLOW_ENGINE);
	json_put_u64(&json, "up_ms", gateway->started_ms ? now_ms - gateway->started_ms : 0);
	json_put_u64(&json, "reducers", cluster->reducers);
	json_put_u64(&json, "gateways", cluster->gateways);
	json_put_bool(&json, "filters", cluster->filters != ROLE_FILTERS_NEVER);
	json_put_u64(&json, "job_ttl_ms", cluster->job_ttl_ms);
	append_watchers(cluster, &json);
	if (gateway_may_see(gateway, client, NULL))
		append_traffic(gateway, &json);
	append_nodes(gateway, &json, now_ms);
	append_jobs(gateway, client, &json, now_ms);
	json_close(&json, '}');
	send_text(gateway, client, &out);
}

static void append_plan(struct json_writer *json, const struct plan *plan)
{
	struct buf text;

	buf_init(&text, PLAN_BYTES_MAX);
	sql_explain(plan, &text);
	buf_append_char(&text, '\0');
	json_put_text(json, "plan", buf_overflowed(&text) ? "" : text.data);
	buf_release(&text);
	json_open(json, "titles", '[');
	for (uint32_t q = 0; q < plan->query_count; q++)
		json_put_text(json, NULL, plan->queries[q].title);
	json_close(json, ']');
}

void gateway_send_job_status(
	struct gateway *gateway, const struct gateway_client *client, uint64_t id)
{
	const struct job *job = ledger_find(gateway->node.ledger, id);
	struct buf out;
	struct json_writer json = {&out, false};

	buf_init(&out, STATUS_BYTES_MAX);
	json_open(&json, NULL, '{');
	if (job && job->state != JOB_GONE && gateway_may_see(gateway, client, job)) {
		json_open(&json, "job", '{');
		append_job_members(gateway, &json, job, node_now(&gateway->node));
		if (job->topology.plan)
			append_plan(&json, job->plan);
		json_close(&json, '}');
	}
	json_close(&json, '}');
	send_text(gateway, client, &out);
}
