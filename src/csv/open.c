/*
 * A file is opened: how it is written is found out, and its header is read.
 *
 * What is expected comes first: when the header that stands where the table's dialect has it names
 * all columns of the table, then that is how the file is written, and nothing else is looked at.
 * Otherwise a sample of the file is sniffed (sniff/sniff.h).
 */
#include "csv/file_private.h"

#include "base/memory.h"
#include "csv/rewrite.h"
#include "csv/scan/scan_private.h"
#include "csv/sniff/names.h"
#include "csv/sniff/sniff.h"
#include "csv/walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define EXPECTED_BYTES 4096 /* read for a header that is where it should be, at first */

/* A file while it is opened. */
struct opening {
	struct csv_file *file;
	const struct table_schema *schema;
	char *head; /* what was read of its text */
	size_t head_size;
	bool whole; /* that is all of it */
	char *tail;
	size_t tail_size;
	struct error *err;
};

/* Reads until there are `size` bytes of the text's start, or all of it. */
static int read_head(struct opening *o, size_t size)
{
	ssize_t more;

	if (o->whole || size <= o->head_size)
		return 0;
	o->head = memory_realloc(o->head, size);
	more = csv_file_read(o->file, o->head + o->head_size, size - o->head_size, o->err);
	if (more < 0)
		return -1;
	o->head_size += (size_t)more;
	o->whole = o->head_size < size;
	return 0;
}

/* More, while hardly any line ends in it. */
static int read_sample(struct opening *o)
{
	for (size_t size = SNIFF_BYTES; size <= SNIFF_BYTES_MAX; size *= 4) {
		if (read_head(o, size))
			return -1;
		if (o->whole || csv_count_newlines(o->head, o->head_size) >= SNIFF_LINES_MIN)
			break;
	}
	return 0;
}

/* The last `size` bytes of the file, from behind a line end on; none when it cannot be had. */
static int read_tail(struct opening *o, size_t size)
{
	struct csv_file *file = o->file;
	uint64_t total = input_bytes_total(file->input);
	const char *line;
	ssize_t got;

	o->tail_size = 0;
	if (o->whole || !input_is_seekable(file->input) || total < size)
		return 0;
	o->tail = memory_realloc(o->tail, size);
	got = input_read_at(file->input, total - size, o->tail, size, o->err);
	if (got < 0)
		return -1;
	line = memchr(o->tail, '\n', (size_t)got);
	if (line) {
		o->tail_size = (size_t)(o->tail + got - (line + 1));
		memmove(o->tail, line + 1, o->tail_size);
	}
	return 0;
}

/* Columns that rows further on were seen to have, which the sample does not show. */
static void add_columns(const struct opening *o, struct csv_sniffed *found)
{
	const uint16_t *widths = o->schema->widths;
	uint32_t width = found->width;

	while (widths && width <= TABLE_COLUMNS_MAX && widths[width] > width)
		width = widths[width];
	if (width > found->width)
		found->names = names_extend(found->names, found->width, width, &o->file->arena);
	found->width = width;
}

static struct csv_sample sample_of(const struct opening *o)
{
	return (struct csv_sample){
		.head = o->head,
		.head_size = o->head_size,
		.whole = o->whole,
		.tail = o->tail,
		.tail_size = o->tail_size,
	};
}

static bool has_name(const struct csv_sniffed *found, const char *name)
{
	size_t size = strlen(name);

	for (uint32_t i = 0; i < found->width; i++)
		if (found->names[i].size == size && !memcmp(found->names[i].data, name, size))
			return true;
	return false;
}

static bool is_column(const struct table_schema *schema, struct text name)
{
	for (uint32_t c = 0; c < schema->column_count; c++)
		if (strlen(schema->columns[c].name) == name.size &&
			!memcmp(schema->columns[c].name, name.data, name.size))
			return true;
	return false;
}

/*
 * All columns of the table are in the header that was found, but for those that folders give. Where
 * files may lack some, the header has nothing else than columns of the table.
 */
static bool has_columns(const struct opening *o, const struct csv_sniffed *found)
{
	const struct table_schema *schema = o->schema;
	const struct csv_file *file = o->file;
	bool unite = schema->inferred && schema->dialect.columns == CSV_COLUMNS_UNION;

	if (schema->column_count == 0 || !found->named)
		return false;
	for (uint32_t i = 0; unite && i < found->width; i++)
		if (!is_column(schema, found->names[i]))
			return false;
	for (uint32_t c = 0; !unite && c < schema->column_count; c++)
		if (!has_name(found, schema->columns[c].name) &&
			!csv_constant_find(
				file->constants, file->constant_count, schema->columns[c].name))
			return false;
	return true;
}

/*
 * Whether the last records of the file look like the others: if not, something may stand behind the
 * table, and the file is worth a sniff.
 */
static int ends_like_table(struct opening *o, const struct csv_sniffed *found)
{
	struct csv_walker walker = {.dialect = &found->dialect};
	struct csv_record record;

	if (read_tail(o, EXPECTED_BYTES))
		return -1;
	walker.data = o->whole ? o->head + found->body : o->tail;
	walker.size = o->whole ? o->head_size - found->body : o->tail_size;
	while (csv_walk_record(&walker, NULL, 0, &record))
		if (!record.blank && !record.comment && record.cells != found->width)
			return 0;
	return 1;
}

/* 1: the header is where it is expected; 0: it is not; -1: an error. */
static int try_expected(struct opening *o, struct csv_sniffed *found)
{
	const struct csv_dialect *dialect = &o->schema->dialect;
	bool given = (dialect->given & CSV_GIVEN_SHAPE) == CSV_GIVEN_SHAPE;
	size_t size = EXPECTED_BYTES;

	if (!given &&
		(dialect->header_rows == 0 || dialect->footer > 0 || o->schema->column_count == 0))
		return 0;
	for (;; size *= 2) {
		struct csv_sample sample;

		if (read_head(o, size))
			return -1;
		sample = sample_of(o);
		if (csv_sniff_header(&sample, dialect, &o->file->arena, found)) {
			add_columns(o, found);
			if (given || !has_columns(o, found) || !o->schema->inferred)
				return given || has_columns(o, found);
			return ends_like_table(o, found);
		}
		if (o->whole || (!given && size >= SNIFF_BYTES))
			return 0;
		if (size > CSV_RECORD_MAX)
			return error_set(o->err, ERROR_DATA,
				"%s: its first record is longer than %u MB: is the quote at its "
				"start closed?",
				o->file->path, CSV_RECORD_MAX >> 20);
	}
}

/* A file without names has the columns of the table, in their order. */
static int name_by_position(struct opening *o, struct csv_sniffed *found)
{
	const struct table_schema *schema = o->schema;

	if (found->named || schema->inferred || schema->column_count == 0)
		return 0;
	if (found->width != schema->column_count && found->width > 0 &&
		!(schema->dialect.given & CSV_GIVEN_HEADER))
		return error_set(o->err, ERROR_DATA,
			"%s has %u columns and no header, but table %s has %u columns; correct the "
			"file or the schema",
			o->file->path, found->width, schema->name, schema->column_count);
	found->width = schema->column_count;
	found->names = arena_alloc(&o->file->arena, found->width * sizeof(*found->names));
	for (uint32_t c = 0; c < found->width; c++)
		found->names[c] =
			text_from(schema->columns[c].name, strlen(schema->columns[c].name));
	return 0;
}

/* Where the records begin that the user says are not part of the table. */
static int find_footer(struct opening *o, struct csv_sniffed *found)
{
	const struct csv_dialect *dialect = &found->dialect;
	struct input *input = o->file->input;

	if (!(dialect->given & CSV_GIVEN_FOOTER) || dialect->footer == 0)
		return 0;
	if (o->whole) {
		found->footer_bytes = o->head_size - csv_walk_last(dialect, o->head, o->head_size,
							     found->body, dialect->footer);
		return 0;
	}
	if (!input_is_seekable(input)) {
		o->file->held_back = dialect->footer;
		return 0;
	}
	for (size_t size = SNIFF_TAIL_BYTES;; size *= 2) {
		uint64_t total = input_bytes_total(input);
		size_t start;

		if (read_tail(o, size))
			return -1;
		start = csv_walk_last(dialect, o->tail, o->tail_size, 0, dialect->footer);
		found->footer_bytes = o->tail_size - start;
		if (start > 0 || size >= total)
			return 0;
		if (size > CSV_RECORD_MAX)
			return error_set(o->err, ERROR_DATA,
				"%s: its last %u records are longer than %u MB", o->file->path,
				dialect->footer, CSV_RECORD_MAX >> 20);
	}
}

static int find_shape(struct opening *o, struct csv_sniffed *found)
{
	struct csv_sample sample;
	int expected = try_expected(o, found);

	if (expected < 0)
		return -1;
	if (expected == 0) {
		if (read_sample(o) || read_tail(o, SNIFF_TAIL_BYTES))
			return -1;
		sample = sample_of(o);
		if (csv_sniff(o->file->path, &sample, &o->schema->dialect, &o->file->arena, found,
			    o->err))
			return -1;
		add_columns(o, found);
	}
	/* Records that do not fit a table that was declared are rejects, unless it says otherwise.
	 */
	if (!o->schema->inferred && o->schema->column_count > 0 &&
		!(o->schema->dialect.given & CSV_GIVEN_RAGGED))
		found->dialect.ragged = CSV_RAGGED_REJECT;
	return find_footer(o, found) ? -1 : name_by_position(o, found);
}

/* Sets the file up to be read from behind its header on. */
static void start_reading(struct opening *o, const struct csv_sniffed *found)
{
	struct csv_file *file = o->file;
	uint64_t offset = input_offset(file->input) - o->head_size + found->body;
	uint64_t end = UINT64_MAX;
	size_t kept = o->head_size;

	if (found->footer_bytes > 0 && o->whole)
		kept -= found->footer_bytes;
	else if (found->footer_bytes > 0)
		end = input_bytes_total(file->input) - found->footer_bytes;
	if (input_is_seekable(file->input) && !file->rewrites && !file->counts_lines)
		file->blocks = csv_blocks_new(file->input, offset,
			o->whole ? offset + (kept - found->body) : end, &file->format, file->isa,
			file->chunk_bytes);
	else if (kept > found->body)
		csv_file_return(file, o->head + found->body, kept - found->body);
	file->text_end = end;
}

/* One object per line: the columns are those of the table, whatever keys the file has. */
static int open_json(struct opening *o, const struct csv_format *format)
{
	struct csv_file *file = o->file;

	assert(o->schema->column_count > 0);
	file->dialect = o->schema->dialect;
	file->dialect.ragged = CSV_RAGGED_PAD;
	file->format = format ? *format : csv_format_default();
	file->rewrites = file->named = true;
	file->json = arena_zalloc(&file->arena, sizeof(*file->json));
	file->json->path = file->path;
	file->json->format = file->format;
	json_lines_names(o->schema, &file->arena, file->json);
	file->header_count = file->json->name_count;
	file->header = (struct text *)file->json->names;
	return input_open(&file->input, file->path, o->schema->dialect.encoding, o->err);
}

static int open_file(struct opening *o, const struct csv_format *format)
{
	struct csv_file *file = o->file;
	struct csv_sniffed found = {0};
	bool plain;

	if (json_lines_is_name(file->path))
		return open_json(o, format);
	if (input_open(&file->input, file->path, o->schema->dialect.encoding, o->err) ||
		find_shape(o, &found))
		return -1;
	file->dialect = found.dialect;
	file->header = found.names;
	file->header_count = found.width;
	file->header_lines = found.lines;
	file->named = found.named;
	file->note = found.note;
	file->format = o->schema->format;
	plain = csv_dialect_is_plain(&file->dialect, &file->format);
	if (format)
		plain = plain && file->format.delimiter == format->delimiter &&
			file->format.quote == format->quote;
	if (!plain) {
		struct csv_format usual = csv_format_default();

		file->format.delimiter = format ? format->delimiter : usual.delimiter;
		file->format.quote = format ? format->quote : usual.quote;
		file->rewrites = true;
	}
	start_reading(o, &found);
	return 0;
}

static int open_counting(struct csv_file **out, const char *path, const struct table_schema *schema,
	const struct csv_format *format, size_t chunk_bytes, bool counts_lines, struct error *err)
{
	struct csv_file *file = memory_zalloc(sizeof(*file));
	struct opening opening = {.file = file, .schema = schema, .err = err};
	int status;

	file->path = memory_strdup(path);
	if (chunk_bytes == 0)
		chunk_bytes = CSV_CHUNK_DEFAULT;
	if (chunk_bytes < CSV_CHUNK_MIN)
		chunk_bytes = CSV_CHUNK_MIN;
	file->chunk_bytes = chunk_bytes < CSV_CHUNK_MAX ? chunk_bytes : CSV_CHUNK_MAX;
	file->schema = schema;
	file->undeclared = schema->inferred || schema->column_count == 0;
	file->isa = csv_isa_detect();
	file->text_end = UINT64_MAX;
	file->counts_lines = counts_lines;
	arena_init(&file->arena, 4096);
	file->constant_count = csv_constants_of_path(file->path, &file->arena, &file->constants);
	pthread_mutex_init(&file->lock, NULL);
	status = open_file(&opening, format);
	free(opening.head);
	free(opening.tail);
	if (status < 0) {
		csv_file_close(file);
		return -1;
	}
	*out = file;
	return 0;
}

int csv_file_open(struct csv_file **out, const char *path, const struct table_schema *schema,
	const struct csv_format *format, size_t chunk_bytes, struct error *err)
{
	return open_counting(out, path, schema, format, chunk_bytes, false, err);
}

int csv_file_open_counted(struct csv_file **out, const char *path,
	const struct table_schema *schema, const struct csv_format *format, size_t chunk_bytes,
	struct error *err)
{
	return open_counting(out, path, schema, format, chunk_bytes, true, err);
}
