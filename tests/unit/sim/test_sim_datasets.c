/* The data sets of the simulator: all answers can be had, and cutting a table loses no record. */
#include "sim/datasets.h"

#include "local/files.h"
#include "plan/plan.h"
#include "scan/chunk_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct datasets datasets;

static int setup(void **state)
{
	struct error err;

	(void)state;
	if (datasets_init(&datasets, ".", &err)) {
		fprintf(stderr, "%s\n", err.message);
		return -1;
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	datasets_release(&datasets);
	return 0;
}

static void test_all_answers(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < datasets.count; i++) {
		struct dataset *dataset = &datasets.sets[i];
		uint32_t empty = 0;

		if (!strcmp(dataset->name, "errors"))
			continue;
		for (uint32_t q = 0; q < dataset->query_count; q++) {
			const struct dataset_answer *answer, *again;
			struct error err;

			if (dataset_answer(dataset, q, &answer, &err))
				fail_msg("%s %s: %s", dataset->name, dataset->queries[q].name,
					err.message);
			assert_int_equal(dataset_answer(dataset, q, &again, &err), 0);
			assert_ptr_equal(answer, again);
			empty += answer->size == 0;
		}
		if (empty * 10 >= dataset->query_count)
			fail_msg("%s: %u of %u queries have no rows", dataset->name, empty,
				dataset->query_count);
	}
}

static void test_all_errors(void **state)
{
	struct dataset *dataset = datasets_find(&datasets, "errors");

	(void)state;
	assert_true(dataset->query_count > 10);
	for (uint32_t q = 0; q < dataset->query_count; q++) {
		const struct dataset_answer *answer;
		struct error err;

		assert_int_equal(dataset_answer(dataset, q, &answer, &err), -1);
		assert_true(err.code == ERROR_EVAL || err.code == ERROR_SQL);
	}
}

static void test_rows_as_text(void **state)
{
	static const char nasty[] = "a\tb\\N\nc";
	struct column columns[2];
	struct batch batch = {.rows = 2, .column_count = 2, .columns = columns, .selected = 2};
	struct arena arena;
	struct buf text;

	(void)state;
	arena_init(&arena, 4096);
	buf_init(&text, 1024);
	column_init(&columns[0], type_of(TYPE_TEXT), 2, &arena);
	column_add_validity(&columns[0], 2, &arena);
	columns[0].text[0] = text_from(nasty, sizeof(nasty) - 1);
	columns[0].valid[1] = 0;
	columns[0].text[1] = text_from("", 0);
	column_init(&columns[1], type_of(TYPE_BIGINT), 2, &arena);
	columns[1].i64[0] = -7;
	columns[1].i64[1] = 0;
	dataset_format_rows(&batch, &text);
	buf_append_char(&text, 0);
	assert_string_equal(text.data, "a\\tb\\\\N\\nc\t-7\n\\N\t0\n");
	buf_release(&text);
	arena_release(&arena);
}

static void test_find(void **state)
{
	(void)state;
	assert_string_equal(datasets_find(&datasets, "corpus")->name, "corpus");
	assert_null(datasets_find(&datasets, "nothing"));
}

struct tally {
	uint64_t rows;
};

static int count_rows(
	void *context, uint32_t fragment, const struct batch *batch, struct error *err)
{
	struct tally *tally = context;

	(void)fragment;
	(void)err;
	tally->rows += batch->selected;
	return 0;
}

/* Rows that the map fragments of a table read from the chunks of a cut. */
static uint64_t mapped_rows(const struct dataset *dataset, const struct plan *plan,
	const char *table, size_t chunk_bytes)
{
	struct csv_tally csv_tally;
	struct tally tally = {0};
	struct dataset_chunk *chunks;
	struct chunk_map *map;
	struct arena arena;
	struct error err;
	uint32_t count, index = 0;
	uint64_t rows;

	while (strcmp(dataset->catalog.tables[index].name, table) != 0)
		index++;
	arena_init(&arena, 4096);
	if (dataset_cut(dataset, index, chunk_bytes, &arena, &chunks, &count, &err))
		fail_msg("%s", err.message);
	assert_true(count > 0);
	map = chunk_map_new(plan, &dataset->catalog, 0);
	csv_tally_init(&csv_tally, 0);
	for (uint32_t i = 0; i < count; i++) {
		if (chunk_map_run(map, "chunk", chunks[i].bytes, chunks[i].size, &csv_tally,
			    count_rows, &tally, NULL, &err))
			fail_msg("%s", err.message);
	}
	rows = csv_tally.rows;
	csv_tally_release(&csv_tally);
	chunk_map_free(map);
	arena_release(&arena);
	return rows;
}

static void check_cuts(const char *name, const char *table, const char *column)
{
	struct dataset *dataset = datasets_find(&datasets, name);
	char text[128];
	struct sql_text query = {.name = "q", .title = "", .text = text};
	struct arena arena;
	struct plan *plan;
	struct error err;
	uint64_t rows;

	snprintf(text, sizeof(text), "SELECT %s FROM %s", column, table);
	arena_init(&arena, 4096);
	if (sql_compile(&dataset->catalog, &query, 1, &arena, &plan, &err))
		fail_msg("%s", err.message);
	rows = mapped_rows(dataset, plan, table, 0);
	assert_true(rows > 5);
	assert_int_equal(mapped_rows(dataset, plan, table, 64), rows);
	assert_int_equal(mapped_rows(dataset, plan, table, 4096), rows);
	arena_release(&arena);
}

static void test_cuts(void **state)
{
	(void)state;
	check_cuts("corpus", "words", "w");
	check_cuts("corpus", "everything", "id");
	check_cuts("coffee", "transactions", "transaction_id");
	check_cuts("movies", "credits", "*");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_answers),
		cmocka_unit_test(test_all_errors),
		cmocka_unit_test(test_rows_as_text),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_cuts),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
