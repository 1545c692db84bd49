#include "exec_fixture.h"

static void window_op(
	struct fixture *f, const char *types, uint32_t partition_count, uint32_t sort_count)
{
	static uint32_t partition[] = {0};
	static struct plan_sort_key sort[] = {{1, true, true}};
	static struct plan_window_call calls[] = {
		{.function = WINDOW_ROW_NUMBER},
		{.function = WINDOW_RANK},
		{.function = WINDOW_DENSE_RANK},
	};
	struct plan_op *op = fixture_op(f, PLAN_WINDOW, types);

	op->window.partition_count = partition_count;
	op->window.partition = partition;
	op->window.sort_count = sort_count;
	op->window.sort = sort;
	op->window.call_count = 3;
	op->window.calls = calls;
}

static void test_numbers(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	window_op(&f, "tnblll", 1, 1);
	fixture_start(&f);
	fixture_push(&f, "tnb", "a|1.0|t\nb|5|f\na|3|NULL\na|1.00|f\n");
	fixture_push(&f, "tnb", "a|1|t\nNULL|2|t\na|0.5|t\nNULL|2|t\nb|NULL|t\n");
	assert_string_equal(fixture_finish(&f), "a|3|NULL|1|1|1\n"
						"a|1|t|2|2|2\n"
						"a|1.0|t|3|2|2\n"
						"a|1.00|f|4|2|2\n"
						"a|0.5|t|5|5|3\n"
						"b|NULL|t|1|1|1\n"
						"b|5|f|2|2|2\n"
						"NULL|2|t|1|1|1\n"
						"NULL|2|t|2|1|1\n");
	fixture_release(&f);
}

static void test_without_partition_and_order(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	window_op(&f, "llll", 0, 0);
	fixture_start(&f);
	fixture_push(&f, "l", "3\n1\n2\n");
	assert_string_equal(fixture_finish(&f), "1|1|1|1\n2|2|1|1\n3|3|1|1\n");
	fixture_release(&f);

	fixture_init(&f);
	window_op(&f, "llll", 0, 0);
	fixture_start(&f);
	fixture_finish(&f);
	assert_int_equal(f.rows, 0);
	fixture_release(&f);
}

/* The numbering goes on from one output batch to the next. */
static void test_many_rows(void **state)
{
	struct fixture f;
	const char *text;

	(void)state;
	fixture_init(&f);
	window_op(&f, "lllll", 1, 1);
	fixture_start(&f);
	for (int64_t b = 0; b < 4; b++) {
		struct column columns[2];
		struct batch batch = {.rows = 2000, .selected = 2000, .column_count = 2};

		batch.columns = columns;
		column_init(&columns[0], type_of(TYPE_BIGINT), 2000, &f.arena);
		column_init(&columns[1], type_of(TYPE_BIGINT), 2000, &f.arena);
		for (int64_t i = 0; i < 2000; i++) {
			columns[0].i64[i] = 9;
			columns[1].i64[i] = -(b * 2000 + i) / 2;
		}
		fixture_push_batch(&f, &batch);
	}
	text = fixture_finish(&f);
	assert_int_equal(f.rows, 8000);
	assert_non_null(strstr(text, "\n9|-2999|5999|5999|3000\n9|-2999|6000|5999|3000\n"));
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_without_partition_and_order),
		cmocka_unit_test(test_many_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
