#include "unit/exec/exec_fixture.h"
#include "unit/exec/memory_store.h"

static struct plan_op *join_op(
	struct fixture *f, enum join_kind kind, const char *types, uint32_t key_count)
{
	static uint32_t flow_keys[] = {0, 1}, build_keys[] = {0, 1};
	struct plan_op *op = fixture_op(f, PLAN_JOIN, types);

	op->join.kind = kind;
	op->join.build_input = 1;
	op->join.key_count = key_count;
	op->join.flow_keys = flow_keys;
	op->join.build_keys = build_keys;
	return op;
}

/* Adds the rows in two batches, with a row between that is not selected. */
static struct join_build *build_side(struct fixture *f, const struct plan_op *op, const char *types,
	const char *text, const struct op_memory *memory)
{
	struct join_build *build =
		join_build_new(&op->join, (uint32_t)strlen(types), fixture_types(f, types));
	struct batch batch = fixture_batch(f, types, text);
	uint32_t half = batch.rows / 2;
	uint16_t sel[64];

	if (memory)
		join_build_work_with(build, memory, JOIN_BUILD_SPILLS);
	for (uint32_t i = 0; i < batch.rows; i++)
		sel[i] = (uint16_t)i;
	fixture_select(f, &batch, half, sel);
	assert_int_equal(join_build_add(build, &batch, &f->err), 0);
	fixture_select(f, &batch, batch.rows - half, sel + half);
	assert_int_equal(join_build_add(build, &batch, &f->err), 0);
	join_build_seal(build, NULL);
	f->builds[1] = build;
	return build;
}

/* `memory` NULL: there is enough. */
static void check_join_with(const struct op_memory *memory, enum join_kind kind,
	const char *out_types, uint32_t key_count, const char *build_types, const char *build_text,
	const char *flow_types, const char *flow_text, const char *expected)
{
	struct fixture f;
	struct plan_op *op;
	struct join_build *build;

	fixture_init(&f);
	op = join_op(&f, kind, out_types, key_count);
	build = build_side(&f, op, build_types, build_text, memory);
	fixture_start(&f);
	fixture_push(&f, flow_types, flow_text);
	assert_string_equal(fixture_sorted(&f, fixture_finish(&f)), expected);
	join_build_free(build);
	fixture_release(&f);
}

/* In memory, and with so little of it that what can be on a disk is there. */
static void check_join(enum join_kind kind, const char *out_types, uint32_t key_count,
	const char *build_types, const char *build_text, const char *flow_types,
	const char *flow_text, const char *expected)
{
	struct memory_store store;

	check_join_with(NULL, kind, out_types, key_count, build_types, build_text, flow_types,
		flow_text, expected);
	memory_store_init(&store, 1, 0);
	check_join_with(&store.memory, kind, out_types, key_count, build_types, build_text,
		flow_types, flow_text, expected);
	assert_int_equal(store.pieces, 0);
	memory_store_release(&store);
}

static void test_inner(void **state)
{
	(void)state;
	check_join(JOIN_INNER, "ltlt", 1, "lt", "1|one\n2|two\nNULL|none\n2|zwei\n9|NULL\n", "lt",
		"2|a\n3|b\n1|c\nNULL|d\n9|e\n", "1|c|1|one\n2|a|2|two\n2|a|2|zwei\n9|e|9|NULL\n");
	check_join(JOIN_INNER, "lttlt", 2, "lt", "1|x\n1|y\n2|x\n", "ltt",
		"1|y|a\n1|z|b\n2|x|c\n1|NULL|d\n", "1|y|a|1|y\n2|x|c|2|x\n");
	check_join(JOIN_INNER, "nn", 1, "n", "1.0\n2.50\n1000\n", "n", "1.000\n2.5\n1e3\n3\n",
		"1.000|1.0\n1000|1000\n2.5|2.50\n");
	check_join(JOIN_INNER, "dd", 1, "d", "0\nNaN\n2\n", "d", "-0\nNaN\n3\n", "-0|0\nNaN|NaN\n");
	check_join(JOIN_INNER, "aa", 1, "a", "{a,b}\n{}\n", "a", "{}\n{a}\n{a,b}\n",
		"{a,b}|{a,b}\n{}|{}\n");
	check_join(JOIN_INNER, "bb", 1, "b", "t\n", "b", "f\nt\nNULL\n", "t|t\n");
}

static void test_left(void **state)
{
	(void)state;
	check_join(JOIN_LEFT, "ltlt", 1, "lt", "1|one\n2|two\n2|zwei\n", "lt",
		"2|a\n3|b\nNULL|d\n1|c\n",
		"1|c|1|one\n2|a|2|two\n2|a|2|zwei\n3|b|NULL|NULL\nNULL|d|NULL|NULL\n");
	check_join(JOIN_LEFT, "ltlt", 1, "lt", "", "lt", "2|a\n3|b\n",
		"2|a|NULL|NULL\n3|b|NULL|NULL\n");
}

static void test_cross(void **state)
{
	(void)state;
	check_join(JOIN_INNER, "lt", 0, "t", "x\ny\n", "l", "1\n2\n", "1|x\n1|y\n2|x\n2|y\n");
	check_join(JOIN_LEFT, "lt", 0, "t", "", "l", "1\n2\n", "1|NULL\n2|NULL\n");
	check_join(JOIN_INNER, "lt", 0, "t", "", "l", "1\n2\n", "");
}

static void test_mark(void **state)
{
	(void)state;
	check_join(JOIN_MARK, "lb", 1, "l", "1\n2\n", "l", "2\n3\nNULL\n", "2|t\n3|f\nNULL|NULL\n");
	check_join(JOIN_MARK, "lb", 1, "l", "1\nNULL\n", "l", "1\n3\nNULL\n",
		"1|t\n3|NULL\nNULL|NULL\n");
	check_join(JOIN_MARK, "lb", 1, "l", "", "l", "1\nNULL\n", "1|f\nNULL|f\n");
	/* (a, b) IN ...: unknown only where every pair that is known is equal. */
	check_join(JOIN_MARK, "lltb", 2, "ll", "1|10\n2|NULL\n", "llt",
		"1|10|a\n1|11|b\n2|5|c\n3|NULL|d\n1|NULL|e\nNULL|7|f\nNULL|10|g\n",
		"1|10|a|t\n1|11|b|f\n1|NULL|e|NULL\n2|5|c|NULL\n3|NULL|d|f\nNULL|10|g|NULL\n"
		"NULL|7|f|NULL\n");
	check_join(JOIN_MARK, "lb", 0, "l", "5\n", "l", "1\n", "1|t\n");
	check_join(JOIN_MARK, "lb", 0, "l", "", "l", "1\n", "1|f\n");
}

/* flow.2 < build.1, over the joined columns (key, value, key, value). */
static struct expr *less(struct fixture *f)
{
	struct expr *args[2] = {expr_column(&f->arena, 1, type_of(TYPE_BIGINT)),
		expr_column(&f->arena, 3, type_of(TYPE_BIGINT))};

	return expr_call(&f->arena, FN_LT, type_of(TYPE_BOOL), 2, args);
}

static void test_exists(void **state)
{
	(void)state;
	check_join(JOIN_EXISTS, "lb", 1, "l", "1\nNULL\n2\n2\n", "l", "2\n3\nNULL\n1\n",
		"1|t\n2|t\n3|f\nNULL|f\n");
	check_join(JOIN_EXISTS, "lb", 1, "l", "", "l", "2\nNULL\n", "2|f\nNULL|f\n");
	check_join(JOIN_EXISTS, "lb", 0, "l", "NULL\n", "l", "2\nNULL\n", "2|t\nNULL|t\n");
	check_join(JOIN_EXISTS, "lb", 0, "l", "", "l", "2\n", "2|f\n");
}

static void test_single(void **state)
{
	(void)state;
	check_join(JOIN_SINGLE, "ltltb", 1, "lt", "1|one\nNULL|x\n2|two\n", "lt",
		"2|a\n3|b\n2|c\nNULL|d\n",
		"2|a|2|two|f\n2|c|2|two|f\n3|b|NULL|NULL|f\nNULL|d|NULL|NULL|f\n");
	check_join(JOIN_SINGLE, "ltltb", 1, "lt", "1|one\n1|one\n2|two\n", "lt", "2|a\n1|b\n3|c\n",
		"1|b|1|one|t\n2|a|2|two|f\n3|c|NULL|NULL|f\n");
	check_join(JOIN_SINGLE, "ltb", 0, "t", "x\n", "l", "1\n2\n", "1|x|f\n2|x|f\n");
	check_join(JOIN_SINGLE, "ltb", 0, "t", "x\nx\nx\n", "l", "1\n2\n", "1|x|t\n2|x|t\n");
	check_join(JOIN_SINGLE, "ltb", 0, "t", "NULL\n", "l", "1\n2\n", "1|NULL|f\n2|NULL|f\n");
	check_join(JOIN_SINGLE, "ltb", 0, "t", "", "l", "1\n2\n", "1|NULL|f\n2|NULL|f\n");
}

static void test_full(void **state)
{
	(void)state;
	check_join(JOIN_FULL, "ltlt", 1, "lt", "1|one\n2|two\nNULL|none\n2|zwei\n9|NULL\n", "lt",
		"2|a\n3|b\nNULL|d\n2|e\n",
		"2|a|2|two\n2|a|2|zwei\n2|e|2|two\n2|e|2|zwei\n3|b|NULL|NULL\n"
		"NULL|NULL|1|one\nNULL|NULL|9|NULL\nNULL|NULL|NULL|none\nNULL|d|NULL|NULL\n");
	check_join(JOIN_FULL, "ltlt", 1, "lt", "1|one\nNULL|none\n", "lt", "",
		"NULL|NULL|1|one\nNULL|NULL|NULL|none\n");
	check_join(JOIN_FULL, "ltlt", 1, "lt", "", "lt", "2|a\n", "2|a|NULL|NULL\n");
	check_join(JOIN_FULL, "ll", 0, "l", "7\n8\n", "l", "", "NULL|7\nNULL|8\n");
}

/* Rows that leave at the end go through the operators behind the join, and those end after it. */
static void test_full_then_others(void **state)
{
	static struct plan_aggregate count = {
		.id = AGG_COUNT_STAR, .arg = PLAN_NONE, .arg2 = PLAN_NONE, .filter = PLAN_NONE};
	struct expr *args[2], *condition;
	struct fixture f;
	struct plan_op *op, *filter, *group;
	struct join_build *build;

	(void)state;
	fixture_init(&f);
	op = join_op(&f, JOIN_FULL, "ll", 1);
	filter = fixture_op(&f, PLAN_FILTER, "ll");
	args[0] = expr_column(&f.arena, 1, type_of(TYPE_BIGINT));
	args[1] = expr_column(&f.arena, 1, type_of(TYPE_BIGINT));
	condition = expr_call(&f.arena, FN_EQ, type_of(TYPE_BOOL), 2, args);
	filter->filter.count = 1;
	filter->filter.conjuncts = &condition;
	group = fixture_op(&f, PLAN_GROUP, "l");
	count.type = type_of(TYPE_BIGINT);
	group->group.phase = GROUP_COMPLETE;
	group->group.aggregate_count = 1;
	group->group.aggregates = &count;
	build = build_side(&f, op, "l", "1\n2\nNULL\n4\n", NULL);
	fixture_start(&f);
	fixture_push(&f, "l", "2\n3\n");
	assert_string_equal(fixture_finish(&f), "3\n");
	join_build_free(build);
	fixture_release(&f);
}

/* Unmet rows of a build side of several batches. */
static void test_full_large(void **state)
{
	enum { ROWS = 2000, BATCHES = 5 };
	struct fixture f;
	struct plan_op *op;
	struct join_build *build;
	struct column column;
	struct batch batch = {.rows = ROWS, .selected = ROWS, .column_count = 1};
	const char *text;

	(void)state;
	fixture_init(&f);
	op = join_op(&f, JOIN_FULL, "ll", 1);
	build = join_build_new(&op->join, 1, op->types);
	batch.columns = &column;
	column_init(&column, type_of(TYPE_BIGINT), ROWS, &f.arena);
	for (int64_t b = 0; b < BATCHES; b++) {
		for (int64_t i = 0; i < ROWS; i++)
			column.i64[i] = b * ROWS + i;
		assert_int_equal(join_build_add(build, &batch, &f.err), 0);
	}
	join_build_seal(build, NULL);
	f.builds[1] = build;
	fixture_start(&f);
	for (int64_t i = 0; i < ROWS; i++)
		column.i64[i] = 3 * i;
	fixture_push_batch(&f, &batch);
	text = fixture_finish(&f);
	assert_int_equal(f.rows, ROWS * BATCHES);
	assert_non_null(strstr(text, "\n3000|3000\n"));
	assert_null(strstr(text, "NULL|3000\n"));
	assert_non_null(strstr(text, "\nNULL|4097\n"));
	assert_non_null(strstr(text, "\nNULL|9999\n"));
	join_build_free(build);
	fixture_release(&f);
}

static void check_residual(enum join_kind kind, const char *types, uint32_t key_count,
	const char *build_text, const char *flow_text, const char *expected)
{
	struct fixture f;
	struct plan_op *op;
	struct join_build *build;
	struct batch batch;

	fixture_init(&f);
	op = join_op(&f, kind, types, key_count);
	op->join.residual = less(&f);
	build = build_side(&f, op, "ll", build_text, NULL);
	fixture_start(&f);
	batch = fixture_batch(&f, "ll", flow_text);
	fixture_push_batch(&f, &batch);
	assert_string_equal(fixture_sorted(&f, fixture_finish(&f)), expected);
	join_build_free(build);
	fixture_release(&f);
}

static void test_residual_kinds(void **state)
{
	(void)state;
	check_residual(JOIN_EXISTS, "llb", 1, "1|5\n1|9\n2|5\n3|NULL\n",
		"1|7\n1|9\n2|8\n3|1\n4|1\n", "1|7|t\n1|9|f\n2|8|f\n3|1|f\n4|1|f\n");
	check_residual(JOIN_EXISTS, "llb", 0, "1|5\n1|9\n", "1|7\n5|9\n7|NULL\n",
		"1|7|t\n5|9|f\n7|NULL|f\n");
	/* The second row that meets counts only once the residual lets it. */
	check_residual(JOIN_SINGLE, "llllb", 1, "1|5\n1|9\n2|5\n", "1|7\n2|8\n3|1\n",
		"1|7|1|9|f\n2|8|NULL|NULL|f\n3|1|NULL|NULL|f\n");
	check_residual(JOIN_SINGLE, "llllb", 1, "1|9\n1|9\n", "1|7\n1|10\n",
		"1|10|NULL|NULL|f\n1|7|1|9|t\n");
	check_residual(JOIN_SINGLE, "llllb", 0, "1|9\n1|9\n", "1|2\n", "1|2|1|9|t\n");
	/* Part of the condition for both sides: 2|8 and 2|5 do not meet. */
	check_residual(JOIN_FULL, "llll", 1, "1|5\n1|9\n2|5\n", "1|7\n2|8\n1|6\n",
		"1|6|1|9\n1|7|1|9\n2|8|NULL|NULL\nNULL|NULL|1|5\nNULL|NULL|2|5\n");
	check_residual(JOIN_FULL, "llll", 1, "1|5\n2|5\n3|8\n", "1|7\n2|4\n3|7\n",
		"1|7|NULL|NULL\n2|4|2|5\n3|7|3|8\nNULL|NULL|1|5\n");
}

static void test_residual(void **state)
{
	for (int left = 0; left < 2; left++) {
		struct fixture f;
		struct plan_op *op;
		struct join_build *build;

		(void)state;
		fixture_init(&f);
		op = join_op(&f, left ? JOIN_LEFT : JOIN_INNER, "llll", 1);
		op->join.residual = less(&f);
		build = build_side(&f, op, "ll", "1|5\n1|9\n2|5\n3|NULL\n", NULL);
		fixture_start(&f);
		fixture_push(&f, "ll", "1|7\n1|2\n2|8\n3|1\n");
		fixture_push(&f, "ll", "2|1\n3|0\n");
		assert_string_equal(fixture_sorted(&f, fixture_finish(&f)),
			left ? "1|2|1|5\n1|2|1|9\n1|7|1|9\n2|1|2|5\n2|8|NULL|NULL\n"
			       "3|0|NULL|NULL\n3|1|NULL|NULL\n"
			     : "1|2|1|5\n1|2|1|9\n1|7|1|9\n2|1|2|5\n");
		join_build_free(build);
		fixture_release(&f);
	}
}

/* More pairs than a batch holds, constants, and a selection on the flowing side. */
static void test_many_pairs(void **state)
{
	enum { BUILD = 1500, FLOW = 40 };
	static const uint16_t sel[] = {0, 3, 4, 9};
	struct fixture f;
	struct plan_op *op;
	struct join_build *build;
	struct batch batch = {.rows = BUILD, .selected = BUILD, .column_count = 2};
	struct column columns[2];

	(void)state;
	fixture_init(&f);
	op = join_op(&f, JOIN_LEFT, "llll", 1);
	build = join_build_new(&op->join, 2, op->types);
	batch.columns = columns;
	column_init(&columns[0], type_of(TYPE_BIGINT), BUILD, &f.arena);
	column_init(&columns[1], type_of(TYPE_BIGINT), BUILD, &f.arena);
	for (int64_t i = 0; i < BUILD; i++) {
		columns[0].i64[i] = i % 2;
		columns[1].i64[i] = i;
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(join_build_add(build, &batch, &f.err), 0);
	join_build_seal(build, NULL);
	f.builds[1] = build;
	fixture_start(&f);
	batch.rows = FLOW;
	for (int64_t i = 0; i < FLOW; i++) {
		columns[0].i64[i] = i % 4;
		columns[1].i64[i] = 77;
	}
	columns[1].constant = true;
	fixture_select(&f, &batch, 4, sel);
	fixture_push_batch(&f, &batch);
	fixture_finish(&f);
	/* Keys 0, 3, 0, 1: three matching rows of 2250 matches, one without. */
	assert_int_equal(f.rows, 3 * 2250 + 1);
	assert_true(f.batches >= 4);
	assert_non_null(strstr(f.out.data, "\n1|77|1|1499\n"));
	join_build_free(build);
	fixture_release(&f);
}

/* Every row of a large build side finds itself: chains, growth and the lack of a filter. */
static void test_large_build(void **state)
{
	enum { ROWS = 2000, BATCHES = 50 };
	struct fixture f;
	struct plan_op *op;
	struct join_build *build;
	struct column columns[2];
	struct batch batch = {.rows = ROWS, .selected = ROWS, .column_count = 2};

	(void)state;
	fixture_init(&f);
	op = join_op(&f, JOIN_INNER, "ltlt", 1);
	build = join_build_new(&op->join, 2, op->types);
	batch.columns = columns;
	column_init(&columns[0], type_of(TYPE_BIGINT), ROWS, &f.arena);
	column_init(&columns[1], type_of(TYPE_TEXT), ROWS, &f.arena);
	for (int turn = 0; turn < 2; turn++) {
		for (int64_t b = 0; b < BATCHES; b++) {
			struct arena texts;

			arena_init(&texts, 1u << 16);
			for (int64_t i = 0; i < ROWS; i++) {
				char *text = arena_printf(&texts, "%ld", b * ROWS + i);

				columns[0].i64[i] = b * ROWS + i;
				columns[1].text[i] = text_from(text, strlen(text));
			}
			if (turn == 0)
				assert_int_equal(join_build_add(build, &batch, &f.err), 0);
			else
				fixture_push_batch(&f, &batch);
			arena_release(&texts);
		}
		if (turn == 0) {
			join_build_seal(build, NULL);
			f.builds[1] = build;
			fixture_start(&f);
		}
	}
	fixture_finish(&f);
	assert_int_equal(f.rows, ROWS * BATCHES);
	assert_non_null(strstr(f.out.data, "\n54321|54321|54321|54321\n"));
	join_build_free(build);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inner),
		cmocka_unit_test(test_left),
		cmocka_unit_test(test_cross),
		cmocka_unit_test(test_mark),
		cmocka_unit_test(test_exists),
		cmocka_unit_test(test_single),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_full_then_others),
		cmocka_unit_test(test_full_large),
		cmocka_unit_test(test_residual),
		cmocka_unit_test(test_residual_kinds),
		cmocka_unit_test(test_many_pairs),
		cmocka_unit_test(test_large_build),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
