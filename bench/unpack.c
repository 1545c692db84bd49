/*
 * How fast gzip files become text: zlib, libdeflate and ISA-L beside each other and beside our own
 * reader, on one core.
 *
 *   unpack FILE.gz [TURNS]
 *
 * The libraries unpack a file that is in memory; libdeflate all at once, because it cannot do
 * otherwise, the others in pieces of a chunk's size. Our reader reads the file as a scan does. The
 * best turn counts: what disturbs one makes it slower, and nothing makes it faster.
 */
#include "base/memory.h"
#include "input/input.h"

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <zlib.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PIECE_BYTES (256u << 10)
#define FILE_MAX    ((size_t)1 << 30)
#define TEXT_MAX    ((size_t)4 << 30)
#define TURNS	    5

struct file {
	const char *path;
	unsigned char *bytes;
	size_t size;
	unsigned char *text; /* room for it */
	size_t room;
};

/* Returns the bytes of text; 0 when it failed. */
typedef size_t (*unpack_fn)(const struct file *file);

static double cpu_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static size_t with_zlib(const struct file *file)
{
	z_stream stream = {.next_in = file->bytes, .avail_in = (uInt)file->size};
	size_t size = 0;
	int result;

	if (inflateInit2(&stream, 15 + 16) != Z_OK)
		return 0;
	do {
		stream.next_out = file->text;
		stream.avail_out = PIECE_BYTES;
		result = inflate(&stream, Z_NO_FLUSH);
		size += PIECE_BYTES - stream.avail_out;
	} while (result == Z_OK);
	inflateEnd(&stream);
	return result == Z_STREAM_END ? size : 0;
}

static size_t with_libdeflate(const struct file *file)
{
	struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
	size_t size = 0;

	if (libdeflate_gzip_decompress(decompressor, file->bytes, file->size, file->text,
		    file->room, &size) != LIBDEFLATE_SUCCESS)
		size = 0;
	libdeflate_free_decompressor(decompressor);
	return size;
}

static size_t with_isal(const struct file *file)
{
	struct inflate_state *state = memory_alloc_aligned(64, sizeof(*state));
	size_t size = 0;
	int result;

	isal_inflate_init(state);
	state->crc_flag = ISAL_GZIP;
	state->next_in = file->bytes;
	state->avail_in = (uint32_t)file->size;
	do {
		state->next_out = file->text;
		state->avail_out = PIECE_BYTES;
		result = isal_inflate(state);
		size += PIECE_BYTES - state->avail_out;
	} while (result == ISAL_DECOMP_OK && state->block_state != ISAL_BLOCK_FINISH);
	free(state);
	return result == ISAL_DECOMP_OK ? size : 0;
}

static size_t with_input(const struct file *file)
{
	struct input *input;
	struct error err;
	size_t size = 0;
	ssize_t count;

	if (input_open(&input, file->path, NULL, &err))
		return 0;
	while ((count = input_read(input, (char *)file->text, PIECE_BYTES, &err)) > 0)
		size += (size_t)count;
	input_close(input);
	return count < 0 ? 0 : size;
}

static int load(struct file *file, const char *path)
{
	FILE *in = fopen(path, "rb");
	long size = -1;

	if (in && fseek(in, 0, SEEK_END) == 0)
		size = ftell(in);
	if (size <= 0 || (size_t)size > FILE_MAX || fseek(in, 0, SEEK_SET) != 0)
		return -1;
	file->path = path;
	file->size = (size_t)size;
	file->bytes = memory_alloc(file->size);
	if (fread(file->bytes, 1, file->size, in) != file->size)
		return -1;
	fclose(in);
	file->text = memory_alloc(PIECE_BYTES);
	file->room = with_zlib(file);
	free(file->text);
	if (file->room == 0 || file->room > TEXT_MAX)
		return -1;
	file->text = memory_zalloc(file->room);
	return 0;
}

static void measure(const char *name, unpack_fn unpack, const struct file *file, long turns)
{
	double best = 0;

	for (long turn = 0; turn < turns; turn++) {
		double started = cpu_seconds(), seconds;

		if (unpack(file) != file->room) {
			fprintf(stderr, "%s cannot read %s\n", name, file->path);
			exit(1);
		}
		seconds = cpu_seconds() - started;
		if (best == 0 || seconds < best)
			best = seconds;
	}
	printf("%-12s %6.0f MB/s\n", name, (double)file->room / best / 1e6);
}

int main(int argc, char **argv)
{
	long turns = argc > 2 ? strtol(argv[2], NULL, 10) : TURNS;
	struct file file;

	if (argc < 2 || turns < 1 || load(&file, argv[1])) {
		fprintf(stderr, "usage: unpack FILE.gz [TURNS]\n");
		return 2;
	}
	printf("%s: %.1f MB, %.1f MB of text\n", file.path, (double)file.size / 1e6,
		(double)file.room / 1e6);
	measure("zlib", with_zlib, &file, turns);
	measure("libdeflate", with_libdeflate, &file, turns);
	measure("ISA-L", with_isal, &file, turns);
	measure("tamiz", with_input, &file, turns);
	free(file.bytes);
	free(file.text);
	return 0;
}
