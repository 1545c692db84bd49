/* Encoding and checking of the journal's parts; journal_private.h has the format. */
#include "journal/journal_private.h"

#include "base/crc32c.h"

#include <assert.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

#define SEGMENT_MAGIC  "tamizjnl"
#define FRAME_MAGIC    "tjf1"
#define SEGMENT_PREFIX "segment-"
#define SEGMENT_DIGITS 8

static void put_u32(char *bytes, uint32_t value)
{
	value = htole32(value);
	memcpy(bytes, &value, sizeof(value));
}

static void put_u64(char *bytes, uint64_t value)
{
	value = htole64(value);
	memcpy(bytes, &value, sizeof(value));
}

static uint32_t get_u32(const char *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return le32toh(value);
}

static uint64_t get_u64(const char *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return le64toh(value);
}

void segment_header_encode(char bytes[SEGMENT_HEADER_SIZE], const struct segment_header *header)
{
	memcpy(bytes, SEGMENT_MAGIC, 8);
	put_u32(bytes + 12, header->version);
	put_u64(bytes + 16, header->id);
	put_u64(bytes + 24, header->number);
	put_u64(bytes + 32, header->sequence);
	put_u32(bytes + 8, crc32c(0, bytes + 12, SEGMENT_HEADER_SIZE - 12));
}

bool segment_header_decode(const char bytes[SEGMENT_HEADER_SIZE], struct segment_header *header)
{
	if (memcmp(bytes, SEGMENT_MAGIC, 8) != 0 ||
		get_u32(bytes + 8) != crc32c(0, bytes + 12, SEGMENT_HEADER_SIZE - 12))
		return false;
	header->version = get_u32(bytes + 12);
	header->id = get_u64(bytes + 16);
	header->number = get_u64(bytes + 24);
	header->sequence = get_u64(bytes + 32);
	return true;
}

void frame_header_encode(char bytes[FRAME_HEADER_SIZE], const struct frame_header *header)
{
	assert(header->record_count > 0 && header->body_size <= FRAME_BODY_MAX);
	memcpy(bytes, FRAME_MAGIC, 4);
	put_u64(bytes + 8, header->id);
	put_u64(bytes + 16, header->position);
	put_u64(bytes + 24, header->sequence);
	put_u32(bytes + 32, header->body_size);
	put_u32(bytes + 36, header->record_count);
	put_u32(bytes + 4, crc32c(0, bytes + 8, FRAME_HEADER_SIZE - 8));
}

bool frame_header_decode(const char bytes[FRAME_HEADER_SIZE], struct frame_header *header)
{
	if (memcmp(bytes, FRAME_MAGIC, 4) != 0 ||
		get_u32(bytes + 4) != crc32c(0, bytes + 8, FRAME_HEADER_SIZE - 8))
		return false;
	header->id = get_u64(bytes + 8);
	header->position = get_u64(bytes + 16);
	header->sequence = get_u64(bytes + 24);
	header->body_size = get_u32(bytes + 32);
	header->record_count = get_u32(bytes + 36);
	return header->record_count > 0 && header->body_size <= FRAME_BODY_MAX &&
	       header->body_size % JOURNAL_ALIGNMENT == 0 &&
	       header->body_size / RECORD_HEADER_SIZE >= header->record_count;
}

static const char zeros[JOURNAL_ALIGNMENT];

static size_t record_padding(uint32_t size)
{
	return (size_t)(record_extent(size) - RECORD_HEADER_SIZE - size);
}

static uint32_t record_crc(
	const char *header, const char *payload, uint64_t id, journal_position position)
{
	uint32_t size = record_size(header), crc;
	char place[16];

	put_u64(place, id);
	put_u64(place + 8, position);
	crc = crc32c(0, place, sizeof(place));
	crc = crc32c(crc, header + 4, RECORD_HEADER_SIZE - 4);
	crc = crc32c(crc, payload, size);
	return crc32c(crc, zeros, record_padding(size));
}

void record_encode(
	char *bytes, uint64_t id, journal_position position, uint64_t sequence, uint32_t size)
{
	assert(size <= JOURNAL_RECORD_MAX && sequence > 0);
	assert(position % JOURNAL_ALIGNMENT == 0);
	put_u32(bytes + 4, size);
	put_u64(bytes + 8, sequence);
	memset(bytes + RECORD_HEADER_SIZE + size, 0, record_padding(size));
	put_u32(bytes, record_crc(bytes, bytes + RECORD_HEADER_SIZE, id, position));
}

uint32_t record_size(const char bytes[RECORD_HEADER_SIZE])
{
	return get_u32(bytes + 4);
}

uint64_t record_sequence(const char bytes[RECORD_HEADER_SIZE])
{
	return get_u64(bytes + 8);
}

bool record_payload_valid(const char header[RECORD_HEADER_SIZE], const char *payload, uint64_t id,
	journal_position position)
{
	return get_u32(header) == record_crc(header, payload, id, position);
}

bool record_valid(const char *bytes, uint64_t extent, uint64_t id, journal_position position)
{
	const char *payload = bytes + RECORD_HEADER_SIZE;
	uint32_t size;

	if (extent < RECORD_HEADER_SIZE)
		return false;
	size = record_size(bytes);
	return size <= JOURNAL_RECORD_MAX && record_extent(size) == extent &&
	       memcmp(payload + size, zeros, record_padding(size)) == 0 &&
	       record_payload_valid(bytes, payload, id, position);
}

int segment_path(char path[DISK_PATH_MAX], const char *folder, uint32_t number, struct error *err)
{
	int size = snprintf(
		path, DISK_PATH_MAX, "%s/" SEGMENT_PREFIX "%0*u", folder, SEGMENT_DIGITS, number);

	if (size < 0 || size >= DISK_PATH_MAX)
		return error_set(err, ERROR_LIMIT,
			"the folder \"%.*s\" of a journal has too long a name", DISK_PATH_MAX,
			folder);
	return 0;
}

uint32_t segment_number(const char *name)
{
	size_t prefix = strlen(SEGMENT_PREFIX);
	uint32_t number = 0;

	if (strncmp(name, SEGMENT_PREFIX, prefix) != 0 || strlen(name) != prefix + SEGMENT_DIGITS)
		return 0;
	for (const char *at = name + prefix; *at; at++) {
		if (*at < '0' || *at > '9')
			return 0;
		number = number * 10 + (uint32_t)(*at - '0');
	}
	return number;
}
