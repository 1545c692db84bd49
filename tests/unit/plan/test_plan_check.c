/* plan_check takes what the compiler makes, and notices each promise that is broken. */
#include "plan/plan_check.h"

#include "unit/sql/sql_fixture.h"

static struct plan_op *find_op(const struct plan *plan, enum plan_op_kind kind)
{
	for (uint32_t f = 0; f < plan->fragment_count; f++) {
		for (uint32_t o = 0; o < plan->fragments[f].op_count; o++) {
			if (plan->fragments[f].ops[o]->kind == kind)
				return plan->fragments[f].ops[o];
		}
	}
	fail_msg("no such operator");
	return NULL;
}

static struct plan_group *find_group(const struct plan *plan, enum group_phase phase)
{
	for (uint32_t f = 0; f < plan->fragment_count; f++) {
		for (uint32_t o = 0; o < plan->fragments[f].op_count; o++) {
			struct plan_op *op = plan->fragments[f].ops[o];

			if (op->kind == PLAN_GROUP && op->group.phase == phase)
				return &op->group;
		}
	}
	fail_msg("no such group");
	return NULL;
}

/* The fragment whose input 0 is of this kind. */
static struct plan_fragment *find_fragment(const struct plan *plan, enum plan_input_kind kind)
{
	for (uint32_t f = 0; f < plan->fragment_count; f++) {
		if (plan->fragments[f].inputs[0].kind == kind)
			return &plan->fragments[f];
	}
	fail_msg("no such fragment");
	return NULL;
}

static struct plan_exchange *build_exchange(const struct plan *plan)
{
	for (uint32_t i = 0; i < plan->exchange_count; i++) {
		if (plan->exchanges[i].input > 0)
			return &plan->exchanges[i];
	}
	fail_msg("no build side");
	return NULL;
}

static void column_out_of_reach(struct plan *plan)
{
	struct expr *expr = find_op(plan, PLAN_FILTER)->filter.conjuncts[0];

	while (expr->kind != EXPR_COLUMN)
		expr = expr->args[0];
	expr->column = 1000;
}

static void column_of_another_type(struct plan *plan)
{
	struct expr *expr = find_op(plan, PLAN_FILTER)->filter.conjuncts[0];

	while (expr->kind != EXPR_COLUMN)
		expr = expr->args[0];
	expr->type = type_of(TYPE_INTERVAL);
}

static void call_of_another_function(struct plan *plan)
{
	find_op(plan, PLAN_FILTER)->filter.conjuncts[0]->function = FN_REPLACE;
}

static void call_without_arguments(struct plan *plan)
{
	find_op(plan, PLAN_FILTER)->filter.conjuncts[0]->arg_count = 0;
}

static void filter_that_is_no_boolean(struct plan *plan)
{
	struct plan_op *op = find_op(plan, PLAN_FILTER);

	op->filter.conjuncts[0] = op->filter.conjuncts[0]->args[0];
}

static void table_out_of_reach(struct plan *plan)
{
	find_fragment(plan, INPUT_TABLE)->inputs[0].index = plan->table_count;
}

static void unread_column(struct plan *plan)
{
	struct plan_fragment *fragment = find_fragment(plan, INPUT_TABLE);

	memset(fragment->table_columns_used, 0,
		plan->tables[fragment->inputs[0].index].column_count);
}

static void exchange_out_of_reach(struct plan *plan)
{
	plan->fragments[0].outputs[0] = plan->exchange_count;
}

static void exchange_backwards(struct plan *plan)
{
	plan->exchanges[plan->fragments[0].outputs[0]].consumer = 0;
}

static void exchange_without_producer(struct plan *plan)
{
	uint32_t last = plan->fragment_count - 1;

	for (uint32_t f = 0; f < last; f++) {
		if (plan->fragments[f].outputs[0] == plan->fragments[last].inputs[0].index)
			plan->fragments[f].outputs[0] = plan->fragments[0].outputs[0];
	}
}

static void exchange_of_another_type(struct plan *plan)
{
	struct plan_exchange *exchange = &plan->exchanges[plan->fragments[0].outputs[0]];

	exchange->types[0] = type_of(TYPE_TEXT_LIST);
}

static void exchange_key_out_of_reach(struct plan *plan)
{
	for (uint32_t i = 0; i < plan->exchange_count; i++) {
		if (plan->exchanges[i].key_count > 0)
			plan->exchanges[i].keys[0] = plan->exchanges[i].column_count;
	}
}

static void two_results(struct plan *plan)
{
	plan->fragments[0].query = 0;
}

static void no_result(struct plan *plan)
{
	plan->fragments[plan->fragment_count - 1].query = PLAN_NONE;
}

static void result_of_another_type(struct plan *plan)
{
	plan->queries[0].types[0] = type_of(TYPE_TEXT_LIST);
}

static void states_out_of_reach(struct plan *plan)
{
	find_group(plan, GROUP_FINAL)->aggregates[0].arg = PLAN_NONE - 1;
}

static void states_of_nothing(struct plan *plan)
{
	find_group(plan, GROUP_FINAL)->aggregates[0].arg = PLAN_NONE;
}

static void states_of_another_type(struct plan *plan)
{
	find_group(plan, GROUP_FINAL)->aggregates[0].arg = 0;
}

static void ordered_partial(struct plan *plan)
{
	find_group(plan, GROUP_PARTIAL)->aggregates[0].id = AGG_MODE;
}

static void distinct_partial(struct plan *plan)
{
	find_group(plan, GROUP_PARTIAL)->aggregates[0].distinct = true;
}

static void aggregate_of_nothing(struct plan *plan)
{
	find_group(plan, GROUP_PARTIAL)->aggregates[0].arg = PLAN_NONE;
}

static void complete_group_in_a_map(struct plan *plan)
{
	find_group(plan, GROUP_PARTIAL)->phase = GROUP_COMPLETE;
}

static void join_without_build(struct plan *plan)
{
	find_op(plan, PLAN_JOIN)->join.build_input = 0;
}

static void join_keys_of_other_types(struct plan *plan)
{
	find_op(plan, PLAN_JOIN)->join.build_keys[0] = 1;
}

static void hashed_build_alone(struct plan *plan)
{
	struct plan_exchange *exchange = build_exchange(plan);

	exchange->kind = EXCHANGE_HASH;
	exchange->key_count = 1;
	exchange->keys = find_op(plan, PLAN_JOIN)->join.build_keys;
}

static void full_join_on_a_shared_side(struct plan *plan)
{
	find_op(plan, PLAN_JOIN)->join.kind = JOIN_FULL;
}

static void mark_with_the_columns(struct plan *plan)
{
	find_op(plan, PLAN_JOIN)->join.kind = JOIN_MARK;
}

static void spread_build(struct plan *plan)
{
	build_exchange(plan)->kind = EXCHANGE_SPREAD;
}

static void negative_frame(struct plan *plan)
{
	find_op(plan, PLAN_WINDOW)->window.calls[0].frame.start.offset.i64 = -1;
}

static void frame_of_another_type(struct plan *plan)
{
	find_op(plan, PLAN_WINDOW)->window.calls[0].frame.mode = FRAME_RANGE;
}

static void window_of_another_type(struct plan *plan)
{
	find_op(plan, PLAN_WINDOW)->window.calls[0].type = type_of(TYPE_DOUBLE);
}

static void window_sort_out_of_reach(struct plan *plan)
{
	find_op(plan, PLAN_WINDOW)->window.sort[0].column = 77;
}

static void sort_out_of_reach(struct plan *plan)
{
	find_op(plan, PLAN_TOP)->top.sort[0].column = 77;
}

/* Rows of a group, or of a join, are in no order. */
static void no_order_to_keep(struct plan *plan)
{
	for (uint32_t i = 0; i < plan->exchange_count; i++)
		if (plan->exchanges[i].kind == EXCHANGE_SINGLE)
			plan->exchanges[i].kind = EXCHANGE_ORDERED;
}

static void limit_without_order(struct plan *plan)
{
	struct plan_op *op = find_op(plan, PLAN_TOP);

	op->kind = PLAN_LIMIT;
	op->limit = (struct plan_limit){.limit = 1};
}

static void illegal_digits(struct plan *plan)
{
	struct expr *expr = find_op(plan, PLAN_FILTER)->filter.conjuncts[0];

	expr->type.precision = 100;
}

static void recursion_of_another_table(struct plan *plan)
{
	find_op(plan, PLAN_RECURSION)->recursion.term->tables[1].source = 7;
}

static void recursion_of_another_type(struct plan *plan)
{
	find_op(plan, PLAN_RECURSION)->recursion.term->tables[0].columns[0].type.kind = TYPE_DATE;
}

static void recursion_without_a_result(struct plan *plan)
{
	find_op(plan, PLAN_RECURSION)->recursion.term->query_count = 0;
}

static void broken_term(struct plan *plan)
{
	struct plan *term = find_op(plan, PLAN_RECURSION)->recursion.term;

	build_exchange(term)->kind = EXCHANGE_SPREAD;
}

static void merged_with_a_stranger(struct plan *plan)
{
	plan->fragments[0].merged_into = plan->fragment_count - 1;
}

static void merges_itself(struct plan *plan)
{
	static uint32_t own[1] = {0};

	plan->fragments[0].merged_count = 1;
	plan->fragments[0].merged = own;
}

#define QUERY_JOIN                                                                 \
	"SELECT s.store_name, sum(final_amount) FROM transactions t JOIN stores s" \
	" ON s.store_id = t.store_id WHERE user_id > 5 GROUP BY s.store_name ORDER BY 2"
#define QUERY_WINDOW                                                                   \
	"SELECT user_id, sum(store_id) OVER (PARTITION BY user_id ORDER BY created_at" \
	" ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM transactions ORDER BY 1"

#define QUERY_RECURSION                                                                          \
	"WITH RECURSIVE r(n) AS (SELECT 1::bigint UNION SELECT s.store_id::bigint FROM stores s" \
	" JOIN r ON s.store_id = r.n + 1) SELECT n FROM r"

static const struct {
	const char *query;
	void (*breaks)(struct plan *plan);
} cases[] = {
	{QUERY_JOIN, column_out_of_reach},
	{QUERY_JOIN, column_of_another_type},
	{QUERY_JOIN, call_of_another_function},
	{QUERY_JOIN, call_without_arguments},
	{QUERY_JOIN, filter_that_is_no_boolean},
	{QUERY_JOIN, table_out_of_reach},
	{QUERY_JOIN, unread_column},
	{QUERY_JOIN, exchange_out_of_reach},
	{QUERY_JOIN, exchange_backwards},
	{QUERY_JOIN, exchange_without_producer},
	{QUERY_JOIN, exchange_of_another_type},
	{QUERY_JOIN, exchange_key_out_of_reach},
	{QUERY_JOIN, two_results},
	{QUERY_JOIN, no_result},
	{QUERY_JOIN, result_of_another_type},
	{QUERY_JOIN, states_out_of_reach},
	{QUERY_JOIN, states_of_nothing},
	{QUERY_JOIN, states_of_another_type},
	{QUERY_JOIN, join_without_build},
	{QUERY_JOIN, join_keys_of_other_types},
	{QUERY_JOIN, hashed_build_alone},
	{QUERY_JOIN, full_join_on_a_shared_side},
	{QUERY_JOIN, mark_with_the_columns},
	{QUERY_JOIN, spread_build},
	{QUERY_JOIN, sort_out_of_reach},
	{QUERY_JOIN, no_order_to_keep},
	{QUERY_JOIN, limit_without_order},
	{QUERY_JOIN, illegal_digits},
	{QUERY_JOIN, merged_with_a_stranger},
	{QUERY_JOIN, merges_itself},
	{"SELECT user_id, sum(store_id) FROM transactions GROUP BY 1", ordered_partial},
	{"SELECT user_id, sum(store_id) FROM transactions GROUP BY 1", distinct_partial},
	{"SELECT user_id, sum(store_id) FROM transactions GROUP BY 1", aggregate_of_nothing},
	{"SELECT user_id, sum(store_id) FROM transactions GROUP BY 1", complete_group_in_a_map},
	{QUERY_WINDOW, negative_frame},
	{QUERY_WINDOW, frame_of_another_type},
	{QUERY_WINDOW, window_of_another_type},
	{QUERY_WINDOW, window_sort_out_of_reach},
	{QUERY_RECURSION, recursion_of_another_table},
	{QUERY_RECURSION, recursion_of_another_type},
	{QUERY_RECURSION, recursion_without_a_result},
	{QUERY_RECURSION, broken_term},
};

static void broken_promises_are_noticed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture f;
		struct error err;

		fixture_init(&f);
		fixture_compile(&f, cases[i].query);
		cases[i].breaks(f.plan);
		if (plan_check(f.plan, &err) == 0)
			fail_msg("case %zu is not noticed", i);
		assert_int_equal(err.code, ERROR_DATA);
		fixture_release(&f);
	}
}

static bool fits(enum function_id id, const char *letters, enum type_kind result)
{
	struct type types[8];
	uint32_t count = 0;

	for (; letters[count]; count++) {
		switch (letters[count]) {
		case 'i': types[count] = type_of(TYPE_INT); break;
		case 'l': types[count] = type_of(TYPE_BIGINT); break;
		case 'd': types[count] = type_of(TYPE_DOUBLE); break;
		case 't': types[count] = type_of(TYPE_TEXT); break;
		default: types[count] = type_of(TYPE_TEXT_LIST); break;
		}
	}
	return function_fits(id, count, types, type_of(result));
}

static void functions_have_signatures(void **state)
{
	(void)state;
	assert_true(fits(FN_ADD, "ii", TYPE_INT));
	assert_false(fits(FN_ADD, "il", TYPE_INT));
	assert_false(fits(FN_ADD, "ii", TYPE_BIGINT));
	assert_false(fits(FN_ADD, "tt", TYPE_TEXT));
	assert_false(fits(FN_ADD, "i", TYPE_INT));
	assert_false(fits(FN_ADD, "iii", TYPE_INT));
	assert_false(fits(FN_MOD, "dd", TYPE_DOUBLE));
	assert_true(fits(FN_EQ, "aa", TYPE_BOOL));
	assert_false(fits(FN_EQ, "ta", TYPE_BOOL));
	assert_true(fits(FN_CONCAT_ALL, "ttttt", TYPE_TEXT));
	assert_false(fits(FN_CONCAT_ALL, "ttitt", TYPE_TEXT));
	assert_false(fits(FN_CONCAT_ALL, "", TYPE_TEXT));
	assert_true(fits(FN_LIST_MAKE, "", TYPE_TEXT_LIST));
	assert_true(fits(FN_SUBSTRING, "ti", TYPE_TEXT));
	assert_true(fits(FN_SUBSTRING, "tii", TYPE_TEXT));
	assert_false(fits(FN_SUBSTRING, "t", TYPE_TEXT));
	assert_true(fits(FN_GREATEST, "ddd", TYPE_DOUBLE));
	assert_false(fits(FN_GREATEST, "ddi", TYPE_DOUBLE));
	assert_false(fits(FN_NONE, "", TYPE_TEXT));
	assert_false(fits(FUNCTION_COUNT, "", TYPE_TEXT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(broken_promises_are_noticed),
		cmocka_unit_test(functions_have_signatures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
