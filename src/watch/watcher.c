#include "watch/watcher.h"

#include "base/clock.h"
#include "base/digits.h"
#include "base/json_write.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "base/mutant.h"
#include "base/random.h"
#include "base/rng.h"
#include "cluster/broker.h"
#include "cluster/node_lock.h"
#include "cluster/ping.h"
#include "cluster/presence.h"
#include "cluster/roster.h"
#include "net/loop.h"
#include "net/socket.h"
#include "watch/driver.h"
#include "watch/election.h"
#include "watch/node_verdict.h"
#include "watch/peers.h"
#include "watch/prober.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TICK_MS	  20u
#define REPORT_MS 200u
#define BROKER_MS 500u
#define PLACES_MS 100u
/* In which a new leader takes nobody for gone that its predecessor may just have started. */
#define INHERITED_MS	   1000u
#define ALONE_WATCHERS_MIN 3u
#define REPORT_BYTES_MAX   (256u << 10)

/* One node, or the private broker. */
struct post {
	struct roster_node node;
	struct node_verdict verdict;
	enum node_verdict_state told; /* the state that was last logged */
};

/* The private broker, if there is one. */
struct broker_post {
	const char *state;
	pid_t pid; /* that was seen in that state */
	uint64_t since_ms;
	uint64_t starts; /* by us */
	uint64_t started_wall_ms;
};

struct watcher {
	const struct config *config;
	uint32_t index;
	struct roster_node self;
	struct loop *loop;
	struct presence presence;
	struct ping ping;
	struct rng rng;
	struct election election;
	struct peers *peers;
	struct prober *prober;
	struct driver *driver;
	struct node_verdict_options patience;
	struct post posts[ROSTER_NODES_MAX];
	uint32_t count;
	struct loop_timer tick;
	struct loop_timer broker_tick;
	uint64_t report_ms;
	uint64_t places_ms;
	bool local;	   /* nodes are processes of this machine */
	uint64_t reign;	   /* the term in which we lead; 0: we do not */
	uint64_t reign_ms; /* its begin */
	uint64_t heard_ms; /* when anybody was last heard, or refused us */
	bool alone;	   /* that is long ago: it is we who are cut off */
	uint32_t leader;
	uint32_t last_leader; /* ELECTION_NOBODY: there was none yet */
	struct broker_post broker;
};

static bool is_self(const struct watcher *watcher, const struct post *post)
{
	return strcmp(post->node.name, watcher->self.name) == 0;
}

/* --- what it tells -------------------------------------------------------------------------------
 */

/* By tamiz drain, on this machine. */
static bool is_drained(const struct watcher *watcher, const struct post *post)
{
	return post->verdict.state == NODE_VERDICT_GONE &&
	       node_lock_is_kept_out(watcher->config->cluster.state, post->node.name);
}

static const char *post_state(const struct watcher *watcher, const struct post *post)
{
	if (is_self(watcher, post))
		return "green";
	return is_drained(watcher, post) ? "drained" : node_verdict_state_name(&post->verdict);
}

static void report_post(
	const struct watcher *watcher, const struct post *post, struct json_writer *json)
{
	const struct node_verdict *verdict = &post->verdict;
	char address[NET_ADDRESS_TEXT];
	bool self = is_self(watcher, post);

	net_address_format(&post->node.health, address);
	json_open(json, NULL, '{');
	json_put_text(json, "name", post->node.name);
	json_put_text(json, "role", post->node.role);
	json_put_text(json, "state", post_state(watcher, post));
	json_put_text(json, "detail", self ? "leads" : verdict->detail);
	json_put_u64(json, "since_ms", loop_now(watcher->loop) - verdict->since_ms);
	json_put_u64(json, "restarts", verdict->restarts);
	json_put_u64(json, "restarted_ms", verdict->restart_wall_ms);
	json_put_text(json, "reason", verdict->restarts ? verdict->reason : "");
	json_put_bool(json, "flapping", verdict->flapping);
	json_put_text(json, "address", address);
	json_close(json, '}');
}

static void report_broker(const struct watcher *watcher, struct json_writer *json)
{
	json_open(json, NULL, '{');
	json_put_text(json, "name", "broker");
	json_put_text(json, "role", "broker");
	json_put_text(json, "state", watcher->broker.state);
	json_put_text(json, "detail", "");
	json_put_u64(json, "since_ms", loop_now(watcher->loop) - watcher->broker.since_ms);
	json_put_u64(json, "restarts", watcher->broker.starts);
	json_put_u64(json, "restarted_ms", watcher->broker.started_wall_ms);
	json_put_text(json, "reason", watcher->broker.starts ? "it had ended" : "");
	json_put_bool(json, "flapping", false);
	json_put_text(json, "address", "");
	json_close(json, '}');
}

static void count_nodes(const struct watcher *watcher)
{
	static const enum metric states[] = {
		[NODE_VERDICT_UNKNOWN] = METRIC_NODES_UNKNOWN,
		[NODE_VERDICT_GREEN] = METRIC_NODES_GREEN,
		[NODE_VERDICT_RED] = METRIC_NODES_RED,
		[NODE_VERDICT_STARTING] = METRIC_NODES_STARTING,
		[NODE_VERDICT_SILENT] = METRIC_NODES_SILENT,
		[NODE_VERDICT_GONE] = METRIC_NODES_GONE,
	};
	uint64_t counts[sizeof(states) / sizeof(*states)] = {0};

	for (uint32_t i = 0; watcher->reign && i < watcher->count; i++)
		counts[is_self(watcher, &watcher->posts[i]) ? NODE_VERDICT_GREEN
							    : watcher->posts[i].verdict.state]++;
	for (uint32_t s = 0; s < sizeof(states) / sizeof(*states); s++)
		metric_set(states[s], counts[s]);
	metric_set(METRIC_LEADS, watcher->reign != 0);
	metric_set(METRIC_TERM, watcher->election.term);
}

static void report(struct watcher *watcher)
{
	const struct election *election = &watcher->election;
	struct buf out;
	struct json_writer json = {&out, false};

	count_nodes(watcher);
	buf_init(&out, REPORT_BYTES_MAX);
	json_open(&json, NULL, '{');
	json_put_text(&json, "cluster", watcher->config->cluster.name);
	json_put_u64(&json, "watcher", watcher->index);
	json_put_bool(&json, "leads", watcher->reign);
	if (election->leader == ELECTION_NOBODY)
		json_put_null(&json, "leader");
	else
		json_put_u64(&json, "leader", election->leader);
	json_put_u64(&json, "term", election->term);
	json_open(&json, "nodes", '[');
	for (uint32_t i = 0; watcher->reign && i < watcher->count; i++)
		report_post(watcher, &watcher->posts[i], &json);
	if (watcher->reign && watcher->config->broker.folder[0])
		report_broker(watcher, &json);
	json_close(&json, ']');
	json_close(&json, '}');
	buf_append_char(&out, '\n');
	if (!buf_overflowed(&out))
		health_publish(watcher->presence.health, out.data, out.size);
	buf_release(&out);
	watcher->report_ms = loop_now(watcher->loop);
}

static void tell_tally(struct watcher *watcher, const struct post *post, uint32_t to)
{
	char line[PEERS_LINE_MAX];

	snprintf(line, sizeof(line), "TALLY %s %" PRIu64 " %" PRIu64 " %s", post->node.name,
		post->verdict.restarts, post->verdict.restart_wall_ms, post->verdict.reason);
	peers_send(watcher->peers, to, line);
}

/* --- the nodes -----------------------------------------------------------------------------------
 */

static enum log_event state_event(enum node_verdict_state state)
{
	switch (state) {
	case NODE_VERDICT_GREEN: return LOG_NODE_GREEN;
	case NODE_VERDICT_STARTING: return LOG_NODE_STARTING;
	case NODE_VERDICT_RED: return LOG_NODE_RED;
	case NODE_VERDICT_SILENT: return LOG_NODE_SILENT;
	case NODE_VERDICT_GONE: return LOG_NODE_GONE;
	case NODE_VERDICT_UNKNOWN: break;
	}
	return LOG_NODE_UNKNOWN;
}

static void note_state(struct watcher *watcher, struct post *post)
{
	const struct node_verdict *verdict = &post->verdict;

	if (post->told == verdict->state)
		return;
	post->told = verdict->state;
	watcher->report_ms = 0;
	log_event(watcher->self.name, state_event(verdict->state),
		LOG_FIELDS(LOG_TEXT("node", post->node.name),
			LOG_NUMBER("restarts", verdict->restarts),
			LOG_TEXT("detail", verdict->detail)));
}

/*
 * A leader that hears nobody at all, of several watchers on several hosts, is cut off itself: the
 * others have a leader of their own, or will. It starts nobody again, and when it is back it looks
 * anew before it judges: else it would end all nodes that are well.
 */
static void look_for_others(struct watcher *watcher)
{
	const struct config_watcher *config = &watcher->config->watcher;

	if (!watcher->reign || watcher->alone || watcher->local ||
		config->replicas < ALONE_WATCHERS_MIN ||
		loop_now(watcher->loop) - watcher->heard_ms < config->patience_ms / 2)
		return;
	watcher->alone = true;
	log_event(watcher->self.name, LOG_ALONE, NULL);
}

static void note_heard(struct watcher *watcher)
{
	uint64_t now_ms = loop_now(watcher->loop);

	watcher->heard_ms = now_ms;
	if (!watcher->alone)
		return;
	watcher->alone = false;
	log_event(watcher->self.name, LOG_ALONE_NO_MORE, NULL);
	for (uint32_t i = 0; i < watcher->count; i++) {
		if (!MUTANT(HOSTS_OLD_VERDICTS))
			node_verdict_look_anew(&watcher->posts[i].verdict, now_ms);
		if (!is_self(watcher, &watcher->posts[i]))
			prober_hurry(watcher->prober, i);
	}
}

static void on_answer(void *context, uint32_t target, const struct node_verdict_answer *answer)
{
	struct watcher *watcher = context;
	struct post *post = &watcher->posts[target];

	note_heard(watcher);
	node_verdict_on_answer(&post->verdict, answer, loop_now(watcher->loop));
	note_state(watcher, post);
}

/* The start of a cluster is nothing that somebody should look at. */
static void note_start(const struct watcher *watcher, const struct post *post, bool first)
{
	const struct node_verdict *verdict = &post->verdict;
	struct log_field flapping = {0};

	if (first) {
		log_event(watcher->self.name, LOG_FIRST_START,
			LOG_FIELDS(LOG_TEXT("node", post->node.name),
				LOG_NUMBER("term", watcher->reign)));
		return;
	}
	metric_add(METRIC_RESTARTS, 1);
	if (verdict->flapping)
		flapping = LOG_TEXT("flapping", "true");
	log_event(watcher->self.name, LOG_RESTART,
		LOG_FIELDS(LOG_TEXT("node", post->node.name), LOG_TEXT("reason", verdict->reason),
			LOG_NUMBER("restarts", verdict->restarts),
			LOG_NUMBER("term", watcher->reign), flapping));
}

static void look_after(struct watcher *watcher, uint32_t index)
{
	struct post *post = &watcher->posts[index];
	uint64_t restarts;
	uint64_t now_ms = loop_now(watcher->loop);

	/* Nobody but a leader has anything started, and only in the reign that it knows of. */
	assert(watcher->reign && election_leads(&watcher->election) &&
		watcher->reign == watcher->election.term);
	if (is_self(watcher, post) || watcher->alone ||
		!node_verdict_is_due(&post->verdict, now_ms) || is_drained(watcher, post))
		return;
	restarts = post->verdict.restarts;
	node_verdict_on_restart(&post->verdict, now_ms, clock_wall_ms());
	note_start(watcher, post, post->verdict.restarts == restarts);
	for (uint32_t i = 0; i < watcher->config->watcher.replicas; i++)
		if (i != watcher->index)
			tell_tally(watcher, post, i);
	driver_restart(watcher->driver, index, &post->node, post->verdict.reason);
}

static void on_nobody(void *context, uint32_t target)
{
	struct watcher *watcher = context;
	struct post *post = &watcher->posts[target];
	bool lives;

	note_heard(watcher);
	/* Where we cannot look, a start gets the time it takes. */
	lives = watcher->local ? driver_lives(watcher->driver, &post->node)
			       : post->verdict.state == NODE_VERDICT_STARTING ||
					 loop_now(watcher->loop) - watcher->reign_ms < INHERITED_MS;

	node_verdict_on_nobody(&post->verdict, lives, loop_now(watcher->loop));
	note_state(watcher, post);
	look_after(watcher, target);
}

static void on_silence(void *context, uint32_t target)
{
	struct watcher *watcher = context;

	node_verdict_on_silence(&watcher->posts[target].verdict, loop_now(watcher->loop));
	note_state(watcher, &watcher->posts[target]);
}

static void on_restarted(void *context, uint32_t index, const char *why)
{
	struct watcher *watcher = context;
	struct post *post = &watcher->posts[index];

	if (why)
		log_event(watcher->self.name, LOG_RESTART_FAILED,
			LOG_FIELDS(LOG_TEXT("node", post->node.name), LOG_TEXT("reason", why)));
	node_verdict_on_restarted(&post->verdict, why, loop_now(watcher->loop));
	note_state(watcher, post);
	if (watcher->reign)
		prober_hurry(watcher->prober, index);
}

/* --- the broker, if it is ours -------------------------------------------------------------------
 */

static void set_broker_state(struct watcher *watcher, const char *state)
{
	if (strcmp(watcher->broker.state, state) == 0)
		return;
	watcher->broker.state = state;
	watcher->broker.since_ms = loop_now(watcher->loop);
	watcher->report_ms = 0;
}

/* Its process lives. One that took connections still does. */
static void note_broker(struct watcher *watcher, struct broker *broker)
{
	pid_t pid = broker_pid(broker);
	bool is_green = pid == watcher->broker.pid && strcmp(watcher->broker.state, "green") == 0;

	watcher->broker.pid = pid;
	set_broker_state(watcher, is_green || broker_is_there(broker) ? "green" : "starting");
}

static void look_after_broker(struct watcher *watcher)
{
	const char *folder = watcher->config->broker.folder;
	struct broker *broker;
	struct error err;
	int status = 0;

	if (broker_attach(&broker, folder, &err)) {
		status = broker_start(&broker, folder, NULL, &err);
	} else if (broker_pid(broker) != 0) {
		note_broker(watcher, broker);
		broker_free(broker);
		return;
	} else {
		status = broker_restart(broker, &err);
	}
	if (status)
		log_event(watcher->self.name, LOG_BROKER_RESTART_FAILED,
			LOG_FIELDS(LOG_TEXT("reason", err.message)));
	else
		log_event(watcher->self.name, LOG_BROKER_RESTART,
			LOG_FIELDS(LOG_NUMBER("pid", broker_pid(broker))));
	broker_free(broker);
	watcher->broker.starts++;
	watcher->broker.started_wall_ms = clock_wall_ms();
	set_broker_state(watcher, "starting");
}

static void on_broker_tick(void *context)
{
	struct watcher *watcher = context;

	if (watcher->reign)
		look_after_broker(watcher);
	loop_timer_set(watcher->loop, &watcher->broker_tick, BROKER_MS);
}

/* --- the election --------------------------------------------------------------------------------
 */

static const char *const message_words[] = {
	[ELECTION_ASK] = "ASK",
	[ELECTION_ANSWER] = "ANSWER",
	[ELECTION_LEADER] = "LEADER",
};

static void send_message(void *context, uint32_t to, enum election_message message, uint64_t term)
{
	struct watcher *watcher = context;
	char line[PEERS_LINE_MAX];

	snprintf(line, sizeof(line), "%s %" PRIu64, message_words[message], term);
	if (watcher->peers)
		peers_send(watcher->peers, to, line);
}

/* When that leader last said that it leads; not longer ago than its followers would bear. */
static uint64_t last_heard(const struct watcher *watcher, uint32_t leader)
{
	uint64_t borne_ms = watcher->config->watcher.leader_patience_ms + TICK_MS;
	uint64_t now_ms = loop_now(watcher->loop);
	uint64_t heard_ms = watcher->election.heard_ms[leader];

	return heard_ms + borne_ms > now_ms ? heard_ms : now_ms - borne_ms;
}

static void begin_reign(struct watcher *watcher)
{
	uint64_t now_ms = loop_now(watcher->loop);

	assert(election_leads(&watcher->election) && watcher->election.term > watcher->reign);
	watcher->reign = watcher->election.term;
	watcher->reign_ms = now_ms;
	watcher->heard_ms = now_ms;
	watcher->alone = false;
	metric_add(METRIC_ELECTIONS, 1);
	log_event(watcher->self.name, LOG_LEADS, LOG_FIELDS(LOG_NUMBER("term", watcher->reign)));
	prober_stop(watcher->prober);
	for (uint32_t i = 0; i < watcher->count; i++) {
		const struct roster_node *node = &watcher->posts[i].node;

		node_verdict_look_anew(&watcher->posts[i].verdict, now_ms);
		watcher->posts[i].told = NODE_VERDICT_UNKNOWN;
		/* A leader that fell silent has used some of our patience already. */
		if (node->kind == NODE_WATCHER && node->index == watcher->last_leader)
			node_verdict_heard_of(
				&watcher->posts[i].verdict, last_heard(watcher, node->index));
		if (!is_self(watcher, &watcher->posts[i]))
			prober_hurry(watcher->prober, i);
	}
}

static void end_reign(struct watcher *watcher)
{
	if (watcher->reign)
		log_event(watcher->self.name, LOG_LEADS_NO_MORE,
			LOG_FIELDS(LOG_NUMBER("term", watcher->election.term)));
	watcher->reign = 0;
	prober_stop(watcher->prober);
}

/* After anything that may have changed who leads. */
static void heed_election(struct watcher *watcher)
{
	const struct election *election = &watcher->election;

	if (election_leads(election)) {
		if (watcher->reign != election->term) {
			begin_reign(watcher);
			report(watcher);
		}
	} else if (watcher->reign || watcher->leader != election->leader) {
		end_reign(watcher);
		if (election->leader != ELECTION_NOBODY)
			log_event(watcher->self.name, LOG_FOLLOWS,
				LOG_FIELDS(LOG_NUMBER("leader", election->leader),
					LOG_NUMBER("term", election->term)));
		report(watcher);
	}
	watcher->leader = election->leader;
	if (election->leader != ELECTION_NOBODY)
		watcher->last_leader = election->leader;
	assert(watcher->reign == (election_leads(election) ? election->term : 0));
}

static bool take_tally(struct watcher *watcher, const char *line)
{
	char name[ROSTER_NAME_MAX], counted[24], stamp[24];
	uint64_t restarts, when_ms;
	int used = 0;

	if (sscanf(line, "TALLY %31s %23s %23s%n", name, counted, stamp, &used) != 3 ||
		line[used] != ' ' || !digits_parse(counted, 10, UINT64_MAX, &restarts) ||
		!digits_parse(stamp, 10, UINT64_MAX, &when_ms))
		return false;
	for (uint32_t i = 0; i < watcher->count; i++) {
		struct node_verdict *verdict = &watcher->posts[i].verdict;

		if (strcmp(watcher->posts[i].node.name, name) != 0 || restarts <= verdict->restarts)
			continue;
		verdict->restarts = restarts;
		verdict->restart_wall_ms = when_ms;
		snprintf(verdict->reason, sizeof(verdict->reason), "%.*s",
			NODE_VERDICT_REASON_MAX - 1, line + used + 1);
	}
	return true;
}

static bool on_line(void *context, uint32_t from, const char *line)
{
	struct watcher *watcher = context;
	uint64_t term;

	for (size_t i = 0; i < sizeof(message_words) / sizeof(*message_words); i++) {
		size_t size = strlen(message_words[i]);

		if (strncmp(line, message_words[i], size) != 0 || line[size] != ' ')
			continue;
		if (!digits_parse(line + size + 1, 10, ELECTION_TERM_MAX, &term))
			return false;
		election_on_message(&watcher->election, from, (enum election_message)i, term,
			loop_now(watcher->loop));
		heed_election(watcher);
		return true;
	}
	return take_tally(watcher, line);
}

static void on_link(void *context, uint32_t peer, bool up)
{
	struct watcher *watcher = context;

	election_on_link(&watcher->election, peer, up, loop_now(watcher->loop));
	for (uint32_t i = 0; up && i < watcher->count; i++)
		if (watcher->posts[i].verdict.restarts)
			tell_tally(watcher, &watcher->posts[i], peer);
	heed_election(watcher);
}

/* Of those that are not green it can be seen on this machine whether they are there at all. */
static void look_at_places(struct watcher *watcher)
{
	for (uint32_t i = 0; i < watcher->count; i++) {
		struct post *post = &watcher->posts[i];

		if (post->verdict.state == NODE_VERDICT_GREEN || is_self(watcher, post) ||
			driver_lives(watcher->driver, &post->node))
			continue;
		node_verdict_on_nobody(&post->verdict, false, loop_now(watcher->loop));
		note_state(watcher, post);
	}
}

static void on_tick(void *context)
{
	struct watcher *watcher = context;
	uint64_t now_ms = loop_now(watcher->loop);
	struct error err;

	if (presence_keep(&watcher->presence, now_ms, &err)) {
		log_event(watcher->self.name, LOG_PLACE_LOST,
			LOG_FIELDS(LOG_TEXT("reason", err.message)));
		loop_stop(watcher->loop);
		return;
	}
	presence_beat(&watcher->presence, now_ms);
	election_tick(&watcher->election, now_ms);
	heed_election(watcher);
	if (watcher->reign && watcher->local && now_ms - watcher->places_ms >= PLACES_MS) {
		watcher->places_ms = now_ms;
		look_at_places(watcher);
	}
	look_for_others(watcher);
	for (uint32_t i = 0; watcher->reign && i < watcher->count; i++)
		look_after(watcher, i);
	if (now_ms - watcher->report_ms >= REPORT_MS)
		report(watcher);
	loop_timer_set(watcher->loop, &watcher->tick, TICK_MS);
}

/* --- its life ------------------------------------------------------------------------------------
 */

static void init_posts(struct watcher *watcher)
{
	const struct config_watcher *config = &watcher->config->watcher;
	struct roster_node nodes[ROSTER_NODES_MAX];

	watcher->patience = (struct node_verdict_options){
		.patience_ms = config->patience_ms,
		.loop_patience_ms = config->loop_patience_ms,
		.start_patience_ms = config->start_patience_ms,
		.replay_patience_ms = config->replay_patience_ms,
		.pause_ms_max = config->pause_max_ms,
		.restarts_a_minute = (uint32_t)config->restarts,
	};
	watcher->count = roster_list(watcher->config, nodes, ROSTER_NODES_MAX);
	for (uint32_t i = 0; i < watcher->count; i++) {
		watcher->posts[i].node = nodes[i];
		node_verdict_init(
			&watcher->posts[i].verdict, &watcher->patience, loop_now(watcher->loop));
	}
}

static void open_prober(struct watcher *watcher)
{
	struct prober_handler handler = {on_answer, on_nobody, on_silence, watcher};
	struct net_address *targets = memory_zalloc(watcher->count * sizeof(*targets));
	const struct config *config = watcher->config;

	for (uint32_t i = 0; i < watcher->count; i++)
		targets[i] = watcher->posts[i].node.health;
	watcher->prober = prober_new(watcher->loop, targets, watcher->count,
		config->watcher.check_ms, config->watcher.patience_ms, &handler);
	free(targets);
	watcher->driver =
		driver_new(watcher->loop, config, config->cluster.logs, on_restarted, watcher);
}

static int open_election(struct watcher *watcher, struct error *err)
{
	struct election_options options = {
		.id = watcher->index,
		.count = (uint32_t)watcher->config->watcher.replicas,
		.heartbeat_ms = watcher->config->watcher.heartbeat_ms,
		.leader_patience_ms = watcher->config->watcher.leader_patience_ms,
		.send = send_message,
		.context = watcher,
	};
	struct peers_handler handler = {on_line, on_link, watcher};

	election_init(&watcher->election, &options, loop_now(watcher->loop));
	watcher->leader = ELECTION_NOBODY;
	watcher->last_leader = ELECTION_NOBODY;
	return peers_new(&watcher->peers, watcher->loop, watcher->config, watcher->index,
		&watcher->rng, &handler, err);
}

static int open_all(struct watcher *watcher, struct error *err)
{
	uint64_t seed;

	if (random_id(&seed, err))
		return -1;
	rng_init(&watcher->rng, seed);
	if (presence_open(&watcher->presence, watcher->config, NODE_WATCHER, watcher->index, err))
		return -1;
	if (ping_open(&watcher->ping, watcher->loop, watcher->config, NODE_WATCHER, watcher->index,
		    watcher->self.name, err))
		return -1;
	init_posts(watcher);
	open_prober(watcher);
	if (open_election(watcher, err))
		return -1;
	health_set_state(watcher->presence.health, HEALTH_READY);
	loop_timer_set(watcher->loop, &watcher->tick, 0);
	if (watcher->config->broker.folder[0])
		loop_timer_set(watcher->loop, &watcher->broker_tick, BROKER_MS);
	return 0;
}

int watcher_open(struct watcher **out, struct loop *loop, const struct config *config,
	uint32_t index, struct error *err)
{
	struct watcher *watcher = memory_zalloc(sizeof(*watcher));

	*out = watcher;
	watcher->config = config;
	watcher->index = index;
	watcher->loop = loop;
	watcher->presence.lock_fd = -1;
	watcher->local = strcmp(config->watcher.driver, "local") == 0;
	watcher->tick = (struct loop_timer){.fn = on_tick, .context = watcher};
	watcher->broker_tick = (struct loop_timer){.fn = on_broker_tick, .context = watcher};
	watcher->broker = (struct broker_post){.state = "unknown", .since_ms = loop_now(loop)};
	roster_get(config, NODE_WATCHER, index, &watcher->self);
	if (open_all(watcher, err))
		return -1;
	log_event(watcher->self.name, LOG_STARTED,
		LOG_FIELDS(LOG_NUMBER("pid", getpid()), LOG_TEXT("cluster", config->cluster.name)));
	return 0;
}

void watcher_close(struct watcher *watcher)
{
	if (!watcher)
		return;
	loop_timer_cancel(watcher->loop, &watcher->tick);
	loop_timer_cancel(watcher->loop, &watcher->broker_tick);
	peers_free(watcher->peers);
	driver_free(watcher->driver);
	prober_free(watcher->prober);
	ping_close(&watcher->ping);
	presence_close(&watcher->presence);
	free(watcher);
}

static void on_signal(void *context)
{
	loop_stop(context);
}

int watcher_run(const struct config *config, uint32_t index, struct error *err)
{
	struct watcher *watcher = NULL;
	struct loop *loop;
	int status = -1;

	if (loop_new(&loop, err))
		return -1;
	/* Signals before threads. */
	if (loop_on_signal(loop, on_signal, loop, err) == 0 &&
		watcher_open(&watcher, loop, config, index, err) == 0) {
		loop_run(loop);
		log_event(watcher->self.name, LOG_ENDED, NULL);
		status = 0;
	}
	watcher_close(watcher);
	loop_free(loop);
	return status;
}
