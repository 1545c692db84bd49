/* tamiz submit: a pack or a query over a folder of CSV files, answered by a cluster. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/interrupt.h"
#include "cli/print/human.h"
#include "cli/request/catalog.h"
#include "cli/request/execute.h"
#include "cli/request/remote.h"
#include "cli/request/submit.h"
#include "client/job_key.h"
#include "client/resume.h"
#include "client/session_loop.h"
#include "client/source.h"
#include "csv/guess.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK_BYTES   (64u << 10)
#define CONNECTIONS_DEFAULT 4u
#define CONNECTIONS_MAX	    64u
/* What may be on its way over each connection. Files may be small: then there are more chunks. */
#define WINDOW_BYTES	(16u << 20)
#define WINDOW		64u
#define PATIENCE_MS	30000u
#define RETRIES_DEFAULT 3u
#define RETRIES_MAX	1000u
#define CHUNK_SIZE_MIN	CSV_CHUNK_MIN
#define CHUNK_SIZE_MAX	CSV_CHUNK_MAX

static const struct option_spec options_table[] = {
	OPTION_ROW_DATA(struct submit_options, data,
		"a folder with CSV files, or a file; may be repeated (required)"),
	REMOTE_OPTIONS(struct submit_options, remote),
	{.name = "sql",
		.letter = 'c',
		.argument = "SQL",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct submit_options, sql),
		.help = "one query instead of a pack"},
	OPTION_ROW_SCHEMA(struct submit_options, schema,
		"for --sql: tables from CREATE TABLE statements, or those\n"
		"of a pack; default: from the files' headers and values"),
	OPTION_ROW_QUERY(
		struct submit_options, queries, "only this query of the pack; may be repeated"),
	DIALECT_OPTION_ROWS(struct submit_options, files),
	OPTION_ROW_FORMAT(struct submit_options, format),
	OPTION_ROW_OUTPUT(struct submit_options, output, SEVERAL_FILES_HELP),
	{.name = "chunk-size",
		.argument = "SIZE",
		.kind = OPTION_SIZE,
		.offset = offsetof(struct submit_options, chunk_size),
		.min = CHUNK_SIZE_MIN,
		.max = CHUNK_SIZE_MAX,
		.help = "bytes that are sent and acknowledged at a time (default: 8M)"},
	{.name = "connections",
		.argument = "N",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct submit_options, connections),
		.min = 1,
		.max = CONNECTIONS_MAX,
		.help = "to send over at most; more than one only when one is not\n"
			"enough (default: 4)"},
	{.name = "state",
		.argument = "FILE",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct submit_options, state),
		.help = "where to keep how far the job is (default: a file in\n"
			"$XDG_STATE_HOME/tamiz or ~/.local/state/tamiz)"},
	{.name = "retries",
		.argument = "N",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct submit_options, retries),
		.max = RETRIES_MAX,
		.help = "how often a job that the cluster has lost, with a disk or\n"
			"with its broker's data, is submitted again (default: 3)"},
	{.name = "restart",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct submit_options, restart),
		.help = "begin a new job instead of going on with an unfinished one"},
	OPTION_ROW_MAX_REJECTS(struct submit_options, max_rejects),
	OPTION_ROW_NO_WAIT(struct submit_options, no_wait,
		"end when everything is sent; tamiz results gets the answer"),
	OPTION_ROW_QUIET(struct submit_options, quiet, QUIET_HELP),
};

const struct command_spec cmd_submit_spec = {
	.name = "tamiz submit",
	.operands = "[PACK|FILE]",
	.summary = "Sends CSV files to a cluster and prints the same results as run or sql.",
	.details =
		"PACK is a name that `tamiz packs` lists, or a folder with schema.sql and\n"
		"queries/*.sql; FILE holds one query (- is the standard input).\n"
		"Killed or interrupted at any moment, the same command goes on with the same job:\n"
		"what the cluster has acknowledged is not sent again.",
	.operands_min = 0,
	.operands_max = 1,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

/* Everything of one run. */
struct submission {
	const struct submit_options *options;
	struct arena *arena;
	struct submit_request request;
	struct state state;
	bool resumed;
	struct chunk_source *source;
	struct net *net;
	struct rng rng;
	struct progress progress;
	struct results results;
	struct remote_rows rows;
	struct reject_limit reject_limit;
	uint64_t retries; /* that are left */
	bool told_trouble;
	double started;
};

/* --- the run -------------------------------------------------------------------------------------
 */

static void show_progress(struct submission *s, const struct session *session)
{
	struct session_progress progress = session_progress(session);
	uint64_t total = source_bytes_total(s->source);

	if (session_phase(session) != SESSION_FETCHING)
		progress_update(&s->progress, source_bytes_acked(s->source), total);
	else if (progress.streams > 0)
		progress_update_steps(
			&s->progress, "working", progress.streams_closed, progress.streams);
}

static void tell_trouble(struct submission *s, const struct session_loop *drive)
{
	const char *trouble = session_loop_trouble(drive);

	if (!trouble || s->told_trouble || s->options->quiet)
		return;
	s->told_trouble = true;
	fprintf(stderr, "%s; still trying, Ctrl-C ends it\n", trouble);
}

static int drive_session(struct submission *s, struct session *session, struct error *err)
{
	bool all_is_saved = false;
	struct session_loop drive;

	session_loop_init(&drive, s->net, session);
	while (session_phase(session) != SESSION_DONE && session_phase(session) != SESSION_FAILED) {
		uint64_t now_ms;

		if (interrupt_pending())
			return error_set(err, ERROR_INTERRUPTED, "interrupted");
		if (session_loop_turn(&drive, err))
			return -1;
		tell_trouble(s, &drive);
		show_progress(s, session);
		now_ms = clock_monotonic_ms();
		/* While it fetches nothing changes any more. */
		if (now_ms - s->state.saved_ms >= STATE_SAVE_MS && !all_is_saved) {
			all_is_saved = session_phase(session) == SESSION_FETCHING;
			if (state_save(&s->state, false, err))
				return -1;
			s->state.saved_ms = now_ms;
		}
	}
	if (session_phase(session) == SESSION_DONE)
		return 0;
	*err = *session_error(session);
	return -1;
}

static enum session_read on_read(void *context, const char *table, uint32_t number,
	struct session_chunk *chunk, struct error *err)
{
	return source_read(((struct submission *)context)->source, table, number, chunk, err);
}

static void on_acked(void *context, const char *table, uint32_t number)
{
	source_acked(((struct submission *)context)->source, table, number);
}

/* All chunks were acknowledged and so counted, unless filters map them. */
static int check_rejects(const struct submission *s, struct error *err)
{
	for (uint32_t t = 0; t < s->state.session.table_count; t++) {
		const struct session_table *table = &s->state.session.tables[t];
		uint64_t oversized = source_oversized(s->source, table->name);
		uint64_t rows = table->rows + oversized, rejects = table->rejects + oversized;

		if (table->uncounted == 0 && !reject_limit_holds(&s->reject_limit, rows, rejects))
			return error_set(err, ERROR_DATA,
				"table %.100s: %" PRIu64 " of %" PRIu64
				" rows could not be read; tamiz sql says why, and what to try "
				"(--max-rejects 100%% goes on without them)",
				table->name, rejects, rows);
	}
	return 0;
}

static int on_result(
	void *context, uint32_t query, const uint8_t *data, size_t size, struct error *err)
{
	struct submission *s = context;

	return check_rejects(s, err) ? -1 : remote_rows_take(&s->rows, query, data, size, err);
}

static int on_result_end(void *context, uint32_t query, struct error *err)
{
	struct submission *s = context;

	return check_rejects(s, err) ? -1 : remote_rows_end(&s->rows, query, err);
}

static struct session *make_session(struct submission *s)
{
	struct session_options options = {
		.job = s->state.job,
		.secret = s->state.secret,
		.token = s->options->remote.token,
		.schema = s->request.schema,
		.table_count = s->request.table_count,
		.table_bytes = s->request.table_bytes,
		.query_count = s->request.query_count,
		.queries = s->request.queries,
		.connections = s->options->connections ? (uint32_t)s->options->connections
						       : CONNECTIONS_DEFAULT,
		.window = WINDOW,
		.window_bytes = WINDOW_BYTES,
		.no_wait = s->options->no_wait,
		.patience_ms = PATIENCE_MS,
	};
	struct session_source source = {.read = on_read,
		.acked = on_acked,
		.result = on_result,
		.result_end = on_result_end,
		.context = s};

	return session_new(&options, &s->state.session, &source, net_port(s->net), &s->rng);
}

static void print_end(struct submission *s)
{
	struct execute_summary summary = {.query_count = s->request.query_count,
		.bytes = source_bytes_total(s->source),
		.rows_known = true,
		.seconds = clock_monotonic_seconds() - s->started};

	for (uint32_t t = 0; t < s->state.session.table_count; t++) {
		const struct session_table *table = &s->state.session.tables[t];
		uint64_t oversized = source_oversized(s->source, table->name);

		summary.rows += table->rows + oversized;
		summary.some_rejected = summary.some_rejected || table->rejects + oversized > 0;
		summary.rows_known = summary.rows_known && table->uncounted == 0;
	}
	if (s->request.pack && !s->options->quiet)
		execute_print_summary(&summary);
	for (uint32_t i = 0; source_note(s->source, i); i++)
		execute_print_note(source_note(s->source, i), i);
	for (uint32_t t = 0; t < s->state.session.table_count; t++) {
		const struct session_table *table = &s->state.session.tables[t];
		uint64_t oversized = source_oversized(s->source, table->name);

		execute_print_rejected(
			table->name, table->rows + oversized, table->rejects + oversized);
	}
}

/*
 * The job failed because a type was guessed wrong: the column is widened, and another job has to be
 * opened. Not when there is part of an answer: it may be the answer to another query.
 */
static bool widen(struct submission *s, const struct error *err)
{
	struct table_schema *table;
	struct guess_error wrong;

	if (!guess_error_parse(err, s->arena, &wrong) || !results_can_restart(&s->results) ||
		wrong.table >= s->request.plan->table_count)
		return false;
	table = &s->request.catalog.tables[s->request.plan->tables[wrong.table].source];
	if (wrong.column >= table->column_count || !table->columns[wrong.column].guessed)
		return false;
	progress_end(&s->progress);
	execute_widen(table, wrong.column, wrong.kinds, wrong.place, wrong.sample);
	return true;
}

/* What becomes of the job, and what a person can do. Returns the exit status. */
static int finish(struct submission *s, enum session_verdict verdict, int status, struct error *err)
{
	bool over = status == 0 || verdict != SESSION_JOB_UNHURT;
	char key[JOB_KEY_TEXT_MAX];
	struct error ignored;

	progress_end(&s->progress);
	if (!over)
		(void)!state_save(&s->state, true, &ignored);
	if (status) {
		status = results_pipe_closed(&s->results) ? EXIT_PIPE_CLOSED : cli_fail(err);
		if (!over && status != EXIT_PIPE_CLOSED)
			fprintf(stderr,
				"the job %016" PRIx64
				" goes on when the same command is run again\n",
				s->state.job);
	} else if (s->options->no_wait) {
		fprintf(stderr,
			"the job %016" PRIx64 " is sent; tamiz results %s --server %s gets its "
			"results\n",
			s->state.job, job_key_text(s->state.job, &s->state.secret, key),
			s->options->remote.server);
	} else {
		print_end(s);
	}
	state_close(&s->state, over);
	return status;
}

static void release_job(struct submission *s)
{
	net_free(s->net); /* before the source, whose chunks it may be sending */
	source_free(s->source);
	s->net = NULL;
	s->source = NULL;
}

/* Files and connections anew: the old ones may still be busy with the job that was lost. */
static int open_files(struct submission *s, struct error *err)
{
	const struct data_places data = catalog_places(&s->options->data);

	release_job(s);
	return net_new(&s->net, s->options->remote.server, err) ||
			       source_new(
				       &s->source, s->request.plan, &s->request.catalog, &data, err)
		       ? -1
		       : 0;
}

/* `why` the job was lost. */
static int begin_again(struct submission *s, const struct error *why, struct error *err)
{
	if (open_files(s, err) || resume_begin_again(&s->state, s->source, err))
		return -1;
	source_set_chunk_bytes(s->source, (size_t)s->state.chunk_bytes);
	remote_rows_begin_again(&s->rows);
	s->retries--;
	progress_end(&s->progress);
	if (!s->options->quiet)
		fprintf(stderr, "%s; it is submitted again, as job %016" PRIx64 "\n", why->message,
			s->state.job);
	return 0;
}

/* One job, and others in its place when it is lost through no fault of its own. */
static int drive_jobs(struct submission *s, enum session_verdict *verdict, struct error *err)
{
	for (;;) {
		struct session *session = make_session(s);
		int status = drive_session(s, session, err);
		struct error why = *err;

		*verdict = session_verdict(session);
		session_free(session);
		if (status == 0 || *verdict != SESSION_JOB_LOST || s->retries == 0)
			return status;
		if (begin_again(s, &why, err))
			return -1;
	}
}

/* One job, from its first chunk to its end. `again`: another one is needed. */
static int run_job(struct submission *s, bool *again)
{
	enum session_verdict verdict = SESSION_JOB_UNHURT;
	struct error err;
	int status;

	remote_rows_init(&s->rows, s->request.plan, &s->results.sink);
	if (s->resumed && !s->options->quiet)
		fprintf(stderr, "going on with the job %016" PRIx64 "\n", s->state.job);
	status = drive_jobs(s, &verdict, &err);
	if (status == 0)
		status = check_rejects(s, &err);
	if (status == 0 && !s->options->no_wait)
		status = results_finish(&s->results, &err);
	*again = status && verdict == SESSION_JOB_FAILED && widen(s, &err);
	if (*again)
		state_close(&s->state, true);
	else
		status = finish(s, verdict, status, &err);
	remote_rows_release(&s->rows);
	return status;
}

/* A job to begin, or one to go on with. */
static int open_job(struct submission *s, struct error *err)
{
	const struct submit_options *options = s->options;
	const struct data_places data = catalog_places(&options->data);
	struct resume_request request = {
		.state_path = options->state,
		.data = &data,
		.server = options->remote.server,
		.token = options->remote.token,
		.request = s->request.hash,
		.chunk_bytes = options->chunk_size,
		.restart = options->restart,
	};
	uint64_t expiring = 0;
	int status = resume_open(&s->state, &request, s->source, &s->resumed, &expiring, err);

	if (expiring && !options->quiet)
		fprintf(stderr, "the old job %016" PRIx64 " will expire by itself\n", expiring);
	return status;
}

/* What a job needs, for the plan that there is. */
static int prepare_job(struct submission *s, struct error *err)
{
	const struct data_places data = catalog_places(&s->options->data);

	if (net_new(&s->net, s->options->remote.server, err) || random_id(&s->rng.state, err) ||
		source_new(&s->source, s->request.plan, &s->request.catalog, &data, err) ||
		open_job(s, err))
		return -1;
	source_set_chunk_bytes(s->source, (size_t)s->state.chunk_bytes);
	return 0;
}

static int prepare(struct submission *s, const struct submit_options *options, const char *operand,
	struct error *err)
{
	if (options->data.count == 0)
		return error_set(err, ERROR_USAGE,
			"tamiz submit needs --data PATH, the folder with the CSV files");
	if (submit_prepare(options, operand, s->arena, &s->request, err))
		return -1;
	return prepare_job(s, err);
}

/* The same with wider types. */
static int prepare_again(struct submission *s, struct error *err)
{
	release_job(s);
	s->state = (struct state){.lock_fd = -1};
	if (submit_compile(&s->request, s->arena, err))
		return -1;
	results_set_plan(&s->results, s->request.plan);
	return prepare_job(s, err);
}

/* Jobs, until no type is guessed wrong. Returns the exit status. */
static int submit(struct submission *s)
{
	bool again = true;
	struct error err;
	int status = 0;

	if (execute_init_results(&s->results, s->request.plan, s->options->format,
		    s->options->output, s->request.pack, &s->progress, &err)) {
		state_close(&s->state, !s->resumed);
		return cli_fail(&err);
	}
	if (!s->options->quiet)
		execute_print_notes(s->request.plan, &s->request.catalog);
	while (again) {
		status = run_job(s, &again);
		if (again && prepare_again(s, &err)) {
			status = cli_fail(&err);
			state_close(&s->state, false);
			again = false;
		}
	}
	results_release(&s->results);
	return status;
}

int cmd_submit(int argc, char *const *argv)
{
	struct submission s = {.started = clock_monotonic_seconds(), .state = {.lock_fd = -1}};
	struct submit_options options = {.retries = RETRIES_DEFAULT};
	struct operands operands;
	struct arena arena;
	struct error err;
	int status;

	if (!cli_parse(&cmd_submit_spec, argc, argv, &options, &operands, &status))
		return status;
	if (remote_settle(&options.remote, "tamiz submit", &err) ||
		execute_reject_limit(options.max_rejects, &s.reject_limit, &err))
		return cli_fail(&err);
	s.options = &options;
	s.retries = options.retries;
	interrupt_install();
	progress_init(&s.progress, !options.quiet);
	arena_init(&arena, ARENA_BLOCK_BYTES);
	s.arena = &arena;
	if (prepare(&s, &options, operands.count ? operands.items[0] : NULL, &err)) {
		status = cli_fail(&err);
		state_close(&s.state, false);
	} else {
		status = submit(&s);
	}
	release_job(&s);
	arena_release(&arena);
	return status;
}
