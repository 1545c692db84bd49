/* tamiz top: a cluster in a terminal. */
#include "base/json_read.h"
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/interrupt.h"
#include "cli/print/top_page.h"
#include "cli/request/remote.h"
#include "cli/ui/cluster_view.h"
#include "client/ask.h"
#include "client/job_key.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define ARENA_BLOCK_BYTES (64u << 10)
#define PAGE_BYTES_MAX	  (4u << 20)
#define NEWS_MS		  100u
#define KEYS_MAX	  64
#define ONCE_COLUMNS	  200u
#define ONCE_ROWS	  1000u
/* Rates need two looks. */
#define ONCE_LOOKS 2u

#define SCREEN_OPEN  "\x1b[?1049h\x1b[?25l"
#define SCREEN_CLOSE "\x1b[?25h\x1b[?1049l"
#define SCREEN_HOME  "\x1b[H"
#define LINE_END     "\x1b[K\r\n"
#define SCREEN_REST  "\x1b[J"

struct top_options {
	struct remote remote;
	bool once;
};

static const struct option_spec options_table[] = {
	REMOTE_OPTIONS(struct top_options, remote),
	{.name = "once",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct top_options, once),
		.help = "print what there is to see once, and end"},
};

const struct command_spec cmd_top_spec = {
	.name = "tamiz top",
	.operands = "",
	.summary = "Shows the nodes and jobs of a cluster in the terminal, live.",
	.details =
		"Keys: up and down choose a job, x cancels it, n and j change the order of nodes\n"
		"and of jobs, q ends it.",
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

struct top {
	const struct remote *remote;
	struct cluster_view *view;
	struct cluster_cursor cursor;
	struct top_page page;
	struct buf news; /* as it came last */
	char message[ERROR_MESSAGE_MAX];
	bool asks; /* whether to cancel the chosen job */
	bool ends;
};

/* --- what is shown -------------------------------------------------------------------------------
 */

/* Whether there was something new. */
static bool take_news(struct top *top, uint32_t ms)
{
	struct buf news;

	buf_init(&news, CLUSTER_TEXT_MAX + (1u << 20));
	if (!cluster_view_wait(top->view, &top->cursor, ms, &news)) {
		buf_release(&news);
		return false;
	}
	buf_release(&top->news);
	top->news = news;
	return true;
}

static void print_page(struct top *top, struct buf *text)
{
	struct json_value *news;
	struct arena arena;
	struct error ignored;

	arena_init(&arena, ARENA_BLOCK_BYTES);
	if (top->news.size && !json_read(top->news.data, top->news.size, &arena, &news, &ignored))
		top_page_print(&top->page, news, text);
	arena_release(&arena);
}

static void fit(struct top_page *page)
{
	struct winsize size;

	page->columns = 80;
	page->rows = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
		page->columns = size.ws_col;
		page->rows = size.ws_row;
	}
}

/* Over what is there already, so that nothing flickers. */
static void draw(struct top *top)
{
	struct buf text, screen;

	fit(&top->page);
	top->page.message = top->message[0] ? top->message : NULL;
	buf_init(&text, PAGE_BYTES_MAX);
	buf_init(&screen, 2 * PAGE_BYTES_MAX);
	print_page(top, &text);
	buf_append_text(&screen, SCREEN_HOME);
	for (size_t i = 0; i < text.size; i++)
		if (text.data[i] != '\n')
			buf_append_char(&screen, text.data[i]);
		else if (i + 1 < text.size)
			buf_append_text(&screen, LINE_END);
	buf_append_text(&screen, SCREEN_REST);
	fwrite(screen.data, 1, screen.size, stdout);
	fflush(stdout);
	buf_release(&screen);
	buf_release(&text);
}

/* --- keys ----------------------------------------------------------------------------------------
 */

static void cancel_chosen(struct top *top)
{
	struct wire_message cancel = {.type = WIRE_CANCEL, .cancel = {.id = 1}}, answer;
	struct arena arena;
	struct error err;

	arena_init(&arena, ARENA_BLOCK_BYTES);
	if (job_key_parse(top->page.chosen, &cancel.cancel.job, &cancel.cancel.secret, &err) ||
		ask(top->remote->server, top->remote->token, &cancel, WIRE_ACK,
			REMOTE_ANSWER_MS_MAX, &arena, &answer, &err))
		snprintf(top->message, sizeof(top->message), "%s", err.message);
	else
		snprintf(top->message, sizeof(top->message), "the job %s is cancelled",
			top->page.chosen);
	arena_release(&arena);
}

static void on_key(struct top *top, char key)
{
	bool asked = top->asks;

	top->asks = false;
	top->message[0] = '\0';
	if (asked && key == 'y') {
		cancel_chosen(top);
		return;
	}
	switch (key) {
	case 'q': top->ends = !asked; break;
	case 'A':
	case 'k': top->page.move--; break;
	case 'B': top->page.move++; break;
	case 'n':
		if (!asked)
			top->page.node_order = (top->page.node_order + 1) % TOP_NODE_ORDERS;
		break;
	case 'j': top->page.job_order = (top->page.job_order + 1) % TOP_JOB_ORDERS; break;
	case 'x':
		top->asks = top->page.chosen[0] != '\0';
		if (top->asks)
			snprintf(top->message, sizeof(top->message),
				"cancel the job %s? y: yes   any other key: no", top->page.chosen);
		break;
	default: break;
	}
}

/* Arrows are an escape and two letters, of which the last one says which. */
static void take_keys(struct top *top)
{
	char keys[KEYS_MAX];
	ssize_t count = read(STDIN_FILENO, keys, sizeof(keys));

	if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN))
		top->ends = true;
	for (ssize_t i = 0; i < count; i++) {
		if (keys[i] == '\x1b' && i + 2 < count &&
			(keys[i + 1] == '[' || keys[i + 1] == 'O')) {
			i += 2;
			on_key(top, keys[i]);
		} else if (keys[i] != 'A' && keys[i] != 'B') {
			on_key(top, keys[i]);
		}
	}
}

/* --- its life ------------------------------------------------------------------------------------
 */

static void run_screen(struct top *top)
{
	struct termios before, raw;

	tcgetattr(STDIN_FILENO, &before);
	raw = before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	fputs(SCREEN_OPEN, stdout);
	top->page.marks = true;
	while (!top->ends && !interrupt_pending()) {
		struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
		bool pressed = poll(&keys, 1, 0) > 0;

		if (pressed)
			take_keys(top);
		if (take_news(top, pressed ? 0 : NEWS_MS) || pressed)
			draw(top);
	}
	fputs(SCREEN_CLOSE, stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

static void run_once(struct top *top)
{
	struct buf text;

	for (uint32_t looks = 0; looks < ONCE_LOOKS && !interrupt_pending();)
		looks += take_news(top, NEWS_MS);
	top->page.columns = ONCE_COLUMNS;
	top->page.rows = ONCE_ROWS;
	buf_init(&text, PAGE_BYTES_MAX);
	print_page(top, &text);
	fwrite(text.data, 1, text.size, stdout);
	buf_release(&text);
}

int cmd_top(int argc, char *const *argv)
{
	struct top_options options = {0};
	struct operands operands;
	struct top top = {0};
	struct error err;
	int status;

	if (!cli_parse(&cmd_top_spec, argc, argv, &options, &operands, &status))
		return status;
	interrupt_install();
	if (remote_settle(&options.remote, "tamiz top", &err))
		return cli_fail(&err);
	if (!options.once && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))) {
		error_set(&err, ERROR_USAGE, "this is no terminal: tamiz top --once prints a page");
		return cli_fail(&err);
	}
	top.remote = &options.remote;
	top.page.server = options.remote.server;
	buf_init(&top.news, CLUSTER_TEXT_MAX);
	if (cluster_view_new(&top.view, &options.remote, &err))
		return cli_fail(&err);
	if (options.once)
		run_once(&top);
	else
		run_screen(&top);
	cluster_view_free(top.view);
	buf_release(&top.news);
	return 0;
}
