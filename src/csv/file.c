/*
 * A plain file is cut in blocks (blocks_private.h). One that can be read only in order, packed or a
 * pipe, in windows: a chunk's window is the next chunk_bytes bytes of the text. It is cut behind
 * the last record that ends in it, and what remains is given back to the front of the text. A
 * window in which no record ends is doubled until one does.
 */
#include "csv/file.h"

#include "base/memory.h"
#include "csv/blocks_private.h"
#include "csv/chunk_private.h"
#include "csv/header.h"
#include "csv/scan/scan_private.h"
#include "input/input.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES 4096 /* read for the header at first */

/* Text that was read and not yet cut. */
struct uncut_text {
	char *data;
	size_t begin;
	size_t end;
	size_t capacity;
};

struct csv_file {
	char *path;
	struct csv_format format;
	size_t chunk_bytes;
	enum csv_isa isa;
	struct arena arena; /* the header's names */
	struct text *header;
	uint32_t header_count;
	uint64_t header_lines;

	struct input *input;
	struct csv_blocks *blocks; /* NULL when the file can be read only in order */

	pthread_mutex_t lock; /* for what follows */
	struct uncut_text pending;
	uint64_t next_number;
	bool failed;
	struct error error; /* every thread gets the same one */
	uint64_t *lines;    /* by chunk */
	uint64_t lines_capacity;
};

/* Puts text back in front of what is pending. */
static void pending_return(struct uncut_text *pending, const char *data, size_t size)
{
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

/* As input_read, what is pending first. */
static ssize_t file_read(struct csv_file *file, char *data, size_t size, struct error *err)
{
	struct uncut_text *pending = &file->pending;
	size_t held = pending->end - pending->begin;
	size_t taken = held < size ? held : size;
	ssize_t more;

	if (taken > 0)
		memcpy(data, pending->data + pending->begin, taken);
	pending->begin += taken;
	if (taken == size)
		return (ssize_t)taken;
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
		more = file_read(file, chunk->data, size, err);
		if (more < 0)
			return -1;
		if (more == 0) {
			chunk->oversized_lines++;
			return 0;
		}
		size = (size_t)more;
	}
	pending_return(&file->pending, chunk->data + end, size - end);
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

/* Fills the chunk. Its size is 0 at the end of the text. */
static int cut_chunk(struct csv_file *file, struct csv_chunk *chunk, bool alone, struct error *err)
{
	char quote = file->format.quote;
	size_t window = file->chunk_bytes;
	size_t size = 0;
	size_t cut;

	chunk->oversized = false;
	chunk->oversized_lines = 0;
	for (;;) {
		ssize_t more;

		chunk_reserve(chunk, window, size);
		more = file_read(file, chunk->data + size, window - size, err);
		if (more < 0)
			return -1;
		size += (size_t)more;
		memset(chunk->data + size, 0, CSV_SCAN_PADDING);
		chunk->plain = quote == '\0' || !memchr(chunk->data, quote, size);
		cut = find_cut(file, chunk, size, size < window, alone);
		if (cut > 0 || size < window)
			break;
		if (window <= CSV_RECORD_MAX) {
			window = 2 * window <= CSV_RECORD_MAX ? 2 * window : CSV_RECORD_MAX + 1;
			continue;
		}
		/* A chunk of its own, so that its line is known. */
		chunk->size = 0;
		chunk->scanned = false;
		return skip_record(file, chunk, size, err);
	}
	pending_return(&file->pending, chunk->data + cut, size - cut);
	chunk->size = (uint32_t)cut;
	return 0;
}

static int next_in_order(struct csv_file *file, struct csv_chunk *chunk, struct error *err)
{
	bool alone = pthread_mutex_trylock(&file->lock) == 0;
	int status = 0;

	if (!alone)
		pthread_mutex_lock(&file->lock);
	if (!file->failed && cut_chunk(file, chunk, alone, &file->error) < 0)
		file->failed = true;
	if (file->failed) {
		*err = file->error;
		status = -1;
	} else if (chunk->size > 0 || chunk->oversized) {
		chunk->number = file->next_number++;
		status = 1;
	}
	pthread_mutex_unlock(&file->lock);
	return status;
}

int csv_file_next(struct csv_file *file, struct csv_chunk *chunk, struct error *err)
{
	return file->blocks ? csv_blocks_next(file->blocks, chunk, err)
			    : next_in_order(file, chunk, err);
}

/* The next record of the text, with its newline; size 0 at the end. Lives in *buffer. */
static int read_header_record(
	struct csv_file *file, struct csv_chunk *buffer, size_t *record, struct error *err)
{
	size_t window = HEADER_BYTES;
	size_t size = 0;

	for (;; window *= 2) {
		enum csv_state state = CSV_FIELD_START;
		ssize_t more;

		chunk_reserve(buffer, window, size);
		more = file_read(file, buffer->data + size, window - size, err);
		if (more < 0)
			return -1;
		size += (size_t)more;
		*record = csv_state_skip_record(
			&state, buffer->data, size, file->format.delimiter, file->format.quote);
		if (*record == 0 && size < window)
			*record = size;
		if (*record > 0 || size == 0)
			break;
		if (window > CSV_RECORD_MAX)
			return error_set(err, ERROR_DATA,
				"%s: its first record is longer than %u MB: is the quote at its "
				"start closed?",
				file->path, CSV_RECORD_MAX >> 20);
	}
	pending_return(&file->pending, buffer->data + *record, size - *record);
	return 0;
}

/* Reads the header line, or without one makes sure that it is text. */
static int read_header(struct csv_file *file, struct error *err)
{
	struct csv_chunk buffer;
	size_t size;
	int status = 0;

	csv_chunk_init(&buffer);
	while (file->format.header) {
		size_t text;

		status = read_header_record(file, &buffer, &size, err);
		if (status < 0 || size == 0)
			break;
		text = csv_header_trim(buffer.data, size);
		file->header_lines += csv_count_newlines(buffer.data, size);
		if (text > 0) {
			status = csv_header_parse(file->path, buffer.data, text, &file->format,
				&file->arena, &file->header, &file->header_count, err);
			break;
		}
	}
	csv_chunk_release(&buffer);
	return status;
}

int csv_file_open(struct csv_file **out, const char *path, const struct csv_format *format,
	size_t chunk_bytes, struct error *err)
{
	struct csv_file *file = memory_zalloc(sizeof(*file));

	file->path = memory_strdup(path);
	file->format = *format;
	if (chunk_bytes == 0)
		chunk_bytes = CSV_CHUNK_DEFAULT;
	if (chunk_bytes < CSV_CHUNK_MIN)
		chunk_bytes = CSV_CHUNK_MIN;
	file->chunk_bytes = chunk_bytes < CSV_CHUNK_MAX ? chunk_bytes : CSV_CHUNK_MAX;
	file->isa = csv_isa_detect();
	arena_init(&file->arena, 4096);
	pthread_mutex_init(&file->lock, NULL);
	if (input_open(&file->input, file->path, NULL, err) < 0 || read_header(file, err) < 0) {
		csv_file_close(file);
		return -1;
	}
	if (input_is_seekable(file->input)) {
		size_t held = file->pending.end - file->pending.begin;

		file->blocks = csv_blocks_new(file->input, input_offset(file->input) - held,
			&file->format, file->isa, file->chunk_bytes);
	}
	*out = file;
	return 0;
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
