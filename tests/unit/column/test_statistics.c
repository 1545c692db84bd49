#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "column/statistics.h"

#include <math.h>
#include <string.h>

static struct value text_value(const char *text)
{
	return (struct value){.type = type_of(TYPE_TEXT), .text = text_from(text, strlen(text))};
}

static struct value int_value(int64_t number)
{
	return (struct value){.type = type_of(TYPE_BIGINT), .i64 = number};
}

static void test_numbers_have_the_order_of_values(void **state)
{
	static const char *const ordered[] = {"", "A", "a", "ab", "b", "\xc3\xb1"};

	(void)state;
	for (size_t i = 1; i < sizeof(ordered) / sizeof(*ordered); i++) {
		struct value a = text_value(ordered[i - 1]), b = text_value(ordered[i]);

		assert_true(statistics_number(&a) < statistics_number(&b));
		assert_true(statistics_key(&a) != statistics_key(&b));
	}
	assert_false(statistics_cover(TYPE_TEXT_LIST));
	assert_false(statistics_cover(TYPE_INTERVAL));
}

/* Whatever type a number has, it is the same one. */
static void test_keys_of_equal_numbers(void **state)
{
	struct value whole = int_value(5), zero = int_value(0);
	struct value real = {.type = type_of(TYPE_DOUBLE), .f64 = 5};
	struct value minus = {.type = type_of(TYPE_DOUBLE), .f64 = -0.0};

	(void)state;
	assert_int_equal(statistics_key(&whole), statistics_key(&real));
	assert_int_equal(statistics_key(&zero), statistics_key(&minus));
}

static struct column_statistics hundred(void)
{
	struct value five = int_value(5);
	struct column_statistics column = {.distinct = 101,
		.nulls = 0.2,
		.common_count = 1,
		.common = {{statistics_key(&five), 0.3}},
		.bound_count = 3,
		.bounds = {0, 50, 150}};

	return column;
}

static void test_shares(void **state)
{
	struct column_statistics column = hundred();
	struct value five = int_value(5), six = int_value(6);

	(void)state;
	assert_true(statistics_equal(&column, statistics_key(&five)) == 0.3);
	assert_true(fabs(statistics_equal(&column, statistics_key(&six)) - 0.5 / 100) < 1e-9);
	assert_true(fabs(statistics_between(&column, -HUGE_VAL, 50) - 0.5 * 0.8) < 1e-9);
	assert_true(fabs(statistics_between(&column, 25, 100) - 0.5 * 0.8) < 1e-9);
	assert_true(fabs(statistics_between(&column, -HUGE_VAL, HUGE_VAL) - 0.8) < 1e-9);
	/* Outside of what was seen there may be a value. */
	assert_true(statistics_between(&column, 1000, 2000) > 0);
	assert_true(statistics_between(&column, 1000, 2000) < 0.01);
}

static void test_text_and_back(void **state)
{
	struct column_statistics columns[3] = {{0}, hundred(), {.distinct = 1, .nulls = 1}};
	struct table_statistics from = {1e6 / 3, 64.5, 3, columns}, *back;
	struct arena arena;
	struct buf text;

	(void)state;
	arena_init(&arena, 4096);
	buf_init(&text, 1 << 16);
	statistics_write(&from, &text);
	buf_append_char(&text, '\0');
	back = statistics_read(text.data, 3, &arena);
	assert_non_null(back);
	assert_true(back->rows == from.rows && back->row_bytes == from.row_bytes);
	for (int c = 0; c < 3; c++)
		assert_memory_equal(&back->columns[c], &columns[c], sizeof(columns[c]));
	/* Of a table with fewer columns, and whatever else is no such text. */
	assert_null(statistics_read(text.data, 2, &arena));
	assert_null(statistics_read("", 3, &arena));
	assert_null(statistics_read("rows 1 bytes 1;", 3, &arena));
	assert_null(statistics_read("rows nan bytes 1", 3, &arena));
	assert_null(
		statistics_read("rows 1 bytes 1; 0 distinct 0 nulls 0 common bounds", 3, &arena));
	assert_null(
		statistics_read("rows 1 bytes 1; 0 distinct 5 nulls 2 common bounds", 3, &arena));
	assert_null(
		statistics_read("rows 1 bytes 1; 0 distinct 5 nulls 0 common bounds 1", 3, &arena));
	assert_null(statistics_read(
		"rows 1 bytes 1; 0 distinct 5 nulls 0 common bounds 2 1", 3, &arena));
	for (size_t cut = 0; cut + 1 < text.size; cut++) {
		text.data[cut + 1] = '\0';
		(void)statistics_read(text.data, 3, &arena);
		text.data[cut + 1] = ' ';
	}
	buf_release(&text);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_have_the_order_of_values),
		cmocka_unit_test(test_keys_of_equal_numbers),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_text_and_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
