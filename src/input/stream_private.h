/*
 * Bytes that come in order: from a file, and through whatever unpacks them. A stream that reads
 * from another one owns it.
 */
#ifndef INPUT_STREAM_PRIVATE_H
#define INPUT_STREAM_PRIVATE_H

#include "base/error.h"

#include <stddef.h>
#include <sys/types.h>

struct stream;

struct stream_ops {
	ssize_t (*read)(struct stream *stream, char *data, size_t size, struct error *err);
	void (*free)(struct stream *stream);
};

struct stream {
	const struct stream_ops *ops;
};

/* Fills `data` with `size` bytes; fewer only at the end. -1: ERROR_IO, or ERROR_DATA when what was
 * read is damaged. */
MUST_CHECK static inline ssize_t stream_read(
	struct stream *stream, char *data, size_t size, struct error *err)
{
	return stream->ops->read(stream, data, size, err);
}

/* NULL is no stream. */
static inline void stream_free(struct stream *stream)
{
	if (stream)
		stream->ops->free(stream);
}

/* What all streams say of bytes that cannot be right. Returns -1. */
int stream_damaged(const char *path, const char *why, struct error *err);

#endif
