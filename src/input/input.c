#include "input/input.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "input/archive_private.h"
#include "input/binary.h"
#include "input/codec_private.h"
#include "input/encoding_private.h"
#include "input/stdin.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_BYTES  (64u << 10) /* that are looked at for the encoding */
#define BINARY_SIZE 4096	/* a NUL among these says that it is not text */
/* A plain file is also looked at elsewhere: many begin with pages of ASCII. */
#define PROBES	    3
#define LOOK_MS	    100
#define PROBE_BYTES (16u << 10)

struct input {
	const char *path;
	int fd; /* -1: inside of an archive */
	bool seekable;
	bool ended; /* all was read, and what reading needs is released */
	struct encoding encoding;
	uint64_t bytes_total;
	struct stat status; /* of a regular file, when it was opened */
	_Atomic uint64_t bytes_done;
	struct stream *stream; /* of text, when it is not seekable */
	uint64_t offset;       /* where input_read goes on, when it is */
};

/* --- streams -------------------------------------------------------------------------------------
 */

struct file_stream {
	struct stream stream; /* first */
	struct input *input;
};

/*
 * At the end of a file: it must be the one that was opened, as it was then. What was read of one that
 * changed meanwhile may be of both, and nobody could tell.
 */
static int check_unchanged(const struct input *input, struct error *err)
{
	const struct stat *then = &input->status;
	struct stat now, named;
	const char *what = NULL;

	if (!S_ISREG(then->st_mode) || fstat(input->fd, &now))
		return 0;
	if (now.st_size != then->st_size)
		what = "its size has changed";
	else if (now.st_mtim.tv_sec != then->st_mtim.tv_sec ||
		 now.st_mtim.tv_nsec != then->st_mtim.tv_nsec)
		what = "somebody has written to it";
	else if (stat(input->path, &named) == 0 &&
		 (named.st_ino != then->st_ino || named.st_dev != then->st_dev))
		what = "another file has its name now";
	if (!what)
		return 0;
	return error_set(err, ERROR_DATA,
		"%s changed while it was read: %s. Try again when nobody writes to it", input->path,
		what);
}

static const atomic_bool *interrupt_flag;

void input_interrupt_with(const atomic_bool *flag)
{
	interrupt_flag = flag;
}

/* A pipe may have nothing for us, or nobody to write into it, for ever: we look who wants us to end. */
static int wait_for_data(const struct input *input, struct error *err)
{
	struct pollfd poll_fd = {.fd = input->fd, .events = POLLIN};

	if (input->seekable || S_ISREG(input->status.st_mode))
		return 0;
	while (poll(&poll_fd, 1, LOOK_MS) <= 0)
		if (interrupt_flag && atomic_load_explicit(interrupt_flag, memory_order_relaxed))
			return error_set(err, ERROR_INTERRUPTED, "interrupted");
	return 0;
}

/* As read(2) without its interruptions: `size` bytes, or fewer at the end. */
static ssize_t file_read(struct stream *stream, char *data, size_t size, struct error *err)
{
	struct input *input = ((struct file_stream *)stream)->input;
	size_t done = 0;

	while (done < size) {
		ssize_t count;

		if (wait_for_data(input, err))
			return -1;
		count = read(input->fd, data + done, size - done);
		if (count < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (count < 0)
			return error_set(
				err, ERROR_IO, "cannot read %s: %s", input->path, strerror(errno));
		if (count == 0)
			break;
		done += (size_t)count;
		atomic_fetch_add_explicit(
			&input->bytes_done, (uint64_t)count, memory_order_relaxed);
	}
	if (done < size && check_unchanged(input, err))
		return -1;
	return (ssize_t)done;
}

static void file_free(struct stream *stream)
{
	free(stream);
}

static const struct stream_ops file_ops = {file_read, file_free};

static struct stream *file_stream_new(struct input *input)
{
	struct file_stream *file = memory_zalloc(sizeof(*file));

	file->stream.ops = &file_ops;
	file->input = input;
	return &file->stream;
}

/* Gives bytes again that were read to be looked at. */
struct head_stream {
	struct stream stream; /* first */
	struct stream *rest;
	char *head;
	size_t begin;
	size_t end;
};

static ssize_t head_read(struct stream *stream, char *data, size_t size, struct error *err)
{
	struct head_stream *head = (struct head_stream *)stream;
	size_t held = head->end - head->begin;
	size_t part = held < size ? held : size;
	ssize_t more;

	if (part > 0)
		memcpy(data, head->head + head->begin, part);
	head->begin += part;
	if (part == size)
		return (ssize_t)part;
	more = stream_read(head->rest, data + part, size - part, err);
	return more < 0 ? more : (ssize_t)part + more;
}

static void head_free(struct stream *stream)
{
	struct head_stream *head = (struct head_stream *)stream;

	stream_free(head->rest);
	free(head->head);
	free(head);
}

static const struct stream_ops head_ops = {head_read, head_free};

/* --- the encoding --------------------------------------------------------------------------------
 */

static int refuse_binary(
	const struct input *input, const char *head, size_t size, struct error *err)
{
	size_t looked = size < BINARY_SIZE ? size : BINARY_SIZE;
	const char *name = binary_name(head, size);
	size_t even = 0, odd = 0;

	if (!memchr(head, '\0', looked))
		return 0;
	if (name)
		return error_set(
			err, ERROR_DATA, "%s is not a text file but %s", input->path, name);
	for (size_t i = 0; i < looked; i++)
		*(i % 2 ? &odd : &even) += head[i] == '\0';
	/* Western text in UTF-16 has a NUL in every other place. */
	if ((even == 0) != (odd == 0) && even + odd > looked / 4)
		return error_set(err, ERROR_DATA,
			"%s is not a text file, unless it is UTF-16 without a mark at its start: "
			"then say --encoding utf-16%s",
			input->path, even ? "be" : "le");
	return error_set(err, ERROR_DATA,
		"%s is not a text file; files must be text, plain, .gz, .zst, .bz2, .xz or in a "
		".zip",
		input->path);
}

/* Looks at some places of a plain file behind its head. */
static int probe(struct input *input, struct encoding_evidence *evidence, struct error *err)
{
	uint64_t rest = input->bytes_total > HEAD_BYTES ? input->bytes_total - HEAD_BYTES : 0;
	char *part;
	int status = 0;

	if (rest < PROBES * PROBE_BYTES)
		return 0;
	part = memory_alloc(PROBE_BYTES);
	for (uint64_t i = 1; i <= PROBES && status == 0; i++) {
		/* The last one ends with the file. */
		uint64_t offset = HEAD_BYTES + (rest - PROBE_BYTES) * i / PROBES;
		ssize_t size = input_read_at(input, offset, part, PROBE_BYTES, err);

		if (size < 0)
			status = -1;
		else
			encoding_weigh(evidence, part, (size_t)size, false, i == PROBES);
	}
	free(part);
	return status;
}

/* So many bytes, and one in so many, that Windows-1252 does not have: it is something else. */
#define STRANGE_MIN   2
#define STRANGE_SHARE 16

/* Neither the file nor the user says what it is. */
static int guess_encoding(
	struct input *input, const struct encoding_evidence *evidence, struct error *err)
{
	const char *name = "UTF-8", *other;

	/* Among letters of Windows-1252 there is hardly ever a pair that is UTF-8 by chance. */
	if (evidence->faults > 0)
		name = evidence->characters * 4 >= evidence->faults ? "mixed" : "Windows-1252";
	if (name[0] == 'W' && evidence->strange >= STRANGE_MIN &&
		evidence->strange * STRANGE_SHARE >= evidence->faults)
		return error_set(err, ERROR_DATA,
			"%s is neither UTF-8 nor Windows-1252: say with --encoding, or encoding = "
			"'...' in a schema, what it is (shift_jis, gbk, big5, ...)",
			input->path);
	other = evidence->faults > evidence->characters ? encoding_not_western(evidence) : NULL;
	if (other)
		return error_set(err, ERROR_DATA,
			"%s is not UTF-8, and as Windows-1252 there are no words in it: it may be "
			"%s. Say with --encoding, or encoding = '...' in a schema, what it is "
			"(--encoding windows-1252 reads it so all the same)",
			input->path, other);
	if (encoding_find(&input->encoding, name, err) < 0)
		return -1;
	input->encoding.is_guess = true;
	input->encoding.has_controls = input->encoding.is_utf8 && evidence->controls > 0;
	return 0;
}

static int find_encoding(
	struct input *input, const char *head, size_t size, const char *name, struct error *err)
{
	struct encoding_evidence evidence = {0};
	struct encoding marked;
	bool has_mark = encoding_of_mark(&marked, head, size);

	if (name) {
		if (encoding_find(&input->encoding, name, err) < 0)
			return -1;
		if (has_mark && marked.is_utf8 && input->encoding.is_utf8)
			input->encoding.mark_size = marked.mark_size;
	} else if (has_mark) {
		input->encoding = marked;
	}
	if (!(name || has_mark) || input->encoding.is_utf8 || input->encoding.is_windows_1252)
		if (refuse_binary(input, head, size, err) < 0)
			return -1;
	if (name || (has_mark && !marked.is_utf8))
		return 0;
	encoding_weigh(&evidence, head, size, true, size < HEAD_BYTES);
	if (input->seekable && probe(input, &evidence, err) < 0)
		return -1;
	if (!has_mark)
		return guess_encoding(input, &evidence, err);
	return 0;
}

/* --- opening -------------------------------------------------------------------------------------
 */

static int open_file(struct input *input, struct error *err)
{
	struct stat status = {0};
	const char *path = input->path;

	if (strcmp(path, INPUT_STDIN) == 0 && input_stdin_path(&path, err))
		return -1;
	/* A pipe that nobody writes into yet would keep us in open. */
	input->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (input->fd < 0)
		return error_set(err, ERROR_IO, "cannot open %s: %s", input->path, strerror(errno));
	if (fstat(input->fd, &status) != 0 || S_ISDIR(status.st_mode))
		return error_set(err, ERROR_IO, "cannot read %s: %s", input->path,
			S_ISDIR(status.st_mode) ? "it is a directory" : strerror(errno));
	posix_fadvise(input->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	/* Not a pipe or a device, nor what only looks like a file, as in /proc. */
	input->seekable = S_ISREG(status.st_mode) && status.st_size > 0;
	input->bytes_total = status.st_size > 0 ? (uint64_t)status.st_size : 0;
	/* What only looks like a file, as in /proc, has no size, and no time that means anything. */
	if (input->seekable)
		input->status = status;
	input->stream = file_stream_new(input);
	return 0;
}

/* Finds out whether the bytes are compressed, and unpacks them. */
static int open_codec(struct input *input, struct error *err)
{
	const struct codec_ops *codec = codec_of_name(input->path);
	struct stream *packed = input->stream;
	char start[8];

	if (!codec && input->fd >= 0) {
		ssize_t size = pread(input->fd, start, sizeof(start), 0);

		codec = size > 0 ? codec_of_bytes(start, (size_t)size) : NULL;
	}
	if (!codec)
		return 0;
	input->stream = NULL;
	input->seekable = false;
	return codec_stream_new(&input->stream, packed, codec, input->path, err);
}

/* What a stream has given already comes once more, but for a mark. */
static struct stream *head_stream_new(struct stream *rest, char *head, size_t size, size_t skipped)
{
	struct head_stream *again = memory_zalloc(sizeof(*again));

	again->stream.ops = &head_ops;
	again->rest = rest;
	again->head = head;
	again->begin = skipped;
	again->end = size;
	return &again->stream;
}

/* Reads the head and decides what the bytes are; then they are text. */
static int open_text(struct input *input, const char *encoding, struct error *err)
{
	char *head = memory_alloc(HEAD_BYTES);
	ssize_t size = input->seekable ? input_read_at(input, 0, head, HEAD_BYTES, err)
				       : stream_read(input->stream, head, HEAD_BYTES, err);
	bool at_start = input->seekable; /* the stream has not moved */
	struct stream *bytes = input->stream;

	if (size < 0 || find_encoding(input, head, (size_t)size, encoding, err) < 0) {
		free(head);
		return -1;
	}
	input->offset = input->encoding.mark_size;
	if (at_start && input->encoding.is_utf8) {
		free(head);
		stream_free(bytes);
		input->stream = NULL;
		return 0;
	}
	input->seekable = false;
	if (at_start)
		free(head);
	else
		input->stream = bytes = head_stream_new(bytes, head, (size_t)size,
			input->encoding.is_utf8 ? input->encoding.mark_size : 0);
	if (input->encoding.is_utf8)
		return 0;
	input->stream = NULL;
	return encoding_stream_new(&input->stream, bytes, &input->encoding, input->path, err);
}

int input_open(struct input **out, const char *path, const char *encoding, struct error *err)
{
	struct input *input = memory_zalloc(sizeof(*input));
	size_t archive = archive_prefix(path);
	int status;

	input->path = path;
	input->fd = -1;
	if (archive > 0)
		status = archive_open(&input->stream, path, archive, &input->bytes_done,
			&input->bytes_total, err);
	else
		status = open_file(input, err);
	if (status == 0)
		status = open_codec(input, err);
	if (status == 0)
		status = open_text(input, encoding, err);
	if (status < 0)
		input_close(input);
	else
		*out = input;
	return status;
}

void input_stop(struct input *input)
{
	if (input->ended)
		return;
	stream_free(input->stream);
	input->stream = NULL;
	if (input->fd >= 0)
		close(input->fd);
	input->ended = true;
}

void input_close(struct input *input)
{
	if (!input)
		return;
	input_stop(input);
	free(input);
}

/* --- reading -------------------------------------------------------------------------------------
 */

bool input_is_seekable(const struct input *input)
{
	return input->seekable;
}

ssize_t input_read_at(
	struct input *input, uint64_t offset, char *data, size_t size, struct error *err)
{
	size_t done = 0;

	while (done < size) {
		ssize_t count = pread(input->fd, data + done, size - done, (off_t)(offset + done));

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return error_set(
				err, ERROR_IO, "cannot read %s: %s", input->path, strerror(errno));
		if (count == 0)
			break;
		done += (size_t)count;
	}
	if (offset + size >= input->bytes_total && check_unchanged(input, err))
		return -1;
	return (ssize_t)done;
}

ssize_t input_read(struct input *input, char *data, size_t size, struct error *err)
{
	ssize_t count;

	if (input->ended)
		return 0;
	if (input->seekable) {
		count = input_read_at(input, input->offset, data, size, err);
		if (count > 0)
			input->offset += (uint64_t)count;
		input_note_done(input, input->offset);
		return count;
	}
	count = stream_read(input->stream, data, size, err);
	if (count >= 0 && (size_t)count < size)
		input_stop(input);
	return count;
}

uint64_t input_offset(const struct input *input)
{
	return input->offset;
}

void input_note_done(struct input *input, uint64_t bytes)
{
	atomic_store_explicit(&input->bytes_done, bytes, memory_order_relaxed);
}

const char *input_encoding(const struct input *input, bool *guessed)
{
	*guessed = input->encoding.is_guess;
	return input->encoding.name;
}

bool input_may_mend(const struct input *input)
{
	return input->encoding.is_guess || input->encoding.is_mixed;
}

bool input_has_controls(const struct input *input)
{
	return input->encoding.has_controls;
}

bool input_needs_check(const struct input *input)
{
	return input->encoding.is_utf8;
}

uint64_t input_bytes_done(const struct input *input)
{
	return atomic_load_explicit(&input->bytes_done, memory_order_relaxed);
}

uint64_t input_bytes_total(const struct input *input)
{
	return input->bytes_total;
}

/* The first line of the text that is not UTF-8; 0 when there is none, or it cannot be read. */
static uint64_t find_line(struct input *input, char *piece)
{
	uint64_t lines = 0;
	size_t held = 0;

	for (;;) {
		struct error ignored;
		ssize_t more = input_read(input, piece + held, HEAD_BYTES - held, &ignored);
		size_t size = held + (more > 0 ? (size_t)more : 0);
		size_t valid = utf8_valid_size(piece, size);

		for (size_t i = 0; i < valid; i++)
			lines += piece[i] == '\n';
		if (valid < size && (size < HEAD_BYTES || size - valid > 3))
			return lines + 1;
		if (size < HEAD_BYTES)
			return 0;
		held = size - valid;
		memmove(piece, piece + valid, held);
	}
}

uint64_t input_line_not_utf8(const char *path)
{
	struct input *input;
	struct error ignored;
	uint64_t line;
	char *piece;

	if (input_open(&input, path, "utf-8", &ignored) < 0)
		return 0;
	piece = memory_alloc(HEAD_BYTES);
	line = find_line(input, piece);
	free(piece);
	input_close(input);
	return line;
}
