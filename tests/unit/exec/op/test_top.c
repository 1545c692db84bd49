#include "unit/exec/exec_fixture.h"

#include "base/rng.h"

#include <stdio.h>

static struct plan_op *top_op(struct fixture *f, const char *types, uint32_t partition_count,
	uint32_t sort_count, const struct plan_sort_key *sort, uint64_t limit, uint64_t offset)
{
	static uint32_t partition[] = {0, 1};
	struct plan_op *op = fixture_op(f, PLAN_TOP, types);

	op->top.partition_count = partition_count;
	op->top.partition = partition;
	op->top.sort_count = sort_count;
	op->top.sort = memcpy(arena_alloc(&f->arena, (sort_count + 1) * sizeof(*sort)), sort,
		sort_count * sizeof(*sort));
	op->top.limit = limit;
	op->top.offset = offset;
	return op;
}

static const struct plan_sort_key by_second_down[] = {{1, true, true}};
static const struct plan_sort_key by_first[] = {{0, false, false}};

static void test_sort(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	top_op(&f, "tn", 0, 1, by_first, PLAN_LIMIT_NONE, 0);
	fixture_start(&f);
	fixture_push(&f, "tn", "pear|1.50\nNULL|2\nfig|3\n");
	fixture_push(&f, "tn", "pear|1.5\n|7\nfig|NULL\nfig|-1\n");
	assert_int_equal(f.rows, 0);
	assert_string_equal(
		fixture_finish(&f), "|7\nfig|-1\nfig|3\nfig|NULL\npear|1.5\npear|1.50\nNULL|2\n");
	fixture_release(&f);
}

static void test_limit_and_offset(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	top_op(&f, "ll", 0, 1, by_second_down, 3, 1);
	fixture_start(&f);
	fixture_push(&f, "ll", "1|10\n2|50\n3|30\n4|30\n");
	fixture_push(&f, "ll", "5|30\n6|60\n7|5\n8|1\n");
	assert_string_equal(fixture_finish(&f), "2|50\n3|30\n4|30\n");
	fixture_release(&f);

	fixture_init(&f);
	top_op(&f, "ll", 0, 1, by_second_down, PLAN_LIMIT_NONE, 6);
	fixture_start(&f);
	fixture_push(&f, "ll", "1|10\n2|50\n3|30\n4|30\n5|30\n6|60\n7|5\n8|1\n");
	assert_string_equal(fixture_finish(&f), "7|5\n8|1\n");
	fixture_release(&f);

	fixture_init(&f);
	top_op(&f, "ll", 0, 1, by_second_down, 0, 0);
	fixture_start(&f);
	fixture_push(&f, "ll", "1|10\n");
	fixture_finish(&f);
	assert_int_equal(f.rows, 0);
	fixture_release(&f);

	fixture_init(&f);
	top_op(&f, "ll", 0, 1, by_second_down, 5, UINT64_MAX - 1);
	fixture_start(&f);
	fixture_push(&f, "ll", "1|10\n");
	fixture_finish(&f);
	assert_int_equal(f.rows, 0);
	fixture_release(&f);
}

static void test_partitions(void **state)
{
	for (uint64_t limit = 2; limit != 1; limit = limit == 2 ? PLAN_LIMIT_NONE : 1) {
		struct fixture f;

		(void)state;
		fixture_init(&f);
		top_op(&f, "nlt", 1, 1, by_second_down, limit, limit == 2 ? 0 : 1);
		fixture_start(&f);
		fixture_push(&f, "nlt", "1.0|5|a\n2|1|b\n1.00|7|c\nNULL|1|d\n1|6|e\n");
		fixture_push(&f, "nlt", "1|5|f\n2|9|g\n2|NULL|h\nNULL|3|i\n");
		assert_string_equal(fixture_finish(&f),
			limit == 2 ? "1.00|7|c\n1|6|e\n2|NULL|h\n2|9|g\nNULL|3|i\nNULL|1|d\n"
				   : "1|6|e\n1|5|f\n1.0|5|a\n2|9|g\n2|1|b\nNULL|1|d\n");
		fixture_release(&f);
	}
}

static void test_rows_without_columns(void **state)
{
	struct batch batch = {.rows = 100, .selected = 100};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	top_op(&f, "", 0, 0, by_first, 7, 2);
	fixture_start(&f);
	fixture_push_batch(&f, &batch);
	fixture_finish(&f);
	assert_int_equal(f.rows, 7);
	fixture_release(&f);
}

/* A bounded heap gives the head of what the full sort gives, in whatever order rows arrive. */
static char *run_random(uint64_t limit, uint32_t partitions, int order)
{
	static const struct plan_sort_key sort[] = {{2, true, false}, {1, false, false}};
	enum { BATCHES = 30, ROWS = 1000 };
	struct fixture f;
	char *text;

	fixture_init(&f);
	top_op(&f, "ltd", partitions ? 1 : 0, 2, sort, limit, 3);
	fixture_start(&f);
	for (int b = 0; b < BATCHES; b++) {
		struct column columns[3];
		struct batch batch = {.rows = ROWS, .selected = ROWS, .column_count = 3};
		int batch_number = order ? BATCHES - 1 - b : b;
		struct rng rng;

		rng_init(&rng, (uint64_t)batch_number + 1000);
		batch.columns = columns;
		for (int c = 0; c < 3; c++)
			column_init(&columns[c], fixture_type("ltd"[c]), ROWS, &f.arena);
		for (int row = 0; row < ROWS; row++) {
			char *name = arena_printf(&f.arena, "%*u", (int)rng_below(&rng, 300) + 1,
				(unsigned)rng_below(&rng, 100));

			columns[0].i64[row] = (int64_t)rng_below(&rng, partitions + 1);
			columns[1].text[row] = text_from(name, strlen(name));
			/* In one order ever better rows: every one of them gets in for a while. */
			columns[2].f64[row] = (double)batch_number + (double)rng_below(&rng, 50);
		}
		fixture_push_batch(&f, &batch);
	}
	text = strdup(fixture_finish(&f));
	fixture_release(&f);
	return text;
}

static void test_heap_is_head_of_sort(void **state)
{
	(void)state;
	for (uint32_t partitions = 0; partitions <= 20; partitions += 20) {
		char *heap = run_random(50, partitions, 0);
		char *other = run_random(50, partitions, 1);

		assert_string_equal(heap, other);
		free(other);
		if (partitions == 0) {
			char *all = run_random(PLAN_LIMIT_NONE, 0, 0);

			assert_memory_equal(heap, all, strlen(heap));
			free(all);
		}
		free(heap);
	}
}

/*
 * Rows that come in falling order push each other out of a heap of three: what they leave in memory is
 * swept away, and the two that came first and stay are moved whole, again and again.
 */
static void test_sweep(void **state)
{
	enum { BATCHES = 60, ROWS = 100, TEXT = 1000 };
	struct fixture f;
	struct buf rows;
	char filler[TEXT + 1], expected[3 * (TEXT + 32) + 1];
	size_t size = 0;

	(void)state;
	memset(filler, 'x', TEXT);
	filler[TEXT] = '\0';
	fixture_init(&f);
	top_op(&f, "lt", 0, 1, by_first, 3, 0);
	fixture_start(&f);
	for (int b = 0, next = BATCHES * ROWS; b < BATCHES; b++) {
		buf_init(&rows, 1 << 20);
		for (int i = 0; i < ROWS; i++) {
			int number = b == 0 && i < 2 ? 1 + i : next--;

			buf_printf(&rows, "%d|%d%s\n", number, number, filler);
		}
		buf_append_char(&rows, '\0');
		fixture_push(&f, "lt", rows.data);
		buf_release(&rows);
	}
	for (int number = 1; number <= 3; number++)
		size += (size_t)snprintf(expected + size, sizeof(expected) - size, "%d|%d%s\n",
			number, number, filler);
	assert_string_equal(fixture_finish(&f), expected);
	fixture_release(&f);
}

static void test_many_batches(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	top_op(&f, "l", 0, 1, by_first, PLAN_LIMIT_NONE, 0);
	fixture_start(&f);
	for (int64_t b = 0; b < 5; b++) {
		struct column column;
		struct batch batch = {.rows = 1000, .selected = 1000, .column_count = 1};

		batch.columns = &column;
		column_init(&column, type_of(TYPE_BIGINT), 1000, &f.arena);
		for (int64_t i = 0; i < 1000; i++)
			column.i64[i] = i * 5 + b;
		fixture_push_batch(&f, &batch);
	}
	fixture_finish(&f);
	assert_int_equal(f.rows, 5000);
	assert_int_equal(f.batches, 3);
	assert_memory_equal(f.out.data, "0\n1\n2\n3\n4\n5\n", 12);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_limit_and_offset),
		cmocka_unit_test(test_partitions),
		cmocka_unit_test(test_rows_without_columns),
		cmocka_unit_test(test_heap_is_head_of_sort),
		cmocka_unit_test(test_sweep),
		cmocka_unit_test(test_many_batches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
