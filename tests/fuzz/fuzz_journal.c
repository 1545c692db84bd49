/*
 * Any bytes as the segments of a journal. The first byte says into how many files they are cut, and
 * whether their checksums are made right, so that what lies behind the checksums is reached too.
 *
 * Whatever they are: opening them ends well or with ERROR_DATA that changes nothing; what was
 * opened takes a record, and finds the old ones and the new one when it is opened again.
 */
#include "base/crc32c.h"
#include "journal/disk_sim.h"
#include "journal/journal_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

#define FOLDER	     "fuzz"
#define SEGMENTS_MAX 4

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct summary {
	uint64_t count;
	uint64_t size;
	uint32_t crc;
	journal_position last;
};

static int summarize(
	void *context, journal_position position, const void *bytes, size_t size, struct error *err)
{
	struct summary *summary = context;

	(void)err;
	CHECK(position > summary->last);
	summary->count++;
	summary->size += size;
	summary->crc = crc32c(summary->crc, bytes, size);
	summary->last = position;
	return 0;
}

static void put_u32(char *bytes, uint32_t value)
{
	memcpy(bytes, &value, sizeof(value));
}

static uint64_t get_u64(const char *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

/* Makes right the checksums of the headers and records that the sizes in `bytes` lead to. */
static void repair(char *bytes, size_t size, uint32_t number)
{
	uint64_t id;
	size_t at = SEGMENT_HEADER_SIZE;

	if (size < SEGMENT_HEADER_SIZE)
		return;
	put_u32(bytes + 8, crc32c(0, bytes + 12, SEGMENT_HEADER_SIZE - 12));
	id = get_u64(bytes + 16);
	while (at + FRAME_HEADER_SIZE <= size) {
		struct frame_header header;
		size_t record = at + FRAME_HEADER_SIZE, end;

		put_u32(bytes + at + 4, crc32c(0, bytes + at + 8, FRAME_HEADER_SIZE - 8));
		if (!frame_header_decode(bytes + at, &header) || header.body_size > size - record)
			return;
		end = record + header.body_size;
		while (record + RECORD_HEADER_SIZE <= end) {
			uint32_t payload = record_size(bytes + record);
			uint64_t extent = record_extent(payload);

			if (payload > JOURNAL_RECORD_MAX || extent > end - record)
				break;
			record_encode(bytes + record, id, position_of(number, record),
				record_sequence(bytes + record), payload);
			record += extent;
		}
		at = end;
	}
}

static void put_segments(struct disk_sim *sim, const uint8_t *bytes, size_t size)
{
	uint8_t control = size > 0 ? bytes[0] : 0;
	uint32_t count = 1 + control % SEGMENTS_MAX;
	const uint8_t *at = bytes + (size > 0), *end = bytes + size;

	for (uint32_t number = 1; number <= count; number++) {
		size_t left = (size_t)(end - at), part = left;
		char path[DISK_PATH_MAX], *copy;
		struct error err;

		/* The length of all but the last stands in front of them. */
		if (number < count) {
			if (left < 2)
				return;
			part = (size_t)at[0] << 8 | at[1];
			at += 2;
			left -= 2;
			part = part < left ? part : left;
		}
		copy = malloc(part + (part == 0));
		memcpy(copy, at, part);
		if (control & 0x80)
			repair(copy, part, number);
		CHECK(segment_path(path, FOLDER, number, &err) == 0);
		disk_sim_put(sim, path, copy, part);
		free(copy);
		at += part;
	}
}

static void read_back(struct journal *journal, const struct summary *summary)
{
	struct error err;
	struct buf out;

	if (summary->count == 0)
		return;
	buf_init(&out, JOURNAL_RECORD_MAX);
	CHECK(journal_read(journal, summary->last, &out, &err) == 0);
	/* Anywhere else: an answer or an error. */
	for (uint64_t at = 0; at < 200; at++)
		if (journal_read(journal, position_of(1, at), &out, &err) != 0)
			CHECK(err.code == ERROR_DATA);
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct journal_options options = {.segment_bytes_max = 4096, .id = 7};
	struct disk_piece piece = {"one more record", 15};
	struct disk_sim *sim = disk_sim_new();
	struct summary before = {0}, after = {0};
	struct disk *disk = disk_sim_open(sim);
	struct journal *journal;
	journal_position position;
	struct error err;

	put_segments(sim, bytes, size);
	if (journal_open(&journal, disk, FOLDER, &options, summarize, &before, &err) != 0) {
		CHECK(err.code == ERROR_DATA);
		CHECK(disk_sim_counters(sim)->changes == 0);
	} else {
		CHECK(journal_records(journal) == before.count);
		read_back(journal, &before);
		CHECK(journal_append(journal, &piece, 1, &position, &err) == 0);
		CHECK(position > before.last);
		CHECK(journal_sync(journal, &err) == 0);
		journal_close(journal);
		CHECK(journal_open(&journal, disk, FOLDER, &options, summarize, &after, &err) == 0);
		journal_close(journal);
		CHECK(after.count == before.count + 1 && after.last == position);
		CHECK(after.crc == crc32c(before.crc, piece.bytes, piece.size));
	}
	CHECK(journal_remove(disk, FOLDER, &err) == 0);
	CHECK(disk_sim_file_count(sim) == 0);
	disk_sim_close(disk);
	disk_sim_free(sim);
	return 0;
}
