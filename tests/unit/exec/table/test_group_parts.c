/*
 * A final group with more groups than the caches hold: rows are set aside, compacted, gathered back
 * when a NULL comes, and the sums are right in every case.
 */
#include "base/memory.h"
#include "exec/op/pipeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GROUPS 300000u

struct collector {
	struct sink sink;
	int64_t *counts; /* by key; the last entry is the NULL key's */
	uint64_t rows;
};

static int collect(struct sink *sink, const struct batch *batch, struct error *err)
{
	struct collector *collector = (struct collector *)sink;

	(void)err;
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);
		bool is_null = column_is_null(&batch->columns[0], row);
		int64_t key = is_null ? GROUPS : batch->columns[0].i64[row];

		assert_in_range(key, 0, GROUPS);
		/* A key must come once. */
		assert_int_equal(collector->counts[key], 0);
		collector->counts[key] = batch->columns[1].i64[row];
		collector->rows++;
	}
	return 0;
}

static struct pipeline *make_pipeline(struct collector *collector)
{
	static uint32_t keys[] = {0};
	static struct plan_aggregate count = {
		.id = AGG_COUNT_STAR, .arg = 1, .filter = PLAN_NONE, .type = {.kind = TYPE_BIGINT}};
	static struct type types[] = {{.kind = TYPE_BIGINT}, {.kind = TYPE_BIGINT}};
	static struct plan_op group = {
		.kind = PLAN_GROUP,
		.group = {.phase = GROUP_FINAL,
			.key_count = 1,
			.keys = keys,
			.aggregate_count = 1,
			.aggregates = &count},
		.column_count = 2,
		.types = types,
	};
	static struct plan_op *ops[] = {&group};
	static struct plan_input input = {.kind = INPUT_EXCHANGE};
	static const struct plan_fragment fragment = {
		.input_count = 1, .inputs = &input, .op_count = 1, .ops = ops, .query = PLAN_NONE};
	static const struct join_build *builds[1];
	struct pipeline *pipeline;
	struct error err;

	collector->sink.emit = collect;
	collector->counts = memory_zalloc((GROUPS + 1) * sizeof(int64_t));
	assert_int_equal(pipeline_new(&pipeline, &fragment, builds, &collector->sink, &err), 0);
	return pipeline;
}

/* One state of 1 for every key, in an order that jumps about. */
static void push_all_keys(struct pipeline *pipeline, uint32_t multiplier)
{
	static int64_t keys[BATCH_ROWS_MAX], counts[BATCH_ROWS_MAX];
	struct column columns[] = {
		{.type = {.kind = TYPE_BIGINT}, .i64 = keys},
		{.type = {.kind = TYPE_BIGINT}, .i64 = counts},
	};
	struct batch batch = {.column_count = 2, .columns = columns};
	struct error err;

	for (uint32_t first = 0; first < GROUPS; first += batch.rows) {
		batch.rows = GROUPS - first < BATCH_ROWS_MAX ? GROUPS - first : BATCH_ROWS_MAX;
		batch.selected = batch.rows;
		for (uint32_t i = 0; i < batch.rows; i++) {
			keys[i] = (int64_t)((uint64_t)(first + i) * multiplier % GROUPS);
			counts[i] = 1;
		}
		assert_int_equal(pipeline_push(pipeline, &batch, &err), 0);
	}
}

static void push_null_key(struct pipeline *pipeline)
{
	int64_t key = 0, count = 7;
	uint8_t valid = 0;
	struct column columns[] = {
		{.type = {.kind = TYPE_BIGINT}, .i64 = &key, .valid = &valid},
		{.type = {.kind = TYPE_BIGINT}, .i64 = &count},
	};
	struct batch batch = {.rows = 1, .selected = 1, .column_count = 2, .columns = columns};
	struct error err;

	assert_int_equal(pipeline_push(pipeline, &batch, &err), 0);
}

static void finish_and_check(
	struct pipeline *pipeline, struct collector *collector, int64_t each, int64_t null_count)
{
	struct error err;

	assert_int_equal(pipeline_finish(pipeline, &err), 0);
	for (uint32_t key = 0; key < GROUPS; key++)
		assert_int_equal(collector->counts[key], each);
	assert_int_equal(collector->counts[GROUPS], null_count);
	assert_int_equal(collector->rows, GROUPS + (null_count > 0));
	pipeline_free(pipeline);
	free(collector->counts);
}

static void sums_are_right_when_rows_are_set_aside(void **state)
{
	struct collector collector = {0};
	struct pipeline *pipeline = make_pipeline(&collector);

	(void)state;
	push_all_keys(pipeline, 1);
	push_all_keys(pipeline, 7919);
	finish_and_check(pipeline, &collector, 2, 0);
}

/* 12 * 300,000 rows of 16 bytes are far more than is set aside without compaction. */
static void repeated_keys_are_compacted(void **state)
{
	struct collector collector = {0};
	struct pipeline *pipeline = make_pipeline(&collector);

	(void)state;
	for (int i = 0; i < 12; i++)
		push_all_keys(pipeline, i % 2 ? 7919 : 104729);
	finish_and_check(pipeline, &collector, 12, 0);
}

static void a_null_key_gathers_the_parts(void **state)
{
	struct collector collector = {0};
	struct pipeline *pipeline = make_pipeline(&collector);

	(void)state;
	push_all_keys(pipeline, 7919);
	push_null_key(pipeline);
	push_all_keys(pipeline, 1);
	push_null_key(pipeline);
	finish_and_check(pipeline, &collector, 2, 14);
}

static void a_null_key_before_the_parts_keeps_one_table(void **state)
{
	struct collector collector = {0};
	struct pipeline *pipeline = make_pipeline(&collector);

	(void)state;
	push_null_key(pipeline);
	push_all_keys(pipeline, 7919);
	finish_and_check(pipeline, &collector, 1, 7);
}

static void a_pipeline_may_be_freed_with_rows_set_aside(void **state)
{
	struct collector collector = {0};
	struct pipeline *pipeline = make_pipeline(&collector);

	(void)state;
	push_all_keys(pipeline, 1);
	pipeline_free(pipeline);
	assert_int_equal(collector.rows, 0);
	free(collector.counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_right_when_rows_are_set_aside),
		cmocka_unit_test(repeated_keys_are_compacted),
		cmocka_unit_test(a_null_key_gathers_the_parts),
		cmocka_unit_test(a_null_key_before_the_parts_keeps_one_table),
		cmocka_unit_test(a_pipeline_may_be_freed_with_rows_set_aside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
