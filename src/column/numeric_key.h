/*
 * Numerics as bytes whose memcmp order is theirs, and from which they can be read back: one of the
 * fields of row keys (exec/table/rowkey.h describes the bytes) and of items of lists (item.h).
 *
 * `exact` adds the scale, which does not matter for comparing. `flip` is 0xff where the bytes were
 * complemented, for a descending order, and 0 otherwise.
 */
#ifndef COLUMN_NUMERIC_KEY_H
#define COLUMN_NUMERIC_KEY_H

#include "base/arena.h"
#include "column/numeric_long.h"

/* Bytes of the scale. */
#define NUMERIC_KEY_SCALE 2
/* A sign with an exponent, pairs of NUMERIC_DIGITS_MAX digits, the scale: of any value not long. */
#define NUMERIC_KEY_MAX (1 + (NUMERIC_DIGITS_MAX + 1) / 2 + NUMERIC_KEY_SCALE)

/* Bytes that a value may need beyond NUMERIC_KEY_MAX. */
size_t numeric_key_long_size(numeric n);
/* Returns where the bytes end. */
uint8_t *numeric_key_put(uint8_t *out, numeric n, bool exact);
const uint8_t *numeric_key_skip(const uint8_t *in, uint8_t flip, bool exact);
/* Of an exact one. */
const uint8_t *numeric_key_get(const uint8_t *in, uint8_t flip, struct arena *arena, numeric *out);
/*
 * How many of these bytes, which may be any, a number without its scale takes; 0 when there is none
 * or it does not end.
 */
size_t numeric_key_length(const void *bytes, size_t size);
/* Bytes from anywhere: whether numeric_key_put makes them of some value, exactly. */
bool numeric_key_is_legal(const uint8_t *in, size_t size);
/* floor(n * 10^4), within 64 bits. */
int64_t numeric_key_abbreviate(numeric n);

#endif
