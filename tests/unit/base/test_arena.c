#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BLOCK 128

static void test_alignment(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena, BLOCK);
	assert_int_equal(arena.held, 0);
	for (size_t size = 0; size < 300; size++) {
		char *memory = arena_alloc(&arena, size);

		assert_non_null(memory);
		assert_int_equal((uintptr_t)memory % 16, 0);
		memset(memory, 0xff, size);
		/* Bytes in between spoil the alignment of what follows, if anything does. */
		arena_alloc_bytes(&arena, 1)[0] = 'x';
	}
	arena_release(&arena);
	assert_int_equal(arena.held, 0);
}

static void test_no_overlap(void **state)
{
	struct arena arena;
	unsigned char *parts[200];

	(void)state;
	arena_init(&arena, BLOCK);
	for (int i = 0; i < 200; i++) {
		parts[i] = arena_alloc(&arena, (size_t)i + 1);
		memset(parts[i], i, (size_t)i + 1);
	}
	for (int i = 0; i < 200; i++) {
		assert_int_equal(parts[i][0], i);
		assert_int_equal(parts[i][i], i);
	}
	arena_release(&arena);
}

static void test_zeroed(void **state)
{
	struct arena arena;
	char *memory;

	(void)state;
	arena_init(&arena, BLOCK);
	memset(arena_alloc(&arena, BLOCK), 0xff, BLOCK);
	arena_reset(&arena);
	memory = arena_zalloc(&arena, BLOCK);
	for (int i = 0; i < BLOCK; i++)
		assert_int_equal(memory[i], 0);
	arena_release(&arena);
}

static void test_reset_keeps_one_block(void **state)
{
	struct arena arena;
	size_t one_block;

	(void)state;
	arena_init(&arena, BLOCK);
	arena_reset(&arena);
	assert_int_equal(arena.held, 0);
	arena_alloc(&arena, 1);
	one_block = arena.held;
	for (int turn = 0; turn < 3; turn++) {
		for (int i = 0; i < 100; i++)
			memset(arena_alloc(&arena, 100), 1, 100);
		assert_true(arena.held > one_block);
		arena_reset(&arena);
		assert_int_equal(arena.held, one_block);
	}
	/* What fits the block that was kept takes no new one. */
	arena_alloc(&arena, BLOCK);
	assert_int_equal(arena.held, one_block);
	arena_release(&arena);
	/* It can be used again. */
	memset(arena_alloc(&arena, 10), 1, 10);
	arena_release(&arena);
}

static void test_copies(void **state)
{
	char source[] = "caf\xc3\xa9";
	struct arena arena;
	char *copy, *part, *whole, *printed;

	(void)state;
	arena_init(&arena, BLOCK);
	copy = arena_copy(&arena, source, 5);
	part = arena_strndup(&arena, source, 3);
	whole = arena_strdup(&arena, source);
	printed = arena_printf(&arena, "%s has %d bytes", source, 5);
	source[0] = 'X';
	assert_memory_equal(copy, "caf\xc3\xa9", 5);
	assert_string_equal(part, "caf");
	assert_string_equal(whole, "caf\xc3\xa9");
	assert_string_equal(printed, "caf\xc3\xa9 has 5 bytes");
	assert_string_equal(arena_strndup(&arena, NULL, 0), "");
	assert_non_null(arena_copy(&arena, NULL, 0));
	arena_release(&arena);
}

static void test_longer_than_a_block(void **state)
{
	struct arena arena;
	char *text;

	(void)state;
	arena_init(&arena, BLOCK);
	text = arena_printf(&arena, "%0*d", 1000, 7);
	assert_int_equal(strlen(text), 1000);
	assert_int_equal(text[999], '7');
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alignment),
		cmocka_unit_test(test_no_overlap),
		cmocka_unit_test(test_zeroed),
		cmocka_unit_test(test_reset_keeps_one_block),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_longer_than_a_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
