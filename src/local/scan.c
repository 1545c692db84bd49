/*
 * The shared scan: one pass over the files of some tables feeds every map fragment that reads them
 * (scan/map_stage.h). This file deals out the work.
 *
 * A worker takes a file nobody has started and runs its chunks through the map stage, into its own
 * instances of the fragments. When all files are started, workers without one help with the
 * chunks of those still in progress, so one huge file keeps all threads busy.
 *
 * When rows go on in the order of the input (row_order.c) all workers are at one file, and the files come
 * in their order: what is read long before its turn would have to be kept.
 */
#include "base/memory.h"
#include "column/kept_rows.h"
#include "local/local_private.h"
#include "scan/map_stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of texts that are unpacked before their turn, unless there is less memory. */
#define AHEAD_BYTES_MAX (256u << 20)
#define AHEAD_SHARE	4 /* of the memory for rows */
#define AHEAD_FILES_MAX 16
/* Below this a second thread costs more than it brings. */
#define SCAN_BYTES_PER_THREAD_MIN (256u << 10)
#define KEPT_ARENA_BYTES	  (256u << 10)

struct scan_table {
	uint32_t table; /* of the plan */
	struct map_table *map;
	struct csv_layout columns; /* what it parses, without places in a file */
	struct csv_tally *tallies; /* by worker */
	uint64_t bytes;
	uint32_t ordered_count; /* fragments that get its rows in order */
	struct row_order **ordered;
};

struct scan_file {
	struct scan_table *table;
	const char *path;
	uint64_t bytes;
	pthread_mutex_t lock; /* for opening */
	struct csv_file *file;
	bool empty;		    /* no header: nothing to read */
	struct cached_scan *cached; /* NULL: it is not to be kept */
	atomic_uint next_batch;	    /* of rows that are in memory */
	struct csv_layout layout;
	_Atomic uint64_t bytes_shown; /* already counted in run->bytes_done */
	atomic_bool hopeless; /* before its turn: it cannot be opened, or nothing is in it */
	atomic_bool ended;
};

struct scan {
	struct run_state *run;
	struct arena arena;
	uint32_t table_count;
	struct scan_table *tables;
	uint32_t file_count;
	struct scan_file *files;
	atomic_uint next_file;
	uint32_t workers;
	bool in_order; /* some rows go on in order */
	bool limited;  /* all do, and none of them without a limit */
};

/* A worker's view of the file it is on. */
struct scan_reader {
	struct run_thread *worker;
	struct csv_chunk chunk;
	struct map_stage *stage;
};

/* What is in memory already is not parsed. */
static void skip_known(struct scan_file *file)
{
	uint32_t *fields = (uint32_t *)file->layout.fields;

	for (uint32_t c = 0; c < file->layout.column_count; c++)
		if (cached_scan_has(file->cached, c))
			fields[c] = CSV_FIELD_SKIPPED;
}

static int scan_file_open(struct scan *scan, struct scan_file *file, struct error *err)
{
	const struct table_schema *schema = map_table_schema(file->table->map);
	int status = 0;

	pthread_mutex_lock(&file->lock);
	if (!file->file) {
		bool lines = map_table_wants_lines(file->table->map);

		status = (lines ? csv_file_open_counted : csv_file_open)(
			&file->file, file->path, schema, NULL, scan->run->chunk_bytes, err);
		if (!status) {
			struct csv_head head = csv_file_head(file->file);

			file->empty = head.name_count == 0;
			status = map_table_layout(file->table->map, file->path,
				csv_file_format(file->file), &head, &file->layout, err);
			if (!status)
				skip_known(file);
		}
	}
	pthread_mutex_unlock(&file->lock);
	return status;
}

/* The worker's own instance of the fragment gets the rows. */
static int feed_instance(
	void *context, uint32_t fragment, const struct batch *batch, struct error *err)
{
	struct run_thread *worker = context;
	struct fragment_state *state = &worker->run->fragments[fragment];

	if (state->feeds && row_order_is_full(state->feeds))
		return 0;
	return instance_push(&state->instances[worker->index], worker, batch, err);
}

static double share_read(const struct csv_file *file)
{
	uint64_t total = csv_file_bytes_total(file);

	return total > 0 ? (double)csv_file_bytes_done(file) / (double)total : 0;
}

static void count_bytes(struct run_state *run, struct scan_file *file)
{
	uint64_t now = csv_file_bytes_done(file->file);
	uint64_t shown = atomic_load(&file->bytes_shown);

	while (now > shown)
		if (atomic_compare_exchange_weak(&file->bytes_shown, &shown, now)) {
			atomic_fetch_add_explicit(
				&run->bytes_done, now - shown, memory_order_relaxed);
			break;
		}
}

/* Nobody wants more rows. */
static bool scan_is_full(const struct scan *scan)
{
	for (uint32_t t = 0; t < scan->table_count && scan->limited; t++)
		for (uint32_t i = 0; i < scan->tables[t].ordered_count; i++)
			if (!row_order_is_full(scan->tables[t].ordered[i]))
				return false;
	return scan->limited;
}

/* Where the chunk is that could not be read, or the one behind all that could. */
static uint64_t failed_chunk(struct scan_file *file, const struct scan_reader *reader, bool opened)
{
	if (!opened)
		return 0;
	return reader->chunk.number != CSV_CHUNK_NONE ? reader->chunk.number
						      : csv_file_chunks(file->file);
}

/* Whether what cannot be read lies behind all rows that are wanted. */
static bool error_is_void(
	struct scan *scan, struct scan_file *file, struct scan_reader *reader, bool opened)
{
	struct run_thread *worker = reader->worker;

	if (!scan->limited || run_stopping(scan->run))
		return false;
	worker->place = (struct scan_place){.file = (uint32_t)(file - scan->files),
		.chunk = failed_chunk(file, reader, opened)};
	for (uint32_t i = 0; i < file->table->ordered_count; i++)
		if (!row_order_refuses(file->table->ordered[i], worker))
			return false;
	worker->named_error = false;
	return scan_is_full(scan);
}

/* What leaves the chunk in order goes on, once all of it is there. */
static int end_chunk(
	struct scan_file *file, struct run_thread *worker, bool whole, struct error *err)
{
	for (uint32_t i = 0; i < file->table->ordered_count; i++) {
		struct row_order *ordered = file->table->ordered[i];

		if (!whole)
			row_order_stall(ordered);
		else if (row_order_end_chunk(ordered, worker, err))
			return -1;
	}
	return 0;
}

static int end_file(struct scan *scan, struct scan_file *file, struct run_thread *worker,
	uint64_t chunks, struct error *err)
{
	uint32_t index = (uint32_t)(file - scan->files);

	atomic_store(&file->ended, true);
	for (uint32_t i = 0; i < file->table->ordered_count; i++)
		if (row_order_end_file(file->table->ordered[i], worker, index, chunks, err))
			return -1;
	return 0;
}

/* As map_stage_run, with columns that are in memory, and others on their way there. */
static int run_cached(struct scan_file *file, struct scan_reader *reader,
	struct csv_decoder *decoder, struct error *err)
{
	struct csv_tally *tally = &file->table->tallies[reader->worker->index];
	struct cached_chunk *cached = cached_chunk_new(file->cached, reader->chunk.number);
	uint64_t rejects = tally->rejects;
	const struct csv_bad *bad;
	struct batch batch;
	uint32_t bad_count;
	int status = 0;

	csv_decoder_start(decoder, file->file, &reader->chunk, tally);
	while (csv_decoder_next(decoder, &batch, &bad, &bad_count)) {
		if (status || csv_tally_has_doubts(tally))
			continue;
		status = cached_chunk_add(cached, &batch, bad_count > 0, err);
		if (!status)
			status = map_stage_feed_batch(reader->stage, file->table->map, &batch, bad,
				bad_count, feed_instance, reader->worker, err);
	}
	if (tally->rejects > rejects)
		cached_scan_give_up(file->cached);
	if (status || csv_tally_has_doubts(tally))
		cached_chunk_free(cached);
	else
		cached_chunk_put(cached, share_read(file->file));
	return status;
}

static int run_chunk(struct scan *scan, struct scan_file *file, struct scan_reader *reader,
	struct csv_decoder *decoder, struct error *err)
{
	struct run_thread *worker = reader->worker;
	struct csv_tally *tally = &file->table->tallies[worker->index];
	uint64_t rows_before = tally->rows;
	int status;

	worker->place = (struct scan_place){
		.file = (uint32_t)(file - scan->files), .chunk = reader->chunk.number};
	if (file->cached)
		status = run_cached(file, reader, decoder, err);
	else
		status = map_stage_run(reader->stage, file->table->map, decoder, file->file,
			&reader->chunk, tally, feed_instance, worker, err);
	csv_file_note_lines(file->file, reader->chunk.number, csv_decoder_lines(decoder));
	atomic_fetch_add_explicit(
		&scan->run->rows, tally->rows - rows_before, memory_order_relaxed);
	return status ? -1 : end_chunk(file, worker, !tally->doubts, err);
}

static bool is_in_memory(const struct scan_file *file)
{
	return map_table_schema(file->table->map)->kept || cached_scan_is_whole(file->cached);
}

/*
 * What is packed can be unpacked by one thread at a time. Instead of waiting for it, others unpack files whose turn comes
 * next, which would otherwise be unpacked one after the other. False: there is nothing to do.
 */
static bool unpack_ahead(struct scan *scan, const struct scan_file *current)
{
	size_t limit = scan->run->budget.limit / AHEAD_SHARE;
	size_t held = csv_file_ahead_bytes(current->file);
	uint32_t first = (uint32_t)(current - scan->files) + 1;

	limit = limit < AHEAD_BYTES_MAX ? limit : AHEAD_BYTES_MAX;
	for (uint32_t i = first; i < scan->file_count && i < first + AHEAD_FILES_MAX; i++) {
		struct scan_file *file = &scan->files[i];
		struct error ignored;

		if (is_in_memory(file) || atomic_load(&file->hopeless))
			continue;
		/* What is wrong with it is told when its turn comes. */
		if (scan_file_open(scan, file, &ignored) || file->empty) {
			atomic_store(&file->hopeless, true);
			continue;
		}
		held += csv_file_ahead_bytes(file->file);
		if (held >= limit)
			return false;
		if (csv_file_unpack_ahead(file->file))
			return true;
	}
	return false;
}

static void wait_for_text(struct scan *scan, const struct scan_file *file)
{
	if (!scan->in_order || scan->limited || scan->workers == 1)
		return;
	while (csv_file_is_busy(file->file) && !run_stopping(scan->run))
		if (!unpack_ahead(scan, file))
			return;
}

static int read_chunks(struct scan *scan, struct scan_file *file, struct scan_reader *reader,
	struct csv_decoder *decoder, struct error *err)
{
	int more;

	for (;;) {
		wait_for_text(scan, file);
		more = csv_file_next(file->file, &reader->chunk, err);
		if (more <= 0)
			break;
		if (run_chunk(scan, file, reader, decoder, err))
			return error_is_void(scan, file, reader, true) ? 0 : -1;
		count_bytes(scan->run, file);
		if (run_stopping(scan->run))
			return error_set(err, ERROR_INTERRUPTED, "interrupted");
		if (scan_is_full(scan))
			return 0;
	}
	if (more < 0)
		return error_is_void(scan, file, reader, true) ? 0 : -1;
	return end_file(scan, file, reader->worker, csv_file_chunks(file->file), err);
}

static uint32_t batches_in_memory(const struct scan_file *file)
{
	const struct kept_rows *kept = map_table_schema(file->table->map)->kept;

	return kept ? kept->batch_count : cached_scan_batches(file->cached);
}

/* The batch at an index, to the fragments. */
static int feed_from_memory(struct scan_file *file, struct scan_reader *reader, uint32_t index,
	struct batch *batch, struct arena *arena, struct error *err)
{
	const struct kept_rows *kept = map_table_schema(file->table->map)->kept;

	if (!kept) {
		cached_scan_get(file->cached, index, batch);
		return map_stage_feed_batch(reader->stage, file->table->map, batch, NULL, 0,
			feed_instance, reader->worker, err);
	}
	arena_reset(arena);
	if (kept_rows_get(kept, index, arena, batch, err))
		return -1;
	return map_stage_feed(
		reader->stage, file->table->map, batch, feed_instance, reader->worker, err);
}

/* Rows that are in memory: a file of which every batch is a chunk. */
static int read_from_memory(
	struct scan *scan, struct scan_file *file, struct scan_reader *reader, struct error *err)
{
	uint32_t i, count = batches_in_memory(file);
	uint32_t column_count = file->table->columns.column_count;
	struct run_thread *worker = reader->worker;
	struct column *columns = memory_alloc((column_count + 1) * sizeof(*columns));
	struct arena arena;
	int status = 0;

	arena_init(&arena, KEPT_ARENA_BYTES);
	while (!status && !scan_is_full(scan) &&
		(i = atomic_fetch_add(&file->next_batch, 1)) < count) {
		struct batch batch = {.columns = columns, .column_count = column_count};

		worker->place =
			(struct scan_place){.file = (uint32_t)(file - scan->files), .chunk = i};
		status = feed_from_memory(file, reader, i, &batch, &arena, err);
		if (!status) {
			file->table->tallies[worker->index].rows += batch.selected;
			atomic_fetch_add_explicit(
				&scan->run->rows, batch.selected, memory_order_relaxed);
			status = end_chunk(file, worker, true, err);
		}
		if (!status && run_stopping(scan->run))
			status = error_set(err, ERROR_INTERRUPTED, "interrupted");
	}
	arena_release(&arena);
	free(columns);
	return status ? status : end_file(scan, file, worker, count, err);
}

static int read_file(
	struct scan *scan, struct scan_file *file, struct scan_reader *reader, struct error *err)
{
	struct csv_decoder *decoder;
	int status;

	if (atomic_load(&file->ended) || scan_is_full(scan))
		return 0;
	profile_read(reader->worker, file->table->table);
	if (is_in_memory(file))
		return read_from_memory(scan, file, reader, err);
	if (scan_file_open(scan, file, err))
		return error_is_void(scan, file, reader, false) ? 0 : -1;
	if (file->empty)
		return end_file(scan, file, reader->worker, 0, err);
	decoder = csv_decoder_new(&file->layout, csv_isa_detect());
	status = read_chunks(scan, file, reader, decoder, err);
	csv_decoder_free(decoder);
	return status;
}

static int finish_fragments(struct scan *scan, struct run_thread *worker, struct error *err)
{
	for (uint32_t t = 0; t < scan->table_count; t++) {
		const struct map_table *map = scan->tables[t].map;

		for (uint32_t k = 0; k < map_table_fragment_count(map); k++) {
			uint32_t fragment = map_table_fragment(map, k);
			struct instance *own =
				&scan->run->fragments[fragment].instances[worker->index];

			if (own->pipeline && instance_finish(own, worker, err))
				return -1;
		}
	}
	return 0;
}

static bool has_doubts(const struct scan *scan, const struct run_thread *worker)
{
	for (uint32_t t = 0; t < scan->table_count; t++)
		if (csv_tally_has_doubts(&scan->tables[t].tallies[worker->index]))
			return true;
	return false;
}

static int scan_work(struct run_thread *worker, void *context, struct error *err)
{
	struct scan *scan = context;
	struct scan_reader reader = {.worker = worker, .stage = map_stage_new(scan->run->plan)};
	uint32_t i;
	int status = 0;

	csv_chunk_init(&reader.chunk);
	while (!status && !scan->in_order &&
		(i = atomic_fetch_add(&scan->next_file, 1)) < scan->file_count)
		status = read_file(scan, &scan->files[i], &reader, err);
	for (i = 0; !status && i < scan->file_count; i++)
		status = read_file(scan, &scan->files[i], &reader, err);
	profile_read(worker, PLAN_NONE);
	if (!status && !has_doubts(scan, worker))
		status = finish_fragments(scan, worker, err);
	csv_chunk_release(&reader.chunk);
	map_stage_free(reader.stage);
	return status;
}

/* The tables of the wanted fragments, each once. */
static void add_tables(struct scan *scan, const bool *wanted)
{
	const struct plan *plan = scan->run->plan;
	bool *seen = memory_zalloc(plan->table_count + 1);

	scan->tables = arena_zalloc(&scan->arena, plan->table_count * sizeof(*scan->tables));
	for (uint32_t f = 0; f < plan->fragment_count; f++) {
		uint32_t table = plan->fragments[f].inputs[0].index;

		if (!wanted[f] || seen[table])
			continue;
		seen[table] = true;
		scan->tables[scan->table_count++] = (struct scan_table){
			.table = table,
			.map = map_table_new(plan, scan->run->catalog, table, wanted),
		};
	}
	free(seen);
}

/* The fragments that get rows of the table in order, from those that are wanted. */
static void add_ordered(struct scan *scan, struct scan_table *table)
{
	const struct map_table *map = table->map;
	uint32_t count = map_table_fragment_count(map);

	table->ordered = arena_alloc(&scan->arena, (count + 1) * sizeof(*table->ordered));
	for (uint32_t k = 0; k < count; k++) {
		struct row_order *ordered = scan->run->fragments[map_table_fragment(map, k)].feeds;

		if (ordered)
			table->ordered[table->ordered_count++] = ordered;
		scan->in_order |= ordered != NULL;
		scan->limited &= ordered && row_order_is_limited(ordered);
	}
}

static void add_tallies(struct scan *scan, struct scan_table *table)
{
	table->tallies = arena_zalloc(&scan->arena, scan->workers * sizeof(struct csv_tally));
	for (uint32_t w = 0; w < scan->workers; w++)
		csv_tally_init(&table->tallies[w], scan->run->options->rejects_kept_max);
}

static int list_files(struct scan *scan, struct file_list *lists, struct error *err)
{
	struct run_state *run = scan->run;
	uint64_t bytes = 0, in_memory = 0;

	for (uint32_t t = 0; t < scan->table_count; t++) {
		uint32_t source = run->plan->tables[scan->tables[t].table].source;

		if (run->catalog->tables[source].kept) {
			static const char *no_path;

			in_memory += run->catalog->tables[source].kept->bytes;
			lists[t] = (struct file_list){.count = 1, .paths = &no_path};
			scan->file_count++;
			continue;
		}
		if (files_match(run->data, run->catalog->tables[source].files, &scan->arena,
			    &lists[t], err))
			return error_prefix(err, "table %s: ", run->catalog->tables[source].name);
		scan->file_count += lists[t].count;
		scan->tables[t].bytes = lists[t].bytes;
		bytes += lists[t].bytes;
	}
	atomic_fetch_add(&run->bytes_total, bytes);
	bytes += in_memory;
	scan->workers = (uint32_t)(1 + bytes / SCAN_BYTES_PER_THREAD_MIN);
	if (bytes / SCAN_BYTES_PER_THREAD_MIN >= run->threads)
		scan->workers = run->threads;
	return 0;
}

static int larger_first(const void *a, const void *b)
{
	const struct scan_file *x = a, *y = b;

	return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

static struct cached_scan *begin_cached(const struct scan *scan, const struct scan_file *file)
{
	const struct map_table *map = file->table->map;

	return cached_scan_begin(scan->run->options->cache, file->path, map_table_schema(map),
		&file->table->columns, scan->run->chunk_bytes, map_table_wants_lines(map));
}

static int scan_prepare(struct scan *scan, const bool *wanted, struct error *err)
{
	struct file_list *lists;
	uint32_t next = 0;

	add_tables(scan, wanted);
	scan->limited = true;
	for (uint32_t t = 0; t < scan->table_count; t++)
		add_ordered(scan, &scan->tables[t]);
	lists = arena_zalloc(&scan->arena, (scan->table_count + 1) * sizeof(*lists));
	if (list_files(scan, lists, err))
		return -1;
	scan->files = arena_zalloc(&scan->arena, (scan->file_count + 1) * sizeof(struct scan_file));
	for (uint32_t t = 0; t < scan->table_count; t++) {
		add_tallies(scan, &scan->tables[t]);
		scan->tables[t].columns = map_table_columns(scan->tables[t].map);
		for (uint32_t i = 0; i < scan->tables[t].ordered_count; i++)
			row_order_start(scan->tables[t].ordered[i], next, lists[t].count);
		for (uint32_t i = 0; i < lists[t].count; i++) {
			struct scan_file *file = &scan->files[next++];
			struct stat info;

			file->table = &scan->tables[t];
			file->path = lists[t].paths[i];
			if (file->path && !stat(file->path, &info))
				file->bytes = (uint64_t)info.st_size;
			file->cached = begin_cached(scan, file);
		}
	}
	/* Large files first: the threads then end at nearly the same time. */
	if (!scan->in_order)
		qsort(scan->files, scan->file_count, sizeof(struct scan_file), larger_first);
	for (uint32_t i = 0; i < scan->file_count; i++)
		pthread_mutex_init(&scan->files[i].lock, NULL);
	return 0;
}

/* What contradicts guesses counts also when the scan did not come to its end. */
static void scan_report_doubts(struct scan *scan, bool whole)
{
	const struct plan *plan = scan->run->plan;

	for (uint32_t t = 0; t < scan->table_count; t++) {
		const struct scan_table *table = &scan->tables[t];
		uint32_t count = plan->tables[table->table].column_count;
		uint32_t *columns = arena_zalloc(&scan->arena, (count + 1) * sizeof(*columns));

		for (uint32_t c = 0; c < map_table_column_count(table->map); c++)
			columns[c] = map_table_schema_column(table->map, c);
		report_doubts(scan->run->report, plan->tables[table->table].source, columns,
			scan->workers, table->tallies, whole);
	}
}

static void report_notes(struct local_report *report, const struct scan_file *file)
{
	const char *note;

	if (file->file)
		report_note(report, file->file);
	for (uint32_t i = 0;
		cached_scan_is_whole(file->cached) && (note = cached_scan_note(file->cached, i));
		i++)
		report_add_note(report, note);
}

static void scan_report(struct scan *scan)
{
	for (uint32_t t = 0; t < scan->table_count; t++) {
		struct scan_table *table = &scan->tables[t];
		bool in_memory = true;
		uint32_t count = 0;

		for (uint32_t i = 0; i < scan->file_count; i++)
			if (scan->files[i].table == table) {
				in_memory &= is_in_memory(&scan->files[i]);
				count += scan->files[i].file || scan->files[i].cached;
				report_notes(scan->run->report, &scan->files[i]);
			}
		report_add(scan->run->report, table->table, scan->workers, table->tallies, count,
			table->bytes);
		scan->run->report->tables[table->table].in_memory = in_memory;
	}
}

/* What was parsed stays in memory where all of a file was. */
static int end_cached(struct scan *scan, bool succeeded, struct error *err)
{
	struct error problem;
	int status = 0;

	for (uint32_t i = 0; i < scan->file_count && scan->files; i++) {
		struct scan_file *file = &scan->files[i];
		bool whole = succeeded && atomic_load(&file->ended);

		for (uint32_t w = 0; w < scan->workers && whole; w++)
			whole = !csv_tally_has_doubts(&file->table->tallies[w]);
		if (cached_scan_end(file->cached, file->file, whole, &problem) && !status) {
			status = -1;
			if (succeeded)
				*err = problem;
		}
	}
	return succeeded ? status : -1;
}

static void scan_release(struct scan *scan)
{
	for (uint32_t i = 0; i < scan->file_count && scan->files; i++) {
		struct scan_file *file = &scan->files[i];

		csv_file_close(file->file);
		free((void *)file->layout.fields);
		pthread_mutex_destroy(&file->lock);
	}
	for (uint32_t t = 0; t < scan->table_count; t++) {
		for (uint32_t w = 0; w < scan->workers && scan->tables[t].tallies; w++)
			csv_tally_release(&scan->tables[t].tallies[w]);
		map_table_free(scan->tables[t].map);
	}
	arena_release(&scan->arena);
}

int scan_run(struct run_state *run, const bool *wanted, struct error *err)
{
	struct scan scan = {.run = run};
	int status;

	arena_init(&scan.arena, 64u << 10);
	status = scan_prepare(&scan, wanted, err);
	if (!status) {
		status = workers_run(run, scan.workers, scan_work, &scan, err);
		scan_report_doubts(&scan, status == 0);
		/* Lines of rejects are known only when every chunk was counted. */
		if (!status)
			scan_report(&scan);
	}
	status = end_cached(&scan, status == 0, err);
	scan_release(&scan);
	return status;
}
