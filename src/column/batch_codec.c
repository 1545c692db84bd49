/*
 * The wire form of a batch.
 *
 * Numbers of several bytes are little-endian. A varint has 7 bits per byte, the lowest first, and
 * the upper bit set in all bytes but the last. Bits are stored from the lowest of a byte upwards.
 *
 *   batch      varint rows, varint columns; then, unless there are no rows, each column
 *   column     1 byte: the physical form + 1, 0x10 if it has nulls, 0x20 if all its values are the
 *              same, 0x40 if every row is NULL, and nothing follows;
 *              with nulls one bit per row: 1 a value, 0 NULL;
 *              then the values of the rows that are not NULL, or the one that is all of them
 *
 *   booleans   a bit each
 *   integers   (also dates, times and timestamps) packed
 *   doubles    1 byte: how many lower bits are 0 in all of them; the other bits, packed
 *   numerics   1 byte: 0 one scale, 1 many scales, 2 wide ones, 3 of any kind
 *              0: 1 byte scale; mantissas, packed
 *              1: scales, packed; mantissas, packed
 *              2: 16 bytes each, as they lie in memory
 *              3: each 1 byte: 0 a plain one, as in 2; 1 minus infinity, 2 infinity, 3 NaN; 4 a
 *              long one, 5 a long one below zero: varint scale, varint limbs, 8 bytes each
 *   intervals  months, packed; days, packed; microseconds, packed
 *   texts      1 byte: 0 plain, 1 a dictionary, 2 UUIDs
 *              0: sizes, packed; the bytes of all
 *              1: varint n; n plain texts; the number of each row's text, packed
 *              2: 16 bytes each: the digits of 8-4-4-4-12 lower case ones
 *   lists      how many items each has, packed; when there are any:
 *              1 byte: 1 if some are NULL, and then one bit per item; the others as texts, in which
 *              packed numbers have a width of at least 1
 *
 *   packed     1 byte: bits 0 to 5 the width, 0 to 56; bits 6 and 7 the unit: 0 one, 1 a million,
 *              2 a day of microseconds; varint of the least value, zigzag; then for each value in
 *              `width` bits how many units it is above the least. Or: 1 byte 57; 8 bytes each
 *
 * The bytes depend on the selected rows alone, neither on a selection nor on constant columns. What
 * decoding takes from the arena is bounded: see batch_codec.h.
 */
#include "column/batch_codec.h"
#include "base/cpu_clones.h"
#include "column/bytes_text.h"
#include "column/codec_private.h"
#include "column/datetime.h"
#include "column/item.h"

#include <assert.h>
#include <string.h>

#define COLUMN_FORM_MASK 0x0f
#define COLUMN_NULLS	 0x10
#define COLUMN_SAME	 0x20
#define COLUMN_ALL_NULL	 0x40

enum numeric_form {
	NUMERIC_ONE_SCALE,
	NUMERIC_SCALES,
	NUMERIC_WIDE,
	NUMERIC_MIXED,
};

/* Of one value in NUMERIC_MIXED. */
enum numeric_kind {
	KIND_PLAIN,
	KIND_MINUS_INFINITY,
	KIND_INFINITY,
	KIND_NAN,
	KIND_LONG,
	KIND_LONG_NEGATIVE,
};

/* -- Encoding -- */

/* The values of a column's selected rows that are not NULL, one after the other. */
struct dense {
	uint32_t count;
	const void *values;
};

static void gather(const struct column *column, const uint16_t *rows, uint32_t count, void *to)
{
	size_t size = physical_size(type_physical(column->type.kind));

	if (size == 1) {
		for (uint32_t i = 0; i < count; i++)
			((uint8_t *)to)[i] = column->u8[rows[i]];
	} else if (size == 8) {
		for (uint32_t i = 0; i < count; i++)
			((int64_t *)to)[i] = column->i64[rows[i]];
	} else {
		for (uint32_t i = 0; i < count; i++)
			((numeric *)to)[i] = column->num[rows[i]];
	}
}

static bool value_same(enum physical physical, const void *a, const void *b)
{
	if (physical == PHYSICAL_TEXT)
		return text_same(*(const struct text *)a, *(const struct text *)b);
	if (physical == PHYSICAL_LIST)
		return list_identical(*(const struct text_list *)a, *(const struct text_list *)b);
	if (physical == PHYSICAL_NUM)
		return numeric_identical(*(const numeric *)a, *(const numeric *)b);
	return memcmp(a, b, physical_size(physical)) == 0;
}

static bool all_same(enum physical physical, const struct dense *dense)
{
	size_t size = physical_size(physical);

	for (uint32_t i = 1; i < dense->count; i++) {
		if (!value_same(physical, dense->values, (const char *)dense->values + i * size))
			return false;
	}
	return true;
}

static void integers_encode(
	enum type_kind kind, const int64_t *values, uint32_t count, struct buf *out)
{
	enum packed_unit unit = PACKED_UNIT_ONE;

	if (kind == TYPE_TIMESTAMP || kind == TYPE_TIMESTAMPTZ)
		unit = PACKED_UNIT_DAY;
	else if (kind == TYPE_TIME)
		unit = PACKED_UNIT_SECOND;
	packed_encode(values, count, (struct packed_options){.unit_max = unit}, out);
}

static void doubles_encode(const uint64_t *values, uint32_t count, struct buf *out)
{
	int64_t shifted[BATCH_ROWS_MAX];
	uint64_t any = 0;
	unsigned zeros;

	for (uint32_t i = 0; i < count; i++)
		any |= values[i];
	zeros = any ? (unsigned)__builtin_ctzll(any) : 0;
	for (uint32_t i = 0; i < count; i++)
		shifted[i] = (int64_t)(values[i] >> zeros);
	buf_append_char(out, (char)zeros);
	packed_encode(shifted, count, (struct packed_options){0}, out);
}

/* What the mantissas and the scales of many numerics have in common. */
struct numeric_shape {
	bool narrow; /* all mantissas fit 64 bits; then all are plain */
	bool one_scale;
};

CPU_CLONES static struct numeric_shape numerics_split(
	const numeric *values, uint32_t count, int64_t *mantissas)
{
	uint64_t first = (uint64_t)values[0], scales = 0, wide = 0;

	for (uint32_t i = 0; i < count; i++) {
		int128 mantissa = numeric_mantissa(values[i]);

		mantissas[i] = (int64_t)mantissa;
		wide |= (uint64_t)(mantissa >> 64) ^ (uint64_t)(mantissas[i] >> 63);
		scales |= (uint64_t)values[i] ^ first;
	}
	return (struct numeric_shape){wide == 0, (scales & 0xff) == 0};
}

static bool all_plain(const numeric *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!numeric_is_plain(values[i]))
			return false;
	}
	return true;
}

static void numeric_encode_mixed(numeric value, struct buf *out)
{
	const uint64_t *limbs;
	uint32_t count;

	if (numeric_is_plain(value)) {
		buf_append_char(out, KIND_PLAIN);
		buf_append(out, &value, sizeof(value));
	} else if (numeric_is_special(value)) {
		buf_append_char(out, numeric_is_nan(value)     ? KIND_NAN
				     : numeric_sign(value) < 0 ? KIND_MINUS_INFINITY
							       : KIND_INFINITY);
	} else {
		limbs = numeric_long_limbs(value, &count);
		buf_append_char(out, numeric_sign(value) < 0 ? KIND_LONG_NEGATIVE : KIND_LONG);
		varint_encode(numeric_display_scale(value), out);
		varint_encode(count, out);
		buf_append(out, limbs, count * sizeof(*limbs));
	}
}

static void numerics_encode(const numeric *values, uint32_t count, struct buf *out)
{
	int64_t mantissas[BATCH_ROWS_MAX], scales[BATCH_ROWS_MAX];
	struct numeric_shape shape = numerics_split(values, count, mantissas);

	if (!shape.narrow && !all_plain(values, count)) {
		buf_append_char(out, NUMERIC_MIXED);
		for (uint32_t i = 0; i < count; i++)
			numeric_encode_mixed(values[i], out);
		return;
	}
	if (!shape.narrow) {
		buf_append_char(out, NUMERIC_WIDE);
		buf_append(out, values, count * sizeof(*values));
		return;
	}
	if (shape.one_scale) {
		buf_append_char(out, NUMERIC_ONE_SCALE);
		buf_append_char(out, (char)numeric_scale(values[0]));
	} else {
		for (uint32_t i = 0; i < count; i++)
			scales[i] = numeric_scale(values[i]);
		buf_append_char(out, NUMERIC_SCALES);
		packed_encode(scales, count, (struct packed_options){0}, out);
	}
	packed_encode(mantissas, count, (struct packed_options){0}, out);
}

static void intervals_encode(const struct interval *values, uint32_t count, struct buf *out)
{
	int64_t parts[BATCH_ROWS_MAX];

	for (uint32_t i = 0; i < count; i++)
		parts[i] = values[i].months;
	packed_encode(parts, count, (struct packed_options){0}, out);
	for (uint32_t i = 0; i < count; i++)
		parts[i] = values[i].days;
	packed_encode(parts, count, (struct packed_options){0}, out);
	for (uint32_t i = 0; i < count; i++)
		parts[i] = values[i].microseconds;
	packed_encode(parts, count, (struct packed_options){.unit_max = PACKED_UNIT_DAY}, out);
}

static void values_encode(struct type type, const struct dense *dense, struct buf *out)
{
	const void *values = dense->values;

	switch (type_physical(type.kind)) {
	case PHYSICAL_U8: bits_encode(values, dense->count, out); break;
	case PHYSICAL_I64: integers_encode(type.kind, values, dense->count, out); break;
	case PHYSICAL_NUM: numerics_encode(values, dense->count, out); break;
	case PHYSICAL_F64: doubles_encode(values, dense->count, out); break;
	case PHYSICAL_TEXT: texts_encode(values, dense->count, 0, out); break;
	case PHYSICAL_LIST: lists_encode(type.kind, values, dense->count, out); break;
	case PHYSICAL_INTERVAL: intervals_encode(values, dense->count, out); break;
	}
}

/* Writes the column's first byte and the bits of its nulls, and finds its values. */
static void column_encode(const struct column *column, const struct batch *batch, struct buf *out)
{
	enum physical physical = type_physical(column->type.kind);
	numeric room[BATCH_ROWS_MAX];
	uint8_t valid[BATCH_ROWS_MAX];
	uint16_t rows[BATCH_ROWS_MAX];
	struct dense dense = {batch->selected, column->values};
	unsigned head = (unsigned)physical + 1;

	if (column->constant) {
		dense.count = column_is_null(column, 0) ? 0 : 1;
	} else if (batch->sel || column->valid) {
		dense.count = 0;
		for (uint32_t k = 0; k < batch->selected; k++) {
			uint32_t row = batch_row(batch, k);

			valid[k] = !column->valid || column->valid[row];
			rows[dense.count] = (uint16_t)row;
			dense.count += valid[k];
		}
		gather(column, rows, dense.count, room);
		dense.values = room;
	}
	if (dense.count == 0) {
		buf_append_char(out, (char)(head | COLUMN_ALL_NULL));
		return;
	}
	if (!column->constant && dense.count < batch->selected)
		head |= COLUMN_NULLS;
	if (all_same(physical, &dense)) {
		head |= COLUMN_SAME;
		dense.count = 1;
	}
	buf_append_char(out, (char)head);
	if (head & COLUMN_NULLS)
		bits_encode(valid, batch->selected, out);
	values_encode(column->type, &dense, out);
}

void batch_encode(const struct batch *batch, struct buf *out)
{
	assert(batch->selected <= batch->rows && batch->rows <= BATCH_ROWS_MAX);
	varint_encode(batch->selected, out);
	varint_encode(batch->column_count, out);
	for (uint32_t i = 0; batch->selected > 0 && i < batch->column_count; i++)
		column_encode(&batch->columns[i], batch, out);
}

/* -- Decoding -- */

/* Values of a type that are stored as integers. */
struct range {
	int64_t least;
	int64_t most;
};

static struct range integer_range(enum type_kind kind)
{
	switch (kind) {
	case TYPE_SMALLINT: return (struct range){INT16_MIN, INT16_MAX};
	case TYPE_INT: return (struct range){INT32_MIN, INT32_MAX};
	case TYPE_DATE: return (struct range){DATE_DAYS_MIN, DATE_DAYS_MAX};
	case TYPE_TIME: return (struct range){0, MICROS_PER_DAY};
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMPTZ:
		return (struct range){
			DATE_DAYS_MIN * MICROS_PER_DAY, (DATE_DAYS_MAX + 1) * MICROS_PER_DAY - 1};
	default: return (struct range){INT64_MIN, INT64_MAX};
	}
}

/* Dates and timestamps have two values more. */
static bool may_be_infinite(enum type_kind kind)
{
	return kind == TYPE_DATE || kind == TYPE_TIMESTAMP || kind == TYPE_TIMESTAMPTZ;
}

bool integer_is_legal(enum type_kind kind, int64_t value)
{
	struct range range = integer_range(kind);

	return (value >= range.least && value <= range.most) ||
	       (time_is_infinite(value) && may_be_infinite(kind));
}

CPU_CLONES static bool all_within(const int64_t *values, uint32_t count, struct range range)
{
	bool outside = false;

	for (uint32_t i = 0; i < count; i++)
		outside |= values[i] < range.least || values[i] > range.most;
	return !outside;
}

static int integers_decode(
	struct codec_input *in, enum type_kind kind, uint32_t count, int64_t *values)
{
	struct range range = integer_range(kind);

	if (packed_decode(in, count, 0, values) < 0)
		return -1;
	if (range.least == INT64_MIN || all_within(values, count, range))
		return 0;
	for (uint32_t i = 0; i < count; i++)
		if (!integer_is_legal(kind, values[i]))
			return codec_damaged(in, "a value is out of the range of its type");
	return 0;
}

static int doubles_decode(struct codec_input *in, uint32_t count, int64_t *values)
{
	uint8_t zeros;

	if (codec_take_byte(in, &zeros) < 0)
		return -1;
	if (zeros > 63)
		return codec_damaged(in, "an unknown form of doubles");
	if (packed_decode(in, count, 0, values) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++)
		values[i] = (int64_t)((uint64_t)values[i] << zeros);
	return 0;
}

/* A decimal must be what numeric_make makes: kernels count on that. */
static bool numeric_is_legal(numeric value)
{
	numeric made;

	return numeric_make(numeric_mantissa(value), numeric_scale(value), &made);
}

static int numerics_decode_wide(struct codec_input *in, uint32_t count, numeric *values)
{
	const uint8_t *bytes = codec_take(in, count * sizeof(*values));

	if (!bytes)
		return -1;
	memcpy(values, bytes, count * sizeof(*values));
	for (uint32_t i = 0; i < count; i++) {
		if (!numeric_is_legal(values[i]))
			return codec_damaged(in, "a numeric is out of range");
	}
	return 0;
}

static int numeric_decode_long(struct codec_input *in, bool negative, numeric *out)
{
	uint64_t scale, count;
	const uint8_t *bytes;
	uint64_t *limbs;

	if (codec_take_varint(in, &scale) < 0 || codec_take_varint(in, &count) < 0)
		return -1;
	if (scale > NUMERIC_FRACTION_MAX || count > NUMERIC_LIMBS_MAX)
		return codec_damaged(in, "a numeric is out of range");
	bytes = codec_take(in, count * sizeof(*limbs));
	if (!bytes)
		return -1;
	limbs = arena_alloc(in->arena, (count + 1) * sizeof(*limbs));
	memcpy(limbs, bytes, count * sizeof(*limbs));
	*out = numeric_long_make(limbs, (uint32_t)count, negative, (unsigned)scale);
	return numeric_long_is_legal(*out) ? 0 : codec_damaged(in, "a numeric is out of range");
}

static int numerics_decode_mixed(struct codec_input *in, uint32_t count, numeric *values)
{
	for (uint32_t i = 0; i < count; i++) {
		int status = 0;
		uint8_t kind;

		if (codec_take_byte(in, &kind) < 0)
			return -1;
		switch (kind) {
		case KIND_PLAIN: status = numerics_decode_wide(in, 1, &values[i]); break;
		case KIND_MINUS_INFINITY: values[i] = NUMERIC_MINUS_INFINITY; break;
		case KIND_INFINITY: values[i] = NUMERIC_INFINITY; break;
		case KIND_NAN: values[i] = NUMERIC_NAN; break;
		case KIND_LONG:
		case KIND_LONG_NEGATIVE:
			status = numeric_decode_long(in, kind == KIND_LONG_NEGATIVE, &values[i]);
			break;
		default: status = codec_damaged(in, "an unknown form of numerics");
		}
		if (status < 0)
			return -1;
	}
	return 0;
}

static int numerics_decode(struct codec_input *in, uint32_t count, numeric *values)
{
	int64_t *numbers = arena_alloc(in->arena, count * sizeof(*numbers));
	uint8_t form, scale = 0;

	if (codec_take_byte(in, &form) < 0)
		return -1;
	if (form == NUMERIC_WIDE)
		return numerics_decode_wide(in, count, values);
	if (form == NUMERIC_MIXED)
		return numerics_decode_mixed(in, count, values);
	if (form == NUMERIC_ONE_SCALE) {
		if (codec_take_byte(in, &scale) < 0)
			return -1;
	} else if (form != NUMERIC_SCALES) {
		return codec_damaged(in, "an unknown form of numerics");
	} else if (packed_decode(in, count, 0, numbers) < 0) {
		return -1;
	} else if (!all_within(numbers, count, (struct range){0, NUMERIC_SCALE_MAX})) {
		return codec_damaged(in, "a numeric is out of range");
	}
	if (scale > NUMERIC_SCALE_MAX)
		return codec_damaged(in, "a numeric is out of range");
	/* Mantissas of 64 bits are always legal. */
	for (uint32_t i = 0; i < count; i++)
		values[i] = form == NUMERIC_ONE_SCALE ? scale : numbers[i];
	if (packed_decode(in, count, 0, numbers) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++)
		values[i] = numeric_pack(numbers[i], (unsigned)values[i]);
	return 0;
}

static int intervals_decode(struct codec_input *in, uint32_t count, struct interval *values)
{
	const struct range part = {INT32_MIN, INT32_MAX};
	int64_t *months = arena_alloc(in->arena, 3 * sizeof(*months) * count);
	int64_t *days = months + count, *microseconds = days + count;

	if (packed_decode(in, count, 0, months) < 0 || packed_decode(in, count, 0, days) < 0 ||
		packed_decode(in, count, 0, microseconds) < 0)
		return -1;
	if (!all_within(months, 2 * count, part))
		return codec_damaged(in, "an interval is out of range");
	for (uint32_t i = 0; i < count; i++)
		values[i] = (struct interval){.microseconds = microseconds[i],
			.days = (int32_t)days[i],
			.months = (int32_t)months[i]};
	return 0;
}

static int values_decode(struct codec_input *in, uint32_t count, struct column *column)
{
	switch (type_physical(column->type.kind)) {
	case PHYSICAL_U8: return bits_decode(in, count, column->u8);
	case PHYSICAL_I64: return integers_decode(in, column->type.kind, count, column->i64);
	case PHYSICAL_NUM: return numerics_decode(in, count, column->num);
	case PHYSICAL_F64: return doubles_decode(in, count, column->i64);
	case PHYSICAL_TEXT:
		if (texts_decode(in, count, 0, column->text) < 0)
			return -1;
		for (uint32_t i = 0; column->type.kind == TYPE_UUID && i < count; i++)
			if (column->text[i].size != UUID_BYTES)
				return codec_damaged(in, "a uuid has not 16 bytes");
		return 0;
	case PHYSICAL_LIST: return lists_decode(in, column->type.kind, count, column->list);
	case PHYSICAL_INTERVAL: return intervals_decode(in, count, column->interval);
	}
	return codec_damaged(in, "a column of no type");
}

/* Moves the first values of a column to the rows that are not NULL; the other slots become zero. */
static void values_spread(struct column *column, uint32_t rows, uint32_t count, bool same)
{
	size_t size = physical_size(type_physical(column->type.kind));
	char *values = column->values;

	for (uint32_t row = rows; row-- > 0;) {
		if (!column->valid[row]) {
			memset(values + row * size, 0, size);
			continue;
		}
		count--;
		if (!same && row != count)
			memcpy(values + row * size, values + count * size, size);
		else if (same && row > 0)
			memcpy(values + row * size, values, size);
	}
}

/* The bits of a column's nulls: at least one row has a value and one has none. */
static int validity_decode(
	struct codec_input *in, uint32_t rows, struct column *column, uint32_t *count)
{
	column->valid = (uint8_t *)arena_alloc_bytes(in->arena, rows);
	if (bits_decode(in, rows, column->valid) < 0)
		return -1;
	*count = 0;
	for (uint32_t i = 0; i < rows; i++)
		*count += column->valid[i];
	if (*count == 0 || *count == rows)
		return codec_damaged(in, "a column's nulls are none or all");
	return 0;
}

static int column_decode(
	struct codec_input *in, struct type type, uint32_t rows, struct column *column)
{
	uint32_t count = rows;
	bool same, nulls;
	uint8_t head;

	if (codec_take_byte(in, &head) < 0)
		return -1;
	if ((head & COLUMN_FORM_MASK) != (unsigned)type_physical(type.kind) + 1)
		return codec_damaged(in, "a column has another type");
	if ((head & ~COLUMN_FORM_MASK) == COLUMN_ALL_NULL) {
		column_init_null(column, type, in->arena);
		return 0;
	}
	same = head & COLUMN_SAME;
	nulls = head & COLUMN_NULLS;
	if (head & ~(COLUMN_FORM_MASK | COLUMN_SAME | COLUMN_NULLS))
		return codec_damaged(in, "a column of an unknown form");
	column_init(column, type, same && !nulls ? 1 : rows, in->arena);
	column->constant = same && !nulls;
	if (nulls && validity_decode(in, rows, column, &count) < 0)
		return -1;
	if (values_decode(in, same ? 1 : count, column) < 0)
		return -1;
	if (nulls)
		values_spread(column, rows, count, same);
	return 0;
}

int batch_decode(const uint8_t **at, const uint8_t *end, uint32_t column_count,
	const struct type *types, struct arena *arena, struct batch *out, struct error *err)
{
	struct codec_input in = {*at, end, arena, err};
	uint64_t rows, columns;

	if (codec_take_varint(&in, &rows) < 0 || codec_take_varint(&in, &columns) < 0)
		return -1;
	if (rows > BATCH_ROWS_MAX)
		return codec_damaged(&in, "it has too many rows");
	if (columns != column_count)
		return codec_damaged(&in, "it has other columns");
	*out = (struct batch){.rows = (uint32_t)rows,
		.selected = (uint32_t)rows,
		.column_count = column_count,
		.columns = arena_alloc(arena, column_count * sizeof(struct column))};
	for (uint32_t i = 0; i < column_count; i++) {
		if (rows == 0)
			column_init_null(&out->columns[i], types[i], arena);
		else if (column_decode(&in, types[i], out->rows, &out->columns[i]) < 0)
			return -1;
	}
	*at = in.at;
	return 0;
}
