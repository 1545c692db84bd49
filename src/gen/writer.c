#include "gen/writer.h"

#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_error(const char *path, struct error *err)
{
	int number = errno;

	return error_set(err, ERROR_IO, "cannot write %s: %s%s", path, strerror(number),
		number == ENOSPC ? " (free some space, or choose a smaller --size)" : "");
}

int gen_writer_open(
	struct gen_writer *writer, const char *folder, const char *name, struct error *err)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = memory_alloc(size);
	int status = 0;

	snprintf(path, size, "%s/%s", folder, name);
	*writer = (struct gen_writer){0};
	if (file_replacement_open(&writer->file, path, FILE_ONE_WRITER, 0666))
		status = write_error(path, err);
	else
		writer->buffer = memory_alloc(GEN_WRITER_BYTES);
	free(path);
	return status;
}

int gen_writer_flush(struct gen_writer *writer, struct error *err)
{
	if (file_write_all(writer->file.fd, writer->buffer, writer->used))
		return write_error(writer->file.path, err);
	writer->used = 0;
	return 0;
}

int gen_writer_close(struct gen_writer *writer, struct error *err)
{
	int status = gen_writer_flush(writer, err);

	if (status == 0 && file_replacement_commit(&writer->file, false))
		status = write_error(writer->file.path, err);
	gen_writer_discard(writer);
	return status;
}

void gen_writer_discard(struct gen_writer *writer)
{
	file_replacement_release(&writer->file);
	free(writer->buffer);
	writer->buffer = NULL;
}
