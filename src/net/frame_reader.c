#include "net/frame_reader.h"

#include "base/memory.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define SPARE_BYTES_MAX (32u << 20) /* of all buffers that are kept */

/* --- buffers -------------------------------------------------------------------------------------
 */

void frame_pool_release(struct frame_pool *pool)
{
	assert(pool->memory == 0);
	while (pool->spare_count > 0)
		free(pool->spares[--pool->spare_count].bytes);
	pool->spare_bytes = 0;
}

static void give_back(struct frame_pool *pool, struct frame_buffer *buffer)
{
	assert(pool->memory >= buffer->capacity);
	pool->memory -= buffer->capacity;
	if (buffer->capacity <= FRAME_BUFFER_FIRST || pool->spare_count == FRAME_SPARES_MAX ||
		pool->spare_bytes + buffer->capacity > SPARE_BYTES_MAX) {
		free(buffer->bytes);
	} else {
		pool->spares[pool->spare_count++] = *buffer;
		pool->spare_bytes += buffer->capacity;
	}
	*buffer = (struct frame_buffer){0};
}

static void first_buffer(struct frame_reader *reader)
{
	struct frame_pool *pool = reader->pool;

	if (pool->spare_count > 0 && reader->size > FRAME_BUFFER_FIRST) {
		reader->buffer = pool->spares[--pool->spare_count];
		pool->spare_bytes -= reader->buffer.capacity;
	} else {
		size_t capacity =
			reader->size < FRAME_BUFFER_FIRST ? reader->size : FRAME_BUFFER_FIRST;

		reader->buffer = (struct frame_buffer){memory_alloc(capacity), capacity};
	}
	pool->memory += reader->buffer.capacity;
	memcpy(reader->buffer.bytes, reader->header, WIRE_HEADER_SIZE);
}

/* Room for what comes next: twice what is there, never more than the frame. */
static void make_room(struct frame_reader *reader)
{
	struct frame_buffer *buffer = &reader->buffer;
	size_t capacity = 2 * buffer->capacity;

	if (!buffer->bytes) {
		first_buffer(reader);
		return;
	}
	if (reader->got < buffer->capacity)
		return;
	if (capacity > reader->size)
		capacity = reader->size;
	buffer->bytes = memory_realloc(buffer->bytes, capacity);
	reader->pool->memory += capacity - buffer->capacity;
	buffer->capacity = capacity;
}

/* --- bytes ---------------------------------------------------------------------------------------
 */

static enum frame_progress receive(struct frame_reader *reader, int fd, uint8_t *to, size_t size)
{
	ssize_t got;

	assert(size > 0);
	do
		got = reader->tls ? tls_receive(reader->tls, to, size) : recv(fd, to, size, 0);
	while (got < 0 && errno == EINTR);
	if (got < 0 && errno == EAGAIN)
		return FRAME_NOTHING;
	if (got == 0)
		errno = 0;
	if (got <= 0)
		return FRAME_END;
	reader->got += (size_t)got;
	return FRAME_SOME;
}

static enum frame_progress receive_header(struct frame_reader *reader, int fd, struct error *err)
{
	enum frame_progress progress =
		receive(reader, fd, reader->header + reader->got, WIRE_HEADER_SIZE - reader->got);

	if (progress != FRAME_SOME || reader->got < WIRE_HEADER_SIZE)
		return progress;
	if (wire_frame_size(reader->header, reader->got, &reader->size, err))
		return FRAME_BAD;
	return reader->size == WIRE_HEADER_SIZE ? FRAME_WHOLE : FRAME_HEADER;
}

enum frame_progress frame_reader_receive(struct frame_reader *reader, int fd, struct error *err)
{
	struct frame_buffer *buffer = &reader->buffer;
	enum frame_progress progress;
	size_t end;

	if (reader->got < WIRE_HEADER_SIZE)
		return receive_header(reader, fd, err);
	assert(reader->got < reader->size);
	make_room(reader);
	end = buffer->capacity < reader->size ? buffer->capacity : reader->size;
	progress = receive(reader, fd, buffer->bytes + reader->got, end - reader->got);
	return reader->got == reader->size ? FRAME_WHOLE : progress;
}

struct frame frame_reader_take(struct frame_reader *reader)
{
	struct frame frame = {.bytes = reader->buffer.bytes ? reader->buffer.bytes : reader->header,
		.size = reader->size,
		.buffer = reader->buffer};

	assert(reader->size > 0 && reader->got == reader->size);
	reader->buffer = (struct frame_buffer){0};
	reader->got = 0;
	reader->size = 0;
	return frame;
}

void frame_release(struct frame *frame, struct frame_pool *pool)
{
	if (frame->buffer.bytes)
		give_back(pool, &frame->buffer);
}

void frame_reader_reset(struct frame_reader *reader)
{
	if (reader->buffer.bytes)
		give_back(reader->pool, &reader->buffer);
	reader->got = 0;
	reader->size = 0;
}
