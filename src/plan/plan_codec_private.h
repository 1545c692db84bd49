/*
 * What the files of the plan's wire form share.
 *
 *   plan_codec.c      the format, and the plan in the order of its fields
 *   plan_codec_io.c   numbers, texts, lists and constants, each both written and read
 */
#ifndef PLAN_PLAN_CODEC_PRIVATE_H
#define PLAN_PLAN_CODEC_PRIVATE_H

#include "base/buf.h"
#include "column/column.h"
#include "plan/plan.h"

struct plan_io {
	struct buf *out; /* NULL: reading */
	const uint8_t *at;
	const uint8_t *end;
	size_t memory_left; /* that lists may take while reading */
	struct arena *arena;
	unsigned depth;	    /* of the expression at hand */
	unsigned plans;	    /* of recursions around the operator at hand */
	const char *failed; /* why; from then on everything reads as 0 */
};

void io_fail(struct plan_io *io, const char *why);
void io_number(struct plan_io *io, uint64_t *value);
void io_u32(struct plan_io *io, uint32_t *value);
/* PLAN_NONE is written in one byte. */
void io_optional(struct plan_io *io, uint32_t *value);
/* `value` points to an enum, of which there are `count`. */
void io_enum(struct plan_io *io, void *value, uint32_t count);
void io_flag(struct plan_io *io, bool *value);
/* The bytes as they lie. */
void io_bytes(struct plan_io *io, void *bytes, size_t size);
void io_text(struct plan_io *io, const char **text);
void io_location(struct plan_io *io, int32_t *location);
void io_type(struct plan_io *io, struct type *type);
/* Room that is zero and counts against the memory that may be taken; NULL when that is used up. */
void *io_room(struct plan_io *io, size_t size);
/*
 * Sends the count of a list, and makes room for its items when reading; they are zero then.
 * `items` points to the pointer to them.
 */
void io_list(struct plan_io *io, uint32_t *count, void *items, size_t item_size);
void io_columns(struct plan_io *io, uint32_t *count, uint32_t **columns);
void io_types(struct plan_io *io, uint32_t *count, struct type **types);
void io_value(struct plan_io *io, struct value *value);

#endif
