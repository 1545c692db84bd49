#ifndef INPUT_ARCHIVE_PRIVATE_H
#define INPUT_ARCHIVE_PRIVATE_H

#include "input/archive.h"
#include "input/stream_private.h"

/*
 * The bytes of a file in the archive that the first `prefix` bytes of `path` name, as they were
 * before they went into it; their checksum is verified at their end. `path` is borrowed.
 * *bytes_done counts up to *bytes_total while they are read.
 */
MUST_CHECK int archive_open(struct stream **out, const char *path, size_t prefix,
	_Atomic uint64_t *bytes_done, uint64_t *bytes_total, struct error *err);

#endif
