#include "input/stdin.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_BYTES (1u << 20)
#define PATH_BYTES 64

static struct {
	pthread_mutex_t lock;
	bool known;
	int status;
	struct error error;
	char path[PATH_BYTES];
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int write_all(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t written = write(fd, data, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -1;
		data += written;
		size -= (size_t)written;
	}
	return 0;
}

static int copy(int fd, const char *folder, struct error *err)
{
	char *data = memory_alloc(COPY_BYTES);
	int status = 0;

	for (;;) {
		ssize_t got = read(STDIN_FILENO, data, COPY_BYTES);

		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0)
			break;
		if (got < 0)
			status =
				error_set(err, ERROR_IO, "the standard input: %s", strerror(errno));
		else if (write_all(fd, data, (size_t)got))
			status = error_set(err, ERROR_IO,
				"the standard input cannot be kept in %s: %s; TMPDIR says where "
				"else",
				folder, strerror(errno));
		if (status)
			break;
	}
	free(data);
	return status;
}

/* A file that nobody else sees; it stays open until the process ends. */
static int spool(struct error *err)
{
	const char *folder = getenv("TMPDIR");
	char name[4096];
	int fd;

	if (!folder || *folder == '\0')
		folder = "/tmp";
	snprintf(name, sizeof(name), "%s/tamiz-stdin-XXXXXX", folder);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return error_set(err, ERROR_IO,
			"%s: %s; TMPDIR says where the standard input can be kept", folder,
			strerror(errno));
	unlink(name);
	if (copy(fd, folder, err)) {
		close(fd);
		return -1;
	}
	snprintf(kept.path, sizeof(kept.path), "/proc/self/fd/%d", fd);
	return 0;
}

static int find(struct error *err)
{
	struct stat info;

	if (fstat(STDIN_FILENO, &info))
		return error_set(err, ERROR_IO, "the standard input: %s", strerror(errno));
	if (S_ISDIR(info.st_mode))
		return error_set(err, ERROR_IO, "the standard input is a folder");
	if (!S_ISREG(info.st_mode))
		return spool(err);
	snprintf(kept.path, sizeof(kept.path), "/proc/self/fd/%d", STDIN_FILENO);
	return 0;
}

int input_stdin_path(const char **path, struct error *err)
{
	int status;

	pthread_mutex_lock(&kept.lock);
	if (!kept.known) {
		kept.status = find(&kept.error);
		kept.known = true;
	}
	status = kept.status;
	if (status)
		*err = kept.error;
	pthread_mutex_unlock(&kept.lock);
	*path = kept.path;
	return status;
}
