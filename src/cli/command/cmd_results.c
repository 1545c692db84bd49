/* tamiz results: the results of a job that was submitted before. */
#include "base/memory.h"
#include "base/secret.h"
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/interrupt.h"
#include "cli/request/execute.h"
#include "cli/request/remote.h"
#include "client/fetch.h"
#include "client/job_key.h"

#include <stdlib.h>

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
	.operands = "JOB[-SECRET]",
	.summary = "Prints the results of a job that was submitted before.",
	.details = "Waits until they are there. A job's results are kept until it expires or is\n"
		   "cancelled; they can be fetched any number of times. Jobs that this user has\n"
		   "submitted on this machine need no secret; tamiz submit --no-wait prints it.",
	.operands_min = 1,
	.operands_max = 1,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

struct output_state {
	const struct results_options *options;
	struct progress progress;
	struct results results;
	struct remote_rows rows;
	bool started;
};

static int on_begin(void *context, const struct plan *plan, struct error *err)
{
	struct output_state *out = context;
	bool pack = plan->query_count > 1 || plan->queries[0].name[0];

	if (execute_init_results(&out->results, plan, out->options->format, out->options->output,
		    pack, NULL, &out->progress, err))
		return -1;
	remote_rows_init(&out->rows, plan, &out->results.sink);
	out->started = true;
	return 0;
}

static int on_result(
	void *context, uint32_t query, const uint8_t *data, size_t size, struct error *err)
{
	return remote_rows_take(&((struct output_state *)context)->rows, query, data, size, err);
}

static int on_result_end(void *context, uint32_t query, struct error *err)
{
	return remote_rows_end(&((struct output_state *)context)->rows, query, err);
}

static void on_progress(void *context, uint64_t done, uint64_t total)
{
	struct output_state *out = context;

	progress_update_steps(&out->progress, "working", done, total);
}

static bool is_interrupted(void *context)
{
	(void)context;
	return interrupt_pending();
}

static int fetch_results(
	struct fetch *fetch, struct output_state *out, const char *job, struct error *err)
{
	struct results_options options = *out->options;
	struct fetch_options wanted = {.no_wait = options.no_wait};
	struct fetch_handler handler = {.begin = on_begin,
		.result = on_result,
		.result_end = on_result_end,
		.progress = on_progress,
		.interrupted = is_interrupted,
		.context = out};

	if (job_key_parse(secret_take_argument(job), &wanted.job, &wanted.secret, err) ||
		remote_settle(&options.remote, "tamiz results", err))
		return -1;
	wanted.server = options.remote.server;
	wanted.token = options.remote.token;
	if (fetch_run(fetch, &wanted, &handler, err))
		return -1;
	return out->started ? results_finish(&out->results, err) : 0;
}

int cmd_results(int argc, char *const *argv)
{
	struct results_options options = {0};
	struct output_state *out;
	struct fetch *fetch;
	struct operands operands;
	struct error err;
	int status = 0;

	if (!cli_parse(&cmd_results_spec, argc, argv, &options, &operands, &status))
		return status;
	interrupt_install();
	out = memory_zalloc(sizeof(*out));
	out->options = &options;
	fetch = fetch_new();
	progress_init(&out->progress, !options.quiet);
	status = fetch_results(fetch, out, operands.items[0], &err);
	progress_end(&out->progress);
	if (status)
		status = out->started && results_pipe_closed(&out->results) ? EXIT_PIPE_CLOSED
									    : cli_fail(&err);
	if (out->started) {
		remote_rows_release(&out->rows);
		results_release(&out->results);
	}
	fetch_free(fetch);
	free(out);
	return status;
}
