#include "client/session.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_DEFAULT	 8u
#define PATIENCE_DEFAULT 10000u
#define BACKOFF_MIN_MS	 50u
#define BACKOFF_MAX_MS	 5000u
#define POLL_MS		 100u

/* A message that waits for its ACK. */
struct in_flight {
	uint32_t id; /* 0: the slot is free */
	uint32_t table;
	uint32_t chunk; /* 0: the end of the table */
};

struct session {
	struct session_options options;
	struct session_state *state;
	struct session_source source;
	struct role_port *port;
	struct rng *rng;
	enum session_phase phase;
	struct error error;

	uint64_t connection; /* 0: none */
	uint64_t heard_ms;
	uint64_t retry_ms; /* not before */
	uint64_t backoff_ms;
	/* This connection's: */
	uint32_t next_id;
	uint32_t window;
	struct in_flight *flight;
	uint32_t table_count; /* as the gateway numbers them: indexes into the state's tables */
	uint32_t tables[WIRE_TABLES_MAX];
	bool asked;	     /* for results, and not answered to the end */
	uint32_t asked_last; /* chunk of the answer */
	uint64_t poll_ms;
	/* The result that is being fetched. */
	uint32_t query;
	uint32_t chunks; /* received */

	struct arena arena;
	struct buf frame;
	struct buf chunk;
};

void session_state_release(struct session_state *state)
{
	for (uint32_t t = 0; t < state->table_count; t++)
		interval_set_release(&state->tables[t].acked);
	free(state->tables);
	*state = (struct session_state){0};
}

struct session *session_new(const struct session_options *options, struct session_state *state,
	const struct session_source *source, struct role_port *port, struct rng *rng)
{
	struct session *session = memory_zalloc(sizeof(*session));

	session->options = *options;
	session->state = state;
	session->source = *source;
	session->port = port;
	session->rng = rng;
	session->window = options->window ? options->window : WINDOW_DEFAULT;
	session->flight = memory_zalloc(session->window * sizeof(*session->flight));
	if (session->options.patience_ms == 0)
		session->options.patience_ms = PATIENCE_DEFAULT;
	arena_init(&session->arena, 64u << 10);
	buf_init(&session->frame, WIRE_FRAME_MAX);
	buf_init(&session->chunk, WIRE_FRAME_MAX);
	return session;
}

void session_free(struct session *session)
{
	if (!session)
		return;
	free(session->flight);
	arena_release(&session->arena);
	buf_release(&session->frame);
	buf_release(&session->chunk);
	free(session);
}

enum session_phase session_phase(const struct session *session)
{
	return session->phase;
}

const struct error *session_error(const struct session *session)
{
	return &session->error;
}

static bool is_over(const struct session *session)
{
	return session->phase == SESSION_DONE || session->phase == SESSION_FAILED;
}

static void fail(struct session *session, const struct error *why)
{
	session->phase = SESSION_FAILED;
	session->error = *why;
}

/* --- the connection ------------------------------------------------------------------------------
 */

static void send_message(struct session *session, const struct wire_message *message)
{
	struct error err;

	buf_clear(&session->frame);
	wire_encode(message, &session->frame);
	if (buf_overflowed(&session->frame)) {
		error_set(&err, ERROR_LIMIT, "a message of more than %u MB: use smaller chunks",
			WIRE_FRAME_MAX >> 20);
		fail(session, &err);
		return;
	}
	session->port->send(
		session->port, session->connection, session->frame.data, session->frame.size);
}

bool session_wants_connection(const struct session *session, uint64_t now_ms)
{
	return session->connection == 0 && !is_over(session) && now_ms >= session->retry_ms;
}

/* What was on its way is on its way no more; it will be sent again. */
static void forget_connection(struct session *session, uint64_t now_ms)
{
	uint64_t doubled = 2 * session->backoff_ms;

	session->connection = 0;
	session->asked = false;
	memset(session->flight, 0, session->window * sizeof(*session->flight));
	if (!is_over(session))
		session->phase = SESSION_OPENING;
	session->backoff_ms = doubled < BACKOFF_MIN_MS	 ? BACKOFF_MIN_MS
			      : doubled > BACKOFF_MAX_MS ? BACKOFF_MAX_MS
							 : doubled;
	session->retry_ms = now_ms + 1 + rng_below(session->rng, session->backoff_ms);
}

static void leave(struct session *session, uint64_t now_ms)
{
	session->port->drop(session->port, session->connection);
	forget_connection(session, now_ms);
}

void session_on_closed(struct session *session, uint64_t connection, uint64_t now_ms)
{
	if (connection == session->connection)
		forget_connection(session, now_ms);
}

void session_on_open(struct session *session, uint64_t connection, uint64_t now_ms)
{
	struct wire_message hello = {.type = WIRE_HELLO,
		.hello = {.version = WIRE_VERSION,
			.token = session->options.token ? session->options.token : ""}};
	struct wire_message request = {.type = WIRE_REQUEST,
		.request = {
			.job = session->options.job,
			.schema = session->options.schema,
			.table_count = session->options.table_count,
			.table_bytes = session->options.table_bytes,
			.query_count = session->options.query_count,
			.queries = session->options.queries,
		}};

	session->connection = connection;
	session->heard_ms = now_ms;
	session->next_id = 1;
	session->table_count = 0;
	session->phase = SESSION_OPENING;
	send_message(session, &hello);
	send_message(session, &request);
}

/* --- sending -------------------------------------------------------------------------------------
 */

static struct session_table *table_at(const struct session *session, uint32_t table)
{
	return &session->state->tables[session->tables[table]];
}

static struct in_flight *free_slot(struct session *session)
{
	for (uint32_t i = 0; i < session->window; i++)
		if (session->flight[i].id == 0)
			return &session->flight[i];
	return NULL;
}

static bool is_in_flight(const struct session *session, uint32_t table, uint32_t chunk)
{
	for (uint32_t i = 0; i < session->window; i++)
		if (session->flight[i].id != 0 && session->flight[i].table == table &&
			session->flight[i].chunk == chunk)
			return true;
	return false;
}

/* The first chunk of the table that is neither acknowledged nor on its way. */
static uint32_t next_chunk(const struct session *session, uint32_t table)
{
	const struct session_table *at = table_at(session, table);
	uint32_t chunk = 1;

	if (at->acked.count > 0 && at->acked.ranges[0].first == 1)
		chunk = (uint32_t)at->acked.ranges[0].last + 1;
	while (interval_set_has(&at->acked, chunk) || is_in_flight(session, table, chunk))
		chunk++;
	return chunk;
}

/* Sends the table's next chunk; false when it has none to send. */
static bool send_chunk(struct session *session, uint32_t table, struct in_flight *slot)
{
	struct session_table *at = table_at(session, table);
	uint32_t chunk = next_chunk(session, table);
	struct wire_message batch = {.type = WIRE_BATCH,
		.batch = {.job = session->options.job, .table = (uint8_t)table, .chunk = chunk}};
	struct error err;
	int more;

	if (at->total_known && chunk > at->total)
		return false;
	more = session->source.read(
		session->source.context, at->name, chunk, &session->chunk, &err);
	if (more < 0) {
		fail(session, &err);
		return false;
	}
	if (more == 0) {
		at->total_known = true;
		at->total = chunk - 1;
		return false;
	}
	*slot = (struct in_flight){session->next_id++, table, chunk};
	batch.batch.id = slot->id;
	batch.batch.total = at->total_known ? at->total : 0;
	batch.batch.payload = (struct wire_bytes){
		(const uint8_t *)session->chunk.data, (uint32_t)session->chunk.size};
	send_message(session, &batch);
	return true;
}

/* All its chunks are safe: says how many there are. */
static bool send_end(struct session *session, uint32_t table, struct in_flight *slot)
{
	struct session_table *at = table_at(session, table);
	struct wire_message end = {.type = WIRE_END_TABLE,
		.end_table = {
			.job = session->options.job, .table = (uint8_t)table, .total = at->total}};

	if (at->closed || !at->total_known || !interval_set_is_whole(&at->acked, at->total) ||
		is_in_flight(session, table, 0))
		return false;
	*slot = (struct in_flight){session->next_id++, table, 0};
	end.end_table.id = slot->id;
	send_message(session, &end);
	return true;
}

/* Fills the window. When there is nothing left to send, the results are next. */
static void send_more(struct session *session)
{
	bool all_closed = true;

	for (uint32_t t = 0; t < session->table_count; t++) {
		struct in_flight *slot;

		while ((slot = free_slot(session)) && session->phase == SESSION_SENDING)
			if (!send_chunk(session, t, slot) && !send_end(session, t, slot))
				break;
		all_closed = all_closed && table_at(session, t)->closed;
	}
	if (all_closed && session->phase == SESSION_SENDING)
		session->phase = SESSION_FETCHING;
}

static void on_ack(struct session *session, uint32_t id)
{
	if (id == 0) {
		if (session->phase == SESSION_OPENING)
			session->phase = SESSION_SENDING;
		session->backoff_ms = 0;
		return;
	}
	for (uint32_t i = 0; i < session->window; i++) {
		struct in_flight *slot = &session->flight[i];

		if (slot->id != id)
			continue;
		if (slot->chunk == 0)
			table_at(session, slot->table)->closed = true;
		else
			interval_set_add(&table_at(session, slot->table)->acked, slot->chunk);
		slot->id = 0;
	}
}

/* The gateway's numbers of tables are this connection's; the state goes by names. */
static void on_table(struct session *session, const char *name)
{
	struct session_state *state = session->state;
	uint32_t t = 0;

	if (session->table_count == WIRE_TABLES_MAX)
		return;
	while (t < state->table_count && strcmp(state->tables[t].name, name))
		t++;
	if (t == state->table_count) {
		state->tables = memory_realloc(
			state->tables, (state->table_count + 1) * sizeof(*state->tables));
		state->tables[t] = (struct session_table){0};
		snprintf(state->tables[t].name, SESSION_NAME_MAX, "%s", name);
		state->table_count++;
	}
	session->tables[session->table_count++] = t;
}

/* --- fetching ------------------------------------------------------------------------------------
 */

static void ask_for_results(struct session *session, uint64_t now_ms)
{
	struct wire_message ask = {.type = WIRE_RESULTS,
		.results = {.job = session->options.job,
			.query = session->query,
			.first_chunk = session->chunks + 1}};

	if (session->phase != SESSION_FETCHING || session->asked || now_ms < session->poll_ms)
		return;
	if (session->query == session->options.query_count) {
		session->phase = SESSION_DONE;
		session->port->drop(session->port, session->connection);
		session->connection = 0;
		return;
	}
	session->asked = true;
	session->asked_last = session->chunks + WIRE_RESULTS_MAX;
	send_message(session, &ask);
}

static void on_result(struct session *session, const struct wire_message *message)
{
	struct error err;

	if (message->result.query != session->query || message->result.chunk != session->chunks + 1)
		return;
	session->chunks++;
	if (session->source.result(session->source.context, session->query,
		    message->result.data.data, message->result.data.size, &err))
		fail(session, &err);
	if (session->chunks == session->asked_last)
		session->asked = false;
}

static void on_error(struct session *session, const struct wire_message *message, uint64_t now_ms)
{
	struct error err;

	if (message->error.class == WIRE_ERROR_RETRY) {
		leave(session, now_ms);
		return;
	}
	error_set(&err, ERROR_EVAL, "%s", message->error.text);
	fail(session, &err);
	leave(session, now_ms);
}

static void dispatch(struct session *session, const struct wire_message *message, uint64_t now_ms)
{
	switch (message->type) {
	case WIRE_TABLE: on_table(session, message->table.name); break;
	case WIRE_ACK: on_ack(session, message->ack.id); break;
	case WIRE_PENDING:
		session->asked = false;
		session->poll_ms = now_ms + POLL_MS;
		break;
	case WIRE_RESULT: on_result(session, message); break;
	case WIRE_RESULT_END:
		if (message->result_end.query == session->query) {
			session->asked = false;
			session->query++;
			session->chunks = 0;
		}
		break;
	case WIRE_ERROR: on_error(session, message, now_ms); break;
	default: break; /* HELLO, QUERY, READY, PROGRESS: nothing to do */
	}
}

void session_on_message(struct session *session, uint64_t connection, const uint8_t *bytes,
	size_t size, uint64_t now_ms)
{
	struct wire_message message;
	struct error err;

	if (connection != session->connection || is_over(session))
		return;
	session->heard_ms = now_ms;
	arena_reset(&session->arena);
	if (wire_decode(bytes, size, &session->arena, &message, &err)) {
		leave(session, now_ms);
		return;
	}
	dispatch(session, &message, now_ms);
	if (session->phase == SESSION_SENDING && session->connection != 0)
		send_more(session);
	if (session->connection != 0)
		ask_for_results(session, now_ms);
}

void session_on_tick(struct session *session, uint64_t now_ms)
{
	if (session->connection == 0 || is_over(session))
		return;
	if (now_ms - session->heard_ms > session->options.patience_ms)
		leave(session, now_ms);
	else
		ask_for_results(session, now_ms);
}
