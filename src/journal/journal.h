/*
 * An append-only log of records on a node's disk: what a node has absorbed and must not lose.
 *
 * Legal order of calls: open (which replays), then append, sync and read in any order, close. A
 * journal belongs to one thread.
 *
 * A record is durable once journal_sync has returned 0 after its append, or any later append's.
 * Appended records wait in memory until they are synced, so an append or a sync that fails (a full
 * disk) loses nothing: the same call may be tried again until it succeeds, and until then nothing
 * new is durable. An append syncs what waits when it is too much, or when the segment is full; it
 * may therefore fail with ERROR_IO, and then its own record has not been appended.
 *
 * ERROR_FENCED comes from the disk and means the same here: another process has it, stop.
 */
#ifndef JOURNAL_JOURNAL_H
#define JOURNAL_JOURNAL_H

#include "base/buf.h"
#include "journal/disk.h"

#define JOURNAL_RECORD_MAX	(80u << 20)
#define JOURNAL_UNSYNCED_MAX	(8u << 20) /* an append that would pass it syncs first */
#define JOURNAL_SEGMENT_DEFAULT (64u << 20)
#define JOURNAL_SEGMENT_MAX	(1u << 30)

struct journal;

/* Where a record stands; grows from record to record; never 0. */
typedef uint64_t journal_position;

struct journal_options {
	/*
	 * A segment ends before it passes this, unless it has a single commit that is longer.
	 * 0: JOURNAL_SEGMENT_DEFAULT; at most JOURNAL_SEGMENT_MAX.
	 */
	uint64_t segment_bytes_max;
	uint64_t id; /* of a journal that is new; 0: a random one. For runs that must repeat. */
	/*
	 * How far it was synced is noted beside it, so that what is lost at its end, or as a whole,
	 * is noticed by the next open: ERROR_DATA.
	 */
	bool is_marked;
};

#define JOURNAL_MARK_SUFFIX ".synced"

/*
 * Called for every durable record, in order. The bytes are borrowed. -1 ends the replay, and with
 * it journal_open. The journal is in *out already: records up to this one may be read; nothing else
 * may be done with it.
 */
typedef int (*journal_replay_fn)(void *context, journal_position position, const void *bytes,
	size_t size, struct error *err);

/*
 * Opens the journal in `folder` of the disk, or starts an empty one (of which the disk knows
 * nothing before the first sync). NULL options are the defaults; `replay` may be NULL. A torn tail
 * (what was being written when the process died) is cut off; damage anywhere else is ERROR_DATA
 * with file and offset, and changes nothing.
 */
MUST_CHECK int journal_open(struct journal **out, struct disk *disk, const char *folder,
	const struct journal_options *options, journal_replay_fn replay, void *context,
	struct error *err);
/* Without a sync. NULL is allowed. */
void journal_close(struct journal *journal);

/* The pieces one behind the other are the record. ERROR_LIMIT when it is too long; empty is
 * allowed. */
MUST_CHECK int journal_append(struct journal *journal, const struct disk_piece *pieces,
	uint32_t count, journal_position *position, struct error *err);
MUST_CHECK int journal_sync(struct journal *journal, struct error *err);
/* Bytes appended and not yet durable. */
size_t journal_unsynced(const struct journal *journal);
/* Whether the record at `position` is durable. */
bool journal_is_synced(const struct journal *journal, journal_position position);
/* How many records it has, synced or not. */
uint64_t journal_records(const struct journal *journal);
/*
 * Replaces what `out` holds with the record, synced or not. ERROR_DATA when none stands at the
 * position or its checksum is wrong, ERROR_LIMIT when it does not fit into `out`.
 */
MUST_CHECK int journal_read(
	struct journal *journal, journal_position position, struct buf *out, struct error *err);

/* What is known of how far a journal was synced. */
enum journal_mark_state {
	JOURNAL_MARK_NONE,
	JOURNAL_MARK_GOOD,
	JOURNAL_MARK_BAD, /* it cannot be read, and says nothing */
};

struct journal_summary {
	uint64_t records;
	uint64_t bytes;	     /* of all segments */
	uint64_t torn_bytes; /* at its end: an open would cut them off */
	enum journal_mark_state mark;
};

/*
 * Reads a journal as journal_open does, with the same errors, and changes nothing: neither is a torn
 * tail cut off nor a removal completed. *out is filled also after an error, as far as it was read.
 * Another process may write meanwhile; what is read in the middle of that can look damaged once.
 */
MUST_CHECK int journal_verify(struct disk *disk, const char *folder, bool is_marked,
	journal_replay_fn replay, void *context, struct journal_summary *out, struct error *err);

/*
 * Deletes a journal that is not open and leaves a mark that there was one: the next journal_open of
 * a marked one is ERROR_DATA, and so is every other, until journal_remove.
 */
MUST_CHECK int journal_drop(struct disk *disk, const char *folder, struct error *err);

/* Whether the disk has a journal in the folder, or knows that there was one. */
bool journal_is_known(struct disk *disk, const char *folder);

/*
 * Deletes a journal that is not open, and its folder. What is not there is not an error. After an
 * error or a crash in the middle the journal is there whole, or an open will find it empty; the
 * call may be repeated.
 */
MUST_CHECK int journal_remove(struct disk *disk, const char *folder, struct error *err);

#endif
