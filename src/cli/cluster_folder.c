#include "cli/cluster_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* PATH/NAME; -1 when it is too long. */
static int join(char *out, size_t size, const char *folder, const char *name)
{
	int length = snprintf(out, size, "%s/%s", folder, name);

	return length >= 0 && (size_t)length < size ? 0 : -1;
}

static int make_folders(char *path, struct error *err)
{
	for (char *at = path + 1;; at++) {
		char c = *at;

		if (c != '/' && c != '\0')
			continue;
		*at = '\0';
		if (mkdir(path, 0700) && errno != EEXIST)
			return error_set(err, ERROR_IO, "cannot make the folder %s: %s", path,
				strerror(errno));
		*at = c;
		if (c == '\0')
			return 0;
	}
}

int cluster_folder_path(const char *given, char *path, size_t size, struct error *err)
{
	const char *base = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	char here[PATH_MAX];
	int length = -1;

	if (given && given[0] == '/')
		length = snprintf(path, size, "%s", given);
	else if (given && getcwd(here, sizeof(here)))
		length = snprintf(path, size, "%s/%s", here, given);
	else if (!given && base && base[0] == '/')
		length = snprintf(path, size, "%s/tamiz/cluster", base);
	else if (!given && home && home[0] == '/')
		length = snprintf(path, size, "%s/.local/state/tamiz/cluster", home);
	if (length < 0)
		return error_set(err, ERROR_USAGE,
			"there is no home folder to keep the cluster in: use --state DIR");
	if ((size_t)length + 64 >= size)
		return error_set(err, ERROR_USAGE, "the path of the state folder is too long");
	return 0;
}

int cluster_folder_make(const char *folder, struct error *err)
{
	static const char *const parts[] = {"log", "nodes"};
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", folder);
	if (make_folders(path, err))
		return -1;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (join(path, sizeof(path), folder, parts[i]) || make_folders(path, err))
			return -1;
	}
	return 0;
}

int cluster_folder_lock(const char *folder, int *fd, struct error *err)
{
	char path[PATH_MAX];

	if (join(path, sizeof(path), folder, "lock"))
		return error_set(err, ERROR_USAGE, "the path of the state folder is too long");
	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (*fd < 0)
		return error_set(err, ERROR_IO, "%s: %s", path, strerror(errno));
	if (flock(*fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	close(*fd);
	*fd = -1;
	return error_set(err, ERROR_USAGE,
		"a cluster runs in %s already (process %ld): tamiz down --state %s ends it", folder,
		(long)cluster_folder_owner(folder), folder);
}

void cluster_folder_sign(int fd)
{
	char text[32];
	int size = snprintf(text, sizeof(text), "%ld\n", (long)getpid());

	if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)size, 0) != size)
		return; /* then `down` cannot find us, and says so */
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
	if (flock(fd, LOCK_EX | LOCK_NB) && read(fd, text, sizeof(text) - 1) > 0)
		owner = strtol(text, NULL, 10);
	close(fd);
	return owner > 1 ? (pid_t)owner : 0;
}

int cluster_folder_write(const char *folder, const char *name, const char *text, struct error *err)
{
	char path[PATH_MAX], partial[PATH_MAX];
	size_t size = strlen(text);
	bool good;
	int fd;

	if (join(path, sizeof(path), folder, name) ||
		snprintf(partial, sizeof(partial), "%s/%s.new", folder, name) >= PATH_MAX)
		return error_set(err, ERROR_USAGE, "the path of the state folder is too long");
	fd = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	good = fd >= 0 && write(fd, text, size) == (ssize_t)size;
	if (fd >= 0)
		good = close(fd) == 0 && good;
	if (good && rename(partial, path) == 0)
		return 0;
	return error_set(err, ERROR_IO, "cannot write %s: %s", path, strerror(errno));
}

int cluster_folder_read(
	const char *folder, const char *name, char *text, size_t size, struct error *err)
{
	char path[PATH_MAX];
	ssize_t got = -1;
	int fd;

	if (join(path, sizeof(path), folder, name))
		return error_set(err, ERROR_USAGE, "the path of the state folder is too long");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		got = read(fd, text, size - 1);
	if (fd >= 0)
		close(fd);
	if (got < 0)
		return error_set(err, ERROR_IO, "cannot read %s: %s", path, strerror(errno));
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}
