#include "exec/table/partition.h"
#include "base/cpu_clones.h"
#include "base/memory.h"
#include "column/canonical.h"

#include <stdlib.h>
#include <string.h>

#define HASH_OF_NO_KEY UINT64_C(0)

static inline uint64_t hash_i128(int128 value)
{
	unsigned __int128 bits = (unsigned __int128)value;

	return hash_combine(hash_u64((uint64_t)bits), hash_u64((uint64_t)(bits >> 64)));
}

static inline uint64_t hash_numeric(numeric canonical)
{
	return numeric_is_long(canonical) ? numeric_long_hash(canonical) : hash_i128(canonical);
}

static inline uint64_t hash_value(enum physical physical, const struct column *column, uint32_t i)
{
	switch (physical) {
	case PHYSICAL_U8: return hash_u64(column->u8[i]);
	case PHYSICAL_I64: return hash_u64((uint64_t)column->i64[i]);
	case PHYSICAL_F64: return hash_u64(canonical_double(column->f64[i]));
	case PHYSICAL_NUM: return hash_numeric(canonical_numeric(column->num[i]));
	case PHYSICAL_TEXT: return text_hash(column->text[i]);
	case PHYSICAL_LIST: return list_hash(column->list[i]);
	case PHYSICAL_INTERVAL: return hash_i128(interval_span(column->interval[i]));
	}
	return 0;
}

/* Inlined with a constant `physical`, so that every form gets a loop of its own. */
static inline __attribute__((always_inline)) void hash_rows(enum physical physical,
	const struct batch *batch, const struct column *column, bool first, uint64_t *hashes)
{
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);
		uint64_t hash = column->valid && !column->valid[row]
					? HASH_OF_NULL
					: hash_value(physical, column, row);

		hashes[row] = first ? hash : hash_combine(hashes[row], hash);
	}
}

static void hash_constant(
	const struct batch *batch, const struct column *column, bool first, uint64_t *hashes)
{
	uint64_t hash = column_is_null(column, 0)
				? HASH_OF_NULL
				: hash_value(type_physical(column->type.kind), column, 0);

	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);

		hashes[row] = first ? hash : hash_combine(hashes[row], hash);
	}
}

static void hash_column(
	const struct batch *batch, const struct column *column, bool first, uint64_t *hashes)
{
	if (column->constant) {
		hash_constant(batch, column, first, hashes);
		return;
	}
	switch (type_physical(column->type.kind)) {
	case PHYSICAL_U8: hash_rows(PHYSICAL_U8, batch, column, first, hashes); break;
	case PHYSICAL_I64: hash_rows(PHYSICAL_I64, batch, column, first, hashes); break;
	case PHYSICAL_F64: hash_rows(PHYSICAL_F64, batch, column, first, hashes); break;
	case PHYSICAL_NUM: hash_rows(PHYSICAL_NUM, batch, column, first, hashes); break;
	case PHYSICAL_TEXT: hash_rows(PHYSICAL_TEXT, batch, column, first, hashes); break;
	case PHYSICAL_LIST: hash_rows(PHYSICAL_LIST, batch, column, first, hashes); break;
	case PHYSICAL_INTERVAL: hash_rows(PHYSICAL_INTERVAL, batch, column, first, hashes); break;
	}
}

CPU_CLONES void partition_hash(
	const struct batch *batch, const uint32_t *keys, uint32_t key_count, uint64_t *hashes)
{
	for (uint32_t i = 0; i < key_count; i++)
		hash_column(batch, &batch->columns[keys[i]], i == 0, hashes);
	for (uint32_t k = 0; key_count == 0 && k < batch->selected; k++)
		hashes[batch_row(batch, k)] = HASH_OF_NO_KEY;
}

void partition_split_init(struct partition_split *split, uint32_t count)
{
	split->count = count;
	split->starts = memory_zalloc((count + 1) * sizeof(*split->starts));
	split->rows = memory_alloc(BATCH_ROWS_MAX * sizeof(*split->rows));
}

void partition_split_release(struct partition_split *split)
{
	free(split->starts);
	free(split->rows);
	memset(split, 0, sizeof(*split));
}

/* A counting sort: it keeps the order of rows within a partition. */
CPU_CLONES void partition_split_rows(
	struct partition_split *split, const struct batch *batch, const uint64_t *hashes)
{
	uint32_t *starts = split->starts;
	uint32_t count = split->count;

	memset(starts, 0, (count + 1) * sizeof(*starts));
	for (uint32_t k = 0; k < batch->selected; k++)
		starts[partition_of(hashes[batch_row(batch, k)], count)]++;
	for (uint32_t p = 0, sum = 0; p <= count; p++) {
		uint32_t rows = starts[p];

		starts[p] = sum;
		sum += rows;
	}
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);

		split->rows[starts[partition_of(hashes[row], count)]++] = (uint16_t)row;
	}
	/* The loop moved every start to its partition's end: shift them back by one. */
	memmove(starts + 1, starts, count * sizeof(*starts));
	starts[0] = 0;
}
