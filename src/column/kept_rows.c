#include "column/kept_rows.h"

#include "base/memory.h"
#include "column/batch_codec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A batch that is larger gets a block of its own. */
#define BLOCK_BYTES (1u << 20)
/* Of one batch: the longest texts in every row. */
#define BLOCK_BYTES_MAX ((size_t)UINT32_MAX)

void kept_rows_init(
	struct kept_rows *kept, uint32_t column_count, const struct type *types, size_t bytes_max)
{
	*kept = (struct kept_rows){.bytes_max = bytes_max};
	kept_rows_reset(kept, column_count, types);
}

static void release_rows(struct kept_rows *kept)
{
	for (uint32_t i = 0; i < kept->block_count; i++)
		buf_release(&kept->blocks[i]);
	free(kept->blocks);
	free(kept->batches);
	free(kept->types);
}

void kept_rows_reset(struct kept_rows *kept, uint32_t column_count, const struct type *types)
{
	size_t bytes_max = kept->bytes_max;

	release_rows(kept);
	*kept = (struct kept_rows){.column_count = column_count, .bytes_max = bytes_max};
	kept->types = memory_alloc((column_count + 1) * sizeof(*types));
	if (column_count > 0)
		memcpy(kept->types, types, column_count * sizeof(*types));
}

void kept_rows_release(struct kept_rows *kept)
{
	release_rows(kept);
	*kept = (struct kept_rows){0};
}

static struct buf *block_with_room(struct kept_rows *kept)
{
	struct buf *last = kept->block_count ? &kept->blocks[kept->block_count - 1] : NULL;

	if (last && last->size < BLOCK_BYTES)
		return last;
	kept->blocks =
		memory_realloc(kept->blocks, (kept->block_count + 1) * sizeof(*kept->blocks));
	last = &kept->blocks[kept->block_count++];
	buf_init(last, BLOCK_BYTES_MAX);
	return last;
}

int kept_rows_append(struct kept_rows *kept, const struct batch *batch, struct error *err)
{
	struct buf *block = block_with_room(kept);
	size_t offset = block->size;

	assert(!kept->sealed);
	assert(batch->column_count == kept->column_count);
	if (batch->selected == 0)
		return 0;
	batch_encode(batch, block);
	kept->bytes += block->size - offset;
	if (buf_overflowed(block) || kept->bytes > kept->bytes_max)
		return error_set(err, ERROR_LIMIT,
			"a table in memory may have %zu MiB, and this one is larger",
			kept->bytes_max >> 20);
	if ((kept->batch_count & (kept->batch_count - 1)) == 0)
		kept->batches = memory_realloc(
			kept->batches, (kept->batch_count ? 2 * (size_t)kept->batch_count : 1) *
					       sizeof(*kept->batches));
	kept->batches[kept->batch_count++] = (struct kept_batch){.block = kept->block_count - 1,
		.size = (uint32_t)(block->size - offset),
		.offset = offset};
	kept->rows += batch->selected;
	return 0;
}

void kept_rows_seal(struct kept_rows *kept)
{
	kept->sealed = true;
}

int kept_rows_get(const struct kept_rows *kept, uint32_t index, struct arena *arena,
	struct batch *out, struct error *err)
{
	const struct kept_batch *batch = &kept->batches[index];
	const uint8_t *at = (const uint8_t *)kept->blocks[batch->block].data + batch->offset;

	assert(kept->sealed && index < kept->batch_count);
	return batch_decode(
		&at, at + batch->size, kept->column_count, kept->types, arena, out, err);
}
