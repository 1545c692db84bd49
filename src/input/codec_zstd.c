#include "input/codec_private.h"

#include <zstd.h>

static void *zstd_new(void)
{
	return ZSTD_createDStream();
}

static void zstd_free(void *state)
{
	ZSTD_freeDStream(state);
}

static bool zstd_start(void *state)
{
	return !ZSTD_isError(ZSTD_initDStream(state));
}

static enum codec_step zstd_step(void *state, struct codec_io *io, const char **why)
{
	ZSTD_inBuffer in = {io->in, (size_t)(io->in_end - io->in), 0};
	ZSTD_outBuffer out = {io->out, (size_t)(io->out_end - io->out), 0};
	size_t result = ZSTD_decompressStream(state, &out, &in);

	io->in += in.pos;
	io->out += out.pos;
	if (ZSTD_isError(result)) {
		*why = ZSTD_getErrorName(result);
		return CODEC_DAMAGED;
	}
	return result == 0 ? CODEC_FRAME_END : CODEC_MORE;
}

const struct codec_ops codec_zstd = {
	.suffix = ".zst",
	.magic = {0x28, 0xb5, 0x2f, 0xfd},
	.magic_size = 4,
	.new = zstd_new,
	.free = zstd_free,
	.start = zstd_start,
	.step = zstd_step,
};
