/*
 * Files read whole, written completely, and replaced in one step.
 *
 * Calls without a struct error set errno: only the caller knows what the file is to the user.
 *
 * A file is replaced by writing another one beside it and renaming that: whoever looks, and
 * whatever dies in between, finds the old contents or the new ones, never a part.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buf.h"
#include "base/error.h"

#include <sys/types.h>

/* Appends what is left to read, up to the maximum of `out`, which overflows when there is more. */
MUST_CHECK int file_read_rest(int fd, struct buf *out);
/*
 * The whole of a file, with a zero behind it that *size does not count; `size` may be NULL. The
 * caller frees it. NULL with errno, which is EFBIG when it has more than `size_max` bytes.
 */
char *file_read(const char *path, size_t size_max, size_t *size);
/* Every byte, however many calls it takes. */
MUST_CHECK int file_write_all(int fd, const void *bytes, size_t size);

/* How the file beside the one that is replaced is called, so that no two writers meet in it. */
enum file_writers {
	/*
	 * PATH.partial, for files that only one process writes at a time. What a killed process
	 * left there is overwritten by the next.
	 */
	FILE_ONE_WRITER,
	/* FOLDER/.NAME.PID.partial, for files that anybody may write at any time. */
	FILE_MANY_WRITERS,
};

/*
 * Legal order: open, writes to `fd`, commit, release; release alone leaves the file as it was.
 * Neither partial name ends as the file's does, so that a pattern such as *.csv finds neither.
 */
struct file_replacement {
	int fd; /* where the new contents go; -1 when it is not open */
	char *path;
	char *partial_path;
};

/* Anything that has the name of the partial file is removed first. After -1 nothing is open. */
MUST_CHECK int file_replacement_open(struct file_replacement *replacement, const char *path,
	enum file_writers writers, mode_t mode);
/*
 * Gives the file its name and closes it. With `durable`, contents and name survive a loss of power
 * from then on. After -1 the file is as it was.
 */
MUST_CHECK int file_replacement_commit(struct file_replacement *replacement, bool durable);
/* May be called again, and for one that is all zeros. Keeps errno. */
void file_replacement_release(struct file_replacement *replacement);

/* All of it at once. */
MUST_CHECK int file_replace(const char *path, enum file_writers writers, mode_t mode,
	const void *bytes, size_t size, bool durable);

/*
 * Makes a folder and those above it that are missing; with `durable`, they survive a loss of power.
 * One that exists is left as it is. ERROR_IO, with errno set as well: ENOTDIR when a file has the
 * name of one of them.
 */
MUST_CHECK int folder_make(const char *path, mode_t mode, bool durable, struct error *err);
/* Removes a folder with all that is in it, or a file. What is not there is no error. */
MUST_CHECK int folder_remove(const char *path, struct error *err);
/* The folders above a file. */
MUST_CHECK int folder_make_above(const char *path, mode_t mode, struct error *err);

#endif
