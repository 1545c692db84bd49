/* Every sampled value strikes out the types that it cannot be; the narrowest that is left wins. */
#include "csv/infer.h"

#include "column/column.h"
#include "column/datetime.h"
#include "csv/columns.h"
#include "csv/decode.h"
#include "csv/head.h"
#include "csv/header.h"
#include "csv/rewrite.h"

#include <string.h>
#include <strings.h>

/* The types that a value may have; a column has those that all its values share. */
enum inferred_kind {
	CAN_BOOL = 1 << 0,
	CAN_BIGINT = 1 << 1,
	CAN_NUMERIC = 1 << 2,
	CAN_DOUBLE = 1 << 3,
	CAN_DATE = 1 << 4,
	CAN_TIMESTAMP = 1 << 5,
	CAN_ALL = (1 << 6) - 1,
};

/* Narrowest first. */
static const struct {
	enum inferred_kind candidate;
	enum type_kind kind;
} preferences[] = {
	{CAN_BOOL, TYPE_BOOL},
	{CAN_BIGINT, TYPE_BIGINT},
	{CAN_NUMERIC, TYPE_NUMERIC},
	{CAN_DOUBLE, TYPE_DOUBLE},
	{CAN_DATE, TYPE_DATE},
	{CAN_TIMESTAMP, TYPE_TIMESTAMP},
};

struct type_guess {
	unsigned candidates;
	bool seen; /* a value that says something: a column of nothing but NaN is text */
};

static bool is_word(struct text value, const char *word)
{
	return value.size == strlen(word) && strncasecmp(value.data, word, value.size) == 0;
}

bool csv_is_null_word(const char *text, size_t size)
{
	static const char *const words[] = {"na", "n/a", "null", "nan", "-", "\\n", "#n/a"};

	while (size > 0 && *text == ' ') {
		text++;
		size--;
	}
	while (size > 0 && text[size - 1] == ' ')
		size--;
	for (size_t i = 0; size > 0 && i < sizeof(words) / sizeof(words[0]); i++)
		if (is_word(text_from(text, size), words[i]))
			return true;
	return false;
}

/* [-]digits[.digits][e[+-]digits]. A zero in front of other digits makes it a code, not a number.
 */
static unsigned number_candidates(struct text value)
{
	const char *p = value.data;
	const char *end = p + value.size;
	const char *digits;
	struct value integer;
	const char *reason;
	numeric number;
	double real;

	p += *p == '-';
	digits = p;
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	if (p == digits || (p - digits > 1 && *digits == '0'))
		return 0;
	if (p == end &&
		value_parse(type_of(TYPE_BIGINT), value.data, value.size, NULL, &integer, &reason))
		return CAN_BIGINT | CAN_NUMERIC | CAN_DOUBLE;
	if (p < end && *p == '.')
		p++;
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	if (p == end && numeric_parse(value.data, value.size, &number))
		return CAN_NUMERIC | CAN_DOUBLE;
	return double_parse(value.data, value.size, &real) ? CAN_DOUBLE : 0;
}

static unsigned value_candidates(struct text value)
{
	int64_t point;

	if (is_word(value, "true") || is_word(value, "false"))
		return CAN_BOOL;
	if (date_parse(value.data, value.size, &point))
		return CAN_DATE | CAN_TIMESTAMP;
	if (timestamp_parse(value.data, value.size, &point))
		return CAN_TIMESTAMP;
	return number_candidates(value);
}

static void guess_add(struct type_guess *guess, struct text value)
{
	if (value.size == 0 || guess->candidates == 0)
		return;
	if (is_word(value, "nan") || is_word(value, "inf") || is_word(value, "-inf")) {
		guess->candidates &= CAN_DOUBLE;
		return;
	}
	guess->candidates &= value_candidates(value);
	guess->seen = true;
}

static struct type guess_type(const struct type_guess *guess)
{
	for (size_t i = 0; guess->seen && i < sizeof(preferences) / sizeof(preferences[0]); i++) {
		if (guess->candidates & preferences[i].candidate)
			return type_of(preferences[i].kind);
	}
	return type_of(TYPE_TEXT);
}

/* Takes up to `rows_max` records of the file into the guesses. */
static int sample_records(struct csv_file *file, const struct csv_layout *layout,
	struct type_guess *guesses, uint64_t rows_max, struct error *err)
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
			for (uint32_t c = 0; c < batch.column_count; c++) {
				for (uint32_t r = 0; r < batch.rows; r++) {
					if (!column_is_null(&batch.columns[c], r))
						guess_add(&guesses[c], batch.columns[c].text[r]);
				}
			}
			rows += batch.rows;
		}
	}
	csv_tally_release(&tally);
	csv_chunk_release(&chunk);
	csv_decoder_free(decoder);
	return more < 0 ? -1 : 0;
}

static int sample_file(struct table_schema *table, const char *path, struct type_guess *guesses,
	uint64_t rows_max, struct arena *arena, struct error *err)
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
	};
	struct csv_file *file;
	struct csv_head head;
	int status = 0;

	if (csv_file_open(&file, path, table, NULL, 0, err) < 0)
		return -1;
	head = csv_file_head(file);
	layout.ragged = head.ragged;
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
			 sample_records(file, &layout, guesses, rows_max, err);
	csv_file_close(file);
	return status ? -1 : 0;
}

/* The values that folders give to columns. There may be more files than are sampled. */
static void sample_paths(const struct table_schema *table, const char *const *paths,
	uint32_t path_count, struct type_guess *guesses)
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
				guess_add(&guesses[c], constants[k].value);
		}
		arena_reset(&arena);
	}
	arena_release(&arena);
}

int csv_infer(struct table_schema *table, const char *const *paths, uint32_t path_count,
	struct arena *arena, struct error *err)
{
	uint32_t files = path_count < CSV_INFER_FILES ? path_count : CSV_INFER_FILES;
	struct type_guess *guesses;

	if (csv_read_columns(table, paths, path_count, arena, err) < 0)
		return -1;
	guesses = arena_zalloc(arena, table->column_count * sizeof(*guesses));
	for (uint32_t c = 0; c < table->column_count; c++)
		guesses[c].candidates = CAN_ALL;
	for (uint32_t i = 0; i < files; i++) {
		/* From the first to the last one, evenly: what changes over time is seen. */
		uint32_t path =
			files == 1 ? 0 : (uint32_t)((uint64_t)i * (path_count - 1) / (files - 1));

		if (sample_file(table, paths[path], guesses, CSV_INFER_ROWS / files, arena, err) <
			0)
			return -1;
	}
	sample_paths(table, paths, path_count, guesses);
	for (uint32_t c = 0; c < table->column_count; c++)
		table->columns[c].type = guess_type(&guesses[c]);
	return 0;
}
