#include "cli/print/compress.h"

#include "base/memory.h"

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PIECE_BYTES (128u << 10)
#define ROOM_BYTES  (64u << 10) /* for what comes out, at a time */
#define GZIP_LEVEL  3		/* ISA-L's best: 150 MB/s, and as small as gzip -4 */
#define GZIP_MEMORY ISAL_DEF_LVL3_DEFAULT
#define ZSTD_LEVEL  3

struct compressor {
	char *piece; /* text that waits */
	size_t held;
	struct isal_zstream *gzip; /* one of the two */
	ZSTD_CCtx *zstd;
};

const char *compress_suffix(const char *path)
{
	static const char *const suffixes[] = {".gz", ".zst"};
	size_t size = strlen(path);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t suffix = strlen(suffixes[i]);

		if (size > suffix && strcasecmp(path + size - suffix, suffixes[i]) == 0)
			return suffixes[i];
	}
	return NULL;
}

struct compressor *compressor_new(const char *suffix)
{
	struct compressor *compressor = memory_zalloc(sizeof(*compressor));

	compressor->piece = memory_alloc(PIECE_BYTES);
	if (strcmp(suffix, ".zst") == 0) {
		compressor->zstd = ZSTD_createCCtx();
		if (compressor->zstd) {
			ZSTD_CCtx_setParameter(
				compressor->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
			ZSTD_CCtx_setParameter(compressor->zstd, ZSTD_c_checksumFlag, 1);
		}
		return compressor;
	}
	compressor->gzip = memory_alloc_aligned(64, sizeof(*compressor->gzip));
	isal_deflate_init(compressor->gzip);
	compressor->gzip->gzip_flag = IGZIP_GZIP;
	compressor->gzip->level = GZIP_LEVEL;
	compressor->gzip->level_buf = memory_alloc(GZIP_MEMORY);
	compressor->gzip->level_buf_size = GZIP_MEMORY;
	return compressor;
}

void compressor_free(struct compressor *compressor)
{
	if (!compressor)
		return;
	ZSTD_freeCCtx(compressor->zstd);
	if (compressor->gzip)
		free(compressor->gzip->level_buf);
	free(compressor->gzip);
	free(compressor->piece);
	free(compressor);
}

/* False when it cannot. */
static bool gzip_piece(
	struct isal_zstream *gzip, char *piece, size_t size, bool end, struct buf *out)
{
	gzip->next_in = (uint8_t *)piece;
	gzip->avail_in = (uint32_t)size;
	gzip->end_of_stream = end;
	do {
		char *to = buf_reserve(out, ROOM_BYTES);

		if (!to)
			return false;
		gzip->next_out = (uint8_t *)to;
		gzip->avail_out = ROOM_BYTES;
		if (isal_deflate(gzip) != COMP_OK)
			return false;
		out->size += ROOM_BYTES - gzip->avail_out;
	} while (gzip->avail_in > 0 || gzip->avail_out == 0 ||
		 (end && gzip->internal_state.state != ZSTATE_END));
	return true;
}

static bool zstd_piece(ZSTD_CCtx *zstd, const char *piece, size_t size, bool end, struct buf *out)
{
	ZSTD_inBuffer in = {piece, size, 0};
	size_t left;

	do {
		ZSTD_outBuffer to = {buf_reserve(out, ROOM_BYTES), ROOM_BYTES, 0};

		if (!to.dst)
			return false;
		left = ZSTD_compressStream2(zstd, &to, &in, end ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return false;
		out->size += to.pos;
	} while (in.pos < in.size || (end && left > 0));
	return true;
}

int compressor_take(struct compressor *compressor, const char *text, size_t size, bool end,
	struct buf *out, struct error *err)
{
	bool done = false;

	while (!done) {
		size_t room = PIECE_BYTES - compressor->held;
		size_t part = size < room ? size : room;
		bool last, fine = true;

		if (part > 0)
			memcpy(compressor->piece + compressor->held, text, part);
		compressor->held += part;
		text += part;
		size -= part;
		last = end && size == 0;
		done = size == 0;
		if (compressor->held < PIECE_BYTES && !last)
			break;
		if (compressor->gzip)
			fine = gzip_piece(
				compressor->gzip, compressor->piece, compressor->held, last, out);
		else
			fine = compressor->zstd && zstd_piece(compressor->zstd, compressor->piece,
							   compressor->held, last, out);
		if (!fine)
			return error_set(err, ERROR_LIMIT, "no memory to compress the result");
		compressor->held = 0;
	}
	return 0;
}
