/*
 * The bytes of a file, decompressed when it is a .gz or a .zst.
 */
#ifndef CSV_SOURCE_PRIVATE_H
#define CSV_SOURCE_PRIVATE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct csv_source;

/* What is wrong with the file itself is ERROR_IO; `path` is borrowed. */
MUST_CHECK int csv_source_open(struct csv_source **out, const char *path, struct error *err);
void csv_source_close(struct csv_source *source);

/*
 * Fills `data` with `size` bytes; fewer only at the end of the file. -1: ERROR_IO when the file
 * could not be read, ERROR_DATA when it is damaged.
 */
MUST_CHECK ssize_t csv_source_read(
	struct csv_source *source, char *data, size_t size, struct error *err);

/*
 * A plain file can be read at any place, by any thread, as csv_source_read does in order. What is
 * read so is not counted: csv_source_note_done says how far the file is done with.
 */
bool csv_source_is_seekable(const struct csv_source *source);
MUST_CHECK ssize_t csv_source_read_at(
	struct csv_source *source, uint64_t offset, char *data, size_t size, struct error *err);
void csv_source_note_done(struct csv_source *source, uint64_t bytes);

/*
 * Releases what only reading needs: a folder may have more files than a process may have open.
 * Files that are read in order do it themselves at their end. Nobody may be reading.
 */
void csv_source_stop(struct csv_source *source);

/* Of the file on disk. `done` may be asked by any thread. */
uint64_t csv_source_bytes_done(const struct csv_source *source);
uint64_t csv_source_bytes_total(const struct csv_source *source);

#endif
