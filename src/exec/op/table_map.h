/*
 * All map fragments of a table over chunks of its text: what turns rows of CSV into what leaves the
 * first fragments. It keeps nothing from one chunk to the next, so it can run anywhere.
 */
#ifndef EXEC_TABLE_MAP_H
#define EXEC_TABLE_MAP_H

#include "column/schema.h"
#include "csv/decode.h"
#include "plan/plan.h"

/*
 * Whether a fragment takes part in a batch. Where some fragments do the work of others: they for
 * batches that are readable throughout, the others for those that are not. `wanted` is by fragment.
 */
bool table_map_takes(const struct plan_fragment *fragment, bool all_good, const bool *wanted);

/*
 * Selects the rows whose fields this fragment reads are all readable. `columns[c]` is the index in
 * the plan's table of the batch's column c as the decoder counts it; `sel` has room for a batch.
 */
void table_map_select(struct batch *batch, const bool *used, const uint32_t *columns,
	const struct csv_bad *bad, uint32_t bad_count, uint16_t *sel);

struct table_map;

/* Rows that leave `fragment`. The batch is borrowed for the call. */
typedef int (*table_map_emit)(
	void *context, uint32_t fragment, const struct batch *batch, struct error *err);

/* For one thread. `plan` and `catalog` are borrowed and outlive it. */
struct table_map *table_map_new(
	const struct plan *plan, const struct catalog *catalog, uint32_t table);
void table_map_free(struct table_map *map);

/*
 * One chunk: the header line of its file, where the table's format has one, and whole records. What
 * is emitted depends on the bytes alone. `origin` names the chunk in errors. An error while a
 * query's expressions are evaluated has the names of the queries.
 */
MUST_CHECK int table_map_run(struct table_map *map, const char *origin, const void *text,
	size_t size, struct csv_tally *tally, table_map_emit emit, void *context,
	struct error *err);

#endif
