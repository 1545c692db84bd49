#include "unit/exec/exec_fixture.h"

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

/* Calls over columns (t partition, l sort key ascending, nulls last, then others). */
static void calls_op(
	struct fixture *f, const char *types, uint32_t call_count, struct plan_window_call *calls)
{
	static uint32_t partition[] = {0};
	static struct plan_sort_key sort[] = {{1, false, false}};
	struct plan_op *op = fixture_op(f, PLAN_WINDOW, types);

	op->window.partition_count = 1;
	op->window.partition = partition;
	op->window.sort_count = 1;
	op->window.sort = sort;
	op->window.call_count = call_count;
	op->window.calls = calls;
	for (uint32_t c = 0; c < call_count; c++)
		calls[c].type = op->types[op->column_count - call_count + c];
}

static void test_distribution(void **state)
{
	struct plan_window_call calls[] = {
		{.function = WINDOW_PERCENT_RANK},
		{.function = WINDOW_CUME_DIST},
		{.function = WINDOW_NTILE, .offset = 2},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	calls_op(&f, "tliddi", 3, calls);
	fixture_start(&f);
	fixture_push(&f, "tli", "a|1|3\na|2|0\na|2|9\na|3|3\na|NULL|3\nb|7|NULL\nb|8|NULL\n");
	fixture_push(&f, "tli", "c|1|NULL\nc|2|2\nc|3|9\nc|4|9\nc|5|9\nd|1|7\nd|2|7\n");
	assert_string_equal(fixture_finish(&f), "a|1|3|0|0.2|1\n"
						"a|2|0|0.25|0.6|1\n"
						"a|2|9|0.25|0.6|2\n"
						"a|3|3|0.75|0.8|2\n"
						"a|NULL|3|1|1|3\n"
						"b|7|NULL|0|0.5|NULL\n"
						"b|8|NULL|1|1|NULL\n"
						"c|1|NULL|0|0.2|NULL\n"
						"c|2|2|0.25|0.4|1\n"
						"c|3|9|0.5|0.6|1\n"
						"c|4|9|0.75|0.8|1\n"
						"c|5|9|1|1|2\n"
						"d|1|7|0|0.5|1\n"
						"d|2|7|1|1|2\n");
	fixture_release(&f);
}

static void test_lag_and_lead(void **state)
{
	struct plan_window_call calls[] = {
		{.function = WINDOW_LAG, .arg = 2, .offset = PLAN_NONE, .fallback = PLAN_NONE},
		{.function = WINDOW_LEAD, .arg = 2, .offset = 3, .fallback = 4},
		{.function = WINDOW_LAG, .arg = 1, .offset = 3, .fallback = PLAN_NONE},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	calls_op(&f, "tltltttl", 3, calls);
	fixture_start(&f);
	fixture_push(&f, "tltlt",
		"a|1|x|1|-\na|2|NULL|2|-\na|3|z|-2|-\na|4|w|NULL|-\na|5|v|0|-\n"
		"b|1|q|9223372036854775807|none\nb|2|r|-9223372036854775808|NULL\n");
	assert_string_equal(fixture_finish(&f), "a|1|x|1|-|NULL|NULL|NULL\n"
						"a|2|NULL|2|-|x|w|NULL\n"
						"a|3|z|-2|-|NULL|x|5\n"
						"a|4|w|NULL|-|z|NULL|NULL\n"
						"a|5|v|0|-|w|v|5\n"
						"b|1|q|9223372036854775807|none|NULL|none|NULL\n"
						"b|2|r|-9223372036854775808|NULL|q|NULL|NULL\n");
	fixture_release(&f);
}

static void test_picks(void **state)
{
	static const struct plan_frame running = {.mode = FRAME_RANGE,
		.start = {.kind = FRAME_UNBOUNDED_PRECEDING},
		.end = {.kind = FRAME_CURRENT_ROW}};
	struct plan_window_call calls[] = {
		{.function = WINDOW_FIRST_VALUE, .arg = 2, .offset = PLAN_NONE, .frame = running},
		{.function = WINDOW_LAST_VALUE, .arg = 2, .offset = PLAN_NONE, .frame = running},
		{.function = WINDOW_NTH_VALUE, .arg = 2, .offset = 3, .frame = running},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	calls_op(&f, "tltittt", 3, calls);
	fixture_start(&f);
	fixture_push(&f, "tlti", "a|1|x|1\na|2|y|2\na|2|z|3\na|3|NULL|5\na|4|w|NULL\nb|1|q|2\n");
	assert_string_equal(fixture_finish(&f), "a|1|x|1|x|x|x\n"
						"a|2|y|2|x|z|y\n"
						"a|2|z|3|x|z|z\n"
						"a|3|NULL|5|x|NULL|NULL\n"
						"a|4|w|NULL|x|w|NULL\n"
						"b|1|q|2|q|q|NULL\n");
	fixture_release(&f);
}

static void check_error(struct plan_window_call call, const char *types, const char *input_types,
	const char *input, const char *message)
{
	struct fixture f;

	fixture_init(&f);
	calls_op(&f, types, 1, &call);
	fixture_start(&f);
	fixture_push(&f, input_types, input);
	assert_int_equal(pipeline_finish(f.pipeline, &f.err), -1);
	assert_int_equal(f.err.code, ERROR_EVAL);
	assert_string_equal(f.err.message, message);
	fixture_release(&f);
}

static struct plan_window_call sum_of(struct type arg, struct type type)
{
	return (struct plan_window_call){
		.function = WINDOW_AGGREGATE,
		.arg = PLAN_NONE,
		.aggregate = {.id = AGG_SUM,
			.arg = 2,
			.arg2 = PLAN_NONE,
			.filter = PLAN_NONE,
			.arg_type = arg,
			.type = type},
		.frame = {.mode = FRAME_ROWS, .end = {.kind = FRAME_CURRENT_ROW}},
	};
}

static void test_errors(void **state)
{
	struct plan_window_call call = {.function = WINDOW_NTILE, .offset = 2};

	(void)state;
	check_error(call, "tlii", "tli", "a|1|2\nb|1|0\n",
		"argument of ntile must be greater than zero");
	call = (struct plan_window_call){.function = WINDOW_NTH_VALUE, .arg = 1, .offset = 2};
	check_error(call, "tlil", "tli", "a|1|2\nb|1|-1\n",
		"argument of nth_value must be greater than zero");
	check_error(sum_of(type_of(TYPE_DOUBLE), type_of(TYPE_DOUBLE)), "tldd", "tld",
		"a|1|1e308\na|2|1e308\n", "double precision value out of range");
}

/* What leaves the frame leaves no trace: neither digits after the point nor infinities. */
static void test_removal(void **state)
{
	struct plan_window_call calls[] = {
		sum_of(type_of(TYPE_NUMERIC), type_of(TYPE_NUMERIC)),
		sum_of(type_of(TYPE_DOUBLE), type_of(TYPE_DOUBLE)),
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	for (int c = 0; c < 2; c++)
		calls[c].frame.start = (struct plan_frame_bound){
			FRAME_PRECEDING, {.type = type_of(TYPE_BIGINT), .i64 = 1}};
	calls[1].aggregate.arg = 3;
	calls_op(&f, "tlndnd", 2, calls);
	fixture_start(&f);
	fixture_push(&f, "tlnd",
		"a|1|1.25|NaN\na|2|3|1e300\na|3|5|1\na|4|0.10|Infinity\na|5|7|-Infinity\n"
		"a|6|NULL|2\na|7|NULL|NULL\na|8|NULL|NULL\na|9|99999999999999999999999999999999999|"
		"0\n"
		"b|1|1|0.1\n");
	assert_string_equal(fixture_finish(&f),
		"a|1|1.25|NaN|1.25|NaN\n"
		"a|2|3|1e+300|4.25|NaN\n"
		"a|3|5|1|8|1e+300\n"
		"a|4|0.10|Infinity|5.10|Infinity\n"
		"a|5|7|-Infinity|7.10|NaN\n"
		"a|6|NULL|2|7|-Infinity\n"
		"a|7|NULL|NULL|NULL|2\n"
		"a|8|NULL|NULL|NULL|NULL\n"
		"a|9|99999999999999999999999999999999999|0|99999999999999999999999999999999999|0\n"
		"b|1|1|0.1|1|0.1\n");
	fixture_release(&f);
}

/* A partition of many batches, between small ones, with frames of a thousand rows. */
static void test_large_partition(void **state)
{
	enum { ROWS = 2000, BATCHES = 50 };
	struct plan_window_call calls[2] = {
		sum_of(type_of(TYPE_BIGINT), type_of(TYPE_NUMERIC)),
		sum_of(type_of(TYPE_BIGINT), type_of(TYPE_BIGINT)),
	};
	struct fixture f;
	const char *text;

	(void)state;
	fixture_init(&f);
	for (int c = 0; c < 2; c++)
		calls[c].frame.start = (struct plan_frame_bound){
			FRAME_PRECEDING, {.type = type_of(TYPE_BIGINT), .i64 = 999}};
	calls[1].aggregate.id = AGG_MAX;
	calls_op(&f, "tllnl", 2, calls);
	fixture_start(&f);
	fixture_push(&f, "tll", "a|5|5\na|6|6\nc|7|7\n");
	for (int64_t b = 0; b < BATCHES; b++) {
		struct column columns[3];
		struct batch batch = {.rows = ROWS, .selected = ROWS, .column_count = 3};

		batch.columns = columns;
		column_init(&columns[0], type_of(TYPE_TEXT), 1, &f.arena);
		columns[0].constant = true;
		columns[0].text[0] = text_from("b", 1);
		column_init(&columns[1], type_of(TYPE_BIGINT), ROWS, &f.arena);
		for (int64_t i = 0; i < ROWS; i++)
			columns[1].i64[i] = i * BATCHES + b;
		columns[2] = columns[1];
		fixture_push_batch(&f, &batch);
	}
	text = fixture_finish(&f);
	assert_int_equal(f.rows, ROWS * BATCHES + 3);
	assert_memory_equal(text, "a|5|5|5|5\na|6|6|11|6\nb|0|0|0|0\nb|1|1|1|1\n", 38);
	assert_non_null(strstr(text, "\nb|99999|99999|99499500|99999\nc|7|7|7|7\n"));
	assert_non_null(strstr(text, "\nb|50000|50000|49500500|50000\n"));
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_without_partition_and_order),
		cmocka_unit_test(test_many_rows),
		cmocka_unit_test(test_distribution),
		cmocka_unit_test(test_lag_and_lead),
		cmocka_unit_test(test_picks),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_removal),
		cmocka_unit_test(test_large_partition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
