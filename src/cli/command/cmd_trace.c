/* tamiz trace: what all nodes have done for a job, as a file for Perfetto. */
#include "base/secret.h"
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/print/output.h"
#include "cli/request/trace.h"

#include <stdio.h>
#include <unistd.h>

#define NOTES_BYTES_MAX (64u << 10)

struct trace_options {
	struct remote remote;
	const char *output;
	bool quiet;
};

static const struct option_spec options_table[] = {
	REMOTE_OPTIONS(struct trace_options, remote),
	OPTION_ROW_OUTPUT(struct trace_options, output, "a file (default: stdout)"),
	OPTION_ROW_QUIET(struct trace_options, quiet, "say nothing on stderr but errors"),
};

const struct command_spec cmd_trace_spec = {
	.name = "tamiz trace",
	.operands = "JOB",
	.summary = "Writes what every node did for a job, for Perfetto or Chrome.",
	.details =
		"The file opens at ui.perfetto.dev or chrome://tracing: a lane for each thread of\n"
		"each node, with its chunks, packets, folds and what they sent. Nodes remember\n"
		"their last 65,536 pieces of work, until they end.",
	.operands_min = 1,
	.operands_max = 1,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

static int write_out(const char *path, const struct buf *text, struct error *err)
{
	struct output output;
	int status;

	if (!path)
		output_init_stream(&output, STDOUT_FILENO);
	else if (output_init_file(&output, path, err))
		return -1;
	status = output_append(&output, text->data, text->size, err);
	if (!status)
		status = output_commit(&output, err);
	output_release(&output);
	return status;
}

int cmd_trace(int argc, char *const *argv)
{
	struct trace_options options = {0};
	struct operands operands;
	struct buf text, notes;
	struct error err;
	int status;

	if (!cli_parse(&cmd_trace_spec, argc, argv, &options, &operands, &status))
		return status;
	buf_init(&text, TRACE_FILE_BYTES_MAX);
	buf_init(&notes, NOTES_BYTES_MAX);
	status = remote_settle(&options.remote, "tamiz trace", &err) ||
		 trace_collect(&options.remote, secret_take_argument(operands.items[0]), &text,
			 &notes, &err) ||
		 write_out(options.output, &text, &err);
	if (status)
		status = cli_fail(&err);
	else if (!options.quiet && notes.size)
		fprintf(stderr, "%.*s", (int)notes.size, notes.data);
	buf_release(&notes);
	buf_release(&text);
	return status;
}
