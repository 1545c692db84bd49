/*
 * What a node remembers of the generations of the control log, apart from its copy of the log: the
 * highest that it has read, and whether it has read entries of it that were not there any more.
 * docs/exactly-once.md says what follows from that.
 *
 * In the file "generation", 32 bytes twice: sequence u64, generation u64, doubt u64, check u64. The
 * one with the higher sequence counts, if its check is right; the other one is written next.
 */
#ifndef ROLE_GENERATION_H
#define ROLE_GENERATION_H

#include "base/error.h"
#include "journal/disk.h"

#include <stdbool.h>
#include <stdint.h>

#define GENERATION_PATH "generation"

struct generation {
	uint64_t sequence;
	uint64_t known; /* 0: none yet */
	bool doubt;
};

/* What was never written is none; so is it without a disk. */
MUST_CHECK int generation_read(struct generation *out, struct disk *disk, struct error *err);
/* ERROR_DATA when something was written that cannot be read. Changes nothing. */
MUST_CHECK int generation_verify(struct disk *disk, struct error *err);
/* Synced; does nothing when it would change nothing, or without a disk. */
MUST_CHECK int generation_write(struct generation *generation, struct disk *disk, uint64_t known,
	bool doubt, struct error *err);

#endif
