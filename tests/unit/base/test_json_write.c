#include "base/json_write.h"

#include "base/json_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_text(struct buf *out, const char *expected)
{
	buf_append_char(out, '\0');
	assert_false(buf_overflowed(out));
	assert_string_equal(out->data, expected);
	buf_release(out);
}

static void test_commas(void **state)
{
	struct buf out;
	struct json_writer json = {&out, false};

	(void)state;
	buf_init(&out, 1024);
	json_open(&json, NULL, '{');
	json_open(&json, "none", '[');
	json_close(&json, ']');
	json_open(&json, "some", '[');
	json_put_u64(&json, NULL, UINT64_MAX);
	json_open(&json, NULL, '{');
	json_close(&json, '}');
	json_open(&json, NULL, '{');
	json_put_null(&json, "a");
	json_put_bool(&json, "b", true);
	json_close(&json, '}');
	json_put_raw(&json, NULL, "[1]", 3);
	json_close(&json, ']');
	json_put_text(&json, "last", "");
	json_close(&json, '}');
	assert_text(&out,
		"{\"none\":[],\"some\":[18446744073709551615,{},{\"a\":null,\"b\":true},[1]],"
		"\"last\":\"\"}");
}

/* What is written is read back; bytes that are not UTF-8 are replaced. */
static void test_texts(void **state)
{
	char every[128];
	struct json_writer json;
	struct json_value *value;
	struct arena arena;
	struct error err;
	struct buf out;

	(void)state;
	for (int i = 0; i < 127; i++)
		every[i] = (char)(i + 1);
	every[127] = '\0';
	arena_init(&arena, 4096);
	buf_init(&out, 4096);
	json = (struct json_writer){&out, false};
	json_open(&json, NULL, '{');
	json_put_text(&json, "every", every);
	json_close(&json, '}');
	assert_int_equal(json_read(out.data, out.size, &arena, &value, &err), 0);
	assert_string_equal(json_text(value, "every"), every);
	buf_clear(&out);
	json = (struct json_writer){&out, false};
	json_put_text(&json, NULL, "\"\\\n\x01 \xc3\xa4 \xff!");
	assert_text(&out, "\"\\\"\\\\\\n\\u0001 \xc3\xa4 \xef\xbf\xbd!\"");
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commas),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
