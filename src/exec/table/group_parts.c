#include "exec/table/group_parts.h"
#include "base/cpu_clones.h"
#include "base/memory.h"
#include "exec/table/partition.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a column's value in a block. */
enum width {
	WIDTH_CONSTANT = 0,
	WIDTH_NARROW = 4,
	WIDTH_WORD = 8,
	WIDTH_NUMERIC = 16,
};

/* How the columns of a block lie. It only ever grows wider; older blocks keep what they have. */
struct part_format {
	struct part_format *older;
	uint32_t column_count;
	size_t block_bytes;
	struct column_format {
		struct type type;
		enum width width;
		uint32_t offset;  /* of its values in a block */
		int64_t constant; /* WIDTH_CONSTANT */
	} columns[];
};

struct group_block {
	struct group_block *next;
	const struct part_format *format;
	uint32_t rows;
	_Alignas(16) char values[];
};

struct group_parts {
	uint32_t key_count;
	const uint32_t *keys;
	size_t bytes;
	struct part_format *format;
	struct group_block *blocks[GROUP_PARTS]; /* the one being filled first */
	/* Of the batch at hand: where the k-th selected row goes. */
	uint64_t hashes[BATCH_ROWS_MAX];
	char *values_of[BATCH_ROWS_MAX];
	uint16_t slot_of[BATCH_ROWS_MAX];
	struct arena read_arena; /* what the last block was read into */
	struct arena limbs;	 /* of the numerics that have some */
};

struct group_parts *group_parts_new(uint32_t key_count, const uint32_t *keys)
{
	struct group_parts *parts = memory_zalloc(sizeof(*parts));

	parts->key_count = key_count;
	parts->keys = keys;
	arena_init(&parts->read_arena, 64u << 10);
	arena_init(&parts->limbs, 64u << 10);
	return parts;
}

void group_blocks_free(struct group_block *blocks)
{
	while (blocks) {
		struct group_block *next = blocks->next;

		free(blocks);
		blocks = next;
	}
}

void group_parts_free(struct group_parts *parts)
{
	if (!parts)
		return;
	for (uint32_t part = 0; part < GROUP_PARTS; part++)
		group_blocks_free(parts->blocks[part]);
	while (parts->format) {
		struct part_format *older = parts->format->older;

		free(parts->format);
		parts->format = older;
	}
	arena_release(&parts->read_arena);
	arena_release(&parts->limbs);
	free(parts);
}

bool group_parts_fit(const struct batch *batch)
{
	for (uint32_t c = 0; c < batch->column_count; c++) {
		const struct column *column = &batch->columns[c];
		enum physical physical = type_physical(column->type.kind);

		if (physical != PHYSICAL_I64 && physical != PHYSICAL_F64 &&
			physical != PHYSICAL_NUM)
			return false;
		for (uint32_t k = 0; column->valid && k < batch->selected; k++)
			if (column_is_null(column, batch_row(batch, k)))
				return false;
	}
	return true;
}

CPU_CLONES static bool fits_narrow(const struct batch *batch, const int64_t *values)
{
	uint64_t beyond = 0;

	for (uint32_t k = 0; k < batch->selected; k++) {
		int64_t value = values[batch_row(batch, k)];

		beyond |= (uint64_t)(value ^ (int32_t)value);
	}
	return beyond == 0;
}

/* The least width, not below `least`, that holds the column's selected values. */
static enum width width_needed(
	const struct batch *batch, const struct column *column, const struct column_format *least)
{
	enum physical physical = type_physical(column->type.kind);

	if (physical == PHYSICAL_NUM)
		return WIDTH_NUMERIC;
	if (physical == PHYSICAL_F64 || (least && least->width == WIDTH_WORD))
		return WIDTH_WORD;
	if (column->constant) {
		if (!least || (least->width == WIDTH_CONSTANT && least->constant == *column->i64))
			return WIDTH_CONSTANT;
		return *column->i64 == (int32_t)*column->i64 ? WIDTH_NARROW : WIDTH_WORD;
	}
	if (least && least->width == WIDTH_CONSTANT && least->constant != (int32_t)least->constant)
		return WIDTH_WORD;
	return fits_narrow(batch, column->i64) ? WIDTH_NARROW : WIDTH_WORD;
}

static bool format_takes(const struct part_format *format, const struct batch *batch)
{
	for (uint32_t c = 0; c < batch->column_count; c++)
		if (width_needed(batch, &batch->columns[c], &format->columns[c]) !=
			format->columns[c].width)
			return false;
	return true;
}

/* Makes the format one that can take the batch. */
static void widen(struct group_parts *parts, const struct batch *batch)
{
	const struct part_format *old = parts->format;
	struct part_format *made;

	if (old && format_takes(old, batch))
		return;
	made = memory_zalloc(sizeof(*made) + batch->column_count * sizeof(*made->columns));
	made->column_count = batch->column_count;
	for (uint32_t c = 0; c < batch->column_count; c++) {
		const struct column *column = &batch->columns[c];
		struct column_format *format = &made->columns[c];

		format->type = column->type;
		format->width = width_needed(batch, column, old ? &old->columns[c] : NULL);
		if (format->width == WIDTH_CONSTANT)
			format->constant = *column->i64;
		format->offset = (uint32_t)made->block_bytes;
		made->block_bytes += (size_t)format->width * BATCH_ROWS_MAX;
	}
	made->older = parts->format;
	parts->format = made;
}

static struct group_block *block_new(struct group_parts *parts)
{
	const struct part_format *format = parts->format;
	size_t size = (sizeof(struct group_block) + format->block_bytes + 15) & ~(size_t)15;
	struct group_block *block = memory_alloc_aligned(16, size);

	block->format = format;
	block->rows = 0;
	parts->bytes += format->block_bytes;
	return block;
}

static bool keys_are_words(const struct group_parts *parts, const struct batch *batch)
{
	for (uint32_t i = 0; i < parts->key_count; i++)
		if (type_physical(batch->columns[parts->keys[i]].type.kind) != PHYSICAL_I64)
			return false;
	return true;
}

/*
 * The hash of the k-th selected row at hashes[k], good in its upper bits. Integers get one that is
 * cheaper than the exchange's, which has to agree with every other node.
 */
CPU_CLONES static void hash_keys(struct group_parts *parts, const struct batch *batch)
{
	uint64_t *hashes = parts->hashes;

	if (!keys_are_words(parts, batch)) {
		partition_hash(batch, parts->keys, parts->key_count, hashes);
		/* In place: the k-th selected row is never before row k. */
		for (uint32_t k = 0; k < batch->selected; k++)
			hashes[k] = hashes[batch_row(batch, k)] << 32;
		return;
	}
	for (uint32_t i = 0; i < parts->key_count; i++) {
		const struct column *column = &batch->columns[parts->keys[i]];

		for (uint32_t k = 0; k < batch->selected; k++) {
			uint32_t row = column_index(column, batch_row(batch, k));
			uint64_t hash = i ? hashes[k] ^ hashes[k] >> 32 : 0;

			hashes[k] =
				(hash ^ (uint64_t)column->i64[row]) * UINT64_C(0x9e3779b97f4a7c15);
		}
	}
}

CPU_CLONES static void place_rows(struct group_parts *parts, const struct batch *batch)
{
	hash_keys(parts, batch);
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t part = (uint32_t)(parts->hashes[k] >> (64 - GROUP_PARTS_BITS));
		struct group_block *block = parts->blocks[part];

		if (!block || block->rows == BATCH_ROWS_MAX || block->format != parts->format) {
			block = block_new(parts);
			block->next = parts->blocks[part];
			parts->blocks[part] = block;
		}
		parts->values_of[k] = block->values;
		parts->slot_of[k] = (uint16_t)block->rows++;
	}
}

CPU_CLONES static void copy_narrow(struct group_parts *parts, const struct batch *batch,
	const struct column *column, uint32_t offset)
{
	/* In locals: the stores could, for all the compiler knows, change the batch. */
	char *const *values_of = parts->values_of;
	const uint16_t *slot_of = parts->slot_of, *sel = batch->sel;
	const int64_t *from = column->i64;
	uint32_t count = batch->selected;
	bool constant = column->constant;

	for (uint32_t k = 0; k < count; k++) {
		int32_t *values = (int32_t *)(values_of[k] + offset);

		values[slot_of[k]] = (int32_t)from[constant ? 0 : sel ? sel[k] : k];
	}
}

static void copy_words(struct group_parts *parts, const struct batch *batch,
	const struct column *column, uint32_t offset)
{
	for (uint32_t k = 0; k < batch->selected; k++) {
		int64_t *values = (int64_t *)(parts->values_of[k] + offset);

		values[parts->slot_of[k]] = column->i64[column_index(column, batch_row(batch, k))];
	}
}

static void copy_numerics(struct group_parts *parts, const struct batch *batch,
	const struct column *column, uint32_t offset)
{
	for (uint32_t k = 0; k < batch->selected; k++) {
		numeric *values = (numeric *)(parts->values_of[k] + offset);

		values[parts->slot_of[k]] = numeric_keep(
			column->num[column_index(column, batch_row(batch, k))], &parts->limbs);
	}
}

void group_parts_add(struct group_parts *parts, const struct batch *batch)
{
	widen(parts, batch);
	place_rows(parts, batch);
	for (uint32_t c = 0; c < batch->column_count; c++) {
		const struct column_format *format = &parts->format->columns[c];
		const struct column *column = &batch->columns[c];

		switch (format->width) {
		case WIDTH_CONSTANT: break;
		case WIDTH_NARROW: copy_narrow(parts, batch, column, format->offset); break;
		case WIDTH_WORD: copy_words(parts, batch, column, format->offset); break;
		case WIDTH_NUMERIC: copy_numerics(parts, batch, column, format->offset); break;
		}
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
	for (const struct group_block *block = blocks; block; block = block->next)
		parts->bytes -= block->format->block_bytes;
	return blocks;
}

static void read_column(const struct group_block *block, const struct column_format *format,
	struct column *out, struct arena *arena)
{
	const void *values = block->values + format->offset;
	bool constant = format->width == WIDTH_CONSTANT;

	column_init(out, format->type, constant ? 1 : block->rows, arena);
	out->constant = constant;
	if (constant)
		out->i64[0] = format->constant;
	else if (format->width == WIDTH_NARROW)
		for (uint32_t i = 0; i < block->rows; i++)
			out->i64[i] = ((const int32_t *)values)[i];
	else
		memcpy(out->values, values, (size_t)block->rows * format->width);
}

struct group_block *group_parts_read(
	struct group_parts *parts, struct group_block *block, struct batch *out)
{
	const struct part_format *format = block->format;
	struct group_block *next = block->next;
	struct column *columns;

	arena_reset(&parts->read_arena);
	columns = arena_alloc(&parts->read_arena, (format->column_count + 1) * sizeof(*columns));
	for (uint32_t c = 0; c < format->column_count; c++)
		read_column(block, &format->columns[c], &columns[c], &parts->read_arena);
	*out = (struct batch){
		.rows = block->rows,
		.selected = block->rows,
		.column_count = format->column_count,
		.columns = columns,
	};
	free(block);
	return next;
}
