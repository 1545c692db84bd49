/*
 * Variances, standard deviations, covariances and correlations: from exact sums of the values and
 * of their products, so that a result depends neither on the order of rows nor on how far the
 * values are from zero.
 *
 * A partial state is one text. Of decimals, what moments_encode writes. Of doubles: the count of
 * rows in 8 bytes, then each sum with its size in front in 2 bytes, all little-endian.
 */
#include "column/moments.h"
#include "column/numeric_long.h"
#include "exec/agg/aggregate_private.h"
#include "exec/agg/exact_product.h"

#include <math.h>
#include <string.h>

/* y is the first argument, x the second: SQL has it so. One argument alone is x. */
enum sum {
	SUM_X,
	SUM_XX,
	SUM_Y,
	SUM_XY,
	SUM_YY,
	SUM_COUNT,
};

struct double_moments {
	int64_t count;
	struct exact_sum sums[]; /* as many as the aggregate needs: see sum_count */
};

#define SUM_WORDS (sizeof(struct exact_sum) / sizeof(uint64_t))

/* A state outside a group's row. */
union moments_room {
	struct moments decimals;
	struct double_moments doubles;
	uint64_t words[1 + SUM_COUNT * SUM_WORDS];
};

enum { COUNT_SIZE = 8, SIZE_SIZE = 2 };
#define STATE_SIZE_MAX (COUNT_SIZE + SUM_COUNT * (SIZE_SIZE + EXACT_PRODUCT_ENCODED_MAX))

static bool is_product(uint32_t sum)
{
	return sum == SUM_XX || sum == SUM_XY || sum == SUM_YY;
}

static uint32_t sum_count(enum aggregate_id id)
{
	if (!aggregate_is_of_pairs(id))
		return SUM_XX + 1;
	return id == AGG_COVAR_SAMP || id == AGG_COVAR_POP ? SUM_XY + 1 : SUM_YY + 1;
}

uint32_t moments_state_words(const struct aggregate *aggregate)
{
	if (aggregate->kind == STATE_MOMENTS)
		return sizeof(struct moments) / 8;
	return 1 + sum_count(aggregate->id) * (uint32_t)SUM_WORDS;
}

static struct double_moments *doubles_at(const struct aggregate *aggregate, uint8_t *row)
{
	return (struct double_moments *)(row + aggregate->offset);
}

static struct moments *decimals_at(const struct aggregate *aggregate, uint8_t *row)
{
	return (struct moments *)(row + aggregate->offset);
}

static void doubles_free(struct double_moments *moments, enum aggregate_id id)
{
	for (uint32_t i = 0; i < sum_count(id); i++)
		exact_sum_release(&moments->sums[i]);
}

void moments_release_row(const struct aggregate *aggregate, uint8_t *row)
{
	if (aggregate->kind == STATE_MOMENTS_DOUBLE)
		doubles_free(doubles_at(aggregate, row), aggregate->id);
	else
		moments_release(decimals_at(aggregate, row));
}

static void add_one(struct double_moments *moments, double x)
{
	moments->count++;
	exact_sum_add(&moments->sums[SUM_X], x);
	/* The sum of x remembers what is infinite. */
	if (isfinite(x))
		exact_product_add(&moments->sums[SUM_XX], x, x);
}

static void add_pair(struct double_moments *moments, enum aggregate_id id, double y, double x)
{
	moments->count++;
	exact_sum_add(&moments->sums[SUM_X], x);
	exact_sum_add(&moments->sums[SUM_Y], y);
	if (isfinite(x) && isfinite(y))
		exact_product_add(&moments->sums[SUM_XY], x, y);
	if (sum_count(id) <= SUM_YY)
		return;
	if (isfinite(x))
		exact_product_add(&moments->sums[SUM_XX], x, x);
	if (isfinite(y))
		exact_product_add(&moments->sums[SUM_YY], y, y);
}

static void update_doubles(const struct aggregate *aggregate, const struct column *arg,
	const struct column *arg2, const struct aggregate_input *input)
{
	for (uint32_t i = 0; i < input->count; i++) {
		struct double_moments *moments = doubles_at(aggregate, input->rows[i]);
		uint32_t row = input->index[i];
		double value = arg->f64[column_index(arg, row)];

		if (arg2)
			add_pair(moments, aggregate->id, value, arg2->f64[column_index(arg2, row)]);
		else
			add_one(moments, value);
	}
}

static void update_decimals(const struct aggregate *aggregate, const struct column *arg,
	const struct aggregate_input *input)
{
	for (uint32_t i = 0; i < input->count; i++) {
		struct moments *moments = decimals_at(aggregate, input->rows[i]);
		uint32_t at = column_index(arg, input->index[i]);

		if (aggregate->physical == PHYSICAL_I64)
			moments_add_i64(moments, arg->i64[at]);
		else
			moments_add(moments, arg->num[at]);
	}
}

void moments_update(const struct aggregate *aggregate, const struct column *arg,
	const struct column *arg2, const struct aggregate_input *input)
{
	if (aggregate->kind == STATE_MOMENTS_DOUBLE)
		update_doubles(aggregate, arg, arg2, input);
	else
		update_decimals(aggregate, arg, input);
}

void moments_update_scales(const struct aggregate *aggregate, const struct column *arg,
	const struct aggregate_input *input)
{
	for (uint32_t i = 0; aggregate->physical == PHYSICAL_NUM && i < input->count; i++) {
		numeric value = arg->num[column_index(arg, input->index[i])];

		moments_raise_scale(
			decimals_at(aggregate, input->rows[i]), numeric_display_scale(value));
	}
}

static uint64_t get_word(const uint8_t *in, uint32_t size)
{
	uint64_t word = 0;

	for (uint32_t i = 0; i < size; i++)
		word |= (uint64_t)in[i] << (8 * i);
	return word;
}

static void put_word(uint8_t *out, uint64_t word, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		out[i] = (uint8_t)(word >> (8 * i));
}

static bool merge_doubles(struct double_moments *moments, enum aggregate_id id, struct text state)
{
	const uint8_t *in = (const uint8_t *)state.data;
	const uint8_t *end = in + state.size;
	uint64_t count;

	if (state.size < COUNT_SIZE)
		return false;
	count = get_word(in, COUNT_SIZE);
	in += COUNT_SIZE;
	if (count == 0 || count > (uint64_t)(INT64_MAX - moments->count))
		return false;
	moments->count += (int64_t)count;
	for (uint32_t i = 0; i < sum_count(id); i++) {
		size_t size;

		if (end - in < SIZE_SIZE)
			return false;
		size = get_word(in, SIZE_SIZE);
		in += SIZE_SIZE;
		if ((size_t)(end - in) < size)
			return false;
		if (is_product(i) ? !exact_product_merge(&moments->sums[i], in, size)
				  : !exact_sum_merge(&moments->sums[i], in, size))
			return false;
		in += size;
	}
	return in == end;
}

int moments_merge_states(const struct aggregate *aggregate, const struct column *states,
	const struct aggregate_input *input, struct error *err)
{
	for (uint32_t i = 0; i < input->count; i++) {
		struct text state = states->text[column_index(states, input->index[i])];
		struct moments moments;
		bool valid;

		if (aggregate->kind == STATE_MOMENTS_DOUBLE) {
			valid = merge_doubles(
				doubles_at(aggregate, input->rows[i]), aggregate->id, state);
		} else {
			valid = moments_decode(&moments, state.data, state.size) &&
				moments_merge(decimals_at(aggregate, input->rows[i]), &moments);
			moments_release(&moments);
		}
		if (!valid)
			return error_set(err, ERROR_DATA, "a partial state of %s is damaged",
				aggregate_name(aggregate->id));
	}
	return 0;
}

static struct text encode_doubles(
	const struct double_moments *moments, enum aggregate_id id, struct arena *arena)
{
	uint8_t bytes[STATE_SIZE_MAX];
	size_t end = COUNT_SIZE;

	put_word(bytes, (uint64_t)moments->count, COUNT_SIZE);
	for (uint32_t i = 0; i < sum_count(id); i++) {
		uint8_t *at = bytes + end + SIZE_SIZE;
		size_t size = exact_sum_encode(&moments->sums[i], at);

		put_word(bytes + end, size, SIZE_SIZE);
		end += SIZE_SIZE + size;
	}
	return text_from(arena_copy(arena, bytes, end), end);
}

static int64_t count_at(const struct aggregate *aggregate, uint8_t *row)
{
	return aggregate->kind == STATE_MOMENTS ? decimals_at(aggregate, row)->count
						: doubles_at(aggregate, row)->count;
}

void moments_read_states(const struct aggregate *aggregate, uint8_t *const *rows, uint32_t count,
	struct column *out, struct arena *arena)
{
	for (uint32_t i = 0; i < count; i++) {
		if (count_at(aggregate, rows[i]) == 0)
			aggregate_set_null(out, i, count, arena);
		else if (aggregate->kind == STATE_MOMENTS)
			out->text[i] = moments_encode(decimals_at(aggregate, rows[i]), arena);
		else
			out->text[i] = encode_doubles(
				doubles_at(aggregate, rows[i]), aggregate->id, arena);
	}
}

void moments_pass(const struct aggregate *aggregate, const struct batch *batch,
	const uint8_t *taken, struct column *out, struct arena *arena)
{
	const struct column *arg = &batch->columns[aggregate->arg];
	const struct column *arg2 =
		aggregate->arg2 == PLAN_NONE ? NULL : &batch->columns[aggregate->arg2];
	struct aggregate alone = *aggregate;

	alone.offset = 0;
	for (uint32_t k = 0; k < batch->selected; k++) {
		union moments_room room = {0};
		uint16_t row = (uint16_t)batch_row(batch, k);
		uint8_t *state = (uint8_t *)&room;
		const struct aggregate_input input = {.count = 1, .rows = &state, .index = &row};

		out->text[row] = text_from(NULL, 0);
		if (taken && !taken[row])
			continue;
		if (aggregate->kind == STATE_MOMENTS) {
			update_decimals(&alone, arg, &input);
			out->text[row] = moments_encode(&room.decimals, arena);
			moments_release(&room.decimals);
		} else {
			update_doubles(&alone, arg, arg2, &input);
			out->text[row] = encode_doubles(&room.doubles, aggregate->id, arena);
			doubles_free(&room.doubles, aggregate->id);
		}
	}
}

static bool is_sample(enum aggregate_id id)
{
	return id == AGG_STDDEV_SAMP || id == AGG_VAR_SAMP || id == AGG_COVAR_SAMP;
}

static bool is_root(enum aggregate_id id)
{
	return id == AGG_STDDEV_SAMP || id == AGG_STDDEV_POP;
}

/* The mean product of the deviations; NaN where a value was infinite or NaN. */
static double mean_product(const struct double_moments *moments, bool sample, enum sum products,
	enum sum x, enum sum y)
{
	const struct exact_sum *sums = moments->sums;
	double count = (double)moments->count, total;
	int exponent;

	if (!exact_sum_is_finite(&sums[x]) || !exact_sum_is_finite(&sums[y]))
		return (double)NAN;
	total = exact_product_centered(
		moments->count, &sums[products], &sums[x], &sums[y], &exponent);
	return ldexp(total / (count * (double)(moments->count - sample)), exponent);
}

/*
 * False for NULL: where all x or all y are equal. Exponents are kept apart until the end, since the
 * product of two variances may leave the range of a double when the correlation cannot.
 */
static bool correlation(const struct double_moments *moments, double *out)
{
	const struct exact_sum *sums = moments->sums;
	bool x_finite = exact_sum_is_finite(&sums[SUM_X]);
	bool y_finite = exact_sum_is_finite(&sums[SUM_Y]);
	int xx_exponent, yy_exponent, xy_exponent;
	double xx = exact_product_centered(
		moments->count, &sums[SUM_XX], &sums[SUM_X], &sums[SUM_X], &xx_exponent);
	double yy = exact_product_centered(
		moments->count, &sums[SUM_YY], &sums[SUM_Y], &sums[SUM_Y], &yy_exponent);
	double xy = exact_product_centered(
		moments->count, &sums[SUM_XY], &sums[SUM_X], &sums[SUM_Y], &xy_exponent);

	if ((x_finite && xx <= 0) || (y_finite && yy <= 0))
		return false;
	if (!x_finite || !y_finite) {
		*out = (double)NAN;
		return true;
	}
	if ((xx_exponent + yy_exponent) % 2 != 0) {
		xx *= 2;
		xx_exponent--;
	}
	*out = ldexp(xy / sqrt(xx * yy), xy_exponent - (xx_exponent + yy_exponent) / 2);
	*out = fmax(-1, fmin(1, *out));
	return true;
}

/* A sum of products of deviations, as fraction * 2^exponent. */
struct centered {
	double fraction;
	int exponent;
};

static struct centered centered_sum(
	const struct double_moments *moments, enum sum products, enum sum a, enum sum b)
{
	const struct exact_sum *sums = moments->sums;
	struct centered result;

	result.fraction = exact_product_centered(moments->count, &sums[products], &sums[a],
				  &sums[b], &result.exponent) /
			  (double)moments->count;
	return result;
}

static double centered_ratio(struct centered a, struct centered b)
{
	return ldexp(a.fraction / b.fraction, a.exponent - b.exponent);
}

static double mean(const struct double_moments *moments, enum sum sum)
{
	return moments->count ? exact_sum_round(&moments->sums[sum]) / (double)moments->count : 0;
}

/* False for NULL: where all x are equal, and the result would be a quotient by that. */
static bool regression(const struct double_moments *moments, enum aggregate_id id, double *out)
{
	bool x_finite = exact_sum_is_finite(&moments->sums[SUM_X]);
	bool y_finite = exact_sum_is_finite(&moments->sums[SUM_Y]);
	struct centered xx = centered_sum(moments, SUM_XX, SUM_X, SUM_X);
	struct centered yy = centered_sum(moments, SUM_YY, SUM_Y, SUM_Y);
	struct centered xy = centered_sum(moments, SUM_XY, SUM_X, SUM_Y);

	*out = (double)NAN;
	switch (id) {
	case AGG_REGR_AVGX: *out = mean(moments, SUM_X); return true;
	case AGG_REGR_AVGY: *out = mean(moments, SUM_Y); return true;
	case AGG_REGR_SXX:
		if (x_finite)
			*out = ldexp(xx.fraction, xx.exponent);
		return true;
	case AGG_REGR_SYY:
		if (y_finite)
			*out = ldexp(yy.fraction, yy.exponent);
		return true;
	case AGG_REGR_SXY:
		if (x_finite && y_finite)
			*out = ldexp(xy.fraction, xy.exponent);
		return true;
	default: break;
	}
	if (x_finite && xx.fraction <= 0)
		return false;
	if (!x_finite || !y_finite)
		return true;
	if (id == AGG_REGR_R2 && yy.fraction <= 0)
		*out = 1;
	else if (id == AGG_REGR_R2)
		*out = centered_ratio(xy, xx) * centered_ratio(xy, yy);
	else if (id == AGG_REGR_SLOPE)
		*out = centered_ratio(xy, xx);
	else
		*out = mean(moments, SUM_Y) - mean(moments, SUM_X) * centered_ratio(xy, xx);
	return true;
}

static double mean_of(const struct double_moments *moments, enum aggregate_id id)
{
	if (id == AGG_COVAR_SAMP || id == AGG_COVAR_POP)
		return mean_product(moments, is_sample(id), SUM_XY, SUM_X, SUM_Y);
	return mean_product(moments, is_sample(id), SUM_XX, SUM_X, SUM_X);
}

static int read_double(const struct aggregate *aggregate, uint8_t *row, double *out, bool *is_null,
	struct error *err)
{
	const struct double_moments *moments = doubles_at(aggregate, row);

	if (aggregate->id == AGG_CORR) {
		*is_null = !correlation(moments, out);
		return 0;
	}
	if (aggregate->id >= AGG_REGR_SXX && aggregate->id <= AGG_REGR_INTERCEPT) {
		*is_null = !regression(moments, aggregate->id, out);
		return 0;
	}
	*out = mean_of(moments, aggregate->id);
	if (isinf(*out))
		return error_set(err, ERROR_EVAL, "double precision value out of range");
	if (is_root(aggregate->id))
		*out = sqrt(*out);
	return 0;
}

int moments_read_result(const struct aggregate *aggregate, uint8_t *const *rows, uint32_t count,
	struct column *out, struct arena *arena, struct error *err)
{
	bool sample = is_sample(aggregate->id);

	for (uint32_t i = 0; i < count; i++) {
		int64_t values = count_at(aggregate, rows[i]);
		bool is_null = values <= sample;

		if (aggregate->id == AGG_REGR_COUNT) {
			out->i64[i] = values;
			continue;
		}
		if (!is_null && aggregate->kind == STATE_MOMENTS_DOUBLE) {
			if (read_double(aggregate, rows[i], &out->f64[i], &is_null, err) < 0)
				return -1;
		} else if (!is_null && !moments_variance(decimals_at(aggregate, rows[i]), sample,
					       is_root(aggregate->id), arena, &out->num[i])) {
			return aggregate_out_of_range(err);
		}
		if (is_null)
			aggregate_set_null(out, i, count, arena);
	}
	return 0;
}
