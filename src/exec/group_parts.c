#include "exec/group_parts.h"
#include "base/memory.h"
#include "exec/partition.h"

#include <stdlib.h>
#include <string.h>

struct group_parts {
	uint32_t key_count;
	const uint32_t *keys;
	size_t bytes;
	struct group_block *blocks[GROUP_PARTS]; /* the one being filled first */
	/* Of the batch at hand: where the k-th selected row goes. */
	uint64_t hashes[BATCH_ROWS_MAX];
	struct group_block *block_of[BATCH_ROWS_MAX];
	uint16_t slot_of[BATCH_ROWS_MAX];
};

struct group_parts *group_parts_new(uint32_t key_count, const uint32_t *keys)
{
	struct group_parts *parts = memory_zalloc(sizeof(*parts));

	parts->key_count = key_count;
	parts->keys = keys;
	return parts;
}

void group_block_free(struct group_block *block)
{
	free(block);
}

void group_parts_free(struct group_parts *parts)
{
	if (!parts)
		return;
	for (uint32_t part = 0; part < GROUP_PARTS; part++) {
		struct group_block *block = group_parts_take(parts, part);

		while (block) {
			struct group_block *next = block->next;

			group_block_free(block);
			block = next;
		}
	}
	free(parts);
}

bool group_parts_fit(const struct batch *batch)
{
	for (uint32_t c = 0; c < batch->column_count; c++) {
		const struct column *column = &batch->columns[c];
		size_t size = physical_size(type_physical(column->type.kind));
		enum physical physical = type_physical(column->type.kind);

		if (size < 8 || physical == PHYSICAL_TEXT || physical == PHYSICAL_LIST)
			return false;
		for (uint32_t k = 0; column->valid && k < batch->selected; k++)
			if (column_is_null(column, batch_row(batch, k)))
				return false;
	}
	return true;
}

/* One piece of memory: the block, its columns, then their values, 16 bytes apart for numerics. */
static size_t block_size(const struct batch *batch)
{
	size_t size = sizeof(struct group_block) + batch->column_count * sizeof(struct column);

	size = (size + 15) & ~(size_t)15;
	for (uint32_t c = 0; c < batch->column_count; c++)
		size += BATCH_ROWS_MAX * physical_size(type_physical(batch->columns[c].type.kind));
	return size;
}

static struct group_block *block_new(const struct batch *batch)
{
	size_t size = block_size(batch);
	struct group_block *block = memory_alloc_aligned(16, size);
	struct column *columns = (struct column *)(block + 1);
	char *values = (char *)block + size;

	memset(block, 0, sizeof(*block));
	for (uint32_t c = 0; c < batch->column_count; c++) {
		enum physical physical = type_physical(batch->columns[c].type.kind);

		values -= BATCH_ROWS_MAX * physical_size(physical);
		columns[c] = (struct column){.type = batch->columns[c].type, .values = values};
	}
	block->batch.column_count = batch->column_count;
	block->batch.columns = columns;
	return block;
}

static void place_rows(struct group_parts *parts, const struct batch *batch)
{
	partition_hash(batch, parts->keys, parts->key_count, parts->hashes);
	for (uint32_t k = 0; k < batch->selected; k++) {
		/* The exchange took the upper bits to choose this instance. */
		uint32_t part = (uint32_t)parts->hashes[batch_row(batch, k)] % GROUP_PARTS;
		struct group_block *block = parts->blocks[part];

		if (!block || block->batch.rows == BATCH_ROWS_MAX) {
			block = block_new(batch);
			block->next = parts->blocks[part];
			parts->blocks[part] = block;
			parts->bytes += block_size(batch);
		}
		parts->block_of[k] = block;
		parts->slot_of[k] = (uint16_t)block->batch.rows++;
	}
}

static void copy_words(struct group_parts *parts, const struct batch *batch, uint32_t c)
{
	const struct column *column = &batch->columns[c];

	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = column_index(column, batch_row(batch, k));

		parts->block_of[k]->batch.columns[c].i64[parts->slot_of[k]] = column->i64[row];
	}
}

static void copy_numerics(struct group_parts *parts, const struct batch *batch, uint32_t c)
{
	const struct column *column = &batch->columns[c];

	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = column_index(column, batch_row(batch, k));

		parts->block_of[k]->batch.columns[c].num[parts->slot_of[k]] = column->num[row];
	}
}

void group_parts_add(struct group_parts *parts, const struct batch *batch)
{
	place_rows(parts, batch);
	for (uint32_t c = 0; c < batch->column_count; c++) {
		if (type_physical(batch->columns[c].type.kind) == PHYSICAL_NUM)
			copy_numerics(parts, batch, c);
		else
			copy_words(parts, batch, c);
	}
}

size_t group_parts_bytes(const struct group_parts *parts)
{
	return parts->bytes;
}

struct group_block *group_parts_take(struct group_parts *parts, uint32_t part)
{
	struct group_block *blocks = parts->blocks[part];

	parts->blocks[part] = NULL;
	for (struct group_block *block = blocks; block; block = block->next) {
		block->batch.selected = block->batch.rows;
		parts->bytes -= block_size(&block->batch);
	}
	return blocks;
}
