#include "cli/cli.h"

#include "cli/print/output.h"
#include <stdio.h>
#include <unistd.h>

#define HELP_BYTES_MAX (64u << 10)

/* A message may quote what a user or a file said: it stays one line, and harmless to a terminal. */
int cli_fail(const struct error *err)
{
	fputs("tamiz: ", stderr);
	for (const char *c = err->message; *c; c++) {
		if (*c == '\n')
			fputs("\\n", stderr);
		else if ((unsigned char)*c < 0x20 || *c == 0x7f)
			fprintf(stderr, "\\x%02x", (unsigned char)*c);
		else
			fputc(*c, stderr);
	}
	fputc('\n', stderr);
	return error_exit_status(err->code);
}

int cli_help(const struct command_spec *spec)
{
	struct buf text;

	buf_init(&text, HELP_BYTES_MAX);
	options_help(spec, &text);
	return cli_print(&text);
}

bool cli_parse(const struct command_spec *spec, int argc, char *const *argv, void *values,
	struct operands *operands, int *status)
{
	struct error err;

	*status = 0;
	switch (options_parse(spec, argc, argv, values, operands, &err)) {
	case OPTIONS_PARSED: return true;
	case OPTIONS_HELP: *status = cli_help(spec); break;
	case OPTIONS_ERROR: *status = cli_fail(&err); break;
	}
	return false;
}

int cli_print(struct buf *text)
{
	struct output output;
	struct error err;
	int status = 0;

	output_init_stream(&output, STDOUT_FILENO);
	buf_append(&output.buf, text->data, text->size);
	buf_release(text);
	if (output_commit(&output, &err))
		status = output.pipe_closed ? EXIT_PIPE_CLOSED : cli_fail(&err);
	output_release(&output);
	return status;
}
