#include "unit/journal/journal_fixture.h"

#include "journal/journal_private.h"

#include <stdio.h>

static const struct journal_options small = {.segment_bytes_max = 600, .id = 42};

static void test_empty(void **state)
{
	struct disk_sim *sim = disk_sim_new();
	struct disk *disk = disk_sim_open(sim);
	struct journal *journal;
	struct error err;

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		assert_int_equal(journal_open(&journal, disk, FOLDER, NULL, NULL, NULL, &err), 0);
		assert_int_equal(journal_sync(journal, &err), 0);
		assert_int_equal(journal_records(journal), 0);
		assert_int_equal(journal_unsynced(journal), 0);
		journal_close(journal);
	}
	/* Nothing to keep, nothing on the disk. */
	assert_int_equal(disk_sim_file_count(sim), 0);
	assert_int_equal(journal_remove(disk, FOLDER, &err), 0);
	journal_close(NULL);
	disk_sim_close(disk);
	disk_sim_free(sim);
}

static void test_append_sync_replay(void **state)
{
	struct records records = {.size_max = 100};
	struct disk_sim *sim = disk_sim_new();
	struct disk *disk = disk_sim_open(sim);
	struct journal *journal;
	struct error err;

	(void)state;
	for (int turn = 0; turn < 4; turn++) {
		assert_int_equal(records_open(&journal, disk, &small, &records, &err), 0);
		assert_int_equal(records.replayed, turn * 50);
		for (int i = 0; i < 50; i++) {
			assert_int_equal(record_append(journal, &records, &err), 0);
			if (i % 7 == 6) {
				assert_true(journal_unsynced(journal) > 0);
				assert_false(journal_is_synced(
					journal, records.positions[records.appended]));
				assert_int_equal(records_sync(journal, &records, &err), 0);
			}
			if (i % 10 == 0)
				records_read(journal, &records);
		}
		assert_int_equal(records_sync(journal, &records, &err), 0);
		records_read(journal, &records);
		journal_close(journal);
	}
	/* Segments keep to their limit. */
	assert_true(disk_sim_file_count(sim) > 10);
	for (uint32_t i = 0; i < disk_sim_file_count(sim); i++) {
		size_t size;

		disk_sim_get(sim, disk_sim_file_path(sim, i), &size);
		assert_true(size > SEGMENT_HEADER_SIZE && size <= 600);
	}
	assert_int_equal(journal_remove(disk, FOLDER, &err), 0);
	assert_int_equal(disk_sim_file_count(sim), 0);
	disk_sim_close(disk);
	disk_sim_free(sim);
}

/* What was not synced is gone after a close, and its numbers are used again. */
static void test_close_without_sync(void **state)
{
	struct records records = {.size_max = 100};
	struct disk_sim *sim = disk_sim_new();
	struct disk *disk = disk_sim_open(sim);
	struct journal *journal;
	struct error err;

	(void)state;
	assert_int_equal(records_open(&journal, disk, NULL, &records, &err), 0);
	for (int i = 0; i < 10; i++)
		assert_int_equal(record_append(journal, &records, &err), 0);
	assert_int_equal(records_sync(journal, &records, &err), 0);
	assert_int_equal(record_append(journal, &records, &err), 0);
	journal_close(journal);
	assert_int_equal(records_open(&journal, disk, NULL, &records, &err), 0);
	assert_int_equal(records.appended, 10);
	journal_close(journal);
	disk_sim_close(disk);
	disk_sim_free(sim);
}

/* A record longer than a segment has one of its own; one that is too long is refused. */
static void test_long_records(void **state)
{
	struct records records = {.size_max = 5000};
	struct disk_sim *sim = disk_sim_new();
	struct disk *disk = disk_sim_open(sim);
	struct disk_piece piece = {"", (size_t)JOURNAL_RECORD_MAX + 1};
	struct journal *journal;
	journal_position position;
	struct error err;

	(void)state;
	assert_int_equal(records_open(&journal, disk, &small, &records, &err), 0);
	for (int i = 0; i < 40; i++)
		assert_int_equal(record_append(journal, &records, &err), 0);
	assert_int_equal(journal_append(journal, &piece, 1, &position, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_int_equal(records_sync(journal, &records, &err), 0);
	records_read(journal, &records);
	journal_close(journal);
	assert_int_equal(records_open(&journal, disk, &small, &records, &err), 0);
	assert_int_equal(records.appended, 40);
	records_read(journal, &records);
	journal_close(journal);
	disk_sim_close(disk);
	disk_sim_free(sim);
}

static int count_bytes(
	void *context, journal_position position, const void *bytes, size_t size, struct error *err)
{
	uint64_t *sizes = context;

	(void)position;
	(void)err;
	for (size_t i = 0; i < size; i += 4096)
		assert_int_equal(((const char *)bytes)[i], (char)(i / 4096));
	sizes[0]++;
	sizes[1] += size;
	return 0;
}

/* The longest record there is, and appends that pass what may wait in memory. */
static void test_limits(void **state)
{
	struct disk_sim *sim = disk_sim_new();
	struct disk *disk = disk_sim_open(sim);
	char *bytes = calloc(1, JOURNAL_RECORD_MAX);
	struct disk_piece piece = {bytes, JOURNAL_RECORD_MAX};
	uint64_t sizes[2] = {0, 0};
	struct journal *journal;
	journal_position position;
	struct error err;
	struct buf out;

	(void)state;
	buf_init(&out, JOURNAL_RECORD_MAX);
	for (size_t i = 0; i < JOURNAL_RECORD_MAX; i += 4096)
		bytes[i] = (char)(i / 4096);
	assert_int_equal(journal_open(&journal, disk, FOLDER, NULL, NULL, NULL, &err), 0);
	assert_int_equal(journal_append(journal, &piece, 1, &position, &err), 0);
	piece.size = 3u << 20;
	for (int i = 0; i < 8; i++) {
		assert_int_equal(journal_append(journal, &piece, 1, &position, &err), 0);
		assert_true(journal_unsynced(journal) <= JOURNAL_UNSYNCED_MAX);
		assert_int_equal(journal_read(journal, position, &out, &err), 0);
		assert_int_equal(out.size, piece.size);
	}
	assert_int_equal(journal_sync(journal, &err), 0);
	assert_int_equal(journal_read(journal, position_of(1, 80), &out, &err), 0);
	assert_int_equal(out.size, JOURNAL_RECORD_MAX);
	journal_close(journal);
	assert_int_equal(journal_open(&journal, disk, FOLDER, NULL, count_bytes, sizes, &err), 0);
	assert_int_equal(sizes[0], 9);
	assert_int_equal(sizes[1], JOURNAL_RECORD_MAX + 8 * (3u << 20));
	journal_close(journal);
	buf_release(&out);
	free(bytes);
	disk_sim_close(disk);
	disk_sim_free(sim);
}

/* Positions that are none are answered, never followed. */
static void test_read_of_nothing(void **state)
{
	struct records records = {.size_max = 40};
	struct disk_sim *sim = disk_sim_new();
	struct disk *disk = disk_sim_open(sim);
	struct journal *journal;
	struct error err;
	struct buf out;
	uint32_t valid = 0;

	(void)state;
	buf_init(&out, 1000);
	assert_int_equal(records_open(&journal, disk, &small, &records, &err), 0);
	assert_int_equal(journal_read(journal, position_of(1, 80), &out, &err), -1);
	for (int i = 0; i < 30; i++) {
		assert_int_equal(record_append(journal, &records, &err), 0);
		if (i % 8 == 4)
			assert_int_equal(records_sync(journal, &records, &err), 0);
		for (uint32_t segment = 0; segment < 6; segment++)
			for (uint64_t at = 0; at < 700; at++)
				if (journal_read(journal, position_of(segment, at), &out, &err) ==
					0)
					valid++;
				else
					assert_int_equal(err.code, ERROR_DATA);
		assert_int_equal(valid, (i + 1) * (i + 2) / 2);
	}
	buf_release(&out);
	/* A buffer that is too small. */
	buf_init(&out, 1);
	assert_int_equal(journal_read(journal, records.positions[2], &out, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_int_equal(journal_read(journal, records.positions[30], &out, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	buf_release(&out);
	journal_close(journal);
	disk_sim_close(disk);
	disk_sim_free(sim);
}

static int stop_at_third(
	void *context, journal_position position, const void *bytes, size_t size, struct error *err)
{
	int *count = context;

	(void)position;
	(void)bytes;
	(void)size;
	return ++*count == 3 ? error_set(err, ERROR_INTERRUPTED, "enough") : 0;
}

static void test_replay_stops(void **state)
{
	struct records records = {.size_max = 40};
	struct disk_sim *sim = disk_sim_new();
	struct disk *disk = disk_sim_open(sim);
	struct journal *journal;
	struct error err;
	uint64_t changes;
	int count = 0;

	(void)state;
	assert_int_equal(records_open(&journal, disk, &small, &records, &err), 0);
	for (int i = 0; i < 9; i++)
		assert_int_equal(record_append(journal, &records, &err), 0);
	assert_int_equal(records_sync(journal, &records, &err), 0);
	journal_close(journal);
	changes = disk_sim_counters(sim)->changes;
	assert_int_equal(
		journal_open(&journal, disk, FOLDER, NULL, stop_at_third, &count, &err), -1);
	assert_null(journal);
	assert_int_equal(err.code, ERROR_INTERRUPTED);
	assert_int_equal(count, 3);
	assert_int_equal(disk_sim_counters(sim)->changes, changes);
	disk_sim_close(disk);
	disk_sim_free(sim);
}

struct reading {
	struct journal *journal;
	struct records records;
};

/* Each record is read again while it is told, and some that were told before. */
static int check_and_read(
	void *context, journal_position position, const void *bytes, size_t size, struct error *err)
{
	struct reading *reading = context;
	uint64_t number = reading->records.replayed + 1;
	struct buf out;

	assert_int_equal(record_check(&reading->records, position, bytes, size, err), 0);
	buf_init(&out, 100);
	for (uint64_t step = 0; step < number; step += 1 + step / 2) {
		char expected[100];
		uint32_t expected_size = record_make(number - step, 60, expected);

		assert_int_equal(journal_read(reading->journal,
					 reading->records.positions[number - step], &out, err),
			0);
		assert_int_equal(out.size, expected_size);
		if (out.size > 0)
			assert_memory_equal(out.data, expected, out.size);
	}
	assert_true(journal_is_synced(reading->journal, position));
	assert_int_equal(
		journal_read(reading->journal, position + record_extent(size), &out, err), -1);
	assert_int_equal(err->code, ERROR_DATA);
	buf_release(&out);
	return 0;
}

static void test_read_while_replaying(void **state)
{
	struct reading reading = {.records = {.size_max = 60}};
	struct disk_sim *sim = disk_sim_new();
	struct disk *disk = disk_sim_open(sim);
	struct error err;

	(void)state;
	assert_int_equal(records_open(&reading.journal, disk, &small, &reading.records, &err), 0);
	for (int i = 1; i <= 100; i++) {
		assert_int_equal(record_append(reading.journal, &reading.records, &err), 0);
		if (i % 4 == 0)
			assert_int_equal(records_sync(reading.journal, &reading.records, &err), 0);
	}
	journal_close(reading.journal);
	reading.records.replayed = 0;
	assert_int_equal(journal_open(&reading.journal, disk, FOLDER, &small, check_and_read,
				 &reading, &err),
		0);
	assert_int_equal(reading.records.replayed, 100);
	records_read(reading.journal, &reading.records);
	journal_close(reading.journal);
	disk_sim_close(disk);
	disk_sim_free(sim);
}

static void test_folder_names(void **state)
{
	struct disk_sim *sim = disk_sim_new();
	struct disk *disk = disk_sim_open(sim);
	char folder[DISK_PATH_MAX];
	struct journal *journal;
	struct error err;

	(void)state;
	memset(folder, 'a', sizeof(folder));
	folder[DISK_PATH_MAX - 10] = '\0';
	assert_int_equal(journal_open(&journal, disk, folder, NULL, NULL, NULL, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_int_equal(journal_remove(disk, folder, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_int_equal(journal_open(&journal, disk, "../up", NULL, NULL, NULL, &err), -1);
	assert_int_equal(err.code, ERROR_USAGE);
	disk_sim_close(disk);
	disk_sim_free(sim);
}

/* A node that was replaced stops: nothing of it reaches the disk. */
static void test_fenced(void **state)
{
	struct records records = {.size_max = 40}, other;
	struct disk_sim *sim = disk_sim_new();
	struct disk *old = disk_sim_open(sim), *new;
	struct journal *journal, *taken;
	struct error err;

	(void)state;
	assert_int_equal(records_open(&journal, old, &small, &records, &err), 0);
	assert_int_equal(record_append(journal, &records, &err), 0);
	assert_int_equal(records_sync(journal, &records, &err), 0);
	assert_int_equal(record_append(journal, &records, &err), 0);
	new = disk_sim_open(sim);
	other = records;
	assert_int_equal(records_open(&taken, new, &small, &other, &err), 0);
	assert_int_equal(journal_sync(journal, &err), -1);
	assert_int_equal(err.code, ERROR_FENCED);
	assert_int_equal(record_append(taken, &other, &err), 0);
	assert_int_equal(records_sync(taken, &other, &err), 0);
	assert_int_equal(journal_sync(journal, &err), -1);
	assert_int_equal(err.code, ERROR_FENCED);
	journal_close(journal);
	journal_close(taken);
	assert_int_equal(records_open(&taken, new, &small, &other, &err), 0);
	assert_int_equal(other.appended, 2);
	journal_close(taken);
	disk_sim_close(old);
	disk_sim_close(new);
	disk_sim_free(sim);
}

/* The same id, the same calls: the same bytes. */
static void test_repeats(void **state)
{
	size_t sizes[2];
	char *bytes[2];

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		struct records records = {.size_max = 30};
		struct disk_sim *sim = disk_sim_new();
		struct disk *disk = disk_sim_open(sim);
		struct journal *journal;
		const char *content;
		struct error err;

		assert_int_equal(records_open(&journal, disk, &small, &records, &err), 0);
		for (int i = 0; i < 5; i++)
			assert_int_equal(record_append(journal, &records, &err), 0);
		assert_int_equal(records_sync(journal, &records, &err), 0);
		journal_close(journal);
		content = disk_sim_get(sim, FOLDER "/segment-00000001", &sizes[turn]);
		bytes[turn] = malloc(sizes[turn]);
		memcpy(bytes[turn], content, sizes[turn]);
		disk_sim_close(disk);
		disk_sim_free(sim);
	}
	assert_int_equal(sizes[0], sizes[1]);
	assert_memory_equal(bytes[0], bytes[1], sizes[0]);
	free(bytes[0]);
	free(bytes[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_append_sync_replay),
		cmocka_unit_test(test_close_without_sync),
		cmocka_unit_test(test_long_records),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_read_of_nothing),
		cmocka_unit_test(test_replay_stops),
		cmocka_unit_test(test_read_while_replaying),
		cmocka_unit_test(test_folder_names),
		cmocka_unit_test(test_fenced),
		cmocka_unit_test(test_repeats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
