/* tamiz sniff: how files are written, as CREATE TABLE statements that can be edited. */
#include "cli/cli.h"
#include "cli/dialect_options.h"
#include "csv/decode.h"
#include "csv/head.h"
#include "csv/header.h"
#include "csv/infer.h"
#include "sql/compile.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define ARENA_BLOCK_BYTES (64u << 10)
#define SNIFF_TEXT_MAX	  (16u << 20)
#define ROWS_SHOWN	  5
#define CELL_SHOWN	  40 /* bytes */

struct sniff_options {
	struct dialect_options files;
};

static const struct option_spec options_table[] = {
	DIALECT_OPTION_ROWS(struct sniff_options, files),
};

const struct command_spec cmd_sniff_spec = {
	.name = "tamiz sniff",
	.operands = "FILE...",
	.summary =
		"Shows how CSV files are written, and their columns, as CREATE TABLE statements.",
	.details =
		"What it prints can be edited and given to --schema. A file that can be read in\n"
		"two ways is refused; options say which is right.",
	.operands_min = 1,
	.operands_max = OPERANDS_MAX,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

/* "data/2024 sales.csv.gz" -> "2024 sales" */
static const char *table_name(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return arena_strndup(arena, name, strcspn(name, "."));
}

static void append_cell(struct buf *out, struct text text)
{
	for (uint32_t i = 0; i < text.size && i < CELL_SHOWN; i++)
		buf_append_char(out, iscntrl((unsigned char)text.data[i]) ? ' ' : text.data[i]);
	if (text.size > CELL_SHOWN)
		buf_append_text(out, "...");
}

static void append_batch(struct buf *out, const struct batch *batch, uint32_t *shown)
{
	for (uint32_t row = 0; row < batch->rows && *shown < ROWS_SHOWN; row++, ++*shown) {
		buf_append_text(out, "-- ");
		for (uint32_t c = 0; c < batch->column_count; c++) {
			buf_append_text(out, c ? " | " : "");
			if (!column_is_null(&batch->columns[c], row))
				append_cell(out, batch->columns[c].text[row]);
		}
		buf_append_char(out, '\n');
	}
}

/* The first rows as they stand in the file, in comments. */
static int append_rows(struct buf *out, const char *path, const struct table_schema *table,
	struct arena *arena, struct error *err)
{
	struct csv_layout layout = {.column_count = table->column_count, .ragged = CSV_RAGGED_CUT};
	uint32_t *fields = arena_alloc(arena, table->column_count * sizeof(*fields));
	struct type *types = arena_alloc(arena, table->column_count * sizeof(*types));
	const char **names =
		(const char **)arena_alloc(arena, table->column_count * sizeof(*names));
	struct csv_decoder *decoder;
	struct csv_tally tally;
	struct csv_chunk chunk;
	struct csv_file *file;
	struct csv_head head;
	uint32_t shown = 0;
	int more;

	if (csv_file_open(&file, path, table, NULL, 0, err))
		return -1;
	for (uint32_t c = 0; c < table->column_count; c++) {
		types[c] = type_of(TYPE_TEXT);
		names[c] = table->columns[c].name;
	}
	layout.types = types;
	layout.names = names;
	head = csv_file_head(file);
	layout.constants = head.constants;
	layout.constant_count = head.constant_count;
	if (csv_layout_resolve(&layout, path, csv_file_format(file), head.names, head.name_count,
		    fields, err)) {
		csv_file_close(file);
		return -1;
	}
	decoder = csv_decoder_new(&layout, csv_isa_detect());
	csv_chunk_init(&chunk);
	csv_tally_init(&tally, 0);
	more = csv_file_next(file, &chunk, err);
	if (more > 0) {
		const struct csv_bad *bad;
		struct batch batch;
		uint32_t bad_count;

		csv_decoder_start(decoder, file, &chunk, &tally);
		if (csv_decoder_next(decoder, &batch, &bad, &bad_count))
			append_batch(out, &batch, &shown);
	}
	csv_tally_release(&tally);
	csv_chunk_release(&chunk);
	csv_decoder_free(decoder);
	csv_file_close(file);
	return more < 0 ? -1 : 0;
}

static int sniff_file(const char *path, const struct csv_dialect *dialect, struct arena *arena,
	struct buf *out, struct error *err)
{
	const char *slash = strrchr(path, '/');
	struct table_schema table = {.name = table_name(arena, path),
		.files = slash ? slash + 1 : path,
		.dialect = *dialect,
		.format = csv_format_default()};

	if (csv_infer(&table, &path, 1, arena, err))
		return -1;
	if (table.note)
		fprintf(stderr, "%s\n", table.note);
	sql_schema_show(&table, out);
	return append_rows(out, path, &table, arena, err);
}

int cmd_sniff(int argc, char *const *argv)
{
	struct sniff_options options = {0};
	struct csv_dialect dialect = csv_dialect_default();
	struct operands operands;
	struct arena arena;
	struct error err;
	struct buf text;
	int status;

	if (!cli_parse(&cmd_sniff_spec, argc, argv, &options, &operands, &status))
		return status;
	arena_init(&arena, ARENA_BLOCK_BYTES);
	buf_init(&text, SNIFF_TEXT_MAX);
	status = dialect_options_read(&options.files, &arena, &dialect, &err);
	for (uint32_t i = 0; status == 0 && i < operands.count; i++)
		status = sniff_file(operands.items[i], &dialect, &arena, &text, &err);
	if (status == 0) {
		status = cli_print(&text);
	} else {
		buf_release(&text);
		status = cli_fail(&err);
	}
	arena_release(&arena);
	return status;
}
