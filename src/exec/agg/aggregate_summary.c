/* The aggregate behind SUMMARIZE: a value_summary for each group, and what it says as texts. */
#include "column/numeric_long.h"
#include "exec/agg/aggregate_private.h"
#include "exec/agg/value_summary.h"

#include <string.h>

/* A mantissa of 15 digits and such a power of ten are doubles, and so is their quotient, rounded once. */
#define EXACT_MANTISSA ((int128)1000000000000000)
#define EXACT_SCALE    22
#define DOUBLE_DIGITS  15
#define ENCODED_MAX    (64u << 20)
#define VALUE_TEXT_MAX (64u << 20)

static const double power10[EXACT_SCALE + 1] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static struct value_summary **summary_at(const struct aggregate *aggregate, uint8_t *row)
{
	return (struct value_summary **)(row + aggregate->offset);
}

static struct value_summary *summary_of(const struct aggregate *aggregate, uint8_t *row)
{
	struct value_summary **at = summary_at(aggregate, row);

	if (!*at)
		*at = value_summary_new(aggregate->arg_type.kind == TYPE_TEXT);
	return *at;
}

void summary_release_row(const struct aggregate *aggregate, uint8_t *row)
{
	value_summary_free(*summary_at(aggregate, row));
	*summary_at(aggregate, row) = NULL;
}

static void add_numeric(struct value_summary *summary, numeric value)
{
	int128 mantissa = numeric_mantissa(value);
	double number;

	if (numeric_is_plain(value) && mantissa < EXACT_MANTISSA && mantissa > -EXACT_MANTISSA &&
		numeric_scale(value) <= EXACT_SCALE) {
		number = (double)(int64_t)mantissa / power10[numeric_scale(value)];
	} else {
		number = numeric_to_double(value);
		if (!numeric_is_special(value))
			value_summary_note_rounded(summary);
	}
	value_summary_note_scale(summary, numeric_display_scale(value));
	value_summary_add(summary, summary_word_of_double(number));
}

void summary_update(const struct aggregate *aggregate, const struct column *column,
	const struct aggregate_input *input)
{
	for (uint32_t i = 0; i < input->count; i++) {
		struct value_summary *summary = summary_of(aggregate, input->rows[i]);
		uint32_t at = input->index[i];

		switch (aggregate->physical) {
		case PHYSICAL_I64:
			value_summary_add(summary, summary_word_of_i64(column->i64[at]));
			break;
		case PHYSICAL_F64:
			value_summary_add(summary, summary_word_of_double(column->f64[at]));
			break;
		case PHYSICAL_NUM: add_numeric(summary, column->num[at]); break;
		case PHYSICAL_TEXT: value_summary_add_text(summary, column->text[at]); break;
		default: break; /* the binder has no such summary */
		}
	}
}

int summary_merge_states(const struct aggregate *aggregate, const struct text *states,
	const struct aggregate_input *input, struct error *err)
{
	for (uint32_t i = 0; i < input->count; i++) {
		struct text bytes = states[input->index[i]];

		if (!value_summary_merge(
			    summary_of(aggregate, input->rows[i]), bytes.data, bytes.size))
			return error_set(err, ERROR_DATA, "a partial summary is damaged");
	}
	return 0;
}

static struct text encode(const struct value_summary *summary, struct arena *arena)
{
	struct text bytes;
	struct buf out;

	buf_init(&out, ENCODED_MAX);
	value_summary_encode(summary, &out);
	bytes = text_from(arena_copy(arena, out.data, out.size), out.size);
	buf_release(&out);
	return bytes;
}

void summary_read_states(const struct aggregate *aggregate, uint8_t *const *rows, uint32_t count,
	struct column *out, struct arena *arena)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct value_summary *summary = *summary_at(aggregate, rows[i]);

		if (summary)
			out->text[i] = encode(summary, arena);
		else
			aggregate_set_null(out, i, count, arena);
	}
}

void summary_pass(const struct aggregate *aggregate, const struct batch *batch,
	const uint8_t *taken, struct column *out, struct arena *arena)
{
	const struct column *arg = &batch->columns[aggregate->arg];
	struct value_summary *state = NULL;
	struct aggregate one = *aggregate;
	uint8_t *row = (uint8_t *)&state;

	one.offset = 0;
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t at = batch_row(batch, k);
		uint16_t index = (uint16_t)column_index(arg, at);
		const struct aggregate_input input = {1, &row, &index, true};

		if (taken && !taken[at])
			continue;
		summary_update(&one, arg, &input);
		out->text[at] = encode(state, arena);
		summary_release_row(&one, row);
	}
}

/* --- what it says as texts -------------------------------------------------------------------------- */

static numeric numeric_of(double number, uint32_t scale, struct arena *arena)
{
	numeric value = numeric_long_from_double(number, DOUBLE_DIGITS, arena);

	if (numeric_is_special(value) || numeric_display_scale(value) >= scale)
		return value;
	return numeric_long_at_scale(value, scale, arena);
}

static struct text word_text(const struct aggregate *aggregate, uint64_t word,
	const struct summary_result *result, struct arena *arena)
{
	struct value value = {.type = aggregate->arg_type};
	struct text text;
	struct buf out;

	if (aggregate->physical == PHYSICAL_F64)
		value.f64 = summary_double_of_word(word);
	else if (aggregate->physical == PHYSICAL_NUM)
		value.num = numeric_of(summary_double_of_word(word), result->scale, arena);
	else
		value.i64 = summary_i64_of_word(word);
	buf_init(&out, VALUE_TEXT_MAX);
	value_format(&value, &out);
	text = text_from(arena_copy(arena, out.data, out.size), out.size);
	buf_release(&out);
	return text;
}

static struct text_list items_of(
	const struct aggregate *aggregate, const struct summary_result *result, struct arena *arena)
{
	struct text *items = arena_alloc(arena, SUMMARY_ITEMS * sizeof(*items));
	const char *distinct = arena_printf(arena, "%lu", (unsigned long)result->distinct);

	items[0] = text_from(distinct, strlen(distinct));
	for (uint32_t q = 0; q < 3; q++)
		items[1 + q] = result->has_quartiles
				       ? word_text(aggregate, result->quartiles[q], result, arena)
				       : item_null();
	items[4] = item_null();
	if (result->has_most_frequent && aggregate->physical == PHYSICAL_TEXT)
		items[4] = text_from(arena_copy(arena, result->most_frequent_text.data,
					     result->most_frequent_text.size),
			result->most_frequent_text.size);
	else if (result->has_most_frequent)
		items[4] = word_text(aggregate, result->most_frequent, result, arena);
	items[5] = result->exact ? text_from("true", 4) : text_from("false", 5);
	return (struct text_list){items, SUMMARY_ITEMS};
}

void summary_read_result(const struct aggregate *aggregate, uint8_t *const *rows, uint32_t count,
	struct column *out, struct arena *arena)
{
	for (uint32_t i = 0; i < count; i++) {
		struct value_summary *summary = *summary_at(aggregate, rows[i]);
		struct summary_result result = {.exact = true};

		if (summary)
			value_summary_read(summary, &result);
		out->list[i] = items_of(aggregate, &result, arena);
	}
}
