/* tamiz results: the results of a job that was submitted before. */
#include "base/clock.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/execute.h"
#include "cli/interrupt.h"
#include "cli/remote.h"
#include "client/session_loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define UNKNOWN_MS  3000u
#define PATIENCE_MS 30000u

struct results_options {
	struct remote remote;
	const char *format;
	const char *output;
	bool no_wait;
	bool quiet;
};

static const struct option_spec options_table[] = {
	REMOTE_OPTIONS(struct results_options, remote),
	OPTION_ROW_FORMAT(struct results_options, format),
	OPTION_ROW_OUTPUT(struct results_options, output, SEVERAL_FILES_HELP),
	OPTION_ROW_NO_WAIT(struct results_options, no_wait, "fail when the job is not done yet"),
	OPTION_ROW_QUIET(struct results_options, quiet, "no progress on stderr"),
};

const struct command_spec cmd_results_spec = {
	.name = "tamiz results",
	.operands = "JOB",
	.summary = "Prints the results of a job that was submitted before.",
	.details = "Waits until they are there. A job's results are kept until it expires or is\n"
		   "cancelled; they can be fetched any number of times.",
	.operands_min = 1,
	.operands_max = 1,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

/* The queries are known once a gateway has named them; then the output can begin. */
struct fetch {
	const struct results_options *options;
	struct arena arena;
	struct plan plan; /* its queries alone */
	struct plan_query queries[PLAN_QUERIES_MAX];
	struct progress progress;
	struct results results;
	struct remote_rows rows;
	bool started;
};

static int take_column(const struct wire_column *column, struct type *type, struct error *err)
{
	if (column->kind >= TYPE_KIND_COUNT)
		return error_set(err, ERROR_DATA,
			"the gateway names a type that is not known here: upgrade the client");
	*type = (struct type){(enum type_kind)column->kind, (int8_t)(column->precision - 1),
		(int8_t)(column->scale - 1)};
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
	for (uint32_t c = 0; c < query->column_count; c++) {
		query->names[c] = arena_strdup(&fetch->arena, message->query.columns[c].name);
		if (take_column(&message->query.columns[c], &query->types[c], err))
			return -1;
	}
	fetch->plan.query_count++;
	return 0;
}

static int start_output(struct fetch *fetch, struct error *err)
{
	bool pack = fetch->plan.query_count > 1 || fetch->queries[0].name[0];

	if (fetch->started)
		return 0;
	if (execute_init_results(&fetch->results, &fetch->plan, fetch->options->format,
		    fetch->options->output, pack, &fetch->progress, err))
		return -1;
	remote_rows_init(&fetch->rows, &fetch->plan, &fetch->results.sink);
	fetch->started = true;
	return 0;
}

static int on_result(
	void *context, uint32_t query, const uint8_t *data, size_t size, struct error *err)
{
	struct fetch *fetch = context;

	return start_output(fetch, err) ? -1
					: remote_rows_take(&fetch->rows, query, data, size, err);
}

static int on_result_end(void *context, uint32_t query, struct error *err)
{
	struct fetch *fetch = context;

	return start_output(fetch, err) ? -1 : remote_rows_end(&fetch->rows, query, err);
}

static int run_session(
	struct fetch *fetch, struct session *session, struct net *net, struct error *err)
{
	struct session_loop drive;

	session_loop_init(&drive, net, session);
	while (session_phase(session) != SESSION_DONE && session_phase(session) != SESSION_FAILED) {
		struct session_progress progress = session_progress(session);

		if (interrupt_pending())
			return error_set(err, ERROR_INTERRUPTED, "interrupted");
		if (session_loop_turn(&drive, err))
			return -1;
		if (progress.streams > 0 && !fetch->started)
			progress_update_steps(&fetch->progress, "working", progress.streams_closed,
				progress.streams);
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
	return fetch->started ? results_finish(&fetch->results, err) : 0;
}

static int fetch_job(struct fetch *fetch, uint64_t job, struct error *err)
{
	struct session_options options = {.job = job,
		.token = fetch->options->remote.token,
		.no_wait = fetch->options->no_wait,
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

	if (net_new(&net, fetch->options->remote.server, err))
		return -1;
	rng_init(&rng, clock_monotonic_ms());
	session = session_new(&options, &state, &source, net_port(net), &rng);
	status = run_session(fetch, session, net, err);
	session_free(session);
	session_state_release(&state);
	net_free(net);
	return status;
}

int cmd_results(int argc, char *const *argv)
{
	struct results_options options = {0};
	struct fetch *fetch;
	struct operands operands;
	struct error err;
	uint64_t job;
	int status = 0;

	if (!cli_parse(&cmd_results_spec, argc, argv, &options, &operands, &status))
		return status;
	interrupt_install();
	fetch = memory_zalloc(sizeof(*fetch));
	fetch->options = &options;
	fetch->plan.queries = fetch->queries;
	arena_init(&fetch->arena, 16u << 10);
	progress_init(&fetch->progress, !options.quiet);
	if (remote_parse_job(operands.items[0], &job, &err) ||
		remote_settle(&options.remote, "tamiz results", &err) ||
		fetch_job(fetch, job, &err))
		status = -1;
	progress_end(&fetch->progress);
	if (status)
		status = fetch->started && results_pipe_closed(&fetch->results) ? EXIT_PIPE_CLOSED
										: cli_fail(&err);
	if (fetch->started) {
		remote_rows_release(&fetch->rows);
		results_release(&fetch->results);
	}
	arena_release(&fetch->arena);
	free(fetch);
	return status;
}
