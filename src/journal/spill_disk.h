/*
 * A place for what a job has no memory for (base/spill_store.h), on the disk of a node. It has no name there:
 * nothing is left of it when it is freed, or its process has ended in any way.
 */
#ifndef JOURNAL_SPILL_DISK_H
#define JOURNAL_SPILL_DISK_H

#include "base/spill_store.h"
#include "journal/disk.h"

#include <stdatomic.h>

/* What all jobs of a node have there. Zeroed but for its limit. */
struct spill_room {
	uint64_t bytes_max; /* 0: what the disk has room for */
	_Atomic uint64_t held;
	_Atomic uint64_t written; /* since the start */
};

struct spill_disk;

/*
 * Both borrowed. Nothing is made before something is written. What has no room, on the disk or by the limit, is
 * ERROR_LIMIT; a disk that fails ERROR_IO or ERROR_FENCED.
 */
struct spill_disk *spill_disk_new(struct disk *disk, struct spill_room *room);
void spill_disk_free(struct spill_disk *spill);
/* Borrowed: as long as it is there. */
struct spill_store *spill_disk_store(struct spill_disk *spill);

#endif
