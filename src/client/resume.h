/*
 * A job that outlives its client: which one to go on with, by the state file that an earlier run
 * has left (client/state.h), or a new one.
 */
#ifndef CLIENT_RESUME_H
#define CLIENT_RESUME_H

#include "client/source.h"
#include "client/state.h"

/* What is asked for now. Everything is borrowed. */
struct data_places;

struct resume_request {
	const char *state_path; /* NULL: a place of its own for this request and folder */
	const struct data_places *data;
	const char *server;
	const char *token;
	uint64_t request;		     /* a hash of schema, names and texts of the queries */
	const struct statement_start *start; /* of a new job; one that is resumed has its own */
	uint64_t chunk_bytes;		     /* 0: as the job was begun, or the default */
	bool restart;			     /* begin a new job; an unfinished one is cancelled */
};

/*
 * Opens the state and has a job in it afterwards: *resumed says whether it was begun before. A job
 * is resumed only for the same request, server, chunk size and unchanged files; else ERROR_USAGE or
 * ERROR_DATA says what differs and what to do. *expiring: an unfinished job that could not be
 * cancelled and will expire by itself; 0 for none. The state is to be closed also after an error.
 */
MUST_CHECK int resume_open(struct state *state, const struct resume_request *request,
	const struct chunk_source *source, bool *resumed, uint64_t *expiring, struct error *err);

/*
 * The job was lost through no fault of its own: another one takes its place, with the same files,
 * of which nothing was sent yet. ERROR_DATA when they are not the same any more.
 */
MUST_CHECK int resume_begin_again(
	struct state *state, const struct chunk_source *source, struct error *err);

#endif
