#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_append(void **state)
{
	struct buf buf;

	(void)state;
	buf_init(&buf, 1 << 20);
	assert_int_equal(buf.size, 0);
	buf_append_text(&buf, "sum");
	buf_append_char(&buf, '=');
	buf_printf(&buf, "%d/%s", 42, "x");
	buf_append(&buf, "\0y", 2);
	buf_append(&buf, NULL, 0);
	assert_int_equal(buf.size, 10);
	assert_memory_equal(buf.data, "sum=42/x\0y", 10);
	assert_false(buf_overflowed(&buf));
	buf_release(&buf);
	assert_int_equal(buf.size, 0);
}

static void test_growth(void **state)
{
	struct buf buf;

	(void)state;
	buf_init(&buf, 1 << 20);
	for (int i = 0; i < 100000; i++)
		buf_append_char(&buf, (char)('a' + i % 26));
	assert_int_equal(buf.size, 100000);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(buf.data[i], 'a' + i % 26);
	buf_release(&buf);
}

static void test_maximum(void **state)
{
	struct buf buf;

	(void)state;
	buf_init(&buf, 10);
	buf_append(&buf, "0123456789", 10);
	assert_false(buf_overflowed(&buf));
	buf_append_char(&buf, 'x');
	assert_true(buf_overflowed(&buf));
	/* What did not fit is dropped whole; what was there stays. */
	assert_int_equal(buf.size, 10);
	assert_memory_equal(buf.data, "0123456789", 10);
	buf_clear(&buf);
	assert_false(buf_overflowed(&buf));
	buf_append(&buf, "01234567890", 11);
	assert_true(buf_overflowed(&buf));
	assert_int_equal(buf.size, 0);
	buf_clear(&buf);
	buf_printf(&buf, "%020d", 1);
	assert_true(buf_overflowed(&buf));
	assert_null(buf_reserve(&buf, SIZE_MAX));
	buf_release(&buf);
}

static void test_reserve(void **state)
{
	struct buf buf;
	char *room;

	(void)state;
	buf_init(&buf, 1000);
	buf_append_text(&buf, "ab");
	room = buf_reserve(&buf, 500);
	assert_non_null(room);
	assert_ptr_equal(room, buf.data + 2);
	assert_int_equal(buf.size, 2);
	memset(room, 'c', 500);
	buf.size += 500;
	assert_null(buf_reserve(&buf, 499));
	buf_release(&buf);
}

static void test_clear_keeps_memory(void **state)
{
	struct buf buf;
	char *data;

	(void)state;
	buf_init(&buf, 1000);
	buf_append_text(&buf, "something");
	data = buf.data;
	buf_clear(&buf);
	assert_int_equal(buf.size, 0);
	buf_append_text(&buf, "else");
	assert_ptr_equal(buf.data, data);
	buf_release(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_append),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_maximum),
		cmocka_unit_test(test_reserve),
		cmocka_unit_test(test_clear_keeps_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
