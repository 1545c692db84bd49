#include "unit/exec/exec_fixture.h"

#include "exec/table/partition.h"

static const uint32_t keys[] = {0, 1, 2};

static uint64_t *hash_of(struct fixture *f, const struct batch *batch, uint32_t key_count)
{
	uint64_t *hashes = arena_zalloc(&f->arena, BATCH_ROWS_MAX * sizeof(*hashes));

	partition_hash(batch, keys, key_count, hashes);
	return hashes;
}

static void test_equal_values_hash_alike(void **state)
{
	struct fixture f;
	struct batch batch;
	uint64_t *hashes;

	(void)state;
	fixture_init(&f);
	batch = fixture_batch(&f, "nd",
		"1|0\n1.0|-0\n1.000|0\n100|NaN\n1e2|NaN\n"
		"123456789012345678901234567890.50|1\n123456789012345678901234567890.5|1\n");
	hashes = hash_of(&f, &batch, 2);
	assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
	assert_true(hashes[3] == hashes[4]);
	assert_true(hashes[5] == hashes[6]);
	assert_true(hashes[0] != hashes[3] && hashes[3] != hashes[5]);
	fixture_release(&f);
}

static void test_nulls_texts_and_lists(void **state)
{
	struct fixture f;
	struct batch batch;
	uint64_t *hashes;

	(void)state;
	fixture_init(&f);
	batch = fixture_batch(&f, "tab",
		"a|{x,y}|t\nNULL|NULL|NULL\nNULL|NULL|NULL\na|{x,y}|t\n|{}|f\na|{xy}|t\nb|{x,y}|"
		"t\n");
	hashes = hash_of(&f, &batch, 3);
	assert_true(hashes[0] == hashes[3]);
	assert_true(hashes[1] == hashes[2]);
	assert_true(hashes[0] != hashes[1] && hashes[0] != hashes[5] && hashes[0] != hashes[6]);
	fixture_release(&f);
}

/* The hash is part of the engine's version: these numbers may never change. */
static void test_values_are_fixed(void **state)
{
	struct fixture f;
	struct batch batch;

	(void)state;
	fixture_init(&f);
	batch = fixture_batch(&f, "ltn", "42|store|7.50\n");
	assert_true(hash_of(&f, &batch, 1)[0] == UINT64_C(0x63eb4d090e3c46f3));
	assert_true(hash_of(&f, &batch, 2)[0] == UINT64_C(0x23deddd2e32604ac));
	assert_true(hash_of(&f, &batch, 3)[0] == UINT64_C(0xbd0c45acac9499a0));
	assert_true(hash_of(&f, &batch, 0)[0] == 0);
	fixture_release(&f);
}

static void test_constant_column(void **state)
{
	struct fixture f;
	struct batch batch;
	uint64_t spread[3];
	uint64_t *hashes;

	(void)state;
	fixture_init(&f);
	batch = fixture_batch(&f, "ll", "7|1\n7|2\n7|3\n");
	memcpy(spread, hash_of(&f, &batch, 2), sizeof(spread));
	batch.columns[0].constant = true;
	hashes = hash_of(&f, &batch, 2);
	assert_memory_equal(hashes, spread, sizeof(spread));
	fixture_release(&f);
}

static void test_split(void **state)
{
	static const uint16_t sel[] = {1, 2, 5, 7, 8, 9};
	struct partition_split split;
	struct fixture f;
	struct batch batch;
	uint64_t *hashes;
	uint32_t seen = 0;

	(void)state;
	fixture_init(&f);
	batch = fixture_batch(&f, "l", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
	fixture_select(&f, &batch, 6, sel);
	hashes = hash_of(&f, &batch, 1);
	partition_split_init(&split, 4);
	for (int turn = 0; turn < 2; turn++) {
		partition_split_rows(&split, &batch, hashes);
		assert_int_equal(split.starts[0], 0);
		assert_int_equal(split.starts[4], 6);
	}
	for (uint32_t p = 0; p < 4; p++) {
		for (uint32_t i = split.starts[p]; i < split.starts[p + 1]; i++) {
			assert_int_equal(partition_of(hashes[split.rows[i]], 4), p);
			assert_true(i == split.starts[p] || split.rows[i - 1] < split.rows[i]);
			seen |= 1u << split.rows[i];
		}
	}
	assert_int_equal(seen, 1u << 1 | 1u << 2 | 1u << 5 | 1u << 7 | 1u << 8 | 1u << 9);
	partition_split_release(&split);
	fixture_release(&f);
}

static void test_spreads_evenly(void **state)
{
	struct fixture f;
	struct column column;
	struct batch batch = {
		.rows = 2000, .selected = 2000, .column_count = 1, .columns = &column};
	uint32_t counts[8] = {0};
	uint64_t *hashes;

	(void)state;
	fixture_init(&f);
	column_init(&column, type_of(TYPE_BIGINT), 2000, &f.arena);
	for (int64_t i = 0; i < 2000; i++)
		column.i64[i] = i;
	hashes = hash_of(&f, &batch, 1);
	for (uint32_t i = 0; i < 2000; i++)
		counts[partition_of(hashes[i], 8)]++;
	for (uint32_t p = 0; p < 8; p++)
		assert_in_range(counts[p], 180, 320);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_values_hash_alike),
		cmocka_unit_test(test_nulls_texts_and_lists),
		cmocka_unit_test(test_values_are_fixed),
		cmocka_unit_test(test_constant_column),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_spreads_evenly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
