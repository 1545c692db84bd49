/* Python literals: what they mean, what is none, and that nothing beyond the text is touched. */
#include "base/buf.h"
#include "base/rng.h"
#include "exec/func/py_literal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
	struct arena arena;
	struct text_vector items;
	struct buf out;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	arena_init(&f->arena, 4096);
	text_vector_init(&f->items);
	buf_init(&f->out, 1u << 24);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	arena_release(&f->arena);
	text_vector_release(&f->items);
	buf_release(&f->out);
	free(f);
	return 0;
}

/* Reads a copy of exactly `size` bytes, so that a sanitizer sees every step beyond them. */
static bool read_exact(struct fixture *f, const char *text, size_t size, const char *key)
{
	char *copy = malloc(size ? size : 1);
	bool ok;

	memcpy(copy, text, size);
	arena_reset(&f->arena);
	ok = key ? py_pluck(
			   text_from(copy, size), text_from(key, strlen(key)), &f->items, &f->arena)
		 : py_list(text_from(copy, size), &f->items, &f->arena);
	buf_clear(&f->out);
	for (uint32_t i = 0; ok && i < f->items.count; i++) {
		struct text item = f->items.data[i];

		buf_append_text(&f->out, i > 0 ? "|" : "");
		if (item.size == TEXT_LIST_NULL_SIZE)
			buf_append_text(&f->out, "<NULL>");
		else if (item.size > 0)
			buf_append(&f->out, item.data, item.size);
	}
	free(copy);
	return ok;
}

/* The items with | between; NULL for what is no list. */
static const char *read_all(struct fixture *f, const char *text, const char *key)
{
	if (!read_exact(f, text, strlen(text), key))
		return NULL;
	buf_append_char(&f->out, '\0');
	return f->out.data;
}

#define LIST(text, expected)                                \
	do {                                                \
		const char *got_ = read_all(f, text, NULL); \
                                                            \
		assert_non_null(got_);                      \
		assert_string_equal(got_, expected);        \
	} while (0)
#define PLUCK(text, key, expected)                         \
	do {                                               \
		const char *got_ = read_all(f, text, key); \
                                                           \
		assert_non_null(got_);                     \
		assert_string_equal(got_, expected);       \
	} while (0)
#define NO_LIST(text)                                  \
	do {                                           \
		assert_null(read_all(f, text, NULL));  \
		assert_null(read_all(f, text, "key")); \
	} while (0)

static void test_items(void **state)
{
	struct fixture *f = *state;

	LIST("[]", "");
	assert_int_equal(f->items.count, 0);
	LIST("()", "");
	LIST("['']", "");
	assert_int_equal(f->items.count, 1);
	LIST("['Drama', 'Comedy']", "Drama|Comedy");
	LIST("[\"Kerri O'Kane\",'say \"x\"']", "Kerri O'Kane|say \"x\"");
	LIST("('a', 'b',)", "a|b");
	LIST(" [ 'a' ,\n'b'\t,  None , ] \n", "a|b|<NULL>");
	LIST("[None, True, False, 3, -1, +2, 1.5, .5, 5., 1e9, 1.5E-3, 0x1F, 0b1, 1_000, 2j]",
		"<NULL>|True|False|3|-1|+2|1.5|.5|5.|1e9|1.5E-3|0x1F|0b1|1_000|2j");
	LIST("[['a', [1]], {'k': 'v', 1: None}, (1, ), {1, 2}, {}, 'x']",
		"['a', [1]]|{'k': 'v', 1: None}|(1, )|{1, 2}|{}|x");
	LIST("['a string of more than sixteen, even more than thirty-two bytes', 'b']",
		"a string of more than sixteen, even more than thirty-two bytes|b");
}

static void test_strings(void **state)
{
	struct fixture *f = *state;

	LIST("['a\\n\\t\\\\\\'\\\"\\r\\a\\b\\f\\v']", "a\n\t\\'\"\r\a\b\f\v");
	LIST("['\\x41\\xe9\\u20ac\\U0001F600']", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	LIST("['\\101\\7x\\1012']", "A\ax"
				    "A2");
	LIST("['a\\\nb\\\r\nc']", "abc");
	LIST("['\\q\\ \\8']", "\\q\\ \\8");
	LIST("['\\ud800']", "\xef\xbf\xbd");
	LIST("[u'u', U\"U\", r'\\n', R'a\\'b', b'b', br'\\x', Rb'\\']']",
		"u|U|\\n|a\\'b|b|\\x|\\']");
	LIST("['one' 'two' \"three\", 'a'u'b'r'\\n']", "onetwothree|ab\\n");
	LIST("['raw\nnewline', '\xc3\xa9\xff']", "raw\nnewline|\xc3\xa9\xff");
	LIST("['[', ']', '}', '#, ']", "[|]|}|#, ");
}

static void test_no_list(void **state)
{
	static const char *const texts[] = {"", " ", "[", "]", "[]]", "[[]", "[)", "(]", "['a'",
		"'a'", "a", "None", "12", "{'a': 1}", "[a]", "['a' 1]", "['a', , 'b']", "[,]",
		"[1,,]", "['a'] x", "x ['a']", "['a]", "[\"a']", "['a\\']", "['\\x4']", "['\\xgg']",
		"['\\u12']", "['\\U00110000']", "['\\U0001F60']", "[none]", "[nan]", "[Nones]",
		"[1a]", "[1.2.3]", "[--1]", "[-]", "[.]", "[0x]g", "[{'a': }]", "[{'a' 1}]",
		"[{: 1}]", "[{'a': 1, 2}]", "[{1, 'a': 1}]", "[{'a': 1]", "[{'a': 1)}]", "[(1]",
		"[{'key': 'x'}, {'key': }]", "[f'x']", "[['a']", "['a']]", "[x'a']", "[uu'a']",
		"[1 2]", "[{'key': 1}}]", "[{'key': 1} {'key': 2}]", "[{'key': 1};]"};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (read_all(f, texts[i], NULL) || read_all(f, texts[i], "key"))
			fail_msg("%s was read as a list", texts[i]);
	}
	NO_LIST("[ ");
}

static void test_pluck(void **state)
{
	struct fixture *f = *state;

	PLUCK("[{'id': 18, 'name': 'Drama'}, {'id': 878, 'name': 'Science Fiction'}]", "name",
		"Drama|Science Fiction");
	PLUCK("[{'id': 18, 'name': 'Drama'}, {'id': 878, 'name': 'Science Fiction'}]", "id",
		"18|878");
	PLUCK("[{'id': 18}]", "name", "");
	assert_int_equal(f->items.count, 0);
	PLUCK("[]", "name", "");
	PLUCK("[{'name': None}, {'nam': 1}, {'names': 1}, {'name': ''}]", "name", "<NULL>|");
	PLUCK("[{'name': 'a', 'name': 'b'}]", "name", "b");
	PLUCK("['name', 1, None, ['name'], {'name'}, {}, {'name': 'x'}, ({'name': 'y'},)]", "name",
		"x");
	PLUCK("[{1: 'a', None: 'b', 'name': 'c', (1, 2): 'd'}]", "name", "c");
	PLUCK("[{1: 'a'}]", "1", "");
	PLUCK("[{'na\\x6de': 'a\\tb'}, {u'name': 'u'}, {'na' 'me': 'two'}]", "name", "a\tb|u|two");
	PLUCK("[{'a': {'name': 'inner'}, 'name': ['x', {'name': 1}]}]", "name",
		"['x', {'name': 1}]");
	PLUCK("[{'a' : 1 ,\n 'name' :'x' , } , ]", "name", "x");
	PLUCK("[{'': 'empty'}]", "", "empty");
	PLUCK("[{'name': \"Kerri O'Kane\", 'path': None}]", "name", "Kerri O'Kane");
}

static void test_depth(void **state)
{
	struct fixture *f = *state;
	char text[4 * PY_DEPTH_MAX + 64];

	for (uint32_t depth = 1; depth < 2 * PY_DEPTH_MAX; depth++) {
		memset(text, '[', depth);
		memset(text + depth, ']', depth);
		assert_int_equal(
			read_exact(f, text, 2 * (size_t)depth, NULL), depth <= PY_DEPTH_MAX);
		assert_int_equal(
			read_exact(f, text, 2 * (size_t)depth, "k"), depth <= PY_DEPTH_MAX);
	}
}

static const char *const samples[] = {
	"[{'cast_id': 14, 'character': 'Woody (voice)', 'credit_id': '52fe4284c3a36847f8024f95', "
	"'gender': 2, 'id': 31, 'name': 'Tom Hanks', 'order': 0, 'profile_path': "
	"'/pQFoyx7rp09CJTAb932F2g8Nlho.jpg'}, {'name': None, \"x\": [1, (2, {3})]}]",
	"['a', \"b'\", u'c', r'\\d', 'e\\x41\\u20ac\\U0001F600\\101\\\n', 'f' 'g', None, True, "
	"1e-5]",
	"([], {}, {'name': {'name': [{}]}}, {'name': -0x1f}, ('', ), 'thirty-two bytes and a few "
	"more, "
	"with a \\' in it')",
};

/* Every beginning is no list, but where only blanks are missing; and none is read beyond its end.
 */
static void test_prefixes(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		size_t size = strlen(samples[i]);

		assert_true(read_exact(f, samples[i], size, NULL));
		for (size_t cut = 0; cut < size; cut++) {
			assert_false(read_exact(f, samples[i], cut, NULL));
			assert_false(read_exact(f, samples[i], cut, "name"));
		}
	}
}

/* Whatever one byte becomes: lists and plucked values agree on what is Python. */
static void test_corrupted(void **state)
{
	struct fixture *f = *state;
	char text[512];

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		size_t size = strlen(samples[i]);

		assert_true(size < sizeof(text));
		for (size_t at = 0; at < size; at++) {
			for (int byte = 0; byte < 256; byte++) {
				bool as_list;

				memcpy(text, samples[i], size);
				text[at] = (char)byte;
				as_list = read_exact(f, text, size, NULL);
				assert_int_equal(as_list, read_exact(f, text, size, "name"));
			}
		}
	}
}

/* Random tokens in a row: again both must agree, and stay inside. */
static void test_random(void **state)
{
	static const char *const tokens[] = {"[", "]", "{", "}", "(", ")", ",", ", ", ":", ": ",
		"'a'", "'name'", "\"", "'", "\\", "None", "True", "1", "-", ".", "r", "u'", " ",
		"\n", "x", "\\x41", "'name': 'Tom Hanks'", "{'name': 1}"};
	struct fixture *f = *state;
	struct rng rng;
	char text[512];

	rng_init(&rng, 7);
	for (int turn = 0; turn < 30000; turn++) {
		size_t size = 0;
		uint64_t count = rng_below(&rng, 20);
		bool as_list;

		text[size++] = '[';
		for (uint64_t k = 0; k < count; k++) {
			const char *token =
				tokens[rng_below(&rng, sizeof(tokens) / sizeof(tokens[0]))];

			memcpy(text + size, token, strlen(token));
			size += strlen(token);
		}
		text[size++] = ']';
		as_list = read_exact(f, text, size, NULL);
		assert_int_equal(as_list, read_exact(f, text, size, "name"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_items, setup, teardown),
		cmocka_unit_test_setup_teardown(test_strings, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_list, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pluck, setup, teardown),
		cmocka_unit_test_setup_teardown(test_depth, setup, teardown),
		cmocka_unit_test_setup_teardown(test_prefixes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_corrupted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
