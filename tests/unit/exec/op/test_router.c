/* Which instance gets which row: through every kind of exchange, whole or in some columns. */
#include "exec/op/router.h"

#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ROWS	   600u
#define PARTITIONS 7u
#define KEYS	   40

enum { BY_KEY, TO_ONE, TO_ALL, NEAREST, OUTPUTS };

struct delivery {
	uint32_t calls;
	uint32_t column_count;
	uint32_t last_instance;
	uint32_t first_instance;
	uint32_t times[ROWS]; /* delivered, by row */
	uint32_t instance_of[ROWS];
};

struct fixture {
	struct plan plan;
	struct plan_fragment fragment;
	struct plan_exchange exchanges[OUTPUTS];
	uint32_t outputs[OUTPUTS];
	uint32_t *output_columns[OUTPUTS];
	uint32_t keys[1];
	struct column columns[2];
	int64_t numbers[ROWS]; /* column 0: of the row */
	int64_t groups[ROWS];  /* column 1: the key */
	struct batch batch;
	struct delivery got[OUTPUTS];
	uint32_t fail_at; /* the exchange whose delivery fails; OUTPUTS: none */
};

static uint32_t answer_nearest(void *context, uint32_t exchange)
{
	(void)context;
	assert_int_equal(exchange, NEAREST);
	return 3;
}

static int take_rows(void *context, uint32_t exchange, uint32_t instance, const struct batch *rows,
	struct error *err)
{
	struct fixture *f = context;
	struct delivery *got = &f->got[exchange];

	if (exchange == f->fail_at)
		return error_set(err, ERROR_EVAL, "no");
	assert_true(rows->selected > 0);
	if (got->calls++ == 0)
		got->first_instance = instance;
	got->last_instance = instance;
	got->column_count = rows->column_count;
	for (uint32_t k = 0; k < rows->selected; k++) {
		uint32_t row = batch_row(rows, k);

		got->times[row]++;
		got->instance_of[row] = instance;
		/* Whatever columns were picked, the key is the last of them. */
		assert_int_equal(rows->columns[rows->column_count - 1].i64[row], f->groups[row]);
	}
	return 0;
}

static const struct router_ops ops = {.nearest = answer_nearest, .deliver = take_rows};

static void fixture_init(struct fixture *f)
{
	static uint32_t both[] = {0, 1}, key_only[] = {1};
	const enum exchange_kind kinds[] = {
		EXCHANGE_HASH, EXCHANGE_SINGLE, EXCHANGE_BROADCAST, EXCHANGE_SPREAD};

	memset(f, 0, sizeof(*f));
	for (uint32_t o = 0; o < OUTPUTS; o++) {
		bool narrow = o == BY_KEY || o == TO_ALL;

		f->outputs[o] = o;
		f->output_columns[o] = narrow ? key_only : both;
		f->exchanges[o] =
			(struct plan_exchange){.kind = kinds[o], .column_count = narrow ? 1 : 2};
	}
	/* Column 0 of what the exchange carries is the key. */
	f->exchanges[BY_KEY].keys = f->keys;
	f->exchanges[BY_KEY].key_count = 1;
	f->fragment = (struct plan_fragment){.output_count = OUTPUTS,
		.outputs = f->outputs,
		.output_columns = f->output_columns,
		.query = PLAN_NONE};
	f->plan = (struct plan){.fragment_count = 1,
		.fragments = &f->fragment,
		.exchange_count = OUTPUTS,
		.exchanges = f->exchanges};
	for (uint32_t i = 0; i < ROWS; i++) {
		f->numbers[i] = i;
		f->groups[i] = i % KEYS;
	}
	f->columns[0] = (struct column){.type = type_of(TYPE_BIGINT), .i64 = f->numbers};
	f->columns[1] = (struct column){.type = type_of(TYPE_BIGINT), .i64 = f->groups};
	f->batch = (struct batch){
		.rows = ROWS, .selected = ROWS, .column_count = 2, .columns = f->columns};
	f->fail_at = OUTPUTS;
}

static void push(struct fixture *f, uint32_t first, int expected)
{
	struct router router;
	struct error err;

	memset(f->got, 0, sizeof(f->got));
	router_init(&router, &f->plan, PARTITIONS);
	assert_int_equal(router_push(&router, 0, &f->batch, first, &ops, f, &err), expected);
	router_release(&router);
	if (expected)
		return;
	/* A router that was released works on. */
	memset(f->got, 0, sizeof(f->got));
	assert_int_equal(router_push(&router, 0, &f->batch, first, &ops, f, &err), 0);
	router_release(&router);
}

static void test_every_row_once(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	push(&f, 0, 0);
	for (uint32_t o = 0; o < OUTPUTS; o++)
		for (uint32_t i = 0; i < ROWS; i++)
			assert_int_equal(f.got[o].times[i], 1);
	for (uint32_t i = 0; i < ROWS; i++) {
		assert_int_equal(f.got[BY_KEY].instance_of[i],
			partition_of(hash_u64((uint64_t)f.groups[i]), PARTITIONS));
		assert_int_equal(f.got[TO_ONE].instance_of[i], ROUTER_ALL);
		assert_int_equal(f.got[TO_ALL].instance_of[i], ROUTER_ALL);
		assert_int_equal(f.got[NEAREST].instance_of[i], 3);
	}
	assert_int_equal(f.got[BY_KEY].calls, PARTITIONS);
	assert_int_equal(f.got[BY_KEY].column_count, 1);
	assert_int_equal(f.got[TO_ONE].calls, 1);
	assert_int_equal(f.got[TO_ONE].column_count, 2);
	assert_int_equal(f.got[TO_ALL].column_count, 1);
}

static void test_only_selected_rows(void **state)
{
	uint16_t sel[] = {2, 3, 5, 599};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.batch.sel = sel;
	f.batch.selected = 4;
	push(&f, 0, 0);
	for (uint32_t o = 0; o < OUTPUTS; o++)
		for (uint32_t i = 0; i < ROWS; i++)
			assert_int_equal(f.got[o].times[i], i == 2 || i == 3 || i == 5 || i == 599);
	f.batch.selected = 0;
	push(&f, 0, 0);
	for (uint32_t o = 0; o < OUTPUTS; o++)
		assert_int_equal(f.got[o].calls, 0);
}

/* Where a thread starts changes the order of deliveries, never who gets a row. */
static void test_turned_order(void **state)
{
	struct delivery straight;
	struct fixture f;

	(void)state;
	fixture_init(&f);
	push(&f, 0, 0);
	straight = f.got[BY_KEY];
	assert_int_equal(straight.first_instance, 0);
	push(&f, PARTITIONS + 2, 0);
	assert_int_equal(f.got[BY_KEY].first_instance, 2);
	assert_int_equal(f.got[BY_KEY].last_instance, 1);
	assert_memory_equal(
		f.got[BY_KEY].instance_of, straight.instance_of, sizeof(straight.instance_of));
}

static void test_a_delivery_that_fails_ends_it(void **state)
{
	struct fixture f;

	(void)state;
	for (uint32_t at = 0; at < OUTPUTS; at++) {
		fixture_init(&f);
		f.fail_at = at;
		push(&f, 0, -1);
		for (uint32_t o = 0; o < OUTPUTS; o++)
			assert_true(o < at ? f.got[o].calls > 0 : f.got[o].calls == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_row_once),
		cmocka_unit_test(test_only_selected_rows),
		cmocka_unit_test(test_turned_order),
		cmocka_unit_test(test_a_delivery_that_fails_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
