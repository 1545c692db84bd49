#include "journal/disk.h"

#include <stdio.h>
#include <string.h>

#define NAMES_MAX (16u << 20)

bool disk_name_valid(const char *name, size_t size)
{
	if (size == 0 || name[0] == '.')
		return false;
	for (size_t i = 0; i < size; i++) {
		char c = name[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			    c == '.' || c == '-' || c == '_'))
			return false;
	}
	return true;
}

bool disk_path_valid(const char *path)
{
	if (strnlen(path, DISK_PATH_MAX) >= DISK_PATH_MAX)
		return false;
	for (;;) {
		size_t size = strcspn(path, "/");

		if (!disk_name_valid(path, size))
			return false;
		if (path[size] == '\0')
			return true;
		path += size + 1;
	}
}

static int add_folder(struct disk *disk, const char *folder, uint64_t *bytes, struct error *err);

/* A file, or a folder with all that is in it. */
static int add_path(struct disk *disk, const char *path, uint64_t *bytes, struct error *err)
{
	struct disk_file *file;
	uint64_t size = 0;
	int status;

	if (disk_open(disk, path, false, &file, err))
		return add_folder(disk, path, bytes, err);
	status = disk_size(file, &size, err);
	disk_close(file);
	*bytes += size;
	return status;
}

static int add_folder(struct disk *disk, const char *folder, uint64_t *bytes, struct error *err)
{
	char path[DISK_PATH_MAX];
	struct buf names;
	int status;

	buf_init(&names, NAMES_MAX);
	status = disk_list(disk, folder, &names, err);
	for (size_t at = 0; at < names.size && !status; at += strlen(names.data + at) + 1) {
		int size = snprintf(path, sizeof(path), "%s%s%s", folder, folder[0] ? "/" : "",
			names.data + at);

		status = size < (int)sizeof(path) ? add_path(disk, path, bytes, err) : 0;
	}
	buf_release(&names);
	return status;
}

int disk_used(struct disk *disk, uint64_t *bytes, struct error *err)
{
	*bytes = 0;
	return add_folder(disk, "", bytes, err);
}
