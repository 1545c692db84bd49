/*
 * A client's side of one job: opens it at some gateway, sends the chunks of its tables, closes
 * them, and fetches the results; through any number of broken connections, and again after its own
 * death.
 *
 * It sends over several connections at once, each with a window of its own. Chunks are dealt out in
 * order to whichever has room; those of a connection that breaks go out again over another. A
 * further connection is asked for only while all that there are have full windows: small jobs use
 * one.
 *
 * An event handler without sockets, files or clock, as the roles are. Whoever drives it connects to
 * a gateway whenever session_take_connect says so, and hands it what comes.
 */
#ifndef CLIENT_SESSION_H
#define CLIENT_SESSION_H

#include "base/interval_set.h"
#include "base/rng.h"
#include "wire/message.h"
#include "wire/port.h"

#define SESSION_NAME_MAX 256

/* How far a table has got. */
struct session_table {
	char name[SESSION_NAME_MAX];
	struct interval_set acked; /* chunks that the cluster cannot lose any more */
	bool total_known;
	uint32_t total;
	bool closed;   /* the cluster knows the total */
	uint64_t rows; /* of acknowledged chunks, as far as somebody counted */
	uint64_t rejects;
	uint64_t uncounted; /* acknowledged chunks that nobody counted */
};

/* What must outlive the client for it to go on where it was. Empty at first: {0}. */
struct session_state {
	bool opened; /* some gateway has acknowledged the job */
	uint32_t table_count;
	struct session_table *tables;
};

void session_state_release(struct session_state *state);
/* For a new job with the same files: nothing is acknowledged yet. */
void session_state_begin_again(struct session_state *state);
/* The table of that name; a new one at the end when there is none. Tables may move by it. */
uint32_t session_state_table(struct session_state *state, const char *name);

enum session_read {
	SESSION_READ_ERROR = -1, /* ends the job */
	SESSION_READ_END = 0,	 /* the table has fewer chunks */
	SESSION_READ_CHUNK = 1,
	SESSION_READ_LATER = 2, /* it takes longer: ask again soon */
};

/* A chunk is its header line, which may be empty, and its records. */
struct session_chunk {
	struct wire_bytes header; /* valid until the next call on the source */
	struct wire_bytes records;
	struct wire_loan *loan; /* of the records; NULL: they are valid as the header is */
};

struct session_source {
	/* Chunk `number` of the table, from 1, the same bytes each time. The loan's `done` is
	 * called for every chunk that it gave. */
	enum session_read (*read)(void *context, const char *table, uint32_t number,
		struct session_chunk *chunk, struct error *err);
	/* The cluster has it: it will not be read again. May be NULL. */
	void (*acked)(void *context, const char *table, uint32_t number);
	/* The columns of a query's result, before any of its rows; again on each connection, and
	 * borrowed. May be NULL. */
	int (*query)(void *context, const struct wire_message *query, struct error *err);
	/* Chunk `number`, from 1, of the result of query `query`: batches. In order, each once. */
	int (*result)(
		void *context, uint32_t query, const uint8_t *data, size_t size, struct error *err);
	/* The query has all its rows. May be NULL. */
	int (*result_end)(void *context, uint32_t query, struct error *err);
	void *context;
};

struct session_options {
	uint64_t job; /* not 0 */
	struct wire_secret secret;
	/* NULL: the job was opened before, and only its results are wanted. */
	const char *schema;
	uint32_t table_count; /* of the schema */
	const uint64_t *table_bytes;
	uint32_t query_count;
	const struct wire_query_text *queries;
	const char *token;
	uint32_t connections; /* at most; 0: 1 */
	uint32_t window;      /* chunks in flight on each; 0: 8 */
	size_t window_bytes;  /* no further chunk while so much is; 0: any number */
	bool no_wait;	      /* done when everything was sent; also when results are pending */
	uint64_t unknown_ms;  /* a job that no gateway knows for so long is lost; 0: 30 s */
	uint64_t patience_ms; /* a gateway that says nothing for so long is left; 0: 10 s */
};

enum session_phase {
	SESSION_OPENING,  /* the job */
	SESSION_SENDING,  /* chunks and the ends of tables */
	SESSION_FETCHING, /* results */
	SESSION_DONE,
	SESSION_FAILED,
};

struct session;

/* Everything is borrowed. */
struct session *session_new(const struct session_options *options, struct session_state *state,
	const struct session_source *source, struct wire_port *port, struct rng *rng);
void session_free(struct session *session);

enum session_phase session_phase(const struct session *session);
/* SESSION_FAILED: why. */
const struct error *session_error(const struct session *session);
/* What SESSION_FAILED means for the job itself. */
enum session_verdict {
	SESSION_JOB_UNHURT, /* the trouble was ours: it can be resumed */
	SESSION_JOB_FAILED, /* for good */
	SESSION_JOB_LOST, /* no gateway knows it, or a disk or the broker lost what it had of it */
};
enum session_verdict session_verdict(const struct session *session);

/* How far the cluster is with it, after the last chunk. */
struct session_progress {
	uint32_t streams_closed;
	uint32_t streams; /* 0: nothing was heard yet */
	uint32_t queries_done;
};

struct session_progress session_progress(const struct session *session);
/* Why no gateway takes the job at present, in a gateway's words; NULL: nobody says so. */
const char *session_refusal(const struct session *session);
/* no_wait: results were asked for and are not there yet. */
bool session_is_pending(const struct session *session);

/*
 * It needs a connection, or one more, and has waited long enough since the last one broke. When it
 * says so it counts on session_on_open or session_on_closed to follow; ask until it says no.
 */
bool session_take_connect(struct session *session, uint64_t now_ms);
void session_on_open(struct session *session, uint64_t connection, uint64_t now_ms);
/* One whole message. */
void session_on_message(struct session *session, uint64_t connection, const uint8_t *bytes,
	size_t size, uint64_t now_ms);
/* Also for an attempt to connect that failed: then `connection` is 0. */
void session_on_closed(struct session *session, uint64_t connection, uint64_t now_ms);
/* How long it can do without a tick, when nothing else happens: 20 ms at most. */
uint32_t session_wait_ms(const struct session *session, uint64_t now_ms);
void session_on_tick(struct session *session, uint64_t now_ms);

#endif
