#include "unit/exec/expr/eval_fixture.h"

#include "base/rng.h"
#include "exec/func/like.h"

#define LIKE(text, pattern) \
	CALL(FN_LIKE, TYPE_BOOL, LIT_TEXT(text), LIT_TEXT(pattern), LIT_TEXT("\\"))
#define LIKE_ESCAPE(text, pattern, escape) \
	CALL(FN_LIKE, TYPE_BOOL, LIT_TEXT(text), LIT_TEXT(pattern), LIT_TEXT(escape))
#define ILIKE(text, pattern) \
	CALL(FN_ILIKE, TYPE_BOOL, LIT_TEXT(text), LIT_TEXT(pattern), LIT_TEXT("\\"))

static void test_wildcards(void **state)
{
	struct fixture *f = *state;

	EXPECT(LIKE("coffee", "coffee"), "t");
	EXPECT(LIKE("coffee", "coffe"), "f");
	EXPECT(LIKE("coffee", "cof%"), "t");
	EXPECT(LIKE("coffee", "%fee"), "t");
	EXPECT(LIKE("coffee", "%ff%"), "t");
	EXPECT(LIKE("coffee", "c%f%e"), "t");
	EXPECT(LIKE("coffee", "%fx%"), "f");
	EXPECT(LIKE("coffee", "______"), "t");
	EXPECT(LIKE("coffee", "_____"), "f");
	EXPECT(LIKE("coffee", "%_e"), "t");
	EXPECT(LIKE("", ""), "t");
	EXPECT(LIKE("", "%"), "t");
	EXPECT(LIKE("", "_"), "f");
	EXPECT(LIKE("a", ""), "f");
	/* Pieces must not overlap. */
	EXPECT(LIKE("aba", "ab%ba"), "f");
	EXPECT(LIKE("abba", "ab%ba"), "t");
	EXPECT(LIKE("aXbXc", "%X_"), "t");
	EXPECT(LIKE("NULL", "a"), "NULL");
}

static void test_characters(void **state)
{
	struct fixture *f = *state;

	EXPECT(LIKE("日本語", "_本_"), "t");
	EXPECT(LIKE("日本語", "__"), "f");
	EXPECT(LIKE("日本語", "%_"), "t");
	EXPECT(LIKE("é", "__"), "f");
	EXPECT(LIKE("añb", "%_b"), "t");
	EXPECT(LIKE("ñ", "_%_"), "f");
}

static void test_escapes(void **state)
{
	struct fixture *f = *state;

	EXPECT(LIKE("100%", "100\\%"), "t");
	EXPECT(LIKE("1000", "100\\%"), "f");
	EXPECT(LIKE("a_b", "a\\_b"), "t");
	EXPECT(LIKE("axb", "a\\_b"), "f");
	EXPECT(LIKE("a\\b", "a\\\\b"), "t");
	EXPECT(LIKE("ab", "a\\b"), "t");
	EXPECT(LIKE_ESCAPE("a\\b", "a\\b", ""), "t");
	EXPECT(LIKE_ESCAPE("a%", "a!%", "!"), "t");
	EXPECT(LIKE_ESCAPE("a%", "aé%", "é"), "t");
	EXPECT(LIKE_ESCAPE("a", "a", "xx"), "ERROR: invalid escape string");
	/* An escape at the end is an error only where the match gets there. */
	EXPECT(LIKE("abcd", "abc\\"), "ERROR: LIKE pattern must not end with escape character");
	EXPECT(LIKE("abc", "abc\\"), "f");
	EXPECT(LIKE("xyz", "abc\\"), "f");
	EXPECT(LIKE("xabcd", "%abc\\"), "ERROR: LIKE pattern must not end with escape character");
}

static void test_ilike(void **state)
{
	struct fixture *f = *state;

	EXPECT(ILIKE("Distributed Systems", "%DISTRIBUTED%"), "t");
	EXPECT(ILIKE("COFFEE", "c_ff%"), "t");
	EXPECT(ILIKE("COFFEE", "%EE"), "t");
	EXPECT(ILIKE("coffee", "TEA%"), "f");
	EXPECT(ILIKE("[", "{"), "f");
}

static void test_patterns_from_a_column(void **state)
{
	struct fixture *f = *state;
	struct expr *text = COLUMN(TYPE_TEXT, "abc|abc|xyz|NULL|a%c");
	struct expr *pattern = COLUMN(TYPE_TEXT, "a%|%d|_y_|%|a\\%c");
	struct expr *escape = LIT_TEXT("\\");

	assert_string_equal(
		fixture_eval(f, CALL(FN_LIKE, TYPE_BOOL, text, pattern, escape)), "t|f|t|NULL|t");
}

/* The definition, by recursion; ASCII only. */
static bool matches(const char *text, const char *pattern)
{
	if (*pattern == '\0')
		return *text == '\0';
	if (*pattern == '%')
		return matches(text, pattern + 1) || (*text && matches(text + 1, pattern));
	return *text && (*pattern == '_' || *pattern == *text) && matches(text + 1, pattern + 1);
}

static void random_text(struct rng *rng, const char *letters, size_t size_max, char *out)
{
	size_t size = rng_below(rng, size_max + 1);

	for (size_t i = 0; i < size; i++)
		out[i] = letters[rng_below(rng, strlen(letters))];
	out[size] = '\0';
}

static void test_against_the_definition(void **state)
{
	struct fixture *f = *state;
	struct rng rng;

	rng_init(&rng, 7);
	for (int turn = 0; turn < 20000; turn++) {
		char text[12], pattern[10];
		const struct like_pattern *like;
		bool truth;

		random_text(&rng, "ab", sizeof(text) - 1, text);
		random_text(&rng, "ab%_%", sizeof(pattern) - 1, pattern);
		assert_int_equal(like_compile(&f->arena, text_from(pattern, strlen(pattern)),
					 text_from("", 0), turn % 2, &like, &f->err),
			0);
		assert_int_equal(
			like_match(like, text_from(text, strlen(text)), &truth, &f->err), 0);
		if (truth != matches(text, pattern))
			fail_msg("'%s' like '%s' is %d", text, pattern, truth);
		arena_reset(&f->arena);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_wildcards),
		TEST(test_characters),
		TEST(test_escapes),
		TEST(test_ilike),
		TEST(test_patterns_from_a_column),
		TEST(test_against_the_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
