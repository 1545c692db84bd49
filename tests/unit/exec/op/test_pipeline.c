#include "unit/exec/exec_fixture.h"

static struct expr *constant(struct fixture *f, int64_t number)
{
	struct value value = {.type = type_of(TYPE_BIGINT), .i64 = number};

	return expr_constant(&f->arena, &value);
}

static struct expr *call(struct fixture *f, enum function_id function, enum type_kind type,
	struct expr *a, struct expr *b)
{
	struct expr *args[2] = {a, b};

	return expr_call(&f->arena, function, type_of(type), 2, args);
}

static struct expr *column(struct fixture *f, uint32_t index)
{
	return expr_column(&f->arena, index, type_of(TYPE_BIGINT));
}

static void filter_op(struct fixture *f, const char *types, uint32_t count, struct expr **conjuncts)
{
	struct plan_op *op = fixture_op(f, PLAN_FILTER, types);

	op->filter.count = count;
	op->filter.conjuncts = conjuncts;
}

static void test_no_operators(void **state)
{
	struct fixture f;
	struct batch batch = {.rows = 3};

	(void)state;
	fixture_init(&f);
	fixture_start(&f);
	fixture_push(&f, "lt", "1|a\n2|b\n");
	fixture_push_batch(&f, &batch); /* nothing selected: nothing comes out */
	assert_string_equal(fixture_finish(&f), "1|a\n2|b\n");
	assert_int_equal(f.batches, 1);
	fixture_release(&f);
}

static void test_filter_and_project(void **state)
{
	struct fixture f;
	struct plan_op *op;
	struct expr *conjuncts[2], *exprs[3];

	(void)state;
	fixture_init(&f);
	conjuncts[0] = call(&f, FN_GT, TYPE_BOOL, column(&f, 0), constant(&f, 1));
	conjuncts[1] = call(&f, FN_LT, TYPE_BOOL, column(&f, 1), constant(&f, 50));
	filter_op(&f, "ll", 2, conjuncts);
	op = fixture_op(&f, PLAN_PROJECT, "lll");
	exprs[0] = call(&f, FN_ADD, TYPE_BIGINT, column(&f, 0), column(&f, 1));
	exprs[1] = column(&f, 0);
	exprs[2] = constant(&f, 7);
	op->project.count = 3;
	op->project.exprs = exprs;
	fixture_start(&f);
	fixture_push(&f, "ll", "1|10\n2|20\n3|NULL\n4|60\n5|40\n");
	fixture_push(&f, "ll", "0|0\n1|1\n");
	assert_string_equal(fixture_finish(&f), "22|2|7\n45|5|7\n");
	assert_int_equal(f.batches, 1);
	fixture_release(&f);
}

/* filter -> group -> top: finishing goes from the first operator to the last. */
static void test_chain(void **state)
{
	static uint32_t keys[] = {0};
	static struct plan_sort_key sort[] = {{1, true, true}};
	struct fixture f;
	struct plan_op *op;
	struct expr *conjunct;
	struct plan_aggregate sum = {.id = AGG_SUM,
		.arg = 1,
		.filter = PLAN_NONE,
		.arg_type = type_of(TYPE_BIGINT),
		.type = type_of(TYPE_NUMERIC)};

	(void)state;
	fixture_init(&f);
	conjunct = call(&f, FN_GT, TYPE_BOOL, column(&f, 1), constant(&f, 0));
	filter_op(&f, "ll", 1, &conjunct);
	op = fixture_op(&f, PLAN_GROUP, "ln");
	op->group = (struct plan_group){GROUP_COMPLETE, 1, keys, 1, &sum};
	op = fixture_op(&f, PLAN_TOP, "ln");
	op->top = (struct plan_top){0, NULL, 1, sort, 2, 0};
	fixture_start(&f);
	fixture_push(&f, "ll", "1|10\n2|20\n1|-5\n3|1\n");
	fixture_push(&f, "ll", "3|30\n1|5\n");
	assert_string_equal(fixture_finish(&f), "3|31\n2|20\n");
	fixture_release(&f);
}

static int refuse(struct sink *sink, const struct batch *batch, struct error *err)
{
	(void)sink;
	(void)batch;
	return error_set(err, ERROR_IO, "no more room");
}

/* An error of the sink or of a row stops the pipeline; freeing it half-way leaks nothing. */
static void test_errors(void **state)
{
	struct fixture f;
	struct plan_op *op;
	struct batch batch;
	struct expr *expr;

	(void)state;
	fixture_init(&f);
	op = fixture_op(&f, PLAN_TOP, "l");
	op->top = (struct plan_top){.limit = PLAN_LIMIT_NONE};
	f.sink.emit = refuse;
	fixture_start(&f);
	fixture_push(&f, "l", "1\n2\n");
	assert_int_equal(pipeline_finish(f.pipeline, &f.err), -1);
	assert_string_equal(f.err.message, "no more room");
	fixture_release(&f);

	fixture_init(&f);
	op = fixture_op(&f, PLAN_PROJECT, "l");
	expr = call(&f, FN_DIV, TYPE_BIGINT, constant(&f, 1), column(&f, 0));
	op->project.count = 1;
	op->project.exprs = &expr;
	fixture_start(&f);
	batch = fixture_batch(&f, "l", "1\n0\n");
	assert_int_equal(pipeline_push(f.pipeline, &batch, &f.err), -1);
	assert_int_equal(f.err.code, ERROR_EVAL);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_operators),
		cmocka_unit_test(test_filter_and_project),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
