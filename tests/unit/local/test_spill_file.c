#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "local/spill_file.h"

#define PIECES	   20
#define PIECE_SIZE 10000

static void fill(char *bytes, int number)
{
	for (int i = 0; i < PIECE_SIZE; i++)
		bytes[i] = (char)(i * number % 251);
}

static void test_what_was_written_is_read(void **state)
{
	struct spill_file *file = spill_file_new(NULL, 0);
	struct spill_store *store = spill_file_store(file);
	static char bytes[PIECE_SIZE], got[PIECE_SIZE];
	struct spill_piece pieces[PIECES];
	struct error err;

	(void)state;
	assert_int_equal(spill_file_written(file), 0);
	for (int i = 0; i < PIECES; i++) {
		fill(bytes, i);
		assert_int_equal(store->write(store, bytes, sizeof(bytes), &pieces[i], &err), 0);
	}
	for (int i = PIECES; i-- > 0;) {
		fill(bytes, i);
		assert_int_equal(store->read(store, &pieces[i], got, &err), 0);
		assert_memory_equal(got, bytes, sizeof(bytes));
		store->drop(store, &pieces[i]);
	}
	assert_true(spill_file_written(file) > 0);
	spill_file_free(file);
}

/* A sum that does not fit is damage, and never a row. */
static void test_damage(void **state)
{
	struct spill_file *file = spill_file_new(NULL, 0);
	struct spill_store *store = spill_file_store(file);
	static char bytes[PIECE_SIZE];
	struct spill_piece piece, wrong;
	struct error err;

	(void)state;
	fill(bytes, 3);
	assert_int_equal(store->write(store, bytes, sizeof(bytes), &piece, &err), 0);
	wrong = piece;
	wrong.sum++;
	assert_int_equal(store->read(store, &wrong, bytes, &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	wrong = piece;
	wrong.at += 1 << 20;
	assert_int_equal(store->read(store, &wrong, bytes, &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	spill_file_free(file);
}

static void test_limits(void **state)
{
	struct spill_file *file = spill_file_new(NULL, 100);
	struct spill_store *store = spill_file_store(file);
	static char bytes[PIECE_SIZE];
	struct spill_piece piece;
	struct error err;

	(void)state;
	fill(bytes, 7);
	assert_int_equal(store->write(store, bytes, sizeof(bytes), &piece, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	spill_file_free(file);
	file = spill_file_new("/no/such/folder", 0);
	store = spill_file_store(file);
	assert_int_equal(store->write(store, bytes, sizeof(bytes), &piece, &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	assert_non_null(strstr(err.message, "/no/such/folder"));
	spill_file_free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_written_is_read),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
