#include "local/spill_file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Less than that is not worth the call. */
#define PUNCH_BYTES_MIN (32u << 10)

struct spill_file {
	struct spill_store store; /* first */
	char *folder;
	uint64_t size_max;
	pthread_mutex_t lock; /* for opening */
	int fd;		      /* -1: nothing was written */
	_Atomic uint64_t end;
	_Atomic uint64_t held; /* what was dropped does not count */
	_Atomic uint64_t written;
};

static int open_file(struct spill_file *file, struct error *err)
{
	char path[4096];
	int status = 0;

	pthread_mutex_lock(&file->lock);
	if (file->fd < 0)
		file->fd = open(file->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	/* Not every file system has files without a name. */
	if (file->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR) &&
		snprintf(path, sizeof(path), "%s/.tamiz-XXXXXX", file->folder) <
			(int)sizeof(path)) {
		file->fd = mkostemp(path, O_CLOEXEC);
		if (file->fd >= 0)
			unlink(path);
	}
	if (file->fd < 0)
		status = error_set(err, ERROR_IO,
			"cannot make a temporary file in %s: %s (--temp DIR names a folder with "
			"room)",
			file->folder, strerror(errno));
	pthread_mutex_unlock(&file->lock);
	return status;
}

static int write_failed(const struct spill_file *file, struct error *err)
{
	return error_set(err, ERROR_IO,
		"cannot write a temporary file in %s: %s (--temp DIR names a folder with room)",
		file->folder, strerror(errno));
}

static int write_at(
	struct spill_file *file, const char *bytes, size_t size, uint64_t at, struct error *err)
{
	while (size > 0) {
		ssize_t done = pwrite(file->fd, bytes, size, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return write_failed(file, err);
		bytes += done;
		size -= (size_t)done;
		at += (uint64_t)done;
	}
	return 0;
}

static int spill_write(struct spill_store *store, const void *bytes, size_t size,
	struct spill_piece *out, struct error *err)
{
	struct spill_file *file = (struct spill_file *)store;
	char *packed = spill_pack(bytes, size, out);
	uint64_t stored = out->stored;
	int status = 0;

	if (file->size_max && atomic_fetch_add(&file->held, stored) + stored > file->size_max)
		status = error_set(err, ERROR_LIMIT,
			"what does not fit into memory takes more than %llu MB in %s: --temp-max "
			"says how "
			"much it may be",
			(unsigned long long)(file->size_max >> 20), file->folder);
	if (!status)
		status = open_file(file, err);
	if (!status) {
		out->at = atomic_fetch_add(&file->end, stored);
		status = write_at(file, packed, stored, out->at, err);
	}
	atomic_fetch_add(&file->written, stored);
	free(packed);
	return status;
}

static int damaged(const struct spill_file *file, struct error *err)
{
	return error_set(err, ERROR_IO,
		"a temporary file in %s does not hold what was written to it: is the disk damaged?",
		file->folder);
}

static int spill_read(
	struct spill_store *store, const struct spill_piece *piece, void *bytes, struct error *err)
{
	struct spill_file *file = (struct spill_file *)store;
	char *packed = memory_alloc(piece->stored);
	int status = 0;

	for (uint64_t done = 0; done < piece->stored && !status;) {
		ssize_t got = pread(
			file->fd, packed + done, piece->stored - done, (off_t)(piece->at + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			status = error_set(err, ERROR_IO, "cannot read a temporary file in %s: %s",
				file->folder, strerror(errno));
		else if (got == 0)
			status = damaged(file, err);
		else
			done += (uint64_t)got;
	}
	if (!status && spill_unpack(piece, packed, bytes))
		status = damaged(file, err);
	free(packed);
	return status;
}

/* Gives the room back where the file system can. */
static void spill_drop(struct spill_store *store, const struct spill_piece *piece)
{
	struct spill_file *file = (struct spill_file *)store;

	if (file->size_max)
		atomic_fetch_sub(&file->held, piece->stored);
	if (file->fd >= 0 && piece->stored >= PUNCH_BYTES_MIN)
		(void)!fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			(off_t)piece->at, (off_t)piece->stored);
}

struct spill_file *spill_file_new(const char *folder, uint64_t size_max)
{
	struct spill_file *file = memory_zalloc(sizeof(*file));
	const char *usual = getenv("TMPDIR");

	if (!folder)
		folder = usual && *usual ? usual : "/tmp";
	file->store =
		(struct spill_store){.write = spill_write, .read = spill_read, .drop = spill_drop};
	file->folder = memory_strdup(folder);
	file->size_max = size_max;
	file->fd = -1;
	pthread_mutex_init(&file->lock, NULL);
	return file;
}

void spill_file_free(struct spill_file *file)
{
	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	pthread_mutex_destroy(&file->lock);
	free(file->folder);
	free(file);
}

struct spill_store *spill_file_store(struct spill_file *file)
{
	return &file->store;
}

uint64_t spill_file_written(const struct spill_file *file)
{
	return atomic_load(&file->written);
}
