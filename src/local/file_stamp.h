/* By which a file is known to be the same as before. */
#ifndef LOCAL_FILE_STAMP_H
#define LOCAL_FILE_STAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct file_stamp {
	dev_t device;
	ino_t inode;
	off_t size;
	int64_t modified_ns;
	int64_t changed_ns;
};

/*
 * Of a file, the archive that it is in, or for "-" what came from the standard input. False when there is none.
 * `settled`: a change of it will show. Right after a file was written to it may be written to again within the
 * same tick of the system's clock.
 */
bool file_stamp_take(const char *path, struct file_stamp *out, bool *settled);

bool file_stamp_equal(const struct file_stamp *a, const struct file_stamp *b);

#endif
