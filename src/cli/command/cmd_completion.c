/*
 * tamiz completion: what the Tab key of bash, zsh and fish needs to know, made of the tables of commands,
 * options and packs.
 */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/request/pack.h"

#include <string.h>

#define SCRIPT_BYTES_MAX (1u << 20)

const struct command_spec cmd_completion_spec = {
	.name = "tamiz completion",
	.operands = "bash|zsh|fish",
	.summary = "Prints what a shell needs to complete the words of commands.",
	.details = "bash: source <(tamiz completion bash), in ~/.bashrc\n"
		   "zsh:  tamiz completion zsh > a folder of $fpath/_tamiz\n"
		   "fish: tamiz completion fish > ~/.config/fish/completions/tamiz.fish",
	.operands_min = 1,
	.operands_max = 1,
};

/* What stands where a word is expected. */
enum expected {
	EXPECTED_ANYTHING, /* nobody knows */
	EXPECTED_FILE,
	EXPECTED_CHOICE, /* one of the option's */
	EXPECTED_PACK,	 /* of those in the binary, or a folder */
	EXPECTED_SHELL,
	EXPECTED_COMMAND,
};

static bool has_word(const char *words, const char *word)
{
	return strstr(words, word) != NULL;
}

static enum expected expected_by_name(const char *name)
{
	if (has_word(name, "PACK"))
		return EXPECTED_PACK;
	if (has_word(name, "FILE") || has_word(name, "FOLDER") || has_word(name, "PATH") ||
		has_word(name, "DIR"))
		return EXPECTED_FILE;
	if (has_word(name, "bash"))
		return EXPECTED_SHELL;
	return has_word(name, "COMMAND") ? EXPECTED_COMMAND : EXPECTED_ANYTHING;
}

static enum expected expected_of(const struct option_spec *option)
{
	return option->kind == OPTION_CHOICE ? EXPECTED_CHOICE : expected_by_name(option->argument);
}

/* The words themselves, with a blank before each. */
static void put_words(enum expected expected, const struct option_spec *option, struct buf *out)
{
	switch (expected) {
	case EXPECTED_CHOICE:
		for (const char *const *choice = option->choices; *choice; choice++)
			buf_printf(out, " %s", *choice);
		break;
	case EXPECTED_PACK:
		for (uint32_t i = 0; i < embedded_pack_count; i++)
			buf_printf(out, " %s", embedded_packs[i].name);
		break;
	case EXPECTED_SHELL: buf_append_text(out, " bash zsh fish"); break;
	case EXPECTED_COMMAND:
		for (size_t i = 0; i < command_count; i++)
			buf_printf(out, " %s", commands[i].name);
		break;
	default: break;
	}
}

static bool allows_files(enum expected expected)
{
	return expected == EXPECTED_FILE || expected == EXPECTED_PACK;
}

/* A text inside of single quotes, up to its first line end; `also` is escaped with a backslash. */
static void put_quoted(struct buf *out, const char *text, const char *also)
{
	for (; *text && *text != '\n'; text++) {
		if (*text == '\'')
			buf_append_text(out, "'\\''");
		else if (strchr(also, *text))
			buf_printf(out, "\\%c", *text);
		else
			buf_append_char(out, *text);
	}
}

/* -- bash -- */

static void bash_values(const struct command *command, struct buf *out)
{
	for (uint32_t i = 0; i < command->spec->option_count; i++) {
		const struct option_spec *option = &command->spec->options[i];
		enum expected expected;

		if (!option->argument)
			continue;
		expected = expected_of(option);
		buf_append_text(out, "\t");
		if (option->letter)
			buf_printf(out, "'%s -%c' | ", command->name, option->letter);
		buf_printf(out, "'%s --%s') ", command->name, option->name);
		if (!allows_files(expected)) {
			buf_append_text(out, "compopt +o default; COMPREPLY=($(compgen -W '");
			put_words(expected, option, out);
			buf_append_text(out, "' -- \"$word\")); ");
		}
		buf_append_text(out, "return ;;\n");
	}
}

static void bash_words(const struct command *command, struct buf *out)
{
	enum expected expected = expected_by_name(command->spec->operands);

	buf_printf(out, "\t%s)\n\t\toptions='--help", command->name);
	for (uint32_t i = 0; i < command->spec->option_count; i++)
		buf_printf(out, " --%s", command->spec->options[i].name);
	buf_append_text(out, "'\n\t\toperands='");
	put_words(expected, NULL, out);
	buf_append_text(out, "' ;;\n");
}

static void bash_script(struct buf *out)
{
	buf_append_text(out, "# Completion of tamiz for bash.\n"
			     "_tamiz() {\n"
			     "\tlocal word=${COMP_WORDS[COMP_CWORD]} options= operands=\n"
			     "\tCOMPREPLY=()\n"
			     "\tif ((COMP_CWORD == 1)); then\n"
			     "\t\tCOMPREPLY=($(compgen -W 'help --help --version");
	put_words(EXPECTED_COMMAND, NULL, out);
	buf_append_text(out, "' -- \"$word\"))\n"
			     "\t\treturn\n"
			     "\tfi\n"
			     "\tcase \"${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD - 1]}\" in\n");
	for (size_t i = 0; i < command_count; i++)
		bash_values(&commands[i], out);
	buf_append_text(out, "\tesac\n\tcase \"${COMP_WORDS[1]}\" in\n\thelp) operands='sql");
	put_words(EXPECTED_COMMAND, NULL, out);
	buf_append_text(out, "' ;;\n");
	for (size_t i = 0; i < command_count; i++)
		bash_words(&commands[i], out);
	buf_append_text(out, "\tesac\n"
			     "\tif [[ $word == -* ]]; then\n"
			     "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
			     "\telse\n"
			     "\t\tCOMPREPLY=($(compgen -W \"$operands\" -- \"$word\"))\n"
			     "\tfi\n"
			     "}\n"
			     "complete -o default -F _tamiz tamiz\n");
}

/* -- zsh -- */

static void zsh_value(
	enum expected expected, const struct option_spec *option, const char *name, struct buf *out)
{
	buf_printf(out, ":%s:", name);
	if (expected == EXPECTED_FILE) {
		buf_append_text(out, "_files");
	} else if (expected == EXPECTED_PACK) {
		buf_append_text(out, "{_files; compadd --");
		put_words(expected, option, out);
		buf_append_char(out, '}');
	} else if (expected != EXPECTED_ANYTHING) {
		buf_append_char(out, '(');
		put_words(expected, option, out);
		buf_append_char(out, ')');
	}
}

static void zsh_option(const struct option_spec *option, bool by_letter, struct buf *out)
{
	const char *marks = option->kind == OPTION_LIST ? "*" : "";

	buf_printf(out, " \\\n\t\t\t'%s", marks);
	if (by_letter)
		buf_printf(out, "-%c%s", option->letter, option->argument ? "+" : "");
	else
		buf_printf(out, "--%s%s", option->name, option->argument ? "=" : "");
	buf_append_char(out, '[');
	put_quoted(out, option->help, "[]:\\");
	buf_append_char(out, ']');
	if (option->argument)
		zsh_value(expected_of(option), option, option->argument, out);
	buf_append_char(out, '\'');
}

static void zsh_command(const struct command *command, struct buf *out)
{
	enum expected expected = expected_by_name(command->spec->operands);

	buf_printf(
		out, "\t%s)\n\t\t_arguments -s '(- *)'{-h,--help}'[this command]'", command->name);
	for (uint32_t i = 0; i < command->spec->option_count; i++) {
		const struct option_spec *option = &command->spec->options[i];

		if (option->letter)
			zsh_option(option, true, out);
		zsh_option(option, false, out);
	}
	if (*command->spec->operands) {
		buf_append_text(out, " \\\n\t\t\t'*");
		zsh_value(expected, NULL, "operand", out);
		buf_append_char(out, '\'');
	}
	buf_append_text(out, " ;;\n");
}

static void zsh_script(struct buf *out)
{
	buf_append_text(out, "#compdef tamiz\n"
			     "# Completion of tamiz for zsh.\n"
			     "_tamiz() {\n"
			     "\tlocal -a names\n"
			     "\tnames=(\n");
	for (size_t i = 0; i < command_count; i++) {
		buf_printf(out, "\t\t'%s:", commands[i].name);
		put_quoted(out, commands[i].spec->summary, ":\\");
		buf_append_text(out, "'\n");
	}
	buf_append_text(out, "\t)\n"
			     "\tif ((CURRENT == 2)); then\n"
			     "\t\t_describe command names\n"
			     "\t\t_files\n"
			     "\t\treturn\n"
			     "\tfi\n"
			     "\tshift words\n"
			     "\t((CURRENT--))\n"
			     "\tcase $words[1] in\n"
			     "\thelp) _describe command names ;;\n");
	for (size_t i = 0; i < command_count; i++)
		zsh_command(&commands[i], out);
	buf_append_text(out, "\t*) _files ;;\n"
			     "\tesac\n"
			     "}\n"
			     "if [[ $funcstack[1] == _tamiz ]]; then\n"
			     "\t_tamiz \"$@\"\n"
			     "else\n"
			     "\tcompdef _tamiz tamiz\n"
			     "fi\n");
}

/* -- fish -- */

static void fish_option(
	const struct command *command, const struct option_spec *option, struct buf *out)
{
	enum expected expected = option->argument ? expected_of(option) : EXPECTED_ANYTHING;

	buf_printf(out, "complete -c tamiz -n '__fish_seen_subcommand_from %s'", command->name);
	if (option->letter)
		buf_printf(out, " -s %c", option->letter);
	buf_printf(out, " -l %s", option->name);
	if (option->argument)
		buf_append_text(out, allows_files(expected) ? " -r -F" : " -x");
	if (expected != EXPECTED_ANYTHING && expected != EXPECTED_FILE) {
		buf_append_text(out, " -a '");
		put_words(expected, option, out);
		buf_append_char(out, '\'');
	}
	buf_append_text(out, " -d '");
	put_quoted(out, option->help, "\\");
	buf_append_text(out, "'\n");
}

static void fish_script(struct buf *out)
{
	buf_append_text(out,
		"# Completion of tamiz for fish.\n"
		"complete -c tamiz -n '__fish_use_subcommand' -a 'help' -d 'How it is used'\n"
		"complete -c tamiz -n '__fish_seen_subcommand_from help' -f -a 'sql");
	put_words(EXPECTED_COMMAND, NULL, out);
	buf_append_text(out, "'\n");
	for (size_t i = 0; i < command_count; i++) {
		const struct command *command = &commands[i];
		enum expected expected = expected_by_name(command->spec->operands);

		buf_printf(out, "complete -c tamiz -n '__fish_use_subcommand' -a '%s' -d '",
			command->name);
		put_quoted(out, command->spec->summary, "\\");
		buf_append_text(out, "'\n");
		if (expected != EXPECTED_ANYTHING && expected != EXPECTED_FILE) {
			buf_printf(out,
				"complete -c tamiz -n '__fish_seen_subcommand_from %s' -a '",
				command->name);
			put_words(expected, NULL, out);
			buf_append_text(out, "'\n");
		}
		for (uint32_t o = 0; o < command->spec->option_count; o++)
			fish_option(command, &command->spec->options[o], out);
	}
}

int cmd_completion(int argc, char *const *argv)
{
	static const struct {
		const char *name;
		void (*write)(struct buf *out);
	} shells[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
	struct operands operands;
	struct error err;
	struct buf script;
	int status;

	if (!cli_parse(&cmd_completion_spec, argc, argv, NULL, &operands, &status))
		return status;
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		if (strcmp(shells[i].name, operands.items[0]) != 0)
			continue;
		buf_init(&script, SCRIPT_BYTES_MAX);
		shells[i].write(&script);
		return cli_print(&script);
	}
	error_set(&err, ERROR_USAGE, "there are completions for bash, zsh and fish, not for \"%s\"",
		operands.items[0]);
	return cli_fail(&err);
}
