#include "csv/head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct text text_of(const char *text)
{
	return text_from(text, strlen(text));
}

static void check_text(struct text got, const char *want)
{
	assert_int_equal(got.size, strlen(want));
	assert_memory_equal(got.data, want, got.size);
}

static struct csv_constant find(const char *path, const char *name)
{
	static struct arena arena;
	struct csv_constant *list;
	const struct csv_constant *found;
	uint32_t count;

	arena_release(&arena);
	arena_init(&arena, 4096);
	count = csv_constants_of_path(path, &arena, &list);
	found = csv_constant_find(list, count, name);
	return found ? *found : (struct csv_constant){0};
}

static void test_constants(void **state)
{
	(void)state;
	check_text(find("a/year=2024/x.csv", "year").value, "2024");
	check_text(find("a/year=2024/x.csv", "_file").value, "a/year=2024/x.csv");
	assert_true(find("a/year=2024/x.csv", "_file").hidden);
	check_text(find("k=1/k=2/x.csv", "k").value, "2");
	check_text(find("k=a%20b%2fc%zz%00/x.csv", "k").value, "a b/c%zz%00");
	check_text(find("k=a=b/x.csv", "k").value, "a=b");
	check_text(find("k=\xe9/x.csv", "k").value, "\xc3\xa9");
	assert_true(find("k=/x.csv", "k").is_null);
	assert_true(find("k=__HIVE_DEFAULT_PARTITION__/x.csv", "k").is_null);
	/* Neither the name of the file nor that of an archive gives a column, nor "=" without a name. */
	assert_null(find("a/k=1.csv", "k").name);
	assert_null(find("k=1.zip/x.csv", "k").name);
	assert_null(find("=1/x.csv", "").name);
}

/* More folders than there is room for. */
static void test_many_constants(void **state)
{
	struct csv_constant *list;
	struct arena arena;
	struct buf path;
	uint32_t count;

	(void)state;
	arena_init(&arena, 4096);
	buf_init(&path, 10000);
	for (int i = 0; i < 200; i++)
		buf_printf(&path, "k%d=%d/", i, i);
	buf_append(&path, "x.csv", 6);
	count = csv_constants_of_path(path.data, &arena, &list);
	assert_int_equal(count, CSV_CONSTANTS_MAX);
	assert_string_equal(list[count - 1].name, "_file");
	buf_release(&path);
	arena_release(&arena);
}

static void write_sample(struct buf *out, const struct csv_format *format, bool facts)
{
	struct text names[] = {text_of("a"), text_of("b \"c\"")};
	struct csv_constant constants[] = {
		{.name = "year", .value = text_of("2024")},
		{.name = "none", .is_null = true},
	};
	struct csv_head head = {.name_count = 2, .names = names};

	if (facts) {
		head.constant_count = 2;
		head.constants = constants;
		head.first_line = 77;
		head.own_ragged = true;
		head.ragged = CSV_RAGGED_CUT;
		head.widens = true;
	}
	csv_head_write(&head, format, out);
	buf_append_text(out, "1,2\n");
}

static void test_round_trip(void **state)
{
	struct csv_format format = csv_format_default();
	struct csv_head head;
	struct arena arena;
	struct error err;
	struct buf out;
	size_t length;

	(void)state;
	arena_init(&arena, 4096);
	buf_init(&out, 10000);
	write_sample(&out, &format, false);
	/* Nothing but the names: a header line as any other. */
	assert_memory_equal(out.data, "\"a\",\"b \"\"c\"\"\"\n1,2\n", out.size);
	assert_int_equal(
		csv_head_read("t", out.data, out.size, &format, &arena, &head, &length, &err), 0);
	assert_int_equal(length, out.size - 4);
	assert_int_equal(head.name_count, 2);
	assert_int_equal(head.first_line, 0);
	assert_false(head.own_ragged);
	buf_clear(&out);
	write_sample(&out, &format, true);
	assert_int_equal(
		csv_head_read("t", out.data, out.size, &format, &arena, &head, &length, &err), 0);
	assert_int_equal(length, out.size - 4);
	check_text(head.names[1], "b \"c\"");
	assert_int_equal(head.constant_count, 2);
	assert_string_equal(head.constants[0].name, "year");
	check_text(head.constants[0].value, "2024");
	assert_true(head.constants[1].is_null);
	assert_int_equal(head.first_line, 77);
	assert_int_equal(head.ragged, CSV_RAGGED_CUT);
	assert_true(head.widens);
	buf_release(&out);
	arena_release(&arena);
}

/* Whatever is cut off or changed is an error or another head, and nothing outside is read. */
static void test_damage(void **state)
{
	struct csv_format format = csv_format_default();
	struct buf out;

	(void)state;
	buf_init(&out, 10000);
	write_sample(&out, &format, true);
	for (size_t size = 0; size < out.size; size++)
		for (int change = -1; change < 256; change += 17) {
			char *copy = malloc(size + 1);
			struct csv_head head;
			struct arena arena;
			struct error err;
			size_t length = 0;

			memcpy(copy, out.data, size);
			if (change >= 0 && size > 0)
				copy[size / 2] = (char)change;
			arena_init(&arena, 4096);
			if (csv_head_read("t", copy, size, &format, &arena, &head, &length, &err))
				assert_int_equal(err.code, ERROR_DATA);
			else
				assert_true(length <= size);
			arena_release(&arena);
			free(copy);
		}
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_many_constants),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
