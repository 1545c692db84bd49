/* tamiz submit: a pack or a query over a folder of CSV files, answered by a cluster. */
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/interrupt.h"
#include "cli/print/human.h"
#include "cli/request/catalog.h"
#include "cli/request/execute.h"
#include "cli/request/remote.h"
#include "cli/request/submit.h"
#include "client/job_key.h"
#include "client/submission.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK_BYTES  (64u << 10)
#define CONNECTIONS_MAX	   64u
#define RETRIES_DEFAULT	   3u
#define TELL_AGAIN_SECONDS 10.0
#define RETRIES_MAX	   1000u
#define CHUNK_SIZE_MIN	   CSV_CHUNK_MIN
#define CHUNK_SIZE_MAX	   CSV_CHUNK_MAX

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
	CONTEXT_OPTION_ROWS(struct submit_options, files),
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

/* Everything of one run of the command. */
struct submit {
	const struct submit_options *options;
	struct arena *arena;
	struct submit_request request;
	struct data_places data;
	struct submission *submission; /* NULL: it could not be opened */
	struct progress progress;
	struct results results;
	struct remote_rows rows;
	struct reject_limit reject_limit;
	char told_trouble[ERROR_MESSAGE_MAX]; /* "": none yet */
	double told_seconds;
	double started;
};

/* --- while it runs -------------------------------------------------------------------------------
 */

/* Another trouble is told, too, but not each time that a number in it changes. */
static void tell_trouble(struct submit *s)
{
	const char *trouble = submission_trouble(s->submission);
	double now = clock_monotonic_seconds();

	if (!trouble || s->options->quiet || strcmp(trouble, s->told_trouble) == 0)
		return;
	if (s->told_trouble[0] && now - s->told_seconds < TELL_AGAIN_SECONDS)
		return;
	s->told_seconds = now;
	snprintf(s->told_trouble, sizeof(s->told_trouble), "%s", trouble);
	fprintf(stderr, "%s; still trying, Ctrl-C ends it\n", trouble);
}

static bool on_turn(void *context)
{
	struct submit *s = context;
	struct submission_progress progress = submission_progress(s->submission);

	tell_trouble(s);
	if (progress.sending)
		progress_update(&s->progress, progress.done, progress.total);
	else if (progress.total > 0)
		progress_update_steps(&s->progress, "working", progress.done, progress.total);
	return interrupt_pending();
}

/* All chunks were acknowledged and so counted, unless the job was done when some came again. */
static int check_rejects(const struct submit *s, struct error *err)
{
	for (uint32_t t = 0; t < submission_table_count(s->submission); t++) {
		struct submission_rows table = submission_rows(s->submission, t);

		if (table.counted &&
			!reject_limit_holds(&s->reject_limit, table.rows, table.rejects))
			return error_set(err, ERROR_DATA,
				"table %.100s: %" PRIu64 " of %" PRIu64
				" rows could not be read; tamiz sql says why, and what to try "
				"(--max-rejects 100%% goes on without them)",
				table.table, table.rejects, table.rows);
	}
	return 0;
}

static int on_result(
	void *context, uint32_t query, const uint8_t *data, size_t size, struct error *err)
{
	struct submit *s = context;

	return check_rejects(s, err) ? -1 : remote_rows_take(&s->rows, query, data, size, err);
}

static int on_result_end(void *context, uint32_t query, struct error *err)
{
	struct submit *s = context;

	return check_rejects(s, err) ? -1 : remote_rows_end(&s->rows, query, err);
}

static void on_begins_again(void *context, const struct error *why)
{
	struct submit *s = context;

	remote_rows_begin_again(&s->rows);
	progress_end(&s->progress);
	if (!s->options->quiet)
		fprintf(stderr, "%s; it is submitted again, as job %016" PRIx64 "\n", why->message,
			submission_job(s->submission));
}

/* --- its end -------------------------------------------------------------------------------------
 */

static void print_end(struct submit *s)
{
	uint32_t table_count = submission_table_count(s->submission);
	struct execute_summary summary = {.query_count = s->request.query_count,
		.bytes = submission_bytes_total(s->submission),
		.rows_known = true,
		.seconds = clock_monotonic_seconds() - s->started};
	const char *note;

	for (uint32_t t = 0; t < table_count; t++) {
		struct submission_rows table = submission_rows(s->submission, t);

		summary.rows += table.rows;
		summary.some_rejected = summary.some_rejected || table.rejects > 0;
		summary.rows_known = summary.rows_known && table.counted;
	}
	if (s->request.pack && !s->options->quiet)
		execute_print_summary(&summary);
	for (uint32_t i = 0; (note = submission_note(s->submission, i)); i++)
		execute_print_note(note, i);
	for (uint32_t t = 0; t < table_count; t++) {
		struct submission_rows table = submission_rows(s->submission, t);

		execute_print_rejected(table.table, table.rows, table.rejects);
	}
}

/*
 * The job failed because something was guessed wrong: the table is widened, and another job has to be
 * opened. Not when there is part of an answer: it may be the answer to another query.
 */
static bool widen(struct submit *s, const struct error *wrong)
{
	struct error err;
	struct buf lines;
	int status;

	if (!results_can_restart(&s->results) || !submit_is_our_guess(&s->request, wrong))
		return false;
	progress_end(&s->progress);
	buf_init(&lines, EXECUTE_LINES_MAX);
	status = submit_widen(&s->request, &s->data, s->arena, wrong, &lines, &err);
	execute_print_lines(&lines);
	if (status)
		cli_fail(&err);
	return status == 0;
}

/* What becomes of the job, and what a person can do. Returns the exit status. */
static int finish(struct submit *s, enum session_verdict verdict, int status, struct error *err)
{
	bool over = status == 0 || verdict != SESSION_JOB_UNHURT;
	uint64_t job = submission_job(s->submission);
	char key[JOB_KEY_TEXT_MAX];

	progress_end(&s->progress);
	if (status) {
		status = results_pipe_closed(&s->results) ? EXIT_PIPE_CLOSED : cli_fail(err);
		if (!over && status != EXIT_PIPE_CLOSED)
			fprintf(stderr,
				"the job %016" PRIx64
				" goes on when the same command is run again\n",
				job);
	} else if (s->options->no_wait) {
		fprintf(stderr,
			"the job %016" PRIx64 " is sent; tamiz results %s --server %s gets its "
			"results\n",
			job, job_key_text(job, submission_secret(s->submission), key),
			s->options->remote.server);
	} else {
		print_end(s);
	}
	submission_close(s->submission, over);
	return status;
}

/* One job, from its first chunk to its end. `again`: another one is needed. */
static int run_job(struct submit *s, bool *again)
{
	enum session_verdict verdict = SESSION_JOB_UNHURT;
	struct error err;
	int status;

	remote_rows_init(&s->rows, s->request.plan, &s->results.sink);
	if (submission_is_resumed(s->submission) && !s->options->quiet)
		fprintf(stderr, "going on with the job %016" PRIx64 "\n",
			submission_job(s->submission));
	status = submission_run(s->submission, &verdict, &err);
	if (status == 0)
		status = check_rejects(s, &err);
	if (status == 0 && !s->options->no_wait)
		status = results_finish(&s->results, &err);
	*again = status && verdict == SESSION_JOB_FAILED && widen(s, &err);
	if (*again)
		submission_close(s->submission, true);
	else
		status = finish(s, verdict, status, &err);
	s->submission = NULL;
	remote_rows_release(&s->rows);
	return status;
}

/* --- its beginning -------------------------------------------------------------------------------
 */

/* A job to begin, or one to go on with, for the plan that there is. */
static int open_job(struct submit *s, struct error *err)
{
	const struct submit_options *options = s->options;
	const struct submission_request request = {
		.server = options->remote.server,
		.token = options->remote.token,
		.plan = s->request.plan,
		.catalog = &s->request.catalog,
		.data = &s->data,
		.schema = s->request.schema,
		.table_count = s->request.table_count,
		.table_bytes = s->request.table_bytes,
		.query_count = s->request.query_count,
		.queries = s->request.queries,
		.hash = s->request.hash,
		.state_path = options->state,
		.chunk_bytes = options->chunk_size,
		.connections = (uint32_t)options->connections,
		.retries = options->retries,
		.restart = options->restart,
		.no_wait = options->no_wait,
	};
	const struct submission_handler handler = {.interrupted = on_turn,
		.result = on_result,
		.result_end = on_result_end,
		.begins_again = on_begins_again,
		.context = s};
	uint64_t expiring;

	if (submission_open(&s->submission, &request, &handler, err))
		return -1;
	expiring = submission_expiring_job(s->submission);
	if (expiring && !options->quiet)
		fprintf(stderr, "the old job %016" PRIx64 " will expire by itself\n", expiring);
	return 0;
}

static int prepare(struct submit *s, const char *operand, struct error *err)
{
	if (s->options->data.count == 0)
		return error_set(err, ERROR_USAGE,
			"tamiz submit needs --data PATH, the folder with the CSV files");
	if (submit_prepare(s->options, operand, s->arena, &s->request, err))
		return -1;
	return open_job(s, err);
}

/* The same with wider types. */
static int prepare_again(struct submit *s, struct error *err)
{
	if (submit_compile(&s->request, s->arena, err) ||
		results_set_plan(&s->results, s->request.plan, err))
		return -1;
	return open_job(s, err);
}

/* Jobs, until no type is guessed wrong. Returns the exit status. */
static int submit(struct submit *s)
{
	bool again = true;
	struct error err;
	int status = 0;

	if (execute_init_results(&s->results, s->request.plan, s->options->format,
		    s->options->output, s->request.pack, NULL, &s->progress, &err)) {
		submission_close(s->submission, !submission_is_resumed(s->submission));
		return cli_fail(&err);
	}
	if (!s->options->quiet)
		execute_print_notes(s->request.plan, &s->request.catalog);
	while (again) {
		status = run_job(s, &again);
		if (again && prepare_again(s, &err)) {
			status = cli_fail(&err);
			again = false;
		}
	}
	results_release(&s->results);
	return status;
}

int cmd_submit(int argc, char *const *argv)
{
	struct submit s = {.started = clock_monotonic_seconds()};
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
	s.data = catalog_places(&options.data);
	interrupt_install();
	progress_init(&s.progress, !options.quiet);
	arena_init(&arena, ARENA_BLOCK_BYTES);
	s.arena = &arena;
	if (prepare(&s, operands.count ? operands.items[0] : NULL, &err))
		status = cli_fail(&err);
	else
		status = submit(&s);
	arena_release(&arena);
	return status;
}
