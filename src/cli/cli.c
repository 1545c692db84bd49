#include "cli/cli.h"

#include "cli/format/shown_text.h"
#include "cli/print/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HELP_BYTES_MAX (64u << 10)
/* Of a line that is shown with an error. */
#define PLACE_BYTES_MAX 500

/* A message may quote what a user or a file said: it stays one line, and harmless to a terminal. */
bool cli_has_colours(int fd)
{
	const char *unwanted = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return isatty(fd) && !(unwanted && *unwanted) && terminal && *terminal &&
	       strcmp(terminal, "dumb") != 0;
}

int cli_fail(const struct error *err)
{
	fputs(cli_has_colours(STDERR_FILENO) ? "\033[31mtamiz:\033[0m " : "tamiz: ", stderr);
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

int cli_fail_at(const struct error *err, const char *text, uint32_t lines, uint32_t columns)
{
	int status = cli_fail(err);
	size_t size, before = 0, at = 0;
	struct buf shown;
	uint32_t width;

	if (err->line <= lines || !isatty(STDERR_FILENO))
		return status;
	for (uint32_t line = lines + 1; line < err->line; line++) {
		const char *end = strchr(text, '\n');

		if (!end)
			return status;
		text = end + 1;
		columns = 0;
	}
	size = strcspn(text, "\n");
	while (at < size && before + columns + 1 < err->column) {
		before++;
		do
			at++;
		while (at < size && ((unsigned char)text[at] & 0xc0) == 0x80);
	}
	if (size > PLACE_BYTES_MAX)
		return status;
	buf_init(&shown, HELP_BYTES_MAX);
	width = shown_append(&shown, text, at);
	shown_append(&shown, text + at, size - at);
	fprintf(stderr, "  %.*s\n  %*s^\n", (int)shown.size, shown.size ? shown.data : "",
		(int)width, "");
	buf_release(&shown);
	return status;
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
