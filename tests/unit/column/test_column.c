#include "column/column.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check_round_trip(struct value value, struct arena *arena)
{
	struct value null = {.type = value.type, .is_null = true};
	struct column column;
	struct value back;

	column_init(&column, value.type, 3, arena);
	assert_null(column.valid);
	assert_false(column.constant);
	for (uint32_t row = 0; row < 3; row++)
		column_set_value(&column, row, &value);
	assert_false(column_is_null(&column, 1));
	column_add_validity(&column, 3, arena);
	for (uint32_t row = 0; row < 3; row++)
		assert_false(column_is_null(&column, row));
	column_set_value(&column, 1, &null);
	/* Asking again keeps what is there. */
	column_add_validity(&column, 3, arena);
	assert_true(column_is_null(&column, 1));
	back = column_value(&column, 1);
	assert_true(back.is_null);
	back = column_value(&column, 2);
	assert_false(back.is_null);
	assert_true(type_equal(back.type, value.type));
	switch (type_physical(value.type.kind)) {
	case PHYSICAL_U8: assert_int_equal(back.boolean, value.boolean); break;
	case PHYSICAL_I64: assert_int_equal(back.i64, value.i64); break;
	case PHYSICAL_NUM: assert_true(back.num == value.num); break;
	case PHYSICAL_F64: assert_true(back.f64 == value.f64); break;
	case PHYSICAL_TEXT: assert_int_equal(text_compare(back.text, value.text), 0); break;
	case PHYSICAL_LIST: assert_ptr_equal(back.list.items, value.list.items); break;
	case PHYSICAL_INTERVAL:
		assert_int_equal(interval_order(back.interval, value.interval), 0);
		break;
	}
	/* A NULL becomes a value again. */
	column_set_value(&column, 1, &value);
	assert_false(column_is_null(&column, 1));
}

static void test_round_trip(void **state)
{
	struct text items[] = {text_from("a", 1), item_null()};
	struct arena arena;

	(void)state;
	arena_init(&arena, 256);
	check_round_trip((struct value){.type = type_of(TYPE_BOOL), .boolean = true}, &arena);
	check_round_trip((struct value){.type = type_of(TYPE_BIGINT), .i64 = INT64_MIN}, &arena);
	check_round_trip(
		(struct value){.type = type_of(TYPE_NUMERIC), .num = numeric_pack(-7850, 2)},
		&arena);
	check_round_trip((struct value){.type = type_of(TYPE_DOUBLE), .f64 = -0.5}, &arena);
	check_round_trip(
		(struct value){.type = type_of(TYPE_TEXT), .text = {"caf\xc3\xa9", 5}}, &arena);
	check_round_trip(
		(struct value){.type = type_of(TYPE_TEXT_LIST), .list = {items, 2}}, &arena);
	check_round_trip(
		(struct value){.type = type_of(TYPE_INTERVAL), .interval = {-1, 2, -3}}, &arena);
	arena_release(&arena);
}

static void test_constant(void **state)
{
	struct value value = {.type = type_of(TYPE_INT), .i64 = 7};
	struct column column;
	struct arena arena;

	(void)state;
	arena_init(&arena, 256);
	column_init(&column, value.type, 1, &arena);
	column.constant = true;
	column_set_value(&column, 1000, &value);
	assert_int_equal(column_index(&column, 1999), 0);
	assert_int_equal(column_value(&column, 1999).i64, 7);
	column_add_validity(&column, 1, &arena);
	column.valid[0] = 0;
	assert_true(column_is_null(&column, 1999));
	arena_release(&arena);
}

static void check_gather(struct type type, struct value first, struct value last)
{
	static const uint16_t rows[] = {2, 0, 0, 1};
	struct value null = {.type = type, .is_null = true};
	struct column from, out;
	struct arena arena;
	size_t size = physical_size(type_physical(type.kind));

	arena_init(&arena, 256);
	column_init(&from, type, 3, &arena);
	column_add_validity(&from, 3, &arena);
	column_set_value(&from, 0, &first);
	column_set_value(&from, 1, &null);
	column_set_value(&from, 2, &last);
	column_gather(&out, &from, rows, 4, &arena);
	assert_memory_equal(out.valid, "\1\1\1\0", 4);
	assert_memory_equal(out.u8, from.u8 + 2 * size, size);
	assert_memory_equal(out.u8 + size, from.u8, size);
	assert_memory_equal(out.u8 + 2 * size, from.u8, size);
	from.valid = NULL;
	column_gather(&out, &from, rows, 4, &arena);
	assert_null(out.valid);
	from.constant = true;
	column_gather(&out, &from, rows, 4, &arena);
	assert_true(out.constant);
	assert_memory_equal(out.u8, from.u8, size);
	column_init_null(&out, type, &arena);
	assert_true(column_is_null(&out, 1234));
	arena_release(&arena);
}

static void test_gather(void **state)
{
	struct type types[] = {type_of(TYPE_BOOL), type_of(TYPE_BIGINT), type_of(TYPE_TEXT)};

	(void)state;
	check_gather(types[0], (struct value){.type = types[0], .boolean = true},
		(struct value){.type = types[0]});
	check_gather(types[1], (struct value){.type = types[1], .i64 = -5},
		(struct value){.type = types[1], .i64 = INT64_MAX});
	check_gather(types[2], (struct value){.type = types[2], .text = {"ab", 2}},
		(struct value){.type = types[2], .text = {"c", 1}});
}

static void test_selection(void **state)
{
	static const uint16_t sel[] = {1, 4, 5};
	struct batch all = {.rows = 6, .selected = 6};
	struct batch some = {.rows = 6, .sel = sel, .selected = 3};

	(void)state;
	assert_int_equal(batch_row(&all, 4), 4);
	assert_int_equal(batch_row(&some, 0), 1);
	assert_int_equal(batch_row(&some, 2), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_constant),
		cmocka_unit_test(test_gather),
		cmocka_unit_test(test_selection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
