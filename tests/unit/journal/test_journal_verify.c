/*
 * A look at a journal says what opening it would, whatever was done to its files, and changes nothing.
 */
#include "unit/journal/journal_fixture.h"

#include <stdio.h>

#define RECORDS	   40
#define DAMAGE_MAX 4000
#define MARK_PATH  FOLDER JOURNAL_MARK_SUFFIX

static const struct journal_options marked = {
	.segment_bytes_max = 600, .id = 42, .is_marked = true};

static void write_journal(struct disk_sim *sim)
{
	struct disk *disk = disk_sim_open(sim);
	struct records records = {.size_max = 100};
	struct journal *journal;
	struct error err;

	assert_int_equal(records_open(&journal, disk, &marked, &records, &err), 0);
	for (int i = 0; i < RECORDS; i++) {
		assert_int_equal(record_append(journal, &records, &err), 0);
		if (i % 3 == 0 || i == RECORDS - 1)
			assert_int_equal(records_sync(journal, &records, &err), 0);
	}
	journal_close(journal);
	disk_sim_close(disk);
}

static int verify(struct disk_sim *sim, struct journal_summary *summary, struct error *err)
{
	struct records records = {.size_max = 100};
	uint64_t changes = disk_sim_counters(sim)->changes;
	struct disk *disk = disk_sim_open(sim);
	int status = journal_verify(disk, FOLDER, true, record_check, &records, summary, err);

	assert_int_equal(disk_sim_counters(sim)->changes, changes);
	assert_true(summary->records <= RECORDS);
	disk_sim_close(disk);
	return status;
}

static int open_journal(struct disk_sim *sim, struct error *err)
{
	struct records records = {.size_max = 100};
	struct disk *disk = disk_sim_open(sim);
	struct journal *journal;
	int status = journal_open(&journal, disk, FOLDER, &marked, record_check, &records, err);

	if (!status)
		journal_close(journal);
	disk_sim_close(disk);
	return status;
}

/* One of its files is hurt: a bit, zeros, cut off, or gone. */
static void hurt(struct disk_sim *sim, struct rng *rng)
{
	uint32_t index = (uint32_t)rng_below(rng, disk_sim_file_count(sim));
	char path[DISK_PATH_MAX], *copy;
	const char *bytes;
	struct disk *disk;
	struct error err;
	size_t size, at;

	snprintf(path, sizeof(path), "%s", disk_sim_file_path(sim, index));
	bytes = disk_sim_get(sim, path, &size);
	at = (size_t)rng_below(rng, size + 1);
	copy = malloc(size + 1);
	memcpy(copy, bytes, size);
	switch (rng_below(rng, 4)) {
	case 0: copy[at] ^= (char)(1u << rng_below(rng, 8)); break;
	case 1: memset(copy + at, 0, (size_t)rng_below(rng, size - at + 1)); break;
	case 2: size = at; break;
	default:
		disk = disk_sim_open(sim);
		assert_int_equal(disk_remove(disk, path, &err), 0);
		disk_sim_close(disk);
		free(copy);
		return;
	}
	disk_sim_put(sim, path, copy, size);
	free(copy);
}

static void test_says_what_an_open_says(void **state)
{
	uint32_t bad = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= DAMAGE_MAX; seed++) {
		struct disk_sim *sim = disk_sim_new();
		struct journal_summary summary;
		struct error looked, opened;
		struct rng rng;
		int status;

		rng_init(&rng, seed);
		write_journal(sim);
		hurt(sim, &rng);
		status = verify(sim, &summary, &looked);
		if (open_journal(sim, &opened) != status)
			fail_msg("seed %llu: %d, and an open says otherwise",
				(unsigned long long)seed, status);
		if (status)
			assert_string_equal(looked.message, opened.message);
		bad += status != 0;
		disk_sim_free(sim);
	}
	assert_true(bad > DAMAGE_MAX / 4);
}

static void test_counts(void **state)
{
	struct disk_sim *sim = disk_sim_new();
	struct journal_summary summary;
	struct error err;

	(void)state;
	assert_int_equal(verify(sim, &summary, &err), 0);
	assert_int_equal(summary.records, 0);
	assert_int_equal(summary.mark, JOURNAL_MARK_NONE);
	write_journal(sim);
	assert_int_equal(verify(sim, &summary, &err), 0);
	assert_int_equal(summary.records, RECORDS);
	assert_int_equal(summary.torn_bytes, 0);
	assert_int_equal(summary.mark, JOURNAL_MARK_GOOD);
	assert_int_equal(summary.bytes + 32, disk_sim_bytes(sim));
	disk_sim_put(sim, MARK_PATH, "tamizmrk", 8);
	assert_int_equal(verify(sim, &summary, &err), 0);
	assert_int_equal(summary.mark, JOURNAL_MARK_BAD);
	disk_sim_free(sim);
}

/* Whoever opens it learns of it, until it is removed; whatever was there before. */
static void test_what_is_dropped_is_missed(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct disk_sim *sim = disk_sim_new();
		struct disk *disk;
		struct error err;
		struct rng rng;

		rng_init(&rng, seed);
		write_journal(sim);
		for (uint64_t i = seed % 3; i > 0; i--)
			hurt(sim, &rng);
		disk = disk_sim_open(sim);
		assert_int_equal(journal_drop(disk, FOLDER, &err), 0);
		assert_int_equal(disk_sim_file_count(sim), 1);
		assert_true(journal_is_known(disk, FOLDER));
		disk_sim_close(disk);
		assert_int_equal(open_journal(sim, &err), -1);
		assert_int_equal(err.code, ERROR_DATA);
		assert_int_equal(open_journal(sim, &err), -1);
		disk = disk_sim_open(sim);
		assert_int_equal(journal_remove(disk, FOLDER, &err), 0);
		disk_sim_close(disk);
		assert_int_equal(open_journal(sim, &err), 0);
		disk_sim_free(sim);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_says_what_an_open_says),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_what_is_dropped_is_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
