/*
 * Disks that fail, fill up, lose their power and rot. What must hold after all of it: records that
 * were reported as durable are there, in order, and there is no record that nobody appended.
 */
#include "unit/journal/journal_fixture.h"

#include "journal/journal_private.h"

#include <stdio.h>

static const struct journal_options small = {.segment_bytes_max = 600, .id = 42};

#define SEGMENT_1 FOLDER "/segment-00000001"
#define SEGMENT_2 FOLDER "/segment-00000002"
#define SEGMENT_3 FOLDER "/segment-00000003"

enum policy {
	POLICY_RETRY,  /* the call that failed is tried again */
	POLICY_REOPEN, /* the process dies, the machine does not */
	POLICY_CRASH,  /* the machine does */
};

struct node {
	struct disk_sim *sim;
	struct disk *disk;
	struct journal *journal;
	struct records records;
	enum policy policy;
	struct rng rng;
};

static void node_init(struct node *node, enum policy policy, uint64_t seed, uint32_t size_max)
{
	memset(node, 0, sizeof(*node));
	node->sim = disk_sim_new();
	node->disk = disk_sim_open(node->sim);
	node->policy = policy;
	node->records.size_max = size_max;
	rng_init(&node->rng, seed);
}

static void node_stop(struct node *node)
{
	journal_close(node->journal);
	node->journal = NULL;
	disk_sim_close(node->disk);
	node->disk = NULL;
}

static void node_release(struct node *node)
{
	node_stop(node);
	disk_sim_free(node->sim);
}

/* After a failure: nothing but the disk is left, for all but those who try again. */
static void node_recover(struct node *node, const struct error *err)
{
	if (err->code != ERROR_IO)
		fail_msg("error %d: %s", err->code, err->message);
	disk_sim_clear(node->sim);
	if (node->policy == POLICY_RETRY && !disk_sim_crashed(node->disk))
		return;
	node_stop(node);
	if (node->policy == POLICY_CRASH)
		disk_sim_crash(node->sim, &node->rng);
	node->disk = disk_sim_open(node->sim);
}

static void node_open(struct node *node)
{
	struct error err;

	while (!node->journal) {
		if (records_open(&node->journal, node->disk, &small, &node->records, &err) == 0)
			return;
		node_recover(node, &err);
	}
}

static void node_append(struct node *node)
{
	struct error err;

	while (record_append(node->journal, &node->records, &err) != 0) {
		node_recover(node, &err);
		node_open(node);
	}
}

static void node_sync(struct node *node)
{
	struct error err;

	while (records_sync(node->journal, &node->records, &err) != 0) {
		node_recover(node, &err);
		node_open(node);
	}
}

/* A power cut, then everything is looked at. */
static void node_verify(struct node *node)
{
	node_stop(node);
	disk_sim_crash(node->sim, &node->rng);
	node->disk = disk_sim_open(node->sim);
	node_open(node);
	records_read(node->journal, &node->records);
}

static void node_work(struct node *node)
{
	for (int part = 0; part < 2; part++) {
		node_open(node);
		for (int i = 1; i <= 25; i++) {
			node_append(node);
			if (i % 4 == 0)
				node_sync(node);
		}
		node_sync(node);
		journal_close(node->journal);
		node->journal = NULL;
	}
}

/* Lets every change of the workload fail once, in turn; returns how many there are. */
static uint64_t every_failure(enum policy policy, enum disk_sim_failure failure, uint64_t seed)
{
	for (uint64_t n = 1;; n++) {
		struct node node;
		bool met;

		node_init(&node, policy, seed * 1000003 + n, 60);
		disk_sim_fail_after(node.sim, n, failure);
		node_work(&node);
		met = disk_sim_counters(node.sim)->changes >= n;
		disk_sim_clear(node.sim);
		node_verify(&node);
		if (policy == POLICY_RETRY)
			assert_int_equal(node.records.appended, 50);
		node_release(&node);
		if (!met)
			return n - 1;
	}
}

static void test_every_failure_retried(void **state)
{
	(void)state;
	assert_true(every_failure(POLICY_RETRY, DISK_SIM_ERROR_ONCE, 1) > 40);
	assert_true(every_failure(POLICY_RETRY, DISK_SIM_ERROR_STUCK, 2) > 40);
}

static void test_every_failure_restarted(void **state)
{
	(void)state;
	every_failure(POLICY_REOPEN, DISK_SIM_ERROR_ONCE, 3);
	every_failure(POLICY_REOPEN, DISK_SIM_CRASH, 4);
	every_failure(POLICY_CRASH, DISK_SIM_ERROR_ONCE, 5);
}

static void test_crash_at_every_change(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++)
		every_failure(POLICY_CRASH, DISK_SIM_CRASH, seed);
}

/* Failures of all kinds in any order, one after the other. */
static void test_random_failures(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct node node;

		node_init(&node, POLICY_CRASH, seed, seed % 3 == 0 ? 900 : 60);
		node_open(&node);
		for (int step = 0; step < 120 && node.records.appended < RECORDS_MAX; step++) {
			uint64_t dice = rng_below(&node.rng, 16);

			node.policy = (enum policy)rng_below(&node.rng, 3);
			if (dice == 0)
				disk_sim_fail_after(node.sim, 1 + rng_below(&node.rng, 6),
					(enum disk_sim_failure)rng_below(&node.rng, 3));
			if (dice == 2)
				node_verify(&node);
			else if (dice < 6)
				node_sync(&node);
			else
				node_append(&node);
		}
		disk_sim_clear(node.sim);
		node_verify(&node);
		node_release(&node);
	}
}

/* -- A full disk -- */

static void test_full_disk(void **state)
{
	(void)state;
	for (uint64_t capacity = 0; capacity < 2000; capacity += 13) {
		struct node node;
		struct error err;
		uint32_t failures = 0;

		node_init(&node, POLICY_RETRY, capacity, 60);
		disk_sim_set_capacity(node.sim, capacity);
		node_open(&node);
		while (node.records.appended < 50) {
			int status = record_append(node.journal, &node.records, &err);

			if (status == 0 && node.records.appended % 4 == 0)
				status = records_sync(node.journal, &node.records, &err);
			if (status == 0)
				continue;
			assert_int_equal(err.code, ERROR_IO);
			assert_non_null(strstr(err.message, "no space left"));
			assert_true(disk_sim_bytes(node.sim) <= capacity);
			records_read(node.journal, &node.records);
			/* As full as before, then a little room, at last enough. */
			if (++failures % 3 == 0)
				disk_sim_set_capacity(node.sim, capacity += 150);
		}
		disk_sim_set_capacity(node.sim, UINT64_MAX);
		node_sync(&node);
		node_verify(&node);
		assert_int_equal(node.records.appended, 50);
		node_release(&node);
	}
}

/* The process dies on a full disk: what it had acknowledged is there, and it opens while full. */
static void test_full_disk_restarted(void **state)
{
	(void)state;
	for (uint64_t capacity = 0; capacity < 2000; capacity += 7) {
		struct node node;
		struct error err;

		node_init(&node, POLICY_CRASH, capacity, 60);
		disk_sim_set_capacity(node.sim, capacity);
		node_open(&node);
		while (node.records.appended < 50) {
			if (record_append(node.journal, &node.records, &err) != 0 ||
				(node.records.appended % 4 == 0 &&
					records_sync(node.journal, &node.records, &err) != 0))
				break;
		}
		node_verify(&node);
		assert_int_equal(journal_remove(node.disk, "other", &err), 0);
		journal_close(node.journal);
		node.journal = NULL;
		/* Removing needs no room. */
		assert_int_equal(journal_remove(node.disk, FOLDER, &err), 0);
		assert_int_equal(disk_sim_file_count(node.sim), 0);
		assert_int_equal(disk_sim_bytes(node.sim), 0);
		node_release(&node);
	}
}

/* -- Damage -- */

/* Three segments, several frames each; where the last frame starts. */
static uint64_t damage_begin(struct node *node)
{
	uint64_t tail = 0;

	node_init(node, POLICY_RETRY, 1, 60);
	node_open(node);
	while (disk_sim_file_count(node->sim) < 3 || node->records.appended % 3 != 0 ||
		node->journal->tail < 300) {
		node_append(node);
		if (node->records.appended % 3 == 0) {
			tail = node->journal->tail;
			node_sync(node);
		}
	}
	node_sync(node);
	journal_close(node->journal);
	node->journal = NULL;
	return tail;
}

/*
 * Opens a journal whose disk was tampered with. It is damaged, which changes nothing, or all is
 * there but for at most `lost_max` records at its end; then it takes new ones.
 */
static bool damage_is_found(struct node *node, uint64_t lost_max)
{
	struct records records = node->records;
	uint64_t changes = disk_sim_counters(node->sim)->changes;
	struct error err;
	int status;

	records.synced = records.appended - lost_max;
	status = records_open(&node->journal, node->disk, &small, &records, &err);
	if (status != 0) {
		if (err.code != ERROR_DATA)
			fail_msg("error %d: %s", err.code, err.message);
		assert_non_null(strstr(err.message, FOLDER "/segment-"));
		assert_int_equal(disk_sim_counters(node->sim)->changes, changes);
		return true;
	}
	records_read(node->journal, &records);
	for (int i = 0; i < 5; i++)
		assert_int_equal(record_append(node->journal, &records, &err), 0);
	assert_int_equal(records_sync(node->journal, &records, &err), 0);
	journal_close(node->journal);
	assert_int_equal(records_open(&node->journal, node->disk, &small, &records, &err), 0);
	journal_close(node->journal);
	node->journal = NULL;
	return false;
}

struct disk_copy {
	uint32_t count;
	char paths[8][DISK_PATH_MAX];
	char *bytes[8];
	size_t sizes[8];
};

static void copy_take(struct disk_copy *copy, const struct disk_sim *sim)
{
	copy->count = disk_sim_file_count(sim);
	assert_true(copy->count <= 8);
	for (uint32_t i = 0; i < copy->count; i++) {
		const char *bytes;

		snprintf(copy->paths[i], DISK_PATH_MAX, "%s", disk_sim_file_path(sim, i));
		bytes = disk_sim_get(sim, copy->paths[i], &copy->sizes[i]);
		copy->bytes[i] = malloc(copy->sizes[i] + 1);
		memcpy(copy->bytes[i], bytes, copy->sizes[i]);
	}
}

static void copy_restore(const struct disk_copy *copy, struct node *node)
{
	node_stop(node);
	disk_sim_wipe(node->sim);
	node->disk = disk_sim_open(node->sim);
	for (uint32_t i = 0; i < copy->count; i++)
		disk_sim_put(node->sim, copy->paths[i], copy->bytes[i], copy->sizes[i]);
}

static void copy_release(struct disk_copy *copy)
{
	for (uint32_t i = 0; i < copy->count; i++)
		free(copy->bytes[i]);
}

static void test_every_byte_damaged(void **state)
{
	static const char flips[] = {1, (char)0x80, (char)0xff};
	struct disk_copy copy;
	struct node node;
	uint64_t tail = damage_begin(&node);

	(void)state;
	copy_take(&copy, node.sim);
	assert_int_equal(copy.count, 3);
	for (uint32_t file = 0; file < copy.count; file++)
		for (size_t at = 0; at < copy.sizes[file]; at++)
			for (size_t flip = 0; flip < sizeof(flips); flip++) {
				bool is_tail = file == 2 && at >= tail;

				copy.bytes[file][at] ^= flips[flip];
				copy_restore(&copy, &node);
				copy.bytes[file][at] ^= flips[flip];
				if (damage_is_found(&node, is_tail ? 3 : 0) == is_tail)
					fail_msg("byte %zu of %s", at, copy.paths[file]);
			}
	copy_release(&copy);
	node_release(&node);
}

/*
 * A part is zero, as when a disk never wrote a page. One that takes the end of the last frame but
 * one with it and the header of the last leaves no sign that there was one.
 */
static void test_pages_zeroed(void **state)
{
	struct disk_copy copy;
	struct node node;
	uint64_t tail = damage_begin(&node);

	(void)state;
	copy_take(&copy, node.sim);
	for (uint32_t file = 0; file < copy.count; file++)
		for (size_t at = 0; at + 32 <= copy.sizes[file]; at += 8) {
			bool before = file < 2 || at + 32 <= tail,
			     in_tail = file == 2 && at >= tail;
			char kept[32];

			memcpy(kept, copy.bytes[file] + at, 32);
			memset(copy.bytes[file] + at, 0, 32);
			copy_restore(&copy, &node);
			memcpy(copy.bytes[file] + at, kept, 32);
			if (damage_is_found(&node, before ? 0 : in_tail ? 3 : 6) ? in_tail : before)
				fail_msg("byte %zu of %s", at, copy.paths[file]);
		}
	copy_release(&copy);
	node_release(&node);
}

/* A file that is cut, or has more than it should. The last one loses frames without a sign. */
static void test_every_length(void **state)
{
	struct disk_copy copy;
	struct node node;

	(void)state;
	damage_begin(&node);
	copy_take(&copy, node.sim);
	for (uint32_t file = 0; file < copy.count; file++)
		for (size_t size = 0; size < copy.sizes[file]; size++) {
			size_t whole = copy.sizes[file];

			/* An empty segment 1 is a removal that began. */
			if (file == 0 && size == 0)
				continue;
			copy.sizes[file] = size;
			copy_restore(&copy, &node);
			copy.sizes[file] = whole;
			if (file < 2)
				assert_true(damage_is_found(&node, 0));
			else
				assert_false(damage_is_found(&node, node.records.appended));
		}
	for (uint32_t file = 0; file < copy.count; file++)
		for (size_t more = 1; more < 100; more++) {
			copy.bytes[file] = realloc(copy.bytes[file], copy.sizes[file] + more);
			memset(copy.bytes[file] + copy.sizes[file], (int)more, more);
			copy.sizes[file] += more;
			copy_restore(&copy, &node);
			copy.sizes[file] -= more;
			assert_int_equal(damage_is_found(&node, 0), file < 2);
		}
	copy_release(&copy);
	node_release(&node);
}

static void test_wrong_segments(void **state)
{
	struct segment_header header = {.version = 2, .id = 42, .number = 1, .sequence = 1};
	char bytes[SEGMENT_HEADER_SIZE];
	struct disk_copy copy;
	struct node node;
	struct error err;

	(void)state;
	damage_begin(&node);
	copy_take(&copy, node.sim);
	/* One is missing. */
	for (uint32_t file = 0; file < 2; file++) {
		copy_restore(&copy, &node);
		assert_int_equal(disk_remove(node.disk, copy.paths[file], &err), 0);
		assert_true(damage_is_found(&node, 0));
	}
	/* One in the place of another. */
	for (uint32_t a = 0; a < 3; a++)
		for (uint32_t b = 0; b < 3; b++) {
			copy_restore(&copy, &node);
			disk_sim_put(node.sim, copy.paths[a], copy.bytes[b], copy.sizes[b]);
			assert_int_equal(damage_is_found(&node, 0), a != b);
		}
	/* One of another journal, that has the right number and sequence. */
	header = (struct segment_header){.version = 1, .id = 43, .number = 3, .sequence = 0};
	copy_restore(&copy, &node);
	assert_true(segment_header_decode(copy.bytes[2], &header));
	header.id = 43;
	segment_header_encode(bytes, &header);
	disk_sim_put(node.sim, SEGMENT_3, bytes, sizeof(bytes));
	assert_true(damage_is_found(&node, 0));
	/* A later version. */
	copy_restore(&copy, &node);
	header = (struct segment_header){.version = 2, .id = 42, .number = 1, .sequence = 1};
	segment_header_encode(bytes, &header);
	disk_sim_put(node.sim, SEGMENT_1, bytes, sizeof(bytes));
	assert_int_equal(
		journal_open(&node.journal, node.disk, FOLDER, &small, NULL, NULL, &err), -1);
	assert_int_equal(err.code, ERROR_DATA);
	assert_non_null(strstr(err.message, "version 2"));
	/* What has other names does not matter. */
	copy_restore(&copy, &node);
	disk_sim_put(node.sim, FOLDER "/segment-1", "x", 1);
	disk_sim_put(node.sim, FOLDER "/segment-0000000x", "x", 1);
	disk_sim_put(node.sim, FOLDER "/notes", "x", 1);
	assert_false(damage_is_found(&node, 0));
	copy_release(&copy);
	node_release(&node);
}

/* A segment that had only begun when the machine stopped. */
static void test_torn_segment_header(void **state)
{
	struct segment_header header = {.version = 1, .id = 42, .number = 2};
	char bytes[SEGMENT_HEADER_SIZE];

	(void)state;
	for (size_t size = 0; size <= SEGMENT_HEADER_SIZE; size++) {
		struct node node;
		struct error err;

		node_init(&node, POLICY_RETRY, size, 60);
		if (size > 0)
			disk_sim_put(node.sim, SEGMENT_1,
				"tamizjnl and then nothing like a header of one", size - 1);
		node_open(&node);
		while (node.journal->segment == 1)
			node_append(&node);
		node.records.synced = node.records.appended - 1;
		journal_close(node.journal);
		node.journal = NULL;
		header.sequence = node.records.appended;
		segment_header_encode(bytes, &header);
		disk_sim_put(node.sim, SEGMENT_2, bytes, size);
		node_open(&node);
		for (int i = 0; i < 20; i++)
			node_append(&node);
		node_sync(&node);
		node_verify(&node);
		journal_close(node.journal);
		node.journal = NULL;
		assert_int_equal(journal_remove(node.disk, FOLDER, &err), 0);
		node_release(&node);
	}
}

/* More than is read at a time, in the last frame and behind it. */
static void test_long_torn_tail(void **state)
{
	const size_t sizes[] = {3u << 20, 100u << 10, 1000}, torn = 5u << 19;
	char *bytes = calloc(1, sizes[0]);
	uint64_t expected = SEGMENT_HEADER_SIZE;
	journal_position position;
	struct node node;
	struct error err;
	struct buf out;

	(void)state;
	buf_init(&out, sizes[0]);
	node_init(&node, POLICY_RETRY, 1, 60);
	for (int turn = 0; turn < 3; turn++) {
		struct disk_piece piece = {bytes, sizes[turn]}, tail = {bytes, torn};
		struct disk_file *file;
		uint64_t end;

		assert_int_equal(
			journal_open(&node.journal, node.disk, FOLDER, NULL, NULL, NULL, &err), 0);
		assert_int_equal(journal_records(node.journal), turn);
		assert_int_equal(journal_append(node.journal, &piece, 1, &position, &err), 0);
		assert_int_equal(journal_sync(node.journal, &err), 0);
		journal_close(node.journal);
		node.journal = NULL;
		assert_int_equal(disk_open(node.disk, SEGMENT_1, false, &file, &err), 0);
		assert_int_equal(disk_size(file, &end, &err), 0);
		expected += FRAME_HEADER_SIZE + record_extent(sizes[turn]);
		assert_int_equal(end, expected);
		assert_int_equal(disk_write(file, end, &tail, 1, &err), 0);
		disk_close(file);
	}
	assert_int_equal(journal_open(&node.journal, node.disk, FOLDER, NULL, NULL, NULL, &err), 0);
	assert_int_equal(journal_read(node.journal, position, &out, &err), 0);
	assert_int_equal(out.size, sizes[2]);
	buf_release(&out);
	free(bytes);
	node_release(&node);
}

/* -- Removal -- */

static void test_removal_interrupted(void **state)
{
	const struct journal_options another = {.segment_bytes_max = 600, .id = 43};
	struct disk_copy copy;
	struct node node;
	struct error err;

	(void)state;
	damage_begin(&node);
	copy_take(&copy, node.sim);
	for (uint64_t n = 1; n < 10; n++)
		for (uint64_t seed = 0; seed < 40; seed++) {
			enum disk_sim_failure failure =
				seed % 2 ? DISK_SIM_CRASH : DISK_SIM_ERROR_ONCE;
			struct records records = node.records;

			copy_restore(&copy, &node);
			disk_sim_fail_after(node.sim, n, failure);
			if (journal_remove(node.disk, FOLDER, &err) != 0)
				assert_int_equal(err.code, ERROR_IO);
			disk_sim_clear(node.sim);
			node_stop(&node);
			if (seed % 4 < 2)
				disk_sim_crash(node.sim, &node.rng);
			node.disk = disk_sim_open(node.sim);
			if (seed % 8 < 4) {
				records.synced = 0;
				assert_int_equal(records_open(&node.journal, node.disk, &another,
							 &records, &err),
					0);
				assert_true(records.appended == 0 ||
					    records.appended == node.records.appended);
				for (int i = 0; i < 5; i++)
					assert_int_equal(
						record_append(node.journal, &records, &err), 0);
				assert_int_equal(records_sync(node.journal, &records, &err), 0);
				journal_close(node.journal);
				assert_int_equal(records_open(&node.journal, node.disk, &another,
							 &records, &err),
					0);
				journal_close(node.journal);
				node.journal = NULL;
			}
			assert_int_equal(journal_remove(node.disk, FOLDER, &err), 0);
			assert_int_equal(disk_sim_file_count(node.sim), 0);
		}
	copy_release(&copy);
	node_release(&node);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_failure_retried),
		cmocka_unit_test(test_every_failure_restarted),
		cmocka_unit_test(test_crash_at_every_change),
		cmocka_unit_test(test_random_failures),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_full_disk_restarted),
		cmocka_unit_test(test_every_byte_damaged),
		cmocka_unit_test(test_pages_zeroed),
		cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_wrong_segments),
		cmocka_unit_test(test_torn_segment_header),
		cmocka_unit_test(test_long_torn_tail),
		cmocka_unit_test(test_removal_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
