/*
 * Sums and averages of integers and decimals, in 128 bits as long as these do, which is nearly
 * always.
 *
 * The tag of a state is 0 without a value, else the scale of the sum + 1; or TAG_LONG when a value
 * or a sum did not fit: then the words are those of a numeric, and its limbs, if it has any, lie in
 * the aggregates' arena, in a room that doubles when it is too small.
 */
#include "base/cpu_clones.h"
#include "column/numeric_long.h"
#include "exec/agg/aggregate_private.h"

#include <assert.h>
#include <string.h>

/* No scale of a numeric, plain or odd, + 1. */
#define TAG_LONG 0xff
/* Scales that usual values have, and how many values make it worth to sum them apart. */
#define SCALES_MIXED	  16
#define SUMS_APART	  4
#define SUM_ONE_GROUP_MIN 16
/* So many values of a batch as go to one sum do not leave 64 bits. */
#define SMALL_MANTISSA ((int128)1 << 53)
/* The least room of a long sum, in limbs. */
#define ROOM_MIN 7

struct sum_words {
	uint64_t low;
	uint64_t high;
	int64_t count; /* of values; avg only */
};

static inline int128 sum_get(const struct sum_words *words)
{
	return (int128)((unsigned __int128)words->high << 64 | words->low);
}

static inline void sum_set(struct sum_words *words, int128 sum)
{
	words->low = (uint64_t)sum;
	words->high = (uint64_t)((unsigned __int128)sum >> 64);
}

_Static_assert(offsetof(struct sum_words, count) == SUM_COUNT_OFFSET, "where an average counts");

/* Cannot overflow: 2^63 rows of 2^64 fit. */
void sum_i64(const struct aggregate *aggregate, const int64_t *values,
	const struct aggregate_input *input)
{
	uint8_t *const *rows = input->rows;
	const uint16_t *index = input->index;
	uint32_t count = input->count, offset = aggregate->offset, tag = aggregate->tag_offset;

	for (uint32_t i = 0; i < count; i++) {
		struct sum_words *words = (struct sum_words *)(rows[i] + offset);

		sum_set(words, sum_get(words) + values[index[i]]);
		rows[i][tag] = 1;
	}
}

/* The sum as a numeric; there is one. */
static numeric sum_value(const struct sum_words *words, uint8_t tag, struct arena *arena)
{
	int128 sum = sum_get(words);
	numeric value;

	if (tag == TAG_LONG)
		return (numeric)sum;
	return numeric_make(sum, tag - 1u, &value) ? value
						   : numeric_long_from_i128(sum, tag - 1u, arena);
}

/* The room's limbs stand in front of it. */
numeric aggregate_keep_numeric(struct arena *arena, numeric value, numeric old)
{
	uint32_t count, old_count;
	const uint64_t *limbs;
	uint64_t room = 0, *kept = NULL;

	if (!numeric_is_long(value))
		return value;
	limbs = numeric_long_limbs(value, &count);
	if (numeric_is_long(old)) {
		kept = (uint64_t *)numeric_long_limbs(old, &old_count);
		room = kept[-1];
	}
	if (count > room || !kept) {
		room = room ? room : ROOM_MIN;
		while (room < count)
			room *= 2;
		kept = (uint64_t *)arena_alloc(arena, (1 + room) * sizeof(*kept)) + 1;
		kept[-1] = room;
	}
	memmove(kept, limbs, count * sizeof(*kept));
	return numeric_long_make(
		kept, count, numeric_sign(value) < 0, numeric_display_scale(value));
}

/* Adds what the 128 bits cannot take. From then on the sum is a numeric, of whichever form. */
static int sum_long(
	struct aggregates *aggregates, struct sum_words *words, uint8_t *tag, numeric value)
{
	numeric old = *tag == TAG_LONG ? (numeric)sum_get(words) : 0, sum = value;

	arena_reset(&aggregates->scratch);
	if (*tag != 0 && numeric_long_add(sum_value(words, *tag, &aggregates->scratch), value,
				 &aggregates->scratch, &sum) != NUMERIC_FINE)
		return -1;
	sum_set(words, aggregate_keep_numeric(&aggregates->texts, sum, old));
	*tag = TAG_LONG;
	return 0;
}

/* Brings the sum and the value to the greater of their scales. False when 128 bits do not do. */
static bool sum_rescaled(struct sum_words *words, uint8_t *tag, int128 mantissa, unsigned scale)
{
	int128 sum = sum_get(words);
	unsigned own = *tag == 0 ? scale : *tag - 1u;

	if (*tag == TAG_LONG || (scale & NUMERIC_ODD))
		return false;
	if (scale > own ? __builtin_mul_overflow(sum, numeric_power10[scale - own], &sum)
			: __builtin_mul_overflow(mantissa, numeric_power10[own - scale], &mantissa))
		return false;
	if (__builtin_add_overflow(sum, mantissa, &sum))
		return false;
	sum_set(words, sum);
	*tag = (uint8_t)((scale > own ? scale : own) + 1);
	return true;
}

static_assert(BATCH_ROWS_MAX / SUMS_APART <= 1 << 9, "sums of small mantissas fit");

/* What 128 bits hold of one scale. */
static int sum_mantissa(struct aggregates *aggregates, struct sum_words *words, uint8_t *tag,
	int128 mantissa, unsigned scale)
{
	struct arena arena;
	int status;

	if (sum_rescaled(words, tag, mantissa, scale))
		return 0;
	arena_init(&arena, 0);
	status = sum_long(aggregates, words, tag, numeric_long_from_i128(mantissa, scale, &arena));
	arena_release(&arena);
	return status;
}

/*
 * Values of one group: a sum for each of their scales, which come mixed, and those are brought to one scale
 * at the end. Neighbours go to different sums, so that none of them waits for the one before.
 */
CPU_CLONES static int sum_one_group(struct aggregates *aggregates,
	const struct aggregate *aggregate, const numeric *values,
	const struct aggregate_input *input)
{
	struct sum_words *words = (struct sum_words *)(input->rows[0] + aggregate->offset);
	uint8_t *tag = input->rows[0] + aggregate->tag_offset;
	const uint16_t *index = input->index;
	uint32_t count = input->count, seen = 0;
	int64_t sums[SUMS_APART][SCALES_MIXED] = {{0}};

	for (uint32_t i = 0; i < count; i++) {
		numeric value = values[index[i]];
		unsigned scale = numeric_scale(value);
		int128 mantissa = numeric_mantissa(value);

		if (scale < SCALES_MIXED &&
			(unsigned __int128)(mantissa + SMALL_MANTISSA) < 2 * SMALL_MANTISSA) {
			sums[i % SUMS_APART][scale] += (int64_t)mantissa;
			seen |= 1u << scale;
		} else if (!sum_rescaled(words, tag, mantissa, scale) &&
			   sum_long(aggregates, words, tag, value) < 0) {
			return -1;
		}
	}
	for (unsigned scale = 0; seen; scale++, seen >>= 1) {
		int128 sum = 0;

		for (uint32_t i = 0; i < SUMS_APART; i++)
			sum += sums[i][scale];
		if ((seen & 1) && sum_mantissa(aggregates, words, tag, sum, scale) < 0)
			return -1;
	}
	return 0;
}

CPU_CLONES int sum_numeric(struct aggregates *aggregates, const struct aggregate *aggregate,
	const numeric *values, const struct aggregate_input *input)
{
	if (input->one_group && input->count >= SUM_ONE_GROUP_MIN)
		return sum_one_group(aggregates, aggregate, values, input);
	uint8_t *const *rows = input->rows;
	const uint16_t *index = input->index;
	uint32_t count = input->count, offset = aggregate->offset;
	uint32_t tag_offset = aggregate->tag_offset;

	for (uint32_t i = 0; i < count; i++) {
		numeric value = values[index[i]];
		struct sum_words *words = (struct sum_words *)(rows[i] + offset);
		uint8_t *tag = rows[i] + tag_offset;
		int128 sum;

		if (*tag == numeric_scale(value) + 1 &&
			!__builtin_add_overflow(sum_get(words), numeric_mantissa(value), &sum)) {
			sum_set(words, sum);
			continue;
		}
		if (!sum_rescaled(words, tag, numeric_mantissa(value), numeric_scale(value)) &&
			sum_long(aggregates, words, tag, value) < 0)
			return -1;
	}
	return 0;
}

int sum_read(const struct aggregate *aggregate, uint8_t *const *rows, uint32_t count,
	struct column *out, struct arena *arena, struct error *err)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct sum_words *words =
			(const struct sum_words *)(rows[i] + aggregate->offset);
		uint8_t tag = rows[i][aggregate->tag_offset];

		if (tag == 0)
			aggregate_set_null(out, i, count, arena);
		else
			out->num[i] = numeric_keep(sum_value(words, tag, arena), arena);
	}
	(void)err;
	return 0;
}

int sum_read_integers(const struct aggregate *aggregate, uint8_t *const *rows, uint32_t count,
	struct column *out, struct arena *arena, struct error *err)
{
	for (uint32_t i = 0; i < count; i++) {
		int128 sum = sum_get((const struct sum_words *)(rows[i] + aggregate->offset));

		if (rows[i][aggregate->tag_offset] == 0)
			aggregate_set_null(out, i, count, arena);
		else if (rows[i][aggregate->tag_offset] != 1 || sum < INT64_MIN || sum > INT64_MAX)
			return error_set(err, ERROR_EVAL, "bigint out of range");
		else
			out->i64[i] = (int64_t)sum;
	}
	return 0;
}

int sum_read_averages(const struct aggregate *aggregate, uint8_t *const *rows, uint32_t count,
	struct column *out, struct arena *arena, struct error *err)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct sum_words *words =
			(const struct sum_words *)(rows[i] + aggregate->offset);
		uint8_t tag = rows[i][aggregate->tag_offset];

		if (tag == 0 || words->count <= 0)
			aggregate_set_null(out, i, count, arena);
		else if ((tag == TAG_LONG || !numeric_average(sum_get(words), tag - 1u,
						     words->count, &out->num[i])) &&
			 numeric_long_div(sum_value(words, tag, arena),
				 numeric_from_i64(words->count), arena,
				 &out->num[i]) != NUMERIC_FINE)
			return aggregate_out_of_range(err);
	}
	return 0;
}
