/*
 * A temporary file for what does not fit into memory (exec/table/spill.h): compressed, with a sum over
 * every piece. It has no name, so that nothing is left of it whatever becomes of the process.
 */
#ifndef LOCAL_SPILL_FILE_H
#define LOCAL_SPILL_FILE_H

#include "exec/table/spill.h"

struct spill_file;

/*
 * `folder` NULL: $TMPDIR, or /tmp; borrowed. It is not looked at before something is written. A file of
 * more than `size_max` bytes is ERROR_LIMIT; 0: there is no such limit.
 */
struct spill_file *spill_file_new(const char *folder, uint64_t size_max);
void spill_file_free(struct spill_file *file);
/* Borrowed: as long as the file. */
struct spill_store *spill_file_store(struct spill_file *file);
/* Bytes that were written, all in all. */
uint64_t spill_file_written(const struct spill_file *file);

#endif
