/*
 * The key columns of a batch, in the form in which a group table keeps keys: fixed-width values as
 * canonical words, one after the other for the selected rows, texts, lists and intervals as they
 * are.
 */
#ifndef EXEC_KEY_VIEW_H
#define EXEC_KEY_VIEW_H

#include "column/column.h"

struct key_view {
	enum physical physical;
	const struct column *column;
	const uint64_t *words; /* of the k-th selected row; NULL for texts, lists, intervals */
	const uint64_t *high;  /* numerics: the second word */
	const uint8_t *valid;  /* the column's; NULL: no selected row is NULL */
	bool scaled;	       /* a numeric column with scales to remember */
	bool has_long;	       /* some of its words point to limbs: they are not to be compared */
};

static inline uint64_t key_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0xd6e8feb86659fd93);
	return hash ^ (hash >> 32);
}

/*
 * Views of the columns keys[0 .. count-1]; they live as long as the batch and the arena. Returns
 * whether some selected row has a NULL key.
 */
bool key_views_make(struct key_view *views, uint32_t count, const struct batch *batch,
	const uint32_t *keys, struct arena *arena);
/* For the k-th selected row, `words` words from masks[k * words]: bit i is set where key i is NULL.
 */
uint64_t *key_views_masks(const struct key_view *views, uint32_t count, const struct batch *batch,
	uint32_t words, struct arena *arena);

/* `row` is the k-th selected row. A NULL mixes like no value. */
uint64_t key_view_mix(uint64_t hash, const struct key_view *view, uint32_t row, uint32_t k);
/* Against a key in a table: one or two words. The row's key is not NULL. */
bool key_view_equal(const struct key_view *view, uint32_t row, uint32_t k, const uint8_t *slot);
/* Texts and lists are copied into the arena. */
void key_view_write(
	const struct key_view *view, uint32_t row, uint32_t k, uint8_t *slot, struct arena *arena);

#endif
