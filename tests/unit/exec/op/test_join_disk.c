/* Joins of more than fits into memory give the same rows: split, split again, piece by piece. */
#include "unit/exec/exec_fixture.h"
#include "unit/exec/memory_store.h"

#define BUILD_ROWS 30000
#define FLOW_ROWS  6000
#define BATCH	   1000
/* One that makes everything leave memory, and one that lets pieces of some thousand rows stay. */
#define LIMIT_NONE  1
#define LIMIT_SMALL 600000

struct outcome {
	uint64_t rows;
	uint64_t hash; /* of the rows in any order */
	uint64_t calls;
	int status;
};

/* The share of the build side's rows, in percent, that have the key 7; the others are all different. */
static int64_t build_key(int64_t i, uint32_t skew)
{
	return (uint64_t)i * 7919 % 100 < skew ? 7 : 10 + i;
}

static void fill(struct column *columns, int64_t first, uint32_t skew, bool flow)
{
	for (int64_t k = 0; k < BATCH; k++) {
		int64_t i = first + k;

		/* Every other flowing row has a key that is there; few have the one of many. */
		columns[0].i64[k] = !flow ? build_key(i, skew) : i % 1999 == 0 ? 7 : 10 + 7 * i;
		columns[0].valid[k] = i % 97 != 0;
		columns[1].i64[k] = i;
	}
}

static int hash_rows(struct sink *sink, const struct batch *batch, struct error *err)
{
	struct fixture *f = (struct fixture *)sink;
	uint64_t sum = 0;

	(void)err;
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);
		uint64_t hash = 1469598103934665603u;

		for (uint32_t c = 0; c < batch->column_count; c++) {
			const struct column *column = &batch->columns[c];
			uint32_t at = column_index(column, row);
			uint64_t value = column_is_null(column, row) ? 1u << 31
					 : column->type.kind == TYPE_BOOL
						 ? column->u8[at]
						 : (uint64_t)column->i64[at];

			hash = (hash ^ value) * 1099511628211u;
			hash ^= hash >> 29;
		}
		sum += hash;
	}
	f->rows += batch->selected;
	buf_append(&f->out, (const char *)&sum, sizeof(sum));
	return 0;
}

static uint64_t sum_of(const struct buf *sums)
{
	uint64_t sum = 0, one;

	for (size_t at = 0; at < sums->size; at += sizeof(one)) {
		memcpy(&one, sums->data + at, sizeof(one));
		sum += one;
	}
	return sum;
}

static int join_rows(
	struct fixture *f, struct join_build *build, const struct plan_op *op, uint32_t skew)
{
	struct column columns[2];
	struct batch batch = {
		.rows = BATCH, .selected = BATCH, .column_count = 2, .columns = columns};

	(void)op;
	for (int c = 0; c < 2; c++)
		column_init(&columns[c], type_of(TYPE_BIGINT), BATCH, &f->arena);
	column_add_validity(&columns[0], BATCH, &f->arena);
	for (int64_t first = 0; first < BUILD_ROWS; first += BATCH) {
		fill(columns, first, skew, false);
		if (join_build_add(build, &batch, &f->err))
			return -1;
	}
	join_build_seal(build, NULL);
	f->builds[1] = build;
	fixture_start(f);
	for (int64_t first = 0; first < FLOW_ROWS; first += BATCH) {
		fill(columns, first, skew, true);
		if (pipeline_push(f->pipeline, &batch, &f->err))
			return -1;
	}
	return pipeline_finish(f->pipeline, &f->err);
}

/* `limit` 0: in memory. */
static struct outcome run(enum join_kind kind, uint32_t skew, size_t limit, uint64_t fail_at)
{
	static uint32_t key = 0;
	const char *types = join_yields_mark(kind) ? "llb" : kind == JOIN_SINGLE ? "llllb" : "llll";
	struct memory_store store;
	struct outcome outcome;
	struct fixture f;
	struct plan_op *op;
	struct join_build *build;

	memory_store_init(&store, limit, fail_at);
	fixture_init(&f);
	f.sink.emit = hash_rows;
	op = fixture_op(&f, PLAN_JOIN, types);
	op->join = (struct plan_join){.kind = kind,
		.build_input = 1,
		.key_count = 1,
		.flow_keys = &key,
		.build_keys = &key};
	build = join_build_new(&op->join, 2, fixture_types(&f, "ll"));
	if (limit > 0)
		join_build_work_with(build, &store.memory, JOIN_BUILD_SPILLS);
	outcome.status = join_rows(&f, build, op, skew);
	assert_int_equal(join_build_is_on_disk(build), limit > 0);
	outcome.rows = f.rows;
	outcome.hash = sum_of(&f.out);
	outcome.calls = store.calls;
	if (outcome.status)
		assert_string_equal(f.err.message, "no room");
	fixture_release(&f);
	join_build_free(build);
	assert_int_equal(store.pieces, 0);
	assert_int_equal(atomic_load(&store.budget.held), 0);
	memory_store_release(&store);
	return outcome;
}

static const enum join_kind kinds[] = {
	JOIN_INNER, JOIN_LEFT, JOIN_FULL, JOIN_MARK, JOIN_EXISTS, JOIN_SINGLE};

static void check(uint32_t skew, size_t limit)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct outcome expected = run(kinds[i], skew, 0, 0);
		struct outcome got = run(kinds[i], skew, limit, 0);

		assert_int_equal(got.status, 0);
		assert_true(got.rows > 0 && got.calls > 0);
		assert_int_equal(got.rows, expected.rows);
		assert_int_equal(got.hash, expected.hash);
	}
}

static void test_parts(void **state)
{
	(void)state;
	check(0, LIMIT_NONE);
	check(0, LIMIT_SMALL);
}

/* Some parts are much larger than the others. */
static void test_parts_of_parts(void **state)
{
	(void)state;
	check(40, LIMIT_NONE);
	check(40, LIMIT_SMALL);
}

/* Most rows have one key: no split helps. */
static void test_pieces(void **state)
{
	(void)state;
	check(95, LIMIT_NONE);
	check(95, LIMIT_SMALL);
}

/* Whichever write or read fails, that is the error, and nothing is left. */
static void test_failures(void **state)
{
	uint64_t calls;

	(void)state;
	calls = run(JOIN_FULL, 40, LIMIT_NONE, 0).calls;
	for (uint64_t at = 1; at <= calls; at += 1 + calls / 40)
		assert_int_equal(run(JOIN_FULL, 40, LIMIT_NONE, at).status, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_parts_of_parts),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
