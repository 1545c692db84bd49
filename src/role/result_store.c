#include "role/result_store.h"

#include "base/interval_set.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

struct query_result {
	struct interval_set seen;
	uint32_t capacity;
	journal_position *positions; /* by number */
};

struct result_store {
	uint64_t job_id;
	const struct job *job; /* NULL: it is not known what queries it has */
	struct journal *journal;
	uint32_t query_count;
	struct query_result *queries;
};

uint32_t result_store_query(const struct job *job, flow_stream stream)
{
	uint32_t fragment = flow_stream_producer(stream);

	if (flow_stream_is_table(stream) || fragment >= job->plan->fragment_count ||
		flow_stream_instance(stream) != 0)
		return PLAN_NONE;
	return job->plan->fragments[fragment].query;
}

static void note_position(
	struct result_store *store, uint32_t query, uint32_t number, journal_position position)
{
	struct query_result *result = &store->queries[query];

	if (number >= result->capacity) {
		result->capacity = 2 * (number + 8);
		result->positions = memory_realloc(
			result->positions, result->capacity * sizeof(*result->positions));
	}
	result->positions[number] = position;
	interval_set_add(&result->seen, number);
}

static int replay(
	void *context, journal_position position, const void *bytes, size_t size, struct error *err)
{
	struct result_store *store = context;
	struct flow_message packet;
	uint32_t query;

	if (flow_message_decode(bytes, size, &packet, err))
		return -1;
	if (packet.kind != FLOW_PACKET || packet.job != store->job_id)
		return error_set(err, ERROR_DATA,
			"the results of job %016lx are damaged: they have something else than its "
			"packets at %lx",
			store->job_id, position);
	if (!store->job)
		return 0;
	query = result_store_query(store->job, packet.stream);
	if (query == PLAN_NONE)
		return error_set(err, ERROR_DATA, "a packet that belongs to no result");
	note_position(store, query, packet.number, position);
	return 0;
}

static struct result_store *store_new(uint64_t id, const struct job *job)
{
	struct result_store *store = memory_zalloc(sizeof(*store));

	store->job_id = id;
	store->job = job;
	store->query_count = job ? job->plan->query_count : 0;
	store->queries = memory_zalloc(store->query_count * sizeof(*store->queries));
	return store;
}

bool result_store_has_all(const struct result_store *store, uint32_t last)
{
	const struct job *job = store->job;
	uint32_t total;

	for (uint32_t q = 0; q < store->query_count; q++)
		if (job_stream_total(job, job_result_stream(job, q), &total) &&
			!result_store_begins_with(store, q, total < last ? total : last))
			return false;
	return true;
}

int result_store_verify(struct disk *disk, uint64_t id, const struct job *job, uint32_t last,
	struct journal_summary *summary, bool *has_all, struct error *err)
{
	struct result_store *store = store_new(id, job);
	char folder[DISK_PATH_MAX];
	int status;

	snprintf(folder, sizeof(folder), RESULT_FOLDER_FORMAT, id);
	status = journal_verify(disk, folder, false, replay, store, summary, err);
	*has_all = status == 0 && result_store_has_all(store, last);
	result_store_close(store);
	return status;
}

int result_store_open(
	struct result_store **out, struct disk *disk, const struct job *job, struct error *err)
{
	static const struct journal_options options = {0};
	struct result_store *store = store_new(job->id, job);
	char folder[DISK_PATH_MAX];

	snprintf(folder, sizeof(folder), RESULT_FOLDER_FORMAT, job->id);
	if (journal_open(&store->journal, disk, folder, &options, replay, store, err)) {
		store->journal = NULL;
		result_store_close(store);
		return -1;
	}
	*out = store;
	return 0;
}

void result_store_close(struct result_store *store)
{
	if (!store)
		return;
	if (store->journal)
		journal_close(store->journal);
	for (uint32_t q = 0; q < store->query_count; q++) {
		interval_set_release(&store->queries[q].seen);
		free(store->queries[q].positions);
	}
	free(store->queries);
	free(store);
}

struct journal *result_store_journal(const struct result_store *store)
{
	return store->journal;
}

bool result_store_has(const struct result_store *store, uint32_t query, uint32_t number)
{
	return interval_set_has(&store->queries[query].seen, number);
}

int result_store_put(struct result_store *store, uint32_t query, uint32_t number, const void *bytes,
	size_t size, struct error *err)
{
	struct disk_piece piece = {bytes, size};
	journal_position position;

	if (journal_append(store->journal, &piece, 1, &position, err))
		return -1;
	note_position(store, query, number, position);
	return 0;
}

bool result_store_begins_with(const struct result_store *store, uint32_t query, uint32_t count)
{
	const struct interval_set *seen = &store->queries[query].seen;

	return count == 0 ||
	       (seen->count > 0 && seen->ranges[0].first == 1 && seen->ranges[0].last >= count);
}

int result_store_read(const struct result_store *store, uint32_t query, uint32_t number,
	struct buf *out, struct error *err)
{
	return journal_read(store->journal, store->queries[query].positions[number], out, err);
}
