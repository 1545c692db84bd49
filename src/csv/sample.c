#include "csv/sample.h"

#include "base/hash.h"
#include "base/memory.h"
#include "csv/decode.h"
#include "csv/file_private.h"
#include "csv/head.h"
#include "csv/header.h"
#include "csv/scan/scan_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SAMPLE_FILES_MAX  8
#define SAMPLE_PIECES	  16
#define SAMPLE_PIECE	  (16u << 10) /* bytes */
#define SAMPLE_ROWS_MAX	  4096
#define SAMPLE_SORTED_MAX 512 /* values among which the bounds are found */

/* A packed file has so many times its own size of text, or thereabouts. */
#define PACKED_FACTOR 4

/* One column of the sample: its values that are not NULL. */
struct sample_column {
	uint32_t column; /* of the table */
	uint32_t count;
	uint32_t nulls;
	uint64_t *keys;
	double *numbers;
	uint8_t *pieces; /* of each value */
};

struct sample {
	const struct table_schema *table;
	struct arena *arena;
	uint32_t column_count;
	struct sample_column *columns;
	/* Of the layout: */
	const char **names;
	struct type *types;
	struct csv_reading *readings;
	bool *guessed;
	uint32_t rows;
	uint32_t piece; /* the one that is being read */
	uint64_t bytes; /* of the text of all pieces */
	bool packed;	/* some files are */
	bool partial;	/* there is more than what was read */
};

static void sample_init(struct sample *sample, const bool *wanted)
{
	const struct table_schema *table = sample->table;
	uint32_t room = table->column_count + 1;

	sample->columns = arena_zalloc(sample->arena, room * sizeof(*sample->columns));
	sample->names = arena_zalloc(sample->arena, room * sizeof(char *));
	sample->types = arena_zalloc(sample->arena, room * sizeof(struct type));
	sample->readings = arena_zalloc(sample->arena, room * sizeof(struct csv_reading));
	sample->guessed = arena_zalloc(sample->arena, room * sizeof(bool));
	for (uint32_t c = 0; c < table->column_count; c++) {
		struct sample_column *column = &sample->columns[sample->column_count];

		if (!wanted[c] || !statistics_cover(table->columns[c].type.kind))
			continue;
		column->column = c;
		column->keys = arena_alloc(sample->arena, SAMPLE_ROWS_MAX * sizeof(uint64_t));
		column->numbers = arena_alloc(sample->arena, SAMPLE_ROWS_MAX * sizeof(double));
		column->pieces = arena_alloc(sample->arena, SAMPLE_ROWS_MAX);
		sample->names[sample->column_count] = table->columns[c].name;
		sample->types[sample->column_count] = table->columns[c].type;
		sample->readings[sample->column_count] = table->columns[c].reading;
		sample->guessed[sample->column_count++] = table->columns[c].guessed;
	}
}

static void take_column(const struct sample *sample, struct sample_column *column,
	const struct column *values, uint32_t rows)
{
	for (uint32_t row = 0; row < rows; row++) {
		struct value value = column_value(values, row);

		if (value.is_null) {
			column->nulls++;
			continue;
		}
		column->keys[column->count] = statistics_key(&value);
		column->numbers[column->count] = statistics_number(&value);
		column->pieces[column->count++] = (uint8_t)sample->piece;
	}
}

/* The first rows of a chunk, as far as there is room. */
static void take_chunk(struct sample *sample, struct csv_decoder *decoder,
	const struct csv_file *file, const struct csv_chunk *chunk, uint32_t rows_max)
{
	const struct csv_bad *bad;
	struct csv_tally tally;
	struct batch batch;
	uint32_t bad_count, taken = 0, decoded = 0;

	csv_tally_init(&tally, 0);
	csv_decoder_start(decoder, file, chunk, &tally);
	while (csv_decoder_next(decoder, &batch, &bad, &bad_count)) {
		uint32_t room = SAMPLE_ROWS_MAX - sample->rows, rows = rows_max - taken;

		rows = rows < room ? rows : room;
		rows = rows < batch.rows ? rows : batch.rows;

		for (uint32_t c = 0; c < sample->column_count; c++)
			take_column(sample, &sample->columns[c], &batch.columns[c], rows);
		sample->rows += rows;
		taken += rows;
		decoded += batch.rows;
	}
	sample->partial |= taken < decoded;
	if (tally.rows > 0)
		sample->bytes += (uint64_t)chunk->size * taken / tally.rows;
	csv_tally_release(&tally);
	sample->piece++;
}

/* A file of which pieces are taken. */
struct sampled_file {
	struct csv_file *file;
	struct csv_decoder *decoder;
	struct csv_chunk chunk;
	uint64_t size;
	uint32_t rows_max; /* of a piece */
};

/* Whole records at the place, or what looks like it. */
static void take_piece(struct sample *sample, struct sampled_file *from, uint64_t place, char *text)
{
	const struct csv_format *format = &from->file->format;
	struct error ignored;
	ssize_t size = input_read_at(from->file->input, place, text, SAMPLE_PIECE, &ignored);
	size_t first = 0, end;
	const char *last;

	if (size > 0)
		first = csv_guess_record(text, (size_t)size, format->delimiter, format->quote);
	if (first == 0)
		return;
	last = memrchr(text, '\n', (size_t)size);
	end = last ? (size_t)(last + 1 - text) : 0;
	if (end <= first)
		return;
	csv_chunk_set(&from->chunk, text + first, end - first, format->quote);
	take_chunk(sample, from->decoder, from->file, &from->chunk, from->rows_max);
}

/* From its beginning on, and no further than there is room. */
static void take_beginning(struct sample *sample, struct sampled_file *from, uint64_t bytes_max)
{
	struct error ignored;
	uint64_t bytes = 0;
	int more;

	while ((more = csv_file_next(from->file, &from->chunk, &ignored)) > 0 &&
		bytes < bytes_max && sample->rows < SAMPLE_ROWS_MAX && sample->piece < UINT8_MAX) {
		bytes += from->chunk.size;
		take_chunk(sample, from->decoder, from->file, &from->chunk, from->rows_max);
	}
	sample->partial |= more != 0;
}

static void take_pieces(struct sample *sample, struct sampled_file *from, uint32_t pieces)
{
	uint64_t parts = from->size / SAMPLE_PIECE + 1;
	char *text;

	from->rows_max = SAMPLE_ROWS_MAX / (SAMPLE_PIECES / pieces);
	from->rows_max /= (uint32_t)(parts < pieces ? parts : pieces);
	if (!from->file->blocks || from->size <= (uint64_t)pieces * SAMPLE_PIECE) {
		take_beginning(sample, from, (uint64_t)pieces * SAMPLE_PIECE);
		return;
	}
	sample->partial = true;
	text = memory_alloc(SAMPLE_PIECE);
	for (uint32_t i = 0; i < pieces; i++)
		take_piece(sample, from,
			i * ((from->size - SAMPLE_PIECE) / (pieces > 1 ? pieces - 1 : 1)), text);
	free(text);
}

static int take_file(struct sample *sample, const char *path, uint32_t pieces)
{
	uint32_t *fields = arena_alloc(sample->arena, (sample->column_count + 1) * sizeof(*fields));
	const struct csv_dialect *dialect = &sample->table->dialect;
	struct csv_layout layout = {.column_count = sample->column_count,
		.fields = fields,
		.types = sample->types,
		.names = sample->names,
		.readings = sample->readings,
		.guessed = sample->guessed,
		.null_count = dialect->null_count,
		.nulls = dialect->nulls,
		.unite = dialect->columns == CSV_COLUMNS_UNION};
	struct sampled_file from = {0};
	struct csv_head head;
	struct error ignored;

	if (csv_file_open(&from.file, path, sample->table, NULL, SAMPLE_PIECE, &ignored))
		return -1;
	head = csv_file_head(from.file);
	layout.ragged = head.own_ragged ? head.ragged : dialect->ragged;
	layout.constants = head.constants;
	layout.constant_count = head.constant_count;
	if (head.name_count > 0 && !csv_layout_resolve(&layout, path, csv_file_format(from.file),
					   head.names, head.name_count, fields, &ignored)) {
		from.size = csv_file_bytes_total(from.file);
		sample->packed |= !input_is_seekable(from.file->input);
		from.decoder = csv_decoder_new(&layout, csv_isa_detect());
		csv_chunk_init(&from.chunk);
		take_pieces(sample, &from, pieces);
		csv_chunk_release(&from.chunk);
		csv_decoder_free(from.decoder);
	}
	csv_file_close(from.file);
	return 0;
}

/* --- what follows from it ------------------------------------------------------------------------
 */

/* A value of a column, and where it was seen. */
struct seen_value {
	uint64_t key;
	uint32_t rows;
	uint16_t pieces;
	uint8_t last_piece;
};

struct seen_values {
	uint32_t slots; /* a power of two */
	struct seen_value *list;
	uint32_t distinct;
	uint32_t counted; /* once per piece */
	uint32_t once;	  /* values that are in one piece */
};

static void see_values(struct seen_values *seen, const struct sample_column *column)
{
	for (uint32_t i = 0; i < column->count; i++) {
		uint32_t slot = (uint32_t)hash_u64(column->keys[i]) & (seen->slots - 1);
		struct seen_value *value = &seen->list[slot];

		while (value->rows > 0 && value->key != column->keys[i]) {
			slot = (slot + 1) & (seen->slots - 1);
			value = &seen->list[slot];
		}
		if (value->rows++ == 0) {
			value->key = column->keys[i];
			seen->distinct++;
		} else if (value->last_piece == column->pieces[i]) {
			continue;
		}
		value->last_piece = column->pieces[i];
		seen->once += value->pieces == 0;
		seen->once -= value->pieces == 1;
		value->pieces++;
		seen->counted++;
	}
}

/* The values that more rows have than others, the most frequent one first. */
static void find_common(
	const struct seen_values *seen, const struct sample *sample, struct column_statistics *out)
{
	for (uint32_t s = 0; s < seen->slots; s++) {
		const struct seen_value *value = &seen->list[s];
		struct common_value common = {value->key, (double)value->rows / sample->rows};
		uint32_t at = out->common_count;

		if (value->rows < 3 || common.share * out->distinct < 1.5 * (1 - out->nulls))
			if (value->rows < 3 || out->distinct > STATISTICS_COMMON_MAX)
				continue;
		while (at > 0 && (out->common[at - 1].share < common.share ||
					 (out->common[at - 1].share == common.share &&
						 out->common[at - 1].key < common.key)))
			at--;
		if (at == STATISTICS_COMMON_MAX)
			continue;
		out->common_count += out->common_count < STATISTICS_COMMON_MAX;
		memmove(&out->common[at + 1], &out->common[at],
			(out->common_count - at - 1) * sizeof(common));
		out->common[at] = common;
	}
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void find_bounds(const struct sample_column *column, struct column_statistics *out)
{
	double sorted[SAMPLE_SORTED_MAX + 2];
	uint32_t step = column->count / SAMPLE_SORTED_MAX + 1, count = 0, last;
	double least = HUGE_VAL, greatest = -HUGE_VAL;

	for (uint32_t i = 0; i < column->count; i++) {
		double number = column->numbers[i];

		if (!isfinite(number))
			continue;
		least = number < least ? number : least;
		greatest = number > greatest ? number : greatest;
		if (i % step == 0)
			sorted[count++] = number;
	}
	if (count == 0)
		return;
	sorted[count++] = least;
	sorted[count++] = greatest;
	qsort(sorted, count, sizeof(*sorted), compare_doubles);
	last = STATISTICS_BOUNDS_MAX - 1;
	for (uint32_t i = 0; i <= last; i++)
		out->bounds[out->bound_count++] = sorted[(uint64_t)i * (count - 1) / last];
}

static void settle_column(const struct sample *sample, const struct sample_column *column,
	double rows, struct column_statistics *out)
{
	struct seen_values seen = {.slots = 16};
	double n, of_all;

	out->nulls = (double)column->nulls / sample->rows;
	out->distinct = 1;
	if (column->count == 0)
		return;
	while (seen.slots < 2 * column->count)
		seen.slots *= 2;
	seen.list = memory_zalloc(seen.slots * sizeof(*seen.list));
	see_values(&seen, column);
	n = seen.counted;
	of_all = n / sample->rows * rows;
	of_all = of_all > n ? of_all : n;
	out->distinct = n * seen.distinct / (n - seen.once + seen.once * n / of_all);
	find_common(&seen, sample, out);
	free(seen.list);
	find_bounds(column, out);
}

struct table_statistics *csv_sample(const struct table_schema *table, const char *const *paths,
	uint32_t path_count, const bool *wanted, struct arena *arena)
{
	uint32_t files = path_count < SAMPLE_FILES_MAX ? path_count : SAMPLE_FILES_MAX;
	struct table_statistics *out = arena_zalloc(arena, sizeof(*out));
	struct arena own;
	struct sample sample = {.table = table, .arena = &own, .partial = files < path_count};

	arena_init(&own, 256u << 10);
	sample_init(&sample, wanted);
	for (uint32_t i = 0; i < files; i++) {
		uint64_t path = files > 1 ? (uint64_t)i * (path_count - 1) / (files - 1) : 0;
		struct stat info;

		/* A pipe can be read once. */
		if (!stat(paths[path], &info) && S_ISREG(info.st_mode))
			(void)!take_file(&sample, paths[path], SAMPLE_PIECES / files);
	}
	if (sample.rows > 0 && table->bytes > 0) {
		out->row_bytes = (double)sample.bytes / sample.rows;
		out->rows = (double)table->bytes * (sample.packed ? PACKED_FACTOR : 1) /
			    (out->row_bytes > 1 ? out->row_bytes : 1);
		if (!sample.partial || out->rows < sample.rows)
			out->rows = sample.rows;
		out->column_count = table->column_count;
		out->columns =
			arena_zalloc(arena, (table->column_count + 1) * sizeof(*out->columns));
		for (uint32_t c = 0; c < sample.column_count; c++)
			settle_column(&sample, &sample.columns[c], out->rows,
				&out->columns[sample.columns[c].column]);
	}
	arena_release(&own);
	return out->column_count > 0 ? out : NULL;
}
