/*
 * Intervals in the operators: 1 mon, 30 days and 720 hours are one key, and which of them is shown
 * does not depend on which came first.
 */
#include "unit/exec/exec_fixture.h"

#include "exec/table/join_build.h"
#include "exec/table/partition.h"
#include "exec/table/rowkey.h"

static const uint32_t first_key[] = {0};

static struct rowkey_entry *encode(struct fixture *f, struct rowkey *key, const struct batch *batch,
	uint32_t sort_count, const struct plan_sort_key *sort)
{
	struct rowkey_entry *entries = arena_zalloc(&f->arena, batch->rows * sizeof(*entries));
	struct type *types = arena_alloc(&f->arena, batch->column_count * sizeof(*types));
	struct buf buf;

	for (uint32_t c = 0; c < batch->column_count; c++)
		types[c] = batch->columns[c].type;
	rowkey_init(key, batch->column_count, types, 0, NULL, sort_count, sort);
	buf_init(&buf, ROWKEY_SIZE_MAX);
	for (uint32_t row = 0; row < batch->rows; row++) {
		assert_int_equal(rowkey_encode(key, batch, row, &buf, &f->err), 0);
		entries[row].stored = rowkey_store(&f->arena, &buf);
	}
	buf_release(&buf);
	return entries;
}

/* Sorted in both directions, with ties broken by months and days, and read back. */
static void test_sort_keys(void **state)
{
	static const char *const ascending = "-178956970 years -8 mons\n-1 mons\n-30 days\n"
					     "-00:00:00.000001\n-1 mons +30 days\n00:00:00\n"
					     "24:00:00\n1 day\n720:00:00\n30 days\n1 mon\n"
					     "2147483647 days\n178956970 years 7 mons\nNULL\n";

	(void)state;
	for (int descending = 0; descending < 2; descending++) {
		struct plan_sort_key sort = {0, descending, false};
		struct batch batch, decoded = {.column_count = 1};
		struct rowkey_entry *entries;
		struct column column;
		uint64_t numbers[16];
		struct rowkey key;
		struct fixture f;

		fixture_init(&f);
		batch = fixture_batch(&f, "I", ascending);
		entries = encode(&f, &key, &batch, 1, &sort);
		rowkey_abbreviate(&key.fields[0], &batch, numbers);
		for (uint32_t a = 0; a < batch.rows; a++) {
			for (uint32_t b = 0; b < a; b++) {
				int order = rowkey_compare(entries[b].stored, entries[a].stored);

				if (!descending)
					assert_true(order < 0);
				if (order < 0)
					assert_true(numbers[b] <= numbers[a]);
				else
					assert_true(numbers[b] >= numbers[a]);
			}
		}
		rowkey_decode(&key, entries, batch.rows, &column, &f.arena);
		decoded.rows = decoded.selected = batch.rows;
		decoded.columns = &column;
		fixture_emit(&f.sink, &decoded, &f.err);
		assert_string_equal(fixture_text(&f), ascending);
		rowkey_release(&key);
		fixture_release(&f);
	}
}

static void test_peers(void **state)
{
	static const struct plan_sort_key sort[] = {{0, true, false}, {1, false, false}};
	struct rowkey_entry *entries;
	struct rowkey key;
	struct fixture f;
	struct batch batch;
	size_t prefix;

	(void)state;
	fixture_init(&f);
	batch = fixture_batch(&f, "Il", "1 mon|1\n30 days|1\n29 days|1\n720:00|2\n");
	entries = encode(&f, &key, &batch, 2, sort);
	prefix = rowkey_prefix_size(&key, entries[0].stored, 2);
	assert_true(rowkey_same_prefix(entries[1].stored, entries[0].stored, prefix));
	assert_false(rowkey_same_prefix(entries[2].stored, entries[0].stored, prefix));
	prefix = rowkey_prefix_size(&key, entries[0].stored, 1);
	assert_true(rowkey_same_prefix(entries[3].stored, entries[0].stored, prefix));
	rowkey_release(&key);
	fixture_release(&f);
}

static void test_hashes(void **state)
{
	uint64_t hashes[BATCH_ROWS_MAX];
	struct fixture f;
	struct batch batch;

	(void)state;
	fixture_init(&f);
	batch = fixture_batch(&f, "I", "1 mon\n30 days\n720:00\n1 day\n-1 mon\nNULL\n");
	partition_hash(&batch, first_key, 1, hashes);
	assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
	assert_true(hashes[0] != hashes[3] && hashes[0] != hashes[4] && hashes[0] != hashes[5]);
	fixture_release(&f);
}

static struct plan_op *group_op(struct fixture *f, enum group_phase phase, const char *types,
	uint32_t key_count, uint32_t count, const enum aggregate_id *ids, uint32_t arg)
{
	struct plan_op *op = fixture_op(f, PLAN_GROUP, types);
	struct plan_group *group = &op->group;

	group->phase = phase;
	group->key_count = key_count;
	group->keys = (uint32_t *)first_key;
	group->aggregate_count = count;
	group->aggregates = arena_zalloc(&f->arena, (count + 1) * sizeof(*group->aggregates));
	for (uint32_t i = 0; i < count; i++) {
		struct plan_aggregate *to = &group->aggregates[i];

		to->id = ids[i];
		to->arg = arg;
		to->filter = PLAN_NONE;
		to->arg_type = type_of(TYPE_INTERVAL);
		assert_true(aggregate_result_type(to->id, to->arg_type, &to->type));
		if (phase == GROUP_FINAL)
			arg += ids[i] == AGG_AVG ? 2 : 1;
	}
	return op;
}

/* Rows in two orders and in batches of two sizes: always the least by its parts. */
static void test_group_keys(void **state)
{
	static const char *const pushes[][3] = {
		{"1 mon\n30 days\nNULL\n1 day\n", "720:00\n24:00\n0\n-1 mon 30 days\n", NULL},
		{"-1 mon 30 days\n0\n24:00\n720:00\n1 day\nNULL\n30 days\n1 mon\n", NULL},
		{"24:00\n720:00\n", "1 day\n0\n30 days\nNULL\n", "1 mon\n-1 mon 30 days\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pushes) / sizeof(pushes[0]); i++) {
		struct fixture f;

		fixture_init(&f);
		group_op(&f, GROUP_COMPLETE, "I", 1, 0, NULL, 0);
		fixture_start(&f);
		for (size_t p = 0; p < 3 && pushes[i][p]; p++)
			fixture_push(&f, "I", pushes[i][p]);
		assert_string_equal(fixture_sorted(&f, fixture_finish(&f)),
			"-1 mons +30 days\n24:00:00\n720:00:00\nNULL\n");
		fixture_release(&f);
	}
}

static const enum aggregate_id all_ids[] = {AGG_SUM, AGG_AVG, AGG_MIN, AGG_MAX, AGG_COUNT};

#define ALL_IDS (sizeof(all_ids) / sizeof(all_ids[0]))

static void test_aggregates(void **state)
{
	(void)state;
	for (int partial = 0; partial < 2; partial++) {
		struct fixture f;

		fixture_init(&f);
		if (partial)
			group_op(&f, GROUP_PARTIAL, "lttlIIl", 1, ALL_IDS, all_ids, 1);
		group_op(&f, partial ? GROUP_FINAL : GROUP_COMPLETE, "lIIIIl", 1, ALL_IDS, all_ids,
			1);
		fixture_start(&f);
		fixture_push(&f, "lI", "1|1 mon\n1|30 days\n2|2147483647 days\n3|NULL\n");
		fixture_push(&f, "lI", "1|1 day\n2|1 day\n1|NULL\n2|-1 day -00:00:00.5\n");
		assert_string_equal(fixture_sorted(&f, fixture_finish(&f)),
			"1|1 mon 31 days|20 days 08:00:00|1 day|1 mon|3\n"
			"2|2147483647 days -00:00:00.5|715827882 days 07:59:59.836766|-1 days "
			"-00:00:00.5|2147483647 days|3\n"
			"3|NULL|NULL|NULL|NULL|0\n");
		fixture_release(&f);
	}
}

static void test_sum_out_of_range(void **state)
{
	static const enum aggregate_id sum[] = {AGG_SUM};
	struct fixture f;
	struct batch batch;

	(void)state;
	fixture_init(&f);
	group_op(&f, GROUP_COMPLETE, "I", 0, 1, sum, 0);
	fixture_start(&f);
	fixture_push(&f, "I", "2147483647 days\n1 day\n");
	assert_int_equal(pipeline_finish(f.pipeline, &f.err), -1);
	assert_string_equal(f.err.message, "interval out of range");
	fixture_release(&f);
	fixture_init(&f);
	group_op(&f, GROUP_FINAL, "I", 0, 1, sum, 0);
	fixture_start(&f);
	batch = fixture_batch(&f, "t", "not a sum\n");
	assert_int_equal(pipeline_push(f.pipeline, &batch, &f.err), -1);
	assert_int_equal(f.err.code, ERROR_DATA);
	fixture_release(&f);
}

/* Many distinct keys: the partial phase passes rows on as states of their own. */
static void test_partial_passes(void **state)
{
	static const enum aggregate_id ids[] = {AGG_SUM, AGG_AVG};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	group_op(&f, GROUP_PARTIAL, "lttl", 1, 2, ids, 1);
	group_op(&f, GROUP_FINAL, "lII", 1, 2, ids, 1);
	fixture_start(&f);
	for (int64_t b = 0; b < 20; b++) {
		struct batch batch = {.rows = 2048, .selected = 2048, .column_count = 2};
		struct column columns[2];

		column_init(&columns[0], type_of(TYPE_BIGINT), 2048, &f.arena);
		column_init(&columns[1], type_of(TYPE_INTERVAL), 2048, &f.arena);
		for (int64_t row = 0; row < 2048; row++) {
			columns[0].i64[row] = b * 2048 + row;
			columns[1].interval[row] = (struct interval){1, 2, 3};
		}
		batch.columns = columns;
		fixture_push_batch(&f, &batch);
	}
	assert_non_null(strstr(fixture_finish(&f),
		"|3 mons 2 days 00:00:00.000001|3 mons 2 days 00:00:00.000001\n"));
	assert_int_equal(f.rows, 20 * 2048);
	fixture_release(&f);
}

static void test_join_keys(void **state)
{
	static uint32_t keys[] = {0};
	struct join_build *build;
	struct plan_op *op;
	struct batch batch;
	struct fixture f;

	(void)state;
	fixture_init(&f);
	op = fixture_op(&f, PLAN_JOIN, "II");
	op->join.kind = JOIN_INNER;
	op->join.build_input = 1;
	op->join.key_count = 1;
	op->join.flow_keys = op->join.build_keys = keys;
	build = join_build_new(&op->join, 1, fixture_types(&f, "I"));
	batch = fixture_batch(&f, "I", "1 mon\n1 day\nNULL\n");
	assert_int_equal(join_build_add(build, &batch, &f.err), 0);
	join_build_seal(build, NULL);
	f.builds[1] = build;
	fixture_start(&f);
	fixture_push(&f, "I", "720:00\n24:00\n2 days\nNULL\n");
	assert_string_equal(
		fixture_sorted(&f, fixture_finish(&f)), "24:00:00|1 day\n720:00:00|1 mon\n");
	join_build_free(build);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sort_keys),
		cmocka_unit_test(test_peers),
		cmocka_unit_test(test_hashes),
		cmocka_unit_test(test_group_keys),
		cmocka_unit_test(test_aggregates),
		cmocka_unit_test(test_sum_out_of_range),
		cmocka_unit_test(test_partial_passes),
		cmocka_unit_test(test_join_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
