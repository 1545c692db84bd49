/* tamiz cancel: ends a job and has its data forgotten. */
#include "base/secret.h"
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/request/remote.h"
#include "client/ask.h"
#include "client/job_key.h"

#include <inttypes.h>
#include <stdio.h>

struct cancel_options {
	struct remote remote;
	bool quiet;
};

static const struct option_spec options_table[] = {
	REMOTE_OPTIONS(struct cancel_options, remote),
	OPTION_ROW_QUIET(struct cancel_options, quiet, "say nothing on stderr"),
};

const struct command_spec cmd_cancel_spec = {
	.name = "tamiz cancel",
	.operands = "JOB[-SECRET]",
	.summary = "Ends a job and forgets its data and results.",
	.operands_min = 1,
	.operands_max = 1,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

int cmd_cancel(int argc, char *const *argv)
{
	struct wire_message cancel = {.type = WIRE_CANCEL, .cancel = {.id = 1}}, answer;
	struct cancel_options options = {0};
	struct operands operands;
	struct arena arena;
	struct error err;
	int status = 0;

	if (!cli_parse(&cmd_cancel_spec, argc, argv, &options, &operands, &status))
		return status;
	arena_init(&arena, 4096);
	if (job_key_parse(secret_take_argument(operands.items[0]), &cancel.cancel.job,
		    &cancel.cancel.secret, &err) ||
		remote_settle(&options.remote, "tamiz cancel", &err) ||
		ask(options.remote.server, options.remote.token, &cancel, WIRE_ACK,
			REMOTE_ANSWER_MS_MAX, &arena, &answer, &err))
		status = cli_fail(&err);
	else if (!options.quiet)
		fprintf(stderr, "the job %016" PRIx64 " is cancelled\n", cancel.cancel.job);
	arena_release(&arena);
	return status;
}
