#include "unit/exec/expr/eval_fixture.h"

#include "column/datetime.h"

/* -- Three-valued logic -- */

static void test_and_or_not(void **state)
{
	struct fixture *f = *state;
	struct expr *a = COLUMN(TYPE_BOOL, "t|t|t|f|f|f|NULL|NULL|NULL");
	struct expr *b = COLUMN(TYPE_BOOL, "t|f|NULL|t|f|NULL|t|f|NULL");

	assert_string_equal(
		fixture_eval(f, NODE(EXPR_AND, TYPE_BOOL, a, b)), "t|f|NULL|f|f|f|NULL|f|NULL");
	assert_string_equal(
		fixture_eval(f, NODE(EXPR_OR, TYPE_BOOL, a, b)), "t|t|t|t|f|NULL|t|NULL|NULL");
	assert_string_equal(
		fixture_eval(f, NODE(EXPR_NOT, TYPE_BOOL, a)), "f|f|f|t|t|t|NULL|NULL|NULL");
	assert_string_equal(FILTER(a, b), "0");
	assert_string_equal(FILTER(NODE(EXPR_OR, TYPE_BOOL, a, b)), "0,1,2,3,6");
	assert_string_equal(FILTER(NODE(EXPR_NOT, TYPE_BOOL, b)), "1,4,7");
	fixture_select(f, "1,3,5,7,8");
	assert_string_equal(fixture_eval(f, NODE(EXPR_AND, TYPE_BOOL, a, b)), "f|f|f|f|NULL");
	assert_string_equal(FILTER(NODE(EXPR_OR, TYPE_BOOL, a, b)), "1,3");
}

static void test_logic_with_constants(void **state)
{
	struct fixture *f = *state;
	struct expr *a = COLUMN(TYPE_BOOL, "t|f|NULL");
	struct expr *yes = LIT_BOOL("t");
	struct expr *no = LIT_BOOL("f");
	struct expr *unknown = LIT_BOOL("NULL");

	assert_string_equal(fixture_eval(f, NODE(EXPR_AND, TYPE_BOOL, a, yes)), "t|f|NULL");
	assert_string_equal(fixture_eval(f, NODE(EXPR_AND, TYPE_BOOL, yes, yes)), "t|t|t");
	assert_string_equal(fixture_eval(f, NODE(EXPR_AND, TYPE_BOOL, a, no)), "f|f|f");
	assert_string_equal(fixture_eval(f, NODE(EXPR_AND, TYPE_BOOL, a, unknown)), "NULL|f|NULL");
	assert_string_equal(fixture_eval(f, NODE(EXPR_OR, TYPE_BOOL, a, no)), "t|f|NULL");
	assert_string_equal(fixture_eval(f, NODE(EXPR_OR, TYPE_BOOL, unknown, a)), "t|NULL|NULL");
	assert_string_equal(fixture_eval(f, NODE(EXPR_OR, TYPE_BOOL, a, yes)), "t|t|t");
	assert_string_equal(FILTER(yes), "0,1,2");
	assert_string_equal(FILTER(a, unknown), "");
	assert_string_equal(fixture_filter(f, 0, NULL), "0,1,2");
}

static void test_is_null(void **state)
{
	struct fixture *f = *state;
	struct expr *a = COLUMN(TYPE_BIGINT, "1|NULL|3|NULL");
	struct expr *b = COLUMN(TYPE_BIGINT, "1|2|3|4");
	struct expr *is_null = NODE(EXPR_IS_NULL, TYPE_BOOL, a);

	assert_string_equal(fixture_eval(f, is_null), "f|t|f|t");
	assert_string_equal(fixture_eval(f, NODE(EXPR_IS_NULL, TYPE_BOOL, b)), "f|f|f|f");
	assert_string_equal(FILTER(is_null), "1,3");
	assert_string_equal(FILTER(NODE(EXPR_NOT, TYPE_BOOL, is_null)), "0,2");
	assert_string_equal(
		FILTER(NODE(EXPR_NOT, TYPE_BOOL, NODE(EXPR_IS_NULL, TYPE_BOOL, b))), "0,1,2,3");
	fixture_select(f, "2,3");
	assert_string_equal(FILTER(is_null), "3");
	assert_string_equal(FILTER(NODE(EXPR_NOT, TYPE_BOOL, is_null)), "2");
	EXPECT(NODE(EXPR_IS_NULL, TYPE_BOOL, LIT_TEXT("NULL")), "t");
}

/* -- CASE, COALESCE, IN -- */

static void test_case_guards_errors(void **state)
{
	struct fixture *f = *state;
	struct expr *a = COLUMN(TYPE_INT, "0|5|NULL|2");
	struct expr *quotient = CALL(FN_DIV, TYPE_INT, LIT_INT("10"), a);
	struct expr *zero = CALL(FN_EQ, TYPE_BOOL, a, LIT_INT("0"));

	assert_string_equal(fixture_eval(f, quotient), "ERROR: division by zero");
	assert_string_equal(
		fixture_eval(f, NODE(EXPR_CASE, TYPE_INT, zero, LIT_INT("-1"), quotient)),
		"-1|2|NULL|5");
	/* The second condition is not asked where the first was true. */
	assert_string_equal(fixture_eval(f, NODE(EXPR_CASE, TYPE_INT, zero, a,
						    CALL(FN_GT, TYPE_BOOL, quotient, LIT_INT("2")),
						    quotient, LIT_INT("NULL"))),
		"0|NULL|NULL|5");
	assert_string_equal(
		fixture_eval(f, NODE(EXPR_AND, TYPE_BOOL, NODE(EXPR_NOT, TYPE_BOOL, zero),
					CALL(FN_EQ, TYPE_BOOL, quotient, LIT_INT("5")))),
		"f|f|NULL|t");
	assert_string_equal(FILTER(NODE(EXPR_OR, TYPE_BOOL, zero,
				    CALL(FN_EQ, TYPE_BOOL, quotient, LIT_INT("5")))),
		"0,3");
	fixture_select(f, "1,2,3");
	assert_string_equal(fixture_eval(f, quotient), "2|NULL|5");
	fixture_select(f, "");
	assert_string_equal(fixture_eval(f, quotient), "");
}

static void test_case_shapes(void **state)
{
	struct fixture *f = *state;
	struct expr *a = COLUMN(TYPE_BIGINT, "1|2|3|NULL|5");
	struct expr *t = COLUMN(TYPE_TEXT, "a|b|NULL|d|e");
	struct expr *small = CALL(FN_LE, TYPE_BOOL, a, LIT_BIGINT("2"));
	struct expr *large = CALL(FN_GE, TYPE_BOOL, a, LIT_BIGINT("4"));

	assert_string_equal(fixture_eval(f, NODE(EXPR_CASE, TYPE_TEXT, small, LIT_TEXT("small"),
						    large, t, LIT_TEXT("other"))),
		"small|small|other|other|e");
	assert_string_equal(fixture_eval(f, NODE(EXPR_CASE, TYPE_TEXT, small, t, LIT_TEXT("NULL"))),
		"a|b|NULL|NULL|NULL");
	assert_string_equal(fixture_eval(f, NODE(EXPR_CASE, TYPE_TEXT, small, LIT_TEXT("x"), t)),
		"x|x|NULL|d|e");
	/* Conditions that are known beforehand. */
	assert_string_equal(fixture_eval(f, NODE(EXPR_CASE, TYPE_TEXT, LIT_BOOL("f"), LIT_TEXT("x"),
						    LIT_BOOL("NULL"), LIT_TEXT("y"), t)),
		"a|b|NULL|d|e");
	assert_string_equal(fixture_eval(f, NODE(EXPR_CASE, TYPE_TEXT, small, t, LIT_BOOL("t"),
						    LIT_TEXT("y"), LIT_TEXT("z"))),
		"a|b|y|y|y");
	fixture_select(f, "0,4");
	assert_string_equal(
		fixture_eval(f, NODE(EXPR_CASE, TYPE_TEXT, large, t, LIT_TEXT("-"))), "-|e");
}

static void test_coalesce(void **state)
{
	struct fixture *f = *state;
	struct expr *a = COLUMN(TYPE_INT, "1|NULL|NULL|NULL");
	struct expr *b = COLUMN(TYPE_INT, "0|2|NULL|NULL");
	struct expr *c = COLUMN(TYPE_INT, "7|8|9|NULL");
	struct expr *quotient = CALL(FN_DIV, TYPE_INT, LIT_INT("6"), b);

	assert_string_equal(fixture_eval(f, NODE(EXPR_COALESCE, TYPE_INT, a, b, c)), "1|2|9|NULL");
	assert_string_equal(
		fixture_eval(f, NODE(EXPR_COALESCE, TYPE_INT, a, LIT_INT("5"))), "1|5|5|5");
	/* Row 0 would divide by zero, and is not asked. */
	assert_string_equal(
		fixture_eval(f, NODE(EXPR_COALESCE, TYPE_INT, a, quotient)), "1|3|NULL|NULL");
	assert_string_equal(
		fixture_eval(f, NODE(EXPR_COALESCE, TYPE_INT, LIT_INT("NULL"), LIT_INT("NULL"))),
		"NULL|NULL|NULL|NULL");
	assert_string_equal(fixture_eval(f, NODE(EXPR_COALESCE, TYPE_INT, c, LIT_INT("NULL"), a)),
		"7|8|9|NULL");
}

static void test_in(void **state)
{
	struct fixture *f = *state;
	struct expr *a = COLUMN(TYPE_BIGINT, "1|2|3|NULL|-9223372036854775808");
	struct expr *n = COLUMN(TYPE_NUMERIC, "1.0|2.50|3|NULL|0");
	struct expr *t = COLUMN(TYPE_TEXT, "x|yy||NULL|zzz");

	assert_string_equal(fixture_eval(f, NODE(EXPR_IN, TYPE_BOOL, a, LIT_BIGINT("3"),
						    LIT_BIGINT("-9223372036854775808"),
						    LIT_BIGINT("1"), LIT_BIGINT("1"))),
		"t|f|t|NULL|t");
	assert_string_equal(
		fixture_eval(f, NODE(EXPR_IN, TYPE_BOOL, a, LIT_BIGINT("2"), LIT_BIGINT("NULL"))),
		"NULL|t|NULL|NULL|NULL");
	assert_string_equal(
		FILTER(NODE(EXPR_IN, TYPE_BOOL, a, LIT_BIGINT("2"), LIT_BIGINT("NULL"))), "1");
	assert_string_equal(fixture_eval(f, NODE(EXPR_IN, TYPE_BOOL, n, LIT_NUMERIC("1.00"),
						    LIT_NUMERIC("2.5"))),
		"t|t|f|NULL|f");
	assert_string_equal(
		fixture_eval(f, NODE(EXPR_IN, TYPE_BOOL, t, LIT_TEXT("zzz"), LIT_TEXT(""))),
		"f|f|t|NULL|t");
	assert_string_equal(fixture_eval(f, NODE(EXPR_NOT, TYPE_BOOL,
						    NODE(EXPR_IN, TYPE_BOOL, t, LIT_TEXT("x")))),
		"f|t|t|NULL|t");
	EXPECT(NODE(EXPR_IN, TYPE_BOOL, LIT_DOUBLE("NaN"), LIT_DOUBLE("1"), LIT_DOUBLE("NaN")),
		"t");
	EXPECT(NODE(EXPR_IN, TYPE_BOOL, LIT_LIST("{a,NULL}"), LIT_LIST("{b}"),
		       LIT_LIST("{a,NULL}")),
		"t");
}

/* -- Comparisons -- */

static void test_compare_numerics(void **state)
{
	struct fixture *f = *state;
	struct expr *n = COLUMN(TYPE_NUMERIC, "75|75.0|74.999|75.001|-75|0.00|NULL|"
					      "99999999999999999999999999999999999");
	struct expr *limit = LIT_NUMERIC("75.0");

	assert_string_equal(FILTER(CALL(FN_GE, TYPE_BOOL, n, limit)), "0,1,3,7");
	assert_string_equal(FILTER(CALL(FN_GT, TYPE_BOOL, n, limit)), "3,7");
	assert_string_equal(FILTER(CALL(FN_LE, TYPE_BOOL, n, limit)), "0,1,2,4,5");
	assert_string_equal(FILTER(CALL(FN_LT, TYPE_BOOL, n, limit)), "2,4,5");
	assert_string_equal(FILTER(CALL(FN_EQ, TYPE_BOOL, n, limit)), "0,1");
	assert_string_equal(FILTER(CALL(FN_NE, TYPE_BOOL, n, limit)), "2,3,4,5,7");
	/* A constant that lies between the values of a scale. */
	assert_string_equal(FILTER(CALL(FN_GE, TYPE_BOOL, n, LIT_NUMERIC("74.9995"))), "0,1,3,7");
	assert_string_equal(FILTER(CALL(FN_LE, TYPE_BOOL, n, LIT_NUMERIC("-74.5"))), "4");
	assert_string_equal(FILTER(CALL(FN_LT, TYPE_BOOL, LIT_NUMERIC("74.5"), n)), "0,1,2,3,7");
	assert_string_equal(FILTER(CALL(FN_LT, TYPE_BOOL, n,
				    LIT_NUMERIC("0.00000000000000000000000000000000001"))),
		"4,5");
	assert_string_equal(
		fixture_eval(f, CALL(FN_GE, TYPE_BOOL, n, limit)), "t|t|f|t|f|f|NULL|t");
	assert_string_equal(fixture_eval(f, CALL(FN_EQ, TYPE_BOOL, n, n)), "t|t|t|t|t|t|NULL|t");
	fixture_select(f, "1,2,6");
	assert_string_equal(FILTER(CALL(FN_GE, TYPE_BOOL, n, limit)), "1");
}

static void test_compare_doubles(void **state)
{
	struct fixture *f = *state;

	EXPECT(CALL(FN_EQ, TYPE_BOOL, LIT_DOUBLE("NaN"), LIT_DOUBLE("NaN")), "t");
	EXPECT(CALL(FN_GT, TYPE_BOOL, LIT_DOUBLE("NaN"), LIT_DOUBLE("Infinity")), "t");
	EXPECT(CALL(FN_LT, TYPE_BOOL, LIT_DOUBLE("NaN"), LIT_DOUBLE("1")), "f");
	EXPECT(CALL(FN_LE, TYPE_BOOL, LIT_DOUBLE("1"), LIT_DOUBLE("NaN")), "t");
	EXPECT(CALL(FN_EQ, TYPE_BOOL, LIT_DOUBLE("0"), LIT_DOUBLE("-0")), "t");
	EXPECT(CALL(FN_NE, TYPE_BOOL, LIT_DOUBLE("1"), LIT_DOUBLE("NULL")), "NULL");
}

static void test_compare_other_types(void **state)
{
	struct fixture *f = *state;

	EXPECT(CALL(FN_LT, TYPE_BOOL, LIT_TEXT("B"), LIT_TEXT("a")), "t");
	EXPECT(CALL(FN_LT, TYPE_BOOL, LIT_TEXT("a"), LIT_TEXT("ab")), "t");
	EXPECT(CALL(FN_GE, TYPE_BOOL, LIT_TEXT(""), LIT_TEXT("")), "t");
	EXPECT(CALL(FN_LT, TYPE_BOOL, LIT_BOOL("f"), LIT_BOOL("t")), "t");
	EXPECT(CALL(FN_EQ, TYPE_BOOL, LIT_LIST("{a,NULL}"), LIT_LIST("{a,NULL}")), "t");
	EXPECT(CALL(FN_NE, TYPE_BOOL, LIT_LIST("{a}"), LIT_LIST("{a,b}")), "t");
	EXPECT(CALL(FN_DISTINCT, TYPE_BOOL, LIT_INT("1"), LIT_INT("NULL")), "t");
	EXPECT(CALL(FN_DISTINCT, TYPE_BOOL, LIT_INT("NULL"), LIT_INT("NULL")), "f");
	EXPECT(CALL(FN_NOT_DISTINCT, TYPE_BOOL, LIT_TEXT("a"), LIT_TEXT("a")), "t");
	EXPECT(NODE(EXPR_NOT, TYPE_BOOL,
		       CALL(FN_NOT_DISTINCT, TYPE_BOOL, LIT_TEXT("a"), LIT_TEXT("NULL"))),
		"t");
	EXPECT(CALL(FN_GREATEST, TYPE_INT, LIT_INT("3"), LIT_INT("NULL"), LIT_INT("5")), "5");
	EXPECT(CALL(FN_LEAST, TYPE_TEXT, LIT_TEXT("b"), LIT_TEXT("a")), "a");
	EXPECT(CALL(FN_LEAST, TYPE_INT, LIT_INT("NULL"), LIT_INT("NULL")), "NULL");
	EXPECT(CALL(FN_GREATEST, TYPE_DOUBLE, LIT_DOUBLE("1"), LIT_DOUBLE("NaN")), "NaN");
}

/* -- Selections -- */

static void test_ranges(void **state)
{
	struct fixture *f = *state;
	struct expr *a =
		COLUMN(TYPE_BIGINT, "-9223372036854775808|-1|0|1|2|3|NULL|9223372036854775807");
	struct expr *min = LIT_BIGINT("-9223372036854775808");
	struct expr *max = LIT_BIGINT("9223372036854775807");
	struct expr *two = LIT_BIGINT("2");
	struct expr *from = CALL(FN_GT, TYPE_BOOL, a, LIT_BIGINT("-1"));
	struct expr *to = CALL(FN_LE, TYPE_BOOL, a, two);

	assert_string_equal(FILTER(from, to), "2,3,4");
	assert_string_equal(FILTER(NODE(EXPR_AND, TYPE_BOOL, from, to)), "2,3,4");
	assert_string_equal(FILTER(from, to, CALL(FN_NE, TYPE_BOOL, a, LIT_BIGINT("1"))), "2,4");
	assert_string_equal(FILTER(CALL(FN_LT, TYPE_BOOL, a, min)), "");
	assert_string_equal(FILTER(CALL(FN_GT, TYPE_BOOL, a, max)), "");
	assert_string_equal(FILTER(CALL(FN_GE, TYPE_BOOL, a, min)), "0,1,2,3,4,5,7");
	assert_string_equal(FILTER(CALL(FN_LT, TYPE_BOOL, a, min), from), "");
	assert_string_equal(FILTER(CALL(FN_EQ, TYPE_BOOL, a, two), from), "4");
	assert_string_equal(
		FILTER(CALL(FN_GT, TYPE_BOOL, a, two), CALL(FN_LT, TYPE_BOOL, a, two)), "");
	/* The constant on the left. */
	assert_string_equal(FILTER(CALL(FN_GT, TYPE_BOOL, two, a)), "0,1,2,3");
	fixture_select(f, "1,3,5,6");
	assert_string_equal(FILTER(from, to), "3");
}

static void test_select_in_place(void **state)
{
	struct fixture *f = *state;
	struct expr *a = COLUMN(TYPE_INT, "1|2|3|4|5|6|7|8");
	struct expr *b = COLUMN(TYPE_TEXT, "x|y|x|y|x|y|x|NULL");
	struct expr *odd_or_large = NODE(EXPR_OR, TYPE_BOOL,
		CALL(FN_EQ, TYPE_BOOL, CALL(FN_MOD, TYPE_INT, a, LIT_INT("2")), LIT_INT("1")),
		CALL(FN_GT, TYPE_BOOL, a, LIT_INT("6")));
	struct expr *conjuncts[] = {CALL(FN_GT, TYPE_BOOL, a, LIT_INT("2")), odd_or_large,
		CALL(FN_EQ, TYPE_BOOL, b, LIT_TEXT("x"))};
	struct evaluator *evaluator;
	uint32_t selected;

	assert_int_equal(evaluator_new_conjunction(&evaluator, conjuncts, 3, &f->err), 0);
	for (int turn = 0; turn < 3; turn++) {
		fixture_select(f, "0,1,2,4,5,6,7");
		assert_int_equal(
			evaluator_select(evaluator, &f->batch, f->sel, &selected, &f->err), 0);
		assert_int_equal(selected, 3);
		assert_int_equal(f->sel[0], 2);
		assert_int_equal(f->sel[1], 4);
		assert_int_equal(f->sel[2], 6);
	}
	evaluator_free(evaluator);
}

static void test_full_batch(void **state)
{
	struct fixture *f = *state;
	struct column column;
	struct expr *a = expr_column(&f->arena, 0, type_of(TYPE_BIGINT));
	struct expr *conjuncts[] = {CALL(FN_GE, TYPE_BOOL, a, LIT_BIGINT("0")),
		CALL(FN_LT, TYPE_BOOL, a, LIT_BIGINT("5000"))};
	struct evaluator *evaluator;
	uint16_t sel[BATCH_ROWS_MAX];
	uint32_t selected;

	column_init(&column, type_of(TYPE_BIGINT), BATCH_ROWS_MAX, &f->arena);
	for (uint32_t i = 0; i < BATCH_ROWS_MAX; i++)
		column.i64[i] = i;
	f->batch = (struct batch){.rows = BATCH_ROWS_MAX,
		.column_count = 1,
		.columns = &column,
		.selected = BATCH_ROWS_MAX};
	assert_int_equal(evaluator_new_conjunction(&evaluator, conjuncts, 2, &f->err), 0);
	assert_int_equal(evaluator_select(evaluator, &f->batch, sel, &selected, &f->err), 0);
	assert_int_equal(selected, BATCH_ROWS_MAX);
	for (uint32_t i = 0; i < BATCH_ROWS_MAX; i++)
		assert_int_equal(sel[i], i);
	column.i64[BATCH_ROWS_MAX - 1] = 5000;
	assert_int_equal(evaluator_select(evaluator, &f->batch, sel, &selected, &f->err), 0);
	assert_int_equal(selected, BATCH_ROWS_MAX - 1);
	evaluator_free(evaluator);
}

/* -- What is shared and what is folded -- */

static void test_shared_subexpressions(void **state)
{
	struct fixture *f = *state;
	struct expr *a = COLUMN(TYPE_INT, "0|1|2|3|NULL");
	struct expr *q1 = CALL(FN_DIV, TYPE_INT, LIT_INT("12"), a);
	struct expr *q2 = CALL(FN_DIV, TYPE_INT, LIT_INT("12"), a);
	struct expr *q3 = CALL(FN_DIV, TYPE_INT, LIT_INT("12"), a);
	struct expr *some = CALL(FN_GT, TYPE_BOOL, a, LIT_INT("1"));
	struct expr *zero = CALL(FN_EQ, TYPE_BOOL, a, LIT_INT("0"));

	/* Met first in a branch: the other branch has rows of its own. */
	assert_string_equal(
		fixture_eval(f, NODE(EXPR_CASE, TYPE_INT, some, q1, zero, LIT_INT("-1"), q2)),
		"-1|12|6|4|NULL");
	fixture_select(f, "1,2,3,4");
	/* Met first for all rows, then for some. */
	assert_string_equal(
		fixture_eval(f, NODE(EXPR_CASE, TYPE_INT, CALL(FN_GT, TYPE_BOOL, q1, LIT_INT("5")),
					q2, CALL(FN_NEG, TYPE_INT, q3))),
		"12|6|-4|NULL");
	assert_string_equal(fixture_eval(f, CALL(FN_ADD, TYPE_INT, q1, q2)), "24|12|8|NULL");
	/* A NULL makes the first place vanish. */
	assert_string_equal(
		fixture_eval(f, NODE(EXPR_COALESCE, TYPE_INT,
					CALL(FN_ADD, TYPE_INT, q1, LIT_INT("NULL")), q2)),
		"12|6|4|NULL");
	assert_string_equal(
		FILTER(NODE(EXPR_OR, TYPE_BOOL,
			NODE(EXPR_AND, TYPE_BOOL, some, CALL(FN_EQ, TYPE_BOOL, q1, LIT_INT("6"))),
			CALL(FN_EQ, TYPE_BOOL, q2, LIT_INT("12")))),
		"1,2");
}

/* A condition that was only selected has no column yet that another place could use. */
static void test_shared_conditions(void **state)
{
	struct fixture *f = *state;
	struct expr *a = COLUMN(TYPE_INT, "5|5|5|5|5|5");
	struct expr *large = CALL(FN_GT, TYPE_BOOL, a, LIT_INT("2"));
	struct expr *expr = NODE(EXPR_CASE, TYPE_TEXT, large, CAST(large, TYPE_TEXT),
		CALL(FN_CONCAT, TYPE_TEXT, LIT_TEXT("else "), CAST(large, TYPE_TEXT)));
	struct evaluator *evaluator;
	struct column column;

	assert_int_equal(evaluator_new(&evaluator, expr, &f->err), 0);
	assert_int_equal(evaluator_eval(evaluator, &f->batch, &column, &f->err), 0);
	for (uint32_t row = 1; row < f->batch.rows; row++)
		f->columns[0].i64[row] = 0;
	assert_int_equal(evaluator_eval(evaluator, &f->batch, &column, &f->err), 0);
	assert_int_equal(column.text[0].size, 4);
	for (uint32_t row = 1; row < f->batch.rows; row++) {
		assert_int_equal(column.text[row].size, 10);
		assert_memory_equal(column.text[row].data, "else false", 10);
	}
	evaluator_free(evaluator);
}

static void test_time_of_day_between(void **state)
{
	struct fixture *f = *state;
	struct expr *ts = COLUMN(TYPE_TIMESTAMP,
		"2024-01-01 05:59:59.999999|2024-01-01 06:00:00|1969-12-31 23:00:00|"
		"0001-01-01 23:00:00.000001|NULL|9999-12-31 12:00:00");
	struct expr *time1 = CAST(ts, TYPE_TIME);
	struct expr *time2 = CAST(ts, TYPE_TIME);

	assert_string_equal(FILTER(CALL(FN_GE, TYPE_BOOL, time1, LIT_TIME("06:00")),
				    CALL(FN_LE, TYPE_BOOL, time2, LIT_TIME("23:00"))),
		"1,2,5");
	assert_string_equal(fixture_eval(f, time1),
		"05:59:59.999999|06:00:00|23:00:00|23:00:00.000001|NULL|12:00:00");
	fixture_select(f, "2,3");
	assert_string_equal(FILTER(CALL(FN_GE, TYPE_BOOL, time1, LIT_TIME("06:00")),
				    CALL(FN_LE, TYPE_BOOL, time2, LIT_TIME("23:00"))),
		"2");
}

static void test_errors_of_constants(void **state)
{
	struct fixture *f = *state;
	struct expr *a = COLUMN(TYPE_BOOL, "f|f");
	struct expr *broken = CALL(FN_DIV, TYPE_INT, LIT_INT("1"), LIT_INT("0"));
	struct evaluator *evaluator;

	/* Every row would raise it. */
	assert_int_equal(evaluator_new(&evaluator, broken, &f->err), -1);
	assert_string_equal(f->err.message, "division by zero");
	assert_int_equal(f->err.code, ERROR_EVAL);
	/* No row does. */
	assert_string_equal(
		fixture_eval(f, NODE(EXPR_CASE, TYPE_INT, a, broken, LIT_INT("7"))), "7|7");
	assert_string_equal(fixture_eval(f, NODE(EXPR_AND, TYPE_BOOL, a,
						    CALL(FN_GT, TYPE_BOOL, broken, LIT_INT("0")))),
		"f|f");
	assert_string_equal(
		fixture_eval(f, NODE(EXPR_CASE, TYPE_INT, LIT_BOOL("f"), broken, LIT_INT("7"))),
		"7|7");
	/* All rows do. */
	assert_string_equal(fixture_eval(f, NODE(EXPR_CASE, TYPE_INT, a, LIT_INT("7"), broken)),
		"ERROR: division by zero");
}

static void test_constant_columns(void **state)
{
	struct fixture *f = *state;
	struct expr *a = COLUMN(TYPE_BIGINT, "10|20|30");
	struct expr *b = COLUMN(TYPE_BIGINT, "7|1|1");
	struct expr *t = COLUMN(TYPE_TEXT, "x|y|z");

	f->columns[1].constant = true;
	assert_string_equal(fixture_eval(f, CALL(FN_ADD, TYPE_BIGINT, a, b)), "17|27|37");
	assert_string_equal(fixture_eval(f, CALL(FN_SUB, TYPE_BIGINT, b, a)), "-3|-13|-23");
	assert_string_equal(fixture_eval(f, CALL(FN_MUL, TYPE_BIGINT, b, b)), "49|49|49");
	assert_string_equal(fixture_eval(f, CALL(FN_GT, TYPE_BOOL, a, b)), "t|t|t");
	assert_string_equal(FILTER(CALL(FN_EQ, TYPE_BOOL, b, LIT_BIGINT("7"))), "0,1,2");
	assert_string_equal(FILTER(CALL(FN_NE, TYPE_BOOL, b, LIT_BIGINT("7"))), "");
	assert_string_equal(
		fixture_eval(f, NODE(EXPR_CASE, TYPE_BIGINT,
					CALL(FN_GT, TYPE_BOOL, a, LIT_BIGINT("15")), b, a)),
		"10|7|7");
	f->columns[2].constant = true;
	assert_string_equal(fixture_eval(f, CALL(FN_CONCAT, TYPE_TEXT, t, t)), "xx|xx|xx");
	assert_string_equal(fixture_eval(f, NODE(EXPR_COALESCE, TYPE_TEXT, t, t)), "x|x|x");
	assert_string_equal(fixture_eval(f, NODE(EXPR_IS_NULL, TYPE_BOOL, t)), "f|f|f");
	fixture_select(f, "2");
	assert_string_equal(fixture_eval(f, CALL(FN_ADD, TYPE_BIGINT, a, b)), "37");
}

static void test_borrowed_results(void **state)
{
	struct fixture *f = *state;
	struct expr *a = COLUMN(TYPE_INT, "1|NULL|3");
	struct evaluator *evaluator;
	struct column column;

	assert_int_equal(evaluator_new(&evaluator, CAST(a, TYPE_BIGINT), &f->err), 0);
	assert_int_equal(evaluator_eval(evaluator, &f->batch, &column, &f->err), 0);
	assert_ptr_equal(column.i64, f->columns[0].i64);
	assert_int_equal(column.type.kind, TYPE_BIGINT);
	evaluator_free(evaluator);
	assert_int_equal(evaluator_new(&evaluator, LIT_TEXT("abc"), &f->err), 0);
	assert_int_equal(evaluator_eval(evaluator, &f->batch, &column, &f->err), 0);
	assert_true(column.constant);
	evaluator_free(evaluator);
	evaluator_free(NULL);
}

static void test_refused(void **state)
{
	struct fixture *f = *state;
	struct expr *deep = COLUMN(TYPE_INT, "1");
	struct evaluator *evaluator;

	for (int i = 0; i < 2000; i++)
		deep = CALL(FN_NEG, TYPE_INT, deep);
	assert_int_equal(evaluator_new(&evaluator, deep, &f->err), -1);
	assert_int_equal(f->err.code, ERROR_LIMIT);
	assert_int_equal(
		evaluator_new(&evaluator, CAST(LIT_DATE("2024-01-01"), TYPE_INT), &f->err), -1);
	assert_int_equal(f->err.code, ERROR_SQL);
	assert_string_equal(f->err.message, "cannot cast type date to integer");
	assert_int_equal(
		evaluator_new(&evaluator, CALL(FN_SQRT, TYPE_TEXT, LIT_TEXT("a")), &f->err), -1);
	assert_int_equal(f->err.code, ERROR_SQL);
}

static void test_lists(void **state)
{
	struct fixture *f = *state;

	EXPECT(CALL(FN_LIST_MAKE, TYPE_TEXT_LIST, LIT_TEXT("a"), LIT_TEXT("NULL"), LIT_TEXT("c d")),
		"{a,NULL,\"c d\"}");
	EXPECT(CALL(FN_CARDINALITY, TYPE_INT, LIT_LIST("{a,b,NULL}")), "3");
	EXPECT(CALL(FN_CARDINALITY, TYPE_INT, LIT_LIST("{}")), "0");
	EXPECT(CALL(FN_ANY_EQ, TYPE_BOOL, LIT_TEXT("b"), LIT_LIST("{a,NULL,b}")), "t");
	EXPECT(CALL(FN_ANY_EQ, TYPE_BOOL, LIT_TEXT("c"), LIT_LIST("{a,b}")), "f");
	EXPECT(CALL(FN_ANY_EQ, TYPE_BOOL, LIT_TEXT("c"), LIT_LIST("{a,NULL}")), "NULL");
	EXPECT(CALL(FN_ANY_EQ, TYPE_BOOL, LIT_TEXT("c"), LIT_LIST("{}")), "f");
	EXPECT(CALL(FN_ANY_EQ, TYPE_BOOL, LIT_TEXT("NULL"), LIT_LIST("{}")), "f");
	EXPECT(CALL(FN_ANY_EQ, TYPE_BOOL, LIT_TEXT("NULL"), LIT_LIST("{a}")), "NULL");
	EXPECT(CALL(FN_ANY_EQ, TYPE_BOOL, LIT_TEXT("a"), LIT_LIST("NULL")), "NULL");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_and_or_not),
		TEST(test_logic_with_constants),
		TEST(test_is_null),
		TEST(test_case_guards_errors),
		TEST(test_case_shapes),
		TEST(test_coalesce),
		TEST(test_in),
		TEST(test_compare_numerics),
		TEST(test_compare_doubles),
		TEST(test_compare_other_types),
		TEST(test_ranges),
		TEST(test_select_in_place),
		TEST(test_full_batch),
		TEST(test_shared_subexpressions),
		TEST(test_shared_conditions),
		TEST(test_time_of_day_between),
		TEST(test_errors_of_constants),
		TEST(test_constant_columns),
		TEST(test_borrowed_results),
		TEST(test_refused),
		TEST(test_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
