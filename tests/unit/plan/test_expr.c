#include "base/buf.h"
#include "plan/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct buf out;

static const char *const names[] = {"a", "b", "name", "day", "tags", "ok"};

enum { A, B, NAME, DAY, TAGS, OK };

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, 4096);
	buf_init(&out, 1 << 16);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	buf_release(&out);
	return 0;
}

static struct expr *column(uint32_t index)
{
	static const enum type_kind kinds[] = {
		TYPE_BIGINT, TYPE_NUMERIC, TYPE_TEXT, TYPE_DATE, TYPE_TEXT_LIST, TYPE_BOOL};

	return expr_column(&arena, index, type_of(kinds[index]));
}

static struct expr *constant(enum type_kind kind, const char *text)
{
	struct value value = {.type = type_of(kind), .is_null = text == NULL};
	const char *reason;

	if (text)
		assert_true(value_parse(value.type, text, strlen(text), &arena, &value, &reason));
	return expr_constant(&arena, &value);
}

static struct expr *number(const char *text)
{
	return constant(TYPE_BIGINT, text);
}

static struct expr *text(const char *bytes)
{
	return constant(TYPE_TEXT, bytes);
}

static struct expr *call(enum function_id function, uint32_t count, ...)
{
	struct expr *args[4];
	va_list list;

	va_start(list, count);
	for (uint32_t i = 0; i < count; i++)
		args[i] = va_arg(list, struct expr *);
	va_end(list);
	return expr_call(&arena, function, args[0]->type, count, args);
}

static struct expr *node(enum expr_kind kind, uint32_t count, ...)
{
	struct expr *args[8];
	va_list list;

	va_start(list, count);
	for (uint32_t i = 0; i < count; i++)
		args[i] = va_arg(list, struct expr *);
	va_end(list);
	return expr_node(&arena, kind, type_of(TYPE_BOOL), count, args);
}

static void assert_format(const struct expr *expr, const char *expected)
{
	buf_clear(&out);
	expr_format(expr, names, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, expected);
}

static void test_constants(void **state)
{
	(void)state;
	assert_format(number("-7"), "-7");
	assert_format(constant(TYPE_NUMERIC, "78.00"), "78.00");
	assert_format(constant(TYPE_DOUBLE, "1e20"), "1e+20");
	assert_format(constant(TYPE_DOUBLE, "nan"), "'NaN'::double precision");
	assert_format(constant(TYPE_BOOL, "t"), "true");
	assert_format(constant(TYPE_BOOL, "f"), "false");
	assert_format(text("it's"), "'it''s'");
	assert_format(text(""), "''");
	assert_format(text("caf\xc3\xa9"), "'caf\xc3\xa9'");
	assert_format(text(NULL), "NULL");
	assert_format(constant(TYPE_DATE, "2024-01-31"), "'2024-01-31'::date");
	assert_format(
		constant(TYPE_TIMESTAMP, "2024-01-31 06:00"), "'2024-01-31 06:00:00'::timestamp");
	assert_format(constant(TYPE_TIME, "06:00"), "'06:00:00'::time");
	assert_format(constant(TYPE_INTERVAL, "1-2"), "'1 year 2 mons'::interval");
	assert_format(constant(TYPE_TEXT_LIST, "{a,it's}"), "'{a,it''s}'::text[]");
}

static void test_precedence(void **state)
{
	struct expr *sum = call(FN_ADD, 2, column(A), number("1"));
	struct expr *product = call(FN_MUL, 2, column(A), column(B));

	(void)state;
	assert_format(call(FN_MUL, 2, sum, number("2")), "(a + 1) * 2");
	assert_format(call(FN_ADD, 2, product, number("2")), "a * b + 2");
	assert_format(
		call(FN_SUB, 2, column(A), call(FN_SUB, 2, column(B), number("1"))), "a - (b - 1)");
	assert_format(
		call(FN_SUB, 2, call(FN_SUB, 2, column(A), column(B)), number("1")), "a - b - 1");
	assert_format(
		call(FN_DIV, 2, column(A), call(FN_MOD, 2, column(B), number("3"))), "a / (b % 3)");
	assert_format(call(FN_NEG, 1, sum), "-(a + 1)");
	assert_format(call(FN_NEG, 1, number("-1")), "-(-1)");
	assert_format(expr_cast(&arena, sum, type_of(TYPE_NUMERIC)), "(a + 1)::numeric");
	assert_format(expr_cast(&arena, number("-1"), type_of(TYPE_TEXT)), "(-1)::text");
	assert_format(expr_cast(&arena, column(A), (struct type){TYPE_NUMERIC, 10, 2}),
		"a::numeric(10,2)");
	assert_format(call(FN_LT, 2, sum, product), "a + 1 < a * b");
	assert_format(
		call(FN_EQ, 2, call(FN_EQ, 2, column(A), column(B)), column(OK)), "(a = b) = ok");
}

static void test_logic(void **state)
{
	struct expr *less = call(FN_LE, 2, column(A), number("5"));
	struct expr *more = call(FN_GT, 2, column(B), number("7"));
	struct expr *either = node(EXPR_OR, 2, less, more);

	(void)state;
	assert_format(node(EXPR_AND, 2, either, column(OK)), "(a <= 5 OR b > 7) AND ok");
	assert_format(node(EXPR_OR, 2, node(EXPR_AND, 2, less, more), column(OK)),
		"a <= 5 AND b > 7 OR ok");
	assert_format(node(EXPR_AND, 3, less, more, column(OK)), "a <= 5 AND b > 7 AND ok");
	assert_format(node(EXPR_NOT, 1, column(OK)), "NOT ok");
	assert_format(node(EXPR_NOT, 1, either), "NOT (a <= 5 OR b > 7)");
	assert_format(node(EXPR_NOT, 1, less), "NOT a <= 5");
	assert_format(node(EXPR_IS_NULL, 1, column(A)), "a IS NULL");
	assert_format(node(EXPR_NOT, 1, node(EXPR_IS_NULL, 1, column(A))), "a IS NOT NULL");
	assert_format(node(EXPR_IS_NULL, 1, less), "(a <= 5) IS NULL");
	assert_format(call(FN_DISTINCT, 2, column(A), column(B)), "a IS DISTINCT FROM b");
	assert_format(
		call(FN_NOT_DISTINCT, 2, column(A), text(NULL)), "a IS NOT DISTINCT FROM NULL");
	assert_format(call(FN_NE, 2, column(A), column(B)), "a <> b");
}

static void test_predicates(void **state)
{
	struct expr *like = call(FN_LIKE, 3, column(NAME), text("a%"), text("\\"));
	struct expr *in = node(EXPR_IN, 3, column(A), number("1"), number("2"));

	(void)state;
	assert_format(like, "name LIKE 'a%'");
	assert_format(node(EXPR_NOT, 1, like), "name NOT LIKE 'a%'");
	assert_format(call(FN_ILIKE, 3, column(NAME), text("a!%"), text("!")),
		"name ILIKE 'a!%' ESCAPE '!'");
	assert_format(
		call(FN_LIKE, 3, column(NAME), text("a"), text("")), "name LIKE 'a' ESCAPE ''");
	assert_format(in, "a IN (1, 2)");
	assert_format(node(EXPR_NOT, 1, in), "a NOT IN (1, 2)");
	assert_format(call(FN_ANY_EQ, 2, column(NAME), column(TAGS)), "name = ANY (tags)");
}

static void test_calls(void **state)
{
	(void)state;
	assert_format(call(FN_LOWER, 1, column(NAME)), "lower(name)");
	assert_format(call(FN_ROUND_TO, 2, column(B), number("2")), "round(b, 2)");
	assert_format(call(FN_EXTRACT, 2, text("year"), column(DAY)), "extract(year FROM day)");
	assert_format(call(FN_DATE_ADD_DAYS, 2, column(DAY), number("30")), "day + 30");
	assert_format(call(FN_DATE_DIFF, 2, column(DAY), column(DAY)), "day - day");
	assert_format(
		call(FN_CONCAT, 2, call(FN_CONCAT, 2, column(NAME), text("-H")), column(NAME)),
		"name || '-H' || name");
	assert_format(call(FN_LIST_MAKE, 2, text("x"), text(NULL)), "ARRAY['x', NULL]");
	assert_format(node(EXPR_COALESCE, 2, column(A), number("0")), "coalesce(a, 0)");
	assert_format(node(EXPR_CASE, 3, column(OK), number("1"), number("2")),
		"CASE WHEN ok THEN 1 ELSE 2 END");
	assert_format(node(EXPR_CASE, 5, column(OK), number("1"), node(EXPR_NOT, 1, column(OK)),
			      number("2"), number(NULL)),
		"CASE WHEN ok THEN 1 WHEN NOT ok THEN 2 END");
}

static void test_column_names(void **state)
{
	static const char *const gaps[] = {"", NULL, "c"};

	(void)state;
	buf_clear(&out);
	for (uint32_t i = 0; i < 3; i++)
		expr_format(column(i), gaps, &out);
	expr_format(column(1), NULL, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "#0#1c#1");
}

static void test_equal(void **state)
{
	struct expr *x = call(FN_ADD, 2, column(A), number("1"));
	struct expr *y = call(FN_ADD, 2, column(A), number("1"));

	(void)state;
	y->location = 77;
	assert_true(expr_equal(x, x));
	assert_true(expr_equal(x, y));
	assert_false(expr_equal(x, call(FN_SUB, 2, column(A), number("1"))));
	assert_false(expr_equal(x, call(FN_ADD, 2, column(A), number("2"))));
	assert_false(expr_equal(x, call(FN_ADD, 2, column(B), number("1"))));
	assert_false(expr_equal(x, column(A)));
	assert_false(expr_equal(node(EXPR_AND, 2, column(OK), column(OK)),
		node(EXPR_AND, 3, column(OK), column(OK), column(OK))));
	assert_false(expr_equal(expr_cast(&arena, column(A), type_of(TYPE_TEXT)),
		expr_cast(&arena, column(A), type_of(TYPE_DOUBLE))));
}

static void test_equal_constants(void **state)
{
	static const struct {
		enum type_kind kind;
		const char *texts[3]; /* all different */
	} cases[] = {
		{TYPE_BOOL, {"t", "f", NULL}},
		{TYPE_BIGINT, {"1", "2", NULL}},
		{TYPE_NUMERIC, {"1.0", "1.00", NULL}},
		{TYPE_DOUBLE, {"0", "-0", NULL}},
		{TYPE_DOUBLE, {"nan", "1", NULL}},
		{TYPE_TEXT, {"", "a", NULL}},
		{TYPE_TEXT, {"ab", "ac", NULL}},
		{TYPE_TEXT_LIST, {"{}", "{a}", NULL}},
		{TYPE_TEXT_LIST, {"{a,NULL}", "{a,\"\"}", "{a,b}"}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int j = 0; j < 3; j++) {
			for (int k = 0; k < 3; k++) {
				struct expr *x = constant(cases[i].kind, cases[i].texts[j]);
				struct expr *y = constant(cases[i].kind, cases[i].texts[k]);

				assert_int_equal(expr_equal(x, y), j == k);
			}
		}
	}
	assert_false(expr_equal(constant(TYPE_INT, "1"), constant(TYPE_BIGINT, "1")));
	assert_false(expr_equal(constant(TYPE_INT, NULL), constant(TYPE_BIGINT, NULL)));
}

static void test_remap(void **state)
{
	static const uint32_t map[] = {5, 4, 3, 2, 1, 0};
	struct expr *condition = call(FN_EQ, 2, column(NAME), text("x"));
	struct expr *expr = node(EXPR_CASE, 3, condition, column(A), number("2"));
	struct expr *moved;

	(void)state;
	expr->location = 12;
	moved = expr_remap(&arena, expr, map);
	assert_int_equal(moved->location, 12);
	assert_int_equal(moved->args[0]->args[0]->column, map[NAME]);
	assert_int_equal(moved->args[1]->column, map[A]);
	/* The original is as it was. */
	assert_int_equal(expr->args[0]->args[0]->column, NAME);
	assert_int_equal(expr->args[1]->column, A);
	assert_false(expr_equal(expr, moved));
	assert_true(expr_equal(expr, expr_remap(&arena, moved, map)));
}

static void test_nodes(void **state)
{
	struct expr *args[] = {column(A), column(B)};
	struct expr *expr = expr_call(&arena, FN_ADD, type_of(TYPE_BIGINT), 2, args);

	(void)state;
	args[0] = NULL;
	assert_non_null(expr->args[0]);
	assert_int_equal(expr->kind, EXPR_CALL);
	assert_int_equal(expr->function, FN_ADD);
	assert_int_equal(expr->location, -1);
	assert_int_equal(column(3)->column, 3);
	assert_int_equal(expr_cast(&arena, column(A), type_of(TYPE_TEXT))->type.kind, TYPE_TEXT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_precedence),
		cmocka_unit_test(test_logic),
		cmocka_unit_test(test_predicates),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_column_names),
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_equal_constants),
		cmocka_unit_test(test_remap),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
