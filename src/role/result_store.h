/*
 * The results of one job on a node's disk: packets of the queries' result streams, each kept once,
 * in a journal of their own. The collector has all of them; gateways have copies of how they begin, and of what clients
 * wanted beyond that. Both can give them out.
 */
#ifndef ROLE_RESULT_STORE_H
#define ROLE_RESULT_STORE_H

#include "flow/ledger.h"
#include "flow/message.h"
#include "journal/journal.h"

struct result_store;

/* Opens what the disk has of the job's results, or starts empty. `job` is borrowed. */
MUST_CHECK int result_store_open(
	struct result_store **out, struct disk *disk, const struct job *job, struct error *err);
void result_store_close(struct result_store *store);
/* For intake: its sync makes packets durable. */
struct journal *result_store_journal(const struct result_store *store);

/* The query whose result stream this is; PLAN_NONE when it is not one. */
uint32_t result_store_query(const struct job *job, flow_stream stream);

/* Whether the packet is there already. */
bool result_store_has(const struct result_store *store, uint32_t query, uint32_t number);
/* Keeps a packet that is not there yet; `bytes` is the whole message. Not durable before a sync. */
MUST_CHECK int result_store_put(struct result_store *store, uint32_t query, uint32_t number,
	const void *bytes, size_t size, struct error *err);
/* Packets 1 .. count of a result are there. */
bool result_store_begins_with(const struct result_store *store, uint32_t query, uint32_t count);
/* Everything is there that the log says of the results, as far as packet `last` of each. */
bool result_store_has_all(const struct result_store *store, uint32_t last);
/*
 * Reads the results of job `id` without changing anything, with the errors of result_store_open.
 * `job` may be NULL when its queries are not known: then *has_all says nothing.
 */
MUST_CHECK int result_store_verify(struct disk *disk, uint64_t id, const struct job *job,
	uint32_t last, struct journal_summary *summary, bool *has_all, struct error *err);
/* Replaces what `out` holds with the packet. */
MUST_CHECK int result_store_read(const struct result_store *store, uint32_t query, uint32_t number,
	struct buf *out, struct error *err);

#define RESULT_FOLDER_PREFIX "result-"
#define RESULT_FOLDER_FORMAT RESULT_FOLDER_PREFIX "%016lx"

#endif
