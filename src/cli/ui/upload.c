#include "cli/ui/upload.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int upload_folder_make(char *path, struct error *err)
{
	const char *above = getenv("TMPDIR");
	char files[UPLOAD_FOLDER_MAX + sizeof(UPLOAD_FILES) + 1];

	snprintf(path, UPLOAD_FOLDER_MAX, "%s/tamiz-page-XXXXXX", above && *above ? above : "/tmp");
	if (!mkdtemp(path))
		return error_set(err, ERROR_IO, "%s: %s", path, strerror(errno));
	snprintf(files, sizeof(files), "%s/" UPLOAD_FILES, path);
	if (mkdir(files, 0700)) {
		error_set(err, ERROR_IO, "%s: %s", files, strerror(errno));
		upload_folder_remove(path);
		return -1;
	}
	return 0;
}

void upload_folder_remove(const char *path)
{
	struct error ignored;

	(void)!folder_remove(path, &ignored);
}

/* A name and no path; what begins with a dot is hidden, and no table. */
static int file_path(const char *folder, const char *name, char path[PATH_MAX], struct error *err)
{
	size_t size = strlen(name);

	if (size == 0 || size > UPLOAD_NAME_MAX || name[0] == '.' || strchr(name, '/'))
		return error_set(err, ERROR_USAGE, "a file cannot be called \"%.200s\"", name);
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
			return error_set(err, ERROR_USAGE,
				"there are control characters in the name of the file");
	snprintf(path, PATH_MAX, "%.*s/" UPLOAD_FILES "/%s", (int)UPLOAD_FOLDER_MAX - 1, folder,
		name);
	return 0;
}

/* Two that send the same file at once do not make one of both: each goes on only where the file ends. */
static int append(int fd, const char *path, const struct upload_piece *piece, struct error *err)
{
	off_t end = lseek(fd, 0, SEEK_END);

	if (end < 0)
		return error_set(err, ERROR_IO, "%s: %s", path, strerror(errno));
	if ((uint64_t)end != piece->at)
		return error_set(err, ERROR_USAGE, "%s: it was changed meanwhile; send it again",
			piece->name);
	if (file_write_all(fd, piece->bytes, piece->size)) {
		error_set(err, ERROR_IO, "%s: %s", path, strerror(errno));
		(void)!ftruncate(fd, end);
		return -1;
	}
	return 0;
}

int upload_write(const char *folder, const struct upload_piece *piece, struct error *err)
{
	char path[PATH_MAX];
	int fd, status;

	if (file_path(folder, piece->name, path, err))
		return -1;
	fd = open(path,
		O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (piece->at == 0 ? O_TRUNC : 0), 0600);
	if (fd < 0)
		return error_set(err, ERROR_IO, "%s: %s", path, strerror(errno));
	status = append(fd, path, piece, err);
	close(fd);
	return status;
}

int upload_remove(const char *folder, const char *name, struct error *err)
{
	char path[PATH_MAX];

	if (file_path(folder, name, path, err))
		return -1;
	return unlink(path) && errno != ENOENT
		       ? error_set(err, ERROR_IO, "%s: %s", path, strerror(errno))
		       : 0;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

void upload_list(const char *folder, void (*each)(void *context, const char *name), void *context)
{
	char path[UPLOAD_FOLDER_MAX + sizeof(UPLOAD_FILES)];
	struct dirent **entries;
	int count;

	snprintf(path, sizeof(path), "%s/" UPLOAD_FILES, folder);
	count = scandir(path, &entries, is_visible, alphasort);
	for (int i = 0; i < count; i++) {
		each(context, entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}
