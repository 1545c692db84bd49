#include "exec/table/spill_parts.h"

#include "base/memory.h"
#include "column/batch_codec.h"
#include "exec/table/column_append.h"
#include "exec/table/partition.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Of a part, written at a time: a share of the memory within these bounds. */
#define BLOCK_SHARE	1024u
#define BLOCK_BYTES_MAX (128u << 10)
#define BLOCK_BYTES_MIN (4u << 10)
/* A batch of the longest texts fits. */
#define BLOCK_BYTES_END ((size_t)1 << 36)
#define ARENA_BLOCK	(64u << 10)
/* Batches of fewer rows are put together first; of those texts no more than so much. */
#define STAGE_ROWS_MIN	1024u
#define STAGE_TEXTS_MAX (1u << 20)

struct spill_part {
	struct buf bytes; /* batches that were not written */
	uint64_t rows;
	size_t count;
	size_t capacity;
	struct spill_piece *pieces;
	size_t dropped; /* pieces, from the first on */
};

/* Rows of small batches, until they are worth the way. */
struct row_stage {
	struct column *columns; /* heap arrays of BATCH_ROWS_MAX rows; NULL: nothing came yet */
	uint32_t count;
	struct arena arena;
};

struct spill_parts {
	const struct op_memory *memory;
	uint32_t level;
	uint32_t key_count;
	const uint32_t *keys;
	uint32_t column_count;
	struct type *types;
	size_t block_bytes;
	struct spill_part parts[SPILL_PARTS];
	struct row_stage stage;
	uint64_t hashes[BATCH_ROWS_MAX];
	uint16_t rows[SPILL_PARTS][BATCH_ROWS_MAX];
};

struct spill_parts *spill_parts_new(const struct op_memory *memory, uint32_t level,
	uint32_t key_count, const uint32_t *keys, uint32_t column_count, const struct type *types)
{
	struct spill_parts *parts = memory_zalloc(sizeof(*parts));
	size_t bytes = memory->budget->limit / BLOCK_SHARE;

	assert(level < SPILL_PARTS_LEVELS);
	parts->memory = memory;
	parts->level = level;
	parts->key_count = key_count;
	parts->keys = keys;
	parts->column_count = column_count;
	parts->types = memory_alloc((column_count + 1) * sizeof(*parts->types));
	memcpy(parts->types, types, column_count * sizeof(*types));
	bytes = bytes > BLOCK_BYTES_MIN ? bytes : BLOCK_BYTES_MIN;
	parts->block_bytes = bytes < BLOCK_BYTES_MAX ? bytes : BLOCK_BYTES_MAX;
	for (uint32_t p = 0; p < SPILL_PARTS; p++)
		buf_init(&parts->parts[p].bytes, BLOCK_BYTES_END);
	arena_init(&parts->stage.arena, ARENA_BLOCK);
	return parts;
}

static void stage_release(struct row_stage *stage, uint32_t column_count)
{
	for (uint32_t c = 0; stage->columns && c < column_count; c++) {
		free(stage->columns[c].values);
		free(stage->columns[c].valid);
	}
	free(stage->columns);
	stage->columns = NULL;
	stage->count = 0;
	arena_release(&stage->arena);
}

void spill_parts_free(struct spill_parts *parts)
{
	if (!parts)
		return;
	for (uint32_t p = 0; p < SPILL_PARTS; p++) {
		struct spill_part *part = &parts->parts[p];

		for (size_t i = part->dropped; i < part->count; i++)
			parts->memory->spill->drop(parts->memory->spill, &part->pieces[i]);
		buf_release(&part->bytes);
		free(part->pieces);
	}
	stage_release(&parts->stage, parts->column_count);
	free(parts->types);
	free(parts);
}

uint32_t spill_parts_level(const struct spill_parts *parts)
{
	return parts->level;
}

uint64_t spill_parts_rows(const struct spill_parts *parts, uint32_t part)
{
	return parts->parts[part].rows;
}

size_t spill_parts_bytes(const struct spill_parts *parts)
{
	size_t bytes = sizeof(*parts) + parts->stage.arena.held;

	for (uint32_t p = 0; p < SPILL_PARTS; p++)
		bytes += parts->parts[p].bytes.capacity +
			 parts->parts[p].capacity * sizeof(struct spill_piece);
	for (uint32_t c = 0; parts->stage.columns && c < parts->column_count; c++)
		bytes += BATCH_ROWS_MAX * physical_size(type_physical(parts->types[c].kind));
	return bytes;
}

static int write_part(struct spill_parts *parts, struct spill_part *part, struct error *err)
{
	struct spill_store *store = parts->memory->spill;

	if (part->count == part->capacity) {
		part->capacity = part->capacity ? 2 * part->capacity : 8;
		part->pieces = memory_realloc(part->pieces, part->capacity * sizeof(*part->pieces));
	}
	if (store->write(
		    store, part->bytes.data, part->bytes.size, &part->pieces[part->count], err))
		return -1;
	part->count++;
	/* A batch of long texts has made it larger than it has to be. */
	if (part->bytes.size > 2 * parts->block_bytes)
		buf_release(&part->bytes);
	buf_clear(&part->bytes);
	return 0;
}

/* Behind what the parts have in memory. */
static void split_rows(struct spill_parts *parts, const struct batch *batch)
{
	uint32_t counts[SPILL_PARTS] = {0};

	partition_hash(batch, parts->keys, parts->key_count, parts->hashes);
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);
		/* The exchange has looked at the upper bits already. */
		uint64_t mixed = parts->hashes[row] * UINT64_C(0x9e3779b97f4a7c15);
		uint32_t part = (uint32_t)(mixed >> (64 - SPILL_PARTS_BITS * (parts->level + 1))) &
				(SPILL_PARTS - 1);

		parts->rows[part][counts[part]++] = (uint16_t)row;
	}
	for (uint32_t p = 0; p < SPILL_PARTS; p++) {
		struct spill_part *part = &parts->parts[p];
		struct batch own = *batch;

		own.sel = parts->rows[p];
		own.selected = counts[p];
		if (own.selected == 0)
			continue;
		batch_encode(&own, &part->bytes);
		part->rows += counts[p];
	}
}

static int write_blocks(struct spill_parts *parts, struct error *err)
{
	for (uint32_t p = 0; p < SPILL_PARTS; p++) {
		struct spill_part *part = &parts->parts[p];

		if (buf_overflowed(&part->bytes))
			return error_set(err, ERROR_LIMIT, "rows of more than %zu GB at once",
				BLOCK_BYTES_END >> 30);
		if (part->bytes.size >= parts->block_bytes && write_part(parts, part, err))
			return -1;
	}
	return 0;
}

static void flush_stage(struct spill_parts *parts)
{
	struct row_stage *stage = &parts->stage;
	struct batch batch = {.rows = stage->count,
		.selected = stage->count,
		.column_count = parts->column_count,
		.columns = stage->columns};

	if (stage->count > 0)
		split_rows(parts, &batch);
	stage->count = 0;
	arena_reset(&stage->arena);
	for (uint32_t c = 0; stage->columns && c < parts->column_count; c++) {
		free(stage->columns[c].valid);
		stage->columns[c].valid = NULL;
	}
}

static void stage_rows(struct spill_parts *parts, const struct batch *batch)
{
	struct row_stage *stage = &parts->stage;
	uint16_t rows[BATCH_ROWS_MAX];

	if (stage->count + batch->selected > BATCH_ROWS_MAX)
		flush_stage(parts);
	if (!stage->columns) {
		stage->columns = memory_zalloc((parts->column_count + 1) * sizeof(struct column));
		for (uint32_t c = 0; c < parts->column_count; c++) {
			enum physical physical = type_physical(parts->types[c].kind);

			stage->columns[c].type = parts->types[c];
			stage->columns[c].values =
				memory_alloc(BATCH_ROWS_MAX * physical_size(physical));
		}
	}
	for (uint32_t k = 0; k < batch->selected; k++)
		rows[k] = (uint16_t)batch_row(batch, k);
	for (uint32_t c = 0; c < parts->column_count; c++)
		column_append(&stage->columns[c], BATCH_ROWS_MAX, stage->count, &batch->columns[c],
			rows, batch->selected, &stage->arena);
	stage->count += batch->selected;
	if (stage->arena.held > STAGE_TEXTS_MAX)
		flush_stage(parts);
}

int spill_parts_add(struct spill_parts *parts, const struct batch *batch, struct error *err)
{
	assert(batch->column_count == parts->column_count);
	if (batch->selected < STAGE_ROWS_MIN)
		stage_rows(parts, batch);
	else
		split_rows(parts, batch);
	return write_blocks(parts, err);
}

void spill_parts_end(struct spill_parts *parts)
{
	flush_stage(parts);
	stage_release(&parts->stage, parts->column_count);
	arena_init(&parts->stage.arena, ARENA_BLOCK);
}

void spill_reader_init(
	struct spill_reader *reader, struct spill_parts *parts, uint32_t part, bool last)
{
	*reader = (struct spill_reader){.parts = parts, .part = part, .last = last};
	arena_init(&reader->arena, ARENA_BLOCK);
}

void spill_reader_release(struct spill_reader *reader)
{
	free(reader->piece);
	arena_release(&reader->arena);
}

/* 1: there are bytes to decode; 0: there are no more. */
static int reader_fill(struct spill_reader *reader, struct error *err)
{
	struct spill_part *part = &reader->parts->parts[reader->part];
	struct spill_store *store = reader->parts->memory->spill;
	const struct spill_piece *piece = &part->pieces[reader->next_piece];

	free(reader->piece);
	reader->piece = NULL;
	if (reader->next_piece < part->count) {
		reader->piece = memory_alloc(piece->size);
		reader->at = reader->piece;
		reader->end = reader->piece + piece->size;
		if (store->read(store, piece, reader->piece, err))
			return -1;
		reader->next_piece++;
		if (reader->last) {
			store->drop(store, piece);
			part->dropped = reader->next_piece;
		}
		return 1;
	}
	if (reader->at_tail)
		return 0;
	reader->at_tail = true;
	reader->at = (const uint8_t *)part->bytes.data;
	reader->end = reader->at + part->bytes.size;
	return part->bytes.size > 0;
}

int spill_reader_next(struct spill_reader *reader, struct batch *out, struct error *err)
{
	struct spill_parts *parts = reader->parts;

	while (reader->at == reader->end) {
		int more = reader_fill(reader, err);

		if (more <= 0)
			return more;
	}
	arena_reset(&reader->arena);
	return batch_decode(&reader->at, reader->end, parts->column_count, parts->types,
		       &reader->arena, out, err)
		       ? -1
		       : 1;
}
