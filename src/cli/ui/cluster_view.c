#include "cli/ui/cluster_view.h"

#include "base/clock.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/memory.h"
#include "client/ask.h"
#include "cluster/roster.h"
#include "net/http.h"
#include "watch/report.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TURN_MS		  500u
#define ANSWER_MS	  2000u
#define METRICS_MS	  300u
#define SAMPLE_MS	  5000u
#define METRICS_BYTES_MAX (512u << 10)
#define ARENA_BLOCK_BYTES (64u << 10)
#define JOBS_MAX	  2000u
#define WORD_MAX	  40u
#define WHY_MAX		  200u

/* Counters of a node whose rates are told, and what is told as it is. */
enum figure {
	FIGURE_IN,
	FIGURE_OUT,
	FIGURE_GOT,
	FIGURE_FOLDED,
	FIGURE_RESULTS,
	FIGURE_CPU,
	FIGURE_MEMORY,
	FIGURE_WAITING,
	FIGURE_COUNT,
};

static const struct figure_spec {
	const char *key;
	const char *metric;
	double scale;
	bool is_rate;
} figures[FIGURE_COUNT] = {
	[FIGURE_IN] = {"in", "\ntamiz_received_bytes_total{", 1, true},
	[FIGURE_OUT] = {"out", "\ntamiz_broker_published_bytes_total{", 1, true},
	[FIGURE_GOT] = {"got", "\ntamiz_broker_delivered_bytes_total{", 1, true},
	[FIGURE_FOLDED] = {"folded", "\ntamiz_packets_folded_total{", 1, true},
	[FIGURE_RESULTS] = {"results", "\ntamiz_result_bytes_total{", 1, true},
	[FIGURE_CPU] = {"cpu", "\ntamiz_process_cpu_seconds_total{", 1000, true},
	[FIGURE_MEMORY] = {"memory", "\ntamiz_process_resident_memory_bytes{", 1, false},
	[FIGURE_WAITING] = {"waiting", "\ntamiz_work_waiting{", 1, false},
};

struct seen_node {
	char name[ROSTER_NAME_MAX];
	char state[WORD_MAX];
	uint64_t restarts;
	bool is_known; /* the rest, from a turn before */
	uint64_t at_us;
	double counts[FIGURE_COUNT];
	uint64_t told[FIGURE_COUNT];
	bool has_told;
};

struct seen_job {
	char id[WORD_MAX];
	char state[WORD_MAX];
	bool is_there; /* in this turn */
};

struct view_event {
	uint64_t at_ms;
	const char *kind; /* node, restart, leader, job, gateway */
	char of[WORD_MAX];
	char what[WORD_MAX];
	char why[WHY_MAX];
};

struct view_sample {
	uint64_t values[5];
};

struct cluster_view {
	const struct remote *remote;
	pthread_t thread;
	/* The thread's own. */
	struct seen_node nodes[ROSTER_NODES_MAX];
	uint32_t node_count;
	struct seen_job jobs[JOBS_MAX];
	uint32_t job_count;
	bool has_looked; /* what is there in the first turn is no event */
	double leader;
	bool answers;
	struct net_address watchers[CONFIG_WATCHERS_MAX]; /* as a gateway has last told */
	uint32_t watcher_count;
	uint64_t sampled_ms;
	/* Under the lock. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool closing;
	uint64_t number;
	struct buf text;      /* the members of the answer but the last two */
	uint64_t event_count; /* since the start; the last ones are there */
	struct view_event events[CLUSTER_EVENTS_MAX];
	uint64_t sample_count;
	struct view_sample samples[CLUSTER_SAMPLES_MAX];
};

/* --- what has changed ----------------------------------------------------------------------------
 */

static void add_event(struct cluster_view *view, const char *kind, const char *of, const char *what,
	const char *why)
{
	struct view_event *event;

	pthread_mutex_lock(&view->lock);
	event = &view->events[view->event_count++ % CLUSTER_EVENTS_MAX];
	*event = (struct view_event){.at_ms = clock_wall_ms(), .kind = kind};
	snprintf(event->of, sizeof(event->of), "%s", of);
	snprintf(event->what, sizeof(event->what), "%s", what);
	snprintf(event->why, sizeof(event->why), "%s", why);
	pthread_mutex_unlock(&view->lock);
}

static struct seen_node *find_node(struct cluster_view *view, const char *name)
{
	struct seen_node *node;

	for (uint32_t i = 0; i < view->node_count; i++)
		if (strcmp(view->nodes[i].name, name) == 0)
			return &view->nodes[i];
	if (view->node_count == ROSTER_NODES_MAX)
		return NULL;
	node = &view->nodes[view->node_count++];
	*node = (struct seen_node){0};
	snprintf(node->name, sizeof(node->name), "%s", name);
	return node;
}

static void look_at_node(struct cluster_view *view, const struct json_value *told)
{
	struct seen_node *node = find_node(view, json_text(told, "name"));
	const char *state = json_text(told, "state");
	uint64_t restarts = (uint64_t)json_number(told, "restarts");

	if (!node)
		return;
	if (node->is_known && restarts > node->restarts)
		add_event(view, "restart", node->name, "", json_text(told, "reason"));
	if (node->is_known && strcmp(state, node->state) != 0)
		add_event(view, "node", node->name, state, json_text(told, "detail"));
	node->is_known = true;
	node->restarts = restarts;
	snprintf(node->state, sizeof(node->state), "%s", state);
}

static void look_at_watchers(struct cluster_view *view, const struct json_value *watch)
{
	const struct json_value *nodes = json_get(watch, "nodes");
	double leader = json_get(watch, "watcher") ? json_number(watch, "watcher") : -1;
	char name[WORD_MAX];

	for (const struct json_value *node = nodes ? nodes->first : NULL; node; node = node->next)
		look_at_node(view, node);
	if (leader >= 0 && leader != view->leader) {
		snprintf(name, sizeof(name), "watcher-%.0f", leader);
		if (view->has_looked)
			add_event(view, "leader", name, "leads", "");
		view->leader = leader;
	}
}

static void look_at_job(struct cluster_view *view, const struct json_value *told)
{
	const char *id = json_text(told, "id"), *state = json_text(told, "state");
	struct seen_job *job = NULL;

	for (uint32_t i = 0; i < view->job_count && !job; i++)
		if (strcmp(view->jobs[i].id, id) == 0)
			job = &view->jobs[i];
	if (!job && view->job_count == JOBS_MAX)
		return;
	if (!job) {
		job = &view->jobs[view->job_count++];
		*job = (struct seen_job){0};
		snprintf(job->id, sizeof(job->id), "%s", id);
	}
	job->is_there = true;
	if (strcmp(state, job->state) != 0 && view->has_looked)
		add_event(view, "job", id, state, json_text(told, "error"));
	snprintf(job->state, sizeof(job->state), "%s", state);
}

static void look_at_jobs(struct cluster_view *view, const struct json_value *gateway)
{
	const struct json_value *jobs = json_get(gateway, "jobs");
	uint32_t kept = 0;

	if (!gateway)
		return;
	for (uint32_t i = 0; i < view->job_count; i++)
		view->jobs[i].is_there = false;
	for (const struct json_value *job = jobs ? jobs->first : NULL; job; job = job->next)
		look_at_job(view, job);
	for (uint32_t i = 0; i < view->job_count; i++) {
		if (view->jobs[i].is_there)
			view->jobs[kept++] = view->jobs[i];
		else
			add_event(view, "job", view->jobs[i].id, "gone", "");
	}
	view->job_count = kept;
}

/* --- metrics -------------------------------------------------------------------------------------
 */

static double metric_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	at = at ? strchr(at, '}') : NULL;
	return at ? strtod(at + 1, NULL) : 0;
}

static void take_metrics(struct seen_node *node, const char *text)
{
	uint64_t now_us = clock_monotonic_us();
	double seconds = node->at_us ? (double)(now_us - node->at_us) / 1e6 : 0;

	for (uint32_t f = 0; f < FIGURE_COUNT; f++) {
		double count = metric_of(text, figures[f].metric) * figures[f].scale;
		double grown = count - node->counts[f];

		if (!figures[f].is_rate)
			node->told[f] = (uint64_t)count;
		/* A process that began anew has less than before. */
		else
			node->told[f] = seconds > 0 && grown > 0 ? (uint64_t)(grown / seconds) : 0;
		node->counts[f] = count;
	}
	node->at_us = now_us;
	node->has_told = true;
}

static void ask_metrics(struct cluster_view *view, const struct json_value *told)
{
	struct seen_node *node = find_node(view, json_text(told, "name"));
	const char *address_text = json_text(told, "address");
	struct net_address address;
	struct error ignored;
	struct buf text;
	int status;

	if (!node || !net_address_parse(address_text, strlen(address_text), &address))
		return;
	node->has_told = false;
	buf_init(&text, METRICS_BYTES_MAX);
	if (!http_get(&address, "/metrics", METRICS_MS, &text, &status, &ignored) && status == 200)
		take_metrics(node, text.data);
	buf_release(&text);
}

static void put_nodes(const struct cluster_view *view, struct json_writer *json)
{
	json_open(json, "nodes", '[');
	for (uint32_t i = 0; i < view->node_count; i++) {
		const struct seen_node *node = &view->nodes[i];

		if (!node->has_told)
			continue;
		json_open(json, NULL, '{');
		json_put_text(json, "name", node->name);
		for (uint32_t f = 0; f < FIGURE_COUNT; f++)
			json_put_u64(json, figures[f].key, node->told[f]);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void take_sample(struct cluster_view *view)
{
	uint64_t now_ms = clock_monotonic_ms();
	struct view_sample sample = {{clock_wall_ms(), 0, 0, 0, 0}};

	if (view->sampled_ms && now_ms - view->sampled_ms < SAMPLE_MS)
		return;
	view->sampled_ms = now_ms;
	for (uint32_t i = 0; i < view->node_count; i++) {
		const struct seen_node *node = &view->nodes[i];

		if (!node->has_told)
			continue;
		sample.values[1] += node->told[FIGURE_IN];
		sample.values[2] += node->told[FIGURE_OUT];
		sample.values[3] += node->told[FIGURE_CPU];
	}
	for (uint32_t i = 0; i < view->job_count; i++)
		sample.values[4] += strcmp(view->jobs[i].state, "receiving") == 0 ||
				    strcmp(view->jobs[i].state, "working") == 0;
	pthread_mutex_lock(&view->lock);
	view->samples[view->sample_count++ % CLUSTER_SAMPLES_MAX] = sample;
	pthread_mutex_unlock(&view->lock);
}

/* --- a turn --------------------------------------------------------------------------------------
 */

/* Everything that one turn has asked for; in the arena. */
struct look {
	struct arena arena;
	struct wire_bytes status;
	struct json_value *gateway; /* NULL: no gateway answers */
	struct watch_report report;
	struct error trouble;
};

static void ask_gateway(struct cluster_view *view, struct look *look)
{
	struct wire_message question = {.type = WIRE_STATUS}, answer;
	struct error *err = &look->trouble;

	if (ask(view->remote->server, view->remote->token, &question, WIRE_STATUS_TEXT, ANSWER_MS,
		    &look->arena, &answer, err))
		return;
	look->status = answer.status_text.json;
	if (json_read((const char *)look->status.data, look->status.size, &look->arena,
		    &look->gateway, err))
		look->gateway = NULL;
}

static void note_gateway(struct cluster_view *view, const struct look *look)
{
	bool answers = look->gateway != NULL;

	if (view->has_looked && answers != view->answers)
		add_event(view, "gateway", "", answers ? "answers" : "silent",
			answers ? "" : look->trouble.message);
	view->answers = answers;
}

/* Without a gateway the watchers can be asked all the same. */
static void ask_watchers(struct cluster_view *view, struct look *look)
{
	const struct json_value *nodes;

	if (look->gateway)
		view->watcher_count = watch_report_find(look->gateway, view->watchers);
	watch_report_ask(&look->report, view->watchers, view->watcher_count, &look->arena);
	nodes = json_get(look->report.root, "nodes");
	for (const struct json_value *node = nodes ? nodes->first : NULL; node; node = node->next)
		ask_metrics(view, node);
}

static void publish(struct cluster_view *view, const struct look *look)
{
	struct buf text;
	struct json_writer json = {&text, false};

	buf_init(&text, CLUSTER_TEXT_MAX);
	json_put_u64(&json, "now", clock_wall_ms());
	json_put_text(&json, "trouble", look->gateway ? "" : look->trouble.message);
	if (look->gateway)
		json_put_raw(&json, "gateway", (const char *)look->status.data, look->status.size);
	else
		json_put_null(&json, "gateway");
	if (look->report.root)
		json_put_raw(&json, "watch", look->report.text.data, look->report.text.size);
	else
		json_put_null(&json, "watch");
	put_nodes(view, &json);
	pthread_mutex_lock(&view->lock);
	if (!buf_overflowed(&text)) {
		buf_release(&view->text);
		view->text = text;
		view->number++;
		pthread_cond_broadcast(&view->changed);
	} else {
		buf_release(&text);
	}
	pthread_mutex_unlock(&view->lock);
}

static void take_turn(struct cluster_view *view)
{
	struct look look = {0};

	arena_init(&look.arena, ARENA_BLOCK_BYTES);
	ask_gateway(view, &look);
	ask_watchers(view, &look);
	note_gateway(view, &look);
	if (look.report.root)
		look_at_watchers(view, look.report.root);
	look_at_jobs(view, look.gateway);
	take_sample(view);
	publish(view, &look);
	view->has_looked = true;
	watch_report_release(&look.report);
	arena_release(&look.arena);
}

static struct timespec after(uint32_t ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)(ms % 1000) * 1000000;
	until.tv_sec += (long)(ms / 1000) + until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return until;
}

static void *thread_main(void *context)
{
	struct cluster_view *view = context;

	pthread_mutex_lock(&view->lock);
	while (!view->closing) {
		struct timespec until;

		pthread_mutex_unlock(&view->lock);
		take_turn(view);
		pthread_mutex_lock(&view->lock);
		until = after(TURN_MS);
		while (!view->closing &&
			!pthread_cond_timedwait(&view->changed, &view->lock, &until))
			continue;
	}
	pthread_mutex_unlock(&view->lock);
	return NULL;
}

/* --- for those who look --------------------------------------------------------------------------
 */

static void put_events(
	const struct cluster_view *view, struct cluster_cursor *cursor, struct json_writer *json)
{
	uint64_t oldest =
		view->event_count > CLUSTER_EVENTS_MAX ? view->event_count - CLUSTER_EVENTS_MAX : 0;

	json_open(json, "events", '[');
	if (cursor->event < oldest)
		cursor->event = oldest;
	for (; cursor->event < view->event_count; cursor->event++) {
		const struct view_event *event = &view->events[cursor->event % CLUSTER_EVENTS_MAX];

		json_open(json, NULL, '{');
		json_put_u64(json, "at", event->at_ms);
		json_put_text(json, "kind", event->kind);
		json_put_text(json, "of", event->of);
		json_put_text(json, "what", event->what);
		json_put_text(json, "why", event->why);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_samples(
	const struct cluster_view *view, struct cluster_cursor *cursor, struct json_writer *json)
{
	uint64_t oldest = view->sample_count > CLUSTER_SAMPLES_MAX
				  ? view->sample_count - CLUSTER_SAMPLES_MAX
				  : 0;

	json_open(json, "samples", '[');
	if (cursor->sample < oldest)
		cursor->sample = oldest;
	for (; cursor->sample < view->sample_count; cursor->sample++) {
		json_open(json, NULL, '[');
		for (uint32_t i = 0; i < 5; i++)
			json_put_u64(json, NULL,
				view->samples[cursor->sample % CLUSTER_SAMPLES_MAX].values[i]);
		json_close(json, ']');
	}
	json_close(json, ']');
}

bool cluster_view_wait(
	struct cluster_view *view, struct cluster_cursor *cursor, uint32_t ms, struct buf *out)
{
	struct timespec until = after(ms);
	struct json_writer json = {out, true};
	bool is_new;

	pthread_mutex_lock(&view->lock);
	while (view->number == cursor->number && !view->closing)
		if (pthread_cond_timedwait(&view->changed, &view->lock, &until))
			break;
	is_new = view->number != cursor->number;
	if (is_new) {
		cursor->number = view->number;
		buf_append_char(out, '{');
		buf_append(out, view->text.data, view->text.size);
		put_events(view, cursor, &json);
		put_samples(view, cursor, &json);
		buf_append_char(out, '}');
	}
	pthread_mutex_unlock(&view->lock);
	return is_new;
}

int cluster_view_new(struct cluster_view **out, const struct remote *remote, struct error *err)
{
	struct cluster_view *view = memory_zalloc(sizeof(*view));
	pthread_condattr_t attributes;

	view->remote = remote;
	view->leader = -1;
	buf_init(&view->text, CLUSTER_TEXT_MAX);
	pthread_mutex_init(&view->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&view->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	if (pthread_create(&view->thread, NULL, thread_main, view)) {
		free(view);
		return error_set(err, ERROR_IO, "cannot start a thread");
	}
	*out = view;
	return 0;
}

void cluster_view_free(struct cluster_view *view)
{
	if (!view)
		return;
	pthread_mutex_lock(&view->lock);
	view->closing = true;
	pthread_cond_broadcast(&view->changed);
	pthread_mutex_unlock(&view->lock);
	pthread_join(view->thread, NULL);
	buf_release(&view->text);
	pthread_mutex_destroy(&view->lock);
	pthread_cond_destroy(&view->changed);
	free(view);
}
