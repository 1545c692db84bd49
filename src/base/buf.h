/*
 * A growable byte buffer with a declared maximum. Appending past the maximum marks the buffer as
 * overflowed and drops the bytes; the writer checks `buf_overflowed` once, at the end.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	char *data;
	size_t size;
	size_t capacity;
	size_t size_max;
	bool overflowed;
};

void buf_init(struct buf *buf, size_t size_max);
void buf_release(struct buf *buf);
/* Keeps the memory. */
void buf_clear(struct buf *buf);

/*
 * Room for `size` more bytes at data + buf->size, which the caller then fills and counts by adding
 * to buf->size. NULL when the maximum would be passed.
 */
char *buf_reserve(struct buf *buf, size_t size);
void buf_append(struct buf *buf, const void *bytes, size_t size);
void buf_append_char(struct buf *buf, char c);
void buf_append_text(struct buf *buf, const char *text);
void buf_printf(struct buf *buf, const char *format, ...) PRINTF_LIKE(2, 3);

static inline bool buf_overflowed(const struct buf *buf)
{
	return buf->overflowed;
}

#endif
