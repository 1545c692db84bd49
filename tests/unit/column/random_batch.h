/*
 * Random batches of any types, for tests and fuzzers: with extremes, nulls, constants, selections,
 * values that repeat and values that do not. Everything is in the arena.
 */
#ifndef TESTS_RANDOM_BATCH_H
#define TESTS_RANDOM_BATCH_H

#include "base/arena.h"
#include "base/rng.h"
#include "column/item.h"

#include <stdio.h>
#include <string.h>

/* How the values of a column are drawn. */
enum random_style {
	RANDOM_SMALL,  /* few values near each other */
	RANDOM_MEDIUM, /* many of the size that people write */
	RANDOM_ANY,    /* all bits */
	RANDOM_MIXED,  /* extremes among small ones */
	RANDOM_STYLE_COUNT,
};

static inline bool random_one_in(struct rng *rng, uint64_t n)
{
	return rng_below(rng, n) == 0;
}

/* Uniform, both ends included. */
static inline int64_t random_between(struct rng *rng, int64_t least, int64_t most)
{
	uint64_t span = (uint64_t)most - (uint64_t)least;
	uint64_t drawn = span == UINT64_MAX ? rng_next(rng) : rng_below(rng, span + 1);

	return (int64_t)((uint64_t)least + drawn);
}

static inline int64_t random_integer(struct rng *rng, enum random_style style, int64_t least,
	int64_t most, int64_t usual, int64_t unit)
{
	switch (style) {
	case RANDOM_SMALL: return usual + unit * (int64_t)rng_below(rng, 5);
	case RANDOM_MEDIUM: return usual + unit * (int64_t)rng_below(rng, 20000);
	case RANDOM_MIXED:
		if (!random_one_in(rng, 4))
			return usual + (int64_t)rng_below(rng, 100);
		return random_one_in(rng, 2) ? least : most;
	default: return random_between(rng, least, most);
	}
}

static inline int64_t random_i64(struct rng *rng, enum random_style style, enum type_kind kind)
{
	const int64_t first_day = DATE_DAYS_MIN, last_day = DATE_DAYS_MAX;

	switch (kind) {
	case TYPE_INT: return random_integer(rng, style, INT32_MIN, INT32_MAX, -2, 1);
	case TYPE_DATE: return random_integer(rng, style, first_day, last_day, 19700, 1);
	case TYPE_TIME: return random_integer(rng, style, 0, MICROS_PER_DAY, 0, 1000000);
	case TYPE_TIMESTAMP:
		return random_integer(rng, style, first_day * MICROS_PER_DAY,
			(last_day + 1) * MICROS_PER_DAY - 1, 19700 * MICROS_PER_DAY,
			random_one_in(rng, 50) ? 1000000 : MICROS_PER_DAY);
	default: return random_integer(rng, style, INT64_MIN, INT64_MAX, 1, 1);
	}
}

/* One that 128 bits do not hold, or that is no number. */
static inline numeric random_odd_numeric(struct rng *rng, struct arena *arena)
{
	numeric value = numeric_pack((int64_t)rng_next(rng) | 1, (unsigned)rng_below(rng, 20));

	switch (rng_below(rng, 8)) {
	case 0: return NUMERIC_NAN;
	case 1: return NUMERIC_INFINITY;
	case 2: return NUMERIC_MINUS_INFINITY;
	case 3: return numeric_long_at_scale(value, 40 + (unsigned)rng_below(rng, 300), arena);
	default: break;
	}
	for (uint64_t i = rng_below(rng, 5) + 1; i > 0; i--)
		(void)numeric_long_mul(value, value, arena, &value);
	return value;
}

static inline numeric random_numeric(struct rng *rng, enum random_style style, struct arena *arena)
{
	int128 limit = numeric_power10[NUMERIC_DIGITS_MAX];
	int128 mantissa;

	switch (style) {
	case RANDOM_SMALL: return numeric_pack((int64_t)rng_below(rng, 9) - 4, 1);
	case RANDOM_MEDIUM: return numeric_pack((int64_t)rng_below(rng, 100000), 2);
	case RANDOM_MIXED:
		if (random_one_in(rng, 30))
			return random_odd_numeric(rng, arena);
		if (random_one_in(rng, 30))
			return numeric_pack(random_one_in(rng, 2) ? limit - 1 : 1 - limit,
				(unsigned)rng_below(rng, NUMERIC_SCALE_MAX + 1));
		return numeric_pack(
			(int64_t)rng_below(rng, 1000) - 500, (unsigned)rng_below(rng, 4));
	default:
		mantissa = (int128)rng_next(rng) * (int64_t)rng_next(rng) % limit;
		return numeric_pack(mantissa, (unsigned)rng_below(rng, NUMERIC_SCALE_MAX + 1));
	}
}

static inline double random_double(struct rng *rng, enum random_style style)
{
	static const double extremes[] = {0.0, -0.0, 1.0 / 0.0, -1.0 / 0.0, 5e-324, -5e-324,
		1.7976931348623157e308, 2.2250738585072014e-308, 9007199254740993.0};
	uint64_t bits = rng_next(rng);
	double value;

	switch (style) {
	case RANDOM_SMALL: return 0.5 * (double)rng_below(rng, 11);
	case RANDOM_MEDIUM: return (double)rng_below(rng, 1000000) / 1000.0;
	case RANDOM_MIXED: return extremes[rng_below(rng, sizeof(extremes) / sizeof(*extremes))];
	default:
		/* One in ten is a NaN of any sign and payload. */
		if (random_one_in(rng, 10))
			bits |= 0x7ff0000000000001u;
		memcpy(&value, &bits, sizeof(value));
		return value;
	}
}

static inline struct text random_text(struct rng *rng, enum random_style style, struct arena *arena)
{
	static const char *const words[] = {"", "a", "tea", "coffee", "\xc3\xa9t\xc3\xa9", "NULL"};
	size_t size = rng_below(rng, random_one_in(rng, 100) ? 3000 : 20);
	uint64_t a = rng_next(rng), b = rng_next(rng);
	const char *word;
	char *bytes;

	switch (style) {
	case RANDOM_SMALL:
		word = words[rng_below(rng, sizeof(words) / sizeof(*words))];
		return text_from(word, strlen(word));
	case RANDOM_MEDIUM:
		bytes = arena_alloc_bytes(arena, 37);
		snprintf(bytes, 37, "%08x-%04x-%04x-%04x-%012llx", (unsigned)a,
			(unsigned)(a >> 32) & 0xffff, (unsigned)(a >> 48), (unsigned)(b & 0xffff),
			(unsigned long long)(b >> 16));
		return text_from(bytes, 36);
	case RANDOM_MIXED:
		if (!random_one_in(rng, 10))
			return random_text(rng, RANDOM_MEDIUM, arena);
		break;
	default: break;
	}
	bytes = arena_alloc_bytes(arena, size);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)rng_below(rng, random_one_in(rng, 10) ? 256 : 128);
	return text_from(bytes, size);
}

static inline struct value random_value(
	struct rng *rng, enum random_style style, struct type type, struct arena *arena);

static inline struct text_list random_list(
	struct rng *rng, enum random_style style, struct type element, struct arena *arena)
{
	uint32_t count = (uint32_t)rng_below(rng, style == RANDOM_ANY ? 9 : 4);
	struct text *items = arena_alloc(arena, (count + 1) * sizeof(*items));

	for (uint32_t i = 0; i < count; i++) {
		struct value value = random_value(rng, style, element, arena);

		items[i] = item_of_value(&value, arena);
		if (style != RANDOM_SMALL && random_one_in(rng, 5))
			items[i] = item_null();
	}
	return (struct text_list){items, count};
}

static inline struct interval random_interval(struct rng *rng, enum random_style style)
{
	return (struct interval){
		.microseconds = random_integer(rng, style, INT64_MIN, INT64_MAX, 0, 1000000),
		.days = (int32_t)random_integer(rng, style, INT32_MIN, INT32_MAX, 0, 1),
		.months = (int32_t)random_integer(rng, style, INT32_MIN, INT32_MAX, 0, 1),
	};
}

static inline struct value random_value(
	struct rng *rng, enum random_style style, struct type type, struct arena *arena)
{
	struct value value = {.type = type};

	switch (type_physical(type.kind)) {
	case PHYSICAL_U8: value.boolean = rng_next(rng) & 1; break;
	case PHYSICAL_I64: value.i64 = random_i64(rng, style, type.kind); break;
	case PHYSICAL_NUM: value.num = random_numeric(rng, style, arena); break;
	case PHYSICAL_F64: value.f64 = random_double(rng, style); break;
	case PHYSICAL_TEXT: value.text = random_text(rng, style, arena); break;
	case PHYSICAL_LIST:
		value.list = random_list(rng, style, type_element_of(type), arena);
		break;
	case PHYSICAL_INTERVAL: value.interval = random_interval(rng, style); break;
	}
	return value;
}

static inline void random_column(struct rng *rng, struct column *column, struct type type,
	uint32_t rows, struct arena *arena)
{
	enum random_style style = (enum random_style)rng_below(rng, RANDOM_STYLE_COUNT);
	uint64_t nulls = random_one_in(rng, 2) ? 0 : 1 + rng_below(rng, 8);
	bool constant = random_one_in(rng, 8);
	bool same = random_one_in(rng, 8);

	column_init(column, type, rows, arena);
	column->constant = constant;
	if (nulls)
		column_add_validity(column, rows, arena);
	for (uint32_t row = 0; row < (constant ? 1 : rows); row++) {
		struct value value = random_value(rng, style, type, arena);

		value.is_null = nulls && random_one_in(rng, nulls);
		if (same && row > 0 && !value.is_null && !column_is_null(column, 0))
			value = column_value(column, 0);
		column_set_value(column, row, &value);
	}
}

/* Ascending rows, perhaps all and perhaps none. */
static inline void random_selection(struct rng *rng, struct batch *batch, struct arena *arena)
{
	uint16_t *sel = arena_alloc(arena, (batch->rows + 1) * sizeof(*sel));
	uint64_t kept = rng_below(rng, 5);

	batch->selected = 0;
	for (uint32_t row = 0; row < batch->rows; row++) {
		sel[batch->selected] = (uint16_t)row;
		batch->selected += rng_below(rng, 4) < kept;
	}
	batch->sel = sel;
}

static inline void random_batch(struct rng *rng, struct batch *batch, uint32_t rows,
	uint32_t column_count, const struct type *types, struct arena *arena)
{
	*batch = (struct batch){.rows = rows,
		.selected = rows,
		.column_count = column_count,
		.columns = arena_alloc(arena, (column_count + 1) * sizeof(struct column))};
	for (uint32_t i = 0; i < column_count; i++)
		random_column(rng, &batch->columns[i], types[i], rows, arena);
	if (random_one_in(rng, 2))
		random_selection(rng, batch, arena);
}

#endif
