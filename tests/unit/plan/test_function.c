#include "plan/function.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_names(void **state)
{
	(void)state;
	for (int id = 0; id < FUNCTION_COUNT; id++)
		assert_true(strlen(function_name(id)) > 0);
	for (int id = 0; id < AGGREGATE_COUNT; id++)
		assert_true(strlen(aggregate_name(id)) > 0);
	assert_string_equal(function_name(FN_ADD), "add");
	assert_string_equal(function_name(FN_TO_CHAR), "to_char");
	assert_string_equal(aggregate_name(AGG_COUNT_STAR), "count");
	assert_string_equal(aggregate_name(AGG_BOOL_OR), "bool_or");
}

/* TYPE_KIND_COUNT stands for "there is no such aggregate". */
static enum type_kind result(enum aggregate_id id, enum type_kind arg)
{
	struct type type;

	return aggregate_result_type(id, type_of(arg), &type) ? type.kind : TYPE_KIND_COUNT;
}

static void test_results(void **state)
{
	(void)state;
	for (int kind = 0; kind < TYPE_KIND_COUNT; kind++) {
		bool number = type_is_number(kind);
		bool ordered = kind > TYPE_BOOL && kind != TYPE_TEXT_LIST;

		assert_int_equal(result(AGG_COUNT_STAR, kind), TYPE_BIGINT);
		assert_int_equal(result(AGG_COUNT, kind), TYPE_BIGINT);
		assert_int_equal(
			result(AGG_SUM, kind) != TYPE_KIND_COUNT, number || kind == TYPE_INTERVAL);
		assert_int_equal(
			result(AGG_AVG, kind) != TYPE_KIND_COUNT, number || kind == TYPE_INTERVAL);
		assert_int_equal(result(AGG_MIN, kind), ordered ? kind : TYPE_KIND_COUNT);
		assert_int_equal(result(AGG_MAX, kind), ordered ? kind : TYPE_KIND_COUNT);
		assert_int_equal(
			result(AGG_BOOL_AND, kind), kind == TYPE_BOOL ? kind : TYPE_KIND_COUNT);
		assert_int_equal(
			result(AGG_BOOL_OR, kind), kind == TYPE_BOOL ? kind : TYPE_KIND_COUNT);
	}
	assert_int_equal(result(AGG_SUM, TYPE_SMALLINT), TYPE_BIGINT);
	assert_int_equal(result(AGG_SUM, TYPE_REAL), TYPE_REAL);
	assert_int_equal(result(AGG_AVG, TYPE_REAL), TYPE_DOUBLE);
	assert_int_equal(result(AGG_SUM, TYPE_INT), TYPE_BIGINT);
	assert_int_equal(result(AGG_SUM, TYPE_BIGINT), TYPE_NUMERIC);
	assert_int_equal(result(AGG_SUM, TYPE_NUMERIC), TYPE_NUMERIC);
	assert_int_equal(result(AGG_SUM, TYPE_DOUBLE), TYPE_DOUBLE);
	assert_int_equal(result(AGG_AVG, TYPE_INT), TYPE_NUMERIC);
	assert_int_equal(result(AGG_AVG, TYPE_BIGINT), TYPE_NUMERIC);
	assert_int_equal(result(AGG_AVG, TYPE_NUMERIC), TYPE_NUMERIC);
	assert_int_equal(result(AGG_AVG, TYPE_DOUBLE), TYPE_DOUBLE);
	assert_int_equal(result(AGG_SUM, TYPE_INTERVAL), TYPE_INTERVAL);
	assert_int_equal(result(AGG_AVG, TYPE_INTERVAL), TYPE_INTERVAL);
}

/* A sum has no precision, whatever its argument has; a minimum is one of its arguments. */
static void test_precision(void **state)
{
	struct type price = {TYPE_NUMERIC, 10, 2};
	struct type type;

	(void)state;
	assert_true(aggregate_result_type(AGG_SUM, price, &type));
	assert_true(type_equal(type, type_of(TYPE_NUMERIC)));
	assert_true(aggregate_result_type(AGG_AVG, price, &type));
	assert_true(type_equal(type, type_of(TYPE_NUMERIC)));
	assert_true(aggregate_result_type(AGG_MIN, price, &type));
	assert_true(type_equal(type, price));
}

static void check_states(
	enum aggregate_id id, enum type_kind arg, enum type_kind first, enum type_kind second)
{
	struct type states[AGGREGATE_STATES_MAX];
	uint32_t count = aggregate_state_types(id, type_of(arg), states);

	assert_int_equal(count, second == TYPE_UNKNOWN ? 1 : 2);
	assert_int_equal(states[0].kind, first);
	if (count == 2)
		assert_int_equal(states[1].kind, second);
}

static void test_states(void **state)
{
	(void)state;
	check_states(AGG_COUNT_STAR, TYPE_UNKNOWN, TYPE_BIGINT, TYPE_UNKNOWN);
	check_states(AGG_COUNT, TYPE_TEXT, TYPE_BIGINT, TYPE_UNKNOWN);
	check_states(AGG_SUM, TYPE_INT, TYPE_NUMERIC, TYPE_UNKNOWN);
	check_states(AGG_SUM, TYPE_BIGINT, TYPE_NUMERIC, TYPE_UNKNOWN);
	check_states(AGG_SUM, TYPE_NUMERIC, TYPE_NUMERIC, TYPE_UNKNOWN);
	check_states(AGG_SUM, TYPE_DOUBLE, TYPE_TEXT, TYPE_UNKNOWN);
	check_states(AGG_AVG, TYPE_INT, TYPE_NUMERIC, TYPE_BIGINT);
	check_states(AGG_AVG, TYPE_DOUBLE, TYPE_TEXT, TYPE_BIGINT);
	check_states(AGG_MIN, TYPE_DATE, TYPE_DATE, TYPE_UNKNOWN);
	check_states(AGG_MAX, TYPE_TEXT, TYPE_TEXT, TYPE_UNKNOWN);
	check_states(AGG_BOOL_AND, TYPE_BOOL, TYPE_BOOL, TYPE_UNKNOWN);
	check_states(AGG_BOOL_OR, TYPE_BOOL, TYPE_BOOL, TYPE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_precision),
		cmocka_unit_test(test_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
