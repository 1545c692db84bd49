/*
 * The files of a node, as an interface: the real disk, and one in memory on which tests lose, tear
 * and refuse writes.
 *
 * Paths are relative to the disk's folder, with '/' between the parts; a part has letters, digits,
 * '.', '-' and '_', and does not start with a dot. Nothing is durable before disk_sync of the file;
 * the existence, the name and the removal of files are durable when the call that changes them
 * returns.
 *
 * A disk has one owner: whoever opens it takes it. One that was taken over by another process is
 * fenced: every call that would change something fails with ERROR_FENCED, and its process must
 * stop.
 */
#ifndef JOURNAL_DISK_H
#define JOURNAL_DISK_H

#include "base/buf.h"
#include "base/error.h"

#include <stdint.h>

#define DISK_PATH_MAX 192

struct disk;
struct disk_file;

/*
 * Whether `path` keeps to the rules above. The calls below answer one that does not with
 * ERROR_USAGE: parts of paths may be ids that came from outside.
 */
bool disk_path_valid(const char *path);
/* The same for a single part; `size` bytes of it. */
bool disk_name_valid(const char *name, size_t size);

/* One buffer of a gathering write. */
struct disk_piece {
	const void *bytes;
	size_t size;
};

struct disk_ops {
	int (*open)(struct disk *disk, const char *path, bool create, struct disk_file **out,
		struct error *err);
	int (*size)(struct disk_file *file, uint64_t *size, struct error *err);
	int (*read)(struct disk_file *file, uint64_t offset, void *bytes, size_t size,
		struct error *err);
	int (*write)(struct disk_file *file, uint64_t offset, const struct disk_piece *pieces,
		uint32_t count, struct error *err);
	int (*sync)(struct disk_file *file, struct error *err);
	int (*truncate)(struct disk_file *file, uint64_t size, struct error *err);
	void (*close)(struct disk_file *file);
	int (*remove)(struct disk *disk, const char *path, struct error *err);
	int (*list)(struct disk *disk, const char *folder, struct buf *names, struct error *err);
	int (*room)(struct disk *disk, uint64_t *left, uint64_t *whole, struct error *err);
	int (*open_temporary)(struct disk *disk, struct disk_file **out, struct error *err);
	void (*discard)(struct disk_file *file, uint64_t offset, uint64_t size);
};

/* Every implementation embeds these as first members. */
struct disk {
	const struct disk_ops *ops;
};

struct disk_file {
	struct disk *disk;
};

/*
 * `create`: makes the file, and the folders above it, when it is not there. Otherwise a missing
 * file is ERROR_IO.
 */
MUST_CHECK static inline int disk_open(
	struct disk *disk, const char *path, bool create, struct disk_file **out, struct error *err)
{
	return disk->ops->open(disk, path, create, out, err);
}

MUST_CHECK static inline int disk_size(struct disk_file *file, uint64_t *size, struct error *err)
{
	return file->disk->ops->size(file, size, err);
}

/* All of `size` bytes. A file that ends before them is ERROR_DATA: no other try finds them. */
MUST_CHECK static inline int disk_read(
	struct disk_file *file, uint64_t offset, void *bytes, size_t size, struct error *err)
{
	return file->disk->ops->read(file, offset, bytes, size, err);
}

/*
 * Writes the pieces one behind the other, at the file's end or over what is there. After an error
 * any part of it may have been written.
 */
MUST_CHECK static inline int disk_write(struct disk_file *file, uint64_t offset,
	const struct disk_piece *pieces, uint32_t count, struct error *err)
{
	return file->disk->ops->write(file, offset, pieces, count, err);
}

/* After an error nothing that was written since the last sync may be relied on: write it again. */
MUST_CHECK static inline int disk_sync(struct disk_file *file, struct error *err)
{
	return file->disk->ops->sync(file, err);
}

/* Durable when it returns. */
MUST_CHECK static inline int disk_truncate(struct disk_file *file, uint64_t size, struct error *err)
{
	return file->disk->ops->truncate(file, size, err);
}

static inline void disk_close(struct disk_file *file)
{
	if (file)
		file->disk->ops->close(file);
}

/* A file, or a folder with all that is in it. What is not there is not an error. */
MUST_CHECK static inline int disk_remove(struct disk *disk, const char *path, struct error *err)
{
	return disk->ops->remove(disk, path, err);
}

/*
 * Replaces what `names` holds with the names in a folder, sorted bytewise, each with a zero behind
 * it; "" is the disk's own folder. A missing folder is empty. Names that break the rules of paths
 * are left out. A folder that has lost its last file may or may not be there still.
 */
MUST_CHECK static inline int disk_list(
	struct disk *disk, const char *folder, struct buf *names, struct error *err)
{
	return disk->ops->list(disk, folder, names, err);
}

/* How many bytes it can still take, of how many; both UINT64_MAX when there is no end to it. */
MUST_CHECK static inline int disk_room(
	struct disk *disk, uint64_t *left, uint64_t *whole, struct error *err)
{
	return disk->ops->room(disk, left, whole, err);
}

/* A file without a name, of which nothing is left when it is closed or its process ends in any way. */
MUST_CHECK static inline int disk_open_temporary(
	struct disk *disk, struct disk_file **out, struct error *err)
{
	return disk->ops->open_temporary(disk, out, err);
}

/* Nobody reads these bytes any more: the room goes back to the disk where that is possible. */
static inline void disk_discard(struct disk_file *file, uint64_t offset, uint64_t size)
{
	file->disk->ops->discard(file, offset, size);
}

/* The bytes of all files in all folders, each of which is opened for it. */
MUST_CHECK int disk_used(struct disk *disk, uint64_t *bytes, struct error *err);

#endif
