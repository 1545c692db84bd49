#include "cli/ui/console.h"

#include "base/json_write.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/ui/cluster_view.h"
#include "cli/ui/page.h"
#include "client/ask.h"
#include "client/job_key.h"

#include <stdlib.h>
#include <string.h>

#define WAIT_MS		 500u
#define ANSWER_BYTES_MAX (64u << 10)

struct cluster_console {
	struct page page; /* first */
	const struct remote *remote;
	struct cluster_view *view;
};

/* One who looks. */
struct watcher_of_page {
	struct cluster_console *console;
	struct cluster_cursor cursor;
	struct buf text; /* of which `given` bytes are away */
	size_t given;
};

static void free_watcher(void *context)
{
	struct watcher_of_page *watcher = context;

	buf_release(&watcher->text);
	free(watcher);
}

/* "data: {...}", or a comment, by which we notice that nobody listens any more. */
static void next_text(struct watcher_of_page *watcher)
{
	buf_clear(&watcher->text);
	watcher->given = 0;
	buf_append_text(&watcher->text, "data: ");
	if (!cluster_view_wait(watcher->console->view, &watcher->cursor, WAIT_MS, &watcher->text)) {
		buf_clear(&watcher->text);
		buf_append_text(&watcher->text, ":");
	}
	/* What gateways and watchers say ends with a newline, which would end the event. */
	for (size_t i = 0; i < watcher->text.size; i++)
		if (watcher->text.data[i] == '\n')
			watcher->text.data[i] = ' ';
	buf_append_text(&watcher->text, "\n\n");
}

static ssize_t read_live(void *context, char *bytes, size_t size_max)
{
	struct watcher_of_page *watcher = context;
	size_t size;

	if (atomic_load(&watcher->console->page.closing))
		return 0;
	if (watcher->given == watcher->text.size)
		next_text(watcher);
	size = watcher->text.size - watcher->given;
	if (size > size_max)
		size = size_max;
	memcpy(bytes, watcher->text.data + watcher->given, size);
	watcher->given += size;
	return (ssize_t)size;
}

static void answer_live(struct cluster_console *console, struct http_request *request)
{
	struct watcher_of_page *watcher = memory_zalloc(sizeof(*watcher));

	watcher->console = console;
	buf_init(&watcher->text, CLUSTER_TEXT_MAX + ANSWER_BYTES_MAX);
	page_headers(request, "no-store");
	http_answer_stream(request, "text/event-stream", read_live, free_watcher, watcher);
}

static void answer_session(const struct cluster_console *console, struct http_request *request)
{
	struct buf out;
	struct json_writer json = {&out, false};

	buf_init(&out, ANSWER_BYTES_MAX);
	json_open(&json, NULL, '{');
	json_put_text(&json, "token", console->page.token);
	json_put_text(&json, "name", console->remote->server);
	json_put_text(&json, "version", TAMIZ_VERSION);
	json_close(&json, '}');
	page_json(request, 200, &out);
	buf_release(&out);
}

/* Of a job that somebody else has submitted nobody here knows the secret, and the gateway says so. */
static void cancel_job(struct cluster_console *console, struct http_request *request)
{
	struct wire_message cancel = {.type = WIRE_CANCEL, .cancel = {.id = 1}}, answer;
	const char *job = http_request_argument(request, "job");
	struct arena arena;
	struct error err;
	struct buf out;

	if (!page_may_change(&console->page, request))
		return;
	arena_init(&arena, 4096);
	buf_init(&out, ANSWER_BYTES_MAX);
	buf_append_text(&out, "{}");
	if (job_key_parse(job ? job : "", &cancel.cancel.job, &cancel.cancel.secret, &err) ||
		ask(console->remote->server, console->remote->token, &cancel, WIRE_ACK,
			REMOTE_ANSWER_MS_MAX, &arena, &answer, &err))
		page_error(request, 422, err.message);
	else
		page_json(request, 200, &out);
	buf_release(&out);
	arena_release(&arena);
}

static void answer_api(struct page *page, struct http_request *request, const char *path)
{
	struct cluster_console *console = (struct cluster_console *)page;

	if (strcmp(path, "session") == 0)
		answer_session(console, request);
	else if (strcmp(path, "live") == 0)
		answer_live(console, request);
	else if (strcmp(path, "cancel") == 0)
		cancel_job(console, request);
	else
		page_error(request, 404, "there is no such address");
}

int console_run(const struct remote *remote, const struct net_address *address, struct error *err)
{
	struct cluster_console console = {
		.page = {.name = "console",
			.start = "/console.html",
			.api = answer_api,
			.address = *address},
		.remote = remote,
	};
	int status;

	if (cluster_view_new(&console.view, remote, err))
		return -1;
	status = page_serve(&console.page, err);
	cluster_view_free(console.view);
	return status;
}
