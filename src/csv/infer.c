/* Every sampled value strikes out the types that it cannot be; the narrowest that is left wins. */
#include "csv/infer.h"

#include "column/column.h"
#include "csv/columns.h"
#include "csv/decode.h"
#include "csv/guess.h"
#include "csv/head.h"
#include "csv/header.h"
#include "csv/rewrite.h"

#include <assert.h>
#include <string.h>

/* One batch of the sample, all of it text. */
static void sample_batch(const struct batch *batch, bool null_words, struct csv_guess *guesses)
{
	for (uint32_t c = 0; c < batch->column_count; c++) {
		for (uint32_t r = 0; r < batch->rows; r++) {
			struct text text = batch->columns[c].text[r];

			if (!column_is_null(&batch->columns[c], r))
				csv_guess_add(&guesses[c], text.data, text.size, null_words);
		}
	}
}

/*
 * Takes up to `rows_max` records of the file into the guesses. One of them may have more fields than the file has columns.
 */
static int sample_records(struct csv_file *file, const struct csv_layout *layout,
	struct csv_guess *guesses, uint64_t rows_max, struct csv_long_record *longest,
	struct error *err)
{
	struct csv_decoder *decoder = csv_decoder_new(layout, csv_isa_detect());
	struct csv_chunk chunk;
	struct csv_tally tally;
	uint64_t rows = 0;
	int more = 0;

	csv_chunk_init(&chunk);
	csv_tally_init(&tally, 0);
	while (rows < rows_max && (more = csv_file_next(file, &chunk, err)) > 0) {
		const struct csv_bad *bad;
		uint32_t bad_count;
		struct batch batch;

		csv_decoder_start(decoder, file, &chunk, &tally);
		while (rows < rows_max && csv_decoder_next(decoder, &batch, &bad, &bad_count)) {
			sample_batch(&batch, layout->null_count == 0, guesses);
			rows += batch.rows;
		}
	}
	*longest = tally.longest;
	csv_tally_release(&tally);
	csv_chunk_release(&chunk);
	csv_decoder_free(decoder);
	return more < 0 ? -1 : 0;
}

static int sample_file(struct table_schema *table, const char *path, struct csv_guess *guesses,
	uint64_t rows_max, struct arena *arena, struct csv_long_record *longest, struct error *err)
{
	uint32_t *fields = arena_alloc(arena, table->column_count * sizeof(*fields));
	struct type *types = arena_alloc(arena, table->column_count * sizeof(*types));
	const char **names = arena_alloc(arena, table->column_count * sizeof(*names));
	struct csv_layout layout = {
		.column_count = table->column_count,
		.fields = fields,
		.types = types,
		.names = names,
		.unite = table->dialect.columns == CSV_COLUMNS_UNION,
		.null_count = table->dialect.null_count,
		.nulls = table->dialect.nulls,
	};
	struct csv_file *file;
	struct csv_head head;
	int status = 0;

	if (csv_file_open(&file, path, table, NULL, 0, err) < 0)
		return -1;
	head = csv_file_head(file);
	layout.ragged = head.ragged;
	layout.widens = head.widens;
	layout.constants = head.constants;
	layout.constant_count = head.constant_count;
	for (uint32_t c = 0; c < table->column_count; c++) {
		names[c] = table->columns[c].name;
		types[c] = type_of(TYPE_TEXT);
	}
	/* An empty file has no header and nothing to say. */
	if (head.name_count > 0)
		status = csv_layout_resolve(&layout, path, csv_file_format(file), head.names,
				 head.name_count, fields, err) ||
			 sample_records(file, &layout, guesses, rows_max, longest, err);
	csv_file_close(file);
	return status ? -1 : 0;
}

/* The values that folders give to columns. There may be more files than are sampled. */
static void sample_paths(const struct table_schema *table, const char *const *paths,
	uint32_t path_count, struct csv_guess *guesses)
{
	struct arena arena;

	arena_init(&arena, 4096);
	for (uint32_t i = 0; i < path_count; i++) {
		struct csv_constant *constants;
		uint32_t count = csv_constants_of_path(paths[i], &arena, &constants);

		for (uint32_t k = 0; k < count; k++) {
			uint32_t c = table_find_column(table, constants[k].name);

			if (c < table->column_count && !constants[k].hidden &&
				!constants[k].is_null)
				csv_guess_add(&guesses[c], constants[k].value.data,
					constants[k].value.size, table->dialect.null_count == 0);
		}
		arena_reset(&arena);
	}
	arena_release(&arena);
}

/* 1: a record of the sample says that its file has more columns, which *longest counts. */
static int infer_types(struct table_schema *table, const char *const *paths, uint32_t path_count,
	struct arena *arena, struct csv_long_record *longest, struct error *err)
{
	uint32_t files = path_count < CSV_INFER_FILES ? path_count : CSV_INFER_FILES;
	bool decimal_comma = false;
	struct csv_guess *guesses = arena_alloc(arena, table->column_count * sizeof(*guesses));

	for (uint32_t c = 0; c < table->column_count; c++)
		csv_guess_init(&guesses[c], &table->dialect);
	for (uint32_t i = 0; i < files; i++) {
		/* From the first to the last one, evenly: what changes over time is seen. */
		uint32_t path =
			files == 1 ? 0 : (uint32_t)((uint64_t)i * (path_count - 1) / (files - 1));

		*longest = (struct csv_long_record){0};
		if (sample_file(table, paths[path], guesses, CSV_INFER_ROWS / files, arena, longest,
			    err) < 0)
			return -1;
		if (longest->fields > 0)
			return 1;
	}
	sample_paths(table, paths, path_count, guesses);
	for (uint32_t c = 0; c < table->column_count; c++)
		decimal_comma = decimal_comma || csv_guess_has_decimal_comma(&guesses[c]);
	for (uint32_t c = 0; c < table->column_count; c++)
		csv_guess_settle(&guesses[c], decimal_comma, &table->columns[c], arena);
	return 0;
}

int csv_infer_width(struct table_schema *table, uint32_t width, uint32_t fields,
	struct arena *arena, struct error *err)
{
	size_t size = (TABLE_COLUMNS_MAX + 1) * sizeof(uint16_t);
	uint16_t *widths = arena_zalloc(arena, size);

	if (fields > TABLE_COLUMNS_MAX)
		return error_set(err, ERROR_LIMIT,
			"table %s: a row has more than %d fields, and others have %u; --ragged cut "
			"leaves out what is too much",
			table->name, TABLE_COLUMNS_MAX, width);
	assert(width < fields);
	if (table->widths)
		memcpy(widths, table->widths, size);
	widths[width] = (uint16_t)fields;
	table->widths = widths;
	table->column_count = 0;
	table->columns = NULL;
	table->note = NULL;
	return 0;
}

int csv_infer(struct table_schema *table, const char *const *paths, uint32_t path_count,
	struct arena *arena, struct error *err)
{
	struct csv_long_record longest;
	int again;

	do {
		if (csv_read_columns(table, paths, path_count, arena, err) < 0)
			return -1;
		again = infer_types(table, paths, path_count, arena, &longest, err);
		if (again < 0 || (again > 0 && csv_infer_width(table, longest.width, longest.fields,
						       arena, err)))
			return -1;
	} while (again > 0);
	return 0;
}
