/*
 * The items of lists: the elements of arrays as bytes whose order, shorter first, is that of the
 * values.
 *
 *   boolean                            1 byte
 *   integers, dates, times             8 bytes, big-endian, sign bit flipped
 *   real, double                       8 bytes, big-endian, in total order; NaN last; tail: 1 byte,
 *                                      for -0, which equals 0
 *   numeric                            the bytes of numeric_key.h; tail: its scale
 *   interval                           16 bytes, big-endian, sign bit flipped: its length, a month
 *                                      being 30 days; tail: months and days, 4 bytes each, alike
 *   text, bytea, uuid, json            as it is
 *   jsonb                              as json.h says; a column of jsonb has lists of one item
 */
#ifndef COLUMN_ITEM_H
#define COLUMN_ITEM_H

#include "column/column.h"

/* All bytes of an item, its tail among them. */
static inline struct text item_bytes(struct text item)
{
	return (struct text){item.data, item_is_null(item) ? item.size : item.size + item.tail, 0};
}

/* Whether items of lists of this kind may have a tail. */
bool items_have_tails(enum type_kind list);
/* A NULL becomes a NULL item. Texts are borrowed. */
struct text item_of_value(const struct value *value, struct arena *arena);
/* `type` is that of the element. Texts are borrowed, and so are the limbs of long numerics. */
struct value item_value(struct type type, struct text item, struct arena *arena);
/* Bytes from elsewhere: whether item_of_value makes them of values of this kind. */
bool item_is_legal(enum type_kind element, struct text item);
/* A copy of the item in the arena, tail included. */
struct text item_copy(struct text item, struct arena *arena);
/* The same to the last byte, which equal items need not be. */
bool item_identical(struct text a, struct text b);
bool list_identical(struct text_list a, struct text_list b);

/* The first `count` rows of a column, and back. */
void items_of_column(
	const struct column *column, uint32_t count, struct text *items, struct arena *arena);
void column_of_items(struct type type, const struct text *items, uint32_t count, struct column *out,
	struct arena *arena);

#endif
