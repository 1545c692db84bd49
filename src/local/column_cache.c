#include "local/column_cache.h"

#include "base/memory.h"
#include "column/numeric_long.h"
#include "local/file_stamp.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define FINGERPRINT_BYTES_MAX (1u << 20)
#define NOTE_BYTES_MAX	      8192
/* What such a file is going to take is known well enough when so much of it was read. */
#define SHARE_TOLD   0.05
#define SHARE_EXCESS 1.1

/* A column of a file, by batch. */
struct cached_column {
	struct cached_column *next;
	char *name;
	struct type type;
	struct csv_reading reading;
	bool guessed;
	struct column *
		batches; /* each of which owns its `values`, with all that belongs to it behind them */
	size_t bytes;
	uint64_t used; /* when it was used last */
	uint32_t users;
};

struct cached_file {
	struct cached_file *next;
	char *path;
	char *fingerprint; /* of the way its table is written */
	struct file_stamp stamp;
	uint32_t chunk_count;
	uint32_t *first_batch; /* of each chunk, and one more */
	uint16_t *rows;	       /* by batch */
	size_t bytes;	       /* without its columns */
	struct cached_column *columns;
	char *notes[CSV_LATE_NOTES];
	uint64_t used;
	uint32_t users;
	bool dropped; /* it has changed: gone with its last user */
};

struct column_cache {
	pthread_mutex_t lock;
	size_t bytes_max;
	size_t bytes;
	uint64_t clock; /* of uses */
	struct cached_file *files;
};

/* What was read of a chunk. */
struct filled_chunk {
	uint32_t batch_count;
	uint16_t *rows;		/* by batch */
	struct column *columns; /* of each batch those that were missing */
};

struct cached_scan {
	struct column_cache *cache;
	char *path;
	char *fingerprint;
	struct file_stamp stamp;
	const struct csv_layout *layout;
	struct cached_file *file;	/* NULL: it is not there yet */
	struct cached_column **columns; /* by column of the layout; NULL: it is missing */
	bool whole;
	uint32_t missing_count;
	uint32_t *missing; /* columns of the layout that are to be kept */
	atomic_bool gave_up;
	uint32_t chunk_room; /* under the cache's lock, as what follows */
	uint32_t chunk_count;
	struct filled_chunk *chunks;
	size_t bytes;	       /* of what was put, */
	size_t *missing_bytes; /* and by column */
};

struct cached_chunk {
	struct cached_scan *scan;
	uint64_t number;
	uint32_t batch_room;
	uint32_t next_batch; /* with those that are not kept */
	struct filled_chunk filled;
	size_t *bytes;		/* by missing column */
	struct column *columns; /* of a batch, with those that are known */
};

/* --- the same file ---------------------------------------------------------------------------------- */

/* All that decides what a column of a name and a type has in it, beside the file. */
static char *fingerprint_of(const struct table_schema *schema, size_t chunk_bytes, bool counted)
{
	const struct csv_dialect *dialect = &schema->dialect;
	const char *option;
	struct buf text;
	char *result;

	buf_init(&text, FINGERPRINT_BYTES_MAX);
	buf_printf(&text, "%zu %d %d %u %d %d %d", chunk_bytes, counted, schema->inferred,
		dialect->given, dialect->trim, dialect->framed, dialect->line_end);
	for (uint32_t i = 0; (option = csv_dialect_option(i)); i++) {
		buf_append_char(&text, '\n');
		csv_dialect_get(dialect, option, &text);
	}
	for (uint32_t i = 0; schema->widths && i <= TABLE_COLUMNS_MAX; i++)
		if (schema->widths[i])
			buf_printf(&text, "\n%u=%u", i, schema->widths[i]);
	for (uint32_t c = 0; c < schema->column_count; c++)
		buf_printf(&text, "\n%zu %s", strlen(schema->columns[c].name),
			schema->columns[c].name);
	result = buf_overflowed(&text) ? NULL : strndup(text.data, text.size);
	buf_release(&text);
	return result;
}

/* --- what is kept ----------------------------------------------------------------------------------- */

static void free_columns(struct column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(columns[i].values);
	free(columns);
}

static void free_column(struct column_cache *cache, struct cached_column *column, uint32_t batches)
{
	cache->bytes -= column->bytes;
	free_columns(column->batches, batches);
	free(column->name);
	free(column);
}

static uint32_t batches_of(const struct cached_file *file)
{
	return file->first_batch[file->chunk_count];
}

static void free_file(struct column_cache *cache, struct cached_file *file)
{
	while (file->columns) {
		struct cached_column *column = file->columns;

		file->columns = column->next;
		free_column(cache, column, batches_of(file));
	}
	cache->bytes -= file->bytes;
	for (uint32_t i = 0; i < CSV_LATE_NOTES; i++)
		free(file->notes[i]);
	free(file->path);
	free(file->fingerprint);
	free(file->first_batch);
	free(file->rows);
	free(file);
}

static void sweep(struct column_cache *cache)
{
	struct cached_file **at = &cache->files;

	while (*at) {
		struct cached_file *file = *at;

		if (!file->dropped || file->users > 0) {
			at = &file->next;
			continue;
		}
		*at = file->next;
		free_file(cache, file);
	}
}

/* The column nobody uses that was used least lately, or a file without columns; false: there is none. */
static bool drop_oldest(struct column_cache *cache)
{
	struct cached_file *oldest_file = NULL;
	struct cached_column **oldest = NULL;
	uint64_t used = UINT64_MAX;

	for (struct cached_file *file = cache->files; file; file = file->next) {
		if (!file->columns && file->users == 0 && file->used < used) {
			used = file->used;
			oldest_file = file;
			oldest = NULL;
		}
		for (struct cached_column **at = &file->columns; *at; at = &(*at)->next)
			if ((*at)->users == 0 && (*at)->used < used) {
				used = (*at)->used;
				oldest_file = file;
				oldest = at;
			}
	}
	if (!oldest_file)
		return false;
	if (oldest) {
		struct cached_column *column = *oldest;

		*oldest = column->next;
		free_column(cache, column, batches_of(oldest_file));
	} else {
		oldest_file->dropped = true;
		sweep(cache);
	}
	return true;
}

static bool make_room(struct column_cache *cache, size_t bytes)
{
	while (bytes > cache->bytes_max || cache->bytes > cache->bytes_max - bytes)
		if (bytes > cache->bytes_max || !drop_oldest(cache))
			return false;
	return true;
}

struct column_cache *column_cache_new(size_t bytes_max)
{
	struct column_cache *cache = memory_zalloc(sizeof(*cache));

	pthread_mutex_init(&cache->lock, NULL);
	cache->bytes_max = bytes_max;
	return cache;
}

void column_cache_resize(struct column_cache *cache, size_t bytes_max)
{
	bool less = bytes_max < cache->bytes_max;

	cache->bytes_max = bytes_max;
	(void)!make_room(cache, 0);
	if (less)
		memory_give_back();
}

void column_cache_free(struct column_cache *cache)
{
	if (!cache)
		return;
	for (struct cached_file *file = cache->files; file; file = file->next)
		file->dropped = true;
	sweep(cache);
	assert(!cache->files && cache->bytes == 0);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

size_t column_cache_bytes_max(const struct column_cache *cache)
{
	return cache->bytes_max;
}

/* --- one column of one batch ------------------------------------------------------------------------ */

static bool is_valid(const struct column *column, uint32_t row)
{
	return !column->valid || column->valid[row];
}

/* Bytes that values borrow. */
static size_t borrowed_bytes(const struct column *column, uint32_t rows, enum physical physical)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < rows && physical == PHYSICAL_TEXT; i++)
		bytes += is_valid(column, i) ? column->text[i].size : 0;
	for (uint32_t i = 0; i < rows && physical == PHYSICAL_NUM; i++)
		if (is_valid(column, i) && numeric_is_long(column->num[i])) {
			uint32_t count;

			(void)numeric_long_limbs(column->num[i], &count);
			bytes += count * sizeof(uint64_t);
		}
	return bytes;
}

static void copy_texts(struct column *to, const struct column *from, uint32_t rows, char *bytes)
{
	for (uint32_t i = 0; i < rows; i++) {
		struct text text = is_valid(from, i) ? from->text[i] : text_from("", 0);

		if (text.size > 0)
			memcpy(bytes, text.data, text.size);
		to->text[i] = text_from(bytes, text.size);
		bytes += text.size;
	}
}

static void copy_numerics(struct column *to, const struct column *from, uint32_t rows, char *bytes)
{
	for (uint32_t i = 0; i < rows; i++) {
		numeric value = is_valid(from, i) ? from->num[i] : 0;
		uint64_t *limbs = (uint64_t *)bytes;
		const uint64_t *own;
		uint32_t count;

		to->num[i] = value;
		if (!numeric_is_long(value))
			continue;
		own = numeric_long_limbs(value, &count);
		memcpy(limbs, own, count * sizeof(*limbs));
		to->num[i] = numeric_long_make(
			limbs, count, numeric_sign(value) < 0, numeric_display_scale(value));
		bytes += count * sizeof(*limbs);
	}
}

/* A column of its own: values, what they borrow, and which are valid, in one piece of memory. */
static struct column copy_column(const struct column *from, uint32_t rows, size_t *bytes)
{
	enum physical physical = type_physical(from->type.kind);
	size_t size = rows * physical_size(physical);
	size_t values = (size + 7) / 8 * 8;
	size_t borrowed = borrowed_bytes(from, rows, physical);
	char *memory = memory_alloc(values + borrowed + rows + 1);
	struct column to = {.type = from->type, .values = memory};

	*bytes += values + borrowed + rows + sizeof(to);
	if (physical == PHYSICAL_TEXT)
		copy_texts(&to, from, rows, memory + values);
	else if (physical == PHYSICAL_NUM)
		copy_numerics(&to, from, rows, memory + values);
	else
		memcpy(memory, from->values, size);
	if (from->valid) {
		to.valid = (uint8_t *)memory + values + borrowed;
		memcpy(to.valid, from->valid, rows);
	}
	return to;
}

/* --- a scan ----------------------------------------------------------------------------------------- */

static bool same_reading(const struct csv_reading *a, const struct csv_reading *b)
{
	return memcmp(a->date.order, b->date.order, sizeof(a->date.order)) == 0 &&
	       a->date.mark == b->date.mark && a->date.short_year == b->date.short_year &&
	       a->decimal == b->decimal && a->thousands == b->thousands && a->zoned == b->zoned;
}

static struct csv_reading reading_of(const struct csv_layout *layout, uint32_t c)
{
	return layout->readings ? layout->readings[c] : (struct csv_reading){0};
}

static bool is_guessed(const struct csv_layout *layout, uint32_t c)
{
	return layout->guessed && layout->guessed[c];
}

static struct cached_column *find_column(
	const struct cached_file *file, const struct csv_layout *layout, uint32_t c)
{
	struct csv_reading reading = reading_of(layout, c);

	for (struct cached_column *column = file->columns; column; column = column->next)
		if (strcmp(column->name, layout->names[c]) == 0 &&
			type_equal(column->type, layout->types[c]) &&
			column->guessed == is_guessed(layout, c) &&
			same_reading(&column->reading, &reading))
			return column;
	return NULL;
}

/* The file as it is now; what there is of it as it was before is dropped. */
static struct cached_file *find_file(const struct cached_scan *scan)
{
	struct cached_file *found = NULL;

	for (struct cached_file *file = scan->cache->files; file; file = file->next) {
		if (strcmp(file->path, scan->path) != 0 || file->dropped)
			continue;
		if (!file_stamp_equal(&file->stamp, &scan->stamp))
			file->dropped = true;
		else if (strcmp(file->fingerprint, scan->fingerprint) == 0)
			found = file;
	}
	sweep(scan->cache);
	return found;
}

static void use_columns(struct cached_scan *scan)
{
	const struct csv_layout *layout = scan->layout;
	uint64_t now = ++scan->cache->clock;

	scan->file = find_file(scan);
	scan->whole = scan->file != NULL;
	if (scan->file) {
		scan->file->used = now;
		scan->file->users++;
	}
	for (uint32_t c = 0; c < layout->column_count; c++) {
		struct cached_column *column =
			scan->file ? find_column(scan->file, layout, c) : NULL;

		scan->columns[c] = column;
		if (column) {
			column->used = now;
			column->users++;
			continue;
		}
		scan->whole = false;
		if (type_physical(layout->types[c].kind) != PHYSICAL_LIST)
			scan->missing[scan->missing_count++] = c;
	}
}

struct cached_scan *cached_scan_begin(struct column_cache *cache, const char *path,
	const struct table_schema *schema, const struct csv_layout *layout, size_t chunk_bytes,
	bool counted)
{
	struct cached_scan *scan;
	struct file_stamp stamp;
	bool settled;

	if (!cache || cache->bytes_max == 0 || !path || !file_stamp_take(path, &stamp, &settled) ||
		!settled)
		return NULL;
	scan = memory_zalloc(sizeof(*scan));
	scan->cache = cache;
	scan->path = memory_strdup(path);
	scan->stamp = stamp;
	scan->layout = layout;
	scan->columns = memory_zalloc((layout->column_count + 1) * sizeof(*scan->columns));
	scan->missing = memory_zalloc((layout->column_count + 1) * sizeof(*scan->missing));
	scan->missing_bytes =
		memory_zalloc((layout->column_count + 1) * sizeof(*scan->missing_bytes));
	scan->fingerprint = fingerprint_of(schema, chunk_bytes, counted);
	if (!scan->fingerprint)
		scan->fingerprint = memory_strdup("");
	pthread_mutex_lock(&cache->lock);
	use_columns(scan);
	pthread_mutex_unlock(&cache->lock);
	return scan;
}

bool cached_scan_is_whole(const struct cached_scan *scan)
{
	return scan && scan->whole;
}

bool cached_scan_has(const struct cached_scan *scan, uint32_t c)
{
	return scan && scan->columns[c];
}

uint32_t cached_scan_batches(const struct cached_scan *scan)
{
	return batches_of(scan->file);
}

void cached_scan_get(const struct cached_scan *scan, uint32_t index, struct batch *out)
{
	assert(out->column_count == scan->layout->column_count);
	out->rows = out->selected = scan->file->rows[index];
	out->sel = NULL;
	for (uint32_t c = 0; c < scan->layout->column_count; c++)
		out->columns[c] = scan->columns[c]->batches[index];
}

const char *cached_scan_note(const struct cached_scan *scan, uint32_t index)
{
	for (uint32_t i = 0; scan->file && i < CSV_LATE_NOTES; i++)
		if (scan->file->notes[i] && index-- == 0)
			return scan->file->notes[i];
	return NULL;
}

/* --- chunks on their way ---------------------------------------------------------------------------- */

static void free_filled(const struct cached_scan *scan, struct filled_chunk *filled)
{
	free_columns(filled->columns, (size_t)filled->batch_count * scan->missing_count);
	free(filled->rows);
	*filled = (struct filled_chunk){0};
}

/* Under the lock. */
static void drop_filled(struct cached_scan *scan)
{
	for (uint32_t i = 0; i < scan->chunk_room; i++)
		free_filled(scan, &scan->chunks[i]);
	free(scan->chunks);
	scan->chunks = NULL;
	scan->chunk_room = scan->chunk_count = 0;
	scan->cache->bytes -= scan->bytes;
	scan->bytes = 0;
	memset(scan->missing_bytes, 0, scan->missing_count * sizeof(*scan->missing_bytes));
}

void cached_scan_give_up(struct cached_scan *scan)
{
	if (atomic_exchange(&scan->gave_up, true))
		return;
	pthread_mutex_lock(&scan->cache->lock);
	drop_filled(scan);
	pthread_mutex_unlock(&scan->cache->lock);
}

struct cached_chunk *cached_chunk_new(struct cached_scan *scan, uint64_t number)
{
	struct cached_chunk *chunk = memory_zalloc(sizeof(*chunk));

	chunk->scan = scan;
	chunk->number = number;
	chunk->bytes = memory_zalloc((scan->missing_count + 1) * sizeof(*chunk->bytes));
	chunk->columns = memory_alloc((scan->layout->column_count + 1) * sizeof(*chunk->columns));
	return chunk;
}

void cached_chunk_free(struct cached_chunk *chunk)
{
	free_filled(chunk->scan, &chunk->filled);
	free(chunk->bytes);
	free(chunk->columns);
	free(chunk);
}

/* The columns that are there already, from the same place in the file. */
static int add_known(struct cached_chunk *chunk, struct batch *batch, struct error *err)
{
	const struct cached_scan *scan = chunk->scan;
	const struct cached_file *file = scan->file;
	uint32_t at = chunk->next_batch++;

	if (!file)
		return 0;
	if (chunk->number >= file->chunk_count)
		return error_set(err, ERROR_IO, "%s has changed while it was read", scan->path);
	at += file->first_batch[chunk->number];
	if (at >= file->first_batch[chunk->number + 1] || file->rows[at] != batch->rows)
		return error_set(err, ERROR_IO, "%s has changed while it was read", scan->path);
	/* Those of the batch are the decoder's. */
	memcpy(chunk->columns, batch->columns, batch->column_count * sizeof(*chunk->columns));
	batch->columns = chunk->columns;
	for (uint32_t c = 0; c < scan->layout->column_count; c++)
		if (scan->columns[c])
			batch->columns[c] = scan->columns[c]->batches[at];
	return 0;
}

int cached_chunk_add(
	struct cached_chunk *chunk, struct batch *batch, bool damaged, struct error *err)
{
	struct filled_chunk *filled = &chunk->filled;
	struct cached_scan *scan = chunk->scan;
	struct column *to;

	if (add_known(chunk, batch, err))
		return -1;
	if (damaged)
		cached_scan_give_up(scan);
	if (atomic_load(&scan->gave_up))
		return 0;
	if (filled->batch_count == chunk->batch_room) {
		chunk->batch_room = chunk->batch_room ? 2 * chunk->batch_room : 2;
		filled->rows =
			memory_realloc(filled->rows, chunk->batch_room * sizeof(*filled->rows));
		filled->columns = memory_realloc(
			filled->columns, ((size_t)chunk->batch_room * scan->missing_count + 1) *
						 sizeof(*filled->columns));
	}
	to = filled->columns + (size_t)filled->batch_count * scan->missing_count;
	filled->rows[filled->batch_count++] = (uint16_t)batch->rows;
	for (uint32_t i = 0; i < scan->missing_count; i++)
		to[i] = copy_column(
			&batch->columns[scan->missing[i]], batch->rows, &chunk->bytes[i]);
	return 0;
}

static bool is_too_large(const struct cached_scan *scan, double share)
{
	return share > SHARE_TOLD &&
	       (double)scan->bytes / share > SHARE_EXCESS * (double)scan->cache->bytes_max;
}

/* Under the lock: whether there is room for it. */
static bool put_filled(struct cached_chunk *chunk, double share)
{
	struct cached_scan *scan = chunk->scan;
	size_t bytes = 0;

	for (uint32_t i = 0; i < scan->missing_count; i++)
		bytes += chunk->bytes[i];
	if (is_too_large(scan, share) || !make_room(scan->cache, bytes))
		return false;
	if (chunk->number >= scan->chunk_room) {
		uint32_t room = (uint32_t)(2 * (chunk->number + 8));

		scan->chunks = memory_realloc(scan->chunks, room * sizeof(*scan->chunks));
		memset(scan->chunks + scan->chunk_room, 0,
			(room - scan->chunk_room) * sizeof(*scan->chunks));
		scan->chunk_room = room;
	}
	scan->chunks[chunk->number] = chunk->filled;
	chunk->filled = (struct filled_chunk){0};
	scan->chunk_count++;
	for (uint32_t i = 0; i < scan->missing_count; i++)
		scan->missing_bytes[i] += chunk->bytes[i];
	scan->bytes += bytes;
	scan->cache->bytes += bytes;
	return true;
}

void cached_chunk_put(struct cached_chunk *chunk, double share)
{
	struct cached_scan *scan = chunk->scan;
	bool full = false;

	pthread_mutex_lock(&scan->cache->lock);
	if (!atomic_load(&scan->gave_up))
		full = !put_filled(chunk, share);
	pthread_mutex_unlock(&scan->cache->lock);
	if (full)
		cached_scan_give_up(scan);
	cached_chunk_free(chunk);
}

/* --- the end of a scan ------------------------------------------------------------------------------ */

/* A file that was read for the first time: where its batches are. */
static void make_file(struct cached_scan *scan, struct csv_file *opened)
{
	struct cached_file *file = memory_zalloc(sizeof(*file));
	uint32_t batches = 0;

	file->path = memory_strdup(scan->path);
	file->fingerprint = memory_strdup(scan->fingerprint);
	file->stamp = scan->stamp;
	file->chunk_count = scan->chunk_count;
	file->first_batch = memory_alloc((scan->chunk_count + 1) * sizeof(*file->first_batch));
	for (uint32_t i = 0; i < scan->chunk_count; i++) {
		file->first_batch[i] = batches;
		batches += scan->chunks[i].batch_count;
	}
	file->first_batch[scan->chunk_count] = batches;
	file->rows = memory_alloc((batches + 1) * sizeof(*file->rows));
	for (uint32_t i = 0; i < scan->chunk_count; i++)
		for (uint32_t b = 0; b < scan->chunks[i].batch_count; b++)
			file->rows[file->first_batch[i] + b] = scan->chunks[i].rows[b];
	file->bytes = batches * sizeof(*file->rows) +
		      scan->chunk_count * sizeof(*file->first_batch) + sizeof(*file);
	for (uint32_t i = 0; i < CSV_LATE_NOTES; i++) {
		struct buf text;

		buf_init(&text, NOTE_BYTES_MAX);
		if (csv_file_late_note(opened, i, &text) && !buf_overflowed(&text))
			file->notes[i] = strndup(text.data, text.size);
		buf_release(&text);
	}
	scan->cache->bytes += file->bytes;
	file->used = scan->cache->clock;
	file->next = scan->cache->files;
	scan->cache->files = scan->file = file;
}

static bool is_same_cut(const struct cached_scan *scan)
{
	const struct cached_file *file = scan->file;

	if (file->chunk_count != scan->chunk_count)
		return false;
	for (uint32_t i = 0; i < scan->chunk_count; i++)
		if (file->first_batch[i + 1] - file->first_batch[i] != scan->chunks[i].batch_count)
			return false;
	return true;
}

/* The i-th of those that were missing. Its batches change hands. */
static void take_column(struct cached_scan *scan, uint32_t i)
{
	const struct csv_layout *layout = scan->layout;
	struct cached_column *column = memory_zalloc(sizeof(*column));
	uint32_t c = scan->missing[i], batches = batches_of(scan->file), at = 0;

	column->name = memory_strdup(layout->names[c]);
	column->type = layout->types[c];
	column->reading = reading_of(layout, c);
	column->guessed = is_guessed(layout, c);
	column->used = scan->cache->clock;
	column->batches = memory_alloc((batches + 1) * sizeof(*column->batches));
	for (uint32_t k = 0; k < scan->chunk_count; k++)
		for (uint32_t b = 0; b < scan->chunks[k].batch_count; b++) {
			struct column *from =
				&scan->chunks[k].columns[(size_t)b * scan->missing_count + i];

			column->batches[at++] = *from;
			from->values = NULL;
		}
	column->bytes = scan->missing_bytes[i];
	scan->bytes -= column->bytes;
	column->next = scan->file->columns;
	scan->file->columns = column;
}

/* Under the lock: what the scan has put becomes part of the cache. */
static void keep_filled(struct cached_scan *scan, struct csv_file *opened)
{
	if (!scan->file)
		scan->file = find_file(scan);
	if (!scan->file)
		make_file(scan, opened);
	else if (!is_same_cut(scan))
		return;
	for (uint32_t i = 0; i < scan->missing_count; i++)
		if (!find_column(scan->file, scan->layout, scan->missing[i]))
			take_column(scan, i);
}

static void stop_using(struct cached_scan *scan, bool counted)
{
	for (uint32_t c = 0; c < scan->layout->column_count; c++)
		if (scan->columns[c])
			scan->columns[c]->users--;
	if (counted)
		scan->file->users--;
	sweep(scan->cache);
}

int cached_scan_end(struct cached_scan *scan, struct csv_file *file, bool whole, struct error *err)
{
	struct column_cache *cache;
	struct file_stamp now;
	bool same, settled, counted, mixed;
	int status = 0;

	if (!scan)
		return 0;
	cache = scan->cache;
	counted = scan->file != NULL;
	mixed = counted && !scan->whole;
	/* What is read from memory was of one time. */
	same = scan->whole || (file_stamp_take(scan->path, &now, &settled) &&
				      file_stamp_equal(&now, &scan->stamp));
	pthread_mutex_lock(&cache->lock);
	if (whole && same && file && !atomic_load(&scan->gave_up) &&
		scan->chunk_count == csv_file_chunks(file))
		keep_filled(scan, file);
	drop_filled(scan);
	stop_using(scan, counted);
	pthread_mutex_unlock(&cache->lock);
	if (mixed && !same)
		status = error_set(err, ERROR_IO, "%s has changed while it was read", scan->path);
	free(scan->columns);
	free(scan->missing);
	free(scan->missing_bytes);
	free(scan->path);
	free(scan->fingerprint);
	free(scan);
	return status;
}
