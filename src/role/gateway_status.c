/*
 * What a gateway can tell about the cluster: which nodes have announced themselves, which jobs
 * there are and how far they have got, and what clients send to this gateway. As JSON; docs/cli.md
 * describes it under `tamiz status`.
 */
#include "base/json.h"
#include "cluster/config.h"
#include "role/gateway_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STATUS_BYTES_MAX (64u << 20)
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

static void append_text(struct buf *out, const char *key, const char *text)
{
	buf_printf(out, "\"%s\":", key);
	json_append_string(out, text, strlen(text));
}

static void append_node(struct buf *out, const struct ledger_node *node, uint64_t now_ms)
{
	char name[32] = "collector";

	if (node->node != FLOW_NODE_COLLECTOR && node->node >= FLOW_NODE_GATEWAY(0))
		snprintf(name, sizeof(name), "gateway %u", node->node - FLOW_NODE_GATEWAY(0));
	else if (node->node != FLOW_NODE_COLLECTOR)
		snprintf(name, sizeof(name), "reducer %u", node->node);
	buf_append_char(out, '{');
	append_text(out, "name", name);
	buf_printf(out, ",\"starts\":%" PRIu64 ",\"up_ms\":%" PRIu64 "}", node->starts,
		now_ms - node->started_ms);
}

static void append_nodes(struct gateway *gateway, struct buf *out, uint64_t now_ms)
{
	struct ledger_node node;
	bool first = true;

	buf_append_text(out, "\"nodes\":[");
	for (uint32_t i = 0; ledger_node(gateway->node.ledger, i, &node); i++) {
		if (node.node == FLOW_NODE_ANONYMOUS)
			continue;
		if (!first)
			buf_append_char(out, ',');
		first = false;
		append_node(out, &node, now_ms);
	}
	buf_append_char(out, ']');
}

/* What a person would call it: an open job waits for its client as long as tables are open. */
static const char *state_name(const struct job *job)
{
	uint32_t total;

	switch (job->state) {
	case JOB_DONE: return "done";
	case JOB_FAILED: return "failed";
	case JOB_GONE: return "gone";
	case JOB_OPEN: break;
	}
	for (uint32_t t = 0; t < job->plan->table_count; t++)
		if (!job_stream_total(job, flow_stream_table(t), &total))
			return "receiving";
	return "working";
}

/* Of a failed job that no plan could be read of there is nothing more to say. */
static void append_parts(struct buf *out, const struct job *job)
{
	const struct plan *plan = job->plan;
	uint32_t total;

	buf_printf(out, ",\"queries_done\":%u,\"streams_closed\":%u,\"streams\":%u",
		job_queries_done(job), job->closed_count, count_streams(job));
	buf_append_text(out, ",\"queries\":[");
	for (uint32_t q = 0; q < plan->query_count; q++) {
		if (q > 0)
			buf_append_char(out, ',');
		json_append_string(out, plan->queries[q].name, strlen(plan->queries[q].name));
	}
	buf_append_text(out, "],\"tables\":[");
	for (uint32_t t = 0; t < plan->table_count; t++) {
		buf_append_text(out, t > 0 ? ",{" : "{");
		append_text(out, "name", plan->tables[t].name);
		if (job_stream_total(job, flow_stream_table(t), &total))
			buf_printf(out, ",\"chunks\":%u", total);
		buf_append_char(out, '}');
	}
	buf_append_char(out, ']');
}

static void append_job(struct buf *out, const struct job *job, uint64_t now_ms)
{
	buf_printf(out, "{\"id\":\"%016" PRIx64 "\",", job->id);
	append_text(out, "state", state_name(job));
	buf_printf(out, ",\"idle_ms\":%" PRIu64, now_ms - job->last_ms);
	if (job->topology.plan)
		append_parts(out, job);
	if (job->state == JOB_FAILED) {
		buf_append_char(out, ',');
		append_text(out, "error", job->failure->message);
	}
	buf_append_char(out, '}');
}

static void append_jobs(struct gateway *gateway, struct buf *out, uint64_t now_ms)
{
	struct job *job = ledger_next(gateway->node.ledger, NULL);
	bool first = true;

	buf_append_text(out, "\"jobs\":[");
	for (; job; job = ledger_next(gateway->node.ledger, job)) {
		if (job->state == JOB_GONE)
			continue;
		if (!first)
			buf_append_char(out, ',');
		first = false;
		append_job(out, job, now_ms);
	}
	buf_append_char(out, ']');
}

static void append_traffic(struct gateway *gateway, struct buf *out)
{
	uint32_t clients = 0;

	for (const struct gateway_client *client = gateway->clients; client; client = client->next)
		clients++;
	buf_printf(out,
		"\"clients\":%u,\"chunks\":%" PRIu64 ",\"bytes\":%" PRIu64
		",\"bytes_per_s\":%" PRIu64 ",\"unconfirmed_bytes\":%zu",
		clients, gateway->traffic.chunks, gateway->traffic.bytes, gateway->traffic.rate,
		transport_backlog(gateway->node.env.transport));
}

/* Who looks after the cluster can be asked there. */
static void append_watchers(const struct role_cluster *cluster, struct buf *out)
{
	buf_append_text(out, "\"watchers\":[");
	for (uint32_t i = 0; i < cluster->watcher_count; i++) {
		struct net_address address = config_found_at(cluster->watchers, i);
		char text[NET_ADDRESS_TEXT];

		net_address_format(&address, text);
		buf_append_text(out, i > 0 ? "," : "");
		json_append_string(out, text, strlen(text));
	}
	buf_append_char(out, ']');
}

void gateway_send_status(struct gateway *gateway, uint64_t connection)
{
	const struct role_cluster *cluster = &gateway->node.env.cluster;
	struct wire_message message = {.type = WIRE_STATUS_TEXT};
	uint64_t now_ms = node_now(&gateway->node);
	struct buf out;

	buf_init(&out, STATUS_BYTES_MAX);
	buf_printf(&out, "{\"gateway\":%u,\"engine\":%u,\"up_ms\":%" PRIu64 ",", gateway->index,
		FLOW_ENGINE, gateway->started_ms ? now_ms - gateway->started_ms : 0);
	buf_printf(&out,
		"\"reducers\":%u,\"gateways\":%u,\"filters\":%s,\"job_ttl_ms\":%" PRIu64 ",",
		cluster->reducers, cluster->gateways,
		cluster->filters == ROLE_FILTERS_NEVER ? "false" : "true", cluster->job_ttl_ms);
	append_watchers(cluster, &out);
	buf_append_char(&out, ',');
	append_traffic(gateway, &out);
	buf_append_char(&out, ',');
	append_nodes(gateway, &out, now_ms);
	buf_append_char(&out, ',');
	append_jobs(gateway, &out, now_ms);
	buf_append_text(&out, "}\n");
	message.status_text.json =
		(struct wire_bytes){(const uint8_t *)out.data, (uint32_t)out.size};
	if (buf_overflowed(&out))
		message.status_text.json = (struct wire_bytes){(const uint8_t *)"{}", 2};
	gateway_send(gateway, connection, &message);
	buf_release(&out);
}
