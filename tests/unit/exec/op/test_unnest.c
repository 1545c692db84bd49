#include "unit/exec/exec_fixture.h"

static struct plan_op *unnest_op(
	struct fixture *f, const char *types, uint32_t list_count, bool ordinality, bool outer)
{
	static struct plan_row_source lists[] = {{ROWS_OF_LIST, {1}}, {ROWS_OF_LIST, {2}}};
	struct plan_op *op = fixture_op(f, PLAN_UNNEST, types);

	op->unnest.source_count = list_count;
	op->unnest.sources = lists;
	op->unnest.ordinality = ordinality;
	op->unnest.outer = outer;
	return op;
}

static void test_one_list(void **state)
{
	static const char input[] = "1|{a,b}\n2|{}\n3|NULL\n4|{NULL,c}\n5|{\"\"}\n";
	struct fixture f;

	(void)state;
	fixture_init(&f);
	unnest_op(&f, "lat", 1, false, false);
	fixture_start(&f);
	fixture_push(&f, "la", input);
	assert_string_equal(fixture_finish(&f), "1|{a,b}|a\n1|{a,b}|b\n4|{NULL,c}|NULL\n"
						"4|{NULL,c}|c\n5|{\"\"}|\n");
	fixture_release(&f);

	fixture_init(&f);
	unnest_op(&f, "latl", 1, true, true);
	fixture_start(&f);
	fixture_push(&f, "la", input);
	assert_string_equal(fixture_finish(&f),
		"1|{a,b}|a|1\n1|{a,b}|b|2\n2|{}|NULL|NULL\n3|NULL|NULL|NULL\n"
		"4|{NULL,c}|NULL|1\n4|{NULL,c}|c|2\n5|{\"\"}||1\n");
	fixture_release(&f);
}

/* The shorter list is filled up; a row stays out only when no list has an item. */
static void test_two_lists(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	unnest_op(&f, "laattl", 2, true, false);
	fixture_start(&f);
	fixture_push(&f, "laa", "1|{a}|{x,y}\n2|NULL|{z}\n3|{}|NULL\nNULL|{b,c}|{}\n");
	assert_string_equal(fixture_finish(&f), "1|{a}|{x,y}|a|x|1\n1|{a}|{x,y}|NULL|y|2\n"
						"2|NULL|{z}|NULL|z|1\n"
						"NULL|{b,c}|{}|b|NULL|1\nNULL|{b,c}|{}|c|NULL|2\n");
	fixture_release(&f);
}

/* A selection, and input columns that are constants. */
static void test_views(void **state)
{
	static const uint16_t sel[] = {0, 2, 3};
	struct fixture f;
	struct batch batch;

	(void)state;
	fixture_init(&f);
	unnest_op(&f, "iat", 1, false, false);
	fixture_start(&f);
	batch = fixture_batch(&f, "ia", "1|{a}\n2|{b}\n3|{}\n4|{c,d}\n");
	fixture_select(&f, &batch, 3, sel);
	batch.columns[0].constant = true;
	fixture_push_batch(&f, &batch);
	batch.columns[0].constant = false;
	batch.columns[1].constant = true;
	fixture_push_batch(&f, &batch);
	assert_string_equal(fixture_finish(&f), "1|{a}|a\n1|{c,d}|c\n1|{c,d}|d\n"
						"1|{a}|a\n3|{a}|a\n4|{a}|a\n");
	fixture_release(&f);
}

/* Far more items than a batch has rows, between rows with few. */
static void test_long_list(void **state)
{
	enum { ITEMS = 1000000 };
	struct fixture f;
	struct batch batch;
	struct text *items;
	const char *text;

	(void)state;
	fixture_init(&f);
	unnest_op(&f, "iatl", 1, true, false);
	/* Not the list itself: the text of the result would be of terabytes. */
	fixture_op(&f, PLAN_PROJECT, "itl")->project = (struct plan_project){
		.count = 3,
		.exprs = (struct expr *[]){expr_column(&f.arena, 0, type_of(TYPE_INT)),
			expr_column(&f.arena, 2, type_of(TYPE_TEXT)),
			expr_column(&f.arena, 3, type_of(TYPE_BIGINT))},
	};
	fixture_start(&f);
	batch = fixture_batch(&f, "ia", "1|{a,b}\n2|{}\n3|{c}\nNULL|{d}\n");
	items = arena_alloc(&f.arena, ITEMS * sizeof(*items));
	for (uint32_t i = 0; i < ITEMS; i++)
		items[i] = i % 2 ? text_from("odd", 3) : item_null();
	batch.columns[1].list[1] = (struct text_list){items, ITEMS};
	fixture_push_batch(&f, &batch);
	text = fixture_finish(&f);
	assert_int_equal(f.rows, ITEMS + 4);
	assert_int_equal(f.batches, (ITEMS + 4 + BATCH_ROWS_MAX - 1) / BATCH_ROWS_MAX);
	assert_memory_equal(text, "1|a|1\n1|b|2\n2|NULL|1\n2|odd|2\n", 29);
	assert_non_null(strstr(text, "\n2|odd|500000\n"));
	assert_non_null(strstr(text, "\n2|odd|1000000\n3|c|1\nNULL|d|1\n"));
	fixture_release(&f);
}

static struct plan_op *series_op(struct fixture *f, const char *types, bool outer)
{
	static struct plan_row_source series = {ROWS_OF_SERIES, {0, 1, 2}};
	struct plan_op *op = fixture_op(f, PLAN_UNNEST, types);

	op->unnest.source_count = 1;
	op->unnest.sources = &series;
	op->unnest.outer = outer;
	return op;
}

/* Up, down, none, NULL, and up to where a number can count no further. */
static void test_series(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	series_op(&f, "llll", false);
	fixture_start(&f);
	fixture_push(&f, "lll", "1|3|1\n5|1|-2\n3|1|1\nNULL|1|1\n1|9|5\n");
	fixture_push(&f, "lll", "9223372036854775800|9223372036854775807|5\n");
	assert_string_equal(fixture_finish(&f),
		"1|3|1|1\n1|3|1|2\n1|3|1|3\n5|1|-2|5\n5|1|-2|3\n5|1|-2|1\n"
		"1|9|5|1\n1|9|5|6\n"
		"9223372036854775800|9223372036854775807|5|9223372036854775800\n"
		"9223372036854775800|9223372036854775807|5|9223372036854775805\n");
	fixture_release(&f);

	fixture_init(&f);
	series_op(&f, "llll", true);
	fixture_start(&f);
	fixture_push(&f, "lll", "2|1|1\n1|NULL|1\n4|4|1\n");
	assert_string_equal(fixture_finish(&f), "2|1|1|NULL\n1|NULL|1|NULL\n4|4|1|4\n");
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_list),
		cmocka_unit_test(test_two_lists),
		cmocka_unit_test(test_views),
		cmocka_unit_test(test_long_list),
		cmocka_unit_test(test_series),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
