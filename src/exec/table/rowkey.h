/*
 * Rows as bytes whose memcmp order is the order of SQL, and from which the row can be read back.
 *
 * A key is a sequence of fields: partition columns, sort keys, then every column (ascending, nulls
 * last) that does not stand before already, so that ties are broken by the full row. A field:
 *
 *   presence   1 byte: 1 a value follows; 0 NULL (nulls first) or 2 NULL (nulls last)
 *   boolean    1 byte
 *   integer    8 bytes, big-endian, sign bit flipped
 *   double     8 bytes, big-endian, in total order; NaN last
 *   numeric    1 byte: 0x80 zero, 0xc0 + e positive, its complement negative, where the value is
 *              0.ddd... * 10^e and e from -40 to 40; 0xf0 and 4 bytes, big-endian, for a greater e,
 *              0x90 and 4 bytes of e + 2^31 for one below; 0xfe infinity, 0xff NaN; then, of what
 *              is finite, pairs of digits, 2p + 1 each, the last one 2p (trailing zeros are left
 *              out); complemented for negative values
 *   text       the bytes, with 00 as 00 ff; then 00 01
 *   interval   16 bytes, big-endian, sign bit flipped: its length, a month being 30 days
 *   array      per item (column/item.h) 01 and a text, or 02 for NULL; then 00
 *
 * A descending field has the complement of every byte after the presence. Where 1.0 and 1.00, or 0
 * and -0, or a month and 30 days, must be peers (partition columns, sort keys) they are encoded
 * alike; in the last part a numeric is followed by its scale (2 bytes), an interval by its months and days (4
 * bytes each), an array by 00 or, where items have tails, 01 and the tail of each item as a text,
 * and -0 differs from 0. No key is a prefix of another.
 */
#ifndef EXEC_ROWKEY_H
#define EXEC_ROWKEY_H

#include "base/buf.h"
#include "column/column.h"
#include "plan/plan.h"
#include <stdatomic.h>

#define ROWKEY_SIZE_MAX (1u << 31)

struct rowkey_field {
	uint32_t column;
	enum physical physical;
	bool descending;
	bool nulls_first;
	bool exact;  /* keeps what does not matter for comparing: scales, the sign of zero */
	bool decode; /* the column is read back from this field */
};

struct rowkey {
	uint32_t field_count;
	struct rowkey_field *fields;
	uint32_t partition_count; /* fields of the partition columns: the first ones */
	uint32_t sort_end;	  /* past the fields of the sort keys */
	size_t fixed_size;	  /* most bytes of a key, texts and lists apart */
	uint32_t column_count;
	struct type *types;
};

void rowkey_init(struct rowkey *key, uint32_t column_count, const struct type *types,
	uint32_t partition_count, const uint32_t *partition, uint32_t sort_count,
	const struct plan_sort_key *sort);
/*
 * A key of just these fields. Only the first `column_count` columns are read back, from the fields
 * that say so; `types` are theirs.
 */
void rowkey_init_fields(struct rowkey *key, uint32_t column_count, const struct type *types,
	uint32_t field_count, const struct rowkey_field *fields);
void rowkey_release(struct rowkey *key);
/* Whether values of this kind can be read back from a field that is not exact. */
bool rowkey_decodes_inexact(enum type_kind kind);
/* How many bytes at the end of an exact field do not matter for comparing. Not for doubles. */
uint32_t rowkey_exact_size(enum physical physical);
/* From now on only the columns with `kept[column]` are decoded; others are left as they are. Not
 * for encoding. */
void rowkey_keep_columns(struct rowkey *key, const bool *kept);

/* Replaces what `out` holds. ERROR_LIMIT when the key would pass ROWKEY_SIZE_MAX. */
MUST_CHECK int rowkey_encode(const struct rowkey *key, const struct batch *batch, uint32_t row,
	struct buf *out, struct error *err);

/*
 * A number for every selected row, at out[k], that never contradicts the order of `field`: of two
 * rows the one that sorts first has no greater number.
 */
void rowkey_abbreviate(const struct rowkey_field *field, const struct batch *batch, uint64_t *out);

/* A stored key: its size in 4 bytes, then the bytes. */
struct rowkey_entry {
	uint64_t prefix; /* the sort's own */
	const uint8_t *stored;
};

static inline uint32_t rowkey_size(const uint8_t *stored)
{
	uint32_t size;

	__builtin_memcpy(&size, stored, sizeof(size));
	return size;
}

static inline const uint8_t *rowkey_bytes(const uint8_t *stored)
{
	return stored + sizeof(uint32_t);
}

/* How many keys ahead of the one at hand loops over sorted keys fetch. */
#define ROWKEY_AHEAD 12

static inline void rowkey_prefetch(const uint8_t *stored)
{
	__builtin_prefetch(stored);
	__builtin_prefetch(stored + 63);
	__builtin_prefetch(stored + 127);
}

const uint8_t *rowkey_store(struct arena *arena, const struct buf *encoded);
int rowkey_compare(const uint8_t *a, const uint8_t *b);

/* Bytes that the first `field_count` fields of a stored key take. */
size_t rowkey_prefix_size(const struct rowkey *key, const uint8_t *stored, uint32_t field_count);
/* Whether `stored` starts with the first `size` bytes of `other`. */
bool rowkey_same_prefix(const uint8_t *stored, const uint8_t *other, size_t size);

/* Reads rows back. Texts are borrowed from the keys where they can be. */
void rowkey_decode(const struct rowkey *key, const struct rowkey_entry *entries, uint32_t count,
	struct column *columns, struct arena *arena);
/* The same of many: false when *stop was set meanwhile, and not all of them were. */
MUST_CHECK bool rowkey_decode_all(const struct rowkey *key, const struct rowkey_entry *entries,
	uint32_t count, struct column *columns, struct arena *arena, const atomic_bool *stop);

/*
 * Sorts by memcmp of the keys; equal keys in any order. When *stop is set it leaves them in whatever
 * order they are; NULL: nobody will.
 */
void rowkey_sort(struct rowkey_entry *entries, size_t count, const atomic_bool *stop);

/* A growing set of keys. */
struct rowkey_rows {
	struct arena arena;
	struct buf scratch;
	struct rowkey_entry *entries;
	size_t count;
	size_t capacity;
};

void rowkey_rows_init(struct rowkey_rows *rows);
void rowkey_rows_release(struct rowkey_rows *rows);
/* Encodes and keeps the selected rows of the batch. */
MUST_CHECK int rowkey_rows_add(struct rowkey_rows *rows, const struct rowkey *key,
	const struct batch *batch, struct error *err);
void rowkey_rows_append(struct rowkey_rows *rows, const uint8_t *stored);

#endif
