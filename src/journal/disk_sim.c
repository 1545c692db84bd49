#include "journal/disk_sim.h"

#include "base/memory.h"
#include "base/mutant.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX ((size_t)1 << 34)
#define TEMPORARY_NAME "temporary" /* of what has no name, in messages */
#define DISCARDED_BYTE 0xdd	   /* whoever reads what was discarded finds that */

/* A write that is visible and not synced. */
struct sim_write {
	struct sim_write *next;
	uint64_t offset;
	size_t size;
	bool dropped; /* a sync of it failed: no other will make it durable */
	char bytes[];
};

/* A file: its name in the store is a reference to it, and so is each of its handles. */
struct sim_node {
	uint32_t references;
	struct buf visible;
	struct buf durable;
	struct sim_write *first;
	struct sim_write **last;
};

struct sim_disk_entry {
	char path[DISK_PATH_MAX];
	struct sim_node *node;
};

enum sim_change {
	CHANGE_NONE,
	CHANGE_CREATE,
	CHANGE_TRUNCATE,
	CHANGE_REMOVE,
};

struct disk_sim {
	struct sim_disk_entry *entries; /* sorted: path_compare */
	uint32_t entry_count;
	uint32_t entry_capacity;
	uint64_t generation; /* of the newest handle */
	uint64_t crashes;
	uint64_t bytes;
	uint64_t bytes_max;
	uint32_t handles;

	uint64_t fail_in; /* changes until the failure; 0: none is set */
	enum disk_sim_failure failure;
	bool failing; /* changes fail until they are told otherwise */
	bool failed;

	/* What was under way when DISK_SIM_CRASH came. */
	enum sim_change pending;
	char pending_path[DISK_PATH_MAX];
	uint64_t pending_size;

	struct disk_sim_counters counters;
};

struct sim_disk_handle {
	struct disk disk;
	struct disk_sim *sim;
	uint64_t generation;
	uint64_t crashes; /* of the store when it was opened */
	uint32_t files_open;
	bool crashed;
};

struct sim_file {
	struct disk_file file;
	struct sim_node *node;
	bool temporary;	    /* it has no name */
	uint64_t discarded; /* bytes of it that take no room any more */
	char path[DISK_PATH_MAX];
};

enum verdict {
	VERDICT_GO,
	VERDICT_REFUSE, /* the error is set; nothing is to happen */
	VERDICT_FAIL,	/* the error is set; the call may do a part of its work */
	VERDICT_CRASH,	/* the error is set; a crash decides whether it happened */
};

static struct sim_disk_handle *handle_of(const struct disk *disk)
{
	return (struct sim_disk_handle *)(uintptr_t)disk;
}

/* -- Nodes -- */

static struct sim_node *node_new(void)
{
	struct sim_node *node = memory_zalloc(sizeof(*node));

	buf_init(&node->visible, FILE_BYTES_MAX);
	buf_init(&node->durable, FILE_BYTES_MAX);
	node->last = &node->first;
	return node;
}

static void node_forget_writes(struct sim_node *node)
{
	struct sim_write *next;

	for (struct sim_write *write = node->first; write; write = next) {
		next = write->next;
		free(write);
	}
	node->first = NULL;
	node->last = &node->first;
}

static void node_drop(struct sim_node *node)
{
	assert(node->references > 0);
	if (--node->references > 0)
		return;
	node_forget_writes(node);
	buf_release(&node->visible);
	buf_release(&node->durable);
	free(node);
}

/* Bytes between the end and a later offset are zero. */
static void content_resize(struct buf *content, uint64_t size)
{
	if (size > content->size) {
		size_t more = (size_t)size - content->size;
		char *room = buf_reserve(content, more);

		assert(room); /* FILE_BYTES_MAX: more than a test has memory for */
		memset(room, 0, more);
	}
	content->size = (size_t)size;
}

static void content_write(struct buf *content, uint64_t offset, const char *bytes, size_t size)
{
	if (size == 0)
		return;
	if (offset + size > content->size)
		content_resize(content, offset + size);
	memcpy(content->data + offset, bytes, size);
}

static void content_copy(struct buf *to, const struct buf *from)
{
	buf_clear(to);
	buf_append(to, from->data, from->size);
}

/* -- Names -- */

/* The files of a folder stand together, in the order of their names: '/' sorts before all else. */
static int path_compare(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (*a == '/' ? 1 : (unsigned char)*a) - (*b == '/' ? 1 : (unsigned char)*b);
}

/* The index of the first path that does not sort before `path`. */
static uint32_t entry_lower(const struct disk_sim *sim, const char *path)
{
	uint32_t low = 0, high = sim->entry_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (path_compare(sim->entries[middle].path, path) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct sim_node *entry_find(const struct disk_sim *sim, const char *path)
{
	uint32_t index = entry_lower(sim, path);

	if (index == sim->entry_count || strcmp(sim->entries[index].path, path) != 0)
		return NULL;
	return sim->entries[index].node;
}

static struct sim_node *entry_add(struct disk_sim *sim, const char *path)
{
	uint32_t index = entry_lower(sim, path);
	struct sim_disk_entry *entry;

	if (sim->entry_count == sim->entry_capacity) {
		sim->entry_capacity = sim->entry_capacity ? 2 * sim->entry_capacity : 16;
		sim->entries =
			memory_realloc(sim->entries, sim->entry_capacity * sizeof(*sim->entries));
	}
	entry = sim->entries + index;
	memmove(entry + 1, entry, (sim->entry_count - index) * sizeof(*entry));
	sim->entry_count++;
	snprintf(entry->path, sizeof(entry->path), "%s", path);
	entry->node = node_new();
	entry->node->references = 1;
	return entry->node;
}

static void entry_delete(struct disk_sim *sim, uint32_t index)
{
	struct sim_disk_entry *entry = sim->entries + index;

	sim->bytes -= entry->node->visible.size;
	node_drop(entry->node);
	sim->entry_count--;
	memmove(entry, entry + 1, (sim->entry_count - index) * sizeof(*entry));
}

/* Whether `path` is `folder` or lies in it. */
static bool path_within(const char *path, const char *folder)
{
	size_t size = strlen(folder);

	return strncmp(path, folder, size) == 0 && (path[size] == '/' || path[size] == '\0');
}

/* At most `count_max` of the files that are `path` or lie in it. */
static void entries_remove(struct disk_sim *sim, const char *path, uint32_t count_max)
{
	for (uint32_t i = sim->entry_count; i-- > 0 && count_max > 0;)
		if (path_within(sim->entries[i].path, path)) {
			entry_delete(sim, i);
			count_max--;
		}
}

static uint32_t entries_within(const struct disk_sim *sim, const char *path)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < sim->entry_count; i++)
		count += path_within(sim->entries[i].path, path);
	return count;
}

/* A file that has lost its name no longer counts, though its handles go on using it. */
static bool file_counts(const struct disk_sim *sim, const struct sim_file *file)
{
	return file->temporary || entry_find(sim, file->path) == file->node;
}

/* -- What a call meets -- */

static int path_check(const char *path, struct error *err)
{
	if (disk_path_valid(path))
		return 0;
	return error_set(
		err, ERROR_USAGE, "\"%.*s\" is not a path of a node's file", DISK_PATH_MAX, path);
}

static int handle_check(const struct sim_disk_handle *handle, struct error *err)
{
	if (!disk_sim_crashed(&handle->disk))
		return 0;
	return error_set(err, ERROR_IO, "the node of this simulated disk has crashed");
}

static enum verdict change_begin(struct sim_disk_handle *handle, const char *what, const char *path,
	uint64_t *counter, struct error *err)
{
	struct disk_sim *sim = handle->sim;

	if (handle_check(handle, err) != 0)
		return VERDICT_REFUSE;
	if (handle->generation != sim->generation && !MUTANT(ZOMBIE_WRITES)) {
		error_set(err, ERROR_FENCED, "the simulated disk has another owner: cannot %s %s",
			what, path);
		return VERDICT_REFUSE;
	}
	++*counter;
	sim->counters.changes++;
	if (sim->fail_in > 0 && --sim->fail_in == 0) {
		sim->failed = true;
		if (sim->failure == DISK_SIM_CRASH) {
			handle->crashed = true;
			handle_check(handle, err);
			return VERDICT_CRASH;
		}
		sim->failing = sim->failure == DISK_SIM_ERROR_STUCK;
	} else if (!sim->failing) {
		return VERDICT_GO;
	}
	error_set(err, ERROR_IO, "cannot %s %s: simulated input/output error", what, path);
	return VERDICT_FAIL;
}

static void pending_set(
	struct disk_sim *sim, enum sim_change change, const char *path, uint64_t size)
{
	sim->pending = change;
	sim->pending_size = size;
	snprintf(sim->pending_path, sizeof(sim->pending_path), "%s", path);
}

/* -- Operations -- */

static struct disk_file *file_new(
	struct sim_disk_handle *handle, struct sim_node *node, const char *path, bool temporary)
{
	struct sim_file *file = memory_zalloc(sizeof(*file));

	node->references++;
	file->file.disk = &handle->disk;
	file->node = node;
	file->temporary = temporary;
	snprintf(file->path, sizeof(file->path), "%s", path);
	handle->files_open++;
	return &file->file;
}

static int sim_open(
	struct disk *disk, const char *path, bool create, struct disk_file **out, struct error *err)
{
	struct sim_disk_handle *handle = handle_of(disk);
	struct disk_sim *sim = handle->sim;
	struct sim_node *node;
	enum verdict verdict;

	*out = NULL;
	if (path_check(path, err) != 0 || handle_check(handle, err) != 0)
		return -1;
	if (create) {
		verdict = change_begin(handle, "create", path, &sim->counters.creates, err);
		if (verdict == VERDICT_CRASH)
			pending_set(sim, CHANGE_CREATE, path, 0);
		if (verdict != VERDICT_GO)
			return -1;
	} else {
		sim->counters.opens++;
	}
	node = entry_find(sim, path);
	if (!node && !create)
		return error_set(err, ERROR_IO, "cannot open %s: there is no such file", path);
	if (!node)
		node = entry_add(sim, path);
	*out = file_new(handle, node, path, false);
	return 0;
}

static int sim_open_temporary(struct disk *disk, struct disk_file **out, struct error *err)
{
	struct sim_disk_handle *handle = handle_of(disk);

	*out = NULL;
	if (change_begin(handle, "create", TEMPORARY_NAME, &handle->sim->counters.creates, err) !=
		VERDICT_GO)
		return -1;
	handle->sim->counters.temporaries++;
	*out = file_new(handle, node_new(), TEMPORARY_NAME, true);
	return 0;
}

static void sim_discard(struct disk_file *opened, uint64_t offset, uint64_t size)
{
	struct sim_file *file = (struct sim_file *)opened;
	struct sim_disk_handle *handle = handle_of(opened->disk);

	if (!file->temporary || disk_sim_crashed(&handle->disk))
		return;
	assert(offset + size <= file->node->visible.size);
	memset(file->node->visible.data + offset, DISCARDED_BYTE, (size_t)size);
	file->discarded += size;
	handle->sim->bytes -= size;
}

static int sim_size(struct disk_file *opened, uint64_t *size, struct error *err)
{
	struct sim_file *file = (struct sim_file *)opened;

	if (handle_check(handle_of(opened->disk), err) != 0)
		return -1;
	*size = file->node->visible.size;
	return 0;
}

static int sim_read(
	struct disk_file *opened, uint64_t offset, void *bytes, size_t size, struct error *err)
{
	struct sim_file *file = (struct sim_file *)opened;
	struct sim_disk_handle *handle = handle_of(opened->disk);
	const struct buf *visible = &file->node->visible;

	if (handle_check(handle, err) != 0)
		return -1;
	handle->sim->counters.reads++;
	if (offset > visible->size || size > visible->size - offset)
		return error_set(err, ERROR_DATA, "%s ends at byte %zu, where more is expected",
			file->path, visible->size);
	if (size > 0)
		memcpy(bytes, visible->data + offset, size);
	handle->sim->counters.bytes_read += size;
	return 0;
}

/* The pieces as one write that waits for its sync. */
static struct sim_write *write_new(uint64_t offset, const struct disk_piece *pieces, uint32_t count)
{
	struct sim_write *write;
	size_t size = 0, at = 0;

	for (uint32_t i = 0; i < count; i++)
		size += pieces[i].size;
	write = memory_alloc(sizeof(*write) + size);
	*write = (struct sim_write){.offset = offset, .size = size};
	for (uint32_t i = 0; i < count; i++) {
		if (pieces[i].size > 0)
			memcpy(write->bytes + at, pieces[i].bytes, pieces[i].size);
		at += pieces[i].size;
	}
	return write;
}

/* Cuts a write to what the disk has room for. */
static int write_limit(const struct disk_sim *sim, const struct sim_file *file,
	struct sim_write *write, struct error *err)
{
	uint64_t held = file->node->visible.size, end = write->offset + write->size;
	uint64_t room = sim->bytes_max > sim->bytes ? sim->bytes_max - sim->bytes : 0;

	if (end <= held || end - held <= room)
		return 0;
	if (write->offset >= held + room)
		write->size = 0;
	else
		write->size = (size_t)(held + room - write->offset);
	return error_set(
		err, ERROR_IO, "cannot write %s: no space left on the simulated disk", file->path);
}

static int sim_write(struct disk_file *opened, uint64_t offset, const struct disk_piece *pieces,
	uint32_t count, struct error *err)
{
	struct sim_file *file = (struct sim_file *)opened;
	struct sim_disk_handle *handle = handle_of(opened->disk);
	struct disk_sim *sim = handle->sim;
	struct sim_node *node = file->node;
	enum verdict verdict =
		change_begin(handle, "write", file->path, &sim->counters.writes, err);
	int status = verdict == VERDICT_GO ? 0 : -1;
	struct sim_write *write;
	uint64_t before = node->visible.size;

	if (verdict == VERDICT_REFUSE)
		return -1;
	write = write_new(offset, pieces, count);
	if (verdict == VERDICT_FAIL)
		write->size /= 2;
	if (write_limit(sim, file, write, err) != 0)
		status = -1;
	content_write(&node->visible, offset, write->bytes, write->size);
	if (file_counts(sim, file))
		sim->bytes += node->visible.size - before;
	sim->counters.bytes_written += write->size;
	*node->last = write;
	node->last = &write->next;
	return status;
}

static int sim_sync(struct disk_file *opened, struct error *err)
{
	struct sim_file *file = (struct sim_file *)opened;
	struct sim_disk_handle *handle = handle_of(opened->disk);
	struct sim_node *node = file->node;
	enum verdict verdict =
		change_begin(handle, "sync", file->path, &handle->sim->counters.syncs, err);

	if (verdict == VERDICT_FAIL)
		for (struct sim_write *write = node->first; write; write = write->next)
			write->dropped = true;
	if (verdict != VERDICT_GO)
		return -1;
	for (struct sim_write *write = node->first; write; write = write->next)
		if (!write->dropped)
			content_write(&node->durable, write->offset, write->bytes, write->size);
	node_forget_writes(node);
	return 0;
}

/*
 * A truncation is durable, and with it that the file is no longer than that. Unsynced writes behind
 * the new end are gone; those before it still wait for their sync.
 */
static void node_truncate(struct sim_node *node, uint64_t size)
{
	content_resize(&node->visible, size);
	if (node->durable.size > size)
		content_resize(&node->durable, size);
	for (struct sim_write *write = node->first; write; write = write->next) {
		if (write->offset >= size)
			write->size = 0;
		else if (write->offset + write->size > size)
			write->size = (size_t)(size - write->offset);
	}
}

static int sim_truncate(struct disk_file *opened, uint64_t size, struct error *err)
{
	struct sim_file *file = (struct sim_file *)opened;
	struct sim_disk_handle *handle = handle_of(opened->disk);
	struct disk_sim *sim = handle->sim;
	struct sim_node *node = file->node;
	enum verdict verdict =
		change_begin(handle, "truncate", file->path, &sim->counters.truncates, err);
	uint64_t before = node->visible.size;

	if (verdict == VERDICT_CRASH)
		pending_set(sim, CHANGE_TRUNCATE, file->path, size);
	if (verdict != VERDICT_GO)
		return -1;
	node_truncate(node, size);
	if (size > node->durable.size)
		content_resize(&node->durable, size);
	if (file_counts(sim, file))
		sim->bytes += node->visible.size - before;
	return 0;
}

static void sim_close(struct disk_file *opened)
{
	struct sim_file *file = (struct sim_file *)opened;
	struct sim_disk_handle *handle = handle_of(opened->disk);

	/* A machine that lost its power has forgotten it already. */
	if (file->temporary && handle->crashes == handle->sim->crashes)
		handle->sim->bytes -= file->node->visible.size - file->discarded;
	handle->files_open--;
	node_drop(file->node);
	free(file);
}

static int sim_remove(struct disk *disk, const char *path, struct error *err)
{
	struct sim_disk_handle *handle = handle_of(disk);
	struct disk_sim *sim = handle->sim;
	enum verdict verdict;

	if (path_check(path, err) != 0)
		return -1;
	verdict = change_begin(handle, "remove", path, &sim->counters.removes, err);
	if (verdict == VERDICT_CRASH)
		pending_set(sim, CHANGE_REMOVE, path, 0);
	else if (verdict == VERDICT_FAIL)
		entries_remove(sim, path, entries_within(sim, path) / 2);
	else if (verdict == VERDICT_GO)
		entries_remove(sim, path, UINT32_MAX);
	return verdict == VERDICT_GO ? 0 : -1;
}

static int sim_list(struct disk *disk, const char *folder, struct buf *names, struct error *err)
{
	struct sim_disk_handle *handle = handle_of(disk);
	struct disk_sim *sim = handle->sim;
	size_t prefix = folder[0] ? strlen(folder) + 1 : 0, previous_size = 0;
	const char *previous = NULL;

	buf_clear(names);
	if ((folder[0] && path_check(folder, err) != 0) || handle_check(handle, err) != 0)
		return -1;
	sim->counters.lists++;
	for (uint32_t i = 0; i < sim->entry_count; i++) {
		const char *path = sim->entries[i].path, *name = path + prefix;
		size_t size;

		if (prefix > 0 && (!path_within(path, folder) || path[prefix - 1] != '/'))
			continue;
		size = strcspn(name, "/");
		if (previous && previous_size == size && memcmp(previous, name, size) == 0)
			continue;
		buf_append(names, name, size);
		buf_append_char(names, '\0');
		previous = name;
		previous_size = size;
	}
	if (buf_overflowed(names))
		return error_set(err, ERROR_LIMIT, "%s has too many files", folder);
	return 0;
}

static int sim_room(struct disk *disk, uint64_t *left, uint64_t *whole, struct error *err)
{
	const struct disk_sim *sim = handle_of(disk)->sim;

	(void)err;
	*whole = sim->bytes_max;
	*left = sim->bytes < sim->bytes_max ? sim->bytes_max - sim->bytes : 0;
	return 0;
}

static const struct disk_ops sim_ops = {
	.open = sim_open,
	.size = sim_size,
	.read = sim_read,
	.write = sim_write,
	.sync = sim_sync,
	.truncate = sim_truncate,
	.close = sim_close,
	.remove = sim_remove,
	.list = sim_list,
	.room = sim_room,
	.open_temporary = sim_open_temporary,
	.discard = sim_discard,
};

/* -- Crashes -- */

/*
 * What is left of an unsynced write: all, nothing, its start, its end, or a piece from its middle.
 * Where it is lost the file may have grown all the same, by zeros.
 */
static void write_survive(struct buf *durable, const struct sim_write *write, struct rng *rng)
{
	size_t from = 0, to = write->size;

	if (write->size == 0)
		return;
	switch (rng_below(rng, 8)) {
	case 0:
	case 1: break;
	case 2:
	case 3: to = 0; break;
	case 4:
	case 5: to = rng_below(rng, write->size + 1); break;
	case 6: from = rng_below(rng, write->size + 1); break;
	default:
		from = rng_below(rng, write->size + 1);
		to = from + rng_below(rng, write->size - from + 1);
		break;
	}
	content_write(durable, write->offset + from, write->bytes + from, to - from);
	if (rng_below(rng, 4) == 0 && write->offset + write->size > durable->size)
		content_resize(durable, write->offset + rng_below(rng, write->size + 1));
}

static void pending_decide(struct disk_sim *sim, struct rng *rng)
{
	struct sim_node *node;

	if (sim->pending == CHANGE_REMOVE) {
		uint32_t count = entries_within(sim, sim->pending_path);

		entries_remove(sim, sim->pending_path, (uint32_t)rng_below(rng, count + 1));
	} else if (sim->pending != CHANGE_NONE && rng_below(rng, 2) == 0) {
		node = entry_find(sim, sim->pending_path);
		if (sim->pending == CHANGE_CREATE && !node)
			entry_add(sim, sim->pending_path);
		if (sim->pending == CHANGE_TRUNCATE && node)
			node_truncate(node, sim->pending_size);
	}
	sim->pending = CHANGE_NONE;
}

void disk_sim_crash(struct disk_sim *sim, struct rng *rng)
{
	pending_decide(sim, rng);
	sim->crashes++;
	sim->bytes = 0;
	for (uint32_t i = 0; i < sim->entry_count; i++) {
		struct sim_node *node = sim->entries[i].node;

		for (struct sim_write *write = node->first; write; write = write->next)
			write_survive(&node->durable, write, rng);
		node_forget_writes(node);
		content_copy(&node->visible, &node->durable);
		sim->bytes += node->visible.size;
	}
}

void disk_sim_wipe(struct disk_sim *sim)
{
	while (sim->entry_count > 0)
		entry_delete(sim, sim->entry_count - 1);
	sim->bytes = 0;
	sim->pending = CHANGE_NONE;
	sim->crashes++;
}

/* -- The store and its handles -- */

struct disk_sim *disk_sim_new(void)
{
	struct disk_sim *sim = memory_zalloc(sizeof(*sim));

	sim->bytes_max = UINT64_MAX;
	return sim;
}

void disk_sim_free(struct disk_sim *sim)
{
	if (!sim)
		return;
	assert(sim->handles == 0);
	disk_sim_wipe(sim);
	free(sim->entries);
	free(sim);
}

struct disk *disk_sim_open(struct disk_sim *sim)
{
	struct sim_disk_handle *handle = memory_zalloc(sizeof(*handle));

	handle->disk.ops = &sim_ops;
	handle->sim = sim;
	handle->generation = ++sim->generation;
	handle->crashes = sim->crashes;
	sim->handles++;
	/* The process died, the machine did not: what it had only begun did not happen. */
	sim->pending = CHANGE_NONE;
	return &handle->disk;
}

void disk_sim_close(struct disk *disk)
{
	struct sim_disk_handle *handle = handle_of(disk);

	if (!disk)
		return;
	assert(handle->files_open == 0);
	handle->sim->handles--;
	free(handle);
}

bool disk_sim_crashed(const struct disk *disk)
{
	const struct sim_disk_handle *handle = handle_of(disk);

	return handle->crashed || handle->crashes != handle->sim->crashes;
}

void disk_sim_fail_after(struct disk_sim *sim, uint64_t n, enum disk_sim_failure failure)
{
	assert(n > 0);
	disk_sim_clear(sim);
	sim->fail_in = n;
	sim->failure = failure;
}

bool disk_sim_failed(const struct disk_sim *sim)
{
	return sim->failed;
}

void disk_sim_clear(struct disk_sim *sim)
{
	sim->fail_in = 0;
	sim->failing = false;
	sim->failed = false;
}

void disk_sim_set_capacity(struct disk_sim *sim, uint64_t bytes_max)
{
	sim->bytes_max = bytes_max;
}

const struct disk_sim_counters *disk_sim_counters(const struct disk_sim *sim)
{
	return &sim->counters;
}

uint64_t disk_sim_bytes(const struct disk_sim *sim)
{
	return sim->bytes;
}

uint32_t disk_sim_file_count(const struct disk_sim *sim)
{
	return sim->entry_count;
}

const char *disk_sim_file_path(const struct disk_sim *sim, uint32_t index)
{
	assert(index < sim->entry_count);
	return sim->entries[index].path;
}

const char *disk_sim_get(const struct disk_sim *sim, const char *path, size_t *size)
{
	const struct sim_node *node = entry_find(sim, path);

	*size = node ? node->visible.size : 0;
	if (!node)
		return NULL;
	return node->visible.data ? node->visible.data : "";
}

void disk_sim_put(struct disk_sim *sim, const char *path, const void *bytes, size_t size)
{
	struct sim_node *node = entry_find(sim, path);

	assert(disk_path_valid(path));
	if (!node)
		node = entry_add(sim, path);
	node_forget_writes(node);
	sim->bytes = sim->bytes - node->visible.size + size;
	buf_clear(&node->visible);
	buf_append(&node->visible, bytes, size);
	content_copy(&node->durable, &node->visible);
}

void disk_sim_delete(struct disk_sim *sim, const char *path)
{
	entries_remove(sim, path, 1);
}
