#include "gen/writer.h"

#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *join(const char *folder, const char *name, const char *suffix)
{
	size_t size = strlen(folder) + strlen(name) + strlen(suffix) + 2;
	char *path = memory_alloc(size);

	snprintf(path, size, "%s/%s%s", folder, name, suffix);
	return path;
}

static int write_error(const struct gen_writer *writer, struct error *err)
{
	int number = errno;

	return error_set(err, ERROR_IO, "cannot write %s: %s%s", writer->path, strerror(number),
		number == ENOSPC ? " (free some space, or choose a smaller --size)" : "");
}

int gen_writer_open(
	struct gen_writer *writer, const char *folder, const char *name, struct error *err)
{
	writer->path = join(folder, name, "");
	/* The suffix keeps it out of every *.csv pattern. */
	writer->partial_path = join(folder, name, ".partial");
	writer->used = 0;
	writer->bytes = 0;
	writer->buffer = memory_alloc(GEN_WRITER_BYTES);
	writer->fd = open(writer->partial_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (writer->fd < 0) {
		write_error(writer, err);
		gen_writer_discard(writer);
		return -1;
	}
	return 0;
}

int gen_writer_flush(struct gen_writer *writer, struct error *err)
{
	size_t done = 0;

	while (done < writer->used) {
		ssize_t wrote = write(writer->fd, writer->buffer + done, writer->used - done);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return write_error(writer, err);
		done += (size_t)wrote;
	}
	writer->used = 0;
	return 0;
}

static void forget(struct gen_writer *writer)
{
	free(writer->path);
	free(writer->partial_path);
	free(writer->buffer);
	memset(writer, 0, sizeof(*writer));
	writer->fd = -1;
}

int gen_writer_close(struct gen_writer *writer, struct error *err)
{
	int status = gen_writer_flush(writer, err);

	if (status == 0) {
		int fd = writer->fd;

		writer->fd = -1;
		if (close(fd) || rename(writer->partial_path, writer->path))
			status = write_error(writer, err);
	}
	if (status) {
		gen_writer_discard(writer);
		return -1;
	}
	forget(writer);
	return 0;
}

void gen_writer_discard(struct gen_writer *writer)
{
	if (!writer->path)
		return;
	if (writer->fd >= 0)
		close(writer->fd);
	unlink(writer->partial_path);
	forget(writer);
}
