/*
 * Numbers in byte strings, little-endian: for what nodes write to each other and to their disks.
 *
 * A reader that runs past its end yields zeros and remembers it; whoever decodes checks `failed`
 * once, at the end, and before a count is used to allocate.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include "base/buf.h"

#include <string.h>

struct bytes_reader {
	const uint8_t *at;
	const uint8_t *end;
	bool failed;
};

static inline void bytes_reader_init(struct bytes_reader *reader, const void *bytes, size_t size)
{
	*reader = (struct bytes_reader){bytes, (const uint8_t *)bytes + size, false};
}

static inline size_t bytes_left(const struct bytes_reader *reader)
{
	return (size_t)(reader->end - reader->at);
}

/* NULL, and `failed`, when there are fewer. */
static inline const uint8_t *bytes_take(struct bytes_reader *reader, size_t size)
{
	const uint8_t *start = reader->at;

	if (reader->failed || bytes_left(reader) < size) {
		reader->failed = true;
		return NULL;
	}
	reader->at += size;
	return start;
}

static inline uint64_t bytes_take_number(struct bytes_reader *reader, size_t size)
{
	const uint8_t *bytes = bytes_take(reader, size);
	uint64_t value = 0;

	for (size_t i = 0; bytes && i < size; i++)
		value |= (uint64_t)bytes[i] << (8 * i);
	return value;
}

static inline uint8_t bytes_take_u8(struct bytes_reader *reader)
{
	return (uint8_t)bytes_take_number(reader, 1);
}

static inline uint32_t bytes_take_u32(struct bytes_reader *reader)
{
	return (uint32_t)bytes_take_number(reader, 4);
}

static inline uint64_t bytes_take_u64(struct bytes_reader *reader)
{
	return bytes_take_number(reader, 8);
}

/* The whole of it was read, and nothing beyond. */
static inline bool bytes_ended_well(const struct bytes_reader *reader)
{
	return !reader->failed && reader->at == reader->end;
}

static inline void bytes_put_number(struct buf *out, uint64_t value, size_t size)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	buf_append(out, bytes, size);
}

static inline void bytes_put_u8(struct buf *out, uint8_t value)
{
	bytes_put_number(out, value, 1);
}

static inline void bytes_put_u32(struct buf *out, uint32_t value)
{
	bytes_put_number(out, value, 4);
}

static inline void bytes_put_u64(struct buf *out, uint64_t value)
{
	bytes_put_number(out, value, 8);
}

#endif
