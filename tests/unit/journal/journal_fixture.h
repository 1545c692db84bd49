/*
 * Records whose content follows from their number, so that a test can tell what it reads: record i
 * of a journal is always the same bytes.
 */
#ifndef TESTS_JOURNAL_FIXTURE_H
#define TESTS_JOURNAL_FIXTURE_H

#include "base/rng.h"
#include "journal/disk_sim.h"
#include "journal/journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FOLDER	    "job-7/journal"
#define RECORDS_MAX 4096

/* What is known about a journal's records; numbers are from 1. */
struct records {
	uint32_t size_max;
	uint64_t appended;
	uint64_t synced;
	uint64_t replayed;
	journal_position positions[RECORDS_MAX + 1];
};

static inline uint32_t record_make(uint64_t number, uint32_t size_max, char *bytes)
{
	struct rng rng;
	uint32_t size;

	rng_init(&rng, number * 7919);
	size = (uint32_t)rng_below(&rng, size_max + 1);
	for (uint32_t i = 0; i < size; i++)
		bytes[i] = (char)rng_next(&rng);
	return size;
}

static inline int record_check(
	void *context, journal_position position, const void *bytes, size_t size, struct error *err)
{
	struct records *records = context;
	char *expected = malloc(records->size_max + 1);
	uint64_t number = ++records->replayed;

	(void)err;
	assert_true(number <= RECORDS_MAX);
	assert_int_equal(size, record_make(number, records->size_max, expected));
	if (size > 0)
		assert_memory_equal(bytes, expected, size);
	assert_true(position > (number > 1 ? records->positions[number - 1] : 0));
	records->positions[number] = position;
	free(expected);
	return 0;
}

/* In two pieces, with an empty one between them. */
static inline int record_append(struct journal *journal, struct records *records, struct error *err)
{
	char *bytes = malloc(records->size_max + 1);
	uint64_t number = records->appended + 1;
	uint32_t size = record_make(number, records->size_max, bytes);
	struct disk_piece pieces[3] = {
		{bytes, size / 3}, {NULL, 0}, {bytes + size / 3, size - size / 3}};
	uint32_t count = number % 5 == 0 ? 3 : 1;
	int status;

	if (count == 1)
		pieces[0].size = size;
	assert_true(number <= RECORDS_MAX);
	status = journal_append(journal, pieces, count, &records->positions[number], err);
	if (status == 0)
		records->appended++;
	free(bytes);
	return status;
}

static inline int records_sync(struct journal *journal, struct records *records, struct error *err)
{
	if (journal_sync(journal, err) != 0)
		return -1;
	records->synced = records->appended;
	assert_int_equal(journal_unsynced(journal), 0);
	return 0;
}

/* Opens and expects all that was synced, and nothing that was never appended. */
static inline int records_open(struct journal **journal, struct disk *disk,
	const struct journal_options *options, struct records *records, struct error *err)
{
	records->replayed = 0;
	if (journal_open(journal, disk, FOLDER, options, record_check, records, err) != 0)
		return -1;
	if (records->replayed < records->synced || records->replayed > records->appended)
		fail_msg("%llu records after an open, of %llu synced and %llu appended",
			(unsigned long long)records->replayed, (unsigned long long)records->synced,
			(unsigned long long)records->appended);
	records->appended = records->synced = records->replayed;
	assert_int_equal(journal_records(*journal), records->appended);
	return 0;
}

/* Every record by its position. */
static inline void records_read(struct journal *journal, struct records *records)
{
	char *expected = malloc(records->size_max + 1);
	struct error err;
	struct buf out;

	buf_init(&out, records->size_max);
	for (uint64_t number = 1; number <= records->appended; number++) {
		uint32_t size = record_make(number, records->size_max, expected);

		if (journal_read(journal, records->positions[number], &out, &err) != 0)
			fail_msg("record %llu: %s", (unsigned long long)number, err.message);
		assert_int_equal(out.size, size);
		if (size > 0)
			assert_memory_equal(out.data, expected, size);
		if (number <= records->synced)
			assert_true(journal_is_synced(journal, records->positions[number]));
	}
	buf_release(&out);
	free(expected);
}

#endif
