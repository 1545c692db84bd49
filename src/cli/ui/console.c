#include "cli/ui/console.h"

#include "base/json_write.h"
#include "base/memory.h"
#include "cli/request/trace.h"
#include "cli/ui/cluster_view.h"
#include "cli/ui/route.h"
#include "client/ask.h"
#include "client/job_key.h"

#include <stdlib.h>
#include <string.h>

#define WAIT_MS		 500u
#define ANSWER_BYTES_MAX (64u << 10)
/* All rows that one user's questions keep. */
#define MEMORY_BYTES (1ull << 30)

/* One who looks, with everything of theirs; until the console ends. */
struct console_user {
	struct console_user *next;
	struct remote remote;
	char token[WIRE_TOKEN_MAX + 1];
	struct cluster_view *view;
	struct ui_places places;
	struct ui_options options;
	struct ui_router router;
};

struct cluster_console {
	struct page page; /* first */
	const struct console_options *options;
	struct console_user *users;
};

/* --- what happens --------------------------------------------------------------------------------
 */

/* A tab. */
struct live_tab {
	struct page *page;
	struct cluster_view *view;
	struct cluster_cursor cursor;
	struct buf text; /* of which `given` bytes are away */
	size_t given;
};

static void free_tab(void *context)
{
	struct live_tab *tab = context;

	buf_release(&tab->text);
	free(tab);
}

/* "data: {...}", or a comment, by which we notice that nobody listens any more. */
static void next_text(struct live_tab *tab)
{
	buf_clear(&tab->text);
	tab->given = 0;
	buf_append_text(&tab->text, "data: ");
	if (!cluster_view_wait(tab->view, &tab->cursor, WAIT_MS, &tab->text)) {
		buf_clear(&tab->text);
		buf_append_text(&tab->text, ":");
	}
	/* What gateways and watchers say ends with a newline, which would end the event. */
	for (size_t i = 0; i < tab->text.size; i++)
		if (tab->text.data[i] == '\n')
			tab->text.data[i] = ' ';
	buf_append_text(&tab->text, "\n\n");
}

static ssize_t read_live(void *context, char *bytes, size_t size_max)
{
	struct live_tab *tab = context;
	size_t size;

	if (atomic_load(&tab->page->closing))
		return 0;
	if (tab->given == tab->text.size)
		next_text(tab);
	size = tab->text.size - tab->given;
	if (size > size_max)
		size = size_max;
	memcpy(bytes, tab->text.data + tab->given, size);
	tab->given += size;
	return (ssize_t)size;
}

static void answer_live(
	struct page *page, const struct console_user *user, struct http_request *request)
{
	struct live_tab *tab = memory_zalloc(sizeof(*tab));

	tab->page = page;
	tab->view = user->view;
	buf_init(&tab->text, CLUSTER_TEXT_MAX + ANSWER_BYTES_MAX);
	page_headers(request, "no-store");
	http_answer_stream(request, "text/event-stream", read_live, free_tab, tab);
}

/* --- jobs ----------------------------------------------------------------------------------------
 */

/* Of a job that somebody else has submitted nobody here knows the secret, and the gateway says so. */
static void cancel_job(const struct page_visitor *visitor, struct http_request *request)
{
	struct wire_message cancel = {.type = WIRE_CANCEL, .cancel = {.id = 1}}, answer;
	const struct console_user *user = visitor->context;
	const char *job = http_request_argument(request, "job");
	struct arena arena;
	struct error err;

	if (!page_may_change(visitor, request))
		return;
	arena_init(&arena, 4096);
	if (job_key_parse(job ? job : "", &cancel.cancel.job, &cancel.cancel.secret, &err) ||
		ask(user->remote.server, user->remote.token, &cancel, WIRE_ACK,
			REMOTE_ANSWER_MS_MAX, &arena, &answer, &err))
		page_error(request, 422, err.message);
	else
		page_nothing(request);
	arena_release(&arena);
}

static void answer_job(const struct console_user *user, struct http_request *request)
{
	struct wire_message question = {.type = WIRE_JOB_STATUS}, answer;
	const char *id = http_request_argument(request, "id");
	struct wire_secret secret;
	struct arena arena;
	struct error err;

	arena_init(&arena, 4096);
	if (job_key_parse(id ? id : "", &question.job_status.job, &secret, &err) ||
		ask(user->remote.server, user->remote.token, &question, WIRE_STATUS_TEXT,
			REMOTE_ANSWER_MS_MAX, &arena, &answer, &err)) {
		page_error(request, 422, err.message);
	} else {
		page_headers(request, "no-store");
		http_answer(request, 200, "application/json", answer.status_text.json.data,
			answer.status_text.json.size);
	}
	arena_release(&arena);
}

static void answer_trace(const struct console_user *user, struct http_request *request)
{
	const char *job = http_request_argument(request, "job");
	struct buf out, notes;
	struct error err;

	buf_init(&out, TRACE_FILE_BYTES_MAX);
	buf_init(&notes, ANSWER_BYTES_MAX);
	if (trace_collect(&user->remote, job ? job : "", &out, &notes, &err)) {
		page_error(request, 422, err.message);
	} else {
		http_answer_header(
			request, "Content-Disposition", "attachment; filename=\"trace.json\"");
		page_json(request, 200, &out);
	}
	buf_release(&notes);
	buf_release(&out);
}

static void answer_api(struct page *page, const struct page_visitor *visitor,
	struct http_request *request, const char *path)
{
	struct console_user *user = visitor->context;
	struct ui_router router = user->router;

	router.visitor = visitor;
	if (strcmp(path, "live") == 0)
		answer_live(page, user, request);
	else if (strcmp(path, "cancel") == 0)
		cancel_job(visitor, request);
	else if (strcmp(path, "job") == 0)
		answer_job(user, request);
	else if (strcmp(path, "trace") == 0)
		answer_trace(user, request);
	else
		route_api(&router, request, path);
}

/* --- who looks -----------------------------------------------------------------------------------
 */

static int add_user(struct cluster_console *console, const char *token, struct console_user **out,
	struct error *err)
{
	const struct console_options *options = console->options;
	struct console_user *user = memory_zalloc(sizeof(*user));

	memcpy(user->token, token, strlen(token) + 1);
	user->remote = options->remote;
	user->remote.token = user->token;
	user->options = (struct ui_options){.remote = &user->remote, .memory = MEMORY_BYTES};
	if (ui_places(&user->places, &options->data, err)) {
		free(user);
		return -1;
	}
	user->options.data = user->places.data;
	user->options.folder = user->places.folder;
	user->router.options = &user->options;
	user->router.name = user->remote.server;
	if (cluster_view_new(&user->view, &user->remote, err)) {
		upload_folder_remove(user->places.folder);
		free(user);
		return -1;
	}
	user->router.questions = questions_new(&user->options);
	user->next = console->users;
	console->users = user;
	*out = user;
	return 0;
}

static void free_users(struct cluster_console *console)
{
	struct console_user *user;

	while ((user = console->users)) {
		console->users = user->next;
		questions_free(user->router.questions);
		cluster_view_free(user->view);
		upload_folder_remove(user->places.folder);
		free(user);
	}
}

/* The gateway knows its users, and takes its time with those that it does not know. */
static int login(struct page *page, const char *secret, void **context, struct error *err)
{
	struct cluster_console *console = (struct cluster_console *)page;
	struct wire_message question = {.type = WIRE_STATUS}, answer;
	struct console_user *user;
	struct arena arena;
	int status;

	if (strlen(secret) > WIRE_TOKEN_MAX)
		return error_set(
			err, ERROR_USAGE, "a token may have %u bytes at most", WIRE_TOKEN_MAX);
	arena_init(&arena, 4096);
	status = ask(console->options->remote.server, secret, &question, WIRE_STATUS_TEXT,
		REMOTE_ANSWER_MS_MAX, &arena, &answer, err);
	arena_release(&arena);
	if (status || add_user(console, secret, &user, err))
		return -1;
	*context = user;
	return 0;
}

int console_run(const struct console_options *options, struct error *err)
{
	struct cluster_console console = {
		.page = {.name = "console",
			.start = "/console.html",
			.api = answer_api,
			.login = options->asks_who ? login : NULL,
			.address = options->address},
		.options = options,
	};
	struct console_user *user;
	int status = 0;

	page_hold_signals();
	if (!options->asks_who)
		status = add_user(&console, options->remote.token, &user, err);
	if (!status && !options->asks_who)
		console.page.context = user;
	if (!status)
		status = page_serve(&console.page, err);
	free_users(&console);
	return status;
}
