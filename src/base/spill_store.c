#include "base/spill_store.h"

#include "base/crc32c.h"
#include "base/memory.h"

#include <assert.h>
#include <zstd.h>

/* The fastest one: a disk is hardly faster. */
#define LEVEL 1

void *spill_pack(const void *bytes, size_t size, struct spill_piece *out)
{
	size_t room = ZSTD_compressBound(size);
	void *packed = memory_alloc(room);
	size_t stored = ZSTD_compress(packed, room, bytes, size, LEVEL);

	assert(size > 0 && !ZSTD_isError(stored)); /* there is room for everything */
	*out = (struct spill_piece){
		.stored = stored, .size = size, .sum = crc32c(0, packed, stored)};
	return packed;
}

int spill_unpack(const struct spill_piece *piece, const void *stored, void *bytes)
{
	return crc32c(0, stored, piece->stored) == piece->sum &&
			       ZSTD_decompress(bytes, piece->size, stored, piece->stored) ==
				       piece->size
		       ? 0
		       : -1;
}
