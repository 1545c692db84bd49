/* What a journal has lost at its end, or as a whole, is noticed by its mark. */
#include "unit/journal/journal_fixture.h"

static const struct journal_options marked = {
	.segment_bytes_max = 600, .id = 42, .is_marked = true};

#define MARK_PATH FOLDER JOURNAL_MARK_SUFFIX

/* A journal with `count` synced records. */
static void write_journal(struct disk *disk, int count)
{
	struct records records = {.size_max = 100};
	struct journal *journal;
	struct error err;

	assert_int_equal(records_open(&journal, disk, &marked, &records, &err), 0);
	for (int i = 0; i < count; i++)
		assert_int_equal(record_append(journal, &records, &err), 0);
	assert_int_equal(records_sync(journal, &records, &err), 0);
	journal_close(journal);
}

static int open_again(struct disk *disk, struct error *err)
{
	struct journal *journal;

	if (journal_open(&journal, disk, FOLDER, &marked, NULL, NULL, err))
		return -1;
	journal_close(journal);
	return 0;
}

static void remove_file(struct disk *disk, const char *path)
{
	struct error err;

	assert_int_equal(disk_remove(disk, path, &err), 0);
}

static void test_whole(void **state)
{
	struct disk_sim *sim = disk_sim_new();
	struct disk *disk = disk_sim_open(sim);
	struct error err;

	(void)state;
	assert_false(journal_is_known(disk, FOLDER));
	write_journal(disk, 20);
	assert_true(journal_is_known(disk, FOLDER));
	assert_int_equal(open_again(disk, &err), 0);
	/* A mark that is gone says nothing. */
	remove_file(disk, MARK_PATH);
	assert_int_equal(open_again(disk, &err), 0);
	assert_int_equal(journal_remove(disk, FOLDER, &err), 0);
	assert_false(journal_is_known(disk, FOLDER));
	assert_int_equal(disk_sim_file_count(sim), 0);
	disk_sim_close(disk);
	disk_sim_free(sim);
}

static void test_lost_as_a_whole(void **state)
{
	struct disk_sim *sim = disk_sim_new();
	struct disk *disk = disk_sim_open(sim);
	struct error err;

	(void)state;
	write_journal(disk, 20);
	remove_file(disk, FOLDER);
	assert_true(journal_is_known(disk, FOLDER));
	assert_int_equal(open_again(disk, &err), -1);
	assert_int_equal(err.code, ERROR_DATA);
	/* Nothing was changed: it is an error the next time, too. */
	assert_int_equal(open_again(disk, &err), -1);
	assert_int_equal(journal_remove(disk, FOLDER, &err), 0);
	assert_int_equal(open_again(disk, &err), 0);
	disk_sim_close(disk);
	disk_sim_free(sim);
}

/* A last frame that is cut off looks like one that was never synced; the mark knows better. */
static void test_lost_at_its_end(void **state)
{
	struct disk_sim *sim = disk_sim_new();
	struct disk *disk = disk_sim_open(sim);
	struct disk_file *file;
	struct error err;
	uint64_t size;

	(void)state;
	write_journal(disk, 2);
	assert_int_equal(disk_open(disk, FOLDER "/segment-00000001", false, &file, &err), 0);
	assert_int_equal(disk_size(file, &size, &err), 0);
	assert_int_equal(disk_truncate(file, size - 8, &err), 0);
	disk_close(file);
	assert_int_equal(open_again(disk, &err), -1);
	assert_int_equal(err.code, ERROR_DATA);
	disk_sim_close(disk);
	disk_sim_free(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_lost_as_a_whole),
		cmocka_unit_test(test_lost_at_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
