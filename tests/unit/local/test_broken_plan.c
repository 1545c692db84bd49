/* A plan that breaks a promise of plan.h is refused before anything runs. */
#include "local/files.h"
#include "local/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* One row with one bigint, of which the first for each value of column `partition` is kept. */
static int run_top_over(uint32_t partition, struct error *err)
{
	struct expr one = {.kind = EXPR_CONSTANT, .type = type_of(TYPE_BIGINT)};
	struct expr *exprs[] = {&one};
	struct type types[] = {type_of(TYPE_BIGINT)};
	const char *names[] = {"one"};
	struct plan_op project = {.kind = PLAN_PROJECT,
		.project = {.count = 1, .exprs = exprs},
		.column_count = 1,
		.types = types,
		.names = names};
	struct plan_op top = {.kind = PLAN_TOP,
		.top = {.partition_count = 1, .partition = &partition, .limit = 1},
		.column_count = 1,
		.types = types,
		.names = names};
	struct plan_op *ops[] = {&project, &top};
	struct plan_input input = {.kind = INPUT_ONE_ROW};
	struct plan_fragment fragment = {.input_count = 1,
		.inputs = &input,
		.op_count = 2,
		.ops = ops,
		.query = 0,
		.merged_into = PLAN_NONE};
	struct plan_query query = {
		.name = "", .title = "", .column_count = 1, .names = names, .types = types};
	struct plan plan = {
		.fragment_count = 1, .fragments = &fragment, .query_count = 1, .queries = &query};
	struct catalog catalog = {0};
	struct local_options options = {.threads = 1};
	struct local_report report = {0};
	struct result_sink sink = {0};
	int status;

	one.constant.type = one.type;
	status = local_run(&plan, &catalog, DATA_PLACE("."), &options, &sink, &report, err);
	local_report_release(&report);
	return status;
}

static void test_refuses_broken_plan(void **state)
{
	struct error err = {0};

	(void)state;
	assert_int_equal(run_top_over(7, &err), -1);
	assert_int_equal(err.code, ERROR_INTERNAL);
	assert_non_null(strstr(err.message, "fragment 0 of the plan is not valid"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refuses_broken_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
