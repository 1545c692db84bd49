/* What must be true. */
#include "sim/hosts/hosts.h"

#include "base/json_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * In which watchers that can reach each other must have heard each other: what was sent into a cut
 * comes again after two seconds, a link is made anew after up to one and a half more.
 */
#define AGREE_US (6000u * HOSTS_MS)
/*
 * In which a leader must have heard of a node that is well: a question on its way, the next attempt,
 * and bytes that come again after a cut.
 */
#define HEARD_US ((2 * HOSTS_PATIENCE_MS + 1000u + 2000u + 500u) * HOSTS_MS)

static uint64_t now_us(const struct hosts *hosts)
{
	return hosts->world.events.now_us;
}

static bool runs(const struct hosts_node *node)
{
	return node->process && !node->process->paused && !node->task->stuck;
}

void hosts_on_status(void *context, struct machine_process *by, const char *json, size_t size)
{
	struct hosts *hosts = context;
	struct hosts_node *node = hosts_find(hosts, by->name);
	const struct json_value *leader;
	struct json_value *root;
	struct arena arena;
	struct error err;
	uint64_t term;
	bool leads;

	arena_init(&arena, 4096);
	if (json_read(json, size, &arena, &root, &err)) {
		hosts_complain(hosts, "%s publishes no JSON: %s", by->name, err.message);
		arena_release(&arena);
		return;
	}
	leads = json_number(root, "leads") != 0;
	term = (uint64_t)json_number(root, "term");
	leader = json_get(root, "leader");
	node->leader =
		leader && leader->kind == JSON_NUMBER ? (uint64_t)leader->number : UINT64_MAX;
	arena_release(&arena);
	if (term < node->term)
		hosts_complain(hosts, "%s goes back from term %" PRIu64 " to %" PRIu64, by->name,
			node->term, term);
	/* Of two that lead and meet, one begins a new reign. */
	if (node->leads && !leads && node->leader != UINT64_MAX && term == node->term)
		hosts_complain(hosts, "%s led in term %" PRIu64 ", in which it follows %" PRIu64,
			by->name, term, node->leader);
	if (leads && (!node->leads || term != node->term)) {
		hosts->verdict->counts[HOSTS_REIGNS]++;
		sim_events_note(&hosts->world.events, by->name, "leads", term);
		if (!node->leads)
			node->leads_since_us = now_us(hosts);
	}
	node->leads = leads;
	node->term = term;
}

/* --- orders --------------------------------------------------------------------------------------
 */

/*
 * One that was cut off from everybody has heard of nobody: it has to look first. `since_us`: it
 * reaches the node.
 */
static bool has_not_looked(
	const struct hosts *hosts, const struct hosts_node *by, uint64_t since_us)
{
	uint64_t rejoined_us = hosts->rejoined_us[by->host];
	uint64_t isolated_us = hosts->isolated_us[by->host];
	/* Who led already knows sooner that it is alone. */
	uint32_t known_ms =
		HOSTS_PATIENCE_MS - (by->leads_since_us < isolated_us) * HOSTS_PATIENCE_MS / 3;

	return rejoined_us > 0 && since_us <= rejoined_us &&
	       rejoined_us - isolated_us >= known_ms * HOSTS_MS &&
	       now_us(hosts) - rejoined_us < HOSTS_PATIENCE_MS * HOSTS_MS;
}

void hosts_on_order(void *context, struct machine_process *by, const struct roster_node *which,
	const char *reason)
{
	struct hosts *hosts = context;
	struct hosts_node *leader = hosts_find(hosts, by->name);
	struct hosts_node *node = hosts_find(hosts, which->name);
	uint64_t now = now_us(hosts);
	uint64_t since_us = machine_connected_since_us(&hosts->machine, by->host, node->host);
	bool well = runs(node) && node->well_since_us != UINT64_MAX &&
		    now - node->well_since_us > HEARD_US;

	hosts->verdict->counts[HOSTS_RESTARTS]++;
	sim_events_note(&hosts->world.events, by->name, "order", (uint64_t)(node - hosts->nodes));
	if (!leader->leads)
		hosts_complain(
			hosts, "%s has %s started again and does not lead", by->name, which->name);
	if (!well)
		return;
	if (since_us != UINT64_MAX && now - since_us > HEARD_US)
		hosts_complain(hosts, "%s has %s started again, which is well: %s", by->name,
			which->name, reason);
	else if (has_not_looked(hosts, leader, since_us))
		hosts_complain(hosts,
			"%s was cut off, is back and has %s started again, which is well: %s",
			by->name, which->name, reason);
}

/* --- from time to time ---------------------------------------------------------------------------
 */

static bool for_long(const struct hosts *hosts, uint64_t since_us)
{
	return since_us != UINT64_MAX && now_us(hosts) - since_us > AGREE_US;
}

static void check_leaders(
	struct hosts *hosts, const struct hosts_node *a, const struct hosts_node *b)
{
	if (!a->leads || !b->leads || !runs(a) || !runs(b) || !for_long(hosts, a->woken_us) ||
		!for_long(hosts, b->woken_us) || !for_long(hosts, a->leads_since_us) ||
		!for_long(hosts, b->leads_since_us) ||
		!for_long(hosts, machine_connected_since_us(&hosts->machine, a->host, b->host)))
		return;
	hosts_complain(hosts, "%s leads in term %" PRIu64 ", and %s does in term %" PRIu64,
		a->roster.name, a->term, b->roster.name, b->term);
}

static void note_health(struct hosts *hosts, struct hosts_node *node)
{
	if (!runs(node) || !stand_in_is_ready(node->process))
		node->well_since_us = UINT64_MAX;
	else if (node->well_since_us == UINT64_MAX)
		node->well_since_us = now_us(hosts);
}

static bool is_isolated(const struct hosts *hosts, uint32_t host)
{
	for (uint32_t other = 0; other < hosts->host_count; other++)
		if (other != host && !machine_is_cut(&hosts->machine, host, other))
			return false;
	return true;
}

static void note_isolation(struct hosts *hosts, uint32_t host)
{
	bool was = hosts->isolated_us[host] > hosts->rejoined_us[host];
	bool is = is_isolated(hosts, host);

	if (is && !was)
		hosts->isolated_us[host] = now_us(hosts);
	else if (was && !is)
		hosts->rejoined_us[host] = now_us(hosts);
}

void hosts_check(struct hosts *hosts)
{
	for (uint32_t i = 0; i < hosts->host_count; i++)
		note_isolation(hosts, i);
	for (uint32_t i = 0; i < hosts->node_count; i++) {
		note_health(hosts, &hosts->nodes[i]);
		for (uint32_t j = 0; j < i; j++)
			check_leaders(hosts, &hosts->nodes[i], &hosts->nodes[j]);
	}
	if (hosts->machine.problem[0])
		hosts_complain(hosts, "%s", hosts->machine.problem);
}

/* --- in the end ----------------------------------------------------------------------------------
 */

static bool follow_one_leader(struct hosts *hosts, char *problem, size_t size)
{
	const struct hosts_node *leader = NULL;

	for (uint32_t i = 0; i < hosts->node_count; i++)
		if (hosts->nodes[i].roster.kind == NODE_WATCHER &&
			hosts->nodes[i].roster.index + 1 == hosts->watcher_count)
			leader = &hosts->nodes[i];
	for (uint32_t i = 0; i < hosts->node_count; i++) {
		const struct hosts_node *node = &hosts->nodes[i];

		if (node->roster.kind != NODE_WATCHER ||
			(node->leader == leader->roster.index && node->term == leader->term &&
				node->leads == (node == leader)))
			continue;
		snprintf(problem, size,
			"%s follows watcher %" PRId64 " in term %" PRIu64
			", and should follow %s in term %" PRIu64,
			node->roster.name, (int64_t)node->leader, node->term, leader->roster.name,
			leader->term);
		return false;
	}
	return true;
}

/* One connection to each gateway, to ask how it is, and those of whoever asks the proxy. */
static bool proxy_is_idle(
	struct hosts *hosts, const struct hosts_node *node, char *problem, size_t size)
{
	uint32_t sockets = machine_process_sockets(node->process);
	uint32_t wanted = (uint32_t)hosts->config.gateway.replicas + stand_in_guests(node->process);

	if (sockets == wanted)
		return true;
	snprintf(problem, size, "%s has no clients and %u connections instead of %u",
		node->roster.name, sockets, wanted);
	return false;
}

bool hosts_is_settled(struct hosts *hosts, char *problem, size_t size)
{
	for (uint32_t i = 0; i < hosts->client_count; i++)
		if (!hosts->clients[i].over) {
			snprintf(problem, size, "%s hangs", hosts->clients[i].name);
			return false;
		}
	for (uint32_t i = 0; i < hosts->node_count; i++) {
		struct hosts_node *node = &hosts->nodes[i];

		if (node->well_since_us == UINT64_MAX) {
			snprintf(problem, size, "%s is not well", node->roster.name);
			return false;
		}
		if (node->proxy && !proxy_is_idle(hosts, node, problem, size))
			return false;
	}
	return follow_one_leader(hosts, problem, size);
}

void hosts_check_clients(struct hosts *hosts)
{
	char problem[SIM_PROBLEM_MAX - MACHINE_PROCESS_NAME];

	for (uint32_t i = 0; i < hosts->client_count; i++) {
		struct hosts_client *client = &hosts->clients[i];

		if (!client->over)
			continue;
		if (client->phase == SESSION_FAILED) {
			if (!sim_job_may_fail(client->job, client->err.message))
				hosts_complain(hosts, "%s: an error without a reason: %s",
					client->name, client->err.message);
			hosts->verdict->counts[HOSTS_JOBS_ERROR]++;
		} else if (sim_source_check(&client->source, problem, sizeof(problem))) {
			hosts->verdict->counts[HOSTS_JOBS_RIGHT]++;
		} else {
			hosts_complain(hosts, "%s: %s", client->name, problem);
		}
	}
}
