/* What those who cut a file into chunks share: a chunk's memory, and the scan of its text. */
#ifndef CSV_CHUNK_PRIVATE_H
#define CSV_CHUNK_PRIVATE_H

#include "csv/file.h"
#include "csv/scan/scan.h"

/*
 * Room for `size` bytes and the padding. Keeps the first `kept` of the buffer, which is what `data`
 * points to then.
 */
void chunk_reserve(struct csv_chunk *chunk, size_t size, size_t kept);

/* A scan of the first `size` bytes of `data`, which are known to hold quotes. Forgets all ends. */
struct csv_scan chunk_scan_start(
	struct csv_chunk *chunk, size_t size, const struct csv_format *format, enum csv_isa isa);

/*
 * Scans to the end of the text and adds to the ends of its fields. False when some quotes are not
 * where they should be, or a record has very many fields: such text is scanned again when it is
 * decoded.
 */
bool chunk_scan(struct csv_chunk *chunk, struct csv_scan *scan);

/*
 * Forgets the ends of the last record unless it ends in a newline, so that a scan can go on from
 * its start when there is more text.
 */
void chunk_drop_unfinished(struct csv_chunk *chunk, struct csv_scan *scan);

#endif
