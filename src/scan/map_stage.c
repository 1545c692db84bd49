#include "scan/map_stage.h"

#include "base/memory.h"
#include "csv/header.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A map fragment of the pass, and the batches it takes part in. */
struct map_target {
	uint32_t fragment;
	const bool *used;    /* by column of the plan's table */
	bool takes_readable; /* batches in which every field could be read */
	bool takes_damaged;  /* and those in which one could not */
};

struct map_table {
	const struct plan_table *table;
	const struct table_schema *schema;
	uint32_t target_count;
	struct map_target *targets;
	uint32_t column_count; /* parsed in this pass */
	uint32_t *columns;     /* their indexes in the plan's table */
	const char **names;
	struct type *types;
	struct csv_reading *readings;
	bool *guessed;
	uint32_t *schema_columns;
};

struct map_stage {
	uint32_t column_room;
	struct column *columns; /* by column of the plan's table; those of the pass are set */
	uint16_t sel[BATCH_ROWS_MAX];
};

static void add_targets(
	struct map_table *map, const struct plan *plan, uint32_t table, const bool *wanted)
{
	map->targets = memory_alloc((plan->fragment_count + 1) * sizeof(*map->targets));
	for (uint32_t f = 0; f < plan->fragment_count; f++) {
		const struct plan_fragment *fragment = &plan->fragments[f];
		bool replaced = fragment->merged_into != PLAN_NONE &&
				(!wanted || wanted[fragment->merged_into]);

		if (fragment->inputs[0].kind != INPUT_TABLE || fragment->inputs[0].index != table ||
			(wanted && !wanted[f]))
			continue;
		map->targets[map->target_count++] = (struct map_target){
			.fragment = f,
			.used = fragment->table_columns_used,
			.takes_readable = !replaced,
			.takes_damaged = fragment->merged_count == 0,
		};
	}
}

/* How the values of the plan's column c are written, for the next column of the pass. */
static void read_as_declared(struct map_table *map, uint32_t c)
{
	for (uint32_t i = 0; i < map->schema->column_count; i++) {
		const struct table_column *column = &map->schema->columns[i];

		if (strcmp(column->name, map->table->columns[c].name) != 0)
			continue;
		map->readings[map->column_count] = column->reading;
		map->guessed[map->column_count] = column->guessed;
		map->schema_columns[map->column_count] = i;
	}
}

static void add_columns(struct map_table *map)
{
	uint32_t room = map->table->column_count + 1;

	map->columns = memory_alloc(room * sizeof(uint32_t));
	map->names = memory_alloc(room * sizeof(char *));
	map->types = memory_alloc(room * sizeof(struct type));
	map->readings = memory_zalloc(room * sizeof(struct csv_reading));
	map->guessed = memory_zalloc(room * sizeof(bool));
	map->schema_columns = memory_zalloc(room * sizeof(uint32_t));
	for (uint32_t c = 0; c < map->table->column_count; c++) {
		bool used = false;

		for (uint32_t i = 0; i < map->target_count; i++)
			used |= map->targets[i].used[c];
		if (!used)
			continue;
		read_as_declared(map, c);
		map->columns[map->column_count] = c;
		map->types[map->column_count] = map->table->columns[c].type;
		map->names[map->column_count++] = map->table->columns[c].name;
	}
}

struct map_table *map_table_new(
	const struct plan *plan, const struct catalog *catalog, uint32_t table, const bool *wanted)
{
	struct map_table *map = memory_zalloc(sizeof(*map));

	assert(table < plan->table_count);
	map->table = &plan->tables[table];
	map->schema = &catalog->tables[map->table->source];
	add_targets(map, plan, table, wanted);
	add_columns(map);
	return map;
}

void map_table_free(struct map_table *map)
{
	if (!map)
		return;
	free(map->targets);
	free(map->columns);
	free(map->names);
	free(map->types);
	free(map->readings);
	free(map->guessed);
	free(map->schema_columns);
	free(map);
}

const struct table_schema *map_table_schema(const struct map_table *map)
{
	return map->schema;
}

uint32_t map_table_column_count(const struct map_table *map)
{
	return map->column_count;
}

uint32_t map_table_schema_column(const struct map_table *map, uint32_t c)
{
	assert(c < map->column_count);
	return map->schema_columns[c];
}

struct csv_layout map_table_columns(const struct map_table *map)
{
	return (struct csv_layout){
		.column_count = map->column_count,
		.types = map->types,
		.names = map->names,
		.readings = map->readings,
		.guessed = map->guessed,
	};
}

uint32_t map_table_fragment_count(const struct map_table *map)
{
	return map->target_count;
}

uint32_t map_table_fragment(const struct map_table *map, uint32_t k)
{
	assert(k < map->target_count);
	return map->targets[k].fragment;
}

int map_table_layout(const struct map_table *map, const char *origin,
	const struct csv_format *format, const struct csv_head *head, struct csv_layout *layout,
	struct error *err)
{
	uint32_t *fields = memory_zalloc((map->column_count + 1) * sizeof(*fields));

	*layout = (struct csv_layout){
		.column_count = map->column_count,
		.fields = fields,
		.types = map->types,
		.names = map->names,
		.readings = map->readings,
		.guessed = map->guessed,
		.null_count = map->schema->dialect.null_count,
		.nulls = map->schema->dialect.nulls,
		.ragged = head->own_ragged ? head->ragged : map->schema->dialect.ragged,
		.widens = head->widens,
		.unite = map->schema->dialect.columns == CSV_COLUMNS_UNION,
		.constant_count = head->constant_count,
		.constants = head->constants,
	};
	return csv_layout_resolve(
		layout, origin, format, head->names, head->name_count, fields, err);
}

bool map_table_wants_lines(const struct map_table *map)
{
	for (uint32_t c = 0; c < map->column_count; c++)
		if (strcmp(map->names[c], TABLE_LINE_COLUMN) == 0)
			return true;
	return false;
}

struct map_stage *map_stage_new(const struct plan *plan)
{
	struct map_stage *stage = memory_alloc(sizeof(*stage));

	stage->column_room = 1;
	for (uint32_t t = 0; t < plan->table_count; t++)
		if (plan->tables[t].column_count > stage->column_room)
			stage->column_room = plan->tables[t].column_count;
	stage->columns = memory_zalloc(stage->column_room * sizeof(*stage->columns));
	return stage;
}

void map_stage_free(struct map_stage *stage)
{
	if (!stage)
		return;
	free(stage->columns);
	free(stage);
}

/* Selects the rows whose fields the target reads are all readable. */
static void select_readable(struct map_stage *stage, const struct map_table *map,
	const struct map_target *target, const struct csv_bad *bad, uint32_t bad_count,
	struct batch *batch)
{
	uint32_t kept = 0, b = 0;

	for (uint32_t row = 0; row < batch->rows; row++) {
		bool readable = true;

		for (; b < bad_count && bad[b].row == row; b++)
			readable &= !target->used[map->columns[bad[b].column]];
		stage->sel[kept] = (uint16_t)row;
		kept += readable;
	}
	assert(b == bad_count);
	batch->sel = stage->sel;
	batch->selected = kept;
}

int map_stage_feed_batch(struct map_stage *stage, const struct map_table *map,
	const struct batch *decoded, const struct csv_bad *bad, uint32_t bad_count, map_feed feed,
	void *context, struct error *err)
{
	struct batch batch = *decoded;

	assert(map->table->column_count <= stage->column_room);
	assert(decoded->column_count == map->column_count);
	for (uint32_t c = 0; c < map->column_count; c++)
		stage->columns[map->columns[c]] = decoded->columns[c];
	batch.columns = stage->columns;
	batch.column_count = map->table->column_count;
	for (uint32_t i = 0; i < map->target_count; i++) {
		const struct map_target *target = &map->targets[i];
		struct batch own = batch;

		if (bad_count > 0 ? !target->takes_damaged : !target->takes_readable)
			continue;
		if (bad_count > 0)
			select_readable(stage, map, target, bad, bad_count, &own);
		if (own.selected > 0 && feed(context, target->fragment, &own, err))
			return -1;
	}
	return 0;
}

int map_stage_run(struct map_stage *stage, const struct map_table *map, struct csv_decoder *decoder,
	const struct csv_file *file, const struct csv_chunk *chunk, struct csv_tally *tally,
	map_feed feed, void *context, struct error *err)
{
	const struct csv_bad *bad;
	struct batch batch;
	uint32_t bad_count;

	csv_decoder_start(decoder, file, chunk, tally);
	while (csv_decoder_next(decoder, &batch, &bad, &bad_count))
		if (!csv_tally_has_doubts(tally) && map_stage_feed_batch(stage, map, &batch, bad,
							    bad_count, feed, context, err))
			return -1;
	return 0;
}

int map_stage_feed(struct map_stage *stage, const struct map_table *map, const struct batch *rows,
	map_feed feed, void *context, struct error *err)
{
	struct batch batch = *rows;
	int status;

	assert(rows->column_count == map->schema->column_count);
	batch.column_count = map->column_count;
	batch.columns = memory_alloc((map->column_count + 1) * sizeof(*batch.columns));
	for (uint32_t c = 0; c < map->column_count; c++)
		batch.columns[c] = rows->columns[map->schema_columns[c]];
	status = map_stage_feed_batch(stage, map, &batch, NULL, 0, feed, context, err);
	free(batch.columns);
	return status;
}
