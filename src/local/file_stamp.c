#include "local/file_stamp.h"

#include "input/archive.h"
#include "input/stdin.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define NS_PER_SECOND 1000000000
/* Times of files are those of the system's last tick; some file systems know whole seconds, or every second one. */
#define TICK_NS	  20000000
#define COARSE_NS INT64_C(2500000000)

static int64_t time_ns(struct timespec time)
{
	return (int64_t)time.tv_sec * NS_PER_SECOND + time.tv_nsec;
}

static bool look_at(const char *path, struct stat *info)
{
	size_t prefix = archive_prefix(path);
	struct error ignored;
	const char *kept;
	char *archive;
	int status;

	if (strcmp(path, INPUT_STDIN) == 0)
		return input_stdin_path(&kept, &ignored) == 0 && stat(kept, info) == 0;
	if (prefix == 0)
		return stat(path, info) == 0;
	archive = strndup(path, prefix);
	status = archive ? stat(archive, info) : -1;
	free(archive);
	return status == 0;
}

bool file_stamp_take(const char *path, struct file_stamp *out, bool *settled)
{
	struct timespec now;
	struct stat info;

	if (!look_at(path, &info) || !S_ISREG(info.st_mode))
		return false;
	*out = (struct file_stamp){.device = info.st_dev,
		.inode = info.st_ino,
		.size = info.st_size,
		.modified_ns = time_ns(info.st_mtim),
		.changed_ns = time_ns(info.st_ctim)};
	clock_gettime(CLOCK_REALTIME, &now);
	/* Nobody else has a file without a name. */
	*settled = info.st_nlink == 0 || time_ns(now) - out->modified_ns >
						 (info.st_mtim.tv_nsec == 0 ? COARSE_NS : TICK_NS);
	return true;
}

bool file_stamp_equal(const struct file_stamp *a, const struct file_stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       a->modified_ns == b->modified_ns && a->changed_ns == b->changed_ns;
}
