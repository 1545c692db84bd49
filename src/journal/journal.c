/* Appending, syncing, reading and removing. journal_private.h has the format and its rules. */
#include "base/random.h"
#include "journal/journal_private.h"

#include "base/memory.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_KEEP_MAX (2u << 20) /* memory that a frame keeps when it was mostly unused */

/* What holds whenever nobody is inside a call. */
static void journal_assert(const struct journal *journal)
{
	uint64_t frame = journal->frame.size;
	journal_position end = position_of(journal->segment, journal->tail);

	assert(!journal->replaying && journal->id != 0);
	assert(journal->segment >= 1 && journal->segment <= JOURNAL_SEGMENTS_MAX);
	assert(journal->tail >= SEGMENT_HEADER_SIZE && journal->tail % JOURNAL_ALIGNMENT == 0);
	/* A segment without a frame need not have a file; one with a frame has. */
	assert(journal->tail == SEGMENT_HEADER_SIZE || journal->file);
	/* Every record is either in a frame that was synced or in the one that gathers. */
	assert(journal->synced_sequence + journal->frame_records + 1 == journal->next_sequence);
	assert(frame >= FRAME_HEADER_SIZE && frame % JOURNAL_ALIGNMENT == 0);
	assert((journal->frame_records == 0) == (frame == FRAME_HEADER_SIZE));
	/* And so is the last one of them. */
	assert((journal->frame_records == 0) == (journal->last_position < end));
}

/* -- Opening -- */

static int journal_id_make(uint64_t wanted, uint64_t *id, struct error *err)
{
	*id = wanted;
	return wanted ? 0 : random_id(id, err);
}

/* The frame has room for its header from the start. */
static void frame_start(struct journal *journal)
{
	static const char header[FRAME_HEADER_SIZE];

	buf_clear(&journal->frame);
	buf_append(&journal->frame, header, sizeof(header));
	journal->frame_records = 0;
}

int journal_new(struct journal **out, struct disk *disk, const char *folder, struct error *err)
{
	char path[DISK_PATH_MAX];
	struct journal *journal;

	*out = NULL;
	if (segment_path(path, folder, 1, err) != 0)
		return -1;
	journal = memory_zalloc(sizeof(*journal));
	journal->disk = disk;
	snprintf(journal->folder, sizeof(journal->folder), "%s", folder);
	journal->segment_bytes_max = JOURNAL_SEGMENT_DEFAULT;
	journal->segment = 1;
	journal->tail = SEGMENT_HEADER_SIZE;
	journal->next_sequence = 1;
	buf_init(&journal->frame, FRAME_HEADER_SIZE + FRAME_BODY_MAX);
	frame_start(journal);
	*out = journal;
	return 0;
}

static int replay_and_check(
	struct journal *journal, journal_replay_fn replay, void *context, struct error *err)
{
	struct journal_mark mark = {.state = JOURNAL_MARK_NONE};

	if (journal_replay(journal, replay, context, err) != 0)
		return -1;
	if (journal->is_marked)
		mark = journal_mark_read(journal->disk, journal->folder);
	return journal_mark_check(journal, &mark, err);
}

int journal_open(struct journal **out, struct disk *disk, const char *folder,
	const struct journal_options *options, journal_replay_fn replay, void *context,
	struct error *err)
{
	struct journal *journal;

	if (journal_new(out, disk, folder, err) != 0)
		return -1;
	journal = *out;
	if (options && options->segment_bytes_max > 0)
		journal->segment_bytes_max = options->segment_bytes_max;
	assert(journal->segment_bytes_max <= JOURNAL_SEGMENT_MAX);
	journal->is_marked = options && options->is_marked;
	if (journal_id_make(options ? options->id : 0, &journal->id, err) != 0 ||
		replay_and_check(journal, replay, context, err) != 0) {
		*out = NULL;
		journal_close(journal);
		return -1;
	}
	assert(journal->frame_records == 0); /* all that is there is durable */
	journal_assert(journal);
	return 0;
}

void journal_close(struct journal *journal)
{
	if (!journal)
		return;
	disk_close(journal->file);
	disk_close(journal->read_file);
	disk_close(journal->mark);
	buf_release(&journal->frame);
	free(journal);
}

/* -- Syncing -- */

/* Makes the segment's file and fills in its header. */
static int segment_begin(
	struct journal *journal, char bytes[SEGMENT_HEADER_SIZE], struct error *err)
{
	struct segment_header header = {
		.version = JOURNAL_VERSION,
		.id = journal->id,
		.number = journal->segment,
		.sequence = journal->synced_sequence + 1,
	};
	char path[DISK_PATH_MAX];

	segment_header_encode(bytes, &header);
	if (journal->file)
		return 0;
	if (segment_path(path, journal->folder, journal->segment, err) != 0)
		return -1;
	return disk_open(journal->disk, path, true, &journal->file, err);
}

/* A frame that was once large does not hold its memory for ever. */
static void frame_shrink(struct journal *journal)
{
	struct buf *frame = &journal->frame;

	if (frame->capacity > FRAME_KEEP_MAX && frame->size < frame->capacity / 4)
		buf_release(frame);
}

int journal_sync(struct journal *journal, struct error *err)
{
	struct buf *frame = &journal->frame;
	struct frame_header header = {
		.id = journal->id,
		.position = position_of(journal->segment, journal->tail),
		.sequence = journal->synced_sequence + 1,
		.body_size = (uint32_t)(frame->size - FRAME_HEADER_SIZE),
		.record_count = journal->frame_records,
	};
	bool is_first = journal->tail == SEGMENT_HEADER_SIZE;
	char segment[SEGMENT_HEADER_SIZE];
	struct disk_piece pieces[] = {
		{.bytes = segment, .size = is_first ? SEGMENT_HEADER_SIZE : 0},
		{.bytes = frame->data, .size = frame->size},
	};

	journal_assert(journal);
	if (journal->frame_records == 0)
		return 0;
	if (is_first && segment_begin(journal, segment, err) != 0)
		return -1;
	frame_header_encode(frame->data, &header);
	if (disk_write(journal->file, journal->tail - pieces[0].size, pieces, 2, err) != 0 ||
		disk_sync(journal->file, err) != 0)
		return -1;
	journal->tail += frame->size;
	journal->synced_sequence += journal->frame_records;
	journal_mark_write(journal);
	frame_shrink(journal);
	frame_start(journal);
	assert(journal->synced_sequence + 1 == journal->next_sequence);
	journal_assert(journal);
	return 0;
}

/* -- Appending -- */

/*
 * Goes on in a new segment. Never before the frames of this one have been synced: replay takes a
 * bad frame in front of another segment for damage.
 */
static int segment_end(struct journal *journal, struct error *err)
{
	assert(journal->frame_records == 0);
	assert(journal->synced_sequence + 1 == journal->next_sequence);
	if (journal->segment == JOURNAL_SEGMENTS_MAX)
		return error_set(err, ERROR_LIMIT,
			"the journal %s has %u segments, which is the limit", journal->folder,
			JOURNAL_SEGMENTS_MAX);
	disk_close(journal->file);
	journal->file = NULL;
	journal->segment++;
	journal->tail = SEGMENT_HEADER_SIZE;
	return 0;
}

/* Makes room in the frame and in the segment for a record of `extent` bytes. */
static int room_make(struct journal *journal, uint64_t extent, struct error *err)
{
	uint64_t frame = journal->frame.size;

	if (journal->frame_records > 0 &&
		(frame + extent > JOURNAL_UNSYNCED_MAX ||
			journal->tail + frame + extent > journal->segment_bytes_max) &&
		journal_sync(journal, err) != 0)
		return -1;
	if (journal->frame_records == 0 && journal->tail > SEGMENT_HEADER_SIZE &&
		journal->tail + FRAME_HEADER_SIZE + extent > journal->segment_bytes_max)
		return segment_end(journal, err);
	return 0;
}

int journal_append(struct journal *journal, const struct disk_piece *pieces, uint32_t count,
	journal_position *position, struct error *err)
{
	struct buf *frame = &journal->frame;
	uint64_t size = 0, extent;
	char *record, *to;

	journal_assert(journal);
	for (uint32_t i = 0; i < count; i++) {
		if (pieces[i].size > JOURNAL_RECORD_MAX - size)
			return error_set(err, ERROR_LIMIT,
				"a record of more than %u bytes for the journal %s",
				JOURNAL_RECORD_MAX, journal->folder);
		size += pieces[i].size;
	}
	extent = record_extent(size);
	if (room_make(journal, extent, err) != 0)
		return -1;
	record = buf_reserve(frame, extent);
	assert(record); /* room_make leaves room for the longest record there is */
	to = record + RECORD_HEADER_SIZE;
	for (uint32_t i = 0; i < count; i++) {
		if (pieces[i].size > 0)
			memcpy(to, pieces[i].bytes, pieces[i].size);
		to += pieces[i].size;
	}
	*position = position_of(journal->segment, journal->tail + frame->size);
	assert(*position > journal->last_position);
	record_encode(record, journal->id, *position, journal->next_sequence, (uint32_t)size);
	frame->size += extent;
	journal->frame_records++;
	journal->next_sequence++;
	journal->last_position = *position;
	journal_assert(journal);
	assert(!journal_is_synced(journal, *position));
	return 0;
}

size_t journal_unsynced(const struct journal *journal)
{
	return journal->frame.size - FRAME_HEADER_SIZE;
}

bool journal_is_synced(const struct journal *journal, journal_position position)
{
	return position < position_of(journal->segment, journal->tail);
}

uint64_t journal_records(const struct journal *journal)
{
	return journal->next_sequence - 1;
}

/* -- Reading -- */

static int no_record(const struct journal *journal, journal_position position, struct error *err)
{
	return error_set(err, ERROR_DATA,
		"the journal %s has no valid record at byte %llu of segment %u: it is damaged",
		journal->folder, (unsigned long long)position_offset(position),
		position_segment(position));
}

static int no_room(uint32_t size, struct error *err)
{
	return error_set(err, ERROR_LIMIT, "no room for a record of %u bytes", size);
}

static int read_memory(const struct journal *journal, journal_position position, struct buf *out,
	struct error *err)
{
	const struct buf *frame = &journal->frame;
	uint64_t at = position_offset(position) - journal->tail, extent;
	const char *record = frame->data + at;

	if (at < FRAME_HEADER_SIZE || at + RECORD_HEADER_SIZE > frame->size)
		return no_record(journal, position, err);
	extent = record_extent(record_size(record));
	if (extent > frame->size - at || !record_valid(record, extent, journal->id, position))
		return no_record(journal, position, err);
	buf_append(out, record + RECORD_HEADER_SIZE, record_size(record));
	return buf_overflowed(out) ? no_room(record_size(record), err) : 0;
}

/* The file of the segment: the one that is written, or another that stays open for the next read.
 */
static int read_file_get(
	struct journal *journal, uint32_t segment, struct disk_file **file, struct error *err)
{
	char path[DISK_PATH_MAX];

	*file = journal->file;
	if (segment == journal->segment)
		return 0;
	if (!journal->read_file || journal->read_segment != segment) {
		disk_close(journal->read_file);
		journal->read_file = NULL;
		journal->read_segment = segment;
		if (segment_path(path, journal->folder, segment, err) != 0 ||
			disk_open(journal->disk, path, false, &journal->read_file, err) != 0)
			return -1;
	}
	*file = journal->read_file;
	return 0;
}

static int read_disk(
	struct journal *journal, journal_position position, struct buf *out, struct error *err)
{
	uint64_t offset = position_offset(position), end = journal->tail;
	char header[RECORD_HEADER_SIZE], *payload;
	struct disk_file *file;
	uint32_t size;

	if (offset < SEGMENT_HEADER_SIZE + FRAME_HEADER_SIZE)
		return no_record(journal, position, err);
	if (read_file_get(journal, position_segment(position), &file, err) != 0)
		return -1;
	if (file != journal->file && disk_size(file, &end, err) != 0)
		return -1;
	if (offset > end || end - offset < RECORD_HEADER_SIZE)
		return no_record(journal, position, err);
	if (disk_read(file, offset, header, sizeof(header), err) != 0)
		return -1;
	size = record_size(header);
	if (size > JOURNAL_RECORD_MAX || record_extent(size) > end - offset)
		return no_record(journal, position, err);
	payload = buf_reserve(out, size);
	if (!payload && size > 0)
		return no_room(size, err);
	if (disk_read(file, offset + sizeof(header), payload, size, err) != 0)
		return -1;
	if (!record_payload_valid(header, payload, journal->id, position))
		return no_record(journal, position, err);
	out->size = size;
	return 0;
}

int journal_read(
	struct journal *journal, journal_position position, struct buf *out, struct error *err)
{
	uint32_t segment = position_segment(position);

	buf_clear(out);
	if (segment == 0 || position > journal->last_position)
		return no_record(journal, position, err);
	if (!journal_is_synced(journal, position))
		return read_memory(journal, position, out, err);
	return read_disk(journal, position, out, err);
}

/* -- Removing -- */

int journal_remove_segments(
	struct disk *disk, const char *folder, uint32_t count, struct error *err)
{
	char path[DISK_PATH_MAX];

	for (uint32_t number = count; number > 0; number--)
		if (segment_path(path, folder, number, err) != 0 ||
			disk_remove(disk, path, err) != 0)
			return -1;
	return 0;
}

/* The highest segment number, and whether segment 1 is there. */
static int segments_find(
	struct disk *disk, const char *folder, uint32_t *count, bool *has_first, struct error *err)
{
	struct buf names;
	int status;

	*count = 0;
	*has_first = false;
	buf_init(&names, JOURNAL_NAMES_MAX);
	status = disk_list(disk, folder, &names, err);
	for (size_t at = 0; status == 0 && at < names.size; at += strlen(names.data + at) + 1) {
		uint32_t number = segment_number(names.data + at);

		*count = number > *count ? number : *count;
		*has_first = *has_first || number == 1;
	}
	buf_release(&names);
	return status;
}

int journal_remove(struct disk *disk, const char *folder, struct error *err)
{
	char path[DISK_PATH_MAX];
	struct disk_file *file;
	bool has_first;
	uint32_t count;
	int status;

	/* The mark first: a journal without one is whole, a mark without its journal a loss. */
	if (segment_path(path, folder, 1, err) != 0 ||
		journal_mark_remove(disk, folder, err) != 0 ||
		segments_find(disk, folder, &count, &has_first, err) != 0)
		return -1;
	if (has_first) {
		if (disk_open(disk, path, false, &file, err) != 0)
			return -1;
		status = disk_truncate(file, 0, err);
		disk_close(file);
		if (status != 0 || journal_remove_segments(disk, folder, count, err) != 0)
			return -1;
	}
	return disk_remove(disk, folder, err);
}
