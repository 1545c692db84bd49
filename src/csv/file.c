/*
 * A plain file is cut in blocks (blocks_private.h). One that can be read only in order, packed or a
 * pipe, in windows: a chunk's window is the next chunk_bytes bytes of the text. It is cut behind
 * the last record that ends in it, and what remains is given back to the front of the text. A
 * window in which no record ends is doubled until one does.
 */
#include "csv/file_private.h"

#include "base/memory.h"
#include "csv/chunk_private.h"
#include "csv/look.h"
#include "csv/rewrite.h"
#include "csv/scan/scan_private.h"
#include "csv/walk.h"
#include "input/encoding.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void csv_file_return(struct csv_file *file, const char *data, size_t size)
{
	struct uncut_text *pending = &file->pending;
	size_t held = pending->end - pending->begin;

	if (size == 0)
		return;
	if (held == 0)
		pending->begin = pending->end = pending->capacity;
	if (pending->begin < size) {
		size_t capacity = 2 * (size + held);
		char *grown = memory_alloc(capacity);

		if (held > 0)
			memcpy(grown + capacity - held, pending->data + pending->begin, held);
		free(pending->data);
		*pending = (struct uncut_text){grown, capacity - held, capacity, capacity};
	}
	pending->begin -= size;
	memcpy(pending->data + pending->begin, data, size);
}

ssize_t csv_file_read(struct csv_file *file, char *data, size_t size, struct error *err)
{
	struct uncut_text *pending = &file->pending;
	size_t held = pending->end - pending->begin;
	size_t taken = held < size ? held : size;
	ssize_t more;

	if (taken > 0)
		memcpy(data, pending->data + pending->begin, taken);
	pending->begin += taken;
	if (file->text_end != UINT64_MAX) {
		uint64_t left = file->text_end - input_offset(file->input);

		assert(input_offset(file->input) <= file->text_end);
		size = taken + (size - taken < left ? size - taken : (size_t)left);
	}
	taken += ahead_take(&file->ahead, data + taken, size - taken);
	if (taken == size)
		return (ssize_t)taken;
	if (file->ahead.failed) {
		*err = file->ahead.error;
		return -1;
	}
	more = input_read(file->input, data + taken, size - taken, err);
	return more < 0 ? more : (ssize_t)taken + more;
}

/*
 * The chunk holds the start of a record that is too long. Reads on to its end and counts it; the
 * chunk is empty then.
 */
static int skip_record(
	struct csv_file *file, struct csv_chunk *chunk, size_t size, struct error *err)
{
	enum csv_state state = CSV_FIELD_START;
	size_t end;

	chunk->oversized = true;
	for (;;) {
		ssize_t more;

		end = csv_state_skip_record(
			&state, chunk->data, size, file->format.delimiter, file->format.quote);
		chunk->oversized_lines += csv_count_newlines(chunk->data, end ? end : size);
		if (end > 0)
			break;
		more = csv_file_read(file, chunk->data, size, err);
		if (more < 0)
			return -1;
		if (more == 0) {
			chunk->oversized_lines++;
			return 0;
		}
		size = (size_t)more;
	}
	csv_file_return(file, chunk->data + end, size - end);
	return 0;
}

/*
 * Where the window of `size` bytes is to be cut; 0 when no record ends in it. When others wait for
 * the file only that is found out, and the scan of the chunk is left for later.
 */
static size_t find_cut(
	const struct csv_file *file, struct csv_chunk *chunk, size_t size, bool is_end, bool alone)
{
	char quote = chunk->plain ? '\0' : file->format.quote;
	struct csv_scan scan = chunk_scan_start(chunk, size, &file->format, file->isa);

	if (file->json) {
		chunk->scanned = false;
		return is_end ? size : json_lines_whole(chunk->data, size);
	}
	if (file->rewrites) {
		chunk->scanned = false;
		return is_end ? size : csv_dialect_whole_records(&file->dialect, chunk->data, size);
	}
	chunk->scanned = alone && quote != '\0' && size > 0 && chunk_scan(chunk, &scan);
	if (chunk->scanned && !is_end)
		chunk_drop_unfinished(chunk, &scan);
	chunk->doubled = scan.doubled;
	chunk->unclosed = scan.unclosed;
	if (is_end)
		return size; /* whatever is there is whole */
	if (chunk->scanned)
		return scan.offset;
	return csv_scan_whole_records(chunk->data, size, file->format.delimiter, quote, file->isa);
}

/*
 * What may be given of the `cut` bytes, when the last records of the text are not part of the
 * table.
 */
static size_t hold_back(
	struct csv_file *file, struct csv_chunk *chunk, size_t cut, size_t *size, bool is_end)
{
	size_t kept;

	if (file->held_back == 0 || cut == 0)
		return cut;
	kept = csv_walk_last(&file->dialect, chunk->data, cut, 0, file->held_back);
	chunk->scanned = false;
	if (is_end)
		*size = kept;
	return kept;
}

/* Fills the chunk. Its size is 0 at the end of the text. */
static int cut_chunk(struct csv_file *file, struct csv_chunk *chunk, bool alone, struct error *err)
{
	char quote = file->format.quote;
	size_t window = file->chunk_bytes;
	size_t size = 0;
	size_t cut;
	bool is_end;

	chunk->oversized = false;
	chunk->oversized_lines = 0;
	for (;;) {
		struct csv_look look = {0};
		ssize_t more;

		chunk_reserve(chunk, window, size);
		more = csv_file_read(file, chunk->data + size, window - size, err);
		if (more < 0)
			return -1;
		size += (size_t)more;
		memset(chunk->data + size, 0, CSV_SCAN_PADDING);
		csv_look_at(&look, chunk->data, size, quote);
		chunk->plain = !look.quote;
		chunk->ascii = !look.high;
		is_end = size < window;
		cut = find_cut(file, chunk, size, is_end, alone);
		cut = hold_back(file, chunk, cut, &size, is_end);
		if (cut > 0 || is_end)
			break;
		if (window <= CSV_RECORD_MAX) {
			window = 2 * window <= CSV_RECORD_MAX ? 2 * window : CSV_RECORD_MAX + 1;
			continue;
		}
		if (file->rewrites)
			return error_set(err, ERROR_DATA,
				"%s: a record is longer than %u MB: are the quotes closed?",
				file->path, CSV_RECORD_MAX >> 20);
		/* A chunk of its own, so that its line is known. */
		chunk->size = 0;
		chunk->scanned = false;
		return skip_record(file, chunk, size, err);
	}
	csv_file_return(file, chunk->data + cut, size - cut);
	chunk->size = (uint32_t)cut;
	return 0;
}

/* Text that is not what it was said to be. */
static int refuse_encoding(const struct csv_file *file, struct error *err)
{
	return error_set(err, ERROR_DATA,
		"%s: line %llu is not UTF-8, which it is said to be; --encoding mixed reads such "
		"lines as Windows-1252",
		file->path, (unsigned long long)input_line_not_utf8(file->path));
}

/* Text that may be UTF-8 or not: line by line, what is not is mended. */
static int check_utf8(struct csv_file *file, struct csv_chunk *chunk, struct error *err)
{
	uint64_t number = chunk->number;
	struct buf mended;
	int status = 0;

	buf_init(&mended, (size_t)ENCODING_GROWTH * CSV_CHUNK_MAX);
	if (!encoding_mend_lines(chunk->data, chunk->size, &mended))
		return 0;
	if (input_may_mend(file->input)) {
		atomic_store(&file->mended, true);
		csv_chunk_set(chunk, mended.data, mended.size, file->format.quote);
		chunk->number = number;
	} else {
		status = refuse_encoding(file, err);
	}
	buf_release(&mended);
	return status;
}

/* Quotes and dashes that became control characters on their way into the file. */
static void mend_controls(struct csv_file *file, struct csv_chunk *chunk)
{
	uint64_t number = chunk->number;
	struct buf mended;

	buf_init(&mended, (size_t)ENCODING_GROWTH * CSV_CHUNK_MAX);
	if (encoding_mend_controls(chunk->data, chunk->size, &mended)) {
		atomic_store(&file->controls, true);
		csv_chunk_set(chunk, mended.data, mended.size, file->format.quote);
		chunk->number = number;
	}
	buf_release(&mended);
}

/*
 * Quotes that nobody can understand, in a file of which nothing is known but what stands in it. To say in which line,
 * it is read again, and lines are counted.
 */
static int refuse_quotes(struct csv_file *file, const struct csv_chunk *chunk, const char *text,
	const struct csv_quotes *quotes, struct error *err)
{
	uint64_t line = chunk->first_line + csv_count_newlines(text, quotes->stray);
	struct csv_file *again;

	if (!file->counts_lines && !csv_file_open_counted(&again, file->path, file->schema,
					   &file->format, file->chunk_bytes, err)) {
		struct csv_chunk other;
		int more;

		csv_chunk_init(&other);
		while ((more = csv_file_next(again, &other, err)) > 0)
			;
		csv_chunk_release(&other);
		csv_file_close(again);
		if (more < 0)
			return -1;
	}
	return error_set(err, ERROR_DATA,
		"%s:%llu: a quote opens a field here that %s: lines are lost if it does not belong "
		"there; --quote none reads quotes as text, and with a schema such rows are rejects",
		file->path, (unsigned long long)line,
		quotes->unclosed ? "is never closed" : "ends in another line with text behind it");
}

/* The chunk in the form that its reader wants. */
static int rewrite_chunk(struct csv_file *file, struct csv_chunk *chunk, struct error *err)
{
	const struct csv_rewriting how = {.dialect = &file->dialect,
		.format = &file->format,
		.one_column = file->header_count == 1,
		.mends = file->undeclared};
	size_t room = csv_rewrite_room(chunk->size);
	char *raw = memory_alloc(chunk->size + 1);
	struct csv_quotes quotes;
	size_t size;
	int status = 0;

	memcpy(raw, chunk->data, chunk->size);
	chunk_reserve(chunk, room, 0);
	size = csv_rewrite(&how, raw, chunk->size, chunk->data, &quotes);
	if (file->undeclared && quotes.stray < chunk->size)
		status = refuse_quotes(file, chunk, raw, &quotes, err);
	free(raw);
	if (quotes.mended)
		atomic_store(&file->unquoted, true);
	if (!status && size > CSV_CHUNK_MAX)
		status = error_set(err, ERROR_LIMIT, "%s: a chunk of more than %u MB", file->path,
			CSV_CHUNK_MAX >> 20);
	if (status)
		return -1;
	chunk->size = (uint32_t)size;
	chunk->plain = !memchr(chunk->data, file->format.quote, size);
	chunk->scanned = false;
	memset(chunk->data + size, 0, CSV_SCAN_PADDING);
	return 0;
}

/* Whether all quotes of the chunk are where they should be. Most often that is known. */
static bool is_well_quoted(const struct csv_file *file, struct csv_chunk *chunk)
{
	struct csv_scan scan;

	if (chunk->plain || file->format.quote == '\0')
		return true;
	if (!chunk->scanned) {
		scan = chunk_scan_start(chunk, chunk->size, &file->format, file->isa);
		chunk->scanned = chunk_scan(chunk, &scan);
		chunk->doubled = scan.doubled;
		chunk->unclosed = scan.unclosed;
	}
	return chunk->scanned && !chunk->unclosed;
}

/* Lines of JSON as records, each with its number. */
static int rewrite_json(struct csv_file *file, struct csv_chunk *chunk, struct error *err)
{
	uint64_t number = chunk->number, lines = csv_count_newlines(chunk->data, chunk->size);
	struct buf out;
	int status;

	lines += chunk->size > 0 && chunk->data[chunk->size - 1] != '\n';
	buf_init(&out, CSV_CHUNK_MAX);
	status = json_lines_rewrite(
		file->json, chunk->data, chunk->size, chunk->first_line, &out, err);
	if (status == 0 && buf_overflowed(&out))
		status = error_set(err, ERROR_LIMIT,
			"%s: a chunk of it becomes more than %u MB: use smaller chunks "
			"(--chunk-size)",
			file->path, CSV_CHUNK_MAX >> 20);
	if (status == 0) {
		csv_chunk_set(chunk, out.size ? out.data : "", out.size, file->format.quote);
		chunk->number = number;
		chunk->numbered = true;
		chunk->numbered_lines = lines;
	}
	buf_release(&out);
	return status;
}

/* What is done to a chunk once it is cut, for which nobody else needs to wait. */
static int finish_chunk(struct csv_file *file, struct csv_chunk *chunk, struct error *err)
{
	if (chunk->size > 0 && !chunk->ascii && input_needs_check(file->input) &&
		check_utf8(file, chunk, err) < 0)
		return -1;
	if (chunk->size > 0 && !chunk->ascii && input_has_controls(file->input))
		mend_controls(file, chunk);
	if (file->json)
		return rewrite_json(file, chunk, err);
	if (file->undeclared && chunk->oversized)
		return error_set(err, ERROR_DATA,
			"%s: a record is longer than %u MB: are its quotes closed?", file->path,
			CSV_RECORD_MAX >> 20);
	if (file->rewrites || (file->undeclared && !is_well_quoted(file, chunk)))
		return rewrite_chunk(file, chunk, err);
	return 0;
}

/* Cuts, and counts the lines of the text that whoever decodes the chunk sees. */
static int cut_counted(
	struct csv_file *file, struct csv_chunk *chunk, bool alone, bool *more, struct error *err)
{
	if (cut_chunk(file, chunk, alone, err))
		return -1;
	*more = chunk->size > 0 || chunk->oversized;
	if (!file->counts_lines)
		return 0;
	chunk->first_line = 1 + file->header_lines + file->lines_cut;
	if (*more && finish_chunk(file, chunk, err))
		return -1;
	file->lines_cut += chunk->numbered ? chunk->numbered_lines
					   : csv_count_newlines(chunk->data, chunk->size);
	file->lines_cut += chunk->oversized_lines;
	return 0;
}

static int next_in_order(struct csv_file *file, struct csv_chunk *chunk, struct error *err)
{
	bool alone = pthread_mutex_trylock(&file->lock) == 0;
	bool more = false;
	int status = 0;

	if (!alone)
		pthread_mutex_lock(&file->lock);
	if (!file->failed && cut_counted(file, chunk, alone, &more, &file->error) < 0)
		file->failed = true;
	if (file->failed) {
		*err = file->error;
		status = -1;
	} else if (more) {
		chunk->number = file->next_number++;
		status = 1;
	}
	pthread_mutex_unlock(&file->lock);
	return status;
}

int csv_file_next(struct csv_file *file, struct csv_chunk *chunk, struct error *err)
{
	int status;

	chunk->first_line = 0;
	chunk->numbered = false;
	chunk->number = CSV_CHUNK_NONE;
	status = file->blocks ? csv_blocks_next(file->blocks, chunk, err)
			      : next_in_order(file, chunk, err);
	if (status > 0 && !file->counts_lines && finish_chunk(file, chunk, err))
		return -1;
	return status;
}

uint64_t csv_file_chunks(struct csv_file *file)
{
	uint64_t count;

	if (file->blocks)
		return csv_blocks_chunks(file->blocks);
	pthread_mutex_lock(&file->lock);
	count = file->next_number;
	pthread_mutex_unlock(&file->lock);
	return count;
}

void csv_file_close(struct csv_file *file)
{
	if (!file)
		return;
	csv_blocks_free(file->blocks);
	input_close(file->input);
	pthread_mutex_destroy(&file->lock);
	arena_release(&file->arena);
	free(file->pending.data);
	ahead_release(&file->ahead);
	free(file->lines);
	free(file->path);
	free(file);
}

const char *csv_file_path(const struct csv_file *file)
{
	return file->path;
}

const struct text *csv_file_header(const struct csv_file *file, uint32_t *count)
{
	*count = file->header_count;
	return file->header;
}

bool csv_file_widens(const struct csv_file *file)
{
	return file->undeclared && !file->json && file->dialect.ragged == CSV_RAGGED_PAD;
}

bool csv_file_has_names(const struct csv_file *file)
{
	return file->named;
}

const struct csv_constant *csv_file_constants(const struct csv_file *file, uint32_t *count)
{
	*count = file->constant_count;
	return file->constants;
}

const struct csv_dialect *csv_file_dialect(const struct csv_file *file)
{
	return &file->dialect;
}

const struct csv_format *csv_file_format(const struct csv_file *file)
{
	return &file->format;
}

const char *csv_file_note(const struct csv_file *file)
{
	return file->note;
}

static bool note_encoding(const struct csv_file *file, struct buf *out)
{
	bool guessed;
	const char *encoding = input_encoding(file->input, &guessed);

	if (atomic_load(&file->mended))
		buf_printf(out,
			"%s: line %llu is not UTF-8, and perhaps others: such lines are read as "
			"Windows-1252 (--encoding says otherwise)",
			file->path, (unsigned long long)input_line_not_utf8(file->path));
	else if (atomic_load(&file->controls))
		buf_printf(out,
			"%s has control characters where Windows-1252 has quotes and dashes: read "
			"as those (--encoding utf-8 keeps them)",
			file->path);
	else if (guessed && strcmp(encoding, "Windows-1252") == 0)
		buf_printf(out, "%s is not UTF-8: read as %s (--encoding says otherwise)",
			file->path, encoding);
	else
		return false;
	return true;
}

bool csv_file_late_note(const struct csv_file *file, uint32_t index, struct buf *out)
{
	assert(index < CSV_LATE_NOTES);
	if (index == 0)
		return note_encoding(file, out);
	if (!atomic_load(&file->unquoted))
		return false;
	buf_printf(out,
		"%s: text stands behind closing quotes, or its last quote is not closed: it is "
		"read with what is in the quotes (a schema makes such rows rejects)",
		file->path);
	return true;
}

uint64_t csv_file_bytes_done(const struct csv_file *file)
{
	return input_bytes_done(file->input);
}

uint64_t csv_file_bytes_total(const struct csv_file *file)
{
	return input_bytes_total(file->input);
}

void csv_file_note_lines(struct csv_file *file, uint64_t chunk_number, uint64_t lines)
{
	pthread_mutex_lock(&file->lock);
	if (chunk_number >= file->lines_capacity) {
		uint64_t capacity = 2 * (chunk_number + 8);

		file->lines = memory_realloc(file->lines, capacity * sizeof(*file->lines));
		memset(file->lines + file->lines_capacity, 0,
			(capacity - file->lines_capacity) * sizeof(*file->lines));
		file->lines_capacity = capacity;
	}
	file->lines[chunk_number] = lines;
	pthread_mutex_unlock(&file->lock);
}

uint64_t csv_file_chunk_line(const struct csv_file *file, uint64_t chunk_number)
{
	struct csv_file *locked = (struct csv_file *)file; /* to take the lock alone */
	uint64_t line = 1 + file->header_lines;

	pthread_mutex_lock(&locked->lock);
	for (uint64_t i = 0; i < chunk_number && i < file->lines_capacity; i++)
		line += file->lines[i];
	pthread_mutex_unlock(&locked->lock);
	return line;
}
