/*
 * What `tamiz submit` is asked for, in the form that the protocol wants it: the same SQL as the
 * embedded engine would compile, compiled here first. So most errors come before a byte is sent,
 * and names and types of the results are known.
 */
#ifndef CLI_REQUEST_SUBMIT_H
#define CLI_REQUEST_SUBMIT_H

#include "base/options.h"
#include "cli/dialect_options.h"
#include "cli/request/remote.h"
#include "column/schema.h"
#include "plan/plan.h"
#include "sql/compile.h"

struct submit_options {
	struct option_list data;
	struct remote remote;
	const char *sql;
	const char *schema;
	struct option_list queries;
	struct dialect_options files;
	const char *format;
	const char *output;
	uint64_t chunk_size;
	uint64_t connections;
	const char *state;
	uint64_t retries;
	bool restart;
	const char *max_rejects;
	bool no_wait;
	bool quiet;
};

struct submit_request {
	bool pack;
	struct catalog catalog; /* with everything that the folder or the schema has */
	struct plan *plan;
	const char *schema; /* CREATE TABLE statements of the tables that are read */
	uint32_t table_count;
	uint64_t *table_bytes;
	uint32_t query_count;
	struct wire_query_text *queries;
	struct sql_queries parsed; /* the same, as they are compiled */
	uint64_t hash;		   /* of schema, without statistics, and queries */
};

/* `operand` is a pack, a file with a query, "-", or NULL. Everything lives in the arena. */
MUST_CHECK int submit_prepare(const struct submit_options *options, const char *operand,
	struct arena *arena, struct submit_request *out, struct error *err);

/* Compiles them again, after a change of types in the catalog. */
MUST_CHECK int submit_compile(
	struct submit_request *request, struct arena *arena, struct error *err);

/* Whether a job has failed by a guess of ours that was not taken back before: a gateway may say anything. */
bool submit_is_our_guess(const struct submit_request *request, const struct error *wrong);
/* Takes that guess back (execute_widen). The request is to be compiled again, for another job. */
MUST_CHECK int submit_widen(struct submit_request *request, const struct data_places *data,
	struct arena *arena, const struct error *wrong, struct buf *lines, struct error *err);

#endif
