#include "base/file.h"

#include "base/memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES 16384

/* --- reading and writing -------------------------------------------------------------------------
 */

int file_read_rest(int fd, struct buf *out)
{
	for (;;) {
		char piece[READ_BYTES];
		ssize_t got = read(fd, piece, sizeof(piece));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return (int)got;
		buf_append(out, piece, (size_t)got);
		if (buf_overflowed(out))
			return 0;
	}
}

static void close_keeping_errno(int fd)
{
	int number = errno;

	close(fd);
	errno = number;
}

char *file_read(const char *path, size_t size_max, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct buf text;
	int status;

	if (fd < 0)
		return NULL;
	buf_init(&text, size_max + 1);
	status = file_read_rest(fd, &text);
	close_keeping_errno(fd);
	buf_append_char(&text, '\0');
	if (status == 0 && !buf_overflowed(&text)) {
		if (size)
			*size = text.size - 1;
		return text.data;
	}
	if (status == 0)
		errno = EFBIG;
	buf_release(&text);
	return NULL;
}

int file_write_all(int fd, const void *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t wrote = write(fd, (const char *)bytes + done, size - done);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return -1;
		done += (size_t)wrote;
	}
	return 0;
}

/* --- replacing -----------------------------------------------------------------------------------
 */

static char *partial_path_of(const char *path, enum file_writers writers)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t size = strlen(path) + 40;
	char *partial = memory_alloc(size);

	if (writers == FILE_ONE_WRITER)
		snprintf(partial, size, "%s.partial", path);
	else
		snprintf(partial, size, "%.*s.%s.%ld.partial", (int)(name - path), path, name,
			(long)getpid());
	return partial;
}

int file_replacement_open(struct file_replacement *replacement, const char *path,
	enum file_writers writers, mode_t mode)
{
	replacement->path = memory_strdup(path);
	replacement->partial_path = partial_path_of(path, writers);
	unlink(replacement->partial_path);
	replacement->fd =
		open(replacement->partial_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (replacement->fd >= 0)
		return 0;
	file_replacement_release(replacement);
	return -1;
}

static int sync_fd(int fd)
{
	while (fsync(fd) != 0)
		if (errno != EINTR)
			return -1;
	return 0;
}

/* Of the folder that has the entry `path`. */
static int sync_entry(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = memory_strdup(path);
	int fd, status;

	if (slash)
		folder[slash - path + (slash == path)] = '\0';
	fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	status = fd >= 0 ? sync_fd(fd) : -1;
	if (fd >= 0)
		close_keeping_errno(fd);
	free(folder);
	return status;
}

/* Closes it. Some file systems cannot sync; a full or broken disk says so otherwise. */
static int finish_contents(int fd, bool durable)
{
	if (durable && sync_fd(fd) && errno != EINVAL && errno != EROFS) {
		close_keeping_errno(fd);
		return -1;
	}
	return close(fd);
}

int file_replacement_commit(struct file_replacement *replacement, bool durable)
{
	int number;

	assert(replacement->fd >= 0);
	number = finish_contents(replacement->fd, durable) ||
				 rename(replacement->partial_path, replacement->path)
			 ? errno
			 : 0;
	replacement->fd = -1;
	if (number) {
		unlink(replacement->partial_path);
		errno = number;
		return -1;
	}
	/* A folder that may be written but not read cannot be synced: that is not an error. */
	if (durable)
		(void)sync_entry(replacement->path);
	return 0;
}

void file_replacement_release(struct file_replacement *replacement)
{
	int number = errno;

	if (replacement->partial_path && replacement->fd >= 0) {
		close(replacement->fd);
		unlink(replacement->partial_path);
	}
	free(replacement->path);
	free(replacement->partial_path);
	*replacement = (struct file_replacement){.fd = -1};
	errno = number;
}

int file_replace(const char *path, enum file_writers writers, mode_t mode, const void *bytes,
	size_t size, bool durable)
{
	struct file_replacement replacement;
	int status;

	if (file_replacement_open(&replacement, path, writers, mode))
		return -1;
	status = file_write_all(replacement.fd, bytes, size);
	if (status == 0)
		status = file_replacement_commit(&replacement, durable);
	file_replacement_release(&replacement);
	return status;
}

/* --- folders -------------------------------------------------------------------------------------
 */

static int make_one(const char *path, mode_t mode, bool durable, struct error *err)
{
	struct stat info;
	int number;

	if (mkdir(path, mode) == 0) {
		if (!durable || sync_entry(path) == 0)
			return 0;
	} else if (errno == EEXIST) {
		if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
			return 0;
		error_set(err, ERROR_IO, "%s is a file: a folder is needed there", path);
		errno = ENOTDIR;
		return -1;
	}
	number = errno;
	error_set(err, ERROR_IO, "cannot make the folder %s: %s", path, strerror(number));
	errno = number;
	return -1;
}

/* path[0 .. size) and what is above it. */
static int make_path(const char *path, size_t size, mode_t mode, bool durable, struct error *err)
{
	char part[PATH_MAX];

	if (size >= sizeof(part)) {
		error_set(err, ERROR_IO, "the path of a folder is too long: %.60s...", path);
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(part, path, size);
	part[size] = '\0';
	for (size_t end = 1; end <= size; end++) {
		if (end < size && path[end] != '/')
			continue;
		part[end] = '\0';
		if (make_one(part, mode, durable, err))
			return -1;
		part[end] = path[end];
	}
	return 0;
}

int folder_make(const char *path, mode_t mode, bool durable, struct error *err)
{
	size_t size = strlen(path);

	return size ? make_path(path, size, mode, durable, err)
		    : make_one(path, mode, durable, err);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
	(void)info;
	(void)kind;
	(void)place;
	return remove(path) && errno != ENOENT ? -1 : 0;
}

int folder_remove(const char *path, struct error *err)
{
	enum { FOLDERS_OPEN_MAX = 16 };

	if (nftw(path, remove_one, FOLDERS_OPEN_MAX, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT)
		return 0;
	return error_set(err, ERROR_IO, "cannot remove %s: %s", path, strerror(errno));
}

int folder_make_above(const char *path, mode_t mode, struct error *err)
{
	const char *slash = strrchr(path, '/');

	return slash ? make_path(path, (size_t)(slash - path), mode, false, err) : 0;
}
