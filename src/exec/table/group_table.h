/*
 * A hash table from the values of key columns to rows of fixed width that hold the keys and a state
 * for whoever owns the table: aggregates, the heaps of a TOP, the values seen by a DISTINCT.
 *
 * A slot of the open-addressing index is 8 bytes: 31 bits of the hash, its tag, and the number of a
 * row. A slot's home is tag * capacity / 2^31 and slots stand in the order of their tags, at home
 * or behind it: the capacity need not be a power of two, a search for what is not there ends as
 * soon as one for what is, and the index grows in place. Rows lie in pages of equal size and never
 * move: pointers to them stay valid until clear or release.
 *
 * A row: one or two words a key (numerics in canonical form, texts and lists as pointers into the
 * table's arena), a byte for every numeric key with the greatest scale seen (1.0 and 1.00 are one
 * key that prints as 1.00 whatever came first), padding to 8 bytes, the state. Of equal intervals
 * the least by interval_order is kept. Which keys are NULL stands in pages of its own, made once
 * the first NULL arrives; the slot of a NULL is zero.
 */
#ifndef EXEC_GROUP_TABLE_H
#define EXEC_GROUP_TABLE_H

#include "column/column.h"

#define GROUP_TABLE_ROWS_MAX ((1u << 31) - BATCH_ROWS_MAX)

struct group_key {
	struct type type;
	enum physical physical;
	uint32_t offset;       /* of its slot in a row, in bytes */
	uint32_t scale_offset; /* numeric keys: of the byte with the scale */
};

struct group_scratch;

struct group_table {
	uint32_t key_count;
	struct group_key *keys;
	uint32_t word_count; /* of all keys */
	bool fixed;	     /* no key is a text, a list or an interval */
	uint32_t state_offset;
	uint32_t row_size;
	uint32_t page_shift; /* rows in a page: 1 << page_shift */
	uint32_t null_words; /* words of a row's null mask */
	uint32_t count;
	uint32_t page_count;
	uint8_t **pages;
	uint64_t **null_pages; /* NULL until some key was NULL; then one a page, or NULL */
	uint32_t capacity;
	uint32_t grow_at;  /* rows at which the index must grow */
	size_t slot_count; /* the capacity, and room for what is pushed over the end */
	uint64_t *slots;
	struct arena arena;
	struct group_scratch *scratch;
};

void group_table_init(
	struct group_table *table, uint32_t key_count, const struct type *types, size_t state_size);
void group_table_release(struct group_table *table);
/* Forgets all rows and keeps the memory of the index and of the pages. */
void group_table_clear(struct group_table *table);

/*
 * Finds or adds the row of every selected row of the batch: rows[k] is the one of the k-th. States
 * of new rows are zero, and their k's stand ascending in `created` (room for BATCH_ROWS_MAX).
 * keys[i] is the batch's column with key i. ERROR_LIMIT past GROUP_TABLE_ROWS_MAX.
 */
MUST_CHECK int group_table_find(struct group_table *table, const struct batch *batch,
	const uint32_t *keys, uint8_t **rows, uint16_t *created, uint32_t *created_count,
	struct error *err);

/* The row of number `index`, below table->count, in the order of creation. */
static inline uint8_t *group_table_row(const struct group_table *table, uint32_t index)
{
	uint32_t in_page = index & ((1u << table->page_shift) - 1);

	return table->pages[index >> table->page_shift] + (size_t)in_page * table->row_size;
}

/*
 * The values of key `key` in the rows first .. first + count - 1. Texts are borrowed from the
 * table.
 */
void group_table_read_key(const struct group_table *table, uint32_t key, uint32_t first,
	uint32_t count, struct column *out, struct arena *arena);

/* The same of the rows numbers[0 .. count - 1]. */
void group_table_read_key_at(const struct group_table *table, uint32_t key, const uint32_t *numbers,
	uint32_t count, struct column *out, struct arena *arena);

/* No more calls of find: frees the index, and the pages that hold only rows before `index`. */
void group_table_drop_before(struct group_table *table, uint32_t index);

/* Bytes on the heap, without those of find's working space. */
size_t group_table_bytes(const struct group_table *table);

#endif
