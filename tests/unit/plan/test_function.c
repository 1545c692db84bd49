#include "base/buf.h"
#include "plan/function_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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
		bool ordered = kind > TYPE_BOOL && kind != TYPE_JSON && kind != TYPE_JSONB &&
			       kind != TYPE_JSONPATH;

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

/* Only what the binder can look up or bind itself is called by a name. */
static void test_table(void **state)
{
	size_t count;
	const struct function_entry *entries = function_entries(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		bool first = true;

		for (size_t k = 0; k < i; k++)
			first = first && (strcmp(entries[k].name, entries[i].name) != 0 ||
						 !function_is_callable(&entries[k]));
		if (function_is_callable(&entries[i]))
			assert_int_equal(first, entries[i].description != NULL);
		else
			assert_null(entries[i].description);
		assert_int_equal(entries[i].function == FN_NONE && entries[i].extra, 0);
		if (function_is_callable(&entries[i]))
			assert_null(function_meaning(entries[i].name));
	}
	assert_string_equal(function_meaning("nvl"), "coalesce");
}

#define PAGE	 "docs/functions.md"
#define PAGE_MAX (1u << 20)

/* With TAMIZ_WRITE_PAGE=1 it writes the tables instead. */
static void test_page(void **state)
{
	char *page = malloc(PAGE_MAX);
	FILE *file = fopen(PAGE, "r");
	struct buf tables;
	char *start;

	(void)state;
	assert_non_null(file);
	assert_non_null(page);
	page[fread(page, 1, PAGE_MAX - 1, file)] = '\0';
	fclose(file);
	buf_init(&tables, PAGE_MAX);
	function_reference(&tables);
	buf_append_char(&tables, '\0');
	start = strstr(page, "## Conditions");
	if (getenv("TAMIZ_WRITE_PAGE") && start) {
		file = fopen(PAGE, "w");
		assert_non_null(file);
		fprintf(file, "%.*s%s", (int)(start - page), page, tables.data);
		fclose(file);
	} else if (!start || strcmp(start, tables.data) != 0) {
		fail_msg(PAGE " is not what the table of functions says: "
			      "TAMIZ_WRITE_PAGE=1 build/tests/unit/plan/test_function");
	}
	buf_release(&tables);
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_precision),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
