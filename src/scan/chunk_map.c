#include "scan/chunk_map.h"

#include "base/memory.h"
#include "csv/guess.h"
#include "csv/head.h"
#include "exec/op/pipeline.h"
#include "plan/plan_queries.h"
#include "scan/map_stage.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK (16u << 10)

/* A map fragment while a chunk passes through it. */
struct chunk_fragment {
	struct sink sink; /* first: emit() gets back to the fragment from it */
	struct chunk_map *map;
	uint32_t index;
	struct pipeline *pipeline; /* NULL until rows arrive */
};

struct chunk_map {
	const struct plan *plan;
	struct map_table *table;
	uint32_t table_index; /* in the plan */
	struct map_stage *stage;
	struct chunk_fragment *fragments; /* by fragment of the plan; those of the table are used */
	struct csv_chunk chunk;
	struct arena arena; /* the header of a chunk */
	chunk_map_emit emit;
	void *context;
	const atomic_bool *stop;
};

static int fragment_emit(struct sink *sink, const struct batch *batch, struct error *err)
{
	struct chunk_fragment *fragment = (struct chunk_fragment *)sink;
	struct chunk_map *map = fragment->map;

	return batch->selected == 0 ? 0 : map->emit(map->context, fragment->index, batch, err);
}

struct chunk_map *chunk_map_new(
	const struct plan *plan, const struct catalog *catalog, uint32_t table)
{
	struct chunk_map *map = memory_zalloc(sizeof(*map));

	map->plan = plan;
	map->table = map_table_new(plan, catalog, table, NULL);
	map->table_index = table;
	map->stage = map_stage_new(plan);
	map->fragments = memory_zalloc((plan->fragment_count + 1) * sizeof(*map->fragments));
	for (uint32_t k = 0; k < map_table_fragment_count(map->table); k++) {
		uint32_t f = map_table_fragment(map->table, k);

		map->fragments[f] = (struct chunk_fragment){
			.sink = {.emit = fragment_emit}, .map = map, .index = f};
	}
	csv_chunk_init(&map->chunk);
	arena_init(&map->arena, ARENA_BLOCK);
	return map;
}

void chunk_map_free(struct chunk_map *map)
{
	if (!map)
		return;
	csv_chunk_release(&map->chunk);
	arena_release(&map->arena);
	map_stage_free(map->stage);
	map_table_free(map->table);
	free(map->fragments);
	free(map);
}

static int feed_fragment(
	void *context, uint32_t index, const struct batch *batch, struct error *err)
{
	struct chunk_map *map = context;
	struct chunk_fragment *fragment = &map->fragments[index];
	const struct plan_fragment *plan = &map->plan->fragments[index];

	assert(fragment->map == map);
	if (!fragment->pipeline) {
		if (pipeline_new(&fragment->pipeline, plan, NULL, &fragment->sink, err))
			return -1;
		pipeline_stop_with(fragment->pipeline, map->stop, NULL);
	}
	if (pipeline_push(fragment->pipeline, batch, err))
		return plan_error_prefix(map->plan, plan, err);
	return 0;
}

/* Rows that are only counted. */
static int feed_nobody(void *context, uint32_t index, const struct batch *batch, struct error *err)
{
	(void)context;
	(void)index;
	(void)batch;
	(void)err;
	return 0;
}

/* Ends the fragments' input, unless something failed, and frees what they held of the chunk. */
static int close_fragments(struct chunk_map *map, bool failed, struct error *err)
{
	int status = failed ? -1 : 0;

	for (uint32_t k = 0; k < map_table_fragment_count(map->table); k++) {
		uint32_t f = map_table_fragment(map->table, k);
		struct chunk_fragment *fragment = &map->fragments[f];

		if (!status && fragment->pipeline && pipeline_finish(fragment->pipeline, err))
			status = plan_error_prefix(map->plan, &map->plan->fragments[f], err);
		pipeline_free(fragment->pipeline);
		fragment->pipeline = NULL;
	}
	return status;
}

/*
 * How much of the text can be decoded where it is: whole records with CSV_SCAN_PADDING bytes of
 * ours behind them. Nothing when there are quotes: where records end would take a scan to see.
 */
static size_t size_in_place(const char *text, size_t size, char quote)
{
	const char *last;

	if (size <= CSV_SCAN_PADDING || (quote != '\0' && memchr(text, quote, size)))
		return 0;
	last = memrchr(text, '\n', size - CSV_SCAN_PADDING);
	return last ? (size_t)(last + 1 - text) : 0;
}

static int run_chunk(struct chunk_map *map, struct csv_decoder *decoder,
	const struct csv_chunk *chunk, struct csv_tally *tally, struct error *err)
{
	return map_stage_run(map->stage, map->table, decoder, NULL, chunk, tally,
		map->emit ? feed_fragment : feed_nobody, map, err);
}

static int run_records(struct chunk_map *map, const struct csv_layout *layout, uint64_t first_line,
	const char *text, size_t size, struct csv_tally *tally, struct error *err)
{
	struct csv_decoder *decoder = csv_decoder_new(layout, csv_isa_detect());
	char quote = map_table_schema(map->table)->format.quote;
	size_t in_place = size_in_place(text, size, quote);
	/* The decoder does not write to it. */
	struct csv_chunk borrowed = {.data = (char *)text,
		.size = (uint32_t)in_place,
		.plain = true,
		.first_line = first_line};
	int status = 0;

	if (in_place > 0)
		status = run_chunk(map, decoder, &borrowed, tally, err);
	if (!status) {
		csv_chunk_set(&map->chunk, text + in_place, size - in_place, quote);
		map->chunk.first_line = first_line;
		if (in_place > 0)
			map->chunk.first_line += csv_decoder_lines(decoder);
		status = run_chunk(map, decoder, &map->chunk, tally, err);
	}
	csv_decoder_free(decoder);
	return close_fragments(map, status != 0 || csv_tally_has_doubts(tally), err);
}

/* The first guess that the chunk contradicts. */
static int report_doubt(const struct chunk_map *map, const char *origin,
	const struct csv_tally *tally, struct error *err)
{
	const struct table_schema *schema = map_table_schema(map->table);

	for (uint32_t c = 0; c < tally->doubt_count; c++) {
		const struct csv_doubt *doubt = &tally->doubts[c];
		uint32_t column = map_table_schema_column(map->table, c);

		if (doubt->sample)
			return guess_error_type(err, map->table_index, column, doubt->kinds, origin,
				doubt->sample, schema->columns[column].type);
	}
	assert(tally->longest.fields > 0);
	return guess_error_width(err, map->table_index, tally->longest.width, tally->longest.fields,
		origin, tally->longest.sample);
}

int chunk_map_run(struct chunk_map *map, const char *origin, const void *text, size_t size,
	struct csv_tally *tally, chunk_map_emit emit, void *context, const atomic_bool *stop,
	struct error *err)
{
	const struct csv_format *format = &map_table_schema(map->table)->format;
	struct csv_layout layout = {0};
	struct csv_head head;
	size_t length;
	int status;

	map->emit = emit;
	map->context = context;
	map->stop = stop;
	arena_reset(&map->arena);
	if (csv_head_read(origin, text, size, format, &map->arena, &head, &length, err))
		return -1;
	status = map_table_layout(map->table, origin, format, &head, &layout, err);
	if (!status && size - length > CSV_CHUNK_MAX)
		status = error_set(err, ERROR_LIMIT, "%s: a chunk of more than %u MB", origin,
			CSV_CHUNK_MAX >> 20);
	if (!status)
		status = run_records(map, &layout, head.first_line, (const char *)text + length,
			size - length, tally, err);
	if (csv_tally_has_doubts(tally))
		status = report_doubt(map, origin, tally, err);
	free((void *)layout.fields);
	return status;
}
