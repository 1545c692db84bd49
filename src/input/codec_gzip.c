/*
 * gzip, and deflate as zip archives have it, by ISA-L: twice as fast as zlib on CSV, and unlike
 * libdeflate it needs neither the whole file nor the whole text in memory (docs/benchmark.md).
 */
#include "input/codec_private.h"

#include "base/memory.h"

#include <isa-l/igzip_lib.h>

#include <stdlib.h>

static void *inflate_new(void)
{
	/* Most of it is tables that it fills itself. */
	return memory_alloc_aligned(64, sizeof(struct inflate_state));
}

static bool gzip_start(void *state)
{
	isal_inflate_init(state);
	((struct inflate_state *)state)->crc_flag = ISAL_GZIP;
	return true;
}

static bool deflate_start(void *state)
{
	isal_inflate_init(state);
	((struct inflate_state *)state)->crc_flag = ISAL_DEFLATE;
	return true;
}

static const char *what_is_wrong(int result)
{
	switch (result) {
	case ISAL_INVALID_BLOCK: return "invalid deflate block";
	case ISAL_INVALID_SYMBOL: return "invalid deflate symbol";
	case ISAL_INVALID_LOOKBACK: return "invalid distance too far back";
	case ISAL_INVALID_WRAPPER: return "it is not a gzip file";
	case ISAL_UNSUPPORTED_METHOD: return "unknown compression method";
	case ISAL_INCORRECT_CHECKSUM: return "its checksum is wrong";
	default: return "it cannot be decompressed";
	}
}

static enum codec_step inflate_step(void *memory, struct codec_io *io, const char **why)
{
	struct inflate_state *state = memory;
	int result;

	state->next_in = (uint8_t *)io->in;
	state->avail_in = (uint32_t)(io->in_end - io->in);
	state->next_out = io->out;
	state->avail_out = (uint32_t)(io->out_end - io->out);
	result = isal_inflate(state);
	io->in = io->in_end - state->avail_in;
	io->out = state->next_out;
	if (result < 0 || result == ISAL_NEED_DICT) {
		*why = what_is_wrong(result);
		return CODEC_DAMAGED;
	}
	return state->block_state == ISAL_BLOCK_FINISH ? CODEC_FRAME_END : CODEC_MORE;
}

const struct codec_ops codec_gzip = {
	.suffix = ".gz",
	.magic = {0x1f, 0x8b},
	.magic_size = 2,
	.new = inflate_new,
	.free = free,
	.start = gzip_start,
	.step = inflate_step,
};

const struct codec_ops codec_deflate = {
	.suffix = "",
	.new = inflate_new,
	.free = free,
	.start = deflate_start,
	.step = inflate_step,
};
