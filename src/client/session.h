/*
 * A client's side of one job: opens it at some gateway, sends the chunks of its tables, closes
 * them, and fetches the results; through any number of broken connections, and again after its own
 * death.
 *
 * An event handler without sockets, files or clock, as the roles are. Whoever drives it connects to
 * a gateway whenever session_wants_connection says so, and hands it what comes.
 */
#ifndef CLIENT_SESSION_H
#define CLIENT_SESSION_H

#include "base/interval_set.h"
#include "base/rng.h"
#include "role/role.h"
#include "wire/message.h"

#define SESSION_NAME_MAX 256

/* How far a table has got. */
struct session_table {
	char name[SESSION_NAME_MAX];
	struct interval_set acked; /* chunks that the cluster cannot lose any more */
	bool total_known;
	uint32_t total;
	bool closed; /* the cluster knows the total */
};

/* What must outlive the client for it to go on where it was. Empty at first: {0}. */
struct session_state {
	uint32_t table_count;
	struct session_table *tables;
};

void session_state_release(struct session_state *state);

struct session_source {
	/*
	 * Replaces what `out` holds with chunk `number` of the table, from 1, the same bytes each
	 * time: 1; 0 when the table has fewer chunks; -1: an error, which ends the job.
	 */
	int (*read)(void *context, const char *table, uint32_t number, struct buf *out,
		struct error *err);
	/* Chunk `number`, from 1, of the result of query `query`: batches. In order, each once. */
	int (*result)(
		void *context, uint32_t query, const uint8_t *data, size_t size, struct error *err);
	void *context;
};

struct session_options {
	uint64_t job; /* not 0 */
	const char *schema;
	uint32_t table_count; /* of the schema */
	const uint64_t *table_bytes;
	uint32_t query_count;
	const struct wire_query_text *queries;
	const char *token;
	uint32_t window;      /* chunks in flight; 0: 8 */
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
	const struct session_source *source, struct role_port *port, struct rng *rng);
void session_free(struct session *session);

enum session_phase session_phase(const struct session *session);
/* SESSION_FAILED: why. */
const struct error *session_error(const struct session *session);

/* It has no connection, needs one, and has waited long enough since the last one broke. */
bool session_wants_connection(const struct session *session, uint64_t now_ms);
void session_on_open(struct session *session, uint64_t connection, uint64_t now_ms);
/* One whole message. */
void session_on_message(struct session *session, uint64_t connection, const uint8_t *bytes,
	size_t size, uint64_t now_ms);
/* Also for an attempt to connect that failed: then `connection` is 0. */
void session_on_closed(struct session *session, uint64_t connection, uint64_t now_ms);
void session_on_tick(struct session *session, uint64_t now_ms);

#endif
