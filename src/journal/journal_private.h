/*
 * The journal on disk.
 *
 * A journal is a folder of segments, files named segment-00000001, segment-00000002 and so on
 * without a gap. Numbers are little-endian; everything starts at a multiple of 8 bytes of its file.
 *
 * Segment header, 40 bytes at the start of the file:
 *
 *   0   8  "tamizjnl"
 *   8   4  CRC-32C of bytes 12 to 39
 *  12   4  version of the format: 1
 *  16   8  id of the journal: random, the same in all its segments
 *  24   8  number of the segment, from 1
 *  32   8  sequence of the first record that will stand in it
 *
 * Behind it stand frames. A frame is what one sync made durable. Its header has 40 bytes:
 *
 *   0   4  "tjf1"
 *   4   4  CRC-32C of bytes 8 to 39
 *   8   8  id of the journal
 *  16   8  position of this header: number of the segment << 32 | offset in the file
 *  24   8  sequence of its first record
 *  32   4  bytes of the records behind the header
 *  36   4  number of them, at least 1
 *
 * The records follow one another; they number 1, 2, 3, ... from the journal's first to its last:
 *
 *   0   4  CRC-32C of id of the journal, position of this record (8 bytes each), then of this
 *          record from byte 4 to the end of its padding
 *   4   4  bytes of the payload
 *   8   8  sequence
 *  16   .  payload, then zeros up to a multiple of 8
 *
 * Id and position are part of every checksum, so nothing is valid in a place for which it was not
 * written.
 *
 * The order of writes: a frame is written once the one before it has been synced, also when that
 * stands in the segment before; a segment's header and its first frame are synced together. Hence
 * of all there is only the last frame, and the header of its segment when it is the first in it,
 * may not have been synced. What follows from that when a journal is opened:
 *
 *  - A frame in the last segment that is incomplete or has a wrong checksum, with no valid frame
 *    header anywhere behind it, is a torn tail: nobody was told that it is durable. It is cut off.
 *    (Damage to the very last frame that was synced looks the same. Nothing in the file could
 * tell.)
 *  - With a valid frame header behind it, the bad frame had been synced: the disk has lost durable
 *    data, ERROR_DATA. So it is with any bad frame in another segment, a segment that is missing,
 * and a bad segment header, except in a last segment without a valid frame header.
 *  - The last frame may be visible and not durable: written by a process that died before its sync,
 *    or whose sync failed, after which the kernel takes the pages for clean. It is written again,
 *    with the header of its segment, and synced, before open returns.
 *
 * When a write or a sync fails, all that was not synced is still in memory. The next sync writes it
 * again at the same offset, with what was appended since: a longer frame in the place of the one
 * that failed. Records keep their positions.
 *
 * Removal truncates segment 1 to nothing (durable, and needs no space), then removes the others,
 * and segment 1 last. An empty segment 1 with others beside it is therefore a removal that was
 * interrupted: open completes it and starts anew.
 */
#ifndef JOURNAL_JOURNAL_PRIVATE_H
#define JOURNAL_JOURNAL_PRIVATE_H

#include "journal/journal.h"

#include <assert.h>

#define JOURNAL_VERSION	     1
#define SEGMENT_HEADER_SIZE  40
#define FRAME_HEADER_SIZE    40
#define RECORD_HEADER_SIZE   16
#define JOURNAL_ALIGNMENT    8
#define JOURNAL_SEGMENTS_MAX 99999999u /* what fits the name */
#define JOURNAL_NAMES_MAX    (64u << 20)

/* A frame of JOURNAL_UNSYNCED_MAX bytes takes one more record of any size only when it is empty. */
#define FRAME_BODY_MAX (JOURNAL_RECORD_MAX + RECORD_HEADER_SIZE + JOURNAL_ALIGNMENT)

struct segment_header {
	uint32_t version;
	uint64_t id;
	uint64_t number;
	uint64_t sequence;
};

struct frame_header {
	uint64_t id;
	journal_position position;
	uint64_t sequence;
	uint32_t body_size;
	uint32_t record_count;
};

struct journal {
	struct disk *disk;
	char folder[DISK_PATH_MAX];
	uint64_t id;
	uint64_t segment_bytes_max;
	bool replaying;	 /* `file` is borrowed from the reader */
	bool only_reads; /* journal_verify: nothing on the disk is changed */

	/* The segment that takes the next frame, and where. */
	uint32_t segment;
	uint64_t tail;
	struct disk_file *file; /* NULL: not made yet */
	uint64_t next_sequence; /* of the next append */
	uint64_t synced_sequence;

	/* The frame that gathers: a header, filled in when it is written, and its records. */
	struct buf frame;
	uint32_t frame_records;
	journal_position last_position;

	bool is_marked;
	struct disk_file *mark; /* NULL: not open */

	uint64_t read_bytes; /* of all segments, by the replay */
	uint64_t torn_bytes; /* behind the last good frame */

	/* Another segment that was read last. */
	struct disk_file *read_file;
	uint32_t read_segment;
};

static inline journal_position position_of(uint32_t segment, uint64_t offset)
{
	assert(offset <= UINT32_MAX);
	return (uint64_t)segment << 32 | offset;
}

static inline uint32_t position_segment(journal_position position)
{
	return (uint32_t)(position >> 32);
}

static inline uint64_t position_offset(journal_position position)
{
	return (uint32_t)position;
}

/* The bytes that a record of `size` takes. */
static inline uint64_t record_extent(uint64_t size)
{
	return RECORD_HEADER_SIZE +
	       ((size + JOURNAL_ALIGNMENT - 1) & ~(uint64_t)(JOURNAL_ALIGNMENT - 1));
}

/* -- Bytes: journal_format.c -- */

void segment_header_encode(char bytes[SEGMENT_HEADER_SIZE], const struct segment_header *header);
/* False: these bytes are not a header. Any version. */
bool segment_header_decode(const char bytes[SEGMENT_HEADER_SIZE], struct segment_header *header);
void frame_header_encode(char bytes[FRAME_HEADER_SIZE], const struct frame_header *header);
/* False: these bytes are not a header. Sizes are within the limits, nothing else was compared. */
bool frame_header_decode(const char bytes[FRAME_HEADER_SIZE], struct frame_header *header);
/* Fills in the header and the padding of a record whose payload stands between them. */
void record_encode(
	char *bytes, uint64_t id, journal_position position, uint64_t sequence, uint32_t size);
/* The payload's size by a record's header, which may be wrong. */
uint32_t record_size(const char bytes[RECORD_HEADER_SIZE]);
uint64_t record_sequence(const char bytes[RECORD_HEADER_SIZE]);
/* Whether the `extent` bytes are a whole valid record. */
bool record_valid(const char *bytes, uint64_t extent, uint64_t id, journal_position position);
/* The checksum alone, of a payload that does not stand behind its header. */
bool record_payload_valid(const char header[RECORD_HEADER_SIZE], const char *payload, uint64_t id,
	journal_position position);

/* ERROR_LIMIT when the path is too long. */
MUST_CHECK int segment_path(
	char path[DISK_PATH_MAX], const char *folder, uint32_t number, struct error *err);
/* 0: a name that is not a segment's. */
uint32_t segment_number(const char *name);

/* -- journal_replay.c -- */

/* Reads all there is, tells `replay`, and leaves `journal` ready for its next frame. */
MUST_CHECK int journal_replay(
	struct journal *journal, journal_replay_fn replay, void *context, struct error *err);

/* -- journal_mark.c -- */

/* After a sync; nothing if it has no mark. */
void journal_mark_write(struct journal *journal);
struct journal_mark {
	enum journal_mark_state state;
	uint64_t id;
	uint64_t sequence;
};

struct journal_mark journal_mark_read(struct disk *disk, const char *folder);
/* After the replay: ERROR_DATA when the mark knows of more records. */
MUST_CHECK int journal_mark_check(
	const struct journal *journal, const struct journal_mark *mark, struct error *err);
/* A mark that no journal can live up to: whoever opens the next one learns that there was another. */
MUST_CHECK int journal_mark_loss(struct disk *disk, const char *folder, struct error *err);
/* What is not there is not an error. */
MUST_CHECK int journal_mark_remove(struct disk *disk, const char *folder, struct error *err);

/* -- journal.c -- */

/* Without records, and without a file. ERROR_LIMIT when the path is too long. */
MUST_CHECK int journal_new(
	struct journal **out, struct disk *disk, const char *folder, struct error *err);

/* Removes all segments; `count` is the highest number. */
MUST_CHECK int journal_remove_segments(
	struct disk *disk, const char *folder, uint32_t count, struct error *err);

#endif
