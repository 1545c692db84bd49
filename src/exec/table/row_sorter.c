#include "exec/table/row_sorter.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* So many runs are merged at once; when there are more, they become one first. */
#define RUNS_MAX 64u
/* Of a run, read at a time: a share of the memory within these bounds. */
#define BLOCK_BYTES_MAX (256u << 10)
#define BLOCK_BYTES_MIN (4u << 10)
#define ARENA_BLOCK	(64u << 10)
/* Of merged rows that are given out at a time, but for the last of them. */
#define MERGED_BYTES_MAX (1u << 20)

/* Sorted keys, one behind the other as they are stored, in pieces of whole keys. */
struct sorted_run {
	size_t count;
	size_t capacity;
	struct spill_piece *pieces;
};

struct run_reader {
	struct rowkey_entry entry; /* the next row; its prefix are the first bytes of its key */
	const struct sorted_run *run;
	size_t next_piece;
	uint8_t *block;
	size_t capacity;
	size_t size;
	size_t at; /* behind the next row */
};

/* Keys on their way to a run. */
struct run_writer {
	struct sorted_run run;
	struct buf block;
};

void row_sorter_init(struct row_sorter *sorter)
{
	memset(sorter, 0, sizeof(*sorter));
	rowkey_rows_init(&sorter->rows);
	arena_init(&sorter->arena, ARENA_BLOCK);
}

static void drop_runs(struct row_sorter *sorter)
{
	for (uint32_t i = 0; i < sorter->run_count; i++) {
		struct sorted_run *run = &sorter->runs[i];

		for (size_t p = 0; p < run->count; p++)
			sorter->memory->spill->drop(sorter->memory->spill, &run->pieces[p]);
		free(run->pieces);
	}
	sorter->run_count = 0;
}

static void end_merge(struct row_sorter *sorter)
{
	for (uint32_t i = 0; i < sorter->reader_count; i++)
		free(sorter->readers[i].block);
	free(sorter->readers);
	sorter->readers = NULL;
	sorter->reader_count = 0;
}

void row_sorter_release(struct row_sorter *sorter)
{
	end_merge(sorter);
	drop_runs(sorter);
	free(sorter->runs);
	sorter->runs = NULL;
	free(sorter->merged);
	sorter->merged = NULL;
	arena_release(&sorter->arena);
	rowkey_rows_release(&sorter->rows);
	memory_account_set(&sorter->account, NULL, 0);
}

/* Sorting takes as much again for the entries. */
static void note_memory(struct row_sorter *sorter)
{
	const struct rowkey_rows *rows = &sorter->rows;
	size_t bytes = rows->arena.held + 2 * rows->capacity * sizeof(*rows->entries);

	if (sorter->memory)
		memory_account_set(&sorter->account, sorter->memory->budget, bytes);
}

static void writer_init(struct run_writer *writer)
{
	writer->run = (struct sorted_run){0};
	buf_init(&writer->block, 2 * (size_t)ROWKEY_SIZE_MAX);
}

static int writer_flush(struct run_writer *writer, struct row_sorter *sorter, struct error *err)
{
	struct sorted_run *run = &writer->run;
	struct spill_store *store = sorter->memory->spill;

	if (writer->block.size == 0)
		return 0;
	if (run->count == run->capacity) {
		run->capacity = run->capacity ? 2 * run->capacity : 16;
		run->pieces = memory_realloc(run->pieces, run->capacity * sizeof(*run->pieces));
	}
	if (store->write(
		    store, writer->block.data, writer->block.size, &run->pieces[run->count], err))
		return -1;
	run->count++;
	buf_clear(&writer->block);
	return 0;
}

static int writer_add(struct run_writer *writer, struct row_sorter *sorter, const uint8_t *stored,
	struct error *err)
{
	buf_append(&writer->block, (const char *)stored, sizeof(uint32_t) + rowkey_size(stored));
	return writer->block.size < sorter->block_bytes ? 0 : writer_flush(writer, sorter, err);
}

/* The run becomes one of the sorter's, also a part of one that failed: its pieces are dropped there. */
static int writer_end(
	struct run_writer *writer, struct row_sorter *sorter, int status, struct error *err)
{
	if (!status)
		status = writer_flush(writer, sorter, err);
	buf_release(&writer->block);
	assert(sorter->run_count < RUNS_MAX + 1);
	sorter->runs[sorter->run_count++] = writer->run;
	return status;
}

static int reader_fill(struct run_reader *reader, struct spill_store *store, struct error *err)
{
	const struct spill_piece *piece = &reader->run->pieces[reader->next_piece++];

	if (piece->size > reader->capacity) {
		free(reader->block);
		reader->capacity = piece->size;
		reader->block = memory_alloc(reader->capacity);
	}
	reader->size = piece->size;
	reader->at = 0;
	return store->read(store, piece, reader->block, err);
}

/* 1: there is a next row; 0: there is none. */
static int reader_advance(struct run_reader *reader, struct spill_store *store, struct error *err)
{
	uint64_t prefix = 0;
	uint32_t size;

	if (reader->at == reader->size) {
		if (reader->next_piece == reader->run->count)
			return 0;
		if (reader_fill(reader, store, err))
			return -1;
	}
	reader->entry.stored = reader->block + reader->at;
	size = rowkey_size(reader->entry.stored);
	memcpy(&prefix, rowkey_bytes(reader->entry.stored),
		size < sizeof(prefix) ? size : sizeof(prefix));
	reader->entry.prefix = __builtin_bswap64(prefix);
	reader->at += sizeof(uint32_t) + size;
	assert(reader->at <= reader->size);
	return 1;
}

static bool reader_less(const struct run_reader *a, const struct run_reader *b)
{
	return a->entry.prefix != b->entry.prefix
		       ? a->entry.prefix < b->entry.prefix
		       : rowkey_compare(a->entry.stored, b->entry.stored) < 0;
}

static void sift_down(struct row_sorter *sorter, uint32_t at)
{
	struct run_reader *readers = sorter->readers;
	uint32_t child;

	while ((child = 2 * at + 1) < sorter->reader_count) {
		struct run_reader held;

		if (child + 1 < sorter->reader_count &&
			reader_less(&readers[child + 1], &readers[child]))
			child++;
		if (!reader_less(&readers[child], &readers[at]))
			return;
		held = readers[at];
		readers[at] = readers[child];
		readers[child] = held;
		at = child;
	}
}

static int start_merge(struct row_sorter *sorter, struct error *err)
{
	sorter->readers = memory_zalloc((sorter->run_count + 1) * sizeof(*sorter->readers));
	for (uint32_t i = 0; i < sorter->run_count; i++) {
		struct run_reader *reader = &sorter->readers[sorter->reader_count];
		int more;

		reader->run = &sorter->runs[i];
		more = reader_advance(reader, sorter->memory->spill, err);
		sorter->reader_count += more != 0; /* also one that failed, to be freed */
		if (more < 0)
			return -1;
	}
	for (uint32_t i = sorter->reader_count / 2; i-- > 0;)
		sift_down(sorter, i);
	return 0;
}

/* Behind the least row, which is not needed any more. */
static int step_merge(struct row_sorter *sorter, struct error *err)
{
	struct run_reader *first = &sorter->readers[0];
	int more = reader_advance(first, sorter->memory->spill, err);

	if (more < 0)
		return -1;
	if (more == 0) {
		free(first->block);
		*first = sorter->readers[--sorter->reader_count];
	}
	sift_down(sorter, 0);
	return 0;
}

/* All runs become one. */
static int merge_runs(struct row_sorter *sorter, const atomic_bool *stop, struct error *err)
{
	uint32_t count = sorter->run_count;
	struct run_writer writer;
	struct sorted_run merged;
	int status = start_merge(sorter, err);

	writer_init(&writer);
	while (!status && sorter->reader_count > 0) {
		status = writer_add(&writer, sorter, sorter->readers[0].entry.stored, err);
		if (!status)
			status = step_merge(sorter, err);
		if (!status && stop && atomic_load_explicit(stop, memory_order_relaxed))
			break; /* nobody wants what comes of it */
	}
	end_merge(sorter);
	status = writer_end(&writer, sorter, status, err);
	merged = sorter->runs[count];
	sorter->run_count = count;
	drop_runs(sorter);
	sorter->runs[sorter->run_count++] = merged;
	return status;
}

/* What is in memory becomes a run. */
static int write_run(struct row_sorter *sorter, const atomic_bool *stop, struct error *err)
{
	struct rowkey_rows *rows = &sorter->rows;
	struct run_writer writer;
	int status = 0;

	if (!sorter->runs)
		sorter->runs = memory_zalloc((RUNS_MAX + 1) * sizeof(*sorter->runs));
	if (sorter->run_count == RUNS_MAX && merge_runs(sorter, stop, err))
		return -1;
	rowkey_sort(rows->entries, rows->count, stop);
	writer_init(&writer);
	for (size_t i = 0; i < rows->count && !status; i++) {
		if (i + ROWKEY_AHEAD < rows->count)
			rowkey_prefetch(rows->entries[i + ROWKEY_AHEAD].stored);
		status = writer_add(&writer, sorter, rows->entries[i].stored, err);
	}
	status = writer_end(&writer, sorter, status, err);
	rowkey_rows_release(rows);
	rowkey_rows_init(rows);
	note_memory(sorter);
	return status;
}

static void set_memory(struct row_sorter *sorter, const struct op_memory *memory)
{
	size_t bytes = memory->budget->limit / (2 * RUNS_MAX);

	sorter->memory = memory;
	if (bytes < BLOCK_BYTES_MIN)
		bytes = BLOCK_BYTES_MIN;
	sorter->block_bytes = bytes < BLOCK_BYTES_MAX ? bytes : BLOCK_BYTES_MAX;
}

int row_sorter_add(struct row_sorter *sorter, const struct rowkey *key, const struct batch *batch,
	const struct op_memory *memory, const atomic_bool *stop, struct error *err)
{
	assert(!sorter->memory || sorter->memory == memory);
	if (rowkey_rows_add(&sorter->rows, key, batch, err))
		return -1;
	if (!memory)
		return 0;
	set_memory(sorter, memory);
	note_memory(sorter);
	if (memory->spill && memory_account_gives_way(&sorter->account))
		return write_run(sorter, stop, err);
	if (memory_account_is_over(&sorter->account) && !memory->spill)
		return op_memory_refuse(&sorter->account, "a sort", err);
	return 0;
}

bool row_sorter_has_runs(const struct row_sorter *sorter)
{
	return sorter->run_count > 0;
}

int row_sorter_finish(struct row_sorter *sorter, const atomic_bool *stop, struct error *err)
{
	if (!row_sorter_has_runs(sorter)) {
		rowkey_sort(sorter->rows.entries, sorter->rows.count, stop);
		return 0;
	}
	if (write_run(sorter, stop, err))
		return -1;
	sorter->merged = memory_alloc(BATCH_ROWS_MAX * sizeof(*sorter->merged));
	return start_merge(sorter, err);
}

int row_sorter_next(
	struct row_sorter *sorter, struct rowkey_entry **entries, size_t *count, struct error *err)
{
	size_t bytes = 0;

	*count = 0;
	if (!row_sorter_has_runs(sorter)) {
		*entries = sorter->rows.entries;
		*count = sorter->given ? 0 : sorter->rows.count;
		sorter->given = true;
		return 0;
	}
	*entries = sorter->merged;
	arena_reset(&sorter->arena);
	while (sorter->reader_count > 0 && *count < BATCH_ROWS_MAX && bytes < MERGED_BYTES_MAX) {
		const uint8_t *stored = sorter->readers[0].entry.stored;
		size_t size = sizeof(uint32_t) + rowkey_size(stored);

		sorter->merged[(*count)++].stored =
			(const uint8_t *)arena_copy(&sorter->arena, stored, size);
		bytes += size;
		if (step_merge(sorter, err))
			return -1;
	}
	return 0;
}
