/* Which rows of a chunk reach which map fragment, and what a chunk with its own header becomes. */
#include "scan/chunk_map.h"
#include "scan/map_stage.h"
#include "sql/compile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FRAGMENTS_MAX 16

static const char schema[] = "CREATE TABLE t (a integer, b integer, c text) "
			     "WITH (files = 't.csv')";

/* Rows by fragment of the plan. */
struct fed {
	uint64_t rows[FRAGMENTS_MAX];
	uint64_t calls[FRAGMENTS_MAX];
};

struct fixture {
	struct arena arena;
	struct catalog catalog;
	struct plan *plan;
};

static void fixture_init(struct fixture *fixture, const char *const *texts, uint32_t count)
{
	struct sql_text queries[4] = {0};
	struct error err;

	arena_init(&fixture->arena, 4096);
	for (uint32_t i = 0; i < count; i++)
		queries[i] = (struct sql_text){
			.name = i == 0 ? "q1" : "q2", .title = "", .text = texts[i]};
	if (sql_schema("test", schema, &fixture->arena, &fixture->catalog, &err) ||
		sql_compile(
			&fixture->catalog, queries, count, &fixture->arena, &fixture->plan, &err))
		fail_msg("%s", err.message);
	assert_true(fixture->plan->fragment_count <= FRAGMENTS_MAX);
}

static int count_rows(
	void *context, uint32_t fragment, const struct batch *batch, struct error *err)
{
	struct fed *fed = context;

	(void)err;
	assert_true(batch->selected > 0);
	fed->rows[fragment] += batch->selected;
	fed->calls[fragment]++;
	return 0;
}

/* Runs records without a header through the stage, for the fragments that `wanted` names. */
static struct fed run_stage(struct fixture *fixture, const bool *wanted, const char *records)
{
	static const char *const names[] = {"a", "b", "c"};
	struct map_table *map = map_table_new(fixture->plan, &fixture->catalog, 0, wanted);
	struct map_stage *stage = map_stage_new(fixture->plan);
	struct text header[3];
	struct csv_head head = {.name_count = 3, .names = header};
	struct csv_decoder *decoder;
	struct csv_layout layout;
	struct csv_tally tally;
	struct csv_chunk chunk;
	struct fed fed = {0};
	struct error err;

	for (uint32_t i = 0; i < 3; i++)
		header[i] = text_from(names[i], 1);
	if (map_table_layout(map, "test", &map_table_schema(map)->format, &head, &layout, &err))
		fail_msg("%s", err.message);
	decoder = csv_decoder_new(&layout, csv_isa_detect());
	csv_tally_init(&tally, 0);
	csv_chunk_init(&chunk);
	csv_chunk_set(&chunk, records, strlen(records), '"');
	assert_int_equal(
		map_stage_run(stage, map, decoder, NULL, &chunk, &tally, count_rows, &fed, &err),
		0);
	csv_chunk_release(&chunk);
	csv_tally_release(&tally);
	csv_decoder_free(decoder);
	free((void *)layout.fields);
	map_stage_free(stage);
	map_table_free(map);
	return fed;
}

static uint32_t map_fragments(const struct plan *plan, uint32_t *indexes)
{
	uint32_t count = 0;

	for (uint32_t f = 0; f < plan->fragment_count; f++)
		if (plan->fragments[f].inputs[0].kind == INPUT_TABLE)
			indexes[count++] = f;
	return count;
}

static void test_bad_fields_belong_to_readers(void **state)
{
	static const char *const queries[] = {"SELECT sum(a) FROM t", "SELECT sum(b) FROM t"};
	struct fixture fixture;
	uint32_t maps[FRAGMENTS_MAX];
	struct fed fed;

	(void)state;
	fixture_init(&fixture, queries, 2);
	assert_int_equal(map_fragments(fixture.plan, maps), 2);
	fed = run_stage(&fixture, NULL, "1,2,x\nbad,3,x\n4,bad,x\n5,bad,x\n");
	assert_int_equal(fed.rows[maps[0]], 3);
	assert_int_equal(fed.rows[maps[1]], 2);
	/* Nothing left for one of them: it is not called. */
	fed = run_stage(&fixture, NULL, "bad,3,x\n");
	assert_int_equal(fed.calls[maps[0]], 0);
	assert_int_equal(fed.rows[maps[1]], 1);
	arena_release(&fixture.arena);
}

static void test_only_wanted_fragments(void **state)
{
	static const char *const queries[] = {"SELECT sum(a) FROM t", "SELECT sum(b) FROM t"};
	bool wanted[FRAGMENTS_MAX] = {false};
	struct fixture fixture;
	uint32_t maps[FRAGMENTS_MAX];
	struct map_table *map;
	struct fed fed;

	(void)state;
	fixture_init(&fixture, queries, 2);
	map_fragments(fixture.plan, maps);
	wanted[maps[1]] = true;
	map = map_table_new(fixture.plan, &fixture.catalog, 0, wanted);
	assert_int_equal(map_table_fragment_count(map), 1);
	assert_int_equal(map_table_fragment(map, 0), maps[1]);
	map_table_free(map);
	/* Column a is not parsed, so that what it holds is nobody's fault. */
	fed = run_stage(&fixture, wanted, "bad,3,x\n4,5,x\n");
	assert_int_equal(fed.rows[maps[1]], 2);
	assert_int_equal(fed.calls[maps[0]], 0);
	arena_release(&fixture.arena);
}

/* Two queries that group alike: a third fragment does it for both, while all is readable. */
static void test_merged_fragments(void **state)
{
	static const char *const queries[] = {
		"SELECT c, sum(a) FROM t GROUP BY c", "SELECT c, sum(b) FROM t GROUP BY c"};
	struct fixture fixture;
	bool wanted[FRAGMENTS_MAX] = {false};
	uint32_t maps[FRAGMENTS_MAX], merged = PLAN_NONE;
	struct fed fed;

	(void)state;
	fixture_init(&fixture, queries, 2);
	assert_int_equal(map_fragments(fixture.plan, maps), 3);
	for (uint32_t i = 0; i < 3; i++)
		if (fixture.plan->fragments[maps[i]].merged_count == 2)
			merged = maps[i];
	assert_int_not_equal(merged, PLAN_NONE);
	fed = run_stage(&fixture, NULL, "1,2,x\n3,4,y\n");
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(fed.rows[maps[i]], maps[i] == merged ? 2 : 0);
	fed = run_stage(&fixture, NULL, "1,2,x\nbad,4,y\n");
	for (uint32_t i = 0; i < 3; i++) {
		const bool *used = fixture.plan->fragments[maps[i]].table_columns_used;

		assert_int_equal(fed.rows[maps[i]], maps[i] == merged ? 0 : used[0] ? 1 : 2);
	}
	/* Without the one that does the work of both, they do it themselves. */
	for (uint32_t i = 0; i < 3; i++)
		wanted[maps[i]] = maps[i] != merged;
	fed = run_stage(&fixture, wanted, "1,2,x\n3,4,y\n");
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(fed.rows[maps[i]], maps[i] == merged ? 0 : 2);
	arena_release(&fixture.arena);
}

static int run_chunk(struct chunk_map *map, const char *text, struct fed *fed,
	struct csv_tally *tally, struct error *err)
{
	int status;

	*fed = (struct fed){0};
	csv_tally_init(tally, 0);
	status = chunk_map_run(
		map, "chunk 7 of t", text, strlen(text), tally, count_rows, fed, NULL, err);
	csv_tally_release(tally);
	return status;
}

static void test_chunks_with_headers(void **state)
{
	static const char *const queries[] = {"SELECT a FROM t WHERE b > 1"};
	struct fixture fixture;
	struct chunk_map *map;
	struct csv_tally tally;
	struct error err;
	struct fed fed;
	uint32_t maps[FRAGMENTS_MAX];

	(void)state;
	fixture_init(&fixture, queries, 1);
	assert_int_equal(map_fragments(fixture.plan, maps), 1);
	map = chunk_map_new(fixture.plan, &fixture.catalog, 0);
	/* The order of columns is the header's own, chunk by chunk. */
	assert_int_equal(run_chunk(map, "a,b,c\n7,2,x\n", &fed, &tally, &err), 0);
	assert_int_equal(fed.rows[maps[0]], 1);
	assert_int_equal(run_chunk(map, "c,b,a\nx,1,7\nx,2,7\n\"q\",3,8\n", &fed, &tally, &err), 0);
	assert_int_equal(fed.rows[maps[0]], 2);
	assert_int_equal(tally.rows, 3);
	assert_int_equal(run_chunk(map, "a,b,c\n", &fed, &tally, &err), 0);
	assert_int_equal(fed.calls[maps[0]], 0);
	/* Bytes from outside that are no chunk of this table. */
	assert_int_equal(run_chunk(map, "", &fed, &tally, &err), -1);
	assert_string_equal(err.message, "chunk 7 of t: it has no header");
	assert_int_equal(run_chunk(map, "a,c\n1,x\n", &fed, &tally, &err), -1);
	assert_non_null(strstr(err.message, "chunk 7 of t"));
	assert_int_equal(err.code, ERROR_DATA);
	chunk_map_free(map);
	arena_release(&fixture.arena);
}

/* An error of evaluation has its query's name, and leaves nothing behind for the next chunk. */
static void test_failed_chunk(void **state)
{
	static const char *const queries[] = {"SELECT sum(a / b) FROM t"};
	struct fixture fixture;
	struct chunk_map *map;
	struct csv_tally tally;
	struct error err;
	struct fed fed;
	uint32_t maps[FRAGMENTS_MAX];

	(void)state;
	fixture_init(&fixture, queries, 1);
	map_fragments(fixture.plan, maps);
	map = chunk_map_new(fixture.plan, &fixture.catalog, 0);
	assert_int_equal(run_chunk(map, "a,b,c\n1,1,x\n1,0,x\n", &fed, &tally, &err), -1);
	assert_int_equal(err.code, ERROR_EVAL);
	assert_non_null(strstr(err.message, "q1"));
	assert_int_equal(fed.calls[maps[0]], 0);
	assert_int_equal(run_chunk(map, "a,b,c\n1,1,x\n", &fed, &tally, &err), 0);
	assert_int_equal(fed.rows[maps[0]], 1);
	chunk_map_free(map);
	arena_release(&fixture.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_fields_belong_to_readers),
		cmocka_unit_test(test_only_wanted_fragments),
		cmocka_unit_test(test_merged_fragments),
		cmocka_unit_test(test_chunks_with_headers),
		cmocka_unit_test(test_failed_chunk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
