/* tamiz man: manual pages, made of the tables of commands and options. */
#include "cli/cli.h"
#include "cli/commands.h"

#include <ctype.h>
#include <string.h>

#define PAGE_BYTES_MAX (256u << 10)

const struct command_spec cmd_man_spec = {
	.name = "tamiz man",
	.operands = "[COMMAND]",
	.summary = "Prints the manual page of tamiz, or of a command.",
	.details = "tamiz man run | man -l -",
	.operands_max = 1,
};

/* A text with what roff would take for commands escaped; line ends become blanks, or stay. */
static void put(struct buf *out, const char *text, bool keeps_lines)
{
	bool starts = true;

	for (; *text; text++) {
		if (starts && (*text == '.' || *text == '\''))
			buf_append_text(out, "\\&");
		starts = *text == '\n';
		if (*text == '\\')
			buf_append_text(out, "\\e");
		else if (*text == '-')
			buf_append_text(out, "\\-");
		else if (*text == '\n' && !keeps_lines)
			buf_append_char(out, ' ');
		else
			buf_append_char(out, *text);
	}
}

static void put_title(struct buf *out, const char *name)
{
	buf_append_text(out, ".TH ");
	for (; *name; name++)
		buf_append_char(out, *name == ' ' ? '-' : (char)toupper((unsigned char)*name));
	buf_append_text(out, " 1 \"\" \"tamiz " TAMIZ_VERSION "\" \"tamiz manual\"\n");
}

static void put_name(struct buf *out, const char *name, const char *summary)
{
	buf_append_text(out, ".SH NAME\n");
	for (; *name; name++)
		buf_append_char(out, *name == ' ' ? '-' : *name);
	buf_append_text(out, " \\- ");
	put(out, summary, false);
	buf_append_char(out, '\n');
}

static void put_option(struct buf *out, const struct option_spec *option)
{
	buf_append_text(out, ".TP\n");
	if (option->letter)
		buf_printf(out, "\\fB\\-%c\\fR, ", option->letter);
	buf_append_text(out, "\\fB\\-\\-");
	put(out, option->name, false);
	buf_append_text(out, "\\fR");
	if (option->argument) {
		buf_append_text(out, " \\fI");
		put(out, option->argument, false);
		buf_append_text(out, "\\fR");
	}
	buf_append_char(out, '\n');
	put(out, option->help, false);
	buf_append_char(out, '\n');
}

static void command_page(const struct command_spec *spec, struct buf *out)
{
	put_title(out, spec->name);
	put_name(out, spec->name, spec->summary);
	buf_append_text(out, ".SH SYNOPSIS\n\\fB");
	put(out, spec->name, false);
	buf_append_text(out, "\\fR ");
	put(out, spec->operands, false);
	buf_printf(
		out, "%s%s\n", *spec->operands ? " " : "", spec->option_count ? "[OPTION]..." : "");
	buf_append_text(out, ".SH DESCRIPTION\n");
	put(out, spec->summary, false);
	buf_append_char(out, '\n');
	if (spec->details) {
		buf_append_text(out, ".PP\n.nf\n");
		put(out, spec->details, true);
		buf_append_text(out, "\n.fi\n");
	}
	if (spec->option_count)
		buf_append_text(out, ".SH OPTIONS\n");
	for (uint32_t i = 0; i < spec->option_count; i++)
		put_option(out, &spec->options[i]);
	buf_append_text(out, ".SH SEE ALSO\n.BR tamiz (1)\n");
}

static const char main_page_end[] =
	".SH FILES\n"
	".TP\n\\fI~/.config/tamiz/rc\\fR\nStatements and commands that the shell runs when it "
	"starts.\n"
	".TP\n\\fI~/.local/state/tamiz/history\\fR\nThe lines of earlier sessions.\n"
	".SH ENVIRONMENT\n"
	".TP\n\\fBPAGER\\fR\nShows in the shell what is longer than the screen.\n"
	".TP\n\\fBEDITOR\\fR, \\fBVISUAL\\fR\nEdits statements in the shell.\n"
	".TP\n\\fBTMPDIR\\fR\nA folder for what does not fit into memory.\n"
	".TP\n\\fBTAMIZ_SERVER\\fR, \\fBTAMIZ_TOKEN\\fR\nA cluster for commands that need one.\n"
	".SH EXIT STATUS\n"
	"0 when it worked, 2 for a wrong command line, 3 for SQL that is wrong, 4 for a value "
	"that\n"
	"breaks a rule, 5 for data that cannot be read, 130 after an interrupt, 1 otherwise.\n";

static void main_page(struct buf *out)
{
	put_title(out, "tamiz");
	put_name(out, "tamiz", "SQL over CSV files");
	buf_append_text(out,
		".SH SYNOPSIS\n\\fBtamiz\\fR COMMAND [OPTION]...\n.br\n"
		"\\fBtamiz\\fR [FOLDER|FILE]...\n"
		".SH DESCRIPTION\n"
		"Answers SQL in PostgreSQL\\(aqs dialect over folders of CSV files, in "
		"this process or on a cluster.\n"
		"Without a command, at a terminal, it is a shell.\n"
		".SH COMMANDS\n");
	for (size_t i = 0; i < command_count; i++) {
		buf_printf(out, ".TP\n\\fB%s\\fR\n", commands[i].name);
		put(out, commands[i].spec->summary, false);
		buf_append_char(out, '\n');
	}
	buf_append_text(out, main_page_end);
	buf_append_text(out, ".SH SEE ALSO\n");
	for (size_t i = 0; i < command_count; i++)
		buf_printf(out, ".BR tamiz\\-%s (1)%s\n", commands[i].name,
			i + 1 < command_count ? "," : "");
}

int cmd_man(int argc, char *const *argv)
{
	const struct command *command;
	struct operands operands;
	struct error err;
	struct buf page;
	int status;

	if (!cli_parse(&cmd_man_spec, argc, argv, NULL, &operands, &status))
		return status;
	buf_init(&page, PAGE_BYTES_MAX);
	command = operands.count ? command_find(operands.items[0]) : NULL;
	if (operands.count && !command) {
		error_set(&err, ERROR_USAGE, "there is no command \"%s\": see tamiz --help",
			operands.items[0]);
		return cli_fail(&err);
	}
	if (command)
		command_page(command->spec, &page);
	else
		main_page(&page);
	return cli_print(&page);
}
