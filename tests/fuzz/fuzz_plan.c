/*
 * Random bytes as a plan, behind a checksum that is made to fit. A plan that decodes is valid, can
 * be explained and encodes to the same bytes once more; and every fragment of it runs, on random
 * rows of its inputs' types: it may fail, but what leaves it is legal.
 *
 * The seeds are plans without their checksum. After a change of the format,
 * `PLAN_SEEDS=FOLDER build/tests/unit/plan/test_plan_codec` writes new ones, and
 * `build/fuzz/fuzz_plan -merge=1 -max_len=1500 tests/fuzz/seeds/plan FOLDER` keeps the useful ones.
 */
#include "base/hash.h"
#include "base/memory.h"
#include "column/batch_codec.h"
#include "exec/op/pipeline.h"
#include "plan/plan_codec.h"
#include "sql/compile.h"

#include "unit/column/random_batch.h"
#include "unit/sql/sql_check.h"

#include <stdlib.h>

#define SIZE_MAX_FUZZED (64u << 10)
#define TEXT_MAX	(64u << 20)
#define BATCHES		3
#define ROWS_MAX	20
/* More joins in a row could yield more rows than there is time for. */
#define JOINS_MAX	   3
#define FRAGMENTS_RUN_MAX  40
#define OUTPUT_BATCHES_MAX 200

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t size_max);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t size_max, unsigned int seed);

/* Columns that go into a fragment or come out of it. */
struct flow {
	uint32_t count;
	const struct type *types;
};

struct runner {
	struct sink sink; /* first: the pipeline knows it by this */
	struct flow out;
	uint32_t batches;
	struct arena arena;
	struct rng rng;
};

/* What leaves a fragment has its types, and is legal: it survives the way to another node. */
static int check_output(struct sink *sink, const struct batch *batch, struct error *err)
{
	struct runner *runner = (struct runner *)sink;
	struct batch read;
	struct arena arena;
	struct buf bytes;
	const uint8_t *at;

	CHECK(batch->rows <= BATCH_ROWS_MAX && batch->selected <= batch->rows);
	CHECK(batch->column_count == runner->out.count);
	for (uint32_t i = 0; i < batch->column_count; i++)
		CHECK(type_physical(batch->columns[i].type.kind) ==
			type_physical(runner->out.types[i].kind));
	for (uint32_t k = 0; batch->sel && k < batch->selected; k++)
		CHECK(batch->sel[k] < batch->rows && (k == 0 || batch->sel[k - 1] < batch->sel[k]));
	arena_init(&arena, 1 << 16);
	buf_init(&bytes, TEXT_MAX);
	batch_encode(batch, &bytes);
	at = (const uint8_t *)bytes.data;
	if (!buf_overflowed(&bytes) && batch_decode(&at, at + bytes.size, runner->out.count,
					       runner->out.types, &arena, &read, err) < 0) {
		fprintf(stderr, "%s\n", err->message);
		abort();
	}
	buf_release(&bytes);
	arena_release(&arena);
	if (++runner->batches > OUTPUT_BATCHES_MAX)
		return error_set(err, ERROR_INTERRUPTED, "enough");
	return 0;
}

static struct flow input_of(const struct plan *plan, const struct plan_input *input,
	struct type types[PLAN_COLUMNS_MAX])
{
	const struct plan_table *table;

	if (input->kind == INPUT_ONE_ROW)
		return (struct flow){0, types};
	if (input->kind == INPUT_EXCHANGE)
		return (struct flow){plan->exchanges[input->index].column_count,
			plan->exchanges[input->index].types};
	table = &plan->tables[input->index];
	for (uint32_t i = 0; i < table->column_count; i++)
		types[i] = table->columns[i].type;
	return (struct flow){table->column_count, types};
}

static void put_bytes(struct rng *rng, struct buf *out, uint64_t count)
{
	while (count-- > 0)
		buf_append_char(out, (char)rng_next(rng));
}

/* What exact_sum_encode could write: the sign and specials, the first digit, the digits. */
static void put_exact_sum(struct rng *rng, struct buf *out)
{
	buf_append_char(out, (char)(random_one_in(rng, 2) ? 0 : rng_below(rng, 17)));
	buf_append_char(out, (char)rng_below(rng, random_one_in(rng, 2) ? 4 : 140));
	put_bytes(rng, out, 4 * rng_below(rng, random_one_in(rng, 8) ? 80 : 6));
}

static void put_count(struct rng *rng, struct buf *out)
{
	uint64_t count = random_one_in(rng, 2) ? rng_below(rng, 5) : rng_next(rng) >> 1;

	buf_append(out, &count, sizeof(count));
}

/* The state of a sum of doubles, of `kind` of them, of decimals, or of intervals. */
static struct text random_state(struct rng *rng, uint64_t kind, struct arena *arena)
{
	struct buf bytes, part;
	struct text text;
	uint64_t size = rng_below(rng, 33);

	buf_init(&bytes, 1 << 16);
	buf_init(&part, 1 << 16);
	switch (kind) {
	case 0: put_exact_sum(rng, &bytes); break;
	case 2:
	case 4:
	case 5:
		put_count(rng, &bytes);
		for (uint64_t i = 0; i < kind; i++) {
			buf_clear(&part);
			put_exact_sum(rng, &part);
			buf_append_char(&bytes, (char)part.size);
			buf_append_char(&bytes, (char)(part.size >> 8));
			buf_append(&bytes, part.data, part.size);
		}
		break;
	case 1:
		buf_append_char(&bytes, (char)rng_below(rng, NUMERIC_SCALE_MAX + 2));
		buf_append_char(&bytes, (char)size);
		put_count(rng, &bytes);
		put_bytes(rng, &bytes, size + rng_below(rng, 33));
		break;
	default: put_bytes(rng, &bytes, 32); break;
	}
	text = text_from(arena_copy(arena, bytes.data, bytes.size), bytes.size);
	buf_release(&bytes);
	buf_release(&part);
	return text;
}

/* Texts may be states of aggregates: then random ones would all be refused. */
static void make_batch(struct runner *runner, const struct flow *flow, struct batch *batch)
{
	struct rng *rng = &runner->rng;

	random_batch(rng, batch, (uint32_t)rng_below(rng, ROWS_MAX), flow->count, flow->types,
		&runner->arena);
	for (uint32_t c = 0; c < flow->count; c++) {
		struct column *column = &batch->columns[c];
		uint64_t kind = rng_below(rng, 6);

		if (flow->types[c].kind != TYPE_TEXT || random_one_in(rng, 2))
			continue;
		for (uint32_t row = 0; row < (column->constant ? 1 : batch->rows); row++) {
			if (!column_is_null(column, row))
				column->text[row] = random_state(rng, kind, &runner->arena);
		}
	}
}

static const struct plan_op *join_of(const struct plan_fragment *fragment, uint32_t input)
{
	for (uint32_t i = 0; i < fragment->op_count; i++) {
		if (fragment->ops[i]->kind == PLAN_JOIN &&
			fragment->ops[i]->join.build_input == input)
			return fragment->ops[i];
	}
	return NULL;
}

static struct join_build *make_build(struct runner *runner, const struct plan *plan,
	const struct plan_fragment *fragment, uint32_t input)
{
	struct type types[PLAN_COLUMNS_MAX];
	struct flow flow = input_of(plan, &fragment->inputs[input], types);
	const struct plan_op *join = join_of(fragment, input);
	struct join_build *build;
	struct batch batch;
	struct error err;

	CHECK(join);
	build = join_build_new(&join->join, flow.count, flow.types);
	make_batch(runner, &flow, &batch);
	CHECK(join_build_add(build, &batch, &err) == 0);
	join_build_seal(build, NULL);
	return build;
}

static void push_batches(struct runner *runner, const struct plan *plan,
	const struct plan_fragment *fragment, const struct join_build *const *builds)
{
	struct type types[PLAN_COLUMNS_MAX];
	struct flow flow = input_of(plan, &fragment->inputs[0], types);
	struct pipeline *pipeline;
	struct error err;
	int status = 0;

	if (pipeline_new(&pipeline, fragment, builds, &runner->sink, &err) < 0)
		return;
	for (int i = 0; i < BATCHES && !status; i++) {
		struct batch batch;

		make_batch(runner, &flow, &batch);
		status = pipeline_push(pipeline, &batch, &err);
	}
	if (!status)
		status = pipeline_finish(pipeline, &err);
	pipeline_free(pipeline);
}

static void run_fragment(
	struct runner *runner, const struct plan *plan, const struct plan_fragment *fragment)
{
	uint32_t count = fragment->input_count;
	struct join_build **builds;
	struct type types[PLAN_COLUMNS_MAX];

	if (count > JOINS_MAX + 1)
		return;
	/* A random recursion hardly ever ends. */
	for (uint32_t i = 0; i < fragment->op_count; i++) {
		if (fragment->ops[i]->kind == PLAN_RECURSION)
			return;
	}
	runner->batches = 0;
	runner->out = input_of(plan, &fragment->inputs[0], types);
	if (fragment->op_count > 0)
		runner->out = (struct flow){fragment->ops[fragment->op_count - 1]->column_count,
			fragment->ops[fragment->op_count - 1]->types};
	builds = memory_zalloc(count * sizeof(struct join_build *));
	for (uint32_t i = 1; i < count; i++)
		builds[i] = make_build(runner, plan, fragment, i);
	push_batches(runner, plan, fragment, (const struct join_build *const *)builds);
	for (uint32_t i = 1; i < count; i++)
		join_build_free(builds[i]);
	free(builds);
	arena_reset(&runner->arena);
}

/* Encoded again and once more: the same bytes. */
static void check_again(const struct plan *plan, const struct catalog *catalog)
{
	struct catalog tables;
	struct arena arena;
	struct plan *read;
	struct error err;
	struct buf once, twice;

	arena_init(&arena, 1 << 16);
	buf_init(&once, PLAN_BYTES_MAX);
	buf_init(&twice, PLAN_BYTES_MAX);
	if (plan_encode(plan, catalog, &once, &err) < 0 ||
		plan_decode(once.data, once.size, &arena, &read, &tables, &err) < 0 ||
		plan_encode(read, &tables, &twice, &err) < 0) {
		fprintf(stderr, "%s\n", err.message);
		abort();
	}
	CHECK(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
	buf_release(&once);
	buf_release(&twice);
	arena_release(&arena);
}

static void run_plan(const struct plan *plan, uint64_t seed)
{
	struct runner runner = {.sink = {check_output}};

	rng_init(&runner.rng, seed);
	arena_init(&runner.arena, 1 << 16);
	for (uint32_t i = 0; i < plan->fragment_count && i < FRAGMENTS_RUN_MAX; i++)
		run_fragment(&runner, plan, &plan->fragments[i]);
	arena_release(&runner.arena);
}

/* Most of a plan is small numbers: another one in the same place is more often a plan again. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t size_max, unsigned int seed)
{
	struct rng rng;

	rng_init(&rng, seed);
	if (size < 16 || random_one_in(&rng, 4))
		return LLVMFuzzerMutate(bytes, size, size_max);
	for (uint64_t i = 1 + rng_below(&rng, 3); i > 0; i--) {
		size_t at = rng_below(&rng, size);

		if (random_one_in(&rng, 2))
			bytes[at] = (uint8_t)rng_below(&rng, 1 + 2 * (uint64_t)bytes[at]);
		else
			bytes[at] = bytes[rng_below(&rng, size)];
	}
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct catalog catalog;
	struct buf sealed, text;
	struct arena arena;
	struct plan *plan;
	struct error err;
	uint64_t sum;

	if (size == 0 || size > SIZE_MAX_FUZZED)
		return 0;
	sum = hash_bytes(bytes, size);
	buf_init(&sealed, PLAN_BYTES_MAX);
	buf_append(&sealed, bytes, size);
	buf_append(&sealed, &sum, sizeof(sum));
	arena_init(&arena, 1 << 12);
	if (plan_decode(sealed.data, sealed.size, &arena, &plan, &catalog, &err) == 0) {
		buf_release(&sealed);
		check_plan(plan);
		buf_init(&text, TEXT_MAX);
		sql_explain(plan, &text);
		buf_release(&text);
		check_again(plan, &catalog);
		run_plan(plan, sum);
	} else {
		CHECK(err.code == ERROR_DATA);
	}
	buf_release(&sealed);
	arena_release(&arena);
	return 0;
}
