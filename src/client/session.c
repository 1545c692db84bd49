#include "client/session.h"

#include "base/backoff.h"
#include "base/memory.h"
#include "base/mutant.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_DEFAULT	 8u
#define PATIENCE_DEFAULT 10000u
#define BACKOFF_MIN_MS	 50u
#define BACKOFF_MAX_MS	 5000u
/* Results are asked for again soon, then less and less often. */
#define POLL_MS_MIN	5u
#define POLL_MS_MAX	100u
#define TICK_MS		20u
#define UNKNOWN_DEFAULT 30000u

/* A message that waits for its ACK. */
struct in_flight {
	uint32_t id; /* 0: the slot is free */
	uint32_t table;
	uint32_t chunk; /* 0: the end of the table */
	size_t bytes;
};

enum link_state {
	LINK_DOWN,
	LINK_CONNECTING,
	LINK_OPENING, /* connected; the gateway has not answered the request */
	LINK_READY,
};

/* One connection, or the place of one. */
struct session_link {
	enum link_state state;
	uint64_t connection;
	uint64_t heard_ms; /* or when it was first asked for something since it fell silent */
	uint64_t retry_ms; /* not before */
	struct backoff backoff;
	uint32_t next_id;
	uint32_t in_flight;
	size_t bytes_in_flight;
	struct in_flight *flight; /* of the session's window */
	uint32_t table_count;	  /* as the gateway numbers them: indexes into the state's tables */
	uint32_t tables[WIRE_TABLES_MAX];
};

struct session {
	struct session_options options;
	struct session_state *state;
	struct session_source source;
	struct wire_port *port;
	struct rng *rng;
	enum session_phase phase;
	struct error error;
	enum session_verdict verdict;
	struct error refusal; /* of the last gateway that said to come again; {0}: none did */
	struct session_progress progress;
	bool pending;
	bool source_is_slow; /* it said LATER: nobody asks before the next tick */

	uint32_t window;
	uint32_t link_count;
	struct session_link *links;
	uint64_t unknown_since_ms; /* since when gateways say so; 0: the last one knew it */

	/* The result that is being fetched. */
	struct session_link
		*asked;	     /* over this one, and not answered to the end; NULL: nobody was */
	uint32_t asked_last; /* chunk of the answer ... */
	size_t asked_bytes;  /* ... which may end before, with so many of WIRE_RESULTS_BYTES */
	uint64_t poll_ms;    /* not before */
	uint64_t poll_wait_ms;
	uint32_t query_count;
	uint32_t query;
	uint32_t chunks; /* received */

	struct arena arena;
	struct buf frame;
};

void session_state_release(struct session_state *state)
{
	for (uint32_t t = 0; t < state->table_count; t++)
		interval_set_release(&state->tables[t].acked);
	free(state->tables);
	*state = (struct session_state){0};
}

void session_state_begin_again(struct session_state *state)
{
	/* What one job was sent is of no use to another. */
	if (!MUTANT(RESUBMISSION_KEEPS_ACKS))
		session_state_release(state);
	state->opened = false;
}

uint32_t session_state_table(struct session_state *state, const char *name)
{
	uint32_t t = 0;

	while (t < state->table_count && strcmp(state->tables[t].name, name) != 0)
		t++;
	if (t == state->table_count) {
		state->tables = memory_realloc(
			state->tables, (state->table_count + 1) * sizeof(*state->tables));
		state->tables[t] = (struct session_table){0};
		snprintf(state->tables[t].name, SESSION_NAME_MAX, "%s", name);
		state->table_count++;
	}
	return t;
}

struct session *session_new(const struct session_options *options, struct session_state *state,
	const struct session_source *source, struct wire_port *port, struct rng *rng)
{
	struct session *session = memory_zalloc(sizeof(*session));

	session->options = *options;
	session->state = state;
	session->source = *source;
	session->port = port;
	session->rng = rng;
	session->query_count = options->query_count;
	session->window = options->window ? options->window : WINDOW_DEFAULT;
	session->link_count = options->connections ? options->connections : 1;
	session->links = memory_zalloc(session->link_count * sizeof(*session->links));
	for (uint32_t i = 0; i < session->link_count; i++) {
		session->links[i].flight =
			memory_zalloc(session->window * sizeof(struct in_flight));
		session->links[i].backoff = (struct backoff){
			.min_ms = BACKOFF_MIN_MS, .max_ms = BACKOFF_MAX_MS, .chance_percent = 100};
	}
	if (session->options.patience_ms == 0)
		session->options.patience_ms = PATIENCE_DEFAULT;
	if (session->options.window_bytes == 0)
		session->options.window_bytes = SIZE_MAX;
	if (session->options.unknown_ms == 0)
		session->options.unknown_ms = UNKNOWN_DEFAULT;
	arena_init(&session->arena, 64u << 10);
	buf_init(&session->frame, WIRE_FRAME_MAX);
	return session;
}

void session_free(struct session *session)
{
	if (!session)
		return;
	for (uint32_t i = 0; i < session->link_count; i++)
		free(session->links[i].flight);
	free(session->links);
	arena_release(&session->arena);
	buf_release(&session->frame);
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

enum session_verdict session_verdict(const struct session *session)
{
	return session->verdict;
}

struct session_progress session_progress(const struct session *session)
{
	return session->progress;
}

const char *session_refusal(const struct session *session)
{
	return session->phase == SESSION_OPENING && session->refusal.code == ERROR_LIMIT
		       ? session->refusal.message
		       : NULL;
}

bool session_is_pending(const struct session *session)
{
	return session->pending;
}

uint32_t session_wait_ms(const struct session *session, uint64_t now_ms)
{
	uint64_t wait_ms = TICK_MS;

	if (session->source_is_slow)
		return 0;
	if (session->phase == SESSION_FETCHING && !session->asked)
		wait_ms = session->poll_ms > now_ms ? session->poll_ms - now_ms : 0;
	return wait_ms < TICK_MS ? (uint32_t)wait_ms : TICK_MS;
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

/* --- connections ---------------------------------------------------------------------------------
 */

static struct session_link *find_link(struct session *session, uint64_t connection)
{
	for (uint32_t i = 0; i < session->link_count; i++)
		if (session->links[i].state >= LINK_OPENING &&
			session->links[i].connection == connection)
			return &session->links[i];
	return NULL;
}

static struct session_link *connecting_link(struct session *session)
{
	for (uint32_t i = 0; i < session->link_count; i++)
		if (session->links[i].state == LINK_CONNECTING)
			return &session->links[i];
	return NULL;
}

static struct session_link *ready_link(struct session *session)
{
	for (uint32_t i = 0; i < session->link_count; i++)
		if (session->links[i].state == LINK_READY)
			return &session->links[i];
	return NULL;
}

/* Whether the message at hand could be encoded: if not, the session has failed. */
static bool fits(struct session *session)
{
	struct error err;

	if (!buf_overflowed(&session->frame))
		return true;
	error_set(&err, ERROR_LIMIT, "a message is larger than %u MB: use smaller chunks",
		WIRE_FRAME_MAX >> 20);
	fail(session, &err);
	return false;
}

static void send_message(struct session *session, const struct session_link *link,
	const struct wire_message *message)
{
	buf_clear(&session->frame);
	wire_encode(message, &session->frame);
	if (fits(session))
		session->port->send(
			session->port, link->connection, session->frame.data, session->frame.size);
}

/* The batch's payload is what the chunk has. */
static void send_batch(struct session *session, const struct session_link *link,
	struct wire_message *batch, const struct session_chunk *chunk)
{
	const struct wire_bytes *header = &chunk->header, *records = &chunk->records;
	struct wire_port *port = session->port;
	struct buf *frame = &session->frame;
	bool lend = port->send_lent && chunk->loan;

	buf_clear(frame);
	batch->batch.payload.size = header->size + records->size;
	wire_encode_head(batch, frame);
	buf_append(frame, header->data, header->size);
	if (!lend)
		buf_append(frame, records->data, records->size);
	if (!lend || !fits(session)) {
		if (chunk->loan)
			chunk->loan->done(chunk->loan);
		if (fits(session))
			port->send(port, link->connection, frame->data, frame->size);
		return;
	}
	port->send_lent(port, link->connection, frame->data, frame->size, records->data,
		records->size, chunk->loan);
}

/*
 * Whether it takes no chunk now. A chunk is read when what went before it has left: it would only
 * wait, and by then its bytes would have dropped out of the processor's caches.
 */
static bool is_full(const struct session *session, const struct session_link *link)
{
	struct wire_port *port = session->port;

	return link->in_flight == session->window ||
	       link->bytes_in_flight >= session->options.window_bytes ||
	       (port->unsent && port->unsent(port, link->connection) > 0);
}

/*
 * One connection is always wanted. Another one is when those that stand could take no more: then
 * the way to the gateways is what the job waits for.
 */
bool session_take_connect(struct session *session, uint64_t now_ms)
{
	struct session_link *down = NULL;
	bool all_full = true;
	uint32_t up = 0;

	if (is_over(session))
		return false;
	for (uint32_t i = 0; i < session->link_count; i++) {
		struct session_link *link = &session->links[i];

		if (link->state == LINK_DOWN) {
			down = !down || link->retry_ms < down->retry_ms ? link : down;
			continue;
		}
		up++;
		all_full = all_full && link->state == LINK_READY && is_full(session, link);
	}
	if (!down || now_ms < down->retry_ms)
		return false;
	if (up > 0 && (session->phase != SESSION_SENDING || !all_full))
		return false;
	assert(down->connection == 0 && down->in_flight == 0);
	down->state = LINK_CONNECTING;
	return true;
}

/* What was on its way is on its way no more; it will be sent again. */
static void forget_link(struct session *session, struct session_link *link, uint64_t now_ms)
{
	assert(link->state != LINK_DOWN);
	link->state = LINK_DOWN;
	link->connection = 0;
	link->in_flight = 0;
	link->bytes_in_flight = 0;
	memset(link->flight, 0, session->window * sizeof(*link->flight));
	if (session->asked == link)
		session->asked = NULL;
	if (!is_over(session) && !ready_link(session))
		session->phase = SESSION_OPENING;
	link->retry_ms = now_ms + backoff_next(&link->backoff, session->rng);
}

static void leave(struct session *session, struct session_link *link, uint64_t now_ms)
{
	session->port->drop(session->port, link->connection);
	forget_link(session, link, now_ms);
}

/* All but `kept`, which may be NULL. */
static void leave_others(struct session *session, const struct session_link *kept, uint64_t now_ms)
{
	for (uint32_t i = 0; i < session->link_count; i++)
		if (&session->links[i] != kept && session->links[i].state >= LINK_OPENING)
			leave(session, &session->links[i], now_ms);
}

static void send_more(struct session *session, uint64_t now_ms);

void session_on_closed(struct session *session, uint64_t connection, uint64_t now_ms)
{
	struct session_link *link =
		connection == 0 ? connecting_link(session) : find_link(session, connection);

	if (!link)
		return;
	forget_link(session, link, now_ms);
	if (session->phase == SESSION_SENDING)
		send_more(session, now_ms);
}

/*
 * Whether the job is only to be taken up. Once it was opened it must not be again: a cluster that
 * has forgotten the job would take a REQUEST for a new one, and wait for ever for the chunks that
 * the old one had.
 */
static bool resumes(const struct session *session)
{
	return !session->options.schema || session->state->opened;
}

void session_on_open(struct session *session, uint64_t connection, uint64_t now_ms)
{
	struct wire_message hello = {.type = WIRE_HELLO,
		.hello = {.version = WIRE_VERSION,
			.token = session->options.token ? session->options.token : ""}};
	struct wire_message resume = {.type = WIRE_RESUME,
		.resume = {.job = session->options.job, .secret = session->options.secret}};
	struct wire_message request = {.type = WIRE_REQUEST,
		.request = {
			.job = session->options.job,
			.secret = session->options.secret,
			.schema = session->options.schema,
			.table_count = session->options.table_count,
			.table_bytes = session->options.table_bytes,
			.query_count = session->options.query_count,
			.queries = session->options.queries,
		}};
	struct session_link *link = connecting_link(session);

	assert(link);
	link->state = LINK_OPENING;
	link->connection = connection;
	link->heard_ms = now_ms;
	link->next_id = 1;
	link->table_count = 0;
	send_message(session, link, &hello);
	send_message(session, link, resumes(session) ? &resume : &request);
}

/* --- sending -------------------------------------------------------------------------------------
 */

static struct in_flight *free_slot(struct session *session, struct session_link *link)
{
	for (uint32_t i = 0; i < session->window; i++)
		if (link->flight[i].id == 0)
			return &link->flight[i];
	return NULL;
}

/* `table` is of the state. */
static bool is_in_flight(const struct session *session, uint32_t table, uint32_t chunk)
{
	for (uint32_t l = 0; l < session->link_count; l++) {
		const struct session_link *link = &session->links[l];

		for (uint32_t i = 0; link->in_flight > 0 && i < session->window; i++)
			if (link->flight[i].id != 0 && link->flight[i].table == table &&
				link->flight[i].chunk == chunk)
				return true;
	}
	return false;
}

/* The first chunk of the table that is neither acknowledged nor on its way. */
static uint32_t next_chunk(const struct session *session, uint32_t table)
{
	const struct session_table *at = &session->state->tables[table];
	uint32_t chunk = 1;

	if (at->acked.count > 0 && at->acked.ranges[0].first == 1)
		chunk = (uint32_t)at->acked.ranges[0].last + 1;
	while (interval_set_has(&at->acked, chunk) || is_in_flight(session, table, chunk))
		chunk++;
	return chunk;
}

static void fill_slot(struct session_link *link, struct in_flight *slot, uint32_t table,
	uint32_t chunk, size_t bytes, uint64_t now_ms)
{
	assert(slot->id == 0 && link->state == LINK_READY);
	if (link->in_flight == 0)
		link->heard_ms = now_ms;
	*slot = (struct in_flight){link->next_id++, table, chunk, bytes};
	link->in_flight++;
	link->bytes_in_flight += bytes;
}

/* Sends the next chunk of the gateway's table `number`; false when it has none to send. */
static bool send_chunk(struct session *session, struct session_link *link, uint32_t number,
	struct in_flight *slot, uint64_t now_ms)
{
	uint32_t table = link->tables[number];
	struct session_table *at = &session->state->tables[table];
	uint32_t chunk = next_chunk(session, table);
	struct wire_message batch = {.type = WIRE_BATCH,
		.batch = {.job = session->options.job,
			.secret = session->options.secret,
			.table = (uint8_t)number,
			.chunk = chunk}};
	struct session_chunk found;
	struct error err;

	if (at->total_known && chunk > at->total)
		return false;
	switch (session->source.read(session->source.context, at->name, chunk, &found, &err)) {
	case SESSION_READ_ERROR: fail(session, &err); return false;
	case SESSION_READ_LATER: session->source_is_slow = true; return false;
	case SESSION_READ_END:
		at->total_known = true;
		at->total = chunk - 1;
		return false;
	case SESSION_READ_CHUNK: break;
	}
	fill_slot(link, slot, table, chunk, found.header.size + found.records.size, now_ms);
	batch.batch.id = slot->id;
	batch.batch.total = at->total_known ? at->total : 0;
	send_batch(session, link, &batch, &found);
	return true;
}

/* All its chunks are safe: says how many there are. */
static bool send_end(struct session *session, struct session_link *link, uint32_t number,
	struct in_flight *slot, uint64_t now_ms)
{
	uint32_t table = link->tables[number];
	const struct session_table *at = &session->state->tables[table];
	struct wire_message end = {.type = WIRE_END_TABLE,
		.end_table = {.job = session->options.job,
			.secret = session->options.secret,
			.table = (uint8_t)number,
			.total = at->total}};

	if (at->closed || !at->total_known || !interval_set_is_whole(&at->acked, at->total) ||
		is_in_flight(session, table, 0))
		return false;
	fill_slot(link, slot, table, 0, 0, now_ms);
	end.end_table.id = slot->id;
	send_message(session, link, &end);
	return true;
}

/* True when something was sent over this connection. */
static bool send_one(struct session *session, struct session_link *link, uint64_t now_ms)
{
	struct in_flight *slot = free_slot(session, link);

	if (!slot || is_full(session, link))
		return false;
	for (uint32_t t = 0; t < link->table_count; t++) {
		if (session->phase != SESSION_SENDING || session->source_is_slow)
			return false;
		if (send_chunk(session, link, t, slot, now_ms) ||
			send_end(session, link, t, slot, now_ms))
			return true;
	}
	return false;
}

static bool all_closed(const struct session *session, const struct session_link *link)
{
	for (uint32_t t = 0; t < link->table_count; t++)
		if (!session->state->tables[link->tables[t]].closed)
			return false;
	return true;
}

/* Fills the windows in turn. When there is nothing left to send, the results are next. */
static void send_more(struct session *session, uint64_t now_ms)
{
	struct session_link *first = ready_link(session);
	bool sent = true;

	while (sent && session->phase == SESSION_SENDING) {
		sent = false;
		for (uint32_t i = 0; i < session->link_count; i++)
			if (session->links[i].state == LINK_READY)
				sent = send_one(session, &session->links[i], now_ms) || sent;
	}
	if (session->phase != SESSION_SENDING || !first || !all_closed(session, first))
		return;
	session->phase = SESSION_FETCHING;
	leave_others(session, first, now_ms);
}

static void on_open_acked(struct session *session, struct session_link *link)
{
	if (link->state != LINK_OPENING)
		return;
	link->state = LINK_READY;
	backoff_reset(&link->backoff);
	session->unknown_since_ms = 0;
	session->state->opened = true;
	if (session->phase == SESSION_OPENING)
		session->phase = session->options.schema ? SESSION_SENDING : SESSION_FETCHING;
}

static void count_chunk(struct session_table *table, const struct wire_message *ack)
{
	if (ack->ack.rows == WIRE_ROWS_UNKNOWN) {
		table->uncounted++;
		return;
	}
	table->rows += ack->ack.rows;
	table->rejects += ack->ack.rejects;
}

static void on_ack(
	struct session *session, struct session_link *link, const struct wire_message *ack)
{
	if (ack->ack.id == 0) {
		on_open_acked(session, link);
		return;
	}
	for (uint32_t i = 0; i < session->window; i++) {
		struct in_flight *slot = &link->flight[i];
		struct session_table *table;

		if (slot->id != ack->ack.id)
			continue;
		table = &session->state->tables[slot->table];
		if (slot->chunk == 0)
			table->closed = true;
		else if (interval_set_add(&table->acked, slot->chunk))
			count_chunk(table, ack);
		if (slot->chunk != 0 && session->source.acked)
			session->source.acked(session->source.context, table->name, slot->chunk);
		assert(link->in_flight > 0 && link->bytes_in_flight >= slot->bytes);
		slot->id = 0;
		link->in_flight--;
		link->bytes_in_flight -= slot->bytes;
	}
}

/* The gateway's numbers of tables are this connection's; the state goes by names. */
static void on_table(struct session *session, struct session_link *link, const char *name)
{
	if (link->table_count < WIRE_TABLES_MAX)
		link->tables[link->table_count++] = session_state_table(session->state, name);
}

static void on_query(struct session *session, const struct wire_message *message)
{
	struct error err;

	if (!session->options.schema && message->query.query == session->query_count)
		session->query_count++;
	if (session->source.query && session->source.query(session->source.context, message, &err))
		fail(session, &err);
}

/* --- fetching ------------------------------------------------------------------------------------
 */

static void finish(struct session *session, uint64_t now_ms)
{
	session->phase = SESSION_DONE;
	leave_others(session, NULL, now_ms);
}

static void ask_for_results(struct session *session, uint64_t now_ms)
{
	struct wire_message ask = {.type = WIRE_RESULTS,
		.results = {.job = session->options.job,
			.secret = session->options.secret,
			.query = session->query,
			.first_chunk = session->chunks + 1}};
	struct session_link *link = ready_link(session);

	if (session->phase != SESSION_FETCHING || session->asked || now_ms < session->poll_ms ||
		!link)
		return;
	if (session->query == session->query_count ||
		(session->options.schema && session->options.no_wait)) {
		finish(session, now_ms);
		return;
	}
	session->asked = link;
	session->asked_last = session->chunks + WIRE_RESULTS_MAX;
	session->asked_bytes = 0;
	link->heard_ms = now_ms;
	send_message(session, link, &ask);
}

static void on_pending(struct session *session, uint64_t now_ms)
{
	session->asked = NULL;
	session->poll_wait_ms = 2 * session->poll_wait_ms;
	if (session->poll_wait_ms < POLL_MS_MIN)
		session->poll_wait_ms = POLL_MS_MIN;
	if (session->poll_wait_ms > POLL_MS_MAX)
		session->poll_wait_ms = POLL_MS_MAX;
	session->poll_ms = now_ms + session->poll_wait_ms;
	if (!session->options.no_wait)
		return;
	session->pending = true;
	finish(session, now_ms);
}

static void on_result(struct session *session, const struct wire_message *message)
{
	struct error err;

	if (message->result.query != session->query || message->result.chunk != session->chunks + 1)
		return;
	session->chunks++;
	session->poll_wait_ms = 0;
	session->asked_bytes += message->result.data.size;
	if (session->source.result(session->source.context, session->query,
		    message->result.data.data, message->result.data.size, &err))
		fail(session, &err);
	if (session->chunks == session->asked_last || session->asked_bytes >= WIRE_RESULTS_BYTES)
		session->asked = NULL;
}

static void on_result_end(struct session *session, uint32_t query)
{
	struct error err;

	if (query != session->query)
		return;
	if (session->source.result_end &&
		session->source.result_end(session->source.context, query, &err))
		fail(session, &err);
	session->asked = NULL;
	session->query++;
	session->chunks = 0;
	session->poll_wait_ms = 0;
}

/* --- what comes ----------------------------------------------------------------------------------
 */

/* A gateway may not have heard of the job yet; when none has for long, there is none. */
static bool is_lost(struct session *session, const struct wire_message *message, uint64_t now_ms)
{
	if (!resumes(session) || message->error.job == 0)
		return false;
	if (session->unknown_since_ms == 0)
		session->unknown_since_ms = now_ms;
	return now_ms - session->unknown_since_ms > session->options.unknown_ms;
}

static void on_error(struct session *session, struct session_link *link,
	const struct wire_message *message, uint64_t now_ms)
{
	struct error err;

	if (message->error.class == WIRE_ERROR_RETRY && is_lost(session, message, now_ms)) {
		error_set(&err, ERROR_USAGE, "the cluster does not know the job %016" PRIx64,
			session->options.job);
		session->verdict = SESSION_JOB_LOST;
		fail(session, &err);
	} else if (message->error.class != WIRE_ERROR_RETRY) {
		error_set(&err, (enum error_code)message->error.code, "%s", message->error.text);
		err.guess = message->error.guess;
		if (message->error.class == WIRE_ERROR_JOB)
			session->verdict = SESSION_JOB_FAILED;
		if (message->error.class == WIRE_ERROR_LOST)
			session->verdict = SESSION_JOB_LOST;
		fail(session, &err);
	} else {
		error_set(&session->refusal, (enum error_code)message->error.code, "%s",
			message->error.text);
	}
	if (is_over(session))
		leave_others(session, NULL, now_ms);
	else
		leave(session, link, now_ms);
}

/* All results may be there before everything was sent. */
static void on_progress(struct session *session, struct session_link *link,
	const struct wire_message *message, uint64_t now_ms)
{
	session->progress = (struct session_progress){message->progress.streams_closed,
		message->progress.streams, message->progress.queries_done};
	if (session->phase != SESSION_SENDING || session->query_count == 0 ||
		session->progress.queries_done < session->query_count)
		return;
	session->phase = SESSION_FETCHING;
	leave_others(session, link, now_ms);
}

static void dispatch(struct session *session, struct session_link *link,
	const struct wire_message *message, uint64_t now_ms)
{
	switch (message->type) {
	case WIRE_TABLE: on_table(session, link, message->table.name); break;
	case WIRE_QUERY: on_query(session, message); break;
	case WIRE_ACK: on_ack(session, link, message); break;
	case WIRE_PENDING: on_pending(session, now_ms); break;
	case WIRE_RESULT: on_result(session, message); break;
	case WIRE_RESULT_END: on_result_end(session, message->result_end.query); break;
	case WIRE_ERROR: on_error(session, link, message, now_ms); break;
	case WIRE_PROGRESS: on_progress(session, link, message, now_ms); break;
	default: break; /* HELLO, READY: nothing to do */
	}
}

void session_on_message(struct session *session, uint64_t connection, const uint8_t *bytes,
	size_t size, uint64_t now_ms)
{
	struct session_link *link = find_link(session, connection);
	struct wire_message message;
	struct error err;

	if (!link || is_over(session))
		return;
	link->heard_ms = now_ms;
	arena_reset(&session->arena);
	if (wire_decode(bytes, size, &session->arena, &message, &err))
		leave(session, link, now_ms);
	else
		dispatch(session, link, &message, now_ms);
	if (session->phase == SESSION_SENDING)
		send_more(session, now_ms);
	ask_for_results(session, now_ms);
}

/* It owes an answer. One that is idle may be silent. */
static bool is_waited_for(const struct session *session, const struct session_link *link)
{
	return link->state == LINK_OPENING ||
	       (link->state == LINK_READY && (link->in_flight > 0 || session->asked == link));
}

void session_on_tick(struct session *session, uint64_t now_ms)
{
	if (is_over(session))
		return;
	session->source_is_slow = false;
	for (uint32_t i = 0; i < session->link_count; i++) {
		struct session_link *link = &session->links[i];

		if (is_waited_for(session, link) &&
			now_ms - link->heard_ms > session->options.patience_ms)
			leave(session, link, now_ms);
	}
	if (session->phase == SESSION_SENDING)
		send_more(session, now_ms);
	ask_for_results(session, now_ms);
}
