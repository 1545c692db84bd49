/* A file is read in order, once. What was packed in several pieces is read to the end of the last.
 */
#include "csv/source_private.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define INPUT_BYTES (128u << 10) /* compressed bytes read at a time */

enum codec {
	CODEC_PLAIN,
	CODEC_GZIP,
	CODEC_ZSTD,
};

struct csv_source {
	const char *path;
	int fd;
	enum codec codec;
	bool regular; /* not a pipe or a device */
	uint64_t bytes_total;
	_Atomic uint64_t bytes_done;
	bool ended; /* all was read, and what reading needs is released */

	/* Compressed files only. */
	char *input;
	size_t input_begin;
	size_t input_end;
	bool input_ended;
	bool in_frame; /* a gzip member or zstd frame has begun and not ended */
	bool any_frame;
	z_stream gzip;
	ZSTD_DStream *zstd;
};

static const unsigned char gzip_magic[] = {0x1f, 0x8b};
static const unsigned char zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};

static bool path_ends_in(const char *path, const char *end)
{
	size_t path_size = strlen(path), end_size = strlen(end);

	return path_size > end_size && strcmp(path + path_size - end_size, end) == 0;
}

/* The name says how a file is packed; where it does not, the first bytes do. */
static enum codec codec_of(const char *path, int fd)
{
	unsigned char start[4];
	ssize_t size;

	if (path_ends_in(path, ".gz"))
		return CODEC_GZIP;
	if (path_ends_in(path, ".zst"))
		return CODEC_ZSTD;
	size = pread(fd, start, sizeof(start), 0);
	if (size >= 2 && memcmp(start, gzip_magic, sizeof(gzip_magic)) == 0)
		return CODEC_GZIP;
	if (size >= 4 && memcmp(start, zstd_magic, sizeof(zstd_magic)) == 0)
		return CODEC_ZSTD;
	return CODEC_PLAIN;
}

int csv_source_open(struct csv_source **out, const char *path, struct error *err)
{
	struct csv_source *source;
	struct stat status = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return error_set(err, ERROR_IO, "cannot open %s: %s", path, strerror(errno));
	if (fstat(fd, &status) != 0 || S_ISDIR(status.st_mode)) {
		const char *why = S_ISDIR(status.st_mode) ? "it is a directory" : strerror(errno);

		close(fd);
		return error_set(err, ERROR_IO, "cannot read %s: %s", path, why);
	}
	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	source = memory_zalloc(sizeof(*source));
	source->path = path;
	source->fd = fd;
	source->regular = S_ISREG(status.st_mode) && status.st_size > 0;
	source->bytes_total = status.st_size > 0 ? (uint64_t)status.st_size : 0;
	source->codec = codec_of(path, fd);
	if (source->codec != CODEC_PLAIN)
		source->input = memory_alloc(INPUT_BYTES);
	if (source->codec == CODEC_ZSTD)
		source->zstd = ZSTD_createDStream();
	if ((source->codec == CODEC_ZSTD && !source->zstd) ||
		(source->codec == CODEC_GZIP && inflateInit2(&source->gzip, 15 + 16) != Z_OK)) {
		source->codec = CODEC_PLAIN; /* there is nothing to end */
		csv_source_close(source);
		return error_set(
			err, ERROR_LIMIT, "cannot read %s: no memory to decompress it", path);
	}
	*out = source;
	return 0;
}

void csv_source_stop(struct csv_source *source)
{
	if (source->ended)
		return;
	if (source->codec == CODEC_GZIP)
		inflateEnd(&source->gzip);
	ZSTD_freeDStream(source->zstd);
	free(source->input);
	close(source->fd);
	source->ended = true;
}

void csv_source_close(struct csv_source *source)
{
	if (!source)
		return;
	csv_source_stop(source);
	free(source);
}

bool csv_source_is_seekable(const struct csv_source *source)
{
	return source->codec == CODEC_PLAIN && source->regular;
}

uint64_t csv_source_bytes_done(const struct csv_source *source)
{
	return atomic_load_explicit(&source->bytes_done, memory_order_relaxed);
}

uint64_t csv_source_bytes_total(const struct csv_source *source)
{
	return source->bytes_total;
}

/* As read(2) without its interruptions: `size` bytes, or fewer at the end. */
static ssize_t read_fully(struct csv_source *source, char *data, size_t size, struct error *err)
{
	size_t done = 0;

	while (done < size) {
		ssize_t count = read(source->fd, data + done, size - done);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return error_set(
				err, ERROR_IO, "cannot read %s: %s", source->path, strerror(errno));
		if (count == 0)
			break;
		done += (size_t)count;
		atomic_fetch_add_explicit(
			&source->bytes_done, (uint64_t)count, memory_order_relaxed);
	}
	return (ssize_t)done;
}

static int damaged(const struct csv_source *source, const char *what, struct error *err)
{
	return error_set(err, ERROR_DATA,
		"%s is damaged: %s; get the file again, or take it out of the folder", source->path,
		what);
}

static int fill_input(struct csv_source *source, struct error *err)
{
	ssize_t count = read_fully(source, source->input, INPUT_BYTES, err);

	if (count < 0)
		return -1;
	source->input_begin = 0;
	source->input_end = (size_t)count;
	source->input_ended = count == 0;
	return 0;
}

/* One step of decompression. Sets how many bytes came out; 0 is no error and not the end. */
static int gzip_step(
	struct csv_source *source, char *data, size_t size, size_t *produced, struct error *err)
{
	z_stream *stream = &source->gzip;
	int result;

	if (!source->in_frame) {
		/* Archives on old media are filled up with zeros. */
		if (source->any_frame && source->input[source->input_begin] == 0) {
			source->input_begin++;
			return 0;
		}
		if (inflateReset(stream) != Z_OK)
			return damaged(source, "it cannot be decompressed", err);
		source->in_frame = source->any_frame = true;
	}
	stream->next_in = (unsigned char *)source->input + source->input_begin;
	stream->avail_in = (uInt)(source->input_end - source->input_begin);
	stream->next_out = (unsigned char *)data;
	stream->avail_out = (uInt)size;
	result = inflate(stream, Z_NO_FLUSH);
	source->input_begin = source->input_end - stream->avail_in;
	*produced = size - stream->avail_out;
	if (result == Z_STREAM_END)
		source->in_frame = false;
	else if (result != Z_OK && result != Z_BUF_ERROR)
		return damaged(source, stream->msg ? stream->msg : "it is not a gzip file", err);
	return 0;
}

static int zstd_step(
	struct csv_source *source, char *data, size_t size, size_t *produced, struct error *err)
{
	ZSTD_inBuffer in = {source->input, source->input_end, source->input_begin};
	ZSTD_outBuffer out = {data, size, 0};
	size_t result = ZSTD_decompressStream(source->zstd, &out, &in);

	source->input_begin = in.pos;
	*produced = out.pos;
	if (ZSTD_isError(result))
		return damaged(source, ZSTD_getErrorName(result), err);
	source->in_frame = result != 0;
	source->any_frame = true;
	return 0;
}

static ssize_t read_compressed(
	struct csv_source *source, char *data, size_t size, struct error *err)
{
	size_t done = 0;

	while (done < size) {
		/* zlib counts in 32 bits. */
		size_t room = size - done < (1u << 30) ? size - done : 1u << 30;
		size_t produced = 0;
		int status;

		/*
		 * A decoder may hold bytes back that did not fit before, so it is asked once more
		 * even when the input is used up; then the input's end decides.
		 */
		if (source->input_begin == source->input_end && !source->input_ended &&
			fill_input(source, err) < 0)
			return -1;
		if (source->input_ended && !source->in_frame)
			break;
		if (source->codec == CODEC_GZIP)
			status = gzip_step(source, data + done, room, &produced, err);
		else
			status = zstd_step(source, data + done, room, &produced, err);
		if (status < 0)
			return -1;
		done += produced;
		if (source->input_ended && source->in_frame && produced == 0)
			return damaged(source, "it is cut off", err);
	}
	if (source->input_ended && !source->any_frame)
		return damaged(source, "it is empty", err);
	return (ssize_t)done;
}

ssize_t csv_source_read(struct csv_source *source, char *data, size_t size, struct error *err)
{
	ssize_t count;

	if (source->ended)
		return 0;
	count = source->codec == CODEC_PLAIN ? read_fully(source, data, size, err)
					     : read_compressed(source, data, size, err);
	if (count >= 0 && (size_t)count < size && !csv_source_is_seekable(source))
		csv_source_stop(source);
	return count;
}

ssize_t csv_source_read_at(
	struct csv_source *source, uint64_t offset, char *data, size_t size, struct error *err)
{
	size_t done = 0;

	while (done < size) {
		ssize_t count = pread(source->fd, data + done, size - done, (off_t)(offset + done));

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return error_set(
				err, ERROR_IO, "cannot read %s: %s", source->path, strerror(errno));
		if (count == 0)
			break;
		done += (size_t)count;
	}
	return (ssize_t)done;
}

void csv_source_note_done(struct csv_source *source, uint64_t bytes)
{
	atomic_store_explicit(&source->bytes_done, bytes, memory_order_relaxed);
}
