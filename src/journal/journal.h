/*
 * An append-only log of records on a node's disk: what a node has absorbed and must not lose.
 *
 * Legal order of calls: open (which replays), then append, sync and read in any order, close. A
 * journal belongs to one thread.
 *
 * A record is durable once journal_sync has returned 0 after its append, or any later append's.
 * Appended records wait in memory until they are synced, so an append or a sync that fails (a full
 * disk) loses nothing: the same call may be tried again until it succeeds, and until then nothing
 * new is durable.
 */
#ifndef JOURNAL_JOURNAL_H
#define JOURNAL_JOURNAL_H

#include "base/buf.h"
#include "journal/disk.h"

#define JOURNAL_RECORD_MAX (80u << 20)

struct journal;

/* Where a record stands; grows from record to record; never 0. */
typedef uint64_t journal_position;

struct journal_options {
	uint64_t segment_bytes_max; /* 0: JOURNAL_SEGMENT_DEFAULT */
};

/* Called for every durable record, in order. The bytes are borrowed. -1 ends the replay. */
typedef int (*journal_replay_fn)(void *context, journal_position position, const void *bytes,
	size_t size, struct error *err);

/*
 * Opens the journal in `folder` of the disk, or starts an empty one. A torn tail (what was being
 * written when the process died) is cut off; damage anywhere else is ERROR_DATA with file and
 * offset, and changes nothing.
 */
MUST_CHECK int journal_open(struct journal **out, struct disk *disk, const char *folder,
	const struct journal_options *options, journal_replay_fn replay, void *context,
	struct error *err);
/* Without a sync. */
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
/* Replaces what `out` holds with the record, synced or not. */
MUST_CHECK int journal_read(
	struct journal *journal, journal_position position, struct buf *out, struct error *err);

/* Deletes a journal that is not open. What is not there is no error. */
MUST_CHECK int journal_remove(struct disk *disk, const char *folder, struct error *err);

#endif
