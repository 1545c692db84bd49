#include "cli/ui/question_private.h"

#include "base/clock.h"
#include "base/memory.h"
#include "sql/statement.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ARENA_BLOCK_BYTES (64u << 10)
#define PLAN_BYTES_MAX	  (4u << 20)
#define STACK_BYTES	  ((size_t)16 << 20)
/* All rows that stay may take this share of the memory, and those of one question half of that. */
#define MEMORY_SHARE  4
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
	buf_release(&question->plan);
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
	double started = clock_monotonic_seconds();
	struct asked asked;
	int status;

	asked_init(&asked, question->owner->options, question, question->sql);
	status = question->fetched ? question_fetch_rows(&asked, &question->error)
				   : question_answer(&asked, &question->error);
	/* What there was room for is better than nothing. */
	if (status && question->truncated)
		status = 0;
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
	buf_init(&question->plan, PLAN_BYTES_MAX);
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

/* With the lock; takes the question, which has not begun. */
static int start(struct question *question, uint64_t *id, struct error *err)
{
	struct questions *questions = question->owner;
	int status = 0;

	if (questions->closing || questions->running >= QUESTIONS_RUN_MAX)
		status = error_set(err, ERROR_LIMIT,
			"%u queries are running: wait for one, or cancel it", questions->running);
	if (!status)
		make_room(questions);
	if (!status && questions->count >= QUESTIONS_MAX)
		status = error_set(err, ERROR_LIMIT, "too many results are being read");
	question->id = *id = ++questions->last_id;
	if (!status)
		status = start_thread(question, err);
	if (status) {
		free_question(question);
		return -1;
	}
	if (question->parent)
		question->parent->users++;
	questions->running++;
	questions->count++;
	question->next = questions->newest;
	questions->newest = question;
	return 0;
}

static int start_locked(struct question *question, uint64_t *id, struct error *err)
{
	struct questions *questions = question->owner;
	int status;

	pthread_mutex_lock(&questions->lock);
	status = start(question, id, err);
	pthread_mutex_unlock(&questions->lock);
	return status;
}

int question_ask(struct questions *questions, const char *sql, uint64_t *id, struct error *err)
{
	return start_locked(new_question(questions, sql, NULL), id, err);
}

int question_fetch(struct questions *questions, const char *job, uint32_t query, uint64_t *id,
	struct error *err)
{
	struct question *question = new_question(questions, "", NULL);

	question->fetched = arena_strdup(&question->arena, job);
	question->fetched_query = query;
	return start_locked(question, id, err);
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

/* What is shown as it was written is sorted by what it stands for. */
static void append_order(
	const struct question *parent, const struct question_view *view, struct buf *sql)
{
	struct type meant = parent->meant[view->column];
	char type[TYPE_NAME_MAX];

	buf_printf(sql, " ORDER BY c%u", view->column + 1);
	if (meant.kind != parent->types[view->column].kind)
		buf_printf(sql, "::%s", type_name(meant, type));
	buf_printf(sql, "%s NULLS LAST", view->descending ? " DESC" : "");
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
		append_order(parent, view, &sql);
	buf_append_char(&sql, '\0');
	status = buf_overflowed(&sql)
			 ? error_set(err, ERROR_LIMIT, "there are too many columns")
			 : start_locked(new_question(questions, sql.data, parent), id, err);
	buf_release(&sql);
	return status;
}
