#include "client/submission.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "client/resume.h"
#include "client/session_loop.h"
#include "client/source.h"

#include <assert.h>
#include <stdlib.h>

#define CONNECTIONS_DEFAULT 4u
/* What may be on its way over each connection. Files may be small: then there are more chunks. */
#define WINDOW_BYTES (16u << 20)
#define WINDOW	     64u
#define PATIENCE_MS  30000u

struct submission {
	struct submission_request request;
	struct submission_handler handler;
	struct state state;
	char *schema; /* of the request, with the start of the job */
	bool resumed;
	uint64_t expiring_job;
	uint64_t retries; /* that are left */
	struct rng rng;
	struct net *net;
	struct chunk_source *source;
	/* While it runs. */
	struct session *session;
	struct session_loop loop;
};

/* Connections go first: they may be sending chunks of the source. */
static void close_files(struct submission *s)
{
	net_free(s->net);
	source_free(s->source);
	s->net = NULL;
	s->source = NULL;
}

/* Files and connections anew: old ones may still be busy with a job that was lost. */
static int open_files(struct submission *s, struct error *err)
{
	const struct submission_request *request = &s->request;

	close_files(s);
	return net_new(&s->net, request->server, err) ||
			       source_new(&s->source, request->plan, request->catalog,
				       request->data, err)
		       ? -1
		       : 0;
}

/* A job that is sent again starts when the first one did: its rows are the same. */
static int write_schema(struct submission *s, struct error *err)
{
	struct buf text;
	int status = 0;

	buf_init(&text, WIRE_SQL_MAX);
	statement_start_write(&s->state.start, true, &text);
	buf_append_text(&text, s->request.schema);
	buf_append_char(&text, '\0');
	if (buf_overflowed(&text))
		status = error_set(err, ERROR_LIMIT, "the tables' schema has more than %u bytes",
			WIRE_SQL_MAX);
	else
		s->schema = memory_strdup(text.data);
	buf_release(&text);
	return status;
}

static int open_job(struct submission *s, struct error *err)
{
	const struct submission_request *request = &s->request;
	struct resume_request resume = {
		.state_path = request->state_path,
		.data = request->data,
		.server = request->server,
		.token = request->token,
		.request = request->hash,
		.start = &request->catalog->start,
		.chunk_bytes = request->chunk_bytes,
		.restart = request->restart,
	};

	if (resume_open(&s->state, &resume, s->source, &s->resumed, &s->expiring_job, err))
		return -1;
	source_set_chunk_bytes(s->source, (size_t)s->state.chunk_bytes);
	return write_schema(s, err);
}

static void release(struct submission *s, bool over)
{
	assert(!s->session);
	state_close(&s->state, over);
	close_files(s);
	free(s->schema);
	free(s);
}

int submission_open(struct submission **out, const struct submission_request *request,
	const struct submission_handler *handler, struct error *err)
{
	struct submission *s = memory_zalloc(sizeof(*s));

	s->request = *request;
	s->handler = *handler;
	s->retries = request->retries;
	s->state.lock_fd = -1;
	if (random_id(&s->rng.state, err) || open_files(s, err) || open_job(s, err)) {
		release(s, false);
		return -1;
	}
	*out = s;
	return 0;
}

void submission_close(struct submission *s, bool over)
{
	struct error ignored;

	/* What is lost of the state is sent once more. */
	if (!over)
		(void)!state_save(&s->state, true, &ignored);
	release(s, over);
}

/* --- a session -----------------------------------------------------------------------------------
 */

static enum session_read on_read(void *context, const char *table, uint32_t number,
	struct session_chunk *chunk, struct error *err)
{
	return source_read(((struct submission *)context)->source, table, number, chunk, err);
}

static void on_acked(void *context, const char *table, uint32_t number)
{
	source_acked(((struct submission *)context)->source, table, number);
}

static int on_result(
	void *context, uint32_t query, const uint8_t *data, size_t size, struct error *err)
{
	const struct submission_handler *handler = &((struct submission *)context)->handler;

	return handler->result(handler->context, query, data, size, err);
}

static int on_result_end(void *context, uint32_t query, struct error *err)
{
	const struct submission_handler *handler = &((struct submission *)context)->handler;

	return handler->result_end(handler->context, query, err);
}

static void open_session(struct submission *s)
{
	const struct submission_request *request = &s->request;
	struct session_options options = {
		.job = s->state.job,
		.secret = s->state.secret,
		.token = request->token,
		.schema = s->schema,
		.table_count = request->table_count,
		.table_bytes = request->table_bytes,
		.query_count = request->query_count,
		.queries = request->queries,
		.connections = request->connections ? request->connections : CONNECTIONS_DEFAULT,
		.window = WINDOW,
		.window_bytes = WINDOW_BYTES,
		.no_wait = request->no_wait,
		.patience_ms = PATIENCE_MS,
	};
	struct session_source source = {.read = on_read,
		.acked = on_acked,
		.result = on_result,
		.result_end = on_result_end,
		.context = s};

	assert(!s->session);
	s->session = session_new(&options, &s->state.session, &source, net_port(s->net), &s->rng);
	session_loop_init(&s->loop, s->net, s->session);
}

static bool is_over(const struct session *session)
{
	return session_phase(session) == SESSION_DONE || session_phase(session) == SESSION_FAILED;
}

static int drive_session(struct submission *s, struct error *err)
{
	bool all_is_saved = false;

	while (!is_over(s->session)) {
		uint64_t now_ms;

		if (session_loop_turn(&s->loop, err))
			return -1;
		if (s->handler.interrupted(s->handler.context) && !is_over(s->session))
			return error_set(err, ERROR_INTERRUPTED, "interrupted");
		now_ms = clock_monotonic_ms();
		/* While it fetches nothing changes any more. */
		if (now_ms - s->state.saved_ms >= STATE_SAVE_MS && !all_is_saved) {
			all_is_saved = session_phase(s->session) == SESSION_FETCHING;
			if (state_save(&s->state, false, err))
				return -1;
			s->state.saved_ms = now_ms;
		}
	}
	if (session_phase(s->session) == SESSION_DONE)
		return 0;
	*err = *session_error(s->session);
	return -1;
}

static int begin_again(struct submission *s, const struct error *why, struct error *err)
{
	assert(s->retries > 0);
	if (open_files(s, err) || resume_begin_again(&s->state, s->source, err))
		return -1;
	source_set_chunk_bytes(s->source, (size_t)s->state.chunk_bytes);
	s->retries--;
	s->handler.begins_again(s->handler.context, why);
	return 0;
}

int submission_run(struct submission *s, enum session_verdict *verdict, struct error *err)
{
	for (;;) {
		struct error why;
		int status;

		open_session(s);
		status = drive_session(s, err);
		why = *err;
		*verdict = session_verdict(s->session);
		session_free(s->session);
		s->session = NULL;
		if (status == 0 || *verdict != SESSION_JOB_LOST || s->retries == 0)
			return status;
		if (begin_again(s, &why, err))
			return -1;
	}
}

/* --- what is known of it -------------------------------------------------------------------------
 */

uint64_t submission_job(const struct submission *s)
{
	return s->state.job;
}

const struct wire_secret *submission_secret(const struct submission *s)
{
	return &s->state.secret;
}

bool submission_is_resumed(const struct submission *s)
{
	return s->resumed;
}

uint64_t submission_expiring_job(const struct submission *s)
{
	return s->expiring_job;
}

struct submission_progress submission_progress(const struct submission *s)
{
	struct session_progress steps;

	assert(s->session);
	if (session_phase(s->session) != SESSION_FETCHING)
		return (struct submission_progress){.sending = true,
			.done = source_bytes_acked(s->source),
			.total = source_bytes_total(s->source)};
	steps = session_progress(s->session);
	return (struct submission_progress){.done = steps.streams_closed, .total = steps.streams};
}

const char *submission_trouble(const struct submission *s)
{
	assert(s->session);
	return session_loop_trouble(&s->loop);
}

uint64_t submission_bytes_total(const struct submission *s)
{
	return source_bytes_total(s->source);
}

uint32_t submission_table_count(const struct submission *s)
{
	return s->state.session.table_count;
}

/* Records that are too large for any chunk were never sent: we alone know of them. */
struct submission_rows submission_rows(const struct submission *s, uint32_t index)
{
	const struct session_table *table = &s->state.session.tables[index];
	uint64_t oversized = source_oversized(s->source, table->name);

	assert(index < s->state.session.table_count);
	return (struct submission_rows){.table = table->name,
		.rows = table->rows + oversized,
		.rejects = table->rejects + oversized,
		.counted = table->uncounted == 0};
}

const char *submission_note(const struct submission *s, uint32_t index)
{
	return source_note(s->source, index);
}
