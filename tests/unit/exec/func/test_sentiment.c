#include "unit/exec/expr/eval_fixture.h"

#include "exec/func/lexicon_private.h"
#include "exec/func/sentiment.h"
#include "exec/func/sentiment_block.h"

#define LONG_TEXT_BYTES (1u << 20)

/*
 * The score of bytes that end where their memory ends, so that the address sanitizer sees every
 * read beyond them.
 */
static int32_t score_bytes(const char *bytes, size_t size)
{
	char *copy = malloc(size > 0 ? size : 1);
	int32_t score;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	score = sentiment_score(text_from(copy, size));
	free(copy);
	return score;
}

static int32_t score(const char *text)
{
	return score_bytes(text, strlen(text));
}

#define SCORE(text, expected) assert_int_equal(score(text), expected)
#define SAME(a, b)	      assert_int_equal(score(a), score(b))
#define STRONGER(a, b)	      assert_true(abs(score(a)) > abs(score(b)))

static void test_valences(void **state)
{
	(void)state;
	/* 1.9 / sqrt(1.9 * 1.9 + 15) and its like. */
	SCORE("good", 4404);
	SCORE("bad", -5423);
	SCORE("great", 6249);
	SCORE("good bad", -1531);
	SCORE("The book is on the table.", 0);
	SCORE("", 0);
	SCORE(" .!?:;<=> \n\t", 0);
	SAME("GOOD", "good");
	SAME("Good", "good");
	SAME("-good-", "good");
	SAME("(good)", "\"good\"");
	/* Parts of words are not words. */
	SCORE("goodx xgood good2 2good", 0);
	/* Of the words that reviews have and the lexicon lacks. */
	SCORE("mediocre", -3400);
	/* 16, 17 and 19 letters, and one more. */
	assert_true(score("antagonistically") < 0);
	assert_true(score("misrepresentation") < 0);
	assert_true(score("impressionistically") != 0);
	SCORE("impressionisticallyx", 0);
	SCORE("misrepresentationx", 0);
	SCORE("misrepresentatio", 0);
}

/* The generator and the reader of its tables hash alike. */
static void test_every_word_is_found(void **state)
{
	uint32_t count = 0;

	(void)state;
	for (uint32_t slot = 0; slot < 1u << LEXICON_SLOT_BITS; slot++) {
		const struct lexicon_word *word = &lexicon_words[slot];
		struct lexicon_key key = {word->low, word->high, word->tail};

		if (word->low == 0)
			continue;
		assert_true(lexicon_may_have(lexicon_hash(key)));
		assert_ptr_equal(lexicon_find(key, lexicon_hash(key)), word);
		count++;
	}
	assert_in_range(count, 7000, 1u << LEXICON_SLOT_BITS);
}

static void test_left_out(void **state)
{
	(void)state;
	SCORE("143 pages, po box 86, tx 187, xp", 0);
	SCORE("&quot;&gt;&amp;<br />", 0);
	SAME("not &quot;good&quot;", "not good");
	SAME("not &#34;good&#x22;", "not a good");
	SAME("not &; good", "good");
	SAME("not & so on; good", "good");
	SAME("not &amplification; good", "good");
}

static void test_negation(void **state)
{
	(void)state;
	SCORE("not good", -3412);
	SCORE("not bad", 4310);
	SAME("not one of these good", "good");
	SAME("not in the good", "not good");
	SAME("isn't good", "not good");
	SAME("isnt good", "not good");
	SAME("CAN'T good", "not good");
	SAME("isn\xe2\x80\x99t good", "not good");
	SAME("isn'splitSize good", "not good");
	SAME("cannot good", "never good");
	/* Neither a sentence nor a comma is crossed. */
	SAME("It is not. Good", "good");
	SAME("It is not; good", "good");
	SAME("Not this, good", "good");
	SAME("not but good", "good but good" + 5);
	/* "No" says something by itself, unless it negates. */
	SCORE("no", -2960);
	SAME("no good", "not good");
	SAME("John's good", "good");
	SAME("she'll good", "good");
}

static void test_never_so(void **state)
{
	(void)state;
	SCORE("never good", -3412);
	SAME("never so good", "so good");
	SAME("never been so good", "so good");
	SAME("at least good", "good");
	SAME("very least good", "very new good");
	SAME("least good", "not good");
}

static void test_if_negated(void **state)
{
	(void)state;
	SCORE("it works", 0);
	assert_true(score("it doesn't work") < 0);
	assert_true(score("I can't stand it") < 0);
	assert_true(score("can't wait") > 0);
	assert_true(score("a good fit") > 0);
	assert_true(score("does not fit") < 0);
}

static void test_boosters(void **state)
{
	(void)state;
	SCORE("very good", 4927);
	STRONGER("very good", "good");
	STRONGER("good", "somewhat good");
	STRONGER("very bad", "bad");
	STRONGER("bad", "slightly bad");
	STRONGER("very very good", "very good");
	/* The farther, the weaker; behind three words there is nothing left. */
	STRONGER("very good", "very new good");
	STRONGER("very new good", "very new old good");
	STRONGER("very new old good", "very new old red good");
	SAME("very new old red good", "good");
	SAME("very. good", "good");
	/* A booster does not count by itself where it boosts. */
	SAME("pretty good", "very good");
	SAME("terribly good", "very good");
	assert_true(score("pretty") > 0);
	SAME("kind of good", "kinda x good");
	assert_true(score("kind") > 0);
	SCORE("kind of", 0);
	SCORE("sort of", 0);
	/* Never so weak that the sign turns. */
	assert_true(score("slightly somewhat partly ok") >= 0);
}

static void test_words_with_two_meanings(void **state)
{
	(void)state;
	assert_true(score("I like it") > 0);
	assert_true(score("We really like it") > 0);
	assert_true(score("I don't like it") < 0);
	assert_true(score("do not like") < 0);
	SCORE("It looks like a phone", 0);
	SCORE("like", 0);
	assert_true(score("it works well") > 0);
	SCORE("this one as well", 0);
}

static void test_contrast(void **state)
{
	(void)state;
	/* (1.9 / 2 - 2.5 * 1.5) */
	SCORE("good but bad", -5859);
	SCORE("bad but good", 3818);
	STRONGER("good but bad", "good bad");
	assert_true(score("The food was good, however the service was bad") < score("good bad"));
	/* It ends with its sentence. */
	SAME("but. good", "good");
	STRONGER("but good", "good");
}

static void test_capitals(void **state)
{
	(void)state;
	STRONGER("a GOOD book", "a good book");
	STRONGER("a BAD book", "a bad book");
	SAME("A GOOD BOOK", "a good book");
	SAME("a Good book", "a good book");
	SAME("a GOOd book", "a good book");
	STRONGER("a GOOD\xe2\x80\x99S book", "a good book");
}

static void test_marks(void **state)
{
	(void)state;
	SCORE("good!", 4926);
	STRONGER("bad!", "bad");
	STRONGER("good!!", "good!");
	STRONGER("good!!!!", "good!!!");
	SAME("good!!!!!!!!", "good!!!!");
	SAME("good ! ! ", "good!!");
	/* It belongs to its sentence. */
	SAME("good. A book!", "good.");
	SAME("! good", "good");
	SAME("good?", "good");
	SAME("good. bad!", "bad! good.");
}

static void test_emoticons(void **state)
{
	(void)state;
	SCORE(":)", 4588);
	SCORE(":-(", -3612);
	SAME("a book :D", "a book :d");
	assert_true(score("Not my size :(") < 0);
	assert_true(score("a book <3") > 0);
	SAME(":-))", ".:-))");
	SCORE("Title:Description at 3:30, x:)", 0);
	SCORE("&quot;a book&quot;)", 0);
	SCORE(":", 0);
	SCORE("<", 0);
}

static void test_other_bytes(void **state)
{
	(void)state;
	SCORE("\xc3\xb1"
	      "good good\xc3\xb1 \xff\xfe good\x80",
		0);
	SAME("\xe2\x80\x9cgood\xe2\x80\x9d", "good");
	SAME("new\xe2\x80\x94good\xe2\x80\xa6", "new good");
	SAME("a\xc2\xa0good\xc2\xa0"
	     "book",
		"a good book");
	SAME("'good'", "good");
	SAME("\xe2\x80\x98good\xe2\x80\x99", "good");
	SCORE("'", 0);
	SCORE("\xe2\x80", 0);
	SCORE("\xe2\x80\x99", 0);
	SCORE("n't", 0);
	assert_int_equal(score_bytes("good\0bad", 8), score("good bad"));
	assert_int_equal(score_bytes("\0\0good", 6), score("good"));
}

static void test_blocks(void **state)
{
	(void)state;
	for (uint32_t first = 0; first < 256; first++) {
		struct text_block block, defined;
		char bytes[BLOCK_SIZE];

		for (uint32_t i = 0; i < BLOCK_SIZE; i++)
			bytes[i] = (char)(first + 37 * i);
		block = block_read(bytes);
		defined = block_read_portable(bytes);
		assert_int_equal(block.words, defined.words);
		assert_int_equal(block.hard, defined.hard);
		assert_int_equal(block.marks, defined.marks);
	}
}

/* Wherever a word stands among the blocks, the answer is the same. */
static void test_every_offset(void **state)
{
	static const char *const words[] = {"good", "isn't", "GOOD", "good!", "misrepresentation"};
	char text[512];

	(void)state;
	for (size_t w = 0; w < sizeof(words) / sizeof(*words); w++) {
		int32_t expected = 0;

		for (uint32_t offset = 0; offset < 200; offset++) {
			int32_t got;

			memset(text, ' ', sizeof(text));
			text[0] = 'x';
			memcpy(text + 2 + offset, words[w], strlen(words[w]));
			memcpy(text + 2 + offset + strlen(words[w]), " bad book.", 10);
			got = score_bytes(text, 2 + offset + strlen(words[w]) + 10);
			if (offset == 0)
				expected = got;
			assert_int_equal(got, expected);
		}
		assert_int_not_equal(expected, 0);
	}
}

/* No byte behind a prefix is read, nor before a suffix; and every one has a score. */
static void test_every_cut(void **state)
{
	static const char text[] =
		"I don\xe2\x80\x99t like this book, but the END was kind of good!! :-) It isn't "
		"the least bad; &quot;never so WELL&quot; as well... He'd "
		"\xe2\x80\x9csay\xe2\x80\x9d "
		"misrepresentation of counterrevolutionaryish matters <3 no like'n'like :D :";
	size_t size = sizeof(text) - 1;

	(void)state;
	for (size_t start = 0; start <= size; start++) {
		for (size_t end = start; end <= size; end++) {
			int32_t got = score_bytes(text + start, end - start);

			assert_in_range(got + 10000, 0, 20000);
		}
	}
}

/* -- Long ones: time that grows with the square would be noticed -- */

static void check_repeated(const char *piece, int32_t expected)
{
	size_t size = strlen(piece);
	char *text = malloc(LONG_TEXT_BYTES);
	size_t filled = 0;

	assert_non_null(text);
	for (; filled + size <= LONG_TEXT_BYTES; filled += size)
		memcpy(text + filled, piece, size);
	assert_int_equal(score_bytes(text, filled), expected);
	free(text);
}

static void test_long(void **state)
{
	(void)state;
	check_repeated("good ", 10000);
	check_repeated("GOOD ", 10000);
	check_repeated("not good ", -10000);
	check_repeated("bad!", -10000);
	check_repeated("a", 0);
	check_repeated("'", 0);
	check_repeated("\xe2\x80\x99", 0);
	check_repeated("\xe2", 0);
	check_repeated(":", 0);
	check_repeated(" ", 0);
	check_repeated("but ", 0);
	check_repeated("like ", 0);
	check_repeated("good bad good bad great but x. ", 10000);
}

/* -- In an expression -- */

static void test_function(void **state)
{
	struct fixture *f = *state;
	struct expr *text = COLUMN(TYPE_TEXT, "good||NULL|a book|not good|worst!!!! horrible");

	assert_string_equal(fixture_eval(f, CALL(FN_SENTIMENT, TYPE_NUMERIC, text)),
		"0.4404|NULL|NULL|0.0000|-0.3412|-0.8679");
	fixture_select(f, "1,3,4");
	assert_string_equal(
		fixture_eval(f, CALL(FN_SENTIMENT, TYPE_NUMERIC, text)), "NULL|0.0000|-0.3412");
}

static void test_function_of_constant(void **state)
{
	struct fixture *f = *state;

	EXPECT(CALL(FN_SENTIMENT, TYPE_NUMERIC, LIT_TEXT("very good")), "0.4927");
	EXPECT(CALL(FN_SENTIMENT, TYPE_NUMERIC, LIT_TEXT("")), "NULL");
	EXPECT(CALL(FN_SENTIMENT, TYPE_NUMERIC, LIT_TEXT("NULL")), "NULL");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_valences),
		cmocka_unit_test(test_every_word_is_found),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_negation),
		cmocka_unit_test(test_never_so),
		cmocka_unit_test(test_if_negated),
		cmocka_unit_test(test_boosters),
		cmocka_unit_test(test_words_with_two_meanings),
		cmocka_unit_test(test_contrast),
		cmocka_unit_test(test_capitals),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_emoticons),
		cmocka_unit_test(test_other_bytes),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_every_offset),
		cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_long),
		cmocka_unit_test_setup_teardown(test_function, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_function_of_constant, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
