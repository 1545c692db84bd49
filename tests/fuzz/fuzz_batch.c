/*
 * Random bytes as a batch. The first byte says how many columns it is read with, the next ones are
 * their types. What decodes keeps column.h's promises, and is the same after a second round.
 *
 * After a change of the format, `BATCH_SEEDS=FOLDER build/tests/unit/column/test_batch_codec`
 * writes new seeds, and `build/fuzz/fuzz_batch -merge=1 tests/fuzz/seeds/batch FOLDER` keeps the
 * useful ones.
 */
#include "base/memory.h"
#include "column/batch_codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 15
#define BYTES_MAX   (64u << 20)

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_numeric(numeric value)
{
	numeric made;

	CHECK(numeric_make(numeric_mantissa(value), numeric_scale(value), &made) && made == value);
}

static void check_text(struct text text)
{
	CHECK(text.size <= TEXT_SIZE_MAX);
	for (uint32_t i = 0; i < text.size; i += 61)
		*(volatile const char *)&text.data[i];
}

static void check_value(const struct value *value)
{
	switch (type_physical(value->type.kind)) {
	case PHYSICAL_NUM: check_numeric(value->num); break;
	case PHYSICAL_TEXT: check_text(value->text); break;
	case PHYSICAL_LIST:
		for (uint32_t i = 0; i < value->list.count; i++) {
			if (value->list.items[i].size != TEXT_LIST_NULL_SIZE)
				check_text(value->list.items[i]);
		}
		break;
	default: break;
	}
}

static void check_rows(const struct batch *batch)
{
	CHECK(batch->rows <= BATCH_ROWS_MAX && !batch->sel && batch->selected == batch->rows);
	for (uint32_t c = 0; c < batch->column_count; c++) {
		for (uint32_t row = 0; row < batch->rows; row++) {
			struct value value = column_value(&batch->columns[c], row);

			if (!value.is_null)
				check_value(&value);
		}
	}
}

/* What was decoded encodes to bytes that decode to what encodes to the same bytes. */
static void check_again(const struct batch *batch, uint32_t count, const struct type *types)
{
	struct buf once, twice;
	struct batch second;
	struct arena arena;
	struct error err;
	const uint8_t *at;

	arena_init(&arena, 1 << 16);
	buf_init(&once, BYTES_MAX);
	buf_init(&twice, BYTES_MAX);
	batch_encode(batch, &once);
	if (!buf_overflowed(&once)) {
		at = (const uint8_t *)once.data;
		CHECK(batch_decode(&at, at + once.size, count, types, &arena, &second, &err) == 0);
		CHECK(at == (const uint8_t *)once.data + once.size);
		batch_encode(&second, &twice);
		CHECK(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
	}
	buf_release(&once);
	buf_release(&twice);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct type types[COLUMNS_MAX];
	const uint8_t *at = bytes, *end = bytes + size;
	struct batch batch;
	struct arena arena;
	struct error err;
	uint32_t count;

	if (size == 0)
		return 0;
	count = *at++ % (COLUMNS_MAX + 1);
	if (size < 1 + count)
		return 0;
	for (uint32_t i = 0; i < count; i++, at++)
		types[i] = type_of((enum type_kind)(
			TYPE_BOOL + *at % (TYPE_KIND_COUNT - 1) + (*at & 0x80 ? TYPE_ARRAY : 0)));
	arena_init(&arena, 1 << 12);
	if (batch_decode(&at, end, count, types, &arena, &batch, &err) == 0) {
		CHECK(at <= end);
		check_rows(&batch);
		check_again(&batch, count, types);
	} else {
		CHECK(err.code == ERROR_DATA);
	}
	CHECK(arena.held <=
		(1 << 14) + 4 * ((size_t)count * (BATCH_ROWS_MAX * BATCH_DECODE_ROW_BYTES + 128) +
					size * BATCH_DECODE_ITEM_FACTOR));
	arena_release(&arena);
	return 0;
}
