#include "client/fetch.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/memory.h"
#include "client/session_loop.h"

#include <stdlib.h>

#define UNKNOWN_MS	  3000u
#define PATIENCE_MS	  30000u
#define ARENA_BLOCK_BYTES (16u << 10)

struct fetch {
	const struct fetch_handler *handler;
	struct arena arena;
	struct plan plan; /* its queries alone */
	struct plan_query queries[PLAN_QUERIES_MAX];
	bool begun;
};

struct fetch *fetch_new(void)
{
	struct fetch *fetch = memory_zalloc(sizeof(*fetch));

	fetch->plan.queries = fetch->queries;
	arena_init(&fetch->arena, ARENA_BLOCK_BYTES);
	return fetch;
}

void fetch_free(struct fetch *fetch)
{
	arena_release(&fetch->arena);
	free(fetch);
}

static int take_column(
	const struct wire_column *column, struct type *type, struct type *meant, struct error *err)
{
	if (!type_kind_is_legal(column->kind) || !type_kind_is_legal(column->meant))
		return error_set(err, ERROR_DATA,
			"the gateway names a type that is not known here: upgrade the client");
	*type = (struct type){(enum type_kind)column->kind, (int8_t)(column->precision - 1),
		(int8_t)(column->scale - 1)};
	*meant = type_of((enum type_kind)column->meant);
	return 0;
}

static int on_query(void *context, const struct wire_message *message, struct error *err)
{
	struct fetch *fetch = context;
	struct plan_query *query = &fetch->queries[fetch->plan.query_count];

	/* Again on another connection. */
	if (message->query.query != fetch->plan.query_count)
		return 0;
	if (fetch->plan.query_count == PLAN_QUERIES_MAX)
		return error_set(err, ERROR_LIMIT, "a job with too many queries");
	query->name = arena_strdup(&fetch->arena, message->query.name);
	query->title = arena_strdup(&fetch->arena, message->query.title);
	query->column_count = message->query.column_count;
	query->names =
		arena_alloc(&fetch->arena, (query->column_count + 1) * sizeof(*query->names));
	query->types =
		arena_alloc(&fetch->arena, (query->column_count + 1) * sizeof(*query->types));
	query->meant =
		arena_alloc(&fetch->arena, (query->column_count + 1) * sizeof(*query->meant));
	for (uint32_t c = 0; c < query->column_count; c++) {
		query->names[c] = arena_strdup(&fetch->arena, message->query.columns[c].name);
		if (take_column(
			    &message->query.columns[c], &query->types[c], &query->meant[c], err))
			return -1;
	}
	fetch->plan.query_count++;
	return 0;
}

static int begin(struct fetch *fetch, struct error *err)
{
	if (fetch->begun)
		return 0;
	if (fetch->handler->begin(fetch->handler->context, &fetch->plan, err))
		return -1;
	fetch->begun = true;
	return 0;
}

static int on_result(
	void *context, uint32_t query, const uint8_t *data, size_t size, struct error *err)
{
	struct fetch *fetch = context;

	return begin(fetch, err)
		       ? -1
		       : fetch->handler->result(fetch->handler->context, query, data, size, err);
}

static int on_result_end(void *context, uint32_t query, struct error *err)
{
	struct fetch *fetch = context;

	return begin(fetch, err) ? -1
				 : fetch->handler->result_end(fetch->handler->context, query, err);
}

static int run_session(
	struct fetch *fetch, struct session *session, struct net *net, struct error *err)
{
	const struct fetch_handler *handler = fetch->handler;
	struct session_loop drive;

	session_loop_init(&drive, net, session);
	while (session_phase(session) != SESSION_DONE && session_phase(session) != SESSION_FAILED) {
		struct session_progress progress = session_progress(session);

		if (handler->interrupted(handler->context))
			return error_set(err, ERROR_INTERRUPTED, "interrupted");
		if (session_loop_turn(&drive, err))
			return -1;
		if (progress.streams > 0 && !fetch->begun)
			handler->progress(
				handler->context, progress.streams_closed, progress.streams);
	}
	if (session_phase(session) == SESSION_FAILED) {
		*err = *session_error(session);
		return session_verdict(session) == SESSION_JOB_LOST
			       ? error_set(err, ERROR_USAGE, "%s: tamiz jobs lists the jobs",
					 session_error(session)->message)
			       : -1;
	}
	if (session_is_pending(session))
		return error_set(err, ERROR_USAGE, "the job is not done yet");
	return 0;
}

int fetch_run(struct fetch *fetch, const struct fetch_options *given,
	const struct fetch_handler *handler, struct error *err)
{
	struct session_options options = {.job = given->job,
		.secret = given->secret,
		.token = given->token,
		.no_wait = given->no_wait,
		.unknown_ms = UNKNOWN_MS,
		.patience_ms = PATIENCE_MS};
	struct session_source source = {.query = on_query,
		.result = on_result,
		.result_end = on_result_end,
		.context = fetch};
	struct session_state state = {0};
	struct session *session;
	struct net *net;
	struct rng rng;
	int status;

	fetch->handler = handler;
	if (net_new(&net, given->server, err))
		return -1;
	rng_init(&rng, clock_monotonic_ms());
	session = session_new(&options, &state, &source, net_port(net), &rng);
	status = run_session(fetch, session, net, err);
	session_free(session);
	session_state_release(&state);
	net_free(net);
	return status;
}
