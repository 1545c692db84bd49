/*
 * What the files of the batch's wire form share. The format stands at the top of batch_codec.c.
 */
#ifndef COLUMN_CODEC_PRIVATE_H
#define COLUMN_CODEC_PRIVATE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/varint.h"
#include "column/type.h"

/* Bytes that are left to read, and where what is read goes. */
struct codec_input {
	const uint8_t *at;
	const uint8_t *end;
	struct arena *arena;
	struct error *err;
};

static inline size_t codec_left(const struct codec_input *in)
{
	return (size_t)(in->end - in->at);
}

/* ERROR_DATA; returns -1. */
int codec_damaged(struct codec_input *in, const char *what);
/* Moves over `size` bytes and returns them; NULL, with the error set, when there are fewer. */
const uint8_t *codec_take(struct codec_input *in, size_t size);
MUST_CHECK int codec_take_byte(struct codec_input *in, uint8_t *out);

MUST_CHECK int codec_take_varint(struct codec_input *in, uint64_t *out);

/* Bit k is whether bytes[k] is not zero. */
void bits_encode(const uint8_t *bytes, uint32_t count, struct buf *out);
/* Into bytes of 0 and 1. */
MUST_CHECK int bits_decode(struct codec_input *in, uint32_t count, uint8_t *bytes);

enum packed_unit {
	PACKED_UNIT_ONE,
	PACKED_UNIT_SECOND, /* of microseconds */
	PACKED_UNIT_DAY,
	PACKED_UNIT_COUNT,
};

struct packed_options {
	unsigned width_min;	   /* bits that a value takes at least */
	enum packed_unit unit_max; /* the greatest unit that is tried */
};

/* `count` is above zero. */
void packed_encode(
	const int64_t *values, uint32_t count, struct packed_options options, struct buf *out);
/* Widths below `width_min` are refused. */
MUST_CHECK int packed_decode(
	struct codec_input *in, uint32_t count, unsigned width_min, int64_t *values);

/* The same bytes. */
bool text_same(struct text a, struct text b);

/* `count` is above zero; no text is NULL. `width_min` as in packed_encode. */
void texts_encode(const struct text *texts, uint32_t count, unsigned width_min, struct buf *out);
MUST_CHECK int texts_decode(
	struct codec_input *in, uint32_t count, unsigned width_min, struct text *texts);

/* `kind` is that of the lists. */
void lists_encode(
	enum type_kind kind, const struct text_list *lists, uint32_t count, struct buf *out);
MUST_CHECK int lists_decode(
	struct codec_input *in, enum type_kind kind, uint32_t count, struct text_list *lists);

/* Whether a value of a type that is stored as integers can be this one. */
bool integer_is_legal(enum type_kind kind, int64_t value);

#endif
