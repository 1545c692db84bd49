/*
 * The terminal: lines with libedit, until the user leaves. Ctrl-C gives up what is typed, or ends the query
 * that runs, and never the shell; so while a line is edited it is a key like others and no signal.
 */
#include "base/file.h"
#include "base/memory.h"
#include "base/xdg.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/shell/shell_private.h"

#include <histedit.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define HISTORY_LINES	  5000
#define ARENA_BLOCK_BYTES (64u << 10)
#define LIST_WIDTH_USUAL  80
#define LIST_ITEMS_MAX	  200

struct console {
	struct shell *shell;
	struct shell_reader reader;
	EditLine *editor;
	History *history;
	char history_path[PATH_MAX]; /* "" when there is no place for it */
	bool abandons;		     /* Ctrl-C was typed */
	char prompt[16];
};

static struct console *console_of(EditLine *editor)
{
	struct console *console = NULL;

	el_get(editor, EL_CLIENTDATA, &console);
	return console;
}

static char *show_prompt(EditLine *editor)
{
	return console_of(editor)->prompt;
}

static unsigned char on_abandon(EditLine *editor, int key)
{
	(void)key;
	console_of(editor)->abandons = true;
	fputs("^C\n", stdout);
	return CC_NEWLINE;
}

static uint32_t screen_width(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col
									   : LIST_WIDTH_USUAL;
}

/* The choices, in columns. */
static void list_choices(const struct completion *found)
{
	size_t widest = 0;
	uint32_t across, count = found->count < LIST_ITEMS_MAX ? found->count : LIST_ITEMS_MAX;

	for (uint32_t i = 0; i < count; i++)
		widest = strlen(found->items[i]) > widest ? strlen(found->items[i]) : widest;
	across = screen_width() / (uint32_t)(widest + 2);
	across = across ? across : 1;
	for (uint32_t i = 0; i < count; i++)
		printf("%s%-*s", i % across == 0 ? "\n" : "", (int)widest + 2, found->items[i]);
	if (count < found->count)
		printf("\n... and %u more", found->count - count);
	putchar('\n');
	fflush(stdout);
}

/* How many bytes all choices begin with, in any case of letters. */
static size_t common_size(const struct completion *found)
{
	size_t size = strlen(found->items[0]);

	for (uint32_t i = 1; i < found->count; i++) {
		size_t same = 0;

		while (same < size && found->items[i][same] == found->items[0][same])
			same++;
		size = same;
	}
	return size;
}

static unsigned char insert(EditLine *editor, const struct completion *found, size_t typed)
{
	size_t size = common_size(found);
	const char *item = found->items[0];
	char *text;

	if (found->count > 1 && size <= typed) {
		list_choices(found);
		return CC_REDISPLAY;
	}
	text = memory_zalloc(size + 2);
	memcpy(text, item, size);
	if (found->count == 1 && size > 0 && item[size - 1] != '/' && item[size - 1] != '(')
		memcpy(text + size, &found->behind, 1);
	el_deletestr(editor, (int)typed);
	el_insertstr(editor, text);
	free(text);
	return CC_REFRESH;
}

static unsigned char on_complete(EditLine *editor, int key)
{
	struct console *console = console_of(editor);
	const LineInfo *info = el_line(editor);
	size_t cursor = (size_t)(info->cursor - info->buffer);
	struct shell_reader *reader = &console->reader;
	struct completion found;
	struct arena arena;
	unsigned char result = CC_REFRESH_BEEP;
	char *line, *before;

	(void)key;
	arena_init(&arena, ARENA_BLOCK_BYTES);
	line = arena_strndup(&arena, info->buffer, (size_t)(info->lastchar - info->buffer));
	before = arena_strndup(&arena, reader->text.data ? reader->text.data + reader->done : "",
		reader->text.size - reader->done);
	complete_word(console->shell, before, line, cursor, &arena, &found);
	if (found.count > 0)
		result = insert(editor, &found, cursor - found.start);
	arena_release(&arena);
	return result;
}

static int open_editor(struct console *console)
{
	EditLine *editor = el_init("tamiz", stdin, stdout, stderr);

	if (!editor)
		return -1;
	console->editor = editor;
	el_set(editor, EL_CLIENTDATA, console);
	el_set(editor, EL_PROMPT, show_prompt);
	el_set(editor, EL_SIGNAL, 1);
	el_set(editor, EL_EDITOR, "emacs");
	el_set(editor, EL_HIST, history, console->history);
	el_set(editor, EL_ADDFN, "tamiz-complete", "complete the word", on_complete);
	el_set(editor, EL_ADDFN, "tamiz-abandon", "give up what is typed", on_abandon);
	el_set(editor, EL_BIND, "^I", "tamiz-complete", NULL);
	el_set(editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
	el_set(editor, EL_SETTY, "-d", "-isig", NULL);
	el_set(editor, EL_BIND, "^C", "tamiz-abandon", NULL);
	el_source(editor, NULL);
	return 0;
}

static void open_history(struct console *console)
{
	struct error ignored;
	HistEvent event;

	console->history = history_init();
	history(console->history, &event, H_SETSIZE, HISTORY_LINES);
	history(console->history, &event, H_SETUNIQUE, 1);
	if (xdg_state_path("history", console->history_path, sizeof(console->history_path)) ||
		folder_make_above(console->history_path, 0700, &ignored)) {
		console->history_path[0] = '\0';
		return;
	}
	history(console->history, &event, H_LOAD, console->history_path);
}

/* Also when the shell is killed later. */
static void keep_line(struct console *console, const char *line)
{
	HistEvent event;

	if (strspn(line, " \t\r\n") == strlen(line))
		return;
	history(console->history, &event, H_ENTER, line);
	if (console->history_path[0])
		history(console->history, &event, H_SAVE, console->history_path);
}

static void set_prompt(struct console *console)
{
	char open = shell_reader_open(&console->reader);

	snprintf(console->prompt, sizeof(console->prompt), "tamiz%c> ", open ? open : '=');
}

/* One line, and what is complete with it. False when the user has left. */
static bool take_line(struct console *console)
{
	struct shell_reader *reader = &console->reader;
	const char *line;
	int size = 0;

	set_prompt(console);
	console->abandons = false;
	interrupt_rest();
	/* Before the prompt: keys that follow it find the terminal ready for them. */
	el_set(console->editor, EL_PREP_TERM, 1);
	line = el_gets(console->editor, &size);
	if (console->abandons) {
		reader->done = reader->text.size;
		return true;
	}
	if (!line || size <= 0)
		return false;
	keep_line(console, line);
	if (!shell_reader_open(reader)) {
		/* Places of errors are those in the statement. */
		reader->done = reader->text.size;
		reader->place.line = reader->place.column = 0;
	}
	shell_reader_add(reader, line, (size_t)size);
	interrupt_install();
	shell_reader_run(console->shell, reader);
	fflush(stdout);
	return !console->shell->quits;
}

static void read_startup_file(struct shell *shell)
{
	char path[PATH_MAX];

	if (xdg_config_path("rc", path, sizeof(path)) == 0 && access(path, R_OK) == 0)
		shell_run_file(shell, path);
}

int shell_console(struct shell *shell, bool with_startup_file)
{
	struct console console = {.shell = shell};

	interrupt_for_shell();
	shell->interactive = true;
	shell->reads_again = true;
	shell_reader_init(&console.reader);
	if (with_startup_file)
		read_startup_file(shell);
	open_history(&console);
	if (open_editor(&console)) {
		struct error err;

		error_set(&err, ERROR_IO, "the terminal cannot be used");
		return cli_fail(&err);
	}
	printf("tamiz %s: \\? for help, \\q to leave\n", TAMIZ_VERSION);
	while (!shell->quits && take_line(&console))
		;
	if (!shell->quits)
		putchar('\n');
	el_end(console.editor);
	history_end(console.history);
	shell_reader_release(&console.reader);
	return 0;
}
