/* Regular expressions: PostgreSQL's answers, and what must not happen with patterns of any kind. */
#include "unit/exec/expr/eval_fixture.h"

#include "base/rng.h"
#include "exec/func/regex.h"
#include "unit/exec/func/regex_cases.h"

#include <pthread.h>
#include <time.h>

#define MATCH(text, pattern, flags) \
	CALL(FN_REGEX_MATCH, TYPE_BOOL, LIT_TEXT(text), LIT_TEXT(pattern), LIT_TEXT(flags))
#define GROUPS(text, pattern, flags) \
	CALL(FN_REGEX_GROUPS, TYPE_TEXT_LIST, LIT_TEXT(text), LIT_TEXT(pattern), LIT_TEXT(flags))
#define SUBSTRING(text, pattern) \
	CALL(FN_REGEX_SUBSTRING, TYPE_TEXT, LIT_TEXT(text), LIT_TEXT(pattern), LIT_TEXT(""))
#define SPLIT(text, pattern, flags) \
	CALL(FN_REGEX_SPLIT, TYPE_TEXT_LIST, LIT_TEXT(text), LIT_TEXT(pattern), LIT_TEXT(flags))
#define COUNT(text, pattern, flags) \
	CALL(FN_REGEX_COUNT, TYPE_INT, LIT_TEXT(text), LIT_TEXT(pattern), LIT_TEXT(flags))
#define REPLACE(text, pattern, by, flags)                                                  \
	CALL(FN_REGEX_REPLACE, TYPE_TEXT, LIT_TEXT(text), LIT_TEXT(pattern), LIT_TEXT(by), \
		LIT_TEXT(flags))

static void expect(struct fixture *f, const struct regex_case *c, const char *what,
	const struct expr *expr, const char *expected)
{
	const char *got = fixture_eval(f, expr);

	if (strcmp(got, expected) != 0)
		fail_msg("%s of '%s', '%s', '%s': got %s, expected %s", what, c->text, c->pattern,
			c->flags, got, expected);
}

static void test_as_postgresql(void **state)
{
	struct fixture *f = *state;

	f->batch.rows = f->batch.selected = 1;
	for (size_t i = 0; i < sizeof(regex_cases) / sizeof(regex_cases[0]); i++) {
		const struct regex_case *c = &regex_cases[i];
		char global[8] = "g";

		strncat(global, c->flags, sizeof(global) - 2);
		expect(f, c, "match", MATCH(c->text, c->pattern, c->flags), c->groups ? "t" : "f");
		expect(f, c, "groups", GROUPS(c->text, c->pattern, c->flags),
			c->groups ? c->groups : "NULL");
		expect(f, c, "split", SPLIT(c->text, c->pattern, c->flags), c->split);
		expect(f, c, "count", COUNT(c->text, c->pattern, c->flags), c->count);
		expect(f, c, "replace", REPLACE(c->text, c->pattern, "<\\1|\\&>", global),
			c->replaced);
	}
}

/* One row a pattern: each is compiled when it comes, and the first one again at the end. */
static void test_varying(void **state)
{
	struct fixture *f = *state;
	struct expr *texts = COLUMN(TYPE_TEXT, "abc|abc|NULL|abc|xyz|abc");
	struct expr *patterns = COLUMN(TYPE_TEXT, "b|^b|b|NULL|(x)(q)?|b");
	struct expr *flags = COLUMN(TYPE_TEXT, "|||||");

	assert_string_equal(
		fixture_eval(f, CALL(FN_REGEX_MATCH, TYPE_BOOL, texts, patterns, flags)),
		"t|f|NULL|NULL|t|t");
	assert_string_equal(
		fixture_eval(f, CALL(FN_REGEX_GROUPS, TYPE_TEXT_LIST, texts, patterns, flags)),
		"{b}|NULL|NULL|NULL|{x,NULL}|{b}");
	assert_string_equal(fixture_eval(f, CALL(FN_REGEX_REPLACE, TYPE_TEXT, texts, patterns,
						    LIT_TEXT("-"), flags)),
		"a-c|abc|NULL|NULL|-yz|a-c");
	assert_string_equal(
		FILTER(CALL(FN_REGEX_MATCH, TYPE_BOOL, texts, LIT_TEXT("B"), LIT_TEXT("i"))),
		"0,1,3,5");
	fixture_select(f, "1,4");
	assert_string_equal(
		fixture_eval(f, CALL(FN_REGEX_COUNT, TYPE_INT, texts, patterns, LIT_TEXT("i"))),
		"0|1");
}

static void test_substring(void **state)
{
	struct fixture *f = *state;

	EXPECT(SUBSTRING("foobar", "o.b"), "oob");
	EXPECT(SUBSTRING("foobar", "o(.)b"), "o");
	EXPECT(SUBSTRING("foobar", "(z)|o"), "NULL");
	EXPECT(SUBSTRING("foobar", "z"), "NULL");
	EXPECT(SUBSTRING("foobar", "z*"), "");
	EXPECT(SUBSTRING("", ""), "");
	EXPECT(SUBSTRING("NULL", "a"), "NULL");
}

static void test_replacement(void **state)
{
	struct fixture *f = *state;

	EXPECT(REPLACE("foobarbaz", "b..", "X", ""), "fooXbaz");
	EXPECT(REPLACE("foobarbaz", "b..", "X", "g"), "fooXX");
	EXPECT(REPLACE("foobarbaz", "b(..)", "X\\1Y", "g"), "fooXarYXazY");
	EXPECT(REPLACE("abc", "b", "\\\\", ""), "a\\c");
	EXPECT(REPLACE("abc", "b", "\\", ""), "a\\c");
	EXPECT(REPLACE("abc", "b", "\\q\\0", ""), "a\\q\\0c");
	EXPECT(REPLACE("abc", "b", "\\9", ""), "ac");
	EXPECT(REPLACE("abc", "(b)|(z)", "[\\2]", ""), "a[]c");
	EXPECT(REPLACE("abc", "", "-", "g"), "-a-b-c-");
	EXPECT(REPLACE("\xc3\xa9\xc3\xa9", "", "-", "g"), "-\xc3\xa9-\xc3\xa9-");
	EXPECT(REPLACE("abc", "z", "-", "g"), "abc");
	EXPECT(REPLACE("abc", ".*", "", ""), "");
	EXPECT(REPLACE("", "^", "x", "g"), "x");
}

/* Plain texts take a way of their own. */
static void test_literals(void **state)
{
	struct fixture *f = *state;

	EXPECT(MATCH("a.b", "a\\.b", ""), "t");
	EXPECT(MATCH("axb", "a\\.b", ""), "f");
	EXPECT(MATCH("ab", "^ab$", ""), "t");
	EXPECT(MATCH("abab", "^ab$", ""), "f");
	EXPECT(MATCH("xab", "ab$", ""), "t");
	EXPECT(MATCH("abx", "ab$", ""), "f");
	EXPECT(MATCH("abx", "^ab", ""), "t");
	EXPECT(MATCH("x\nab", "^ab", ""), "f");
	EXPECT(MATCH("x\nab", "^ab", "n"), "t");
	EXPECT(MATCH("", "ab", ""), "f");
	EXPECT(MATCH("a", "ab$", ""), "f");
	EXPECT(COUNT("ababab", "^ab", ""), "1");
	EXPECT(COUNT("ababab", "ab$", ""), "1");
	EXPECT(COUNT("ababab", "ab", ""), "3");
	EXPECT(REPLACE("ababab", "ab$", "X", "g"), "ababX");
	EXPECT(SPLIT("ababab", "ba", ""), "{a,\"\",b}");
	EXPECT(MATCH("\xc3\xa9t\xc3\xa9", "t\xc3\xa9$", ""), "t");
}

static void test_errors(void **state)
{
	struct fixture *f = *state;
	char text[ERROR_MESSAGE_MAX + 16];

	for (size_t i = 0; i < sizeof(regex_errors) / sizeof(regex_errors[0]); i++) {
		snprintf(text, sizeof(text), "ERROR: %s", regex_errors[i].message);
		EXPECT(MATCH("a", regex_errors[i].pattern, ""), text);
	}
	EXPECT(MATCH("a", "a", "y"), "ERROR: invalid regular expression option: \"y\"");
	EXPECT(MATCH("a", "a", "b"),
		"ERROR: regular expression option \"b\" is not supported: only "
		"advanced regular expressions are");
	EXPECT(MATCH("a", "a", "g"), "ERROR: regexp_like() does not support the \"global\" option");
	EXPECT(GROUPS("a", "a", "ig"),
		"ERROR: regexp_match() does not support the \"global\" option");
	EXPECT(MATCH("a", "(?<=a+)b", ""),
		"ERROR: invalid regular expression: a lookbehind that is "
		"not of one length is not supported");
	EXPECT(MATCH("a", "\xff", ""), "ERROR: invalid regular expression: it is not in UTF-8");
	EXPECT(MATCH("a", "(((((a{255}){255}){255}){255}){255})", ""),
		"ERROR: invalid regular expression: regular expression is too complex");
}

/* A constant pattern that is bad is an error before the first row, and without any. */
static void test_error_at_once(void **state)
{
	struct fixture *f = *state;
	struct expr *texts = COLUMN(TYPE_TEXT, "a|b");
	struct evaluator *evaluator = NULL;
	struct expr *expr = CALL(FN_REGEX_MATCH, TYPE_BOOL, texts, LIT_TEXT("("), LIT_TEXT(""));

	assert_int_equal(evaluator_new(&evaluator, expr, &f->err), -1);
	assert_int_equal(f->err.code, ERROR_EVAL);
	assert_string_equal(
		f->err.message, "invalid regular expression: parentheses () not balanced");
}

static void test_nesting(void **state)
{
	struct fixture *f = *state;
	char pattern[2001];

	for (size_t depth = 1; depth <= 1000; depth += 111) {
		const char *got;

		memset(pattern, '(', depth);
		memset(pattern + depth, ')', depth);
		pattern[2 * depth] = '\0';
		f->batch.rows = f->batch.selected = 1;
		got = fixture_eval(f, MATCH("a", pattern, ""));
		assert_string_equal(got,
			depth < 200 ? "t"
				    : "ERROR: invalid regular expression: regular expression is "
				      "too complex");
	}
}

/* Patterns on which backtracking takes for ever. */
static void test_explosive(void **state)
{
	struct fixture *f = *state;
	char text[102];

	memset(text, 'a', 100);
	memcpy(text + 100, "b", 2);
	EXPECT(MATCH(text, "^(a+)+$", ""), "f");
	EXPECT(MATCH(text, "^(a|aa)+$", ""), "f");
	EXPECT(COUNT(text, "(a*)*c", ""), "0");
	EXPECT(MATCH(text, "^(a+)+\\1$", ""),
		"ERROR: regular expression failed: match limit exceeded");
}

/* Bytes that are not UTF-8 are characters, and pass through unchanged. */
static void test_invalid_utf8(void **state)
{
	struct fixture *f = *state;

	EXPECT(MATCH("a\xff", "a.$", ""), "t");
	EXPECT(MATCH("a\xff\xfe", "a.$", ""), "f");
	EXPECT(MATCH("\xff", "\\w", ""), "f");
	EXPECT(MATCH("\xc3", "\xc3\xa9", ""), "f");
	EXPECT(REPLACE("\xff"
		       "b\xc3\xa9\xff",
		       "b", "<\\&>", "g"),
		"\xff<b>\xc3\xa9\xff");
	EXPECT(REPLACE("\xff"
		       "B\xc3\xa9\xff",
		       "[ab]|\xc3\x89", "<\\&>", "gi"),
		"\xff<B><\xc3\xa9>\xff");
	EXPECT(GROUPS("x\xff\xfey", "x(.)(.)y", ""), "{\xff,\xfe}");
}

/* Any pattern on any text, each in memory of exactly its size: matches are within the text. */
static void test_random(void **state)
{
	static const char *const tokens[] = {"a", "b", ".", "*", "+", "?", "(", ")", "[", "]", "^",
		"$", "|", "\\", "{", "}", "1", ",", "-", "(?:", "(?=", "(?<!", "[[:alpha:]]", "\\w",
		"\\1", "\xc3\xa9", "[^a", "*?", "{2}", "\xff", "\\M", ":"};
	struct rng rng;

	(void)state;
	rng_init(&rng, 11);
	for (int turn = 0; turn < 20000; turn++) {
		char bytes[64];
		struct regex *regex;
		struct error err;
		uint32_t size = 0, start, end;
		uint32_t count = (uint32_t)rng_below(&rng, 8);
		char *pattern, *text;

		for (uint32_t k = 0; k < count; k++) {
			const char *token =
				tokens[rng_below(&rng, sizeof(tokens) / sizeof(tokens[0]))];

			memcpy(bytes + size, token, strlen(token));
			size += (uint32_t)strlen(token);
		}
		pattern = memcpy(malloc(size + 1), bytes, size);
		if (regex_new(&regex, text_from(pattern, size), text_from("", 0), &err) == 0) {
			text = memcpy(malloc(6), "aab\xc3\xa9", 5);
			regex_begin(regex, text_from(text, 5));
			for (uint32_t from = 0; from <= 3; from++) {
				if (regex_find(regex, from, REGEX_WISH_GROUPS, &err) <= 0)
					continue;
				assert_true(regex_group(regex, 0, &start, &end));
				assert_true(from <= start && start <= end && end <= 5);
				for (uint32_t g = 1; g <= regex_group_count(regex); g++)
					if (regex_group(regex, g, &start, &end))
						assert_true(start <= end && end <= 5);
			}
			free(text);
			regex_free(regex);
		}
		free(pattern);
	}
}

/* Where the first match of `x+y` starts, in a text that has one at `at` and no other. */
static void expect_match_at(struct regex *regex, char *text, uint32_t size, uint32_t at)
{
	struct error err;
	uint32_t start, end;

	memcpy(text + at, "xxy", 3);
	regex_begin(regex, text_from(text, size));
	for (uint32_t from = 0; from <= at; from += at / 3 + 1) {
		assert_int_equal(regex_find(regex, from, REGEX_WISH_GROUPS, &err), 1);
		assert_true(regex_group(regex, 0, &start, &end));
		assert_int_equal(start, at);
		assert_int_equal(end, at + 3);
	}
	assert_int_equal(regex_find(regex, at + 3, REGEX_WISH_EXTENT, &err), 0);
	memcpy(text + at, "abc", 3);
}

/* A long text is searched part by part, and a match may start or end at any edge. */
static void test_long_texts(void **state)
{
	const char *patterns[] = {"x+y", "(x|xx)y"};
	const uint32_t size = 9000;
	char *text = malloc(size);

	(void)state;
	for (size_t p = 0; p < sizeof(patterns) / sizeof(*patterns); p++) {
		struct regex *regex;
		struct error err;

		for (uint32_t i = 0; i < size; i++)
			text[i] = "abc"[i % 3];
		assert_int_equal(regex_new(&regex, text_from(patterns[p], strlen(patterns[p])),
					 text_from("", 0), &err),
			0);
		for (uint32_t at = 0; at + 3 <= size; at += at < 900 ? 3 : 150)
			expect_match_at(regex, text, size, at);
		regex_free(regex);
	}
	free(text);
}

/* The same of characters of two bytes: no part starts within one. */
static void test_long_wide_texts(void **state)
{
	const char *pattern = "[^a]é$";
	const uint32_t size = 6002;
	struct regex *regex;
	struct error err;
	uint32_t start, end;
	char *text = malloc(size);

	(void)state;
	for (uint32_t i = 0; i < size; i += 2)
		memcpy(text + i, "é", 2);
	assert_int_equal(
		regex_new(&regex, text_from(pattern, strlen(pattern)), text_from("", 0), &err), 0);
	regex_begin(regex, text_from(text, size));
	for (uint32_t from = 0; from < 10; from += 2) {
		assert_int_equal(regex_find(regex, from, REGEX_WISH_GROUPS, &err), 1);
		assert_true(regex_group(regex, 0, &start, &end));
		assert_int_equal(start, size - 4);
		assert_int_equal(end, size);
	}
	regex_free(regex);
	free(text);
}

static void *set_soon(void *flag)
{
	struct timespec pause = {.tv_nsec = 20000000};

	nanosleep(&pause, NULL);
	atomic_store((atomic_bool *)flag, true);
	return NULL;
}

/* One search that would take hours, and somebody who has enough of it. */
static void test_stop(void **state)
{
	const char *pattern = "(a|b)*[xyz]";
	const uint32_t size = 4u << 20;
	char *text = malloc(size);
	atomic_bool stop = false;
	struct regex *regex;
	struct error err;
	pthread_t thread;

	(void)state;
	memset(text, 'a', size);
	assert_int_equal(
		regex_new(&regex, text_from(pattern, strlen(pattern)), text_from("", 0), &err), 0);
	regex_stop_with(regex, NULL, &stop);
	regex_begin(regex, text_from(text, size));
	assert_int_equal(pthread_create(&thread, NULL, set_soon, &stop), 0);
	assert_int_equal(regex_find(regex, 0, REGEX_WISH_TRUTH, &err), -1);
	assert_int_equal(err.code, ERROR_INTERRUPTED);
	assert_int_equal(pthread_join(thread, NULL), 0);
	regex_free(regex);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_as_postgresql, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_varying, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_substring, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_replacement, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_literals, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_errors, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_error_at_once, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_nesting, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_explosive, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_invalid_utf8, fixture_setup, fixture_teardown),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_long_texts),
		cmocka_unit_test(test_long_wide_texts),
		cmocka_unit_test(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
