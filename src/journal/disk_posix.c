#include "journal/disk_posix.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/lock_file.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "base/random.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/falloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#define LOCK_NAME  ".lock"
#define LOCK_TEXT  64 /* bytes of the lock file: "PID TOKEN\n" */
#define DEPTH_MAX  (DISK_PATH_MAX / 2)
#define PIECES_MAX 64 /* buffers a system call */
/*
 * Bytes a system call. Linux takes larger folios for larger writes, and a virtual machine may have
 * to find memory for those first: writes of 512 KB and more took one to eight times as long.
 */
#define WRITE_BYTES (128u << 10)
#define NAMES_MAX   (16u << 20)
/* Less than that is not worth the call that gives it back. */
#define DISCARD_BYTES_MIN (32u << 10)
#define TEMPORARY_NAME	  "temporary" /* of what has no name, in messages */
#define SETTLED_SLOTS	  256

struct disk_posix {
	struct disk disk;
	char *folder; /* as the caller named it: for messages */
	int folder_fd;
	int lock_fd;
	ino_t lock_inode;
	dev_t lock_device;
	char lock_text[LOCK_TEXT];
	bool only_looks;
	_Atomic bool fenced;
	_Atomic uint32_t files_open;
	/* Hashes of folders that this process has made durable, with those above them. */
	_Atomic uint64_t settled[SETTLED_SLOTS];
};

struct posix_file {
	struct disk_file file;
	int fd;
	char path[DISK_PATH_MAX];
};

static struct disk_posix *posix_of(struct disk *disk)
{
	return (struct disk_posix *)disk;
}

/* -- Errors -- */

static const char *advice(int number)
{
	switch (number) {
	case ENOSPC:
	case EDQUOT: return "; free space there, it is tried again";
	case EIO: return "; the device reports errors, check it with dmesg";
	case EROFS: return "; the file system is read-only, check it with dmesg";
	case EACCES:
	case EPERM: return "; check who owns the folder";
	case EMFILE:
	case ENFILE: return "; raise the limit of open files (ulimit -n)";
	default: return "";
	}
}

static int failed(const struct disk_posix *posix, const char *what, const char *path, int number,
	struct error *err)
{
	return error_set(err, ERROR_IO, "cannot %s %s/%s: %s%s", what, posix->folder, path,
		strerror(number), advice(number));
}

static int path_check(const char *path, struct error *err)
{
	if (disk_path_valid(path))
		return 0;
	return error_set(err, ERROR_USAGE,
		"\"%.*s\" is not a path of a node's file: parts of letters, digits, '.', '-' and "
		"'_', "
		"up to %d bytes in all",
		DISK_PATH_MAX, path, DISK_PATH_MAX - 1);
}

/* -- One owner -- */

static int fenced(struct disk_posix *posix, const char *why, struct error *err)
{
	atomic_store(&posix->fenced, true);
	return error_set(err, ERROR_FENCED,
		"another process has taken %s (%s): this one must not write there any more and "
		"stops",
		posix->folder, why);
}

/*
 * Asked before every change. Our descriptor keeps the inode alive, so that no other file can get
 * its number.
 */
static int ownership_check(struct disk_posix *posix, struct error *err)
{
	char text[LOCK_TEXT];
	struct stat status;
	ssize_t size;

	if (posix->only_looks)
		return error_set(err, ERROR_FENCED, "%s is only looked at", posix->folder);
	if (atomic_load(&posix->fenced))
		return fenced(posix, "found before", err);
	if (fstatat(posix->folder_fd, LOCK_NAME, &status, AT_SYMLINK_NOFOLLOW) != 0) {
		if (errno == ENOENT)
			return fenced(posix, "its lock file is gone", err);
		return failed(posix, "check", LOCK_NAME, errno, err);
	}
	if (status.st_ino != posix->lock_inode || status.st_dev != posix->lock_device)
		return fenced(posix, "its lock file was replaced", err);
	do
		size = pread(posix->lock_fd, text, sizeof(text), 0);
	while (size < 0 && errno == EINTR);
	if (size < 0)
		return failed(posix, "check", LOCK_NAME, errno, err);
	if (size != LOCK_TEXT || memcmp(text, posix->lock_text, LOCK_TEXT) != 0)
		return fenced(posix, "its lock file has another owner's token", err);
	return 0;
}

static int lock_denied(const struct disk_posix *posix, struct error *err)
{
	char text[LOCK_TEXT + 1] = "";
	ssize_t size = pread(posix->lock_fd, text, LOCK_TEXT, 0);
	long pid = size > 0 ? strtol(text, NULL, 10) : 0;

	if (pid > 0)
		return error_set(err, ERROR_IO,
			"%s belongs to a running process, pid %ld: stop it, or name another folder",
			posix->folder, pid);
	return error_set(err, ERROR_IO,
		"%s belongs to another running process: stop it, or name another folder",
		posix->folder);
}

static int lock_sign(struct disk_posix *posix, struct error *err)
{
	uint64_t token[2];
	int size;

	if (random_bytes(token, sizeof(token)))
		return failed(posix, "make a token for", LOCK_NAME, errno, err);
	memset(posix->lock_text, ' ', LOCK_TEXT);
	size = snprintf(posix->lock_text, LOCK_TEXT, "%ld %016llx%016llx", (long)getpid(),
		(unsigned long long)token[0], (unsigned long long)token[1]);
	assert(size > 0 && size < LOCK_TEXT - 1);
	posix->lock_text[size] = ' ';
	posix->lock_text[LOCK_TEXT - 1] = '\n';
	/* Always the same length: a full disk cannot refuse it once the file is there. */
	if (pwrite(posix->lock_fd, posix->lock_text, LOCK_TEXT, 0) != LOCK_TEXT ||
		ftruncate(posix->lock_fd, LOCK_TEXT) != 0)
		return failed(posix, "write", LOCK_NAME, errno ? errno : ENOSPC, err);
	return 0;
}

static int lock_take(struct disk_posix *posix, struct error *err)
{
	struct stat info;

	switch (lock_file_take(posix->folder_fd, LOCK_NAME, &posix->lock_fd)) {
	case LOCK_FILE_BUSY: return lock_denied(posix, err);
	case LOCK_FILE_TAKEN:
		if (fstat(posix->lock_fd, &info) == 0) {
			posix->lock_inode = info.st_ino;
			posix->lock_device = info.st_dev;
			return lock_sign(posix, err);
		}
		break;
	case LOCK_FILE_FAILED: break;
	}
	return failed(posix, "lock", LOCK_NAME, errno, err);
}

/* -- Folders -- */

static int sync_folder(struct disk_posix *posix, int fd, const char *path, struct error *err)
{
	while (fsync(fd) != 0)
		if (errno != EINTR)
			return failed(posix, "sync the folder of", path, errno, err);
	return 0;
}

/* Steps down to a folder in `at`, which is closed; -1 with errno. */
static int folder_enter(int at, const char *name, bool create, bool settled)
{
	int next = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), number;

	if (next < 0 && errno == ENOENT && create) {
		if (mkdirat(at, name, 0700) == 0 || errno == EEXIST)
			next = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		settled = false;
	}
	if (next >= 0 && create && !settled && fsync(at) != 0) {
		number = errno;
		close(next);
		errno = number;
		next = -1;
	}
	number = errno;
	close(at);
	errno = number;
	return next;
}

/*
 * A descriptor of the folder that `path` lies in, or -1 with errno. With `create` it is made, and
 * the entries on the way are durable: also those that were there, because whoever made them may
 * have died before its sync. A sync costs milliseconds, so each is done once.
 */
static int parent_open(struct disk_posix *posix, const char *path, bool create)
{
	int at = fcntl(posix->folder_fd, F_DUPFD_CLOEXEC, 0);
	const char *last = strrchr(path, '/');
	uint64_t hash = last ? hash_bytes(path, (size_t)(last - path)) : 0;
	_Atomic uint64_t *slot = &posix->settled[hash % SETTLED_SLOTS];
	bool settled = atomic_load(slot) == hash;

	for (const char *slash; at >= 0 && (slash = strchr(path, '/')) != NULL; path = slash + 1) {
		char part[DISK_PATH_MAX];

		memcpy(part, path, (size_t)(slash - path));
		part[slash - path] = '\0';
		at = folder_enter(at, part, create, settled);
	}
	if (at >= 0 && create)
		atomic_store(slot, hash);
	return at;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* -- Files -- */

static struct disk_file *file_new(struct disk_posix *posix, int fd, const char *path)
{
	struct posix_file *file = memory_zalloc(sizeof(*file));

	file->file.disk = &posix->disk;
	file->fd = fd;
	snprintf(file->path, sizeof(file->path), "%s", path);
	atomic_fetch_add(&posix->files_open, 1);
	return &file->file;
}

static int posix_open(
	struct disk *disk, const char *path, bool create, struct disk_file **out, struct error *err)
{
	struct disk_posix *posix = posix_of(disk);
	int flags = (posix->only_looks ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NOFOLLOW |
		    (create ? O_CREAT : 0);
	int parent, fd = -1, number;

	*out = NULL;
	if (path_check(path, err) != 0 || (create && ownership_check(posix, err) != 0))
		return -1;
	parent = parent_open(posix, path, create);
	if (parent >= 0) {
		do
			fd = openat(parent, last_part(path), flags, 0600);
		while (fd < 0 && errno == EINTR);
		number = errno;
		if (fd >= 0 && create && sync_folder(posix, parent, path, err) != 0) {
			close(fd);
			close(parent);
			return -1;
		}
		close(parent);
		errno = number;
	}
	if (fd < 0)
		return failed(posix, create ? "create" : "open", path, errno, err);
	*out = file_new(posix, fd, path);
	return 0;
}

/* Not every file system has files without a name. */
static int open_unlinked(struct disk_posix *posix)
{
	char path[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%s/.temporary-XXXXXX", posix->folder) >=
		(int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static int posix_open_temporary(struct disk *disk, struct disk_file **out, struct error *err)
{
	struct disk_posix *posix = posix_of(disk);
	int fd;

	*out = NULL;
	if (ownership_check(posix, err) != 0)
		return -1;
	fd = openat(posix->folder_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		fd = open_unlinked(posix);
	if (fd < 0)
		return failed(posix, "create", TEMPORARY_NAME, errno, err);
	*out = file_new(posix, fd, TEMPORARY_NAME);
	return 0;
}

static void posix_discard(struct disk_file *handle, uint64_t offset, uint64_t size)
{
	struct posix_file *file = (struct posix_file *)handle;

	if (size >= DISCARD_BYTES_MIN)
		(void)!fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			(off_t)offset, (off_t)size);
}

static int posix_size(struct disk_file *handle, uint64_t *size, struct error *err)
{
	struct posix_file *file = (struct posix_file *)handle;
	struct stat status;

	if (fstat(file->fd, &status) != 0)
		return failed(posix_of(handle->disk), "stat", file->path, errno, err);
	*size = (uint64_t)status.st_size;
	return 0;
}

static int posix_read(
	struct disk_file *handle, uint64_t offset, void *bytes, size_t size, struct error *err)
{
	struct posix_file *file = (struct posix_file *)handle;
	struct disk_posix *posix = posix_of(handle->disk);
	char *to = bytes;

	while (size > 0) {
		ssize_t got = pread(file->fd, to, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return failed(posix, "read", file->path, errno, err);
		if (got == 0)
			return error_set(err, ERROR_DATA,
				"%s/%s ends at byte %llu, where %zu more are expected",
				posix->folder, file->path, (unsigned long long)offset, size);
		to += got;
		offset += (uint64_t)got;
		size -= (size_t)got;
		metric_add(METRIC_DISK_READ, (uint64_t)got);
	}
	return 0;
}

/* The buffers from byte `skip` of the first piece on, as many as one system call takes. */
static int gather(struct iovec vectors[PIECES_MAX], const struct disk_piece *pieces, uint32_t count,
	size_t skip)
{
	size_t room = WRITE_BYTES;
	int used = 0;

	for (uint32_t i = 0; i < count && used < PIECES_MAX && room > 0; i++, skip = 0) {
		size_t size = pieces[i].size - skip < room ? pieces[i].size - skip : room;

		assert(skip <= pieces[i].size);
		if (size == 0)
			continue;
		vectors[used].iov_base = (char *)(uintptr_t)pieces[i].bytes + skip;
		vectors[used++].iov_len = size;
		room -= size;
	}
	return used;
}

static int posix_write(struct disk_file *handle, uint64_t offset, const struct disk_piece *pieces,
	uint32_t count, struct error *err)
{
	struct posix_file *file = (struct posix_file *)handle;
	struct disk_posix *posix = posix_of(handle->disk);
	size_t skip = 0;

	if (ownership_check(posix, err) != 0)
		return -1;
	for (;;) {
		struct iovec vectors[PIECES_MAX];
		int used = gather(vectors, pieces, count, skip);
		ssize_t put;

		if (used == 0)
			return 0;
		put = pwritev(file->fd, vectors, used, (off_t)offset);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return failed(posix, "write", file->path, put < 0 ? errno : ENOSPC, err);
		metric_add(METRIC_DISK_WRITTEN, (uint64_t)put);
		offset += (uint64_t)put;
		skip += (size_t)put;
		while (count > 0 && skip >= pieces->size) {
			skip -= pieces->size;
			pieces++;
			count--;
		}
	}
}

static int posix_sync(struct disk_file *handle, struct error *err)
{
	struct posix_file *file = (struct posix_file *)handle;
	struct disk_posix *posix = posix_of(handle->disk);
	uint64_t begun_us;

	if (ownership_check(posix, err) != 0)
		return -1;
	begun_us = clock_monotonic_us();
	while (fdatasync(file->fd) != 0)
		if (errno != EINTR)
			return failed(posix, "sync", file->path, errno, err);
	metric_observe_us(METRIC_DISK_SYNC, clock_monotonic_us() - begun_us);
	return 0;
}

static int posix_truncate(struct disk_file *handle, uint64_t size, struct error *err)
{
	struct posix_file *file = (struct posix_file *)handle;
	struct disk_posix *posix = posix_of(handle->disk);

	if (ownership_check(posix, err) != 0)
		return -1;
	while (ftruncate(file->fd, (off_t)size) != 0)
		if (errno != EINTR)
			return failed(posix, "truncate", file->path, errno, err);
	while (fsync(file->fd) != 0)
		if (errno != EINTR)
			return failed(posix, "sync", file->path, errno, err);
	return 0;
}

static void posix_close(struct disk_file *handle)
{
	struct posix_file *file = (struct posix_file *)handle;
	uint32_t open = atomic_fetch_sub(&posix_of(handle->disk)->files_open, 1);

	assert(open > 0);
	close(file->fd);
	free(file);
}

/* -- Removing and listing -- */

static int remove_entry(int at, const char *name, uint32_t depth);

/* Takes `fd` over. */
static int remove_content(int fd, uint32_t depth)
{
	DIR *folder = fdopendir(fd);
	struct dirent *entry;
	int number = 0;

	if (!folder) {
		number = errno;
		close(fd);
		return number;
	}
	while (number == 0 && (errno = 0, entry = readdir(folder)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			number = remove_entry(fd, entry->d_name, depth);
	if (number == 0)
		number = errno;
	closedir(folder);
	return number;
}

/* 0 or the system's error number. */
static int remove_entry(int at, const char *name, uint32_t depth)
{
	int fd, number;

	if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
		return 0;
	/* EPERM is what POSIX has for a folder, EISDIR what Linux says. */
	if (errno != EISDIR && errno != EPERM)
		return errno;
	if (depth == 0)
		return ELOOP;
	number = errno;
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOTDIR ? number : errno;
	number = remove_content(fd, depth - 1);
	if (number == 0 && unlinkat(at, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
		number = errno;
	return number;
}

static int posix_remove(struct disk *disk, const char *path, struct error *err)
{
	struct disk_posix *posix = posix_of(disk);
	int parent, number, status;

	if (path_check(path, err) != 0 || ownership_check(posix, err) != 0)
		return -1;
	parent = parent_open(posix, path, false);
	if (parent < 0)
		return errno == ENOENT ? 0 : failed(posix, "remove", path, errno, err);
	for (uint32_t i = 0; i < SETTLED_SLOTS; i++)
		atomic_store(&posix->settled[i], 0);
	number = remove_entry(parent, last_part(path), DEPTH_MAX);
	status = number == 0 ? sync_folder(posix, parent, path, err)
			     : failed(posix, "remove", path, number, err);
	close(parent);
	return status;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the names that stand in `unsorted` into `names`. */
static void sort_names(const struct buf *unsorted, uint32_t count, struct buf *names)
{
	char **list = memory_alloc((count + 1) * sizeof(*list));
	char *at = unsorted->data;

	for (uint32_t i = 0; i < count; i++, at += strlen(at) + 1)
		list[i] = at;
	qsort(list, count, sizeof(*list), compare_names);
	for (uint32_t i = 0; i < count; i++)
		buf_append(names, list[i], strlen(list[i]) + 1);
	free(list);
}

static int posix_list(struct disk *disk, const char *path, struct buf *names, struct error *err)
{
	struct disk_posix *posix = posix_of(disk);
	char inside[DISK_PATH_MAX + 2];
	struct dirent *entry;
	struct buf unsorted;
	uint32_t count = 0;
	DIR *folder = NULL;
	int fd, number;

	buf_clear(names);
	if (path[0] != '\0' && path_check(path, err) != 0)
		return -1;
	/* With a dot behind the slash the parent of the path is the folder itself. */
	snprintf(inside, sizeof(inside), "%s%s", path, path[0] ? "/." : ".");
	fd = parent_open(posix, inside, false);
	if (fd < 0)
		return errno == ENOENT ? 0 : failed(posix, "list", path, errno, err);
	/* A descriptor of its own: that of the disk's folder shares its place in the list. */
	number = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(fd);
	folder = number >= 0 ? fdopendir(number) : NULL;
	if (!folder) {
		fd = errno;
		if (number >= 0)
			close(number);
		return failed(posix, "list", path, fd, err);
	}
	buf_init(&unsorted, NAMES_MAX);
	while ((errno = 0, entry = readdir(folder)) != NULL) {
		if (!disk_name_valid(entry->d_name, strlen(entry->d_name)))
			continue;
		buf_append(&unsorted, entry->d_name, strlen(entry->d_name) + 1);
		count++;
	}
	number = errno;
	closedir(folder);
	if (!buf_overflowed(&unsorted))
		sort_names(&unsorted, count, names);
	if (number != 0)
		failed(posix, "list", path, number, err);
	else if (buf_overflowed(&unsorted) || buf_overflowed(names))
		number = error_set(
			err, ERROR_LIMIT, "%s/%s has too many files", posix->folder, path);
	buf_release(&unsorted);
	return number == 0 ? 0 : -1;
}

static int posix_room(struct disk *disk, uint64_t *left, uint64_t *whole, struct error *err)
{
	struct disk_posix *posix = posix_of(disk);
	struct statvfs status;

	if (fstatvfs(posix->folder_fd, &status))
		return failed(posix, "measure", "", errno, err);
	/* Without what only root may use. */
	*left = (uint64_t)status.f_bavail * status.f_frsize;
	*whole = (uint64_t)status.f_blocks * status.f_frsize;
	return 0;
}

static const struct disk_ops posix_ops = {
	.open = posix_open,
	.size = posix_size,
	.read = posix_read,
	.write = posix_write,
	.sync = posix_sync,
	.truncate = posix_truncate,
	.close = posix_close,
	.remove = posix_remove,
	.list = posix_list,
	.room = posix_room,
	.open_temporary = posix_open_temporary,
	.discard = posix_discard,
};

/* -- The disk -- */

static struct disk_posix *posix_new(const char *folder)
{
	struct disk_posix *posix = memory_zalloc(sizeof(*posix));

	posix->disk.ops = &posix_ops;
	posix->folder = memory_strdup(folder);
	posix->folder_fd = posix->lock_fd = -1;
	return posix;
}

static int folder_open(struct disk_posix *posix, struct error *err)
{
	posix->folder_fd = open(posix->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (posix->folder_fd >= 0)
		return 0;
	return error_set(err, ERROR_IO, "cannot open the folder %s: %s%s", posix->folder,
		strerror(errno), advice(errno));
}

int disk_posix_open(struct disk **out, const char *folder, struct error *err)
{
	struct disk_posix *posix = posix_new(folder);

	*out = NULL;
	if (folder_make(folder, 0700, true, err) != 0 || folder_open(posix, err) != 0 ||
		lock_take(posix, err) != 0) {
		disk_posix_close(&posix->disk);
		return -1;
	}
	*out = &posix->disk;
	return 0;
}

int disk_posix_look(struct disk **out, const char *folder, bool *is_owned, struct error *err)
{
	struct disk_posix *posix = posix_new(folder);

	*out = NULL;
	posix->only_looks = true;
	if (folder_open(posix, err) != 0) {
		disk_posix_close(&posix->disk);
		return -1;
	}
	/* It is asked, and never taken: a look keeps nobody from starting. */
	posix->lock_fd =
		openat(posix->folder_fd, LOCK_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	*is_owned = posix->lock_fd >= 0 && lock_file_is_held(posix->lock_fd);
	*out = &posix->disk;
	return 0;
}

void disk_posix_close(struct disk *disk)
{
	struct disk_posix *posix = disk ? posix_of(disk) : NULL;

	if (!posix)
		return;
	assert(atomic_load(&posix->files_open) == 0);
	/* The lock file stays: removing it would let two processes lock two files of one name. */
	if (posix->lock_fd >= 0)
		close(posix->lock_fd);
	if (posix->folder_fd >= 0)
		close(posix->folder_fd);
	free(posix->folder);
	free(posix);
}
