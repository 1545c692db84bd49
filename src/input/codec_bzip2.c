#include "input/codec_private.h"

#include "base/memory.h"

#include <bzlib.h>

#include <stdlib.h>
#include <string.h>

struct bzip2 {
	bz_stream stream;
	bool started;
};

static void *bzip2_new(void)
{
	return memory_zalloc(sizeof(struct bzip2));
}

static void bzip2_end(struct bzip2 *bzip2)
{
	if (bzip2->started)
		BZ2_bzDecompressEnd(&bzip2->stream);
	bzip2->started = false;
}

static void bzip2_free(void *state)
{
	bzip2_end(state);
	free(state);
}

static bool bzip2_start(void *state)
{
	struct bzip2 *bzip2 = state;

	bzip2_end(bzip2);
	memset(&bzip2->stream, 0, sizeof(bzip2->stream));
	bzip2->started = BZ2_bzDecompressInit(&bzip2->stream, 0, 0) == BZ_OK;
	return bzip2->started;
}

static enum codec_step bzip2_step(void *state, struct codec_io *io, const char **why)
{
	bz_stream *stream = &((struct bzip2 *)state)->stream;
	int result;

	stream->next_in = (char *)io->in;
	stream->avail_in = (unsigned)(io->in_end - io->in);
	stream->next_out = (char *)io->out;
	stream->avail_out = (unsigned)(io->out_end - io->out);
	result = BZ2_bzDecompress(stream);
	io->in = io->in_end - stream->avail_in;
	io->out = io->out_end - stream->avail_out;
	switch (result) {
	case BZ_OK: return CODEC_MORE;
	case BZ_STREAM_END: return CODEC_FRAME_END;
	case BZ_DATA_ERROR_MAGIC: *why = "it is not a bzip2 file"; break;
	case BZ_DATA_ERROR: *why = "its checksum is wrong"; break;
	case BZ_MEM_ERROR: *why = "there is no memory to decompress it"; break;
	default: break;
	}
	return CODEC_DAMAGED;
}

const struct codec_ops codec_bzip2 = {
	.suffix = ".bz2",
	.magic = {'B', 'Z', 'h'},
	.magic_size = 3,
	.new = bzip2_new,
	.free = bzip2_free,
	.start = bzip2_start,
	.step = bzip2_step,
};
