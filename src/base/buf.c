#include "base/buf.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUF_CAPACITY_MIN 256

void buf_init(struct buf *buf, size_t size_max)
{
	memset(buf, 0, sizeof(*buf));
	buf->size_max = size_max;
}

void buf_release(struct buf *buf)
{
	free(buf->data);
	buf_init(buf, buf->size_max);
}

void buf_clear(struct buf *buf)
{
	buf->size = 0;
	buf->overflowed = false;
}

char *buf_reserve(struct buf *buf, size_t size)
{
	size_t need = buf->size + size;

	if (size > buf->size_max || need > buf->size_max) {
		buf->overflowed = true;
		return NULL;
	}
	if (need > buf->capacity) {
		size_t capacity = buf->capacity ? buf->capacity : BUF_CAPACITY_MIN;

		while (capacity < need)
			capacity *= 2;
		buf->data = memory_realloc(buf->data, capacity);
		buf->capacity = capacity;
	}
	return buf->data + buf->size;
}

void buf_append(struct buf *buf, const void *bytes, size_t size)
{
	char *room;

	if (size == 0)
		return;
	room = buf_reserve(buf, size);
	if (!room)
		return;
	memcpy(room, bytes, size);
	buf->size += size;
}

void buf_append_char(struct buf *buf, char c)
{
	buf_append(buf, &c, 1);
}

void buf_append_text(struct buf *buf, const char *text)
{
	buf_append(buf, text, strlen(text));
}

void buf_printf(struct buf *buf, const char *format, ...)
{
	va_list args;
	int size;
	char *room;

	va_start(args, format);
	size = vsnprintf(NULL, 0, format, args);
	va_end(args);
	room = buf_reserve(buf, (size_t)size + 1);
	if (!room)
		return;
	va_start(args, format);
	vsnprintf(room, (size_t)size + 1, format, args);
	va_end(args);
	buf->size += (size_t)size;
}
