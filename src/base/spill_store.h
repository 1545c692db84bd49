/*
 * A place for bytes that do not fit into memory, as an interface: a temporary file of this process
 * (local/spill_file.h), or one of a node's disk (journal/spill_disk.h). Pieces are compressed, and have a sum.
 */
#ifndef BASE_SPILL_STORE_H
#define BASE_SPILL_STORE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes that were written. */
struct spill_piece {
	uint64_t at;
	uint64_t stored; /* bytes that they take there */
	uint64_t size;
	uint32_t sum;
};

/* Any thread may call any of these at any time. Pieces are gone with the store. */
struct spill_store {
	int (*write)(struct spill_store *store, const void *bytes, size_t size,
		struct spill_piece *out, struct error *err);
	/* All of it, to `bytes`. ERROR_IO when it is not what was written. */
	int (*read)(struct spill_store *store, const struct spill_piece *piece, void *bytes,
		struct error *err);
	/* Nobody reads it any more. */
	void (*drop)(struct spill_store *store, const struct spill_piece *piece);
};

/* For whoever has such a place: the stored form of a piece, to be freed, and all of *out but `at`. */
void *spill_pack(const void *bytes, size_t size, struct spill_piece *out);
/* piece->size bytes, of what is stored; -1: it is not what was written. */
MUST_CHECK int spill_unpack(const struct spill_piece *piece, const void *stored, void *bytes);

#endif
