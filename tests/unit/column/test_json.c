#include "column/json.h"

#include "base/buf.h"
#include "column/item.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct value parse(enum type_kind kind, const char *text, struct arena *arena)
{
	const char *reason = "";
	struct value value;

	if (!value_parse(type_of(kind), text, strlen(text), arena, &value, &reason))
		fail_msg("%s: %s", text, reason);
	return value;
}

static void assert_refused(enum type_kind kind, const char *text, const char *why)
{
	const char *reason = "";
	struct value value;
	struct arena arena;

	arena_init(&arena, 1 << 12);
	assert_false(value_parse(type_of(kind), text, strlen(text), &arena, &value, &reason));
	assert_string_equal(reason, why);
	arena_release(&arena);
}

static void test_refused(void **state)
{
	static const char *const cases[][2] = {
		{"", "it ends where a value should be"},
		{"[1,", "it ends where a value should be"},
		{"nul", "not a JSON value"},
		{"01", "not a number"},
		{"1.", "not a number"},
		{"-", "not a number"},
		{"1e", "not a number"},
		{"\"a", "a string does not end"},
		{"\"\\x\"", "an unknown escape"},
		{"\"\\u12\"", "\"\\u\" must be followed by four hexadecimal digits"},
		{"\"\\ud800\"", "a high surrogate must be followed by a low surrogate"},
		{"\"\\udc00\"", "a low surrogate must follow a high surrogate"},
		{"\"\n\"", "a control character must be escaped"},
		{"{1:2}", "a key must be a string"},
		{"{\"a\" 2}", "a colon is missing"},
		{"[1 2]", "a comma or a closing bracket is missing"},
		{"1 2", "more than one value"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_refused(TYPE_JSON, cases[i][0], cases[i][1]);
		assert_refused(TYPE_JSONB, cases[i][0], cases[i][1]);
	}
	assert_refused(TYPE_JSONB, "\"\\u0000\"", "\\u0000 cannot be converted to text");
	assert_refused(TYPE_JSONB, "1e999999", "a number is out of range");
}

/* As deep as it may be, and deeper. */
static void test_depth(void **state)
{
	char text[2 * JSON_NESTING_MAX + 4];
	struct arena arena;

	(void)state;
	arena_init(&arena, 1 << 12);
	memset(text, '[', JSON_NESTING_MAX);
	memset(text + JSON_NESTING_MAX, ']', JSON_NESTING_MAX);
	text[2 * JSON_NESTING_MAX] = '\0';
	assert_true(jsonb_is_legal(parse(TYPE_JSONB, text, &arena).list.items[0]));
	memset(text, '[', JSON_NESTING_MAX + 1);
	memset(text + JSON_NESTING_MAX + 1, ']', JSON_NESTING_MAX + 1);
	text[2 * JSON_NESTING_MAX + 2] = '\0';
	assert_refused(TYPE_JSON, text, "nested too deeply");
	arena_release(&arena);
}

/* Bytes order as PostgreSQL orders jsonb: each of these is below the next. */
static void test_order(void **state)
{
	static const char *const texts[] = {"[]", "null", "\"\"", "\"a\"", "\"aa\"", "\"b\"",
		"-1e50", "-1", "0", "0.5", "1e3", "false", "true", "[null]", "[1]", "[[]]",
		"[0, 0]", "{}", "{\"a\": 1}", "{\"a\": 2}", "{\"b\": 0}", "{\"a\": 1, \"b\": 0}"};
	enum { COUNT = sizeof(texts) / sizeof(texts[0]) };
	struct arena arena;

	(void)state;
	arena_init(&arena, 1 << 12);
	for (int i = 0; i < COUNT; i++) {
		for (int j = 0; j < COUNT; j++) {
			struct text a = parse(TYPE_JSONB, texts[i], &arena).list.items[0];
			struct text b = parse(TYPE_JSONB, texts[j], &arena).list.items[0];
			int order = text_compare(a, b);

			if ((order > 0) - (order < 0) != (i > j) - (i < j))
				fail_msg("%s and %s: %d", texts[i], texts[j], order);
		}
	}
	arena_release(&arena);
}

/* 1.0 and 1.00 are equal and print as they were written. */
static void test_scales(void **state)
{
	struct text a, b;
	struct value value;
	struct arena arena;
	struct buf text;

	(void)state;
	arena_init(&arena, 1 << 12);
	value = parse(TYPE_JSONB, "[1.0, {\"a\": 2.50}]", &arena);
	a = value.list.items[0];
	b = parse(TYPE_JSONB, "[1.00, {\"a\": 2.5}]", &arena).list.items[0];
	assert_int_equal(text_compare(a, b), 0);
	assert_false(item_identical(a, b));
	buf_init(&text, 1 << 10);
	value_format(&value, &text);
	assert_int_equal(text.size, strlen("[1.0, {\"a\": 2.50}]"));
	assert_memory_equal(text.data, "[1.0, {\"a\": 2.50}]", text.size);
	buf_release(&text);
	arena_release(&arena);
}

/* Every cut and every changed byte is told, or stands for another value. */
static void test_damage(void **state)
{
	const char *text = "{\"a\": [1.50, \"x\", true], \"bb\": {\"c\": -2e40}, \"z\": []}";
	struct arena arena;
	struct text item;

	(void)state;
	arena_init(&arena, 1 << 12);
	item = parse(TYPE_JSONB, text, &arena).list.items[0];
	for (uint32_t size = 0; size < item.size; size++)
		assert_false(jsonb_is_legal((struct text){item.data, size, item.tail}));
	for (uint32_t i = 0; i < (item.size + item.tail) * 8; i++) {
		struct text damaged = item_copy(item, &arena), again;
		struct json_node node;
		const char *reason;

		((char *)damaged.data)[i / 8] ^= (char)(1 << i % 8);
		if (!jsonb_is_legal(damaged))
			continue;
		jsonb_decode(damaged, &arena, &node);
		assert_true(jsonb_encode(&node, &arena, &again, &reason));
		assert_true(item_identical(damaged, again));
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_scales),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
