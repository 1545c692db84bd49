/* Batches as bytes and back: exactly, with few bytes, and never a crash for other bytes. */
#include "base/hash.h"
#include "base/memory.h"
#include "column/batch_codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/column/random_batch.h"

#define BYTES_MAX     (256u << 20)
#define TYPES_MAX     24
#define SEED_SIZE_MAX 600

static const enum type_kind kinds[] = {TYPE_BOOL, TYPE_INT, TYPE_BIGINT, TYPE_NUMERIC, TYPE_DOUBLE,
	TYPE_TEXT, TYPE_DATE, TYPE_TIME, TYPE_TIMESTAMP, TYPE_INTERVAL, TYPE_TEXT_LIST,
	TYPE_ARRAY | TYPE_BOOL, TYPE_ARRAY | TYPE_INT, TYPE_ARRAY | TYPE_NUMERIC,
	TYPE_ARRAY | TYPE_DOUBLE, TYPE_ARRAY | TYPE_TIMESTAMP, TYPE_ARRAY | TYPE_INTERVAL};
#define KIND_COUNT (sizeof(kinds) / sizeof(*kinds))

struct fixture {
	struct arena arena; /* what is encoded */
	struct arena decoded_arena;
	struct buf bytes;
	struct batch decoded;
	struct error err;
};

static int setup(void **state)
{
	struct fixture *f = memory_zalloc(sizeof(*f));

	arena_init(&f->arena, 1 << 16);
	arena_init(&f->decoded_arena, 1 << 10);
	buf_init(&f->bytes, BYTES_MAX);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	buf_release(&f->bytes);
	arena_release(&f->arena);
	arena_release(&f->decoded_arena);
	free(f);
	return 0;
}

static bool text_equal(struct text a, struct text b)
{
	if (a.size != b.size)
		return false;
	return a.size == 0 || a.size == TEXT_LIST_NULL_SIZE || !memcmp(a.data, b.data, a.size);
}

/* To the last bit. */
static bool value_equal(const struct value *a, const struct value *b)
{
	if (a->is_null || b->is_null)
		return a->is_null == b->is_null;
	switch (type_physical(a->type.kind)) {
	case PHYSICAL_U8: return a->boolean == b->boolean;
	case PHYSICAL_I64: return a->i64 == b->i64;
	case PHYSICAL_NUM: return numeric_identical(a->num, b->num);
	case PHYSICAL_F64:
		/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): NaN is the same NaN */
		return memcmp(&a->f64, &b->f64, sizeof(double)) == 0;
	case PHYSICAL_TEXT: return text_equal(a->text, b->text);
	case PHYSICAL_INTERVAL: return memcmp(&a->interval, &b->interval, 16) == 0;
	case PHYSICAL_LIST: break;
	}
	if (a->list.count != b->list.count)
		return false;
	for (uint32_t i = 0; i < a->list.count; i++) {
		if (!text_equal(a->list.items[i], b->list.items[i]))
			return false;
	}
	return true;
}

static void assert_same_rows(const struct batch *a, const struct batch *b)
{
	assert_int_equal(a->selected, b->selected);
	assert_int_equal(a->column_count, b->column_count);
	for (uint32_t c = 0; c < a->column_count; c++) {
		assert_true(type_equal(a->columns[c].type, b->columns[c].type));
		for (uint32_t k = 0; k < a->selected; k++) {
			struct value x = column_value(&a->columns[c], batch_row(a, k));
			struct value y = column_value(&b->columns[c], batch_row(b, k));

			if (!value_equal(&x, &y))
				fail_msg("column %u, row %u: another value", c, k);
		}
	}
}

static int decode(
	struct fixture *f, const void *bytes, size_t size, uint32_t count, const struct type *types)
{
	const uint8_t *at = bytes;
	int status;

	arena_release(&f->decoded_arena);
	arena_init(&f->decoded_arena, 1 << 10);
	f->err.code = ERROR_NONE;
	status = batch_decode(&at, (const uint8_t *)bytes + size, count, types, &f->decoded_arena,
		&f->decoded, &f->err);
	/* Blocks double up to the largest request, and one may have just begun. */
	assert_true(
		f->decoded_arena.held <=
		(1 << 13) + 4 * ((size_t)count * (BATCH_ROWS_MAX * BATCH_DECODE_ROW_BYTES + 128) +
					size * BATCH_DECODE_ITEM_FACTOR));
	if (status < 0)
		assert_int_equal(f->err.code, ERROR_DATA);
	else
		assert_true(at <= (const uint8_t *)bytes + size);
	return status;
}

/* The rows of a batch as a batch without constants, selection or needless validity. */
static void spell_out(const struct batch *batch, struct batch *out, struct arena *arena)
{
	*out = (struct batch){.rows = batch->selected,
		.selected = batch->selected,
		.column_count = batch->column_count,
		.columns = arena_alloc(arena, (batch->column_count + 1) * sizeof(struct column))};
	for (uint32_t c = 0; c < batch->column_count; c++) {
		column_init(&out->columns[c], batch->columns[c].type, out->rows + 1, arena);
		column_add_validity(&out->columns[c], out->rows + 1, arena);
		for (uint32_t k = 0; k < batch->selected; k++) {
			struct value value = column_value(&batch->columns[c], batch_row(batch, k));

			column_set_value(&out->columns[c], k, &value);
		}
	}
}

/* For the fuzzer: BATCH_SEEDS is a folder. It reads how many columns there are, and their types. */
static void keep_seed(const struct buf *bytes, uint32_t count, const struct type *types)
{
	const char *folder = getenv("BATCH_SEEDS");
	char path[512];
	FILE *file;

	if (!folder || bytes->size > SEED_SIZE_MAX)
		return;
	snprintf(path, sizeof(path), "%s/%016llx", folder,
		(unsigned long long)hash_bytes(bytes->data, bytes->size));
	file = fopen(path, "wb");
	if (!file)
		fail_msg("cannot write %s", path);
	fputc((int)count, file);
	for (uint32_t i = 0; i < count; i++)
		fputc(types[i].kind - TYPE_BOOL, file);
	fwrite(bytes->data, bytes->size, 1, file);
	assert_int_equal(fclose(file), 0);
}

static void check_round_trip(struct fixture *f, const struct batch *batch)
{
	struct type types[TYPES_MAX];
	struct batch plain;
	struct buf again;

	for (uint32_t c = 0; c < batch->column_count; c++)
		types[c] = batch->columns[c].type;
	buf_clear(&f->bytes);
	batch_encode(batch, &f->bytes);
	keep_seed(&f->bytes, batch->column_count, types);
	if (decode(f, f->bytes.data, f->bytes.size, batch->column_count, types) < 0)
		fail_msg("%s", f->err.message);
	assert_same_rows(batch, &f->decoded);

	buf_init(&again, BYTES_MAX);
	batch_encode(&f->decoded, &again);
	assert_int_equal(again.size, f->bytes.size);
	assert_memory_equal(again.data, f->bytes.data, again.size);
	buf_clear(&again);
	spell_out(batch, &plain, &f->arena);
	batch_encode(&plain, &again);
	assert_int_equal(again.size, f->bytes.size);
	assert_memory_equal(again.data, f->bytes.data, again.size);
	buf_release(&again);
}

static uint32_t random_types(struct rng *rng, struct type *types)
{
	uint32_t count = (uint32_t)rng_below(rng, 6);

	for (uint32_t i = 0; i < count; i++)
		types[i] = type_of(kinds[rng_below(rng, KIND_COUNT)]);
	return count;
}

static uint32_t random_rows(struct rng *rng)
{
	static const uint32_t some[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 2047, 2048};

	return random_one_in(rng, 2) ? some[rng_below(rng, sizeof(some) / sizeof(*some))]
				     : (uint32_t)rng_below(rng, 300);
}

static void round_trips_of_random_batches(void **state)
{
	struct fixture *f = *state;
	struct type types[TYPES_MAX];

	for (uint64_t seed = 1; seed <= 1500; seed++) {
		struct batch batch;
		struct rng rng;
		uint32_t count;

		rng_init(&rng, seed);
		arena_reset(&f->arena);
		count = random_types(&rng, types);
		random_batch(&rng, &batch, random_rows(&rng), count, types, &f->arena);
		check_round_trip(f, &batch);
	}
}

/* Every style of every type, so that none depends on luck. */
static void round_trips_of_every_type(void **state)
{
	struct fixture *f = *state;

	for (size_t k = 0; k < KIND_COUNT; k++) {
		struct type type = type_of(kinds[k]);

		for (uint64_t seed = 1; seed <= 40; seed++) {
			struct batch batch;
			struct rng rng;

			rng_init(&rng, seed * 1000 + k);
			arena_reset(&f->arena);
			random_batch(&rng, &batch, random_rows(&rng), 1, &type, &f->arena);
			check_round_trip(f, &batch);
		}
	}
}

static size_t size_of_integers(
	struct fixture *f, enum type_kind kind, uint32_t rows, int64_t (*value)(uint32_t row))
{
	struct column column;
	struct batch batch = {
		.rows = rows, .selected = rows, .column_count = 1, .columns = &column};

	arena_reset(&f->arena);
	column_init(&column, type_of(kind), rows, &f->arena);
	for (uint32_t i = 0; i < rows; i++)
		column.i64[i] = value(i);
	check_round_trip(f, &batch);
	return f->bytes.size;
}

static int64_t value_constant(uint32_t row)
{
	(void)row;
	return 123456789;
}

static int64_t value_seconds(uint32_t row)
{
	return (INT64_C(1700000000) + row * 37 % 1024) * MICROS_PER_SECOND;
}

static int64_t value_days(uint32_t row)
{
	return (INT64_C(19700) + row % 16) * MICROS_PER_DAY;
}

static int64_t value_in_a_million(uint32_t row)
{
	return (int64_t)(row * UINT64_C(2654435761) % 1000000);
}

/* Bits a value times the rows, and a few bytes. */
static void integers_take_the_bits_they_need(void **state)
{
	assert_in_range(size_of_integers(*state, TYPE_BIGINT, 2048, value_constant), 1, 10);
	assert_in_range(size_of_integers(*state, TYPE_TIMESTAMP, 2048, value_seconds), 1, 2580);
	assert_in_range(size_of_integers(*state, TYPE_TIMESTAMP, 2048, value_days), 1, 1044);
	assert_in_range(size_of_integers(*state, TYPE_BIGINT, 2048, value_in_a_million), 1, 5136);
}

/* Every width, with a value of each extreme. */
static void integers_of_every_width(void **state)
{
	struct fixture *f = *state;
	int64_t values[100];
	struct column column = {.type = type_of(TYPE_BIGINT), .values = values};
	struct batch batch = {.column_count = 1, .columns = &column};
	struct rng rng;

	rng_init(&rng, 7);
	for (unsigned width = 0; width <= 64; width++) {
		uint64_t mask = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;

		for (uint32_t rows = 1; rows <= 100; rows++) {
			for (uint32_t i = 0; i < rows; i++)
				values[i] =
					(int64_t)((uint64_t)INT64_MIN + (rng_next(&rng) & mask));
			values[0] = (int64_t)((uint64_t)INT64_MIN + mask);
			batch.rows = batch.selected = rows;
			check_round_trip(f, &batch);
		}
	}
}

static void a_batch_without_columns_keeps_its_rows(void **state)
{
	struct fixture *f = *state;
	struct batch batch = {.rows = 1234, .selected = 1234};

	check_round_trip(f, &batch);
	assert_int_equal(f->decoded.rows, 1234);
}

static void batches_follow_each_other(void **state)
{
	struct fixture *f = *state;
	struct type type = type_of(TYPE_TEXT);
	struct batch batch;
	const uint8_t *at, *end;
	struct rng rng;

	rng_init(&rng, 3);
	random_batch(&rng, &batch, 100, 1, &type, &f->arena);
	batch_encode(&batch, &f->bytes);
	batch_encode(&batch, &f->bytes);
	at = (const uint8_t *)f->bytes.data;
	end = at + f->bytes.size;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			batch_decode(&at, end, 1, &type, &f->decoded_arena, &f->decoded, &f->err),
			0);
		assert_same_rows(&batch, &f->decoded);
	}
	assert_ptr_equal(at, end);
}

static void other_types_are_refused(void **state)
{
	struct fixture *f = *state;
	struct type types[] = {type_of(TYPE_TEXT), type_of(TYPE_BIGINT)};
	struct type swapped[] = {type_of(TYPE_BIGINT), type_of(TYPE_TEXT)};
	struct batch batch;
	struct rng rng;

	rng_init(&rng, 3);
	random_batch(&rng, &batch, 100, 2, types, &f->arena);
	batch.sel = NULL;
	batch.selected = batch.rows;
	batch_encode(&batch, &f->bytes);
	assert_int_equal(decode(f, f->bytes.data, f->bytes.size, 2, swapped), -1);
	assert_int_equal(decode(f, f->bytes.data, f->bytes.size, 1, types), -1);
}

static void integer_out_of_range(struct fixture *f, enum type_kind kind, int64_t value, bool legal)
{
	struct column column = {.type = type_of(TYPE_BIGINT), .values = &value};
	struct batch batch = {.rows = 1, .selected = 1, .column_count = 1, .columns = &column};
	struct type type = type_of(kind);

	buf_clear(&f->bytes);
	batch_encode(&batch, &f->bytes);
	assert_int_equal(decode(f, f->bytes.data, f->bytes.size, 1, &type), legal ? 0 : -1);
}

static void values_outside_their_type_are_refused(void **state)
{
	struct fixture *f = *state;
	const int64_t first = DATE_DAYS_MIN * MICROS_PER_DAY;
	const int64_t last = (DATE_DAYS_MAX + 1) * MICROS_PER_DAY - 1;

	integer_out_of_range(f, TYPE_INT, INT32_MAX, true);
	integer_out_of_range(f, TYPE_INT, INT64_C(1) + INT32_MAX, false);
	integer_out_of_range(f, TYPE_INT, INT64_C(-1) + INT32_MIN, false);
	integer_out_of_range(f, TYPE_DATE, DATE_DAYS_MIN, true);
	integer_out_of_range(f, TYPE_DATE, DATE_DAYS_MIN - 1, false);
	integer_out_of_range(f, TYPE_DATE, DATE_DAYS_MAX + 1, false);
	integer_out_of_range(f, TYPE_TIME, MICROS_PER_DAY, true);
	integer_out_of_range(f, TYPE_TIME, MICROS_PER_DAY + 1, false);
	integer_out_of_range(f, TYPE_TIME, -1, false);
	integer_out_of_range(f, TYPE_TIMESTAMP, first, true);
	integer_out_of_range(f, TYPE_TIMESTAMP, first - 1, false);
	integer_out_of_range(f, TYPE_TIMESTAMP, last, true);
	integer_out_of_range(f, TYPE_TIMESTAMP, last + 1, false);
	integer_out_of_range(f, TYPE_BIGINT, INT64_MIN, true);
}

static void numeric_out_of_range(struct fixture *f, numeric value, bool legal)
{
	struct column column = {.type = type_of(TYPE_NUMERIC), .values = &value};
	struct batch batch = {.rows = 1, .selected = 1, .column_count = 1, .columns = &column};

	buf_clear(&f->bytes);
	batch_encode(&batch, &f->bytes);
	assert_int_equal(decode(f, f->bytes.data, f->bytes.size, 1, &column.type), legal ? 0 : -1);
}

static void numerics_outside_their_digits_are_refused(void **state)
{
	const int128 limit = numeric_power10[NUMERIC_DIGITS_MAX];

	numeric_out_of_range(*state, numeric_pack(limit - 1, 0), true);
	numeric_out_of_range(*state, numeric_pack(limit, 0), false);
	numeric_out_of_range(*state, numeric_pack(-limit, 35), false);
	numeric_out_of_range(*state, numeric_pack(1 - limit, 35), true);
	numeric_out_of_range(*state, numeric_pack(1 - limit, 36), false);
	numeric_out_of_range(*state, numeric_pack(5, 36), false);
	numeric_out_of_range(*state, numeric_pack(5, 35), true);
}

/* A copy of exactly so many bytes: a read behind them is noticed. */
static int decode_copy(
	struct fixture *f, const void *bytes, size_t size, uint32_t count, const struct type *types)
{
	void *copy = memory_alloc(size ? size : 1);
	int status;

	if (size)
		memcpy(copy, bytes, size);
	status = decode(f, copy, size, count, types);
	if (status == 0) {
		/* Whatever it is: it can be read, and it encodes. */
		struct buf again;

		buf_init(&again, BYTES_MAX);
		batch_encode(&f->decoded, &again);
		buf_release(&again);
	}
	free(copy);
	return status;
}

static void damage(struct fixture *f, uint32_t count, const struct type *types)
{
	uint8_t *bytes = (uint8_t *)f->bytes.data;
	size_t size = f->bytes.size, step = 1 + size / 2000;

	for (size_t cut = 0; cut < size; cut += step)
		assert_int_equal(decode_copy(f, bytes, cut, count, types), -1);
	for (size_t i = 0; i < size; i += step) {
		for (unsigned value = 0; value < 256; value += 1 + (i > 64) * 50) {
			uint8_t kept = bytes[i];

			bytes[i] = (uint8_t)(value == kept ? value ^ 0x80 : value);
			(void)decode_copy(f, bytes, size, count, types);
			bytes[i] = kept;
		}
	}
}

static void damaged_bytes_are_refused_or_valid(void **state)
{
	struct fixture *f = *state;
	struct type types[TYPES_MAX];

	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct batch batch;
		struct rng rng;
		uint32_t count;

		rng_init(&rng, seed);
		arena_reset(&f->arena);
		count = random_types(&rng, types);
		random_batch(
			&rng, &batch, 1 + (uint32_t)rng_below(&rng, 40), count, types, &f->arena);
		buf_clear(&f->bytes);
		batch_encode(&batch, &f->bytes);
		damage(f, count, types);
	}
}

static void too_long_a_batch_overflows_the_buffer(void **state)
{
	struct fixture *f = *state;
	struct batch batch;
	struct rng rng;

	for (size_t k = 0; k < KIND_COUNT; k++) {
		struct type type = type_of(kinds[k]);

		rng_init(&rng, k);
		random_batch(&rng, &batch, 2048, 1, &type, &f->arena);
		batch.sel = NULL;
		batch.selected = batch.rows;
		for (size_t most = 0; most < 40; most++) {
			struct buf small;

			buf_init(&small, most);
			batch_encode(&batch, &small);
			assert_true(buf_overflowed(&small) || small.size <= most);
			buf_release(&small);
		}
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(round_trips_of_random_batches),
		TEST(round_trips_of_every_type),
		TEST(integers_take_the_bits_they_need),
		TEST(integers_of_every_width),
		TEST(a_batch_without_columns_keeps_its_rows),
		TEST(batches_follow_each_other),
		TEST(other_types_are_refused),
		TEST(values_outside_their_type_are_refused),
		TEST(numerics_outside_their_digits_are_refused),
		TEST(damaged_bytes_are_refused_or_valid),
		TEST(too_long_a_batch_overflows_the_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
