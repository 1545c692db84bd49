#include "column/item.h"

#include "base/buf.h"
#include "column/canonical.h"
#include "random_batch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define PAIRS 20000

static const enum type_kind kinds[] = {TYPE_BOOL, TYPE_SMALLINT, TYPE_INT, TYPE_BIGINT,
	TYPE_NUMERIC, TYPE_DOUBLE, TYPE_TEXT, TYPE_DATE, TYPE_TIME, TYPE_TIMESTAMP, TYPE_INTERVAL};

static int sign(int order)
{
	return (order > 0) - (order < 0);
}

static int value_order(const struct value *a, const struct value *b)
{
	switch (type_physical(a->type.kind)) {
	case PHYSICAL_U8: return a->boolean - b->boolean;
	case PHYSICAL_I64: return (a->i64 > b->i64) - (a->i64 < b->i64);
	case PHYSICAL_NUM: return numeric_long_compare(a->num, b->num);
	case PHYSICAL_F64:
		if (a->f64 != a->f64 || b->f64 != b->f64)
			return (a->f64 != a->f64) - (b->f64 != b->f64);
		return (a->f64 > b->f64) - (a->f64 < b->f64);
	case PHYSICAL_TEXT: return text_compare(a->text, b->text);
	case PHYSICAL_INTERVAL: return interval_compare(a->interval, b->interval);
	case PHYSICAL_LIST: break;
	}
	return 0;
}

static void assert_same_text(const struct value *a, const struct value *b)
{
	struct buf texts[2];

	for (int i = 0; i < 2; i++)
		buf_init(&texts[i], TEXT_SIZE_MAX);
	value_format(a, &texts[0]);
	value_format(b, &texts[1]);
	assert_int_equal(texts[0].size, texts[1].size);
	if (texts[0].size > 0)
		assert_memory_equal(texts[0].data, texts[1].data, texts[0].size);
	for (int i = 0; i < 2; i++)
		buf_release(&texts[i]);
}

/* Items order as their values, are legal, and give back what prints the same. */
static void test_order(void **state)
{
	struct arena arena;
	struct rng rng;

	(void)state;
	rng_init(&rng, 17);
	arena_init(&arena, 1 << 14);
	for (uint32_t i = 0; i < PAIRS; i++) {
		struct type type = type_of(kinds[rng_below(&rng, sizeof(kinds) / sizeof(*kinds))]);
		enum random_style style = (enum random_style)rng_below(&rng, RANDOM_STYLE_COUNT);
		struct value values[2], back;
		struct text items[2];

		arena_reset(&arena);
		for (int k = 0; k < 2; k++) {
			values[k] = random_value(&rng, style, type, &arena);
			if (type.kind == TYPE_SMALLINT)
				values[k].i64 = (int16_t)values[k].i64;
			items[k] = item_of_value(&values[k], &arena);
			assert_true(item_is_legal(type.kind, items[k]));
			back = item_value(type, item_copy(items[k], &arena), &arena);
			assert_same_text(&values[k], &back);
		}
		assert_int_equal(sign(text_compare(items[0], items[1])),
			sign(value_order(&values[0], &values[1])));
	}
	arena_release(&arena);
}

/* Damaged bytes are told, or are the bytes of another value. */
static void test_damage(void **state)
{
	struct arena arena;
	struct rng rng;

	(void)state;
	rng_init(&rng, 18);
	arena_init(&arena, 1 << 14);
	for (uint32_t i = 0; i < PAIRS; i++) {
		struct type type = type_of(kinds[rng_below(&rng, sizeof(kinds) / sizeof(*kinds))]);
		struct value value = random_value(&rng, RANDOM_MIXED, type, &arena), back;
		struct text item = item_of_value(&value, &arena), again;
		uint32_t size = item.size + item.tail;
		char *bytes = arena_copy(&arena, item.data, size + 1);

		for (uint64_t k = rng_below(&rng, 3); k > 0 && size > 0; k--)
			bytes[rng_below(&rng, size)] ^= (char)(1 << rng_below(&rng, 8));
		size -= size > 0 ? (uint32_t)rng_below(&rng, 2) : 0;
		item.tail = item.tail > size ? 0 : item.tail;
		item = (struct text){bytes, size - item.tail, item.tail};
		if (!item_is_legal(type.kind, item))
			continue;
		back = item_value(type, item, &arena);
		again = item_of_value(&back, &arena);
		assert_true(item_identical(item, again));
		arena_reset(&arena);
	}
	arena_release(&arena);
}

/* Of equal items the one that is shown does not depend on which came first. */
static void test_shown(void **state)
{
	static const struct {
		enum type_kind kind;
		const char *one, *other, *shown;
	} cases[] = {
		{TYPE_NUMERIC, "{1.0,2.00,NULL}", "{1.00,2,NULL}", "{1.00,2.00,NULL}"},
		{TYPE_DOUBLE, "{-0,1}", "{0,1}", "{0,1}"},
		{TYPE_INTERVAL, "{1 mon}", "{30 days}", "{\"30 days\"}"},
	};
	const char *reason;
	struct arena arena;

	(void)state;
	arena_init(&arena, 1 << 12);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct type type = type_array_of(type_of(cases[i].kind));
		struct value one, other, kept, shown;

		assert_true(value_parse(
			type, cases[i].one, strlen(cases[i].one), &arena, &one, &reason));
		assert_true(value_parse(
			type, cases[i].other, strlen(cases[i].other), &arena, &other, &reason));
		assert_true(value_parse(
			type, cases[i].shown, strlen(cases[i].shown), &arena, &shown, &reason));
		assert_true(list_equal(one.list, other.list));
		assert_int_equal(list_hash(one.list), list_hash(other.list));
		assert_false(list_identical(one.list, other.list));
		kept = one;
		list_keep_shown(type.kind, &kept.list, other.list, &arena);
		assert_same_text(&kept, &shown);
		kept = other;
		list_keep_shown(type.kind, &kept.list, one.list, &arena);
		assert_same_text(&kept, &shown);
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
