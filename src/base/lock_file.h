/*
 * A lock that a process holds by a file and that ends with the process, however that ends.
 *
 * The lock is one of an open file (F_OFD_SETLK): another process, and another descriptor of the
 * same process, can ask for it without taking it, so that a look never keeps anybody from starting.
 *
 * Lock files are left where they are, but for lock_file_remove: it may remove one because whoever
 * takes a lock then makes sure that the file it has locked still has the name. Without that, one
 * process could lock the removed file and another the new one.
 */
#ifndef BASE_LOCK_FILE_H
#define BASE_LOCK_FILE_H

#include "base/error.h"

#include <stdbool.h>

enum lock_file_status {
	LOCK_FILE_FAILED = -1, /* errno says why */
	LOCK_FILE_TAKEN = 0,   /* by us: *fd holds it until it is closed */
	LOCK_FILE_BUSY = 1,    /* another has it: *fd is open, to read who, and to be closed */
};

/*
 * Makes the file when it is missing. `folder_fd` as in openat: AT_FDCWD for a plain path. A
 * symbolic link is refused (ELOOP). *fd is -1 after LOCK_FILE_FAILED; EBUSY then means that the
 * file was replaced again and again. Does not wait.
 */
MUST_CHECK enum lock_file_status lock_file_take(int folder_fd, const char *path, int *fd);

/* Whether the file that `fd` has open is still the one of that name: somebody may have deleted it. */
bool lock_file_has_name(int fd, int folder_fd, const char *path);

/* Whether any other open file than `fd` has the lock. */
bool lock_file_is_held(int fd);

/* Removes the file of a lock that we hold, and gives it up. */
void lock_file_remove(int folder_fd, const char *path, int fd);

#endif
