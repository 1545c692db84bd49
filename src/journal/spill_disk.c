#include "journal/spill_disk.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A disk that has less than this beside what was refused is full. */
#define FULL_BYTES ((uint64_t)64 << 10)

struct spill_disk {
	struct spill_store store; /* first */
	struct disk *disk;
	struct spill_room *room;
	pthread_mutex_t lock;		  /* for opening */
	_Atomic(struct disk_file *) file; /* NULL: nothing was written */
	_Atomic uint64_t end;
	_Atomic uint64_t held; /* what was dropped does not count */
};

static struct disk_file *open_file(struct spill_disk *spill, struct error *err)
{
	struct disk_file *file = atomic_load(&spill->file);

	if (file)
		return file;
	pthread_mutex_lock(&spill->lock);
	file = atomic_load(&spill->file);
	if (!file && disk_open_temporary(spill->disk, &file, err) == 0)
		atomic_store(&spill->file, file);
	pthread_mutex_unlock(&spill->lock);
	return file;
}

static int over_limit(const struct spill_disk *spill, struct error *err)
{
	return error_set(err, ERROR_LIMIT,
		"what does not fit into memory takes %llu MB of the node's disk for this job, and "
		"more than the %llu MB of temp_max in the cluster file with what other jobs have "
		"there",
		(unsigned long long)(atomic_load(&spill->held) >> 20),
		(unsigned long long)(spill->room->bytes_max >> 20));
}

/* A full disk would be as full at the next try, perhaps by what this very job has there: it has to end. */
static int refused(const struct spill_disk *spill, uint64_t size, struct error *err)
{
	struct error why = *err, ignored;
	uint64_t left, whole;

	if (why.code != ERROR_IO || disk_room(spill->disk, &left, &whole, &ignored) ||
		left >= size + FULL_BYTES)
		return -1;
	return error_set(err, ERROR_LIMIT,
		"what does not fit into memory has no room on the node's disk, where this job has "
		"%llu MB: %s",
		(unsigned long long)(atomic_load(&spill->held) >> 20), why.message);
}

static int spill_write(struct spill_store *store, const void *bytes, size_t size,
	struct spill_piece *out, struct error *err)
{
	struct spill_disk *spill = (struct spill_disk *)store;
	struct spill_room *room = spill->room;
	struct disk_file *file = open_file(spill, err);
	void *packed;
	struct disk_piece piece;
	int status = 0;

	if (!file)
		return refused(spill, size, err);
	packed = spill_pack(bytes, size, out);
	atomic_fetch_add(&spill->held, out->stored);
	if (atomic_fetch_add(&room->held, out->stored) + out->stored > room->bytes_max &&
		room->bytes_max > 0)
		status = over_limit(spill, err);
	if (!status) {
		out->at = atomic_fetch_add(&spill->end, out->stored);
		piece = (struct disk_piece){packed, (size_t)out->stored};
		if (disk_write(file, out->at, &piece, 1, err))
			status = refused(spill, out->stored, err);
		else
			atomic_fetch_add(&room->written, out->stored);
	}
	free(packed);
	return status;
}

static int spill_read(
	struct spill_store *store, const struct spill_piece *piece, void *bytes, struct error *err)
{
	struct spill_disk *spill = (struct spill_disk *)store;
	void *packed = memory_alloc((size_t)piece->stored);
	int status =
		disk_read(atomic_load(&spill->file), piece->at, packed, (size_t)piece->stored, err);

	if (status ? err->code == ERROR_DATA : spill_unpack(piece, packed, bytes) != 0)
		status = error_set(err, ERROR_IO,
			"a temporary file of the node does not hold what was written to it: is the "
			"disk damaged?");
	free(packed);
	return status;
}

static void spill_drop(struct spill_store *store, const struct spill_piece *piece)
{
	struct spill_disk *spill = (struct spill_disk *)store;

	atomic_fetch_sub(&spill->held, piece->stored);
	atomic_fetch_sub(&spill->room->held, piece->stored);
	disk_discard(atomic_load(&spill->file), piece->at, piece->stored);
}

struct spill_disk *spill_disk_new(struct disk *disk, struct spill_room *room)
{
	struct spill_disk *spill = memory_zalloc(sizeof(*spill));

	spill->store =
		(struct spill_store){.write = spill_write, .read = spill_read, .drop = spill_drop};
	spill->disk = disk;
	spill->room = room;
	pthread_mutex_init(&spill->lock, NULL);
	return spill;
}

void spill_disk_free(struct spill_disk *spill)
{
	if (!spill)
		return;
	disk_close(atomic_load(&spill->file));
	atomic_fetch_sub(&spill->room->held, atomic_load(&spill->held));
	pthread_mutex_destroy(&spill->lock);
	free(spill);
}

struct spill_store *spill_disk_store(struct spill_disk *spill)
{
	return &spill->store;
}
