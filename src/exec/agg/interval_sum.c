#include "exec/agg/interval_sum.h"
#include "exec/agg/aggregate_private.h"

#include <string.h>

/* A state travels as these words of struct interval_sum: all but the count. */
#define STATE_SIZE offsetof(struct interval_sum, count)

static int128 sum_micros(const struct interval_sum *sum)
{
	return (int128)((unsigned __int128)sum->high << 64 | sum->low);
}

/* Values cannot make a sum leave its words; a state that came from elsewhere may, and wraps. */
static void sum_add(struct interval_sum *sum, int128 micros, int64_t days, int64_t months)
{
	unsigned __int128 total = (unsigned __int128)micros + (unsigned __int128)sum_micros(sum);

	sum->low = (uint64_t)total;
	sum->high = (uint64_t)(total >> 64);
	sum->days = (int64_t)((uint64_t)sum->days + (uint64_t)days);
	sum->months = (int64_t)((uint64_t)sum->months + (uint64_t)months);
}

void interval_sum_move(struct interval_sum *sum, struct interval value, int sign)
{
	sum_add(sum, (int128)sign * value.microseconds, (int64_t)sign * value.days,
		(int64_t)sign * value.months);
	sum->count += sign;
}

void interval_sum_update(const struct aggregate *aggregate, const struct interval *values,
	const struct aggregate_input *input)
{
	for (uint32_t i = 0; i < input->count; i++) {
		const struct interval *value = &values[input->index[i]];

		sum_add((struct interval_sum *)(input->rows[i] + aggregate->offset),
			value->microseconds, value->days, value->months);
		input->rows[i][aggregate->tag_offset] = 1;
	}
}

int interval_sum_merge(const struct aggregate *aggregate, const struct text *states,
	const struct aggregate_input *input, struct error *err)
{
	for (uint32_t i = 0; i < input->count; i++) {
		struct text bytes = states[input->index[i]];
		struct interval_sum other = {0};

		if (bytes.size != STATE_SIZE)
			return error_set(err, ERROR_DATA, "a partial sum of intervals is damaged");
		memcpy(&other, bytes.data, STATE_SIZE);
		sum_add((struct interval_sum *)(input->rows[i] + aggregate->offset),
			sum_micros(&other), other.days, other.months);
		input->rows[i][aggregate->tag_offset] = 1;
	}
	return 0;
}

void interval_sum_read_states(const struct aggregate *aggregate, uint8_t *const *rows,
	uint32_t count, struct column *out, struct arena *arena)
{
	for (uint32_t i = 0; i < count; i++) {
		if (rows[i][aggregate->tag_offset] == 0)
			aggregate_set_null(out, i, count, arena);
		else
			out->text[i] = text_from(
				arena_copy(arena, rows[i] + aggregate->offset, STATE_SIZE),
				STATE_SIZE);
	}
}

bool interval_sum_result(enum aggregate_id id, const struct interval_sum *sum, struct interval *out)
{
	int128 micros = sum_micros(sum);
	struct interval total = {(int64_t)micros, (int32_t)sum->days, (int32_t)sum->months};

	if (total.microseconds != micros || total.days != sum->days || total.months != sum->months)
		return false;
	*out = total;
	return id != AGG_AVG || interval_divide(total, (double)sum->count, out);
}

int interval_sum_read_results(const struct aggregate *aggregate, uint8_t *const *rows,
	uint32_t count, struct column *out, struct arena *arena, struct error *err)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct interval_sum *sum =
			(const struct interval_sum *)(rows[i] + aggregate->offset);

		if (rows[i][aggregate->tag_offset] == 0)
			aggregate_set_null(out, i, count, arena);
		else if (!interval_sum_result(aggregate->id, sum, &out->interval[i]))
			return error_set(err, ERROR_EVAL, "interval out of range");
	}
	return 0;
}

struct text interval_sum_encode_one(struct interval value, struct arena *arena)
{
	struct interval_sum sum = {0};

	sum_add(&sum, value.microseconds, value.days, value.months);
	return text_from(arena_copy(arena, &sum, STATE_SIZE), STATE_SIZE);
}
