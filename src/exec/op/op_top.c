/*
 * The first rows of every partition, and sorting.
 *
 * With a limit, each partition has a heap of the best rows so far with the worst on top; most rows
 * are refused by one comparison of integers. Without one (or with one too large to be a saving) all
 * rows are kept. In the end both are sorted by partition, sort keys and full row, so that what
 * leaves does not depend on the order of arrival.
 */
#include "base/memory.h"
#include "exec/op/operator.h"
#include "exec/table/group_table.h"
#include "exec/table/row_sorter.h"

#include <stdlib.h>
#include <string.h>

/* The most rows of a partition for which a heap is kept. */
#define HEAP_ROWS_MAX	  (1u << 20)
#define HEAP_CAPACITY_MIN 4
/* Keys that lost their place are swept once they take this much, and more than those in place. */
#define SWEEP_BYTES (1u << 20)
#define ARENA_BLOCK (64u << 10)

/* The state of a partition. entries[0] is the worst; an entry's prefix is its abbreviation. */
struct top_heap {
	struct rowkey_entry *entries;
	uint32_t count;
	uint32_t capacity;
};

struct op_top {
	struct op op;
	const struct plan_top *plan;
	struct rowkey key;
	bool bounded;
	uint32_t keep; /* rows of a heap: offset and limit */
	struct group_table partitions;
	struct row_sorter
		sorter; /* of all partitions; its rows have the storage of the heaps' keys */
	struct memory_account account; /* of the heaps */
	/* While the rows are cut: the first part of the partition's keys, and how many there were. */
	struct buf partition;
	uint64_t place;
	bool cutting;
	size_t live_bytes; /* of keys that stand in a heap */
	struct column *columns;
	struct arena arena; /* output columns */
	uint8_t *heaps[BATCH_ROWS_MAX];
	uint64_t abbreviations[BATCH_ROWS_MAX];
	uint16_t created[BATCH_ROWS_MAX];
};

static struct top_heap *heap_at(const struct op_top *top, uint8_t *row)
{
	return (struct top_heap *)(row + top->partitions.state_offset);
}

static bool entry_worse(const struct rowkey_entry *a, const struct rowkey_entry *b)
{
	return a->prefix != b->prefix ? a->prefix > b->prefix
				      : rowkey_compare(a->stored, b->stored) > 0;
}

static void heap_sift_up(struct top_heap *heap, uint32_t at)
{
	struct rowkey_entry entry = heap->entries[at];

	while (at > 0 && entry_worse(&entry, &heap->entries[(at - 1) / 2])) {
		heap->entries[at] = heap->entries[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap->entries[at] = entry;
}

static void heap_sift_down(struct top_heap *heap)
{
	struct rowkey_entry entry = heap->entries[0];
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < heap->count) {
		if (child + 1 < heap->count &&
			entry_worse(&heap->entries[child + 1], &heap->entries[child]))
			child++;
		if (!entry_worse(&heap->entries[child], &entry))
			break;
		heap->entries[at] = heap->entries[child];
		at = child;
	}
	heap->entries[at] = entry;
}

/* Moves the keys that are still in a heap to a new arena. */
static void sweep(struct op_top *top)
{
	struct arena old = top->sorter.rows.arena;

	arena_init(&top->sorter.rows.arena, old.block_size);
	for (uint32_t i = 0; i < top->partitions.count; i++) {
		struct top_heap *heap = heap_at(top, group_table_row(&top->partitions, i));

		for (uint32_t e = 0; e < heap->count; e++) {
			const uint8_t *stored = heap->entries[e].stored;
			size_t size = sizeof(uint32_t) + rowkey_size(stored);

			heap->entries[e].stored =
				(const uint8_t *)arena_copy(&top->sorter.rows.arena, stored, size);
		}
	}
	arena_release(&old);
}

/* The key of the row stands in rows.scratch. */
static void heap_offer(struct op_top *top, struct top_heap *heap, uint64_t abbreviation)
{
	const struct buf *encoded = &top->sorter.rows.scratch;
	struct rowkey_entry entry = {.prefix = abbreviation};

	if (heap->count == top->keep) {
		const uint8_t *worst = heap->entries[0].stored;
		size_t size =
			rowkey_size(worst) < encoded->size ? rowkey_size(worst) : encoded->size;

		/* No key is a prefix of another: equal so far means equal. */
		if (size == 0 || memcmp(encoded->data, rowkey_bytes(worst), size) >= 0)
			return;
		top->live_bytes += encoded->size;
		top->live_bytes -= rowkey_size(worst);
		entry.stored = rowkey_store(&top->sorter.rows.arena, encoded);
		heap->entries[0] = entry;
		heap_sift_down(heap);
	} else {
		if (heap->count == heap->capacity) {
			heap->capacity = heap->capacity ? heap->capacity * 2 : HEAP_CAPACITY_MIN;
			heap->entries = memory_realloc(
				heap->entries, heap->capacity * sizeof(*heap->entries));
		}
		top->live_bytes += encoded->size + sizeof(uint32_t);
		entry.stored = rowkey_store(&top->sorter.rows.arena, encoded);
		heap->entries[heap->count++] = entry;
		heap_sift_up(heap, heap->count - 1);
	}
	if (top->sorter.rows.arena.held > 2 * top->live_bytes + 2 * SWEEP_BYTES)
		sweep(top);
}

static void free_heaps(struct op_top *top)
{
	for (uint32_t i = 0; i < top->partitions.count; i++)
		free(heap_at(top, group_table_row(&top->partitions, i))->entries);
	group_table_release(&top->partitions);
}

static void gather_heaps(struct op_top *top)
{
	for (uint32_t i = 0; i < top->partitions.count; i++) {
		struct top_heap *heap = heap_at(top, group_table_row(&top->partitions, i));

		for (uint32_t e = 0; e < heap->count; e++)
			rowkey_rows_append(&top->sorter.rows, heap->entries[e].stored);
	}
	free_heaps(top);
}

static int consume_bounded(struct op_top *top, const struct batch *batch, struct error *err)
{
	uint32_t created;

	if (group_table_find(&top->partitions, batch, top->plan->partition, top->heaps,
		    top->created, &created, err) < 0)
		return -1;
	if (top->key.partition_count < top->key.field_count)
		rowkey_abbreviate(
			&top->key.fields[top->key.partition_count], batch, top->abbreviations);
	for (uint32_t k = 0; k < batch->selected; k++) {
		struct top_heap *heap = heap_at(top, top->heaps[k]);

		if (heap->count == top->keep && top->abbreviations[k] > heap->entries[0].prefix)
			continue;
		if (rowkey_encode(&top->key, batch, batch_row(batch, k), &top->sorter.rows.scratch,
			    err) < 0)
			return -1;
		heap_offer(top, heap, top->abbreviations[k]);
	}
	if (!top->op.memory)
		return 0;
	memory_account_set(&top->account, top->op.memory->budget,
		top->sorter.rows.arena.held + top->partitions.arena.held +
			(size_t)top->partitions.count * sizeof(struct rowkey_entry) *
				(top->keep < HEAP_CAPACITY_MIN ? top->keep : HEAP_CAPACITY_MIN));
	if (memory_account_gives_way(&top->account) && top->op.memory->spill) {
		/* As many rows as these are sorted on a disk. */
		gather_heaps(top);
		top->bounded = false;
		memory_account_set(&top->account, NULL, 0);
	}
	return 0;
}

static int top_consume(struct op *op, const struct batch *batch, struct error *err)
{
	struct op_top *top = (struct op_top *)op;

	if (top->plan->limit == 0)
		return 0;
	return top->bounded
		       ? consume_bounded(top, batch, err)
		       : row_sorter_add(&top->sorter, &top->key, batch, op->memory, op->stop, err);
}

/* Whether the row is of another partition than the one before. */
static bool starts_partition(struct op_top *top, const uint8_t *stored)
{
	const struct buf *partition = &top->partition;

	return !top->cutting || partition->size > rowkey_size(stored) ||
	       (partition->size > 0 &&
		       memcmp(rowkey_bytes(stored), partition->data, partition->size) != 0);
}

/* Drops from the sorted rows those before the offset or past the limit of their partition. */
static size_t cut_partitions(struct op_top *top, struct rowkey_entry *entries, size_t count)
{
	uint64_t limit = top->plan->limit, offset = top->plan->offset;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		const uint8_t *stored = entries[i].stored;

		if (starts_partition(top, stored)) {
			buf_clear(&top->partition);
			buf_append(&top->partition, (const char *)rowkey_bytes(stored),
				rowkey_prefix_size(&top->key, stored, top->key.partition_count));
			top->cutting = true;
			top->place = 0;
		}
		if (top->place >= offset && top->place - offset < limit)
			entries[kept++] = entries[i];
		top->place++;
	}
	return kept;
}

static int emit_sorted(
	struct op_top *top, const struct rowkey_entry *entries, size_t total, struct error *err)
{
	for (size_t first = 0; first < total; first += BATCH_ROWS_MAX) {
		size_t rest = total - first;
		uint32_t count = rest < BATCH_ROWS_MAX ? (uint32_t)rest : BATCH_ROWS_MAX;
		struct batch batch = {
			.rows = count,
			.selected = count,
			.column_count = top->key.column_count,
			.columns = top->columns,
		};

		arena_reset(&top->arena);
		rowkey_decode(&top->key, entries + first, count, top->columns, &top->arena);
		if (op_push(top->op.next, &batch, err) < 0)
			return -1;
	}
	return 0;
}

static int top_finish(struct op *op, struct error *err)
{
	struct op_top *top = (struct op_top *)op;
	struct rowkey_entry *entries;
	size_t count;

	gather_heaps(top);
	if (row_sorter_finish(&top->sorter, op->stop, err))
		return -1;
	for (;;) {
		if (op_check_stop(op, err) || row_sorter_next(&top->sorter, &entries, &count, err))
			return -1;
		if (count == 0)
			break;
		if (top->plan->limit != PLAN_LIMIT_NONE || top->plan->offset > 0)
			count = cut_partitions(top, entries, count);
		if (emit_sorted(top, entries, count, err))
			return -1;
	}
	row_sorter_release(&top->sorter);
	return 0;
}

static void top_free(struct op *op)
{
	struct op_top *top = (struct op_top *)op;

	free_heaps(top);
	row_sorter_release(&top->sorter);
	buf_release(&top->partition);
	memory_account_set(&top->account, NULL, 0);
	rowkey_release(&top->key);
	arena_release(&top->arena);
	free(top->columns);
	free(top);
}

static const struct op_table top_op_table = {
	.consume = top_consume,
	.finish = top_finish,
	.free = top_free,
};

struct op *op_top_new(const struct plan_op *plan)
{
	const struct plan_top *from = &plan->top;
	struct op_top *top = memory_zalloc(sizeof(*top));
	struct type *types = memory_alloc((from->partition_count + 1) * sizeof(*types));

	top->op.table = &top_op_table;
	top->plan = from;
	rowkey_init(&top->key, plan->column_count, plan->types, from->partition_count,
		from->partition, from->sort_count, from->sort);
	top->bounded = from->limit <= HEAP_ROWS_MAX && from->offset <= HEAP_ROWS_MAX - from->limit;
	top->keep = top->bounded ? (uint32_t)(from->limit + from->offset) : 0;
	for (uint32_t i = 0; i < from->partition_count; i++)
		types[i] = plan->types[from->partition[i]];
	group_table_init(&top->partitions, from->partition_count, types, sizeof(struct top_heap));
	free(types);
	row_sorter_init(&top->sorter);
	buf_init(&top->partition, ROWKEY_SIZE_MAX);
	top->columns = memory_zalloc((plan->column_count + 1) * sizeof(*top->columns));
	arena_init(&top->arena, ARENA_BLOCK);
	return &top->op;
}
