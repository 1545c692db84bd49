#include "client/source.h"

#include "base/memory.h"
#include "csv/head.h"
#include "csv/header.h"
#include "local/files.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Skipped in one call at most, so that the connections are not left alone for long. */
#define SKIP_BYTES_MAX (64u << 20)
#define ARENA_BLOCK    (64u << 10)
#define NOTE_MAX       8192

/* A chunk that was read and is not done with, or memory for one. */
struct kept {
	struct wire_loan loan; /* first */
	struct chunk_source *source;
	struct kept *next;
	uint32_t number;
	uint64_t file_bytes; /* on disk */
	struct buf header;
	struct csv_chunk chunk;
	uint32_t lent; /* to connections that have not sent it to the end */
	bool acked;    /* then it is on no list until it comes back */
};

struct source_table {
	const char *name;
	const struct table_schema *schema;
	struct file_list files;
	/* The columns that some query reads, for a look at the headers. */
	uint32_t column_count;
	const char **names;
	struct type *types;
	struct csv_reading *readings;
	uint32_t *fields;
	bool wants_lines;
	struct csv_constant constants[CSV_CONSTANTS_MAX]; /* of the file, that some query reads */
	/* Where the cut is. */
	uint32_t next_file;
	struct csv_file *file;	  /* NULL: between files */
	uint64_t file_bytes;	  /* of it that belong to chunks that were cut */
	struct csv_chunk skipped; /* a chunk that nobody wants */
	struct csv_head head;	  /* of its chunks */
	struct buf header;	  /* the same as it is sent, but for chunks with lines */
	uint32_t next_number;
	uint32_t highest; /* number that was ever cut */
	uint32_t noted;	  /* files that were read to their end once */
	uint64_t oversized;
	struct kept *kept;
};

struct chunk_source {
	struct arena arena;
	size_t chunk_bytes;
	uint32_t table_count;
	struct source_table *tables;
	struct kept *spare;
	uint32_t lent; /* chunks, all in all */
	uint64_t bytes_total;
	uint64_t bytes_acked;
	uint32_t note_count;
	const char **notes;
};

/* --- the tables ----------------------------------------------------------------------------------
 */

static void find_columns(struct chunk_source *source, const struct plan *plan, uint32_t t,
	struct source_table *table)
{
	const struct plan_table *plan_table = &plan->tables[t];
	size_t room = plan_table->column_count + 1;

	table->names = arena_alloc(&source->arena, room * sizeof(*table->names));
	table->types = arena_alloc(&source->arena, room * sizeof(*table->types));
	table->fields = arena_zalloc(&source->arena, room * sizeof(*table->fields));
	table->readings = arena_zalloc(&source->arena, room * sizeof(*table->readings));
	for (uint32_t c = 0; c < plan_table->column_count; c++) {
		bool used = false;
		uint32_t at;

		for (uint32_t f = 0; f < plan->fragment_count; f++) {
			const struct plan_fragment *fragment = &plan->fragments[f];

			used = used || (fragment->inputs[0].kind == INPUT_TABLE &&
					       fragment->inputs[0].index == t &&
					       fragment->table_columns_used[c]);
		}
		if (!used)
			continue;
		at = table_find_column(table->schema, plan_table->columns[c].name);
		assert(at != TABLE_NO_COLUMN);
		table->readings[table->column_count] = table_column_at(table->schema, at).reading;
		table->wants_lines |= strcmp(plan_table->columns[c].name, TABLE_LINE_COLUMN) == 0;
		table->names[table->column_count] = plan_table->columns[c].name;
		table->types[table->column_count++] = plan_table->columns[c].type;
	}
}

int source_refuse_stdin(struct error *err)
{
	return error_set(err, ERROR_USAGE,
		"the standard input cannot be submitted: what is lost on its way is read again, "
		"and "
		"a pipe cannot be; write it to a file first, or use tamiz sql");
}

int source_new(struct chunk_source **out, const struct plan *plan, const struct catalog *catalog,
	const struct data_places *data, struct error *err)
{
	struct chunk_source *source = memory_zalloc(sizeof(*source));

	arena_init(&source->arena, ARENA_BLOCK);
	source->chunk_bytes = SOURCE_CHUNK_DEFAULT;
	source->tables =
		arena_zalloc(&source->arena, (plan->table_count + 1) * sizeof(*source->tables));
	for (uint32_t t = 0; t < plan->table_count; t++) {
		struct source_table *table = &source->tables[t];

		table->name = plan->tables[t].name;
		table->schema = &catalog->tables[plan->tables[t].source];
		table->next_number = 1;
		csv_chunk_init(&table->skipped);
		buf_init(&table->header, CSV_RECORD_MAX);
		source->table_count++;
		find_columns(source, plan, t, table);
		if (strcmp(table->schema->files, FILES_STDIN) == 0
				? source_refuse_stdin(err)
				: files_match(data, table->schema->files, &source->arena,
					  &table->files, err)) {
			error_prefix(err, "table %s: ", table->name);
			source_free(source);
			return -1;
		}
		source->bytes_total += table->files.bytes;
	}
	*out = source;
	return 0;
}

void source_set_chunk_bytes(struct chunk_source *source, size_t chunk_bytes)
{
	source->chunk_bytes = chunk_bytes;
}

static void free_kept(struct kept *kept)
{
	while (kept) {
		struct kept *next = kept->next;

		buf_release(&kept->header);
		csv_chunk_release(&kept->chunk);
		free(kept);
		kept = next;
	}
}

void source_free(struct chunk_source *source)
{
	if (!source)
		return;
	assert(source->lent == 0);
	for (uint32_t t = 0; t < source->table_count; t++) {
		struct source_table *table = &source->tables[t];

		csv_file_close(table->file);
		csv_chunk_release(&table->skipped);
		buf_release(&table->header);
		free_kept(table->kept);
	}
	free_kept(source->spare);
	free(source->notes);
	arena_release(&source->arena);
	free(source);
}

static struct source_table *find_table(const struct chunk_source *source, const char *name)
{
	for (uint32_t t = 0; t < source->table_count; t++)
		if (strcmp(source->tables[t].name, name) == 0)
			return &source->tables[t];
	return NULL;
}

const char *source_file(const struct chunk_source *source, uint32_t index)
{
	for (uint32_t t = 0; t < source->table_count; t++) {
		const struct file_list *files = &source->tables[t].files;

		if (index < files->count)
			return files->paths[index];
		index -= files->count;
	}
	return NULL;
}

uint64_t source_bytes_total(const struct chunk_source *source)
{
	return source->bytes_total;
}

uint64_t source_bytes_acked(const struct chunk_source *source)
{
	return source->bytes_acked;
}

uint64_t source_oversized(const struct chunk_source *source, const char *table)
{
	const struct source_table *found = find_table(source, table);

	return found ? found->oversized : 0;
}

const char *source_note(const struct chunk_source *source, uint32_t index)
{
	return index < source->note_count ? source->notes[index] : NULL;
}

/* --- the cut -------------------------------------------------------------------------------------
 */

static bool is_named_before(const struct source_table *table, uint32_t column)
{
	for (uint32_t c = 0; c < column; c++)
		if (strcmp(table->names[c], table->names[column]) == 0)
			return true;
	return false;
}

/* What chunks of the file have in front of their records: of its constants those that are read. */
static void make_head(struct source_table *table)
{
	struct csv_head head = csv_file_head(table->file);

	table->head = head;
	table->head.own_ragged = head.ragged != table->schema->dialect.ragged;
	table->head.constants = table->constants;
	table->head.constant_count = 0;
	for (uint32_t c = 0; c < table->column_count; c++) {
		const struct csv_constant *constant =
			csv_constant_find(head.constants, head.constant_count, table->names[c]);

		/*
		 * A path that the file itself has a column for is not asked for, and what is read
		 * as a value and as text is there once.
		 */
		if (constant && table->fields[c] >= CSV_FIELD_CONSTANT &&
			!is_named_before(table, c))
			table->constants[table->head.constant_count++] = *constant;
	}
	buf_clear(&table->header);
	csv_head_write(&table->head, &table->schema->format, &table->header);
}

/* Opens the next file, and looks at its header: here its name is known to tell. */
static int open_next(struct chunk_source *source, struct source_table *table, struct error *err)
{
	const char *path = table->files.paths[table->next_file];
	struct csv_layout layout = {.column_count = table->column_count,
		.types = table->types,
		.names = table->names,
		.readings = table->readings,
		.unite = table->schema->dialect.columns == CSV_COLUMNS_UNION};
	struct csv_head head;

	if ((table->wants_lines ? csv_file_open_counted : csv_file_open)(&table->file, path,
		    table->schema, &table->schema->format, source->chunk_bytes, err))
		return -1;
	table->next_file++;
	table->file_bytes = 0;
	head = csv_file_head(table->file);
	layout.constants = head.constants;
	layout.constant_count = head.constant_count;
	if (csv_layout_resolve(&layout, path, &table->schema->format, head.names, head.name_count,
		    table->fields, err))
		return -1;
	make_head(table);
	return 0;
}

/* The file was read to its end. */
static void take_note(struct chunk_source *source, struct source_table *table)
{
	struct buf text;

	if (table->noted >= table->next_file)
		return;
	table->noted = table->next_file;
	buf_init(&text, NOTE_MAX);
	for (uint32_t i = 0; i < CSV_LATE_NOTES; i++) {
		buf_clear(&text);
		if (!csv_file_late_note(table->file, i, &text))
			continue;
		source->notes = (const char **)memory_realloc(
			source->notes, (source->note_count + 1) * sizeof(*source->notes));
		source->notes[source->note_count++] =
			arena_strndup(&source->arena, text.data, text.size);
	}
	buf_release(&text);
}

/* The next records: 1; 0 at the end of the table. */
static int cut_next(struct chunk_source *source, struct source_table *table,
	struct csv_chunk *chunk, struct error *err)
{
	for (;;) {
		int more;

		if (!table->file && table->next_file == table->files.count)
			return 0;
		if (!table->file && open_next(source, table, err))
			return -1;
		more = csv_file_next(table->file, chunk, err);
		if (more < 0)
			return -1;
		if (more == 0) {
			take_note(source, table);
			csv_file_close(table->file);
			table->file = NULL;
			continue;
		}
		if (!chunk->oversized)
			break;
		if (table->next_number > table->highest)
			table->oversized++;
	}
	if (table->next_number > table->highest)
		table->highest = table->next_number;
	table->next_number++;
	return 1;
}

static void start_again(struct source_table *table)
{
	csv_file_close(table->file);
	table->file = NULL;
	table->next_file = 0;
	table->next_number = 1;
}

/* What the file gave for the chunk that was just cut. */
static uint64_t take_file_bytes(struct source_table *table)
{
	uint64_t done = csv_file_bytes_done(table->file);
	uint64_t taken = done - table->file_bytes;

	table->file_bytes = done;
	return taken;
}

/* --- chunks --------------------------------------------------------------------------------------
 */

static void put_aside(struct kept *kept)
{
	kept->next = kept->source->spare;
	kept->source->spare = kept;
}

static void on_done(struct wire_loan *loan)
{
	struct kept *kept = (struct kept *)loan;

	kept->lent--;
	kept->source->lent--;
	if (kept->acked && kept->lent == 0)
		put_aside(kept);
}

static struct kept *take_spare(struct chunk_source *source)
{
	struct kept *kept = source->spare;

	if (kept) {
		source->spare = kept->next;
		return kept;
	}
	kept = memory_zalloc(sizeof(*kept));
	kept->loan.done = on_done;
	kept->source = source;
	buf_init(&kept->header, CSV_RECORD_MAX);
	csv_chunk_init(&kept->chunk);
	return kept;
}

/* What the scan of a text with quotes found serves nobody here: one memory for all chunks. */
static void swap_ends(struct csv_chunk *one, struct csv_chunk *other)
{
	uint32_t *ends = one->ends, capacity = one->end_capacity;

	one->ends = other->ends;
	one->end_capacity = other->end_capacity;
	other->ends = ends;
	other->end_capacity = capacity;
}

/* Cuts the next chunk into memory of its own: 1; 0 at the end of the table. */
static int keep_next(struct chunk_source *source, struct source_table *table, struct kept **out,
	struct error *err)
{
	struct kept *kept = take_spare(source);
	int more;

	swap_ends(&kept->chunk, &table->skipped);
	more = cut_next(source, table, &kept->chunk, err);
	swap_ends(&kept->chunk, &table->skipped);
	if (more <= 0) {
		put_aside(kept);
		return more;
	}
	kept->number = table->next_number - 1;
	kept->file_bytes = take_file_bytes(table);
	kept->acked = false;
	buf_clear(&kept->header);
	if (table->wants_lines) {
		struct csv_head head = table->head;

		head.first_line = kept->chunk.first_line;
		csv_head_write(&head, &table->schema->format, &kept->header);
	} else {
		buf_append(&kept->header, table->header.data, table->header.size);
	}
	kept->next = table->kept;
	table->kept = kept;
	*out = kept;
	return 1;
}

/* Moves the cut up to `number`. */
static enum session_read skip_to(
	struct chunk_source *source, struct source_table *table, uint32_t number, struct error *err)
{
	size_t skipped = 0;

	if (number < table->next_number)
		start_again(table);
	while (table->next_number < number) {
		bool is_new = table->next_number > table->highest;
		int more;

		if (skipped >= SKIP_BYTES_MAX)
			return SESSION_READ_LATER;
		more = cut_next(source, table, &table->skipped, err);
		if (more <= 0)
			return more < 0 ? SESSION_READ_ERROR : SESSION_READ_END;
		skipped += table->skipped.size;
		if (is_new)
			source->bytes_acked += take_file_bytes(table);
	}
	return SESSION_READ_CHUNK;
}

enum session_read source_read(void *context, const char *table_name, uint32_t number,
	struct session_chunk *chunk, struct error *err)
{
	struct chunk_source *source = context;
	struct source_table *table = find_table(source, table_name);
	struct kept *kept;
	int more;

	if (!table) {
		error_set(err, ERROR_INTERNAL, "the gateway asks for a table %.200s", table_name);
		return SESSION_READ_ERROR;
	}
	for (kept = table->kept; kept && kept->number != number; kept = kept->next)
		;
	if (!kept) {
		enum session_read there = skip_to(source, table, number, err);

		if (there != SESSION_READ_CHUNK)
			return there;
		more = keep_next(source, table, &kept, err);
		if (more <= 0)
			return more < 0 ? SESSION_READ_ERROR : SESSION_READ_END;
	}
	if (kept->header.size + kept->chunk.size > WIRE_FRAME_MAX - WIRE_FRAME_SMALL_MAX) {
		error_set(err, ERROR_LIMIT, "a chunk is larger than %u MB: use smaller chunks",
			WIRE_FRAME_MAX >> 20);
		return SESSION_READ_ERROR;
	}
	kept->lent++;
	source->lent++;
	*chunk = (struct session_chunk){
		.header = {(const uint8_t *)kept->header.data, (uint32_t)kept->header.size},
		.records = {(const uint8_t *)kept->chunk.data, kept->chunk.size},
		.loan = &kept->loan,
	};
	return SESSION_READ_CHUNK;
}

void source_acked(void *context, const char *table_name, uint32_t number)
{
	struct chunk_source *source = context;
	struct source_table *table = find_table(source, table_name);
	struct kept **at;
	struct kept *kept;

	if (!table)
		return;
	for (at = &table->kept; *at && (*at)->number != number; at = &(*at)->next)
		;
	kept = *at;
	if (!kept)
		return;
	*at = kept->next;
	source->bytes_acked += kept->file_bytes;
	kept->acked = true;
	if (kept->lent == 0)
		put_aside(kept);
}
