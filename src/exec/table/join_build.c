#include "exec/table/join_build_private.h"

#include "base/memory.h"
#include "base/radix_sort.h"
#include "column/canonical.h"
#include "exec/table/column_append.h"
#include "exec/table/partition.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX	(1u << 31)
#define CAPACITY_MIN	64
#define ARENA_BLOCK	(64u << 10)
#define RANGE_BITS_MAX	(1u << 22) /* half a megabyte: stays in a core's own cache */
#define FILTER_ROWS_MAX (1u << 16)
#define FILTER_BITS_MIN 1024
#define FILTER_BITS_ROW 16
/* So many rows, or bytes, are worth a way to the disk and back when they are a part already. */
#define SPLIT_ROWS_MIN	4096u
#define SPLIT_BYTES_MIN ((size_t)1 << 20)

/* Takes all rows, and has no keys. */
static const struct plan_join only_rows = {.kind = JOIN_INNER};

struct join_build *join_build_new(
	const struct plan_join *join, uint32_t column_count, const struct type *types)
{
	struct join_build *build = memory_zalloc(sizeof(*build));

	build->plan = join ? join : &only_rows;
	build->column_count = column_count;
	build->columns = memory_zalloc((column_count + 1) * sizeof(*build->columns));
	for (uint32_t c = 0; c < column_count; c++)
		build->columns[c].type = types[c];
	arena_init(&build->arena, ARENA_BLOCK);
	return build;
}

static void free_rows(struct join_build *build)
{
	for (uint32_t c = 0; c < build->column_count; c++) {
		free(build->columns[c].values);
		free(build->columns[c].valid);
		build->columns[c].values = NULL;
		build->columns[c].valid = NULL;
	}
	free(build->hashes);
	build->hashes = NULL;
	build->count = build->capacity = 0;
	arena_release(&build->arena);
}

void join_build_free(struct join_build *build)
{
	if (!build)
		return;
	free_rows(build);
	free(build->columns);
	free(build->slots);
	free(build->filter);
	free(build->range);
	spill_parts_free(build->parts);
	memory_account_set(&build->account, NULL, 0);
	free(build);
}

void join_build_work_with(
	struct join_build *build, const struct op_memory *memory, enum join_build_way way)
{
	build->memory = memory;
	build->way = way;
}

void join_build_set_level(struct join_build *build, uint32_t level)
{
	assert(build->total == 0);
	build->level = level;
}

/* --- What does not fit into memory --- */

/* With the index that it will have. What the arrays have beyond the rows takes no memory yet. */
static void note_memory(struct join_build *build)
{
	size_t row = sizeof(uint32_t) + 2 * sizeof(uint64_t), bytes;

	if (!build->memory)
		return;
	for (uint32_t c = 0; c < build->column_count; c++)
		row += physical_size(type_physical(build->columns[c].type.kind));
	bytes = build->arena.held + build->count * row;
	if (build->parts)
		bytes += spill_parts_bytes(build->parts);
	memory_account_set(&build->account, build->memory->budget, bytes);
}

bool join_build_is_full(const struct join_build *build)
{
	if (build->level > 0 && build->count < SPLIT_ROWS_MIN &&
		build->account.held < SPLIT_BYTES_MIN)
		return false;
	return memory_account_gives_way(&build->account) || memory_account_is_over(&build->account);
}

/*
 * Rows without a key are in no part of their own. For a mark of several keys, one of them NULL, every row counts, and
 * not only those of a part.
 */
static bool may_spill(const struct join_build *build)
{
	const struct plan_join *plan = build->plan;

	return build->way == JOIN_BUILD_SPILLS && build->memory->spill && plan->key_count > 0 &&
	       build->level < SPILL_PARTS_LEVELS &&
	       !(plan->kind == JOIN_MARK && plan->key_count > 1);
}

static int put_row_batch(void *context, const struct batch *batch, struct error *err)
{
	struct join_build *build = context;

	return spill_parts_add(build->parts, batch, err);
}

static int read_rows(
	const struct join_build *build, join_build_reader read, void *context, struct error *err);

static int put_rows_out(struct join_build *build, struct error *err)
{
	struct type *types = memory_alloc((build->column_count + 1) * sizeof(*types));

	for (uint32_t c = 0; c < build->column_count; c++)
		types[c] = build->columns[c].type;
	build->parts = spill_parts_new(build->memory, build->level, build->plan->key_count,
		build->plan->build_keys, build->column_count, types);
	free(types);
	if (read_rows(build, put_row_batch, build, err))
		return -1;
	free_rows(build);
	arena_init(&build->arena, ARENA_BLOCK);
	return 0;
}

static int check_memory(struct join_build *build, struct error *err)
{
	int status = 0;

	if (!build->memory)
		return 0;
	note_memory(build);
	if (build->way == JOIN_BUILD_TAKES_PIECES)
		return 0;
	if (!build->parts && may_spill(build) && join_build_is_full(build)) {
		status = put_rows_out(build, err);
		note_memory(build);
	}
	if (!status && !build->parts && !may_spill(build) &&
		memory_account_is_over(&build->account))
		status = op_memory_refuse(&build->account, "one side of a join", err);
	return status;
}

/* --- Rows --- */

static void reserve(struct join_build *build, uint32_t rows)
{
	uint32_t need = build->count + rows;
	uint64_t capacity = build->capacity ? build->capacity : CAPACITY_MIN;

	if (need <= build->capacity)
		return;
	while (capacity < need)
		capacity *= 2;
	build->capacity = (uint32_t)(capacity < ROWS_MAX ? capacity : ROWS_MAX);
	for (uint32_t c = 0; c < build->column_count; c++) {
		struct column *column = &build->columns[c];
		size_t size = physical_size(type_physical(column->type.kind));

		column->values = memory_realloc(column->values, build->capacity * size);
		if (column->valid)
			column->valid = memory_realloc(column->valid, build->capacity);
	}
	build->hashes = memory_realloc(build->hashes, build->capacity * sizeof(*build->hashes));
}

/* The selected rows that can be of use: NULL keys match nothing, but a mark must know of them and
 * a full join keeps them. */
static uint32_t take_rows(struct join_build *build, const struct batch *batch, uint16_t *rows)
{
	const struct plan_join *plan = build->plan;
	uint32_t count = 0;

	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);
		bool is_null = false;

		for (uint32_t i = 0; i < plan->key_count; i++)
			is_null |= column_is_null(&batch->columns[plan->build_keys[i]], row);
		build->any_null_key |= is_null;
		rows[count] = (uint16_t)row;
		count += !is_null || plan->kind == JOIN_MARK || plan->kind == JOIN_FULL;
	}
	return count;
}

int join_build_add(struct join_build *build, const struct batch *batch, struct error *err)
{
	uint16_t rows[BATCH_ROWS_MAX];
	uint64_t hashes[BATCH_ROWS_MAX];
	uint32_t count;

	assert(!build->sealed);
	count = take_rows(build, batch, rows);
	if (count == 0)
		return 0;
	build->total += count;
	if (build->parts) {
		struct batch taken = *batch;

		taken.sel = rows;
		taken.selected = count;
		if (spill_parts_add(build->parts, &taken, err))
			return -1;
		note_memory(build);
		return 0;
	}
	if (count > ROWS_MAX - build->count)
		return error_set(
			err, ERROR_LIMIT, "a join's build side has more than %u rows", ROWS_MAX);
	reserve(build, count);
	partition_hash(batch, build->plan->build_keys, build->plan->key_count, hashes);
	for (uint32_t k = 0; k < count; k++)
		build->hashes[build->count + k] = (uint32_t)hashes[rows[k]];
	for (uint32_t c = 0; c < build->column_count; c++)
		column_append(&build->columns[c], build->capacity, build->count, &batch->columns[c],
			rows, count, &build->arena);
	build->count += count;
	return check_memory(build, err);
}

static bool has_null_key(const struct join_build *build, uint32_t row)
{
	for (uint32_t i = 0; i < build->plan->key_count; i++) {
		if (column_is_null(&build->columns[build->plan->build_keys[i]], row))
			return true;
	}
	return false;
}

/* Spreads sorted slots to their homes, or right behind the one before. */
static void place_slots(struct join_build *build, const uint64_t *sorted, size_t count)
{
	/* Every slot stands at its home or at most `count` places behind the last one. */
	size_t room = (size_t)build->slot_capacity + count + 2, next = 0;

	build->slots = memory_alloc(room * sizeof(*build->slots));
	for (size_t i = 0; i < count; i++) {
		size_t home = join_build_home(build, join_slot_hash(sorted[i]));

		while (next < home)
			build->slots[next++] = JOIN_SLOT_EMPTY;
		build->slots[next++] = sorted[i];
	}
	while (next <= build->slot_capacity)
		build->slots[next++] = JOIN_SLOT_EMPTY;
	build->slots[next++] = JOIN_SLOT_EMPTY;
	build->slots = memory_realloc(build->slots, next * sizeof(*build->slots));
}

static void make_filter(struct join_build *build, const uint64_t *slots, size_t count)
{
	uint32_t bits = FILTER_BITS_MIN;

	while (bits < count * FILTER_BITS_ROW)
		bits *= 2;
	build->filter = memory_zalloc(bits / 8);
	build->filter_shift = 32 - (uint32_t)__builtin_ctz(bits);
	for (size_t i = 0; i < count; i++) {
		uint32_t bit = join_slot_hash(slots[i]) >> build->filter_shift;

		build->filter[bit / 64] |= UINT64_C(1) << (bit % 64);
	}
}

/* NULL keys have any value: they only make the range larger or set a bit too many. */
static void make_range(struct join_build *build)
{
	const struct column *keys = &build->columns[build->plan->build_keys[0]];
	int64_t least = INT64_MAX, greatest = INT64_MIN;

	if (type_physical(keys->type.kind) != PHYSICAL_I64)
		return;
	for (uint32_t row = 0; row < build->count; row++) {
		least = keys->i64[row] < least ? keys->i64[row] : least;
		greatest = keys->i64[row] > greatest ? keys->i64[row] : greatest;
	}
	if (build->count == 0 || (uint64_t)greatest - (uint64_t)least >= RANGE_BITS_MAX)
		return;
	build->range_first = (uint64_t)least;
	build->range_size = (uint64_t)greatest - (uint64_t)least + 1;
	build->range = memory_zalloc((build->range_size / 64 + 1) * sizeof(*build->range));
	for (uint32_t row = 0; row < build->count; row++) {
		uint64_t bit = (uint64_t)keys->i64[row] - build->range_first;

		build->range[bit / 64] |= UINT64_C(1) << (bit % 64);
	}
}

static void make_index(struct join_build *build, const atomic_bool *stop)
{
	uint64_t *slots, *scratch;
	size_t count = 0;

	slots = memory_alloc(((size_t)build->count + 1) * sizeof(*slots));
	scratch = memory_alloc(((size_t)build->count + 1) * sizeof(*scratch));
	for (uint32_t row = 0; row < build->count; row++) {
		if (!build->any_null_key || !has_null_key(build, row))
			slots[count++] = (uint64_t)build->hashes[row] << 32 | row;
	}
	free(build->hashes);
	build->hashes = NULL;
	/* By hash; rows of one hash stay in the order of their numbers. */
	radix_sort(slots, scratch, count, sizeof(*slots), 0, 32, stop);
	free(scratch);
	build->slot_capacity = (uint32_t)(count + count / 2 + CAPACITY_MIN);
	place_slots(build, slots, count);
	if (count <= FILTER_ROWS_MAX)
		make_filter(build, slots, count);
	if (build->plan->key_count == 1)
		make_range(build);
	free(slots);
}

void join_build_seal(struct join_build *build, const atomic_bool *stop)
{
	assert(!build->sealed);
	build->sealed = true;
	if (build->parts) {
		spill_parts_end(build->parts);
		note_memory(build);
	} else if (build->plan != &only_rows) {
		make_index(build, stop);
	}
}

bool join_build_is_on_disk(const struct join_build *build)
{
	return build->parts != NULL;
}

static int read_rows(
	const struct join_build *build, join_build_reader read, void *context, struct error *err)
{
	struct column *columns = memory_alloc((build->column_count + 1) * sizeof(*columns));
	struct batch batch = {.column_count = build->column_count, .columns = columns};
	int status = 0;

	for (uint32_t first = 0; first < build->count && !status; first += batch.rows) {
		uint32_t left = build->count - first;

		batch.rows = left < BATCH_ROWS_MAX ? left : BATCH_ROWS_MAX;
		batch.selected = batch.rows;
		for (uint32_t c = 0; c < build->column_count; c++) {
			size_t size = physical_size(type_physical(build->columns[c].type.kind));

			columns[c] = build->columns[c];
			columns[c].values = (char *)build->columns[c].values + first * size;
			if (columns[c].valid)
				columns[c].valid += first;
		}
		status = read(context, &batch, err);
	}
	free(columns);
	return status;
}

int join_build_read(
	const struct join_build *build, join_build_reader read, void *context, struct error *err)
{
	assert(build->sealed && !build->parts);
	return read_rows(build, read, context, err);
}

bool join_build_key_equal(const struct join_build *build, uint32_t i, uint32_t build_row,
	const struct column *flow, uint32_t row)
{
	const struct column *kept = &build->columns[build->plan->build_keys[i]];
	uint32_t at = column_index(flow, row);

	switch (type_physical(kept->type.kind)) {
	case PHYSICAL_U8: return kept->u8[build_row] == flow->u8[at];
	case PHYSICAL_I64: return kept->i64[build_row] == flow->i64[at];
	case PHYSICAL_F64:
		return canonical_double(kept->f64[build_row]) == canonical_double(flow->f64[at]);
	case PHYSICAL_NUM:
		return kept->num[build_row] == flow->num[at] ||
		       numeric_compare(kept->num[build_row], flow->num[at]) == 0;
	case PHYSICAL_TEXT: return text_equal(kept->text[build_row], flow->text[at]);
	case PHYSICAL_LIST: return list_equal(kept->list[build_row], flow->list[at]);
	case PHYSICAL_INTERVAL:
		return interval_compare(kept->interval[build_row], flow->interval[at]) == 0;
	}
	return false;
}
