/*
 * What a process writes down when it ends against its will: whether memory was missing, or which
 * signal came, and in which piece of work (role/work_record.h). One per process.
 */
#ifndef NODE_LAST_WORDS_H
#define NODE_LAST_WORDS_H

#include "role/work_record.h"

/*
 * The record in `folder`, mapped so that it outlives the process; a life begins with it. NULL when the
 * disk does not allow it: then nobody is suspected of anything. It stays until the process has ended.
 */
struct work_record *last_words_open(const char *folder);

/*
 * Whether the record in `folder` can be read: ERROR_DATA when not. One that is not there is well.
 * Changes nothing.
 */
#define LAST_WORDS_NAME ".work" /* with a dot: it is not part of the disk (journal/disk.h) */
MUST_CHECK int last_words_verify(const char *folder, struct error *err);
/* Removes it: nobody is suspected of anything any more. */
MUST_CHECK int last_words_remove(const char *folder, struct error *err);

#endif
