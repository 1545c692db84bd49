#include "base/memory.h"
#include "cli/request/execute.h"
#include "cli/ui/question_private.h"
#include "client/ask.h"
#include "client/fetch.h"
#include "client/job_key.h"
#include "client/submission.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#define RETRIES		  3u
#define ARENA_BLOCK_BYTES (16u << 10)

/* --- a query -------------------------------------------------------------------------------------
 */

struct remote_run {
	struct asked *asked;
	struct submit_request request;
	struct submission *submission;
	struct remote_rows rows;
};

static bool on_turn(void *context)
{
	const struct remote_run *run = context;
	struct question *question = run->asked->question;
	struct submission_progress progress = submission_progress(run->submission);

	question_progress(question, progress.sending ? QUESTION_READING : QUESTION_WORKING,
		progress.done, progress.total);
	return atomic_load(&question->interrupted);
}

/* As tamiz submit does; what was mapped twice may be counted only in part, and is not judged. */
static int check_rejects(const struct remote_run *run, struct error *err)
{
	const struct reject_limit limit = QUESTION_REJECT_LIMIT;

	for (uint32_t t = 0; t < submission_table_count(run->submission); t++) {
		struct submission_rows table = submission_rows(run->submission, t);

		if (table.counted && !reject_limit_holds(&limit, table.rows, table.rejects))
			return error_set(err, ERROR_DATA,
				"table %.100s: %" PRIu64 " of %" PRIu64 " rows could not be read",
				table.table, table.rejects, table.rows);
	}
	return 0;
}

static int on_result(
	void *context, uint32_t query, const uint8_t *data, size_t size, struct error *err)
{
	struct remote_run *run = context;

	return check_rejects(run, err) ? -1 : remote_rows_take(&run->rows, query, data, size, err);
}

static int on_result_end(void *context, uint32_t query, struct error *err)
{
	return remote_rows_end(&((struct remote_run *)context)->rows, query, err);
}

static void tell_job(struct question *question, uint64_t job)
{
	pthread_mutex_lock(&question->lock);
	question->job = job;
	pthread_mutex_unlock(&question->lock);
}

static void on_begins_again(void *context, const struct error *why)
{
	struct remote_run *run = context;

	remote_rows_begin_again(&run->rows);
	question_note(run->asked->question, why->message);
	tell_job(run->asked->question, submission_job(run->submission));
}

/* Nobody wants its answer any more; when that cannot be said, it expires by itself. */
static void cancel(const struct remote_run *run)
{
	const struct remote *remote = run->asked->options->remote;
	struct wire_message cancel = {.type = WIRE_CANCEL, .cancel = {.id = 1}}, answer;
	struct arena arena;
	struct error ignored;

	cancel.cancel.job = submission_job(run->submission);
	cancel.cancel.secret = *submission_secret(run->submission);
	arena_init(&arena, ARENA_BLOCK_BYTES);
	(void)!ask(remote->server, remote->token, &cancel, WIRE_ACK, REMOTE_ANSWER_MS_MAX, &arena,
		&answer, &ignored);
	arena_release(&arena);
}

static void note_end(const struct remote_run *run)
{
	struct question *question = run->asked->question;
	const char *line;

	for (uint32_t i = 0; (line = submission_note(run->submission, i)); i++)
		question_note(question, line);
	for (uint32_t t = 0; t < submission_table_count(run->submission); t++) {
		struct submission_rows table = submission_rows(run->submission, t);

		question->rows_read += table.rows;
		question->rows_rejected += table.rejects;
	}
}

/* What tells how far the job is lies with the files of this process, and goes with it. */
static int open_job(struct remote_run *run, char path[PATH_MAX], struct error *err)
{
	const struct ui_options *options = run->asked->options;
	const struct submission_request request = {
		.server = options->remote->server,
		.token = options->remote->token,
		.plan = run->request.plan,
		.catalog = &run->request.catalog,
		.data = &options->data,
		.schema = run->request.schema,
		.table_count = run->request.table_count,
		.table_bytes = run->request.table_bytes,
		.query_count = run->request.query_count,
		.queries = run->request.queries,
		.hash = run->request.hash,
		.state_path = path,
		.retries = RETRIES,
		.restart = true,
	};
	const struct submission_handler handler = {.interrupted = on_turn,
		.result = on_result,
		.result_end = on_result_end,
		.begins_again = on_begins_again,
		.context = run};

	snprintf(path, PATH_MAX, "%s/job-%" PRIu64, options->folder, run->asked->question->id);
	if (submission_open(&run->submission, &request, &handler, err))
		return -1;
	tell_job(run->asked->question, submission_job(run->submission));
	return 0;
}

/* One job. `again`: something was guessed wrong, and another is needed. */
static int run_job(struct remote_run *run, bool *again, struct error *err)
{
	enum session_verdict verdict = SESSION_JOB_UNHURT;
	struct question *question = run->asked->question;
	char path[PATH_MAX];
	int status;

	*again = false;
	if (open_job(run, path, err))
		return -1;
	question_begin_rows(run->asked, &run->request.plan->queries[0]);
	remote_rows_init(&run->rows, run->request.plan, &run->asked->sink);
	status = submission_run(run->submission, &verdict, err);
	if (!status)
		status = check_rejects(run, err);
	if (!status)
		note_end(run);
	else if (verdict == SESSION_JOB_UNHURT && !question->truncated)
		cancel(run);
	*again = status && verdict == SESSION_JOB_FAILED && question->row_count == 0 &&
		 submit_is_our_guess(&run->request, err);
	submission_close(run->submission, true);
	remote_rows_release(&run->rows);
	return status;
}

int question_answer_remotely(struct asked *asked, struct error *err)
{
	struct remote_run run = {.asked = asked,
		.request = {.catalog = asked->catalog,
			.parsed = asked->statement.queries,
			.query_count = 1}};
	bool again = true;
	int status = 0;

	while (again) {
		struct error wrong;

		if (submit_compile(&run.request, &asked->arena, err))
			return -1;
		status = run_job(&run, &again, err);
		wrong = *err;
		if (again && submit_widen(&run.request, &asked->options->data, &asked->arena,
				     &wrong, &asked->question->notes, err))
			return -1;
	}
	return status;
}

/* --- a job that somebody has submitted -----------------------------------------------------------
 */

struct fetched_rows {
	struct asked *asked;
	struct plan query; /* the one that is wanted, as the only one */
	struct remote_rows rows;
};

static int on_begin(void *context, const struct plan *plan, struct error *err)
{
	struct fetched_rows *job = context;
	uint32_t wanted = job->asked->question->fetched_query;

	if (wanted >= plan->query_count)
		return error_set(err, ERROR_USAGE, "the job has %u queries", plan->query_count);
	job->query = (struct plan){.query_count = 1, .queries = &plan->queries[wanted]};
	question_begin_rows(job->asked, &plan->queries[wanted]);
	remote_rows_init(&job->rows, &job->query, &job->asked->sink);
	return 0;
}

static int on_job_result(
	void *context, uint32_t query, const uint8_t *data, size_t size, struct error *err)
{
	struct fetched_rows *job = context;

	return query == job->asked->question->fetched_query
		       ? remote_rows_take(&job->rows, 0, data, size, err)
		       : 0;
}

static int on_job_result_end(void *context, uint32_t query, struct error *err)
{
	(void)context;
	(void)query;
	(void)err;
	return 0;
}

static void on_job_progress(void *context, uint64_t done, uint64_t total)
{
	struct fetched_rows *job = context;

	question_progress(job->asked->question, QUESTION_WORKING, done, total);
}

static bool is_interrupted(void *context)
{
	const struct fetched_rows *job = context;

	return atomic_load(&job->asked->question->interrupted);
}

int question_fetch_rows(struct asked *asked, struct error *err)
{
	const struct remote *remote = asked->options->remote;
	struct fetch_options wanted = {.server = remote->server, .token = remote->token};
	struct fetched_rows job = {.asked = asked};
	const struct fetch_handler handler = {.begin = on_begin,
		.result = on_job_result,
		.result_end = on_job_result_end,
		.progress = on_job_progress,
		.interrupted = is_interrupted,
		.context = &job};
	struct fetch *fetch;
	int status;

	if (job_key_parse(asked->question->fetched, &wanted.job, &wanted.secret, err))
		return -1;
	tell_job(asked->question, wanted.job);
	fetch = fetch_new();
	status = fetch_run(fetch, &wanted, &handler, err);
	if (job.query.query_count)
		remote_rows_release(&job.rows);
	fetch_free(fetch);
	return status;
}
