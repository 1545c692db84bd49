/*
 * Integers in few bits: the distance from the least of them, each in as many bits as the greatest
 * distance needs. The format stands at the top of batch_codec.c.
 */
#include "base/cpu_clones.h"
#include "column/codec_private.h"
#include "column/datetime.h"

#include <assert.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are stored as they lie");

/* A value that starts within a byte must end within the 8 bytes from there. */
#define WIDTH_PACKED_MAX 56
/* How the width of 64 is written. */
#define WIDTH_CODE_RAW	(WIDTH_PACKED_MAX + 1)
#define WIDTH_CODE_MASK 0x3f
#define UNIT_SHIFT	6

static const uint64_t units[PACKED_UNIT_COUNT] = {
	1, (uint64_t)MICROS_PER_SECOND, (uint64_t)MICROS_PER_DAY};

int codec_damaged(struct codec_input *in, const char *what)
{
	return error_set(in->err, ERROR_DATA, "an encoded batch is damaged: %s", what);
}

const uint8_t *codec_take(struct codec_input *in, size_t size)
{
	const uint8_t *bytes = in->at;

	if (size > codec_left(in)) {
		codec_damaged(in, "it ends too early");
		return NULL;
	}
	in->at += size;
	return bytes;
}

int codec_take_byte(struct codec_input *in, uint8_t *out)
{
	const uint8_t *byte = codec_take(in, 1);

	if (!byte)
		return -1;
	*out = *byte;
	return 0;
}

int codec_take_varint(struct codec_input *in, uint64_t *out)
{
	return varint_decode(&in->at, in->end, out) ? 0 : codec_damaged(in, "a number is cut off");
}

void bits_encode(const uint8_t *bytes, uint32_t count, struct buf *out)
{
	size_t size = ((size_t)count + 7) / 8;
	char *room = buf_reserve(out, size);

	if (!room)
		return;
	memset(room, 0, size);
	for (uint32_t i = 0; i < count; i++)
		room[i / 8] = (char)(room[i / 8] | (bytes[i] != 0) << i % 8);
	out->size += size;
}

int bits_decode(struct codec_input *in, uint32_t count, uint8_t *bytes)
{
	const uint8_t *bits = codec_take(in, ((size_t)count + 7) / 8);

	if (!bits)
		return -1;
	for (uint32_t i = 0; i < count; i++)
		bytes[i] = bits[i / 8] >> i % 8 & 1;
	return 0;
}

CPU_CLONES static void find_range(
	const int64_t *values, uint32_t count, int64_t *least, int64_t *most)
{
	int64_t min = values[0], max = values[0];

	for (uint32_t i = 1; i < count; i++) {
		min = values[i] < min ? values[i] : min;
		max = values[i] > max ? values[i] : max;
	}
	*least = min;
	*most = max;
}

/* Whether every distance from `base` is a multiple of `unit`, which the compiler knows. */
static inline bool all_multiples(
	const int64_t *values, uint32_t count, uint64_t base, uint64_t unit)
{
	for (uint32_t i = 0; i < count; i++) {
		if (((uint64_t)values[i] - base) % unit != 0)
			return false;
	}
	return true;
}

static enum packed_unit find_unit(
	const int64_t *values, uint32_t count, uint64_t base, enum packed_unit most)
{
	if (most < PACKED_UNIT_SECOND || !all_multiples(values, count, base, MICROS_PER_SECOND))
		return PACKED_UNIT_ONE;
	if (most < PACKED_UNIT_DAY || !all_multiples(values, count, base, MICROS_PER_DAY))
		return PACKED_UNIT_SECOND;
	return PACKED_UNIT_DAY;
}

static unsigned bits_of(uint64_t value)
{
	return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

static size_t packed_size(uint32_t count, unsigned width)
{
	return ((size_t)count * width + 7) / 8;
}

/*
 * Writes up to 8 bytes behind the end. The pending bits are stored after every value, whole bytes
 * of them for good: that is faster than to ask whether a word is full.
 */
static inline void pack_by(const int64_t *values, uint32_t count, uint64_t base, uint64_t unit,
	unsigned width, uint8_t *to)
{
	uint64_t pending = 0;
	unsigned filled = 0;

	for (uint32_t i = 0; i < count; i++) {
		pending |= ((uint64_t)values[i] - base) / unit << filled;
		memcpy(to, &pending, sizeof(pending));
		filled += width;
		to += filled / 8;
		pending >>= filled / 8 * 8;
		filled %= 8;
	}
}

CPU_CLONES static void pack(const int64_t *values, uint32_t count, uint64_t base,
	enum packed_unit unit, unsigned width, uint8_t *to)
{
	switch (unit) {
	case PACKED_UNIT_SECOND: pack_by(values, count, base, MICROS_PER_SECOND, width, to); break;
	case PACKED_UNIT_DAY: pack_by(values, count, base, MICROS_PER_DAY, width, to); break;
	default: pack_by(values, count, base, 1, width, to); break;
	}
}

void packed_encode(
	const int64_t *values, uint32_t count, struct packed_options options, struct buf *out)
{
	enum packed_unit unit = PACKED_UNIT_ONE;
	int64_t least, most;
	uint64_t range;
	unsigned width;
	char *room;

	find_range(values, count, &least, &most);
	range = (uint64_t)most - (uint64_t)least;
	if (range > 0)
		unit = find_unit(values, count, (uint64_t)least, options.unit_max);
	width = bits_of(range / units[unit]);
	if (width < options.width_min)
		width = options.width_min;
	if (width > WIDTH_PACKED_MAX) {
		buf_append_char(out, WIDTH_CODE_RAW);
		buf_append(out, values, (size_t)count * sizeof(*values));
		return;
	}
	buf_append_char(out, (char)(width | (unsigned)unit << UNIT_SHIFT));
	varint_encode(zigzag_encode(least), out);
	if (width == 0)
		return;
	room = buf_reserve(out, packed_size(count, width) + sizeof(uint64_t));
	if (!room)
		return;
	pack(values, count, (uint64_t)least, unit, width, (uint8_t *)room);
	out->size += packed_size(count, width);
}

static inline uint64_t load(const uint8_t *from)
{
	uint64_t word;

	memcpy(&word, from, sizeof(word));
	return word;
}

/* Reads 8 bytes wherever a value starts. */
static inline void unpack_by(const uint8_t *from, uint32_t first, uint32_t count, unsigned width,
	uint64_t base, uint64_t unit, int64_t *values)
{
	uint64_t mask = ((uint64_t)1 << width) - 1;
	size_t bit = (size_t)first * width;

	for (uint32_t i = first; i < count; i++, bit += width)
		values[i] = (int64_t)(base + (load(from + bit / 8) >> bit % 8 & mask) * unit);
}

CPU_CLONES static void unpack(const uint8_t *from, uint32_t count, unsigned width, uint64_t base,
	uint64_t unit, int64_t *values)
{
	if (unit == 1)
		unpack_by(from, 0, count, width, base, 1, values);
	else
		unpack_by(from, 0, count, width, base, unit, values);
}

/* The last values start where fewer than 8 bytes are left: they are read from a copy. */
static void unpack_last(const uint8_t *bytes, size_t size, uint32_t first, uint32_t count,
	unsigned width, uint64_t base, uint64_t unit, int64_t *values)
{
	for (uint32_t i = first; i < count; i++) {
		size_t bit = (size_t)i * width;
		uint8_t copy[sizeof(uint64_t)] = {0};
		uint64_t mask = ((uint64_t)1 << width) - 1;

		memcpy(copy, bytes + bit / 8,
			size - bit / 8 < sizeof(copy) ? size - bit / 8 : sizeof(copy));
		values[i] = (int64_t)(base + (load(copy) >> bit % 8 & mask) * unit);
	}
}

static int unpack_raw(struct codec_input *in, uint32_t count, int64_t *values)
{
	size_t size = (size_t)count * sizeof(*values);
	const uint8_t *bytes = codec_take(in, size);

	if (!bytes)
		return -1;
	memcpy(values, bytes, size);
	return 0;
}

int packed_decode(struct codec_input *in, uint32_t count, unsigned width_min, int64_t *values)
{
	const uint8_t *bytes;
	uint64_t base = 0, unit;
	uint32_t safe = 0;
	unsigned width;
	uint8_t head;
	size_t size;

	if (codec_take_byte(in, &head) < 0)
		return -1;
	if (head == WIDTH_CODE_RAW)
		return unpack_raw(in, count, values);
	width = head & WIDTH_CODE_MASK;
	if (width > WIDTH_PACKED_MAX || head >> UNIT_SHIFT >= PACKED_UNIT_COUNT)
		return codec_damaged(in, "an unknown width of numbers");
	if (width < width_min)
		return codec_damaged(in, "numbers are too narrow");
	unit = units[head >> UNIT_SHIFT];
	size = packed_size(count, width);
	if (codec_take_varint(in, &base) < 0 || !(bytes = codec_take(in, size)))
		return -1;
	base = (uint64_t)zigzag_decode(base);
	if (width == 0) {
		for (uint32_t i = 0; i < count; i++)
			values[i] = (int64_t)base;
		return 0;
	}
	if (size >= sizeof(uint64_t)) {
		/* Value i may be loaded while i * width / 8 + 8 <= size. */
		size_t last = ((size - sizeof(uint64_t)) * 8 + 7) / width;

		safe = last < count ? (uint32_t)last + 1 : count;
	}
	unpack(bytes, safe, width, base, unit, values);
	unpack_last(bytes, size, safe, count, width, base, unit, values);
	return 0;
}
