#include "base/lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Somebody would have to remove the file this often, each time between two of our calls. */
#define TRIES_MAX 100

static int try_lock(int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(fd, F_OFD_SETLK, &lock);
}

bool lock_file_has_name(int fd, int folder_fd, const char *path)
{
	struct stat ours, named;

	return fstat(fd, &ours) == 0 &&
	       fstatat(folder_fd, path, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

enum lock_file_status lock_file_take(int folder_fd, const char *path, int *fd)
{
	int number = EBUSY;

	for (int turn = 0; turn < TRIES_MAX; turn++) {
		*fd = openat(folder_fd, path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (*fd < 0)
			return LOCK_FILE_FAILED;
		if (try_lock(*fd) == 0) {
			if (lock_file_has_name(*fd, folder_fd, path))
				return LOCK_FILE_TAKEN;
		} else if (errno == EAGAIN || errno == EACCES) {
			return LOCK_FILE_BUSY;
		} else if (errno != EINTR) {
			number = errno;
			turn = TRIES_MAX;
		}
		close(*fd);
	}
	*fd = -1;
	errno = number;
	return LOCK_FILE_FAILED;
}

bool lock_file_is_held(int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void lock_file_remove(int folder_fd, const char *path, int fd)
{
	unlinkat(folder_fd, path, 0);
	close(fd);
}
