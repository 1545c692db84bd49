#include "unit/exec/expr/eval_fixture.h"

#define TEXT_OF(function, ...) CALL(function, TYPE_TEXT, __VA_ARGS__)
#define INT_OF(function, ...)  CALL(function, TYPE_INT, __VA_ARGS__)

static void test_concat(void **state)
{
	struct fixture *f = *state;

	EXPECT(TEXT_OF(FN_CONCAT, LIT_TEXT("2024"), LIT_TEXT("-H1")), "2024-H1");
	EXPECT(TEXT_OF(FN_CONCAT, LIT_TEXT(""), LIT_TEXT("")), "");
	EXPECT(TEXT_OF(FN_CONCAT, LIT_TEXT("a"), LIT_TEXT("NULL")), "NULL");
	EXPECT(TEXT_OF(FN_CONCAT_ALL, LIT_TEXT("a"), LIT_TEXT("NULL"), LIT_TEXT("b")), "ab");
	EXPECT(TEXT_OF(FN_CONCAT_ALL, LIT_TEXT("NULL"), LIT_TEXT("NULL")), "");
}

static void test_case_of_letters(void **state)
{
	struct fixture *f = *state;

	EXPECT(TEXT_OF(FN_LOWER, LIT_TEXT("Coffee SHOP 1")), "coffee shop 1");
	EXPECT(TEXT_OF(FN_UPPER, LIT_TEXT("az{`")), "AZ{`");
	EXPECT(TEXT_OF(FN_UPPER, LIT_TEXT("ñandú ß 日本")), "ÑANDÚ ß 日本");
	EXPECT(TEXT_OF(FN_LOWER, LIT_TEXT("ÀÉΩ")), "àéω");
	/* Not UTF-8: as it came. */
	EXPECT(TEXT_OF(FN_UPPER, LIT_TEXT("a\xff\xc3")), "A\xff\xc3");
	EXPECT(TEXT_OF(FN_LOWER, LIT_TEXT("\xe2\x82"
					  "A\xf5\x80\x80\x80")),
		"\xe2\x82"
		"a\xf5\x80\x80\x80");
	/* One that grows from two bytes to three. */
	EXPECT(TEXT_OF(FN_UPPER, LIT_TEXT("ɐɐɐ")), "ⱯⱯⱯ");
}

static void test_lengths_and_positions(void **state)
{
	struct fixture *f = *state;

	EXPECT(INT_OF(FN_LENGTH, LIT_TEXT("日本語")), "3");
	EXPECT(INT_OF(FN_LENGTH, LIT_TEXT("\x80\x80"
					  "a")),
		"2");
	EXPECT(INT_OF(FN_OCTET_LENGTH, LIT_TEXT("日本語")), "9");
	EXPECT(INT_OF(FN_POSITION, LIT_TEXT("日本語"), LIT_TEXT("語")), "3");
	EXPECT(INT_OF(FN_POSITION, LIT_TEXT("abc"), LIT_TEXT("")), "1");
	EXPECT(INT_OF(FN_POSITION, LIT_TEXT(""), LIT_TEXT("")), "1");
	EXPECT(INT_OF(FN_POSITION, LIT_TEXT("abc"), LIT_TEXT("bd")), "0");
	EXPECT(INT_OF(FN_POSITION, LIT_TEXT("ab"), LIT_TEXT("abc")), "0");
	EXPECT(CALL(FN_STARTS_WITH, TYPE_BOOL, LIT_TEXT("coffee"), LIT_TEXT("cof")), "t");
	EXPECT(CALL(FN_STARTS_WITH, TYPE_BOOL, LIT_TEXT("co"), LIT_TEXT("cof")), "f");
	EXPECT(CALL(FN_STARTS_WITH, TYPE_BOOL, LIT_TEXT(""), LIT_TEXT("")), "t");
}

static void test_long_search(void **state)
{
	struct fixture *f = *state;
	char text[2001];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memcpy(text + 1990, "needle", 6);
	EXPECT(INT_OF(FN_POSITION, LIT_TEXT(text), LIT_TEXT("needle")), "1991");
	EXPECT(INT_OF(FN_POSITION, LIT_TEXT(text), LIT_TEXT("needles")), "0");
}

static void test_substring(void **state)
{
	struct fixture *f = *state;

	EXPECT(TEXT_OF(FN_SUBSTRING, LIT_TEXT("coffee"), LIT_INT("2")), "offee");
	EXPECT(TEXT_OF(FN_SUBSTRING, LIT_TEXT("coffee"), LIT_INT("-1")), "coffee");
	EXPECT(TEXT_OF(FN_SUBSTRING, LIT_TEXT("coffee"), LIT_INT("2"), LIT_INT("3")), "off");
	EXPECT(TEXT_OF(FN_SUBSTRING, LIT_TEXT("coffee"), LIT_INT("-1"), LIT_INT("4")), "co");
	EXPECT(TEXT_OF(FN_SUBSTRING, LIT_TEXT("coffee"), LIT_INT("-5"), LIT_INT("2")), "");
	EXPECT(TEXT_OF(FN_SUBSTRING, LIT_TEXT("coffee"), LIT_INT("9"), LIT_INT("2")), "");
	EXPECT(TEXT_OF(FN_SUBSTRING, LIT_TEXT("日本語"), LIT_INT("2"), LIT_INT("1")), "本");
	EXPECT(TEXT_OF(FN_SUBSTRING, LIT_TEXT("abc"), LIT_INT("2"), LIT_INT("2147483647")), "bc");
	EXPECT(TEXT_OF(FN_SUBSTRING, LIT_TEXT("abc"), LIT_INT("-2147483648"),
		       LIT_INT("2147483647")),
		"");
	EXPECT(TEXT_OF(FN_SUBSTRING, LIT_TEXT("abc"), LIT_INT("1"), LIT_INT("-1")),
		"ERROR: negative substring length not allowed");
	EXPECT(TEXT_OF(FN_LEFT, LIT_TEXT("héllo"), LIT_INT("2")), "hé");
	EXPECT(TEXT_OF(FN_LEFT, LIT_TEXT("héllo"), LIT_INT("-2")), "hél");
	EXPECT(TEXT_OF(FN_LEFT, LIT_TEXT("abc"), LIT_INT("-9")), "");
	EXPECT(TEXT_OF(FN_RIGHT, LIT_TEXT("héllo"), LIT_INT("4")), "éllo");
	EXPECT(TEXT_OF(FN_RIGHT, LIT_TEXT("abc"), LIT_INT("-1")), "bc");
	EXPECT(TEXT_OF(FN_RIGHT, LIT_TEXT("abc"), LIT_INT("9")), "abc");
}

static void test_trim(void **state)
{
	struct fixture *f = *state;

	EXPECT(TEXT_OF(FN_TRIM_BOTH, LIT_TEXT("  a b "), LIT_TEXT(" ")), "a b");
	EXPECT(TEXT_OF(FN_TRIM_LEFT, LIT_TEXT("xyxa"), LIT_TEXT("yx")), "a");
	EXPECT(TEXT_OF(FN_TRIM_RIGHT, LIT_TEXT("aéxé"), LIT_TEXT("éx")), "a");
	EXPECT(TEXT_OF(FN_TRIM_BOTH, LIT_TEXT("xxx"), LIT_TEXT("x")), "");
	EXPECT(TEXT_OF(FN_TRIM_BOTH, LIT_TEXT("xax"), LIT_TEXT("")), "xax");
	/* Characters, not bytes: é and è share their first. */
	EXPECT(TEXT_OF(FN_TRIM_BOTH, LIT_TEXT("éaé"), LIT_TEXT("è")), "éaé");
}

static void test_split_and_replace(void **state)
{
	struct fixture *f = *state;

	EXPECT(TEXT_OF(FN_SPLIT_PART, LIT_TEXT("a,b,,c"), LIT_TEXT(","), LIT_INT("2")), "b");
	EXPECT(TEXT_OF(FN_SPLIT_PART, LIT_TEXT("a,b,,c"), LIT_TEXT(","), LIT_INT("3")), "");
	EXPECT(TEXT_OF(FN_SPLIT_PART, LIT_TEXT("a,b,,c"), LIT_TEXT(","), LIT_INT("9")), "");
	EXPECT(TEXT_OF(FN_SPLIT_PART, LIT_TEXT("a,b,,c"), LIT_TEXT(","), LIT_INT("-1")), "c");
	EXPECT(TEXT_OF(FN_SPLIT_PART, LIT_TEXT("a,b,,c"), LIT_TEXT(","), LIT_INT("-4")), "a");
	EXPECT(TEXT_OF(FN_SPLIT_PART, LIT_TEXT("a,b,,c"), LIT_TEXT(","), LIT_INT("-5")), "");
	EXPECT(TEXT_OF(FN_SPLIT_PART, LIT_TEXT("abc"), LIT_TEXT(""), LIT_INT("-1")), "abc");
	EXPECT(TEXT_OF(FN_SPLIT_PART, LIT_TEXT("abc"), LIT_TEXT(""), LIT_INT("2")), "");
	EXPECT(TEXT_OF(FN_SPLIT_PART, LIT_TEXT("abc"), LIT_TEXT(","), LIT_INT("0")),
		"ERROR: field position must not be zero");
	EXPECT(TEXT_OF(FN_REPLACE, LIT_TEXT("aXbXc"), LIT_TEXT("X"), LIT_TEXT("--")), "a--b--c");
	EXPECT(TEXT_OF(FN_REPLACE, LIT_TEXT("aaa"), LIT_TEXT("aa"), LIT_TEXT("b")), "ba");
	EXPECT(TEXT_OF(FN_REPLACE, LIT_TEXT("abc"), LIT_TEXT(""), LIT_TEXT("x")), "abc");
	EXPECT(TEXT_OF(FN_REPLACE, LIT_TEXT("abab"), LIT_TEXT("ab"), LIT_TEXT("")), "");
}

static void test_rebuilding(void **state)
{
	struct fixture *f = *state;

	EXPECT(TEXT_OF(FN_REVERSE, LIT_TEXT("añb")), "bña");
	EXPECT(TEXT_OF(FN_REPEAT, LIT_TEXT("ab"), LIT_INT("3")), "ababab");
	EXPECT(TEXT_OF(FN_REPEAT, LIT_TEXT("ab"), LIT_INT("-3")), "");
	EXPECT(TEXT_OF(FN_REPEAT, LIT_TEXT(""), LIT_INT("2147483647")), "");
	EXPECT(TEXT_OF(FN_REPEAT, LIT_TEXT("ab"), LIT_INT("2147483647")),
		"ERROR: a text of 4294967294 bytes is too long (67108864 at most)");
	EXPECT(TEXT_OF(FN_LPAD, LIT_TEXT("7"), LIT_INT("3"), LIT_TEXT("0")), "007");
	EXPECT(TEXT_OF(FN_LPAD, LIT_TEXT("a"), LIT_INT("6"), LIT_TEXT("xyé")), "xyéxya");
	EXPECT(TEXT_OF(FN_RPAD, LIT_TEXT("a"), LIT_INT("3"), LIT_TEXT("é")), "aéé");
	EXPECT(TEXT_OF(FN_RPAD, LIT_TEXT("abcdef"), LIT_INT("3"), LIT_TEXT("x")), "abc");
	EXPECT(TEXT_OF(FN_LPAD, LIT_TEXT("abc"), LIT_INT("-1"), LIT_TEXT("x")), "");
	EXPECT(TEXT_OF(FN_LPAD, LIT_TEXT("abc"), LIT_INT("5"), LIT_TEXT("")), "abc");
	EXPECT(TEXT_OF(FN_RPAD, LIT_TEXT("a"), LIT_INT("2147483647"), LIT_TEXT("x")),
		"ERROR: a text of 2147483647 bytes is too long (67108864 at most)");
}

/* What one batch may make is limited, too. */
static void test_batch_limit(void **state)
{
	struct fixture *f = *state;
	struct expr *count = COLUMN(TYPE_INT, "60000000|60000000|60000000|60000000|60000000");

	assert_string_equal(
		fixture_eval(f, INT_OF(FN_LENGTH, TEXT_OF(FN_REPEAT, LIT_TEXT("x"), count))),
		"ERROR: repeat makes more than 268435456 bytes of text for one batch of rows");
	assert_int_equal(f->err.code, ERROR_LIMIT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_concat),
		TEST(test_case_of_letters),
		TEST(test_lengths_and_positions),
		TEST(test_long_search),
		TEST(test_substring),
		TEST(test_trim),
		TEST(test_split_and_replace),
		TEST(test_rebuilding),
		TEST(test_batch_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
