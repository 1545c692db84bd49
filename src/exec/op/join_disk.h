/*
 * Joins with a build side that is on a disk, apart by the hash of its keys (exec/table/join_build.h).
 *
 * The flowing rows go to a disk as well, apart in the same way. When all are there, the parts of the build
 * side are brought into memory one after the other and meet the flowing rows of their part. A part that is
 * too large is split again, on both sides. What cannot be split, because most of its rows have one key, is
 * brought in piece by piece, and the flowing rows of the part meet each piece.
 *
 * The build side may be shared by many of these, each in a thread of its own.
 */
#ifndef EXEC_JOIN_DISK_H
#define EXEC_JOIN_DISK_H

#include "exec/table/join_build.h"
#include <stdatomic.h>

struct join_disk;

/* What joins rows in memory. */
struct join_disk_user {
	void *context;
	const atomic_bool *stop; /* NULL: nobody stops it */
	/* Rows are going to meet `build`: sealed, in memory, borrowed until the next start. */
	void (*start)(void *context, const struct join_build *build);
	/*
	 * All rows of the batch are selected. `matched`, a byte for each row, is what was left there with the
	 * piece before, zeros with the first; NULL when there is one piece. `last`: there is no other piece.
	 */
	int (*rows)(void *context, const struct batch *batch, uint8_t *matched, bool last,
		struct error *err);
	/* All rows have met it. */
	int (*end)(void *context, struct error *err);
};

/* `plan` and `build` are borrowed; `types` are those of the flowing rows. */
struct join_disk *join_disk_new(const struct plan_join *plan, const struct join_build *build,
	uint32_t column_count, const struct type *types);
void join_disk_free(struct join_disk *disk);
/* Copies the selected rows. */
MUST_CHECK int join_disk_add(struct join_disk *disk, const struct batch *batch, struct error *err);
/* No more rows come: joins them. */
MUST_CHECK int join_disk_finish(
	struct join_disk *disk, const struct join_disk_user *user, struct error *err);

#endif
