/*
 * A disk in memory, for tests and the simulator: it loses, tears and refuses what it is told to,
 * and does the same again for the same seed.
 *
 * The store is the disk itself and outlives its users. A handle is what a node has of it while it
 * runs: opening one takes the disk from the handles before, which are fenced from then on.
 *
 * A store keeps two versions of a file: what a reader sees, and what has been synced. A crash makes
 * them one again (disk_sim_crash). As in Linux, writes whose sync failed stay visible, but a later
 * sync does not make them durable: whoever wants them durable writes them again.
 *
 * Not for sharing between threads.
 */
#ifndef JOURNAL_DISK_SIM_H
#define JOURNAL_DISK_SIM_H

#include "base/rng.h"
#include "journal/disk.h"

struct disk_sim;

enum disk_sim_failure {
	DISK_SIM_ERROR_ONCE,  /* that call fails with ERROR_IO */
	DISK_SIM_ERROR_STUCK, /* that call and all changes behind it, until disk_sim_clear */
	DISK_SIM_CRASH,	      /* from that call on every call of the handle fails */
};

struct disk_sim_counters {
	uint64_t opens; /* that do not create */
	uint64_t reads;
	uint64_t lists;
	/* Changes, the calls that disk_sim_fail_after counts. */
	uint64_t creates; /* opens that create, whether or not the file was there */
	uint64_t writes;
	uint64_t syncs;
	uint64_t truncates;
	uint64_t removes;
	uint64_t changes;     /* the sum of these */
	uint64_t temporaries; /* files without a name that were made; among the creates */
	uint64_t bytes_written;
	uint64_t bytes_read;
};

struct disk_sim *disk_sim_new(void);
/* All handles must be closed. NULL is allowed. */
void disk_sim_free(struct disk_sim *sim);

/* Never fails. The handle is closed with disk_sim_close, its files before it. */
struct disk *disk_sim_open(struct disk_sim *sim);
void disk_sim_close(struct disk *disk);
/* Whether the handle has met DISK_SIM_CRASH or disk_sim_crash: its node has to stop. */
bool disk_sim_crashed(const struct disk *disk);

/*
 * The machine loses its power. Of what was not synced each write is kept, lost or torn at any byte,
 * whatever became of those before it. The change that was under way has happened or not. All
 * handles are crashed.
 */
void disk_sim_crash(struct disk_sim *sim, struct rng *rng);
/* The disk is replaced by an empty one. All handles are crashed. */
void disk_sim_wipe(struct disk_sim *sim);

/*
 * Lets the n-th change from now (1: the next one) meet a failure; one at a time. A write that fails
 * has done half of its work, and so has the removal of a folder; a sync that fails makes nothing
 * durable; the others have done nothing.
 */
void disk_sim_fail_after(struct disk_sim *sim, uint64_t n, enum disk_sim_failure failure);
/* Whether the failure has been met. */
bool disk_sim_failed(const struct disk_sim *sim);
/* No failure from now on. */
void disk_sim_clear(struct disk_sim *sim);

/* UINT64_MAX, as at first: no limit. A write that passes it fills the disk and fails. */
void disk_sim_set_capacity(struct disk_sim *sim, uint64_t bytes_max);

/* -- To look at -- */

const struct disk_sim_counters *disk_sim_counters(const struct disk_sim *sim);
/* The visible size of all files. */
uint64_t disk_sim_bytes(const struct disk_sim *sim);
uint32_t disk_sim_file_count(const struct disk_sim *sim);
/* The path of a file, sorted as a walk through the folders; borrowed until files change. */
const char *disk_sim_file_path(const struct disk_sim *sim, uint32_t index);
/*
 * The visible content of a file, borrowed until it changes; NULL when there is no such file (an
 * empty one is not NULL).
 */
const char *disk_sim_get(const struct disk_sim *sim, const char *path, size_t *size);
/* Makes a file, or replaces its content; durable. `path` must be valid. */
void disk_sim_put(struct disk_sim *sim, const char *path, const void *bytes, size_t size);
/* Deletes a file, durably; who has it open keeps it until then. Nothing when there is none. */
void disk_sim_delete(struct disk_sim *sim, const char *path);

#endif
