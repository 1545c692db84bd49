/*
 * Columns of files that were read once, for a session that reads them again.
 *
 * A scan that has come to the end of a file leaves the columns that it parsed, batch by batch as they were,
 * so that whoever reads them next takes them from here at the speed of memory, and parses only what is
 * missing. A file is the same as before while its path, its inode, its size and its times are; what is kept
 * of one that has changed is dropped with the next look at it. Columns are the same while they have a name, a
 * type and a way to be read, of a table that is written in the same way.
 *
 * Nothing is kept of a file of which rows were rejected, so that they are reported each time; of one that was
 * not read to its end; of one that was written to so shortly before that its time does not show whether it
 * was once more; and no column of lists. When there is no room, columns that were not used for long make some.
 *
 * Legal order, for each file of a scan: begin; then, if all columns are there, any number of get; else for each
 * chunk cached_chunk_new, _add for each batch, _put; at last end. Everything but the cache's own making and
 * end is thread-safe.
 */
#ifndef LOCAL_COLUMN_CACHE_H
#define LOCAL_COLUMN_CACHE_H

#include "column/schema.h"
#include "csv/decode.h"

struct column_cache;

struct column_cache *column_cache_new(size_t bytes_max);
void column_cache_free(struct column_cache *cache);
/* Drops what is too much; with 0 all of it, and nothing is kept from now on. No scan is under way. */
void column_cache_resize(struct column_cache *cache, size_t bytes_max);
size_t column_cache_bytes_max(const struct column_cache *cache);

/* A file as a scan reads it. */
struct cached_scan;

/*
 * For the columns of `layout`, of which names, types, readings and guesses count. `counted`: its chunks come
 * with their lines. NULL: nothing is kept of this file. `schema` and `layout` are borrowed.
 */
struct cached_scan *cached_scan_begin(struct column_cache *cache, const char *path,
	const struct table_schema *schema, const struct csv_layout *layout, size_t chunk_bytes,
	bool counted);
/*
 * The scan has ended; frees it, which may be NULL. What was put is kept when it is `whole`, all chunks of the file. `file`
 * says what else there is to know of it, and is NULL when it was not opened. ERROR_IO: the file has changed meanwhile,
 * and what was read is not of one time.
 */
MUST_CHECK int cached_scan_end(
	struct cached_scan *scan, struct csv_file *file, bool whole, struct error *err);

/* All its columns are there: the file need not be opened. */
bool cached_scan_is_whole(const struct cached_scan *scan);
/* Column c is: it need not be parsed. */
bool cached_scan_has(const struct cached_scan *scan, uint32_t c);

/* Of one that is whole: its batches, and how many there are. Borrowed until the scan ends. */
uint32_t cached_scan_batches(const struct cached_scan *scan);
void cached_scan_get(const struct cached_scan *scan, uint32_t index, struct batch *out);
/* What a person should know of the way it was read, one after the other; NULL behind the last. */
const char *cached_scan_note(const struct cached_scan *scan, uint32_t index);

/* A chunk on its way into the cache, of one thread. */
struct cached_chunk;

struct cached_chunk *cached_chunk_new(struct cached_scan *scan, uint64_t number);
/*
 * Copies the columns of the batch that were missing, and sets the others to those that are there. `damaged`: some fields
 * could not be read. ERROR_IO when the file has changed since those were read.
 */
MUST_CHECK int cached_chunk_add(
	struct cached_chunk *chunk, struct batch *batch, bool damaged, struct error *err);
/* The chunk is done; frees it. `share`: how much of the file was read so far, from 0 to 1. */
void cached_chunk_put(struct cached_chunk *chunk, double share);
/* The chunk is not done; frees it. */
void cached_chunk_free(struct cached_chunk *chunk);
/* Nothing of this scan is to be kept: a row was rejected. */
void cached_scan_give_up(struct cached_scan *scan);

#endif
