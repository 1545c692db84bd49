/* Who is suspected, who is cleared and who is condemned, by every kind of end. */
#include "role/work_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define JOB   0x1122334455667788ull
#define OTHER 0x99ull

static struct work_record record;

static struct work_place place(uint64_t job, uint32_t stream, uint64_t first)
{
	return (struct work_place){job, stream, first, first + 10, 0};
}

static uint32_t begin_to_keep(uint64_t job, uint32_t stream, uint64_t first)
{
	struct work_place at = place(job, stream, first);

	at.keeps = 1;
	return work_record_begin(&record, &at);
}

static uint32_t begin(uint64_t job, uint32_t stream, uint64_t first)
{
	struct work_place at = place(job, stream, first);

	return work_record_begin(&record, &at);
}

static bool suspects(uint64_t job, uint32_t stream, uint64_t first)
{
	struct work_place at = place(job, stream, first);

	return work_record_suspects(&record, &at);
}

static bool condemns(uint64_t job, const char *expected)
{
	struct error why;

	if (!work_record_condemns(&record, job, "reducer 1", &why))
		return false;
	assert_non_null(strstr(why.message, "reducer 1"));
	assert_non_null(strstr(why.message, expected));
	return true;
}

static int setup(void **state)
{
	(void)state;
	memset(&record, 0xa5, sizeof(record));
	work_record_start(&record, 100);
	work_record_leave();
	return 0;
}

static void die(uint32_t end)
{
	if (end)
		work_record_note_end(&record, end);
	work_record_leave();
	work_record_start(&record, 100);
}

static void test_signal_twice(void **state)
{
	(void)state;
	begin(OTHER, 1, 0);
	begin(JOB, 1, 0);
	die(WORK_END_SIGNAL + 11);
	assert_true(suspects(JOB, 1, 0));
	assert_false(suspects(OTHER, 1, 0));
	assert_false(condemns(JOB, ""));
	begin(JOB, 1, 0);
	die(WORK_END_SIGNAL + 11);
	assert_true(condemns(JOB, "signal 11"));
	work_record_forget(&record, JOB);
	assert_false(condemns(JOB, ""));
}

static void test_exit_outside_of_work_is_nobodys(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++) {
		begin(JOB, 1, 0);
		work_record_leave();
		assert_false(work_record_is_working());
		die(WORK_END_EXIT);
	}
	assert_false(suspects(JOB, 1, 0));
}

/* It may have come from the work all the same: a thread that the work has started, or what it put out. */
static void test_signal_outside_of_work(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < WORK_UNPROVEN_MAX; i++) {
		assert_false(condemns(JOB, ""));
		begin(JOB, 1, 0);
		work_record_leave();
		die(WORK_END_SIGNAL + 11);
		assert_true(suspects(JOB, 1, 0));
	}
	assert_true(condemns(JOB, "killed"));
}

static void test_memory_in_company(void **state)
{
	uint32_t slot;

	(void)state;
	begin(OTHER, 1, 0);
	begin(JOB, 1, 0);
	die(WORK_END_MEMORY);
	assert_true(suspects(JOB, 1, 0) && suspects(OTHER, 1, 0));
	assert_false(condemns(JOB, "") || condemns(OTHER, ""));
	/* Each alone. */
	slot = begin(OTHER, 1, 0);
	work_record_finish(&record, slot, true);
	assert_false(suspects(OTHER, 1, 0));
	begin(JOB, 1, 0);
	die(WORK_END_MEMORY);
	assert_true(condemns(JOB, "no more memory"));
	assert_false(condemns(OTHER, ""));
}

/* The guilty job has its memory and rests; the other one, alone at work, meets the end of it. */
static void test_memory_that_another_keeps(void **state)
{
	uint32_t slot;

	(void)state;
	for (int i = 0; i < 2; i++) {
		slot = begin_to_keep(OTHER, 1, 0);
		work_record_leave();
		work_record_finish(&record, slot, true);
		begin_to_keep(JOB, 1, 0);
		die(WORK_END_MEMORY);
		assert_false(condemns(JOB, "") || condemns(OTHER, ""));
	}
	/* So it goes first. With nobody else's memory it would be proven; but it gets on. */
	assert_int_equal(work_record_goes_first(&record), JOB);
	slot = begin_to_keep(JOB, 1, 0);
	work_record_leave();
	work_record_finish(&record, slot, true);
	begin_to_keep(OTHER, 1, 10);
	die(WORK_END_MEMORY);
	assert_int_equal(work_record_goes_first(&record), OTHER);
	begin_to_keep(OTHER, 1, 10);
	die(WORK_END_MEMORY);
	assert_true(condemns(OTHER, "no more memory"));
	assert_false(condemns(JOB, ""));
}

/* Who was there when the memory was used up is tried first, the worst before the others. */
static void test_memory_goes_first(void **state)
{
	uint32_t slot;

	(void)state;
	assert_int_equal(work_record_goes_first(&record), 0);
	assert_int_equal(work_record_goes_first(NULL), 0);
	begin(JOB, 1, 0);
	die(WORK_END_SIGNAL + 11);
	assert_int_equal(work_record_goes_first(&record), 0);
	work_record_forget(&record, JOB);
	begin(OTHER, 1, 0);
	begin(JOB, 1, 0);
	die(WORK_END_MEMORY);
	assert_int_equal(work_record_goes_first(&record), OTHER);
	/* It gets past its place; the other is next. */
	slot = begin(OTHER, 1, 0);
	work_record_leave();
	work_record_finish(&record, slot, true);
	assert_int_equal(work_record_goes_first(&record), JOB);
	begin(OTHER, 1, 10);
	begin(JOB, 1, 0);
	die(WORK_END_MEMORY);
	/* It was there both times. */
	assert_int_equal(work_record_goes_first(&record), JOB);
	assert_false(condemns(JOB, "memory"));
	begin(JOB, 1, 0);
	die(WORK_END_MEMORY);
	assert_true(condemns(JOB, "memory"));
	assert_false(condemns(OTHER, ""));
	work_record_forget(&record, JOB);
	assert_int_equal(work_record_goes_first(&record), OTHER);
}

static void test_killed_for_memory(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= WORK_PROVEN_MAX; i++) {
		assert_false(condemns(JOB, ""));
		begin(JOB, 1, 0);
		work_record_leave();
		work_record_start(&record, 100 + i);
	}
	assert_true(condemns(JOB, "no more memory"));
}

static void test_killed_at_the_same_place(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < WORK_UNPROVEN_MAX; i++) {
		assert_false(condemns(JOB, ""));
		begin(JOB, 1, 40 + i % 3);
		die(WORK_END_UNKNOWN);
	}
	assert_true(condemns(JOB, "killed"));
}

static void test_killed_here_and_there(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 10 * WORK_UNPROVEN_MAX; i++) {
		begin(JOB, 1, 100 * (i % 2));
		die(WORK_END_UNKNOWN);
		assert_false(condemns(JOB, ""));
	}
}

static void test_killed_but_it_gets_on(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 10 * WORK_UNPROVEN_MAX; i++) {
		uint32_t slot = begin(JOB, 1, 0);

		work_record_leave();
		if (i % WORK_UNPROVEN_MAX == 0)
			work_record_finish(&record, slot, true);
		else
			die(WORK_END_UNKNOWN);
		assert_false(condemns(JOB, ""));
	}
}

static void test_only_at_its_place(void **state)
{
	(void)state;
	begin(JOB, 1, 100);
	die(WORK_END_UNKNOWN);
	assert_false(suspects(JOB, 1, 0));
	assert_true(suspects(JOB, 1, 95));
	assert_false(suspects(JOB, 2, 100));
	/* What ends before it does not clear it, nor does what was cancelled. */
	work_record_finish(&record, begin(JOB, 1, 50), true);
	work_record_finish(&record, begin(JOB, 1, 100), false);
	assert_true(suspects(JOB, 1, 100));
	work_record_finish(&record, begin(JOB, 1, 100), true);
	assert_false(suspects(JOB, 1, 100));
}

static void test_full(void **state)
{
	(void)state;
	for (uint32_t turn = 0; turn < 3; turn++) {
		for (uint32_t i = 0; i < WORK_RECORD_SLOTS; i++)
			assert_int_not_equal(begin(JOB + turn, i, 0), WORK_SLOT_NONE);
		assert_int_equal(begin(JOB, 7, 0), WORK_SLOT_NONE);
		work_record_finish(&record, WORK_SLOT_NONE, true);
		die(WORK_END_UNKNOWN);
		assert_int_equal(record.suspect_count, WORK_RECORD_SUSPECTS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_signal_twice, setup),
		cmocka_unit_test_setup(test_exit_outside_of_work_is_nobodys, setup),
		cmocka_unit_test_setup(test_signal_outside_of_work, setup),
		cmocka_unit_test_setup(test_memory_in_company, setup),
		cmocka_unit_test_setup(test_memory_that_another_keeps, setup),
		cmocka_unit_test_setup(test_memory_goes_first, setup),
		cmocka_unit_test_setup(test_killed_for_memory, setup),
		cmocka_unit_test_setup(test_killed_at_the_same_place, setup),
		cmocka_unit_test_setup(test_killed_here_and_there, setup),
		cmocka_unit_test_setup(test_killed_but_it_gets_on, setup),
		cmocka_unit_test_setup(test_only_at_its_place, setup),
		cmocka_unit_test_setup(test_full, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
