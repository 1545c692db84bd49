/*
 * Rows in the order of their keys (rowkey.h), however many they are.
 *
 * They are kept in memory as long as there is enough. Then those that are there are sorted and written
 * out as a run, and in the end the runs are merged. What comes out does not depend on that.
 *
 * Legal order of calls: init, any number of add, finish, next until there are no more, release.
 */
#ifndef EXEC_ROW_SORTER_H
#define EXEC_ROW_SORTER_H

#include "exec/table/rowkey.h"
#include "exec/table/spill.h"

struct sorted_run;
struct run_reader;

struct row_sorter {
	struct rowkey_rows rows; /* in memory */
	struct memory_account account;
	const struct op_memory *memory;
	size_t block_bytes;
	uint32_t run_count;
	struct sorted_run *runs;
	/* The merge: a heap of readers, the least row on top. */
	uint32_t reader_count;
	struct run_reader *readers;
	struct rowkey_entry *merged;
	struct arena arena;
	bool given; /* the rows in memory */
};

void row_sorter_init(struct row_sorter *sorter);
void row_sorter_release(struct row_sorter *sorter);

/* `memory` is borrowed, and the same in every call; NULL: there is enough. */
MUST_CHECK int row_sorter_add(struct row_sorter *sorter, const struct rowkey *key,
	const struct batch *batch, const struct op_memory *memory, const atomic_bool *stop,
	struct error *err);
/* All rows are there. When *stop is set they come in whatever order. */
MUST_CHECK int row_sorter_finish(
	struct row_sorter *sorter, const atomic_bool *stop, struct error *err);
/* Whether rows were written out: then they come a batch at a time, else all at once. */
bool row_sorter_has_runs(const struct row_sorter *sorter);
/* The next rows, which may be changed and live until the next call; *count is 0 behind the last. */
MUST_CHECK int row_sorter_next(
	struct row_sorter *sorter, struct rowkey_entry **entries, size_t *count, struct error *err);

#endif
