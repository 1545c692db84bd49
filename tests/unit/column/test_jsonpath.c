#include "column/jsonpath.h"

#include "base/buf.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What PostgreSQL prints for a path, and what of that again: the answers of tests/sql/jsonpath.sql. */
static void test_texts(void **state)
{
	static const char *const cases[][2] = {
		{"$", "$"},
		{"strict $.a ? (@.b == 1 || @.c != -2)",
			"strict $.\"a\"?(@.\"b\" == 1 || @.\"c\" != -2)"},
		{"$.a[1, $b to last]", "$.\"a\"[1,$\"b\" to last]"},
		{"1 * 2 + 4 % -3 != false", "(1 * 2 + 4 % -3 != false)"},
		{"$.**{2 to 2}.k", "$.**{2}.\"k\""},
		{"\"\\u{41}\\x42\\v\"", "\"AB\\u000b\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text text = text_from(cases[i][0], strlen(cases[i][0]));
		struct jsonpath path;
		struct arena arena;
		const char *reason = "";
		struct buf out;

		arena_init(&arena, 1 << 12);
		buf_init(&out, 1 << 12);
		if (!jsonpath_parse(text, &arena, &path, &reason))
			fail_msg("%s: %s", cases[i][0], reason);
		jsonpath_format(&path, &out);
		buf_append_char(&out, '\0');
		assert_string_equal(out.data, cases[i][1]);
		buf_release(&out);
		arena_release(&arena);
	}
}

static void assert_refused(const char *data, size_t size, const char *why)
{
	struct jsonpath path;
	struct arena arena;
	const char *reason = "";

	arena_init(&arena, 1 << 12);
	assert_false(jsonpath_parse(text_from(data, size), &arena, &path, &reason));
	assert_string_equal(reason, why);
	arena_release(&arena);
}

static void test_refused(void **state)
{
	static const char *const cases[][2] = {
		{"", "syntax error"},
		{"$.", "syntax error"},
		{"$ $", "syntax error"},
		{"$[", "syntax error"},
		{"$ == 1 == 2", "syntax error"},
		{"$ && true", "syntax error"},
		{"!$", "syntax error"},
		{"1 + (1 < 2)", "syntax error"},
		{"\"a", "unterminated quoted string"},
		{"\"\\u00", "invalid hexadecimal character sequence"},
		{"\"\\u0000\"", "unsupported Unicode escape sequence"},
		{"\"\\udc00\"", "Unicode low surrogate must follow a high surrogate"},
		{"\"\\ud800\\u", "invalid hexadecimal character sequence"},
		{"00", "trailing junk after numeric literal"},
		{"@", "@ is not allowed in root expressions"},
		{"last", "LAST is allowed only in array subscripts"},
		{"$ /* a", "unexpected end of comment"},
		{"$.**{4294967295}", "a level is out of range"},
		{"$ ? (@ like_regex \"a\" flag \"z\")",
			"unrecognized flag character in LIKE_REGEX predicate"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_refused(cases[i][0], strlen(cases[i][0]), cases[i][1]);
}

static void test_depth(void **state)
{
	enum { SIZE = 100000 };
	char *text = test_malloc(SIZE);

	(void)state;
	memset(text, '(', SIZE);
	assert_refused(text, SIZE, "a path nests too deep");
	memset(text, '-', SIZE);
	assert_refused(text, SIZE, "a path nests too deep");
	for (size_t i = 0; i + 3 <= SIZE; i += 3)
		memcpy(text + i, "$?(", 3);
	assert_refused(text, SIZE, "a path nests too deep");
	for (size_t i = 0; i + 2 <= SIZE; i += 2)
		memcpy(text + i, "$[", 2);
	assert_refused(text, SIZE, "a path nests too deep");
	test_free(text);
}

/* Whatever bytes it has, a text is read or refused; what is read can be printed. */
static void test_damage(void **state)
{
	static const char start[] = "strict $.a[0 to last].b ? (@.c starts with \"x\\u0041\" && "
				    "!(@ > 1.5e3)).**{1 to 2}";
	char text[sizeof(start)];
	struct rng rng;

	(void)state;
	rng_init(&rng, 7);
	for (int round = 0; round < 20000; round++) {
		struct jsonpath path;
		struct arena arena;
		const char *reason;
		struct buf out;

		memcpy(text, start, sizeof(text));
		for (int k = 0; k < 3; k++)
			text[rng_below(&rng, sizeof(text) - 1)] =
				start[rng_below(&rng, sizeof(start) - 1)];
		arena_init(&arena, 1 << 12);
		buf_init(&out, 1 << 14);
		if (jsonpath_parse(text_from(text, sizeof(text) - 1), &arena, &path, &reason)) {
			jsonpath_format(&path, &out);
			assert_true(out.size > 0);
		}
		buf_release(&out);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
