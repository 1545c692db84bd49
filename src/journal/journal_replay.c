/*
 * Opening a journal: every segment is read in order and every checksum verified; then the tail is
 * cut and made durable. Nothing is changed before all has been read. journal_private.h says what
 * may be found and what it means.
 */
#include "journal/journal_private.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define READ_BYTES (1u << 20)

enum frame_state {
	FRAME_GOOD,
	FRAME_BAD,
	FRAME_ERROR, /* it could not be read: the error is set */
};

/* The segment being read, and a window of its bytes. */
struct segment_reader {
	struct journal *journal;
	journal_replay_fn replay;
	void *context;

	uint32_t number;
	bool is_last;
	char path[DISK_PATH_MAX];
	struct disk_file *file;
	uint64_t size;

	struct buf window;
	uint64_t window_offset; /* of its first byte in the file */

	/* The frame that was read last in this segment; offset 0: none. */
	uint64_t frame_offset;
	uint64_t frame_size;
};

static int damaged(
	const struct segment_reader *reader, uint64_t offset, const char *what, struct error *err)
{
	return error_set(err, ERROR_DATA,
		"the journal is damaged: %s at byte %llu of %s, in data that had been safe on "
		"disk; "
		"restore the folder, or remove it and run its jobs again",
		what, (unsigned long long)offset, reader->path);
}

/* -- Reading -- */

/*
 * Points *bytes to `size` bytes at `offset`, which lie within the file. Reads on to READ_BYTES, or
 * to exactly the end of what is longer, so that the next one need not be moved.
 */
static int reader_get(struct segment_reader *reader, uint64_t offset, size_t size,
	const char **bytes, struct error *err)
{
	struct buf *window = &reader->window;
	uint64_t end = reader->window_offset + window->size;
	size_t wanted = size > READ_BYTES ? size : READ_BYTES;
	size_t kept = 0;

	assert(offset + size <= reader->size);
	if (offset < reader->window_offset || offset + size > end) {
		if (offset >= reader->window_offset && offset < end) {
			kept = (size_t)(end - offset);
			memmove(window->data, window->data + (offset - reader->window_offset),
				kept);
		}
		window->size = 0;
		if (wanted > reader->size - offset)
			wanted = (size_t)(reader->size - offset);
		if (!buf_reserve(window, wanted))
			return error_set(err, ERROR_INTERNAL, "a frame of %zu bytes", wanted);
		if (disk_read(reader->file, offset + kept, window->data + kept, wanted - kept,
			    err) != 0)
			return -1;
		window->size = wanted;
		reader->window_offset = offset;
	}
	*bytes = window->data + (offset - reader->window_offset);
	return 0;
}

static int reader_open(struct segment_reader *reader, uint32_t number, struct error *err)
{
	struct journal *journal = reader->journal;

	reader->number = number;
	reader->window.size = 0;
	reader->window_offset = 0;
	reader->frame_offset = reader->frame_size = 0;
	if (segment_path(reader->path, journal->folder, number, err) != 0 ||
		disk_open(journal->disk, reader->path, false, &reader->file, err) != 0 ||
		disk_size(reader->file, &reader->size, err) != 0)
		return -1;
	journal->file = reader->file;
	if (reader->size > UINT32_MAX)
		return damaged(reader, UINT32_MAX, "more than a segment can have", err);
	return 0;
}

static void reader_close(struct segment_reader *reader)
{
	disk_close(reader->file);
	reader->file = NULL;
}

/* -- Frames -- */

/* Whether the records of a frame are all valid and fill it exactly. */
static bool records_valid(
	const struct segment_reader *reader, const struct frame_header *header, const char *body)
{
	journal_position position = header->position + FRAME_HEADER_SIZE;
	uint64_t at = 0;

	for (uint32_t i = 0; i < header->record_count; i++) {
		uint64_t left = header->body_size - at, extent;

		if (left < RECORD_HEADER_SIZE)
			return false;
		extent = record_extent(record_size(body + at));
		if (extent > left || record_sequence(body + at) != header->sequence + i ||
			!record_valid(body + at, extent, reader->journal->id, position + at))
			return false;
		at += extent;
	}
	return at == header->body_size;
}

/* On FRAME_GOOD *body points to the records. */
static enum frame_state frame_read(struct segment_reader *reader, uint64_t offset,
	struct frame_header *header, const char **body, struct error *err)
{
	const struct journal *journal = reader->journal;
	const char *bytes;

	if (reader->size - offset < FRAME_HEADER_SIZE)
		return FRAME_BAD;
	if (reader_get(reader, offset, FRAME_HEADER_SIZE, &bytes, err) != 0)
		return FRAME_ERROR;
	if (!frame_header_decode(bytes, header) || header->id != journal->id ||
		header->position != position_of(reader->number, offset))
		return FRAME_BAD;
	/* What stands in a place always begins with the same record, in whatever state it is. */
	if (header->sequence != journal->next_sequence) {
		damaged(reader, offset, "a record that does not follow the one before it", err);
		return FRAME_ERROR;
	}
	if (header->body_size > reader->size - offset - FRAME_HEADER_SIZE)
		return FRAME_BAD;
	if (reader_get(reader, offset, FRAME_HEADER_SIZE + header->body_size, &bytes, err) != 0)
		return FRAME_ERROR;
	*body = bytes + FRAME_HEADER_SIZE;
	return records_valid(reader, header, *body) ? FRAME_GOOD : FRAME_BAD;
}

static int frame_deliver(struct segment_reader *reader, const struct frame_header *header,
	const char *body, struct error *err)
{
	journal_position position = header->position + FRAME_HEADER_SIZE;

	for (uint64_t at = 0; at < header->body_size;) {
		uint32_t size = record_size(body + at);

		reader->journal->last_position = position + at;
		if (reader->replay && reader->replay(reader->context, position + at,
					      body + at + RECORD_HEADER_SIZE, size, err) != 0)
			return -1;
		at += record_extent(size);
	}
	reader->journal->next_sequence += header->record_count;
	return 0;
}

/*
 * Looks for a frame of this journal at `from` or behind it; *found is its offset, or 0. The first
 * segment's header is the only place that says which id is right, so `any_id` is for when that one
 * is bad.
 */
static int frame_search(struct segment_reader *reader, uint64_t from, bool any_id, uint64_t *found,
	struct error *err)
{
	*found = 0;
	for (uint64_t at = from; at + FRAME_HEADER_SIZE <= reader->size; at += JOURNAL_ALIGNMENT) {
		struct frame_header header;
		const char *bytes = NULL;

		if (reader_get(reader, at, FRAME_HEADER_SIZE, &bytes, err) != 0)
			return -1;
		if (frame_header_decode(bytes, &header) &&
			header.position == position_of(reader->number, at) &&
			(any_id || header.id == reader->journal->id)) {
			*found = at;
			return 0;
		}
	}
	return 0;
}

/* A frame that is not good: the torn tail, or damage. */
static int frame_bad(struct segment_reader *reader, uint64_t offset, struct error *err)
{
	uint64_t later;

	if (!reader->is_last)
		return damaged(reader, offset, "a record has a wrong checksum or is cut off", err);
	if (frame_search(reader, offset + JOURNAL_ALIGNMENT, false, &later, err) != 0)
		return -1;
	if (later > 0)
		return damaged(reader, offset, "a record has a wrong checksum", err);
	return 0;
}

/* -- Segments -- */

/* Not *valid: the header is part of a torn tail. */
static int segment_check(struct segment_reader *reader, bool *valid, struct error *err)
{
	struct journal *journal = reader->journal;
	struct segment_header header;
	const char *bytes;
	uint64_t frame;

	*valid = false;
	if (reader->size >= SEGMENT_HEADER_SIZE) {
		if (reader_get(reader, 0, SEGMENT_HEADER_SIZE, &bytes, err) != 0)
			return -1;
		*valid = segment_header_decode(bytes, &header);
	}
	if (!*valid) {
		if (!reader->is_last)
			return damaged(reader, 0, "a bad header", err);
		/* The first frame was written together with the header: it proves nothing. */
		if (frame_search(reader, SEGMENT_HEADER_SIZE + JOURNAL_ALIGNMENT,
			    reader->number == 1, &frame, err) != 0)
			return -1;
		return frame > 0 ? damaged(reader, 0, "a bad header", err) : 0;
	}
	if (header.version != JOURNAL_VERSION)
		return error_set(err, ERROR_DATA,
			"%s has version %u of the journal's format, this program reads version %d",
			reader->path, header.version, JOURNAL_VERSION);
	if (reader->number == 1)
		journal->id = header.id;
	if (header.id != journal->id)
		return damaged(reader, 0, "a segment of another journal", err);
	if (header.number != reader->number || header.sequence != journal->next_sequence)
		return damaged(reader, 0, "a segment that does not follow the one before it", err);
	return 0;
}

/* Leaves in journal->tail where the good frames end. */
static int segment_replay(struct segment_reader *reader, struct error *err)
{
	struct journal *journal = reader->journal;

	while (journal->tail < reader->size) {
		struct frame_header header;
		const char *body;

		switch (frame_read(reader, journal->tail, &header, &body, err)) {
		case FRAME_ERROR: return -1;
		case FRAME_BAD: return frame_bad(reader, journal->tail, err);
		case FRAME_GOOD: break;
		}
		reader->frame_offset = journal->tail;
		reader->frame_size = FRAME_HEADER_SIZE + header.body_size;
		/* Before its records are told, so that they can be read. */
		journal->tail += reader->frame_size;
		if (frame_deliver(reader, &header, body, err) != 0)
			return -1;
	}
	return 0;
}

/* Writes what may be visible and not durable again: see the top of journal_private.h. */
static int tail_rewrite(struct segment_reader *reader, struct disk_file *file, struct error *err)
{
	struct disk_piece piece = {.size = SEGMENT_HEADER_SIZE};
	const char *bytes;

	if (reader_get(reader, 0, SEGMENT_HEADER_SIZE, &bytes, err) != 0)
		return -1;
	piece.bytes = bytes;
	if (disk_write(file, 0, &piece, 1, err) != 0)
		return -1;
	if (reader->frame_offset > 0) {
		piece.size = reader->frame_size;
		if (reader_get(reader, reader->frame_offset, piece.size, &bytes, err) != 0)
			return -1;
		piece.bytes = bytes;
		if (disk_write(file, reader->frame_offset, &piece, 1, err) != 0)
			return -1;
	}
	return disk_sync(file, err);
}

/* Cuts the tail of the last segment off and makes what stays durable. */
static int tail_settle(struct segment_reader *reader, bool valid, struct error *err)
{
	struct journal *journal = reader->journal;
	struct disk_file *file;
	uint64_t keep = valid ? journal->tail : 0;

	/* Only what nobody was told to be durable is cut off: what lies behind the last good frame. */
	assert(keep <= reader->size);
	assert(!valid || reader->frame_offset == 0 ||
		keep == reader->frame_offset + reader->frame_size);
	/* With `create` the file's name is durable, too. */
	if (disk_open(journal->disk, reader->path, true, &file, err) != 0)
		return -1;
	if (keep < reader->size && disk_truncate(file, keep, err) != 0)
		goto failed;
	reader->size = keep;
	if (valid && tail_rewrite(reader, file, err) != 0)
		goto failed;
	if (valid)
		journal->file = file;
	else
		disk_close(file); /* the next sync writes the header, too */
	return 0;
failed:
	disk_close(file);
	return -1;
}

static int segments_replay(struct segment_reader *reader, uint32_t count, struct error *err)
{
	struct journal *journal = reader->journal;
	bool valid = false;

	for (uint32_t number = 1; number <= count; number++) {
		reader_close(reader);
		reader->is_last = number == count;
		journal->segment = number;
		journal->tail = SEGMENT_HEADER_SIZE;
		if (reader_open(reader, number, err) != 0 ||
			segment_check(reader, &valid, err) != 0)
			return -1;
		if (valid && segment_replay(reader, err) != 0)
			return -1;
		journal->read_bytes += reader->size;
	}
	/* Records are numbered without a gap from the first segment to the last. */
	assert(journal->next_sequence >= 1 && journal->segment == count);
	journal->synced_sequence = journal->next_sequence - 1;
	journal->replaying = false;
	journal->file = NULL;
	journal->torn_bytes = reader->size - (valid ? journal->tail : 0);
	return journal->only_reads ? 0 : tail_settle(reader, valid, err);
}

/* -- The folder -- */

/* The highest segment number; a gap below it is damage. */
static int segments_count(const struct journal *journal, uint32_t *count, struct error *err)
{
	struct buf names;
	uint32_t expected = 1;
	int status;

	*count = 0;
	buf_init(&names, JOURNAL_NAMES_MAX);
	status = disk_list(journal->disk, journal->folder, &names, err);
	for (size_t at = 0; status == 0 && at < names.size; at += strlen(names.data + at) + 1) {
		uint32_t number = segment_number(names.data + at);

		if (number == 0)
			continue;
		if (number != expected++)
			status = error_set(err, ERROR_DATA,
				"the journal is damaged: a segment before %s/%s is missing; "
				"restore the folder, or remove it and run its jobs again",
				journal->folder, names.data + at);
		*count = number;
	}
	buf_release(&names);
	return status;
}

/* Whether a removal had begun: segment 1 is empty. */
static int removal_began(const struct journal *journal, bool *began, struct error *err)
{
	char path[DISK_PATH_MAX];
	struct disk_file *file;
	uint64_t size;
	int status;

	if (segment_path(path, journal->folder, 1, err) != 0 ||
		disk_open(journal->disk, path, false, &file, err) != 0)
		return -1;
	status = disk_size(file, &size, err);
	disk_close(file);
	*began = status == 0 && size == 0;
	return status;
}

int journal_replay(
	struct journal *journal, journal_replay_fn replay, void *context, struct error *err)
{
	struct segment_reader reader = {.journal = journal, .replay = replay, .context = context};
	bool removed = false;
	uint32_t count;
	int status;

	if (segments_count(journal, &count, err) != 0)
		return -1;
	if (count > 1 && removal_began(journal, &removed, err) != 0)
		return -1;
	if (removed && !journal->only_reads &&
		journal_remove_segments(journal->disk, journal->folder, count, err) != 0)
		return -1;
	if (count == 0 || removed)
		return 0;
	buf_init(&reader.window, FRAME_HEADER_SIZE + FRAME_BODY_MAX + READ_BYTES);
	journal->replaying = true;
	status = segments_replay(&reader, count, err);
	if (journal->replaying)
		journal->file = NULL;
	reader_close(&reader);
	buf_release(&reader.window);
	return status;
}
