#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "journal/disk_sim.h"
#include "journal/spill_disk.h"

#define PIECES	   20
#define PIECE_SIZE 10000

/* What no compression makes smaller. */
static void fill(char *bytes, uint64_t seed)
{
	struct rng rng;

	rng_init(&rng, seed);
	for (int i = 0; i < PIECE_SIZE; i++)
		bytes[i] = (char)rng_next(&rng);
}

struct fixture {
	struct disk_sim *sim;
	struct disk *disk;
	struct spill_room room;
	struct spill_disk *spill;
	struct spill_store *store;
};

static void open_fixture(struct fixture *f, uint64_t bytes_max)
{
	memset(f, 0, sizeof(*f));
	f->sim = disk_sim_new();
	f->disk = disk_sim_open(f->sim);
	f->room.bytes_max = bytes_max;
	f->spill = spill_disk_new(f->disk, &f->room);
	f->store = spill_disk_store(f->spill);
}

/* Nothing of it is left. */
static void close_fixture(struct fixture *f)
{
	spill_disk_free(f->spill);
	assert_int_equal(f->room.held, 0);
	assert_int_equal(disk_sim_bytes(f->sim), 0);
	disk_sim_close(f->disk);
	disk_sim_free(f->sim);
}

static void test_what_was_written_is_read(void **state)
{
	static char bytes[PIECE_SIZE], got[PIECE_SIZE];
	struct spill_piece pieces[PIECES];
	struct fixture f;
	struct error err;

	(void)state;
	open_fixture(&f, 0);
	for (uint32_t i = 0; i < PIECES; i++) {
		fill(bytes, i);
		assert_int_equal(f.store->write(f.store, bytes, PIECE_SIZE, &pieces[i], &err), 0);
	}
	assert_true(f.room.held >= PIECES * PIECE_SIZE);
	assert_int_equal(disk_sim_bytes(f.sim), f.room.held);
	for (uint32_t i = 0; i < PIECES / 2; i++)
		f.store->drop(f.store, &pieces[i]);
	assert_int_equal(disk_sim_bytes(f.sim), f.room.held);
	for (uint32_t i = PIECES / 2; i < PIECES; i++) {
		fill(bytes, i);
		assert_int_equal(f.store->read(f.store, &pieces[i], got, &err), 0);
		assert_memory_equal(got, bytes, PIECE_SIZE);
	}
	/* What was dropped is not there any more, and is not taken for rows. */
	assert_int_equal(f.store->read(f.store, &pieces[0], got, &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	assert_true(f.room.written >= PIECES * PIECE_SIZE);
	close_fixture(&f);
}

/* The limit is for all that share the room. */
static void test_limit(void **state)
{
	static char bytes[PIECE_SIZE];
	struct spill_disk *other;
	struct spill_piece piece;
	struct fixture f;
	struct error err;

	(void)state;
	open_fixture(&f, 3 * PIECE_SIZE);
	other = spill_disk_new(f.disk, &f.room);
	fill(bytes, 1);
	assert_int_equal(f.store->write(f.store, bytes, PIECE_SIZE, &piece, &err), 0);
	assert_int_equal(f.store->write(f.store, bytes, PIECE_SIZE, &piece, &err), 0);
	assert_int_equal(spill_disk_store(other)->write(
				 spill_disk_store(other), bytes, PIECE_SIZE, &piece, &err),
		-1);
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_non_null(strstr(err.message, "temp_max"));
	spill_disk_free(other);
	close_fixture(&f);
}

/* A full disk is the job's end, a failing one the node's. */
static void test_troubles(void **state)
{
	static char bytes[PIECE_SIZE];
	struct spill_piece piece;
	struct fixture f;
	struct error err;

	(void)state;
	open_fixture(&f, 0);
	disk_sim_set_capacity(f.sim, 2 * PIECE_SIZE);
	fill(bytes, 1);
	assert_int_equal(f.store->write(f.store, bytes, PIECE_SIZE, &piece, &err), 0);
	assert_int_equal(f.store->write(f.store, bytes, PIECE_SIZE, &piece, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_non_null(strstr(err.message, "no room on the node's disk"));
	disk_sim_set_capacity(f.sim, UINT64_MAX);
	disk_sim_fail_after(f.sim, 1, DISK_SIM_ERROR_ONCE);
	assert_int_equal(f.store->write(f.store, bytes, PIECE_SIZE, &piece, &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_written_is_read),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_troubles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
