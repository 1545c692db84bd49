#include "cli/ui/route.h"

#include "base/digits.h"
#include "base/json_write.h"
#include "cli/cli.h"
#include "cli/ui/answer.h"
#include "cli/ui/upload.h"
#include "plan/function_table.h"
#include "sql/compile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define JSON_TYPE   "application/json"
#define WAIT_MS_MAX 1000u
#define QUESTIONS   "questions"

/* What the query or its data did wrong is 422, what there is too much of 429. */
static void answer_failure(struct http_request *request, const struct error *err)
{
	page_error(request, err->code == ERROR_LIMIT ? 429 : 422, err->message);
}

/* --- questions -----------------------------------------------------------------------------------
 */

static uint64_t number_argument(
	const struct http_request *request, const char *name, uint64_t otherwise)
{
	const char *text = http_request_argument(request, name);
	uint64_t number;

	return text && digits_parse(text, 10, UINT64_MAX, &number) ? number : otherwise;
}

static void answer_id(
	struct http_request *request, int status, uint64_t id, const struct error *err)
{
	struct buf out;

	if (status) {
		answer_failure(request, err);
		return;
	}
	buf_init(&out, ANSWER_BYTES_MAX);
	buf_printf(&out, "{\"id\":%" PRIu64 "}", id);
	page_json(request, 201, &out);
	buf_release(&out);
}

static void ask(const struct ui_router *router, struct http_request *request)
{
	struct error err;
	size_t size;
	uint64_t id = 0;
	int status;
	const char *sql = http_request_body(request, &size);

	if (!page_may_change(router->visitor, request))
		return;
	if (size > SQL_TEXT_MAX) {
		page_error(request, 413, "that is too long for a query");
		return;
	}
	if (strlen(sql) != size)
		status = error_set(&err, ERROR_SQL, "there is a zero byte in the query");
	else
		status = question_ask(router->questions, sql, &id, &err);
	answer_id(request, status, id, &err);
}

static void answer_view(struct http_request *request, struct question *question)
{
	const char *search = http_request_argument(request, "search");
	const char *order = http_request_argument(request, "order");
	struct question_view view = {
		.column = (uint32_t)number_argument(request, "column", UINT32_MAX),
		.descending = order && strcmp(order, "desc") == 0,
		.search = search ? search : "",
	};
	struct error err;
	uint64_t id = 0;
	int status = question_view(question, &view, &id, &err);

	answer_id(request, status, id, &err);
}

static void answer_page(struct http_request *request, const struct question *question)
{
	struct error err;
	struct buf out;

	buf_init(&out, ANSWER_BYTES_MAX);
	if (answer_rows(question, number_argument(request, "first", 0),
		    number_argument(request, "count", ANSWER_ROWS_MAX), &out, &err))
		answer_failure(request, &err);
	else
		page_json(request, 200, &out);
	buf_release(&out);
}

/* Takes the question. */
static void answer_file(struct http_request *request, struct question *question)
{
	const char *format = http_request_argument(request, "format");
	bool json = format && strcmp(format, "json") == 0;

	page_headers(request, "no-store");
	http_answer_header(request, "Content-Disposition",
		json ? "attachment; filename=\"result.json\""
		     : "attachment; filename=\"result.csv\"");
	http_answer_stream(request, json ? JSON_TYPE : "text/csv; charset=utf-8", download_read,
		download_free, download_new(question, json ? &format_json : &format_csv));
}

static void answer_question(struct http_request *request, struct question *question)
{
	struct buf out;

	question_wait(question, (uint32_t)(number_argument(request, "wait", 0) < WAIT_MS_MAX
						   ? number_argument(request, "wait", 0)
						   : WAIT_MS_MAX));
	buf_init(&out, ANSWER_BYTES_MAX);
	answer_state(question, &out);
	page_json(request, 200, &out);
	buf_release(&out);
}

static void put_plan(struct http_request *request, const char *text)
{
	struct buf out;
	struct json_writer json = {&out, false};

	buf_init(&out, ANSWER_BYTES_MAX);
	json_open(&json, NULL, '{');
	json_put_text(&json, "plan", text);
	json_close(&json, '}');
	page_json(request, 200, &out);
	buf_release(&out);
}

/* What can be said of rows. Takes the question. */
static void route_rows(const struct ui_router *router, struct http_request *request,
	struct question *question, const char *what)
{
	if (question_wait(question, 0) != QUESTION_DONE) {
		page_error(request, 409, "it has no rows");
	} else if (strcmp(what, "/rows") == 0) {
		answer_page(request, question);
	} else if (strcmp(what, "/plan") == 0) {
		put_plan(request, question->plan.size ? question->plan.data : "");
	} else if (strcmp(what, "/file") == 0) {
		answer_file(request, question);
		return;
	} else if (page_may_change(router->visitor, request)) {
		answer_view(request, question);
	}
	question_drop(question);
}

/* `rest`: ID, and what is asked of it. */
static void route_question(
	const struct ui_router *router, struct http_request *request, const char *rest)
{
	size_t digits = strspn(rest, "0123456789");
	const char *what = rest + digits;
	struct question *question = NULL;
	char number[24];
	uint64_t id;

	snprintf(number, sizeof(number), "%.*s", (int)(digits < 20 ? digits : 20), rest);
	if (digits_parse(number, 10, UINT64_MAX, &id))
		question = question_get(router->questions, id);
	if (!question) {
		page_error(request, 404, "this result is gone: ask again");
		return;
	}
	if (strcmp(what, "/rows") == 0 || strcmp(what, "/file") == 0 ||
		strcmp(what, "/plan") == 0 || strcmp(what, "/view") == 0) {
		route_rows(router, request, question, what);
		return;
	}
	if (*what == '\0') {
		answer_question(request, question);
	} else if (strcmp(what, "/cancel") != 0) {
		page_error(request, 404, "there is no such address");
	} else if (page_may_change(router->visitor, request)) {
		question_cancel(question);
		answer_question(request, question);
	}
	question_drop(question);
}

/* --- the rest ------------------------------------------------------------------------------------
 */

/* Whether the table has the name before this row, too: once for each number of arguments. */
static bool is_repeated(const struct function_entry *entries, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (function_is_callable(&entries[i]) &&
			strcmp(entries[i].name, entries[index].name) == 0)
			return true;
	return false;
}

/* What a query may call, for completion. */
static void put_functions(struct json_writer *json)
{
	size_t count;
	const struct function_entry *entries = function_entries(&count);

	json_open(json, "functions", '[');
	for (size_t i = 0; i < count; i++)
		if (function_is_callable(&entries[i]) && !is_repeated(entries, i))
			json_put_text(json, NULL, entries[i].name);
	json_close(json, ']');
}

static void answer_session(const struct ui_router *router, struct http_request *request)
{
	struct buf out;
	struct json_writer json = {&out, false};

	buf_init(&out, ANSWER_BYTES_MAX);
	json_open(&json, NULL, '{');
	json_put_text(&json, "token", router->visitor->token);
	json_put_text(&json, "name", router->name);
	json_put_text(&json, "version", TAMIZ_VERSION);
	put_functions(&json);
	json_close(&json, '}');
	page_json(request, 200, &out);
	buf_release(&out);
}

static void answer_all_tables(const struct ui_router *router, struct http_request *request)
{
	struct error err;
	struct buf out;

	buf_init(&out, ANSWER_BYTES_MAX);
	if (answer_tables(router->options, &out, &err))
		answer_failure(request, &err);
	else
		page_json(request, 200, &out);
	buf_release(&out);
}

static void answer_plan(const struct ui_router *router, struct http_request *request)
{
	struct error err;
	struct buf text;
	size_t size;
	const char *sql = http_request_body(request, &size);

	if (!page_may_change(router->visitor, request))
		return;
	buf_init(&text, ANSWER_BYTES_MAX);
	if (question_plan(router->options, sql, &text, &err)) {
		answer_failure(request, &err);
	} else {
		buf_append_char(&text, '\0');
		put_plan(request, text.data);
	}
	buf_release(&text);
}

/* A piece of a file that was dropped onto the page. */
static void take_file(const struct ui_router *router, struct http_request *request)
{
	const char *name = http_request_argument(request, "name");
	struct upload_piece piece = {
		.name = name ? name : "", .at = number_argument(request, "at", 0)};
	struct error err;
	int status;

	if (!page_may_change(router->visitor, request))
		return;
	piece.bytes = http_request_body(request, &piece.size);
	if (number_argument(request, "gone", 0))
		status = upload_remove(router->options->folder, piece.name, &err);
	else
		status = upload_write(router->options->folder, &piece, &err);
	if (status)
		answer_failure(request, &err);
	else
		page_nothing(request);
}

static void fetch(const struct ui_router *router, struct http_request *request)
{
	const char *job = http_request_argument(request, "job");
	struct error err;
	uint64_t id = 0;
	int status;

	if (!page_may_change(router->visitor, request))
		return;
	status = question_fetch(router->questions, job ? job : "",
		(uint32_t)number_argument(request, "query", 0), &id, &err);
	answer_id(request, status, id, &err);
}

void route_api(const struct ui_router *router, struct http_request *request, const char *path)
{
	if (strcmp(path, "session") == 0)
		answer_session(router, request);
	else if (strcmp(path, "tables") == 0)
		answer_all_tables(router, request);
	else if (strcmp(path, "plan") == 0)
		answer_plan(router, request);
	else if (strcmp(path, "files") == 0)
		take_file(router, request);
	else if (strcmp(path, "results") == 0 && router->options->remote)
		fetch(router, request);
	else if (strcmp(path, QUESTIONS) == 0)
		ask(router, request);
	else if (strncmp(path, QUESTIONS "/", strlen(QUESTIONS) + 1) == 0)
		route_question(router, request, path + strlen(QUESTIONS) + 1);
	else
		page_error(request, 404, "there is no such address");
}
