#include "column/moments.h"
#include "base/memory.h"
#include "column/numeric_long_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 uint128;

enum {
	HEADER_SIZE = 10,
	NUMBER_SIZE = 8 * MOMENTS_LIMBS,
	LONG_STATE = 255,
	LONG_HEADER_SIZE = 17,
};

/* No sum of 2^63 values needs more bytes, and no sum of their squares. */
#define LONG_NUMBER_MAX (2 * 8 * (NUMERIC_LIMBS_MAX + 1) + 16)

struct moments_rest {
	mpz_t sum;
	mpz_t squares;
	unsigned scale; /* of the sum; the squares have twice as much */
	bool special;	/* some value was not finite */
};

/* -- The rest -- */

static struct moments_rest *rest_of(struct moments *moments)
{
	if (!moments->rest) {
		moments->rest = memory_zalloc(sizeof(*moments->rest));
		mpz_inits(moments->rest->sum, moments->rest->squares, NULL);
	}
	return moments->rest;
}

void moments_release(struct moments *moments)
{
	if (!moments->rest)
		return;
	mpz_clears(moments->rest->sum, moments->rest->squares, NULL);
	free(moments->rest);
	moments->rest = NULL;
}

static void rest_raise_scale(struct moments_rest *rest, unsigned scale)
{
	mpz_t power;

	if (scale <= rest->scale)
		return;
	mpz_init(power);
	mpz_power10(power, scale - rest->scale);
	mpz_mul(rest->sum, rest->sum, power);
	mpz_mul(rest->squares, rest->squares, power);
	mpz_mul(rest->squares, rest->squares, power);
	mpz_clear(power);
	rest->scale = scale;
}

/* Adds sum * 10^-scale and squares * 10^(-2 scale). */
static void rest_add(
	struct moments_rest *rest, const mpz_t sum, const mpz_t squares, unsigned scale)
{
	mpz_t factor, part;

	rest_raise_scale(rest, scale);
	mpz_inits(factor, part, NULL);
	mpz_power10(factor, rest->scale - scale);
	mpz_mul(part, sum, factor);
	mpz_add(rest->sum, rest->sum, part);
	mpz_mul(part, squares, factor);
	mpz_mul(part, part, factor);
	mpz_add(rest->squares, rest->squares, part);
	mpz_clears(factor, part, NULL);
}

static void rest_add_value(struct moments_rest *rest, numeric value)
{
	struct finite finite;
	mpz_t square;

	if (numeric_is_special(value)) {
		rest->special = true;
		return;
	}
	finite_load(&finite, value);
	mpz_init(square);
	mpz_mul(square, finite.digits, finite.digits);
	rest_add(rest, finite.digits, square, finite.scale);
	mpz_clear(square);
}

static void limbs_to_mpz(mpz_t out, const uint64_t limbs[MOMENTS_LIMBS], bool is_signed)
{
	mpz_import(out, MOMENTS_LIMBS, -1, sizeof(*limbs), 0, 0, limbs);
	if (is_signed && limbs[MOMENTS_LIMBS - 1] >> 63) {
		mpz_t wrap;

		mpz_init(wrap);
		mpz_setbit(wrap, 64 * MOMENTS_LIMBS);
		mpz_sub(out, out, wrap);
		mpz_clear(wrap);
	}
}

/* Everything the state has, as one rest, which the caller releases. */
static void total_of(const struct moments *moments, struct moments *total)
{
	mpz_t sum, squares;

	memset(total, 0, sizeof(*total));
	total->count = moments->count;
	mpz_inits(sum, squares, NULL);
	limbs_to_mpz(sum, moments->sum, true);
	limbs_to_mpz(squares, moments->squares, false);
	rest_add(rest_of(total), sum, squares, (unsigned)moments->scale);
	mpz_clears(sum, squares, NULL);
	if (moments->rest) {
		total->rest->special = moments->rest->special;
		rest_add(total->rest, moments->rest->sum, moments->rest->squares,
			moments->rest->scale);
	}
}

/* Moves the sums to the rest. */
static void spill(struct moments *moments)
{
	struct moments total;

	total_of(moments, &total);
	moments_release(moments);
	moments->rest = total.rest;
	memset(moments->sum, 0, sizeof(moments->sum));
	memset(moments->squares, 0, sizeof(moments->squares));
}

/* -- 256 bits -- */

static inline uint128 get_pair(const uint64_t *limbs)
{
	return (uint128)limbs[1] << 64 | limbs[0];
}

static inline void put_pair(uint64_t *limbs, uint128 value)
{
	limbs[0] = (uint64_t)value;
	limbs[1] = (uint64_t)(value >> 64);
}

/* Adds high * 2^128 + low; wraps, as two's complement does. */
static inline void add_wide(uint64_t limbs[MOMENTS_LIMBS], uint128 low, uint128 high)
{
	uint128 sum = get_pair(limbs) + low;

	put_pair(limbs, sum);
	put_pair(limbs + 2, get_pair(limbs + 2) + high + (sum < low));
}

static inline void add_signed(uint64_t sum[MOMENTS_LIMBS], bool negative, uint128 magnitude)
{
	if (negative)
		add_wide(sum, -magnitude, magnitude ? ~(uint128)0 : 0);
	else
		add_wide(sum, magnitude, 0);
}

/* False on a carry out of the last limb. */
static inline bool add_limbs(uint64_t to[MOMENTS_LIMBS], const uint64_t from[MOMENTS_LIMBS])
{
	uint64_t carry = 0;

	for (int i = 0; i < MOMENTS_LIMBS; i++) {
		uint128 part = (uint128)to[i] + from[i] + carry;

		to[i] = (uint64_t)part;
		carry = (uint64_t)(part >> 64);
	}
	return carry == 0;
}

void moments_add_i64(struct moments *moments, int64_t value)
{
	assert(moments->scale == 0);
	moments->count++;
	add_wide(moments->sum, (uint128)(int128)value, value < 0 ? ~(uint128)0 : 0);
	/* 2^63 squares of 2^126 fit. */
	add_wide(moments->squares, (uint128)((int128)value * value), 0);
}

/* Multiplies by 10^exponent; wraps around, and returns false then. */
static bool scale_limbs(uint64_t limbs[MOMENTS_LIMBS], unsigned exponent)
{
	uint64_t over = 0;

	while (exponent > 0) {
		unsigned step = exponent < 18 ? exponent : 18;
		uint64_t factor = (uint64_t)numeric_power10[step], carry = 0;

		for (int i = 0; i < MOMENTS_LIMBS; i++) {
			uint128 product = (uint128)limbs[i] * factor + carry;

			limbs[i] = (uint64_t)product;
			carry = (uint64_t)(product >> 64);
		}
		over |= carry;
		exponent -= step;
	}
	return over == 0;
}

void moments_raise_scale(struct moments *moments, unsigned scale)
{
	struct moments before = *moments;
	unsigned by;

	if (scale <= moments->scale)
		return;
	if (scale > NUMERIC_SCALE_MAX) {
		rest_raise_scale(rest_of(moments), scale);
		return;
	}
	by = scale - (unsigned)moments->scale;
	moments->scale = scale;
	/* A sum fits when its squares do, and its sign survives a product that wraps. */
	(void)scale_limbs(moments->sum, by);
	if (scale_limbs(moments->squares, 2 * by))
		return;
	*moments = before;
	spill(moments);
	moments->scale = scale;
}

static void square_of(uint128 value, uint64_t out[MOMENTS_LIMBS])
{
	uint64_t low = (uint64_t)value, high = (uint64_t)(value >> 64);
	uint128 lows = (uint128)low * low, cross = (uint128)low * high;
	uint128 highs = (uint128)high * high;
	uint128 middle = (lows >> 64) + 2 * (uint128)(uint64_t)cross;

	highs += 2 * (cross >> 64) + (middle >> 64);
	out[0] = (uint64_t)lows;
	out[1] = (uint64_t)middle;
	out[2] = (uint64_t)highs;
	out[3] = (uint64_t)(highs >> 64);
}

/* What carries out of the squares goes to the rest. */
static void add_squares(struct moments *moments, const uint64_t squares[MOMENTS_LIMBS])
{
	mpz_t none, carry;

	if (add_limbs(moments->squares, squares))
		return;
	mpz_inits(none, carry, NULL);
	mpz_setbit(carry, 64 * MOMENTS_LIMBS);
	rest_add(rest_of(moments), none, carry, (unsigned)moments->scale);
	mpz_clears(none, carry, NULL);
	/* So that the sum, too, cannot carry before its squares do. */
	spill(moments);
}

void moments_add(struct moments *moments, numeric value)
{
	unsigned scale = numeric_scale(value);
	int128 mantissa = numeric_mantissa(value);
	uint128 magnitude = mantissa < 0 ? -(uint128)mantissa : (uint128)mantissa;
	uint64_t square[MOMENTS_LIMBS];

	moments->count++;
	if (!numeric_is_plain(value)) {
		rest_add_value(rest_of(moments), value);
		return;
	}
	moments_raise_scale(moments, scale);
	if (scale < moments->scale &&
		__builtin_mul_overflow(
			magnitude, (uint128)numeric_power10[moments->scale - scale], &magnitude)) {
		rest_add_value(rest_of(moments), value);
		return;
	}
	square_of(magnitude, square);
	add_signed(moments->sum, mantissa < 0, magnitude);
	add_squares(moments, square);
}

static void add_total(struct moments *moments, const struct moments *other)
{
	struct moments total;

	total_of(other, &total);
	rest_of(moments)->special |= total.rest->special;
	rest_add(moments->rest, total.rest->sum, total.rest->squares, total.rest->scale);
	moments_release(&total);
}

bool moments_merge(struct moments *moments, const struct moments *other)
{
	struct moments from = *other;

	if (__builtin_add_overflow(moments->count, from.count, &moments->count))
		return false;
	if (other->rest) {
		add_total(moments, other);
		return true;
	}
	moments_raise_scale(moments, (unsigned)from.scale);
	moments_raise_scale(&from, (unsigned)moments->scale);
	if (from.rest) {
		add_total(moments, &from);
		moments_release(&from);
		return true;
	}
	(void)add_limbs(moments->sum, from.sum);
	add_squares(moments, from.squares);
	return true;
}

static void put_limbs(uint8_t *out, const uint64_t *limbs, uint32_t count)
{
	for (uint32_t i = 0; i < 8 * count; i++)
		out[i] = (uint8_t)(limbs[i / 8] >> (i % 8 * 8));
}

static void get_limbs(const uint8_t *in, size_t size, bool is_signed, uint64_t *limbs)
{
	uint8_t fill = is_signed && size > 0 && in[size - 1] >> 7 ? 0xff : 0;

	memset(limbs, fill, NUMBER_SIZE);
	for (size_t i = 0; i < size; i++) {
		unsigned shift = i % 8 * 8;

		limbs[i / 8] &= ~(UINT64_C(0xff) << shift);
		limbs[i / 8] |= (uint64_t)in[i] << shift;
	}
}

/* Bytes that a number needs: the last one of a signed number also tells its sign. */
static size_t short_size(const uint8_t bytes[NUMBER_SIZE], bool is_signed)
{
	uint8_t fill = is_signed && bytes[NUMBER_SIZE - 1] >> 7 ? 0xff : 0;
	size_t size = NUMBER_SIZE;

	while (size > 0 && bytes[size - 1] == fill &&
		(!is_signed || size == 1 || bytes[size - 2] >> 7 == fill >> 7))
		size--;
	return is_signed && size == 0 && fill ? 1 : size;
}

static struct text encode_short(const struct moments *moments, struct arena *arena)
{
	uint8_t bytes[HEADER_SIZE + 2 * NUMBER_SIZE], number[NUMBER_SIZE];
	const uint64_t count = (uint64_t)moments->count;
	size_t sum_size, size;

	put_limbs(number, moments->sum, MOMENTS_LIMBS);
	sum_size = short_size(number, true);
	bytes[0] = (uint8_t)moments->scale;
	bytes[1] = (uint8_t)sum_size;
	put_limbs(bytes + 2, &count, 1);
	memcpy(bytes + HEADER_SIZE, number, sum_size);
	put_limbs(number, moments->squares, MOMENTS_LIMBS);
	size = short_size(number, false);
	memcpy(bytes + HEADER_SIZE + sum_size, number, size);
	size += HEADER_SIZE + sum_size;
	return text_from(arena_copy(arena, bytes, size), size);
}

static size_t mpz_bytes(const mpz_t value)
{
	return mpz_sgn(value) == 0 ? 0 : (mpz_sizeinbase(value, 2) + 7) / 8;
}

/* Of a total that has everything in its rest. */
static struct text encode_long(const struct moments *total, struct arena *arena)
{
	const struct moments_rest *rest = total->rest;
	const uint64_t count = (uint64_t)total->count;
	size_t sum_size = mpz_bytes(rest->sum);
	size_t size = LONG_HEADER_SIZE + sum_size + mpz_bytes(rest->squares);
	uint8_t *bytes = (uint8_t *)arena_alloc_bytes(arena, size);

	bytes[0] = LONG_STATE;
	bytes[1] = rest->special;
	bytes[2] = (uint8_t)rest->scale;
	bytes[3] = (uint8_t)(rest->scale >> 8);
	put_limbs(bytes + 4, &count, 1);
	for (unsigned i = 0; i < 4; i++)
		bytes[12 + i] = (uint8_t)(sum_size >> 8 * i);
	bytes[16] = mpz_sgn(rest->sum) < 0;
	mpz_export(bytes + LONG_HEADER_SIZE, NULL, -1, 1, 0, 0, rest->sum);
	mpz_export(bytes + LONG_HEADER_SIZE + sum_size, NULL, -1, 1, 0, 0, rest->squares);
	return text_from((const char *)bytes, size);
}

/* A total that fits the short form, in it. */
static bool shorten(const struct moments *total, struct moments *out)
{
	const struct moments_rest *rest = total->rest;
	mpz_t wrapped;

	*out = (struct moments){.count = total->count, .scale = rest->scale};
	if (rest->special || rest->scale > NUMERIC_SCALE_MAX || mpz_sgn(rest->squares) < 0 ||
		mpz_sizeinbase(rest->sum, 2) > 64 * MOMENTS_LIMBS - 1 ||
		mpz_sizeinbase(rest->squares, 2) > 64 * MOMENTS_LIMBS)
		return false;
	mpz_init_set(wrapped, rest->sum);
	if (mpz_sgn(wrapped) < 0) {
		mpz_t wrap;

		mpz_init(wrap);
		mpz_setbit(wrap, 64 * MOMENTS_LIMBS);
		mpz_add(wrapped, wrapped, wrap);
		mpz_clear(wrap);
	}
	mpz_export(out->sum, NULL, -1, sizeof(*out->sum), 0, 0, wrapped);
	mpz_export(out->squares, NULL, -1, sizeof(*out->squares), 0, 0, rest->squares);
	mpz_clear(wrapped);
	return true;
}

struct text moments_encode(const struct moments *moments, struct arena *arena)
{
	struct moments total, short_form;
	struct text encoded;

	if (!moments->rest)
		return encode_short(moments, arena);
	total_of(moments, &total);
	encoded = shorten(&total, &short_form) ? encode_short(&short_form, arena)
					       : encode_long(&total, arena);
	moments_release(&total);
	return encoded;
}

static bool decode_count(struct moments *moments, const uint8_t *in)
{
	uint64_t count[MOMENTS_LIMBS];

	get_limbs(in, 8, false, count);
	moments->count = (int64_t)count[0];
	return count[0] > 0 && count[0] <= INT64_MAX;
}

static bool decode_long(struct moments *moments, const uint8_t *in, size_t size)
{
	struct moments_rest *rest;
	size_t sum_size = 0;

	if (size < LONG_HEADER_SIZE || in[1] > 1 || in[16] > 1 || !decode_count(moments, in + 4))
		return false;
	for (unsigned i = 0; i < 4; i++)
		sum_size |= (size_t)in[12 + i] << 8 * i;
	size -= LONG_HEADER_SIZE;
	if (sum_size > size || sum_size > LONG_NUMBER_MAX || size - sum_size > LONG_NUMBER_MAX ||
		(unsigned)(in[2] | in[3] << 8) > NUMERIC_FRACTION_MAX)
		return false;
	rest = rest_of(moments);
	rest->special = in[1];
	rest->scale = (unsigned)(in[2] | in[3] << 8);
	mpz_import(rest->sum, sum_size, -1, 1, 0, 0, in + LONG_HEADER_SIZE);
	mpz_import(rest->squares, size - sum_size, -1, 1, 0, 0, in + LONG_HEADER_SIZE + sum_size);
	if (in[16])
		mpz_neg(rest->sum, rest->sum);
	return true;
}

bool moments_decode(struct moments *moments, const void *bytes, size_t size)
{
	const uint8_t *in = bytes;
	size_t sum_size;

	memset(moments, 0, sizeof(*moments));
	if (size > 0 && in[0] == LONG_STATE)
		return decode_long(moments, in, size);
	if (size < HEADER_SIZE || in[0] > NUMERIC_SCALE_MAX || in[1] > NUMBER_SIZE)
		return false;
	sum_size = in[1];
	if (size < HEADER_SIZE + sum_size || size > HEADER_SIZE + sum_size + NUMBER_SIZE)
		return false;
	moments->scale = in[0];
	if (!decode_count(moments, in + 2))
		return false;
	get_limbs(in + HEADER_SIZE, sum_size, true, moments->sum);
	get_limbs(in + HEADER_SIZE + sum_size, size - HEADER_SIZE - sum_size, false,
		moments->squares);
	return true;
}

/* count * squares - sum^2 divided by the divisor, and the root of that. */
static enum numeric_fault variance_of(
	const struct moments *total, bool sample, bool root, struct arena *arena, numeric *out)
{
	unsigned scale = 2 * total->rest->scale, result_scale;
	enum numeric_fault fault;
	mpz_t value, divisor, other;

	mpz_inits(value, divisor, other, NULL);
	mpz_set_si(divisor, total->count);
	mpz_mul(value, total->rest->squares, divisor);
	mpz_mul(other, total->rest->sum, total->rest->sum);
	mpz_sub(value, value, other);
	mpz_set_si(other, total->count - sample);
	mpz_mul(divisor, divisor, other);
	if (mpz_sgn(value) <= 0) { /* less only of a state that no values ever had */
		*out = 0;
		fault = NUMERIC_FINE;
	} else {
		result_scale = mpz_quotient_scale(value, scale, divisor, 0);
		mpz_power10(other, (unsigned long)labs((long)result_scale - (long)scale));
		if (result_scale >= scale)
			mpz_mul(value, value, other);
		else
			mpz_mul(divisor, divisor, other);
		mpz_divide_rounded(value, value, divisor);
		if (root)
			mpz_root_rounded(value, result_scale);
		fault = finite_store(value, result_scale, arena, out);
	}
	mpz_clears(value, divisor, other, NULL);
	return fault;
}

bool moments_variance(
	const struct moments *moments, bool sample, bool root, struct arena *arena, numeric *out)
{
	enum numeric_fault fault = NUMERIC_FINE;
	struct moments total;

	assert(moments->count > sample);
	total_of(moments, &total);
	if (total.rest->special)
		*out = NUMERIC_NAN;
	else
		fault = variance_of(&total, sample, root, arena, out);
	moments_release(&total);
	return fault == NUMERIC_FINE;
}
