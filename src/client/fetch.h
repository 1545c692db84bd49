/*
 * The results of a job that was submitted before, by whomever. Its queries are known once a gateway
 * has named them; then the rows come.
 */
#ifndef CLIENT_FETCH_H
#define CLIENT_FETCH_H

#include "base/error.h"
#include "plan/plan.h"
#include "wire/message.h"

#include <stdbool.h>

struct fetch_options {
	const char *server; /* HOST:PORT[,HOST:PORT...] */
	const char *token;  /* NULL: none */
	uint64_t job;
	struct wire_secret secret;
	bool no_wait; /* ERROR_USAGE when the job is not done yet */
};

struct fetch_handler {
	/*
	 * Once, before the first row. Of the plan there are the queries' names and types alone; it
	 * is borrowed until fetch_free.
	 */
	int (*begin)(void *context, const struct plan *plan, struct error *err);
	/* Rows of a RESULT message, and the end of them. */
	int (*result)(
		void *context, uint32_t query, const uint8_t *data, size_t size, struct error *err);
	int (*result_end)(void *context, uint32_t query, struct error *err);
	/* Before the first row: how much of the work is done. */
	void (*progress)(void *context, uint64_t done, uint64_t total);
	bool (*interrupted)(void *context);
	void *context;
};

struct fetch;

struct fetch *fetch_new(void);
void fetch_free(struct fetch *fetch);
/*
 * Waits for all of them; once. ERROR_INTERRUPTED; ERROR_USAGE when no gateway knows the job, or with
 * no_wait when it is not done; else what went wrong, or what the handler said.
 */
MUST_CHECK int fetch_run(struct fetch *fetch, const struct fetch_options *options,
	const struct fetch_handler *handler, struct error *err);

#endif
