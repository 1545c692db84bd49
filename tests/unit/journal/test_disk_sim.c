#include "unit/journal/disk_fixture.h"

#include "journal/disk_sim.h"

static void test_contract(void **state)
{
	struct disk_sim *sim = disk_sim_new();
	struct disk *disk = disk_sim_open(sim);

	(void)state;
	check_disk(disk);
	assert_int_equal(disk_sim_file_count(sim), 0);
	assert_int_equal(disk_sim_bytes(sim), 0);
	disk_sim_close(disk);
	disk_sim_free(sim);
	disk_sim_free(NULL);
	disk_sim_close(NULL);
}

static void expect_content(struct disk_sim *sim, const char *path, const char *text)
{
	size_t size;
	const char *bytes = disk_sim_get(sim, path, &size);

	assert_non_null(bytes);
	assert_int_equal(size, strlen(text));
	assert_memory_equal(bytes, text, size);
}

static void test_put_and_get(void **state)
{
	struct disk_sim *sim = disk_sim_new();
	size_t size;

	(void)state;
	assert_null(disk_sim_get(sim, "a/b", &size));
	disk_sim_put(sim, "a/b", "12345", 5);
	disk_sim_put(sim, "a/empty", "", 0);
	disk_sim_put(sim, "a-c", "67", 2);
	expect_content(sim, "a/b", "12345");
	expect_content(sim, "a/empty", "");
	disk_sim_put(sim, "a/b", "123", 3);
	assert_int_equal(disk_sim_bytes(sim), 5);
	assert_int_equal(disk_sim_file_count(sim), 3);
	assert_string_equal(disk_sim_file_path(sim, 0), "a/b");
	assert_string_equal(disk_sim_file_path(sim, 2), "a-c");
	disk_sim_wipe(sim);
	assert_int_equal(disk_sim_file_count(sim), 0);
	assert_int_equal(disk_sim_bytes(sim), 0);
	disk_sim_free(sim);
}

/* Over many crashes everything that can become of two unsynced writes does, and nothing else. */
static void test_crash(void **state)
{
	enum { LOST, KEPT, FIRST_TORN, SECOND_ONLY, ZEROS, OUTCOMES };
	uint32_t seen[OUTCOMES] = {0};

	(void)state;
	for (uint64_t seed = 0; seed < 500; seed++) {
		struct disk_sim *sim = disk_sim_new();
		struct disk *disk = disk_sim_open(sim);
		struct disk_file *file;
		const char *bytes;
		struct error err;
		struct rng rng;
		size_t size;

		rng_init(&rng, seed);
		OK(disk_open(disk, "f", true, &file, &err));
		put(file, 0, "safe");
		OK(disk_sync(file, &err));
		put(file, 4, "ABCD");
		put(file, 8, "efgh");
		disk_sim_crash(sim, &rng);
		assert_true(disk_sim_crashed(disk));
		FAILS(disk_sync(file, &err), ERROR_IO);
		FAILS(disk_size(file, &(uint64_t){0}, &err), ERROR_IO);
		disk_close(file);
		disk_sim_close(disk);
		bytes = disk_sim_get(sim, "f", &size);
		assert_true(size >= 4 && size <= 12);
		assert_memory_equal(bytes, "safe", 4);
		for (size_t i = 4; i < size; i++)
			assert_true(bytes[i] == "safeABCDefgh"[i] || bytes[i] == '\0');
		assert_int_equal(disk_sim_bytes(sim), size);
		seen[LOST] += size == 4;
		seen[KEPT] += size == 12 && memcmp(bytes, "safeABCDefgh", 12) == 0;
		seen[FIRST_TORN] += size >= 8 && bytes[4] == 'A' && bytes[7] == '\0';
		seen[SECOND_ONLY] += size == 12 && bytes[4] == '\0' && bytes[7] == '\0' &&
				     bytes[8] == 'e' && bytes[11] == 'h';
		seen[ZEROS] += size > 4 && bytes[size - 1] == '\0';
		disk_sim_free(sim);
	}
	for (int i = 0; i < OUTCOMES; i++)
		if (seen[i] == 0)
			fail_msg("outcome %d was never seen", i);
}

/* A sync that failed has lost the writes: they are visible, and a later sync does not help. */
static void test_failed_sync_drops_writes(void **state)
{
	struct disk_sim *sim = disk_sim_new();
	struct disk *disk = disk_sim_open(sim);
	struct disk_file *file;
	struct error err;
	struct rng rng;

	(void)state;
	rng_init(&rng, 1);
	OK(disk_open(disk, "f", true, &file, &err));
	put(file, 0, "lost");
	disk_sim_fail_after(sim, 1, DISK_SIM_ERROR_ONCE);
	FAILS(disk_sync(file, &err), ERROR_IO);
	assert_true(disk_sim_failed(sim));
	expect(file, "lost", 4);
	OK(disk_sync(file, &err));
	disk_close(file);
	disk_sim_close(disk);
	disk_sim_crash(sim, &rng);
	expect_content(sim, "f", "");
	disk_sim_free(sim);
}

static void test_failures(void **state)
{
	struct disk_sim *sim = disk_sim_new();
	struct disk *disk = disk_sim_open(sim);
	struct disk_piece piece = {"123456", 6};
	struct disk_file *file, *other;
	struct error err;

	(void)state;
	OK(disk_open(disk, "d/f", true, &file, &err));
	disk_sim_fail_after(sim, 2, DISK_SIM_ERROR_ONCE);
	put(file, 0, "ok");
	FAILS(disk_write(file, 0, &piece, 1, &err), ERROR_IO);
	expect(file, "123", 3);
	OK(disk_write(file, 0, &piece, 1, &err));
	disk_sim_fail_after(sim, 1, DISK_SIM_ERROR_STUCK);
	FAILS(disk_open(disk, "d/g", true, &other, &err), ERROR_IO);
	FAILS(disk_truncate(file, 0, &err), ERROR_IO);
	FAILS(disk_sync(file, &err), ERROR_IO);
	FAILS(disk_remove(disk, "d/f", &err), ERROR_IO);
	expect(file, "123456", 6);
	expect_names(disk, "d", "f|");
	disk_sim_clear(sim);
	OK(disk_truncate(file, 2, &err));
	make(disk, "d/g");
	make(disk, "d/h");
	disk_sim_fail_after(sim, 1, DISK_SIM_ERROR_ONCE);
	FAILS(disk_remove(disk, "d", &err), ERROR_IO);
	assert_int_equal(disk_sim_file_count(sim), 2);
	/* From the crash on nothing works, not even a look. */
	disk_sim_fail_after(sim, 1, DISK_SIM_CRASH);
	assert_false(disk_sim_crashed(disk));
	FAILS(disk_sync(file, &err), ERROR_IO);
	assert_true(disk_sim_crashed(disk));
	FAILS(disk_size(file, &(uint64_t){0}, &err), ERROR_IO);
	FAILS(disk_open(disk, "d/f", false, &other, &err), ERROR_IO);
	disk_close(file);
	disk_sim_close(disk);
	disk = disk_sim_open(sim);
	assert_false(disk_sim_crashed(disk));
	OK(disk_open(disk, "d/f", false, &file, &err));
	disk_close(file);
	disk_sim_close(disk);
	disk_sim_free(sim);
}

/* A change that a crash interrupts has happened in some runs and in others not. */
static void test_crash_in_a_change(void **state)
{
	uint32_t created = 0, truncated = 0, removed = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct disk_sim *sim = disk_sim_new();
		struct disk *disk = disk_sim_open(sim);
		struct disk_file *file, *other;
		struct error err;
		struct rng rng;
		size_t size;

		rng_init(&rng, seed);
		disk_sim_put(sim, "f", "1234", 4);
		OK(disk_open(disk, "f", false, &file, &err));
		disk_sim_fail_after(sim, 1, DISK_SIM_CRASH);
		if (seed % 3 == 0)
			FAILS(disk_open(disk, "g", true, &other, &err), ERROR_IO);
		else if (seed % 3 == 1)
			FAILS(disk_truncate(file, 1, &err), ERROR_IO);
		else
			FAILS(disk_remove(disk, "f", &err), ERROR_IO);
		disk_sim_crash(sim, &rng);
		created += disk_sim_get(sim, "g", &size) != NULL;
		removed += disk_sim_get(sim, "f", &size) == NULL;
		truncated += size == 1;
		disk_close(file);
		disk_sim_close(disk);
		disk_sim_free(sim);
	}
	assert_true(created > 0 && created < 20);
	assert_true(truncated > 0 && truncated < 20);
	assert_true(removed > 0 && removed < 20);
}

static void test_capacity(void **state)
{
	struct disk_sim *sim = disk_sim_new();
	struct disk *disk = disk_sim_open(sim);
	struct disk_piece piece = {"123456789", 9};
	struct disk_file *file, *other;
	struct error err;

	(void)state;
	disk_sim_set_capacity(sim, 10);
	OK(disk_open(disk, "f", true, &file, &err));
	OK(disk_open(disk, "g", true, &other, &err));
	put(file, 0, "1234567");
	FAILS(disk_write(other, 0, &piece, 1, &err), ERROR_IO);
	assert_non_null(strstr(err.message, "no space left"));
	expect(other, "123", 3);
	FAILS(disk_write(other, 50, &piece, 1, &err), ERROR_IO);
	expect(other, "123", 3);
	/* What is there can be written over. */
	put(file, 3, "abcd");
	OK(disk_truncate(file, 1, &err));
	OK(disk_write(other, 0, &piece, 1, &err));
	assert_int_equal(disk_sim_bytes(sim), 10);
	OK(disk_remove(disk, "g", &err));
	assert_int_equal(disk_sim_bytes(sim), 1);
	put(file, 1, "123456789");
	disk_close(file);
	disk_close(other);
	disk_sim_close(disk);
	disk_sim_free(sim);
}

static void test_fencing(void **state)
{
	struct disk_sim *sim = disk_sim_new();
	struct disk *old = disk_sim_open(sim), *new;
	struct disk_piece piece = {"x", 1};
	struct disk_file *file, *other;
	struct error err;

	(void)state;
	OK(disk_open(old, "f", true, &file, &err));
	put(file, 0, "old");
	new = disk_sim_open(sim);
	FAILS(disk_write(file, 0, &piece, 1, &err), ERROR_FENCED);
	FAILS(disk_sync(file, &err), ERROR_FENCED);
	FAILS(disk_truncate(file, 0, &err), ERROR_FENCED);
	FAILS(disk_remove(old, "f", &err), ERROR_FENCED);
	FAILS(disk_open(old, "g", true, &other, &err), ERROR_FENCED);
	expect(file, "old", 3);
	OK(disk_open(new, "f", false, &other, &err));
	put(other, 0, "new");
	expect(file, "new", 3);
	assert_false(disk_sim_crashed(old));
	disk_close(file);
	disk_close(other);
	disk_sim_close(old);
	disk_sim_close(new);
	disk_sim_free(sim);
}

static void test_counters(void **state)
{
	struct disk_sim *sim = disk_sim_new();
	const struct disk_sim_counters *counters = disk_sim_counters(sim);
	struct disk *disk = disk_sim_open(sim);
	struct disk_file *file;
	struct error err;

	(void)state;
	OK(disk_open(disk, "f", true, &file, &err));
	put(file, 0, "1234");
	expect(file, "1234", 4);
	OK(disk_sync(file, &err));
	OK(disk_truncate(file, 2, &err));
	disk_close(file);
	OK(disk_open(disk, "f", false, &file, &err));
	disk_close(file);
	expect_names(disk, "", "f|");
	OK(disk_remove(disk, "f", &err));
	assert_int_equal(counters->creates, 1);
	assert_int_equal(counters->opens, 1);
	assert_int_equal(counters->writes, 1);
	assert_int_equal(counters->bytes_written, 4);
	assert_int_equal(counters->reads, 1);
	assert_int_equal(counters->bytes_read, 4);
	assert_int_equal(counters->syncs, 1);
	assert_int_equal(counters->truncates, 1);
	assert_int_equal(counters->removes, 1);
	assert_int_equal(counters->lists, 1);
	assert_int_equal(counters->changes, 5);
	disk_sim_close(disk);
	disk_sim_free(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contract),
		cmocka_unit_test(test_put_and_get),
		cmocka_unit_test(test_crash),
		cmocka_unit_test(test_failed_sync_drops_writes),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_crash_in_a_change),
		cmocka_unit_test(test_capacity),
		cmocka_unit_test(test_fencing),
		cmocka_unit_test(test_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
