/*
 * A file that is written in large pieces and gets its name when it is complete.
 *
 * Legal order: open, any number of room/advance, then either close or discard.
 */
#ifndef GEN_WRITER_H
#define GEN_WRITER_H

#include "base/file.h"

#include <stddef.h>
#include <stdint.h>

#define GEN_WRITER_BYTES (1u << 20)
/* The most that may be asked of gen_writer_room at once. */
#define GEN_WRITER_ROOM_MAX 4096u

struct gen_writer {
	struct file_replacement file;
	char *buffer;
	size_t used;
	uint64_t bytes; /* written and buffered */
};

MUST_CHECK int gen_writer_open(
	struct gen_writer *writer, const char *folder, const char *name, struct error *err);
/* Writes the buffered bytes. */
MUST_CHECK int gen_writer_flush(struct gen_writer *writer, struct error *err);
/* Gives the file its name. It is discarded when that fails. */
MUST_CHECK int gen_writer_close(struct gen_writer *writer, struct error *err);
/* Removes what was written so far. Does nothing after close. */
void gen_writer_discard(struct gen_writer *writer);

/* True when `size` more bytes need a gen_writer_flush first. */
static inline int gen_writer_full(const struct gen_writer *writer, size_t size)
{
	return writer->used + size > GEN_WRITER_BYTES;
}

/* Where the next bytes go; gen_writer_advance tells where they ended. */
static inline char *gen_writer_room(struct gen_writer *writer)
{
	return writer->buffer + writer->used;
}

static inline void gen_writer_advance(struct gen_writer *writer, const char *end)
{
	size_t size = (size_t)(end - gen_writer_room(writer));

	writer->used += size;
	writer->bytes += size;
}

#endif
