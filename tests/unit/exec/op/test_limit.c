#include "unit/exec/exec_fixture.h"

static void start(struct fixture *f, uint64_t limit, uint64_t offset)
{
	struct plan_op *op;

	fixture_init(f);
	op = fixture_op(f, PLAN_LIMIT, "l");
	op->limit = (struct plan_limit){limit, offset};
	fixture_start(f);
}

/* What the limit lets pass of these rows, which come in several batches. */
static void check_limit(uint64_t limit, uint64_t offset, const char *expected)
{
	struct fixture f;

	start(&f, limit, offset);
	fixture_push(&f, "l", "3\n1\n");
	fixture_push(&f, "l", "2\n5\n4\n");
	fixture_push(&f, "l", "0\n");
	assert_string_equal(fixture_finish(&f), expected);
	fixture_release(&f);
}

static void test_first_rows(void **state)
{
	(void)state;
	check_limit(PLAN_LIMIT_NONE, 0, "3\n1\n2\n5\n4\n0\n");
	check_limit(6, 0, "3\n1\n2\n5\n4\n0\n");
	check_limit(3, 0, "3\n1\n2\n");
	check_limit(1, 2, "2\n");
	check_limit(3, 1, "1\n2\n5\n");
	check_limit(PLAN_LIMIT_NONE, 4, "4\n0\n");
	check_limit(0, 0, "");
	check_limit(1, 6, "");
	check_limit(1, PLAN_LIMIT_NONE, "");
}

/* Rows that a filter has left out do not count. */
static void test_selection(void **state)
{
	static const uint16_t sel[] = {1, 2, 4};
	int64_t values[] = {0, 1, 2, 3, 4};
	struct column column = {.type = type_of(TYPE_BIGINT), .values = values};
	struct batch batch = {
		.rows = 5, .sel = sel, .selected = 3, .column_count = 1, .columns = &column};
	struct fixture f;

	(void)state;
	start(&f, 3, 2);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pipeline_push(f.pipeline, &batch, &f.err), 0);
	assert_string_equal(fixture_finish(&f), "4\n1\n2\n");
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_rows),
		cmocka_unit_test(test_selection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
