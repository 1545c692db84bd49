/*
 * All map fragments of a table over chunks of its text that carry their file's header: what a
 * gateway or a filter makes of a chunk. It keeps nothing from one chunk to the next, so it can run
 * anywhere.
 */
#ifndef SCAN_CHUNK_MAP_H
#define SCAN_CHUNK_MAP_H

#include "column/schema.h"
#include "csv/decode.h"
#include "plan/plan.h"

#include <stdatomic.h>

struct chunk_map;

/* Rows that leave `fragment`, at least one. The batch is borrowed for the call. */
typedef int (*chunk_map_emit)(
	void *context, uint32_t fragment, const struct batch *batch, struct error *err);

/* For one thread. `plan` and `catalog` are borrowed and outlive it. */
struct chunk_map *chunk_map_new(
	const struct plan *plan, const struct catalog *catalog, uint32_t table);
void chunk_map_free(struct chunk_map *map);

/*
 * One chunk: the head of its records (csv/head.h), and whole records. What is emitted depends on the bytes alone. `origin` names the chunk in errors. An error while a
 * query's expressions are evaluated has the names of the queries. *stop ends it early, with
 * ERROR_INTERRUPTED; NULL: nobody will. `emit` NULL: fields are read, so that the tally is complete, and nothing
 * else is done.
 */
MUST_CHECK int chunk_map_run(struct chunk_map *map, const char *origin, const void *text,
	size_t size, struct csv_tally *tally, chunk_map_emit emit, void *context,
	const atomic_bool *stop, struct error *err);

#endif
