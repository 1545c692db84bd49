/* Functions of lists; what PostgreSQL 15 answers, and for Python's lists what docs/sql.md says. */
#include "unit/exec/expr/eval_fixture.h"

#define LENGTH(list, dimension) CALL(FN_ARRAY_LENGTH, TYPE_INT, LIT_LIST(list), LIT_INT(dimension))
#define GET(list, at)		CALL(FN_LIST_GET, TYPE_TEXT, LIT_LIST(list), LIT_INT(at))
#define CONTAINS(a, b)		CALL(FN_LIST_CONTAINS, TYPE_BOOL, LIT_LIST(a), LIT_LIST(b))
#define OVERLAPS(a, b)		CALL(FN_LIST_OVERLAPS, TYPE_BOOL, LIT_LIST(a), LIT_LIST(b))
#define CONCAT(a, b)		CALL(FN_LIST_CONCAT, TYPE_TEXT_LIST, LIT_LIST(a), LIT_LIST(b))
#define POSITION(list, text)	CALL(FN_LIST_POSITION, TYPE_INT, LIT_LIST(list), LIT_TEXT(text))
#define JOIN(list, by)		CALL(FN_LIST_JOIN, TYPE_TEXT, LIT_LIST(list), LIT_TEXT(by))
#define JOIN3(list, by, null) \
	CALL(FN_LIST_JOIN, TYPE_TEXT, LIT_LIST(list), LIT_TEXT(by), LIT_TEXT(null))
#define SPLIT(text, by) CALL(FN_LIST_SPLIT, TYPE_TEXT_LIST, LIT_TEXT(text), LIT_TEXT(by))
#define SPLIT3(text, by, null) \
	CALL(FN_LIST_SPLIT, TYPE_TEXT_LIST, LIT_TEXT(text), LIT_TEXT(by), LIT_TEXT(null))
#define PY_LIST(text)	    CALL(FN_PY_LIST, TYPE_TEXT_LIST, LIT_TEXT(text))
#define PY_PLUCK(text, key) CALL(FN_PY_PLUCK, TYPE_TEXT_LIST, LIT_TEXT(text), LIT_TEXT(key))
#define COMPARE(op, a, b)   CALL(op, TYPE_BOOL, LIT_LIST(a), LIT_LIST(b))

static void test_length(void **state)
{
	struct fixture *f = *state;

	EXPECT(LENGTH("{a,b,NULL}", "1"), "3");
	EXPECT(LENGTH("{a}", "2"), "NULL");
	EXPECT(LENGTH("{a}", "0"), "NULL");
	EXPECT(LENGTH("{}", "1"), "NULL");
	EXPECT(LENGTH("NULL", "1"), "NULL");
	EXPECT(LENGTH("{a}", "NULL"), "NULL");
	EXPECT(CALL(FN_CARDINALITY, TYPE_INT, LIT_LIST("{}")), "0");
	EXPECT(CALL(FN_CARDINALITY, TYPE_INT, LIT_LIST("{NULL,NULL}")), "2");
}

static void test_get(void **state)
{
	struct fixture *f = *state;

	EXPECT(GET("{a,b}", "1"), "a");
	EXPECT(GET("{a,b}", "2"), "b");
	EXPECT(GET("{a,b}", "3"), "NULL");
	EXPECT(GET("{a,b}", "0"), "NULL");
	EXPECT(GET("{a,b}", "-1"), "NULL");
	EXPECT(GET("{a,NULL,\"\"}", "2"), "NULL");
	EXPECT(GET("{a,NULL,\"\"}", "3"), "");
	EXPECT(GET("{}", "1"), "NULL");
	EXPECT(GET("NULL", "1"), "NULL");
	EXPECT(GET("{a}", "2147483647"), "NULL");
}

static void test_contains(void **state)
{
	struct fixture *f = *state;

	EXPECT(CONTAINS("{a,b,c}", "{c,a}"), "t");
	EXPECT(CONTAINS("{a,b,c}", "{c,c,c}"), "t");
	EXPECT(CONTAINS("{a,b,c}", "{d}"), "f");
	EXPECT(CONTAINS("{a}", "{}"), "t");
	EXPECT(CONTAINS("{}", "{}"), "t");
	EXPECT(CONTAINS("{}", "{a}"), "f");
	EXPECT(CONTAINS("{a,NULL}", "{NULL}"), "f");
	EXPECT(CONTAINS("{a,NULL}", "{a}"), "t");
	EXPECT(CONTAINS("{a,NULL}", "{a,NULL}"), "f");
	EXPECT(CONTAINS("NULL", "{a}"), "NULL");
	EXPECT(OVERLAPS("{a,b}", "{c,b}"), "t");
	EXPECT(OVERLAPS("{a,b}", "{c,d}"), "f");
	EXPECT(OVERLAPS("{a,NULL}", "{NULL}"), "f");
	EXPECT(OVERLAPS("{}", "{}"), "f");
	EXPECT(OVERLAPS("{a}", "NULL"), "NULL");
}

static void test_concat(void **state)
{
	struct fixture *f = *state;

	EXPECT(CONCAT("{a,NULL}", "{b}"), "{a,NULL,b}");
	EXPECT(CONCAT("{a}", "{}"), "{a}");
	EXPECT(CONCAT("{}", "{}"), "{}");
	EXPECT(CONCAT("NULL", "{b}"), "{b}");
	EXPECT(CONCAT("{a}", "NULL"), "{a}");
	EXPECT(CONCAT("NULL", "NULL"), "NULL");
}

static void test_position(void **state)
{
	struct fixture *f = *state;

	EXPECT(POSITION("{a,b,b}", "b"), "2");
	EXPECT(POSITION("{a,b}", "c"), "NULL");
	EXPECT(POSITION("{a,NULL,b}", "b"), "3");
	EXPECT(POSITION("{a,NULL,b}", "NULL"), "2");
	EXPECT(POSITION("{a}", "NULL"), "NULL");
	EXPECT(POSITION("{}", "a"), "NULL");
	EXPECT(POSITION("NULL", "a"), "NULL");
	EXPECT(POSITION("NULL", "NULL"), "NULL");
}

static void test_join(void **state)
{
	struct fixture *f = *state;

	EXPECT(JOIN("{a,b,c}", ", "), "a, b, c");
	EXPECT(JOIN("{a,b}", ""), "ab");
	EXPECT(JOIN("{NULL,a,NULL,b,NULL}", ","), "a,b");
	EXPECT(JOIN("{NULL}", ","), "");
	EXPECT(JOIN("{}", ","), "");
	EXPECT(JOIN("{\"\",\"\"}", ","), ",");
	EXPECT(JOIN("NULL", ","), "NULL");
	EXPECT(JOIN("{a}", "NULL"), "NULL");
	EXPECT(JOIN3("{NULL,a,NULL}", ",", "*"), "*,a,*");
	EXPECT(JOIN3("{NULL,a,NULL}", ",", ""), ",a,");
	EXPECT(JOIN3("{NULL,a}", ",", "NULL"), "a");
}

static void test_split(void **state)
{
	struct fixture *f = *state;

	EXPECT(SPLIT("a,b,c", ","), "{a,b,c}");
	EXPECT(SPLIT("a,,c,", ","), "{a,\"\",c,\"\"}");
	EXPECT(SPLIT(",", ","), "{\"\",\"\"}");
	EXPECT(SPLIT("abc", ","), "{abc}");
	EXPECT(SPLIT("a--b---c", "--"), "{a,b,-c}");
	EXPECT(SPLIT("", ","), "{}");
	EXPECT(SPLIT("", ""), "{}");
	EXPECT(SPLIT("", "NULL"), "{}");
	EXPECT(SPLIT("abc", ""), "{abc}");
	EXPECT(SPLIT("a\xc3\xa9"
		     "b",
		       "NULL"),
		"{a,\xc3\xa9,b}");
	EXPECT(SPLIT("NULL", ","), "NULL");
	EXPECT(SPLIT3("a,x,b", ",", "x"), "{a,NULL,b}");
	EXPECT(SPLIT3("a,,b", ",", ""), "{a,NULL,b}");
	EXPECT(SPLIT3("axb", "NULL", "x"), "{a,NULL,b}");
	EXPECT(SPLIT3("a,x", ",", "NULL"), "{a,x}");
	EXPECT(SPLIT3("x", "", "x"), "{NULL}");
}

static void test_any(void **state)
{
	struct fixture *f = *state;

	EXPECT(CALL(FN_ANY_EQ, TYPE_BOOL, LIT_TEXT("a"), LIT_LIST("{b,a,NULL}")), "t");
	EXPECT(CALL(FN_ANY_EQ, TYPE_BOOL, LIT_TEXT("c"), LIT_LIST("{b,a,NULL}")), "NULL");
	EXPECT(CALL(FN_ANY_EQ, TYPE_BOOL, LIT_TEXT("c"), LIT_LIST("{b,a}")), "f");
	EXPECT(CALL(FN_ANY_EQ, TYPE_BOOL, LIT_TEXT("NULL"), LIT_LIST("{b,a}")), "NULL");
	EXPECT(CALL(FN_ANY_EQ, TYPE_BOOL, LIT_TEXT("NULL"), LIT_LIST("{}")), "f");
	EXPECT(CALL(FN_ANY_EQ, TYPE_BOOL, LIT_TEXT("a"), LIT_LIST("NULL")), "NULL");
}

static void test_compare(void **state)
{
	/* Ascending: by items, NULL items behind all others, a beginning before the whole. */
	static const char *const lists[] = {"{}", "{\"\"}", "{a}", "{a,a}", "{a,b}", "{a,b,a}",
		"{a,NULL}", "{a,NULL,a}", "{aa}", "{b}", "{\xc3\xa9}", "{NULL}", "{NULL,a}",
		"{NULL,NULL}"};
	const int count = (int)(sizeof(lists) / sizeof(lists[0]));
	struct fixture *f = *state;

	for (int a = 0; a < count; a++) {
		for (int b = 0; b < count; b++) {
			EXPECT(COMPARE(FN_LT, lists[a], lists[b]), a < b ? "t" : "f");
			EXPECT(COMPARE(FN_LE, lists[a], lists[b]), a <= b ? "t" : "f");
			EXPECT(COMPARE(FN_GT, lists[a], lists[b]), a > b ? "t" : "f");
			EXPECT(COMPARE(FN_GE, lists[a], lists[b]), a >= b ? "t" : "f");
			EXPECT(COMPARE(FN_EQ, lists[a], lists[b]), a == b ? "t" : "f");
			EXPECT(COMPARE(FN_NE, lists[a], lists[b]), a != b ? "t" : "f");
			EXPECT(COMPARE(FN_DISTINCT, lists[a], lists[b]), a != b ? "t" : "f");
			EXPECT(CALL(FN_GREATEST, TYPE_TEXT_LIST, LIT_LIST(lists[a]),
				       LIT_LIST("NULL"), LIT_LIST(lists[b])),
				lists[a > b ? a : b]);
			EXPECT(CALL(FN_LEAST, TYPE_TEXT_LIST, LIT_LIST(lists[a]),
				       LIT_LIST(lists[b])),
				lists[a < b ? a : b]);
		}
		EXPECT(COMPARE(FN_LT, lists[a], "NULL"), "NULL");
		EXPECT(COMPARE(FN_NOT_DISTINCT, "NULL", lists[a]), "f");
	}
	EXPECT(COMPARE(FN_NOT_DISTINCT, "NULL", "NULL"), "t");
	EXPECT(CALL(FN_GREATEST, TYPE_TEXT_LIST, LIT_LIST("NULL"), LIT_LIST("NULL")), "NULL");
}

static void test_in(void **state)
{
	struct fixture *f = *state;

	EXPECT(NODE(EXPR_IN, TYPE_BOOL, LIT_LIST("{a,NULL}"), LIT_LIST("{z}"), LIT_LIST("{a,NULL}"),
		       LIT_LIST("{}")),
		"t");
	EXPECT(NODE(EXPR_IN, TYPE_BOOL, LIT_LIST("{}"), LIT_LIST("{z}"), LIT_LIST("{a}"),
		       LIT_LIST("{}")),
		"t");
	EXPECT(NODE(EXPR_IN, TYPE_BOOL, LIT_LIST("{a}"), LIT_LIST("{z}"), LIT_LIST("{a,a}")), "f");
	EXPECT(NODE(EXPR_IN, TYPE_BOOL, LIT_LIST("{a}"), LIT_LIST("{z}"), LIT_LIST("NULL")),
		"NULL");
}

static void test_python(void **state)
{
	struct fixture *f = *state;
	struct expr *texts, *keys;

	EXPECT(PY_LIST("['a', None, 'b c', 1]"), "{a,NULL,\"b c\",1}");
	EXPECT(PY_LIST("[]"), "{}");
	EXPECT(PY_LIST("['a'"), "NULL");
	EXPECT(PY_LIST(""), "NULL");
	EXPECT(PY_LIST("NULL"), "NULL");
	EXPECT(PY_PLUCK("[{'name': 'x'}, {'id': 1}, {'name': None}]", "name"), "{x,NULL}");
	EXPECT(PY_PLUCK("['name']", "name"), "{}");
	EXPECT(PY_PLUCK("{'name': 'x'}", "name"), "NULL");
	EXPECT(PY_PLUCK("[{'name': 'x'}]", "NULL"), "NULL");

	/* Rows that are no lists between others, and a key that varies. */
	fixture_reset(f);
	texts = COLUMN(TYPE_TEXT, "[{'a': 'x\\ty', 'b': 1}]|no|NULL|[]|[{'b': [1]}, {'b': 2}]");
	keys = COLUMN(TYPE_TEXT, "a|a|a|b|b");
	assert_string_equal(fixture_eval(f, CALL(FN_PY_PLUCK, TYPE_TEXT_LIST, texts, keys)),
		"{\"x\ty\"}|NULL|NULL|{}|{[1],2}");
	assert_string_equal(
		fixture_eval(f, CALL(FN_PY_PLUCK, TYPE_TEXT_LIST, texts, LIT_TEXT("b"))),
		"{1}|NULL|NULL|{}|{[1],2}");
	fixture_select(f, "1,4");
	assert_string_equal(
		fixture_eval(f, CALL(FN_PY_PLUCK, TYPE_TEXT_LIST, texts, keys)), "NULL|{[1],2}");
}

/* Filters over plucked lists, as queries have them. */
static void test_filter(void **state)
{
	struct fixture *f = *state;
	struct expr *texts =
		COLUMN(TYPE_TEXT, "[{'name': 'Drama'}, {'name': 'War'}]|[]|oops|[{'name': 'War'}]");
	struct expr *names = CALL(FN_PY_PLUCK, TYPE_TEXT_LIST, texts, LIT_TEXT("name"));

	assert_string_equal(FILTER(CALL(FN_ANY_EQ, TYPE_BOOL, LIT_TEXT("Drama"), names)), "0");
	assert_string_equal(
		FILTER(CALL(FN_LIST_CONTAINS, TYPE_BOOL, names, LIT_LIST("{War}"))), "0,3");
	assert_string_equal(FILTER(CALL(FN_EQ, TYPE_BOOL, names, LIT_LIST("{}"))), "1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_length, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_get, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_contains, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_concat, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_position, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_join, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_split, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_any, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_compare, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_in, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_python, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_filter, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
