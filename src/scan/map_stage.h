/*
 * The first stage of every query: a chunk of a table's text becomes batches, and each batch goes to
 * every map fragment that reads the table. This is where one scan feeds all queries, in the
 * embedded runtime as in a gateway or a filter.
 *
 *   struct map_table   what one pass over a table parses, and for whom; made once, then read by any
 *                      number of threads
 *   struct map_stage   what one thread needs while chunks pass
 */
#ifndef SCAN_MAP_STAGE_H
#define SCAN_MAP_STAGE_H

#include "column/schema.h"
#include "csv/decode.h"
#include "csv/head.h"
#include "plan/plan.h"

struct map_table;

/*
 * A pass over the plan's table `table` for those of its map fragments f that have wanted[f]; NULL:
 * for all of them. Only columns that one of them reads are parsed. `plan` and `catalog` are
 * borrowed and outlive it.
 */
struct map_table *map_table_new(
	const struct plan *plan, const struct catalog *catalog, uint32_t table, const bool *wanted);
void map_table_free(struct map_table *map);

/* The table in the catalog. Borrowed. */
const struct table_schema *map_table_schema(const struct map_table *map);
/* Columns of this pass, which are those of a layout, and for each the column of the table. */
uint32_t map_table_column_count(const struct map_table *map);
uint32_t map_table_schema_column(const struct map_table *map, uint32_t c);
/* Their names, types and readings, and which types are guesses; nothing else of the layout is set. Borrowed. */
struct csv_layout map_table_columns(const struct map_table *map);
/* Its map fragments in this pass: the k-th, ascending. */
uint32_t map_table_fragment_count(const struct map_table *map);
uint32_t map_table_fragment(const struct map_table *map, uint32_t k);

/*
 * Where the columns of this pass lie in text with this head, in `format`. The layout borrows from both;
 * layout->fields is the caller's to free, after an error, too. `origin` names the text in errors.
 */
MUST_CHECK int map_table_layout(const struct map_table *map, const char *origin,
	const struct csv_format *format, const struct csv_head *head, struct csv_layout *layout,
	struct error *err);
/* Whether a column of this pass is the line of a record: chunks must come with their first one. */
bool map_table_wants_lines(const struct map_table *map);

/* Rows for `fragment`, at least one of them selected. The batch is borrowed for the call. */
typedef int (*map_feed)(
	void *context, uint32_t fragment, const struct batch *batch, struct error *err);

struct map_stage;

/* For chunks of any table of the plan, and for one thread. */
struct map_stage *map_stage_new(const struct plan *plan);
void map_stage_free(struct map_stage *stage);

/*
 * Decodes a chunk and feeds the fragments of `map`, batch after batch. `decoder` was made with a
 * layout of that map; `file` is for rejects and may be NULL.
 *
 * A fragment is fed the rows whose fields it reads are all readable. Where some fragments do the
 * work of others, they get the batches that are readable throughout and the others get the rest.
 *
 * Once the tally has doubts nothing is fed any more: whoever runs it has to start again.
 */
MUST_CHECK int map_stage_run(struct map_stage *stage, const struct map_table *map,
	struct csv_decoder *decoder, const struct csv_file *file, const struct csv_chunk *chunk,
	struct csv_tally *tally, map_feed feed, void *context, struct error *err);

/* The same for a batch of the columns of this pass, with fields that could not be read. */
MUST_CHECK int map_stage_feed_batch(struct map_stage *stage, const struct map_table *map,
	const struct batch *decoded, const struct csv_bad *bad, uint32_t bad_count, map_feed feed,
	void *context, struct error *err);

/* The same for rows that are there already, with all the columns of the map's table in the catalog. */
MUST_CHECK int map_stage_feed(struct map_stage *stage, const struct map_table *map,
	const struct batch *rows, map_feed feed, void *context, struct error *err);

#endif
