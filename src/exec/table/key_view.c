#include "exec/table/key_view.h"
#include "column/canonical.h"

/*
 * Loops below read the selection through locals: the stores to the words could, for all the
 * compiler knows, change the batch.
 */
static bool has_null(const struct batch *batch, const struct column *column)
{
	const uint16_t *sel = batch->sel;
	const uint8_t *valid = column->valid;
	uint8_t all = 1;

	if (!valid)
		return false;
	if (column->constant)
		return !valid[0];
	for (uint32_t k = 0; k < batch->selected; k++)
		all &= valid[sel ? sel[k] : k];
	return !all;
}

static void view_i64(struct key_view *view, const struct batch *batch, struct arena *arena)
{
	const uint64_t *values = (const uint64_t *)view->column->i64;
	const uint16_t *sel = batch->sel;
	uint32_t count = batch->selected;
	bool constant = view->column->constant;
	uint64_t *words;

	view->words = values;
	if (!sel && !constant)
		return;
	words = arena_alloc(arena, count * sizeof(*words));
	view->words = words;
	if (constant) {
		for (uint32_t k = 0; k < count; k++)
			words[k] = values[0];
		return;
	}
	for (uint32_t k = 0; k < count; k++)
		words[k] = values[sel[k]];
}

static void view_bool(struct key_view *view, const struct batch *batch, struct arena *arena)
{
	uint64_t *words = arena_alloc(arena, batch->selected * sizeof(*words));

	for (uint32_t k = 0; k < batch->selected; k++)
		words[k] = view->column->u8[column_index(view->column, batch_row(batch, k))];
	view->words = words;
}

static void view_double(struct key_view *view, const struct batch *batch, struct arena *arena)
{
	const double *values = view->column->f64;
	uint64_t *words = arena_alloc(arena, batch->selected * sizeof(*words));

	for (uint32_t k = 0; k < batch->selected; k++)
		words[k] =
			canonical_double(values[column_index(view->column, batch_row(batch, k))]);
	view->words = words;
}

/* Returns the bits that any scale has. */
static unsigned split_numerics(const numeric *values, const uint16_t *sel, bool constant,
	uint32_t count, uint64_t *low, uint64_t *high)
{
	unsigned scales = 0;

	for (uint32_t k = 0; k < count; k++) {
		numeric value = values[constant ? 0 : sel ? sel[k] : k];

		scales |= numeric_scale(value);
		low[k] = (uint64_t)value;
		high[k] = (uint64_t)((unsigned __int128)value >> 64);
	}
	return scales;
}

/* Integers in a numeric column, as extract() makes them, are canonical already. */
static void view_numeric(struct key_view *view, const struct batch *batch, struct arena *arena)
{
	const numeric *values = view->column->num;
	uint64_t *low = arena_alloc(arena, batch->selected * sizeof(*low));
	uint64_t *high = arena_alloc(arena, batch->selected * sizeof(*high));
	unsigned scales;

	view->words = low;
	view->high = high;
	scales = split_numerics(
		values, batch->sel, view->column->constant, batch->selected, low, high);
	view->scaled = scales != 0;
	for (uint32_t k = 0; view->scaled && k < batch->selected; k++) {
		uint32_t i = column_index(view->column, batch_row(batch, k));
		bool is_null = view->valid && !view->valid[i];
		numeric value = is_null ? 0 : canonical_numeric(values[i]);

		view->has_long |= numeric_is_long(value);

		low[k] = (uint64_t)value;
		high[k] = (uint64_t)((unsigned __int128)value >> 64);
	}
}

bool key_views_make(struct key_view *views, uint32_t count, const struct batch *batch,
	const uint32_t *keys, struct arena *arena)
{
	bool nulls = false;

	for (uint32_t i = 0; i < count; i++) {
		const struct column *column = &batch->columns[keys[i]];
		struct key_view *view = &views[i];

		*view = (struct key_view){
			.physical = type_physical(column->type.kind),
			.column = column,
			.valid = has_null(batch, column) ? column->valid : NULL,
		};
		nulls |= view->valid != NULL;
		switch (view->physical) {
		case PHYSICAL_I64: view_i64(view, batch, arena); break;
		case PHYSICAL_U8: view_bool(view, batch, arena); break;
		case PHYSICAL_F64: view_double(view, batch, arena); break;
		case PHYSICAL_NUM: view_numeric(view, batch, arena); break;
		case PHYSICAL_TEXT:
		case PHYSICAL_LIST:
		case PHYSICAL_INTERVAL: break;
		}
	}
	return nulls;
}

uint64_t *key_views_masks(const struct key_view *views, uint32_t count, const struct batch *batch,
	uint32_t words, struct arena *arena)
{
	uint64_t *masks = arena_zalloc(arena, (size_t)batch->selected * words * sizeof(*masks));

	for (uint32_t i = 0; i < count; i++) {
		const struct key_view *view = &views[i];

		for (uint32_t k = 0; view->valid && k < batch->selected; k++) {
			uint32_t row = column_index(view->column, batch_row(batch, k));
			uint64_t bit = (uint64_t)!view->valid[row] << (i % 64);

			masks[(size_t)k * words + i / 64] |= bit;
		}
	}
	return masks;
}

/* Equal intervals mix alike, whatever their parts. */
static uint64_t mix_interval(uint64_t hash, struct interval interval)
{
	unsigned __int128 span = (unsigned __int128)interval_span(interval);

	return key_mix(key_mix(hash, (uint64_t)span), (uint64_t)(span >> 64));
}

static numeric make_number(uint64_t low, uint64_t high)
{
	return (numeric)((unsigned __int128)high << 64 | low);
}

static numeric view_number(const struct key_view *view, uint32_t k)
{
	return make_number(view->words[k], view->high[k]);
}

static bool number_equal(const struct key_view *view, uint32_t k, const uint64_t *words)
{
	numeric kept = make_number(words[0], words[1]), value = view_number(view, k);

	return kept == value || (numeric_is_long(kept) && numeric_is_long(value) &&
					numeric_compare(kept, value) == 0);
}

uint64_t key_view_mix(uint64_t hash, const struct key_view *view, uint32_t row, uint32_t k)
{
	uint32_t i = column_index(view->column, row);

	if (view->valid && !view->valid[i])
		return key_mix(hash, HASH_OF_NULL);
	switch (view->physical) {
	case PHYSICAL_U8:
	case PHYSICAL_I64:
	case PHYSICAL_F64: return key_mix(hash, view->words[k]);
	case PHYSICAL_NUM:
		if (numeric_is_long(view_number(view, k)))
			return key_mix(hash, numeric_long_hash(view_number(view, k)));
		return key_mix(key_mix(hash, view->words[k]), view->high[k]);
	case PHYSICAL_TEXT: return key_mix(hash, text_hash(view->column->text[i]));
	case PHYSICAL_LIST: return key_mix(hash, list_hash(view->column->list[i]));
	case PHYSICAL_INTERVAL: return mix_interval(hash, view->column->interval[i]);
	}
	return hash;
}

bool key_view_equal(const struct key_view *view, uint32_t row, uint32_t k, const uint8_t *slot)
{
	const uint64_t *words = (const uint64_t *)slot;
	uint32_t i = column_index(view->column, row);

	switch (view->physical) {
	case PHYSICAL_U8:
	case PHYSICAL_I64:
	case PHYSICAL_F64: return words[0] == view->words[k];
	case PHYSICAL_NUM: return number_equal(view, k, words);
	case PHYSICAL_TEXT: return text_equal(view->column->text[i], *(const struct text *)slot);
	case PHYSICAL_LIST:
		return list_equal(view->column->list[i], *(const struct text_list *)slot);
	case PHYSICAL_INTERVAL:
		return interval_compare(
			       view->column->interval[i], *(const struct interval *)slot) == 0;
	}
	return false;
}

void key_view_write(
	const struct key_view *view, uint32_t row, uint32_t k, uint8_t *slot, struct arena *arena)
{
	uint32_t i = column_index(view->column, row);
	uint64_t *words = (uint64_t *)slot;

	switch (view->physical) {
	case PHYSICAL_U8:
	case PHYSICAL_I64:
	case PHYSICAL_F64: words[0] = view->words[k]; break;
	case PHYSICAL_NUM: {
		numeric kept = numeric_keep(view_number(view, k), arena);

		memcpy(words, &kept, sizeof(kept));
		break;
	}
	case PHYSICAL_TEXT: *(struct text *)slot = text_copy(view->column->text[i], arena); break;
	case PHYSICAL_LIST:
		*(struct text_list *)slot = list_copy(view->column->list[i], arena);
		break;
	case PHYSICAL_INTERVAL: *(struct interval *)slot = view->column->interval[i]; break;
	}
}
