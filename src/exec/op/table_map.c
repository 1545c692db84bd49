#include "exec/op/table_map.h"

#include "base/memory.h"
#include "csv/header.h"
#include "exec/op/pipeline.h"
#include "plan/plan_queries.h"

#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK (16u << 10)

/* A map fragment while a chunk passes through it. */
struct map_fragment {
	struct sink sink; /* first: emit() gets back to the fragment from it */
	struct table_map *map;
	uint32_t index;
	struct pipeline *pipeline;
};

struct table_map {
	const struct plan *plan;
	const struct plan_table *table;
	const struct table_schema *schema;
	uint32_t fragment_count;
	struct map_fragment *fragments;
	bool *wanted;	       /* by fragment of the plan */
	uint32_t column_count; /* that some fragment reads */
	uint32_t *columns;     /* their indexes in the plan's table */
	const char **names;
	struct type *types;
	uint32_t *fields;
	struct csv_chunk chunk;
	struct column *batch_columns; /* of the plan's table */
	struct arena arena;	      /* the header of a chunk */
	table_map_emit emit;
	void *context;
	uint16_t sel[BATCH_ROWS_MAX];
};

bool table_map_takes(const struct plan_fragment *fragment, bool all_good, const bool *wanted)
{
	if (fragment->merged_count)
		return all_good;
	return !all_good || fragment->merged_into == PLAN_NONE || !wanted[fragment->merged_into];
}

void table_map_select(struct batch *batch, const bool *used, const uint32_t *columns,
	const struct csv_bad *bad, uint32_t bad_count, uint16_t *sel)
{
	uint32_t kept = 0, b = 0;

	for (uint32_t row = 0; row < batch->rows; row++) {
		bool readable = true;

		for (; b < bad_count && bad[b].row == row; b++)
			readable &= !used[columns[bad[b].column]];
		sel[kept] = (uint16_t)row;
		kept += readable;
	}
	batch->sel = sel;
	batch->selected = kept;
}

static int fragment_emit(struct sink *sink, const struct batch *batch, struct error *err)
{
	struct map_fragment *fragment = (struct map_fragment *)sink;
	struct table_map *map = fragment->map;

	return batch->selected == 0 ? 0 : map->emit(map->context, fragment->index, batch, err);
}

static void add_columns(struct table_map *map)
{
	uint32_t room = map->table->column_count + 1;

	map->columns = memory_alloc(room * sizeof(uint32_t));
	map->names = memory_alloc(room * sizeof(char *));
	map->types = memory_alloc(room * sizeof(struct type));
	map->fields = memory_zalloc(room * sizeof(uint32_t));
	map->batch_columns = memory_zalloc(room * sizeof(struct column));
	for (uint32_t c = 0; c < map->table->column_count; c++) {
		bool used = false;

		for (uint32_t i = 0; i < map->fragment_count; i++)
			used |= map->plan->fragments[map->fragments[i].index].table_columns_used[c];
		if (!used)
			continue;
		map->columns[map->column_count] = c;
		map->types[map->column_count] = map->table->columns[c].type;
		map->names[map->column_count++] = map->table->columns[c].name;
	}
}

struct table_map *table_map_new(
	const struct plan *plan, const struct catalog *catalog, uint32_t table)
{
	struct table_map *map = memory_zalloc(sizeof(*map));

	map->plan = plan;
	map->table = &plan->tables[table];
	map->schema = &catalog->tables[map->table->source];
	map->fragments = memory_zalloc((plan->fragment_count + 1) * sizeof(*map->fragments));
	map->wanted = memory_zalloc(plan->fragment_count + 1);
	for (uint32_t f = 0; f < plan->fragment_count; f++) {
		const struct plan_input *input = &plan->fragments[f].inputs[0];

		map->wanted[f] = input->kind == INPUT_TABLE && input->index == table;
		if (!map->wanted[f])
			continue;
		map->fragments[map->fragment_count++] = (struct map_fragment){
			.sink = {.emit = fragment_emit},
			.map = map,
			.index = f,
		};
	}
	add_columns(map);
	csv_chunk_init(&map->chunk);
	arena_init(&map->arena, ARENA_BLOCK);
	return map;
}

void table_map_free(struct table_map *map)
{
	if (!map)
		return;
	csv_chunk_release(&map->chunk);
	arena_release(&map->arena);
	free(map->fragments);
	free(map->wanted);
	free(map->columns);
	free(map->names);
	free(map->types);
	free(map->fields);
	free(map->batch_columns);
	free(map);
}

/* Takes the header off the text and finds the columns. */
static int read_layout(struct table_map *map, const char *origin, const char **text, size_t *size,
	struct csv_layout *layout, struct error *err)
{
	const struct csv_format *format = &map->schema->format;
	struct text *header = NULL;
	uint32_t header_count = 0;

	*layout = (struct csv_layout){
		.column_count = map->column_count, .types = map->types, .names = map->names};
	if (format->header) {
		size_t record = csv_header_record(*text, *size, format);
		size_t length = csv_header_trim(*text, record);

		if (length == 0)
			return error_set(err, ERROR_DATA, "%s: it has no header", origin);
		if (csv_header_parse(origin, *text, length, format, &map->arena, &header,
			    &header_count, err))
			return -1;
		*text += record;
		*size -= record;
	}
	return csv_layout_resolve(
		layout, origin, map->schema, header, header_count, map->fields, err);
}

static int push_batch(struct table_map *map, const struct batch *decoded, const struct csv_bad *bad,
	uint32_t bad_count, struct error *err)
{
	struct batch batch = *decoded;

	for (uint32_t c = 0; c < map->column_count; c++)
		map->batch_columns[map->columns[c]] = decoded->columns[c];
	batch.columns = map->batch_columns;
	batch.column_count = map->table->column_count;
	for (uint32_t i = 0; i < map->fragment_count; i++) {
		struct map_fragment *fragment = &map->fragments[i];
		const struct plan_fragment *plan = &map->plan->fragments[fragment->index];
		struct batch own = batch;

		if (!table_map_takes(plan, bad_count == 0, map->wanted))
			continue;
		if (bad_count > 0)
			table_map_select(&own, plan->table_columns_used, map->columns, bad,
				bad_count, map->sel);
		if (own.selected == 0)
			continue;
		if (!fragment->pipeline &&
			pipeline_new(&fragment->pipeline, plan, NULL, &fragment->sink, err))
			return -1;
		if (pipeline_push(fragment->pipeline, &own, err))
			return plan_error_prefix(map->plan, plan, err);
	}
	return 0;
}

static int push_chunk(struct table_map *map, struct csv_decoder *decoder,
	const struct csv_chunk *chunk, struct csv_tally *tally, struct error *err)
{
	const struct csv_bad *bad;
	struct batch batch;
	uint32_t bad_count;
	int status = 0;

	csv_decoder_start(decoder, NULL, chunk, tally);
	while (!status && csv_decoder_next(decoder, &batch, &bad, &bad_count))
		status = push_batch(map, &batch, bad, bad_count, err);
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

static int run_fragments(struct table_map *map, const struct csv_layout *layout, const char *text,
	size_t size, struct csv_tally *tally, struct error *err)
{
	struct csv_decoder *decoder = csv_decoder_new(layout, csv_isa_detect());
	char quote = map->schema->format.quote;
	size_t in_place = size_in_place(text, size, quote);
	/* The decoder does not write to it. */
	struct csv_chunk borrowed = {
		.data = (char *)text, .size = (uint32_t)in_place, .plain = true};
	int status = 0;

	if (in_place > 0)
		status = push_chunk(map, decoder, &borrowed, tally, err);
	if (!status) {
		csv_chunk_set(&map->chunk, text + in_place, size - in_place, quote);
		status = push_chunk(map, decoder, &map->chunk, tally, err);
	}
	csv_decoder_free(decoder);
	for (uint32_t i = 0; i < map->fragment_count; i++) {
		struct map_fragment *fragment = &map->fragments[i];

		if (!status && fragment->pipeline) {
			status = pipeline_finish(fragment->pipeline, err);
			if (status)
				plan_error_prefix(
					map->plan, &map->plan->fragments[fragment->index], err);
		}
		pipeline_free(fragment->pipeline);
		fragment->pipeline = NULL;
	}
	return status;
}

int table_map_run(struct table_map *map, const char *origin, const void *text, size_t size,
	struct csv_tally *tally, table_map_emit emit, void *context, struct error *err)
{
	struct csv_layout layout;
	const char *records = text;

	map->emit = emit;
	map->context = context;
	arena_reset(&map->arena);
	if (read_layout(map, origin, &records, &size, &layout, err))
		return -1;
	if (size > CSV_CHUNK_MAX)
		return error_set(err, ERROR_LIMIT, "%s: a chunk of more than %u MB", origin,
			CSV_CHUNK_MAX >> 20);
	return run_fragments(map, &layout, records, size, tally, err);
}
