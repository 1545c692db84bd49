#include "input/codec_private.h"

#include "base/memory.h"

#include <lzma.h>

#include <stdlib.h>

/* `xz -9` needs 65 MB; a file can ask for any amount. */
#define XZ_MEMORY_MAX ((uint64_t)1 << 30)

static void *xz_new(void)
{
	lzma_stream *stream = memory_alloc(sizeof(*stream));

	*stream = (lzma_stream)LZMA_STREAM_INIT;
	return stream;
}

static void xz_free(void *state)
{
	lzma_end(state);
	free(state);
}

/* Uses the memory of the frame before again. */
static bool xz_start(void *state)
{
	return lzma_stream_decoder(state, XZ_MEMORY_MAX, 0) == LZMA_OK;
}

static enum codec_step xz_step(void *state, struct codec_io *io, const char **why)
{
	lzma_stream *stream = state;
	lzma_ret result;

	stream->next_in = io->in;
	stream->avail_in = (size_t)(io->in_end - io->in);
	stream->next_out = io->out;
	stream->avail_out = (size_t)(io->out_end - io->out);
	result = lzma_code(stream, LZMA_RUN);
	io->in = stream->next_in;
	io->out = stream->next_out;
	switch (result) {
	case LZMA_OK:
	case LZMA_BUF_ERROR: return CODEC_MORE; /* no progress: whoever calls sees it */
	case LZMA_STREAM_END: return CODEC_FRAME_END;
	case LZMA_FORMAT_ERROR: *why = "it is not an xz file"; break;
	case LZMA_DATA_ERROR: *why = "its data is corrupt"; break;
	case LZMA_OPTIONS_ERROR: *why = "it needs a newer xz"; break;
	case LZMA_MEMLIMIT_ERROR: *why = "it takes more than 1 GB of memory to decompress"; break;
	case LZMA_MEM_ERROR: *why = "there is no memory to decompress it"; break;
	default: break;
	}
	return CODEC_DAMAGED;
}

const struct codec_ops codec_xz = {
	.suffix = ".xz",
	.magic = {0xfd, '7', 'z', 'X', 'Z', 0},
	.magic_size = 6,
	.new = xz_new,
	.free = xz_free,
	.start = xz_start,
	.step = xz_step,
};
