#include "cli/print/output.h"

#include "base/crc32c.h"
#include "base/memory.h"
#include "cli/interrupt.h"
#include "cli/print/compress.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DRAIN_BYTES	   (256u << 10)
#define SPOOL_MEMORY_BYTES (64u << 20)
#define DIRECT_BYTES	   (64u << 10)
/* A batch of the longest texts, escaped, fits; it is a bound, not an amount that is used. */
#define BUFFER_BYTES_MAX ((size_t)1 << 36)

static void init(struct output *output, enum output_kind kind, int fd)
{
	memset(output, 0, sizeof(*output));
	output->kind = kind;
	output->fd = fd;
	output->own_fd = -1;
	output->file.fd = -1;
	buf_init(&output->buf, BUFFER_BYTES_MAX);
}

void output_init_stream(struct output *output, int fd)
{
	init(output, OUTPUT_STREAM, fd);
}

void output_init_spool(struct output *output)
{
	init(output, OUTPUT_SPOOL, -1);
}

int output_init_file(struct output *output, const char *path, struct error *err)
{
	struct stat info;
	size_t size = strlen(path);

	init(output, OUTPUT_FILE, -1);
	if (stat(path, &info))
		info.st_mode = S_IFREG;
	if (size == 0 || path[size - 1] == '/' || S_ISDIR(info.st_mode))
		return error_set(err, ERROR_USAGE, "%s is a folder: name a file to write", path);
	/* A device or a pipe is written to: a file in its place would be in everybody's way. */
	if (!S_ISREG(info.st_mode)) {
		output->kind = OUTPUT_STREAM;
		output->fd = output->own_fd = open(path, O_WRONLY | O_CLOEXEC);
		return output->fd < 0 ? error_set(err, ERROR_IO, "cannot write %s: %s", path,
						strerror(errno))
				      : 0;
	}
	if (file_replacement_open(&output->file, path, FILE_MANY_WRITERS, 0666))
		return error_set(err, ERROR_IO, "cannot write %s: %s", path, strerror(errno));
	output->fd = output->file.fd;
	if (compress_suffix(path))
		output->compressor = compressor_new(compress_suffix(path));
	return 0;
}

void output_release(struct output *output)
{
	if (output->kind == OUTPUT_SPOOL && output->fd >= 0)
		close(output->fd);
	if (output->own_fd >= 0)
		close(output->own_fd);
	output->own_fd = -1;
	file_replacement_release(&output->file);
	output->fd = -1;
	buf_release(&output->buf);
	compressor_free(output->compressor);
	output->compressor = NULL;
}

static const char *output_name(const struct output *output)
{
	switch (output->kind) {
	case OUTPUT_STREAM: return "the output";
	case OUTPUT_SPOOL: return "a temporary file";
	case OUTPUT_FILE: break;
	}
	return output->file.path;
}

static int write_failed(struct output *output, struct error *err)
{
	output->pipe_closed = output->kind == OUTPUT_STREAM && errno == EPIPE;
	return error_set(
		err, ERROR_IO, "cannot write %s: %s", output_name(output), strerror(errno));
}

/* Counts what a stream sends. *skip bytes of it have been sent before. */
static int note_sent(
	struct output *output, const char *bytes, size_t size, size_t *skip, struct error *err)
{
	uint64_t left = output->repeated > output->sent ? output->repeated - output->sent : 0;

	*skip = left < size ? (size_t)left : size;
	output->sent_sum = crc32c(output->sent_sum, bytes, *skip);
	output->sent += *skip;
	if (left > 0 && output->sent == output->repeated &&
		output->sent_sum != output->repeated_sum)
		return error_set(err, ERROR_DATA,
			"rows that were printed already would read otherwise, now that a column "
			"has "
			"another type: declare the types in a schema, or use --output FILE");
	output->sent_sum = crc32c(output->sent_sum, bytes + *skip, size - *skip);
	output->sent += size - *skip;
	return 0;
}

static int write_bytes(struct output *output, const char *bytes, size_t size, struct error *err)
{
	size_t done = 0;

	if (output->kind == OUTPUT_STREAM && note_sent(output, bytes, size, &done, err))
		return -1;
	while (done < size) {
		ssize_t wrote = write(output->fd, bytes + done, size - done);

		if (interrupt_pending())
			return error_set(err, ERROR_INTERRUPTED, "interrupted");
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return write_failed(output, err);
		done += (size_t)wrote;
	}
	return 0;
}

static int write_compressed(struct output *output, bool end, struct error *err)
{
	struct buf packed;
	int status;

	buf_init(&packed, BUFFER_BYTES_MAX);
	status = compressor_take(
		output->compressor, output->buf.data, output->buf.size, end, &packed, err);
	if (status == 0)
		status = write_bytes(output, packed.data, packed.size, err);
	buf_release(&packed);
	return status;
}

/* `end`: nothing follows. */
static int flush(struct output *output, bool end, struct error *err)
{
	if (buf_overflowed(&output->buf))
		return error_set(err, ERROR_LIMIT, "rows of the result are too long to print");
	if (output->compressor ? write_compressed(output, end, err)
			       : write_bytes(output, output->buf.data, output->buf.size, err))
		return -1;
	buf_clear(&output->buf);
	return 0;
}

static int spill(struct output *output, struct error *err)
{
	const char *folder = getenv("TMPDIR");

	if (output->fd < 0) {
		output->fd = open(
			folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
		if (output->fd < 0)
			return error_set(err, ERROR_IO,
				"cannot make a temporary file in %s: %s (set TMPDIR to a folder "
				"with room)",
				folder && *folder ? folder : "/tmp", strerror(errno));
	}
	return flush(output, false, err);
}

int output_drain(struct output *output, struct error *err)
{
	if (interrupt_pending())
		return error_set(err, ERROR_INTERRUPTED, "interrupted");
	if (output->kind == OUTPUT_SPOOL)
		return output->buf.size < SPOOL_MEMORY_BYTES ? 0 : spill(output, err);
	return output->buf.size < DRAIN_BYTES ? 0 : flush(output, false, err);
}

int output_append(struct output *output, const char *text, size_t size, struct error *err)
{
	/* What is compressed, or waits, is kept together. */
	if (size < DIRECT_BYTES || output->kind == OUTPUT_SPOOL || output->compressor) {
		buf_append(&output->buf, text, size);
		return output_drain(output, err);
	}
	return flush(output, false, err) ? -1 : write_bytes(output, text, size, err);
}

int output_restart(struct output *output, struct error *err)
{
	buf_clear(&output->buf);
	if (output->kind == OUTPUT_STREAM) {
		if (output->sent > output->repeated) {
			output->repeated = output->sent;
			output->repeated_sum = output->sent_sum;
		}
		output->sent = 0;
		output->sent_sum = 0;
		return 0;
	}
	if (output->compressor) {
		compressor_free(output->compressor);
		output->compressor = compressor_new(compress_suffix(output->file.path));
	}
	if (output->fd >= 0 && (ftruncate(output->fd, 0) || lseek(output->fd, 0, SEEK_SET) != 0))
		return write_failed(output, err);
	return 0;
}

int output_commit(struct output *output, struct error *err)
{
	if (output->kind == OUTPUT_SPOOL)
		return 0;
	if (flush(output, true, err))
		return -1;
	if (output->kind != OUTPUT_FILE)
		return 0;
	if (file_replacement_commit(&output->file, true))
		return write_failed(output, err);
	output->fd = -1;
	return 0;
}

int output_forward(struct output *output, int fd, struct error *err)
{
	struct buf held = output->buf;
	int spooled = output->fd;
	int status = 0;

	buf_init(&output->buf, BUFFER_BYTES_MAX);
	output->kind = OUTPUT_STREAM;
	output->fd = fd;
	if (spooled >= 0) {
		char *piece = memory_alloc(DRAIN_BYTES);
		off_t offset = 0;
		ssize_t got;

		while (status == 0 && (got = pread(spooled, piece, DRAIN_BYTES, offset)) > 0) {
			status = write_bytes(output, piece, (size_t)got, err);
			offset += got;
		}
		if (status == 0 && got < 0)
			status = error_set(
				err, ERROR_IO, "cannot read a temporary file: %s", strerror(errno));
		free(piece);
		close(spooled);
	}
	if (status == 0)
		status = write_bytes(output, held.data, held.size, err);
	buf_release(&held);
	return status;
}
