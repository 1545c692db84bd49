#include "cluster/cluster_folder.h"

#include "base/file.h"
#include "base/lock_file.h"
#include "base/xdg.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The longest name of a file that is made below the folder. */
#define SUFFIX_MAX 64

/* FOLDER/NAME; -1 with ENAMETOOLONG when it does not fit. */
static int join(char *out, size_t size, const char *folder, const char *name)
{
	int length = snprintf(out, size, "%s/%s", folder, name);

	if (length >= 0 && (size_t)length < size)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

static int too_long(struct error *err)
{
	return error_set(err, ERROR_USAGE, "the path of the state folder is too long");
}

/* `name` as a path that does not depend on the current folder. */
static int make_absolute(const char *name, char *path, size_t size)
{
	char here[PATH_MAX];

	if (name[0] == '/')
		return join(path, size, "", name + 1);
	return getcwd(here, sizeof(here)) ? join(path, size, here, name) : -1;
}

int cluster_folder_path(const char *given, char *path, size_t size, struct error *err)
{
	int status =
		given ? make_absolute(given, path, size) : xdg_state_path("cluster", path, size);

	if (status && errno == ENOENT)
		return given ? error_set(err, ERROR_USAGE, "the current folder does not exist")
			     : error_set(err, ERROR_USAGE,
				       "there is no home folder to keep the cluster in: use "
				       "--state DIR");
	if (status || strlen(path) + SUFFIX_MAX >= size)
		return too_long(err);
	return 0;
}

int cluster_folder_make(const char *folder, struct error *err)
{
	static const char *const parts[] = {"log", "nodes"};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (join(path, sizeof(path), folder, parts[i]))
			return too_long(err);
		if (folder_make(path, 0700, false, err))
			return -1;
	}
	return 0;
}

void cluster_folder_sign(int fd)
{
	char text[32];
	int size = snprintf(text, sizeof(text), "%ld\n", (long)getpid());

	if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)size, 0) != size)
		return; /* then `down` cannot find us, and says so */
}

int cluster_folder_lock(const char *folder, int *fd, struct error *err)
{
	char path[PATH_MAX];

	if (join(path, sizeof(path), folder, "lock"))
		return too_long(err);
	switch (lock_file_take(AT_FDCWD, path, fd)) {
	case LOCK_FILE_TAKEN: cluster_folder_sign(*fd); return 0;
	case LOCK_FILE_BUSY: break;
	case LOCK_FILE_FAILED: return error_set(err, ERROR_IO, "%s: %s", path, strerror(errno));
	}
	close(*fd);
	*fd = -1;
	return error_set(err, ERROR_USAGE,
		"a cluster is already running in %s (process %ld): tamiz down --state %s ends it",
		folder, (long)cluster_folder_owner(folder), folder);
}

pid_t cluster_folder_owner(const char *folder)
{
	char path[PATH_MAX], text[32] = "";
	long owner = 0;
	int fd;

	if (join(path, sizeof(path), folder, "lock"))
		return 0;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (lock_file_is_held(fd) && read(fd, text, sizeof(text) - 1) > 0)
		owner = strtol(text, NULL, 10);
	close(fd);
	return owner > 1 ? (pid_t)owner : 0;
}

int cluster_folder_write(const char *folder, const char *name, const char *text, struct error *err)
{
	char path[PATH_MAX];

	if (join(path, sizeof(path), folder, name))
		return too_long(err);
	if (file_replace(path, FILE_ONE_WRITER, 0600, text, strlen(text), false))
		return error_set(err, ERROR_IO, "cannot write %s: %s", path, strerror(errno));
	return 0;
}

int cluster_folder_read(
	const char *folder, const char *name, char *text, size_t size, struct error *err)
{
	char path[PATH_MAX], *whole;

	if (join(path, sizeof(path), folder, name))
		return too_long(err);
	whole = file_read(path, size - 1, NULL);
	if (!whole)
		return error_set(err, ERROR_IO, "cannot read %s: %s", path, strerror(errno));
	snprintf(text, size, "%.*s", (int)strcspn(whole, "\n"), whole);
	free(whole);
	return 0;
}
