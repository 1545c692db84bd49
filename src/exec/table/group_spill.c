#include "exec/table/group_spill.h"

#include "base/memory.h"
#include "column/batch_codec.h"
#include "exec/table/partition.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Of a part, written at a time: a share of the memory within these bounds. */
#define BLOCK_BYTES_MAX (256u << 10)
#define BLOCK_BYTES_MIN (4u << 10)
/* A batch of the longest texts fits. */
#define BLOCK_BYTES_END ((size_t)1 << 36)
#define ARENA_BLOCK	(64u << 10)

struct spill_part {
	struct buf bytes; /* batches that were not written yet */
	size_t count;
	size_t capacity;
	struct spill_piece *pieces;
	size_t read; /* pieces */
};

struct group_spill {
	const struct op_memory *memory;
	uint32_t level;
	uint32_t key_count;
	const uint32_t *keys;
	uint32_t column_count;
	struct type *types;
	size_t block_bytes;
	struct spill_part parts[GROUP_SPILL_PARTS];
	uint64_t hashes[BATCH_ROWS_MAX];
	uint16_t rows[GROUP_SPILL_PARTS][BATCH_ROWS_MAX];
	/* The piece that is being read. */
	uint8_t *piece;
	const uint8_t *at;
	const uint8_t *end;
	struct arena arena;
};

struct group_spill *group_spill_new(const struct op_memory *memory, uint32_t level,
	uint32_t key_count, const uint32_t *keys, const struct batch *like)
{
	struct group_spill *spill = memory_zalloc(sizeof(*spill));
	size_t bytes = memory->budget->limit / (8 * GROUP_SPILL_PARTS);

	assert(level < GROUP_SPILL_LEVELS);
	spill->memory = memory;
	spill->level = level;
	spill->key_count = key_count;
	spill->keys = keys;
	spill->column_count = like->column_count;
	spill->types = memory_alloc((like->column_count + 1) * sizeof(*spill->types));
	for (uint32_t c = 0; c < like->column_count; c++)
		spill->types[c] = like->columns[c].type;
	bytes = bytes > BLOCK_BYTES_MIN ? bytes : BLOCK_BYTES_MIN;
	spill->block_bytes = bytes < BLOCK_BYTES_MAX ? bytes : BLOCK_BYTES_MAX;
	for (uint32_t p = 0; p < GROUP_SPILL_PARTS; p++)
		buf_init(&spill->parts[p].bytes, BLOCK_BYTES_END);
	arena_init(&spill->arena, ARENA_BLOCK);
	return spill;
}

void group_spill_free(struct group_spill *spill)
{
	if (!spill)
		return;
	for (uint32_t p = 0; p < GROUP_SPILL_PARTS; p++) {
		struct spill_part *part = &spill->parts[p];

		for (size_t i = part->read; i < part->count; i++)
			spill->memory->spill->drop(spill->memory->spill, &part->pieces[i]);
		buf_release(&part->bytes);
		free(part->pieces);
	}
	free(spill->piece);
	free(spill->types);
	arena_release(&spill->arena);
	free(spill);
}

uint32_t group_spill_level(const struct group_spill *spill)
{
	return spill->level;
}

static int write_part(struct group_spill *spill, struct spill_part *part, struct error *err)
{
	struct spill_store *store = spill->memory->spill;

	if (part->bytes.size == 0)
		return 0;
	if (part->count == part->capacity) {
		part->capacity = part->capacity ? 2 * part->capacity : 8;
		part->pieces = memory_realloc(part->pieces, part->capacity * sizeof(*part->pieces));
	}
	if (store->write(
		    store, part->bytes.data, part->bytes.size, &part->pieces[part->count], err))
		return -1;
	part->count++;
	buf_clear(&part->bytes);
	return 0;
}

int group_spill_add(struct group_spill *spill, const struct batch *batch, struct error *err)
{
	uint32_t counts[GROUP_SPILL_PARTS] = {0};

	assert(batch->column_count == spill->column_count);
	partition_hash(batch, spill->keys, spill->key_count, spill->hashes);
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);
		/* The exchange has looked at the upper bits already. */
		uint64_t mixed = spill->hashes[row] * UINT64_C(0x9e3779b97f4a7c15);
		uint32_t part = (uint32_t)(mixed >> (64 - GROUP_SPILL_BITS * (spill->level + 1))) &
				(GROUP_SPILL_PARTS - 1);

		spill->rows[part][counts[part]++] = (uint16_t)row;
	}
	for (uint32_t p = 0; p < GROUP_SPILL_PARTS; p++) {
		struct spill_part *part = &spill->parts[p];
		struct batch own = *batch;

		own.sel = spill->rows[p];
		own.selected = counts[p];
		if (own.selected == 0)
			continue;
		batch_encode(&own, &part->bytes);
		if (buf_overflowed(&part->bytes))
			return error_set(err, ERROR_LIMIT, "groups of more than %zu GB at once",
				BLOCK_BYTES_END >> 30);
		if (part->bytes.size >= spill->block_bytes && write_part(spill, part, err))
			return -1;
	}
	return 0;
}

int group_spill_end(struct group_spill *spill, struct error *err)
{
	for (uint32_t p = 0; p < GROUP_SPILL_PARTS; p++) {
		if (write_part(spill, &spill->parts[p], err))
			return -1;
		buf_release(&spill->parts[p].bytes);
	}
	return 0;
}

int group_spill_read(struct group_spill *spill, uint32_t part, struct batch *out, struct error *err)
{
	struct spill_part *from = &spill->parts[part];
	struct spill_store *store = spill->memory->spill;

	if (spill->at == spill->end) {
		const struct spill_piece *piece = &from->pieces[from->read];

		if (from->read == from->count)
			return 0;
		free(spill->piece);
		spill->piece = memory_alloc(piece->size);
		spill->at = spill->piece;
		spill->end = spill->piece + piece->size;
		if (store->read(store, piece, spill->piece, err))
			return -1;
		store->drop(store, piece);
		from->read++;
	}
	arena_reset(&spill->arena);
	return batch_decode(&spill->at, spill->end, spill->column_count, spill->types,
		       &spill->arena, out, err)
		       ? -1
		       : 1;
}
