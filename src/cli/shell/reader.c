/*
 * A text to its statements, and to the commands of the shell: \d between or behind statements, and .tables
 * where a statement would begin.
 */
#include "cli/cli.h"
#include "cli/request/pack.h"
#include "cli/shell/shell_private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK_BYTES (64u << 10)
#define FILES_DEPTH_MAX	  16
#define TEXT_BYTES_MAX	  (64u << 20)
/* What is done is forgotten when there is so much of it. */
#define DONE_BYTES_KEPT (64u << 10)

void shell_reader_init(struct shell_reader *reader)
{
	*reader = (struct shell_reader){.place = {.name = "", .title = ""}};
	buf_init(&reader->text, TEXT_BYTES_MAX);
}

void shell_reader_release(struct shell_reader *reader)
{
	buf_release(&reader->text);
}

void shell_reader_add(struct shell_reader *reader, const char *text, size_t size)
{
	if (reader->done > DONE_BYTES_KEPT && reader->done > reader->text.size / 2) {
		reader->text.size -= reader->done;
		memmove(reader->text.data, reader->text.data + reader->done, reader->text.size);
		reader->done = 0;
	}
	buf_append(&reader->text, text, size);
}

/* Moves the place behind `size` bytes. */
static void advance(struct shell_reader *reader, size_t size)
{
	const char *text = reader->text.data + reader->done;

	for (size_t i = 0; i < size; i++) {
		if (text[i] == '\n') {
			reader->place.line++;
			reader->place.column = 0;
		} else if (((unsigned char)text[i] & 0xc0) != 0x80) {
			reader->place.column++;
		}
	}
	reader->done += size;
}

static void remember(struct shell *shell, const char *text, size_t size)
{
	buf_clear(&shell->last);
	buf_append(&shell->last, text, size);
}

/* One statement, in which variables are not replaced yet. */
static int run_statement(struct shell *shell, const char *text, size_t size, struct sql_text place)
{
	struct buf replaced;
	struct error err;
	int status;

	buf_init(&replaced, SHELL_TEXT_MAX);
	sql_substitute(text, size, shell_variable, shell, &replaced);
	buf_append_char(&replaced, '\0');
	if (buf_overflowed(&replaced)) {
		error_set(&err, ERROR_LIMIT, "a statement is longer than %u bytes", SHELL_TEXT_MAX);
		status = cli_fail(&err);
	} else {
		place.text = replaced.data;
		remember(shell, text, size);
		status = shell_run(shell, &place);
	}
	buf_release(&replaced);
	return status;
}

/* The rest of the line that a command takes. */
static size_t line_size(const char *text, size_t size)
{
	const char *end = memchr(text, '\n', size);

	return end ? (size_t)(end - text) : size;
}

/*
 * The command at `offset` behind what is done. What stands before it stays, unless the command took it, and
 * so do the places of what follows: the command becomes blanks.
 */
static int run_command(struct shell *shell, struct shell_reader *reader, size_t offset)
{
	size_t from = reader->done + offset;
	size_t size = line_size(reader->text.data + from, reader->text.size - from);
	char *line = strndup(reader->text.data + from, size);
	char *before = strndup(reader->text.data + reader->done, offset);
	struct shell_call call = {.shell = shell, .reader = reader, .before = before};
	int status;

	memset(reader->text.data + from, ' ', size);
	status = line && before ? command_run(&call, line, size) : 1;
	if (call.takes_before)
		advance(reader, offset + size);
	free(line);
	free(before);
	return status;
}

/* Where a command with a dot begins, in a place where a statement would. */
static bool starts_with_dot(const char *text, size_t size, size_t *offset)
{
	size_t i = 0;

	while (i < size && isspace((unsigned char)text[i]))
		i++;
	*offset = i;
	return i + 1 < size && text[i] == '.' && isalpha((unsigned char)text[i + 1]);
}

/* help, quit and exit alone on a line, as people type them. */
static bool is_plain_word(const struct shell *shell, const char *text, size_t size, size_t *used)
{
	static const char *const words[] = {"help", "quit", "exit"};

	*used = line_size(text, size);
	for (size_t i = 0; shell->interactive && i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i]);

		if (*used >= length && strncmp(text, words[i], length) == 0 &&
			(*used == length || text[length] == ';'))
			return true;
	}
	return false;
}

static int run_plain_word(struct shell *shell, struct shell_reader *reader, size_t used)
{
	int status = 0;
	struct buf text;

	if (reader->text.data[reader->done] == 'h') {
		buf_init(&text, SHELL_TEXT_MAX);
		help_commands(&text);
		status = output_print(shell, &text);
	} else {
		shell->quits = true;
	}
	advance(reader, used);
	return status;
}

int shell_reader_run(struct shell *shell, struct shell_reader *reader)
{
	int status = 0;

	while (reader->done < reader->text.size && !shell->quits &&
		(status == 0 || shell->interactive)) {
		const char *text = reader->text.data + reader->done;
		size_t size = reader->text.size - reader->done, offset;
		struct sql_extent extent;

		if (is_plain_word(shell, text, size, &offset)) {
			status = run_plain_word(shell, reader, offset);
			continue;
		}
		if (starts_with_dot(text, size, &offset)) {
			status = run_command(shell, reader, offset);
			continue;
		}
		extent = sql_statement_extent(text, size);
		if (extent.end == SQL_END_NONE)
			break;
		if (extent.end == SQL_END_BACKSLASH) {
			status = run_command(shell, reader, extent.size);
			continue;
		}
		if (extent.open)
			status = run_statement(shell, text, extent.size, reader->place);
		advance(reader, extent.size);
	}
	return status;
}

char shell_reader_open(const struct shell_reader *reader)
{
	return sql_statement_extent(
		reader->text.data + reader->done, reader->text.size - reader->done)
		.open;
}

static bool is_blank(const char *text)
{
	struct sql_extent extent = sql_statement_extent(text, strlen(text));

	return extent.end == SQL_END_NONE && !extent.open;
}

/* What is left is a statement, too. */
static int run_rest(struct shell *shell, struct shell_reader *reader)
{
	size_t size = reader->text.size - reader->done;
	int status = 0;

	if (shell_reader_open(reader) && !shell->quits)
		status =
			run_statement(shell, reader->text.data + reader->done, size, reader->place);
	advance(reader, size);
	return status;
}

/* Whether there is more than one statement, or a command that may run one again. */
static bool has_several(const char *text)
{
	size_t size = strlen(text), done = 0;
	uint32_t count = 0;

	while (count < 2 && done < size) {
		struct sql_extent extent = sql_statement_extent(text + done, size - done);

		if (extent.end == SQL_END_BACKSLASH)
			return true;
		count += extent.open != '\0';
		if (extent.end == SQL_END_NONE)
			break;
		done += extent.size;
	}
	return count > 1;
}

int shell_run_text(struct shell *shell, const char *text)
{
	struct shell_reader reader;
	int status;

	if (is_blank(text)) {
		struct error err;

		error_set(&err, ERROR_SQL, "there is no query in the text");
		return cli_fail(&err);
	}
	shell->reads_again |= has_several(text);
	shell_reader_init(&reader);
	shell_reader_add(&reader, text, strlen(text));
	status = shell_reader_run(shell, &reader);
	if (status == 0)
		status = run_rest(shell, &reader);
	shell_reader_release(&reader);
	return status;
}

int shell_run_commands(struct shell *shell, const struct option_list *texts)
{
	int status = 0;

	shell->reads_again |= texts->count > 1;
	for (uint32_t i = 0; i < texts->count && status == 0; i++)
		status = shell_run_text(shell, texts->items[i]);
	return status;
}

int shell_run_string(struct shell *shell, const char *text)
{
	const struct sql_text statement = {.name = "", .title = "", .text = text};

	return shell_run(shell, &statement);
}

int shell_run_file(struct shell *shell, const char *path)
{
	bool interactive = shell->interactive;
	struct arena arena;
	struct error err;
	char *text;
	int status;

	if (shell->depth == FILES_DEPTH_MAX) {
		error_set(&err, ERROR_LIMIT, "%s: files read each other %d times", path,
			FILES_DEPTH_MAX);
		return cli_fail(&err);
	}
	arena_init(&arena, ARENA_BLOCK_BYTES);
	shell->depth++;
	shell->interactive = false; /* an error ends it */
	if (pack_read_file(path, &arena, &text, &err))
		status = cli_fail(&err);
	else
		status = is_blank(text) ? 0 : shell_run_text(shell, text);
	shell->interactive = interactive;
	shell->depth--;
	arena_release(&arena);
	return status;
}
