#include "cli/ui/question.h"

#include "base/clock.h"
#include "base/memory.h"
#include "cli/request/execute.h"
#include "local/run.h"
#include "sql/statement.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ARENA_BLOCK_BYTES (64u << 10)
#define STACK_BYTES	  ((size_t)16 << 20)
/* All rows that stay may take this share of the memory, and those of one question half of that. */
#define MEMORY_SHARE  4
#define REJECTS_KEPT  5
#define VIEW_TEXT_MAX (1u << 20)

struct questions {
	const struct ui_options *options;
	pthread_mutex_t lock;
	pthread_cond_t ended; /* a question has lost a user */
	struct question *newest;
	uint32_t count;
	uint32_t running;
	uint64_t last_id;
	bool closing;
	size_t bytes_max;
};

/* --- a list of them ------------------------------------------------------------------------------
 */

struct questions *questions_new(const struct ui_options *options)
{
	struct questions *questions = memory_zalloc(sizeof(*questions));
	size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);

	questions->options = options;
	if (options->memory > 0 && options->memory < memory)
		memory = options->memory;
	questions->bytes_max = memory / MEMORY_SHARE;
	pthread_mutex_init(&questions->lock, NULL);
	pthread_cond_init(&questions->ended, NULL);
	return questions;
}

static void free_question(struct question *question)
{
	kept_rows_release(&question->rows);
	buf_release(&question->notes);
	arena_release(&question->arena);
	pthread_mutex_destroy(&question->lock);
	pthread_cond_destroy(&question->changed);
	free(question->firsts);
	free(question->sql);
	free(question);
}

static void take_out(struct question *question)
{
	struct question **at = &question->owner->newest;

	while (*at != question)
		at = &(*at)->next;
	*at = question->next;
	question->owner->count--;
}

/* With the lock. */
static void forget(struct question *question)
{
	struct question *parent = question->parent;

	assert(question->users == 0);
	take_out(question);
	free_question(question);
	if (parent)
		parent->users--;
}

static size_t held_bytes(const struct questions *questions)
{
	size_t bytes = 0;

	for (struct question *q = questions->newest; q; q = q->next) {
		pthread_mutex_lock(&q->lock);
		if (q->state != QUESTION_RUNNING)
			bytes += q->rows.bytes;
		pthread_mutex_unlock(&q->lock);
	}
	return bytes;
}

/* The oldest that nobody uses, until there is room for another. */
static void make_room(struct questions *questions)
{
	for (;;) {
		struct question *oldest = NULL;

		for (struct question *q = questions->newest; q; q = q->next)
			if (q->users == 0)
				oldest = q;
		if (!oldest || (questions->count < QUESTIONS_MAX &&
				       held_bytes(questions) <= questions->bytes_max / 2))
			return;
		forget(oldest);
	}
}

struct question *question_get(struct questions *questions, uint64_t id)
{
	struct question *question;

	pthread_mutex_lock(&questions->lock);
	question = questions->newest;
	while (question && question->id != id)
		question = question->next;
	if (question)
		question->users++;
	pthread_mutex_unlock(&questions->lock);
	return question;
}

void question_drop(struct question *question)
{
	struct questions *questions = question->owner;

	pthread_mutex_lock(&questions->lock);
	assert(question->users > 0);
	question->users--;
	pthread_cond_broadcast(&questions->ended);
	pthread_mutex_unlock(&questions->lock);
}

void questions_free(struct questions *questions)
{
	pthread_mutex_lock(&questions->lock);
	questions->closing = true;
	for (struct question *q = questions->newest; q; q = q->next)
		question_cancel(q);
	while (questions->newest) {
		struct question *free_one = questions->newest;

		while (free_one && free_one->users > 0)
			free_one = free_one->next;
		if (free_one)
			forget(free_one);
		else
			pthread_cond_wait(&questions->ended, &questions->lock);
	}
	pthread_mutex_unlock(&questions->lock);
	pthread_mutex_destroy(&questions->lock);
	pthread_cond_destroy(&questions->ended);
	free(questions);
}

enum question_state question_wait(struct question *question, uint32_t ms)
{
	enum question_state state;
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += (long)(ms % 1000) * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&question->lock);
	while (question->state == QUESTION_RUNNING)
		if (pthread_cond_timedwait(&question->changed, &question->lock, &until))
			break;
	state = question->state;
	pthread_mutex_unlock(&question->lock);
	return state;
}

void question_cancel(struct question *question)
{
	atomic_store(&question->interrupted, true);
}

/* --- its thread ----------------------------------------------------------------------------------
 */

struct asked {
	struct result_sink sink; /* first: the calls get back from it */
	struct question *question;
	struct arena arena; /* gone with the thread */
	struct sql_text text;
	struct sql_statement statement;
	struct catalog catalog;
	struct table_schema parent; /* the rows of another question */
	bool explains;		    /* it is only to be planned */
	struct plan *plan;
};

static int keep_rows(
	struct result_sink *sink, uint32_t query, const struct batch *batch, struct error *err)
{
	struct question *question = ((struct asked *)sink)->question;
	struct kept_rows *rows = &question->rows;

	(void)query;
	if (batch->selected == 0)
		return 0;
	if (kept_rows_append(rows, batch, err)) {
		/* What there was room for is better than nothing. */
		question->truncated = err->code == ERROR_LIMIT;
		return -1;
	}
	if ((rows->batch_count & (rows->batch_count - 1)) == 0)
		question->firsts = memory_realloc(question->firsts,
			2 * (size_t)rows->batch_count * sizeof(*question->firsts));
	question->firsts[rows->batch_count - 1] = question->row_count;
	question->row_count += batch->selected;
	return 0;
}

static int keep_done(struct result_sink *sink, uint32_t query, struct error *err)
{
	(void)sink;
	(void)query;
	(void)err;
	return 0;
}

static void on_progress(void *context, const struct local_progress *progress)
{
	struct question *question = context;

	pthread_mutex_lock(&question->lock);
	question->bytes_done = progress->bytes_done;
	question->bytes_total = progress->bytes_total;
	pthread_mutex_unlock(&question->lock);
}

/* Columns of another question are c1, c2, ...: its names may be anything, and twice the same. */
static void offer_parent(struct asked *asked)
{
	const struct question *parent = asked->question->parent;
	struct table_column *columns =
		arena_zalloc(&asked->arena, (parent->column_count + 1) * sizeof(*columns));

	for (uint32_t c = 0; c < parent->column_count; c++) {
		char name[16];

		snprintf(name, sizeof(name), "c%u", c + 1);
		columns[c].name = arena_strdup(&asked->arena, name);
		columns[c].type = parent->rows.types[c];
	}
	asked->parent = (struct table_schema){.name = "result",
		.files = "",
		.column_count = parent->column_count,
		.columns = columns,
		.bytes = parent->rows.bytes + 1,
		.kept = &parent->rows};
	asked->catalog = (struct catalog){.table_count = 1, .tables = &asked->parent};
}

/* Only what has rows, and changes nothing: there is no session in which anything could be kept. */
static int check_kind(const struct asked *asked, struct error *err)
{
	switch (asked->statement.kind) {
	case SQL_QUERY: return 0;
	case SQL_NOTHING: return error_set(err, ERROR_SQL, "there is no query");
	default: break;
	}
	return sql_text_error(&asked->text, asked->statement.location, err,
		"this page answers queries: SELECT, WITH, VALUES, TABLE. Everything else is for "
		"tamiz shell");
}

static int plan_it(struct asked *asked, const struct ui_options *options, struct error *err)
{
	struct sql_queries *queries = &asked->statement.queries;

	if (sql_statement_parse(&asked->text, &asked->arena, &asked->statement, err) ||
		check_kind(asked, err))
		return -1;
	/* Rows have the types that they mean, for whoever sorts them. */
	queries->kept = true;
	if (asked->question && asked->question->parent)
		offer_parent(asked);
	else if (catalog_load(options->schema, queries, &options->data, &options->files,
			 &asked->arena, &asked->catalog, err))
		return -1;
	asked->catalog.explains = asked->explains;
	return sql_plan(&asked->catalog, queries, &asked->arena, &asked->plan, err);
}

/* Names and types of what comes, which a wider guess may have changed. */
static void begin_rows(struct asked *asked)
{
	const struct plan_query *query = &asked->plan->queries[0];
	struct question *question = asked->question;
	const struct question *parent = question->parent;

	kept_rows_reset(&question->rows, query->column_count, query->types);
	question->row_count = 0;
	question->column_count = query->column_count;
	question->types = question->rows.types;
	question->names =
		arena_alloc(&question->arena, (query->column_count + 1) * sizeof(*question->names));
	for (uint32_t c = 0; c < query->column_count; c++)
		question->names[c] =
			parent ? parent->names[c] : arena_strdup(&question->arena, query->names[c]);
}

static void note(struct question *question, const char *text)
{
	buf_printf(&question->notes, "%s\n", text);
}

static void note_files(struct asked *asked)
{
	for (uint32_t t = 0; t < asked->plan->table_count && !asked->question->parent; t++) {
		const struct table_schema *table =
			&asked->catalog.tables[asked->plan->tables[t].source];

		if (table->note)
			note(asked->question, table->note);
	}
	if (asked->plan->queries[0].warning)
		note(asked->question, asked->plan->queries[0].warning);
}

static void note_report(struct question *question, const struct local_report *report)
{
	for (uint32_t i = 0; i < report->table_count; i++) {
		question->rows_read += report->tables[i].rows;
		question->rows_rejected += report->tables[i].rejects;
	}
	for (uint32_t i = 0; i < report->note_count; i++)
		note(question, report->notes[i]);
	for (uint64_t i = 0; i < report->reject_count && i < REJECTS_KEPT; i++) {
		const struct local_reject *reject = &report->rejected[i];

		buf_printf(&question->notes, "%s:%" PRIu64 ": %s%s%s%s\n", reject->path,
			reject->line, reject->column ? reject->column : "",
			reject->column ? ": " : "", reject->reason, reject->sample ? ": " : "");
		if (reject->sample)
			note(question, reject->sample);
	}
}

/* Until no guess is wrong; each time one is, a type gets wider. */
static int run_plan(struct asked *asked, const struct ui_options *options, struct error *err)
{
	struct question *question = asked->question;
	const struct reject_limit limit = {.percent = REJECT_PERCENT_DEFAULT};
	const struct local_options local = {
		.reject_limit = &limit,
		.threads = (uint32_t)options->threads,
		.memory = options->memory,
		.rejects_kept_max = REJECTS_KEPT,
		.interrupted = &question->interrupted,
		.on_progress = on_progress,
		.progress_context = question,
	};
	int status;

	do {
		struct local_report report = {0};

		begin_rows(asked);
		status = local_run(asked->plan, &asked->catalog, &options->data, &local,
			&asked->sink, &report, err);
		if (status == LOCAL_GUESS_WRONG &&
			(execute_widen_all(&asked->catalog, &options->data, &asked->arena, &report,
				 &question->notes, err) ||
				sql_plan(&asked->catalog, &asked->statement.queries, &asked->arena,
					&asked->plan, err)))
			status = -1;
		else if (status != LOCAL_GUESS_WRONG)
			note_report(question, &report);
		local_report_release(&report);
	} while (status == LOCAL_GUESS_WRONG);
	if (status && question->truncated)
		status = 0;
	return status;
}

static int answer(struct asked *asked, const struct ui_options *options, struct error *err)
{
	if (plan_it(asked, options, err))
		return -1;
	note_files(asked);
	return run_plan(asked, options, err);
}

static void finish(struct question *question, int status, double started)
{
	struct questions *questions = question->owner;

	kept_rows_seal(&question->rows);
	question->seconds = clock_monotonic_seconds() - started;
	pthread_mutex_lock(&question->lock);
	if (!status)
		question->state = QUESTION_DONE;
	else if (question->error.code == ERROR_INTERRUPTED)
		question->state = QUESTION_CANCELLED;
	else
		question->state = QUESTION_FAILED;
	pthread_cond_broadcast(&question->changed);
	pthread_mutex_unlock(&question->lock);
	pthread_mutex_lock(&questions->lock);
	questions->running--;
	pthread_mutex_unlock(&questions->lock);
	question_drop(question);
}

static void *thread_main(void *context)
{
	struct question *question = context;
	struct asked asked = {.sink = {.rows = keep_rows, .done = keep_done},
		.question = question,
		.text = {.name = "", .title = "", .text = question->sql}};
	double started = clock_monotonic_seconds();
	int status;

	arena_init(&asked.arena, ARENA_BLOCK_BYTES);
	status = answer(&asked, question->owner->options, &question->error);
	arena_release(&asked.arena);
	finish(question, status, started);
	return NULL;
}

/* --- asking --------------------------------------------------------------------------------------
 */

static struct question *new_question(
	struct questions *questions, const char *sql, struct question *parent)
{
	struct question *question = memory_zalloc(sizeof(*question));
	pthread_condattr_t attributes;

	question->owner = questions;
	question->sql = memory_strdup(sql);
	question->parent = parent;
	question->users = 1;
	pthread_mutex_init(&question->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&question->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	arena_init(&question->arena, ARENA_BLOCK_BYTES);
	buf_init(&question->notes, QUESTION_NOTES_MAX);
	kept_rows_init(&question->rows, 0, NULL, questions->bytes_max / 2);
	return question;
}

static int start_thread(struct question *question, struct error *err)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int number;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	number = pthread_create(&thread, &attributes, thread_main, question);
	pthread_attr_destroy(&attributes);
	return number ? error_set(err, ERROR_IO, "cannot start a thread: %s", strerror(number)) : 0;
}

/* With the lock. */
static int start(struct questions *questions, const char *sql, struct question *parent,
	uint64_t *id, struct error *err)
{
	struct question *question;

	if (questions->closing || questions->running >= QUESTIONS_RUN_MAX)
		return error_set(err, ERROR_LIMIT,
			"%u queries are running: wait for one, or cancel it", questions->running);
	make_room(questions);
	if (questions->count >= QUESTIONS_MAX)
		return error_set(err, ERROR_LIMIT, "too many results are being read");
	question = new_question(questions, sql, parent);
	question->id = *id = ++questions->last_id;
	if (start_thread(question, err)) {
		free_question(question);
		return -1;
	}
	if (parent)
		parent->users++;
	questions->running++;
	questions->count++;
	question->next = questions->newest;
	questions->newest = question;
	return 0;
}

int question_ask(struct questions *questions, const char *sql, uint64_t *id, struct error *err)
{
	int status;

	pthread_mutex_lock(&questions->lock);
	status = start(questions, sql, NULL, id, err);
	pthread_mutex_unlock(&questions->lock);
	return status;
}

/* Of all columns, as texts. */
static void append_search(const struct question *parent, const char *search, struct buf *sql)
{
	for (uint32_t c = 0; c < parent->column_count; c++) {
		buf_printf(sql, "%s strpos(lower(c%u::text), lower(", c ? " OR" : " WHERE", c + 1);
		sql_append_quoted(sql, search, '\'');
		buf_append_text(sql, ")) > 0");
	}
}

int question_view(
	struct question *parent, const struct question_view *view, uint64_t *id, struct error *err)
{
	struct questions *questions = parent->owner;
	struct buf sql;
	int status;

	if (strlen(view->search) > QUESTION_SEARCH_MAX)
		return error_set(err, ERROR_LIMIT, "that is too long to be searched for");
	buf_init(&sql, VIEW_TEXT_MAX);
	buf_append_text(&sql, "SELECT * FROM result");
	if (view->search[0])
		append_search(parent, view->search, &sql);
	if (view->column < parent->column_count)
		buf_printf(&sql, " ORDER BY c%u%s NULLS LAST", view->column + 1,
			view->descending ? " DESC" : "");
	buf_append_char(&sql, '\0');
	pthread_mutex_lock(&questions->lock);
	status = buf_overflowed(&sql) ? error_set(err, ERROR_LIMIT, "there are too many columns")
				      : start(questions, sql.data, parent, id, err);
	pthread_mutex_unlock(&questions->lock);
	buf_release(&sql);
	return status;
}

int question_plan(
	const struct ui_options *options, const char *sql, struct buf *out, struct error *err)
{
	struct asked asked = {.text = {.name = "", .title = "", .text = sql}, .explains = true};
	int status;

	arena_init(&asked.arena, ARENA_BLOCK_BYTES);
	status = plan_it(&asked, options, err);
	if (!status)
		sql_explain(asked.plan, out);
	arena_release(&asked.arena);
	return status;
}
