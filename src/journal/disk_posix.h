/*
 * A folder of a real file system as a node's disk.
 *
 * Its owner holds an flock on the file .lock in it, which also names the owner's process and a
 * random token. Before anything is changed the owner looks whether the lock file is still that one
 * (two cheap system calls): where flock does not reach, on some network file systems, or where
 * somebody deleted the lock, another process may have taken the folder, and then every change is
 * ERROR_FENCED. A change that was under way at that very moment cannot be stopped this way.
 *
 * Different files may be used by different threads at the same time.
 */
#ifndef JOURNAL_DISK_POSIX_H
#define JOURNAL_DISK_POSIX_H

#include "journal/disk.h"

/*
 * Makes the folder, and those above it, when it is not there. ERROR_IO when another process owns
 * it.
 */
MUST_CHECK int disk_posix_open(struct disk **out, const char *folder, struct error *err);
/*
 * Without taking it, or making anything: every call that would change something fails with
 * ERROR_FENCED. *is_owned: another process has it, and may change it meanwhile.
 */
MUST_CHECK int disk_posix_look(
	struct disk **out, const char *folder, bool *is_owned, struct error *err);
/* Gives the folder up. All files must be closed. NULL is allowed. */
void disk_posix_close(struct disk *disk);

#endif
